"""Which free table fits which match, and which matches to suggest for the free tables; without Django."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tournaments.floor.facts import MatchFacts, Pair, Progress, Rank, TableFacts
from tournaments.floor.state import Reason, Suggestion
from tournaments.models import Table


@dataclass(frozen=True, slots=True)
class PlayableMatch:
    """A match whose players are free, with what its place in the queue depends on."""

    match: MatchFacts
    pair: Pair
    pinned: bool
    critical_minutes: float
    since: datetime

    @property
    def key(self) -> tuple[bool, int, float, datetime, int]:
        """Pinned first; then by bracket, by the length of the critical path, and by who waits longest."""
        return (not self.pinned, self.match.rank, -self.critical_minutes, self.since, self.match.number)


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The free tables of the floor, and what the accessible ones are kept for."""

    free: Sequence[TableFacts]
    needs_accessible: Collection[int]
    has_accessible: bool
    """Whether the event has accessible tables in use, free or not."""
    kept: int
    """How many of the free accessible tables are kept for players who need one."""

    def best(self, candidate: PlayableMatch, taken: Collection[int]) -> TableFacts | None:
        """Return the table for a match among those not `taken`, or None if none fits."""
        free = [table for table in self.free if table.table not in taken]
        if self.has_accessible and self.needs(candidate):
            return next((table for table in free if table.category == Table.Category.ACCESSIBLE), None)
        wanted = [Table.Category.NORMAL]
        if candidate.match.rank == Rank.MAIN:
            wanted.insert(0, Table.Category.STREAM)
        for category in wanted:
            for table in free:
                if table.category == category:
                    return table
        accessible = [table for table in free if table.category == Table.Category.ACCESSIBLE]
        return accessible[0] if len(accessible) > self.kept else None

    def needs(self, candidate: PlayableMatch) -> bool:
        """Whether a player of the match needs an accessible table."""
        return any(player in self.needs_accessible for player in candidate.pair)


def table_plan(
    tables: Sequence[TableFacts],
    free: Collection[int],
    out: Collection[int],
    matches: Iterable[MatchFacts],
    needs_accessible: Collection[int],
    seated: Collection[int],
) -> TablePlan:
    """Return the plan of the free tables.

    Accessible tables are kept for players who need one, still have a match to come and are not at one (`seated`).
    """
    waiting = {
        player
        for match in matches
        if match.progress in (Progress.OPEN, Progress.UNKNOWN)
        for player in match.players
        if player is not None and player in needs_accessible and player not in seated
    }
    usable = [table for table in tables if table.table not in out]
    has_accessible = any(table.category == Table.Category.ACCESSIBLE for table in usable)
    return TablePlan([table for table in usable if table.table in free], needs_accessible, has_accessible, len(waiting))


def suggest(candidates: Sequence[PlayableMatch], plan: TablePlan) -> tuple[list[Suggestion], dict[int, Reason]]:
    """Return the matches to call to the free tables, in order, and why each of the others is not among them.

    `candidates` are in the order of their keys. A match gets the first table that fits it, if no earlier match takes
    that table or one of its players.
    """
    suggestions: list[Suggestion] = []
    waits: dict[int, Reason] = {}
    taken: set[int] = set()
    called_before: dict[int, int] = {}
    for position, candidate in enumerate(candidates):
        before = next((called_before[player] for player in candidate.pair if player in called_before), None)
        if before is not None:
            waits[candidate.match.fixture] = Reason("called_before", {"fixture": before})
            continue
        table = plan.best(candidate, taken)
        if table is None:
            code = "no_accessible_table" if plan.has_accessible and plan.needs(candidate) else "no_table"
            waits[candidate.match.fixture] = Reason(code)
            continue
        taken.add(table.table)
        called_before |= dict.fromkeys(candidate.pair, candidate.match.number)
        why = _why(candidate, candidates[position + 1 :], table)
        suggestions.append(Suggestion(candidate.match.fixture, table.table, why))
    return suggestions, waits


def _why(candidate: PlayableMatch, later: Sequence[PlayableMatch], table: TableFacts) -> Reason:
    """Return what puts a match before the next one in the queue."""
    params = {"fixture": candidate.match.number, "table": table.label}
    if candidate.pinned:
        return Reason("pinned_first", params)
    if not later:
        return Reason("only_match", params)
    next_ = later[0]
    if next_.match.rank != candidate.match.rank:
        return Reason("bracket_first", {**params, "rank": candidate.match.rank.name.lower()})
    if next_.critical_minutes != candidate.critical_minutes:
        return Reason("critical_path", {**params, "minutes": round(candidate.critical_minutes)})
    return Reason("longest_wait", {**params, "since": candidate.since.isoformat()})
