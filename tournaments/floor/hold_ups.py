"""Matches that others wait for, or that go on although a player is out.

Their players are asked whether they are over; a director stops them, lets them go on, or lets nobody wait for them.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from engine.errors import Refused
from formats.continuous.state import FlowMatch
from formats.settings import BY_ROUND, LIVES
from matches.lifecycle.begun import is_untouched
from matches.models import Match
from players.actors import SYSTEM, Actor
from tournaments.floor.flows import Flow, flow_of
from tournaments.floor.journal import (
    FactTarget,
    latest,
    lock_fixture,
    lock_floor,
    match_on_floor,
    read_state,
    record,
    refuse_over,
)
from tournaments.floor.notifications import notify_asked
from tournaments.floor.state import FloorMatchState, FloorState, MatchOnFloor
from tournaments.models import Fixture, Floor, FloorEvent, FloorKind, Pairing, Stage
from tournaments.state.floor import save_beginning
from tournaments.state.locks import division_changed, lock_division, lock_unfinished_matches
from tournaments.state.pairings import give_back, take_back
from tournaments.state.plans import is_continuous
from tournaments.state.settle import let_go_on, settle

ASK_AFTER = timedelta(minutes=10)
"""How long after a score that is one point from the end both players are asked whether their match is over."""


@dataclass(frozen=True, slots=True)
class HoldUp:
    """A match that goes on, and how many others wait until it is over; none if its players are asked all the same."""

    number: int
    fixture: int
    count: int


def hold_ups(flow: Flow, floor: FloorState) -> list[HoldUp]:
    """Return the matches that hold others up or may be over, those that hold up most first."""
    counts = Counter(
        params["match"] for code, params in flow.decision.waits.values() if code == "ahead" and "match" in params
    )
    fixtures = flow.state.rows.fixtures
    for match in flow.pool.playing:
        row = floor.matches.get(fixtures[match.number].pk)
        if row is not None and row.facts.asked is not None and row.state == FloorMatchState.PLAYING:
            counts.setdefault(match.number, 0)
    return [HoldUp(number, fixtures[number].pk, count) for number, count in counts.most_common()]


def waive_lead(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Let nobody wait for a match: others may get further ahead of it. Doing it twice changes nothing.

    Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`.
    """
    return _record_once(fixture, FloorKind.LEAD_WAIVED, by, now)


