"""Deriving the state of the floor from facts, matches, tables and the time; without the database."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from matches.lifecycle.at_tables import AtTables
from matches.lifecycle.where import WhereFacts, WhereState, where_is
from players.people.rows import PersonId
from tournaments.floor.halls import ELSEWHERE_FOR
from tournaments.floor.state import (
    Attention,
    AttentionKind,
    Fact,
    FloorFacts,
    FloorMatchState,
    FloorState,
    Lateness,
    MatchElsewhere,
    MatchFacts,
    MatchOnFloor,
    MatchProgress,
    Rank,
    SeatElsewhere,
    Suggestion,
    TableFacts,
    TableOnFloor,
    TableState,
    ToCome,
    WaitReason,
)
from tournaments.floor.times import (
    Pause,
    elapsed,
    expected_minutes,
    loses_by_lateness,
    penalty_points,
    reached_at,
    slow_minutes,
)
from tournaments.floor.to_come import matches_to_come
from tournaments.models import Table
from tournaments.state.presence import presence

# Which free table fits which match, and which matches to suggest for the free tables; without Django.


PersonsMatches = Mapping[PersonId, Sequence[ToCome]]
"""Person -> the matches that wait for them."""


class Wanted(NamedTuple):
    """Who of a match is wanted soon in another one."""

    person: PersonId
    to_come: ToCome


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The free tables of the floor, and what the accessible ones are kept for."""

    free: Sequence[TableFacts]
    facts: FloorFacts
    has_accessible: bool
    """Whether the event has accessible tables in use, free or not."""
    kept: int
    """How many of the free accessible tables are kept for players who need one."""

    def best(self, candidate: MatchOnFloor, taken: Collection[int]) -> TableFacts | None:
        """Return the table for a match among those not `taken`, or None if none fits."""
        free = [table for table in self.free if table.table not in taken]
        if self.has_accessible and self.needs(candidate):
            return next((table for table in free if table.category == Table.Category.ACCESSIBLE), None)
        wanted = [Table.Category.NORMAL]
        if candidate.facts.rank == Rank.MAIN:
            wanted.insert(0, Table.Category.STREAM)
        for category in wanted:
            for table in free:
                if table.category == category:
                    return table
        accessible = [table for table in free if table.category == Table.Category.ACCESSIBLE]
        return accessible[0] if len(accessible) > self.kept else None

    def needs(self, candidate: MatchOnFloor) -> bool:
        """Whether a player of the match needs an accessible table."""
        return not self.facts.needs_accessible.isdisjoint(self.persons(candidate))

    def persons(self, candidate: MatchOnFloor) -> Iterable[PersonId]:
        """Return the people of a match, as far as they are decided."""
        return self.facts.people_at(candidate.facts)

    def wanted(
        self, candidate: MatchOnFloor, taken: Collection[int], to_come: PersonsMatches, now: datetime
    ) -> Wanted | None:
        """Return the match of better rank for which a match is held back, the soonest; None if it is not.

        One that itself waits for an accessible table holds back nobody. A match that a director put first is not held.
        """
        if candidate.facts.pinned:
            return None
        better = [
            Wanted(person, row)
            for person in self.persons(candidate)
            for row in to_come.get(person, ())
            if row.holds and row.match.facts.rank < candidate.facts.rank
        ]
        better = [row for row in better if not self._lacks_accessible(row.to_come.match, taken)]
        return min(better, key=lambda row: (row.to_come.minutes(now), row.to_come.match.number), default=None)

    def _lacks_accessible(self, row: MatchOnFloor, taken: Collection[int]) -> bool:
        return self.has_accessible and self.needs(row) and self.best(row, taken) is None


