"""Running scores that Bob and Carol kept without a connection; the last one that anybody else entered stands."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from matches.access import MatchSeat
from matches.models import Match
from matches.reporting import reports
from matches.reporting.outboxes import arrive
from players.actors import Actor
from players.kept.acts import SentAct
from players.kept.outboxes import OutboxKey, Sending, receive
from players.models import KeptAct
from tests.tournaments.floor.test_players_scores import AtTable, at_table
from tournaments.floor import calls, evening
from tournaments.models import FloorEvent, FloorKind

__all__ = ["at_table"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
KEYS = ("a" * 22, "b" * 22)


def send(table: AtTable, side: int, number: int, action: str, seen_at: Any, **fields: int) -> str:
    """An act of a side's outbox arrives; return its outcome and code."""
    match, now = table.match, timezone.now()
    seat, at = MatchSeat(match, side, Actor.link(side)), int(now.timestamp() * 1000)
    pair = tuple(player.public_id for player in match.players)
    act = SentAct(number, action, fields, at, match.seq, seen_at, pair=pair, content={"n": number, "fields": fields})
    receive(OutboxKey(match.topic, KEYS[side], None), [act], Sending(seat.by, at), partial(arrive, seat), now)
    row = KeptAct.objects.get(outbox__key=KEYS[side], number=number)
    return " ".join(filter(None, (row.outcome, row.code)))


def scores() -> list[list[int]]:
    facts = FloorEvent.objects.filter(kind=FloorKind.RUNNING_SCORE).order_by("pk")
    return [fact.params["score"] for fact in facts]


def test_own_scores_replace_each_other_and_then_the_report_counts(at_table: AtTable) -> None:
    at_table.call()
    seen_at = timezone.now()
    assert send(at_table, 0, 1, "running-score", seen_at, score_0=4, score_1=2) == "done"
    assert send(at_table, 0, 2, "running-score", seen_at, score_0=5, score_1=4) == "done"
    assert scores() == [[4, 2], [5, 4]]
    [made] = KeptAct.objects.get(number=2).made
    assert made == f"floor-{FloorEvent.objects.latest('pk').pk}"
    assert send(at_table, 0, 3, "claim", seen_at, winner=0, points=4) == "done"
    assert send(at_table, 0, 4, "running-score", seen_at, score_0=6, score_1=4) == "overtaken over_since"


def test_a_score_that_somebody_else_entered_since_stands(at_table: AtTable) -> None:
    at_table.call()
    seen_at = timezone.now()
    at_table.enter(1, 3, 3)
    assert send(at_table, 0, 1, "running-score", seen_at, score_0=2, score_1=0) == "overtaken newer_score"
    assert send(at_table, 0, 2, "running-score", seen_at, score_0=3, score_1=3) == "already"
    assert send(at_table, 0, 3, "running-score", timezone.now(), score_0=4, score_1=3) == "done", "its page showed 3–3"
    calls.set_running_score(fixture=at_table.running.fixture, score=(4, 4), by=at_table.alice, now=timezone.now())
    assert send(at_table, 0, 4, "running-score", seen_at, score_0=5, score_1=3) == "overtaken newer_score"
    assert scores() == [[3, 3], [4, 3], [4, 4]]


def test_a_report_with_fewer_points_than_a_newer_score_is_asked_about(at_table: AtTable) -> None:
    at_table.call()
    seen_at = timezone.now()
    assert send(at_table, 0, 1, "running-score", seen_at, score_0=6, score_1=5) == "done"
    assert send(at_table, 0, 2, "claim", seen_at, winner=0, points=4) == "done", "its own score is none of another"
    at_table.match.claims.all().delete()
    Match.objects.update(state=Match.State.OPEN)
    at_table.enter(1, 6, 5)
    calls.set_running_score(fixture=at_table.running.fixture, score=(5, 5), by=at_table.alice, now=timezone.now())
    assert send(at_table, 0, 3, "claim", seen_at, winner=0, points=4) == "differs newer_score"
    assert send(at_table, 0, 4, "claim", timezone.now(), winner=0, points=4) == "done", "its page showed 5–5"


def test_a_score_of_a_match_to_seven_is_none_of_the_same_match_to_five(at_table: AtTable) -> None:
    at_table.call()
    seen_at = timezone.now()
    evening.shorten(fixture=at_table.running.fixture, length=5, by=at_table.alice, now=timezone.now())
    assert send(at_table, 0, 1, "running-score", seen_at, score_0=4, score_1=3) == "differs length_since"
    assert send(at_table, 0, 2, "running-score", timezone.now(), score_0=4, score_1=3) == "done"
    assert send(at_table, 0, 3, "running-score", seen_at, score_0=4, score_1=3) == "already"


def test_a_score_arrives_at_a_match_that_is_over(at_table: AtTable) -> None:
    at_table.call()
    match, seen_at = at_table.match, timezone.now() - timedelta(minutes=1)
    for side in (0, 1):
        stated = reports.ScoreReport(0, (7, 4))
        reports.report_score(match=match, side=side, report=stated, by=Actor.link(side), now=timezone.now())
    assert send(at_table, 0, 1, "running-score", seen_at, score_0=5, score_1=4) == "overtaken over_since"
    assert scores() == []
