"""A draw or a round is taken back, or publishes itself, while somebody else acts on it: one of them comes first."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError

from formats.settings import NextRound, StageSettings
from matches.models import Claim, Match
from matches.reporting import reports
from players.actors import Actor
from players.models import Club, Player, User
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, fixtures
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tests.event_cast import NOON
from tests.tournaments.support.swiss_rounds import DivisionDriver as Rounds
from tests.tournaments.support.swiss_rounds import is_clean
from tournaments.draws import services as draws
from tournaments.draws.undo import undo_paired_round, undo_published_draw
from tournaments.events import services as events
from tournaments.models import Commitment, Division, Draw, Fixture

pytestmark = POSTGRESQL_ONLY
RACES = 5


@pytest.fixture
def swiss(club: Club, alice: User, make_players: Callable[[int], list[Player]]) -> Callable[..., Rounds]:
    """A Swiss whose first round is complete."""
    players, by = make_players(6), Actor.of(alice)

    def make(**settings: Any) -> Rounds:
        tournament = events.create_tournament(club=club, by=by, now=NOON, name="Open", starts_at=NOON)
        division = events.create_division(tournament=tournament, by=by, now=NOON, name="Main", match_length=1)
        rounds = Rounds(division, by)
        rounds.enter(players)
        rounds.begin(StageSettings("swiss", rounds=3, **settings))
        rounds.play_round()
        return rounds

    return make


def take_back_and_report(builder: EventBuilder) -> tuple[Match, list[Any]]:
    """Take back the draw while a player reports its first match."""
    division = builder.drawn(4)
    match = fixtures(division)[0].match
    assert match is not None
    report: dict[str, Any] = {"side": 0, "report": reports.ScoreReport(0, (1, 0)), "by": Actor.link(0), "now": NOON}
    return match, at_once(
        lambda: undo_published_draw(division=division, reason="A slip", after=division.seq, **builder.acts),
        lambda: reports.report_score(match=match, **report),
    )


def lost_a_report(match: Match) -> bool:
    """Return whether a match is void, or no longer in any plan, although a report of it is open."""
    match.refresh_from_db()
    waiting = Claim.objects.filter(match=match, state=Claim.State.OPEN).exists()
    return waiting and (match.state == Match.State.VOID or not Fixture.objects.filter(match=match).exists())


def test_a_draw_is_taken_back_or_its_match_is_reported(builder: EventBuilder) -> None:
    for _ in range(RACES):
        match, outcomes = take_back_and_report(builder)
        assert faults(outcomes) == []
        (refused,) = refusals(outcomes)
        assert refused in ("draw_begun", "match_void")
        assert not lost_a_report(match)
        assert is_clean()


def test_control_without_the_locks_a_report_is_lost(builder: EventBuilder) -> None:
    with without_locks(before=Match):
        match, outcomes = take_back_and_report(builder)
    assert faults(outcomes) or lost_a_report(match)


def publish_or_take_back_twice(builder: EventBuilder) -> tuple[Division, list[Any], list[Any]]:
    """Two directors publish at once, and then take back at once."""
    division = builder.drafted(4)
    after = division.seq
    published = at_once(*[lambda: draws.publish_draw(division=division, after=after, **builder.acts)] * 2)
    division.refresh_from_db()
    seen = division.seq
    taken = at_once(*[lambda: undo_published_draw(division=division, reason="A slip", after=seen, **builder.acts)] * 2)
    return division, published, taken


def test_two_directors_publish_and_take_back_at_once(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division, published, taken = publish_or_take_back_twice(builder)
        for outcomes in (published, taken):
            assert faults(outcomes) == []
            assert refusals(outcomes) == ["stale"]
        assert [row.end for row in Commitment.objects.filter(division=division).order_by("number")] == ["retired", ""]
        assert is_clean()


def publish_two_events(builder: EventBuilder) -> list[Any]:
    tournaments = [builder.event() for _ in range(2)]
    for tournament in tournaments:
        events.create_division(tournament=tournament, name="Main", **builder.acts)
    publish = partial(events.publish_tournament, **builder.acts)
    return at_once(*(partial(publish, tournament=tournament) for tournament in tournaments))


def test_events_published_at_once_get_their_own_numbers_in_the_clubs_list(builder: EventBuilder) -> None:
    for _ in range(RACES):
        assert faults(publish_two_events(builder)) == []
    numbers = list(Commitment.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, 2 * RACES + 1))


def test_control_without_the_lock_of_the_club_a_number_is_given_twice(builder: EventBuilder) -> None:
    with without_locks(Club, before=Commitment):
        outcomes = publish_two_events(builder)
    # The database still refuses the second; that director would have seen an error page.
    assert [type(fault) for fault in faults(outcomes)] == [IntegrityError]


def counting_down(rounds: Rounds) -> Draw:
    """The draft of round 2, whose countdown has ended."""
    draw = Draw.objects.get(stage__division=rounds.division, state=Draw.State.REQUESTED)
    draws.make_draft(draw_id=draw.pk, now=rounds.now())
    rounds.at += timedelta(minutes=30)
    return draw


def sweep_twice(rounds: Rounds) -> list[Any]:
    draft, now = counting_down(rounds), rounds.at
    return at_once(*[lambda: draws.publish_due_draft(draw_id=draft.pk, now=now)] * 2)


def test_two_sweeps_publish_a_round_once(swiss: Callable[..., Rounds]) -> None:
    for _ in range(RACES):
        rounds = swiss(next_round=NextRound.PUBLISH)
        outcomes = sweep_twice(rounds)
        assert faults(outcomes) == []
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Draw", "NoneType"]
        assert len(rounds.rounds()) == 2
        assert is_clean(rounds.division)


def test_control_without_the_locks_two_sweeps_both_publish(swiss: Callable[..., Rounds]) -> None:
    rounds = swiss(next_round=NextRound.PUBLISH)
    with without_locks():
        outcomes = sweep_twice(rounds)
    assert faults(outcomes) or len(rounds.rounds()) != 2


def test_a_countdown_is_stopped_or_its_round_is_published(swiss: Callable[..., Rounds]) -> None:
    for _ in range(RACES):
        rounds = swiss(next_round=NextRound.PUBLISH)
        draft = counting_down(rounds)
        after, now = rounds.seq, rounds.at
        stop = {"division": rounds.division, "after": after, "by": rounds.by, "now": now}
        outcomes = at_once(
            lambda draft=draft, now=now: draws.publish_due_draft(draw_id=draft.pk, now=now),
            lambda stop=stop: draws.stop_countdown(**stop),
        )
        assert faults(outcomes) == []
        draft.refresh_from_db()
        assert draft.state == (Draw.State.PUBLISHED if refusals(outcomes) else Draw.State.DRAFT)
        assert is_clean(rounds.division)


def test_a_round_is_taken_back_or_its_match_is_reported(swiss: Callable[..., Rounds]) -> None:
    for _ in range(RACES):
        rounds = swiss()
        rounds.work()
        match = rounds.ready()[0].match
        assert match is not None
        after, now = rounds.seq, rounds.now()
        undo = {"division": rounds.division, "round_number": 2, "reason": "A slip", "after": after}
        report: dict[str, Any] = {"side": 0, "report": reports.ScoreReport(0, (1, 0)), "by": Actor.link(0), "now": now}
        outcomes = at_once(
            lambda undo=undo, now=now, by=rounds.by: undo_paired_round(**undo, by=by, now=now),
            lambda match=match, report=report: reports.report_score(match=match, **report),
        )
        assert faults(outcomes) == []
        assert refusals(outcomes)[0] in ("round_begun", "match_void")
        assert not lost_a_report(match)
        assert is_clean(rounds.division)
