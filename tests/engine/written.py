"""Small match records in text, built row by row so that lines and columns are known.

Bob is left (column 6), Carol right (column 36); the first row of game 1 is line 5.
"""

from engine import Verdict, check_record

LEFT, RIGHT = 6, 36


def row(number: int, left: str = "", right: str = "") -> str:
    """Return a row with a cell for each side."""
    return f"{number:3}) {left:<30}{right}".rstrip()


def left(text: str) -> str:
    """Return a line of Bob's without a number."""
    return f"     {text}"


def right(text: str) -> str:
    """Return a line of Carol's without a number."""
    return " " * 35 + text


def game(number: int, *rows: str, score: tuple[int, int] = (0, 0)) -> str:
    """Return a game with its header and an empty line after it."""
    return "\n".join([f" Game {number}", f" Bob : {score[0]:<24}Carol : {score[1]}", *rows, "", ""])


def match(length: int | None, *games: str) -> bytes:
    """Return a whole file; the first game is in line 3."""
    head = "" if length is None else f" {length} point match"
    return f"{head}\n\n{''.join(games)}".encode()


def one_game(*rows: str, length: int = 7) -> bytes:
    """Return a file of one game."""
    return match(length, game(1, *rows))


def judged(record: bytes) -> Verdict:
    """Return the verdict on a file."""
    return check_record(record).verdict


FindingRow = tuple[str, str, int | None, int | None, int | None, int | None]


def finding_rows(verdict: Verdict) -> list[FindingRow]:
    """Return each finding as severity, code, game, ply, line, column."""
    return [(f.severity.value, f.code, f.game, f.ply, *f.place) for f in verdict.findings]
