"""Answers questions about positions with bgsage: JSON in, JSON out. Run by `bgsage.py` with `python -P`.

It imports nothing of the site. A question is `{"kind": "play" | "cube", "board", "cube", "owner", "away", "crawford",
"jacoby"}`, of a play also `dice`, `played` (the board after it) and `opening`; the answers are in the same order. With
`plies` it is looked at with so many instead of in stages, as a decision that still has to be made.
bgsage numbers depths as eXtreme Gammon does: its 1-ply is gnubg's 0-ply.
"""

import json
import sys
from functools import cache
from importlib.metadata import version
from typing import Any

from bgsage import BgBotAnalyzer

Json = dict[str, Any]

SECOND_WINDOW, SECOND_MOST, SECOND_CLEAR = 0.12, 6, 0.15
"""2-ply for plays so close to the best, at most so many; none if the best was played by so much."""
THIRD_WINDOW, THIRD_MOST = 0.05, 3
"""3-ply for those that are still so close."""
FOURTH_ERROR = 0.05
"""4-ply for the best play and the one made, if so much seems to be lost."""
CUBE_CLEAR = 0.35
"""A cube decision is looked at with 1-ply alone if its nearest boundary is so far away."""


@cache
def analyzer(plies: int) -> Any:
    """Return the evaluator of a depth, with one thread."""
    return BgBotAnalyzer(eval_level=f"{plies}ply", parallel_threads=1)


def answered(question: Json) -> Json:
    away1, away2 = question["away"]
    rules = {"away1": away1, "away2": away2, "is_crawford": question["crawford"], "jacoby": question["jacoby"]}
    if "plies" in question:
        return _advice(question, rules)
    if question["kind"] == "cube":
        return _cube(question, rules)
    return {"candidates": _candidates(question, rules), "luck": _luck(question, rules)}


def _advice(question: Json, rules: Json) -> Json:
    """Return every play with its equity, or the equities of the cube; a deeper look is at the closest plays only."""
    plies = question["plies"]
    if question["kind"] == "cube":
        result = _cube_action(question, rules, plies)
        return {"equities": [result.equity_nd, result.equity_dt, result.equity_dp], "plies": plies}
    rows = _quick_rows(question, rules)
    if plies > 1 and len(rows) > 1:
        _deepen(rows, _close(rows, SECOND_WINDOW, SECOND_MOST), plies, question, rules)
    return {"candidates": rows, "luck": None}


def _cube_action(question: Json, rules: Json, plies: int) -> Any:
    board, cube, owner = question["board"], question["cube"], question["owner"]
    return analyzer(plies).cube_action(board, cube, owner, beaver=False, **rules)


def _cube(question: Json, rules: Json) -> Json:
    result = _cube_action(question, rules, 1)
    to_double = abs(min(result.equity_dt, result.equity_dp) - result.equity_nd)
    to_drop = abs(result.equity_dt - result.equity_dp)
    plies = 1
    if min(to_double, to_drop) < CUBE_CLEAR:
        plies = 3
        result = _cube_action(question, rules, 3)
    return {"equities": [result.equity_nd, result.equity_dt, result.equity_dp], "plies": plies}


def _candidates(question: Json, rules: Json) -> list[list[Any]]:
    """Return board, equity and depth of every play, best first; only the closest are looked at more deeply."""
    rows = _quick_rows(question, rules)
    if len(rows) < 2:
        return rows
    played = question["played"]

    def deepen(boards: list[list[int]], plies: int) -> None:
        _deepen(rows, boards, plies, question, rules)

    if rows[0][0] == played and rows[0][1] - rows[1][1] > SECOND_CLEAR:
        return rows
    deepen(_close(rows, SECOND_WINDOW, SECOND_MOST, played), 2)
    close = _close([row for row in rows if row[2] > 1], THIRD_WINDOW, THIRD_MOST, played)
    if len(close) > 1:
        deepen(close, 3)
    chosen = next((row for row in rows if row[0] == played), None)
    if chosen is not None and rows[0][1] - chosen[1] >= FOURTH_ERROR:
        deepen([rows[0][0], played], 4)
    return rows


def _quick_rows(question: Json, rules: Json) -> list[list[Any]]:
    """Return board, equity and depth of every play, with 1-ply, best first."""
    dice, cube, owner = question["dice"], question["cube"], question["owner"]
    moves = analyzer(1).checker_play(question["board"], *dice, cube, owner, beaver=False, **rules).moves
    return sorted(([list(move.board), move.equity, 1] for move in moves), key=_worth)


def _deepen(rows: list[list[Any]], boards: list[list[int]], plies: int, question: Json, rules: Json) -> None:
    """Look more deeply at the plays that lead to these boards, and sort all rows again."""
    for row in rows:
        if row[0] in boards:
            result = analyzer(plies).post_move_analytics(row[0], question["owner"], question["cube"], **rules)
            row[1:] = result.cubeful_equity, plies
    rows.sort(key=_worth)


def _worth(row: list[Any]) -> tuple[int, float]:
    """Order plays that were looked at more deeply before the others, then by equity."""
    return -row[2], -row[1]


def _close(rows: list[list[Any]], window: float, most: int, played: list[int] | None = None) -> list[list[int]]:
    """Return the boards of the best rows within a window, and the one played, which is always compared as deeply."""
    best = rows[0][1]
    return [
        board
        for number, (board, equity, _) in enumerate(rows)
        if (number < most and best - equity <= window) or board == played
    ]


def _luck(question: Json, rules: Json) -> float | None:
    result = analyzer(2).roll_luck(
        question["board"],
        *question["dice"],
        cube_value=question["cube"],
        cube_owner=question["owner"],
        beaver=False,
        is_opening_roll=question["opening"],
        **rules,
    )
    return None if result is None else float(result.luck)


def main() -> None:
    """Answer the questions on standard input; with `--probe` say only that bgsage works here."""
    if "--probe" in sys.argv:
        analyzer(1)
        print(version("bgsage"))
        return
    questions = json.load(sys.stdin)
    json.dump({"version": version("bgsage"), "answers": [answered(question) for question in questions]}, sys.stdout)


if __name__ == "__main__":
    main()
