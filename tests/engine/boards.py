"""Positions for tests: from games, at random, and by point."""

from collections.abc import Iterator, Sequence
from random import Random

from hypothesis import strategies as st

from engine import Position, legal_plays

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
"""The 21 rolls."""

dice = st.tuples(st.integers(1, 6), st.integers(1, 6))


def board(own: dict[int, int], opposing: dict[int, int] | None = None) -> Position:
    """Return a position by point, seen by the mover: `board({13: 1}, {4: 2})`; 25 is the mover's bar."""
    counts = [0] * 26
    for point, count in own.items():
        counts[point] = count
    for point, count in (opposing or {}).items():
        counts[point] = -count
    return Position.from_counts(counts)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any position, most of them odd: few points, checkers on the bar, checkers off."""
    points = draw(st.permutations(range(1, 25)))
    split = draw(st.integers(0, 24))
    counts = [0] * 26
    counts[25], left = (bar := draw(st.integers(0, 3))), 15 - bar
    for point in points[:split]:
        counts[point] = draw(st.integers(0, min(left, 6)))
        left -= counts[point]
    counts[0], left = -(bar := draw(st.integers(0, 3))), 15 - bar
    for point in points[split:]:
        counts[point] = -draw(st.integers(0, min(left, 6)))
        left += counts[point]
    if not any(counts):
        counts[1] = 1
    return Position.from_counts(counts)


def played_positions(seed: int, games: int) -> Iterator[Position]:
    """Yield every position of random games, seen by the player on roll."""
    chance = Random(seed)
    for _ in range(games):
        position = Position.start()
        while not position.is_over:
            yield position
            plays = legal_plays(position, roll(chance))
            position = (chance.choice(plays).result if plays else position).swapped()


def roll(chance: Random) -> tuple[int, int]:
    """Two dice."""
    return chance.randint(1, 6), chance.randint(1, 6)


def pairs(text: str) -> tuple[Sequence[int], ...]:
    """Return `13/7 8/7` as ((13, 7), (8, 7))."""
    names = {"bar": 25, "off": 0}
    return tuple(
        tuple(names.get(name) or int(name) if name != "off" else 0 for name in way.split("/")) for way in text.split()
    )
