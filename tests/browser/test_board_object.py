"""The board as something in the hand: rolling, moving and sending on the board alone."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery.contrib.testing.worker import start_worker
from django.conf import LazySettings
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Page, expect
from redis import Redis

from config.celery import app as celery_app
from engine.actions import Phase
from matches.analysis.access import announce
from matches.models import Analysis, Challenge
from players.models import User
from tests.browser.conftest import PHONE, SETTLED, SLOWLY, Check, OpenPage, follow
from tests.browser.test_play import Seat, eventually, on_turn, open_seats_of, played_board, to_the_end
from tests.engine.gnubg import PROGRAM
from tests.matches.play.test_ending import analysed


def picture(page: Page, name: str) -> None:
    """Save a screenshot where PICTURES says so."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def press(seat: Seat, selector: str) -> None:
    """Click or tap the middle of a part of the board."""
    part = seat.page.locator(selector)
    expect(part).to_be_visible()
    part.tap() if seat.touch else part.click()


def play_on_the_board(seat: Seat) -> None:
    """Roll by the cup, move by the checkers, and send by the dice."""
    page = seat.page
    if seat.panel("roll").count():
        press(seat, ".game-board .cup")
        expect(seat.panel("roll")).to_have_count(0)
    commit = page.locator("#commit")
    eventually(lambda: bool(seat.movable) or commit.is_enabled() or not seat.panel("play").count())
    while seat.panel("play").count() and not commit.is_enabled():
        seat.step()
    if seat.panel("play").count():
        press(seat, ".game-board .dice")
        expect(seat.panel("play")).to_have_count(0)


@pytest.mark.slow
def test_the_beginning_and_the_end_of_a_match_on_the_board_alone_by_mouse_and_by_touch(
    open_page: OpenPage, looked_at: Check, bob: User, carol: User, alice: User
) -> None:
    board = played_board(bob, carol, alice, length=1)
    seats = open_seats_of(board, open_page)
    seats[0].page.evaluate(f"() => {{{SLOWLY}}}")
    for seat in seats:
        press(seat, ".game-board .cup")
    expect(seats[0].page.locator(".game-board .throw > span").first).to_be_visible()
    for ply in range(4):
        side = on_turn(seats)
        if ply in (2, 3):
            expect(seats[side].page.locator(".game-board .cup")).to_be_visible()
            picture(seats[side].page, f"roll-{side}")
            looked_at(seats[side].page)
        play_on_the_board(seats[side])
    to_the_end(board, seats)
    while not any(seat.panel("over").count() for seat in seats):
        play_on_the_board(seats[on_turn(seats)])
    for seat, name in zip(seats, ("1280", "390"), strict=True):
        expect(seat.panel("over")).to_be_visible()
        picture(seat.page, f"end-{name}")
        looked_at(seat.page)
    assert board.match.results.count() == 1


@pytest.mark.slow
def test_the_end_fills_in_how_both_played_without_a_reload(
    open_page: OpenPage, looked_at: Check, bob: User, carol: User, alice: User
) -> None:
    """The analysis arrives while the players look at the result; its button stays where it is."""
    board = played_board(bob, carol, alice)
    for side in (0, 1):
        board.do(side, "ready")
    page = open_page(f"/matches/{board.match.public_id}/play/", user=bob)
    expect(page.locator("#play-list")).to_contain_text(":")
    # Before the page asks for the end, which it does as soon as the match is over.
    working = analysed(board.match, Analysis.State.WORKING)
    board.do(1, "concede")
    end = page.locator("#end")
    expect(end).to_contain_text("Analysing, about")
    expect(end).to_contain_text("You win")
    picture(page, "end-waits")
    main_button = end.get_by_role("link", name="Analyse")
    waiting_at = main_button.bounding_box()
    page.evaluate("window.sameDocument = true")
    # At once, as a worker stores it: the page asks again every few seconds.
    with transaction.atomic():
        analysis = analysed(board.match)
        announce(analysis)
    assert working.pk != analysis.pk
    expect(end).to_contain_text("PR · lower is better")
    expect(end.locator("svg.board")).to_be_visible()
    assert page.evaluate("window.sameDocument")
    assert main_button.bounding_box() == waiting_at
    # The result, the costliest decision and what comes next are on cards of their own, in place of the plays.
    expect(page.locator("#moves")).to_be_hidden()
    expect(end.locator("section")).to_have_count(3)
    for width, height, scheme in ((1280, 800, "light"), (390, 844, "dark"), (932, 430, "light")):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate(SETTLED)
        picture(page, f"end-analysed-{width}")
        looked_at(page)
        bar, title = (part.bounding_box() for part in (page.locator(".play-title"), end.locator("h2")))
        assert bar is not None
        assert title is not None
        assert bar["y"] + bar["height"] <= title["y"], "the result stands below the bar"
        expect(end.get_by_role("link", name="Analyse")).to_be_in_viewport(ratio=1)
    # A phone may load a page again that nobody has looked at for a while.
    page.reload()
    expect(end).to_contain_text("PR · lower is better")