def table_plan(facts: FloorFacts, free: Collection[int], seated: Collection[PersonId]) -> TablePlan:
    """Return the plan of the free tables.

    Accessible tables are kept for players who need one, still have a match to come and are not at one (`seated`).
    """
    waiting = {
        person
        for match in facts.matches.values()
        if match.progress in (MatchProgress.OPEN, MatchProgress.UNKNOWN)
        for person in facts.people_at(match)
        if person in facts.needs_accessible and person not in seated
    }
    usable = [table for table in facts.tables if table.table not in facts.out]
    has_accessible = any(table.category == Table.Category.ACCESSIBLE for table in usable)
    return TablePlan([table for table in usable if table.table in free], facts, has_accessible, len(waiting))


def suggest(
    candidates: Sequence[MatchOnFloor], plan: TablePlan, now: datetime, to_come: PersonsMatches
) -> tuple[list[Suggestion], dict[int, WaitReason]]:
    """Return the matches to call to the free tables, in order, and why each of the others is not among them.

    `candidates` are in the order of the queue. A match gets the first table that fits it, if no earlier match takes
    that table or one of its players, and none of them is wanted soon in a match of better rank.
    """
    suggestions: list[Suggestion] = []
    waits: dict[int, WaitReason] = {}
    taken: set[int] = set()
    called_before: dict[PersonId, int] = {}
    for position, candidate in enumerate(candidates):
        persons = list(plan.persons(candidate))
        before = next((called_before[person] for person in persons if person in called_before), None)
        if before is not None:
            waits[candidate.fixture] = WaitReason("called_before", {"fixture": before})
            continue
        if (wanted := plan.wanted(candidate, taken, to_come, now)) is not None:
            waits[candidate.fixture] = _wanted_in(wanted, now)
            continue
        table = plan.best(candidate, taken)
        if table is None:
            code = "no_accessible_table" if plan.has_accessible and plan.needs(candidate) else "no_table"
            waits[candidate.fixture] = WaitReason(code)
            continue
        taken.add(table.table)
        called_before |= dict.fromkeys(persons, candidate.number)
        why = _why(candidate, candidates[position + 1 :], table, now)
        suggestions.append(Suggestion(candidate.fixture, table.table, why))
    return suggestions, waits


def _wanted_in(wanted: Wanted, now: datetime) -> WaitReason:
    match, minutes = wanted.to_come.match, wanted.to_come.minutes(now)
    params = {"player": wanted.person, "division": match.facts.division, "fixture": match.number, "minutes": minutes}
    return WaitReason("wanted", params)


def _why(candidate: MatchOnFloor, later: Sequence[MatchOnFloor], table: TableFacts, now: datetime) -> WaitReason:
    """Return what puts a match before the next one in the queue."""
    params = {"fixture": candidate.number, "table": table.label}
    if candidate.facts.pinned:
        return WaitReason("pinned_first", params)
    if not later:
        return WaitReason("only_match", params)
    next_ = later[0]
    if next_.facts.rank != candidate.facts.rank:
        return WaitReason("bracket_first", {**params, "rank": candidate.facts.rank.name.lower()})
    if next_.critical_minutes != candidate.critical_minutes:
        return WaitReason("critical_path", {**params, "minutes": round(candidate.critical_minutes)})
    return WaitReason("longest_wait", {**params, "since": (candidate.facts.since or now).isoformat()})


# The critical path: how much play depends on a match; without Django.


def critical_minutes(matches: Iterable[MatchFacts]) -> Mapping[int, float]:
    """Return for each unfinished fixture the expected minutes of the longest chain of matches that begins with it.

    A match comes before those that wait for its winner or loser, and before the next match of each of its players in
    the same stage (as in a round robin).
    """
    open_matches = {match.fixture: match for match in matches if match.progress != MatchProgress.SETTLED}
    following = _following(open_matches)
    minutes: dict[int, float] = {}
    # The matches that follow from a match have higher numbers in its stage.
    for match in sorted(open_matches.values(), key=lambda match: -match.number):
        after = max((minutes.get(fixture, 0.0) for fixture in following[match.fixture]), default=0.0)
        minutes[match.fixture] = expected_minutes(match.length) + after
    return minutes


