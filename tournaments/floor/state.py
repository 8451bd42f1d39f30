"""The floor of an event as values: its facts as they are loaded, and its state as it is derived from them.

A match has three shapes: `MatchFacts`, `MatchOnFloor`, and what pages show (`page.cards.Card` for a table).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from matches.lifecycle.at_tables import LengthOffer, Seating
from matches.lifecycle.where import Where
from players.people.rows import People, PersonId
from tournaments.floor.times import ONE_MINUTE, Pause
from tournaments.models import Autopilot, Entry, FloorKind, Slot, Table
from tournaments.state.presence import Presence, PresenceFacts

# What the state of the floor is derived from: facts, matches, tables and settings, as plain values.


Pair = tuple[int, int]
"""The ids of the two players of a match, by side."""


class Rank(IntEnum):
    """Which brackets get tables first."""

    MAIN = 0
    CONSOLATION = 1
    LAST_CHANCE = 2
    SIDE = 3


class MatchProgress(StrEnum):
    """The state of a match apart from the floor: the values of `Match.State`."""

    UNKNOWN = ""
    """A player is still to be decided."""
    OPEN = "open"
    LIVE = "live"
    CLAIMED = "claimed"
    DISPUTED = "disputed"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Fact:
    """A row of the journal (`FloorEvent`). A fact about a match applies while `pair` are the players of its fixture."""

    id: int
    kind: FloorKind
    at: datetime
    fixture: int | None = None
    pair: Pair | None = None
    table: int | None = None
    player: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    undoes: int | None = None
    division: int | None = None
    """The id of the division of the fixture."""


@dataclass(frozen=True, slots=True)
class EntrantSource:
    """Where an undecided entrant comes from: `winner` or `loser` of a match number, or another source without one."""

    kind: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class EnteredResult:
    """A result that was just entered: nothing has followed from it yet, so it can be undone without consequences."""

    winner: int | None
    score: tuple[int, int] | None
    """The points by side; None if it was not played."""
    settle_at: datetime
    """When something follows from it."""


@dataclass(slots=True)
class MatchFacts:
    """A fixture of the event with its match, and what the journal of the floor says about it.

    `fixture` is the id, `number` the match number. `leads_to` are the ids of the fixtures that wait for it. `stage`
    groups the fixtures of a stage. `since` is when both players were known.
    """

    fixture: int
    number: int
    stage: int
    round: int
    rank: Rank
    length: int
    progress: MatchProgress
    pair: Pair | None = None
    players: tuple[int | None, int | None] = (None, None)
    sources: tuple[EntrantSource, ...] = ()
    leads_to: tuple[int, ...] = ()
    is_conditional: bool = False
    """Whether it depends on another result if it is played at all, as a second final does."""
    since: datetime | None = None
    begun_at: datetime | None = None
    finished_at: datetime | None = None
    entered: EnteredResult | None = None
    excused: frozenset[PersonId] = frozenset()
    """Who of a pair plays in it need not be there for it."""

    # For pages and the API. Nothing is derived from these; only `tournaments.floor.selectors.floor` reads the names.
    public_id: str = ""
    """Of the fixture."""
    match_id: int | None = None
    division_pk: int = 0
    start: tuple[int, int] = (0, 0)
    """The score at which it begins."""
    division: str = ""
    division_id: str = ""
    round_id: int = 0
    round_name: str = ""
    bracket: str = ""
    names: tuple[str, str] = ("", "")
    """Of the players by side; empty while one is to be decided."""

    # From the journal, by `fold`.
    table: int | None = None
    """The table to which it was last sent, if it has not left that."""
    sent_there: int = field(default=0, compare=False)
    """The id of the fact that sent it there."""
    call_times: list[datetime] = field(default_factory=list)
    started_at: datetime | None = None
    score: tuple[int, int] | None = None
    """The running score by side; never a result."""
    scored: Fact | None = None
    """The fact that gave it its running score."""
    late: dict[int, int] = field(default_factory=dict)
    """Player -> minutes."""
    rest_waived: bool = False
    pinned: bool = False
    held: bool = False
    clocks: int | None = None
    """The minutes on each clock that was put on the match."""
    lead_waived: bool = False
    """Whether nobody waits for it in a stage without rounds."""
    asked: Fact | None = None
    """The fact that its players were asked whether it is over, with the score that would decide it, if one was
    entered; None once a score says that it goes on."""
    adjourned: Fact | None = None
    """Why it is not being played, if it is adjourned."""
    interruptions: list[Pause] = field(default_factory=list)
    """The times for which it was adjourned."""
    last_offer: LengthOffer | None = None
    """The last offer of a shorter length, unless both have agreed to it or it was declined or withdrawn.

    Its number is the id of the fact that offered it.
    """
    offered_at: tuple[int, int] | None = None
    """The running score at which that was offered."""
    last_shortened: Fact | None = None
    """The last fact that made it shorter."""

    @property
    def state(self) -> str:
        return self.progress.value

    @property
    def is_counted(self) -> bool:
        """Whether figures count it as a match (`tournaments.state.figures`): it is no bye, and certain to be needed."""
        has_bye = any(source.kind == Slot.Source.BYE for source in self.sources)
        return self.pair is not None or not (self.is_conditional or has_bye)

    @property
    def provisional(self) -> bool:
        """Whether its result is provisional: on the floor, a match with any result is over."""
        return False

    def seating(self, labels: Mapping[int, str], waits_for: tuple[str, ...] = ()) -> Seating:
        """Return where the match is, with the label of its table from `labels` and what it waits for."""
        return Seating(
            table=labels.get(self.table, "") if self.table is not None else "",
            called_at=next(iter(self.call_times), None),
            started_at=self.started_at,
            adjourned_at=self.adjourned.at if self.adjourned is not None else None,
            score=self.score,
            waits_for=waits_for,
        )

    @property
    def standing_offer(self) -> LengthOffer | None:
        """The shorter length on which the players can agree; None once the match has moved on since it was offered."""
        offer = self.last_offer
        if offer is None or self.adjourned is not None or (offer.was, self.offered_at) != (self.length, self.score):
            return None
        return offer

    def source(self, side: int) -> EntrantSource | None:
        """Return where the player of a side comes from, if that is still to be decided."""
        return self.sources[side] if self.players[side] is None and len(self.sources) > side else None


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table; tables are filled in this order."""

    table: int
    label: str
    category: Table.Category = Table.Category.NORMAL
    public_id: str = ""


