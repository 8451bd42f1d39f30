"""What an event hands over to the series in which it counts: its divisions, brackets, placings and matches.

Facts are read from the exchange form of `./manage.py series`; keys that no plan uses are not read.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction
from itertools import chain, groupby
from typing import Any, TypeVar

from formats.errors import Refused
from formats.series.numbers import number, whole

FIRST_YEAR, LAST_YEAR = 1900, 2999
MAX_NAME_LENGTH = 200
NORMAL = "normal"
"""The class of an event that is neither double nor bonus nor anything else."""
T = TypeVar("T")

Player = str
"""A player, by name or by an id of the caller."""


class DecidedBy(StrEnum):
    PLAYED = "played"
    WALKOVER = "walkover"
    BYE = "bye"
    VOID = "void"
    """Really played, then made void by a correction; it counts nowhere unless the plan says that it is a win."""


@dataclass(frozen=True, slots=True)
class SeriesMatch:
    """One match. `to_final` is 0 in the final, 1 in a semi-final; None in a Swiss and in groups. A bye has no loser."""

    bracket: str
    winner: Player
    loser: Player | None
    length: int
    how: DecidedBy = DecidedBy.PLAYED
    round: int | None = None
    to_final: int | None = None


@dataclass(frozen=True, slots=True)
class SeriesBracket:
    """A bracket or group: who played in it, and its placings in order. The players of one placing share its places.

    After the placings of its players may follow those of who did not reach it.
    `places` are those that each placing shares if they do not follow one another, as in an event that was abandoned.
    `equal_points` are the placings of a table by points alone.
    """

    name: str
    players: frozenset[Player]
    placings: tuple[tuple[Player, ...], ...] = ()
    rounds: int | None = None
    places: tuple[tuple[int, ...], ...] = ()
    equal_points: tuple[tuple[Player, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class SeriesDivision:
    """A division of an event. `rank` 1 is the highest; `shares` are the director's list, `given` points typed in."""

    name: str
    players: frozenset[Player]
    brackets: tuple[SeriesBracket, ...] = ()
    matches: tuple[SeriesMatch, ...] = ()
    rank: int = 1
    shares: tuple[Fraction, ...] = ()
    given: Mapping[Player, Fraction] = field(default_factory=dict)
    pairs: Mapping[Player, tuple[Player, ...]] = field(default_factory=dict)
    """Who the two of each pair are, which stands in the places of the division like one player."""
    missed: frozenset[Player] = frozenset()
    """Who did not come to a match to which the opponent did not come, either."""

    def people(self, side: Player) -> tuple[Player, ...]:
        """Return for whom a side stands."""
        return self.pairs.get(side, (side,))


@dataclass(frozen=True, slots=True)
class SeasonEvent:
    """An event as a series sees it.

    `kind` is its class in this series, empty if that follows from its month; `away` whether it was played elsewhere.
    `pair_share` is the part of the points of a pair that each of the two gets; with 0, pairs count for nobody.
    """

    id: str
    date: date
    divisions: tuple[SeriesDivision, ...] = ()
    kind: str = ""
    weight: Fraction = Fraction(1)
    away: bool = False
    pair_share: Fraction = Fraction(1)

    @property
    def players(self) -> frozenset[Player]:
        """Everybody who was in a published draw, by themselves or in a pair, or has points typed in."""
        sides = ((division, side) for division in self.divisions for side in division.players | set(division.given))
        return frozenset(player for division, side in sides for player in self.people(division, side))

    def people(self, division: SeriesDivision, side: Player) -> tuple[Player, ...]:
        """Return for whom a side of a division counts."""
        return division.people(side) if self.pair_share or side not in division.pairs else ()


def events_from(data: Any) -> tuple[SeasonEvent, ...]:
    """Read events, in their order: a list of them, or an object with the key `events`.

    Raises Refused with `series_facts`, naming where in the events something is missing or wrong.
    """
    if isinstance(data, Mapping):
        data = data.get("events")
    events = tuple(_dated(_each(data, "events", _event)))
    if len({event.id for event in events}) < len(events):
        raise Refused("series_facts", where="events", problem="two events have the same id")
    return events


