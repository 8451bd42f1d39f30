"""A second opinion on sentences about plays: rules and arithmetic written anew, without anything of the site."""

import json
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from pathlib import Path

Board = tuple[tuple[int, ...], tuple[int, ...]]
"""The checkers of the side that decides and of the other, each as that side numbers its points; 25 is its bar."""
TABLE = json.loads((Path(__file__).parents[3] / "matches/analysis/match_equity_table.json").read_text())


def wrong_claims(xgid: str, two: tuple[str, str], chances: tuple[list[float], list[float]], sentence: str) -> list[str]:
    """Return what is not so in a sentence; one that is not understood is wrong, too."""
    before, dice, *rest = parsed(xgid)
    boards = [after(before, play) for play in two]
    legal = {(mine, theirs) for mine, theirs in plays(before, dice)}
    wrong = [f"not legal: {play}" for play, board in zip(two, boards, strict=True) if board not in legal]
    lead, has_lead, cost = sentence.rpartition(": it ")
    cost = f"It {cost}" if has_lead else sentence
    wrong += lead_claims(lead, before, *boards) if lead else []
    return wrong + cost_claims(cost.rstrip("."), chances, *rest)


# The rules.


def parsed(xgid: str) -> tuple[Board, tuple[int, int], int, int, int]:
    """Return board, roll, cube, and how many points the side on roll and the other need (0 in a money session)."""
    letters, exponent, _, turn, roll, bottom, top, _, length, _ = xgid.split(":")
    numbers = ["-ABCDEFGHIJKLMNO".find(each) if not each.islower() else -(ord(each) - 96) for each in letters]
    lower = tuple(max(0, number) for number in numbers)
    upper = tuple(max(0, -number) for number in reversed(numbers))
    aways = [max(0, int(length) - int(score)) for score in (bottom, top)] if int(length) else [0, 0]
    mover, other = (lower, upper) if turn == "1" else (upper, lower)
    own, opposing = aways if turn == "1" else reversed(aways)
    return (mover, other), (int(roll[0]), int(roll[1])), 2 ** int(exponent), own, opposing


def moved(board: Board, source: int, target: int) -> Board:
    """Move one checker; a target below 1 is off, and a single opposing checker there goes to its bar."""
    mine, theirs = map(list, board)
    mine[source] -= 1
    if target > 0:
        mine[target] += 1
        if theirs[25 - target]:
            theirs[25 - target] -= 1
            theirs[25] += 1
    return tuple(mine), tuple(theirs)


def steps(board: Board, die: int) -> set[Board]:
    mine, theirs = board
    found = set()
    for source in range(25, 0, -1):
        target = source - die
        if not mine[source] or (mine[25] and source < 25):
            continue
        if target > 0 and theirs[25 - target] > 1:
            continue
        if target <= 0 and (any(mine[7:]) or (target < 0 and any(mine[source + 1 :]))):
            continue
        found.add(moved(board, source, target))
    return found


def plays(board: Board, dice: tuple[int, int]) -> set[Board]:
    """Return the boards after each legal play; empty if nothing can be moved."""
    low, high = sorted(dice)
    if low == high:
        level = {board}
        for _ in range(4):
            further = {after for at in level for after in steps(at, low)}
            if not further:
                break
            level = further
        return level - {board}
    both = {end for one, two in ((high, low), (low, high)) for at in steps(board, one) for end in steps(at, two)}
    return both or steps(board, high) or steps(board, low)


def after(board: Board, play: str) -> Board:
    for word in play.split():
        way, times = re.fullmatch(r"(.+?)(?:\((\d)\))?", word).groups()  # type: ignore[union-attr]
        points = [
            {"bar": 25, "off": 0}.get(name) or int(name.replace("off", "0")) for name in way.replace("*", "").split("/")
        ]
        for _ in range(int(times or 1)):
            for source, target in pairwise(points):
                board = moved(board, source, target)
    return board


# The facts of the lead.


def of_36(counted: Callable[[Board, tuple[int, int]], bool], board: Board) -> int:
    """Count the rolls, of all 36 in order, for which something holds."""
    return sum(counted(board, (one, two)) for one in range(1, 7) for two in range(1, 7))


def hits(board: Board, dice: tuple[int, int]) -> bool:
    mine, theirs = board
    return any(then[25] > mine[25] for _, then in plays((theirs, mine), dice))


def dances(board: Board, dice: tuple[int, int]) -> bool:
    mine, theirs = board
    return theirs[25] > 0 and not plays((theirs, mine), dice)


def misses(board: Board, dice: tuple[int, int]) -> bool:
    left = sum(board[0])
    return min((sum(mine) for mine, _ in plays(board, dice)), default=left) > left - 2


def newly_hit(before: Board, then: Board) -> int:
    return then[1][25] - before[1][25]


def run_and_behind(board: Board) -> tuple[int, int]:
    start, length = longest_run(board[0])
    return length, sum(board[1][26 - start :])


def made(point: int, *boards: Board) -> list[bool]:
    return [board[0][point] > 1 for board in boards]