@dataclass(frozen=True, slots=True)
class SeatElsewhere:
    """A table of another running event to which somebody is called, or at which they play, since then."""

    event: str
    table: str
    since: datetime


@dataclass(frozen=True, slots=True)
class MatchElsewhere:
    """A match of another running event: one that waits for somebody, or that has a table of this one.

    The last call there, or of the match at the table, was at `since`.
    """

    event: str
    number: int
    since: datetime
    sent_there: int = 0
    """The id of the fact that sent it to its table."""


@dataclass(frozen=True, slots=True)
class FloorSettings:
    """The settings of the floor, in minutes. Without `penalty_points` lateness costs nothing.

    `hold` is how soon somebody has to be wanted in a match of better rank to be held back for it; 0: never.
    """

    rest: int = 5
    second_call: int = 5
    no_show: int = 15
    penalty_points: bool = False
    penalty_first: int = 5
    penalty_each: int = 5
    hold: int = 15


@dataclass(slots=True)
class FloorFacts:
    """Everything that the state of the floor is derived from, beside the time.

    `matches` has the fixtures by id, in the order of divisions and match numbers. `people` has everybody who plays.
    `away` has those who are away, each with when they come back, or None if that is unknown. `is_open` is whether the
    floor was opened.
    """

    matches: Mapping[int, MatchFacts]
    tables: tuple[TableFacts, ...]
    settings: FloorSettings = FloorSettings()
    people: People = field(default_factory=dict)
    away: Mapping[PersonId, datetime | None] = field(default_factory=dict)
    excused: Mapping[tuple[int, int], frozenset[PersonId]] = field(default_factory=dict)
    """(Division id, player id of a pair) -> without whom that pair plays there."""
    is_open: bool = False
    opened_at: datetime | None = None
    """When directors last opened the floor for calls: for the first time, or by switching the autopilot."""
    presence: PresenceFacts = field(default_factory=PresenceFacts)
    elsewhere: Mapping[PersonId, SeatElsewhere] = field(default_factory=dict)
    awaited: Mapping[PersonId, MatchElsewhere] = field(default_factory=dict)
    taken: Mapping[int, MatchElsewhere] = field(default_factory=dict)
    """Table -> the match of another event in the same hall that was sent there last, and is called or played there."""

    # From the journal, by `fold`.
    at_tables: dict[int, int] = field(default_factory=dict)
    """Table -> the fixture that was last sent to it and has not left."""
    out: dict[int, str] = field(default_factory=dict)
    """Table out of use -> why."""
    pauses: list[Pause] = field(default_factory=list)
    newest: int = field(default=0, compare=False)
    """The id of the newest fact, also of one that was undone."""
    pairing_held: set[str] = field(default_factory=set)
    """Public ids of the stages without rounds in which no pairs are made for now."""
    own_hall: bool = False
    """Whether somebody said that no other event uses its tables."""
    autopilot: Autopilot = Autopilot.SUGGEST
    stopped: Fact | None = None
    """The fact that stopped the autopilot at closing time, until somebody lets it go on."""
    needs_accessible: set[PersonId] = field(default_factory=set)
    """Who needs an accessible table. Private: only for directors."""
    ever_adjourned: frozenset[int] = field(default=frozenset(), compare=False)
    """Fixtures that were ever adjourned, even if that was undone or was about other players."""

    @property
    def labels(self) -> dict[int, str]:
        return {table.table: table.label for table in self.tables}

    def persons(self, players: Iterable[int | None]) -> Iterator[PersonId]:
        """Yield whom these players stand for, as far as they are decided; who has entered since, for themselves."""
        return (person for _player, person in self.with_persons(players))

    def with_persons(self, players: Iterable[int | None]) -> Iterator[tuple[int, PersonId]]:
        """Yield the same, each after the player by whose id they are named: of a pair, after their own."""
        for player in players:
            if player is not None:
                people = self.people.get(player, (PersonId(player),))
                yield from ((player if len(people) == 1 else person, person) for person in people)

    def with_people_at(self, match: MatchFacts) -> Iterator[tuple[int, PersonId]]:
        """Yield as `with_persons` who has to be there for a match, as far as its players are known."""
        return (row for row in self.with_persons(match.pair or match.players) if row[1] not in match.excused)

    def people_at(self, match: MatchFacts) -> Iterator[PersonId]:
        """Yield who has to be there for a match: both of a pair, unless one is excused."""
        return (person for _player, person in self.with_people_at(match))

    def people_in(self, entry: Entry) -> list[PersonId]:
        """Return who plays with an entry: both of a pair, unless one is excused."""
        excused = self.excused_from(entry.division_id, [entry.player_id])
        return [person for person in self.persons([entry.player_id]) if person not in excused]

    def excused_from(self, division: int, players: Iterable[int | None]) -> frozenset[PersonId]:
        """Return without whom these players, as far as they are pairs, play in a division."""
        sides = (self.excused.get((division, player)) for player in players if player is not None)
        return frozenset(person for persons in sides for person in persons or ())


