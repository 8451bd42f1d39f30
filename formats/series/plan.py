"""The scoring plan of a series as data, and reading and writing its exchange form.

A plan's points are a tree: lines that earn points, factors, and blocks that add lines, take the highest, multiply or
choose by the class of the event. `plan_from` reads the JSON form and refuses what it does not know, and `plan_json`
writes it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from formats.errors import Refused
from formats.series.facts import NORMAL, Player, SeasonEvent
from formats.series.numbers import MAX_DIGITS, Rounding, number, short, whole, written

MAIN = "main"
GROUP = "group"
"""Every group: group1, group2 and so on."""
ANY = "any"
"""Every bracket."""
ALL = "all"
"""One order over all brackets: the main bracket, then those who are placed only in the next."""
ELSE = "else"
MAX_DEPTH = 8
MAX_LINES = 200
MAX_PLACES = 10_000
"""The last place that a row or a block of places can name."""
MONTHS = 12
MAX_NAME_LENGTH = 200
Choice = TypeVar("Choice", bound=StrEnum)


class When(StrEnum):
    """Who gets the points for coming or for a match."""

    ALWAYS = "always"
    NO_WIN = "no_win"
    """Only those who have won nothing in the division."""
    PLAYED = "played"
    """Only those who have played a match, or for a match that was played."""
    WON = "won"
    LOST = "lost"


class By(StrEnum):
    """What the points for a win are multiplied by."""

    ONE = "one"
    LENGTH = "length"
    ROOT_LENGTH = "root_length"


class Ties(StrEnum):
    """What players get who share places."""

    MEAN = "mean"
    """The mean of the points of these places."""
    ROWS = "rows"
    """The printed row of exactly these places, such as 3-4, or else the mean."""
    EACH = "each"
    """Everybody the points of the first of these places."""
    MEAN_FROM = "mean_from"
    """The mean; places above a limit are meant to be played off."""


class FieldSize(StrEnum):
    BRACKET = "bracket"
    DIVISION = "division"


class BandsBy(StrEnum):
    """What the bands of a table of points are bands of."""

    PLAYERS = "players"
    ROUNDS = "rounds"
    HIGHER = "higher"
    """The higher of the band by rounds and the band by players."""
    LOWER = "lower"


class TieRule(StrEnum):
    """How players with equal totals are ordered."""

    BEST_SINGLE = "best_single"
    BEST_PLACE = "best_place"
    MOST_BEST_PLACES = "most_best_places"
    COUNT_OF_VALUES = "count_of_values"
    FEWEST_EVENTS = "fewest_events"
    MOST_EVENTS = "most_events"
    WIN_SHARE = "win_share"
    HEAD_TO_HEAD = "head_to_head"
    BEST_DROPPED = "best_dropped"
    LOT = "lot"
    PLAY_OFF = "play_off"
    SHARE = "share"


class Every(StrEnum):
    """How often points decay."""

    MONTH = "month"
    EVENT = "event"
    YEAR = "year"


# Lines


@dataclass(frozen=True, slots=True)
class Attend:
    """Points for coming, once a division."""

    points: Fraction
    when: When = When.ALWAYS


@dataclass(frozen=True, slots=True)
class Wins:
    """Points for each win: `points` times a power of the length, or by length, or by the distance to the final.

    `by_length` maps lengths (None: any other) to points, `by_round` the rounds to the final (None: any other).
    """

    points: Fraction = Fraction(1)
    bracket: tuple[str, ...] = (ANY,)
    by: By = By.ONE
    by_length: Mapping[int | None, Fraction] | None = None
    by_round: Mapping[int | None, Fraction] | None = None
    walkovers: bool = True
    byes: bool = False


@dataclass(frozen=True, slots=True)
class MatchPoints:
    """Points for each match, won or lost; byes never count."""

    points: Fraction
    bracket: tuple[str, ...] = (ANY,)
    by: By = By.ONE
    when: When = When.ALWAYS
    walkovers: bool = True


@dataclass(frozen=True, slots=True)
class ListOfPoints:
    """Points from the first place on; `beyond` for all further places."""

    points: tuple[Fraction, ...]
    beyond: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Band:
    """The rows of one band of field sizes. It ends with `to`, or is open; `rounds` is its end in rounds, if both count.

    `rows` are by first and last place: (1, 1) is the first place, (3, 4) two players who share the third.
    """

    to: int | None
    rows: Mapping[tuple[int, int], Fraction]
    first: int | None = None
    rounds: int | None = None
    beyond: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Bands:
    """A table of points by size of the field. `cover` are blocks of places whose row counts for each place in them."""

    bands: tuple[Band, ...]
    by: BandsBy = BandsBy.PLAYERS
    cover: tuple[tuple[int, int], ...] = ()
    beyond: Fraction = Fraction(0)


THEN = ("1/(r-1)", "1/r", "0")


@dataclass(frozen=True, slots=True)
class Log2Rank:
    """scale · log2(N) · factor of the place; `then` is the factor beyond them, in terms of the place r."""

    scale: Fraction
    factors: tuple[Fraction, ...]
    then: str = THEN[0]


@dataclass(frozen=True, slots=True)
class Log2OverPlace:
    """scale · log2(N) ÷ place."""

    scale: Fraction


@dataclass(frozen=True, slots=True)
class FieldTimes:
    """N times the factor of the place; `beyond` is the factor of all further places."""

    factors: tuple[Fraction, ...]
    beyond: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Shares:
    """N times the share of the place, over the sum of the shares that the director has named for the division."""


Values: TypeAlias = ListOfPoints | Bands | Log2Rank | Log2OverPlace | FieldTimes | Shares


@dataclass(frozen=True, slots=True)
class Places:
    """Points for places of a bracket."""

    values: Values
    bracket: tuple[str, ...] = (MAIN,)
    size: FieldSize = FieldSize.BRACKET
    ties: Ties = Ties.MEAN
    mean_from: int | None = None


@dataclass(frozen=True, slots=True)
class ManualPoints:
    """Points typed in, times a factor."""

    factor: Fraction = Fraction(1)


Line: TypeAlias = Attend | Wins | MatchPoints | Places | ManualPoints

# Factors


@dataclass(frozen=True, slots=True)
class Number:
    """A constant: a factor among factors, points among lines."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class PlaceFactor:
    """A factor by the place in a bracket; 1 for all others."""

    factors: Mapping[int, Fraction]
    bracket: tuple[str, ...] = (MAIN,)
    otherwise: Fraction = Fraction(1)
    ties: Ties = Ties.MEAN


