"""Where losers enter a lower bracket, arranged so that there are few rematches.

Measure: the expected number of rematches if every match is even. In the feeding bracket, the loser of fixture g has met
the loser of an earlier fixture f if they won there and came through to g: with d matches from f to g, the probability
is 2^-d. A side of a lower fixture is described by the odds that it is the loser of each feeding fixture, so the measure
of a bracket is a sum over its fixtures.

Layout: sides stay in the order of the feeding bracket, and the drops of a round are placed against them in the order of
(index XOR mask), with one mask for each round. The masks are found by descent, round by round. For 8 and 16 players
this finds the best of all layouts (the tests check it by full search), and halving the field hardly changes the figure.

Byes on fixed lines (`LowerByes.LINES`): a line is clean if nobody who comes by it can have had a bye. The winner of a
match of two clean lines is clean again, so a bye that stands on a clean line j rounds later needs 2^j of them now,
fewer as others drop in between. `_needs` reckons that from the last round back: it finds a clean line for the bye of
every round for which any plan has one, earlier rounds first, and the clean lines that must meet each other to that end.
Where there is none, the bye goes to the fewest lines among which somebody is certain to have had no more byes than
anybody else in the round (`lines_for_bye`): often still one. Those who can have had none meet each other before, which
makes these lines few.

Byes by lot (`LowerByes.LOTS`): if the bye of a round depends on results, that round and all later ones are drawn one by
one, once their entrants are known.

Drawn lines (`seating`) are provisional here, and with them the measure is an upper estimate.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from formats.elimination.byes import LowerByes, Span, any_of, is_certain, lines_for_bye, taker_of
from formats.graph import FixtureId, Source, WinnerOf
from formats.lots import Lots

EFFORT = 80_000
"""How many sides may be laid out in the search for masks: enough for all masks in a club's field."""

EXCHANGE_EFFORT = 20_000
"""How many sides may be laid out in the search for exchanges after that, in a field smaller than `LARGE`."""

LARGE = 96
"""From this many drops on, the descent starts from `LARGE_MASKS`, since it cannot try everything."""

LARGE_MASKS = (0, 1, 0, 4, 15, 12, 16)
"""Masks for rounds with 1, 2, 4, … drops (the last for all larger rounds), found by descent for 512 to 4,096 entries.

With them about 0.70 rematches are expected at every size.
"""

MIN_GAIN = 1e-12
"""Smaller gains are rounding errors."""

REACH = 17
"""How many pairs are tried for an exchange, the nearest first."""

MIN_TO_MEET = 2
"""One entrant waits; two meet, and there is nothing to draw."""

WORTHWHILE = 0.5
"""An exchange must at least halve the cost of two pairs: smaller gains are lost again in later rounds."""


@dataclass(frozen=True, slots=True)
class FutureEntrant:
    """The future entrant of a slot: its source, the odds by feeding fixture, and the byes they can have had."""

    source: Source
    odds: Mapping[FixtureId, float]
    byes: Span


class DropPairing(NamedTuple):
    """Two sides that meet; `second` is None for a bye."""

    first: FutureEntrant
    second: FutureEntrant | None


class Exchange(NamedTuple):
    """The second side of match `first` changes places with the second of match `second`, or its first if `crossed`."""

    first: int
    second: int
    crossed: bool


@dataclass(frozen=True, slots=True)
class Feed:
    """The losers that feed a lower bracket.

    `drops` are the sides that enter in each round, by letter. `above` has, for each feeding fixture, the later ones in
    which its winner can lose, with the probability of that.
    """

    drops: tuple[tuple[tuple[FutureEntrant, ...], ...], ...]
    above: Mapping[FixtureId, tuple[tuple[FixtureId, float], ...]]


