"""A second move generator, slow and plain, written from docs/rules.md §1 alone: the judge of the fast one.

A board is the list of 26 counts seen by the mover: index 0 the opponent's bar (negative), 1–24 the points, 25 the
own bar. Nothing here imports the engine.
"""

Board = tuple[int, ...]
Dice = tuple[int, int]
BAR = 25
HOME_EDGE = 6


def moved(board: Board, source: int, die: int) -> Board | None:
    """Return the board after one checker moves by one die; None if it may not."""
    if board[source] <= 0:
        return None
    if board[BAR] > 0 and source != BAR:
        return None
    target = source - die
    if target <= 0:
        return _borne_off(board, source, die)
    if board[target] < -1:
        return None
    after = list(board)
    after[source] -= 1
    if after[target] == -1:
        after[target] = 0
        after[0] -= 1
    after[target] += 1
    return tuple(after)


def _borne_off(board: Board, source: int, die: int) -> Board | None:
    if any(board[point] > 0 for point in range(HOME_EDGE + 1, BAR + 1)):
        return None
    if source != die and any(board[point] > 0 for point in range(source + 1, HOME_EDGE + 1)):
        return None
    after = list(board)
    after[source] -= 1
    return tuple(after)


def all_lines(board: Board, dice: tuple[int, ...]) -> list[tuple[tuple[int, ...], Board]]:
    """Yield every way to play until no die can be played: (dice played, final board)."""
    lines = []
    for index, die in enumerate(dice):
        if die in dice[:index]:
            continue
        rest = dice[:index] + dice[index + 1 :]
        for source in range(BAR, 0, -1):
            after = moved(board, source, die)
            if after is not None:
                lines += [((die, *played), final) for played, final in all_lines(after, rest)]
    return lines or [((), board)]


def legal_boards(board: Board, dice: Dice) -> set[Board]:
    """Return the final boards of the legal plays, seen by the mover; empty if there is no move."""
    first, second = dice
    lines = all_lines(board, (first, second) if first != second else (first,) * 4)
    most = max(len(played) for played, _ in lines)
    if most == 0:
        return set()
    longest = [(played, final) for played, final in lines if len(played) == most]
    if most == 1 and first != second and any(played == (max(dice),) for played, _ in longest):
        longest = [(played, final) for played, final in longest if played == (max(dice),)]
    return {final for _, final in longest}


def turned(board: Board) -> Board:
    """Return the same board seen by the other player."""
    return tuple(-count for count in reversed(board))
