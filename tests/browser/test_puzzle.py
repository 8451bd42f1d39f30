"""The puzzle of the day in a browser: nothing to object to in either view, before and after the answer."""

from django.urls import reverse
from playwright.sync_api import expect

from players.models import Club
from tests.browser.conftest import PHONE, Check, OpenPage, follow


def test_a_puzzle_in_both_views(open_page: OpenPage, in_both_views: Check, club: Club) -> None:
    page = open_page(reverse("club-puzzle", args=[club.slug]), width=PHONE, touch=True)
    in_both_views(page)
    page.get_by_role("radio").first.check()
    follow(page.get_by_role("button", name="Check"))
    expect(page.get_by_text("There is a new one tomorrow.")).to_be_visible()
    in_both_views(page)