def _dated(events: Iterable[SeasonEvent]) -> list[SeasonEvent]:
    """Give an event without a day that of the event before it, or the first day that is known."""
    rows = list(events)
    day = next((event.date for event in rows if event.date != date.min), date.min)
    dated = []
    for event in rows:
        day = day if event.date == date.min else event.date
        dated.append(event if event.date == day else replace(event, date=day))
    return dated


def without(event: SeasonEvent, absent: frozenset[Player]) -> SeasonEvent:
    """The event as if these players had not taken part: places close up, and wins against them remain.

    A pair stays as long as one of the two does.
    """
    return replace(event, divisions=tuple(_division_without(division, absent) for division in event.divisions))


def _division_without(division: SeriesDivision, people: frozenset[Player]) -> SeriesDivision:
    absent = people | {pair for pair, both in division.pairs.items() if people.issuperset(both)}
    return replace(
        division,
        players=division.players - absent,
        brackets=tuple(_bracket_without(bracket, absent) for bracket in division.brackets),
        matches=tuple(match for match in division.matches if match.winner not in absent),
        given={player: points for player, points in division.given.items() if player not in absent},
    )


def _bracket_without(bracket: SeriesBracket, absent: frozenset[Player]) -> SeriesBracket:
    def close(placings: tuple[tuple[Player, ...], ...]) -> tuple[tuple[Player, ...], ...]:
        return tuple(filter(None, (tuple(p for p in placing if p not in absent) for placing in placings)))

    if bracket.places:
        kept = [row for row in zip(bracket.placings, bracket.places, strict=True) if set(row[0]) - absent]
        return replace(
            bracket, players=bracket.players - absent, placings=close(bracket.placings),
            places=tuple(places for _players, places in kept),
        )  # fmt: skip
    return replace(
        bracket, players=bracket.players - absent, placings=close(bracket.placings),
        equal_points=close(bracket.equal_points),
    )  # fmt: skip


def _event(data: Any, where: str) -> SeasonEvent:
    row = _object(data, where)
    kind, given = row.get("class"), row.get("given")
    divisions = _each(_or(row.get("divisions"), None if given is None else ()), f"{where}.divisions", _division)
    if given is not None:
        # Points that are typed in for the event rather than for one of its divisions.
        divisions = [*divisions, _division({"given": given}, where)]
    return SeasonEvent(
        id=_id(row.get("id"), f"{where}.id"),
        date=_day(row.get("date"), f"{where}.date"),
        kind="" if kind is None else _text(kind, f"{where}.class"),
        weight=number(_or(row.get("weight"), 1), f"{where}.weight"),
        away=row.get("away") is True,
        divisions=tuple(divisions),
    )


def _id(data: Any, where: str) -> str:
    """A name, or the number of an event."""
    return str(whole(data, where)) if isinstance(data, int) and not isinstance(data, bool) else _text(data, where)


def _day(data: Any, where: str) -> date:
    """A day, or the first of a month. Without one the order of the events is all that is known."""
    if data is None:
        return date.min
    text = data if isinstance(data, str) else ""
    try:
        day = date.fromisoformat(f"{text}-01" if len(text) == len("2026-03") else text)
    except ValueError:
        day = date.min
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise Refused("series_facts", where=where, problem="a date is written as 2026-03-12")
    return day


def _division(data: Any, where: str) -> SeriesDivision:
    row = _object(data, where)
    shares = _or(row.get("shares"), ())
    given = _object(_or(row.get("given"), {}), f"{where}.given")
    brackets = tuple(_each(_or(row.get("brackets"), ()), f"{where}.brackets", _bracket))
    matches = tuple(_each(_or(row.get("matches"), ()), f"{where}.matches", _match))
    # Without a list of its players, those who stand in its brackets or have points typed in.
    in_brackets = sorted(frozenset().union(*(bracket.players for bracket in brackets)))
    division = SeriesDivision(
        name=_text(row["name"], f"{where}.name") if row.get("name") else "",
        rank=whole(_or(row.get("rank"), 1), f"{where}.rank", least=1),
        players=frozenset(_names(_or(row.get("players"), [*in_brackets, *given]), f"{where}.players")),
        brackets=tuple(_with_equal_wins(bracket, matches) for bracket in brackets),
        matches=matches,
        missed=frozenset(_names(_or(row.get("missed"), ()), f"{where}.missed")),
        shares=tuple(_each(shares, f"{where}.shares", number)),
        given={_text(player, f"{where}.given"): number(points, f"{where}.given") for player, points in given.items()},
    )
    for bracket in division.brackets:
        if strangers := bracket.players - division.players:
            raise Refused(
                "series_facts",
                where=f"{where}.{bracket.name}",
                problem=f"{min(strangers)} is not among the players of the division",
            )
    return division


