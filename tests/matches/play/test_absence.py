"""A player who leaves in their own turn may lose the match, once the opponent claims it."""

from datetime import timedelta

import pytest
from redis import Redis

from core.live import presence
from engine import adjudicate
from engine.actions import Act, Phase
from engine.clock import DAY, SECOND, Clock, ClockSettings
from engine.match import MatchState
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import Action, LiveMatch, Result
from matches.play import absences
from matches.play.api import as_json
from matches.play.live import EventKind, LiveEvent, LiveState, after_event, to_ms
from matches.play.starting import PlaySettings, start
from matches.play.transcripts import differences_of, transcript_of
from matches.play.watching import seen
from players.actors import Actor
from players.models import Player, User
from tests.conftest import ValkeyServer
from tests.matches.play.conftest import BOB, CAROL, CLOCK, START, Board, refused

pytestmark = pytest.mark.postgresql


@pytest.fixture(autouse=True)
def long_after_the_start(valkey: Redis) -> None:
    """The web process and the broker have been there for a while."""
    presence.note_start(now=START.timestamp() - 1000)


def there(board: Board, side: int, *, every: int = 15, life: str = "a") -> None:
    absences.note_activity_of(absences.sign_of(board.match.public_id, side, life, every), board.now)


def leaves(board: Board, side: int, tab: str = "a") -> None:
    absences.note_goodbye(public_id=board.match.public_id, side=side, tab=tab, now=board.now)


def tick(board: Board, seconds: float) -> list[str]:
    """Let time pass in steps of the clock worker, with the opponent there; return the kinds noted."""
    last = board.live.last
    for _ in range(int(seconds)):
        board.wait(1)
        absences.note_absences(now=board.now)
    return [action.kind for action in board.live.actions.filter(seq__gt=last)]


def shown(board: Board) -> dict[str, object]:
    return as_json(seen(board.live, inside=True, now=board.now), since=0)


def test_closing_the_page_in_one_s_turn_may_be_claimed_after_half_a_minute(board: Board) -> None:
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    assert tick(board, 4) == []
    assert tick(board, 2) == [EventKind.LEFT]
    assert shown(board)["absence"] == {
        "side": mover,
        "closed": True,
        "claim_at": START + timedelta(seconds=30),
        "may_claim": False,
    }
    tick(board, 23)
    with refused("not_away_long_enough"):
        board.do(1 - mover, EventKind.CLAIM_AWAY)
    assert not board.live.actions.filter(kind=EventKind.CLAIM_AWAY).exists()
    tick(board, 1)
    with refused("not_away"):
        board.do(mover, EventKind.CLAIM_AWAY)
    board.do(1 - mover, EventKind.CLAIM_AWAY)
    result = Result.objects.get(match=board.match)
    assert (result.winner, result.kind) == (1 - mover, "flag")
    verdict = adjudicate(transcript_of(board.live))
    assert [finding for finding in verdict.findings if finding.severity == "error"] == []


@pytest.mark.parametrize(("rule", "over"), [("match_lost", True), ("game_lost", False), ("claim", True)])
def test_the_rule_of_the_event_says_what_is_lost(board: Board, rule: str, over: bool) -> None:
    live = board.live
    live.state["match"]["flag_rule"] = rule
    live.save()
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    tick(board, 30)
    board.do(1 - mover, EventKind.CLAIM_AWAY)
    assert board.game.is_over == over
    assert board.game.score[1 - mover] == (0 if over else 1)


def test_losing_the_network_is_forgiven_for_longer(board: Board) -> None:
    mover = board.open_game()
    there(board, mover)
    assert tick(board, 37) == []
    assert tick(board, 2) == [EventKind.AWAY]
    tick(board, 50)
    with refused("not_away_long_enough"):
        board.do(1 - mover, EventKind.CLAIM_AWAY)
    tick(board, 2)
    board.do(1 - mover, EventKind.CLAIM_AWAY)
    assert Result.objects.get(match=board.match).winner == 1 - mover


def test_coming_back_stops_the_countdown_and_forgets_nothing(board: Board) -> None:
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    tick(board, 20)
    there(board, mover, life="b")
    assert tick(board, 1) == [EventKind.BACK]
    with refused("not_away"):
        board.do(1 - mover, EventKind.CLAIM_AWAY)
    leaves(board, mover, "b")
    assert tick(board, 8) == [EventKind.LEFT]
    with refused("not_away_long_enough"):
        board.do(1 - mover, EventKind.CLAIM_AWAY)
    tick(board, 2)
    board.do(1 - mover, EventKind.CLAIM_AWAY)


def test_nothing_counts_in_the_opponent_s_turn(board: Board) -> None:
    mover = board.open_game()
    there(board, 1 - mover)
    leaves(board, 1 - mover)
    tick(board, 90)
    assert shown(board)["absence"] is None
    with refused("not_away"):
        board.do(mover, EventKind.CLAIM_AWAY)
    board.do(mover, Act.PLAY, moves=board.any_play())
    assert shown(board)["absence"]["claim_at"] == board.now + timedelta(seconds=30)  # type: ignore[index]


def test_a_second_tab_keeps_a_player_there(board: Board) -> None:
    mover = board.open_game()
    there(board, mover, every=60, life="a")
    there(board, mover, every=60, life="b")
    leaves(board, mover, "a")
    assert tick(board, 60) == []
    assert absences.side_presences(board.match.public_id, board.now)[mover].online