def _following(matches: Mapping[int, MatchFacts]) -> dict[int, set[int]]:
    following = {fixture: {next_ for next_ in row.leads_to if next_ in matches} for fixture, row in matches.items()}
    of_player: dict[tuple[int, int], list[MatchFacts]] = defaultdict(list)
    for match in matches.values():
        for player in match.pair or ():
            of_player[match.stage, player].append(match)
    for own in of_player.values():
        ordered = sorted(own, key=lambda match: match.number)
        for match, next_ in pairwise(ordered):
            following[match.fixture].add(next_.fixture)
    return following


HELD = WaitReason("held")
ACTIVE = (FloorMatchState.CALLED, FloorMatchState.PLAYING, FloorMatchState.REPORTED)
A_ROUND = 3
"""So many matches called at the same moment begin a round: nobody is missing until one of them has started."""
ON_FLOOR = {
    # Until a table is suggested for it.
    WhereState.READY: FloorMatchState.WAITING,
    # Its players are at their board, or on their way to it.
    WhereState.INVITED: FloorMatchState.PLAYING,
    WhereState.HERE: FloorMatchState.PLAYING,
    WhereState.CORRESPONDENCE: FloorMatchState.PLAYING,
    WhereState.DISPUTED: FloorMatchState.REPORTED,
}
"""Where a match is -> its state on the floor, which takes some together; the others have the same names."""


def floor_state(facts: FloorFacts, now: datetime) -> FloorState:
    """Return the state of the floor at `now`. Equal input gives equal output."""
    return _Derivation(facts, now).state()


