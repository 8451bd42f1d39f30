"""A match here begins when both are there: both are taken to the board, and one who never comes is not waited for."""

import re
import time
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from redis import Redis

from core.live import presence
from engine.clock import MINUTE, SECOND, ClockSettings
from engine.errors import Refused
from formats.settings import KNOCKOUT, StageSettings
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import Action, Challenge, DiceChain, Match
from matches.play import absences, clock_worker, due
from matches.play.live import EventKind
from matches.play.lobby.services import ChallengeInput, lapse_invitations, make_challenge
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import PHONE, Check, OpenPage, follow
from tests.browser.test_play import BOB, CAROL, Seat, eventually
from tests.conftest import ValkeyServer
from tests.matches.conftest import bob_player, carol_player
from tests.matches.play.conftest import Board
from tests.tournaments.support.drawn_divisions import DivisionBuilder, fixture_of

__all__ = ["bob_player", "carol_player"]

NOTICED_WITHIN = 40
"""Seconds."""
DEPARTURES = 8


@pytest.fixture(autouse=True)
def long_after_the_start(valkey: Redis) -> None:
    """The web process and the broker have been there for a while."""
    presence.note_start(now=time.time() - 1000)


def challenged(challenger: Player, user: User) -> Challenge:
    return make_challenge(player=challenger, wish=ChallengeInput(3), by=Actor.of(user), now=timezone.now())


def accepts(page: Page) -> None:
    follow(page.get_by_role("button", name="Accept"))
    expect(page.locator('[data-panel="ready"]')).to_be_visible()


