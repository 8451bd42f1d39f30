"""What would follow from another result: the difference between two derivations of one division. Reads only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from matches.lifecycle.begun import is_going_on
from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.ratings.preview import Foreseen, Outcome, foresee_ratings
from tournaments.formats import progress as pure
from tournaments.formats.difference import Change, difference
from tournaments.formats.progress import NOBODY, FixtureState
from tournaments.formats.settings import ELIMINATION, LIVES
from tournaments.formats.swiss.spent_lives import decided_without_lives
from tournaments.formats.tables.tables import elimination_places
from tournaments.models import Advance, Correction, Division, Entry, Fixture
from tournaments.state.derivation import StageState, stages_of, states_of
from tournaments.state.plans import UNPLAYED, Places, StageRows, held_places

Choice = Correction.Choice
MARK_LENGTH = 16


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

    @property
    def undoes_play(self) -> bool:
        """Whether somebody has begun what would be void; a walkover that the format booked is nobody's doing."""
        return self.stopped or (self.voided is not None and self.voided.source != Result.Source.FORMAT)


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
    without_lives: tuple[Fixture, ...] = ()
    """Decided matches that would stand although one of their players would have been out by then."""

    @property
    def voided(self) -> tuple[FixtureChange, ...]:
        """Fixtures whose result would be void."""
        return tuple(change for change in self.changes if change.voided is not None)

    @property
    def returning(self) -> tuple[FixtureChange, ...]:
        """Fixtures in which a result that was void would count again."""
        return tuple(change for change in self.changes if change.returns is not None)

    @property
    def stopped(self) -> tuple[FixtureChange, ...]:
        """Matches that are being played and would be stopped."""
        return tuple(change for change in self.changes if change.stopped)

    @property
    def undoes_play(self) -> bool:
        """Whether somebody has begun to play on."""
        return any(change.undoes_play for change in self.changes)


@dataclass(frozen=True, slots=True)
class Preview:
    """A correction before it is applied.

    `seq` is that of the division. `onward` is the side that goes on now, `held` the places of the stage that would be
    others; both are what is kept with the bracket.
    """

    fixture: Fixture
    standing: Result
    new: ResultInput
    seq: int
    onward: int | None
    held: Places = field(default_factory=dict)
    following: Mapping[Choice, Following] = field(default_factory=dict)

    @property
    def all(self) -> Following:
        """What follows where all is corrected."""
        return self.following[Choice.CORRECT_ALL]

    @property
    def default(self) -> Choice:
        """What is chosen where nobody chooses: to let stand as soon as somebody has begun to play on."""
        return Choice.LET_STAND if self.all.undoes_play else Choice.CORRECT_ALL

    @property
    def mark(self) -> str:
        """Differs as soon as something has been done in a match that would be void, were it only begun."""
        return mark_of(change.row.match for change in self.all.changes)


def mark_of(matches: Iterable[Match | None]) -> str:
    """A fingerprint of how far these matches are."""
    seen = sorted((match.pk, match.seq) for match in matches if match is not None)
    return sha256(repr(seen).encode()).hexdigest()[:MARK_LENGTH]


class Facts:
    """The facts of a division, read once and thought about as often as is asked; `rows` are other ones to think of."""

    def __init__(self, division: Division, rows: Sequence[StageRows] | None = None) -> None:
        self.division = division
        self.rows = [StageRows(stage) for stage in stages_of(division)] if rows is None else list(rows)

    def states(
        self, instead: Mapping[int, Mapping[int, pure.Result]] | None = None, held: Places | None = None
    ) -> list[StageState]:
        """Where every stage stands, walkovers that would be booked included, as settling books them."""
        thought = {rows.stage.number: dict((instead or {}).get(rows.stage.number, {})) for rows in self.rows}
        while True:
            states = states_of(self.division, thought, held=held, read=self.rows)
            booked = False
            for state in states:
                for number, stands in state.progress.fixtures.items():
                    if (walkover := stands.walkover) is not None:
                        thought[state.stage.number][number] = walkover
                        booked = True
            if not booked:
                return states


def foresee(
    fixture: Fixture,
    standing: Result,
    new: ResultInput,
    *,
    voided_rated: bool | None = True,
    with_ratings: bool = True,
    restored: Result | None = None,
) -> Preview:
    """What would follow if this result stood instead of the standing one; `fixture` with its stage and division.

    `voided_rated` as in `settle`. `restored` is the earlier version that would stand again, with its record and with
    whoever went on from it; to keep the bracket is no choice then.
    """
    division = fixture.stage.division
    facts = Facts(division)
    before = facts.states()
    at = next(at for at, state in enumerate(before) if state.stage.pk == fixture.stage_id)
    stage = before[at]
    now = stage.progress.fixtures[fixture.number]
    onward = now.result.onward if now.result is not None else None

    def think(goes_on: int | None, held: Places) -> list[StageState]:
        return facts.states({stage.stage.number: {fixture.number: _as_pure(now, new, goes_on)}}, held)

    def told(after: list[StageState]) -> Following:
        changes = tuple(changes_between(division, before, after, but=fixture))
        outcome = Outcome(new.winner, new.kind, submission=restored.submission_id if restored else None)
        outcomes = {standing.match_id: outcome, **_outcomes(changes, voided_rated)} if with_ratings else {}
        ratings = tuple(foresee_ratings(outcomes))
        return Following(changes, tuple(_places(before, after)), ratings, tuple(_newly_without_lives(before, after)))

    advance = None if restored is None else Advance.objects.filter(result=restored).first()
    decided = new.winner if advance is None else advance.side
    following = {Choice.LET_STAND: Following()}
    held: Places = {}
    if restored is None:
        kept = think(onward, {})
        if held := _changed_tables(stage, kept[at]):
            kept = think(onward, held)
        following[Choice.KEEP_BRACKET] = told(kept)
    following[Choice.CORRECT_ALL] = told(think(decided, {} if advance is None else held_places(advance)))
    return Preview(fixture, standing, new, division.seq, onward, held, following)


