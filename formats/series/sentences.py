"""Each figure of a series in a sentence: which template, with which numbers.

The parts of a figure stay data, and so does its sentence: a code of `EXPLANATIONS` with parameters, which the caller
translates and fills in. `explain` gives the phrases of one result, in their order.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from formats.series.numbers import format_number
from formats.series.plan import TieRule
from formats.series.points import AppliedFactor, PointsPart
from formats.series.table import NO_PLACE, CountedResult, Key, SeriesRow, TieReason

EXPLANATIONS: Mapping[str, str] = {
    # Parts of a result
    "attend": "{points} for coming",
    "win": "{count} won in {bracket} ({each} each): {points}",
    "win_length": "{count} won in {bracket} at {length} points each: {points}",
    "win_root": "{count} won in {bracket} at √{length} ({each} each): {points}",
    "match": "{count} played in {bracket} ({each} each): {points}",
    "place": "place {first} of {size} in {bracket}: {points}",
    "place_each": "places {first} to {last} of {size} in {bracket} shared, {points} each",
    "place_row": "places {first} to {last} of {size} in {bracket} shared, {points} each by the table",
    "place_mean": "places {first} to {last} of {size} in {bracket} shared: ({values}) ÷ {sharers} = {points}",
    "given": "{points} entered by hand",
    "constant": "{points}",
    "bye": "bye in round {round}: no points",
    "walkover": "walkover in round {round}: no points",
    "instead_of": "higher than {lower}",
    "rounding": "rounded from {exact}: {points}",
    # Factors
    "factor_division": "× {value} ({name})",
    "factor_class": "× {value} ({name} night)",
    "factor_event": "× {value} (weight of the event)",
    "factor_constant": "× {value}",
    "factor_place": "× {value} (place {name})",
    "factor_line": "× {value}",
    # Results and rows
    "faded": "{points}, {steps} times reduced: {now}",
    "not_counted": "not counted: {better} better",
    "not_counted_limit": "not counted: no more results of this kind can count",
    "counts": "counts ({position} best of {counted} that count)",
    "unranked": "{more} more needed for a rank",
    # Ranks
    "before_best_single": "before {other} by the better single evening ({own} to {others})",
    "before_best_place": "before {other} by the better place ({own} to {others})",
    "before_most_best_places": "before {other} by more of the better places ({own} to {others})",
    "before_count_of_values": "before {other} by more of the higher results ({own} to {others})",
    "before_fewest_events": "before {other} by fewer evenings ({own} to {others})",
    "before_most_events": "before {other} by more evenings ({own} to {others})",
    "before_win_share": "before {other} by the share of matches won ({own} to {others})",
    "before_head_to_head": "before {other} by their matches against each other ({own} to {others})",
    "before_best_dropped": "before {other} by the best evening that does not count ({own} to {others})",
    "before_lot": "before {other} by lot",
    "before_play_off": "before {other} by a play-off",
}
"""Code -> English template. Numbers are written with the digits that the series shows."""


class Phrase(NamedTuple):
    """A phrase: a code of `EXPLANATIONS`, its parameters, and the phrases of the factors applied."""

    code: str
    params: Mapping[str, Any]
    factors: tuple["Phrase", ...] = ()

    @property
    def text(self) -> str:
        return " ".join([EXPLANATIONS[self.code].format_map(self.params), *(factor.text for factor in self.factors)])


def explain(parts: Sequence[PointsPart], digits: int) -> list[Phrase]:
    """The phrases for the parts of one result. As shown they add up: the last one takes what rounding leaves over."""
    total = _displayed(sum((part.points for part in parts), Fraction(0)), digits)
    phrases = []
    left = total
    earning = [index for index, part in enumerate(parts) if part.points]
    for index, part in enumerate(parts):
        points = _displayed(part.points, digits)
        if earning and index == earning[-1]:
            points = left
        left -= points
        phrases.append(_phrase(part, points, digits))
    return phrases


def _displayed(value: Fraction, digits: int) -> Fraction:
    return Fraction(format_number(value, digits))


_BY = {"length": "win_length", "root_length": "win_root"}


def _phrase(part: PointsPart, points: Fraction, digits: int) -> Phrase:
    params: dict[str, Any] = {
        key: _text(value, digits) if isinstance(value, Fraction) else value for key, value in part.params.items()
    }
    params["points"] = format_number(points, digits)
    params["division"] = part.division
    code = part.code
    if code == "win":
        code = _BY.get(part.params["by"], code)
    elif code == "place" and part.params["rule"] != "place":
        code = f"place_{part.params['rule']}"
    if code.startswith("place"):
        values = part.params["values"]
        params |= {"values": " + ".join(_text(value, digits) for value in values), "sharers": len(values)}
    return Phrase(code, params, tuple(_factor(factor, digits) for factor in part.factors))


def _factor(factor: AppliedFactor, digits: int) -> Phrase:
    return Phrase(f"factor_{factor.code}", {"name": factor.name, "value": _text(factor.value, max(digits, 2))})


def _text(value: Fraction, digits: int) -> str:
    """A number without needless zeros."""
    text = format_number(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def explain_result(row: SeriesRow, result: CountedResult, digits: int) -> list[Phrase]:
    """The phrases for one result of a row: its parts, its decay, and whether it counts."""
    phrases = explain(result.earned.parts, digits)
    if result.faded:
        points, now = format_number(result.earned.points, digits), format_number(result.points, digits)
        phrases.append(Phrase("faded", {"points": points, "steps": result.faded, "now": now}))
    phrases.extend(_standing(row, result))
    return phrases


def _standing(row: SeriesRow, result: CountedResult) -> Iterator[Phrase]:
    better = [other for other in row.results if other.counts and other.points >= result.points and other != result]
    if result.limited:
        yield Phrase("not_counted_limit", {})
    elif not result.counts:
        yield Phrase("not_counted", {"better": len(better)})
    elif row.dropped:
        counted = list(row.best_first)
        yield Phrase("counts", {"position": counted.index(result.event) + 1, "counted": len(counted)})


def explain_rank(reason: TieReason, digits: int) -> Phrase:
    """Why a player stands before another who has the same total."""
    params = {
        "other": reason.ahead_of,
        "own": _key(reason.rule, reason.own, digits),
        "others": _key(reason.rule, reason.other, digits),
    }
    return Phrase(f"before_{reason.rule.value}", params)


def _key(rule: TieRule, key: Key, digits: int) -> str:
    """What a rule has compared, as people say it: places and numbers of events are positive, no place is a dash."""
    if rule is TieRule.BEST_PLACE and key == NO_PLACE:
        return "–"
    if rule in (TieRule.BEST_PLACE, TieRule.MIN_EVENTS):
        key = tuple(-value for value in key)
    precise = rule in (TieRule.BEST_SINGLE, TieRule.BEST_DROPPED)
    while len(key) > 1 and not key[-1]:
        key = key[:-1]
    return "-".join(format_number(value, digits) if precise else _text(value, 3) for value in key)