@dataclass(frozen=True, slots=True)
class LaidRound:
    """The pairings of a round, and its lines that are `drawn` once all of them are known; those are provisional."""

    pairings: tuple[DropPairing, ...] = ()
    drawn: tuple[FutureEntrant, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """The rounds of a lower bracket, and the rematches to expect."""

    rounds: tuple[LaidRound, ...]
    rematches: float


def expected_rematches(first: FutureEntrant, second: FutureEntrant, feed: Feed) -> float:
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

    sides: tuple[FutureEntrant, ...]
    number: FixtureId
    rematches: float
    round: LaidRound = LaidRound()


@dataclass(frozen=True, slots=True)
class _Need:
    """What the byes of a round and of later ones ask of its pairings.

    `fixed` is whether its bye stands on a clean line, `clean` how many matches must be of two clean lines, and `gather`
    whether those who can have had no bye meet each other, because a later bye is left to as few lines as possible.
    """

    fixed: bool = False
    clean: int = 0
    gather: bool = False


def lay_out(feed: Feed, *, seed: bytes, draft: int, first_number: int, byes: LowerByes = LowerByes.LINES) -> Layout:
    """Return the layout with the fewest expected rematches of those tried; equal input gives equal output."""
    sizes = [sum(map(len, round_)) for round_ in feed.drops]
    entering = [at for at, size in enumerate(sizes) if size]
    first = _half if sum(sizes) < LARGE else _large_mask
    masks = [first(size) if at in entering[1:] else 0 for at, size in enumerate(sizes)]
    draws = _Draws(_LotsByRound(seed, f"byes-{first_number}", draft), _needs(feed) if byes is LowerByes.LINES else None)
    best = _stages([_Stage((), first_number, 0.0)], feed, masks, draws)
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
                stages = _stages(best[: at + 1], feed, tried, draws)
                budget -= len(masks) - at
                if stages[-1].rematches < best[-1].rematches - MIN_GAIN:
                    best, masks, improved = stages, tried, True
    if draws.needs is not None and any(need.clean or need.gather for need in draws.needs) and sum(sizes) < LARGE:
        best = _exchanged(best, feed, masks, draws, EXCHANGE_EFFORT // sum(sizes))
    return Layout(tuple(stage.round for stage in best[1:]), best[-1].rematches)


def _exchanged(best: list[_Stage], feed: Feed, masks: Sequence[int], draws: "_Draws", budget: int) -> list[_Stage]:
    """Return the stages after exchanging opponents where that leaves fewer rematches in all, last rounds first.

    Groups of sides that meet each other disturb the order in which masks work well; this makes up for it.
    """
    exchanges: list[tuple[Exchange, ...]] = [()] * len(masks)
    improved = True
    while improved and budget > 0:
        improved = False
        for at in reversed(range(len(masks))):
            matches = sum(pairing.second is not None for pairing in best[at + 1].round.pairings)
            for first, second in combinations(range(matches), 2):
                for crossed in (False, True):
                    if budget <= 0:
                        return best
                    more = (*exchanges[at], Exchange(first, second, crossed))
                    tried = [*exchanges[:at], more, *exchanges[at + 1 :]]
                    stages = _stages(best[: at + 1], feed, masks, replace(draws, exchanges=tried))
                    budget -= len(masks) - at
                    if stages[-1].rematches < best[-1].rematches - MIN_GAIN:
                        best, exchanges, improved = stages, tried, True
    return best


def _needs(feed: Feed) -> list[_Need]:
    """Return what each round must do so that as many byes as possible stand on clean lines, early rounds first.

    The count is that of the module's docstring. It is exact: only a match of two clean lines makes a clean line, and it
    does not matter which of them has the bye.
    """
    dropping = [[side for letter in round_ for side in letter] for round_ in feed.drops]
    clean = [sum(side.byes.most == 0 for side in sides) for sides in dropping]
    entrants: list[int] = []
    left = 0
    for sides in dropping:
        entrants.append(left + len(sides))
        left = entrants[-1] - entrants[-1] // 2
    odd = [at for at, count in enumerate(entrants) if count > 1 and count % 2]
    fixed: set[int] = set()
    matches = [0] * len(entrants)
    for at in odd:
        if (tried := _clean_matches(entrants, clean, fixed | {at})) is not None:
            fixed, matches = fixed | {at}, tried
    last_open = max((at for at in odd if at not in fixed), default=-1)
    return [_Need(at in fixed, matches[at], at < last_open) for at in range(len(entrants))]


def _clean_matches(entrants: Sequence[int], clean: Sequence[int], fixed: Collection[int]) -> list[int] | None:
    """Return how many matches of each round must be of two clean lines; None if there cannot be so many."""
    matches = [0] * len(entrants)
    needed = 0
    for at in range(len(entrants) - 1, -1, -1):
        # A single entrant waits, and their line stays as it is.
        if entrants[at] > 1:
            matches[at] = needed
            needed = 2 * needed + (at in fixed)
        needed = max(0, needed - clean[at])
    return matches if needed == 0 else None


class _LotsByRound:
    """Separate lots for each round, so that a round draws the same lots whatever was tried before it."""

    def __init__(self, seed: bytes, purpose: str, draft: int) -> None:
        self._seed, self._purpose, self._draft = seed, purpose, draft

    def of(self, round_number: int) -> Lots:
        return Lots(self._seed, f"{self._purpose}-{round_number}", self._draft)


@dataclass(frozen=True, slots=True)
class _Draws:
    """How the byes of each round are decided: the lots, and the `needs` of fixed lines, None if all is by lot."""

    lots: _LotsByRound
    needs: Sequence[_Need] | None
    exchanges: Sequence[Sequence[Exchange]] = ()


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


def _stages(known: list[_Stage], feed: Feed, masks: Sequence[int], draws: _Draws) -> list[_Stage]:
    """Complete the stages of a layout, given the first ones."""
    stages = list(known)
    for at in range(len(known) - 1, len(masks)):
        before = stages[-1]
        entering = [drop for letter in feed.drops[at] for drop in _by_mask(letter, masks[at])]
        lots = draws.lots.of(at + 1)
        if draws.needs is None:
            laid = _laid_by_lot(before, entering, feed, lots)
        else:
            exchanges = draws.exchanges[at] if draws.exchanges else ()
            laid = _laid_on_lines(before.sides, entering, feed, draws.needs[at], lots, exchanges)
        cost = sum(_cost(pairing, feed) for pairing in laid.pairings)
        winners = [_winner(pairing, before.number + place) for place, pairing in enumerate(laid.pairings)]
        if laid.drawn:
            winners = [
                replace(winner, byes=_byes_after_draw(pairing, laid.drawn))
                for winner, pairing in zip(winners, laid.pairings, strict=True)
            ]
        # A single entrant waits: there is no fixture, and they join the sides of the next round.
        sides = tuple(winners if laid.pairings else [*before.sides, *entering])
        number, rematches = before.number + len(laid.pairings), before.rematches + cost
        stages.append(_Stage(sides, number, rematches, laid))
    return stages


def _byes_after_draw(pairing: DropPairing, drawn: Sequence[FutureEntrant]) -> Span:
    """Return the byes of the winner of a fixture in a round in which these lines are drawn."""
    if pairing.second is None:
        return taker_of(side.byes for side in drawn).after_bye()
    seated = {side.source for side in drawn}
    own = [side.byes for side in (pairing.first, pairing.second) if side.source not in seated]
    return any_of([*own, *(side.byes for side in drawn)] if len(own) < len(pairing) else own)


def _laid_by_lot(before: _Stage, entering: Sequence[FutureEntrant], feed: Feed, lots: Lots) -> LaidRound:
    """Pair one round in the order of the sides; it is drawn later if its bye depends on results, or one before did."""
    everybody = [*before.sides, *entering]
    if len(everybody) < MIN_TO_MEET:
        return LaidRound()
    spans = [side.byes for side in everybody]
    is_odd = len(everybody) % 2 == 1
    bye = lots.choice([side for side in everybody if side.byes == min(spans)]) if is_odd else None
    pairings = _paired(before.sides, entering, bye, [], feed)
    # A bye given by lot moves players in a way the plan cannot know, so later rounds have to be drawn late as well.
    is_drawn = len(everybody) > MIN_TO_MEET and (bool(before.round.drawn) or (is_odd and not is_certain(spans)))
    return LaidRound(pairings, tuple(everybody) if is_drawn else ())


def _laid_on_lines(
    present: Sequence[FutureEntrant],
    entering: Sequence[FutureEntrant],
    feed: Feed,
    need: _Need,
    lots: Lots,
    exchanges: Sequence[Exchange],
) -> LaidRound:
    """Pair one round in the order of the sides; its bye stands on one line, or is drawn among a few."""
    everybody = [*present, *entering]
    if len(everybody) < MIN_TO_MEET:
        return LaidRound()
    bye, drawn = None, []
    if len(everybody) % 2:
        clean = [side for side in everybody if side.byes.most == 0]
        concerned = [everybody[at] for at in lines_for_bye([side.byes for side in everybody])]
        bye = lots.choice(clean if need.fixed else concerned)
        drawn = concerned if not need.fixed and len(concerned) > 1 else []
    # Whoever draws the bye changes places with another of these, so the fewer others they meet, the fewer wait for it.
    groups = [[side for side in drawn if side is not bye]]
    rest = [side for side in everybody if side is not bye and side not in groups[0]]
    clean = [side for side in rest if side.byes.most == 0][: 2 * need.clean]
    groups.append(clean)
    if need.gather:
        groups.append([side for side in rest if side.byes.fewest == 0 and side not in clean])
    return LaidRound(_paired(present, entering, bye, groups, feed, exchanges), tuple(drawn))


def _paired(
    present: Sequence[FutureEntrant],
    entering: Sequence[FutureEntrant],
    bye: FutureEntrant | None,
    groups: Sequence[Sequence[FutureEntrant]],
    feed: Feed,
    exchanges: Sequence[Exchange] = (),
) -> tuple[DropPairing, ...]:
    """Pair one round in the order of the sides; drops meet those who are already in the bracket.

    The sides of each group meet each other; one that is left over meets somebody from the groups after it, or from
    those who are in none.
    """
    place = {side.source: at for sides in (present, entering) for at, side in enumerate(sides)}
    old = {side.source for side in present}
    group_of = {side.source: number for number, group in enumerate(groups) for side in group}
    pairings: list[DropPairing] = []
    left: list[FutureEntrant] = []
    for number in range(len(groups) + 1):
        sides = [side for side in (*present, *entering) if group_of.get(side.source, len(groups)) == number]
        sides = [*left, *(side for side in sides if side is not bye)]
        left = [sides.pop()] if len(sides) % 2 else []
        here = [side for side in sides if side.source in old]
        new = [side for side in sides if side.source not in old]
        pairings += _set_against(here, new)
    if len(groups) > 0:
        pairings.sort(key=lambda pairing: place[pairing.first.source])
    pairings = _apart(pairings, feed, group_of)
    for exchange in exchanges:
        _exchange(pairings, exchange, group_of)
    if bye is not None:
        pairings.insert(min(place[bye.source], len(pairings)), DropPairing(bye, None))
    return tuple(pairings)


def _by_mask(drops: Sequence[FutureEntrant], mask: int) -> list[FutureEntrant]:
    return [drops[at] for at in sorted(range(len(drops)), key=lambda at: at ^ mask)]


def _winner(pairing: DropPairing, number: FixtureId) -> FutureEntrant:
    first, second = pairing
    if second is None:
        return replace(first, source=WinnerOf(number), byes=first.byes.after_bye())
    odds = {fixture: chance / 2 for fixture, chance in first.odds.items()}
    for fixture, chance in second.odds.items():
        odds[fixture] = odds.get(fixture, 0.0) + chance / 2
    return FutureEntrant(WinnerOf(number), odds, any_of((first.byes, second.byes)))


def _set_against(present: list[FutureEntrant], new: list[FutureEntrant]) -> list[DropPairing]:
    """Pair present with new sides in order; surplus sides meet their neighbours, spread evenly."""
    more, fewer = (present, new) if len(present) >= len(new) else (new, present)
    own = (len(more) - len(fewer)) // 2
    total = own + len(fewer)
    pairings: list[DropPairing] = []
    at = taken = 0
    for place in range(total):
        if (place + 1) * own // total > place * own // total:
            pairings.append(DropPairing(more[at], more[at + 1]))
            at += 2
        else:
            pairings.append(DropPairing(more[at], fewer[taken]))
            at += 1
            taken += 1
    return pairings


def _apart(pairings: list[DropPairing], feed: Feed, group_of: Mapping[Source, int]) -> list[DropPairing]:
    """Return the pairs after exchanging opponents of one group wherever that leaves fewer expected rematches."""
    cost = [_cost(pairing, feed) for pairing in pairings]
    for at, own in enumerate(cost):
        if own <= 0:
            continue
        for other in sorted(range(len(pairings)), key=lambda place: abs(place - at))[1:REACH]:
            first, second = pairings[at], pairings[other]
            if _group(first, group_of) != _group(second, group_of):
                continue
            swapped = (DropPairing(first.first, second.second), DropPairing(second.first, first.second))
            new = [_cost(pairing, feed) for pairing in swapped]
            if sum(new) < (cost[at] + cost[other]) * WORTHWHILE:
                pairings[at], pairings[other] = swapped
                cost[at], cost[other] = new
                break
    return pairings


def _exchange(pairings: list[DropPairing], exchange: Exchange, group_of: Mapping[Source, int]) -> None:
    """Exchange the second side of a pair for one of another pair, in place, if they are of one group."""
    (a, b), (c, d) = pairings[exchange.first], pairings[exchange.second]
    if b is None or d is None:
        return
    if exchange.crossed and group_of.get(b.source) == group_of.get(c.source):
        pairings[exchange.first], pairings[exchange.second] = DropPairing(a, c), DropPairing(b, d)
    elif not exchange.crossed and group_of.get(b.source) == group_of.get(d.source):
        pairings[exchange.first], pairings[exchange.second] = DropPairing(a, d), DropPairing(c, b)


def _group(pairing: DropPairing, group_of: Mapping[Source, int]) -> int | None:
    """Return the group of the second side of a pair; None if it is in none."""
    return group_of.get(pairing.second.source) if pairing.second is not None else None


def _cost(pairing: DropPairing, feed: Feed) -> float:
    return expected_rematches(pairing.first, pairing.second, feed) if pairing.second is not None else 0.0
