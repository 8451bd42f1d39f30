"""The home of an event in a browser: a live board beside what is played at tables, with names of any length."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from matches.models import Match
from players.models import Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage
from tests.display.wall.test_tv import division, play_here
from tests.event_cast import bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.drawn_divisions import DivisionBuilder, page_of
from tournaments.models import Division

__all__ = ["bob_player", "by_alice", "club", "division", "make_division", "make_players", "play_here", "tournament"]

LONG, HEBREW = "Maximiliane Friederike von und zu Hohenlohe-Langenburg-Walde", "יעל לוי"


def event_of(division: Division) -> str:
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/"


def test_a_live_board_leads_to_its_match(
    site: str,
    division: Division,
    play_here: Callable[..., Match],
    open_page: OpenPage,
    in_both_views: Check,
) -> None:
    for player, name in zip(Player.objects.order_by("pk"), (LONG, HEBREW) * 20, strict=False):
        Player.objects.filter(pk=player.pk).update(name=name)
    match = play_here(1, (4, 3))
    play_here(2, (1, 0), 10)
    page = open_page(event_of(division), width=PHONE)
    featured = page.locator(".featured")
    expect(featured.locator("svg.board")).to_be_visible()
    expect(featured.locator(".featured-side strong")).to_have_text(["4", "3"])
    expect(featured.get_by_role("link", name="Watch")).to_have_attribute("href", f"/matches/{match.public_id}/play/")
    expect(page.locator(".played-now")).to_contain_text("10 min behind")
    expect(page.locator(".played-now strong")).to_have_text(["0", "0"])
    in_both_views(page)


def test_a_delayed_match_has_no_board(
    site: str, division: Division, play_here: Callable[..., Match], open_page: OpenPage, alice: User
) -> None:
    play_here(1, (4, 3), 10)
    for user in (None, alice):
        page = open_page(event_of(division), user=user)
        expect(page.get_by_role("heading", name="Live now")).to_be_visible()
        expect(page.locator(".featured")).to_have_count(0)


@pytest.mark.parametrize("script", [True, False])
def test_a_phone_opens_the_bracket_at_the_round_that_is_played(
    site: str,
    by_alice: object,
    division: Division,
    open_page: OpenPage,
    script: bool,
    expected_errors: list[re.Pattern[str]],
) -> None:
    builder = DivisionBuilder(lambda **_: division, lambda _count: [], by_alice)  # type: ignore[arg-type]
    builder.play(division, most=2)
    page = open_page(event_of(division), width=PHONE, touch=True)
    if not script:
        expected_errors.append(re.compile("ERR_FAILED"))
        page.route("**/bracket*.js", lambda route: route.abort())
    page.get_by_role("link", name="Bracket").tap()
    page.wait_for_url(f"**{page_of(division)}#now")
    expect(page.locator("#now")).to_be_in_viewport()
    page.wait_for_function(
        "() => (x => 0 <= x && x < innerWidth / 4)(document.getElementById('now')?.getBoundingClientRect().x)"
    )
    desk = open_page(f"{page_of(division)}#now", width=DESK)
    assert desk.evaluate("scrollY") == 0
