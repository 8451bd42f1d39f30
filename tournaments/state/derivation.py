"""Derive the state of every stage of a division from its facts: `settle` writes it, `check_integrity` compares it.

Stages are derived in order, because the places of a stage are sources of the next one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tournaments.formats.facts import Result
from tournaments.formats.graph import EntryId, PlaceOf
from tournaments.formats.plans import ROUNDS, places_before
from tournaments.formats.progress import Progress
from tournaments.formats.settings import BY_ROUND, LIVES, TABLES
from tournaments.formats.states import FixtureState
from tournaments.formats.swiss.event import ByeKind, SwissBye, SwissEvent, SwissPair, SwissPlayer, SwissRound
from tournaments.formats.tables.tables import Table, bracket_tables, entries_at, is_over, places_taken, round_table
from tournaments.models import Division, Draw, Entry, Stage
from tournaments.state.commitments import lots_seed
from tournaments.state.plans import Places, settings_of
from tournaments.state.stage_rows import DivisionRows, StageRows

Instead = Mapping[int, Result]
"""Results that replace the standing ones in a preview, by fixture number."""


@dataclass(frozen=True)
class StageState:
    """The state of a stage; `event` is set if its rounds are paired one by one."""

    rows: StageRows
    progress: Progress
    event: SwissEvent | None = None
    places: Places = field(default_factory=dict)
    """The certain places of this and earlier stages."""

    @property
    def stage(self) -> Stage:
        """The stage."""
        return self.rows.stage

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables of the stage; empty for an elimination."""
        return _tables(self.rows, self.progress, self.event)

    @property
    def over(self) -> bool:
        """Whether everything is paired and played."""
        if self.event is not None:
            return is_over(self.rows.settings, self.event) and self.progress.over
        return bool(self.rows.fixtures) and self.progress.over


def states_of(
    division: Division,
    instead: Mapping[int, Instead] | None = None,
    *,
    kept_places: Places | None = None,
    also: Stage | None = None,
    read: Sequence[StageRows] | None = None,
) -> list[StageState]:
    """Derive the state of every drawn stage of a division, and of `also`, a stage that is not drawn yet.

    `read` are the rows of these stages if they have been read. For previews, `instead` replaces results by stage
    number, and `kept_places` are places that do not follow the tables.
    """
    states: list[StageState] = []
    if read is None:
        division_rows = DivisionRows(division)
        read = division_rows.drawn
        if also is not None and division_rows.of(also) not in read:
            read.append(division_rows.of(also))
    for rows in read:
        places = states[-1].places if states else {}
        states.append(state_of(rows, places, (instead or {}).get(rows.stage.number), kept_places))
    return states


def state_of(
    rows: StageRows, places: Places, instead: Instead | None = None, kept_places: Places | None = None
) -> StageState:
    """Derive the state of one stage from the places of the stages before it; other arguments as in `states_of`."""
    progress = rows.progress(places, instead)
    event = event_of(rows, progress, places) if rows.settings.format in BY_ROUND else None
    state = StageState(rows, progress, event, places)
    if not rows.settings.qualifiers or not (rows.fixtures or event is not None):
        return state
    seed = lots_seed(rows.stage)
    taken = places_taken(rows.settings, rows.stage.number, state=progress, tables=state.tables, seed=seed)
    kept = _kept({**rows.kept_places, **(kept_places or {})}, taken, progress)
    return replace(state, places={**places, **taken, **kept})


def _tables(rows: StageRows, progress: Progress, event: SwissEvent | None) -> tuple[Table, ...]:
    seed = lots_seed(rows.stage)
    if event is not None:
        return (round_table(rows.settings, event, ROUNDS, seed=seed),)
    if rows.settings.format not in TABLES:
        return ()
    withdrawn = [item.entry for item in rows.withdrawals()]
    lengths = rows.stage.division.lengths
    return bracket_tables(rows.settings, progress, lengths=lengths, withdrawn=withdrawn, seed=seed)


def _kept(kept_places: Places, taken: Places, progress: Progress) -> Places:
    """Return the kept places of this stage, except those of tables in which a kept entry no longer plays."""
    slots = [slot for state in progress.fixtures.values() for slot in state.slots]
    present = {slot.entry for slot in slots} | {slot.absent for slot in slots} | {None}
    own = {place: entry for place, entry in kept_places.items() if place in taken}
    broken = {place.stage for place, entry in own.items() if entry not in present}
    return {place: entry for place, entry in own.items() if place.stage not in broken}


