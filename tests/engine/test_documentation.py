"""The page about the engine: its examples run, and its table has every public name."""

import doctest
import re
from pathlib import Path

import engine

PAGE = Path(__file__).resolve().parents[2] / "docs" / "engine.md"


def section(title: str) -> str:
    """Return the text below a heading, up to the next one."""
    return PAGE.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_examples_run() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 50
    assert result.failed == 0


def test_a_verdict_on_a_file_takes_at_most_ten_lines() -> None:
    example = section("From a file to a verdict").split("```")[1]
    lines = [line for line in example.splitlines() if line.startswith((">>>", "..."))]
    assert lines[0] == ">>> import engine"
    assert "verdict" in lines[-1]
    assert len(lines) <= 10


def test_the_table_of_names_has_every_public_name_and_no_other() -> None:
    rows = [line for line in section("Names").splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(engine.__all__)


def test_every_public_name_can_be_looked_up() -> None:
    for name in engine.__all__:
        value = getattr(engine, name)
        assert value.__doc__, name
        assert value.__module__.startswith("engine."), name
