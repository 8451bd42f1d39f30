"""Standings and pairings in a browser: on a desktop and a phone, light and dark, by keyboard and on paper."""

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import PHONE, Check, OpenPage, follow, view
from tests.event_cast import bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
from tournaments.models import Division

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]

A4 = 718
"""CSS pixels between margins of one centimetre."""


@pytest.fixture
def division_url(
    site: str,
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    bob_player: Player,
    by_alice: Actor,
) -> Callable[..., str]:
    """The URL of a half-played division with Bob in it."""

    def make(name: str, count: int = 9, most: int = 9) -> str:
        players = [bob_player, *make_players(count - 1)]
        longest = "Maximiliana Konstantinopoulou-Wendelstein"
        Player.objects.filter(pk=players[1].pk).update(name=longest)
        division = drawn_as(make_division(name="Open", match_length=7), STAGES[name], players, by_alice)
        play(division, by_alice, random.Random(3), most=most)
        event = division.tournament
        return f"/events/{event.club.slug}/{event.slug}/{division.public_id}"

    return make


@pytest.mark.parametrize("name", ["swiss", "round robin", "groups", "lives", "progressive"])
def test_both_pages_are_accessible_and_fit(
    name: str,
    division_url: Callable[..., str],
    open_page: OpenPage,
    bob: User,
    in_both_views: Check,
) -> None:
    address = division_url(name)
    page = open_page(f"{address}/pairings/", width=PHONE, user=bob)
    in_both_views(page)
    page.goto(f"{address}/standings/")
    in_both_views(page)
    if name == "lives":
        # The reader's own row, as it looks once they are out.
        expect(page.locator("tr.here")).to_have_count(1)
        page.evaluate("document.querySelector('tr.here').classList.add('is-out')")
        in_both_views(page)


def test_an_explanation_opens_by_keyboard_and_only_one_at_a_time(
    division_url: Callable[..., str], open_page: OpenPage, bob: User, axe: Check
) -> None:
    page = open_page(f"{division_url('swiss')}/standings/", user=bob)
    summaries = page.locator(".why summary")
    assert summaries.count() == 9
    for at in (0, 1):
        summaries.nth(at).focus()
        page.keyboard.press("Enter")
        assert page.locator(".why details[open] .reasons").count() == 1
        assert "Points: " in page.locator(".why details[open] .reasons").inner_text()
    axe(page)


def test_a_card_shows_figures_below_the_name_and_rounds_in_a_row(
    division_url: Callable[..., str], open_page: OpenPage, bob: User
) -> None:
    page = open_page(f"{division_url('swiss', 9, 20)}/standings/", user=bob)
    for width in (PHONE, 768):
        view(page, width, "light")
        figures_are_below_names(page)


def figures_are_below_names(page: Page) -> None:
    lines = page.locator(".standing tbody tr").all()
    assert len(lines) == 9
    figures = 0
    for line in lines:
        name = line.locator(".who").bounding_box()
        assert name is not None
        boxes = [round_label.bounding_box() for round_label in line.locator(".count, .figure, .spent").all()]
        shown = [box for box in boxes if box is not None and box["width"]]
        figures += len(shown)
        assert all(box["x"] >= name["x"] - 1 for box in shown)
        assert all(box["y"] > name["y"] for box in shown)
        tops = {
            box["y"]
            for round_label in line.locator(".rounds .cell").all()
            if (box := round_label.bounding_box()) is not None
        }
        assert len(tops) == 1
    assert figures > 4 * len(lines)


def test_bob_jumps_to_his_own_row(division_url: Callable[..., str], open_page: OpenPage, bob: User) -> None:
    page = open_page(f"{division_url('round robin', 12)}/standings/", width=PHONE, user=bob)
    page.get_by_role("link", name="Jump to me").click()
    expect(page.locator("tr.here").first).to_be_visible()
    top = "document.querySelector('tr.here').getBoundingClientRect().y"
    page.wait_for_function(f"() => (y => 0 <= y && y < innerHeight)({top})")


def test_a_phone_shows_matches_as_a_list_and_a_desktop_as_a_cross_table(
    division_url: Callable[..., str], open_page: OpenPage
) -> None:
    address = division_url("round robin")
    desk, phone = open_page(f"{address}/standings/"), open_page(f"{address}/standings/", width=PHONE)
    assert desk.locator(".cross").is_visible()
    assert not desk.locator(".rounds").first.is_visible()
    assert not phone.locator(".cross").is_visible()
    assert phone.locator(".rounds").first.is_visible()


def test_a_round_is_chosen_without_scripts(division_url: Callable[..., str], open_page: OpenPage) -> None:
    page = open_page(f"{division_url('swiss')}/standings/")
    follow(page.get_by_role("navigation", name="After round").get_by_role("link", name="after round 1"))
    assert "round=1" in page.url
    assert "after round 1" in page.locator(".standing-card h3").inner_text()


@pytest.mark.parametrize(("name", "count"), [("swiss", 9), ("round robin", 16)])
def test_paper_has_the_table_and_no_links_to_click(
    name: str, count: int, division_url: Callable[..., str], open_page: OpenPage, fits: Check
) -> None:
    address = division_url(name, count, 40)
    for path in ("standings/", "pairings/"):
        page = open_page(f"{address}/{path}", width=A4)
        page.emulate_media(media="print")
        fits(page)
        for gone in (".division-tabs", ".round-picker", ".site-header", "summary >> text=Why", "text=Save as"):
            assert page.locator(gone).first.is_hidden()
        assert page.pdf(format="A4").startswith(b"%PDF")
    assert page.locator(".name-index li").count() >= count - 1 or name == "round robin"
