"""Random transcripts that a format can hold."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from engine.position import Position
from engine.transcript import Event, Game, Kind, Move, StatedResult, Transcript

# A transcript takes a while to make up, and test machines are shared.
RECORD_SETTINGS = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])

SIDE = st.integers(0, 1)
NUMBER = st.integers(0, 4096)
WORD = st.text(st.characters(min_codepoint=33, max_codepoint=0x24F, categories=("L", "N", "P", "S")), min_size=1)
TEXT = st.lists(WORD, max_size=3).map(" ".join)
NAME = TEXT.filter(lambda name: "," not in name)
DICE = st.tuples(st.integers(1, 9), st.integers(0, 9))
KEY = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20)


def _chains(least: int, most: int) -> st.SearchStrategy[tuple[int, ...]]:
    way = st.lists(st.integers(1, 24), min_size=least - 2, max_size=most - 2)
    return st.tuples(st.integers(1, 25), way, st.integers(0, 24)).map(lambda t: (t[0], *t[1], t[2]))


@st.composite
def moves(draw: st.DrawFn, *, stars: bool = True, longest: int = 4) -> Move:
    """A move over up to `longest` points; if it has stars, at least one is set."""
    points = draw(_chains(2, longest))
    hits = draw(st.lists(st.booleans(), min_size=len(points) - 1, max_size=len(points) - 1)) if stars else []
    return Move(points, tuple(hits) if any(hits) else ())


@st.composite
def plays(draw: st.DrawFn, *, stars: bool = True, longest: int = 4) -> Event:
    """A roll with moves, without moves, or with unknown moves."""
    written_moves = st.lists(moves(stars=stars, longest=longest), max_size=5).map(tuple)
    return Event(draw(SIDE), Kind.PLAY, draw(st.none() | DICE), draw(st.none() | written_moves))


def bare(*kinds: Kind) -> st.SearchStrategy[Event]:
    """Events with a side and a kind only."""
    return st.tuples(SIDE, st.sampled_from(kinds)).map(lambda pair: Event(*pair))


def cube_actions(values: st.SearchStrategy[int | None]) -> st.SearchStrategy[Event]:
    """Doubles, takes and drops; `values` are those that a double may state."""
    doubles = st.builds(lambda side, value: Event(side, Kind.DOUBLE, value=value), SIDE, values)
    return doubles | bare(Kind.TAKE, Kind.DROP)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """A possible position: some checkers of each side on points of their own."""
    counts = [0] * 26
    for sign in (1, -1):
        for point in draw(st.lists(st.integers(1, 24), min_size=1, max_size=15)):
            if counts[point] * sign >= 0:
                counts[point] += sign
    if not any(count > 0 for count in counts):
        counts[25] = 1
    return Position.from_counts(counts)


@st.composite
def transcripts(
    draw: st.DrawFn,
    events: st.SearchStrategy[Event],
    *,
    names: st.SearchStrategy[str] = NAME,
    info: st.SearchStrategy[dict[str, str]] | None = None,
    crawford: st.SearchStrategy[bool | None] | None = None,
    claims: st.SearchStrategy[StatedResult] | None = None,
) -> Transcript:
    """A match of one to three games with these events."""
    stated = st.builds(StatedResult, SIDE, st.none() | NUMBER, st.booleans()) if claims is None else claims
    games = tuple(
        Game(
            number=number,
            events=tuple(draw(st.lists(events, max_size=12))),
            start=draw(st.tuples(NUMBER, NUMBER)),
            crawford=draw(st.none() if crawford is None else crawford),
            claim=draw(st.none() | stated),
        )
        for number in range(1, draw(st.integers(1, 3)) + 1)
    )
    return Transcript(
        players=(draw(names), draw(names)),
        length=draw(st.integers(2, 64)),
        games=games,
        info=draw(st.just({}) if info is None else info),
    )
