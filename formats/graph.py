"""The plan of a stage as a graph: brackets, rounds, fixtures and slots.

A graph has no results. A fixture has two slots, and each slot has a source: an entry, the winner or the loser of
another fixture, a place in a stage, a bye, or a seat whose entrant is drawn once those of all seats are known. That a
slot is a walkover or to be decided is a state, which `progress` derives; it is not part of the plan.

Fixtures are numbered across all brackets, and the sources of a fixture always have lower numbers. A single pass in
ascending order therefore sees every source before it is needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from formats.errors import Refused

EntryId = int
"""The id of an entry (a primary key); formats only compare and sort it."""

FixtureId = int
"""The number of a fixture, from 1, unique in its graph; 13 is shown as "M13"."""

MAIN = "main"
CONSOLATION = "consolation"
LAST_CHANCE = "last_chance"
LOWER = "lower"
FINAL = "final"


@dataclass(frozen=True, slots=True)
class EntrySource:
    """An entry placed by the draw."""

    entry: EntryId
    kind: ClassVar[str] = "entry"


@dataclass(frozen=True, slots=True)
class WinnerOf:
    fixture: FixtureId
    kind: ClassVar[str] = "winner"


@dataclass(frozen=True, slots=True)
class LoserOf:
    """The loser of a fixture, who drops."""

    fixture: FixtureId
    kind: ClassVar[str] = "loser"


@dataclass(frozen=True, slots=True)
class PlaceOf:
    """The entry that takes a place (from 1) in a stage or group."""

    stage: str
    place: int
    kind: ClassVar[str] = "place"


@dataclass(frozen=True, slots=True)
class ByeSource:
    """No opponent, by the format: the entrant in the other slot advances."""

    kind: ClassVar[str] = "bye"


@dataclass(frozen=True, slots=True)
class DrawnSeat:
    """A seat (from 1) in a round with lines that are drawn once their entrants are known; `seating` draws it."""

    bracket: str
    round: int
    number: int
    kind: ClassVar[str] = "drawn"


Source = EntrySource | WinnerOf | LoserOf | PlaceOf | ByeSource | DrawnSeat
BYE = ByeSource()


@dataclass(frozen=True, slots=True)
class NeededIf:
    """The condition that a fixture is played only if `slot` (0 or 1) wins `fixture`.

    The second final of a double elimination is played only if the winner of the lower bracket, in slot 1 of the first
    final, wins that final.
    """

    fixture: FixtureId
    slot: int


@dataclass(frozen=True, slots=True)
class Fixture:
    number: FixtureId
    sources: tuple[Source, Source]
    needed_if: NeededIf | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a bracket; `drops` are the letters of the rounds whose losers enter here.

    Lines that are drawn once their entrants are known have these as `entrants`, and their slots are seats: those of the
    whole round, or of as many lines as the bye depends on. Entrant 1 is intended for seat 1 and so on; `seating`
    deviates only for a fair bye and to keep two entries apart.
    """

    number: int
    fixtures: tuple[Fixture, ...]
    drops: tuple[str, ...] = ()
    entrants: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Bracket:
    """The rounds of a bracket; `fed_by` is the bracket whose losers enter it, None for the main bracket."""

    key: str
    rounds: tuple[Round, ...]
    fed_by: str | None = None

    @property
    def fixtures(self) -> tuple[Fixture, ...]:
        return tuple(fixture for round_ in self.rounds for fixture in round_.fixtures)