class _Derivation:
    def __init__(self, facts: FloorFacts, now: datetime) -> None:
        self.facts = facts
        self.now = now
        self.labels = facts.labels
        self.critical = critical_minutes(facts.matches.values())
        self.pause = next((pause for pause in facts.pauses if self._is_on(pause)), None)
        self.matches = {fixture: self._match(match) for fixture, match in facts.matches.items()}
        self.presence = presence(facts.presence, facts.people, now, facts.opened_at)
        self.busy = self._busy()
        self.elsewhere = seats_elsewhere(facts, now)
        self.rests_until = self._rests_until()
        self.to_come = matches_to_come(facts, self.matches, self.presence, self.elsewhere, now)

    def state(self) -> FloorState:
        candidates, waiting = self._candidates()
        facts = self.facts
        at_tables = {row.table: row.fixture for row in self.matches.values() if row.table is not None}
        free = {row.table for row in facts.tables} - at_tables.keys() - tables_elsewhere(facts).keys()
        seated = {person for fixture in at_tables.values() for person in self._persons(facts.matches[fixture])}
        plan = table_plan(facts, free, seated)
        suggestions, no_table = suggest(candidates, plan, self.now, self.to_come)
        if self.pause is not None:
            params = {"until": self.pause.until.isoformat()} if self.pause.until else {}
            waiting |= {row.fixture: (WaitReason("paused", params),) for row in candidates}
            suggestions, no_table = [], {}
        if not facts.is_open and not facts.tables:
            # Before the floor was opened nobody waits for a table: the first call opens it.
            no_table = {}
        waiting |= {fixture: (reason,) for fixture, reason in no_table.items()}
        self._place_in_queue(candidates, suggestions, waiting)
        queue = tuple(row.fixture for row in candidates)
        kept = plan.kept if any(table.category == Table.Category.ACCESSIBLE for table in plan.free) else 0
        attention = tuple(sorted(self._attention(), key=lambda item: (item.since, item.fixture)))
        return FloorState(
            facts=facts,
            matches=self.matches,
            tables=self._tables(at_tables, suggestions, kept),
            queue=queue,
            suggestions=tuple(suggestions),
            attention=attention,
            pause=self.pause,
            presence=self.presence,
            to_come=self.to_come,
            not_here=self._not_here(),
            changes_at=self._changes_at(),
        )

    def _not_here(self) -> tuple[int, ...]:
        """Return the players who are absent and wait for a match of theirs, in the order of the matches."""
        waiting: dict[PersonId, int] = {}
        for row in self.matches.values():
            if row.state in (FloorMatchState.WAITING, FloorMatchState.READY):
                for player, person in self.facts.with_people_at(row.facts):
                    if person not in self.busy and self.presence.is_absent(person):
                        waiting.setdefault(person, player)
        return tuple(dict.fromkeys(waiting.values()))

    def _persons(self, match: MatchFacts) -> Iterable[PersonId]:
        return self.facts.people_at(match) if match.pair is not None else ()

    def _changes_at(self) -> datetime | None:
        """Return the next moment when a deadline, a rest, a pause, an absence, a hold or the day ends."""
        moments = [
            moment for row in self.matches.values() for moment in (row.second_call_at, row.no_show_at, row.slow_at)
        ]
        moments += [*self.rests_until.values(), *self.facts.away.values(), self.presence.ends_at]
        moments += [self.pause.until] if self.pause is not None else []
        if len({match.rank for match in self.facts.matches.values()}) > 1:
            moments += [row.until for rows in self.to_come.values() for row in rows]
        return min((moment for moment in moments if moment is not None and moment > self.now), default=None)

    def _is_on(self, pause: Pause) -> bool:
        return pause.since <= self.now and (pause.until is None or pause.until > self.now)

    def _match(self, match: MatchFacts) -> MatchOnFloor:
        """Return the state of a match as far as it depends on that match alone; candidates come out as waiting."""
        where = where_is(match, WhereFacts(AtTables(match.seating(self.labels))))
        state = ON_FLOOR.get(where.state) or FloorMatchState(where.state)
        can_be_shortened = state == FloorMatchState.PLAYING and match.progress != MatchProgress.LIVE
        row = MatchOnFloor(
            match,
            state,
            where,
            lateness=self._lateness(match),
            critical_minutes=self.critical.get(match.fixture, 0.0),
            reasons=_undecided(match) if state == FloorMatchState.WAITING and match.pair is None else (),
            offer=match.standing_offer if can_be_shortened else None,
            shortened=_shortened(match),
        )
        started = match.started_at or match.begun_at
        if state == FloorMatchState.ADJOURNED and match.adjourned is not None:
            return replace(row, started_at=started, reasons=(_adjourned(match, match.adjourned),))
        if state not in ACTIVE:
            return row
        called_at = next(iter(match.call_times), None)
        row = replace(row, table=match.table, called_at=called_at, started_at=started)
        if state == FloorMatchState.CALLED:
            return self._with_deadlines(row, match.call_times)
        if started is not None:
            end = match.finished_at or self.now
            pauses = [*self.facts.pauses, *match.interruptions]
            slow_at = reached_at(started, slow_minutes(match.length), pauses)
            row = replace(row, minutes=elapsed(started, end, pauses), slow_at=slow_at)
        return row

    def _with_deadlines(self, row: MatchOnFloor, call_times: Sequence[datetime]) -> MatchOnFloor:
        settings, pauses = self.facts.settings, self.facts.pauses
        second = reached_at(call_times[0], settings.second_call, pauses) if len(call_times) == 1 else None
        return replace(row, second_call_at=second, no_show_at=reached_at(call_times[0], settings.no_show, pauses))

    def _lateness(self, match: MatchFacts) -> tuple[Lateness, ...]:
        settings = self.facts.settings
        rows = []
        for player, minutes in sorted(match.late.items()):
            points = 0
            if settings.penalty_points:
                points = penalty_points(minutes, settings.penalty_first, settings.penalty_each)
            rows.append(Lateness(player, minutes, points, loses_by_lateness(points, match.length)))
        return tuple(rows)

    def _busy(self) -> dict[PersonId, int]:
        """Return person -> number of the match they are at; a reported match counts until they leave its table."""
        busy: dict[PersonId, int] = {}
        for row in self.matches.values():
            at_board = row.state in (FloorMatchState.CALLED, FloorMatchState.PLAYING)
            if at_board or (row.state == FloorMatchState.REPORTED and row.table is not None):
                busy |= dict.fromkeys(self._persons(row.facts), row.number)
        return busy

    def _rests_until(self) -> dict[PersonId, datetime]:
        """Return who may still rest after their last match -> until when."""
        rests: dict[PersonId, datetime] = {}
        rest = timedelta(minutes=self.facts.settings.rest)
        for match in self.facts.matches.values():
            # Without a beginning nobody has played: a walkover needs no rest.
            if match.finished_at is None or match.begun_at is None or match.progress != MatchProgress.SETTLED:
                continue
            if match.finished_at > self.now:
                # It was recorded before the clock was set back, and would keep everybody resting.
                continue
            until = match.finished_at + rest
            for person in self._persons(match):
                if until > max(self.now, rests.get(person, self.now)):
                    rests[person] = until
        return rests

    def _candidates(self) -> tuple[list[MatchOnFloor], dict[int, tuple[WaitReason, ...]]]:
        """Return the matches whose players are free, in the order of the queue, and why other pairs wait."""
        candidates, waiting = [], {}
        for row in self.matches.values():
            if row.state != FloorMatchState.WAITING or row.facts.pair is None:
                continue
            if reasons := self._reasons(row.facts):
                waiting[row.fixture] = reasons
            else:
                candidates.append(row)
        return sorted(candidates, key=self._place), waiting

    def _place(self, row: MatchOnFloor) -> tuple[bool, int, float, datetime, int]:
        """Pinned first; then by bracket, by the length of the critical path, and by who waits longest."""
        match = row.facts
        return not match.pinned, match.rank, -row.critical_minutes, match.since or self.now, match.number

    def _reasons(self, match: MatchFacts) -> tuple[WaitReason, ...]:
        """Return why a match whose players are known waits, apart from tables and pauses."""
        reasons = [HELD] if match.held else []
        return (*reasons, *self._reasons_of_people(match))

    def _reasons_of_people(self, match: MatchFacts) -> Iterable[WaitReason]:
        for player, person in self.facts.with_people_at(match):
            if person in self.busy:
                yield WaitReason("busy", {"player": player, "fixture": self.busy[person]})
                continue
            if person in self.elsewhere:
                seat = self.elsewhere[person]
                yield WaitReason("elsewhere", {"player": player, "table": seat.table, "event": seat.event})
            if person in self.facts.away:
                back = self.facts.away[person]
                if back is None or back > self.now:
                    yield WaitReason("away", {"player": player, **({"until": back.isoformat()} if back else {})})
            if self.presence.is_absent(person):
                yield WaitReason("not_here", {"player": player})
            if person in self.rests_until and not match.rest_waived:
                yield WaitReason("rests", {"player": player, "until": self.rests_until[person].isoformat()})

    def _place_in_queue(
        self,
        candidates: Sequence[MatchOnFloor],
        suggestions: Sequence[Suggestion],
        waiting: dict[int, tuple[WaitReason, ...]],
    ) -> None:
        for fixture, reasons in waiting.items():
            self.matches[fixture] = replace(self.matches[fixture], reasons=reasons)
        for position, candidate in enumerate(candidates, start=1):
            fixture = candidate.fixture
            self.matches[fixture] = replace(self.matches[fixture], position=position)
        for suggestion in suggestions:
            self.matches[suggestion.fixture] = replace(self.matches[suggestion.fixture], state=FloorMatchState.READY)

    def _tables(
        self, at_tables: dict[int, int], suggestions: Sequence[Suggestion], kept: int
    ) -> dict[int, TableOnFloor]:
        played = {table: self.matches[fixture] for table, fixture in at_tables.items()}
        suggested = {row.table: self.matches[row.fixture] for row in suggestions}
        elsewhere = tables_elsewhere(self.facts)
        rows = {}
        for table in self.facts.tables:
            key, state = table.table, TableState.FREE
            if key in played:
                state = TableState.TAKEN
            elif key in self.facts.out:
                state = TableState.OUT
            elif key in elsewhere:
                state = TableState.ELSEWHERE
            elif table.category == Table.Category.RESERVED:
                state = TableState.KEPT
            elif table.category == Table.Category.ACCESSIBLE and key not in suggested and kept:
                state, kept = TableState.KEPT, kept - 1
            rows[key] = TableOnFloor(
                table,
                state,
                played.get(key),
                suggested.get(key),
                self.facts.out.get(key, ""),
                elsewhere.get(key),
            )
        return rows

    def _attention(self) -> Iterable[Attention]:
        together = Counter(match.call_times[0] for match in self.facts.matches.values() if match.call_times)
        begun = {match.call_times[0] for match in self.facts.matches.values() if match.call_times and match.started_at}
        for row in self.matches.values():
            if row.state == FloorMatchState.CALLED:
                at = row.facts.call_times[0]
                if together[at] >= A_ROUND and at not in begun:
                    # A whole round is about to sit down, or nobody notes when it does.
                    continue
                if row.no_show_at is not None and row.no_show_at <= self.now:
                    yield Attention(AttentionKind.NO_SHOW, row.fixture, row.no_show_at)
                elif row.second_call_at is not None and row.second_call_at <= self.now:
                    yield Attention(AttentionKind.SECOND_CALL, row.fixture, row.second_call_at)
            elif row.state != FloorMatchState.PLAYING or row.facts.clocks is not None:
                continue
            elif row.slow_at is not None and row.slow_at <= self.now:
                yield Attention(AttentionKind.SLOW, row.fixture, row.slow_at)


