"""The cash desk in a browser: one tap takes the cash, the button of the closing says what it will record."""

import re

import pytest
from playwright.sync_api import expect

from players.models import Player, User
from players.people.pairs import pair_of
from prizes.services import SidePoolInput, create_pool, join_pool
from tests.browser.conftest import DESK, PHONE, VIEWS, Check, OpenPage, follow
from tests.browser.test_paper import printed
from tests.event_cast import NOW, by_alice, club, drawn, make_division, make_players, tournament
from tests.prizes.conftest import Prizes, prizes, unplayed
from tournaments.models import CashCount, Division, Entry, Payment
from tournaments.state.stages import first_stage

__all__ = ["by_alice", "club", "drawn", "make_division", "make_players", "prizes", "tournament", "unplayed"]


@pytest.fixture
def cash_url(site: str, unplayed: Prizes, request: pytest.FixtureRequest) -> str:
    """The cash desk of a played event in which one player owes the side pool, which they joined before it."""
    division, by = unplayed.division, unplayed.by
    pool = create_pool(
        division=division, pool=SidePoolInput("Side pool", 1000, (10000,), (("main", 1),)), by=by, now=NOW
    )
    join_pool(pool=pool, entry=division.entries.latest("pk"), by=by, now=NOW)
    request.getfixturevalue("prizes")
    event = division.tournament
    return f"/events/{event.club.slug}/{event.slug}/cash/"


@pytest.mark.slow
def test_fees_prizes_and_closing(
    cash_url: str, prizes: Prizes, open_page: OpenPage, alice: User, axe: Check, fits: Check, looked_at: Check
) -> None:
    for width, scheme in VIEWS:
        page = open_page("/", width=width, scheme=scheme, user=alice)
        for path in ("", "?tab=prizes", "?tab=closing"):
            page.goto(f"{cash_url}{path}")
            axe(page)
            fits(page)
    page = open_page(cash_url, width=PHONE, user=alice, touch=True)
    first = page.locator(".account-line").first
    expect(first).to_contain_text("Owes 10.00")
    expect(page.locator("[data-part=closing]")).to_be_hidden()
    follow(first.get_by_role("button", name="Take 10.00"))
    expect(page.get_by_role("status")).to_contain_text("paid 10.00.")
    follow(page.get_by_role("navigation", name="Cash desk").get_by_role("link", name="Prizes"))
    follow(page.get_by_role("button", name=re.compile(r"^Pay 71\.00")).first)
    expect(page.get_by_role("status")).to_contain_text("71.00 paid to")
    assert Payment.objects.filter(kind="payout").count() == 1

    page = open_page(f"{cash_url}?tab=closing", width=DESK, user=alice)
    page.get_by_label("Find a player").fill("player 3")
    expect(page.locator(".account-line:visible")).to_have_count(1)
    page.get_by_label("50 ×").fill("1")
    page.get_by_label("coins").fill("14.00")
    expect(page.get_by_role("button", name="5.00 too much")).to_be_visible()
    page.get_by_label("Counted").fill("54")
    page.get_by_label("What happened").fill("Wrong change")
    follow(page.get_by_role("button", name="5.00 short"))
    expect(page.locator(".message-warning")).to_contain_text("5.00 short Wrong change")
    assert CashCount.objects.get().difference == -500

    follow(page.get_by_role("link", name="Print", exact=True))
    looked_at(page)
    assert printed(page, "cash-desk") == 1
    page.emulate_media(media="print")
    event = prizes.division.tournament
    for text in (event.name, "Entries and fees", "Prizes", "All payments", "Expected in the box", "5.00 short"):
        expect(page.get_by_text(text).locator("visible=true").first).to_be_visible()
    expect(page.locator(".no-print:visible, nav:visible")).to_have_count(0)


def test_both_of_a_pair_pay_and_are_paid(
    prizes: Prizes, site: str, open_page: OpenPage, alice: User, axe: Check, fits: Check
) -> None:
    event = prizes.division.tournament
    pair = pair_of(
        Player.objects.create(name="Annegret Bergmann-Lindqvist"), Player.objects.create(name="Beatrice Kralova")
    )
    division = Division.objects.create(tournament=event, name="Doubles", fee=10000, sides=Division.Sides.TWO)
    first_stage(division)
    Entry.objects.create(division=division, player=pair)
    Entry.objects.filter(pk=prizes.holder(1).pk).update(player=pair)
    url = f"/events/{event.club.slug}/{event.slug}/cash/"
    for width, scheme in VIEWS:
        page = open_page("/", width=width, scheme=scheme, user=alice)
        for path in ("", "?tab=prizes"):
            page.goto(f"{url}{path}")
            axe(page)
            fits(page)
    page = open_page(url, width=PHONE, user=alice, touch=True)
    follow(page.get_by_role("button", name="Take 115.00 for both").first)
    expect(page.get_by_role("status")).to_contain_text("paid 115.00.")
    follow(page.get_by_role("navigation", name="Cash desk").get_by_role("link", name="Prizes"))
    follow(page.get_by_role("button", name="Pay 35.50 to Beatrice Kralova"))
    expect(page.get_by_role("status")).to_contain_text("35.50 paid to Beatrice Kralova.")
    expect(page.get_by_role("button", name="Pay 35.50 to Annegret")).to_be_visible()
