"""Stages without rounds: storing a batch of pairs, and what settling changes in pairings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max

from formats.continuous.rule import ALGORITHM, decide
from formats.continuous.state import FlowPlayer, FlowState
from formats.graph import BYE, EntryId, EntrySource, Fixture, Round, Source
from formats.plans import ROUNDS
from formats.settings import LIVES
from formats.swiss.lives import MISSED_FOR_A_LIFE, lives_left
from players.actors import SYSTEM, Actor, log
from tournaments.models import Batch, Division, MissedMatch, OpenPairing, Pairing, Stage, Tournament
from tournaments.state.derivation import StageState
from tournaments.state.locks import take_number, take_numbers
from tournaments.state.plans import settings_of, store_round
from tournaments.state.stage_rows import StageRows, kept_apart

RULE = ("lives", "rounds", "window", "lead", "leader", "qualifiers", "switch_time", "late_from", "late_length")
"""The settings that a batch keeps."""


@dataclass(frozen=True, slots=True)
class NewPair:
    """A pair to store: what it cost, and why these two, as (code, params)."""

    first: EntryId
    second: EntryId
    length: int
    costs: Sequence[int] = ()
    why: Sequence[tuple[str, Mapping[str, Any]]] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NewBatch:
    """A batch to store, with the facts that it was made from."""

    pairs: Sequence[NewPair]
    room: int
    pool: Sequence[Sequence[Any]] = ()
    left_out: Sequence[Sequence[Any]] = ()
    missed: Sequence[EntryId] = ()
    byes: Sequence[EntryId] = ()
    """Entries of a Swiss that play one match fewer."""
    playing: Sequence[int] = ()
    forced: bool = False
    reason: str = ""
    private: bool = False
    slip: int | None = None
    """The match number of a single pair that was made on paper."""


def store_batch(stage: Stage, new: NewBatch, *, event: Tournament, by: Actor, now: datetime) -> Batch:
    """Store a batch with its fixtures; `event` and the division are locked, and the caller settles the division."""
    settings = settings_of(stage)
    number = (Batch.objects.filter(stage=stage).aggregate(Max("number"))["number__max"] or 0) + 1
    batch = Batch.objects.create(
        stage=stage, number=number, at=now, by=by.kind, user=by.user, forced=new.forced, algorithm=ALGORITHM,
        rule={name: getattr(settings, name) for name in RULE}, room=new.room, pool=list(map(list, new.pool)),
        left_out=list(map(list, new.left_out)), private=new.private, playing=list(new.playing), reason=new.reason,
    )  # fmt: skip
    bracket, _created = stage.brackets.get_or_create(key=ROUNDS)
    sources: list[tuple[Source, Source]] = [(EntrySource(pair.first), EntrySource(pair.second)) for pair in new.pairs]
    sources += [(EntrySource(entry), BYE) for entry in new.byes]
    if new.slip is None:
        first = take_numbers(event, len(sources))
    else:
        first = new.slip
        take_number(event, first)
    fixtures = tuple(Fixture(first + at, pair) for at, pair in enumerate(sources))
    # All pairs of a batch have the length of a round; it changes only between batches.
    length = new.pairs[0].length if new.pairs else 1
    rows = store_round(bracket, Round(number, fixtures), lengths=[length])
    pairings = Pairing.objects.bulk_create(
        Pairing(
            batch=batch, fixture=rows[at], number=first + at, first_id=pair.first, second_id=pair.second,
            costs=list(pair.costs), why=[[code, dict(params)] for code, params in pair.why], reason=pair.reason,
        )
        for at, pair in enumerate(new.pairs)
    )  # fmt: skip
    OpenPairing.objects.bulk_create(
        OpenPairing(entry_id=entry, pairing=row) for row in pairings for entry in (row.first_id, row.second_id)
    )
    MissedMatch.objects.bulk_create(
        MissedMatch(stage=stage, entry_id=entry, batch=batch, at=now, by_lot=settings.is_missed_by_lot)
        for entry in new.missed
    )
    if stage.status == Stage.Status.PLANNED:
        stage.status = Stage.Status.RUNNING
        stage.save(update_fields=["status"])
    return batch


def mark_undone(pairing: Pairing, code: str, *, by: Actor, now: datetime) -> None:
    """Mark a pairing as taken back. The division is locked, and the caller settles it."""
    pairing.taken_back, pairing.taken_back_at, pairing.taken_back_by = code, now, by.user
    pairing.save(update_fields=["taken_back", "taken_back_at", "taken_back_by"])


def take_back(pairing: Pairing, code: str, division: Division, /, *, by: Actor, now: datetime, **params: str) -> None:
    """Take back a pairing by hand, which is logged. The division is locked, and the caller settles it."""
    mark_undone(pairing, code, by=by, now=now)
    params["reason"] = pairing.get_taken_back_display()
    log(by, "pairing_taken_back", division.topic, club=division.tournament.club, number=pairing.number, **params)


def give_back(pairing: Pairing) -> None:
    """Let a pairing that was taken back stand again. The division is locked, and the caller settles it."""
    pairing.taken_back, pairing.taken_back_at, pairing.taken_back_by = "", None, None
    pairing.save(update_fields=["taken_back", "taken_back_at", "taken_back_by"])


def update_pairings(rows: StageRows, state: StageState, *, by: Actor = SYSTEM, now: datetime) -> None:
    """Record which pairings follow no more from the results, or follow again, and which are open.

    Only `settle` calls this.
    """
    gone = {item.entry for item in rows.withdrawals()}
    reasons = rows.not_standing(state.field)
    is_open: dict[EntryId, Pairing] = {}
    for row in rows.pairings:
        fixture, reason = state.progress.fixtures[row.number], reasons.get(row.number, "")
        if not reason and fixture.entrants is None:
            reason = Pairing.TakenBack.WITHDRAWAL if gone.intersection(row.pair) else Pairing.TakenBack.CORRECTION
        if not reason and row.taken_back:
            give_back(row)
        elif reason != row.taken_back:
            mark_undone(row, reason, by=by, now=now)
        if not reason and not fixture.over:
            is_open |= {row.first_id: row, row.second_id: row}
    stored = OpenPairing.objects.filter(pairing__batch__stage=rows.stage)
    known = dict(stored.values_list("entry", "pairing"))
    outdated = [entry for entry, pairing in known.items() if entry not in is_open or is_open[entry].pk != pairing]
    stored.filter(entry__in=outdated).delete()
    # A match that a correction opens again may find one of its players in another.
    OpenPairing.objects.bulk_create(
        [OpenPairing(entry_id=entry, pairing=row) for entry, row in is_open.items() if known.get(entry) != row.pk],
        ignore_conflicts=True,
    )


# What somebody pays who comes late to a stage without rounds.


def begun_counts(rows: StageRows) -> Counter[EntryId]:
    """Return entry -> its pairings that stand and the matches it missed."""
    counts = Counter(rows.missed)
    for row in rows.pairings:
        if not row.taken_back:
            counts.update((row.first_id, row.second_id))
    return counts


def begun_by_present(state: StageState) -> list[int]:
    """Return the matches begun or missed by each who is still in a stage without rounds."""
    rows, event = state.rows, state.event
    assert event is not None  # noqa: S101, a stage without rounds has one
    number = event.next_round
    present = [player.entry for player in event.players if player.active(number)]
    if rows.settings.format == LIVES:
        left = lives_left(event, rows.settings.lives)
        present = [entry for entry in present if entry in left]
    counts = begun_counts(rows)
    return [counts[entry] for entry in present]


def missed_by_latecomer(state: StageState) -> int:
    """Return how many matches somebody misses who enters now: as many as everybody has begun who is still in."""
    return min(begun_by_present(state), default=0)


def lives_of_latecomer(state: StageState) -> int:
    """Return the lives with which somebody enters now, on average where lots decide: each match missed costs half."""
    return state.rows.settings.lives - missed_by_latecomer(state) // MISSED_FOR_A_LIFE


def first_pairs(
    division: Division, stage: Stage, entries: Sequence[EntryId], clubs: Mapping[EntryId, str], now: datetime
) -> list[tuple[EntryId, EntryId]]:
    """Return the first pairs of a stage without rounds, as many as there are tables."""
    settings = settings_of(stage)
    quota = settings.lives if settings.format == LIVES else settings.rounds or 0
    players = tuple(FlowPlayer(entry, quota, 0, now, club=clubs.get(entry)) for entry in entries)
    state = FlowState(settings, players, (), {}, kept_apart(division), bytes.fromhex(stage.seed))
    decision = decide(state, now, division.tournament.tables_for(len(entries)))
    return [(pair.first, pair.second) for pair in decision.pairs]
