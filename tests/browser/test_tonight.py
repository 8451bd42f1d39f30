"""Tonight in one screen, in a browser: each change proposes anew."""

import pytest
from playwright.sync_api import expect

from players.models import Club, Membership, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tournaments.models import Tournament


@pytest.fixture
def people(club: Club) -> list[Player]:
    """Twelve members of the club."""
    rows = [Player.objects.create(name=f"Member {number}") for number in range(1, 13)]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in rows)
    return rows


@pytest.mark.usefixtures("people")
def test_names_and_figures_change_the_proposal(
    open_page: OpenPage, club: Club, alice: User, in_both_views: Check
) -> None:
    page = open_page(f"/clubs/{club.slug}/tonight/", width=PHONE, user=alice)
    # Names may be typed, and then it starts.
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()
    in_both_views(page)
    for number in range(1, 7):
        page.get_by_label(f"Member {number}", exact=True).check()
    start = page.get_by_role("button", name="Start with 6 players")
    expect(start).to_be_enabled()
    expect(page.get_by_label("Players", exact=True)).to_have_value("6")
    page.get_by_label("Closes at", exact=True).fill("23:50")
    page.get_by_role("button", name="Closes at: more").click()
    expect(page.get_by_label("Closes at", exact=True)).to_have_value("00:00")
    page.get_by_role("button", name="Tables: more").click()
    page.get_by_text("Swiss").or_(page.get_by_text("Knockout", exact=True)).first.click()
    expect(page.locator(".offer:has(input:checked)")).to_have_count(1)
    in_both_views(page)
    assert not Tournament.objects.exists()
