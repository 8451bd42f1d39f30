"""Whole matches in real browsers: by mouse and by touch, by keyboard and typed plays, and watched by a third."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from core.live import audience
from engine.actions import Phase
from engine.clock import MINUTE, SECOND, ClockSettings
from formats.settings import KNOCKOUT, StageSettings
from matches.lifecycle import links
from matches.models import Match
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.matches.cast import match_between
from tests.matches.play.conftest import Board
from tests.tournaments.support.drawn_divisions import DivisionBuilder, fixture_of, page_of
from tournaments.models import Division

BOB, CAROL = 0, 1
CLOCK = ClockSettings(12 * SECOND, 30 * MINUTE)
PATIENCE = 20.0
LEFT = 4
"""Checkers that are still to be borne off where a test plays on."""


def eventually(true: Callable[[], bool], *, seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.05)


ASKED = ("double", "take", "drop", "resign", "accept", "concede", "vacation", "claim_away", "claim_flag")
"""What the page asks about once more before it is sent."""


class Seat:
    """A page of a player, moved by mouse, by fingers or by the keyboard."""

    def __init__(self, page: Page, *, touch: bool = False) -> None:
        self.page, self.touch = page, touch

    def panel(self, name: str) -> Locator:
        return self.page.locator(f'[data-panel="{name}"]:visible')

    def act(self, kind: str, value: int | None = None) -> None:
        """Press a button, and the confirmation where there is one."""
        selector = f'[data-act="{kind}"]' + (f'[data-value="{value}"]' if value else "")
        self.tap(self.page.locator(f"{selector}:visible"))
        if kind in ASKED:
            self.tap(self.page.locator("#confirmed"))
        expect(self.page.locator(f"{selector}:visible")).to_have_count(0)

    def tap(self, target: Locator) -> None:
        expect(target).to_be_enabled()
        target.tap() if self.touch else target.click()

    @property
    def movable(self) -> list[str]:
        """The points from which a checker can be moved."""
        places: list[str] = self.page.eval_on_selector_all(
            ".place.movable", "places => places.map(place => place.dataset.place)"
        )
        return places

    def center(self, place: str) -> tuple[float, float]:
        spot = self.page.locator(f'.place[data-place="{place}"]').element_handle()
        # A panel or a banner that has just appeared or gone resizes the board.
        spot.wait_for_element_state("stable")
        box = spot.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def press_point(self, place: str) -> None:
        x, y = self.center(place)
        self.page.touchscreen.tap(x, y) if self.touch else self.page.mouse.click(x, y)

    def drag(self, source: str, target: str) -> None:
        self.page.mouse.move(*self.center(source))
        self.page.mouse.down()
        self.page.mouse.move(*self.center(target), steps=5)
        self.page.mouse.up()

    def graph(self) -> list[dict[str, Any]]:
        """The legal steps, as the server sends them to the mover."""
        api = self.page.evaluate("JSON.parse(document.getElementById('play-settings').textContent)")
        headers = {"Match-Link": api["link"]} if api["link"] else {}
        response = self.page.request.get(api["api"], headers=headers)
        return list(response.json()["graph"])

    def move(self) -> None:
        """Play the roll by touching points, and send it."""
        commit = self.page.locator("#commit")
        eventually(lambda: bool(self.movable) or commit.is_enabled())
        while not commit.is_enabled():
            self.step()
        self.tap(commit)
        expect(self.panel("play")).to_have_count(0)

    def step(self) -> None:
        before = self.checkers
        self.press_point(self.movable[0])
        eventually(partial(self.has_moved, before))

    def has_moved(self, before: list[str]) -> bool:
        return self.checkers != before

    @property
    def checkers(self) -> list[str]:
        """What screen readers say of each place: it changes with every step, but not with the size of the board."""
        labels: list[str] = self.page.eval_on_selector_all(
            ".game-board .place", "places => places.map(place => place.ariaLabel)"
        )
        assert all(labels)
        return labels


def both(seats: list[Seat], kind: str) -> None:
    for seat in seats:
        seat.act(kind)


def on_turn(seats: Sequence[Seat]) -> int:
    """The side that has something to do now."""
    for _ in range(400):
        for side, seat in enumerate(seats):
            if any(seat.panel(name).count() for name in ("roll", "play", "cube", "resigned")):
                return side
        time.sleep(0.05)
    raise AssertionError("nobody is on turn")


@pytest.fixture
def length() -> int:
    """The length of the match."""
    return 3


@pytest.fixture
def match(builder: DivisionBuilder, alice: User, bob: User, length: int) -> Match:
    """The final of a knockout of two, played here; Bob has an account, his opponent a link."""
    division = builder.drawn(2, StageSettings(KNOCKOUT), match_length=length)
    match = fixture_of(division, 1).match
    assert match is not None
    match.player_0.user = bob
    match.player_0.save()
    start(match=match, settings=PlaySettings(CLOCK), by=Actor.of(alice), now=timezone.now())
    return match


def open_seats(match: Match, open_page: OpenPage, bob: User) -> list[Seat]:
    """Bob at a desk in the light theme, his opponent on a phone in the dark one."""
    desk = open_page(f"/matches/{match.public_id}/play/", user=bob)
    phone = open_page(f"/m/{links.token_for(match, CAROL)}/play/", width=PHONE, scheme="dark", touch=True)
    return [Seat(desk), Seat(phone, touch=True)]


def played_board(bob: User, carol: User, alice: User, length: int = 3) -> Board:
    """A match of Bob and Carol, whose dice the server keeps."""
    users = [bob, carol]
    players = [Player.objects.create(name=name, user=user) for name, user in zip(("Bob", "Carol"), users, strict=True)]
    board = Board(match_between(*players, length=length), users)
    Player.objects.update(analysis_visibility=Player.AnalysisVisibility.PUBLIC)
    start(match=board.match, settings=PlaySettings(server_chains=True), by=Actor.of(alice), now=timezone.now())
    for side in (0, 1):
        commit_chain(match=board.match, side=side, anchor="", by=Actor.of(users[side]), now=timezone.now())
    board.now = timezone.now()
    return board


def open_seats_of(board: Board, open_page: OpenPage) -> list[Seat]:
    """Bob at a desk in the light theme, Carol on a phone in the dark one."""
    url, (bob, carol) = f"/matches/{board.match.public_id}/play/", board.users
    desk = open_page(url, user=bob)
    return [Seat(desk), Seat(open_page(url, width=PHONE, scheme="dark", user=carol, touch=True), touch=True)]


def to_the_end(board: Board, seats: Sequence[Seat]) -> None:
    """Both leave their pages, and open them again when a side has only a few checkers left."""
    urls = [seat.page.url for seat in seats]
    for seat in seats:
        seat.page.goto("about:blank")
    board.now, game = timezone.now(), board.game
    while max(game.position.borne_off) < 15 - LEFT:
        side = game.to_act
        assert side is not None
        if game.phase is Phase.TO_ROLL:
            acted = board.do(side, "roll")
        else:
            acted = board.do(side, "play", moves=board.any_play())
        game = acted.state.match
    for seat, url in zip(seats, urls, strict=True):
        seat.page.goto(url)


@pytest.mark.slow
def test_a_match_by_mouse_and_by_touch_watched_by_a_third(
    match: Match, open_page: OpenPage, looked_at: Check, bob: User, celery_worker: object
) -> None:
    seats = open_seats(match, open_page, bob)
    # Of a chain that is committed the stream brings nothing but the number, so the viewer would read the match again.
    eventually(lambda: match.live.chains.exclude(owner="server").count() == len(seats))
    viewer = open_page(f"/matches/{match.public_id}/play/")
    expect(viewer.locator('[data-panel="wait"]')).to_be_visible()
    for seat in seats:
        looked_at(seat.page)
    # Whoever is counted has a stream, and has nothing to read any more.
    eventually(lambda: audience.size(match.public_id) == 1)
    reads: list[str] = []
    viewer.on("request", lambda request: reads.append(request.url) if "/live/?since=" in request.url else None)
    both(seats, "ready")
    owner = double_and_take(seats)
    expect(seats[BOB].page.locator("#watching")).to_contain_text("Watching: 1")
    looked_at(seats[CAROL].page)
    redouble_and_pass(seats, owner)
    for seat in seats:
        expect(seat.page.locator("#announcer")).to_contain_text("Game over: ")
    score = ("2–0", "0–2")[owner]
    expect(viewer.locator("#moves header")).to_contain_text(score)

    both(seats, "ready")
    crawford(seats, viewer)
    drag_and_take_back(seats)
    # The stream has brought everything so far.
    assert reads == []
    resign(seats, loser=1 - owner)
    final = viewer.locator('[data-panel="over"]:visible')
    expect(final).to_contain_text("3–0")
    looked_at(viewer)
    assert match.results.get().winner == owner
    eventually(lambda: Division.objects.get().status == Division.Status.FINISHED)
    viewer.goto(page_of(Division.objects.get()))
    expect(viewer.locator(".bracket")).to_contain_text("3")


def double_and_take(seats: list[Seat]) -> int:
    """Play until somebody can double, who does; the opponent takes. Return who owns the cube."""
    while True:
        side = on_turn(seats)
        if seats[side].panel("roll").count():
            break
        seats[side].move()
    seats[side].act("double")
    expect(seats[1 - side].page.locator(".game-board .cube")).to_have_text("2")
    seats[1 - side].act("take")
    seats[side].act("roll")
    for seat in seats:
        expect(seat.page.locator("#play-list")).to_contain_text("Doubles to 2")
    return 1 - side


def redouble_and_pass(seats: list[Seat], owner: int) -> None:
    while True:
        side = on_turn(seats)
        if seats[side].panel("play").count():
            seats[side].move()
        elif side == owner:
            break
        else:
            seats[side].act("roll")
    seats[owner].act("double")
    expect(seats[1 - owner].page.locator(".game-board .cube")).to_have_text("4")
    expect(seats[1 - owner].page.locator("#play-list")).to_contain_text("Doubles to 4")
    seats[1 - owner].act("drop")


def crawford(seats: list[Seat], viewer: Page) -> None:
    """In the Crawford game nobody can double."""
    for page in (*(seat.page for seat in seats), viewer):
        expect(page.locator(".game-board .cube.dimmed")).to_be_visible()
    seats[on_turn(seats)].move()
    side = on_turn(seats)
    expect(seats[side].panel("roll")).to_be_visible()
    expect(seats[side].page.locator('[data-act="double"]')).to_be_hidden()
    expect(seats[BOB].page.locator("#crawford")).to_be_visible()


def drag_and_take_back(seats: list[Seat]) -> None:
    """Bob drags a checker, drags it back to where it came from, and drags it again; one that was hit may not enter."""
    bob = seats[BOB]
    while on_turn(seats) != BOB or not bob.panel("play").count() or not bob.graph()[0]["edges"]:
        seat = seats[on_turn(seats)]
        seat.move() if seat.panel("play").count() else seat.act("roll")
    expect(bob.page.locator(".place.movable")).not_to_have_count(0)
    step = next(edge for edge in bob.graph()[0]["edges"] if edge["to"] > 0)
    source, target = str(step["from"]), str(step["to"])
    undo = bob.page.locator("#undo")
    for _ in range(2):
        bob.drag(source, target)
        expect(undo).to_be_enabled()
        bob.drag(target, source)
        expect(undo).to_be_disabled()
    bob.drag(source, target)
    bob.page.keyboard.press("Backspace")
    expect(undo).to_be_disabled()
    bob.drag(source, target)
    bob.move()


def resign(seats: list[Seat], *, loser: int) -> None:
    """A single game is refused; in the next turn it is accepted, which ends the match. A gammon would be no more."""
    for answer in ("refuse", "accept"):
        while on_turn(seats) != loser or not seats[loser].panel("roll").count():
            seat = seats[on_turn(seats)]
            seat.move() if seat.panel("play").count() else seat.act("roll")
        seats[loser].tap(seats[loser].page.locator('[data-open="resign"]'))
        expect(seats[loser].page.locator('[data-act="resign"]:visible')).to_have_count(1)
        seats[loser].act("resign", 1)
        seats[1 - loser].act(answer)
        if answer == "refuse":
            # It is not offered again in this turn.
            expect(seats[loser].panel("roll")).to_be_visible()
            seats[loser].tap(seats[loser].page.locator('[data-open="resign"]'))
            expect(seats[loser].page.locator('[data-act="concede"]')).to_be_visible()
            expect(seats[loser].page.locator('[data-act="resign"]:visible')).to_have_count(0)
            seats[loser].tap(seats[loser].page.locator('[data-panel="resign"] [data-close]'))
            seats[loser].act("roll")


class KeyboardSeat(Seat):
    """A page of a player who has neither mouse nor finger."""

    def tap(self, target: Locator) -> None:
        expect(target).to_be_enabled()
        target.focus()
        self.page.keyboard.press("Enter")

    def go_on(self) -> None:
        """Do what the open panel asks for: double where that is possible, take, roll, and play the first legal play."""
        if self.page.locator('[data-act="double"]:visible').count():
            self.act("double")
        elif self.panel("cube").count():
            self.act("take")
        elif self.panel("play").count():
            self.type_play()
        elif self.panel("ready").count() or self.panel("roll").count():
            name = "ready" if self.panel("ready").count() else "roll"
            self.page.keyboard.press(" ")
            expect(self.panel(name)).to_have_count(0)

    def type_play(self) -> None:
        """Type the play, and send it by pressing Enter once more."""
        field = self.page.locator("#typed-play")
        field.focus()
        commit = self.page.locator("#commit")
        eventually(lambda: bool(self.movable) or commit.is_enabled())
        if text := first_play(self.graph()):
            self.page.keyboard.type(text)
            self.page.keyboard.press("Enter")
        expect(commit).to_be_enabled()
        self.page.keyboard.press("Enter")
        expect(self.panel("play")).to_have_count(0)

    def walk(self) -> None:
        """Go to a point by the arrow keys, move with Enter, undo, move again, and send the play by the space bar."""
        eventually(lambda: bool(self.movable))
        undo, commit = self.page.locator("#undo"), self.page.locator("#commit")
        for key in ("Enter", "Backspace"):
            self.focus(self.movable[0])
            self.page.keyboard.press(key)
        expect(undo).to_be_disabled()
        while not commit.is_enabled():
            before = self.checkers
            self.focus(self.movable[0])
            self.page.keyboard.press("Enter")
            eventually(partial(self.has_moved, before))
        self.page.keyboard.press(" ")
        expect(self.panel("play")).to_have_count(0)

    def focus(self, place: str) -> None:
        """Walk along the row of the point, from its left end."""
        self.page.locator('.place[tabindex="0"]').focus()
        self.page.keyboard.press("ArrowUp" if 13 <= int(place) <= 25 else "ArrowDown")
        focused = "document.activeElement.dataset.place"
        for _ in range(14):
            self.page.keyboard.press("ArrowLeft")
        for _ in range(14):
            if self.page.evaluate(focused) == place:
                return
            self.page.keyboard.press("ArrowRight")
        raise AssertionError(f"point {place} cannot be reached")


def first_play(graph: list[dict[str, Any]]) -> str:
    """The first walk through a step graph as a player types it; empty if there is no move."""
    node, steps = graph[0], []
    while node["edges"]:
        edge = node["edges"][0]
        steps.append(f"{'bar' if edge['from'] == 25 else edge['from']}/{edge['to'] or 'off'}")
        node = graph[edge["node"]]
    return " ".join(steps)


def test_a_match_by_keyboard_and_typed_plays_alone(
    open_page: OpenPage, looked_at: Check, bob: User, carol: User, alice: User
) -> None:
    board = played_board(bob, carol, alice, length=2)
    match = board.match
    seats = [KeyboardSeat(seat.page) for seat in open_seats_of(board, open_page)]
    for seat in seats:
        expect(seat.panel("ready")).to_be_visible()
        seat.go_on()
    first = on_turn(seats)
    starts = "You start with", f"{match.players[first].name} starts with"
    for seat, sentence in zip((seats[first], seats[1 - first]), starts, strict=True):
        expect(seat.page.locator("#announcer")).to_contain_text(sentence)
    seats[first].walk()
    while board.game.cube == 1 or board.game.phase is not Phase.TO_PLAY:
        seats[on_turn(seats)].go_on()
    for _ in range(4):
        seats[on_turn(seats)].go_on()
    to_the_end(board, seats)
    while Match.objects.get(pk=match.pk).state == Match.State.LIVE:
        for seat in seats:
            seat.go_on()
    winner = match.results.get().winner
    assert winner is not None
    announced = f"The match is over. {match.players[winner].name} wins 2–"
    for seat in seats:
        expect(seat.panel("over")).to_be_visible()
        expect(seat.page.locator("#announcer")).to_contain_text(announced)
        looked_at(seat.page)
