"""What one event earns its players by a plan, line by line.

Every figure is the sum of its parts, and a part keeps the factors that were applied to it, so that each figure can be
explained (see `sentences`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, NamedTuple

from formats.series import plan as plans
from formats.series.facts import DecidedBy, Player, SeasonEvent, SeriesBracket, SeriesDivision, SeriesMatch, without
from formats.series.numbers import log2, root, rounded
from formats.series.plan import Plan

ZERO, ONE = Fraction(0), Fraction(1)


class AppliedFactor(NamedTuple):
    """A factor of a part: `code` is division, class, event, constant, place or line; `name` which of them."""

    code: str
    name: str
    value: Fraction


class PointsPart(NamedTuple):
    """Part of a player's points in one event; the points of all parts add up to the player's.

    `code` and its `params`:
    - attend: {}
    - win: count, bracket, length, each (points for one); by: one, length, root_length, table or round
    - match: count, bracket, each
    - place: bracket, first, last (places shared), size (N), rule (how the points of shared places were found) and
      values (points of each of these places)
    - given, constant: {}
    - bye, walkover: bracket, round (these earn nothing)
    - instead_of: lower (the points that are replaced by the higher)
    - rounding: exact (the points before rounding)
    """

    code: str
    points: Fraction
    params: Mapping[str, Any]
    factors: tuple[AppliedFactor, ...] = ()
    division: str = ""


@dataclass(frozen=True, slots=True)
class Earned:
    """A player's points in one event, and the parts they consist of."""

    points: Fraction
    parts: tuple[PointsPart, ...] = ()


Parts = dict[Player, tuple[PointsPart, ...]]


def closed_up(plan: Plan, event: SeasonEvent) -> SeasonEvent:
    """The event as a plan sees it: without guests, if they close up."""
    return without(event, event.players - plan.players) if plan.close_up and plan.players is not None else event


def event_points(plan: Plan, event: SeasonEvent) -> dict[Player, Earned]:
    """The points of everybody in the event, also of those who earn none. Guests close up if the plan says so."""
    event = closed_up(plan, event)
    share = AppliedFactor("pair", "", event.pair_share)
    divisions: dict[Player, list[_InDivision]] = {player: [] for player in event.players}
    for division in event.divisions:
        context = _Context(plan, event, division)
        earned = _parts(plan.points, context)
        for side in context.players:
            is_pair, parts = side in division.pairs, earned.get(side, ())
            own = _InDivision(is_pair, _scaled(parts, [share]) if is_pair else parts)
            for player in event.people(division, side):
                divisions[player].append(own)
    points = {}
    for player, results in divisions.items():
        if plan.best_division:
            results = [max(results, key=lambda result: _sum(result.parts))]
        elif any(result.is_pair for result in results):
            results = list(_attended_once(results))
        parts = _without_repeated_zeros(part for result in results for part in result.parts)
        total = _sum(parts)
        if plan.round_event is not None:
            exact, total = total, rounded(total, plan.round_event.mode, plan.round_event.digits)
            if exact != total:
                parts = (*parts, PointsPart("rounding", total - exact, {"exact": exact}))
        points[player] = Earned(total, parts)
    return points


class _InDivision(NamedTuple):
    """What somebody earns in a division, by themselves or in a pair."""

    is_pair: bool
    parts: tuple[PointsPart, ...]


def _attended_once(results: Sequence[_InDivision]) -> Iterator[_InDivision]:
    """Leave out what a pair gets for coming if the player has come already, alone or in another pair."""
    has_come = any(_attends(row) for row in results if not row.is_pair)
    for row in results:
        if row.is_pair and has_come:
            yield _InDivision(is_pair=True, parts=tuple(part for part in row.parts if part.code != "attend"))
        else:
            yield row
            has_come = has_come or _attends(row)


def _attends(row: _InDivision) -> bool:
    return any(part.code == "attend" for part in row.parts)


def _without_repeated_zeros(parts: Iterable[PointsPart]) -> tuple[PointsPart, ...]:
    """Leave out lines that earn nothing, but say once that a bye or a walkover does not."""
    kept: list[PointsPart] = []
    for part in parts:
        if not part.points and (part.code not in _ZEROS or any(_same_zero(part, other) for other in kept)):
            continue
        kept.append(part)
    return tuple(kept)


_ZEROS = ("bye", "walkover", "instead_of")


def _same_zero(part: PointsPart, other: PointsPart) -> bool:
    return (part.code, part.params, part.division) == (other.code, other.params, other.division)


