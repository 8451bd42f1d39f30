"""Pairs that directors make, take back or hold up, and how a running stage is paired."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import transaction

from engine.errors import Refused
from formats.continuous.rule import against
from formats.continuous.state import NO_TABLE, FlowPair
from formats.settings import LIVES, Leader
from matches.lifecycle.begun import has_begun
from matches.models import Match
from players.actors import Actor, log
from players.models import Player
from tournaments.draws.kept_apart import keep_apart
from tournaments.entries import check_in
from tournaments.floor.batches import new_batch, store_and_call
from tournaments.floor.flows import Flow, flow_of, length_of_pair, with_tables
from tournaments.floor.journal import FactTarget, latest, lock_fixture, lock_floor, read_state, record
from tournaments.floor.sentences import objection
from tournaments.models import (
    ON_PAPER,
    Batch,
    CheckIn,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    MissedMatch,
    Pairing,
    Stage,
    Tournament,
)
from tournaments.state.locks import division_changed, lock_division, lock_event
from tournaments.state.names import shown_entry
from tournaments.state.pairings import NewPair, take_back
from tournaments.state.plans import settings_of, store_settings
from tournaments.state.settle import settle
from tournaments.state.versions import DivisionPart, refuse_stale


def undo_pairing(
    *,
    fixture: Fixture,
    code: str,
    by: Actor,
    now: datetime,
    side: int | None = None,
    person: Player | None = None,
) -> Pairing:
    """Take back a pairing whose match has not begun; both players are free again as before.

    The same two would be paired again, so `code` says why not: `missing` needs the side that is not here, who is
    marked as missing (of a pair, `person` or both), and `not_these_two` keeps them apart from now on. Taking it back
    twice changes nothing.
    Refused: `not_a_pairing`, `pairing_begun`, `tournament_not_open`, `stale`, `not_of_pair`.
    """
    with transaction.atomic():
        lock_floor(fixture.stage.division.tournament_id, now)
        division = lock_division(fixture.stage.division_id)
        pairing = Pairing.objects.select_related("first", "second").filter(fixture=fixture).first()
        if pairing is None:
            raise Refused("not_a_pairing", fixture=fixture.number)
        if pairing.taken_back:
            return pairing
        _locked, match = lock_fixture(fixture)
        if has_begun(match) or match.state not in (Match.State.OPEN, Match.State.LIVE):
            raise Refused("pairing_begun", fixture=fixture.number)
        take_back(pairing, code, division, by=by, now=now, code=code)
        if code == Pairing.TakenBack.MISSING:
            entry = pairing.second if side else pairing.first
            check_in.mark(entry=entry, person=person, state=CheckIn.State.MISSING, by=by, now=now)
        elif code == Pairing.TakenBack.NOT_THESE_TWO:
            keep_apart(first=pairing.first, second=pairing.second, by=by, now=now)
        division.refresh_from_db()
        settle(division, by=by, now=now, keep_waiting=True)
    return pairing


def pair_by_hand(
    *, stage: Stage, first: Entry, second: Entry, reason: str, after: int, by: Actor, now: datetime
) -> Batch:
    """Pair two entries that a director has chosen, and call them to the next free table; the reason is public.

    Both must be free, but may rest, be ahead, have met or have unequal lives. `after` is the division's `seq`.
    Refused: `stale`, `reason_needed`, `tournament_not_open`, `event_paused`, `pair_is_one`, `not_free_to_pair`,
    `pair_not_allowed` for two who are kept apart or would meet again in a Swiss, `bracket_follows` if no pair can be
    made any more before the bracket is drawn, and `nobody_to_pair` if no table is free.
    """
    if first == second:
        raise Refused("pair_is_one")
    if not reason.strip():
        raise Refused("reason_needed")
    with transaction.atomic():
        event = lock_event(stage.division.tournament_id)
        floor = lock_floor(event.pk, now)
        division = lock_division(stage.division_id)
        refuse_stale(division, after, by=by, parts=[DivisionPart.PLAN])
        floor_state = read_state(floor, now)
        if floor_state.pause is not None:
            raise Refused("event_paused")
        flow = flow_of(stage, event, floor_state, now)
        if flow is None:
            raise Refused("nobody_to_pair")
        flow.stage.division = division
        for entry in (first, second):
            _refuse_not_free(flow, entry)
        pair = _chosen_pair(flow, first, second)
        (chosen,) = with_tables([replace(flow, decision=replace(flow.decision, pairs=(pair,)))], floor_state, now)
        if flow.decision.places_left == 0:
            raise Refused("bracket_follows")
        if not chosen.granted:
            raise Refused("nobody_to_pair")
        new_pair = NewPair(pair.first, pair.second, length_of_pair(flow, pair), (), pair.why, reason.strip())
        # It says who was free, as any batch does; the pair is not one that the rule made.
        new = replace(new_batch(flow), pairs=[new_pair], room=1, private=flow.decision.private)
        return store_and_call(chosen, new, event, floor, by, now)


def objections(*, stage: Stage, first: Entry, second: Entry, now: datetime) -> list[str]:
    """Say what the rule has against two whom a director may pair by hand; nothing if it pairs them itself.

    Refused: `pair_is_one`, `nobody_to_pair` if the stage is over, and what `pair_by_hand` refuses in the two.
    """
    if first == second:
        raise Refused("pair_is_one")
    event = stage.division.tournament
    floor = Floor.objects.select_related("tournament").filter(tournament=event).first()
    flow = flow_of(stage, event, read_state(floor, now), now) if floor is not None else None
    if flow is None:
        raise Refused("nobody_to_pair")
    for entry in (first, second):
        _refuse_not_free(flow, entry)
    _chosen_pair(flow, first, second)
    names = {entry.pk: shown_entry(entry, staff=True) for entry in (first, second)}
    numbers = [row.number for row in flow.state.rows.pairings if not row.taken_back]
    zone = ZoneInfo(event.time_zone)
    reasons = against(flow.pool, flow.decision, first.pk, second.pk, now)
    return [objection(code, params, names, numbers, zone) for code, params in reasons]


def _refuse_not_free(flow: Flow, entry: Entry) -> None:
    player = next((row for row in flow.pool.players if row.entry == entry.pk), None)
    in_match = {playing for match in flow.pool.playing for playing in match.pair}
    if player is None or player.left < 1 or player.blocked not in ("", NO_TABLE) or entry.pk in in_match:
        raise Refused("not_free_to_pair", name=entry.player.shown_name)


def _chosen_pair(flow: Flow, first: Entry, second: Entry, *, on_paper: bool = False) -> FlowPair:
    low, high = sorted((first, second), key=lambda entry: entry.pk)
    both = frozenset((low.pk, high.pk))
    settings = flow.pool.settings
    would_repeat = settings.format != LIVES and not settings.allow_rematches and both in flow.pool.met
    if (both in flow.pool.forbidden and not on_paper) or would_repeat:
        raise Refused("pair_not_allowed", first=first.player.shown_name, second=second.player.shown_name)
    since = min(flow.player(low.pk).joins_at, flow.player(high.pk).joins_at)
    return FlowPair(low.pk, high.pk, (), since, (("manual", {}),))


MAX_SLIPS_AHEAD = 500
"""How far the number of a slip may be above all numbers of matches so far: m4100 is m410 mistyped."""


def pair_on_paper(*, stage: Stage, number: int, first: Entry, second: Entry, by: Actor, now: datetime) -> FloorEvent:
    """Record a pair that was made with cards while the site could not be reached, under the number of its slip.

    It is not checked against the rule, and not called: it is played, or was, so its match is held. Undoing the fact
    that is returned takes the pair back. The same slip again changes nothing. The match shows its players in the order
    of the slip.
    Refused: `tournament_not_open`, `pair_is_one`, `slip_out`, `slip_playing`, `slip_used`, `slip_too_far`,
    `bracket_follows` if no pair can be made any more before the bracket is drawn, and `pair_not_allowed` for two who
    would meet again in a Swiss.
    """
    if first == second:
        raise Refused("pair_is_one")
    with transaction.atomic():
        event = lock_event(stage.division.tournament_id)
        floor = lock_floor(event.pk, now)
        division = lock_division(stage.division_id)
        known = (
            Pairing.objects.filter(batch__stage=stage, number=number, taken_back="").select_related("fixture").first()
        )
        if known is not None and known.fixture is not None and known.is_on_paper:
            same = (known.first_id, known.second_id) == (first.pk, second.pk)
            if same and (held := latest(known.fixture, FloorKind.HELD)) is not None:
                return held
        _refuse_slip(event, number)
        flow = flow_of(stage, event, read_state(floor, now), now)
        if flow is None or flow.decision.places_left == 0:
            raise Refused("bracket_follows")
        flow.stage.division = division
        for entry in (first, second):
            _refuse_slip_of(flow, entry)
        pair = replace(_chosen_pair(flow, first, second, on_paper=True), why=((ON_PAPER, {}),))
        # In the order of the slip, in which its score is typed.
        new_pair = NewPair(first.pk, second.pk, length_of_pair(flow, pair), (), pair.why)
        new = replace(new_batch(flow), pairs=[new_pair], room=1, private=flow.decision.private, slip=number)
        without_table = replace(flow, granted=((pair, None),))
        batch = store_and_call(without_table, new, event, floor, by, now)
        (pairing,) = batch.pairings.select_related("fixture")
        assert pairing.fixture is not None  # noqa: S101, it was stored with it
        locked, _match = lock_fixture(pairing.fixture)
        return record(floor, FloorKind.HELD, FactTarget(fixture=locked, params={ON_PAPER: True}), by=by, now=now)


def _refuse_slip(event: Tournament, number: int) -> None:
    """Refuse a number that another match of the event has or had, or that is on no slip."""
    event.refresh_from_db(fields=["last_number"])
    if number < 1 or number > event.last_number + MAX_SLIPS_AHEAD:
        raise Refused("slip_too_far", fixture=number, last=event.last_number)
    fixtures = Fixture.objects.filter(stage__division__tournament=event, number=number)
    pairings = Pairing.objects.filter(batch__stage__division__tournament=event, number=number)
    if fixtures.exists() or pairings.exists():
        raise Refused("slip_used", fixture=number, next=event.last_number + 1)


def _refuse_slip_of(flow: Flow, entry: Entry) -> None:
    player = next((row for row in flow.pool.players if row.entry == entry.pk), None)
    playing = next((match.number for match in flow.pool.playing if entry.pk in match.pair), None)
    if playing is not None:
        raise Refused("slip_playing", name=entry.player.shown_name, fixture=playing)
    if player is None or player.left < 1:
        raise Refused("slip_out", name=entry.player.shown_name)


def hold_pairing(*, stage: Stage, held: bool, by: Actor, now: datetime) -> FloorEvent | None:
    """Make no pairs for now, or let the pairing go on; None if that is so already."""
    with transaction.atomic():
        floor = lock_floor(stage.division.tournament_id, now)
        if (stage.public_id in read_state(floor, now).facts.pairing_held) == held:
            return None
        kind = FloorKind.PAIRING_HELD if held else FloorKind.PAIRING_GOES_ON
        return record(floor, kind, FactTarget(params={"stage": stage.public_id}), by=by, now=now)


def change_flow(
    *,
    stage: Stage,
    window: int,
    lead: int,
    leader: Leader,
    switch_time: str | None,
    late_until: str | None = None,
    after: int,
    by: Actor,
    now: datetime,
) -> Stage:
    """Change how a running stage is paired without rounds, from the next batch on; that is logged.

    `switch_time` and `late_until` are HH:MM at the event, "" for none, or None to leave them as they are. `after` is
    the division's `seq`.
    Refused: `stale`, `stage_over`, and what `StageSettings.checked` refuses.
    """
    with transaction.atomic():
        division = lock_division(stage.division_id)
        refuse_stale(division, after, by=by, parts=[DivisionPart.PLAN])
        row = Stage.objects.get(pk=stage.pk)
        if row.status != Stage.Status.RUNNING:
            raise Refused("stage_over")
        before = settings_of(row)
        switch = before.switch_time if switch_time is None else switch_time
        late = before.late_until if late_until is None else late_until
        settings = replace(
            before, window=window, lead=lead, leader=leader, switch_time=switch, late_until=late
        ).checked(division.lengths)
        names = ("window", "lead", "leader", "switch_time", "late_until")
        changes = {
            name: [str(getattr(before, name)), str(getattr(settings, name))]
            for name in names
            if getattr(before, name) != getattr(settings, name)
        }
        if changes:
            store_settings(row, settings)
            log(by, "flow_changed", division.topic, club=division.tournament.club, changes=changes)
            division_changed(division)
    return row


def undo_missed(*, missed: MissedMatch, reason: str, by: Actor, now: datetime) -> MissedMatch:
    """Take back that an entry missed a match while it was away; the reason is public.

    Taking it back twice changes nothing. Refused: `reason_needed`.
    """
    if not reason.strip():
        raise Refused("reason_needed")
    with transaction.atomic():
        division = lock_division(missed.stage.division_id)
        row = MissedMatch.objects.get(pk=missed.pk)
        if row.taken_back_at is not None:
            return row
        row.taken_back_at, row.taken_back_by, row.reason = now, by.user, reason.strip()
        row.save(update_fields=["taken_back_at", "taken_back_by", "reason"])
        params = {"entry": row.entry_id, "reason": row.reason}
        log(by, "missed_taken_back", division.topic, club=division.tournament.club, **params)
        settle(division, by=by, now=now, keep_waiting=True)
        division_changed(division, part=None)
    return row
