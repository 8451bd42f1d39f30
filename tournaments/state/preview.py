"""What would follow from an act, such as another result: the difference between two derivations of one division.

Nothing here writes to the database.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import zip_longest

from formats import facts as pure
from formats.difference import FixtureDifference, difference
from formats.facts import NOBODY
from formats.settings import ELIMINATION, LIVES
from formats.states import FixtureState
from formats.swiss.spent_lives import decided_without_lives
from formats.tables.tables import elimination_places
from matches.lifecycle.begun import is_going_on
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.ratings.preview import RatingPreview, SupposedResult, preview_ratings
from tournaments.models import Advance, Correction, Division, Fixture
from tournaments.state.derivation import StageState, states_of
from tournaments.state.plans import Places
from tournaments.state.stage_rows import UNPLAYED, DivisionRows, StageRows, kept_places_of

Choice = Correction.Choice
MARK_LENGTH = 16


@dataclass(frozen=True, slots=True)
class FixtureChange:
    """A fixture with other players, or with a result that would stop counting or count again."""

    stage: int
    row: Fixture
    before: FixtureState
    after: FixtureState
    voided: Result | None = None
    """The result that would be voided."""
    returns: Result | None = None
    """A voided result that would count again."""
    stopped: bool = False
    """Whether a match in progress would be stopped."""

    @property
    def moves_players(self) -> bool:
        """Whether somebody else, or nobody, would stand in a slot."""
        return self.before.slots != self.after.slots

    @property
    def undoes_play(self) -> bool:
        """Whether players have begun a match that would be voided; a walkover recorded by the format does not count."""
        return self.stopped or (self.voided is not None and self.voided.source != Result.Source.FORMAT)


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """An entry whose place or points would change; None if it has no place yet. `key` names the bracket or group."""

    stage: int
    key: str
    entry: int
    before: tuple[int, float | None] | None
    after: tuple[int, float | None] | None


@dataclass(frozen=True, slots=True)
class FieldChange:
    """An entry that would play in a stage without rounds, and the one whose place it takes; None if there is none."""

    stage: int
    comes: int | None
    leaves: int | None


@dataclass(frozen=True, slots=True)
class Consequences:
    """Everything that follows from one choice."""

    changes: tuple[FixtureChange, ...] = ()
    qualified: tuple[FieldChange, ...] = ()
    places: tuple[PlaceChange, ...] = ()
    ends: bool | None = None
    """Whether the division would be over afterwards, if that changes."""
    ratings: tuple[RatingPreview, ...] = ()
    without_lives: tuple[Fixture, ...] = ()
    """Decided matches that would stand although one of their players would already have been out."""
    bracket_stands: bool = False
    """Whether a bracket after lives without rounds would stand although its places no longer fit the lives left."""
    states: tuple[StageState, ...] = field(default=(), repr=False, compare=False)
    """The states of the stages afterwards; empty if nothing changes."""

    @property
    def voided(self) -> tuple[FixtureChange, ...]:
        return tuple(change for change in self.changes if change.voided is not None)

    @property
    def returning(self) -> tuple[FixtureChange, ...]:
        """Fixtures with a voided result that would count again."""
        return tuple(change for change in self.changes if change.returns is not None)

    @property
    def stopped(self) -> tuple[FixtureChange, ...]:
        """Fixtures whose match is being played and would be stopped."""
        return tuple(change for change in self.changes if change.stopped)

    @property
    def undoes_play(self) -> bool:
        """Whether play that has begun would be undone."""
        return any(change.undoes_play for change in self.changes)


NOTHING = Consequences()


@dataclass(frozen=True, slots=True)
class CorrectionPreview:
    """A correction before it is applied.

    `seq` is the division's. `advancing_side` is the side that advances now, and `kept_places` are the places of
    the stage that would change or were kept with the standing result; a correction that keeps the bracket keeps both.
    """

    fixture: Fixture
    standing: Result
    new: ResultInput
    seq: int
    advancing_side: int | None
    kept_places: Places = field(default_factory=dict)
    consequences: Mapping[Choice, Consequences] = field(default_factory=dict)

    @property
    def all(self) -> Consequences:
        return self.consequences[Choice.CORRECT_ALL]

    @property
    def default(self) -> Choice:
        """The choice suggested: to let the old result stand if play that has begun would be undone.

        The same if a bracket would stand that its result had drawn otherwise.
        """
        return Choice.LET_STAND if self.all.undoes_play or self.all.bracket_stands else Choice.CORRECT_ALL

    @property
    def mark(self) -> str:
        """A fingerprint that changes with any action in an affected match, even if it has only begun."""
        return mark_of(change.row.match for change in self.all.changes)


def mark_of(matches: Iterable[Match | None]) -> str:
    """Return a fingerprint of the progress of these matches."""
    seqs = sorted((match.pk, match.seq) for match in matches if match is not None)
    return sha256(repr(seqs).encode()).hexdigest()[:MARK_LENGTH]


class DivisionFacts:
    """The facts of a division, read once, to derive states from repeatedly.

    `rows` replaces the stored rows of its stages.
    """

    def __init__(self, division: Division, rows: Sequence[StageRows] | None = None) -> None:
        self.division = division
        self.rows = DivisionRows(division).drawn if rows is None else list(rows)

    def states(self, overrides: Mapping[int, Mapping[int, pure.Result]] | None = None) -> list[StageState]:
        """Derive the state of every stage, with the walkovers that settling would record.

        `overrides` replaces standing results, by stage and fixture number, with all that was kept with them.
        """
        results = {rows.stage.number: dict((overrides or {}).get(rows.stage.number, {})) for rows in self.rows}
        while True:
            states = states_of(self.division, results, read=self.rows)
            walkovers = {
                (state.stage.number, number): walkover
                for state in states
                for number, fixture in state.progress.fixtures.items()
                if (walkover := fixture.walkover) is not None
            }
            if not walkovers:
                return states
            for (stage, number), walkover in walkovers.items():
                results[stage][number] = walkover


def preview_result(
    fixture: Fixture,
    standing: Result,
    new: ResultInput,
    *,
    voided_rated: bool | Result = True,
    with_ratings: bool = True,
    restored: Result | None = None,
) -> CorrectionPreview:
    """Return what would follow if `new` replaced the `standing` result; `fixture` comes with its stage and division.

    `voided_rated` is `void_rated` of `settle`. `restored` is an earlier version that would stand again, with its
    record and with what was kept with it; keeping the bracket is not a choice then. Nor is it where the new result
    would change a slot all the same: where lives are counted, or a round of a lower bracket would be drawn otherwise.
    """
    division = fixture.stage.division
    facts = DivisionFacts(division)
    before = facts.states()
    index = next(index for index, state in enumerate(before) if state.stage.pk == fixture.stage_id)
    stage = before[index]
    current = stage.progress.fixtures[fixture.number]
    advancing = current.result.advancing_slot if current.result is not None else None
    kept_places: Places = dict(current.result.kept) if current.result is not None else {}

    def derive(advancing_side: int | None, kept: Places) -> list[StageState]:
        result = _as_pure(current, new, advancing_side, kept)
        return facts.states({stage.stage.number: {fixture.number: result}})

    def compare(after: list[StageState]) -> Consequences:
        following = consequences_of(division, before, after, but=fixture)
        outcome = SupposedResult.of(restored) if restored else SupposedResult(new.winner, new.kind)
        outcomes = {standing.match_id: outcome, **_outcomes(following.changes, voided_rated)} if with_ratings else {}
        return replace(following, ratings=tuple(preview_ratings(outcomes)))

    advance = None if restored is None else Advance.objects.filter(result=restored).first()
    corrected_side = new.winner if advance is None else advance.side
    consequences = {Choice.LET_STAND: NOTHING}
    if restored is None:
        after = derive(advancing, kept_places)
        if changed := _changed_tables(stage, after[index]):
            kept_places = {**kept_places, **changed}
            after = derive(advancing, kept_places)
        keeping = compare(after)
        if not any(change.moves_players for change in keeping.changes):
            consequences[Choice.KEEP_BRACKET] = keeping
    corrected = derive(corrected_side, {} if advance is None else kept_places_of(advance))
    consequences[Choice.CORRECT_ALL] = compare(corrected)
    return CorrectionPreview(fixture, standing, new, division.seq, advancing, kept_places, consequences)


def _changed_tables(before: StageState, after: StageState) -> Places:
    """Return all qualifying places, as they are, of the tables of this stage whose qualifiers would change.

    That includes a table that another correction has kept: it stays as it is when only that one is undone.
    """
    tables = {
        place.stage
        for place in before.earned
        if (before.places[place], before.earned[place]) != (after.places.get(place), after.earned.get(place))
    }
    return {place: before.places[place] for place in before.earned if place.stage in tables}


def _as_pure(current: FixtureState, new: ResultInput, advancing_side: int | None, kept: Places) -> pure.Result:
    side = NOBODY if advancing_side is None else advancing_side
    advances = None if advancing_side == new.winner else side
    kind = UNPLAYED.get(Result.Kind(new.kind), pure.PLAYED)
    return pure.Result(new.winner, new.score, kind, current.entrants, advances, tuple(kept.items()))


def consequences_of(
    division: Division, before: Sequence[StageState], after: Sequence[StageState], *, but: Fixture | None = None
) -> Consequences:
    """Return all that differs between two derivations of a division but for ratings; `but` as in `changes_between`."""
    was_over, is_over = (all(state.over for state in states) for states in (before, after))
    return Consequences(
        changes=tuple(changes_between(before, after, but=but)),
        qualified=tuple(_field_changes(before, after)),
        places=tuple(_places(before, after)),
        ends=is_over if is_over != was_over and len(after) == division.stages.count() else None,
        without_lives=tuple(_newly_without_lives(before, after)),
        bracket_stands=any(state.has_old_seats for state in after) and not any(row.has_old_seats for row in before),
        states=tuple(after),
    )


def _field_changes(before: Sequence[StageState], after: Sequence[StageState]) -> Iterator[FieldChange]:
    """Yield who would take whose place in a stage that is played without rounds, in the order of the places."""
    for old, new in zip(before, after, strict=True):
        if old.field is None or new.field is None:
            continue
        coming = [entry for entry in new.field if entry not in old.field]
        leaving = [entry for entry in old.field if entry not in new.field]
        for comes, leaves in zip_longest(coming, leaving):
            yield FieldChange(old.stage.number, comes, leaves)


def changes_between(
    before: Sequence[StageState], after: Sequence[StageState], *, but: Fixture | None = None
) -> list[FixtureChange]:
    """Return the fixtures that differ between two derivations of a division, except `but`."""
    differing = [
        (new.rows, old.rows.fixtures[change.number], change)
        for old, new in zip(before, after, strict=True)
        for change in difference(old.progress, new.progress)
        if old.rows.fixtures[change.number] != but and _is_relevant(change)
    ]
    standing = _standing_of([row.match_id for _, row, _ in differing if row.match_id is not None])
    former = {row.pk: _former_match(rows, change.after) for rows, row, change in differing}
    results = _standing_of([match for match in former.values() if match is not None])
    return [
        FixtureChange(
            rows.stage.number,
            row,
            change.before,
            change.after,
            voided=standing.get(row.match_id or 0) if _changes_pair(change) else None,
            returns=results.get(former[row.pk] or 0),
            stopped=_changes_pair(change) and row.match is not None and is_going_on(row.match),
        )
        for rows, row, change in differing
    ]


def _is_relevant(change: FixtureDifference) -> bool:
    """Whether the players or the counting result change."""
    return change.players_change or change.before.result != change.after.result


def _changes_pair(change: FixtureDifference) -> bool:
    """Whether the match would no longer be between the same two."""
    return change.before.entrants != change.after.entrants


def _standing_of(matches: Sequence[int]) -> dict[int, Result]:
    rows = Result.objects.filter(match__in=matches).select_related("match").order_by("version")
    return {row.match_id: row for row in rows if row.kind != Result.Kind.VOID}


def _former_match(rows: StageRows, state: FixtureState) -> int | None:
    """Return the former match whose result would count again, because its two players would return to the fixture."""
    between = state.result.between if state.result is not None else None
    former = rows.former_results.get(state.number, ())
    return next((match for match, result in reversed(former) if result.between == between), None)


def _newly_without_lives(before: Sequence[StageState], after: Sequence[StageState]) -> list[Fixture]:
    """Return decided matches of players who would then have had no lives left, but have some now.

    `changes_between` leaves these out, because a decided match keeps its players and its result.
    """
    return [
        old.rows.fixtures[number]
        for old, new in zip(before, after, strict=True)
        if old.rows.settings.format == LIVES
        for number in sorted(_without_lives(new) - _without_lives(old))
    ]


def _without_lives(state: StageState) -> frozenset[int]:
    return decided_without_lives(state.progress, state.rows.settings.lives)


PlacesTaken = dict[tuple[int, str, int], tuple[int, float | None]]


def _places(before: Sequence[StageState], after: Sequence[StageState]) -> list[PlaceChange]:
    old, new = _all_places(before), _all_places(after)
    return [
        PlaceChange(*key, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


def _all_places(states: Sequence[StageState]) -> PlacesTaken:
    """Return (stage, bracket, entry) -> place and, in a table, points."""
    places: PlacesTaken = {}
    for state in states:
        number = state.stage.number
        for table in state.tables:
            places |= {(number, table.key, row.entry): (row.place, row.points) for row in table.rows}
        if state.rows.settings.format in ELIMINATION:
            for key, shared_places in elimination_places(state.rows.settings, state.progress).items():
                places |= {
                    (number, key, entry): (shared.first, None) for shared in shared_places for entry in shared.entries
                }
    return places


def _outcomes(changes: Sequence[FixtureChange], voided_rated: bool | Result) -> dict[int, SupposedResult]:
    """Return the outcomes for the ratings of the matches that change; a voided match that stays rated is left out."""
    voided = [change.voided.match_id for change in changes if change.voided is not None]
    stays_rated = stay_rated(voided, voided_rated)
    outcomes = {match: SupposedResult(None, Result.Kind.VOID) for match in voided if not stays_rated[match]}
    returning = [change.returns for change in changes if change.returns is not None]
    return outcomes | {result.match_id: SupposedResult.of(result) for result in returning}


def stay_rated(matches: Sequence[int], void_rated: bool | Result) -> dict[int, bool]:
    """Return whether each of these matches stays rated when it becomes void; `void_rated` as in `settle`."""
    if isinstance(void_rated, bool):
        return dict.fromkeys(matches, void_rated)
    rows = list(Result.objects.filter(match__in=matches, kind=Result.Kind.VOID).order_by("version"))
    # Should a match be void only since, as it was then; it was never void if two corrections are undone out of turn.
    last = {row.match_id: row.winner is not None for row in rows}
    return (
        dict.fromkeys(matches, True)
        | last
        | {row.match_id: row.winner is not None for row in rows if row.pk < void_rated.pk}
    )
