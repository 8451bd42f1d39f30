"""Bob (side 0) and Carol (side 1) play a match here, action by action."""

from datetime import timedelta

import pytest

from core.live import site_version
from engine import Refused, adjudicate
from engine.actions import Act, Phase
from engine.clock import DAY, Clock, ClockSettings
from matches.models import Action, Match, Result
from matches.play import due
from matches.play.directing import Ruling, rule
from matches.play.live import EventKind, LiveState, after_event, to_ms
from matches.play.public_state import game_json, may_do
from matches.play.starting import PlaySettings, start
from matches.play.transcripts import event_of, first_state, transcript_of
from players.actors import Actor
from tests.matches.play.conftest import BOB, CAROL, CLOCK, START, Board, refused

pytestmark = pytest.mark.postgresql


def test_the_opening_roll_follows_once_both_are_ready(board):
    board.do(BOB, EventKind.READY)
    assert board.game.phase is Phase.OPENING
    acted = board.do(CAROL, EventKind.READY)
    assert [action.kind for action in acted.actions] == ["ready", "roll"]
    left, right = board.game.dice
    beginner = BOB if left > right else CAROL
    assert board.game.turn == acted.actions[-1].data["begins"] == beginner
    assert game_json(board.game)["pips"] == [167, 167]
    board.do(beginner, Act.PLAY, moves=board.any_play())
    assert game_json(board.game)["pips"] == [167 - (left + right) * (side == beginner) for side in (BOB, CAROL)]
    board.match.refresh_from_db()
    assert board.match.state == Match.State.LIVE
    assert board.match.begun_at == START


@pytest.mark.django_db(transaction=True)
def test_stored_pages_stay_current_while_a_match_shows_nothing_new(board, valkey):
    def version():
        return valkey.get(site_version.VERSION)

    before = version()
    mover = board.open_game()
    begun = version()
    board.do(mover, Act.PLAY, moves=board.any_play())
    after_play = version()
    board.do(1 - mover, Act.CONCEDE)
    assert before != begun == after_play != version()


def test_an_action_on_an_old_state_is_refused_and_changes_nothing(board):
    mover = board.open_game()
    moves = board.any_play()
    with refused("stale"):
        board.do(mover, Act.PLAY, after=board.live.last - 1, moves=moves)
    with refused("stale"):
        board.do(mover, Act.PLAY, after=board.live.last + 1, moves=moves)
    assert Action.objects.count() == 3
    board.do(mover, Act.PLAY, moves=moves)
    assert Action.objects.count() == 4


def test_the_action_that_ended_the_match_is_repeated_like_any_other(board):
    mover = board.open_game()
    after = board.live.last
    first = board.do(mover, Act.CONCEDE, after=after, key="last")
    again = board.do(mover, Act.CONCEDE, after=after, key="last")
    assert (again.actions, again.credits) == (first.actions, None)
    assert again.state.match.winner == 1 - mover


def test_repeating_an_action_with_its_key_gives_the_first_answer(board):
    mover = board.open_game()
    moves = board.any_play()
    after = board.live.last
    first = board.do(mover, Act.PLAY, after=after, moves=moves, key="k1")
    again = board.do(mover, Act.PLAY, after=after, moves=moves, key="k1")
    assert (again.actions, again.credits) == (first.actions, None)
    assert board.live.last == after + 1


def test_a_key_stands_for_one_action_only(board):
    board.do(BOB, EventKind.READY, after=0, key="k1")
    with refused("key_reused"):
        board.do(BOB, EventKind.READY, after=0, key="k1", link="ab" * 32)
    with refused("key_reused"):
        board.do(BOB, Act.CONCEDE, after=0, key="k1")
    mover = board.open_next(CAROL)
    moves = board.any_play()
    after = board.live.last
    board.do(mover, Act.PLAY, after=after, moves=moves, key="k2")
    with refused("key_reused"):
        board.do(mover, Act.PLAY, after=after, moves=moves[:1], key="k2")


def test_a_key_is_not_taken_again_for_the_next_action(board):
    mover = board.open_game()
    board.do(mover, Act.PLAY, moves=board.any_play(), key="k1")
    after = board.live.last
    with refused("key_reused"):
        board.do(mover, Act.CONCEDE, key="k1")
    assert board.live.last == after


