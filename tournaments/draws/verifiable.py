"""What a published draw is repeated from: the input of a paired round, and the lots drawn later in its stage.

`verify/verify_draw.py` reads it, and `verify/verify_pairings.py` the pairings of a stage without rounds. Whom a
director keeps apart is shown to directors only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

from formats.continuous.rule import ALGORITHM
from formats.continuous.state import moment_of
from formats.graph import MAIN
from formats.settings import BY_ROUND, ELIMINATION, GROUPS, LIVES, MAX_ROUNDS
from formats.swiss.event import PAIRING_BYES, ByeKind, Order, SwissEvent
from matches.models import Result
from tournaments.models import (
    Batch,
    Correction,
    Division,
    Draw,
    Entry,
    Fixture,
    FloorEvent,
    FloorKind,
    LateEntry,
    MissedMatch,
    Pairing,
    Slot,
    Stage,
    Withdrawal,
)
from tournaments.state.commitments import commitment_of
from tournaments.state.derivation import StageState, states_of
from tournaments.state.names import club_mates, club_of_each
from tournaments.state.plans import settings_of
from tournaments.state.stage_rows import Byes, DivisionRows, digest, kept_apart, outcome
from tournaments.state.stages import seeding


def groups_of(stage: Stage) -> int:
    """Return into how many groups the places of a draw are divided."""
    settings = settings_of(stage)
    return settings.groups if settings.format == GROUPS else 1


def group_seeds(draw: Draw, division: Division, ratings: dict[int, float]) -> dict[int, int]:
    """Return entry id -> seed, if the draw of groups was seeded."""
    if draw.stage.format != GROUPS:
        return {}
    order = seeding(division, {place: ratings[place] for place in draw.places if place is not None})
    return {entry: at for at, entry in enumerate(order, start=1)}


def apart_in(draw: Draw, division: Division) -> list[list[int]]:
    """Return the entries that the draw of a bracket or of groups keeps apart, as they are now."""
    drawn = [place for place in draw.places if place is not None]
    mates = club_mates(division, drawn) if division.apart else []
    return [*mates, *(sorted(pair) for pair in kept_apart(division))]


def pairing_input(state: StageState, draw: Draw, *, directs: bool) -> dict[str, Any] | None:
    """Return what a round was paired from; None if a correction or another change has altered it since.

    Scores are doubled, so that they are whole numbers.
    """
    if state.event is None or draw.stage.format not in BY_ROUND or not draw.round or state.event.continuous:
        return None
    division, settings = state.rows.stage.division, state.rows.settings
    byes = {int(entry): ByeKind(kind) for entry, kind in draw.byes.items() if kind not in PAIRING_BYES}
    playing = tuple(player for player in state.event.players if player.active(draw.round))
    before = replace(state.event, players=playing, rounds=state.event.rounds[: draw.round - 1])
    event = _as_it_was(before, byes, draw.basis)
    if event is None:
        return None
    clubs = club_of_each(division, [player.entry for player in event.players]) if division.apart else {}
    met = sorted([*sorted(pair), rounds] for pair, rounds in event.meetings.items())
    return {
        "planned": event.planned,
        "rematches": event.allow_rematches,
        "lives": settings.lives if settings.format == LIVES else None,
        "order": event.order.value,
        "players": [
            {
                "number": player.entry,
                "score": round(2 * event.scores[player.entry]),
                "losses": event.losses[player.entry],
                "rating": player.rating if event.order is not Order.RANDOM else None,
                "float": event.floats.get(player.entry, 0),
                "byes": event.pairing_byes[player.entry],
            }
            for player in event.players
        ],
        "met": met,
        "requested": sorted(byes),
        "fixed": draw.manual,
        "apart": sorted(sorted(pair) for pair in event.forbidden) if directs else None,
        "clubs": [[entry, club] for entry, club in sorted(clubs.items())] if directs else None,
    }


def _as_it_was(event: SwissEvent, byes: Byes, basis: str) -> SwissEvent | None:
    """Return the event with the settings under which it has this digest; None if something else differs."""
    now = (event.planned, event.allow_rematches)
    others = product((None, *range(1, MAX_ROUNDS + 1)), (False, True))
    for planned, rematches in (now, *others):
        tried = replace(event, planned=planned, allow_rematches=rematches)
        if digest(tried, byes) == basis:
            return tried
    return None


def later_lots(state: StageState) -> list[dict[str, Any]]:
    """Return the lots that were drawn in a stage after its draw, as far as its plan says who drew them.

    `among` are shuffled by the lot with this `key`; `drawn` is the order it gave. Of a late entry's lot, `drawn` are
    the matches whose byes were taken, first to last.
    """
    lots: list[dict[str, Any]] = []
    for table in state.tables:
        among = sorted(table.records.games)
        drawn = sorted(among, key=lambda entry: table.records.lots[entry])
        lots.append({"key": "tiebreak", "of": table.key, "among": among, "drawn": drawn})
    if state.stage.format in ELIMINATION:
        first = sorted(fixture.number for fixture in state.rows.graph.bracket(MAIN).rounds[0].fixtures)
        rows = LateEntry.objects.filter(stage=state.stage, undoes=None, undone_by=None).order_by("pk")
        taken = [number for row in rows for number, _side in row.slots if number in first]
        lots += [{"key": "lot:late", "of": MAIN, "among": first, "drawn": taken}] if taken else []
    return lots


def state_for(draws: Sequence[Draw], division: Division) -> dict[int, StageState]:
    """Return the states of the stages of published draws, by stage id; nothing is derived if none is needed."""
    needed = any(draw.stage.format in BY_ROUND or draw.stage.lots_seed_is_public for draw in draws)
    return {state.stage.pk: state for state in states_of(division)} if needed else {}


# The pairings of a stage without rounds, with what they follow from.


def pairings_data(stage: Stage, *, directs: bool) -> dict[str, Any]:
    """Return all batches of a stage with everything that happened before each, for `verify/verify_pairings.py`.

    Nothing is in it before the stage is over, so that nobody can read in it who is free. Clubs are for directors only;
    to others, a batch whose players include club-mates counts as one with a private reason.
    """
    is_over, division, settings = stage.lots_seed_is_public, stage.division, settings_of(stage)
    commitment = commitment_of(stage)
    entries = list(division.entries.exclude(status=Entry.Status.WAITING).order_by("pk"))
    late = set(LateEntry.objects.filter(stage=stage, undoes=None, undone_by=None).values_list("entry", flat=True))
    clubs = club_of_each(division, [entry.pk for entry in entries]) if division.apart else {}
    rows = DivisionRows(division)
    first = {entry: min(person) for person in rows.persons for entry in person}
    if stage.number > 1:
        state = next((state for state in states_of(division, read=rows.drawn) if state.stage.pk == stage.pk), None)
        took_part = {player.entry for player in state.event.players} if state and state.event else set()
        entries = [entry for entry in entries if entry.pk in took_part]
    return {
        "algorithm": ALGORITHM,
        "format": stage.format,
        "seed": stage.seed if is_over else None,
        "seed_hash": stage.seed_hash,
        "commitment": commitment.number if commitment is not None else None,
        "settings": {
            **({"lives": settings.lives} if stage.format == LIVES else {"rounds": settings.rounds}),
            "lead": settings.lead,
            "leader": str(settings.leader),
            "missed_points": settings.missed_points,
        },
        "entries": [
            {
                "number": entry.pk,
                "person": first.get(entry.pk, entry.pk),
                "club": clubs.get(entry.pk) if directs else None,
                "late": entry.pk in late,
            }
            for entry in entries
        ],
        "field_corrected": is_over and _is_field_corrected(stage),
        "events": _flow_events(stage, {} if directs else clubs) if is_over else [],
    }


def _is_field_corrected(stage: Stage) -> bool:
    """Whether a result of an earlier stage was corrected since the first batch, so that others may have played."""
    first = Batch.objects.filter(stage=stage).order_by("number").first()
    earlier = Correction.objects.filter(
        fixture__stage__division=stage.division_id, fixture__stage__number__lt=stage.number
    )
    return first is not None and earlier.filter(at__gt=first.at).exists()


PAIRING_RULE = ("rounds", "lead", "leader")
"""The settings that decide about the pairs of a batch and may be changed between batches."""


def _flow_events(stage: Stage, hidden_clubs: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return what happened in a stage without rounds, in order. A result comes after the batches it was not yet in."""
    batches = list(Batch.objects.filter(stage=stage).order_by("number").prefetch_related("pairings", "missed"))
    zone = ZoneInfo(stage.division.tournament.time_zone)
    byes: dict[int, list[int]] = {}
    with_bye = Slot.objects.filter(
        fixture__stage=stage, fixture__slots__source=Slot.Source.BYE, source_entry__isnull=False
    )
    for number, entry in with_bye.order_by("pk").values_list("round__number", "source_entry"):
        byes.setdefault(number, []).append(entry)
    playing_at = {batch.number: (batch.at, set(batch.playing)) for batch in batches}
    timed: list[tuple[datetime, int, dict[str, Any]]] = [
        (batch.at, 2, _batch_event(batch, hidden_clubs, batches[0].at, zone) | {"byes": byes.get(batch.number, [])})
        for batch in batches
    ]
    pairings = [row for batch in batches for row in batch.pairings.all()]
    for batch in batches:
        for row in batch.pairings.all():
            if row.taken_back_at is not None:
                event = {"kind": "taken_back", "match": row.number, "reason": row.get_taken_back_display()}
                timed.append((row.taken_back_at, 3 if row.taken_back_at == batch.at else 1, event))
    for stopped in FloorEvent.objects.filter(
        fixture__stage=stage, kind=FloorKind.STOPPED, undone_by__isnull=False
    ).select_related("fixture", "undone_by"):
        timed += _stop_events(stopped)
    timed += _ends(stage)
    timed += _result_events(stage, {row.number: (row.first_id, row.second_id) for row in pairings}, playing_at)
    missed_by_coming = list(MissedMatch.objects.filter(stage=stage, batch=None, taken_back_at=None))

    def comes(kind: str, entry: int, at: datetime) -> tuple[datetime, int, dict[str, Any]]:
        missed = [row for row in missed_by_coming if (row.entry_id, row.at) == (entry, at)]
        count, by_lot = sum(row.count for row in missed), any(row.by_lot for row in missed)
        return at, 0, {"kind": kind, "entry": entry, "missed": count, "by_lot": by_lot}

    withdrawals = Withdrawal.objects.filter(entry__division=stage.division_id, bracket=None)
    back = {(row.entry_id, row.taken_back_at) for row in withdrawals}
    late = LateEntry.objects.filter(stage=stage, undoes=None, undone_by=None)
    timed += [comes("entered", row.entry_id, row.at) for row in late if (row.entry_id, row.at) not in back]
    still_in = {(batch.at, row[0]) for batch in batches for row in (*batch.pool, *batch.left_out)}
    for withdrawal in withdrawals:
        place = 3 if (withdrawal.at, withdrawal.entry_id) in still_in else 0
        timed.append((withdrawal.at, place, {"kind": "withdrawn", "entry": withdrawal.entry_id}))
        if withdrawal.taken_back_at is not None:
            timed.append(comes("returned", withdrawal.entry_id, withdrawal.taken_back_at))
    for missed_row in MissedMatch.objects.filter(stage=stage).exclude(batch=None).exclude(taken_back_at=None):
        event = {"kind": "missed_taken_back", "entry": missed_row.entry_id, "by_lot": missed_row.by_lot}
        assert missed_row.taken_back_at is not None  # noqa: S101, they are excluded
        timed.append((missed_row.taken_back_at, 0, event))
    timed += _lead_events(stage)
    return [event for _at, _place, event in sorted(timed, key=lambda row: row[:2])]


