"""How many byes the entrants of a lower bracket can have had, before any match is played.

If all entrants of a round are certain to have had equally many, its bye can be drawn with the plan. If that depends on
results, the round is drawn once its entrants are known (`seating`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tournaments.formats.graph import BYE, FixtureId, Graph, LoserOf, Seat, Source, WinnerOf


class Span(NamedTuple):
    """The fewest and the most byes that the entrant of a place can have had by then."""

    fewest: int = 0
    most: int = 0

    def after_bye(self) -> "Span":
        """Return the span after another bye."""
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


def spans_by_fixture(graph: Graph) -> Mapping[FixtureId, Span]:
    """Return number -> the byes that an entrant of that fixture has had before it."""
    spans: dict[FixtureId, Span] = {}
    for number, fixture in graph.fixtures.items():
        entrants = graph.round_of[number].entrants
        own = [source for source in fixture.sources if source != BYE]
        if any(isinstance(source, Seat) for source in own):
            everybody = [_arriving(source, graph, spans) for source in entrants]
            spans[number] = taker_of(everybody) if BYE in fixture.sources else any_of(everybody)
        else:
            spans[number] = any_of(_arriving(source, graph, spans) for source in own) if own else NO_BYES
    return spans


def _arriving(source: Source, graph: Graph, spans: Mapping[FixtureId, Span]) -> Span:
    if not isinstance(source, WinnerOf | LoserOf):
        return NO_BYES
    had = spans[source.fixture]
    rested = isinstance(source, WinnerOf) and BYE in graph.fixtures[source.fixture].sources
    return had.after_bye() if rested else had
