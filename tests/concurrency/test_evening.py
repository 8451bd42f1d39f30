"""Races of the evening: a re-entry that is pressed twice, and two players who enter the score of their match or agree
on a shorter one.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection

from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.actors import SYSTEM
from tests.concurrency.event import EventBuilder, entry_of, fixtures
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tournaments.entries import reentries
from tournaments.floor import calls, evening, length_offers, selectors
from tournaments.models import Division, Entry, Fixture, FloorEvent, Tournament
from tournaments.results import services as results

pytestmark = pytest.mark.django_db(transaction=True)
CONTROL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one writer in at a time")


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
    builder: EventBuilder,
) -> None:
    _division, press = pressed_twice(builder)
    with without_locks():
        outcomes = at_once(press, press)
    assert "stale" not in refusals(outcomes)


def played(builder: EventBuilder) -> tuple[Fixture, list[Callable[[], FloorEvent]]]:
    """A match to seven that is called, and its two players, who both enter the same score."""
    division = builder.drawn(2)
    evening.open_floor(tournament=division.tournament, **builder.acts)
    (fixture,) = fixtures(division)
    Match.objects.filter(pk=fixture.match_id).update(length=7)
    calls.start(fixture=fixture, **builder.acts)
    enter = partial(calls.set_players_score, fixture=fixture, by=SYSTEM, now=NOON)
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
    other = partial(calls.set_players_score, fixture=fixture, side=1, score=(2, 2), by=SYSTEM, now=NOON)
    outcomes = at_once(first, other)
    assert faults(outcomes) + refusals(outcomes) == []
    assert sorted(entered()) == [[2, 2], [3, 1]]
    state = selectors.floor(fixture.stage.division.tournament, NOON).state
    assert state.matches[fixture.pk].score == tuple(entered()[-1])


@CONTROL
def test_control_without_the_locks_the_same_score_is_two_facts(builder: EventBuilder) -> None:
    _fixture, enter = played(builder)
    with without_locks():
        outcomes = at_once(*enter)
    assert faults(outcomes) + refusals(outcomes) == []
    assert entered() == [[3, 1], [3, 1]]


def closing(builder: EventBuilder) -> tuple[Fixture, list[Callable[[], FloorEvent]]]:
    """A match to seven at closing time, and its two players, who both offer to play to five."""
    fixture, _enter = played(builder)
    Tournament.objects.filter(pk=fixture.stage.division.tournament_id).update(closing_rule="shorten", ends_at=NOON)
    offer = partial(length_offers.offer_length, fixture=fixture, length=5, score=(0, 0), by=SYSTEM, now=NOON)
    return fixture, [partial(offer, side=side) for side in (0, 1)]


def lengths() -> list[str]:
    facts = FloorEvent.objects.exclude(kind="started").order_by("pk")
    return list(facts.values_list("kind", flat=True))


def test_both_players_offer_the_same_length_at_once_and_have_agreed(builder: EventBuilder) -> None:
    fixture, offers = closing(builder)
    outcomes = at_once(*offers)
    assert faults(outcomes) + refusals(outcomes) == []
    assert lengths() == ["length_offered", "length_accepted", "shortened"]
    assert Match.objects.get(pk=fixture.match_id).length == 5


def test_an_offer_that_is_accepted_twice_and_declined_at_once_shortens_once_or_not_at_all(
    builder: EventBuilder,
) -> None:
    fixture, (offer, _other) = closing(builder)
    number = offer().pk
    answer = {"fixture": fixture, "offer": number, "by": SYSTEM, "now": NOON}
    accept = partial(length_offers.accept_length, side=1, **answer)
    outcomes = at_once(accept, accept, partial(length_offers.decline_length, side=0, **answer))
    assert faults(outcomes) == []
    is_shorter = Match.objects.get(pk=fixture.match_id).length == 5
    assert refusals(outcomes) == (["offer_gone"] if is_shorter else ["offer_gone"] * 2)
    assert lengths().count("shortened") == is_shorter


@CONTROL
def test_control_without_the_locks_both_offers_wait_for_an_answer(builder: EventBuilder) -> None:
    fixture, offers = closing(builder)
    with without_locks():
        outcomes = at_once(*offers)
    assert faults(outcomes) + refusals(outcomes) == []
    assert lengths() == ["length_offered"] * 2
    assert Match.objects.get(pk=fixture.match_id).length == 7
