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
    """Return what the player on roll, who has borne off every checker, has won: 1, 2 or 3 times the cube."""
    counts = position.counts
    if position.borne_off[1]:
        return 1
    return 3 if counts[0] or any(count < 0 for count in counts[1:7]) else 2


def most_to_lose(position: Position) -> int:
    """Return the most the player on roll can still lose: 1, 2 or 3 times the cube.

    A player who has borne off a checker can lose a single game only. A backgammon is no longer possible once the sides
    have passed each other and the player's last checker has left the opponent's home board.
    """
    if position.borne_off[0]:
        return 1
    counts = position.counts
    rearmost = max(point for point, count in enumerate(counts) if count > 0)
    foremost_foe = min((point for point, count in enumerate(counts) if count < 0), default=BAR)
    return 2 if rearmost < foremost_foe and rearmost <= 18 else 3
