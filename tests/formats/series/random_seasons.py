"""Random plans and seasons in the exchange form: up to six players and five evenings, with byes, walkovers and ties."""

import re
from itertools import combinations
from random import Random
from typing import Any

NAMES = ("Ada", "Ben", "Cleo", "Dov", "Eva", "Finn")
BRACKETS = ("main", "consolation", "any", "group", "group2", ["main", "group"])
TIE_RULES = (
    "best_single", "best_place", "most_best_places", "count_of_values", "fewest_events", "most_events", "win_share",
    "head_to_head", "best_dropped", "share",
)  # fmt: skip


def random_season(seed: int | str) -> dict[str, Any]:
    rng = Random(f"season {seed}")
    return {"plan": random_plan(rng), "events": [random_event(rng, night) for night in range(rng.randint(1, 5))]}


def random_plan(rng: Random) -> dict[str, Any]:
    plan: dict[str, Any] = {"name": "random", "points": random_node(rng, 3), "count": {}, "tie_values": ["1", "3"]}
    plan["ties"] = rng.sample(TIE_RULES, rng.randint(0, 4))
    plan["ties_for_first_only"] = rng.random() < 0.2
    plan["no_shows_attend"] = rng.random() < 0.5
    if rng.random() < 0.3:
        plan["count"]["min_events"] = rng.randint(0, 3)
    if (kind := rng.random()) < 0.4:
        plan["count"]["best"] = rng.randint(1, 5)
    elif kind < 0.6:
        plan["count"]["drop_worst"] = rng.randint(1, 2)
    if rng.random() < 0.3:
        plan["round_event"] = {
            "mode": rng.choice(["half_up", "half_even", "floor", "ceil"]),
            "digits": rng.randint(0, 2),
        }
    if rng.random() < 0.2:
        plan["round_total"] = {
            "mode": rng.choice(["half_up", "half_even", "floor", "ceil"]),
            "digits": rng.randint(0, 1),
        }
    if rng.random() < 0.2:
        plan["decay"] = {"every": rng.choice(["month", "event", "year"]), "factor": rng.choice(["0.5", "2/3", "0.9"])}
    if rng.random() < 0.2:
        plan["several_divisions"] = rng.choice(["sum", "best"])
    if rng.random() < 0.2:
        plan["players"] = list(NAMES[: rng.randint(2, 5)])
    return plan


def random_number(rng: Random) -> str:
    return rng.choice(["0.5", "1", "2", "3", "1/3", "1.25", "10"])


def random_node(rng: Random, depth: int) -> Any:
    if depth and rng.random() < 0.6:
        kind = rng.choice(["add", "add", "higher", "times", "by_class"])
        if kind == "times":
            factors = [random_factor(rng) for _ in range(rng.randint(1, 2))]
            return {"times": [*factors, random_node(rng, depth - 1)]}
        if kind == "by_class":
            cases = {"double": random_node(rng, depth - 1), "else": random_node(rng, depth - 1)}
            return {"by_class": cases if rng.random() < 0.8 else {"double": cases["double"]}}
        return {kind: [random_node(rng, depth - 1) for _ in range(rng.randint(1, 3))]}
    return random_line(rng)


def random_factor(rng: Random) -> Any:
    choices = [
        random_number(rng),
        {"division": {"1": "1", "2": "0.5", "else": "0.25"}},
        {"class": {"double": "2", "else": "1"}},
        {"event_weight": True},
        {"place_factor": {"bracket": "main", "factors": {"1": "2", "2": "1.5"}}},
    ]
    return rng.choice(choices)