def test_a_rematch_is_asked_for_declined_and_accepted_at_the_end(
    open_page: OpenPage, looked_at: Check, bob: User, carol: User, alice: User
) -> None:
    """Neither player leaves the board for it."""
    board = played_board(bob, carol, alice)
    now = timezone.now()
    Challenge.objects.create(
        challenger=board.match.player_0,
        opponent=board.match.player_1,
        length=board.match.length,
        match=board.match,
        state=Challenge.State.ACCEPTED,
        created_at=now,
        expires_at=now,
    )
    for side in (0, 1):
        board.do(side, "ready")
    url = f"/matches/{board.match.public_id}/play/"
    asker, answerer = open_page(url, user=bob), open_page(url, width=PHONE, scheme="dark", user=carol, touch=True)
    for page in (asker, answerer):
        expect(page.locator("#play-list")).to_contain_text(":")
        page.evaluate("window.sameDocument = true")
    board.do(1, "concede")
    again = asker.get_by_role("button", name="Rematch")
    again.focus()
    asker.keyboard.press("Enter")
    expect(asker.locator("#end")).to_contain_text("The rematch begins when your opponent accepts it.")
    expect(again).to_be_disabled()
    expect(answerer.locator("#end")).to_contain_text("Bob wants a rematch.")
    for page in (asker, answerer):
        looked_at(page)
    answerer.get_by_role("button", name="Decline").tap()
    expect(answerer.locator("#end")).not_to_contain_text("wants a rematch")
    expect(again).to_be_enabled()
    again.click()
    answerer.get_by_role("button", name="Accept the rematch").tap()
    answerer.wait_for_url(re.compile(rf"(?<!{board.match.public_id})/play/"))
    assert asker.evaluate("window.sameDocument"), "the page was left"
    asker.get_by_role("link", name="Open the board").click()
    asker.wait_for_url(answerer.url)


@pytest.fixture
def all_workers(transactional_db: None, valkey: Redis) -> Iterator[None]:
    """A real worker that takes the usual queues and that of analyses."""
    options = {"pool": "threads", "concurrency": 2, "perform_ping_check": False, "shutdown_timeout": 60}
    with start_worker(
        celery_app, queues=[*(queue.name for queue in celery_app.conf.task_queues), "analysis"], **options
    ):
        yield


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="gnubg is not installed")
@pytest.mark.usefixtures("all_workers")
def test_the_analysis_of_a_real_worker_appears_and_its_costliest_decision_is_tried_again(
    open_page: OpenPage, looked_at: Check, bob: User, carol: User, alice: User, settings: LazySettings
) -> None:
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", PROGRAM
    settings.ANALYSIS_CPU_SHARE = 1.0
    board = played_board(bob, carol, alice)
    for side in (0, 1):
        board.do(side, "ready")
    page = open_page(f"/matches/{board.match.public_id}/play/", user=bob)
    for _ in range(10):
        side = board.game.to_act
        assert side is not None
        if board.game.phase is Phase.TO_ROLL:
            board.do(side, "roll")
        board.do(side, "play", moves=board.any_play())
    expect(page.locator("#play-list")).to_contain_text(":")
    page.evaluate("window.sameDocument = true")
    board.do(1, "concede")
    end = page.locator("#end")
    expect(end).to_contain_text("PR · lower is better", timeout=180_000)
    assert page.evaluate("window.sameDocument"), "the page was loaded again"
    looked_at(page)
    follow(end.get_by_role("link", name="Try again"))
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate(SETTLED)
        picture(page, f"again-{width}")
        looked_at(page)
    try_again(page)
    expect(page.locator("#again-verdict")).not_to_be_empty()
    picture(page, "again-answer-390")
    looked_at(page)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#again-answer")).to_be_hidden()
    try_again(page)
    expect(page.locator("#again-answer")).to_be_visible()


def try_again(page: Page) -> None:
    """Decide in some way."""
    choices = page.locator("[data-choice]")
    if choices.count():
        return choices.first.click()
    seat = Seat(page)
    eventually(lambda: bool(seat.movable))
    while not page.locator("#commit").is_enabled():
        seat.step()
    press(seat, ".game-board .dice")
    return None