def ask_whether_over(*, fixture: Fixture, by: Actor, now: datetime) -> FloorEvent:
    """Ask both players whether their match is over.

    Refused: `fixture_not_ready`, `not_on_floor`, `match_finished`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, match = lock_fixture(fixture)
        row = match_on_floor(read_state(floor, now), locked)
        refuse_over(row)
        # Asked by hand, it is asked again.
        return _ask(floor, locked, match, row, {}, by, now)


def ask_about(
    floor: Floor, fixture: Fixture, match: Match, row: MatchOnFloor, params: dict[str, Any], by: Actor, now: datetime
) -> FloorEvent:
    """Ask both players whether their match is over, since a score was entered that decides it; once for each score.

    The floor and the match are locked.
    """
    asked = row.facts.asked
    if asked is not None and asked.params.get("score") == params["score"]:
        return FloorEvent.objects.select_related("tournament", "fixture", "match").get(pk=asked.id)
    return _ask(floor, fixture, match, row, params, by, now)


def _ask(
    floor: Floor, fixture: Fixture, match: Match, row: MatchOnFloor, params: dict[str, Any], by: Actor, now: datetime
) -> FloorEvent:
    if "score" in params and row.started_at is None:
        record(floor, FloorKind.STARTED, FactTarget(fixture=fixture), by=by, now=now)
    event = record(floor, FloorKind.ASKED, FactTarget(fixture=fixture, params=params), by=by, now=now)
    save_beginning(match)
    notify_asked(event)
    return event


def ask_due(*, tournament_id: int, now: datetime) -> list[FloorEvent]:
    """Ask in matches without rounds that were a point from the end `ASK_AFTER` ago or longer, once for each score."""
    scored = FloorEvent.objects.filter(
        tournament=tournament_id, kind=FloorKind.RUNNING_SCORE, undone_by=None, at__lte=now - ASK_AFTER,
        match__state=Match.State.OPEN, fixture__stage__format__in=BY_ROUND, fixture__stage__status=Stage.Status.RUNNING,
    )  # fmt: skip
    rows = Fixture.objects.filter(pk__in=scored.values("fixture")).select_related("stage__division", "match")
    asked = [_ask_if_near_end(row, now) for row in rows.order_by("match_id") if is_continuous(row.stage)]
    return [event for event in asked if event is not None]


def _ask_if_near_end(fixture: Fixture, now: datetime) -> FloorEvent | None:
    scores = FloorEvent.objects.filter(match=fixture.match, undone_by=None)
    last = scores.filter(kind__in=(FloorKind.RUNNING_SCORE, FloorKind.ASKED)).order_by("-pk").first()
    if last is None or not _is_near_end(last, fixture, now):
        return None
    with transaction.atomic():
        try:
            floor = lock_floor(fixture.stage.division.tournament_id, now)
            locked, match = lock_fixture(fixture)
            row = match_on_floor(read_state(floor, now), locked)
            refuse_over(row)
        except Refused:
            return None
        still = row.facts.scored is not None and row.facts.scored.id == last.pk and row.facts.asked is None
        return _ask(floor, locked, match, row, {}, SYSTEM, now) if still and match.state == Match.State.OPEN else None


def _is_near_end(last: FloorEvent, fixture: Fixture, now: datetime) -> bool:
    """Whether the last thing said of a match is a score a point from the end, long enough ago."""
    if last.kind != FloorKind.RUNNING_SCORE or last.at > now - ASK_AFTER or fixture.match is None:
        return False
    left, right = last.params["score"]
    return bool(max(left, right) >= fixture.match.length - 1)


def _record_once(fixture: Fixture, kind: FloorKind, by: Actor, now: datetime) -> FloorEvent:
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        locked, _match = lock_fixture(fixture)
        refuse_over(match_on_floor(read_state(floor, now), locked))
        if (event := latest(locked, kind)) is not None:
            return event
        return record(floor, kind, FactTarget(fixture=locked), by=by, now=now)


def stop_match(*, fixture: Fixture, by: Actor, now: datetime) -> Pairing:
    """Stop a match that goes on although one of its players is out since a result was corrected.

    It is void and costs nobody a life, and its pairing counts as taken back. Stopping it twice changes nothing.
    `let_stopped_go_on` undoes it.
    Refused: `not_a_pairing`, `not_to_be_stopped`, `match_finished` if its result was just entered,
    `tournament_not_open`.
    """
    with transaction.atomic():
        floor = lock_floor(fixture.stage.division.tournament_id, now)
        division = lock_division(fixture.stage.division_id)
        pairing = Pairing.objects.select_related("first", "second").filter(fixture=fixture).first()
        if pairing is None:
            raise Refused("not_a_pairing", fixture=fixture.number)
        if pairing.taken_back:
            return pairing
        flow = flow_of(fixture.stage, floor.tournament, read_state(floor, now), now)
        if flow is None or fixture.number not in [match.number for match in out_and_playing(flow)]:
            raise Refused("not_to_be_stopped", fixture=fixture.number)
        locked, match = lock_fixture(fixture)
        if match.is_over:
            raise Refused("match_finished", fixture=fixture.number)
        record(floor, FloorKind.STOPPED, FactTarget(fixture=locked, params={"state": match.state}), by=by, now=now)
        take_back(pairing, Pairing.TakenBack.CORRECTION, division, by=by, now=now)
        settle(division, by=by, now=now, keep_waiting=True)
    return pairing


def paired_since_stop(stopped: FloorEvent) -> list[Pairing]:
    """Return the pairings of the players of a stopped match that were made since, which its going on takes back.

    Refused: `stop_built_on` if one of their matches has begun, `stop_before_bracket` if the bracket was drawn since.
    """
    fixture = stopped.fixture
    assert fixture is not None  # noqa: S101, the fact is about a match
    pairing = Pairing.objects.get(fixture=fixture)
    own = (pairing.first_id, pairing.second_id)
    since = Pairing.objects.filter(batch__stage=fixture.stage_id, batch__at__gte=stopped.at, taken_back="")
    since = since.filter(Q(first__in=own) | Q(second__in=own)).exclude(pk=pairing.pk)
    rows = list(since.select_related("fixture__match__player_0", "fixture__match__player_1").order_by("number"))
    for row in rows:
        if row.fixture is not None and row.fixture.match is not None and not is_untouched(row.fixture.match):
            raise Refused("stop_built_on", fixture=fixture.number, later=row.number)
    following = Stage.objects.filter(division=fixture.stage.division_id, number__gt=fixture.stage.number)
    if following.exclude(status=Stage.Status.PLANNED).exists():
        raise Refused("stop_before_bracket", fixture=fixture.number)
    return rows


def let_stopped_go_on(*, stopped: FloorEvent, by: Actor, now: datetime) -> None:
    """Let a stopped match go on as it was, and take back what its players were paired for since. The floor is locked.

    At its table, unless another match is there by now.
    Refused: as `paired_since_stop`.
    """
    fixture = stopped.fixture
    assert fixture is not None  # noqa: S101, the fact is about a match
    assert stopped.match_id is not None  # noqa: S101
    division = lock_division(fixture.stage.division_id)
    locked = lock_unfinished_matches([division], [stopped.match_id])
    for row in paired_since_stop(stopped):
        take_back(row, Pairing.TakenBack.GOES_ON, division, by=by, now=now)
    give_back(Pairing.objects.get(fixture=fixture))
    let_go_on(fixture, locked[stopped.match_id], stopped.params["state"], by=by, now=now)
    settle(division, by=by, now=now, locked=locked, keep_waiting=True)
    division_changed(division, part=None)


def out_and_playing(flow: Flow) -> list[FlowMatch]:
    """Return the matches that go on although a player of theirs has no lives left."""
    if flow.pool.settings.format != LIVES:
        return []
    out = {player.entry for player in flow.pool.players if player.left < 1}
    return [match for match in flow.pool.playing if out & set(match.pair)]
