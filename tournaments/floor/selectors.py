"""The floor as the database has it, for pages and the API."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from core.names import numbered
from formats.elimination.places import FIRST_PLACES
from formats.graph import CONSOLATION, LAST_CHANCE
from formats.settings import PairingMode
from matches.lifecycle.where import OnBoard, Where, WhereFacts, WhereState, where_is
from matches.models import Claim, Match, PlayMode, Result
from matches.play.watching import boards_of, reports_of
from players.models import Player
from players.people.rows import People, PersonId, people_of, side_columns, side_of
from tournaments.floor.derivation import floor_state, tables_elsewhere
from tournaments.floor.halls import ELSEWHERE_FOR, is_same_hall, sharing_tables, table_key
from tournaments.floor.sentences import explain
from tournaments.floor.state import (
    EnteredResult,
    EntrantSource,
    Fact,
    FloorFacts,
    FloorMatchState,
    FloorSettings,
    FloorState,
    MatchElsewhere,
    MatchFacts,
    MatchOnFloor,
    MatchProgress,
    Pair,
    Rank,
    SeatElsewhere,
    TableFacts,
    TableOnFloor,
    WaitReason,
    fold,
    leave_table,
    standing,
)
from tournaments.floor.to_come import also_wanted
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
from tournaments.standings.rounds import RoundNames
from tournaments.state.names import display_name, reentries
from tournaments.state.presence import AtMatch, PresenceFacts, day_began, excuses_in, presence_facts, shows_players

AT_TABLE = (MatchProgress.OPEN, MatchProgress.LIVE)
NEVER_PLAYED = (Fixture.Status.BYE, Fixture.Status.WALKOVER, Fixture.Status.EMPTY, Fixture.Status.NOT_NEEDED)
RANKS = {CONSOLATION: Rank.CONSOLATION, LAST_CHANCE: Rank.LAST_CHANCE} | dict.fromkeys(FIRST_PLACES, Rank.CONSOLATION)
FIELDS = (
    "pk", "public_id", "number", "status", "needed_if_fixture", "stage", "stage__format", "stage__division",
    "stage__division__name", "stage__division__public_id", "stage__division__reentry_until", "round", "round__number",
    "round__length", "round__entrants",
    "round__bracket__key", "match", "match__state", "match__player_0", "match__player_1", "match__length",
    "match__created_at", "match__begun_at", "match__finished_at", "match__settle_at", "match__visibility",
    "stage__settings__pairing", "stage__division__is_side",
    "match__start_0", "match__start_1",
)  # fmt: skip
FixtureRow = Mapping[str, Any]
"""The fields of a fixture named in `FIELDS`."""


SlotRow = tuple[EntrantSource, int | None]
"""A side of a fixture: where its entrant comes from, and the player once that is known."""


def at_tables(**of: Any) -> Q:
    """Return the condition for fixtures that are played at tables, `of` an event for example."""
    return Q(
        **of,
        stage__division__play_mode=PlayMode.TABLE,
        stage__division__status__in=(Division.Status.RUNNING, Division.Status.FINISHED),
    ) & ~Q(stage__status=Stage.Status.PLANNED)


# Queries that are made again and again are built once, but for the event: that takes as long as the database does.


@cache
def _at_tables() -> QuerySet[Fixture, dict[str, Any]]:
    rows: QuerySet[Fixture, dict[str, Any]] = Fixture.objects.filter(at_tables()).values(*FIELDS)
    return rows.order_by("stage__division__order", "stage__division_id", "stage__number", "number")


@cache
def _of_slots() -> QuerySet[Slot, tuple[Any, ...]]:
    rows = Slot.objects.order_by("fixture_id", "side")
    return rows.values_list("fixture", "source", "source_fixture", "entry__player")


@cache
def _of_journals() -> QuerySet[FloorEvent, tuple[Any, ...]]:
    return FloorEvent.objects.order_by("pk").values_list(
        "pk", "kind", "at", "fixture", "match__player_0", "match__player_1", "table", "player", "params", "undoes",
        "fixture__stage__division",
    )  # fmt: skip


@cache
def _of_tables() -> QuerySet[Table, tuple[Any, ...]]:
    return Table.objects.order_by("order", "pk").values_list("pk", "label", "category", "public_id")


@cache
def _entered() -> QuerySet[Entry, tuple[Any, ...]]:
    return Entry.objects.order_by().values_list(*side_columns("player"))


@cache
def _running() -> QuerySet[Entry]:
    return Entry.objects.order_by().filter(
        status=Entry.Status.IN,
        division__status=Division.Status.RUNNING,
        division__play_mode=PlayMode.TABLE,
        division__tournament__status=Tournament.Status.RUNNING,
    )


def fixture_rows(tournament: Tournament) -> list[FixtureRow]:
    """Return the fixtures that are played at the tables of an event, by division and match number; one query."""
    return list(_at_tables().filter(stage__division__tournament=tournament))


def load_facts(
    tournament: Tournament, now: datetime, rows: Sequence[FixtureRow] | None = None, floor: Floor | None = None
) -> FloorFacts:
    """Read everything that the state of the floor at `now` is derived from; a fixed number of queries.

    `rows` come from `fixture_rows`, for a caller that needs them as well; `floor` for one that has locked it.
    """
    floor = floor or Floor.objects.filter(tournament=tournament).first()
    matches = _matches(tournament, fixture_rows(tournament) if rows is None else rows)
    journal = list(_journal([tournament]))
    presence = presence_facts(tournament, _at_matches(journal))
    people = _people(tournament, matches, journal, presence)
    tables = _tables([tournament])
    elsewhere, awaited, taken = _elsewhere(tournament, people, tables, now)
    facts = FloorFacts(
        matches=matches,
        tables=tables,
        settings=settings_of(floor),
        people=people,
        away=presence.away(people),
        excused=presence.excused(people),
        is_open=floor is not None,
        opened_at=floor.opened_at if floor is not None else None,
        presence=presence,
        elsewhere=elsewhere,
        awaited=awaited,
        taken=taken,
    )
    _excuse(facts)
    facts = fold(facts, journal)
    for table, match in tables_elsewhere(facts).items():
        fixture = facts.at_tables.get(table)
        if fixture is not None and facts.matches[fixture].sent_there < match.sent_there:
            # It was brought back there, as by an undo, after the other event had called its match.
            leave_table(facts, facts.matches[fixture])
    return facts


def _at_matches(journal: Iterable[Fact]) -> Iterator[AtMatch]:
    """Yield the facts by which players are here, as `presence.at_matches` does."""
    for fact in standing(journal):
        if fact.pair is not None and shows_players(fact.kind, fact.params):
            yield AtMatch(fact.at, fact.division, fact.pair)


def _people(
    tournament: Tournament, matches: Mapping[int, MatchFacts], journal: Iterable[Fact], presence: PresenceFacts
) -> People:
    """Return whom everybody who has to do with an event stands for; one query, another one if not all have entered."""
    people = {row[0]: side_of(row) for row in _entered().filter(division__tournament=tournament)}
    players = {player for match in matches.values() for player in match.players}
    others = {*players, *(fact.player for fact in journal), *presence.players} - people.keys() - {None}
    return {**people, **people_of(others)}


def _excuse(facts: FloorFacts) -> None:
    """Fill in who need not be there for a match in facts that were just loaded."""
    for match in facts.matches.values() if facts.excused else ():
        match.excused = facts.excused_from(match.division_pk, match.players)


def _elsewhere(
    tournament: Tournament, people: People, tables: Sequence[TableFacts], now: datetime
) -> tuple[dict[PersonId, SeatElsewhere], dict[PersonId, MatchElsewhere], dict[int, MatchElsewhere]]:
    """Return who of these people is at a table of another running event, and for whom a match waits in one.

    And which of these tables are taken by a match of one: that which was sent there last. One query, and more only for
    each event that matters.
    """
    persons = {person for own in people.values() for person in own}
    players = Q(player__in=persons) | Q(player__merged_into__in=persons)
    running = _running().filter(players).values("division__tournament")
    others = Tournament.objects.filter(Q(pk__in=running) | sharing_tables(tournament, now)).exclude(pk=tournament.pk)
    day = day_began(tournament, now)
    seats: dict[PersonId, SeatElsewhere] = {}
    waits: dict[PersonId, MatchElsewhere] = {}
    seated: list[tuple[str, MatchElsewhere]] = []
    for other in others:
        facts = load_matches([other])
        playable = sorted(_with_people(other, facts), key=lambda row: row.number)
        shares_hall = other.club_id == tournament.club_id and is_same_hall(tournament, other) and not facts.own_hall
        called = max((at for row in facts.matches.values() for at in row.call_times), default=None)
        for row in playable:
            since = max([*row.call_times, *([row.started_at] if row.started_at is not None else [])], default=None)
            is_played = row.started_at is not None and row.adjourned is None
            if since is not None and (row.table is not None or is_played):
                # Whoever plays on after their table was freed is at one that nobody knows.
                label = facts.labels[row.table] if row.table is not None else "?"
                seats |= dict.fromkeys(facts.people_at(row), SeatElsewhere(other.name, label, since))
                if row.table is not None and shares_hall and since >= day and now - since < ELSEWHERE_FOR:
                    seated.append((table_key(label), MatchElsewhere(other.name, row.number, since, row.sent_there)))
            elif called is not None and row.table is None and row.adjourned is None and not row.held:
                match = MatchElsewhere(other.name, row.number, called)
                for person in facts.people_at(row):
                    waits.setdefault(person, match)
    by_key = dict(sorted(seated, key=lambda row: row[1].sent_there))
    return (
        {person: seats[person] for person in persons & seats.keys()},
        {person: waits[person] for person in persons & waits.keys()},
        {row.table: by_key[key] for row in tables if (key := table_key(row.label)) in by_key},
    )


def _with_people(tournament: Tournament, facts: FloorFacts) -> list[MatchFacts]:
    """Return the matches that can be called or are being played, and fill in who has to be there for them."""
    playable = [row for row in facts.matches.values() if row.progress in AT_TABLE]
    facts.people = people_of({player for row in playable for player in row.players})
    if any(len(own) > 1 for own in facts.people.values()):
        excuses = PresenceFacts(excuses=excuses_in([tournament]))
        facts.excused = excuses.excused(people_of(excuses.players))
        _excuse(facts)
    return playable


def load_matches(tournaments: Collection[Tournament]) -> FloorFacts:
    """Read what the journals of these events say of their matches, and the tables; three queries.

    Their matches have no sources, and lead nowhere.
    """
    rows = _at_tables().filter(stage__division__tournament__in=tournaments, match__isnull=False).order_by()
    matches = {row["pk"]: _match(row) for row in rows}
    return fold(FloorFacts(matches, _tables(tournaments)), _journal(tournaments))


def _tables(tournaments: Collection[Tournament]) -> tuple[TableFacts, ...]:
    return tuple(
        TableFacts(pk, label, Table.Category(category), public_id)
        for pk, label, category, public_id in _of_tables().filter(tournament__in=tournaments)
    )


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
        hold=floor.hold_minutes,
    )


def rank_of(bracket: str, *, is_side: bool) -> Rank:
    """Return the rank of the matches of a bracket; those of a side event come last, whichever bracket they are in."""
    return Rank.SIDE if is_side else RANKS.get(bracket, Rank.MAIN)


def _journal(tournaments: Collection[Tournament]) -> Iterable[Fact]:
    rows = _of_journals().filter(tournament__in=tournaments)
    for pk, kind, at, fixture, first, second, table, player, params, undoes, division in rows:
        pair = (first, second) if first is not None else None
        yield Fact(pk, FloorKind(kind), at, fixture, pair, table, player, params, undoes, division)


def _matches(tournament: Tournament, rows: Sequence[FixtureRow]) -> dict[int, MatchFacts]:
    slots = _slots(tournament)
    leads_to = _leads_to(rows, slots)
    entered = _just_entered(rows)
    return {
        row["pk"]: _match(row, slots[row["pk"]], leads_to[row["pk"]], entered.get(row["match"]))
        for row in rows
        if row["status"] not in NEVER_PLAYED
    }


def _just_entered(rows: Sequence[FixtureRow]) -> dict[int, EnteredResult]:
    """Return match id -> the result that was just entered; a query only if there are any."""
    times = {row["match"]: row["match__settle_at"] for row in rows if row["match__settle_at"] is not None}
    if not times:
        return {}
    results = Result.objects.filter(match__in=times).order_by("version")
    return {row.match_id: EnteredResult(row.winner, row.score, times[row.match_id]) for row in results}


def _match(
    row: FixtureRow,
    slots: Sequence[SlotRow] = (),
    leads_to: tuple[int, ...] = (),
    entered: EnteredResult | None = None,
) -> MatchFacts:
    known = row["match"] is not None and row["match__state"] != Match.State.VOID
    pair: Pair | None = (row["match__player_0"], row["match__player_1"]) if known else None
    first, second = (player for _source, player in slots) if slots else (None, None)
    return MatchFacts(
        fixture=row["pk"],
        number=row["number"],
        stage=row["stage"],
        # Without rounds all matches of a stage are alike.
        round=1 if row["stage__settings__pairing"] == PairingMode.CONTINUOUS else row["round__number"],
        rank=rank_of(row["round__bracket__key"], is_side=row["stage__division__is_side"]),
        length=row["match__length"] or row["round__length"],
        progress=_progress(row, known=known),
        pair=pair,
        players=pair or (first, second),
        sources=tuple(source for source, _player in slots),
        leads_to=leads_to,
        is_conditional=row["needed_if_fixture"] is not None,
        since=row["match__created_at"],
        begun_at=row["match__begun_at"],
        finished_at=row["match__finished_at"],
        entered=entered,
        public_id=row["public_id"],
        match_id=row["match"],
        division_pk=row["stage__division"],
        start=(row["match__start_0"] or 0, row["match__start_1"] or 0),
        division=row["stage__division__name"],
        division_id=row["stage__division__public_id"],
        round_id=row["round"],
    )


def _progress(row: FixtureRow, *, known: bool) -> MatchProgress:
    if row["status"] == Fixture.Status.DECIDED:
        return MatchProgress.SETTLED
    if not known:
        return MatchProgress.UNKNOWN
    if row["match__settle_at"] is not None:
        # Its players stay at their table while the result can be undone without consequences.
        return MatchProgress.CLAIMED
    return MatchProgress(row["match__state"])


def _slots(tournament: Tournament) -> dict[int, list[SlotRow]]:
    slots: dict[int, list[SlotRow]] = defaultdict(list)
    rows = _of_slots().filter(fixture__stage__division__tournament=tournament)
    for fixture, source, number, player in rows:
        slots[fixture].append((EntrantSource(source, number), player))
    return slots


def _leads_to(rows: Sequence[FixtureRow], slots: Mapping[int, Sequence[SlotRow]]) -> dict[int, tuple[int, ...]]:
    """Return fixture -> the matches that wait for its winner or loser, drawn rounds and what follows byes included."""
    by_number = {(row["stage"], row["number"]): row["pk"] for row in rows}
    of_round: dict[int, list[int]] = defaultdict(list)
    entrants: dict[tuple[int, int], Sequence[tuple[int, int]]] = {}
    following: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        of_round[row["round"]].append(row["pk"])
        for source, _player in slots[row["pk"]]:
            feeding = by_number.get((row["stage"], source.number))
            if feeding is not None:
                following[feeding].append(row["pk"])
        entrants[row["stage"], row["round"]] = row["round__entrants"]
    for (stage, round_), sources in entrants.items():
        for _side, number in sources:
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
# (`tournaments.floor.state`), of which the facts have the names of matches, rounds and players; `queue`, `waiting` and
# `adjourned` are in the order in which they are shown. A fixed number of queries, however large the event is. It works
# before the floor is opened, too: then there are no tables, and everything waits.


NAME_FIELDS = ("name", "initials_only", "erased_at", "merged_into", "parts")
NAMES = (*NAME_FIELDS, *(f"merged_into__{field}" for field in NAME_FIELDS))


@dataclass(frozen=True, slots=True)
class FloorView:
    """The floor of an event at a moment, with what it takes to say it in words."""

    tournament: Tournament
    now: datetime
    state: FloorState
    names: Mapping[int, str]
    """Player id -> name."""
    rounds: Mapping[int, str]
    """Round id -> name, of all rounds of the event."""
    for_staff: bool
    reports: Mapping[int, Claim]
    """Match id -> the signed report that waits for an answer."""
    boards: Mapping[int, OnBoard]
    """Match id -> how it stands on its board here."""

    @property
    def facts(self) -> FloorFacts:
        return self.state.facts

    @property
    def matches(self) -> Mapping[int, MatchOnFloor]:
        """By fixture id, in the order of divisions and match numbers."""
        return self.state.matches

    @property
    def tables(self) -> Mapping[int, TableOnFloor]:
        """By table id, in their order."""
        return self.state.tables

    @property
    def is_open(self) -> bool:
        return self.facts.is_open

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the event, for the times on the page."""
        return ZoneInfo(self.tournament.time_zone)

    @property
    def queue(self) -> list[MatchOnFloor]:
        """The matches whose players are free, in call order."""
        return [self.matches[fixture] for fixture in self.state.queue]

    @property
    def waiting(self) -> list[MatchOnFloor]:
        """The other matches that wait, in the order of their numbers."""
        queue = set(self.state.queue)
        rows = (row for row in self.matches.values() if row.facts.is_counted)
        return [row for row in rows if row.state == FloorMatchState.WAITING and row.fixture not in queue]

    @property
    def adjourned(self) -> list[MatchOnFloor]:
        return [row for row in self.matches.values() if row.state == FloorMatchState.ADJOURNED]

    def explain(self, reason: WaitReason) -> str:
        """Return a reason in words. Only staff may know that a player needs an accessible table."""
        is_private = reason.code == "no_accessible_table" and not self.for_staff
        return explain(WaitReason("no_table") if is_private else reason, self.names, self.zone)

    def reasons(self, match: MatchOnFloor) -> tuple[str, ...]:
        """Return why a match waits, as sentences."""
        return tuple(self.explain(reason) for reason in match.reasons)

    def also_wanted(self, match: MatchOnFloor) -> tuple[str, ...]:
        """Return in which other divisions the people of a match are wanted, to the staff."""
        return tuple(self.explain(reason) for reason in also_wanted(self.state, match, self.now))

    def where(self, match: MatchOnFloor) -> Where:
        """Return where a match is, with its report and, if it is played here, with its board.

        Only the staff see what it waits for.
        """
        where, match_id = match.where, match.facts.match_id
        report = self.reports.get(match_id) if match_id is not None else None
        board = self.boards.get(match_id) if match_id is not None else None
        if report is not None:
            where = replace(where, side=report.side, since=report.created_at)
        elif board is not None:
            where = replace(where_is(match.facts, WhereFacts(board=board)), table=where.table)
        if self.for_staff and match.state in (FloorMatchState.WAITING, FloorMatchState.READY):
            return replace(where, state=WhereState(match.state.value), waits_for=self.reasons(match))
        return where


