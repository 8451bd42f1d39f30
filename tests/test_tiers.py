"""A run of the tests that passed passes again: nothing in them is left to chance, or to the day."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import settings

from tests.clock import REAL_CLOCK
from tests.tiers import TIER_NAME

FOLDER = Path(__file__).parent
CHANCE = "System" + "Random"
COMING_DATE = re.compile(r"\b20(?:2[6-9]|[3-9]\d)-\d\d|\bdate(?:time)?\(2\d{3}|\byear=2\d{3}")
"""A date that a test states, unless it was past when the project began: what is past stays past."""
TIME_OF_IMPORT = re.compile(r"^\w.*\b(?:now|localdate|localtime|today)\(")


def test_the_choices_of_hypothesis_do_not_change_between_runs() -> None:
    assert settings().database is None
    assert settings().derandomize == (TIER_NAME != "soak")


def test_no_seed_comes_from_the_system() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py")}
    assert len(sources) > 400
    assert [str(path.relative_to(FOLDER)) for path, source in sources.items() if CHANCE in source] == []


@pytest.mark.parametrize("folder", REAL_CLOCK, ids=lambda folder: folder.name)
def test_what_uses_the_real_clock_takes_its_dates_from_it(folder: Path) -> None:
    """A literal date is ahead today and past one day; modules are imported under the clock of the other tests."""
    lines = {
        f"{path.name}:{number}": line
        for path in folder.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    }
    assert len(lines) > 1000
    assert {at: line for at, line in lines.items() if COMING_DATE.search(line) or TIME_OF_IMPORT.search(line)} == {}


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
