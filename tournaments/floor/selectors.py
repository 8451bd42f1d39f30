"""The floor of an event as pages, sheets and the wall read it.

What others may rely on: `floor(tournament, now)` returns a `FloorView`. Its `state` is the derived `FloorState`
(`tournaments.floor.state`), keyed by the ids of fixtures and tables; `matches` and `tables` have the same rows with
their names, in the order of match numbers and of tables; `queue`, `suggestions` and `attention` are in the order in
which they are shown. A fixed number of queries, however large the event is. It works before the floor is opened, too:
then there are no tables, and everything waits.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from core.names import numbered
from matches.lifecycle.where import Facts, Where, WhereState, where_is
from matches.models import Match
from matches.play.watching import boards_of, reports_of
from players.models import Player
from tournaments.floor.derivation import floor_state
from tournaments.floor.explanations import explain
from tournaments.floor.facts import EntrantSource, FloorFacts, MatchFacts, Rank
from tournaments.floor.loading import FixtureRow, fixture_rows, load_facts
from tournaments.floor.state import (
    Attention,
    FloorState,
    MatchOnFloor,
    MatchState,
    Reason,
    TableOnFloor,
)
from tournaments.floor.times import clock_bank
from tournaments.models import Round, Stage, Tournament
from tournaments.standings.layout import bracket_name
from tournaments.standings.rounds import round_names
from tournaments.state.names import reentries, shown

NAME_FIELDS = ("name", "initials_only", "erased_at")


@dataclass(frozen=True, slots=True)
class PlayerOnFloor:
    """A player of a match, or where an undecided one comes from."""

    player: int | None
    name: str
    """Empty while the player is to be decided."""
    source: EntrantSource | None
    points: int | None = None
    """Running score, if there is one."""


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match of the floor with its names. `row` has its state."""

    row: MatchOnFloor
    public_id: str
    """Of the fixture."""
    division: str
    division_id: str
    bracket: str
    round: str
    rank: Rank
    length: int
    sides: tuple[PlayerOnFloor, PlayerOnFloor]
    table: str
    """The label of its table; empty without one."""
    explain: Callable[[Reason], str]
    round_id: int
    match_id: int | None
    finished_at: datetime | None
    for_staff: bool
    known: Where
    """Where it is, apart from what it waits for."""

    @property
    def number(self) -> int:
        """The match number."""
        return self.row.number

    @property
    def state(self) -> MatchState:
        """The state on the floor."""
        return self.row.state

    @property
    def where(self) -> Where:
        """Where it is; only the staff see what it waits for."""
        if self.for_staff and self.state in (MatchState.WAITING, MatchState.READY):
            return replace(self.known, state=WhereState(self.state.value), waits_for=self.reasons)
        return self.known

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it waits, as sentences. Made when they are read: most matches that wait are not shown."""
        return tuple(self.explain(reason) for reason in self.row.reasons)


@dataclass(frozen=True, slots=True)
class TableView:
    """A table with the match that is played at it, and the match that is suggested for it."""

    row: TableOnFloor
    public_id: str
    match: MatchView | None
    suggested: MatchView | None


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """A match to call to a free table, with the reason as a sentence."""

    match: MatchView
    table: TableView
    reason: str


@dataclass(frozen=True, slots=True)
class AttentionView:
    """A match that needs a director. `clock_bank` is the bank in minutes of clocks that are put on a slow match."""

    item: Attention
    match: MatchView
    clock_bank: int


@dataclass(frozen=True, slots=True)
class FloorView:
    """The floor of an event at a moment."""

    tournament: Tournament
    now: datetime
    state: FloorState
    matches: Mapping[int, MatchView]
    """By fixture id, in the order of divisions and match numbers."""
    tables: Mapping[int, TableView]
    """By table id, in their order."""
    facts: FloorFacts
    names: Mapping[int, str]
    """Player id -> name."""
    rounds: Mapping[int, str]
    """Round id -> name, of all rounds of the event."""

    @property
    def is_open(self) -> bool:
        """Whether the floor was opened."""
        return self.facts.is_open

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the event, in which its times are shown."""
        return ZoneInfo(self.tournament.time_zone)

    @property
    def queue(self) -> list[MatchView]:
        """The matches whose players are free, in the order in which they are called."""
        return [self.matches[fixture] for fixture in self.state.queue]

    @property
    def waiting(self) -> list[MatchView]:
        """The other matches that wait, in the order of their numbers."""
        queue = set(self.state.queue)
        rows = self.matches.values()
        return [row for row in rows if row.state == MatchState.WAITING and row.row.fixture not in queue]

    @property
    def adjourned(self) -> list[MatchView]:
        """The matches that are adjourned, in the order of their numbers."""
        return [row for row in self.matches.values() if row.state == MatchState.ADJOURNED]

    @property
    def suggestions(self) -> list[SuggestionView]:
        """The matches to call now, first things first."""
        return [
            SuggestionView(self.matches[row.fixture], self.tables[row.table], explain(row.reason, {}, self.zone))
            for row in self.state.suggestions
        ]

    @property
    def attention(self) -> list[AttentionView]:
        """What needs a director, oldest first."""
        rows = []
        for item in self.state.attention:
            match = self.matches[item.fixture]
            rows.append(AttentionView(item, match, clock_bank(match.length, match.row.score or (0, 0))))
        return rows