def _bracket(data: Any, where: str) -> SeriesBracket:
    row = _object(data, where)
    placings = tuple(_each(_or(row.get("placings"), ()), f"{where}.placings", _names))
    placed = [player for placing in placings for player in placing]
    players = frozenset(_names(_or(row.get("players"), placed), f"{where}.players"))
    if len(set(placed)) < len(placed):
        raise Refused("series_facts", where=f"{where}.placings", problem="a player is placed twice")
    if strangers := set(placed) - players:
        raise Refused(
            "series_facts",
            where=f"{where}.placings",
            problem=f"{min(strangers)} is not among the players of the bracket",
        )
    rounds = row.get("rounds")
    return SeriesBracket(
        name=_text(row.get("name"), f"{where}.name"),
        players=players,
        placings=tuple(filter(None, placings)),
        rounds=None if rounds is None else whole(rounds, f"{where}.rounds"),
    )


def _with_equal_wins(bracket: SeriesBracket, matches: Iterable[SeriesMatch]) -> SeriesBracket:
    """A table, no match of which leads to a final, with its placings of equal wins as one; a bye is no win."""
    own = [match for match in matches if match.bracket == bracket.name]
    if not own or any(match.to_final is not None for match in own):
        return bracket
    wins = Counter(match.winner for match in own if match.how in (DecidedBy.PLAYED, DecidedBy.WALKOVER))
    groups = groupby(bracket.placings, key=lambda placing: {wins[player] for player in placing})
    return replace(bracket, equal_points=tuple(tuple(chain.from_iterable(group)) for _wins, group in groups))


def _match(data: Any, where: str) -> SeriesMatch:
    row = _object(data, where)
    loser, stage, to_final = row.get("loser"), row.get("round"), row.get("to_final")
    how = _or(row.get("how"), DecidedBy.PLAYED if loser is not None else DecidedBy.BYE)
    if not isinstance(how, str) or how not in set(DecidedBy):
        raise Refused("series_facts", where=f"{where}.how", problem="use played, walkover, bye or void")
    if loser is None and how == DecidedBy.PLAYED:
        raise Refused("series_facts", where=where, problem="a played match has a loser")
    if loser is not None and how == DecidedBy.BYE:
        raise Refused("series_facts", where=where, problem="a bye has no loser")
    if loser is not None and loser == row.get("winner"):
        raise Refused("series_facts", where=where, problem="winner and loser are the same player")
    return SeriesMatch(
        bracket=_text(row.get("bracket"), f"{where}.bracket"),
        winner=_text(row.get("winner"), f"{where}.winner"),
        loser=None if loser is None else _text(loser, f"{where}.loser"),
        length=whole(_or(row.get("length"), 1), f"{where}.length"),
        how=DecidedBy(how),
        round=None if stage is None else whole(stage, f"{where}.round"),
        to_final=None if to_final is None else whole(to_final, f"{where}.to_final"),
    )


def _each(data: Any, where: str, read: Callable[[Any, str], T]) -> Iterable[T]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise Refused("series_facts", where=where, problem="a list is missing")
    return [read(item, f"{where}[{index}]") for index, item in enumerate(data)]


def _names(data: Any, where: str) -> tuple[Player, ...]:
    return tuple(_each(data, where, _text))


def _object(data: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise Refused("series_facts", where=where, problem="an object is missing")
    return data


def _text(data: Any, where: str) -> str:
    if not isinstance(data, str) or not data:
        raise Refused("series_facts", where=where, problem="a name is missing")
    if len(data) > MAX_NAME_LENGTH or any(unicodedata.category(character) == "Cs" for character in data):
        raise Refused("series_facts", where=where, problem="a name is too long, or cannot be written")
    return data


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value