def _stop_events(stopped: FloorEvent) -> list[tuple[datetime, int, dict[str, Any]]]:
    assert stopped.fixture is not None  # noqa: S101, the fact is about a match
    code = Pairing.TakenBack.ENDED if "stage" in stopped.params else Pairing.TakenBack.CORRECTION
    number, reason = stopped.fixture.number, code.label
    return [
        (stopped.at, 1, {"kind": "taken_back", "match": number, "reason": str(reason)}),
        (stopped.undone_by.at, 1, {"kind": "goes_on", "match": number}),
    ]


def _ends(stage: Stage) -> list[tuple[datetime, int, dict[str, Any]]]:
    """Return when a director ended the stage, and undid that."""
    rows = FloorEvent.objects.filter(kind=FloorKind.STAGE_ENDED, params__stage=stage.public_id)
    events: list[tuple[datetime, int, dict[str, Any]]] = []
    for at, undone_at, params in rows.values_list("at", "undone_by__at", "params"):
        events.append((at, 1, {"kind": "ended", "places": params["places"]}))
        if undone_at is not None:
            events.append((undone_at, 1, {"kind": "ended_taken_back"}))
    return events


def _lead_events(stage: Stage) -> list[tuple[datetime, int, dict[str, Any]]]:
    """Return since when nobody waits for a match, as a director said or since it is adjourned, and since when again."""
    kinds = (FloorKind.LEAD_WAIVED, FloorKind.ADJOURNED, FloorKind.CONTINUED)
    rows = FloorEvent.objects.filter(fixture__stage=stage, kind__in=kinds).order_by("pk")
    facts: dict[int, list[tuple[datetime, datetime | None, str]]] = {}
    for number, at, undone_at, kind in rows.values_list("fixture__number", "at", "undone_by__at", "kind"):
        facts.setdefault(number, []).append((at, undone_at, kind))
    events = []
    for number, own in facts.items():
        is_waived = False
        for moment in sorted({moment for at, undone_at, _kind in own for moment in (at, undone_at) if moment}):
            kinds_then = [
                kind for at, undone_at, kind in own if at <= moment and not (undone_at and undone_at <= moment)
            ]
            closing = [kind for kind in kinds_then if kind != FloorKind.LEAD_WAIVED]
            before, is_waived = is_waived, FloorKind.LEAD_WAIVED in kinds_then or closing[-1:] == [FloorKind.ADJOURNED]
            if is_waived != before:
                event = {"kind": "lead_waived" if is_waived else "lead_counts", "match": number}
                events.append((moment, 0, event))
    return events