def floor(tournament: Tournament, now: datetime, *, staff: bool = True) -> FloorView:
    """Return the floor of an event at `now`. Only `staff` see names in full of players who show initials."""
    rows = fixture_rows(tournament)
    facts = load_facts(tournament, rows)
    state = floor_state(facts, now)
    naming = _Naming(tournament, facts, state, rows, now, staff=staff)
    matches = {match.fixture: naming.match(match) for match in facts.matches}
    ids = {table.table: table.public_id for table in facts.tables}
    tables = {
        key: TableView(
            row,
            ids[key],
            matches[row.fixture] if row.fixture is not None else None,
            matches[row.suggested] if row.suggested is not None else None,
        )
        for key, row in state.tables.items()
    }
    return FloorView(tournament, now, state, matches, tables, facts, naming.names, naming.rounds)


class _Naming:
    """Names of the matches, rounds, tables and players of a floor, with what is reported and played here."""

    def __init__(
        self,
        tournament: Tournament,
        facts: FloorFacts,
        state: FloorState,
        rows: Iterable[FixtureRow],
        now: datetime,
        *,
        staff: bool,
    ) -> None:
        self.state = state
        self.staff = staff
        self.zone = ZoneInfo(tournament.time_zone)
        self.labels = {table.table: table.label for table in facts.tables}
        ids = {player for match in facts.matches for player in match.players if player is not None}
        players = Player.objects.filter(pk__in=ids).only(*NAME_FIELDS)
        self.names = {player.pk: shown(player, staff) for player in players}
        rounds = Round.objects.filter(bracket__stage__division__tournament=tournament)
        self.rounds = round_names(rounds)
        self.fixtures = {row["pk"]: row for row in rows}
        by_state = {state: self._matches_in(state) for state in (Match.State.CLAIMED, Match.State.LIVE)}
        self.reports = reports_of(by_state[Match.State.CLAIMED])
        live = by_state[Match.State.LIVE]
        self.boards = boards_of(live, live if staff else (), now)
        allowed = any(row["stage__division__reentry_until"] is not None for row in self.fixtures.values())
        self.reentries = reentries(tournament) if allowed else {}
        self.brackets = {key: _bracket_name(*key) for key in {_bracket_key(row) for row in self.fixtures.values()}}

    def _matches_in(self, state: Match.State) -> list[int]:
        """Return the matches in this state; of those played here only public ones to whoever is not on the staff."""
        is_open = self.staff or state != Match.State.LIVE
        return [
            row["match"]
            for row in self.fixtures.values()
            if row["match__state"] == state and (is_open or row["match__visibility"] == Match.Visibility.PUBLIC)
        ]

    def match(self, match: MatchFacts) -> MatchView:
        """Return a match with its names."""
        fixture, row = self.fixtures[match.fixture], self.state.matches[match.fixture]
        return MatchView(
            row=row,
            public_id=fixture["public_id"],
            division=fixture["stage__division__name"],
            division_id=fixture["stage__division__public_id"],
            bracket=self.brackets[_bracket_key(fixture)],
            round=self.rounds.get(fixture["round"], ""),
            rank=match.rank,
            length=match.length,
            sides=(self._side(match, 0), self._side(match, 1)),
            table=self.labels.get(row.table, "") if row.table is not None else "",
            explain=self._explain,
            round_id=fixture["round"],
            match_id=fixture["match"],
            finished_at=match.finished_at,
            for_staff=self.staff,
            known=self._where(match, row),
        )

    def _where(self, match: MatchFacts, row: MatchOnFloor) -> Where:
        """Return where a match is, with its report and, if it is played here, with its board."""
        match_id = self.fixtures[match.fixture]["match"]
        if match_id in self.reports:
            return replace(row.where, side=self.reports[match_id].side, since=self.reports[match_id].created_at)
        if match_id in self.boards:
            return replace(where_is(match, Facts(board=self.boards[match_id])), table=row.where.table)
        return row.where

    def _explain(self, reason: Reason) -> str:
        """Return a reason in words. Only staff may know that a player needs an accessible table."""
        is_private = reason.code == "no_accessible_table" and not self.staff
        return explain(Reason("no_table") if is_private else reason, self.names, self.zone)

    def _side(self, match: MatchFacts, side: int) -> PlayerOnFloor:
        player, score = match.players[side], self.state.matches[match.fixture].where.score
        source = match.sources[side] if player is None and len(match.sources) > side else None
        name = self.names.get(player, "") if player is not None else ""
        if name:
            name = numbered(name, self.reentries.get((match.fixture, side), 1))
        return PlayerOnFloor(player, name, source, score[side] if score is not None else None)


def _bracket_key(fixture: FixtureRow) -> tuple[str, str]:
    return fixture["round__bracket__key"], fixture["stage__format"]


def _bracket_name(key: str, stage_format: str) -> str:
    return bracket_name(key, upper=stage_format == Stage.Format.DOUBLE)