@dataclass(frozen=True, slots=True)
class DivisionFactor:
    """A factor by the rank of the division (as text), or its name."""

    factors: Mapping[str, Fraction]
    otherwise: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class ClassFactor:
    factors: Mapping[str, Fraction]
    otherwise: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class EventWeight:
    """The weight that the event carries."""


Factor: TypeAlias = Number | PlaceFactor | DivisionFactor | ClassFactor | EventWeight

# Blocks


@dataclass(frozen=True, slots=True)
class Add:
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Higher:
    """The highest of these; of equals the first."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Times:
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class ByClass:
    """Another block on events of another class; nothing if neither the class nor else is named."""

    cases: Mapping[str, "Node"]
    otherwise: "Node | None" = None


Node: TypeAlias = Line | Factor | Add | Higher | Times | ByClass

# The series


@dataclass(frozen=True, slots=True)
class Rounded:
    """How points are rounded, to how many decimals."""

    mode: Rounding
    digits: int = 0


@dataclass(frozen=True, slots=True)
class Decay:
    """Points times `factor` for every month, event or year that has passed."""

    every: Every
    factor: Fraction


@dataclass(frozen=True, slots=True)
class CountRule:
    """Which results count: the best so many, all but the worst so many, and how many events are needed for a rank.

    At most `per_month` results of a calendar month, `per_class` of a class and `away` from elsewhere can be selected.
    """

    best: int | None = None
    drop_worst: int = 0
    min_events: int = 0
    per_month: int | None = None
    per_class: Mapping[str, int] = field(default_factory=dict)
    away: int | None = None

    def most(self, events: int) -> int | None:
        """How many results of a player count after so many events, None: all. Nothing is dropped before one is left."""
        if not self.drop_worst:
            return self.best
        return events - self.drop_worst if events > self.drop_worst else None


class Eligibility(StrEnum):
    """Who is in the table: everybody who plays, members of the club, or those who have entered the series."""

    EVERYBODY = "everybody"
    MEMBERS = "members"
    ENTERED = "entered"


@dataclass(frozen=True, slots=True)
class Plan:
    """A scoring plan with the settings of its series.

    `players` are those who belong to the series, None everybody; `belongs` is the rule by which the caller names them;
    `close_up` is whether guests take no places. A player in
    several divisions of one event gets the sum, or the best if `best_division`. Who has lost a walkover and played no
    match gets points for coming only if `no_shows_attend`. With `tied_wins_share` equal points in a table share their
    places, whatever its tie-breaks say. With `voided_wins` matches that were played and then voided by a correction
    count as wins. `class_by_month` is the class of events of a month (1 to 12) that have none of their own. `qualify`
    and `details` are passed on.
    """

    name: str
    points: Node
    count: CountRule = field(default_factory=CountRule)
    ties: tuple[TieRule, ...] = ()
    tie_values: tuple[Fraction, ...] = ()
    ties_for_first_only: bool = False
    round_event: Rounded | None = None
    round_total: Rounded | None = None
    decay: Decay | None = None
    show_digits: int = 2
    best_division: bool = False
    belongs: Eligibility = Eligibility.EVERYBODY
    players: frozenset[Player] | None = None
    close_up: bool = False
    no_shows_attend: bool = False
    tied_wins_share: bool = False
    voided_wins: bool = False
    class_by_month: Mapping[int, str] = field(default_factory=dict)
    qualify: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def class_of(self, event: SeasonEvent) -> str:
        """The class of an event: its own, or that of its month, or else normal."""
        return event.kind or self.class_by_month.get(event.date.month, NORMAL)


def nodes(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, Add | Higher | Times):
        for item in node.items:
            yield from nodes(item)
    elif isinstance(node, ByClass):
        for item in (*node.cases.values(), *([node.otherwise] if node.otherwise is not None else [])):
            yield from nodes(item)


# Reading


class _Object:
    """An object of the exchange form whose keys are taken one by one; what is left over is refused."""

    def __init__(self, data: Any, where: str) -> None:
        if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
            raise Refused("series_object", where=where)
        self.where = where
        self.rest = dict(data)

    def take(self, key: str, default: Any = None) -> Any:
        value = self.rest.pop(key, None)
        return default if value is None else value

    def at(self, key: str) -> str:
        return f"{self.where}.{key}"

    def flag(self, key: str, default: bool) -> bool:
        value = self.take(key, default)
        if not isinstance(value, bool):
            raise Refused("series_choice", where=self.at(key), value=short(value), choices="true, false")
        return value

    def choice(self, key: str, choices: type[Choice], default: Choice) -> Choice:
        return _choice(self.take(key, default), choices, self.at(key))

    def end(self) -> None:
        if self.rest:
            raise Refused("series_key", where=self.where, key=min(self.rest)[:40])


def _choice(value: Any, choices: type[Choice], where: str) -> Choice:
    if not isinstance(value, str) or value not in set(choices):
        raise Refused("series_choice", where=where, value=short(value), choices=", ".join(choices))
    return choices(value)


PASSED_ON = ("fee_share", "final", "notes", "period", "source", "description", "version")
"""Keys of a plan that its points do not depend on."""


def plan_from(data: Any) -> Plan:
    """Read a plan: an object, or one with the key `plan` beside which others are not read, save `players`.

    Raises Refused with `series_object`, `series_key`, `series_number`, `series_range`, `series_choice`, `series_line`,
    `series_list`, `series_text`, `series_too_deep`, `series_too_long`, `series_places`, `series_band_gap`,
    `series_band_overlap`, `series_band_order`, `series_band_last`, `series_best_and_drop` or `series_tie_values`.
    """
    row = _Object(data, "plan")
    if "plan" in row.rest:
        # A file with the events, too. Who belongs to the series may be named beside the plan.
        members = row.take("players")
        row = _Object(row.take("plan"), "plan")
        row.rest.setdefault("players", members)
    points = row.take("points")
    if points is None:
        raise Refused("series_line", where="plan.points")
    ties = tuple(
        _choice(tie, TieRule, f"plan.ties[{index}]")
        for index, tie in enumerate(_list(row.take("ties", []), "plan.ties"))
    )
    values = _list(row.take("tie_values", []), "plan.tie_values")
    players = row.take("players")
    decay = row.take("decay")
    plan = Plan(
        name=_name(row.take("name", ""), "plan.name"),
        points=_node(points, "points", 1),
        count=_count(row.take("count", {})),
        ties=ties,
        tie_values=tuple(number(value, "plan.tie_values") for value in values),
        ties_for_first_only=row.flag("ties_for_first_only", False),
        round_event=_rounding(row.take("round_event"), "plan.round_event"),
        round_total=_rounding(row.take("round_total"), "plan.round_total"),
        decay=None if decay is None else _decay(decay),
        show_digits=whole(row.take("show_digits", 2), "plan.show_digits", most=MAX_DIGITS),
        best_division=row.choice("several_divisions", _Several, _Several.SUM) is _Several.BEST,
        belongs=row.choice("belongs", Eligibility, Eligibility.EVERYBODY),
        players=None if players is None else frozenset(_names(players, "plan.players")),
        close_up=row.choice("guests", _Guests, _Guests.KEEP_PLACES) is _Guests.CLOSE_UP,
        no_shows_attend=row.flag("no_shows_attend", False),
        tied_wins_share=row.flag("tied_wins_share", False),
        voided_wins=row.flag("voided_wins", False),
        class_by_month={
            whole(month, "plan.class_by_month", least=1, most=MONTHS): _name(kind, f"plan.class_by_month.{month}")
            for month, kind in _Object(row.take("class_by_month", {}), "plan.class_by_month").rest.items()
        },
        qualify=_Object(row.take("qualify", {}), "plan.qualify").rest,
        details={key: row.take(key) for key in PASSED_ON if key in row.rest},
    )
    row.end()
    _check_storable({"points": points, "qualify": plan.qualify, **plan.details})
    if sum(1 for _ in nodes(plan.points)) > MAX_LINES:
        raise Refused("series_too_long", most=MAX_LINES)
    if TieRule.COUNT_OF_VALUES in ties and not values:
        raise Refused("series_tie_values")
    return plan


def _check_storable(parts: Mapping[str, Any]) -> None:
    """Refuse what no database can store: numbers that are none, and characters that stand for nothing."""
    for name, part in parts.items():
        try:
            text = json.dumps(part, allow_nan=False, ensure_ascii=False)
        except (TypeError, ValueError):
            raise Refused("series_number", where=f"plan.{name}", value=short(part)) from None
        except RecursionError:
            raise Refused("series_too_deep", most=MAX_DEPTH) from None
        if _UNWRITABLE.search(text):
            raise Refused("series_text", where=f"plan.{name}", value=short(part))


_UNWRITABLE = re.compile("(?<!\\\\)\\\\u0000|[\ud800-\udfff]")


class _Several(StrEnum):
    SUM = "sum"
    BEST = "best"


class _Guests(StrEnum):
    KEEP_PLACES = "keep_places"
    CLOSE_UP = "close_up"


def _count(data: Any) -> CountRule:
    row = _Object(data, "plan.count")
    best, month, away = row.take("best"), row.take("per_month"), row.take("away")
    per_class = row.take("per_class", {})
    drop = whole(row.take("drop_worst", 0), row.at("drop_worst"))
    if not isinstance(per_class, Mapping):
        per_class = {ELSE: per_class}
    count = CountRule(
        best=None if best is None else whole(best, row.at("best"), least=1),
        drop_worst=drop,
        min_events=whole(row.take("min_events", 0), row.at("min_events")),
        per_month=None if month is None else whole(month, row.at("per_month"), least=1),
        per_class={str(kind): whole(most, row.at("per_class")) for kind, most in per_class.items()},
        away=None if away is None else whole(away, row.at("away")),
    )
    row.end()
    if count.best is not None and drop:
        raise Refused("series_best_and_drop")
    return count


def _rounding(data: Any, where: str) -> Rounded | None:
    if data is None:
        return None
    row = _Object({"mode": data} if isinstance(data, str) else data, where)
    rounding = Rounded(
        row.choice("mode", Rounding, Rounding.HALF_UP), whole(row.take("digits", 0), row.at("digits"), most=MAX_DIGITS)
    )
    row.end()
    return rounding


def _decay(data: Any) -> Decay:
    row = _Object(data, "plan.decay")
    decay = Decay(row.choice("every", Every, Every.MONTH), number(row.take("factor"), row.at("factor")))
    row.end()
    if not 0 <= decay.factor <= 1:
        raise Refused("series_range", where=row.at("factor"), value=written(decay.factor), least=0, most=1)
    return decay


def _node(data: Any, where: str, depth: int) -> Node:
    """Read a node. An object with one line and some factors is their product."""
    if depth > MAX_DEPTH:
        raise Refused("series_too_deep", most=MAX_DEPTH)
    if isinstance(data, str) and data in _WORDS:
        data = {data: True}
    if isinstance(data, str | int | float) and not isinstance(data, bool):
        return Number(number(data, where))
    row = _Object(data, where)
    kinds = [kind for kind in (*_BLOCKS, *_LINES, *_FACTORS) if kind in row.rest]
    others = [kind for kind in kinds if kind not in _FACTORS]
    if not kinds or len(others) > 1:
        raise Refused("series_line", where=where)
    items: list[Node] = []
    for kind in kinds:
        if kind in _BLOCKS:
            items.append(_block(kind, row.take(kind), row.at(kind), depth))
        elif kind in _FACTORS:
            items.append(_FACTORS[kind](row))
        else:
            items.append(_LINES[kind](row))
    row.end()
    return items[0] if len(items) == 1 else Times(tuple(items))


def _block(kind: str, data: Any, where: str, depth: int) -> Node:
    if kind == "by_class":
        # No line for a class: such events earn nothing here.
        named = {name: 0 if item in _NOTHING else item for name, item in _Object(data, where).rest.items()}
        cases = {name: _node(item, f"{where}.{name}", depth + 1) for name, item in named.items()}
        otherwise = cases.pop(ELSE, None)
        return ByClass(cases, otherwise)
    items = tuple(_node(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(_list(data, where)))
    if not items:
        raise Refused("series_list", where=where)
    return Add(items) if kind == "add" else Higher(items) if kind == "higher" else Times(items)


_BLOCKS = ("add", "higher", "times", "by_class")
_NOTHING: tuple[Any, ...] = (None, {}, [], {"add": []})
_WORDS = ("event_weight", "given")
"""What may stand alone, as a word."""


def _attend(row: _Object) -> Node:
    points = number(row.take("attend"), row.at("attend"))
    return Attend(points, row.choice("when", When, When.ALWAYS))


def _wins(row: _Object) -> Node:
    data = row.take("win")
    points, by_length, by_round = Fraction(1), None, None
    if isinstance(data, Mapping):
        inner = _Object(data, row.at("win"))
        if "length" in inner.rest:
            lengths = _Object(inner.take("length"), inner.at("length"))
            by_length = {
                None if key == ELSE else whole(key, lengths.where, least=1): number(value, lengths.at(key))
                for key, value in lengths.rest.items()
            }
        else:
            by_round = {
                to_final: number(inner.take(name), inner.at(name))
                for name, to_final in _ROUNDS.items()
                if name in inner.rest
            }
        inner.end()
        if not (by_length or by_round):
            raise Refused("series_list", where=inner.where)
    else:
        points = number(data, row.at("win"))
    return Wins(
        points=points,
        bracket=_brackets(row, ANY),
        by=row.choice("by", By, By.ONE),
        by_length=by_length,
        by_round=by_round,
        walkovers=row.flag("walkovers", True),
        byes=row.flag("byes", False),
    )


_ROUNDS: Mapping[str, int | None] = {"final": 0, "semifinal": 1, "quarterfinal": 2, "earlier": None}


def _matches(row: _Object) -> Node:
    return MatchPoints(
        points=number(row.take("match"), row.at("match")),
        bracket=_brackets(row, ANY),
        by=row.choice("by", By, By.ONE),
        when=row.choice("when", When, When.ALWAYS),
        walkovers=row.flag("walkovers", True),
    )


def _places(row: _Object) -> Node:
    inner = _Object(row.take("place"), row.at("place"))
    ties, mean_from = inner.take("ties", Ties.MEAN), inner.take("from")
    if isinstance(ties, Mapping):
        limit = _Object(ties, inner.at("ties"))
        ties, mean_from = Ties.MEAN_FROM, limit.take("mean_from")
        limit.end()
    places = Places(
        bracket=_brackets(inner, MAIN),
        size=inner.choice("size", FieldSize, FieldSize.BRACKET),
        ties=_choice(ties, Ties, inner.at("ties")),
        mean_from=None if mean_from is None else whole(mean_from, inner.at("from"), least=1),
        values=_values(inner.take("values"), inner.at("values")),
    )
    inner.end()
    return places


def _given(row: _Object) -> Node:
    value = row.take("given", True)
    return ManualPoints(Fraction(1) if value is True or value == {} else number(value, row.at("given")))


_LINES: Mapping[str, Callable[[_Object], Node]] = {
    "attend": _attend,
    "win": _wins,
    "match": _matches,
    "place": _places,
    "given": _given,
}


def _place_factor(row: _Object) -> Node:
    inner = _Object(row.take("place_factor"), row.at("place_factor"))
    factors = _Object(inner.take("factors"), inner.at("factors"))
    otherwise = number(factors.take(ELSE, 1), factors.at(ELSE))
    factor = PlaceFactor(
        bracket=_brackets(inner, MAIN),
        factors={
            whole(key, factors.where, least=1): number(value, factors.at(key)) for key, value in factors.rest.items()
        },
        otherwise=otherwise,
        ties=inner.choice("ties", Ties, Ties.MEAN),
    )
    inner.end()
    return factor


def _factors(row: _Object, key: str) -> tuple[dict[str, Fraction], Fraction]:
    inner = _Object(row.take(key), row.at(key))
    factors = {name: number(value, inner.at(name)) for name, value in inner.rest.items()}
    return factors, factors.pop(ELSE, Fraction(1))


def _event_weight(row: _Object) -> Node:
    if not row.flag("event_weight", True):
        return Number(Fraction(1))
    return EventWeight()


_FACTORS: Mapping[str, Callable[[_Object], Node]] = {
    "place_factor": _place_factor,
    "division": lambda row: DivisionFactor(*_factors(row, "division")),
    "class": lambda row: ClassFactor(*_factors(row, "class")),
    "event_weight": _event_weight,
}


def _brackets(row: _Object, default: str) -> tuple[str, ...]:
    value = row.take("bracket", default)
    names = [value] if isinstance(value, str) else _list(value, row.at("bracket"))
    if not names or not all(isinstance(name, str) and name for name in names):
        raise Refused("series_list", where=row.at("bracket"))
    return tuple(names)


def _values(data: Any, where: str) -> Values:
    row = _values_object(data, where)
    kind = row.choice("kind", _Kind, _Kind.NONE)
    values: Values
    match kind:
        case _Kind.LIST:
            values = ListOfPoints(_numbers(row.take("points"), row.at("points")), _beyond(row))
        case _Kind.BANDS:
            values = _bands(row)
        case _Kind.LOG2_RANK:
            then = row.take("then", THEN[0])
            if then not in THEN:
                raise Refused("series_choice", where=row.at("then"), value=short(then), choices=", ".join(THEN))
            factors = _numbers(row.take("factors"), row.at("factors"))
            values = Log2Rank(number(row.take("scale", 1), row.at("scale")), factors, then)
        case _Kind.LOG2_OVER_PLACE:
            values = Log2OverPlace(number(row.take("scale", 1), row.at("scale")))
        case _Kind.FIELD:
            scale = number(row.take("scale", 1), row.at("scale"))
            given = row.take("factors", row.take("factor", row.take("points")))
            listed = _numbers(given if isinstance(given, list | tuple | Mapping) else [given], row.at("factors"))
            values = FieldTimes(tuple(scale * factor for factor in listed), scale * _beyond(row))
        case _Kind.SHARES:
            values = Shares()
        case _Kind.NONE:
            raise Refused("series_choice", where=row.at("kind"), value="", choices=", ".join(k for k in _Kind if k))
    row.end()
    return values


def _values_object(data: Any, where: str) -> _Object:
    """Read values that are a list, the word of a kind, or an object; without a kind, its only key that is one."""
    if isinstance(data, list | tuple):
        data = {"kind": _Kind.LIST.value, "points": data}
    elif isinstance(data, str):
        data = {"kind": data}
    row = _Object(data, where)
    named = [kind for kind in _Kind if kind and kind in row.rest]
    if "kind" not in row.rest and len(named) == 1:
        (kind,) = named
        row.rest["kind"] = kind.value
        if kind is not _Kind.BANDS:
            value = row.rest.pop(kind)
            if value is not True:
                row.rest[_MAIN_KEY.get(kind, "scale")] = value
    return row


class _Kind(StrEnum):
    NONE = ""
    LIST = "list"
    BANDS = "bands"
    LOG2_RANK = "log2_rank"
    LOG2_OVER_PLACE = "log2_over_place"
    FIELD = "field"
    SHARES = "shares"


_MAIN_KEY = {_Kind.LIST: "points", _Kind.LOG2_RANK: "factors", _Kind.FIELD: "factors"}
"""What stands under the name of a kind that is a key; of the others the scale."""


def _beyond(row: _Object) -> Fraction:
    return number(row.take("beyond", 0), row.at("beyond"))


def _numbers(data: Any, where: str) -> tuple[Fraction, ...]:
    """A list from the first place on, or an object by place without a gap."""
    if isinstance(data, Mapping):
        by_place = {whole(place, where, least=1): value for place, value in data.items()}
        if set(by_place) != set(range(1, len(by_place) + 1)):
            raise Refused("series_list", where=where)
        data = [by_place[place] for place in sorted(by_place)]
    return tuple(number(value, f"{where}[{index}]") for index, value in enumerate(_list(data, where)))


def _bands(row: _Object) -> Bands:
    by = row.choice("by", BandsBy, BandsBy.PLAYERS)
    bands = tuple(
        _band(data, f"{row.at('bands')}[{index}]")
        for index, data in enumerate(_list(row.take("bands"), row.at("bands")))
    )
    cover = tuple(_block_of_places(text, row.at("cover")) for text in _list(row.take("cover", []), row.at("cover")))
    if not bands:
        raise Refused("series_list", where=row.at("bands"))
    both = by in (BandsBy.HIGHER, BandsBy.LOWER) and any(band.rounds is not None for band in bands)
    for index, (before, after) in enumerate(pairwise(bands), start=2):
        if before.to is None or (both and before.rounds is None):
            raise Refused("series_band_last", band=index - 1)
        if after.to is not None and after.to <= before.to:
            raise Refused("series_band_order", band=index, to=after.to, before=before.to)
        if after.first is not None and after.first > before.to + 1:
            raise Refused("series_band_gap", number=before.to + 1)
        if after.first is not None and after.first <= before.to:
            raise Refused("series_band_overlap", number=after.first)
        if None not in (before.rounds, after.rounds) and (after.rounds or 0) <= (before.rounds or 0):
            raise Refused("series_band_order", band=index, to=after.rounds, before=before.rounds)
    for index, band in enumerate(bands, start=1):
        if band.first is not None and band.to is not None and band.first > band.to:
            raise Refused("series_band_order", band=index, to=band.to, before=band.first)
    return Bands(bands, by, cover, _beyond(row))


def _band(data: Any, where: str) -> Band:
    row = _Object(data, where)
    first, to, rounds, beyond = row.take("from"), row.take("to"), row.take("rounds"), row.take("beyond")
    rows = _Object(row.take("rows"), row.at("rows"))
    band = Band(
        to=None if to is None else whole(to, row.at("to"), least=1),
        first=None if first is None else whole(first, row.at("from")),
        rounds=None if rounds is None else whole(rounds, row.at("rounds"), least=1),
        rows={_block_of_places(key, rows.where): number(value, rows.at(key)) for key, value in rows.rest.items()},
        beyond=None if beyond is None else number(beyond, row.at("beyond")),
    )
    row.end()
    return band


def _block_of_places(text: Any, where: str) -> tuple[int, int]:
    first, dash, last = str(text).replace("–", "-").partition("-")
    try:
        block = int(first), int(last) if dash else int(first)
    except ValueError:
        block = 0, 0
    if not 1 <= block[0] <= block[1] <= MAX_PLACES:
        raise Refused("series_places", where=where, text=short(text))
    return block


def _name(data: Any, where: str) -> str:
    if not isinstance(data, str) or len(data) > MAX_NAME_LENGTH:
        raise Refused("series_text", where=where, value=short(data))
    return data


def _names(data: Any, where: str) -> tuple[str, ...]:
    return tuple(_name(name, f"{where}[{index}]") for index, name in enumerate(_list(data, where)))


def _list(data: Any, where: str) -> Sequence[Any]:
    if not isinstance(data, list | tuple):
        raise Refused("series_list", where=where)
    return data


# Writing


def plan_json(plan: Plan) -> dict[str, Any]:
    """Write a plan in its exchange form; `plan_from` reads an equal plan from it."""
    count = {
        "best": plan.count.best,
        "drop_worst": plan.count.drop_worst or None,
        "min_events": plan.count.min_events or None,
        "per_month": plan.count.per_month,
        "per_class": dict(plan.count.per_class) or None,
        "away": plan.count.away,
    }
    rows: dict[str, Any] = {
        "name": plan.name,
        "points": node_json(plan.points),
        "round_event": _rounding_json(plan.round_event),
        "round_total": _rounding_json(plan.round_total),
        "decay": plan.decay and {"every": plan.decay.every.value, "factor": written_exactly(plan.decay.factor)},
        "count": {key: value for key, value in count.items() if value is not None},
        "ties": [tie.value for tie in plan.ties],
        "tie_values": [written_exactly(value) for value in plan.tie_values] or None,
        "ties_for_first_only": plan.ties_for_first_only or None,
        "show_digits": plan.show_digits,
        "several_divisions": _Several.BEST.value if plan.best_division else None,
        "belongs": None if plan.belongs is Eligibility.EVERYBODY else plan.belongs.value,
        "players": None if plan.players is None else sorted(plan.players),
        "guests": _Guests.CLOSE_UP.value if plan.close_up else None,
        "no_shows_attend": plan.no_shows_attend or None,
        "tied_wins_share": plan.tied_wins_share or None,
        "voided_wins": plan.voided_wins or None,
        "class_by_month": {str(month): kind for month, kind in plan.class_by_month.items()} or None,
        "qualify": dict(plan.qualify) or None,
        **plan.details,
    }
    return {key: value for key, value in rows.items() if value is not None}


def written_exactly(value: Fraction) -> str:
    """Write a fraction as a short decimal where it is one, else as a fraction."""
    for digits in range(MAX_DIGITS):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            sign, whole_number = "-" if scaled < 0 else "", abs(scaled.numerator)
            text = str(whole_number).zfill(digits + 1)
            return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else f"{sign}{text}"
    return str(value)


def _rounding_json(rounding: Rounded | None) -> dict[str, Any] | None:
    return None if rounding is None else {"mode": rounding.mode.value, "digits": rounding.digits}


def node_json(node: Node) -> Any:
    """Write one node of a plan's points."""
    match node:
        case Add() | Higher() | Times():
            return {type(node).__name__.lower(): [node_json(item) for item in node.items]}
        case ByClass():
            cases = {name: node_json(item) for name, item in node.cases.items()}
            return {"by_class": cases if node.otherwise is None else {**cases, ELSE: node_json(node.otherwise)}}
        case Number() | PlaceFactor() | DivisionFactor() | ClassFactor() | EventWeight():
            return _factor_json(node)
        case _:
            return _line_json(node)