def floor(tournament: Tournament, now: datetime, *, staff: bool = True) -> FloorView:
    """Return the floor of an event at `now`. Only `staff` see names in full of players who show initials."""
    rows = fixture_rows(tournament)
    facts = load_facts(tournament, now, rows)
    ids = {player for match in facts.matches.values() for player in match.players if player is not None}
    # Of a pair it is said which of the two a match waits for.
    ids |= {player for match in facts.matches.values() for player, _person in facts.with_persons(match.players)}
    ids |= set(facts.persons(ids))
    players = Player.objects.filter(pk__in=ids).select_related("merged_into").only(*NAMES)
    names = {player.pk: display_name(player, staff) for player in players}
    rounds = RoundNames(Round.objects.filter(bracket__stage__division__tournament=tournament))
    # Of the matches played here, only public ones to whoever is not on the staff.
    live = [
        row["match"]
        for row in rows
        if row["match__state"] == Match.State.LIVE and (staff or row["match__visibility"] == Match.Visibility.PUBLIC)
    ]
    claimed = [row["match"] for row in rows if row["match__state"] == Match.State.CLAIMED]
    _name_matches(tournament, facts, rows, names, rounds)
    return FloorView(
        tournament=tournament,
        now=now,
        state=floor_state(facts, now),
        names=names,
        rounds=rounds,
        for_staff=staff,
        reports=reports_of(claimed),
        boards=boards_of(live, live if staff else (), now),
    )


def _name_matches(
    tournament: Tournament,
    facts: FloorFacts,
    rows: Sequence[FixtureRow],
    names: Mapping[int, str],
    rounds: Mapping[int, str],
) -> None:
    """Fill in the names of brackets, rounds and players in facts that were just loaded."""
    brackets = {(row["round__bracket__key"], row["stage__format"]) for row in rows}
    bracket_names = {key: bracket_name(key[0], upper=key[1] == Stage.Format.DOUBLE) for key in brackets}
    allowed = any(row["stage__division__reentry_until"] is not None for row in rows)
    entered_again = reentries(tournament) if allowed else {}
    for row in rows:
        match = facts.matches.get(row["pk"])
        if match is None:
            continue
        match.bracket = bracket_names[row["round__bracket__key"], row["stage__format"]]
        match.round_name = rounds.get(match.round_id, "")
        if row["stage__settings__pairing"] == PairingMode.CONTINUOUS:
            match.bracket = match.round_name
        first, second = (
            numbered(name, entered_again.get((match.fixture, side), 1)) if name else ""
            for side, name in enumerate(names.get(player, "") if player is not None else "" for player in match.players)
        )
        match.names = (first, second)
