"""Facts of a floor for tests without a database: matches, calls, tables."""

from datetime import UTC, datetime, timedelta

from tournaments.floor.derivation import floor_state
from tournaments.floor.state import (
    Fact,
    FloorFacts,
    FloorState,
    MatchFacts,
    MatchProgress,
    Pair,
    Rank,
    TableFacts,
    fold,
)
from tournaments.models import FloorKind

NOW = datetime(2026, 11, 20, 20, tzinfo=UTC)
BOB, CAROL, ERIN, FRANK, GRETA, HUGO = range(1, 7)
THREE_TABLES = tuple(TableFacts(number, str(number)) for number in (1, 2, 3))


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def match(number: int, pair: Pair | None, **fields: object) -> MatchFacts:
    """An open match whose players have been known for half an hour; its fixture has the id of its number."""
    values = {
        "stage": 1,
        "round": 1,
        "rank": Rank.MAIN,
        "length": 7,
        "progress": MatchProgress.OPEN if pair else MatchProgress.UNKNOWN,
        "players": pair or (None, None),
        "since": NOW - minutes(30) if pair else None,
    }
    return MatchFacts(fixture=number, number=number, pair=pair, **{**values, **fields})  # type: ignore[arg-type]


def settled(number: int, pair: Pair, ago: float) -> MatchFacts:
    """A match that was played and finished so many minutes ago."""
    finished = NOW - minutes(ago)
    return match(number, pair, progress=MatchProgress.SETTLED, begun_at=finished - minutes(60), finished_at=finished)


class Facts:
    """Facts about matches, numbered as they happen."""

    def __init__(self, *matches: MatchFacts) -> None:
        self.pairs = {row.fixture: row.pair for row in matches}
        self.rows: list[Fact] = []

    def add(self, kind: FloorKind, ago: float = 0, *, fixture: int | None = None, **fields: object) -> Fact:
        pair = self.pairs.get(fixture) if fixture is not None else None
        fact = Fact(len(self.rows) + 1, kind, NOW - minutes(ago), fixture, pair, **fields)  # type: ignore[arg-type]
        self.rows.append(fact)
        return fact


def state_of(*matches: MatchFacts, facts: Facts | None = None, **fields: object) -> FloorState:
    values = {"tables": THREE_TABLES, **fields}
    loaded = FloorFacts({row.fixture: row for row in matches}, **values)  # type: ignore[arg-type]
    return floor_state(fold(loaded, facts.rows if facts else ()), NOW)


def codes(state: FloorState, number: int) -> list[str]:
    return [reason.code for reason in state.matches[number].reasons]