def _batch_event(batch: Batch, hidden_clubs: Mapping[int, str], began: datetime, zone: ZoneInfo) -> dict[str, Any]:
    clubs = [hidden_clubs[row[0]] for row in batch.pool if row[0] in hidden_clubs]
    switch_at = moment_of(batch.rule.get("switch_time", ""), began, zone)
    return {
        "kind": "batch",
        "number": batch.number,
        "at": batch.at.isoformat(),
        "switch_at": switch_at.isoformat() if switch_at is not None else None,
        "rule": {name: batch.rule[name] for name in PAIRING_RULE if batch.rule.get(name) is not None},
        "forced": batch.forced,
        "reason": batch.reason,
        "room": batch.room,
        "private": batch.private or len(clubs) != len(set(clubs)),
        "pool": batch.pool,
        "left_out": [row[:2] for row in batch.left_out],
        "missed": [row.entry_id for row in batch.missed.all()],
        "missed_by_lot": any(row.by_lot for row in batch.missed.all()),
        "pairs": [
            {
                "match": row.number,
                "entries": [row.first_id, row.second_id],
                "manual": bool(row.reason) or row.is_on_paper,
                "on_paper": row.is_on_paper,
                "reason": row.reason,
            }
            for row in batch.pairings.all()
        ],
    }