def test_a_challenge_accepted_while_the_challenger_reads_another_page_takes_both_to_the_board(
    open_page: OpenPage, looked_at: Check, bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    challenged(bob_player, bob)
    reading = open_page("/clubs/", width=PHONE, user=bob)
    lobby = open_page("/lobby/", user=carol)
    icon = reading.locator('link[rel="icon"]').get_attribute("href")
    accepts(lobby)
    call = reading.get_by_role("region", name="You’re invited")
    expect(call).to_contain_text("Carol accepts your challenge")
    expect(reading).to_have_title("● You’re invited · Clubs · Barpoint")
    expect(reading.locator('link[rel="icon"]')).not_to_have_attribute("href", icon or "")
    looked_at(reading)
    follow(call.get_by_role("link", name="Go to the board"))
    assert reading.url == lobby.url
    seats = [Seat(reading), Seat(lobby)]
    seats[CAROL].act("ready")
    expect(lobby.locator('[data-banner="invited"]')).to_contain_text("Bob is invited")
    expect(lobby.locator('[data-banner="invited"]')).to_contain_text(re.compile(r"until (\d+ \w+, )?\d\d:\d\d\."))
    expect(lobby.locator(".play-clock.is-running")).to_have_count(0)
    looked_at(lobby)
    seats[BOB].act("ready")
    match = Match.objects.get()
    eventually(lambda: Action.objects.filter(live=match.pk, kind="roll").exists())
    for page in (reading, lobby):
        expect(page.locator('[data-banner="invited"]')).to_be_hidden()


def test_the_lobby_opens_the_board(
    open_page: OpenPage, bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    challenged(bob_player, bob)
    waiting, other = open_page("/lobby/", user=bob), open_page("/lobby/", user=carol)
    accepts(other)
    expect(waiting).to_have_url(other.url)
    expect(waiting.locator('[data-panel="ready"]')).to_be_visible()
    expect(waiting.get_by_role("button", name="I’m here")).to_be_visible()


def test_one_who_never_comes_is_not_waited_for(
    open_page: OpenPage, looked_at: Check, bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    challenged(bob_player, bob)
    lobby = open_page("/lobby/", user=carol)
    accepts(lobby)
    Seat(lobby).act("ready")
    expect(lobby.locator('[data-banner="invited"]')).to_be_visible()
    eventually(lambda: DiceChain.objects.filter(owner=CAROL).exists())
    assert lapse_invitations(now=timezone.now() + timedelta(minutes=10, seconds=1)) == 1
    expect(lobby.locator('[data-banner="calledOff"]')).to_contain_text("nothing is rated")
    looked_at(lobby)
    assert Match.objects.get().state == Match.State.VOID
    follow(lobby.get_by_role("link", name="Play", exact=True))
    expect(lobby.get_by_role("region", name="Open challenges")).to_contain_text("Bob")


def test_the_challenger_takes_the_challenge_back_while_waiting(
    open_page: OpenPage, bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    challenged(bob_player, bob)
    waiting, other = open_page("/lobby/", user=bob), open_page("/lobby/", user=carol)
    accepts(other)
    expect(waiting).to_have_url(other.url)
    Seat(waiting).act("ready")
    eventually(lambda: DiceChain.objects.filter(owner__in=(BOB, CAROL)).count() == 2)
    follow(waiting.get_by_role("button", name="Withdraw the challenge"))
    expect(waiting.get_by_text("Your challenge is withdrawn.")).to_be_visible()
    expect(other.locator('[data-banner="calledOff"]')).to_be_visible()


def test_a_board_of_a_tournament_that_is_opened_alone_at_night_has_no_clock_and_no_winner(
    builder: DivisionBuilder, open_page: OpenPage, looked_at: Check, bob: User
) -> None:
    division = builder.drawn(2, StageSettings(KNOCKOUT), match_length=3, play_mode="either", no_show_loses=True)
    match = fixture_of(division, 1).match
    assert match is not None
    match.player_0.user = bob
    match.player_0.save()
    page = open_page(f"/matches/{match.public_id}/", user=bob)
    follow(page.get_by_role("button", name="Play here"))
    Seat(page).act("ready")
    expect(page.locator('[data-banner="invited"]')).to_be_visible()
    clock_worker.work(now=timezone.now() + timedelta(minutes=9))
    expect(page.locator(".play-clock.is-running")).to_have_count(0)
    expect(page.locator('[data-banner="away"]')).to_be_hidden()
    eventually(lambda: DiceChain.objects.filter(owner=BOB).exists())
    clock_worker.work(now=timezone.now() + timedelta(minutes=11))
    expect(page.locator('[data-banner="lapsed"]')).to_contain_text("Nothing is lost")
    looked_at(page)
    match.refresh_from_db()
    assert (match.state, match.results.count()) == (Match.State.OPEN, 0)
    page.get_by_role("button", name="Invite again").click()
    expect(page.locator('[data-panel="ready"]')).to_be_visible()
    page.goto(f"/matches/{match.public_id}/")
    expect(page.locator("main")).not_to_contain_text("no-show")


class Visit:
    """A page of Bob at a board where it is his turn."""

    def __init__(self, board: Board, page: Page) -> None:
        self.board, self.page = board, page

    @property
    def is_online(self) -> bool:
        return bool(absences.side_presences(self.board.match.public_id, timezone.now())[BOB].online)

    def last_noted(self) -> str:
        kinds = (EventKind.LEFT, EventKind.AWAY, EventKind.BACK)
        last = self.board.live.actions.filter(kind__in=kinds).order_by("seq").last()
        return last.kind if last is not None else ""


def visits(open_page: OpenPage, users: list[User], count: int) -> list[Visit]:
    """Boards at which it is Bob's turn, each open on a page of his."""
    found: list[Visit] = []
    while len(found) < count:
        players = tuple(Player.objects.get_or_create(name=user.display_name, user=user)[0] for user in users)
        opening, by, now = Opening(players, 3), Actor.of(users[BOB]), timezone.now()
        match = open_matches([opening], settings=MatchSettings(), by=by, now=now)[0]
        settings = PlaySettings(ClockSettings(12 * SECOND, 30 * MINUTE), server_chains=True)
        start(match=match, settings=settings, by=by, now=now)
        board = Board(match, users)
        board.now = now
        for side in (BOB, CAROL):
            commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=now)
        if board.open_game() != BOB:
            board.do(CAROL, "play", moves=board.any_play())
        page = open_page(f"/matches/{match.public_id}/play/", user=users[BOB])
        expect(page.locator('[data-panel="play"], [data-panel="roll"]').locator("visible=true")).to_be_visible()
        found.append(Visit(board, page))
    return found


def noted(visits: list[Visit], kind: str, within: float) -> float:
    """Let the clock worker look until this was noted last of all; return how many seconds that took."""
    began = time.monotonic()
    while any(visit.last_noted() != kind for visit in visits):
        absences.note_absences(now=timezone.now())
        assert time.monotonic() - began < within, [visit.last_noted() for visit in visits]
        visits[0].page.wait_for_timeout(200)
    return time.monotonic() - began


@pytest.mark.slow
def test_eight_departures_are_noticed_and_who_comes_back_is_there(open_page: OpenPage, bob: User, carol: User) -> None:
    here = visits(open_page, [bob, carol], DEPARTURES)
    by_link, by_closing = here[::2], here[1::2]
    eventually(lambda: all(visit.is_online for visit in here))
    for visit in by_link:
        follow(visit.page.locator(".play-back"))
    for visit in by_closing:
        visit.page.close()
    took = noted(here, EventKind.LEFT, NOTICED_WITHIN)
    print(f"{len(here)} departures noticed within {took:.1f} s")
    for visit in by_link:
        visit.page.go_back()
    noted(by_link, EventKind.BACK, 20)
    assert due.state_of(here[1].board.live).absences[BOB].since is not None


@pytest.mark.slow
def test_a_broker_that_starts_from_a_dump_of_two_minutes_ago_makes_nobody_absent(
    open_page: OpenPage, bob: User, carol: User, valkey: Redis, valkey_server: ValkeyServer
) -> None:
    (visit,) = visits(open_page, [bob, carol], 1)
    eventually(lambda: visit.is_online)
    member = f"barpoint-presence:match:{visit.board.match.public_id}:{BOB}"
    lives, epoch = valkey.hgetall(member), valkey.get("barpoint-presence:epoch")
    valkey_server.stop()
    valkey_server.start()
    # What a dump of then would have held: the page was there, and has said so eight times since.
    then = time.time() - 120
    for life in lives:
        valkey.hset(member, life, f"{then}:{then + 37.5}")
    valkey.set("barpoint-presence:epoch", epoch)
    until = time.monotonic() + 8
    while time.monotonic() < until:
        absences.note_absences(now=timezone.now())
        visit.page.wait_for_timeout(500)
    assert visit.last_noted() == ""
    with pytest.raises(Refused):
        visit.board.do(CAROL, EventKind.CLAIM_AWAY)