def random_line(rng: Random) -> Any:
    bracket = rng.choice(BRACKETS)
    kind = rng.choice(["attend", "win", "win", "match", "place", "place", "given"])
    if kind == "attend":
        return {"attend": random_number(rng), "when": rng.choice(["always", "no_win"])}
    if kind == "given":
        return {"given": True}
    if kind == "match":
        return {"match": random_number(rng), "bracket": bracket, "walkovers": rng.random() < 0.5}
    if kind == "win":
        points: Any = random_number(rng)
        by = rng.choice(["one", "length", "root_length"])
        if rng.random() < 0.3:
            points, by = (
                rng.choice([{"length": {"3": "10", "5": "15"}}, {"final": "7", "semifinal": "3", "earlier": "1"}]),
                "one",
            )
        switches = {"walkovers": rng.random() < 0.7, "byes": rng.random() < 0.2}
        return {"win": points, "bracket": bracket, "by": by, **switches}
    values: dict[str, Any] = rng.choice(
        [
            {"kind": "list", "points": ["10", "6", "3", "1"], "beyond": rng.choice(["0", "1"])},
            {"kind": "log2_over_place", "scale": "10"},
            {"kind": "log2_rank", "scale": "0.6", "factors": ["1", "0.7", "0.5"], "then": "1/(r-1)"},
            {"kind": "field", "factors": ["1", "0.5"]},
            {"kind": "shares"},
            {
                "kind": "bands",
                "by": rng.choice(["players", "rounds"]),
                "bands": [
                    {"to": 2, "rows": {"1": "2", "2": "1"}},
                    {"to": 4, "rows": {"1": "4", "1-2": "3.5", "2": "2", "3-4": "1"}},
                    {"to": rng.choice([None, 5]), "rows": {"1": "6", "2": "4", "2-3": "2.5", "3-6": "1"}},
                ],
                "cover": ["3-4", "3-6"],
                "beyond": "0",
            },
        ]
    )
    return {
        "place": {
            "bracket": rng.choice([*BRACKETS, "all"]),
            "size": rng.choice(["bracket", "division"]),
            "ties": rng.choice(["mean", "rows", "each"]),
            "values": values,
        }
    }


def random_event(rng: Random, night: int) -> dict[str, Any]:
    month = 1 + night * rng.randint(0, 2)
    event: dict[str, Any] = {"id": f"e{night + 1}", "date": f"2026-{month:02d}-{1 + night:02d}", "divisions": []}
    if rng.random() < 0.3:
        event["class"] = "double"
    if rng.random() < 0.3:
        event["weight"] = random_number(rng)
    for rank in range(1, rng.choice([1, 2, 2, 2, 2, 3, 3])):
        event["divisions"].append(random_division(rng, rank))
    return event


def random_division(rng: Random, rank: int) -> dict[str, Any]:
    players = rng.sample(NAMES, rng.randint(1, len(NAMES)))
    division: dict[str, Any] = {"name": f"D{rank}", "rank": rank, "players": players, "brackets": [], "matches": []}
    if rng.random() < 0.2:
        division["brackets"] = random_groups(rng, players, division["matches"])
    else:
        main, losers = random_bracket(rng, "main", players, division["matches"])
        division["brackets"].append(main)
        if len(losers) > 1 and rng.random() < 0.6:
            division["brackets"].append(random_bracket(rng, "consolation", losers, division["matches"])[0])
    if rng.random() < 0.3:
        division["missed"] = rng.sample(players, min(2, len(players)))
    if rng.random() < 0.4:
        division["shares"] = ["2", "1", "1"][: rng.randint(1, 3)]
    if rng.random() < 0.3:
        division["given"] = {player: random_number(rng) for player in rng.sample(players, 1)}
    return division


