"""Several processes sweep the same match at the moment its flag falls: it falls once."""

from typing import Any

from django.db import IntegrityError

from engine.actions import Act
from matches.models import LiveMatch, Match, Result
from matches.play import clock_worker, due
from tests.concurrency.event import POSTGRESQL_ONLY
from tests.concurrency.racing import at_once, faults, without_locks
from tests.matches.play.conftest import Board, board, match, users

__all__ = ["board", "match", "users"]

pytestmark = POSTGRESQL_ONLY
SWEEPERS = 4


def sweep(board: Board) -> list[Any]:
    """Let four processes find that the flag has fallen, all before any of them settles it."""
    board.open_game()
    board.wait(12 + 120 + 0.5)
    assert due.due_matches(now=board.now) == [board.match.pk]
    settle = lambda: due.settle_due(match_id=board.match.pk, now=board.now)  # noqa: E731
    return at_once(*[settle] * SWEEPERS)


def test_two_sweeps_settle_a_flag_once(board: Board) -> None:
    outcomes = sweep(board)
    assert sorted(outcomes) == [False] * (SWEEPERS - 1) + [True]
    assert board.live.actions.filter(kind=Act.FLAG).count() == 1
    assert Result.objects.filter(match=board.match).count() == 1
    assert clock_worker.work(now=board.now) == 0


def test_control_without_the_lock_they_collide(board: Board) -> None:
    with without_locks():
        outcomes = sweep(board)
    assert [type(fault) for fault in faults(outcomes)] == [IntegrityError] * (SWEEPERS - 1)
    assert Match.objects.get().state != Match.State.LIVE
    assert LiveMatch.objects.get().due_at is None
