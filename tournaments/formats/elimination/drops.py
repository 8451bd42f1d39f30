"""Where drops are placed in a lower bracket, so that few meet again.

Measure: the expected number of rematches when every match is the toss of a coin. In the feeding bracket the
loser of a fixture g has met the loser of an earlier fixture f if he came through f and won there: for d
matches from f to g the chance is 2^-d. Two sides of a lower fixture are known by the odds that the loser of
each feeding fixture stands there, so the measure of a whole bracket is a sum over its fixtures.

Layout: sides stay in the order of the feeding bracket; the drops of a round are set against them in the
order of (index XOR mask), one mask a round. The masks are chosen by descent, one round after the other,
from those below; for 8 and 16 players this reaches the best of all layouts (shown by full search in the
tests), and halving the field changes the figure little.

Rounds that wait: where the bye of a round depends on results, that round and those after it are drawn one by one, once
their entrants are known (`seating`). Their pairings here are only meant, and the measure is what to expect at most.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tournaments.formats.elimination.byes import Span, any_of, is_certain, taker_of
from tournaments.formats.graph import FixtureId, Source, WinnerOf
from tournaments.formats.lots import Lots

EFFORT = 80_000
"""Sides laid out while looking for masks: all masks in a club's field, some of them in a large one."""

LARGE = 96
"""From so many drops on the descent starts from `FOUND`, since it cannot try everything."""

FOUND = (0, 1, 0, 4, 15, 12, 16)
"""Masks of rounds with 1, 2, 4, … drops (the last for all above), found by descent over fields of 512 to 4,096;
with them the rematches to expect stay near 0.70 at every size."""

LEAST_GAIN = 1e-12
"""Less than this is a difference of rounding."""

REACH = 17
"""Pairs looked at for an exchange, the nearest first."""

FEWEST_TO_DRAW = 2
"""Two can only meet each other."""

WORTHWHILE = 0.5
"""An exchange must halve what two pairs cost: smaller gains here are lost again in later rounds."""


@dataclass(frozen=True, slots=True)
class Side:
    """Whoever will stand in a slot: its source, the odds by feeding fixture, and the byes they can have had."""

    source: Source
    odds: Mapping[FixtureId, float]
    byes: Span


class Pairing(NamedTuple):
    """Two sides that meet; the second None for a bye."""

    first: Side
    second: Side | None


@dataclass(frozen=True, slots=True)
class Feed:
    """What a lower bracket draws on.

    `drops` are the sides that enter in each of its rounds, by letter. `above` gives for a feeding fixture
    the later ones its winner can lose in, with the chance of a meeting.
    """

    drops: tuple[tuple[tuple[Side, ...], ...], ...]
    above: Mapping[FixtureId, tuple[tuple[FixtureId, float], ...]]


@dataclass(frozen=True, slots=True)
class LaidRound:
    """The pairings of a round; one that is `drawn` is so once its entrants are known, and these are only meant."""

    pairings: tuple[Pairing, ...] = ()
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """All rounds of a lower bracket, and its expected rematches."""

    rounds: tuple[LaidRound, ...]
    rematches: float


def expected_rematches(first: Side, second: Side, feed: Feed) -> float:
    """The chance that two sides have met in the feeding bracket."""
    total = 0.0
    for one, other in ((first, second), (second, first)):
        for fixture, chance in one.odds.items():
            for later, met in feed.above[fixture]:
                against = other.odds.get(later)
                if against is not None:
                    total += chance * against * met
    return total


@dataclass(frozen=True, slots=True)
class _Stage:
    """A layout up to some round: who is left, the number of the next fixture, and what it costs so far."""

    sides: tuple[Side, ...]
    number: FixtureId
    rematches: float
    round: LaidRound = LaidRound()


def lay_out(feed: Feed, *, seed: bytes, draft: int, first_number: int) -> Layout:
    """The layout with the fewest expected rematches among those tried; equal input gives equal output."""
    sizes = [sum(map(len, round_)) for round_ in feed.drops]
    entering = [at for at, size in enumerate(sizes) if size]
    first = _half if sum(sizes) < LARGE else _found
    masks = [first(size) if at in entering[1:] else 0 for at, size in enumerate(sizes)]
    lots = _LotsByRound(seed, f"byes-{first_number}", draft)
    best = _stages([_Stage((), first_number, 0.0)], feed, masks, lots)
    budget = EFFORT // max(1, sum(sizes))
    improved = True
    while improved and budget > 0:
        improved = False
        # Late rounds decide most: few matches lie between a drop there and the next meeting.
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
    """Lots for each round of their own, so that a round draws the same whatever was tried before it."""

    def __init__(self, seed: bytes, purpose: str, draft: int) -> None:
        self._seed, self._purpose, self._draft = seed, purpose, draft

    def of(self, round_number: int) -> Lots:
        return Lots(self._seed, f"{self._purpose}-{round_number}", self._draft)


