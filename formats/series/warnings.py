"""What a director may not have meant: oddities of a plan, by itself and on an evening it is tried on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from formats.series import plan as plans
from formats.series.facts import NORMAL, Player, SeasonEvent
from formats.series.numbers import format_number
from formats.series.plan import Plan
from formats.series.points import Earned, Placing, place_values, placings_of

MESSAGES: Mapping[str, str] = {
    "place_below_next": "Of {size} players, place {place} gets less ({points}) than place {lower} ({more}).",
    "consolation_beats_main": "{winner} wins the consolation with {points}, {champion} the main bracket with {less}.",
    "too_few_evenings": "Nobody can reach the minimum of {needed} evenings: there are {evenings}.",
    "late_members": "Only the best {best} count; whoever joins for the last {left} evenings has at most {left}.",
    "tie_above_limit": "Places {first} to {last} are shared, but ties above place {limit} should be played off.",
    "no_points_above": "A field of {size} gets no points for places: it is larger than the last band.",
    "shares_missing": "{division} has no shares, so its places earn nothing.",
    "unknown_class": "The plan has no line for evenings of the class “{kind}”.",
}
"""Code -> English template."""

SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
"""Field sizes on which the points for places are tried."""
LATE = 2
"""With fewer than this many evenings to go, nobody new is expected."""


class PlanWarning(NamedTuple):
    """A code of `MESSAGES` and its parameters."""

    code: str
    params: Mapping[str, Any]

    @property
    def message(self) -> str:
        return MESSAGES[self.code].format_map(self.params)


def warnings_of(
    plan: Plan, events: Sequence[SeasonEvent] = (), points: Mapping[str, Mapping[Player, Earned]] | None = None,
    evenings: int | None = None,
) -> list[PlanWarning]:  # fmt: skip
    """The warnings for a plan, the events it is tried on with their points, and the number of evenings planned."""
    warnings = [*_order_of_places(plan), *_number_of_evenings(plan, evenings), *_kinds_by_month(plan)]
    for event in events:
        warnings += _about_event(plan, event, (points or {}).get(event.id, {}))
    return list({(warning.code, repr(warning.params)): warning for warning in warnings}.values())


def _order_of_places(plan: Plan) -> Iterator[PlanWarning]:
    """The first place of each line that gets less than the next."""
    for node in plans.nodes(plan.points):
        if not isinstance(node, plans.Places) or isinstance(node.values, plans.Shares):
            continue
        for size in SIZES:
            row = place_values(node.values, size)
            each = [row.at(place) for place in range(1, min(size, 8) + 1)]
            wrong = next((place for place in range(1, len(each)) if each[place - 1] < each[place]), None)
            if wrong is not None:
                params = {"size": size, "place": wrong, "lower": wrong + 1}
                values = {"points": format_number(each[wrong - 1], 2), "more": format_number(each[wrong], 2)}
                yield PlanWarning("place_below_next", {**params, **values})
                break


def _number_of_evenings(plan: Plan, evenings: int | None) -> Iterator[PlanWarning]:
    if evenings is None:
        return
    if plan.count.min_events > evenings:
        yield PlanWarning("too_few_evenings", {"needed": plan.count.min_events, "evenings": evenings})
    best = evenings - plan.count.drop_worst if plan.count.drop_worst else plan.count.best
    if best is not None and LATE <= best <= evenings:
        left = max(1, min(best - 1, evenings // 4))
        yield PlanWarning("late_members", {"best": best, "evenings": evenings, "left": left})


def kinds_of(plan: Plan) -> set[str]:
    """The classes of events that the points of a plan tell apart, without the case for all others."""
    kinds: set[str] = set()
    for node in plans.nodes(plan.points):
        if isinstance(node, plans.ByClass):
            kinds |= set(node.cases)
        elif isinstance(node, plans.ClassFactor):
            kinds |= set(node.factors)
    return kinds


def _kinds_by_month(plan: Plan) -> Iterator[PlanWarning]:
    """The classes of months for which the plan has no line."""
    known = kinds_of(plan) | set(plan.count.per_class) | {NORMAL}
    for kind in sorted(set(plan.class_by_month.values()) - known):
        yield PlanWarning("unknown_class", {"kind": kind})


def _about_event(plan: Plan, event: SeasonEvent, earned: Mapping[Player, Earned]) -> Iterator[PlanWarning]:
    kinds = kinds_of(plan)
    kind = plan.class_of(event)
    if kinds and kind != NORMAL and kind not in kinds:
        yield PlanWarning("unknown_class", {"kind": kind})
    places = [node for node in plans.nodes(plan.points) if isinstance(node, plans.Places)]
    for division in event.divisions:
        brackets = {bracket.name: bracket for bracket in division.brackets}
        main, consolation = brackets.get(plans.MAIN), brackets.get("consolation")
        if main and consolation and main.placings and consolation.placings:
            champion, winner = main.placings[0][0], consolation.placings[0][0]
            less, points = (earned[p].points if p in earned else Fraction(0) for p in (champion, winner))
            if points > less and not {champion, winner} & division.pairs.keys():
                names = {"winner": winner, "champion": champion}
                yield PlanWarning(
                    "consolation_beats_main",
                    {**names, "points": format_number(points, 2), "less": format_number(less, 2)},
                )
        for node in places:
            if isinstance(node.values, plans.Shares) and not division.shares:
                yield PlanWarning("shares_missing", {"division": division.name})
            if main is not None:
                yield from _about_bracket(node, len(main.players), placings_of(main, plan))


def _about_bracket(node: plans.Places, size: int, placings: Iterable[Placing]) -> Iterator[PlanWarning]:
    if isinstance(node.values, plans.Bands) and node.values.by is plans.BandsBy.PLAYERS:
        end = node.values.bands[-1].to
        if end is not None and size > end:
            yield PlanWarning("no_points_above", {"size": size})
    for _players, places in placings:
        if node.mean_from is not None and len(places) > 1 and places[0] < node.mean_from:
            params = {"first": places[0], "last": places[-1], "limit": node.mean_from}
            yield PlanWarning("tie_above_limit", params)
