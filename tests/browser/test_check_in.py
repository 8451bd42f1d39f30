"""Checking in a field of 32 in a browser."""

import re
from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import APIResponse, Route, expect

from players.actors import Actor
from players.models import Player, User
from tests.browser.chromium import SOON
from tests.browser.conftest import DESK, NAMES, PHONE, VIEWS, Check, OpenPage, follow, view
from tests.browser.test_draws import picture
from tests.event_cast import NOW, by_alice, club, make_division, make_players, tournament
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import CheckIn, Division

__all__ = ["by_alice", "club", "make_division", "make_players", "tournament"]

FIELD = 32


@pytest.fixture
def division(
    site: str, make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Division:
    """A published division of 32."""
    division = make_division()
    entries.enter(division=division, players=make_players(FIELD), by=by_alice, now=NOW)
    events.publish_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    return division


def test_a_director_checks_32_players_in(
    division: Division, open_page: OpenPage, alice: User, axe: Check, fits: Check
) -> None:
    event = division.tournament
    url = f"/events/{event.club.slug}/{event.slug}/check-in/"
    page = open_page(url, width=PHONE, scheme="dark", user=alice, touch=True)
    counts, undo = page.locator(".check-in-counts"), page.get_by_role("button", name="Undo")
    here, taps = page.locator(".arrival-here"), 0

    for number in (1, 2):
        page.get_by_role("button", name=f"Player {number}", exact=False).first.tap()
        taps += 1
        expect(here).to_have_count(number)
    undo.tap()
    expect(here).to_have_count(1)

    row = page.locator(".arrival-missing").last
    name = row.locator(".name").inner_text()
    row.get_by_role("link", name=f"More · {name}").tap()
    row = page.locator(".arrival:has(.arrival-opened)")
    expect(row).to_be_visible()
    axe(page)
    fits(page)
    row.get_by_label("Away until").fill("23:10")
    row.get_by_role("button", name="Save").tap()
    expect(page.locator("li.arrival-away")).to_contain_text("Away until")
    expect(counts).to_contain_text("1 away")
    axe(page)
    fits(page)

    page.get_by_role("button", name="All here").tap()
    taps += 1
    expect(here).to_have_count(FIELD - 1)
    expect(page.get_by_role("status")).to_contain_text("30 here")
    page.get_by_role("searchbox").fill(name)
    expect(page.locator("li.arrival")).to_have_count(1)
    page.locator(".arrival-tap").get_by_role("button", name=name).tap()
    taps += 1
    expect(here).to_have_count(1)
    expect(counts).to_contain_text("32 here")
    assert taps <= FIELD + 1
    assert CheckIn.objects.filter(state="here").values("entry").distinct().count() == FIELD

    for width, scheme in VIEWS:
        page = open_page(url, width=width, scheme=scheme, user=alice)
        axe(page)
        fits(page)


def test_a_tap_during_a_refresh_stays_on_the_page(division: Division, open_page: OpenPage, alice: User) -> None:
    event = division.tournament
    page = open_page(f"/events/{event.club.slug}/{event.slug}/check-in/", user=alice)
    here = page.locator(".arrival-here")
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if len(held) < 2:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    def tap(number: int, *, then: list[str]) -> None:
        """Tap a player, until the answers to these requests are held."""
        page.get_by_role("button", name=f"Player {number}").first.click()
        for _ in range(SOON // 50):
            if [route.request.method for route, _ in held] == then:
                return
            page.wait_for_timeout(50)
        raise AssertionError(held)

    page.route(re.compile(r"/check-in/\?"), hold)
    tap(1, then=["GET"])
    page.route("**/check-in/mark/**", hold)
    tap(2, then=["GET", "POST"])
    # The refresh was read before the second tap.
    for route, answer in held:
        route.fulfill(response=answer)
    expect(here).to_have_count(2)


def test_fees_are_taken_at_the_desk_and_the_last_tap_is_undone(
    site: str,
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
    open_page: OpenPage,
    alice: User,
    axe: Check,
    fits: Check,
) -> None:
    division = make_division(fee=10)
    names = make_players(3)
    names[0].name = "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh"
    names[1].name = "יעל לוי"
    for player in names[:2]:
        player.save()
    entries.enter(division=division, players=names, by=by_alice, now=NOW)
    event = division.tournament
    url = f"/events/{event.club.slug}/{event.slug}/check-in/"
    page = open_page(url, width=PHONE, scheme="dark", user=alice, touch=True)
    axe(page)
    fits(page)
    page.get_by_role("button", name="יעל לוי is here and paid").tap()
    expect(page.get_by_role("status")).to_contain_text("here · 10 tickets paid")
    page.get_by_text("All here and paid…").tap()
    page.get_by_role("button", name="2 players are here, 20 tickets paid in cash").tap()
    expect(page.get_by_role("status")).to_contain_text("2 here · 20 tickets paid")
    expect(page.locator(".arrival-owes")).to_have_count(0)
    axe(page)
    fits(page)
    page.get_by_role("button", name="Undo").tap()
    expect(page.locator(".arrival-owes")).to_have_count(2)
    expect(page.locator(".arrival-here")).to_have_count(1)
    page = open_page(url, width=DESK, scheme="light", user=alice)
    page.get_by_role("link", name=re.compile("^More · Wolfe")).click()
    expect(page.locator(".arrival-opened")).to_be_visible()
    axe(page)
    fits(page)


@pytest.mark.slow
def test_who_waits_is_here_and_is_seen_wherever_they_may_be_passed(
    division: Division,
    open_page: OpenPage,
    alice: User,
    looked_at: Check,
    in_both_views: Check,
    expected_errors: list[re.Pattern[str]],
) -> None:
    expected_errors.append(re.compile("422"))
    now = timezone.now()
    by, event = Actor.of(alice), division.tournament
    events.update_tournament(tournament=event, by=by, now=now, check_in_opens_at=now)
    division.refresh_from_db()
    events.update_division(division=division, after=division.seq, capacity=FIELD, by=by, now=now)
    entries.enter(division=division, players=[Player.objects.create(name=name) for name in NAMES[:5]], by=by, now=now)
    home = f"/events/{event.club.slug}/{event.slug}/"
    page = open_page(f"{home}check-in/", width=PHONE, user=alice)
    row = page.locator(".rows li").filter(has_text=NAMES[4])
    follow(row.get_by_role("button", name="Here · "))
    expect(page.locator(".rows li").first).to_contain_text(NAMES[4])
    picture(page, "waiting")
    in_both_views(page)
    view(page, 320, "light")
    looked_at(page)

    entry = division.entries.filter(status="in").first()
    assert entry is not None
    page.goto(f"{home}entries/{entry.public_id}/substitute/")
    page.get_by_label("Who plays instead?").fill("Zoe")
    follow(page.get_by_role("button", name="Substitute"))
    expect(page.get_by_label("Those on the waiting list keep waiting")).to_be_visible()
    picture(page, "substitute")
    in_both_views(page)
    view(page, 320, "light")
    looked_at(page)

    draw = draws.request_draw(division=division, here_only=False, by=by, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    page.goto(f"{home}{division.public_id}/draw/")
    expect(page.locator(".draft-head")).to_contain_text("Still on the waiting list")
    picture(page, "draft")
    in_both_views(page)
    view(page, 320, "light")
    looked_at(page)