def seats_elsewhere(facts: FloorFacts, now: datetime) -> Mapping[PersonId, SeatElsewhere]:
    """Return who is at a table of another event now; a call that nobody has followed up since yesterday is none."""
    return {person: seat for person, seat in facts.elsewhere.items() if now - seat.since < ELSEWHERE_FOR}


def tables_elsewhere(facts: FloorFacts) -> Mapping[int, MatchElsewhere]:
    """Return table -> the match of another event by which it is taken, unless this event has a hall of its own."""
    return {} if facts.own_hall else facts.taken


def awaited_elsewhere(facts: FloorFacts, player: int | None, now: datetime) -> MatchElsewhere | None:
    """Return the match of another event that waits for a player; none if nothing was called there since yesterday."""
    rows = (facts.awaited[person] for person in facts.persons([player]) if person in facts.awaited)
    return next((row for row in rows if now - row.since < ELSEWHERE_FOR), None)


def _undecided(match: MatchFacts) -> tuple[WaitReason, ...]:
    reasons = [HELD] if match.held else []
    unknown = [source for source, player in zip(match.sources, match.players, strict=False) if player is None]
    for source in unknown or match.sources:
        fixture = {} if source.number is None else {"fixture": source.number}
        reason = WaitReason("to_be_decided", {"source": source.kind, **fixture})
        reasons += [reason] if reason not in reasons else []
    return tuple(reasons or [WaitReason("to_be_decided", {"source": "drawn"})])


def _adjourned(match: MatchFacts, fact: Fact) -> WaitReason:
    """Return how a match was adjourned: its score, and the player on roll, if that was recorded."""
    params = {"score": "–".join(map(str, fact.params["score"]))}
    side = fact.params.get("on_roll")
    if side is None or match.pair is None:
        return WaitReason("adjourned", params)
    return WaitReason("adjourned_on_roll", {**params, "player": match.pair[side]})


def _shortened(match: MatchFacts) -> Fact | None:
    fact = match.last_shortened
    return fact if fact is not None and fact.params["length"] == match.length else None
