"""Legal plays of a roll, as values: `legal_plays(position, dice)`."""

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import overload

from engine.errors import Refused
from engine.keys import BIAS, OFF
from engine.notation import Step, standard_notation
from engine.position import Position
from engine.search import HIT, MOVE, TARGET, Dice, Path, legal_results


class Play(tuple[int, int, Path]):
    """A legal play of a roll, returned by `legal_plays`. Its steps and notation are computed on access."""

    # A tuple (key before, key after, path) for speed, like Position.
    __slots__ = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The single steps in order."""
        return steps_of(self[0], self[2])

    @property
    def result(self) -> Position:
        """The position after the play, still seen by the mover."""
        return _new(Position, (self[1],))

    def __str__(self) -> str:
        return standard_notation(self.steps)

    def __repr__(self) -> str:
        return f"<Play {self}>" if self[2] else "<Play: no move>"


_new = tuple.__new__
_SHOWN = 5
"""Plays shown in the `repr` of a sequence of them."""


class Plays(Sequence[Play]):
    """The distinct legal plays of a roll, as a sequence whose members are created on access."""

    __slots__ = ("_before", "_keys", "_results")

    def __init__(self, before: int, results: dict[int, Path]) -> None:
        self._before = before
        self._results = results
        self._keys: list[int] | None = None

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Play]:
        return map(Play, zip(repeat(self._before), self._results, self._results.values(), strict=False))

    @overload
    def __getitem__(self, index: int) -> Play: ...
    @overload
    def __getitem__(self, index: slice) -> list[Play]: ...
    def __getitem__(self, index: int | slice) -> Play | list[Play]:
        if self._keys is None:
            self._keys = list(self._results)
        if isinstance(index, slice):
            return [self._play(key) for key in self._keys[index]]
        return self._play(self._keys[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return list(self) == list(other)

    # Equal to lists, which have no hash either.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} plays: {', '.join(map(str, self[:_SHOWN]))}{', …' if len(self) > _SHOWN else ''}>"

    def _play(self, key: int) -> Play:
        return Play((self._before, key, self._results[key]))


def legal_plays(position: Position, dice: Dice) -> Plays:
    """Return the legal plays of a roll, one for each final position; empty if there is no move.

    Raises Refused (`bad_dice`) unless both dice are 1 to 6.
    """
    return Plays(position.key, legal_results(position.key, *checked_dice(dice)))


_PAIR = (tuple, list)  # a name, because a union of types in the call is built anew each time


def dice_to_play(dice: Dice) -> tuple[int, ...]:
    """Return the dice of a roll in the order they are shown, the higher one first; a double is played four times."""
    low, high = sorted(dice)
    return (high, low) if high != low else (high,) * 4


def checked_dice(dice: Dice) -> Dice:
    """Return the dice; raise Refused (`bad_dice`) unless both are whole numbers from 1 to 6."""
    if not isinstance(dice, _PAIR) or len(dice) != 2:
        raise Refused("bad_dice", dice=dice)
    high, low = dice
    if not (type(high) is type(low) is int and 1 <= high <= 6 and 1 <= low <= 6):
        raise Refused("bad_dice", dice=f"{high}-{low}")
    return dice


def steps_of(key: int, path: Path) -> tuple[Step, ...]:
    """Return the steps of a path that starts at the position `key`."""
    steps = []
    for code in path:
        die, source = divmod(code, 32)
        steps.append(step_of(key, die, source))
        key += (HIT if steps[-1].hit else MOVE)[die][source]
    return tuple(steps)


def step_of(key: int, die: int, source: int) -> Step:
    """Return the step of a die and one of its `sources` in the position `key`."""
    target = TARGET[die][source]
    return Step(source, target, die, target != OFF and (key >> 8 * target & 255) == BIAS - 1)