def _line_json(line: Line) -> dict[str, Any]:
    exact = written_exactly
    match line:
        case Attend():
            return {"attend": exact(line.points), **({} if line.when is When.ALWAYS else {"when": line.when.value})}
        case ManualPoints():
            return {"given": True if line.factor == 1 else exact(line.factor)}
        case Wins():
            details = {"by": line.by.value, "walkovers": line.walkovers, "byes": line.byes}
            return {"win": _for_wins_json(line), "bracket": _brackets_json(line.bracket), **details}
        case MatchPoints():
            details = {"by": line.by.value, "when": line.when.value, "walkovers": line.walkovers}
            return {"match": exact(line.points), "bracket": _brackets_json(line.bracket), **details}
        case Places():
            place = {
                "bracket": _brackets_json(line.bracket),
                "size": line.size.value,
                "ties": line.ties.value,
                "values": _values_json(line.values),
            }
            return {"place": place if line.mean_from is None else {**place, "from": line.mean_from}}


def _for_wins_json(line: Wins) -> Any:
    exact = written_exactly
    if line.by_length is not None:
        return {"length": {ELSE if key is None else str(key): exact(value) for key, value in line.by_length.items()}}
    if line.by_round is not None:
        return {name: exact(line.by_round[key]) for name, key in _ROUNDS.items() if key in line.by_round}
    return exact(line.points)


