"""The final of a series: how many ranks qualify, and in which rounds of its knockout they start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formats.errors import Refused
from formats.series.numbers import short
from formats.settings import MAX_STARTS

QUALIFYING = "qualifying"
"""The stage of those who play for places in the first round that is named."""
ROUNDS: Mapping[str, int] = {
    "final": 1,
    "semifinal": 2,
    "quarterfinal": 3,
    **{f"last {2**number}": number for number in range(4, MAX_STARTS + 1)},
}
"""Name of a round in a plan -> its number, counted backwards from the final."""


@dataclass(frozen=True, slots=True)
class StartingRound:
    """The positions from `first` to `last` in the order of the table, and the round in which they start.

    `round` counts backwards from the final and has `places` for them and those behind; None: they play for `places` in
    the round in which the group before them starts.
    """

    first: int
    last: int
    round: int | None
    places: int

    @property
    def left(self) -> int:
        """Places of the round that are left for those behind."""
        return self.places - (self.last - self.first + 1)


@dataclass(frozen=True, slots=True)
class FinalRounds:
    """The rounds in which the ranks that qualify start, the latest start first; empty if all start together."""

    groups: tuple[StartingRound, ...] = ()

    @property
    def starts(self) -> tuple[int, ...]:
        """How many start in the final, in the semi-finals and so on, without the last group, who play for the rest."""
        counts = [0] * (self.groups[-2].round or 0) if len(self.groups) > 1 else []
        for group in self.groups[:-1]:
            counts[(group.round or 0) - 1] = group.last - group.first + 1
        return tuple(counts)

    def of(self, position: int) -> StartingRound | None:
        """Return the group of a position among those who come, from 1; the last for all behind it, None without any."""
        return next(
            (group for group in self.groups if position <= group.last), self.groups[-1] if self.groups else None
        )


def byes_of(places: int) -> int:
    """Return how many players have a bye in the first round of a knockout of so many."""
    return (1 << max(places - 1, 0).bit_length()) - places if places else 0


def final_rounds(qualify: Mapping[str, Any]) -> FinalRounds:
    """Read the `stages` of the final of a plan, or its `byes`, which a knockout gives to the best ranks by itself.

    Raises Refused with `series_final_stages`, `series_final_stage`, `series_final_order`, `series_final_places`,
    `series_final_full`, `series_final_idle`, `series_final_qualifying`, `series_final_byes` or
    `series_final_byes_and_stages` if they cannot be drawn, and with `series_number` if its places are no whole number.
    """
    places, stages, byes = qualify.get("places"), qualify.get("stages"), qualify.get("byes")
    if places is not None and (isinstance(places, bool) or not isinstance(places, int) or places < 0):
        raise Refused("series_number", where="plan.qualify.places", value=short(places))
    if byes and stages:
        raise Refused("series_final_byes_and_stages")
    if byes and (byes is True or byes != byes_of(places or 0)):
        raise Refused("series_final_byes", byes=short(byes), places=places or 0, fitting=byes_of(places or 0))
    if not stages:
        return FinalRounds()
    if not isinstance(stages, list | tuple) or not all(isinstance(row, Mapping) for row in stages):
        raise Refused("series_final_stages")
    groups: list[StartingRound] = []
    for index, row in enumerate(stages):
        groups.append(_start(row, groups, is_last=index == len(stages) - 1))
    last = groups[-1].last
    if places != last:
        raise Refused("series_final_places", last=last, places=short(places))
    return FinalRounds(tuple(groups))


def _start(row: Mapping[str, Any], before: Sequence[StartingRound], *, is_last: bool) -> StartingRound:
    """Read a group of ranks behind those before it; its `places` are those of its round that are free for it."""
    name, last = row.get("stage"), row.get("to")
    first = before[-1].last + 1 if before else 1
    if isinstance(last, bool) or not isinstance(last, int) or last < first:
        raise Refused("series_final_order", rank=short(last), first=first)
    count = last - first + 1
    free = before[-1].left if before else 1
    if name == QUALIFYING and is_last and before:
        if row.get("places", free) != free:
            raise Refused("series_final_qualifying", places=short(row["places"]), free=free)
        if count <= free:
            raise Refused("series_final_idle", first=first, last=last, round=QUALIFYING)
        return StartingRound(first, last, None, free)
    number = ROUNDS.get(name) if isinstance(name, str) else None
    if number is None:
        raise Refused("series_final_stage", stage=short(name), choices=", ".join((*ROUNDS, QUALIFYING)))
    later = before[-1].round or 0 if before else 0
    if number <= later:
        raise Refused("series_final_order", rank=last, first=first)
    free <<= number - later
    if count > free - (not is_last):
        raise Refused("series_final_full", first=first, last=last, round=name, free=free)
    if is_last and 2 * count <= free:
        raise Refused("series_final_idle", first=first, last=last, round=name)
    return StartingRound(first, last, number, free)