def _changed_tables(before: StageState, after: StageState) -> Places:
    """The places of this stage, where a table sends others on; those of such a table all together."""
    number = str(before.stage.number)
    own = {place: entry for place, entry in before.places.items() if place.stage.partition(":")[0] == number}
    tables = {place.stage for place, entry in own.items() if after.places.get(place) != entry}
    return {place: entry for place, entry in own.items() if place.stage in tables}


def _as_pure(now: FixtureState, new: ResultInput, onward: int | None) -> pure.Result:
    advances = None if onward == new.winner else NOBODY if onward is None else onward
    kind = UNPLAYED.get(Result.Kind(new.kind), pure.PLAYED)
    return pure.Result(new.winner, new.score, kind, now.entrants, advances)


# Fixtures


def changes_between(
    division: Division, before: Sequence[StageState], after: Sequence[StageState], *, but: Fixture | None = None
) -> list[FixtureChange]:
    """The fixtures that differ between two derivations of a division; `but` is left out."""
    found = [
        (old.stage.number, old.rows.fixtures[change.number], change)
        for old, new in zip(before, after, strict=True)
        for change in difference(old.progress, new.progress)
        if old.rows.fixtures[change.number] != but and _matters(change)
    ]
    standing = _standing_of([row.match_id for _, row, _ in found if row.match_id is not None])
    returning = _returning(division, {row.pk: change.after for _, row, change in found})
    return [
        FixtureChange(
            number,
            row,
            change.before,
            change.after,
            voided=standing.get(row.match_id or 0) if _others_play(change) else None,
            returns=returning.get(row.pk),
            stopped=_others_play(change) and row.match is not None and is_going_on(row.match),
        )
        for number, row, change in found
    ]


def _matters(change: Change) -> bool:
    """Whether others stand in it, or another result counts."""
    return change.players_change or change.before.result != change.after.result


def _others_play(change: Change) -> bool:
    """Whether the match would not be between these two any more."""
    return change.before.entrants != change.after.entrants


def _standing_of(matches: Sequence[int]) -> dict[int, Result]:
    rows = Result.objects.filter(match__in=matches).select_related("match").order_by("version")
    return {row.match_id: row for row in rows if row.kind != Result.Kind.VOID}


def _returning(division: Division, states: Mapping[int, FixtureState]) -> dict[int, Result]:
    """By fixture: the result of a match that it let go, where the two who played it would be back."""
    pairs = {pk: state.result.between for pk, state in states.items() if state.result is not None}
    links = Fixture.former.through.objects.filter(fixture__in=pairs, match__finished_at__isnull=False)
    met = list(links.order_by("match").values_list("fixture", "match", "match__player_0", "match__player_1"))
    if not met:
        return {}
    players = dict(Entry.objects.filter(division=division).values_list("pk", "player"))
    results = _standing_of([match for _, match, _, _ in met])
    found = {}
    for fixture, match, first, second in met:
        if tuple(players[entry] for entry in pairs[fixture] or ()) == (first, second) and match in results:
            found[fixture] = results[match]
    return found


def _newly_without_lives(before: Sequence[StageState], after: Sequence[StageState]) -> list[Fixture]:
    """The decided matches in which a player would have had no lives left, where both still have some now.

    `changes_between` does not show these: a decided match keeps its players and its result.
    """
    return [
        old.rows.fixtures[number]
        for old, new in zip(before, after, strict=True)
        if old.rows.settings.format == LIVES
        for number in sorted(_without_lives(new) - _without_lives(old))
    ]


def _without_lives(state: StageState) -> frozenset[int]:
    return decided_without_lives(state.progress, state.rows.settings.lives)


# Places


PlacesTaken = dict[tuple[int, str, int], tuple[int, float | None]]


def _places(before: Sequence[StageState], after: Sequence[StageState]) -> list[PlaceChange]:
    old, new = _all_places(before), _all_places(after)
    return [
        PlaceChange(*key, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


def _all_places(states: Sequence[StageState]) -> PlacesTaken:
    """(stage, bracket, entry) -> place and, in a table, points."""
    found: PlacesTaken = {}
    for state in states:
        number = state.stage.number
        for table in state.tables:
            found |= {(number, table.key, row.entry): (row.place, row.points) for row in table.rows}
        if state.rows.settings.format in ELIMINATION:
            for key, places in elimination_places(state.rows.settings, state.progress).items():
                found |= {(number, key, entry): (one.first, None) for one in places for entry in one.entries}
    return found


# Ratings


def _outcomes(changes: Sequence[FixtureChange], voided_rated: bool | None) -> dict[int, Outcome]:
    """How the matches that change count for the ratings then; a void one that stays rated counts as it did."""
    voided = [change.voided.match_id for change in changes if change.voided is not None]
    stay = was_rated_while_void(voided) if voided_rated is None else dict.fromkeys(voided, voided_rated)
    outcomes = {match: Outcome(None, Result.Kind.VOID) for match in voided if not stay[match]}
    returning = [change.returns for change in changes if change.returns is not None]
    return outcomes | {result.match_id: Outcome.of(result) for result in returning}


def was_rated_while_void(matches: Sequence[int]) -> dict[int, bool]:
    """Whether each of these matches stayed rated when it was void last; True of one that never was."""
    rows = Result.objects.filter(match__in=matches, kind=Result.Kind.VOID).order_by("version")
    return dict.fromkeys(matches, True) | {row.match_id: row.winner is not None for row in rows}