def test_reloading_the_page_is_no_absence(board: Board) -> None:
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    tick(board, 3)
    there(board, mover, life="b")
    assert tick(board, 20) == []


def test_a_sign_of_life_that_was_under_way_does_not_hide_that_the_page_was_left(board: Board) -> None:
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    there(board, mover, every=60)
    assert tick(board, 6) == [EventKind.LEFT]


def test_a_page_that_comes_back_begins_another_life(board: Board, valkey: Redis) -> None:
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    there(board, mover, life="b")
    leaves(board, mover, "b")
    there(board, mover, life="c")
    assert tick(board, 30) == []
    board.wait(1000)
    there(board, mover, life="d")
    leaves(board, mover, "d")
    stored = {
        name.decode() for name in presence._client().hkeys(f"barpoint-presence:match:{board.match.public_id}:{mover}")
    }
    assert stored == {"closed", "d", "!d"}, "what is long over is forgotten"


def test_nobody_is_away_whose_page_never_showed_itself(board: Board) -> None:
    board.open_game()
    assert tick(board, 60) == []
    assert [seen["online"] for seen in shown(board)["presence"]] == [None, None]  # type: ignore[attr-defined]


def test_after_a_start_of_the_server_nobody_is_away_for_a_while(board: Board) -> None:
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    assert tick(board, 20) == [EventKind.LEFT]
    presence.note_start(now=board.now.timestamp())
    assert tick(board, 1) == [EventKind.BACK]
    assert tick(board, 88) == []
    assert tick(board, 2) == [EventKind.LEFT]


def test_without_a_broker_nobody_is_away(board: Board, valkey_server: ValkeyServer) -> None:
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    tick(board, 10)
    valkey_server.stop()
    try:
        assert tick(board, 1) == [EventKind.BACK]
    finally:
        valkey_server.start()


def test_a_broker_that_starts_from_a_dump_of_two_minutes_ago_is_not_believed(
    board: Board, valkey: Redis, valkey_server: ValkeyServer
) -> None:
    mover = board.open_game()
    there(board, mover)
    there(board, 1 - mover)
    dump = [(key, valkey.dump(key)) for key in valkey.scan_iter()]
    for _ in range(10):
        tick(board, 12)
        there(board, mover)
        there(board, 1 - mover)
    valkey_server.stop()
    valkey_server.start()
    for key, value in dump:
        valkey.restore(key, 0, value)
    assert tick(board, 60) == [], "both are present"
    for side in (mover, 1 - mover):
        there(board, side)
    tick(board, 30)
    leaves(board, mover)
    assert tick(board, 6) == [EventKind.LEFT], "ninety seconds after the start everything is known again"


def test_what_was_counted_while_nothing_was_known_is_given_back(board: Board, valkey_server: ValkeyServer) -> None:
    mover = board.open_game()
    there(board, mover)
    leaves(board, mover)
    assert tick(board, 6) == [EventKind.LEFT]
    # Nobody looks for twenty seconds, in which the broker starts again.
    board.wait(20)
    valkey_server.stop()
    valkey_server.start()
    assert tick(board, 1) == [EventKind.BACK]
    assert board.state.absences[mover].closed <= 6 * SECOND
    assert list(differences_of(board.live)) == []


def test_there_is_no_bound_on_how_many_matches_are_looked_after(
    board: Board, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(absences, "BATCH_SIZE", 2)
    boards = [board]
    for _ in range(4):
        players = tuple(Player.objects.create(name=name) for name in ("Bob", "Carol"))
        match = open_matches([Opening(players, 3)], settings=MatchSettings(), by=Actor.of(alice), now=START)[0]
        start(match=match, settings=PlaySettings(CLOCK), by=Actor.of(alice), now=START)
        boards.append(Board(match, board.users))
    for each in boards:
        there(each, BOB)
        leaves(each, BOB)
    assert absences.note_absences(now=START + timedelta(seconds=6)) == len(boards)
    assert Action.objects.filter(kind=EventKind.LEFT, side=BOB).count() == len(boards)


def test_there_is_no_absence_in_correspondence() -> None:
    clock = Clock.of(ClockSettings(2 * DAY, 0, correspondence=True))
    at = to_ms(START)
    state = LiveState.start(MatchState.start(3), clock, at)
    for event in (
        LiveEvent(EventKind.READY, at, BOB),
        LiveEvent(EventKind.READY, at, CAROL),
        LiveEvent(Act.ROLL, at, dice=(6, 1)),
        LiveEvent(EventKind.LEFT, at + SECOND, BOB, value=SECOND),
    ):
        state = after_event(state, event)
    assert state.match.phase is Phase.TO_PLAY
    assert not state.waits_for(BOB)
    assert after_event(state, LiveEvent(EventKind.BACK, at + DAY, BOB)).absences[BOB].closed == 0


def test_what_was_noted_makes_no_play_stale(board: Board) -> None:
    mover = board.open_game()
    seen = board.live.last
    there(board, mover)
    leaves(board, mover)
    assert tick(board, 6) == [EventKind.LEFT]
    board.do(mover, Act.PLAY, after=seen, moves=board.any_play())
    assert Action.objects.filter(live=board.live, kind=Act.PLAY).exists()
    assert LiveMatch.objects.get().last == seen + 2
