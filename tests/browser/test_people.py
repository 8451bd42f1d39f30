"""From an empty site to a club whose players have accounts, in a browser."""

import pytest
from playwright.sync_api import Browser, Page, expect

from players.actors import SYSTEM, Actor
from players.clubs.services import create_club
from players.joining.services import ask_to_join
from players.models import Player, User
from players.people.services import find_or_add_players, invite, remember_alias
from tests.browser.conftest import HEIGHT, PHONE, Check, OpenPage, follow
from tests.players.conftest import NOW

NAMES = "Søren Åberg\nJens Hansen\nMia Møller"


def sign_up(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Email address").fill(f"{name.split()[0].lower()}@example.org")
    page.get_by_label("Password").fill("crawford-1969")
    page.get_by_role("button", name="Create account").click()


@pytest.mark.slow
def test_from_signing_up_to_an_accepted_invitation(open_page: OpenPage, site: str, in_both_views: Check) -> None:
    def sound(page: Page) -> None:
        in_both_views(page)

    olga = open_page("/", width=PHONE)
    follow(olga.get_by_role("link", name="Sign up"))
    sound(olga)
    sign_up(olga, "Olga")
    expect(olga).to_have_url(f"{site}/clubs/")
    expect(olga.get_by_text("No clubs yet")).to_be_visible()
    sound(olga)
    olga.get_by_role("link", name="Create a club").click()
    olga.get_by_label("Name").fill("Copenhagen Backgammon")
    olga.get_by_label("Country").select_option(label="Denmark")
    olga.get_by_label("Currency of fees").fill("DKK")
    olga.get_by_label("Time zone").fill("copenhagen")
    sound(olga)
    follow(olga.get_by_role("button", name="Create a club"))
    olga.goto("/clubs/copenhagen-backgammon/members/")
    olga.get_by_label("Add a player").fill("Bob Murray")
    olga.get_by_role("button", name="Add", exact=True).click()
    expect(olga.get_by_text("Bob Murray is now a member.")).to_be_visible()
    olga.get_by_label("Paste a list").fill(NAMES)
    olga.get_by_role("button", name="Add all").click()
    expect(olga.get_by_text("3 players added.")).to_be_visible()
    sound(olga)
    follow(olga.get_by_role("link", name="Jens Hansen"))
    sound(olga)
    olga.get_by_role("button", name="Create invitation").click()
    expect(olga.get_by_role("img", name="QR code of the link")).to_be_visible()
    sound(olga)
    link = olga.get_by_role("textbox", name="Link").input_value()
    assert link.startswith(f"{site}/invitations/")

    jens = open_page(link.removeprefix(site), width=PHONE)
    expect(jens.get_by_role("heading", name="Are you Jens Hansen?")).to_be_visible()
    sound(jens)
    sign_up(jens, "Jens Hansen")
    expect(jens.get_by_text("You are now a member of Copenhagen Backgammon.")).to_be_visible()
    sound(jens)
    assert Player.objects.get(name="Jens Hansen").user == User.objects.get(email="jens@example.org")


@pytest.mark.slow
def test_pages_with_long_names_are_accessible_and_fit(open_page: OpenPage, in_both_views: Check, bob: User) -> None:
    long = "W" * 80
    User.objects.filter(pk=bob.pk).update(display_name=long)
    bob.refresh_from_db()
    club = create_club(name=long, city=long, about=long * 3, by=Actor.of(bob), slug="long")
    [match] = find_or_add_players(club=club, names=["M" * 80], by=SYSTEM)
    assert match.player is not None
    find_or_add_players(club=club, names=["Mia", "Jens"], by=SYSTEM)
    remember_alias(player=match.player, name="x" * 200, by=SYSTEM)
    invite(membership=match.player.memberships.get(), by=SYSTEM, now=NOW, link=str, email=f"{'e' * 60}@example.org")
    here = "/clubs/long/"
    member = f"{here}members/{match.player.public_id}/"
    [match] = find_or_add_players(club=club, names=["N" * 80], by=SYSTEM)
    assert match.player is not None
    newcomer = User.objects.create_user("newcomer@example.org", display_name="V" * 80)
    asking = {"user": newcomer, "claimed": match.player.public_id, "by": Actor.of(newcomer), "now": NOW}
    page = open_page("/", width=PHONE, user=newcomer)

    def sound(path: str) -> None:
        page.goto(path)
        in_both_views(page)

    sound(here)
    sound(f"{here}join/?q={'N' * 80}")
    ask_to_join(club=club, **asking)
    sound(f"{here}join/")
    page = open_page("/", width=PHONE, user=bob)
    for path in (
        "/clubs/", here, f"{here}edit/", f"{here}members/", f"{here}join-requests/", member,
        "/preferences/", "/preferences/delete/",
    ):  # fmt: skip
        sound(path)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_sign_in_pages_are_accessible_and_fit(open_page: OpenPage, axe: Check, fits: Check, scheme: str) -> None:
    page = open_page("/sign-in/", width=PHONE, scheme=scheme)
    for path in ("/sign-in/", "/password/forgotten/", "/password/sent/", "/password/choose/MQ/x/"):
        page.goto(path)
        fits(page)
        axe(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_form_with_errors_is_accessible(browser: Browser, site: str, axe: Check, fits: Check, scheme: str) -> None:
    # Not by open_page, since a browser logs a page with status 422 as an error.
    viewport = {"width": PHONE, "height": HEIGHT[PHONE]}
    page = browser.new_context(base_url=site, viewport=viewport, color_scheme=scheme).new_page()
    page.goto("/sign-up/")
    page.get_by_label("Your name").fill("Bob")
    page.get_by_label("Email address").fill("nowhere")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_text("Enter a valid email address.")).to_be_visible()
    expect(page.get_by_label("Email address")).to_have_attribute("aria-invalid", "true")
    fits(page)
    axe(page)


def test_the_list_follows_the_search_while_typing(open_page: OpenPage, alice: User) -> None:
    club = create_club(name="Copenhagen", by=Actor.of(alice))
    find_or_add_players(club=club, names=NAMES.splitlines(), by=SYSTEM)
    page = open_page("/clubs/copenhagen/")
    page.get_by_label("Find a player").press_sequentially("soren")
    expect(page.get_by_text("Jens Hansen")).to_be_hidden()
    expect(page.get_by_text("Søren Åberg")).to_be_visible()


def test_the_account_menu_opens_by_keyboard(open_page: OpenPage, bob: User, axe: Check) -> None:
    page = open_page("/", width=PHONE, user=bob)
    page.locator("summary", has_text="Bob").press("Enter")
    expect(page.get_by_role("link", name="Preferences")).to_be_in_viewport()
    axe(page)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