def in_bracket(name: str, selected: tuple[str, ...]) -> bool:
    """Whether a bracket is among those selected: by its name, as one of several (group1, groupA), or as any."""
    return any(_is_bracket(name, choice) for choice in selected)


@cache
def _is_bracket(name: str, choice: str) -> bool:
    if choice == plans.ANY or name == choice:
        return True
    rest = name.removeprefix(choice).strip(" _-")
    return name.startswith(choice) and (rest.isdigit() or (choice == plans.GROUP and rest.isalnum()))


class Placing(NamedTuple):
    """The players who share these places of a bracket."""

    players: tuple[Player, ...]
    places: tuple[int, ...]

    @property
    def first(self) -> int:
        return self.places[0]

    @property
    def last(self) -> int:
        return self.places[-1]


@dataclass
class _Context:
    """A division of an event, with what its lines look up."""

    plan: Plan
    event: SeasonEvent
    division: SeriesDivision
    placings_of: dict[int, list[Placing]] = field(default_factory=dict)
    """By id: two brackets may have the same name."""

    @cached_property
    def kind(self) -> str:
        return self.plan.class_of(self.event)

    @cached_property
    def players(self) -> frozenset[Player]:
        return self.division.players | set(self.division.given)

    @cached_property
    def wins(self) -> dict[Player, list[SeriesMatch]]:
        """Matches that stand, by winner, in their order. Who fills in is not a player of the division."""
        wins = defaultdict(list)
        for match in self.division.matches:
            if (match.how is not DecidedBy.VOID or self.plan.voided_wins) and match.winner in self.players:
                wins[match.winner].append(match)
        return wins

    @cached_property
    def winners(self) -> frozenset[Player]:
        """Those with a win that is not a bye."""
        return frozenset(
            player for player, matches in self.wins.items() if any(match.how is not DecidedBy.BYE for match in matches)
        )

    @cached_property
    def no_shows(self) -> frozenset[Player]:
        """Those who have lost a walkover, or missed a match as their opponent did, and played no match."""
        came: set[Player] = set()
        lost = set(self.division.missed)
        for match in self.division.matches:
            if match.how is DecidedBy.WALKOVER and match.loser is not None:
                lost.add(match.loser)
                came.add(match.winner)
            elif match.how is not DecidedBy.BYE:
                came |= {match.winner} | ({match.loser} if match.loser is not None else set())
        return frozenset(lost - came)

    def brackets(self, selected: tuple[str, ...]) -> Iterator[SeriesBracket]:
        if selected == (plans.ALL,):
            yield self.in_one_order
            return
        for bracket in self.division.brackets:
            if in_bracket(bracket.name, selected):
                yield bracket

    @cached_property
    def in_one_order(self) -> SeriesBracket:
        """All brackets as one: the main bracket's placings, then in each next bracket those not placed yet."""
        placed: set[Player] = set()
        placings: list[Placing] = []
        brackets = sorted(self.division.brackets, key=lambda bracket: bracket.name != plans.MAIN)
        for bracket in brackets:
            for placing in self.placings(bracket):
                if new := tuple(player for player in placing.players if player not in placed):
                    behind = max((row.last for row in placings), default=0) + 1
                    places = placing.places if bracket is brackets[0] else tuple(range(behind, behind + len(new)))
                    placings.append(Placing(new, places))
                    placed |= set(new)
        rounds = brackets[0].rounds if brackets else None
        groups, taken = tuple(row.players for row in placings), tuple(row.places for row in placings)
        return SeriesBracket(plans.ALL, self.division.players, groups, rounds, taken)

    def placings(self, bracket: SeriesBracket) -> list[Placing]:
        if id(bracket) not in self.placings_of:
            self.placings_of[id(bracket)] = list(placings_of(bracket, self.plan))
        return self.placings_of[id(bracket)]

    def part(self, code: str, points: Fraction, **params: Any) -> PointsPart:
        return PointsPart(code, points, params, (), self.division.name)


def placings_of(bracket: SeriesBracket, plan: Plan) -> Iterator[Placing]:
    groups = bracket.equal_points if plan.tied_wins_share and bracket.equal_points else bracket.placings
    if bracket.places and groups is bracket.placings:
        yield from map(Placing, groups, bracket.places)
        return
    first = 1
    for players in groups:
        yield Placing(players, tuple(range(first, first + len(players))))
        first += len(players)


def _sum(parts: Iterable[PointsPart]) -> Fraction:
    total = ZERO
    for part in parts:
        total += part.points
    return total