@dataclass(frozen=True)
class Graph:
    """The brackets of a stage, in the order in which their fixtures are numbered.

    `seed` is used to draw the rounds that wait for their entrants; `apart` are groups of entries (club-mates, or pairs)
    to be kept apart in these rounds. `persons` are the entries of each player who entered again: they play no match
    against each other.
    """

    brackets: tuple[Bracket, ...]
    seed: bytes = b""
    apart: tuple[frozenset[EntryId], ...] = ()
    persons: tuple[frozenset[EntryId], ...] = ()

    @cached_property
    def fixtures(self) -> dict[FixtureId, Fixture]:
        """Number -> fixture, ascending."""
        fixtures = (fixture for bracket in self.brackets for fixture in bracket.fixtures)
        return {fixture.number: fixture for fixture in sorted(fixtures, key=lambda fixture: fixture.number)}

    @cached_property
    def bracket_of(self) -> dict[FixtureId, str]:
        return {fixture.number: bracket.key for bracket in self.brackets for fixture in bracket.fixtures}

    @cached_property
    def entries(self) -> tuple[EntryId, ...]:
        """The entries that the draw placed, in the order of the fixtures."""
        sources = (source for fixture in self.fixtures.values() for source in fixture.sources)
        return tuple(source.entry for source in sources if isinstance(source, EntrySource))

    @cached_property
    def round_of(self) -> dict[FixtureId, Round]:
        return {
            fixture.number: round_
            for bracket in self.brackets
            for round_ in bracket.rounds
            for fixture in round_.fixtures
        }

    def intended(self, number: FixtureId) -> tuple[Source, Source]:
        """Return the sources of a fixture, with each seat replaced by the entrant intended for it."""
        first, second = self.fixtures[number].sources
        entrants = self.round_of[number].entrants
        return (
            entrants[first.number - 1] if isinstance(first, DrawnSeat) else first,
            entrants[second.number - 1] if isinstance(second, DrawnSeat) else second,
        )

    def awaited(self, number: FixtureId) -> tuple[Source, ...]:
        """Return the sources that must be known before the entrants of a fixture are: of a seat, those of all seats."""
        own = self.fixtures[number].sources
        fixed = tuple(source for source in own if not isinstance(source, DrawnSeat | ByeSource))
        return (
            (*fixed, *self.round_of[number].entrants) if any(isinstance(source, DrawnSeat) for source in own) else fixed
        )

    @cached_property
    def next_of_winner(self) -> dict[FixtureId, FixtureId]:
        """Number -> the first fixture its winner advances to, or is intended for if that line is still to be drawn."""
        return self._followers(WinnerOf)

    @cached_property
    def next_of_loser(self) -> dict[FixtureId, FixtureId]:
        """Number -> the first fixture its loser drops to, or is intended for if that line is still to be drawn."""
        return self._followers(LoserOf)

    def _followers(self, kind: type[WinnerOf] | type[LoserOf]) -> dict[FixtureId, FixtureId]:
        followers: dict[FixtureId, FixtureId] = {}
        for number in self.fixtures:
            for source in self.intended(number):
                if isinstance(source, kind):
                    followers.setdefault(source.fixture, number)
        return followers

    def bracket(self, key: str) -> Bracket:
        """Return the bracket with this key. Raises Refused("unknown_bracket")."""
        for bracket in self.brackets:
            if bracket.key == key:
                return bracket
        raise Refused("unknown_bracket", bracket=key)

    def fixture(self, number: FixtureId) -> Fixture:
        """Return the fixture with this number. Raises Refused("unknown_fixture")."""
        if number not in self.fixtures:
            raise Refused("unknown_fixture", fixture=number)
        return self.fixtures[number]

    def shifted(self, by: int) -> "Graph":
        """Return the graph with `by` added to every fixture number, for a stage that follows another."""
        return self if by == 0 else self.renumbered(lambda number: number + by)

    def renumbered(self, number_of: Callable[[FixtureId], FixtureId]) -> "Graph":
        """Return the graph with other fixture numbers, which must keep their order."""
        return replace(self, brackets=tuple(_renumbered(bracket, number_of) for bracket in self.brackets))

    def with_bracket(self, bracket: Bracket) -> "Graph":
        """Return the graph with this bracket added, or replacing the bracket with the same key."""
        kept = tuple(bracket if old.key == bracket.key else old for old in self.brackets)
        return replace(self, brackets=kept if bracket in kept else (*self.brackets, bracket))

    def with_source(self, number: FixtureId, slot: int, source: Source) -> "Graph":
        old = self.fixture(number)
        sources = (source, old.sources[1]) if slot == 0 else (old.sources[0], source)
        return replace(
            self, brackets=tuple(_replaced(bracket, replace(old, sources=sources)) for bracket in self.brackets)
        )

    def with_entrant(self, number: FixtureId, source: Source) -> "Graph":
        """Return the graph with one more entrant among lines still to be drawn, intended for the bye of this fixture.

        Raises Refused("no_bye_left") if the fixture has no bye.
        """
        key, round_, old = self.bracket_of[number], self.round_of[number], self.fixture(number)
        if BYE not in old.sources:
            raise Refused("no_bye_left")
        seat = DrawnSeat(key, round_.number, len(round_.entrants) + 1)
        graph = self.with_source(number, old.sources.index(BYE), seat)
        bracket = graph.bracket(key)
        rounds = tuple(
            replace(other, entrants=(*other.entrants, source)) if other.number == round_.number else other
            for other in bracket.rounds
        )
        return graph.with_bracket(replace(bracket, rounds=rounds))


def _renumbered(bracket: Bracket, number_of: Callable[[FixtureId], FixtureId]) -> Bracket:
    def moved(source: Source) -> Source:
        if isinstance(source, WinnerOf | LoserOf):
            return replace(source, fixture=number_of(source.fixture))
        return source

    def fixture(old: Fixture) -> Fixture:
        condition = old.needed_if and replace(old.needed_if, fixture=number_of(old.needed_if.fixture))
        return Fixture(number_of(old.number), (moved(old.sources[0]), moved(old.sources[1])), condition)

    rounds = (
        replace(round_, fixtures=tuple(map(fixture, round_.fixtures)), entrants=tuple(map(moved, round_.entrants)))
        for round_ in bracket.rounds
    )
    return replace(bracket, rounds=tuple(rounds))


def _replaced(bracket: Bracket, new: Fixture) -> Bracket:
    rounds = tuple(
        replace(round_, fixtures=tuple(new if old.number == new.number else old for old in round_.fixtures))
        for round_ in bracket.rounds
    )
    return replace(bracket, rounds=rounds)


def check(graph: Graph) -> Graph:
    """Return the graph after checking that it is consistent.

    Every number occurs once, every source has a lower number than its fixture, no source feeds two slots and no entry
    is placed twice. Raises Refused("bad_graph") or Refused("entry_twice").
    """
    numbers = [fixture.number for bracket in graph.brackets for fixture in bracket.fixtures]
    if len(numbers) != len(set(numbers)):
        raise Refused("bad_graph", fixture=max(numbers, key=numbers.count), problem="the number occurs twice")
    used: set[Source] = set()
    for number, source in _sources(graph):
        if isinstance(source, WinnerOf | LoserOf) and not (
            source.fixture < number and source.fixture in graph.fixtures
        ):
            raise Refused("bad_graph", fixture=number, problem=f"fed by M{source.fixture}, which is not before it")
        if source in used:
            if isinstance(source, EntrySource):
                raise Refused("entry_twice", entry=source.entry)
            raise Refused("bad_graph", fixture=number, problem="its source is used twice")
        if not isinstance(source, ByeSource):
            used.add(source)
    return graph


def _sources(graph: Graph) -> Iterator[tuple[FixtureId, Source]]:
    for number, fixture in graph.fixtures.items():
        for source in fixture.sources:
            yield number, source
    for bracket in graph.brackets:
        for round_ in bracket.rounds:
            for source in round_.entrants:
                yield round_.fixtures[0].number, source
