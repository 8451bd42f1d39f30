"""Lag is measured by pings and given back, never more than was measured, and little to whoever cheats."""

from datetime import timedelta

from engine.actions import Act, Phase
from engine.clock import LAG_REFILL, MAX_LAG_CREDIT, SECOND
from matches.play import due, lag
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind, to_ms
from players.actors import Actor
from tests.matches.play.conftest import BOB, CAROL, START, Board, refused

HOME, CAFE = "192.0.2.1", "198.51.100.7"


def ping(board: Board, side: int, took: int, network: str = HOME) -> int:
    """Let a ping of a side take so many milliseconds."""
    sent = lag.new_ping(board.match.pk, side, board.now)
    now = board.now + timedelta(milliseconds=took)
    return lag.measure(match_id=board.match.pk, side=side, network=network, ping=sent, now=now)


def do(board: Board, side: int, kind: str, network: str = HOME, **fields: object) -> int:
    """Let a side act over its network; return what it was given back."""
    request = ActionInput(kind, board.live.last, **fields)  # type: ignore[arg-type]
    by = Actor.of(board.users[side])
    return act(match=board.match, side=side, request=request, by=by, now=board.now, network=network).actions[0].credit


def test_the_smallest_of_the_last_measurements_counts(board: Board) -> None:
    assert [ping(board, BOB, took) for took in (300, 80, 900, 900, 900)] == [300, 80, 80, 80, 80]
    assert [ping(board, BOB, took) for took in (200, 300)] == [80, 200]
    assert lag.measured(board.match.pk, CAROL, HOME) == 0


def test_another_network_is_measured_anew(board: Board) -> None:
    ping(board, BOB, 50)
    assert lag.measured(board.match.pk, BOB, CAFE) == 0
    assert ping(board, BOB, 90, CAFE) == 90
    assert lag.measured(board.match.pk, BOB, HOME) == 0


def test_a_page_that_slept_has_measured_nothing(board: Board) -> None:
    assert ping(board, BOB, 60_000) == 0
    assert ping(board, BOB, -5) == 0


def test_a_forged_ping_and_one_of_the_opponent_are_refused(board: Board) -> None:
    own = lag.new_ping(board.match.pk, BOB, START)
    older = own.replace(str(to_ms(START)), str(to_ms(START) - 900))
    assert older != own
    for stolen in (older, "", "1:2:3", lag.new_ping(board.match.pk, CAROL, START)):
        with refused("bad_ping"):
            lag.measure(match_id=board.match.pk, side=BOB, network=HOME, ping=stolen, now=START)


def test_what_was_measured_is_given_back(board: Board) -> None:
    mover = board.open_game()
    ping(board, mover, 250)
    board.wait(20)
    assert do(board, mover, Act.PLAY, moves=board.any_play()) == 250
    assert board.clock_of(mover).bank == (120 - 8) * SECOND + 250
    assert board.live.actions.get(seq=board.live.last).credit == 250


def test_an_action_that_lag_made_late_still_counts(board: Board) -> None:
    mover = board.open_game()
    ping(board, mover, 400)
    board.wait(12 + 120 + 0.399)
    assert not due.settle_due(match_id=board.match.pk, now=board.now + due.GRACE)
    assert do(board, mover, Act.PLAY, moves=board.any_play()) == 400
    assert board.clock_of(mover).bank == 1


def test_due_at_waits_for_the_lag_that_is_known(board: Board) -> None:
    ping(board, BOB, 400)
    ping(board, CAROL, 400)
    board.open_game()
    assert board.live.due_at == START + timedelta(seconds=132.4)
    board.wait(132.4)
    assert due.settle_due(match_id=board.match.pk, now=board.now + due.GRACE)
    assert board.live.actions.get(kind=Act.FLAG).at == START + timedelta(seconds=132)


def test_a_client_that_always_claims_a_second_is_given_little(board: Board) -> None:
    """Every ping is held back for a second, each on a new network: the allowance of the side still runs out."""
    cheat = board.open_game()
    credited, actions = 0, 0
    while actions < 12:
        side = board.game.turn
        assert side is not None
        network = f"203.0.113.{actions}"
        ping(board, side, 1_000 if side == cheat else 50, network)
        moves = board.any_play() if board.game.phase is Phase.TO_PLAY else ()
        credit = do(board, side, Act.PLAY if board.game.phase is Phase.TO_PLAY else Act.ROLL, network, moves=moves)
        if side == cheat:
            credited, actions = credited + credit, actions + 1
        else:
            assert credit <= 50
    assert credited == MAX_LAG_CREDIT + 11 * LAG_REFILL


def test_nothing_is_given_back_that_was_not_used(board: Board) -> None:
    ping(board, BOB, 1_000)
    board.wait(0.2)
    do(board, BOB, EventKind.READY)
    assert board.clock_of(BOB).left == (12 + 120) * SECOND
