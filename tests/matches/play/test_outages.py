"""The web server was down in the middle of a match: neither player loses time by it."""

from datetime import timedelta

import pytest

from core.live import presence
from engine.actions import Act
from engine.clock import SECOND
from matches.models import Outage
from matches.play import absences, due
from matches.play.live import EventKind
from tests.matches.play.conftest import START, Board

pytestmark = pytest.mark.postgresql


@pytest.fixture
def beating(board: Board) -> Board:
    """A match whose server has a pulse."""
    board.open_game()
    beat_for(board, 4)
    return board


def beat_for(board: Board, seconds: int) -> None:
    for _ in range(seconds // 2):
        absences.beat(now=board.now)
        board.wait(2)
    absences.beat(now=board.now)


def test_a_regular_pulse_is_no_outage(beating: Board) -> None:
    beat_for(beating, 20)
    assert not Outage.objects.exists()


def test_what_was_lost_is_given_back_to_whoever_had_to_act(beating: Board) -> None:
    mover = beating.game.turn
    assert mover is not None
    beating.wait(300)
    assert not due.settle_due(match_id=beating.match.pk, now=beating.now), "the clock waits for the web server"
    absences.beat(now=beating.now)
    action = beating.live.actions.get(kind=EventKind.OUTAGE)
    assert action.data["value"] == 300 * SECOND
    assert beating.live.due_at == START + timedelta(seconds=12 + 120 + 300)
    beating.wait(10)
    beating.do(mover, Act.PLAY, moves=beating.any_play())
    assert beating.clock_of(mover).bank == (120 - 2) * SECOND


def test_a_request_that_comes_before_the_pulse_recognises_the_outage(beating: Board) -> None:
    mover = beating.game.turn
    assert mover is not None
    seen, moves = beating.live.last, beating.any_play()
    beating.wait(300)
    beating.do(mover, Act.PLAY, after=seen, moves=moves)
    assert beating.live.actions.filter(kind=EventKind.OUTAGE).count() == 1
    absences.beat(now=beating.now + timedelta(seconds=2))
    assert Outage.objects.get().credited_at is not None


def test_an_outage_is_credited_once_though_the_first_attempt_was_cut_short(beating: Board) -> None:
    beating.wait(60)
    absences.beat(now=beating.now)
    Outage.objects.update(credited_at=None)
    due_at = beating.live.due_at
    beating.wait(2)
    absences.beat(now=beating.now)
    assert beating.live.due_at == due_at
    assert Outage.objects.get().credited_at is not None


def test_a_pause_goes_on_by_what_was_lost(beating: Board) -> None:
    mover = beating.game.turn
    assert mover is not None
    beating.do(mover, Act.PLAY, moves=beating.any_play())
    beating.do(1 - mover, EventKind.PAUSE)
    ends = beating.live.due_at
    beating.wait(400)
    absences.beat(now=beating.now)
    assert ends is not None
    assert beating.live.due_at == ends + timedelta(seconds=400)
    assert beating.state.is_paused


def test_absence_is_not_counted_while_the_server_is_down(beating: Board, valkey: object) -> None:
    mover = beating.game.turn
    assert mover is not None
    presence.note_start(now=START.timestamp() - 1000)
    public_id = beating.match.public_id
    absences.note_activity_of(absences.sign_of(public_id, mover, "a", 15), beating.now)
    absences.note_goodbye(public_id=public_id, side=mover, tab="a", now=beating.now)
    beat_for(beating, 10)
    absences.note_absences(now=beating.now)
    assert beating.state.absences[mover].closed == 10 * SECOND
    beating.wait(300)
    absences.beat(now=beating.now)
    absences.note_absences(now=beating.now)
    assert beating.state.absences[mover].closed == 10 * SECOND


def test_nobody_is_noted_as_away_whose_page_cannot_reach_the_server(beating: Board, valkey: object) -> None:
    mover = beating.game.turn
    assert mover is not None
    presence.note_start(now=START.timestamp() - 1000)
    absences.note_activity_of(absences.sign_of(beating.match.public_id, mover, "a", 15), beating.now)
    for _ in range(60):
        beating.wait(2)
        absences.note_absences(now=beating.now)
    absences.beat(now=beating.now)
    presence.note_start(now=beating.now.timestamp())
    assert beating.state.absences[mover].lost == 0
    assert not beating.live.actions.filter(kind=EventKind.AWAY).exists()
