"""A match here begins when both are there: before that no clock runs, and nobody can win."""

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core import mail
from django.test import Client
from redis import Redis

from core.live import presence
from engine.actions import Act
from engine.clock import DAY, ClockSettings
from matches.lifecycle import links
from matches.models import Challenge, LiveMatch, Match, Result
from matches.play import absences, clock_worker, due
from matches.play.codec import from_data, to_data
from matches.play.live import EventKind, from_ms
from matches.play.lobby import services as lobby
from matches.play.lobby.services import ChallengeInput
from matches.play.starting import PlaySettings, commit_chain, start
from matches.play.transcripts import differences_of, state_after, state_at_start
from players.actors import Actor
from players.models import Notification, Player, User
from players.notifications.emails import send_emails
from tests.matches.play.conftest import BOB, CAROL, CLOCK, START, Board, refused

pytestmark = pytest.mark.postgresql
upgrade = import_module("matches.migrations.0010_invite_to_boards_not_begun")
CORRESPONDENCE = ClockSettings(2 * DAY, 0, correspondence=True)


@pytest.fixture(autouse=True)
def long_after_the_start(valkey: Redis) -> None:
    """The web process and the broker have been there for a while."""
    presence.note_start(now=START.timestamp() - 1000)


def opened(match: Match, users: list[User], alice: User, clock: ClockSettings) -> Board:
    start(match=match, settings=PlaySettings(clock, server_chains=True), by=Actor.of(alice), now=START)
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=START)
    return Board(match, users)


def round_of_the_clock(board: Board, **time: float) -> None:
    """Let time pass, then the clock worker do its work."""
    board.now += timedelta(**time)
    clock_worker.work(now=board.now)


@pytest.mark.parametrize(("clock", "wait"), [(CLOCK, {"minutes": 9}), (CORRESPONDENCE, {"days": 2, "hours": 23})])
@pytest.mark.parametrize("kind", [EventKind.HERE, EventKind.READY])
def test_nobody_wins_alone(
    match: Match, users: list[User], alice: User, clock: ClockSettings, wait: dict[str, float], kind: str
) -> None:
    board = opened(match, users, alice, clock)
    board.do(BOB, kind)
    round_of_the_clock(board, **wait)
    assert board.live.due_at is None
    assert not due.settle_first(match_id=match.pk, now=board.now)
    with refused("not_away"):
        board.do(BOB, EventKind.CLAIM_AWAY)
    assert not Result.objects.exists()
    assert board.clock_of(BOB).running_since is None
    assert board.clock_of(CAROL).running_since is None
    assert board.clock_of(CAROL).left == (clock.delay + clock.bank)


def test_an_absent_opponent_who_has_not_come_cannot_be_claimed(board: Board) -> None:
    absences.note_activity_of(absences.sign_of(board.match.public_id, CAROL, "a", 15), board.now)
    absences.note_goodbye(public_id=board.match.public_id, side=CAROL, tab="a", now=board.now)
    board.do(BOB, EventKind.READY)
    for _ in range(100):
        board.wait(1)
        absences.note_absences(now=board.now)
    with refused("not_away"):
        board.do(BOB, EventKind.CLAIM_AWAY)


def test_the_clocks_start_once_both_have_come(board: Board) -> None:
    board.do(BOB, EventKind.HERE)
    board.wait(300)
    board.do(CAROL, EventKind.HERE)
    assert board.live.lapses_at is None
    assert board.live.due_at == board.now + timedelta(seconds=30 + 12 + 120)
    assert board.clock_of(BOB).running_since == board.clock_of(CAROL).running_since
    assert list(differences_of(board.live)) == []


def test_who_came_and_left_loses_by_absence(board: Board) -> None:
    board.do(BOB, EventKind.HERE)
    absences.note_activity_of(absences.sign_of(board.match.public_id, BOB, "a", 15), board.now)
    absences.note_goodbye(public_id=board.match.public_id, side=BOB, tab="a", now=board.now)
    board.do(CAROL, EventKind.HERE)
    board.do(CAROL, EventKind.READY)
    for _ in range(40):
        board.wait(1)
        absences.note_absences(now=board.now)
    board.do(CAROL, EventKind.CLAIM_AWAY)
    assert Result.objects.get().winner == CAROL
    assert board.live.sides_that_played() == frozenset()