def _result_events(
    stage: Stage, pairs: Mapping[int, tuple[int, int]], playing_at: Mapping[int, tuple[datetime, set[int]]]
) -> list[tuple[datetime, int, dict[str, Any]]]:
    numbers = dict(Fixture.objects.filter(stage=stage, match__isnull=False).values_list("match", "number"))
    events: list[tuple[datetime, int, dict[str, Any]]] = []
    before: dict[int, list[int]] = {}
    for row in Result.objects.filter(match__in=numbers).order_by("version"):
        number = numbers[row.match_id]
        last = max((at for at, playing in playing_at.values() if number in playing), default=None)
        # Of a batch and a result at the same instant, the batch says whether the match still went on.
        is_after = last is not None and last >= row.at
        at = last if last is not None and is_after else row.at
        if number in before:
            is_void = row.kind == Result.Kind.VOID
            events.append(
                (
                    at,
                    3 if is_after else 1,
                    {"kind": "void", "match": number, "losers": before.pop(number), "open": is_void},
                )
            )
        if row.kind != Result.Kind.VOID:
            slots = outcome(row, None).losing_slots
            before[number] = [pairs[number][slot] for slot in slots]
            events.append((at, 4 if is_after else 1, {"kind": "result", "match": number, "losers": before[number]}))
    return events