def _half(size: int) -> int:
    """The mask that exchanges the halves of a round's drops."""
    return 1 << ((size - 1).bit_length() - 1) if size > 1 else 0


def _found(size: int) -> int:
    """The mask that the search for large fields found for a round with so many drops."""
    return FOUND[min((size - 1).bit_length(), len(FOUND) - 1)]


def _masks(size: int) -> list[int]:
    """Masks to try for a round with `size` drops: all of them for few, ones with a single run of bits for many."""
    bits = (size - 1).bit_length()
    if bits <= 4:
        return list(range(1 << bits))
    runs = {((1 << length) - 1) << low for low in range(bits) for length in range(1, bits - low + 1)}
    return sorted({0} | runs, reverse=True)


def _stages(known: list[_Stage], feed: Feed, masks: Sequence[int], lots: _LotsByRound) -> list[_Stage]:
    """The stages of a layout, of which the first ones are known."""
    stages = list(known)
    for at in range(len(known) - 1, len(masks)):
        before = stages[-1]
        entering = [drop for letter in feed.drops[at] for drop in _by_mask(letter, masks[at])]
        pairings = _paired(before.sides, entering, feed, lots.of(at + 1))
        cost = sum(_cost(pairing, feed) for pairing in pairings)
        spans = [side.byes for side in (*before.sides, *entering)]
        # A bye given by lot sends players where the plan did not expect them, so the rounds after it wait as well.
        drawn = len(spans) > FEWEST_TO_DRAW and (before.round.drawn or (len(spans) % 2 == 1 and not is_certain(spans)))
        winners = [_winner(pairing, before.number + place) for place, pairing in enumerate(pairings)]
        if drawn:
            winners = [replace(winner, byes=_drawn_byes(pairings[at], spans)) for at, winner in enumerate(winners)]
        # A single entrant waits: no fixture, and a place among the sides of the next round.
        sides = tuple(winners if pairings else entering)
        number, rematches = before.number + len(pairings), before.rematches + cost
        stages.append(_Stage(sides, number, rematches, LaidRound(pairings, drawn)))
    return stages


def _drawn_byes(pairing: Pairing, spans: Sequence[Span]) -> Span:
    """The byes of whoever wins here, where the round is drawn among everybody who is in it."""
    return any_of(spans) if pairing.second is not None else taker_of(spans).one_more()


def _by_mask(drops: Sequence[Side], mask: int) -> list[Side]:
    return [drops[at] for at in sorted(range(len(drops)), key=lambda at: at ^ mask)]


def _winner(pairing: Pairing, number: FixtureId) -> Side:
    first, second = pairing
    if second is None:
        return replace(first, source=WinnerOf(number), byes=first.byes.one_more())
    odds = {fixture: chance / 2 for fixture, chance in first.odds.items()}
    for fixture, chance in second.odds.items():
        odds[fixture] = odds.get(fixture, 0.0) + chance / 2
    return Side(WinnerOf(number), odds, any_of((first.byes, second.byes)))


def _paired(sides: Sequence[Side], entering: Sequence[Side], feed: Feed, lots: Lots) -> tuple[Pairing, ...]:
    """The pairings of one round, in the order of the sides; drops meet those who are there already."""
    there, new = list(sides), list(entering)
    if len(there) + len(new) < 2:
        return ()
    bye = _bye(there, new, lots) if (len(there) + len(new)) % 2 else None
    at_bye = 0
    if bye is not None:
        at_bye = (there if bye in there else new).index(bye)
        (there if bye in there else new).remove(bye)
    pairings = _apart(_set_against(there, new), feed)
    if bye is not None:
        pairings.insert(min(at_bye, len(pairings)), Pairing(bye, None))
    return tuple(pairings)


def _bye(there: Sequence[Side], new: Sequence[Side], lots: Lots) -> Side:
    """By lot; where the byes so far are not certain, only to say where the bye stands until the round is drawn."""
    everybody = [*there, *new]
    fewest = min(side.byes for side in everybody)
    return lots.one_of([side for side in everybody if side.byes == fewest])


def _set_against(there: list[Side], new: list[Side]) -> list[Pairing]:
    """Pairs of old and new in order; those who are too many meet their neighbours, spread evenly."""
    more, fewer = (there, new) if len(there) >= len(new) else (new, there)
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
    """The same pairs, after exchanging opponents of two pairs wherever that leaves fewer expected rematches."""
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