# Blocks


def _parts(node: plans.Node, context: _Context) -> Parts:
    """The parts that a node earns each player; who is missing earns nothing by it."""
    match node:
        case plans.Add():
            return _added(node.items, context)
        case plans.Higher():
            return _higher(node.items, context)
        case plans.Times():
            return _times(node.items, context)
        case plans.ByClass():
            chosen = node.cases.get(context.kind, node.otherwise)
            return {} if chosen is None else _parts(chosen, context)
        case plans.Attend() | plans.MatchPoints() | plans.Wins() | plans.Places() | plans.ManualPoints():
            return _line(node, context)
        case _:
            return {
                player: (context.part("constant", factor.value),) for player, factor in _factors(node, context).items()
            }


def _added(items: tuple[plans.Node, ...], context: _Context) -> Parts:
    parts: defaultdict[Player, tuple[PointsPart, ...]] = defaultdict(tuple)
    for item in items:
        for player, more in _parts(item, context).items():
            parts[player] += more
    return parts


def _higher(items: tuple[plans.Node, ...], context: _Context) -> Parts:
    each = [_parts(item, context) for item in items]
    parts: Parts = {}
    for player in {player for earned in each for player in earned}:
        sums = [_sum(earned.get(player, ())) for earned in each]
        best = max(sums)
        chosen = sums.index(best)
        lower = max((value for index, value in enumerate(sums) if index != chosen), default=ZERO)
        note = (context.part("instead_of", ZERO, lower=lower),) if lower > 0 else ()
        parts[player] = (*each[chosen].get(player, ()), *note)
    return parts


_FACTOR_NODES = (plans.Number, plans.PlaceFactor, plans.DivisionFactor, plans.ClassFactor, plans.EventWeight)


def _times(items: tuple[plans.Node, ...], context: _Context) -> Parts:
    blocks = [item for item in items if not isinstance(item, _FACTOR_NODES)]
    factors = [_factors(item, context) for item in items if isinstance(item, _FACTOR_NODES)]
    if not blocks:
        parts: Parts = {player: (context.part("constant", ONE),) for player in context.players}
    else:
        parts = _parts(blocks[0], context)
        for block in blocks[1:]:
            sums = {player: _sum(more) for player, more in _parts(block, context).items()}
            factors.append({player: AppliedFactor("line", "", sums.get(player, ZERO)) for player in context.players})
    return {player: _scaled(own, [by_player[player] for by_player in factors]) for player, own in parts.items()}


def _scaled(parts: tuple[PointsPart, ...], factors: list[AppliedFactor]) -> tuple[PointsPart, ...]:
    applied = tuple(factor for factor in factors if factor.value != ONE)
    if not applied:
        return parts
    product = ONE
    for factor in applied:
        product *= factor.value
    return tuple(
        PointsPart(code, points * product, params, applied + before, division)
        for code, points, params, before, division in parts
    )


def _factors(node: plans.Node, context: _Context) -> dict[Player, AppliedFactor]:
    if isinstance(node, plans.PlaceFactor):
        return _place_factors(node, context)
    match node:
        case plans.DivisionFactor():
            rank = str(context.division.rank)
            key = rank if rank in node.factors else context.division.name
            factor = AppliedFactor("division", context.division.name, node.factors.get(key, node.otherwise))
        case plans.ClassFactor():
            kind = context.kind
            factor = AppliedFactor("class", kind, node.factors.get(kind, node.otherwise))
        case plans.EventWeight():
            factor = AppliedFactor("event", "", context.event.weight)
        case plans.Number():
            factor = AppliedFactor("constant", "", node.value)
        case _:
            raise TypeError(node)
    return dict.fromkeys(context.players, factor)


def _place_factors(node: plans.PlaceFactor, context: _Context) -> dict[Player, AppliedFactor]:
    factors = dict.fromkeys(context.players, AppliedFactor("place", "", node.otherwise))
    for bracket in context.brackets(node.bracket):
        for placing in context.placings(bracket):
            values = [node.factors.get(place, node.otherwise) for place in placing.places]
            value = values[0] if node.ties is plans.Ties.EACH else sum(values, ZERO) / len(values)
            if value != node.otherwise:
                factor = AppliedFactor("place", _block(placing.first, placing.last), value)
                factors.update(dict.fromkeys(placing.players, factor))
    return factors


