"""Derive the state of every stage of a division from its facts: `settle` writes it, `check_integrity` compares it.

Stages are derived in order, because the places of a stage are sources of the next one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations

from core.left_out import within_division
from formats.elimination.from_lives import seat_lives
from formats.facts import Result
from formats.graph import EntryId, EntrySource, Source
from formats.lots import lot
from formats.plans import ROUNDS, places_before, sources_of
from formats.progress import Progress, SharedPlace, numbered
from formats.settings import BY_ROUND, ELIMINATION, KNOCKOUT, LIVES, TABLES, lives_are_places
from formats.states import BYE_SLOT, FixtureState
from formats.swiss.event import ByeKind, SwissBye, SwissEvent, SwissPair, SwissPlayer, SwissRound
from formats.swiss.lives import lives_left
from formats.tables.tables import (
    StandingsTable,
    bracket_tables,
    elimination_places,
    entries_at,
    final_orders,
    is_over,
    places_taken,
    ranks,
    round_table,
    who_goes_on,
)
from matches.lifecycle.begun import has_begun
from matches.models import Result as MatchResult
from tournaments.models import Division, Draw, Entry, Stage
from tournaments.state.commitments import lots_seed
from tournaments.state.plans import Places, settings_of
from tournaments.state.stage_rows import DivisionRows, StageRows

TAKEN_BACK = (BYE_SLOT, BYE_SLOT)
"""The sides of a match without rounds that does not stand."""
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
    earned: Places = field(default_factory=dict)
    """The places of this stage as they would be if no correction had kept the bracket."""
    going_on: Mapping[str, Sequence[EntryId]] = field(default_factory=dict)
    """Table -> everybody who can go on from it, best first; only of tables that are over."""
    has_old_seats: bool = False
    """Whether a bracket after lives without rounds would be drawn otherwise by now, but stands."""
    field: Sequence[EntryId] | None = None
    """Who has a place in a stage without rounds by the results of the stage before; None while that is unknown."""

    @property
    def stage(self) -> Stage:
        return self.rows.stage

    @cached_property
    def tables(self) -> tuple[StandingsTable, ...]:
        """The tables of the stage; empty for an elimination."""
        with within_division(self.stage):
            return _tables(self.rows, self.progress, self.event, over=self.over)

    def advancing(self, table: StandingsTable) -> set[EntryId]:
        """Return those of a table who go on to the next stage or, until it is over, would as things stand."""
        order = [row.entry for row in table.rows]
        is_flow = self.event is not None and self.event.continuous
        if is_flow and self.rows.settings.format == LIVES and not self.rows.settings.ended:
            # Whoever has lives left goes on.
            return {row.entry for row in table.rows if row.points > 0} if self.rows.settings.qualifiers else set()
        if table.over and self.earned:
            return {entry for place in self.earned if (entry := self.places[place]) in order and entry is not None}
        return set(_going_on(self.rows, order, {})[: self.rows.settings.qualifiers or 0])

    def moving_up(self) -> dict[EntryId, EntryId | None]:
        """Return, by entry that goes on, who would move up if it withdrew now; None if nobody is left to.

        Where a player of the table has begun the next stage nobody moves up, and such tables are left out.
        """
        count, division = self.rows.settings.qualifiers or 0, self.rows.of_division
        return {
            entry: order[count] if count < len(order) else None
            for order in self.going_on.values()
            if division.next_begun(self.stage, order) is None
            for entry in order[:count]
        }

    @property
    def spent(self) -> set[EntryId | None]:
        """The entries that have lost a match or, where rounds are paired one by one, have played one.

        A walkover in a match that had not begun is neither if a withdrawal caused it.
        """
        spent: set[EntryId | None] = set()
        for number, fixture in self.progress.fixtures.items():
            row = self.rows.fixtures.get(number)
            if fixture.result is None or row is None or row.match is None:
                continue
            versions = self.rows.of_division.versions_of(row.match)
            if has_begun(row.match) or (versions and versions[-1].source != MatchResult.Source.FORMAT):
                sides = (0, 1) if self.stage.format in BY_ROUND else fixture.result.losing_slots
                spent.update(fixture.slots[side].entry for side in sides)
        return spent

    @property
    def over(self) -> bool:
        """Whether everything is paired and played."""
        if self.event is not None and self.progress.over and _is_followed(self.rows):
            return True
        if self.event is not None:
            return is_over(self.rows.settings, self.event) and self.progress.over
        return bool(self.rows.fixtures) and self.progress.over


def states_of(
    division: Division,
    overrides: Mapping[int, Instead] | None = None,
    *,
    also: Stage | None = None,
    read: Sequence[StageRows] | None = None,
) -> list[StageState]:
    """Derive the state of every drawn stage of a division, and of `also`, a stage that is not drawn yet.

    `read` are the rows of these stages if they have been read. For previews, `overrides` replaces results by stage
    number, with all that was kept with them.
    """
    states: list[StageState] = []
    if read is None:
        division_rows = DivisionRows(division)
        read = division_rows.drawn
        if also is not None and division_rows.of(also) not in read:
            read.append(division_rows.of(also))
    for rows in read:
        before = states[-1] if states else None
        states.append(state_of(rows, before, (overrides or {}).get(rows.stage.number)))
    return states


def state_of(rows: StageRows, before: StageState | None, overrides: Instead | None = None) -> StageState:
    """Derive the state of one stage from that of the stage before it; `overrides` as in `states_of`."""
    with within_division(rows.stage):
        return _state_of(rows, before, overrides)


def _state_of(rows: StageRows, before: StageState | None, overrides: Instead | None) -> StageState:
    places: Places = before.places if before is not None else {}
    rows, has_old_seats = _seated(rows, before)
    field = _qualified(rows, places) if rows.settings.is_continuous else None
    progress = rows.progress(places, overrides, field=field)
    event = event_of(rows, progress, places) if rows.settings.format in BY_ROUND else None
    state = StageState(rows, progress, event, places, has_old_seats=has_old_seats, field=field)
    if not rows.settings.qualifiers or not (rows.fixtures or event is not None):
        return state
    following = rows.of_division.following(rows.stage)
    if following is not None and lives_are_places(rows.settings, following.format):
        # Its bracket has fixed entrants.
        return state
    seed = lots_seed(rows.stage)
    orders = final_orders(rows.settings, rows.stage.number, state=progress, tables=state.tables, seed=seed)
    own, kept = places_before(rows.settings, rows.stage.number), _kept(progress)
    going_on = {key: _going_on(rows, order, kept.get(key, {})) for key, order in orders.items()}
    earned = places_taken(own, {key: _going_on(rows, order, {}) for key, order in orders.items()})
    return replace(state, places={**places, **places_taken(own, going_on)}, earned=earned, going_on=going_on)


# The bracket that follows lives without rounds. Until one of its matches begins, its places follow from the lives left.


def seats_after_lives(
    state: StageState, apart: Iterable[Collection[EntryId]], seated: Collection[EntryId] = ()
) -> list[Source]:
    """Return the entrants of the bracket that follows lives without rounds: a place for each life left.

    Entries of a group of `apart` and earlier opponents do not meet in its first round if that is possible. Entries that
    are `seated` keep their places if they have withdrawn since. Raises ValueError if the lives left do not fit into the
    bracket.
    """
    rows, event = state.rows, state.event
    assert event is not None  # noqa: S101, it is paired without rounds
    lives = rows.settings.lives
    left = lives_left(event, lives)
    for entry in seated:
        lost = event.losses[entry] + event.lives_missed.get(entry, 0)
        if lost < lives:
            left[entry] = lives - lost
    met = {frozenset((row.first_id, row.second_id)) for row in rows.pairings if not row.taken_back}
    places = seat_lives(
        left,
        size=rows.settings.qualifiers or 0,
        lots=lot(lots_seed(state.stage), "continuous", state.stage.number, "bracket"),
        apart={*met, *(frozenset(pair) for group in apart for pair in combinations(group, 2))},
    )
    return sources_of(places)


def _seated(rows: StageRows, before: StageState | None) -> tuple[StageRows, bool]:
    """Return the rows of a stage, seated by the lives left before it, and whether they should be but stand."""
    if before is None or before.event is None or rows.settings.format != KNOCKOUT or not rows.fixtures:
        return rows, False
    if not lives_are_places(before.rows.settings, rows.settings.format):
        return rows, False
    try:
        seats = seats_after_lives(before, rows.stage.apart, rows.graph.entries)
    except ValueError:
        return rows, True
    if seats == rows.seats:
        return rows, False
    if len(seats) != len(rows.seats) or rows.begun or rows.beginnings:
        return rows, True
    return rows.seated(seats), False


def _going_on(rows: StageRows, order: Sequence[EntryId], kept: Mapping[int, EntryId | None]) -> list[EntryId]:
    """Return those of the final order of a table who can go on; `kept` has entries that were kept, by place."""
    division = rows.of_division
    return who_goes_on(
        order,
        kept=[kept[place] for place in sorted(kept)],
        out=division.cannot_go_on(rows.stage, order),
        persons=division.persons,
    )


def _is_followed(rows: StageRows) -> bool:
    """Whether a stage has no rounds and the next one is drawn, so that it is not played on."""
    following = rows.of_division.following(rows.stage)
    return rows.settings.is_continuous and following is not None and following.is_drawn


def _tables(rows: StageRows, progress: Progress, event: SwissEvent | None, *, over: bool) -> tuple[StandingsTable, ...]:
    seed = lots_seed(rows.stage)
    if event is not None:
        return (replace(round_table(rows.settings, event, ROUNDS, seed=seed), over=over),)
    if rows.settings.format not in TABLES:
        return ()
    withdrawn = {item.entry for item in rows.withdrawals() if item.bracket is not None}
    for bracket in progress.graph.brackets:
        slots = [slot for fixture in bracket.fixtures for slot in progress.fixtures[fixture.number].slots]
        entries = {slot.entrant for slot in slots if slot.entrant is not None}
        withdrawn |= rows.of_division.gone_from(rows.stage, entries)
        withdrawn -= rows.left_after_end(bracket.fixtures, entries)
    lengths = rows.stage.division.lengths
    return bracket_tables(rows.settings, progress, lengths=lengths, withdrawn=withdrawn, seed=seed)


def _kept(progress: Progress) -> dict[str, dict[int, EntryId | None]]:
    """Return the kept places by table, without tables in which a kept entry no longer plays."""
    if not progress.kept_places:
        return {}
    slots = [slot for state in progress.fixtures.values() for slot in state.slots]
    present = {slot.entrant for slot in slots} | {None}
    tables: dict[str, dict[int, EntryId | None]] = {}
    for place, entry in progress.kept_places.items():
        tables.setdefault(place.stage, {})[place.place] = entry
    return {key: places for key, places in tables.items() if present.issuperset(places.values())}


def places_beyond(states: Sequence[StageState], *, by_points: bool = False) -> list[SharedPlace]:
    """Return the places after those of the last stage: of who did not reach it, by the stage before it, and so on.

    Those in the same place of different groups share theirs; with `by_points` so do equal points of a single table.
    """
    if len(states) < 2 or len(states[-1].tables) > 1 or not all(state.over for state in states[:-1]):
        return []
    seen = {slot.entrant for state in states[-1].progress.fixtures.values() for slot in state.slots} - {None}
    seen.update(row.entry for table in states[-1].tables for row in table.rows)
    first, groups = len(seen) + 1, []
    for state in reversed(states[:-1]):
        for group in _ranked(state, by_points=by_points):
            if entries := [entry for entry in group if entry not in seen]:
                groups.append(entries)
                seen.update(entries)
    return numbered(groups, first)


def _ranked(state: StageState, *, by_points: bool) -> list[tuple[EntryId, ...]]:
    """Return who shares each place of a stage, best first."""
    if state.rows.settings.format in ELIMINATION:
        brackets = elimination_places(state.rows.settings, state.progress).values()
        return [place.entries for places in brackets for place in places]
    return ranks(*state.tables, by_points=by_points and len(state.tables) == 1 and state.rows.settings.format != LIVES)


def event_of(rows: StageRows, progress: Progress, places: Places) -> SwissEvent:
    stage, settings = rows.stage, rows.settings
    draws = rows.of_division.paired.get(stage.pk, [])
    kinds = {draw.round: draw.byes for draw in draws}
    by_round: dict[int, list[int]] = {}
    numbers = {row.pk: row.number for row in rows.rounds}
    for number, fixture in rows.fixtures.items():
        by_round.setdefault(numbers[fixture.round_id], []).append(number)
    drawn = _drawn_without_rounds(rows, progress) if settings.is_continuous else ()
    if settings.is_continuous:
        draws = []
    default_bye = ByeKind.SIT_OUT if settings.format == LIVES else ByeKind.FULL
    event = SwissEvent(
        players_of(rows, places, draws, drawn),
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
        continuous=settings.is_continuous,
        missed=rows.missed if settings.is_continuous else {},
        lives_missed=rows.lives_missed if settings.is_continuous else {},
    )
    return _as_it_ended(rows, event, places, draws, drawn) if progress.over else event


def _as_it_ended(
    rows: StageRows, event: SwissEvent, places: Places, draws: Sequence[Draw], drawn: Collection[EntryId]
) -> SwissEvent:
    """Return the event without the withdrawals after its end, which change none of its results."""
    late = rows.left_after_end(rows.graph.fixtures.values(), rows.of_division.entries)
    left = [entry for entry in dict.fromkeys(absence.entry for absence in rows.absences) if entry in late]
    # The stage may have ended with one of the withdrawals; those after it were too late.
    for count in range(len(left)):
        earlier = replace(event, players=players_of(rows, places, draws, drawn, staying=left[count:]))
        if is_over(rows.settings, earlier):
            return earlier
    return event


def _is_closed(rows: StageRows, places: Places, draws: Sequence[Draw]) -> bool:
    """Whether nobody can enter a stage any more: all its players are known, and come from the stage before it."""
    return rows.stage.number > 1 and (bool(draws) or _qualified(rows, places) is not None)


def players_of(
    rows: StageRows,
    places: Places,
    draws: Sequence[Draw],
    drawn: Collection[EntryId] = (),
    *,
    staying: Collection[EntryId] = (),
) -> tuple[SwissPlayer, ...]:
    """Return the players of a stage, each with the first and the last round that they are drawn in.

    An entry that has not been paired yet joins in the next round; one that has not withdrawn, or is `staying`, is in.
    """
    first: dict[EntryId, int] = {}
    last: dict[EntryId, int] = {}
    for draw in draws:
        for entry in filter(None, draw.places):
            first.setdefault(entry, draw.round)
            last[entry] = draw.round
    gone = _gone(rows).difference(staying)
    if rows.settings.is_continuous:
        return _players_without_rounds(rows, places, drawn, gone)
    players = []
    for row in field_of(rows, places, draws):
        has_left = row.pk in gone
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


def _gone(rows: StageRows) -> set[EntryId]:
    """Return who has left a stage; once the next one has begun, neither a withdrawal nor a return changes that."""
    division = rows.of_division
    withdrawn = {absence.entry for absence in division.absences}
    never_in = {pk for pk, row in division.entries.items() if row.status == Entry.Status.OUT and pk not in withdrawn}
    from_bracket = {item.entry for item in rows.withdrawals() if item.bracket is not None}
    return {*never_in, *from_bracket, *division.gone_from(rows.stage, division.entries)}


def _players_without_rounds(
    rows: StageRows, places: Places, drawn: Collection[EntryId], gone: set[EntryId]
) -> tuple[SwissPlayer, ...]:
    """Return the players of a stage without rounds; one that has left plays no more after batch 0."""
    players = []
    for row in field_of(rows, places, (), drawn):
        has_left = row.pk in gone
        if not has_left or row.pk in drawn:
            missed = rows.settings.missed_points
            left = 0 if has_left else None
            players.append(SwissPlayer(row.pk, rating=row.rating or 0.0, missed_points=missed, left=left))
    return tuple(players)


def _qualified(rows: StageRows, places: Places) -> list[EntryId] | None:
    """Return who qualified for a stage, the best first; None for the first stage, or while that is unknown."""
    before = next((row for row in rows.of_division.stages if row.number == rows.stage.number - 1), None)
    return entries_at(places, places_before(settings_of(before), before.number)) if before is not None else None


def field_of(rows: StageRows, places: Places, draws: Sequence[Draw], drawn: Collection[EntryId] = ()) -> list[Entry]:
    """Return the entrants of a stage: the entries of the division, or those who qualified from the stage before.

    While these are unknown, those who are `drawn`: who have a match or a bye in a stage without rounds. Once a round is
    paired its players are a fact, whatever is corrected in the stage before.
    """
    entries = {pk: row for pk, row in rows.of_division.entries.items() if row.status != Entry.Status.WAITING}
    if rows.stage.number == 1:
        return list(entries.values())
    if draws:
        paired = {place for draw in draws for place in draw.places}
        return [row for pk, row in entries.items() if pk in paired]
    taken = _qualified(rows, places)
    return [entries[pk] for pk in (drawn if taken is None else taken) if pk in entries]


def _drawn_without_rounds(rows: StageRows, progress: Progress) -> Collection[EntryId]:
    """Return who has a match or a bye that stands in a stage without rounds."""
    standing = (row for number, row in rows.graph.fixtures.items() if progress.fixtures[number].slots != TAKEN_BACK)
    sources = chain.from_iterable(fixture.sources for fixture in standing)
    return dict.fromkeys(source.entry for source in sources if isinstance(source, EntrySource))


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
