"""What a published draw is repeated from: the input of a paired round, and the lots drawn later in its stage.

`verify/verify_draw.py` reads it, and `verify/verify_pairings.py` the pairings of a stage without rounds. Whom a
director keeps apart is shown to directors only.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q

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
    """Return the entries that the draw of a bracket or of groups keeps apart, as they are now or were as it was made.

    What a stage keeps of its published draw has the club-mates of a bracket.
    """
    drawn = [place for place in draw.places if place is not None]
    is_published = draw.state == Draw.State.PUBLISHED
    named = draw.stage.apart if is_published else [sorted(pair) for pair in kept_apart(division)]
    has_mates = division.apart and not (is_published and draw.stage.format in ELIMINATION)
    return [*(club_mates(division, drawn) if has_mates else ()), *named]


def keeps_apart(draw: Draw, division: Division) -> bool:
    """Whether a draw keeps anybody apart, or did as it was made if it is published."""
    if draw.state != Draw.State.PUBLISHED:
        return division.keeps_apart
    if not draw.round:
        return bool(apart_in(draw, division))
    return division.apart or bool(kept_apart(division, draw.made_at))


def pairing_input(state: StageState, draw: Draw, *, directs: bool) -> dict[str, Any] | None:
    """Return what a round was paired from; None if a correction or another change has altered it since.

    Scores are doubled, so that they are whole numbers.
    """
    if state.event is None:
        return None
    division, settings = state.rows.stage.division, state.rows.settings
    byes = {int(entry): ByeKind(kind) for entry, kind in draw.byes.items() if kind not in PAIRING_BYES}
    before = replace(
        state.event, rounds=state.event.rounds[: draw.round - 1], forbidden=kept_apart(division, draw.made_at)
    )
    event = _as_it_was(_with_those_in(state, before, draw), byes, draw.basis)
    if event is None:
        return None
    playing = [player for player in event.players if player.active(draw.round)]
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
            for player in playing
        ],
        "met": met,
        "requested": sorted(byes),
        "fixed": draw.manual,
        "apart": sorted(sorted(pair) for pair in event.forbidden) if directs else None,
        "clubs": [[entry, club] for entry, club in sorted(clubs.items())] if directs else None,
    }


def _with_those_in(state: StageState, event: SwissEvent, draw: Draw) -> SwissEvent:
    """Return the event with those in who were as a round was paired: whoever is in it, or had no lives left then."""
    out = {
        absence.entry
        for absence in state.rows.of_division.absences
        if absence.since <= draw.made_at and (absence.until is None or absence.until > draw.made_at)
    }
    lives = state.rows.settings.lives if draw.stage.format == LIVES else MAX_ROUNDS + 1
    out |= {player.entry for player in event.players if event.losses[player.entry] < lives} - set(draw.places)
    players = (replace(player, left=0 if player.entry in out else None) for player in event.players)
    return replace(event, players=tuple(players))


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
    commitment, draw = commitment_of(stage), stage.draws.filter(state=Draw.State.PUBLISHED).first()
    drawn = {place for place in draw.places if place is not None} if draw is not None else set()
    rows = LateEntry.objects.filter(stage=stage, undoes=None).select_related("undone_by").order_by("at", "pk")
    late = list(rows.filter(at__gte=draw.published_at)) if draw is not None else []
    entries = sorted(drawn | {row.entry_id for row in late})
    clubs = club_of_each(division, entries) if division.apart else {}
    first = {entry: min(person) for person in DivisionRows(division).persons for entry in person}
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
                "number": entry,
                "person": first.get(entry, entry),
                "club": clubs.get(entry) if directs else None,
                "late": entry not in drawn,
            }
            for entry in entries
        ],
        "field_corrected": is_over and draw is not None and _is_field_corrected(draw),
        "events": _flow_events(draw, late, {} if directs else clubs) if is_over and draw is not None else [],
    }


def _is_field_corrected(draw: Draw) -> bool:
    """Whether a result of an earlier stage was corrected since the first batch, so that others may have played."""
    stage = draw.stage
    earlier = Correction.objects.filter(
        fixture__stage__division=stage.division_id, fixture__stage__number__lt=stage.number
    )
    return earlier.filter(at__gt=draw.published_at).exists()


PAIRING_RULE = ("rounds", "lead", "leader", "qualifiers")
"""The settings that decide about the pairs of a batch and may be changed between batches."""


def _flow_events(draw: Draw, late: Sequence[LateEntry], hidden_clubs: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return what happened in a stage without rounds, in order. A result comes after the batches it was not yet in.

    What was before its draw, by another one that was taken back, is left out.
    """
    stage, began = draw.stage, draw.published_at
    assert began is not None  # noqa: S101, it is published
    rows = Batch.objects.filter(stage=stage, at__gte=began)
    batches = list(rows.order_by("number").prefetch_related("pairings", "missed"))
    zone = ZoneInfo(stage.division.tournament.time_zone)
    byes: dict[int, list[int]] = {}
    with_bye = Slot.objects.filter(
        fixture__stage=stage, fixture__slots__source=Slot.Source.BYE, source_entry__isnull=False
    )
    for number, entry in with_bye.order_by("pk").values_list("round__number", "source_entry"):
        byes.setdefault(number, []).append(entry)
    playing_at = {batch.number: (batch.at, set(batch.playing)) for batch in batches}
    timed: list[tuple[datetime, int, dict[str, Any]]] = [
        (
            batch.at,
            2,
            _batch_event(batch, hidden_clubs, began, zone) | {"number": number, "byes": byes.get(batch.number, [])},
        )
        for number, batch in enumerate(batches, start=1)
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
    still_in = {(batch.at, row[0]) for batch in batches for row in (*batch.pool, *batch.left_out)}
    timed += _presence_events(draw, late, still_in)
    timed += _lead_events(stage)
    return [event for at, _place, event in sorted(timed, key=lambda row: row[:2]) if at >= began]


def _presence_events(
    draw: Draw, late: Sequence[LateEntry], still_in: Collection[tuple[datetime, int]]
) -> list[tuple[datetime, int, dict[str, Any]]]:
    """Return when entries came and left, and what they missed by that; `still_in` has who was in each batch."""
    missed = list(MissedMatch.objects.filter(stage=draw.stage_id))
    events: list[tuple[datetime, int, dict[str, Any]]] = [
        (row.taken_back_at, 0, {"kind": "missed_taken_back", "entry": row.entry_id, "by_lot": row.by_lot})
        for row in missed
        for _match in range(row.count)
        if row.taken_back_at is not None and (row.batch_id or row.at < row.taken_back_at)
    ]
    for entry, absences in _absences(draw, late).items():
        was_here = is_here = entry in draw.places
        for moment in sorted({moment for times in absences for moment in times if moment is not None}):
            before = is_here
            is_here = not any(at <= moment and not (until and until <= moment) for at, until in absences)
            if before and not is_here:
                events.append((moment, 3 if (moment, entry) in still_in else 0, {"kind": "withdrawn", "entry": entry}))
            elif is_here and not before:
                own = [row for row in missed if (row.entry_id, row.at, row.batch_id) == (entry, moment, None)]
                count, by_lot = sum(row.count for row in own), any(row.by_lot for row in own)
                kind = "returned" if was_here else "entered"
                events.append((moment, 0, {"kind": kind, "entry": entry, "missed": count, "by_lot": by_lot}))
                was_here = True
    return events


def _absences(draw: Draw, late: Sequence[LateEntry]) -> dict[int, list[tuple[datetime, datetime | None]]]:
    """Return entry -> since when and until when it was out of a stage, by each withdrawal or undone late entry."""
    assert draw.published_at is not None  # noqa: S101, it is published
    absences: dict[int, list[tuple[datetime, datetime | None]]] = {place: [] for place in draw.places if place}
    for row in late:
        absences.setdefault(row.entry_id, [(draw.published_at, row.at)])
        if (undone := getattr(row, "undone_by", None)) is not None:
            again = (other.at for other in late if other.entry_id == row.entry_id and other.at >= undone.at)
            absences[row.entry_id].append((undone.at, next(again, None)))
    own = Q(bracket=None) | Q(bracket__stage=draw.stage_id)
    for withdrawal in Withdrawal.objects.filter(own, entry__in=absences):
        absences[withdrawal.entry_id].append((withdrawal.at, withdrawal.taken_back_at))
    return absences


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
