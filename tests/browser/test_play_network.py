"""A board whose network fails, that is reloaded, and that is open twice: nothing is lost and nothing rolled twice."""

import re
from functools import partial

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from matches.models import Action, Match
from matches.play import due
from players.models import User
from tests.browser.conftest import OpenPage
from tests.browser.test_play import BOB, CAROL, Seat, eventually, length, match, on_turn, open_seats

__all__ = ["length", "match"]

SECOND = 1000


@pytest.fixture
def seats(match: Match, open_page: OpenPage, bob: User) -> list[Seat]:
    """Both sides at their boards, after the opening roll."""
    seats = open_seats(match, open_page, bob)
    for seat in seats:
        seat.act("ready")
    return seats


def bob_to(seats: list[Seat], panel: str) -> None:
    """Go on until Bob has this panel before him."""
    while on_turn(seats) != BOB or not seats[BOB].panel(panel).count():
        seat = seats[on_turn(seats)]
        seat.move() if seat.panel("play").count() else seat.act("roll")


def rolls(match: Match) -> int:
    return Action.objects.filter(live=match.pk, kind="roll").count()


def shown_bank(page: Page, seat: str) -> int:
    """The seconds that a clock on a page shows."""
    minutes, seconds = page.locator(f"#seat-{seat} [data-bank]").inner_text().split(":")
    return int(minutes) * 60 + int(seconds)


@pytest.mark.slow
def test_a_play_is_kept_while_the_network_is_away(
    match: Match,
    seats: list[Seat],
    expected_errors: list[re.Pattern[str]],
) -> None:
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED"))
    bob_to(seats, "play")
    page = seats[BOB].page
    eventually(lambda: bool(seats[BOB].movable))
    seats[BOB].step()
    page.context.set_offline(True)
    before = rolls(match)
    while not page.locator("#commit").is_enabled():
        seats[BOB].step()
    page.locator("#commit").click()
    expect(page.locator('[data-banner="offline"]')).to_be_visible()
    sent = seats[BOB].checkers
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    for _ in range(3):
        page.wait_for_event("requestfailed", lambda request: request.url.endswith("/live/actions/"))
    assert seats[BOB].checkers == sent
    page.context.set_offline(False)
    expect(seats[CAROL].panel("roll")).to_be_visible(timeout=15 * SECOND)
    expect(page.locator('[data-banner="offline"]')).to_be_hidden()
    assert rolls(match) == before
    clocks_agree(match, [(page, "near"), (seats[CAROL].page, "far")])


def test_a_roll_whose_answer_was_lost_is_the_same_after_a_reload(
    match: Match,
    seats: list[Seat],
) -> None:
    bob_to(seats, "roll")
    page = seats[BOB].page
    before = rolls(match)
    # The server gets the request, the browser never its answer.
    page.route("**/live/actions/", lambda route: route.fetch())
    page.locator('[data-act="roll"]').click()
    while rolls(match) == before:
        page.wait_for_timeout(50)  # lets Playwright run the handler
    dice = due.state_of(match.live).match.dice
    page.unroute("**/live/actions/")
    page.reload()
    expect(seats[BOB].panel("play")).to_be_visible()
    assert rolls(match) == before + 1
    assert sorted(map(int, page.locator('[data-panel="play"] strong').inner_text().split("-"))) == sorted(dice or ())
    seats[BOB].move()