# Swiss and lives


def event_of(rows: StageRows, progress: Progress, places: Places) -> SwissEvent:
    """Return the Swiss event of a stage that is paired round by round."""
    stage, settings = rows.stage, rows.settings
    draws = rows.of_division.paired.get(stage.pk, [])
    kinds = {draw.round: draw.byes for draw in draws}
    by_round: dict[int, list[int]] = {}
    numbers = {row.pk: row.number for row in rows.rounds}
    for number, fixture in rows.fixtures.items():
        by_round.setdefault(numbers[fixture.round_id], []).append(number)
    default_bye = ByeKind.SIT_OUT if settings.format == LIVES else ByeKind.FULL
    return SwissEvent(
        players_of(rows, places, draws),
        tuple(
            _round([progress.fixtures[number] for number in sorted(by_round[at])], kinds.get(at, {}), default_bye)
            for at in sorted(by_round)
        ),
        planned=settings.rounds,
        order=settings.order,
        forbidden=rows.of_division.kept_apart,
        allow_rematches=settings.allow_rematches,
        length=(settings.lengths or stage.division.lengths)[0],
        closed=_is_closed(rows, places, draws),
    )


def _is_closed(rows: StageRows, places: Places, draws: Sequence[Draw]) -> bool:
    """Whether nobody can enter a stage any more: all its players are known, and come from the stage before it."""
    before = next((row for row in rows.of_division.stages if row.number == rows.stage.number - 1), None)
    if before is None:
        return False
    return bool(draws) or entries_at(places, places_before(settings_of(before), before.number)) is not None


def players_of(rows: StageRows, places: Places, draws: Sequence[Draw]) -> tuple[SwissPlayer, ...]:
    """Return the players of a stage, each from the first to the last round in which the draws include them.

    An entry that has not been paired yet joins in the next round; one that has not withdrawn stays in.
    """
    first: dict[EntryId, int] = {}
    last: dict[EntryId, int] = {}
    for draw in draws:
        for entry in filter(None, draw.places):
            first.setdefault(entry, draw.round)
            last[entry] = draw.round
    withdrawn = {item.entry for item in rows.withdrawals()}
    players = []
    for row in field_of(rows, places, draws):
        has_left = row.pk in withdrawn or row.status == Entry.Status.OUT
        if has_left and row.pk not in first:
            continue
        players.append(
            SwissPlayer(
                row.pk,
                rating=row.rating or 0.0,
                joined=first.get(row.pk, len(draws) + 1),
                missed_points=rows.settings.missed_points,
                left=last[row.pk] if has_left else None,
            )
        )
    return tuple(players)


def field_of(rows: StageRows, places: Places, draws: Sequence[Draw]) -> list[Entry]:
    """Return the entrants of a stage: the entries of the division, or those who qualified from the stage before.

    Empty while the qualifiers are unknown. Once a round is paired its players are a fact, whatever is corrected in the
    stage before.
    """
    stages = {stage.number: stage for stage in rows.of_division.stages}
    before = stages.get(rows.stage.number - 1)
    entries = {pk: row for pk, row in rows.of_division.entries.items() if row.status != Entry.Status.WAITING}
    if before is None:
        return list(entries.values())
    if draws:
        paired = {place for draw in draws for place in draw.places}
        return [row for pk, row in entries.items() if pk in paired]
    sources: list[PlaceOf] = places_before(settings_of(before), before.number)
    taken: list[EntryId] | None = entries_at(places, sources)
    return [entries[pk] for pk in taken or [] if pk in entries]


def _round(states: list[FixtureState], kinds: Mapping[str, str], default_bye: ByeKind) -> SwissRound:
    """Return a round; a walkover that is not recorded yet counts as a forfeit.

    `default_bye` is the kind of a bye that the pairing did not give.
    """
    pairs: list[SwissPair] = []
    byes: list[SwissBye] = []
    for state in states:
        alone = next((slot.entrant for slot in state.slots if slot.entrant is not None), None)
        if state.entrants is not None:
            pairs.append(SwissPair(*state.entrants, state.result or state.walkover))
        elif alone is not None:
            byes.append(SwissBye(alone, ByeKind(kinds.get(str(alone), default_bye))))
    return SwissRound(tuple(pairs), tuple(byes))
