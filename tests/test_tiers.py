"""A run of the tests that passed passes again: nothing in them is left to chance."""

import ast
import re
from pathlib import Path

from hypothesis import settings

from tests.tiers import TIER_NAME

FOLDER = Path(__file__).parent
CHANCE = "System" + "Random"


def test_the_choices_of_hypothesis_do_not_change_between_runs() -> None:
    assert settings().database is None
    assert settings().derandomize == (TIER_NAME != "soak")


def test_no_seed_comes_from_the_system() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py")}
    assert len(sources) > 400
    assert [str(path.relative_to(FOLDER)) for path, source in sources.items() if CHANCE in source] == []


def test_browsers_wait_for_functions() -> None:
    """Playwright evaluates an expression at each look, which the policy of our pages refuses after the first."""
    waits = {
        f"{path.relative_to(FOLDER)}:{node.lineno}": ast.unparse(node.args[0])
        for path in FOLDER.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".wait_for_function")
    }
    assert len(waits) > 20
    is_function = re.compile(r"""f?['"]+(?:async )?(?:\w+|\([^()]*\)) => |[A-Z_]+$""")
    assert {where: what for where, what in waits.items() if not is_function.match(what)} == {}