FACTS: dict[str, Callable[[list[int], Board, Board, Board], bool]] = {
    r"It bears off (\d+) more": lambda said, _, b, p: said == [sum(p[0]) - sum(b[0])],
    r"Next turn (\d+) of 36 rolls bear off fewer than two checkers after yours, (\d+) after the best play": (
        lambda said, _, b, p: said == [of_36(misses, p), of_36(misses, b)]
    ),
    r"It leaves (\d+) checkers? outside your home board, yours (\d+)": (
        lambda said, _, b, p: said == [sum(b[0][7:]), sum(p[0][7:])]
    ),
    r"The best play hits, yours does not": lambda _, a, b, p: newly_hit(a, b) > 0 == newly_hit(a, p),
    r"The best play hits (\d+) checkers, yours (\d+)": lambda said, a, b, p: said == [newly_hit(a, b), newly_hit(a, p)],
    r"After yours (\d+) of 36 rolls hit, after the best play (\d+)": (
        lambda said, _, b, p: said == [of_36(hits, p), of_36(hits, b)]
    ),
    r"(\d+) of 36 rolls hit it \(yours: (\d+)\)": lambda said, _, b, p: said == [of_36(hits, b), of_36(hits, p)],
    r"Yours gives up (\d+), the best play keeps it": lambda said, a, b, p: (
        made(said[0], a, b, p) == [True, True, False]
    ),
    r"The best play makes (\d+), yours does not": lambda said, a, b, p: made(said[0], a, b, p) == [False, True, False],
    r"The best play has (\d+) points in a row in front of (\d+) of their checkers, yours (\d+)": (
        lambda said, _, b, p: said == [*run_and_behind(b), run_and_behind(p)[0]]
    ),
    r"After the best play (\d+) of 36 rolls do not enter, after yours (\d+)": (
        lambda said, _, b, p: said == [of_36(dances, b), of_36(dances, p)]
    ),
    r"The best play leaves (\d+) of your checkers in their home board, yours (\d+)": (
        lambda said, _, b, p: said == [sum(b[0][19:]), sum(p[0][19:])]
    ),
}


def number_of_point(name: re.Match[str]) -> str:
    number = 7 if name[2] == "bar" else int(name[2])
    return str(number if name[1] == "your" else 25 - number)


def lead_claims(lead: str, *boards: Board) -> list[str]:
    wrong = []
    for fact in lead.split(", although "):
        text = re.sub(r"(your|their) (bar|\d)[ -]point", number_of_point, fact)
        text = text.replace("two checkers, yours one", "2 checkers, yours 1")
        found = [(check, match) for pattern, check in FACTS.items() if (match := re.fullmatch(pattern, text))]
        if not found or not found[0][0]([int(each) for each in found[0][1].groups()], *boards):
            wrong.append(fact)
    return wrong


def longest_run(mine: tuple[int, ...]) -> tuple[int, int]:
    runs = [(start, length) for start in range(1, 25) for length in range(1, 26 - start)]
    held = [(start, length) for start, length in runs if all(count > 1 for count in mine[start : start + length])]
    return max(held, key=lambda run: (run[1], -run[0]), default=(0, 0))


# The arithmetic of the cost.


def whole(chance: float) -> int:
    return int((Decimal(str(chance)) * 100).quantize(Decimal(1), ROUND_HALF_UP))


def worth(own: int, opposing: int, after_crawford: bool) -> float:
    if own <= 0 or opposing <= 0:
        return float(own <= 0)
    if after_crawford and own == 1:
        return 1 - float(TABLE["after_crawford"][opposing - 1])
    table = (
        TABLE["after_crawford"]
        if after_crawford and opposing == 1
        else [row[opposing - 1] for row in TABLE["before_crawford"]]
    )
    return float(table[own - 1])


def cost_claims(cost: str, chances: tuple[list[float], list[float]], cube: int, own: int, opposing: int) -> list[str]:
    best, played = chances
    figures = [(whole(best[at]), whole(played[at])) for at in (0, 1, 3)]
    if match := re.fullmatch(r"Wins, gammons won, gammons lost: (.+) % against (.+) %", cost):
        said = [[int(number) for number in group.split(", ")] for group in match.groups()]
        return [] if said == [list(column) for column in zip(*figures, strict=True)] else [f"{cost}: {figures}"]
    late = min(own, opposing) == 1
    won = [worth(own - times * cube, opposing, late) if own else times for times in (1, 2, 3)]
    lost = [worth(own, opposing - times * cube, late) if own else -times for times in (1, 2, 3)]
    more = [one - other for one, other in zip(best, played, strict=True)]
    gains = [
        more[0] * (won[0] - lost[0]),
        more[1] * (won[1] - won[0]) + more[2] * (won[2] - won[1]),
        more[3] * (lost[1] - lost[0]) + more[4] * (lost[2] - lost[1]),
    ]
    wrong, stated = [], 0.0
    clauses = re.findall(
        r"(though |)[Ii]t (wins a gammon in|loses a gammon in|wins) (\d+) %(?: of the games)?, yours (?:in )?(\d+) %",
        cost,
    )
    names = ("wins", "wins a gammon in", "loses a gammon in")
    speaks_for_yours = False
    for though, name, first, second in clauses:
        at = names.index(name)
        speaks_for_yours |= bool(though)
        if figures[at] != (int(first), int(second)) or abs(int(first) - int(second)) < 2:
            wrong.append(f"{name}: {figures[at]}")
        share = gains[at] / sum(gains)
        if share > -0.25 if speaks_for_yours else share < 0.25:
            wrong.append(f"{name}: {share:.2f} of the difference")
        stated += 0 if speaks_for_yours else share
    if not clauses or stated < 0.6:
        wrong.append(f"{cost}: {stated:.2f} of the difference")
    if sum(gains) <= 0 or names.index(clauses[0][1]) != gains.index(max(gains)):
        wrong.append(f"{cost}: {gains}")
    hidden = [
        at for at in range(3) if gains[at] <= -0.25 * sum(gains) and names[at] not in {each[1] for each in clauses}
    ]
    return wrong + [f"not said: {names[at]}" for at in hidden if abs(figures[at][0] - figures[at][1]) >= 2]
