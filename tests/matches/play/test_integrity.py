"""What a match played here stores follows from its actions, and its result from the engine's verdict."""

import pytest

from engine.actions import Act, Phase
from matches.models import Action, LiveMatch, Result
from matches.play.live import EventKind
from matches.play.transcripts import differences_of
from tests.matches.play.conftest import BOB, CAROL, Board
from tournaments.state import integrity

pytestmark = pytest.mark.postgresql


def names(board: Board) -> list[str]:
    return [what for what, _stored, _derived in differences_of(board.live)]


@pytest.fixture
def played(board: Board) -> Board:
    """Some turns with a pause between, then Carol concedes."""
    mover = board.open_game()
    for _ in range(8):
        board.wait(20)
        board.do(mover, Act.PLAY, moves=board.any_play() if board.game.legal_plays() else ())
        mover = 1 - mover
        board.do(mover, Act.ROLL)
    return board


def test_a_match_in_play_and_a_finished_one_follow_from_their_actions(played: Board) -> None:
    assert names(played) == []
    played.do(CAROL, Act.CONCEDE)
    assert Result.objects.filter(match=played.match.pk, winner=BOB).exists()
    assert names(played) == []


def test_a_changed_cache_is_found(played: Board) -> None:
    live = played.live
    live.state["match"]["score"] = [2, 0]
    LiveMatch.objects.filter(pk=live.pk).update(state=live.state, last=live.last + 3, begun_at=None)
    assert names(played) == ["board", "last action", "has begun"]
    whats = [difference.what for difference in integrity.differences()]
    assert set(whats) >= {"board", "last action", "has begun"}


def test_a_missing_action_is_found(played: Board) -> None:
    plays = Action.objects.filter(live=played.match.pk, kind=Act.PLAY)
    plays.order_by("seq")[:1].get().delete()
    assert names(played) == ["actions"]


def test_a_winner_other_than_the_engines_is_found(played: Board) -> None:
    played.do(CAROL, Act.CONCEDE)
    Result.objects.filter(match=played.match.pk).update(winner=CAROL, score_0=0, score_1=3)
    assert names(played) == ["winner of the play"]


def test_ready_counts_as_an_action_like_any_other(board: Board) -> None:
    board.do(BOB, EventKind.READY)
    assert names(board) == []


def test_a_score_other_than_the_engines_is_found(played: Board) -> None:
    leader = played.game.to_act
    assert leader is not None
    assert played.game.phase is Phase.TO_PLAY
    played.do(leader, Act.RESIGN, value=3)
    assert played.game.is_over, "nobody refuses the whole match"
    assert names(played) == []
    Result.objects.filter(match=played.match.pk).update(score_0=3, score_1=1)
    if leader == BOB:
        Result.objects.filter(match=played.match.pk).update(score_0=1, score_1=3)
    assert names(played) == ["score of the play"]
