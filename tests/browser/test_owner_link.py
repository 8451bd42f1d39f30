"""The owner of an installation opens their link on a phone and at a desk."""

import os
import re
from pathlib import Path

from django.utils import timezone
from playwright.sync_api import Page, expect

from demo import owner
from players.models import Club, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow

PICTURES = os.environ.get("OWNER_PICTURES")
"""A folder for pictures of the pages."""


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def test_the_owner_looks_around_the_demo_on_a_phone(
    club: Club, open_page: OpenPage, looked_at: Check, expected_errors: list[re.Pattern[str]]
) -> None:
    link = owner.renew(now=timezone.now())
    phone = open_page(link, width=PHONE, scheme="dark", touch=True)
    looked_at(phone)
    picture(phone, "choice-390-dark")
    follow(phone.get_by_role("button", name="Look around the demo"))
    expect(phone.get_by_text("You are now signed in as Alice.")).to_be_visible()
    expected_errors.append(re.compile("410"))
    phone.goto(link)
    expect(phone.get_by_text("For a new one, restart Barpoint")).to_be_visible()
    looked_at(phone)
    picture(phone, "used-390-dark")


def test_the_owner_starts_with_their_club(
    club: Club, open_page: OpenPage, in_both_views: Check, expected_errors: list[re.Pattern[str]]
) -> None:
    page = open_page(owner.renew(now=timezone.now()), width=PHONE)
    picture(page, "choice")
    follow(page.get_by_role("link", name="Start with my club"))
    in_both_views(page)
    picture(page, "own-club")
    page.get_by_label("Your name").fill("Grete Holm")
    page.get_by_label("Email address").fill("grete@example.com")
    page.get_by_label("Password").fill("crawford-1969")
    expected_errors.append(re.compile("422"))
    follow(page.get_by_role("button", name="Remove the demo and start"))
    expect(page.get_by_text("Tick the box to confirm.")).to_be_visible()
    in_both_views(page)
    picture(page, "no-tick")
    page.get_by_label("Remove the demo for good").check()
    page.get_by_label("Password").fill("crawford-1969")
    follow(page.get_by_role("button", name="Remove the demo and start"))
    expect(page).to_have_url(re.compile("/clubs/new/$"))
    assert [user.display_name for user in User.objects.all()] == ["Grete Holm"]


def test_without_the_demo_the_owner_signs_up_at_once(site: str, open_page: OpenPage, looked_at: Check) -> None:
    page = open_page(owner.renew(now=timezone.now()), width=DESK)
    looked_at(page)
    picture(page, "without-demo-1280-light")
    expect(page.get_by_role("button", name="Create account")).to_be_visible()
