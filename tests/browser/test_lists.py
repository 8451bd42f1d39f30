"""Checking a list before anybody is entered or becomes a member, in a browser."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage, view
from tests.browser.test_draws import address, picture
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.events import services as events

LIST = (
    "Name;Vorname;Verein;Elo\nKowalski;Ana;BC Hafen;1512\nNovák;Jan;Backgammonfreunde am Fischereihafen e. V.;\n"
    ";Cyd;BC Hafen;1498\nNovak;Jan;BC Lund;\nBerg;Ann;;1620\n1500;;;\nElinsdóttir-Fernández-Wolfeschlegel;Maria;;\n"
)
"""A near namesake of a member, two rows that nobody understands, and the same person twice."""


@pytest.fixture
def anna(club: Club) -> Player:
    player = Player.objects.create(name="Anna Kowalski")
    Membership.objects.create(club=club, player=player)
    return player


@pytest.fixture
def driver(club: Club, alice: User) -> DivisionDriver:
    """A division without entries."""
    by, now = Actor.of(alice), timezone.now()
    event = events.create_tournament(club=club, by=by, now=now, name="Harbour Weekend", starts_at=now)
    return DivisionDriver(events.create_division(tournament=event, by=by, now=now, name="Open"), by, now)


def checked(page: Page, button: str) -> None:
    page.get_by_label("Paste a list", exact=True).fill(LIST)
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("heading", name="not understood")).to_be_visible()
    expect(page.get_by_text("line 4", exact=True)).to_be_visible()


@pytest.mark.usefixtures("anna")
def test_a_list_of_players_is_checked(
    open_page: OpenPage, looked_at: Check, in_both_views: Check, driver: DivisionDriver, alice: User
) -> None:
    page = open_page(f"{address(driver)}entries/", width=PHONE, user=alice)
    checked(page, "Check the names")
    in_both_views(page)
    view(page, 320, "light")
    looked_at(page)
    picture(page, "list-of-entries")
    page.get_by_label("Who is Ana Kowalski?").select_option(label="a new player")
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_text("4 players entered.")).to_be_visible()


def test_a_list_of_members_is_checked(
    open_page: OpenPage, in_both_views: Check, anna: Player, club: Club, alice: User
) -> None:
    page = open_page(f"/clubs/{club.slug}/members/", width=PHONE, user=alice)
    checked(page, "Add all")
    in_both_views(page)
    picture(page, "list-of-members")
    page.get_by_label("Who is Ana Kowalski?").select_option(anna.public_id)
    page.get_by_role("button", name="Add all").click()
    expect(page.get_by_text("3 players added. 1 was already a member.")).to_be_visible()