# The state of the floor as values: what each match and table is doing, and what to call next.
#
# `tournaments.floor.derivation.floor_state` derives it.


class FloorMatchState(StrEnum):
    """The states of a match on the floor, in the order that it passes through.

    They take some of `matches.lifecycle.where.State` together: what directors do with a match is the same in them.
    """

    WAITING = "waiting"
    READY = "ready"
    CALLED = "called"
    PLAYING = "playing"
    ADJOURNED = "adjourned"
    REPORTED = "reported"
    SETTLED = "settled"


class TableState(StrEnum):
    FREE = "free"
    TAKEN = "taken"
    KEPT = "kept"
    """Free, but only for players who need it."""
    OUT = "out"
    ELSEWHERE = "elsewhere"
    """Taken by a match of another event."""


class AttentionKind(StrEnum):
    """What needs a director on the floor."""

    SECOND_CALL = "second_call"
    NO_SHOW = "no_show"
    SLOW = "slow"


@dataclass(frozen=True, slots=True)
class WaitReason:
    """Why a match waits, or is suggested: a code of `tournaments.floor.sentences`, with its parameters.

    Parameters are ids of players (`player`), match numbers (`fixture`), times (`until`) and table labels (`table`).
    """

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lateness:
    """A player who came late to a match, or is expected to: minutes, and the penalty points that follow."""

    player: int
    minutes: int
    points: int = 0
    loses: bool = False


