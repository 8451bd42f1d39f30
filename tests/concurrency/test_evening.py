"""Races of the evening: a re-entry that is pressed twice, and two players who enter the score of their match."""

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection

from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.actors import SYSTEM
from players.models import Club, Player, User
from tests.concurrency.event import EventBuilder, club, entry_of, fixtures, make_players, take_out_the_locks
from tests.concurrency.racing import TOGETHER, at_once, faults, refusals
from tests.tournaments.conftest import NOON
from tournaments.entries.services import reentries
from tournaments.floor import selectors
from tournaments.floor.services import calls, journal, matches, opening
from tournaments.models import Division, Entry, Fixture, Floor, FloorEvent
from tournaments.results.services import results

__all__ = ["club", "make_players"]

pytestmark = pytest.mark.django_db(transaction=True)
CONTROL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one writer in at a time")


@pytest.fixture
def builder(club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> EventBuilder:
    return EventBuilder(club, alice, make_players)


def pressed_twice(builder: EventBuilder) -> tuple[Division, Callable[[], Entry]]:
    """A knockout of three whose first match is over, and the re-entry of its loser as the preview offers it."""
    division = builder.drawn(3, reentry_until=NOON + timedelta(hours=2))
    first = next(fixture for fixture in fixtures(division) if fixture.match is not None)
    results.enter_result(fixture=first, result=ResultInput.played((1, 0)), **builder.acts)
    loser = Entry.objects.select_related("division__tournament__club", "player").get(pk=entry_of(first, 1).pk)
    seen = reentries.preview_reentry(entry=loser, now=NOON).seq
    return division, partial(reentries.reenter, entry=loser, after=seen, **builder.acts)


def test_a_reentry_that_is_pressed_twice_enters_the_player_once(builder: EventBuilder) -> None:
    division, press = pressed_twice(builder)
    outcomes = at_once(press, press)
    assert faults(outcomes) == []
    assert refusals(outcomes) == ["stale"]
    assert list(division.entries.filter(number__gt=1).values_list("number", flat=True)) == [2]


@CONTROL
def test_control_without_the_lock_of_the_division_nobody_is_told_that_the_preview_is_stale(
    builder: EventBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    _division, press = pressed_twice(builder)
    take_out_the_locks(monkeypatch)
    both_have_read = threading.Barrier(2)

    def unguarded(division_id: int) -> Division:
        division = Division.objects.select_related("tournament__club").get(pk=division_id)
        both_have_read.wait(TOGETHER)
        return division

    monkeypatch.setattr(reentries, "lock_division", unguarded)
    assert "stale" not in refusals(at_once(press, press))


def played(builder: EventBuilder) -> tuple[Fixture, list[Callable[[], FloorEvent]]]:
    """A match to seven that is called, and its two players, who both enter the same score."""
    division = builder.drawn(2)
    opening.open_floor(tournament=division.tournament, **builder.acts)
    (fixture,) = fixtures(division)
    Match.objects.filter(pk=fixture.match_id).update(length=7)
    calls.start(fixture=fixture, **builder.acts)
    enter = partial(matches.set_players_score, fixture=fixture, by=SYSTEM, now=NOON)
    return fixture, [partial(enter, side=side, score=(3, 1)) for side in (0, 1)]


def entered() -> list[list[int]]:
    return [fact.params["score"] for fact in FloorEvent.objects.filter(kind="running_score").order_by("pk")]


def test_both_players_enter_the_same_score_at_once_and_it_is_one_fact(builder: EventBuilder) -> None:
    _fixture, enter = played(builder)
    outcomes = at_once(*enter)
    assert faults(outcomes) + refusals(outcomes) == []
    assert entered() == [[3, 1]]


def test_of_two_scores_at_once_both_are_kept_and_the_later_one_stands(builder: EventBuilder) -> None:
    fixture, (first, _second) = played(builder)
    other = partial(matches.set_players_score, fixture=fixture, side=1, score=(2, 2), by=SYSTEM, now=NOON)
    outcomes = at_once(first, other)
    assert faults(outcomes) + refusals(outcomes) == []
    assert sorted(entered()) == [[2, 2], [3, 1]]
    state = selectors.floor(fixture.stage.division.tournament, NOON).state
    assert state.matches[fixture.pk].score == tuple(entered()[-1])


@CONTROL
def test_control_without_the_locks_the_same_score_is_two_facts(
    builder: EventBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fixture, enter = played(builder)
    both_have_read = threading.Barrier(2)

    def unguarded_floor(tournament_id: int, now: object) -> Floor:
        return Floor.objects.select_related("tournament__club").get(tournament=tournament_id)

    def unguarded_fixture(fixture: Fixture) -> tuple[Fixture, Match]:
        row = Fixture.objects.select_related("stage__division", "match").get(pk=fixture.pk)
        assert row.match is not None
        return row, row.match

    def read_together(floor: Floor, now: Any) -> Any:
        state = journal.read_state(floor, now)
        both_have_read.wait(TOGETHER)
        return state

    monkeypatch.setattr(matches, "lock_floor", unguarded_floor)
    monkeypatch.setattr(matches, "lock_fixture", unguarded_fixture)
    monkeypatch.setattr(matches, "read_state", read_together)
    assert refusals(at_once(*enter)) == []
    assert entered() == [[3, 1], [3, 1]]
