"""Each figure of a series in a sentence: which template, with which numbers.

The parts of a figure stay data, and so does its sentence: a code of `EXPLANATIONS` with parameters, which the caller
translates and fills in. `explain` gives the phrases of one result, in their order.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from formats.series.facts import Player
from formats.series.numbers import format_number
from formats.series.plan import MAIN, TieRule
from formats.series.points import AppliedFactor, PointsPart
from formats.series.table import NO_PLACE, CountedResult, Key, Season, SeriesRow, TieReason

FIGURES: Mapping[str, str] = {
    "constant": "{points}",
    "factor_constant": "× {value}",
    "factor_line": "× {value}",
}
"""Code -> template of a figure without a word."""
EXPLANATIONS: Mapping[str, str] = {
    **FIGURES,
    # Parts of a result
    "attend": "{points} for coming",
    "win": "{count} wins ({bracket}), {each} each: {points}",
    "win_one": "1 win ({bracket}): {points}",
    "win_length": "{count} wins to {length} points ({bracket}): {points}",
    "win_length_one": "1 win to {length} points ({bracket}): {points}",
    "win_root": "{count} wins to {length} points ({bracket}), √{length} = {each} each: {points}",
    "win_root_one": "1 win to {length} points ({bracket}), √{length} = {each}: {points}",
    "match": "{count} matches ({bracket}), {each} each: {points}",
    "match_one": "1 match ({bracket}): {points}",
    "place": "place {first} of {size} ({bracket}): {points}",
    "place_each": "places {first} to {last} of {size} ({bracket}) shared, {points} each",
    "place_row": "places {first} to {last} of {size} ({bracket}) shared, {points} each by the table",
    "place_mean": "places {first} to {last} of {size} ({bracket}) shared: ({values}) ÷ {sharers} = {points}",
    "given": "{points} entered by hand",
    "bye": "bye in round {round}: no points",
    "bye_without_round": "bye: no points",
    "walkover": "win by walkover in round {round}: no points",
    "walkover_without_round": "win by walkover: no points",
    "instead_of": "the higher of two counts (the other: {lower})",
    "rounding": "rounded from {exact}: {points}",
    # Factors
    "factor_division": "× {value} ({name})",
    "factor_class": "× {value} ({name} night)",
    "factor_event": "× {value} (weight of the event)",
    "factor_place": "× {value} (place {name})",
    "factor_pair": "× {value} (each of a pair)",
    # Results and rows
    "nothing": "no points",
    "faded": "{points}, reduced {steps} times since: {now}",
    "faded_once": "{points}, reduced once since: {now}",
    "not_counted": "does not count: only the best {better} do",
    "not_counted_one": "does not count: only the best evening does",
    "not_counted_limit": "does not count: no more evenings of this kind can",
    "counts": "counts as {position} of the best {counted}",
    "counts_one": "counts as the best evening",
    # Ranks
    "before_best_single": "ahead of {other} by a better best evening ({own} to {others})",
    "before_best_place": "ahead of {other} by a better best place ({own} to {others})",
    "before_most_best_places": "ahead of {other} by more first places, then second and so on ({own} to {others})",
    "before_count_of_values": "ahead of {other} by more of the highest results ({own} to {others})",
    "before_fewest_events": "ahead of {other} by fewer evenings for the same points ({own} to {others})",
    "before_most_events": "ahead of {other} by more evenings ({own} to {others})",
    "before_win_share": "ahead of {other} by the share of matches won ({own} to {others})",
    "before_head_to_head": "ahead of {other} by the matches between them, wins less losses ({own} to {others})",
    "before_best_dropped": "ahead of {other} by the best evening that does not count ({own} to {others})",
    "before_lot": "ahead of {other} by lot",
    "before_play_off": "ahead of {other} by a play-off",
    # The winner of the only evening, if somebody else is first
    "winner_behind": "{winner} won the evening, but {other} has more points by these rules: {points} to {own}.",
    "winner_level": "{winner} won the evening; {other} has as many points: {points}.",
    "winner_tied": "{winner} won the evening; {other} has as many points and is first by the tie rules.",
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
    if "round" in params and params["round"] is None:
        code = f"{code}_without_round"
    elif params.get("count") == 1:
        code = f"{code}_one"
    elif code == "place" and part.params["rule"] != "place":
        code = f"place_{part.params['rule']}"
    if code.startswith("place"):
        values = part.params["values"]
        params |= {"values": " + ".join(_text(value, digits) for value in values), "sharers": len(values)}
    # Factors of nothing explain nothing.
    return Phrase(code, params, tuple(_factor(factor, digits) for factor in part.factors if part.points))


def _factor(factor: AppliedFactor, digits: int) -> Phrase:
    return Phrase(f"factor_{factor.code}", {"name": factor.name, "value": _text(factor.value, max(digits, 2))})


def _text(value: Fraction, digits: int) -> str:
    """A number without needless zeros."""
    text = format_number(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def explain_result(row: SeriesRow, result: CountedResult, digits: int) -> list[Phrase]:
    """The phrases for one result of a row: its parts, its decay, and whether it counts."""
    phrases = explain(result.earned.parts, digits) or [Phrase("nothing", {})]
    if result.faded:
        points, now = format_number(result.earned.points, digits), format_number(result.points, digits)
        code = "faded" if result.faded > 1 else "faded_once"
        phrases.append(Phrase(code, {"points": points, "steps": result.faded, "now": now}))
    phrases.extend(_standing(row, result))
    return phrases


def _standing(row: SeriesRow, result: CountedResult) -> Iterator[Phrase]:
    better = [other for other in row.results if other.counts and other.points >= result.points and other != result]
    if result.limited:
        yield Phrase("not_counted_limit", {})
    elif not result.counts:
        yield Phrase("not_counted" if len(better) > 1 else "not_counted_one", {"better": len(better)})
    elif row.dropped:
        counted = list(row.best_first)
        code = "counts" if len(counted) > 1 else "counts_one"
        yield Phrase(code, {"position": counted.index(result.event) + 1, "counted": len(counted)})


def explain_rank(reason: TieReason, digits: int) -> Phrase:
    """Why a player stands before another who has the same total."""
    params = {
        "other": reason.ahead_of,
        "own": _key(reason.rule, reason.own, digits),
        "others": _key(reason.rule, reason.other, digits),
    }
    return Phrase(f"before_{reason.rule.value}", params)


def explain_winner(evaluated: Season, shown: Sequence[Player], digits: int) -> Phrase | None:
    """Why the winner of the only evening is not first in the table as `shown`; None if they are, or after another one.

    The winner won the main bracket of the first division.
    """
    if len(evaluated.events) != 1 or not shown:
        return None
    placings = [
        bracket.placings[0]
        for division in evaluated.events[0].divisions[:1]
        for bracket in division.brackets
        if bracket.name == MAIN and bracket.placings
    ]
    winner, first = (evaluated.row(player) for player in (placings[0][0] if placings else "", shown[0]))
    if winner is None or first is None or shown[0] in placings[0]:
        return None
    params = {"winner": winner.player, "other": first.player, "points": format_number(first.total, digits)}
    if first.total == winner.total:
        return Phrase("winner_level" if first.rank == winner.rank else "winner_tied", params)
    return Phrase("winner_behind", params | {"own": format_number(winner.total, digits)})


def _key(rule: TieRule, key: Key, digits: int) -> str:
    """What a rule has compared, as people say it: places and numbers of events are positive, no place is a dash."""
    if rule is TieRule.BEST_PLACE and key == NO_PLACE:
        return "–"
    if rule in (TieRule.BEST_PLACE, TieRule.FEWEST_EVENTS):
        key = tuple(-value for value in key)
    if rule is TieRule.WIN_SHARE:
        return f"{format_number(100 * key[0], 0)}%"
    precise = rule in (TieRule.BEST_SINGLE, TieRule.BEST_DROPPED)
    while len(key) > 1 and not key[-1]:
        key = key[:-1]
    return "-".join(format_number(value, digits) if precise else _text(value, 3) for value in key)
