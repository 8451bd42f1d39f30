"""A match by correspondence over three days, of which the server's clock skips most."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Route, expect

from engine.actions import Phase
from engine.clock import DAY, ClockSettings
from formats.settings import KNOCKOUT, StageSettings
from matches.models import Match
from matches.play.live import VACATION_DAYS
from matches.play.starting import PlaySettings, commit_chain, start
from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import Check, OpenPage
from tests.browser.test_board_object import picture
from tests.browser.test_play import BOB, CAROL, Seat, on_turn, open_seats
from tests.matches.cast import match_between
from tests.matches.play.conftest import Board
from tests.tournaments.support.drawn_divisions import DivisionBuilder, fixture_of

KEPT_HERE = PlaySettings(ClockSettings(2 * DAY, 0, correspondence=True), server_chains=True)
Skip = Callable[[timedelta], None]


@pytest.fixture
def skip(monkeypatch: pytest.MonkeyPatch) -> Skip:
    """Set the clock of the server forward; it runs in a thread of this process."""
    skipped = timedelta()
    now = timezone.now

    def shifted_now() -> datetime:
        return now() + skipped

    def skip_by(more: timedelta) -> None:
        nonlocal skipped
        skipped += more

    monkeypatch.setattr(timezone, "now", shifted_now)
    return skip_by


@pytest.fixture
def match(builder: DivisionBuilder, alice: User, bob: User) -> Match:
    division = builder.drawn(2, StageSettings(KNOCKOUT), match_length=3)
    match = fixture_of(division, 1).match
    assert match is not None
    match.player_0.user = bob
    match.player_0.save()
    settings = PlaySettings(ClockSettings(2 * DAY, 0, correspondence=True))
    start(match=match, settings=settings, by=Actor.of(alice), now=timezone.now())
    return match


@pytest.mark.slow
def test_three_days_of_correspondence(
    match: Match, open_page: OpenPage, looked_at: Check, bob: User, skip: Skip
) -> None:
    seats = open_seats(match, open_page, bob)
    seats[BOB].act("ready")
    pass_the_day(seats, skip)
    seats[CAROL].act("ready")
    mover = on_turn(seats)
    expect(seats[mover].page.locator("#seat-near [data-bank]")).to_have_text("1d 23h")
    looked_at(seats[mover].page)
    take_vacation(seats[mover], days=2)
    seats[mover].move()
    pass_the_day(seats, skip)
    other = 1 - mover
    # A day of two is over.
    expect(seats[other].page.locator("#seat-near [data-bank]")).to_have_text(re.compile(r"23:5\d:"))
    for seat in seats:
        expect(seat.page.locator('[data-banner="away"]')).to_be_hidden()
    seats[other].act("roll")
    seats[other].move()
    pass_the_day(seats, skip)
    seats[mover].tap(seats[mover].page.locator('[data-open="resign"]'))
    seats[mover].act("resign", 3)
    # There is nothing more to offer, so nothing to refuse.
    for seat in seats:
        expect(seat.panel("over")).to_be_visible()
    assert Match.objects.get(pk=match.pk).results.get().winner == other


def take_vacation(seat: Seat, *, days: int) -> None:
    """The clock stands still in the player's own turn; what is left of the vacation is shown."""
    seat.tap(seat.page.locator('[data-open="vacation"]'))
    seat.page.locator("#vacation-days").fill(str(days))
    seat.act("vacation")
    expect(seat.page.locator('[data-panel="vacation"]')).to_contain_text(f"Days left: {VACATION_DAYS - days}.")


def pass_the_day(seats: list[Seat], skip: Skip) -> None:
    """Both leave their pages, and open them again a day later."""
    urls = [seat.page.url for seat in seats]
    for seat in seats:
        seat.page.goto("about:blank")
    skip(timedelta(days=1))
    for seat, url in zip(seats, urls, strict=True):
        seat.page.goto(url)


