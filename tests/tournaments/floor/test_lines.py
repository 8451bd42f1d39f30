"""Lines of the floor do what their preview says; `undo` takes back whichever came last."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from core.messages import sentence
from players.actors import Actor
from players.models import User
from tests.tournaments.floor.test_services import Evening
from tournaments.floor import selectors
from tournaments.floor.lines import enter_lines, preview_line
from tournaments.models import Division
from tournaments.results.quick_entry import OutcomeKind

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def event(drawn: Callable[..., Division], by_alice: Actor) -> Evening:
    division = drawn(8, match_length=7)
    division.tournament.tables = 3
    division.tournament.save()
    return Evening(division, by_alice, timezone.now() - timedelta(minutes=1))


def enter(event: Evening, text: str) -> str:
    event.now += timedelta(seconds=1)
    [outcome] = enter_lines(tournament=event.division.tournament, text=text, division=None, **event.acts)
    prefix = "refused: " if outcome.what == OutcomeKind.REFUSED else ""
    return prefix + outcome.sentence


def preview(event: Evening, text: str) -> str:
    shown = preview_line(tournament=event.division.tournament, text=text, **event.acts)
    assert shown is not None
    return ("refused: " if shown.is_refused else "") + shown.text


def test_lines_run_an_evening_and_undo_takes_back_what_came_last(event: Evening) -> None:
    first, second = (player.name for player in event.match(1).players)
    names = f"{first} – {second}"
    assert enter(event, "m1 call") == f"M1 {names} is called to table 1."
    assert preview(event, "t1 call m2") == "refused: M1 is at table 1."
    assert enter(event, "t1 call m2") == "refused: M1 is at table 1."
    assert preview(event, "m1 t3") == f"After Enter: M1 {names} is at table 3."
    assert enter(event, "m1 t3") == f"M1 {names} is at table 3."
    assert enter(event, f"late {first} 10") == f"{first} is 10 minutes late for M1 {names}."
    assert enter(event, "m1 start") == f"M1 {names} has started."
    assert enter(event, "m1 run 5-3") == f"M1 {names} stands 5–3."
    assert enter(event, "t2 out lamp broken") == "Table 2 is out of use."
    assert preview(event, "undo") == "Undo: Table 2 is out of use."
    assert preview(event, "m1 3-7") == f"{second} beats {first} 7–3 · M1 · Table 3 · The winner goes to M5."
    assert enter(event, "m1 7-3") == f"M1 · {names} 7–3"
    assert event.states() == "srrwwww"
    assert preview(event, "undo") == preview(event, "undo m1") == f"Undo: {first} wins 7–3 · Table 3"
    assert enter(event, "undo") == "The result of M1 was taken back."
    assert enter(event, "undo") == "Undone: Table 2 is out of use."
    assert preview(event, f"accessible {second}") == f"After Enter: {second} needs an accessible table."
    assert enter(event, f"accessible {second}") == f"{second} needs an accessible table."
    assert event.state.facts.needs_accessible == {event.match(1).player_1_id}
    assert enter(event, "t9 free") == "refused: There is no table 9."
    assert enter(event, "m99 start").startswith("refused: There is no M99")


def test_a_pause_ends_at_a_time_of_day_at_the_event(event: Evening) -> None:
    event.now = event.now.replace(year=2026, month=11, day=20, hour=18, minute=30)  # 19:30 in Copenhagen
    with timezone.override("America/New_York"):
        assert preview(event, "pause 20:00") == "After Enter: The event is paused until 20:00."
        assert enter(event, "pause 20:00") == "The event is paused until 20:00.", "wherever the director’s clock is"
        view = selectors.floor(event.division.tournament, event.now)
        assert view.reasons(view.queue[0]) == ("The event is paused until 20:00.",)
    pause = event.state.pause
    assert pause is not None
    assert pause.until is not None
    assert (pause.until - event.now) < timedelta(minutes=31)
    assert enter(event, "m1 call") == "refused: The event is paused. Resume it first."
    assert enter(event, "resume") == "The event goes on."
    assert enter(event, "auto on") == "Matches are called automatically."


def test_an_assistant_calls_matches_and_does_not_pause_the_event(event: Evening, erin: User) -> None:
    event.alice = Actor.of(erin)
    assert enter(event, "m1 call").endswith("is called to table 1.")
    refused = "refused: Only directors of this event can do this."
    assert preview(event, "pause 20:00") == refused
    assert enter(event, "pause 20:00") == enter(event, "resume") == enter(event, "auto on") == refused


def test_a_line_names_a_table_of_the_event(event: Evening) -> None:
    assert enter(event, "t9 call m1") == "refused: " + sentence("no_such_table", {"table": "9"})
    assert "M1" in enter(event, "t2 call m1")


def test_a_line_about_a_table_is_about_the_match_that_was_seen_there(event: Evening) -> None:
    def at_table(seen: int | None) -> str:
        [outcome] = enter_lines(
            tournament=event.division.tournament, text="t1 7-5", division=None, seen=seen, **event.acts
        )
        return outcome.refused.code if outcome.refused else outcome.what

    for text in ("t1 call m1", "m1 run 3-2"):
        enter(event, text)
    seen = event.state.facts.newest
    for text in ("m1 7-2", "t1 call m2"):
        enter(event, text)
    assert at_table(seen) == "line_table_changed"
    assert at_table(event.state.facts.newest) == "booked"
    assert enter(event, "undo").startswith("The result of M2")
    assert at_table(None) == "booked", "a program that has seen nothing means whatever is there"


def test_lists_are_previewed_as_they_are_entered(event: Evening) -> None:
    assert preview(event, "m1 7-1; m2 7-0") == preview(event, "m1 7-1\nm2 7-0")
    assert not preview(event, "m1 7-1; m2 7-0").startswith("refused")
