"""The layout of brackets on paper: joins, distances of lines, cuts, and the pages they fit on."""

from itertools import pairwise

from display.paper.brackets import Piece, SheetLine, SheetMatch, layout, pieces


def knockout(players: int, *, column: int = 0, first: int = 1) -> SheetMatch:
    """A knockout of 2^n players; its root is the final."""
    depth = players.bit_length() - 2
    if depth == 0:
        return SheetMatch(first, column, (SheetLine("a"), SheetLine("b")))
    upper = knockout(players // 2, first=first)
    lower = knockout(players // 2, first=first + players // 2 - 1)
    lines = (SheetLine("Winner", feeder=upper), SheetLine("Winner", feeder=lower))
    return SheetMatch(first + players - 2, depth, lines)


def consolation(matches: int) -> list[SheetMatch]:
    """First-round matches whose winners each meet a loser of another bracket in the second round."""
    return [
        SheetMatch(
            100 + index,
            1,
            (
                SheetLine("", feeder=SheetMatch(index, 0, (SheetLine("c"), SheetLine("d")))),
                SheetLine("Loser", dropped=True),
            ),
        )
        for index in range(matches)
    ]


def lines_of(piece: Piece, column: int) -> list[float]:
    """The heights of all lines of a column, from the top."""
    return sorted(top for placed in piece.placed if placed.match.column == column for top in placed.tops)


def assert_joined(piece: Piece) -> None:
    """Each line begins in the middle of the join of its feeder, and lines of a column are a unit apart."""
    middles = {placed.match.number: placed.middle for placed in piece.placed}
    joined = 0
    for placed in piece.placed:
        for line, top in zip(placed.match.lines, placed.tops, strict=True):
            if line.feeder is not None:
                assert top == middles[line.feeder.number]
                joined += 1
    assert joined > 0
    for column in {placed.match.column for placed in piece.placed}:
        assert all(lower - upper >= 1 for upper, lower in pairwise(lines_of(piece, column)))


def test_a_knockout_needs_a_line_for_each_player() -> None:
    piece = layout([knockout(8)])
    assert_joined(piece)
    assert lines_of(piece, 0) == list(range(8))
    assert lines_of(piece, 1) == [0.5, 2.5, 4.5, 6.5]
    assert lines_of(piece, 2) == [1.5, 5.5]
    assert piece.height == 8


def test_losers_that_drop_share_the_height_of_the_first_round() -> None:
    piece = layout(consolation(4))
    assert_joined(piece)
    assert lines_of(piece, 0) == list(range(8))
    assert lines_of(piece, 1) == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]
    assert piece.height == 8.5


def test_a_line_through_a_round_keeps_its_distance() -> None:
    early, between = knockout(2), SheetMatch(5, 1, (SheetLine("e"), SheetLine("f")))
    final = SheetMatch(9, 2, (SheetLine("", feeder=early), SheetLine("", feeder=between)))
    piece = layout([final])
    assert_joined(piece)
    assert lines_of(piece, 1)[0] - 0.5 == 1


def test_a_large_bracket_is_cut_so_that_every_match_is_printed_once() -> None:
    parts = pieces([knockout(64)], most=36)
    assert [part.height for part in parts] == [32, 32]
    assert [part.columns for part in parts] == [(0, 4), (0, 5)]
    numbers = [placed.match.number for part in parts for placed in part.placed]
    assert sorted(numbers) == list(range(1, 64))
    assert parts[0].placed[-1].match.winner_to == "M63"
    for part in pieces([knockout(128)], most=36):
        assert part.height <= 36
