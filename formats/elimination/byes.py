"""How many byes the entrants of a lower bracket can have had, before any match is played.

A bye stands on a fixed line if its entrant is certain to have had no more byes than anybody else in the round. If that
depends on results, it is drawn among several lines once their entrants are known (`seating`).
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from formats.graph import BYE, DrawnSeat, FixtureId, Graph, LoserOf, Source, WinnerOf


class LowerByes(StrEnum):
    """How the byes of lower brackets are decided.

    With LINES, they stand on fixed lines as far as possible, and the rest is drawn among the lines concerned. With
    LOTS, a round whose bye depends on results is drawn when all its entrants are known, and so is each after it.
    """

    LINES = "lines"
    LOTS = "lots"


class Span(NamedTuple):
    """The fewest and the most byes that the entrant of a place can have had by then."""

    fewest: int = 0
    most: int = 0

    def after_bye(self) -> "Span":
        return Span(self.fewest + 1, self.most + 1)


NO_BYES = Span()


def any_of(spans: Iterable[Span]) -> Span:
    """Return the span of an entrant who may be any of these."""
    known = list(spans)
    return Span(min(span.fewest for span in known), max(span.most for span in known))


def taker_of(spans: Iterable[Span]) -> Span:
    """Return the span of the entrant who gets the bye among these: one with the fewest."""
    known = list(spans)
    return Span(min(span.fewest for span in known), min(span.most for span in known))


def is_certain(spans: Sequence[Span]) -> bool:
    """Whether all of these have had equally many byes, whatever the results."""
    whole = any_of(spans)
    return whole.fewest == whole.most


def lines_for_bye(spans: Sequence[Span]) -> tuple[int, ...]:
    """Return the fewest lines, as indices, among which somebody is certain to have had no more byes than anybody else.

    One line is enough if nobody elsewhere can have had fewer byes than its entrant can have had at most. Otherwise all
    those who can have had fewer are candidates, too.

    >>> lines_for_bye([Span(1, 1), Span(0, 0), Span(0, 1)])
    (1,)
    >>> lines_for_bye([Span(1, 1), Span(0, 1), Span(0, 1), Span(1, 2)])
    (1, 2)
    """
    best = min(range(len(spans)), key=lambda at: (spans[at].most, spans[at].fewest))
    return tuple(at for at, span in enumerate(spans) if at == best or span.fewest < spans[best].most)


def spans_by_fixture(graph: Graph) -> Mapping[FixtureId, Span]:
    """Return number -> the byes that an entrant of that fixture has had before it."""
    spans: dict[FixtureId, Span] = {}
    for number, fixture in graph.fixtures.items():
        coming = [_arriving(source, graph, spans) for source in graph.awaited(number)]
        is_drawn = any(isinstance(source, DrawnSeat) for source in fixture.sources)
        of_entrant = taker_of if is_drawn and BYE in fixture.sources else any_of
        spans[number] = of_entrant(coming) if coming else NO_BYES
    return spans


def _arriving(source: Source, graph: Graph, spans: Mapping[FixtureId, Span]) -> Span:
    if not isinstance(source, WinnerOf | LoserOf):
        return NO_BYES
    had = spans[source.fixture]
    rested = isinstance(source, WinnerOf) and BYE in graph.fixtures[source.fixture].sources
    return had.after_bye() if rested else had
