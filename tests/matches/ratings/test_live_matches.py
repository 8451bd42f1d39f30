"""Matches played here are rated once each side has made a play, or a director says so."""

import pytest
from django.utils import timezone

from engine.actions import Act
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.voiding import void_matches
from matches.models import Match, RatingChange, Result
from matches.play.starting import PlaySettings, commit_chain, start
from matches.ratings import services as ratings
from matches.ratings.preview import SupposedResult, preview_ratings
from players.actors import SYSTEM, Actor
from players.models import User
from tests.matches.play.conftest import BOB, CAROL, CLOCK, START, Board, board, match, refused, users

__all__ = ["board", "match", "users"]

pytestmark = pytest.mark.django_db


def is_rated(match: Match) -> bool:
    """Whether a match counts, once the ratings have been replayed and are as they are derived."""
    pool = ratings.default_pool()
    ratings.replay_pool(pool_id=pool.pk, now=timezone.now())
    assert not ratings.check_ratings(pool)
    return RatingChange.objects.filter(match=match).exists()


def take_turns(board: Board, turns: int) -> int:
    """Open the game and let the sides make so many plays in turn; return who is on turn."""
    mover = board.open_game()
    for turn in range(turns):
        if turn:
            board.do(mover, Act.ROLL)
        board.do(mover, Act.PLAY, moves=board.any_play())
        mover = 1 - mover
    return mover


@pytest.mark.parametrize(("plays", "rated"), [(0, False), (1, False), (2, True)])
def test_a_match_that_is_conceded_is_rated_once_each_side_has_made_a_play(
    plays: int, rated: bool, board: Board
) -> None:
    loser = take_turns(board, plays)
    board.do(loser, Act.CONCEDE)
    assert is_rated(board.match) == rated


@pytest.mark.parametrize(("plays", "rated"), [(1, False), (2, True)])
def test_so_is_one_that_is_lost_on_time(plays: int, rated: bool, board: Board) -> None:
    loser = take_turns(board, plays)
    board.wait(600)
    with refused("not_live"):
        board.do(loser, Act.ROLL)
    assert Result.objects.get(match=board.match).kind == Result.Kind.FLAG
    assert is_rated(board.match) == rated


def test_a_match_that_nobody_began_is_not_rated(match: Match, users: list[User], alice: User) -> None:
    """25 concessions at 0–0 in six seconds won nothing."""
    start(match=match, settings=PlaySettings(CLOCK, server_chains=True), by=Actor.of(alice), now=START)
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=START)
    Board(match, users).do(CAROL, Act.CONCEDE)
    assert not is_rated(match)


def test_a_ruling_says_that_a_match_counts(board: Board) -> None:
    board.do(CAROL, Act.CONCEDE)
    assert not is_rated(board.match)
    ruled = ResultInput(BOB, (3, 0), Result.Kind.CONCESSION)
    append_result(
        Match.objects.get(pk=board.match.pk), ruled, Basis(Result.Source.DIRECTOR), by=SYSTEM, now=timezone.now()
    )
    assert is_rated(board.match)


def test_voiding_a_match_without_a_play_does_not_make_it_rated(board: Board, alice: User) -> None:
    board.do(CAROL, Act.CONCEDE)
    played = Match.objects.get(pk=board.match.pk)
    void = SupposedResult(BOB, Result.Kind.VOID, rated=True)
    assert preview_ratings({played.pk: void}) == []
    void_matches({played: True}, club=None, by=Actor.of(alice), now=timezone.now())
    assert not is_rated(played)
