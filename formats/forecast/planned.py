"""The matches of stages that are planned or drawn, as the simulation of an evening plays them.

A stage with a plan has the matches of its graph. One that is paired round by round has as many matches in each round as
it may need, each with the chance that it is played. Both begin behind a gate if a stage comes before them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count

from formats.elimination.places import FIRST_PLACES
from formats.forecast.finish_times import RemainingMatch, length_of
from formats.graph import BYE, CONSOLATION, LAST_CHANCE, EntrySource, FixtureId, Graph, LoserOf, Source, WinnerOf

SECOND_FINAL = (True, False)
"""A second final is played in half of all cases."""
RANKS = {CONSOLATION: 1, LAST_CHANCE: 2} | dict.fromkeys(FIRST_PLACES, 1)
"""The order in which brackets get tables; all others come first."""

Courses = Sequence[Sequence[tuple[bool, ...]]]
"""By round: in which of several equally likely courses of the stage each of its matches is played."""


def matches_of_graph(
    graph: Graph,
    rows: Mapping[str, str],
    lengths: Mapping[str, Sequence[int]],
    *,
    keys: Iterator[int],
    behind: int | None = None,
    first_player: int = 0,
) -> list[RemainingMatch]:
    """Return the matches of a plan, without byes.

    `rows` and `lengths` have the row and the match lengths by round of each bracket; `keys` numbers the matches.
    With a stage before it, all entrants come through the gate `behind`, also those that the plan has as entries since
    their number is known. `first_player` is added to the numbers of entries.
    """
    byes = {number for number, fixture in graph.fixtures.items() if BYE in fixture.sources}
    key_of = {number: next(keys) for number in graph.fixtures if number not in byes}
    matches = []
    for bracket in graph.brackets:
        for round_ in bracket.rounds:
            for fixture in round_.fixtures:
                if fixture.number in byes:
                    continue
                awaited = _origins(graph, fixture.number)
                feeding = dict.fromkeys(
                    key_of[source.fixture] for source in awaited if isinstance(source, WinnerOf | LoserOf)
                )
                entries = [source.entry for source in awaited if isinstance(source, EntrySource)]
                players = tuple(first_player + entry for entry in entries) if behind is None else ()
                from_before = any(not isinstance(source, WinnerOf | LoserOf) for source in awaited)
                needs = [*feeding, *([behind] if behind is not None and from_before else [])]
                if fixture.needed_if is not None:
                    needs.append(key_of[fixture.needed_if.fixture])
                matches.append(
                    RemainingMatch(
                        key=key_of[fixture.number],
                        row=rows[bracket.key],
                        round=round_.number,
                        length=length_of(lengths[bracket.key], round_.number),
                        rank=RANKS.get(bracket.key, 0),
                        needs=tuple(dict.fromkeys(needs)),
                        players=players if len(awaited) == len(fixture.sources) else (),
                        played_in=() if fixture.needed_if is None else SECOND_FINAL,
                    )
                )
    return matches


def _origins(graph: Graph, number: FixtureId) -> list[Source]:
    """Return where the entrants of a fixture come from before all byes.

    All entrants of lines that are drawn once they are known count, since any of them may get the bye.
    """
    origins: list[Source] = []
    for source in graph.awaited(number):
        if not isinstance(source, WinnerOf | LoserOf) or BYE not in graph.fixtures[source.fixture].sources:
            origins.append(source)
        elif isinstance(source, WinnerOf):
            origins += _origins(graph, source.fixture)
    return origins


def matches_by_round(
    row: str,
    courses: Courses,
    lengths: Sequence[int],
    *,
    keys: Iterator[int],
    after: Collection[int] = (),
    first_round: int = 1,
) -> list[RemainingMatch]:
    """Return the matches of rounds that are paired one by one; each waits for the whole round before it.

    The first of them waits for the matches `after`.
    """
    matches: list[RemainingMatch] = []
    before = tuple(after)
    for number, round_courses in enumerate(courses, start=first_round):
        needs: tuple[int, ...] = ()
        if before:
            gate = next(keys)
            matches.append(RemainingMatch(gate, row, number, 0, needs=before, gate=True))
            needs = (gate,)
        length = length_of(lengths, number)
        round_ = [
            RemainingMatch(next(keys), row, number, length, needs=needs, played_in=played_in)
            for played_in in round_courses
        ]
        matches += round_
        before = tuple(match.key for match in round_)
    return matches


def numbering(first: int = 1, step: int = 1) -> Iterator[int]:
    return count(first, step)
