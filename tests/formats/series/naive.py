"""A second evaluator of seasons: player by player from the exchange form, as plainly as the rules can be written."""

import math
from datetime import date
from fractions import Fraction
from typing import Any

ZERO = Fraction(0)


def nine(value: float) -> Fraction:
    return Fraction(round(value * 10**9), 10**9)


def evaluate(data: dict[str, Any]) -> tuple[dict[str, dict[str, Fraction]], list[tuple[Any, str, Fraction, list[str]]]]:
    """The points by event, and the table as (rank, player, total, events that count)."""
    plan, events = data["plan"], data["events"]
    points: dict[str, dict[str, Fraction]] = {}
    for event in events:
        points[event["id"]] = {}
        for player in {p for division in event["divisions"] for p in division["players"]}:
            each = [
                Fraction(value(plan["points"], plan, event, division, player))
                for division in event["divisions"]
                if player in division["players"]
            ]
            total = max(each) if plan.get("several_divisions") == "best" else sum(each, ZERO)
            points[event["id"]][player] = rounding(total, plan.get("round_event"))
    return points, table(plan, events, points)


def rounding(value: Fraction, how: dict[str, Any] | None) -> Fraction:
    if how is None:
        return value
    scaled = value * 10 ** how["digits"]
    if how["mode"] == "ceil":
        whole = math.ceil(scaled)
    elif how["mode"] == "floor":
        whole = math.floor(scaled)
    elif how["mode"] == "half_up":
        whole = math.floor(scaled + Fraction(1, 2))
    else:
        whole = round(scaled)
    return Fraction(whole, 10 ** how["digits"])


def value(node: Any, plan: Any, event: Any, division: Any, player: str) -> Fraction:
    """What a node of the plan is worth to one player."""

    def of(child: Any) -> Fraction:
        return value(child, plan, event, division, player)

    if "add" in node:
        return sum((of(child) for child in node["add"]), ZERO)
    if "higher" in node:
        return max(of(child) for child in node["higher"])
    if "times" in node:
        return math.prod((of(child) for child in node["times"]), start=Fraction(1))
    if "by_class" in node:
        chosen = node["by_class"].get(event.get("class", "normal"), node["by_class"].get("else"))
        return ZERO if chosen is None else of(chosen)
    known = factor(node, event, division, player)
    return line(node, plan, division, player) if known is None else known


def factor(node: Any, event: Any, division: Any, player: str) -> Fraction | None:
    """The value of a factor; None for a line."""
    if isinstance(node, str):
        return Fraction(node)
    if "class" in node:
        return Fraction(node["class"].get(event.get("class", "normal"), node["class"]["else"]))
    if "division" in node:
        return Fraction(node["division"].get(str(division["rank"]), node["division"]["else"]))
    if "event_weight" in node:
        return Fraction(event.get("weight", 1))
    if "place_factor" not in node:
        return None
    factors = [
        Fraction(node["place_factor"]["factors"].get(str(place), 1))
        for bracket in division["brackets"]
        if bracket["name"] == "main"
        for place in places(bracket["placings"], player)
    ]
    return sum(factors, ZERO) / len(factors) if factors else Fraction(1)


def covers(selected: Any, name: str) -> bool:
    """Whether a line is about a bracket of this name."""
    names = [selected] if isinstance(selected, str) else selected
    return "any" in names or name in names or ("group" in names and name.startswith("group"))


def line(node: Any, plan: Any, division: Any, player: str) -> Fraction:
    if "given" in node:
        return Fraction(division.get("given", {}).get(player, 0))
    mine = [match for match in division["matches"] if player in (match["winner"], match["loser"])]
    if "attend" in node:
        return attendance(node, plan, mine, player, is_missed=player in division.get("missed", ()))
    if "match" in node:
        counted = [m for m in mine if m["how"] == "played" or (m["how"] == "walkover" and node["walkovers"])]
        return Fraction(node["match"]) * sum(1 for m in counted if covers(node["bracket"], m["bracket"]))
    if "win" in node:
        return sum((for_win(node, m) for m in mine if m["winner"] == player), ZERO)
    return for_places(node["place"], division, player)


