"""The matches of stages that are planned or drawn, as the simulation of an evening plays them.

A stage with a plan has the matches of its graph. One that is paired round by round has as many matches in each round as
it may need, each with the chance that it is played. Both begin behind a gate if a stage comes before them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count

from tournaments.formats.forecast.finish_times import RemainingMatch, length_of
from tournaments.formats.graph import (
    BYE,
    CONSOLATION,
    LAST_CHANCE,
    ByeSource,
    EntrySource,
    Graph,
    LoserOf,
    Source,
    WinnerOf,
)

SECOND_FINAL = (True, False)
"""A second final is played in half of all cases."""
RANKS = {CONSOLATION: 1, LAST_CHANCE: 2}
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
    Entrants of a stage before it come through the gate `behind`. `first_player` is added to the numbers of entries.
    """
    byes = {number for number, fixture in graph.fixtures.items() if BYE in fixture.sources}
    key_of = {number: next(keys) for number in graph.fixtures if number not in byes}
    matches = []
    for bracket in graph.brackets:
        for round_ in bracket.rounds:
            for fixture in round_.fixtures:
                if fixture.number in byes:
                    continue
                # A round that is drawn once its entrants are known waits for all of them.
                awaited = [_origin(graph, source) for source in round_.entrants or fixture.sources]
                feeding = dict.fromkeys(
                    key_of[source.fixture] for source in awaited if isinstance(source, WinnerOf | LoserOf)
                )
                players = tuple(first_player + source.entry for source in awaited if isinstance(source, EntrySource))
                from_before = any(not isinstance(source, WinnerOf | LoserOf | EntrySource) for source in awaited)
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


def _origin(graph: Graph, source: Source) -> Source:
    """Return where an entrant comes from before all byes; a bye itself if nobody comes."""
    while isinstance(source, WinnerOf | LoserOf):
        sources = graph.intended(source.fixture)
        if BYE not in sources:
            return source
        if isinstance(source, LoserOf):
            return BYE
        source = next((other for other in sources if not isinstance(other, ByeSource)), BYE)
    return source


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
    """Return keys for matches."""
    return count(first, step)