@dataclass(frozen=True, slots=True)
class MatchOnFloor:
    """A match as it stands on the floor: what follows from its facts, those of the other matches and the time.

    `table` is the id of its table; a settled match has none. `position` is its place in the queue from 1, for matches
    that are ready or only lack a table. `critical_minutes` is the expected length of the longest chain of matches that
    begins with it.
    """

    facts: MatchFacts
    state: FloorMatchState
    where: Where
    """Where it is at the tables."""
    table: int | None = None
    called_at: datetime | None = None
    second_call_at: datetime | None = None
    """When the second call is due; None if the match is not called or was called twice."""
    no_show_at: datetime | None = None
    started_at: datetime | None = None
    minutes: float = 0.0
    """How long it has been played, without pauses."""
    slow_at: datetime | None = None
    lateness: tuple[Lateness, ...] = ()
    reasons: tuple[WaitReason, ...] = ()
    """Why it waits, or how it was adjourned; empty in other states."""
    position: int | None = None
    critical_minutes: float = 0.0
    offer: LengthOffer | None = None
    """A shorter length that the players can agree on now."""
    shortened: Fact | None = None
    """The fact that gave it the length it has, if that is shorter than before."""

    @property
    def fixture(self) -> int:
        return self.facts.fixture

    @property
    def number(self) -> int:
        return self.facts.number

    @property
    def score(self) -> tuple[int, int] | None:
        """The running score by side; never a result."""
        return self.facts.score


@dataclass(frozen=True, slots=True)
class TableOnFloor:
    """A table as it stands, with the match that is played at it, and one to call to it."""

    facts: TableFacts
    state: TableState
    match: MatchOnFloor | None = None
    suggested: MatchOnFloor | None = None
    reason: str = ""
    """Why it is out of use, as a director typed it."""
    elsewhere: MatchElsewhere | None = None
    """The match of another event by which it is taken."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A match to call to a free table, and why it comes first."""

    fixture: int
    table: int
    reason: WaitReason


@dataclass(frozen=True, slots=True)
class Attention:
    """A match that needs a director since `since`."""

    kind: AttentionKind
    fixture: int
    since: datetime


@dataclass(frozen=True, slots=True)
class ToCome:
    """A match that waits for somebody: when the others are expected to be free, and whether it holds them back."""

    match: MatchOnFloor
    at: datetime | None
    """None if that cannot be told; now or earlier if they are free."""
    holds: bool = False
    """Whether matches of lower rank are held back for it."""
    until: datetime | None = None
    """When it no longer does, since a match is overdue; None if it waits for none."""

    def minutes(self, now: datetime) -> int:
        """Return in how many minutes it is expected to begin, at least 0."""
        return 0 if self.at is None else max(0, round((self.at - now) / ONE_MINUTE))


