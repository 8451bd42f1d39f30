"""A public class name means one thing."""

import ast
from collections import defaultdict
from pathlib import Path

from core.packages import PACKAGES

ROOT = Path(__file__).resolve().parent.parent
ROW = "the row of the database and the value of the pure packages that it stores"
TWICE = {
    "Action": ROW,
    "Bracket": ROW,
    "Command": "Django's name for what a management command runs",
    "DatabaseWrapper": "Django's name for what a database backend provides",
    "Fixture": ROW,
    "Result": ROW,
    "Round": ROW,
    "Verdict": ROW,
    "Withdrawal": ROW,
}
"""Class name -> why two modules may have it."""


def test_no_two_modules_have_a_public_class_of_one_name() -> None:
    modules = defaultdict(list)
    for folder in (*PACKAGES, "benchmarks", "tools", "verify"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.parent.name != "migrations":
                for node in ast.parse(path.read_text()).body:
                    if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                        modules[node.name].append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in modules.items() if len(paths) > 1 and name not in TWICE} == {}
    assert {name for name in TWICE if len(modules[name]) < 2} == set(), "no longer needed"