def _factor_json(factor: Factor) -> Any:
    exact = written_exactly
    match factor:
        case Number():
            return exact(factor.value)
        case EventWeight():
            return {"event_weight": True}
        case PlaceFactor():
            factors = {str(place): exact(value) for place, value in factor.factors.items()}
            if factor.otherwise != 1:
                factors[ELSE] = exact(factor.otherwise)
            brackets = _brackets_json(factor.bracket)
            return {"place_factor": {"bracket": brackets, "factors": factors, "ties": factor.ties.value}}
        case DivisionFactor() | ClassFactor():
            key = "division" if isinstance(factor, DivisionFactor) else "class"
            factors = {name: exact(value) for name, value in factor.factors.items()}
            return {key: {**factors, ELSE: exact(factor.otherwise)}}


def _brackets_json(names: tuple[str, ...]) -> Any:
    return names[0] if len(names) == 1 else list(names)


def _values_json(values: Values) -> dict[str, Any]:
    exact = written_exactly
    match values:
        case ListOfPoints():
            return {"kind": "list", "points": [exact(value) for value in values.points], "beyond": exact(values.beyond)}
        case Bands():
            return {
                "kind": "bands",
                "by": values.by.value,
                "bands": [_band_json(band) for band in values.bands],
                "cover": [_places_json(block) for block in values.cover],
                "beyond": exact(values.beyond),
            }
        case Log2Rank():
            rank = {"kind": "log2_rank", "scale": exact(values.scale), "factors": [exact(v) for v in values.factors]}
            return {**rank, "then": values.then}
        case Log2OverPlace():
            return {"kind": "log2_over_place", "scale": exact(values.scale)}
        case FieldTimes():
            return {"kind": "field", "factors": [exact(v) for v in values.factors], "beyond": exact(values.beyond)}
        case Shares():
            return {"kind": "shares"}


def _band_json(band: Band) -> dict[str, Any]:
    optional = {
        "from": band.first,
        "rounds": band.rounds,
        "beyond": None if band.beyond is None else written_exactly(band.beyond),
    }
    rows = {_places_json(block): written_exactly(value) for block, value in band.rows.items()}
    return {"to": band.to, "rows": rows, **{key: value for key, value in optional.items() if value is not None}}


def _places_json(block: tuple[int, int]) -> str:
    return str(block[0]) if block[0] == block[1] else f"{block[0]}-{block[1]}"