@dataclass(frozen=True, slots=True)
class FloorState:
    """The state of the floor at a moment.

    `queue` has the ids of the fixtures whose players are free, in call order; the first of them are ready.
    """

    facts: FloorFacts
    """What it is derived from."""
    matches: Mapping[int, MatchOnFloor]
    """By fixture id, in the order of divisions and match numbers."""
    tables: Mapping[int, TableOnFloor]
    """By table id, in their order."""
    presence: Presence
    """Who is here."""
    queue: tuple[int, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    attention: tuple[Attention, ...] = ()
    pause: Pause | None = None
    """The pause that is on, if any."""
    to_come: Mapping[PersonId, Sequence[ToCome]] = field(default_factory=dict)
    """The matches that wait for each person, in the order of the matches."""
    not_here: tuple[int, ...] = ()
    """The players with a match to come who are not called because they are not here."""
    changes_at: datetime | None = None
    """When the state changes next although nothing happens; None if that is not known."""


# Folding the journal of the floor, oldest first, into what still holds; without the database.


AT_CLOSING = "at_closing"
"""In the parameters of a fact about the autopilot: it stopped by itself, because closing time had come."""
WAS = "was"
"""In the parameters of that fact: how the autopilot worked before."""
ABOUT_THE_FIXTURE = (FloorKind.PINNED, FloorKind.HELD, FloorKind.RELEASED)
"""Facts that hold whoever meets in the fixture."""


def fold(facts: FloorFacts, journal: Iterable[Fact]) -> FloorFacts:
    """Return facts as they were loaded, with what the journal says: its rows that still hold, oldest first.

    A row holds if it was not undone, and is about nobody's match or about the players who meet in its fixture now.
    """
    matches = {
        fixture: replace(match, call_times=[], late={}, interruptions=[]) for fixture, match in facts.matches.items()
    }
    rows = list(journal)
    adjourned = frozenset(row.fixture for row in rows if row.kind == FloorKind.ADJOURNED and row.fixture is not None)
    folded = replace(
        facts,
        matches=matches,
        at_tables={},
        out={},
        pauses=[],
        pairing_held=set(),
        own_hall=False,
        stopped=None,
        needs_accessible=set(),
        ever_adjourned=adjourned,
        newest=max((row.id for row in rows), default=0),
    )
    for fact in standing(rows):
        add(folded, fact)
    return folded


def add(folded: FloorFacts, fact: Fact) -> bool:
    """Add what one more row of the journal says, which undoes nothing; return whether it holds."""
    match = folded.matches.get(fact.fixture) if fact.fixture is not None else None
    if fact.fixture is not None and (match is None or not applies(fact, match)):
        return False
    if (step := _FLOOR_STEPS.get(fact.kind)) is not None:
        step(folded, fact)
    elif match is not None:
        _MATCH_STEPS.get(fact.kind, _fold_match)(folded, match, fact)
    return True


def standing(journal: Iterable[Fact]) -> list[Fact]:
    """Return the facts that were not undone, in order."""
    rows = sorted(journal, key=lambda fact: fact.id)
    undone = {fact.undoes for fact in rows if fact.kind == FloorKind.UNDONE}
    return [fact for fact in rows if fact.id not in undone and fact.kind != FloorKind.UNDONE]


def applies(fact: Fact, match: MatchFacts) -> bool:
    """Whether a fact still holds: it is about no match, or about two players who still meet in that fixture."""
    return fact.kind in ABOUT_THE_FIXTURE or fact.pair == match.pair


def _fold_pause(folded: FloorFacts, fact: Fact) -> None:
    """Begin a pause, or end the one that is on; a new pause replaces the end of the last one."""
    last = folded.pauses[-1] if folded.pauses else None
    if last is not None and (last.until is None or last.until > fact.at):
        folded.pauses[-1] = Pause(last.since, fact.at)
    if fact.kind == FloorKind.PAUSED:
        until = fact.params.get("until")
        folded.pauses.append(Pause(fact.at, datetime.fromisoformat(until) if until else None))


def _fold_floor(folded: FloorFacts, fact: Fact) -> None:
    """Take a table out of use or back, switch the autopilot, or note the hall or what a player needs."""
    if fact.kind == FloorKind.TABLE_OUT and fact.table is not None:
        folded.out[fact.table] = str(fact.params.get("reason", ""))
    elif fact.kind == FloorKind.TABLE_BACK and fact.table is not None:
        folded.out.pop(fact.table, None)
    elif fact.kind == FloorKind.PAIRING_HELD:
        folded.pairing_held.add(fact.params["stage"])
    elif fact.kind == FloorKind.PAIRING_GOES_ON:
        folded.pairing_held.discard(fact.params["stage"])
    elif fact.kind == FloorKind.OWN_HALL:
        folded.own_hall = True
    elif fact.kind == FloorKind.AUTOPILOT:
        folded.autopilot = Autopilot(fact.params["mode"])
        folded.stopped = fact if AT_CLOSING in fact.params else None
        folded.opened_at = folded.opened_at if folded.stopped else fact.at
    elif fact.kind == FloorKind.NEEDS_ACCESSIBLE and fact.player is not None:
        change = folded.needs_accessible.update if fact.params["needed"] else folded.needs_accessible.difference_update
        change(folded.persons([fact.player]))


def _fold_place(folded: FloorFacts, match: MatchFacts, fact: Fact) -> None:
    """Send a match to a table, or take it away from there."""
    if fact.kind == FloorKind.FREED:
        leave_table(folded, match)
        if match.started_at is None:
            match.call_times.clear()
        return
    if fact.kind != FloorKind.MOVED or not match.call_times:
        match.call_times.append(fact.at)
    if fact.table is not None:
        leave_table(folded, match)
        before = folded.at_tables.get(fact.table)
        if before is not None:
            folded.matches[before].table = None
        folded.at_tables[fact.table] = match.fixture
        match.table, match.sent_there = fact.table, fact.id


def leave_table(folded: FloorFacts, match: MatchFacts) -> None:
    if match.table is not None and folded.at_tables.get(match.table) == match.fixture:
        del folded.at_tables[match.table]
    match.table = None


def _fold_match(folded: FloorFacts, match: MatchFacts, fact: Fact) -> None:
    match fact.kind:
        case FloorKind.STARTED:
            match.started_at = match.started_at or fact.at
        case FloorKind.RUNNING_SCORE:
            match.started_at = match.started_at or fact.at
            left, right = fact.params["score"]
            match.score, match.scored, match.asked = (left, right), fact, None
        case FloorKind.LATE if fact.player is not None:
            match.late[fact.player] = int(fact.params["minutes"])
        case FloorKind.LEAD_WAIVED:
            match.lead_waived = True
        case FloorKind.ASKED:
            match.asked = fact
        case FloorKind.REST_WAIVED:
            match.rest_waived = True
        case FloorKind.PINNED:
            match.pinned, match.held = True, False
        case FloorKind.HELD:
            match.pinned, match.held = False, True
        case FloorKind.RELEASED:
            match.pinned, match.held = False, False


def _fold_closing(folded: FloorFacts, match: MatchFacts, fact: Fact) -> None:
    """Note that a match got clocks, was adjourned, goes on or is shorter; the match itself has its length."""
    if fact.kind == FloorKind.CLOCKS:
        match.clocks = int(fact.params["minutes"])
    elif fact.kind == FloorKind.ADJOURNED:
        left, right = fact.params["score"]
        match.adjourned, match.score, match.scored = fact, (left, right), fact
        leave_table(folded, match)
    elif fact.kind == FloorKind.CONTINUED and match.adjourned is not None:
        match.interruptions.append(Pause(match.adjourned.at, fact.at))
        match.adjourned = None
    elif fact.kind == FloorKind.SHORTENED:
        match.last_shortened = fact


def _fold_offer(folded: FloorFacts, match: MatchFacts, fact: Fact) -> None:
    """Note an offer of a shorter length, who agrees to it, and its end."""
    side = fact.params.get("side")
    if fact.kind == FloorKind.LENGTH_OFFERED:
        score = fact.params["score"]
        match.last_offer = LengthOffer(
            fact.id,
            side,
            fact.params["length"],
            fact.params["was"],
            frozenset() if side is None else frozenset({side}),
        )
        match.offered_at = None if score is None else (score[0], score[1])
    elif match.last_offer is not None and match.last_offer.number == fact.params["offer"]:
        agreed = match.last_offer.agreed | {fact.params["side"]}
        has_ended = fact.kind != FloorKind.LENGTH_ACCEPTED or agreed == {0, 1}
        match.last_offer = None if has_ended else match.last_offer._replace(agreed=agreed)


_FLOOR_STEPS: Mapping[FloorKind, Callable[[FloorFacts, Fact], None]] = {
    FloorKind.PAUSED: _fold_pause,
    FloorKind.RESUMED: _fold_pause,
    FloorKind.TABLE_OUT: _fold_floor,
    FloorKind.TABLE_BACK: _fold_floor,
    FloorKind.AUTOPILOT: _fold_floor,
    FloorKind.PAIRING_HELD: _fold_floor,
    FloorKind.PAIRING_GOES_ON: _fold_floor,
    FloorKind.NEEDS_ACCESSIBLE: _fold_floor,
    FloorKind.OWN_HALL: _fold_floor,
}
_MATCH_STEPS: Mapping[FloorKind, Callable[[FloorFacts, MatchFacts, Fact], None]] = {
    FloorKind.CALLED: _fold_place,
    FloorKind.CALLED_AGAIN: _fold_place,
    FloorKind.MOVED: _fold_place,
    FloorKind.FREED: _fold_place,
    FloorKind.CLOCKS: _fold_closing,
    FloorKind.ADJOURNED: _fold_closing,
    FloorKind.CONTINUED: _fold_closing,
    FloorKind.SHORTENED: _fold_closing,
    FloorKind.LENGTH_OFFERED: _fold_offer,
    FloorKind.LENGTH_ACCEPTED: _fold_offer,
    FloorKind.LENGTH_DECLINED: _fold_offer,
    FloorKind.LENGTH_WITHDRAWN: _fold_offer,
}
"""Facts about a match that `_fold_match` does not take."""
