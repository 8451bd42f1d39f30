"""What a finished game is worth (docs/rules.md §1 "Result")."""

from enum import StrEnum

from engine.keys import BAR
from engine.position import Position


class WinKind(StrEnum):
    """How a game ended."""

    SINGLE = "single"
    GAMMON = "gammon"
    BACKGAMMON = "backgammon"
    DROP = "drop"
    RESIGNATION = "resignation"
    CONCESSION = "concession"
    FLAG = "flag"
    RULING = "ruling"
    UNFINISHED = "unfinished"


KIND_OF_MULTIPLE = {1: WinKind.SINGLE, 2: WinKind.GAMMON, 3: WinKind.BACKGAMMON}


def multiple_won(position: Position) -> int:
    """1, 2 or 3: what the player on roll has won in a position in which he has borne off everything."""
    counts = position.counts
    if position.borne_off[1]:
        return 1
    return 3 if counts[0] or any(count < 0 for count in counts[1:7]) else 2


def most_to_lose(position: Position) -> int:
    """1, 2 or 3: no more than this can the player on roll still lose from here.

    A player who has borne off a checker can lose a single game only. Where the sides have passed each other and
    his last checker has left the opponent's home board, no backgammon is left.
    """
    if position.borne_off[0]:
        return 1
    counts = position.counts
    rearmost = max(point for point, count in enumerate(counts) if count > 0)
    foremost_foe = min((point for point, count in enumerate(counts) if count < 0), default=BAR)
    return 2 if rearmost < foremost_foe and rearmost <= 18 else 3