def test_saying_it_twice_is_refused(board: Board) -> None:
    board.do(BOB, EventKind.HERE)
    with refused("already_here"):
        board.do(BOB, EventKind.HERE)


def test_nothing_starts_a_clock_before_both_have_come(board: Board) -> None:
    with refused("pause_not_now"):
        board.do(BOB, EventKind.PAUSE)
    board.do(BOB, EventKind.READY)
    assert board.live.due_at is None


def test_an_invitation_that_is_not_taken_up_lapses_and_the_match_is_open_again(board: Board) -> None:
    board.do(BOB, EventKind.HERE)
    round_of_the_clock(board, minutes=10, seconds=1)
    board.match.refresh_from_db()
    assert board.match.state == Match.State.OPEN
    assert not Result.objects.exists()
    assert board.state.here == (False, False)
    assert list(differences_of(board.live)) == []
    with refused("not_live"):
        board.do(CAROL, EventKind.HERE)


def test_a_side_that_came_to_an_invitation_that_lapsed_has_to_come_again(board: Board, alice: User) -> None:
    board.do(BOB, EventKind.READY)
    round_of_the_clock(board, minutes=11)
    start(match=board.match, settings=PlaySettings(CLOCK), by=Actor.of(alice), now=board.now)
    board.do(CAROL, EventKind.READY)
    assert board.live.begun_at is None
    assert board.live.due_at is None
    board.do(BOB, EventKind.HERE)
    assert board.game.turn is not None
    assert [action.kind for action in board.live.actions.order_by("seq")] == [
        EventKind.READY, EventKind.LAPSE, EventKind.INVITE, EventKind.READY, EventKind.HERE, Act.ROLL,
    ]  # fmt: skip
    assert list(differences_of(board.live)) == []


def test_an_invitation_never_outlasts_the_deadline_of_the_round(match: Match, users: list[User], alice: User) -> None:
    Match.objects.filter(pk=match.pk).update(due_at=START + timedelta(minutes=4))
    board = opened(match, users, alice, CORRESPONDENCE)
    assert board.live.lapses_at == START + timedelta(minutes=4)


def test_a_restart_of_the_server_does_not_shorten_an_invitation(board: Board) -> None:
    from matches.play import absences as outages

    outages.beat(now=board.now)
    board.now += timedelta(minutes=9)
    outages.beat(now=board.now)
    assert board.live.lapses_at == board.now + timedelta(minutes=10)


def before_invitations(board: Board) -> None:
    """Store a board as it was stored when its clock did not wait for its players."""
    live = board.live
    live.invited_at = live.lapses_at = None
    live.state = to_data(state_after(state_at_start(live), live.actions.order_by("seq")))
    due = due_of(live.state)
    live.due_at = due
    del live.state["here"]
    live.save()


def due_of(data: dict[str, Any]) -> datetime | None:
    due = from_data(data).due_at()
    return from_ms(due) if due is not None else None


def test_boards_that_nobody_has_begun_to_play_on_wait_after_the_upgrade(board: Board, users: list[User]) -> None:
    board.do(BOB, EventKind.READY)
    before_invitations(board)
    assert board.live.due_at is not None
    upgrade.invite(apps, None)
    assert board.state.here == (True, False)
    assert (board.live.due_at, board.live.lapses_at is not None) == (None, True)
    assert list(differences_of(board.live)) == []


def test_boards_that_are_being_played_on_go_on_after_the_upgrade(board: Board) -> None:
    board.open_game()
    before_invitations(board)
    due_at = board.live.due_at
    upgrade.invite(apps, None)
    assert board.state.here == (True, True)
    assert (board.live.due_at, board.live.invited_at) == (due_at, None)
    assert list(differences_of(board.live)) == []


