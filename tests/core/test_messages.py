"""Every code says one thing, whichever room refuses."""

from collections.abc import Mapping
from string import Formatter

import pytest

from core.messages import register, sentence
from engine.errors import MESSAGES as ENGINE
from matches.records.refusals import MESSAGES as MATCHES
from players.refusals import MESSAGES as PLAYERS
from tournaments.formats.errors import MESSAGES as FORMATS
from tournaments.state.refusals import MESSAGES as TOURNAMENTS

ROOMS = {
    "engine": ENGINE,
    "players": PLAYERS,
    "matches": MATCHES,
    "tournaments": TOURNAMENTS,
    "tournaments/formats": FORMATS,
}


def contradictions(rooms: Mapping[str, Mapping[str, str]]) -> dict[str, set[str]]:
    """Codes that have more than one sentence."""
    said: dict[str, set[str]] = {}
    for messages in rooms.values():
        for code, template in messages.items():
            said.setdefault(code, set()).add(template)
    return {code: templates for code, templates in said.items() if len(templates) > 1}


def test_no_two_rooms_say_different_things_by_one_code() -> None:
    assert all(ROOMS.values())
    assert contradictions(ROOMS) == {}


def test_a_contradiction_is_seen() -> None:
    assert contradictions({"one": {"late": "Late."}, "other": {"late": "Too late."}}) == {
        "late": {"Late.", "Too late."}
    }


@pytest.mark.parametrize("room", ROOMS)
def test_every_sentence_can_be_said(room: str) -> None:
    for code, template in ROOMS[room].items():
        places = {name for _, name, _, _ in Formatter().parse(template) if name}
        said = sentence(code, dict.fromkeys(places, 7))
        assert said != code
        assert "{" not in said


def test_a_room_cannot_change_what_another_said_before() -> None:
    before = sentence("bar_first", {})
    with pytest.raises(ValueError, match="bar_first"):
        register({"bar_first": "{something} else"})
    assert sentence("bar_first", {}) == before


def test_a_code_nobody_knows_is_shown_as_it_is() -> None:
    assert sentence("of_a_newer_version", {"a": 1}) == "of_a_newer_version"
