"""Where losers enter a lower bracket, arranged so that there are few rematches.

Measure: the expected number of rematches if every match is even. In the feeding bracket, the loser of fixture g has met
the loser of an earlier fixture f if they won there and came through to g: with d matches from f to g, the probability
is 2^-d. A side of a lower fixture is described by the odds that it is the loser of each feeding fixture, so the measure
of a bracket is a sum over its fixtures.

Layout: sides stay in the order of the feeding bracket, and the drops of a round are placed against them in the order of
(index XOR mask), with one mask for each round. The masks are found by descent, round by round. For 8 and 16 players
this finds the best of all layouts (the tests check it by full search), and halving the field hardly changes the figure.

Late-drawn rounds: if the bye of a round depends on results, that round and all later ones are drawn one by one, once
their entrants are known (`seating`). Their pairings here are provisional, and the measure is an upper estimate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tournaments.formats.elimination.byes import Span, any_of, is_certain, taker_of
from tournaments.formats.graph import FixtureId, Source, WinnerOf
from tournaments.formats.lots import Lots

EFFORT = 80_000
"""How many sides may be laid out in the search for masks: enough for all masks in a club's field."""

LARGE = 96
"""From this many drops on, the descent starts from `LARGE_MASKS`, since it cannot try everything."""

LARGE_MASKS = (0, 1, 0, 4, 15, 12, 16)
"""Masks for rounds with 1, 2, 4, … drops (the last for all larger rounds), found by descent for 512 to 4,096 entries.

With them about 0.70 rematches are expected at every size.
"""

LEAST_GAIN = 1e-12
"""Smaller gains are rounding errors."""

REACH = 17
"""How many pairs are tried for an exchange, the nearest first."""

FEWEST_TO_DRAW = 2
"""With two entrants there is nothing to draw: they meet."""

WORTHWHILE = 0.5
"""An exchange must at least halve the cost of two pairs: smaller gains are lost again in later rounds."""


@dataclass(frozen=True, slots=True)
class Side:
    """The future entrant of a slot: its source, the odds by feeding fixture, and the byes they can have had."""

    source: Source
    odds: Mapping[FixtureId, float]
    byes: Span


class Pairing(NamedTuple):
    """Two sides that meet; `second` is None for a bye."""

    first: Side
    second: Side | None


@dataclass(frozen=True, slots=True)
class Feed:
    """The losers that feed a lower bracket.

    `drops` are the sides that enter in each round, by letter. `above` has, for each feeding fixture, the later ones in
    which its winner can lose, with the probability of that.
    """

    drops: tuple[tuple[tuple[Side, ...], ...], ...]
    above: Mapping[FixtureId, tuple[tuple[FixtureId, float], ...]]


@dataclass(frozen=True, slots=True)
class LaidRound:
    """The pairings of a round; they are provisional if it is `drawn` once its entrants are known."""

    pairings: tuple[Pairing, ...] = ()
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The rounds of a lower bracket, and the rematches to expect."""

    rounds: tuple[LaidRound, ...]
    rematches: float


def expected_rematches(first: Side, second: Side, feed: Feed) -> float:
    """Return the probability that two sides have met in the feeding bracket."""
    total = 0.0
    for side, opponent in ((first, second), (second, first)):
        for fixture, chance in side.odds.items():
            for later, met in feed.above[fixture]:
                against = opponent.odds.get(later)
                if against is not None:
                    total += chance * against * met
    return total


@dataclass(frozen=True, slots=True)
class _Stage:
    """A layout up to some round: the remaining sides, the number of the next fixture, and the cost so far."""

    sides: tuple[Side, ...]
    number: FixtureId
    rematches: float
    round: LaidRound = LaidRound()


def lay_out(feed: Feed, *, seed: bytes, draft: int, first_number: int) -> Layout:
    """Return the layout with the fewest expected rematches of those tried; equal input gives equal output."""
    sizes = [sum(map(len, round_)) for round_ in feed.drops]
    entering = [at for at, size in enumerate(sizes) if size]
    first = _half if sum(sizes) < LARGE else _large_mask
    masks = [first(size) if at in entering[1:] else 0 for at, size in enumerate(sizes)]
    lots = _LotsByRound(seed, f"byes-{first_number}", draft)
    best = _stages([_Stage((), first_number, 0.0)], feed, masks, lots)
    budget = EFFORT // max(1, sum(sizes))
    improved = True
    while improved and budget > 0:
        improved = False
        # Late rounds matter most, because few matches lie between a drop there and a rematch.
        for at in reversed(entering[1:]):
            for mask in _masks(sizes[at]):
                if mask == masks[at] or budget <= 0:
                    continue
                tried = [*masks[:at], mask, *masks[at + 1 :]]
                stages = _stages(best[: at + 1], feed, tried, lots)
                budget -= len(masks) - at
                if stages[-1].rematches < best[-1].rematches - LEAST_GAIN:
                    best, masks, improved = stages, tried, True
    return Layout(tuple(stage.round for stage in best[1:]), best[-1].rematches)


class _LotsByRound:
    """Separate lots for each round, so that a round draws the same lots whatever was tried before it."""

    def __init__(self, seed: bytes, purpose: str, draft: int) -> None:
        self._seed, self._purpose, self._draft = seed, purpose, draft

    def of(self, round_number: int) -> Lots:
        return Lots(self._seed, f"{self._purpose}-{round_number}", self._draft)


def _half(size: int) -> int:
    """Return the mask that exchanges the halves of a round's drops."""
    return 1 << ((size - 1).bit_length() - 1) if size > 1 else 0