@pytest.mark.slow
def test_an_answer_that_is_cut_off_is_asked_for_again(match: Match, seats: list[Seat]) -> None:
    bob_to(seats, "roll")
    page = seats[BOB].page
    before = rolls(match)

    def cut_off(route: Route) -> None:
        body = route.fetch().text()
        route.fulfill(status=200, content_type="application/json", body=body[: len(body) // 2])

    page.route("**/live/?since=*", cut_off, times=1)
    page.reload()
    expect(seats[BOB].panel("roll")).to_be_visible()
    page.route("**/live/actions/", cut_off, times=1)
    seats[BOB].act("roll")
    expect(seats[BOB].panel("play")).to_be_visible()
    assert rolls(match) == before + 1
    seats[BOB].move()


def test_by_keyboard_the_roll_is_announced_and_the_focus_stays_with_the_actions(seats: list[Seat]) -> None:
    bob_to(seats, "roll")
    page = seats[BOB].page
    page.locator('[data-act="roll"]').focus()
    page.keyboard.press("Enter")
    expect(seats[BOB].panel("play")).to_be_visible()
    expect(page.locator("#announcer")).to_contain_text(" rolls ")
    assert page.evaluate("document.activeElement.dataset.panel") == "play"


@pytest.mark.slow
def test_two_tabs_and_two_devices_play_one_match(
    match: Match,
    seats: list[Seat],
    open_page: OpenPage,
    bob: User,
) -> None:
    bob_to(seats, "roll")
    context: BrowserContext = seats[BOB].page.context
    second = context.new_page()
    second.goto(seats[BOB].page.url)
    tab, device = Seat(second), Seat(open_page(f"/matches/{match.public_id}/play/", user=bob))
    before = rolls(match)
    for seat in (seats[BOB], tab):
        expect(seat.panel("roll")).to_be_visible()
    tab.act("roll")
    for seat in (seats[BOB], device):
        expect(seat.panel("play")).to_be_visible()
    seats[BOB].move()
    assert rolls(match) == before + 1
    seats[CAROL].act("roll")
    seats[CAROL].move()
    device.act("roll")
    assert rolls(match) == before + 3
    device.move()
    clocks_agree(match, [(seats[BOB].page, "near"), (second, "near"), (device.page, "near")])


@pytest.mark.slow
def test_a_player_changes_devices_during_a_match(
    match: Match, seats: list[Seat], open_page: OpenPage, bob: User
) -> None:
    """In the opponent's turn nobody notices; in one's own turn the roll comes at once and is marked weak."""
    bob_to(seats, "play")
    seats[BOB].move()
    seats[CAROL].act("roll")
    # The opponent's page reads which chain is armed now; a link that it gives before has not seen it.
    with seats[CAROL].page.expect_response("**/live/?since=*"):
        phone = Seat(open_page(f"/matches/{match.public_id}/play/", user=bob))
    assert match.live.chains.filter(owner=str(BOB)).count() == 2
    seats[CAROL].move()
    phone.act("roll")
    assert last_roll(match) == (2, False)
    phone.move()
    seats[CAROL].act("roll")
    seats[CAROL].move()
    # Back at the desk, whose page was open all the time: Bob rolls there in his own turn.
    expect(seats[BOB].panel("roll")).to_be_visible()
    seats[BOB].act("roll")
    assert last_roll(match) == (1, True)
    seats[BOB].move()
    seats[CAROL].act("roll")
    seats[CAROL].move()
    seats[BOB].act("roll")
    assert last_roll(match) == (1, False), "the desk was armed with that roll"


def last_roll(match: Match) -> tuple[int, bool]:
    """Of which of the roller's chains it is, and whether it is weak."""
    data = Action.objects.filter(live=match.pk, kind="roll").latest("seq").data
    return data["links"][0]["chain"], data["weak"]


def clocks_agree(match: Match, pages: list[tuple[Page, str]]) -> None:
    """Bob's bank is the same on every page within a second, and as the server has it."""
    clock = due.state_of(Match.objects.get(pk=match.pk).live).clock
    assert clock is not None
    for page, seat in pages:
        eventually(partial(_agrees, page, seat, clock.sides[BOB].bank / SECOND))


def _agrees(page: Page, seat: str, bank: float) -> bool:
    return abs(shown_bank(page, seat) - bank) <= 1


def test_a_pause_ends_once_both_are_ready(seats: list[Seat]) -> None:
    seats[on_turn(seats)].move()
    pausing = on_turn(seats)
    tool = seats[pausing].page.locator('.play-tool[data-act="pause"]')
    seats[pausing].tap(tool)
    for seat in seats:
        expect(seat.page.locator('[data-banner="paused"]')).to_be_visible()
        expect(seat.page.locator(".play-clock.is-running")).to_have_count(0)
        expect(seat.panel("roll")).to_have_count(0)
    expect(tool).to_contain_text("1 left")
    for seat in seats:
        seat.act("continue")
    seats[pausing].act("roll")
    seats[pausing].move()


def test_what_a_busy_server_refused_is_read_again(
    match: Match, seats: list[Seat], expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("503"))
    page = seats[BOB].page
    refused: list[str] = []

    def refuse_twice(route: Route) -> None:
        if len(refused) == 2:
            return route.continue_()
        refused.append(route.request.url)
        return route.fulfill(status=503)

    page.route("**/live/?since=0", refuse_twice)
    last = page.evaluate(
        """async (api) => {
          const { Store } = await import("/static/matches/play/store.js");
          const store = new Store({ api, side: null });
          const read = new Promise((resolve) => store.addEventListener("state", resolve, { once: true }));
          await store.load();
          await Promise.race([read, new Promise((resolve) => setTimeout(resolve, 10_000))]);
          return store.state?.last;
        }""",
        f"/api/v1/matches/{match.public_id}/live/",
    )
    assert len(refused) == 2
    assert last == Action.objects.filter(live=match.pk).count()
