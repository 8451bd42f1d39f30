"""The floor as the database has it, for pages and the API."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Q

from core.names import numbered
from matches.lifecycle.where import Facts, Where, WhereState, where_is
from matches.models import Match, PlayMode
from matches.play.watching import boards_of, reports_of
from players.models import Player
from tournaments.floor.derivation import floor_state
from tournaments.floor.sentences import explain
from tournaments.floor.state import (
    Attention,
    EntrantSource,
    Fact,
    FloorFacts,
    FloorSettings,
    FloorState,
    Folded,
    MatchFacts,
    MatchOnFloor,
    MatchState,
    Pair,
    Progress,
    Rank,
    Reason,
    TableFacts,
    TableOnFloor,
    fold,
)
from tournaments.floor.times import clock_bank
from tournaments.formats.graph import CONSOLATION, LAST_CHANCE
from tournaments.models import (
    Division,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    Round,
    Slot,
    Stage,
    Table,
    Tournament,
)
from tournaments.standings.brackets import bracket_name
from tournaments.standings.rounds import round_names
from tournaments.state.names import reentries, shown

# Reading the facts of a floor from the database.


NEVER_PLAYED = (Fixture.Status.BYE, Fixture.Status.WALKOVER, Fixture.Status.EMPTY, Fixture.Status.NOT_NEEDED)
RANKS = {CONSOLATION: Rank.CONSOLATION, LAST_CHANCE: Rank.LAST_CHANCE}
FIELDS = (
    "pk", "public_id", "number", "status", "stage", "stage__format", "stage__division__name",
    "stage__division__public_id", "stage__division__reentry_until", "round", "round__number", "round__length",
    "round__bracket__key", "match", "match__state", "match__player_0", "match__player_1", "match__length",
    "match__created_at", "match__begun_at", "match__finished_at", "match__visibility",
)  # fmt: skip
FixtureRow = Mapping[str, Any]
"""The fields of a fixture named in `FIELDS`."""


class _SlotRow(NamedTuple):
    """A side of a fixture: where its entrant comes from, and the player once that is known."""

    source: str
    source_fixture: int | None
    player: int | None


def at_tables(**of: Any) -> Q:
    """Return the condition for fixtures that are played at tables, `of` an event for example."""
    return Q(
        **of,
        stage__division__play_mode=PlayMode.TABLE,
        stage__division__status__in=(Division.Status.RUNNING, Division.Status.FINISHED),
    ) & ~Q(stage__status=Stage.Status.PLANNED)


def fixture_rows(tournament: Tournament) -> list[FixtureRow]:
    """Return the fixtures that are played at the tables of an event, by division and match number; one query."""
    rows = Fixture.objects.filter(at_tables(stage__division__tournament=tournament))
    return list(
        rows.order_by("stage__division__order", "stage__division_id", "stage__number", "number").values(*FIELDS)
    )


def load_facts(tournament: Tournament, rows: Sequence[FixtureRow] | None = None) -> FloorFacts:
    """Read everything that the state of the floor is derived from; a fixed number of queries.

    `rows` come from `fixture_rows`, for a caller that needs them as well.
    """
    floor = Floor.objects.filter(tournament=tournament).first()
    tables = tournament.floor_tables.order_by("order", "pk").values_list("pk", "label", "category", "public_id")
    return FloorFacts(
        matches=tuple(_matches(tournament, fixture_rows(tournament) if rows is None else rows)),
        tables=tuple(
            TableFacts(pk, label, Table.Category(category), public_id) for pk, label, category, public_id in tables
        ),
        facts=tuple(_facts([tournament])),
        settings=settings_of(floor),
        away=_away(tournament),
        is_open=floor is not None,
    )


def load_seats(tournaments: Collection[Tournament]) -> tuple[Folded, Mapping[int, str]]:
    """Return what the facts of these events say of their matches, and the labels of their tables; three queries."""
    rows = Fixture.objects.filter(at_tables(stage__division__tournament__in=tournaments), match__isnull=False)
    players = (
        rows.exclude(match__state=Match.State.VOID).order_by().values_list("pk", "match__player_0", "match__player_1")
    )
    pairs = {pk: (first, second) for pk, first, second in players}
    labels = dict(Table.objects.filter(tournament__in=tournaments).order_by().values_list("pk", "label"))
    return fold(_facts(tournaments), pairs), labels


def settings_of(floor: Floor | None) -> FloorSettings:
    """Return the settings of a floor, or the defaults if it is not open yet."""
    if floor is None:
        return FloorSettings()
    return FloorSettings(
        rest=floor.rest_minutes,
        second_call=floor.second_call_minutes,
        no_show=floor.no_show_minutes,
        penalty_points=floor.penalty_points,
        penalty_first=floor.penalty_first_minutes,
        penalty_each=floor.penalty_each_minutes,
    )


def _facts(tournaments: Collection[Tournament]) -> Iterable[Fact]:
    rows = FloorEvent.objects.filter(tournament__in=tournaments).order_by("pk")
    for pk, kind, at, fixture, first, second, table, player, params, undoes in rows.values_list(
        "pk", "kind", "at", "fixture", "match__player_0", "match__player_1", "table", "player", "params", "undoes"
    ):
        pair = (first, second) if first is not None else None
        yield Fact(pk, FloorKind(kind), at, fixture, pair, table, player, params, undoes)


def _away(tournament: Tournament) -> dict[int, datetime | None]:
    """Return player -> when they come back, for those who are away in any division; the latest time counts."""
    rows = Entry.objects.filter(division__tournament=tournament, away_until__isnull=False)
    return dict(rows.exclude(status=Entry.Status.OUT).order_by("away_until").values_list("player", "away_until"))


def _matches(tournament: Tournament, rows: Sequence[FixtureRow]) -> Iterable[MatchFacts]:
    slots = _slots(tournament)
    leads_to = _leads_to(tournament, rows, slots)
    for row in rows:
        if row["status"] not in NEVER_PLAYED:
            yield _match(row, slots[row["pk"]], leads_to[row["pk"]])


def _match(row: FixtureRow, slots: Sequence[_SlotRow], leads_to: tuple[int, ...]) -> MatchFacts:
    known = row["match"] is not None and row["match__state"] != Match.State.VOID
    pair: Pair | None = (row["match__player_0"], row["match__player_1"]) if known else None
    players = tuple(slot.player for slot in slots)
    return MatchFacts(
        fixture=row["pk"],
        number=row["number"],
        stage=row["stage"],
        round=row["round__number"],
        rank=RANKS.get(row["round__bracket__key"], Rank.MAIN),
        length=row["match__length"] or row["round__length"],
        progress=_progress(row, known=known),
        pair=pair,
        players=pair or (players[0], players[1]),
        sources=tuple(EntrantSource(slot.source, slot.source_fixture) for slot in slots),
        leads_to=leads_to,
        since=row["match__created_at"],
        begun_at=row["match__begun_at"],
        finished_at=row["match__finished_at"],
    )


def _progress(row: FixtureRow, *, known: bool) -> Progress:
    if row["status"] == Fixture.Status.DECIDED:
        return Progress.SETTLED
    if not known:
        return Progress.UNKNOWN
    return Progress(row["match__state"])


def _slots(tournament: Tournament) -> dict[int, list[_SlotRow]]:
    slots: dict[int, list[_SlotRow]] = defaultdict(list)
    rows = Slot.objects.filter(fixture__stage__division__tournament=tournament).order_by("fixture_id", "side")
    for fixture, source, number, player in rows.values_list("fixture", "source", "source_fixture", "entry__player"):
        slots[fixture].append(_SlotRow(source, number, player))
    return slots


def _leads_to(
    tournament: Tournament, rows: Sequence[FixtureRow], slots: Mapping[int, Sequence[_SlotRow]]
) -> dict[int, tuple[int, ...]]:
    """Return fixture -> the matches that wait for its winner or loser, drawn rounds and what follows byes included."""
    by_number = {(row["stage"], row["number"]): row["pk"] for row in rows}
    of_round: dict[int, list[int]] = defaultdict(list)
    following: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        of_round[row["round"]].append(row["pk"])
        for slot in slots[row["pk"]]:
            feeding = by_number.get((row["stage"], slot.source_fixture))
            if feeding is not None:
                following[feeding].append(row["pk"])
    drawn = Round.objects.filter(bracket__stage__division__tournament=tournament).exclude(entrants=[]).order_by("pk")
    for round_, stage, entrants in drawn.values_list("pk", "bracket__stage", "entrants"):
        for _side, number in entrants:
            feeding = by_number.get((stage, number))
            if feeding is not None:
                following[feeding] += of_round[round_]
    return _without_byes(rows, following)


def _without_byes(rows: Sequence[FixtureRow], following: Mapping[int, list[int]]) -> dict[int, tuple[int, ...]]:
    """Replace fixtures that are never played by what follows from them. Fixtures lead to higher numbers only."""
    never_played = {row["pk"] for row in rows if row["status"] in NEVER_PLAYED}
    leads_to: dict[int, tuple[int, ...]] = {}
    for row in sorted(rows, key=lambda row: -row["number"]):
        after: dict[int, None] = {}
        for fixture in following.get(row["pk"], ()):
            after |= dict.fromkeys(leads_to.get(fixture, ()) if fixture in never_played else (fixture,))
        leads_to[row["pk"]] = tuple(after)
    return leads_to


# The floor of an event as pages, sheets and the wall read it.
#
# What others may rely on: `floor(tournament, now)` returns a `FloorView`. Its `state` is the derived `FloorState`
# (`tournaments.floor.state`), keyed by the ids of fixtures and tables; `matches` and `tables` have the same rows with
# their names, in the order of match numbers and of tables; `queue`, `suggestions` and `attention` are in the order in
# which they are shown. A fixed number of queries, however large the event is. It works before the floor is opened,
# too: then there are no tables, and everything waits.


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
        """The time zone of the event, for the times on the page."""
        return ZoneInfo(self.tournament.time_zone)

    @property
    def queue(self) -> list[MatchView]:
        """The matches whose players are free, in call order."""
        return [self.matches[fixture] for fixture in self.state.queue]

    @property
    def waiting(self) -> list[MatchView]:
        """The other matches that wait, in the order of their numbers."""
        queue = set(self.state.queue)
        rows = self.matches.values()
        return [row for row in rows if row.state == MatchState.WAITING and row.row.fixture not in queue]

    @property
    def adjourned(self) -> list[MatchView]:
        """Adjourned matches by match number."""
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