def to_bob(board: Board) -> Board:
    """Play on until Bob is to play a roll after which his opponent may double."""
    board.now = timezone.now()
    for side in (BOB, CAROL):
        board.do(side, "ready")
    while board.game.phase is not Phase.TO_PLAY or board.game.turn != BOB:
        turn = board.game.turn
        assert turn is not None
        moves = {"moves": board.any_play()} if board.game.phase is Phase.TO_PLAY else {}
        board.do(turn, "play" if moves else "roll", **moves)
    return board


@pytest.mark.slow
def test_a_turn_leads_to_the_next_board_and_a_double_is_answered_ahead(
    open_page: OpenPage, looked_at: Check, alice: User, bob: User, carol: User
) -> None:
    users = [bob, carol]
    players = [Player.objects.create(name=user.display_name, user=user) for user in users]
    boards = []
    for _ in range(3):
        match = match_between(*players, length=5)
        start(match=match, settings=KEPT_HERE, by=Actor.of(alice), now=timezone.now())
        for side in (BOB, CAROL):
            commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=timezone.now())
        boards.append(to_bob(Board(match, users)))
    page = open_page("/", user=bob)
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        expect(page.locator("header").get_by_role("link", name="Your move (3)")).to_be_visible()
        picture(page, f"your-move-{width}")
        looked_at(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("header").get_by_role("link", name="Your move (3)").click()
    seat = Seat(page)
    seat.move()
    expect(page.get_by_role("link", name="Next board (2)")).to_be_visible()
    board = next(each for each in boards if each.match.public_id in page.url)
    other = open_page(page.url, user=bob)
    page.get_by_role("button", name="Take", exact=True).click()
    expect(page.locator("#ahead")).to_contain_text("You take if Carol doubles now.")
    picture(page, "ahead-1280")
    looked_at(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(400)
    picture(page, "ahead-390")
    looked_at(page)
    page.set_viewport_size({"width": 932, "height": 430})
    page.wait_for_timeout(400)
    picture(page, "ahead-932")
    looked_at(page)
    # The other tab learns of it when it is looked at, and withdraws it.
    other.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    other.get_by_role("button", name="Withdraw").click()
    expect(other.get_by_role("button", name="Pass", exact=True)).to_be_visible()
    other.get_by_role("button", name="Pass", exact=True).click()
    expect(other.locator("#ahead")).to_contain_text("You pass if Carol doubles now.")
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_role("button", name="Take", exact=True).click()
    expect(page.locator("#ahead")).to_contain_text("You take if Carol doubles now.")
    board.now = timezone.now()
    board.do(CAROL, "double")
    expect(page.locator("#play-list")).to_contain_text("Takes")
    expect(page.locator("#ahead")).to_be_hidden()
    assert (board.game.cube, board.game.cube_owner) == (2, BOB)
    # Space is the main button here, too.
    page.keyboard.press("Space")
    page.wait_for_url(lambda url: board.match.public_id not in url and url.endswith("/play/"))
    Seat(page).move()
    page.get_by_role("link", name="Next board (1)").click()
    expect(Seat(page).panel("play")).to_be_visible()
    Seat(page).move()
    expect(page.locator("#next-board")).to_be_hidden()
    page.goto("/")
    expect(page.locator("header").get_by_role("link", name="Your move")).to_have_count(0)


def test_a_double_that_arrives_before_the_decision_waits_for_its_answer(
    open_page: OpenPage, expected_errors: list[re.Pattern[str]], alice: User, bob: User, carol: User
) -> None:
    expected_errors.append(re.compile("409"))
    users = [bob, carol]
    players = [Player.objects.create(name=user.display_name, user=user) for user in users]
    match = match_between(*players, length=5)
    start(match=match, settings=KEPT_HERE, by=Actor.of(alice), now=timezone.now())
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=timezone.now())
    board = to_bob(Board(match, users))
    seat = Seat(open_page(f"/matches/{match.public_id}/play/", user=bob))
    seat.move()

    def double_first(route: Route) -> None:
        board.now = timezone.now()
        board.do(CAROL, "double")
        route.continue_()

    seat.page.route("**/live/ahead/", double_first)
    seat.page.get_by_role("button", name="Take", exact=True).click()
    expect(seat.panel("cube")).to_be_visible()
    assert board.game.phase is Phase.DOUBLED