def test_a_roll_that_is_not_allowed_reveals_no_link(board):
    mover = board.open_game()
    for side in (BOB, CAROL):
        with pytest.raises(Refused):
            board.do(side, Act.ROLL)
    board.do(mover, Act.PLAY, moves=board.any_play())
    used = [chain.used for chain in board.live.chains.order_by("pk")]
    with refused("not_your_turn"):
        board.do(mover, Act.ROLL)
    board.do(1 - mover, EventKind.PAUSE)
    with refused("match_paused"):
        board.do(1 - mover, Act.ROLL)
    assert [chain.used for chain in board.live.chains.order_by("pk")] == used


def test_the_opponent_s_action_and_an_illegal_play_are_refused(board):
    mover = board.open_game()
    with refused("not_your_turn"):
        board.do(1 - mover, Act.PLAY, moves=((24, 23),))
    with refused("not_allowed_here"):
        board.do(mover, Act.SET_SCORE)
    with refused("not_allowed_here"):
        board.do(mover, Act.FLAG)
    with pytest.raises(Refused):
        board.do(mover, Act.PLAY, moves=((24, 1),))


def test_a_pause_of_the_opponent_does_not_make_a_play_stale(board):
    mover = board.open_game()
    seen = board.live.last
    moves = board.any_play()
    board.do(mover, Act.PLAY, moves=moves)
    board.do(1 - mover, EventKind.PAUSE)
    board.do(mover, EventKind.CONTINUE)
    board.do(1 - mover, EventKind.CONTINUE)
    board.do(1 - mover, Act.ROLL, after=seen + 1)
    assert board.game.phase in (Phase.TO_PLAY, Phase.TO_ROLL)


def test_a_pause_is_before_one_s_own_roll_and_there_are_two(board):
    mover = board.open_game()
    with refused("pause_not_now"):
        board.do(mover, EventKind.PAUSE)
    moves = board.any_play()
    board.do(mover, Act.PLAY, moves=moves)
    opponent = 1 - mover
    with refused("pause_not_now"):
        board.do(mover, EventKind.PAUSE)
    for _ in range(2):
        board.do(opponent, EventKind.PAUSE)
        with refused("match_paused"):
            board.do(opponent, Act.ROLL)
        board.wait(301)
        due.settle_due(match_id=board.match.pk, now=board.now)
        assert not board.state.is_paused
    with refused("no_pause_left"):
        board.do(opponent, EventKind.PAUSE)


def test_a_flag_that_falls_loses_the_match_and_an_action_after_it_is_too_late(board):
    mover = board.open_game()
    board.wait(12 + 120)
    with refused("not_live"):
        board.do(mover, Act.PLAY, moves=((24, 23),))
    result = Result.objects.get(match=board.match)
    assert (result.winner, result.kind, result.source) == (1 - mover, "flag", "live")
    assert board.live.due_at is None


def test_a_flag_that_has_to_be_claimed_can_be_at_once_although_it_is_not_the_claimants_turn(board):
    live = board.live
    live.state["match"]["flag_rule"] = "claim"
    live.save()
    mover = board.open_game()
    board.wait(12 + 120 + 10)
    assert due.settle_due(match_id=board.match.pk, now=board.now)
    assert "claim_flag" in may_do(board.state, 1 - mover)
    assert "claim_flag" not in may_do(board.state, mover)
    board.do(1 - mover, Act.CLAIM_FLAG)
    assert Result.objects.get(match=board.match).winner == 1 - mover


def test_an_action_that_arrived_in_time_counts_though_a_sweep_is_late(board):
    mover = board.open_game()
    moves = board.any_play()
    board.wait(12 + 120 - 0.001)
    board.do(mover, Act.PLAY, moves=moves)
    assert not board.game.is_over
    assert not due.settle_due(match_id=board.match.pk, now=board.now + timedelta(seconds=0.4))


def test_sweeps_settle_a_flag_once(board):
    board.open_game()
    board.wait(12 + 120 + 0.499)
    assert not due.settle_due(match_id=board.match.pk, now=board.now)
    board.wait(0.001)
    assert due.settle_due(match_id=board.match.pk, now=board.now)
    assert not due.settle_due(match_id=board.match.pk, now=board.now)
    assert Result.objects.count() == 1


