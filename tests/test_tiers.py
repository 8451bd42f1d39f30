"""A run of the tests that passed passes again: nothing in them is left to chance."""

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
