"""The one model of every elimination format: brackets, rounds, fixtures, slots.

A graph is a plan and knows no result. A fixture has two slots; a slot has a source, which is one of five
things with five names: an entry, the winner or loser of another fixture, a place in a stage, a bye, or a
seat in a round that is drawn once all its entrants are known.
That a slot is a walkover or still to be decided is a state, told by `progress`, never part of a plan.

Fixtures are numbered through all brackets and a fixture only ever draws on lower numbers, so one pass in
the order of the numbers sees every source before it is needed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from tournaments.formats.errors import Refused

EntryId = int
"""Whatever names an entry outside (a primary key); formats only compare and sort it."""

FixtureId = int
"""The number of a fixture, unique in its graph and counted from 1: 13 is shown as "M13"."""

MAIN = "main"
CONSOLATION = "consolation"
LAST_CHANCE = "last_chance"
LOWER = "lower"
FINAL = "final"


@dataclass(frozen=True, slots=True)
class EntrySource:
    """This entry, set by the draw."""

    entry: EntryId
    kind: ClassVar[str] = "entry"


@dataclass(frozen=True, slots=True)
class WinnerOf:
    """Whoever wins that fixture."""

    fixture: FixtureId
    kind: ClassVar[str] = "winner"


@dataclass(frozen=True, slots=True)
class LoserOf:
    """Whoever loses that fixture: a drop."""

    fixture: FixtureId
    kind: ClassVar[str] = "loser"


@dataclass(frozen=True, slots=True)
class PlaceOf:
    """Whoever takes that place (from 1) in a stage, such as a group."""

    stage: str
    place: int
    kind: ClassVar[str] = "place"


@dataclass(frozen=True, slots=True)
class ByeSource:
    """Nobody, by the format: the other slot goes on without a match."""

    kind: ClassVar[str] = "bye"


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat (from 1) in a round that is drawn once all its entrants are known: one of them, by `seating`."""

    bracket: str
    round: int
    number: int
    kind: ClassVar[str] = "drawn"


Source = EntrySource | WinnerOf | LoserOf | PlaceOf | ByeSource | Seat
BYE = ByeSource()


@dataclass(frozen=True, slots=True)
class NeededIf:
    """A condition on a fixture: it is played only if `slot` (0 or 1) wins `fixture`.

    The second final of a double elimination is needed only if the lower bracket's winner, who stands in
    slot 1 of the first final, wins that.
    """

    fixture: FixtureId
    slot: int


@dataclass(frozen=True, slots=True)
class Fixture:
    """Two slots, given by their sources."""

    number: FixtureId
    sources: tuple[Source, Source]
    needed_if: NeededIf | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """The fixtures of one round of a bracket; `drops` are the letters of the rounds whose losers enter here.

    A round that is drawn once its entrants are known lists their sources in `entrants`, and its slots are seats.
    Entrant 1 is meant for seat 1 and so on; `seating` departs from that only for a fair bye and to keep two apart.
    """

    number: int
    fixtures: tuple[Fixture, ...]
    drops: tuple[str, ...] = ()
    entrants: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Bracket:
    """A named sequence of rounds; `fed_by` is the bracket whose losers it takes, None for the main one."""

    key: str
    rounds: tuple[Round, ...]
    fed_by: str | None = None

    @property
    def fixtures(self) -> tuple[Fixture, ...]:
        """All fixtures, round after round."""
        return tuple(fixture for round_ in self.rounds for fixture in round_.fixtures)


