"""A helper of one event, from the invitation to a result on a phone."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from players.actors import Actor
from players.models import Club, Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor import evening as opening
from tournaments.models import Division, Fixture, Tournament

PICTURES = os.environ.get("HELPER_PICTURES")
"""A folder for pictures of the pages."""


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


@pytest.fixture
def evening(club: Club, alice: User) -> Tournament:
    """A knockout of four at two tables whose floor is open."""
    by, now = Actor.of(alice), timezone.now()
    event = events.create_tournament(
        club=club, by=by, now=now, name="Saturday Night", starts_at=now, tables=2, ends_at=now + timedelta(hours=4)
    )
    division = events.create_division(tournament=event, by=by, now=now, name="Open", match_length=5)
    players = [Player.objects.create(name=name) for name in ("Maja Kowal", "Ivo Petrov", "Leon Brandt", "Ines Duarte")]
    entries.enter(division=division, players=players, by=by, now=now)
    events.publish_tournament(tournament=event, by=by, now=now)
    draw = draws.request_draw(division=division, by=by, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division = Division.objects.get()
    draws.publish_draw(division=division, after=division.seq, by=by, now=now)
    opening.open_floor(tournament=event, by=by, now=now)
    return event


def test_a_helper_is_invited_and_runs_a_match_on_a_phone(
    evening: Tournament, alice: User, dave: User, open_page: OpenPage, looked_at: Check
) -> None:
    home = f"/events/harbour/{evening.slug}/"
    desk = open_page(home, width=DESK, user=alice)
    follow(desk.get_by_role("link", name="Helpers"))
    looked_at(desk)
    desk.get_by_label("Email address").fill("dave@example.org")
    follow(desk.get_by_role("button", name="Send the invitation"))
    looked_at(desk)
    picture(desk, "helper-invited-1280")
    link = desk.locator("input[readonly]").input_value()

    phone = open_page(link[link.index("/helping/") :], width=PHONE, scheme="dark", user=dave, touch=True)
    expect(phone.get_by_role("heading", name="Will you help at Saturday Night?")).to_be_visible()
    looked_at(phone)
    picture(phone, "helping-390")
    follow(phone.get_by_role("button", name="Yes, I’ll help"))
    follow(phone.get_by_role("link", name="Floor", exact=True))
    expect(phone.locator(".floor-card")).to_have_count(2)
    expect(phone.get_by_role("link", name="Cash")).to_have_count(0)
    looked_at(phone)
    picture(phone, "helper-floor-390")

    first = Fixture.objects.order_by("number")[0]
    phone.locator(".floor-card").first.tap()
    sheet = phone.locator("dialog[open]")
    follow(sheet.get_by_role("button", name=f"Call M{first.number} "))
    expect(phone.locator(".floor-card").first).to_contain_text("Called")
    phone.locator(".floor-card").first.tap()
    follow(sheet.get_by_role("button", name="Start", exact=True))
    expect(phone.locator(".floor-card").first).not_to_contain_text("Called")
    phone.locator(".floor-card").first.tap()
    expect(sheet.locator(".save:visible")).to_be_visible()
    looked_at(phone)
    picture(phone, "helper-sheet-390")
    sheet.locator("[name=winner]").first.tap()
    sheet.get_by_role("radio", name="2", exact=True).tap()
    sheet.locator(".save:visible").tap()
    expect(phone.locator(".floor-card").first).to_contain_text("Free")

    desk.goto(f"{home}helpers/")
    expect(desk.locator("ul.rows")).to_contain_text("Dave")
    picture(desk, "helpers-1280")
    desk.set_viewport_size({"width": PHONE, "height": 844})
    looked_at(desk)
    picture(desk, "helpers-390")
    answer = phone.request.get(f"{home}cash/")
    assert answer.status == 403