def _block(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


# Lines


def _line(node: plans.Line, context: _Context) -> Parts:
    match node:
        case plans.Attend():
            return _attendance(node, context)
        case plans.Wins():
            return _wins(node, context)
        case plans.MatchPoints():
            return _matches(node, context)
        case plans.Places():
            return _place_points(node, context)
        case plans.ManualPoints():
            return {
                player: (context.part("given", points * node.factor),)
                for player, points in context.division.given.items()
            }


def _attendance(node: plans.Attend, context: _Context) -> Parts:
    players: Iterable[Player] = context.division.players
    if not context.plan.no_shows_attend:
        players = context.division.players - context.no_shows
    if node.when is plans.When.NO_WIN:
        players = [player for player in players if player not in context.winners]
    elif node.when is plans.When.WON:
        players = [player for player in players if player in context.winners]
    elif node.when in (plans.When.PLAYED, plans.When.LOST):
        matches = [match for match in context.division.matches if match.how is DecidedBy.PLAYED]
        came = {match.loser for match in matches}
        if node.when is plans.When.PLAYED:
            came |= {match.winner for match in matches}
        players = [player for player in players if player in came]
    return dict.fromkeys(players, (context.part("attend", node.points),))


def _wins(node: plans.Wins, context: _Context) -> Parts:
    parts: Parts = {}
    for player, matches in context.wins.items():
        counts: dict[tuple[str, int, Fraction, str], int] = {}
        zeros: list[PointsPart] = []
        for match in matches:
            if not in_bracket(match.bracket, node.bracket):
                continue
            if (match.how is DecidedBy.BYE and not node.byes) or (
                match.how is DecidedBy.WALKOVER and not node.walkovers
            ):
                zeros.append(context.part(match.how.value, ZERO, bracket=match.bracket, round=match.round))
                continue
            key = (match.bracket, match.length, *_for_win(node, match))
            counts[key] = counts.get(key, 0) + 1
        won = [
            context.part("win", count * each, count=count, bracket=bracket, length=length, each=each, by=by)
            for (bracket, length, each, by), count in counts.items()
        ]
        parts[player] = (*won, *zeros)
    return parts


def _for_win(node: plans.Wins, match: SeriesMatch) -> tuple[Fraction, str]:
    """The points for this win, and what they go by."""
    if node.by_length is not None:
        points = node.by_length.get(match.length, node.by_length.get(None, ZERO))
        return points * _power(node.by, match.length), "table"
    if node.by_round is not None:
        points = node.by_round.get(match.to_final, node.by_round.get(None, ZERO))
        return points * _power(node.by, match.length), "round"
    return node.points * _power(node.by, match.length), node.by.value


def _power(by: plans.By, length: int) -> Fraction:
    if by is plans.By.LENGTH:
        return Fraction(length)
    return root(length) if by is plans.By.ROOT_LENGTH else ONE


def _matches(node: plans.MatchPoints, context: _Context) -> Parts:
    counts: dict[Player, dict[tuple[str, Fraction], int]] = {}
    for match in context.division.matches:
        walkovers = node.walkovers and node.when is not plans.When.PLAYED
        skipped = match.how in (DecidedBy.BYE, DecidedBy.VOID) or (match.how is DecidedBy.WALKOVER and not walkovers)
        if skipped or not in_bracket(match.bracket, node.bracket):
            continue
        key = match.bracket, node.points * _power(node.by, match.length)
        for player, won in ((match.winner, True), (match.loser, False)):
            if player not in context.players or not _counts_when(node.when, won, player in context.winners):
                continue
            of_player = counts.setdefault(player, {})
            of_player[key] = of_player.get(key, 0) + 1
    return {
        player: tuple(
            context.part("match", count * each, count=count, bracket=bracket, each=each)
            for (bracket, each), count in of_player.items()
        )
        for player, of_player in counts.items()
    }


def _counts_when(when: plans.When, won: bool, ever_won: bool) -> bool:
    match when:
        case plans.When.NO_WIN:
            return not ever_won
        case plans.When.WON:
            return won
        case plans.When.LOST:
            return not won
        case plans.When.ALWAYS | plans.When.PLAYED:
            return True


# Points for places


def _place_points(node: plans.Places, context: _Context) -> Parts:
    parts: Parts = {}
    for bracket in context.brackets(node.bracket):
        size = len(context.division.players if node.size is plans.FieldSize.DIVISION else bracket.players)
        row = place_values(node.values, size, bracket.rounds, context.division.shares)
        for placing in context.placings(bracket):
            points, rule, values = _shared(node, row, placing.places)
            at = {"first": placing.first, "last": placing.last}
            part = context.part("place", points, bracket=bracket.name, **at, size=size, rule=rule, values=values)
            for player in placing.players:
                parts[player] = (*parts.get(player, ()), part)
    return parts


def _shared(
    node: plans.Places, row: "PlaceValues", places: tuple[int, ...]
) -> tuple[Fraction, str, tuple[Fraction, ...]]:
    """The points of each of those who share these places, the rule, and the points of these places."""
    first, last = places[0], places[-1]
    if first == last:
        value = row.at(first)
        return value, "place", (value,)
    if node.ties is plans.Ties.EACH:
        value = row.at(first)
        return value, "each", (value,)
    if node.ties is plans.Ties.ROWS and places == tuple(range(first, last + 1)) and (first, last) in row.printed:
        printed = row.printed[first, last]
        return printed, "row", (printed,)
    values = tuple(row.at(place) for place in places)
    return sum(values, ZERO) / len(values), "mean", values


@dataclass(frozen=True, slots=True)
class PlaceValues:
    """The points for places in a field of a known size: listed, printed for ties, and by rule beyond the list."""

    listed: Mapping[int, Fraction]
    printed: Mapping[tuple[int, int], Fraction]
    beyond: Fraction = ZERO
    over: Fraction = ZERO
    """Beyond the list, this much is divided by the place, less `shift`."""
    shift: int = 0

    def at(self, place: int) -> Fraction:
        """The points for this place, held alone."""
        if place in self.listed:
            return self.listed[place]
        return self.over / (place - self.shift) if self.over and place > self.shift else self.beyond


def place_values(
    values: plans.Values, size: int, rounds: int | None = None, shares: tuple[Fraction, ...] = ()
) -> PlaceValues:
    """The points for the places in a field of `size` players, `rounds` and the director's `shares`."""
    match values:
        case plans.ListOfPoints():
            return PlaceValues(_by_place(values.points), {}, values.beyond)
        case plans.Bands():
            return _band_values(values, size, rounds)
        case plans.Log2Rank():
            unit = values.scale * log2(size)
            listed = _by_place(unit * factor for factor in values.factors)
            over = ZERO if values.then == "0" else unit
            return PlaceValues(listed, {}, over=over, shift=1 if values.then == "1/(r-1)" else 0)
        case plans.Log2OverPlace():
            return PlaceValues({}, {}, over=values.scale * log2(size))
        case plans.FieldTimes():
            return PlaceValues(_by_place(size * factor for factor in values.factors), {}, size * values.beyond)
        case plans.Shares():
            total = sum(shares, ZERO)
            return PlaceValues(_by_place(size * share / total for share in shares) if total else {}, {})


def _by_place(points: Iterable[Fraction]) -> dict[int, Fraction]:
    return dict(enumerate(points, start=1))


def _band_values(values: plans.Bands, size: int, rounds: int | None) -> PlaceValues:
    band = _band(values, size, rounds)
    if band is None:
        return PlaceValues({}, {})
    listed = {first: points for (first, last), points in band.rows.items() if first == last}
    for first, last in values.cover:
        if (points := band.rows.get((first, last))) is not None:
            listed = {**dict.fromkeys(range(first, last + 1), points), **listed}
    return PlaceValues(listed, band.rows, values.beyond if band.beyond is None else band.beyond)


def _band(values: plans.Bands, size: int, rounds: int | None) -> plans.Band | None:
    """The band of this field; None above the last and below the first."""
    needed = max(size - 1, 0).bit_length() if rounds is None else rounds
    ends = [band.to for band in values.bands]
    match values.by:
        case plans.BandsBy.PLAYERS:
            return _band_at(values, ends, size)
        case plans.BandsBy.ROUNDS:
            return _band_at(values, ends, needed)
    choose = max if values.by is plans.BandsBy.HIGHER else min
    by_rounds = [band.rounds for band in values.bands]
    if all(end is None for end in by_rounds):
        return _band_at(values, ends, choose(needed, max(size - 1, 0).bit_length()))
    index = choose(_index(ends, size), _index(by_rounds, needed))
    return values.bands[index] if index < len(values.bands) else None


def _band_at(values: plans.Bands, ends: list[int | None], number: int) -> plans.Band | None:
    index = _index(ends, number)
    if index == len(ends):
        return None
    band = values.bands[index]
    return None if band.first is not None and number < band.first else band


def _index(ends: list[int | None], number: int) -> int:
    return next((index for index, end in enumerate(ends) if end is None or number <= end), len(ends))