def test_an_invitation_by_email_leads_to_the_board_without_signing_in(board: Board, users: list[User]) -> None:
    send_emails(user=users[CAROL].pk, now=board.now)
    (message,) = mail.outbox
    assert f"/m/{links.token_for(board.match, CAROL)}/play/" in message.body
    assert "Until then no clock runs" in message.body


def test_whoever_has_come_meanwhile_gets_no_email(board: Board, users: list[User]) -> None:
    board.do(CAROL, EventKind.HERE)
    send_emails(user=users[CAROL].pk, now=board.now)
    assert mail.outbox == []


def test_who_is_invited_is_told_once(board: Board, users: list[User]) -> None:
    rows = Notification.objects.filter(kind="board_opened")
    assert {row.user for row in rows} == set(users)
    assert {row.url for row in rows} == {f"/matches/{board.match.public_id}/play/"}


def test_the_opponent_is_told_of_their_turn_by_correspondence(match: Match, users: list[User], alice: User) -> None:
    board = opened(match, users, alice, CORRESPONDENCE)
    mover = board.open_game()
    before = Notification.objects.filter(kind="your_turn", user=users[1 - mover]).count()
    board.wait(60)
    board.do(mover, Act.PLAY, moves=board.any_play())
    assert Notification.objects.filter(kind="your_turn", user=users[1 - mover]).count() == before + 1