def attendance(node: Any, plan: Any, mine: Any, player: str, *, is_missed: bool) -> Fraction:
    never_came = all(m["how"] == "bye" or (m["how"] == "walkover" and m["loser"] == player) for m in mine) and (
        is_missed or any(m["how"] == "walkover" for m in mine)
    )
    if never_came and not plan["no_shows_attend"]:
        return ZERO
    has_won = any(m["winner"] == player and m["how"] != "bye" for m in mine)
    return ZERO if node["when"] == "no_win" and has_won else Fraction(node["attend"])


def for_win(node: Any, match: Any) -> Fraction:
    if not covers(node["bracket"], match["bracket"]):
        return ZERO
    if (match["how"] == "bye" and not node["byes"]) or (match["how"] == "walkover" and not node["walkovers"]):
        return ZERO
    win, length = node["win"], match["length"]
    if isinstance(win, dict) and "length" in win:
        return Fraction(win["length"].get(str(length), 0))
    if isinstance(win, dict):
        return Fraction({0: win["final"], 1: win["semifinal"]}.get(match["to_final"], win["earlier"]))
    by = {"one": Fraction(1), "length": Fraction(length), "root_length": nine(math.sqrt(length))}[node["by"]]
    return Fraction(win) * by


def places(placings: list[list[str]], player: str) -> list[int]:
    """The places that a player shares, or none."""
    above = 0
    for group in placings:
        if player in group:
            return list(range(above + 1, above + len(group) + 1))
        above += len(group)
    return []


def one_order(division: Any) -> list[list[str]]:
    seen: list[str] = []
    order = []
    for bracket in division["brackets"]:
        for group in bracket["placings"]:
            order.append([player for player in group if player not in seen])
            seen += group
    return [group for group in order if group]


def for_places(node: Any, division: Any, player: str) -> Fraction:
    brackets = [b for b in division["brackets"] if covers(node["bracket"], b["name"])]
    if node["bracket"] == "all":
        brackets = [
            {
                "placings": one_order(division),
                "players": division["players"],
                "rounds": division["brackets"][0]["rounds"],
            }
        ]
    total = ZERO
    for bracket in brackets:
        field = len(division["players"] if node["size"] == "division" else bracket["players"])
        shared = places(bracket["placings"], player)
        if not shared:
            continue
        each = [at_place(node["values"], place, field, bracket["rounds"], division) for place in shared]
        printed = row_of(node["values"], shared, field, bracket["rounds"])
        if len(shared) == 1 or node["ties"] == "each":
            total += each[0]
        elif node["ties"] == "rows" and printed is not None:
            total += printed
        else:
            total += sum(each, ZERO) / len(each)
    return total


def band_of(values: Any, field: int, rounds: int | None) -> Any:
    needed = math.ceil(math.log2(field)) if rounds is None else rounds
    size = field if values["by"] == "players" else needed
    for band in values["bands"]:
        if band["to"] is None or size <= band["to"]:
            return band
    return None


def row_of(values: Any, shared: list[int], field: int, rounds: int | None) -> Fraction | None:
    if values["kind"] != "bands" or (band := band_of(values, field, rounds)) is None:
        return None
    text = band["rows"].get(f"{shared[0]}-{shared[-1]}")
    return None if text is None else Fraction(text)


def at_place(values: Any, place: int, field: int, rounds: int | None, division: Any) -> Fraction:
    kind = values["kind"]
    if kind == "list":
        points = values["points"]
        return Fraction(points[place - 1] if place <= len(points) else values["beyond"])
    if kind == "field":
        return Fraction(values["factors"][place - 1]) * field if place <= len(values["factors"]) else ZERO
    if kind == "shares":
        shares = [Fraction(share) for share in division.get("shares", [])]
        return field * shares[place - 1] / sum(shares) if place <= len(shares) else ZERO
    if kind == "bands":
        band = band_of(values, field, rounds)
        if band is None:
            return ZERO
        if str(place) in band["rows"]:
            return Fraction(band["rows"][str(place)])
        for block in values["cover"]:
            first, last = map(int, block.split("-"))
            if first <= place <= last and block in band["rows"]:
                return Fraction(band["rows"][block])
        return ZERO
    scale = Fraction(values["scale"]) * nine(math.log2(field))
    if kind == "log2_over_place":
        return scale / place
    factors = values["factors"]
    return scale * (Fraction(factors[place - 1]) if place <= len(factors) else Fraction(1, place - 1))


