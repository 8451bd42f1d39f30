"""The engine's page: its examples run, and it names everything that can be imported."""

import doctest
import re
from pathlib import Path

import engine

PAGE = Path(__file__).resolve().parents[2] / "docs" / "engine.md"


def test_the_examples_give_what_they_show():
    result = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert result.attempted > 15
    assert result.failed == 0


def test_every_public_name_stands_on_the_page():
    named = set(re.findall(r"`(\w+)[`(]", PAGE.read_text(encoding="utf-8")))
    assert set(engine.__all__) <= named
