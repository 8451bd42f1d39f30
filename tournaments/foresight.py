"""What would follow from another result: the difference between two derivations of one division. Reads only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from matches.models import Match, Result
from matches.services.foresight import Foreseen, Outcome, foresee_ratings
from tournaments.derivation import StageState, states_of
from tournaments.formats import progress as pure
from tournaments.formats.graph import EntryId, PlaceOf
from tournaments.formats.progress import NOBODY, FixtureState, difference
from tournaments.formats.settings import DOUBLE, ELIMINATION
from tournaments.formats.tables import ranking
from tournaments.models import Advance, Correction, Fixture
from tournaments.plans import UNPLAYED, held_places

Choice = Correction.Choice


@dataclass(frozen=True, slots=True)
class NewResult:
    """A result as it should be: the winning side (None: nobody), the score by side, the kind of ending."""

    winner: int | None
    score: tuple[int, int] | None = None
    kind: str = Result.Kind.PLAYED.value

    @classmethod
    def of(cls, result: Result) -> "NewResult":
        """What a stored version says."""
        return cls(result.winner, result.score, result.kind)


@dataclass(frozen=True, slots=True)
class FixtureChange:
    """A fixture in which others would stand, or whose result would no longer count, or count again."""

    stage: int
    row: Fixture
    before: FixtureState
    after: FixtureState
    voided: Result | None = None
    """The result that would be void."""
    returns: Result | None = None
    """A result that was void and would count again."""
    stopped: bool = False
    """Whether a match that has begun would be stopped."""


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """An entry whose place or points would differ; None: not placed yet. `key` is that of the bracket or group."""

    stage: int
    key: str
    entry: int
    before: tuple[int, float | None] | None
    after: tuple[int, float | None] | None


@dataclass(frozen=True, slots=True)
class Following:
    """All that follows from one choice."""

    changes: tuple[FixtureChange, ...] = ()
    places: tuple[PlaceChange, ...] = ()
    ratings: tuple[Foreseen, ...] = ()

    @property
    def voided(self) -> tuple[FixtureChange, ...]:
        """Fixtures whose result would be void."""
        return tuple(change for change in self.changes if change.voided is not None)

    @property
    def stopped(self) -> tuple[FixtureChange, ...]:
        """Matches that are being played and would be stopped."""
        return tuple(change for change in self.changes if change.stopped)


@dataclass(frozen=True, slots=True)
class Preview:
    """A correction before it is applied.

    `seq` is that of the division. `onward` is the side that goes on now, `held` the places of the stage that would be
    others; both are what is kept with the bracket.
    """

    fixture: Fixture
    standing: Result
    new: NewResult
    seq: int
    onward: int | None
    held: Mapping[PlaceOf, EntryId | None] = field(default_factory=dict)
    following: Mapping[Choice, Following] = field(default_factory=dict)

    @property
    def default(self) -> Choice:
        """What is chosen where nobody chooses: to let stand as soon as somebody has begun to play on."""
        everything = self.following[Choice.CORRECT_ALL]
        begun = any(change.voided is not None or change.stopped for change in everything.changes)
        return Choice.LET_STAND if begun else Choice.CORRECT_ALL


def foresee(
    fixture: Fixture,
    standing: Result,
    new: NewResult,
    *,
    voided_rated: bool = True,
    with_ratings: bool = True,
    advance: Advance | None = None,
) -> Preview:
    """What would follow if this result stood instead of the standing one; `fixture` with its stage and division.

    `advance` is who was to go on with the new result all the same, where it stood before.
    """
    division = fixture.stage.division
    before = states_of(division)
    stage = next(state for state in before if state.stage.pk == fixture.stage_id)
    now = stage.progress.fixtures[fixture.number]
    onward = now.result.onward if now.result is not None else None
    following: dict[Choice, Following] = {Choice.LET_STAND: Following()}
    decided = new.winner if advance is None else advance.side
    kept = {} if advance is None else held_places(advance)
    ways = {Choice.KEEP_BRACKET: (onward, stage.places), Choice.CORRECT_ALL: (decided, kept)}
    for choice, (goes_on, held) in ways.items():
        instead = {stage.stage.number: {fixture.number: _as_pure(now, new, goes_on)}}
        after = states_of(division, instead, held=held)
        changes = tuple(_changes(fixture, before, after))
        ratings = _ratings(standing, new, changes, voided_rated=voided_rated) if with_ratings else ()
        following[choice] = Following(changes, tuple(_places(before, after)), ratings)
    own = {place: entry for place, entry in stage.places.items() if _is_of(place, stage)}
    changed = {place: entry for place, entry in own.items() if after[before.index(stage)].places.get(place) != entry}
    return Preview(fixture, standing, new, division.seq, onward, own if changed else {}, following)


def _is_of(place: PlaceOf, state: StageState) -> bool:
    """Whether it is a place of this stage, and not of one before it."""
    return place.stage.partition(":")[0] == str(state.stage.number)


def _as_pure(now: FixtureState, new: NewResult, onward: int | None) -> pure.Result:
    first, second = (slot.entry if slot.entry is not None else slot.absent for slot in now.slots)
    between = (first, second) if first is not None and second is not None else None
    advances = None if onward == new.winner else NOBODY if onward is None else onward
    return pure.Result(new.winner, new.score, UNPLAYED.get(Result.Kind(new.kind), pure.PLAYED), between, advances)


def _changes(fixture: Fixture, before: Sequence[StageState], after: Sequence[StageState]) -> list[FixtureChange]:
    found = []
    for old, new in zip(before, after, strict=True):
        standing = _standing_of([row.match_id for row in old.rows.fixtures.values() if row.match_id is not None])
        for change in difference(old.progress, new.progress):
            row = old.rows.fixtures[change.number]
            if row.pk == fixture.pk or not _matters(change):
                continue
            match = row.match
            result = standing.get(match.pk) if match is not None else None
            begun = match is not None and match.begun_at is not None and match.state != Match.State.SETTLED
            reported = match is not None and match.state in (Match.State.CLAIMED, Match.State.DISPUTED)
            found.append(
                FixtureChange(
                    old.stage.number,
                    row,
                    change.before,
                    change.after,
                    voided=result if change.players_change and change.before.result is not None else None,
                    returns=_returning(row, change.after),
                    stopped=change.players_change and (begun or reported),
                )
            )
    return found


def _matters(change: pure.Change) -> bool:
    """Whether others stand in it, or another result counts."""
    return change.players_change or change.before.result != change.after.result


def _standing_of(matches: Sequence[int]) -> dict[int, Result]:
    rows = Result.objects.filter(match__in=matches).order_by("version")
    return {row.match_id: row for row in rows if row.kind != Result.Kind.VOID}


def _returning(row: Fixture, after: FixtureState) -> Result | None:
    """The result of a match that this fixture let go, where the two who played it would be back."""
    if after.result is None or not row.former.exists():
        return None
    entries = {
        entry.pk: entry.player_id for entry in row.stage.division.entries.filter(pk__in=after.result.between or ())
    }
    first, second = (entries.get(pk) for pk in after.result.between or (None, None))
    rows = Result.objects.filter(match__in=row.former.filter(player_0=first, player_1=second))
    return rows.exclude(kind=Result.Kind.VOID).order_by("match", "version").last()


Places = dict[tuple[int, str, int], tuple[int, float | None]]


def _places(before: Sequence[StageState], after: Sequence[StageState]) -> list[PlaceChange]:
    old, new = _all_places(before), _all_places(after)
    return [
        PlaceChange(*key, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


def _all_places(states: Sequence[StageState]) -> Places:
    """(stage, bracket, entry) -> place and, in a table, points."""
    found: Places = {}
    for state in states:
        number = state.stage.number
        for table in state.tables:
            found |= {(number, table.key, row.entry): (row.place, row.points) for row in table.rows}
        if state.rows.settings.format in ELIMINATION:
            for key, places in _brackets(state):
                place = 1
                for shared in places:
                    found |= {(number, key, entry): (place, None) for entry in shared}
                    place += max(1, len(shared))
    return found


def _brackets(state: StageState) -> list[tuple[str, Sequence[Sequence[int]]]]:
    """The places of each bracket; upper, lower and final of a double elimination are one."""
    if state.rows.settings.format == DOUBLE:
        return [("main", ranking(state.rows.settings, state.progress))]
    return [(bracket.key, state.progress.placings(bracket.key)) for bracket in state.progress.graph.brackets]


def _ratings(
    standing: Result, new: NewResult, changes: Sequence[FixtureChange], *, voided_rated: bool
) -> tuple[Foreseen, ...]:
    outcomes = {standing.match_id: Outcome(new.winner, new.kind)}
    for change in changes:
        if change.voided is not None and not voided_rated:
            outcomes[change.voided.match_id] = Outcome(None, Result.Kind.VOID)
        if change.returns is not None:
            outcomes[change.returns.match_id] = Outcome(change.returns.winner, change.returns.kind)
    return tuple(foresee_ratings(outcomes))