# The table


def table(plan: Any, events: Any, points: Any) -> list[tuple[Any, str, Fraction, list[str]]]:
    last = max(date.fromisoformat(event["date"]) for event in events)
    players = {player for earned in points.values() for player in earned}
    if "players" in plan:
        players &= set(plan["players"])
    totals, counted, results = {}, {}, {}
    for player in players:
        own = []
        for index, event in enumerate(events):
            if player in points[event["id"]]:
                factor = faded(plan.get("decay"), date.fromisoformat(event["date"]), last, len(events) - 1 - index)
                own.append((event["id"], points[event["id"]][player] * factor))
        most = plan["count"].get("best", len(events))
        if "drop_worst" in plan["count"]:
            most = len(events) - plan["count"]["drop_worst"]
            if most < 1:
                most = len(events)
        by_points = sorted(own, key=lambda result: -result[1])[:most]
        results[player] = own
        counted[player] = [name for name, _ in own if name in dict(by_points)]
        totals[player] = rounding(sum((value for _, value in by_points), ZERO), plan.get("round_total"))
    enough = [player for player in players if len(results[player]) >= plan["count"].get("min_events", 0)]
    rows = []
    rank = 1
    for total in sorted({totals[player] for player in enough}, reverse=True):
        tied = [[player for player in enough if totals[player] == total]]
        if not plan["ties_for_first_only"] or rank == 1:
            tied = split(tied[0], plan["ties"], plan, events, points, results, counted)
        for group in tied:
            rows += [(rank, player, total, counted[player]) for player in sorted(group)]
            rank += len(group)
    rows += [(None, player, totals[player], counted[player]) for player in sorted(players - set(enough))]
    return rows


def faded(decay: Any, day: date, last: date, later: int) -> Fraction:
    if decay is None:
        return Fraction(1)
    months = (last.year * 12 + last.month) - (day.year * 12 + day.month)
    return Fraction(decay["factor"]) ** {"month": months, "event": later, "year": last.year - day.year}[decay["every"]]


def split(group: list[str], rules: list[str], *season: Any) -> list[list[str]]:
    """Split a tied group by the first rule that can, then each smaller group by what follows."""
    if len(group) == 1 or not rules or rules[0] == "share":
        return [group]
    keys = {player: compared(rules[0], player, group, *season) for player in group}
    if len(set(keys.values())) == 1:
        return split(group, rules[1:], *season)
    after = []
    for key in sorted(set(keys.values()), reverse=True):
        smaller = [player for player in group if keys[player] == key]
        after += split(smaller, rules if rules[0] == "head_to_head" else rules[1:], *season)
    return after


def compared(
    rule: str, player: str, group: list[str], plan: Any, events: Any, points: Any, results: Any, counted: Any
) -> Any:
    matches = [
        match
        for event in events
        for division in event["divisions"]
        for match in division["matches"]
        if match["loser"] and player in (match["winner"], match["loser"])
    ]
    main = [
        places(bracket["placings"], player)[0]
        for event in events
        for division in event["divisions"]
        for bracket in division["brackets"]
        if bracket["name"] != "consolation" and places(bracket["placings"], player)
    ]
    played = [match for match in matches if match["how"] == "played"]
    among = [match for match in matches if {match["winner"], match["loser"]} <= set(group)]
    dropped = [value for name, value in results[player] if name not in counted[player]]
    raw = [points[name][player] for name, _ in results[player]]
    keys: dict[str, Any] = {
        "best_single": max(value for _, value in results[player]),
        "best_place": -min(main),
        "most_best_places": tuple(main.count(place) for place in range(1, 7)),
        "count_of_values": tuple(raw.count(Fraction(value)) for value in plan["tie_values"]),
        "fewest_events": -len(results[player]),
        "most_events": len(results[player]),
        "win_share": Fraction(sum(m["winner"] == player for m in played), len(played)) if played else ZERO,
        "head_to_head": sum(1 if match["winner"] == player else -1 for match in among),
        "best_dropped": max(dropped, default=0),
    }
    return keys[rule]