def test_a_match_that_is_conceded_is_proven_by_its_own_record(board):
    mover = board.open_game()
    moves = board.any_play()
    board.do(mover, Act.PLAY, moves=moves)
    board.do(1 - mover, Act.ROLL, play_forced=True)
    board.do(mover, Act.CONCEDE)
    result = Result.objects.get(match=board.match)
    assert (result.winner, result.kind) == (1 - mover, "concession")
    verdict = adjudicate(transcript_of(board.live))
    assert [finding for finding in verdict.findings if finding.severity == "error"] == []


def test_a_match_that_was_reported_cannot_be_opened_here(match, alice):
    Match.objects.filter(pk=match.pk).update(state=Match.State.CLAIMED)
    with refused("match_begun"):
        start(match=match, settings=PlaySettings(), by=Actor.of(alice), now=START)


def test_the_cache_is_the_fold_of_the_actions(board):

    board.open_game()
    state = LiveState.start(first_state(board.match, "match_lost"), Clock.of(CLOCK), to_ms(START))
    for action in board.live.actions.order_by("seq"):
        state = after_event(state, event_of(action))
    assert state == board.state


def test_two_players_may_send_the_same_key(board):
    bobs = board.do(BOB, EventKind.READY, key="1")
    carols = board.do(CAROL, EventKind.READY, key="1")
    assert carols.actions[0] not in bobs.actions
    assert carols.credits is not None
    assert board.game.phase is Phase.TO_PLAY


def test_a_score_is_set_between_games_only(board, alice):
    board.open_game()
    ruling = Ruling(Act.SET_SCORE, board.live.last, score=(1, 0), reason="entered wrongly")
    with refused("score_in_mid_game"):
        rule(match=board.match, ruling=ruling, by=Actor.of(alice), now=board.now)


def test_a_fallen_flag_counts_before_a_ruling(board, alice):
    mover = board.open_game()
    board.wait(12 + 120)
    with refused("not_live"):
        rule(match=board.match, ruling=Ruling(Act.ADJOURN, board.live.last), by=Actor.of(alice), now=board.now)
    assert Result.objects.get(match=board.match).winner == 1 - mover


def test_a_match_is_opened_once(board, alice):
    Match.objects.filter(pk=board.match.pk).update(state=Match.State.OPEN)
    with refused("match_begun"):
        start(match=board.match, settings=PlaySettings(), by=Actor.of(alice), now=START)


def test_each_side_may_take_fourteen_days_of_vacation(match, users, alice):
    settings = PlaySettings(ClockSettings(30 * DAY, 0, correspondence=True))
    start(match=match, settings=settings, by=Actor.of(alice), now=START)
    board = Board(match, users)
    for side in (BOB, CAROL):
        board.do(side, EventKind.HERE)
    board.do(BOB, EventKind.VACATION, value=10 * DAY)
    board.wait(9 * 24 * 3600)
    board.do(BOB, EventKind.VACATION, value=5 * DAY)  # The tenth day is in both.
    assert board.clock_of(BOB).vacation_taken == 14 * DAY
    assert board.clock_of(BOB).due_at == to_ms(START) + (14 + 30) * DAY
    board.wait(60)
    board.do(BOB, EventKind.VACATION, value=DAY)  # Within the days taken already.
    with refused("no_vacation_left"):
        board.do(BOB, EventKind.VACATION, value=6 * DAY)
    board.do(CAROL, EventKind.VACATION, value=14 * DAY)


def test_a_dead_cube_cannot_be_turned(board: Board) -> None:
    """Otherwise two players could double until no score is big enough, and the match could not end."""
    side = board.open_game()
    board.do(side, Act.PLAY, moves=board.any_play())
    doubler = 1 - side
    for cube in (2, 4):
        offer = board.do(doubler, Act.DOUBLE)
        shown = game_json(board.game)
        assert offer.actions[0].data["cube"] == shown["cube"]["face"] == shown["stakes"]["doubled"] == cube
        board.do(1 - doubler, Act.TAKE)
        assert board.game.cube == cube
        board.do(doubler, Act.ROLL)
        board.do(doubler, Act.PLAY, moves=board.any_play())
        doubler = 1 - doubler
    with refused("dead_cube"):
        board.do(doubler, Act.DOUBLE)
    assert board.game.cube == 4
