"""A player lets the server bear off once contact is over."""

import pytest

from engine.actions import Act, Phase
from engine.plays import legal_plays
from engine.position import Position
from matches.models import LiveMatch
from matches.play.acting import best_bear_off, is_plain_bear_off
from tests.matches.play.conftest import Board


def position(mine: dict[int, int], theirs: dict[int, int]) -> Position:
    """The checkers of both sides by point, as the side on roll sees them."""
    counts = [mine.get(point, 0) - theirs.get(point, 0) for point in range(26)]
    return Position.from_counts(counts)


@pytest.mark.parametrize(
    ("mine", "theirs", "plain"),
    [
        ({6: 5, 5: 5}, {20: 5, 24: 3}, True),
        ({6: 5, 7: 1}, {20: 5}, False),
        ({25: 1, 1: 2}, {20: 5}, False),
        ({6: 5}, {1: 1, 20: 5}, False),
        ({6: 5}, {0: 1, 20: 5}, False),
    ],
)
def test_contact_is_over(mine: dict[int, int], theirs: dict[int, int], plain: bool) -> None:
    assert is_plain_bear_off(position(mine, theirs)) == plain


def test_most_checkers_come_off_then_gaps_are_filled() -> None:
    before = position({6: 2, 3: 1, 1: 2}, {20: 5})
    assert str(best_bear_off(legal_plays(before, (6, 1)))) in ("6/off 1/off", "6/5 6/off")
    assert best_bear_off(legal_plays(before, (6, 1))).result.borne_off[0] == before.borne_off[0] + 2
    gap = best_bear_off(legal_plays(position({5: 2, 4: 1}, {20: 5}), (1, 2)))
    assert sum(count > 0 for count in gap.result.counts[1:7]) == 3


@pytest.mark.parametrize("mine", [{6: 5, 5: 5, 4: 5}, {1: 15}], ids=["a choice", "no choice"])
def test_the_roll_is_played_with_it_if_the_player_wishes(board: Board, mine: dict[int, int]) -> None:
    mover = board.open_game()
    board.do(mover, Act.PLAY, moves=board.any_play())
    side = 1 - mover
    live: LiveMatch = board.live
    live.state["match"]["position"] = position(mine, {19: 5, 20: 5, 21: 5}).letters
    live.save()
    acted = board.do(side, Act.ROLL, bear_off=True)
    assert [action.kind for action in acted.actions] == ["roll", "play"]
    assert (board.game.phase, board.game.turn) == (Phase.TO_ROLL, mover)
    board.do(mover, Act.ROLL)
    assert board.game.phase is Phase.TO_PLAY