def _large_mask(size: int) -> int:
    """Return the mask for a round with `size` drops in a large field."""
    return LARGE_MASKS[min((size - 1).bit_length(), len(LARGE_MASKS) - 1)]


def _masks(size: int) -> list[int]:
    """Return the masks to try for a round with `size` drops: all if there are few, else those with one run of bits."""
    bits = (size - 1).bit_length()
    if bits <= 4:
        return list(range(1 << bits))
    runs = {((1 << length) - 1) << low for low in range(bits) for length in range(1, bits - low + 1)}
    return sorted({0} | runs, reverse=True)


def _stages(known: list[_Stage], feed: Feed, masks: Sequence[int], lots: _LotsByRound) -> list[_Stage]:
    """Complete the stages of a layout, given the first ones."""
    stages = list(known)
    for at in range(len(known) - 1, len(masks)):
        before = stages[-1]
        entering = [drop for letter in feed.drops[at] for drop in _by_mask(letter, masks[at])]
        pairings = _paired(before.sides, entering, feed, lots.of(at + 1))
        cost = sum(_cost(pairing, feed) for pairing in pairings)
        spans = [side.byes for side in (*before.sides, *entering)]
        # A bye given by lot moves players in a way the plan cannot know, so later rounds have to be drawn late as well.
        drawn = len(spans) > FEWEST_TO_DRAW and (before.round.drawn or (len(spans) % 2 == 1 and not is_certain(spans)))
        winners = [_winner(pairing, before.number + place) for place, pairing in enumerate(pairings)]
        if drawn:
            winners = [replace(winner, byes=_drawn_byes(pairings[at], spans)) for at, winner in enumerate(winners)]
        # A single entrant waits: there is no fixture, and they join the sides of the next round.
        sides = tuple(winners if pairings else entering)
        number, rematches = before.number + len(pairings), before.rematches + cost
        stages.append(_Stage(sides, number, rematches, LaidRound(pairings, drawn)))
    return stages


def _drawn_byes(pairing: Pairing, spans: Sequence[Span]) -> Span:
    """Return the byes of the winner of a fixture in a round that is drawn among all its entrants."""
    return any_of(spans) if pairing.second is not None else taker_of(spans).after_bye()


def _by_mask(drops: Sequence[Side], mask: int) -> list[Side]:
    return [drops[at] for at in sorted(range(len(drops)), key=lambda at: at ^ mask)]


def _winner(pairing: Pairing, number: FixtureId) -> Side:
    first, second = pairing
    if second is None:
        return replace(first, source=WinnerOf(number), byes=first.byes.after_bye())
    odds = {fixture: chance / 2 for fixture, chance in first.odds.items()}
    for fixture, chance in second.odds.items():
        odds[fixture] = odds.get(fixture, 0.0) + chance / 2
    return Side(WinnerOf(number), odds, any_of((first.byes, second.byes)))


def _paired(sides: Sequence[Side], entering: Sequence[Side], feed: Feed, lots: Lots) -> tuple[Pairing, ...]:
    """Pair one round in the order of the sides; drops meet those who are already in the bracket."""
    present, new = list(sides), list(entering)
    if len(present) + len(new) < 2:
        return ()
    bye = _bye(present, new, lots) if (len(present) + len(new)) % 2 else None
    bye_index = 0
    if bye is not None:
        group = present if bye in present else new
        bye_index = group.index(bye)
        group.remove(bye)
    pairings = _apart(_set_against(present, new), feed)
    if bye is not None:
        pairings.insert(min(bye_index, len(pairings)), Pairing(bye, None))
    return tuple(pairings)


def _bye(present: Sequence[Side], new: Sequence[Side], lots: Lots) -> Side:
    """Choose the side with the bye by lot; provisional if the byes so far depend on results."""
    everybody = [*present, *new]
    fewest = min(side.byes for side in everybody)
    return lots.choice([side for side in everybody if side.byes == fewest])


def _set_against(present: list[Side], new: list[Side]) -> list[Pairing]:
    """Pair present with new sides in order; surplus sides meet their neighbours, spread evenly."""
    more, fewer = (present, new) if len(present) >= len(new) else (new, present)
    own = (len(more) - len(fewer)) // 2
    total = own + len(fewer)
    pairings: list[Pairing] = []
    at = taken = 0
    for place in range(total):
        if (place + 1) * own // total > place * own // total:
            pairings.append(Pairing(more[at], more[at + 1]))
            at += 2
        else:
            pairings.append(Pairing(more[at], fewer[taken]))
            at += 1
            taken += 1
    return pairings


def _apart(pairings: list[Pairing], feed: Feed) -> list[Pairing]:
    """Return the pairs after exchanging opponents wherever that leaves fewer expected rematches."""
    cost = [_cost(pairing, feed) for pairing in pairings]
    for at, own in enumerate(cost):
        if own <= 0:
            continue
        for other in sorted(range(len(pairings)), key=lambda place: abs(place - at))[1:REACH]:
            first, second = pairings[at], pairings[other]
            swapped = (Pairing(first.first, second.second), Pairing(second.first, first.second))
            new = [_cost(pairing, feed) for pairing in swapped]
            if sum(new) < (cost[at] + cost[other]) * WORTHWHILE:
                pairings[at], pairings[other] = swapped
                cost[at], cost[other] = new
                break
    return pairings


def _cost(pairing: Pairing, feed: Feed) -> float:
    return expected_rematches(pairing.first, pairing.second, feed) if pairing.second is not None else 0.0