class TestFriendlies:
    """Bob challenges everybody, and Carol accepts."""

    @pytest.fixture
    def bob_player(self, bob: User) -> Player:
        return Player.objects.create(name="Bob", user=bob)

    @pytest.fixture
    def carol_player(self, carol: User) -> Player:
        return Player.objects.create(name="Carol", user=carol)

    @pytest.fixture
    def friendly(self, bob_player: Player, carol_player: Player, bob: User, carol: User) -> Board:
        return self.accepted(bob_player, carol_player, bob, carol, START)

    def accepted(self, bob_player: Player, carol_player: Player, bob: User, carol: User, now: object) -> Board:
        wish = ChallengeInput(3, rated=True)
        challenge = lobby.make_challenge(player=bob_player, wish=wish, by=Actor.of(bob), now=now)  # type: ignore[arg-type]
        match = lobby.accept(challenge=challenge, player=carol_player, by=Actor.of(carol), now=now)  # type: ignore[arg-type]
        LiveMatch.objects.filter(pk=match.pk).update(server_chains=True)
        board = Board(match, [bob, carol])
        board.now = now  # type: ignore[assignment]
        return board

    def chains(self, board: Board) -> None:
        for side in (BOB, CAROL):
            commit_chain(match=board.match, side=side, anchor="", by=Actor.of(board.users[side]), now=board.now)

    def test_the_challenger_is_told_that_somebody_has_accepted(self, friendly: Board, bob: User) -> None:
        assert Notification.objects.get(kind="challenge_accepted").user == bob
        assert not Notification.objects.filter(kind="board_opened").exists()

    def test_whoever_accepted_is_called_back_from_every_page_until_they_are_here(
        self, friendly: Board, carol: User, client: Client
    ) -> None:
        client.force_login(carol)
        bar = "The board of your match against Bob is open."
        paths = ("/", "/lobby/", "/clubs/", "/my/")
        assert [bar in client.get(path).content.decode() for path in paths] == [True] * len(paths)
        assert not Notification.objects.filter(user=carol, deliveries__isnull=False).exists(), "no email"
        friendly.do(CAROL, EventKind.HERE)
        assert bar not in client.get("/").content.decode()

    def test_one_that_is_not_taken_up_is_called_off_and_offered_again(
        self, friendly: Board, bob_player: Player, carol: User
    ) -> None:
        friendly.do(BOB, EventKind.HERE)
        round_of_the_clock(friendly, minutes=9)
        assert friendly.live.match.state == Match.State.LIVE
        round_of_the_clock(friendly, minutes=1, seconds=1)
        assert friendly.live.match.state == Match.State.VOID
        result = Result.objects.get()
        assert (result.kind, result.winner, result.source) == ("void", None, "live")
        again = Challenge.objects.get(state="open")
        assert (again.challenger, again.opponent, again.rated) == (bob_player, None, True)
        assert again.expires_at == friendly.now + timedelta(hours=2)
        told = Notification.objects.get(kind="challenge_called_off", user=carol)
        assert told.params["variant"] == "own"

    def test_a_challenger_who_never_comes_is_not_offered_for_longer_than_before(self, friendly: Board) -> None:
        friendly.do(CAROL, EventKind.HERE)
        round_of_the_clock(friendly, minutes=11)
        assert Challenge.objects.get(state="open").expires_at == START + timedelta(hours=2)
        assert not Challenge.objects.filter(left_at__isnull=False).exists()

    def test_the_challenger_may_withdraw_while_waiting(self, friendly: Board, bob_player: Player, bob: User) -> None:
        friendly.do(BOB, EventKind.HERE)
        lobby.withdraw(
            challenge=Challenge.objects.get(), player=bob_player, by=Actor.of(bob), now=START + timedelta(seconds=1)
        )
        assert friendly.live.match.state == Match.State.VOID
        assert Challenge.objects.get().state == "withdrawn"

    def test_once_both_have_come_it_cannot_be_withdrawn(self, friendly: Board, bob_player: Player, bob: User) -> None:
        friendly.do(BOB, EventKind.HERE)
        friendly.do(CAROL, EventKind.HERE)
        with refused("challenge_gone"):
            lobby.withdraw(challenge=Challenge.objects.get(), player=bob_player, by=Actor.of(bob), now=START)

    def test_a_flag_of_a_side_that_never_played_calls_it_off(self, friendly: Board) -> None:
        self.chains(friendly)
        friendly.open_game()
        round_of_the_clock(friendly, hours=1)
        assert friendly.live.match.state == Match.State.VOID
        assert [row.kind for row in Result.objects.all()] == ["void"]

    def test_a_concession_before_a_play_stands_and_counts_as_leaving(self, friendly: Board) -> None:
        friendly.do(CAROL, Act.CONCEDE)
        assert (Result.objects.get().kind, Result.objects.get().winner) == ("concession", BOB)
        assert Challenge.objects.get().left_at == START

    def test_whose_challenge_was_withdrawn_is_told_so(self, friendly: Board, bob_player: Player, bob: User) -> None:
        lobby.withdraw(challenge=Challenge.objects.get(), player=bob_player, by=Actor.of(bob), now=START)
        told = Notification.objects.get(kind="challenge_called_off")
        assert (told.user, told.params["variant"]) == (friendly.users[CAROL], "withdrawn")

    def test_a_flag_of_a_side_that_has_played_counts(self, friendly: Board) -> None:
        self.chains(friendly)
        mover = friendly.open_game()
        friendly.do(mover, Act.PLAY, moves=friendly.any_play())
        friendly.do(1 - mover, Act.ROLL)
        friendly.do(1 - mover, Act.PLAY, moves=friendly.any_play())
        round_of_the_clock(friendly, hours=1)
        result = Result.objects.get()
        assert (result.kind, result.winner) == ("flag", 1 - mover)

    def test_who_accepts_and_leaves_three_times_waits_an_hour(
        self, bob_player: Player, carol_player: Player, bob: User, carol: User
    ) -> None:
        now = START
        for _ in range(3):
            board = self.accepted(bob_player, carol_player, bob, carol, now)
            board.do(BOB, EventKind.HERE)
            round_of_the_clock(board, minutes=10, seconds=1)
            Challenge.objects.filter(state="open").delete()
            now = board.now
        told = Notification.objects.filter(kind="challenge_called_off", user=carol)
        assert [row.params["variant"] for row in told].count("paused") == 1
        wish = ChallengeInput(3)
        with refused("open_challenges_paused"):
            lobby.make_challenge(player=carol_player, wish=wish, by=Actor.of(carol), now=now)
        offered = lobby.make_challenge(player=bob_player, wish=wish, by=Actor.of(bob), now=now)
        with refused("open_challenges_paused"):
            lobby.accept(challenge=offered, player=carol_player, by=Actor.of(carol), now=now)
        lobby.accept(
            challenge=offered, player=carol_player, by=Actor.of(carol), now=now + timedelta(hours=1, seconds=1)
        )