@dataclass(frozen=True)
class Graph:
    """All brackets of a stage, in the order in which their fixtures are numbered.

    `seed` draws the rounds that are drawn once their entrants are known; `apart` are groups of entries (clubs, or
    pairs) whose members should not meet there.
    """

    brackets: tuple[Bracket, ...]
    seed: bytes = b""
    apart: tuple[frozenset[EntryId], ...] = ()

    @cached_property
    def fixtures(self) -> dict[FixtureId, Fixture]:
        """Number -> fixture, ascending."""
        found = (fixture for bracket in self.brackets for fixture in bracket.fixtures)
        return {fixture.number: fixture for fixture in sorted(found, key=lambda fixture: fixture.number)}

    @cached_property
    def bracket_of(self) -> dict[FixtureId, str]:
        """Number -> key of its bracket."""
        return {fixture.number: bracket.key for bracket in self.brackets for fixture in bracket.fixtures}

    @cached_property
    def entries(self) -> tuple[EntryId, ...]:
        """The entries that the draw placed, in the order of the fixtures."""
        sources = (source for fixture in self.fixtures.values() for source in fixture.sources)
        return tuple(source.entry for source in sources if isinstance(source, EntrySource))

    @cached_property
    def round_of(self) -> dict[FixtureId, Round]:
        """Number -> its round."""
        return {
            fixture.number: round_
            for bracket in self.brackets
            for round_ in bracket.rounds
            for fixture in round_.fixtures
        }

    def intended(self, number: FixtureId) -> tuple[Source, Source]:
        """The sources of a fixture, with the entrant that is meant for it in place of a seat."""
        first, second = self.fixtures[number].sources
        entrants = self.round_of[number].entrants
        return (
            entrants[first.number - 1] if isinstance(first, Seat) else first,
            entrants[second.number - 1] if isinstance(second, Seat) else second,
        )

    @cached_property
    def next_of_winner(self) -> dict[FixtureId, FixtureId]:
        """Number -> the first fixture its winner goes to, or is meant for where that is still to be drawn."""
        return self._followers(WinnerOf)

    @cached_property
    def next_of_loser(self) -> dict[FixtureId, FixtureId]:
        """Number -> the first fixture its loser drops to, or is meant for where that is still to be drawn."""
        return self._followers(LoserOf)

    def _followers(self, kind: type[WinnerOf] | type[LoserOf]) -> dict[FixtureId, FixtureId]:
        followers: dict[FixtureId, FixtureId] = {}
        for number in self.fixtures:
            for source in self.intended(number):
                if isinstance(source, kind):
                    followers.setdefault(source.fixture, number)
        return followers

    def bracket(self, key: str) -> Bracket:
        """The bracket of that key; raises Refused("unknown_bracket")."""
        for bracket in self.brackets:
            if bracket.key == key:
                return bracket
        raise Refused("unknown_bracket", bracket=key)

    def fixture(self, number: FixtureId) -> Fixture:
        """The fixture of that number; raises Refused("unknown_fixture")."""
        if number not in self.fixtures:
            raise Refused("unknown_fixture", fixture=number)
        return self.fixtures[number]

    def shifted(self, by: int) -> "Graph":
        """The same plan with every number greater by so many, for a stage that follows another."""
        if by == 0:
            return self
        return replace(self, brackets=tuple(_shifted(bracket, by) for bracket in self.brackets))

    def with_bracket(self, bracket: Bracket) -> "Graph":
        """The graph with one more bracket, or with the one of the same key replaced."""
        kept = tuple(bracket if old.key == bracket.key else old for old in self.brackets)
        return replace(self, brackets=kept if bracket in kept else (*self.brackets, bracket))

    def with_source(self, number: FixtureId, slot: int, source: Source) -> "Graph":
        """The graph with the source of one slot replaced."""
        old = self.fixture(number)
        sources = (source, old.sources[1]) if slot == 0 else (old.sources[0], source)
        return replace(
            self, brackets=tuple(_replaced(bracket, replace(old, sources=sources)) for bracket in self.brackets)
        )

    def with_entrant(self, number: FixtureId, source: Source) -> "Graph":
        """The graph with one more entrant in a round that is still to be drawn, meant for the bye in this fixture.

        Raises Refused("no_bye_left") where the fixture has none.
        """
        key, round_, old = self.bracket_of[number], self.round_of[number], self.fixture(number)
        if BYE not in old.sources:
            raise Refused("no_bye_left")
        seat = Seat(key, round_.number, len(round_.entrants) + 1)
        graph = self.with_source(number, old.sources.index(BYE), seat)
        bracket = graph.bracket(key)
        rounds = tuple(
            replace(one, entrants=(*one.entrants, source)) if one.number == round_.number else one
            for one in bracket.rounds
        )
        return graph.with_bracket(replace(bracket, rounds=rounds))


def _shifted(bracket: Bracket, by: int) -> Bracket:
    def moved(source: Source) -> Source:
        return replace(source, fixture=source.fixture + by) if isinstance(source, WinnerOf | LoserOf) else source

    def fixture(old: Fixture) -> Fixture:
        condition = old.needed_if and replace(old.needed_if, fixture=old.needed_if.fixture + by)
        return Fixture(old.number + by, (moved(old.sources[0]), moved(old.sources[1])), condition)

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
    """The same graph, after checking that it is sound.

    Every number occurs once, every source has a lower number than its fixture, nothing feeds two slots and
    no entry is placed twice. Raises Refused("bad_graph") or Refused("entry_twice").
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