def random_groups(rng: Random, players: list[str], matches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Play one or two round robins, whose equal wins share their places."""
    groups = []
    for number, own in enumerate([players[::2], players[1::2]] if len(players) > 3 else [players], start=1):
        wins = dict.fromkeys(own, 0)
        for pair in combinations(own, 2):
            winner, loser = rng.sample(pair, 2)
            wins[winner] += 1
            matches.append(
                {
                    "bracket": f"group{number}", "round": None, "to_final": None, "winner": winner, "loser": loser,
                    "length": 5, "how": "played" if rng.random() < 0.9 else "walkover",
                }
            )  # fmt: skip
        placings = [[player for player in own if wins[player] == count] for count in range(len(own) - 1, -1, -1)]
        groups.append(
            {
                "name": f"group{number}",
                "players": own,
                "rounds": None,
                "placings": [group for group in placings if group],
            }
        )
    return groups


def random_bracket(
    rng: Random, name: str, players: list[str], matches: list[dict[str, Any]]
) -> tuple[dict[str, Any], list[str]]:
    """Play a knockout; return the bracket, and those who lost in its first round."""
    size = 1
    while size < len(players):
        size *= 2
    left: list[str | None] = [*players, *([None] * (size - len(players)))]
    rng.shuffle(left)
    rounds = size.bit_length() - 1
    out: list[list[str]] = []
    length = rng.choice([3, 5, 7])
    for number in range(1, rounds + 1):
        after: list[str | None] = []
        lost: list[str] = []
        for first, second in zip(left[::2], left[1::2], strict=True):
            winner, loser = (
                (first, second) if second is None or (first is not None and rng.random() < 0.5) else (second, first)
            )
            after.append(winner)
            if winner is None:
                continue
            how = "bye" if loser is None else "walkover" if rng.random() < 0.15 else "played"
            if loser is not None:
                lost.append(loser)
            matches.append(
                {
                    "bracket": name, "round": number, "to_final": rounds - number, "winner": winner, "loser": loser,
                    "length": length, "how": how,
                }
            )  # fmt: skip
        left = after
        out.append(lost)
    champion = [player for player in left if player is not None]
    placings = [group for group in [champion, *reversed(out)] if group]
    if len(placings) > 1 and rng.random() < 0.1:
        placings = [placings[0] + placings[1], *placings[2:]]
    first_round = out[0] if out else []
    return {"name": name, "players": players, "rounds": rounds, "placings": placings}, first_round


# The same season, written otherwise.

DEFAULTS = {
    "attend": {"when": "always"},
    "win": {"bracket": "any", "by": "one", "walkovers": True, "byes": False},
    "match": {"bracket": "any", "when": "always", "walkovers": True},
    "values": {"bracket": "main", "size": "bracket", "ties": "mean"},
    "bands": {"by": "players", "cover": [], "beyond": "0"},
    "points": {"beyond": "0", "count": {}, "ties": [], "ties_for_first_only": False, "no_shows_attend": False},
    "factors": {"bracket": "main", "then": "1/(r-1)"},
    "rows": {"to": None},
    "id": {"class": "normal", "weight": "1"},
    "matches": {"matches": [], "rank": 1, "name": "D1"},
    "placings": {"rounds": None},
}
"""A key of an object -> what may be left out beside it, if it has this value."""
_NUMBER = re.compile(r"\d+(\.\d+)?")


def rewritten(value: Any, rng: Random) -> Any:
    """The same data with keys in another order, without some that say nothing, and numbers as text or as numbers."""
    if isinstance(value, list):
        return [rewritten(item, rng) for item in value]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        number = float(value)
        return rng.choice([value, number, int(number) if number.is_integer() else number])
    if isinstance(value, int) and not isinstance(value, bool):
        return rng.choice([value, str(value)])
    if not isinstance(value, dict):
        return value
    implied = {
        key: default for kind, defaults in DEFAULTS.items() if kind in value for key, default in defaults.items()
    }
    if "winner" in value:
        implied |= {"loser": None, "how": "played" if value["loser"] else "bye", "round": value["round"]}
    if "brackets" in value and set(value["players"]) == {p for b in value["brackets"] for p in b["players"]}:
        implied["players"] = value["players"]
    if "placings" in value and set(value["players"]) == {player for group in value["placings"] for player in group}:
        implied["players"] = value["players"]
    kept = [key for key in value if key not in implied or implied[key] != value[key] or rng.random() < 0.5]
    return {key: rewritten(value[key], rng) for key in rng.sample(kept, len(kept))}
