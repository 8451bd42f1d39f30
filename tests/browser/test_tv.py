"""The big screen of an event follows a match that is being played."""

from collections.abc import Callable

from django.utils import timezone
from playwright.sync_api import expect

from engine.actions import Act
from matches.models import LiveMatch, Match
from matches.play.directing import Ruling, rule
from players.actors import Actor
from players.models import Player
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.display.wall.test_tv import division, play_here
from tests.event_cast import bob_player, by_alice, club, make_division, make_players, tournament
from tournaments.models import Division

__all__ = ["bob_player", "by_alice", "club", "division", "make_division", "make_players", "play_here", "tournament"]


def test_the_screen_shows_the_board_and_new_scores(
    site: str,
    division: Division,
    play_here: Callable[..., Match],
    by_alice: Actor,
    open_page: OpenPage,
    in_both_views: Check,
) -> None:
    Player.objects.update(name="Maximiliane Friederike von und zu Hohenlohe-Langenburg-Walde")
    match = play_here(1, (4, 3))
    play_here(2, (1, 0))
    event = division.tournament
    page = open_page(f"/events/{event.club.slug}/{event.slug}/tv/", width=PHONE)
    scores = page.locator("[data-score]")
    expect(scores).to_have_text(["3", "4"])
    expect(page.locator("#board.game-board")).to_be_visible()
    expect(page.locator(".tv-also")).to_contain_text("1–0")
    in_both_views(page)
    names = page.locator(".tv-line > .name")
    heights = [box["height"] for box in (name.bounding_box() for name in names.all()) if box is not None]
    assert len(heights) >= 4
    assert max(heights) == min(heights), "a long name is cut, not wrapped"
    ruling = Ruling(Act.END_GAME, LiveMatch.objects.get(pk=match.pk).last, side=0, value=2, reason="Agreed.")
    rule(match=match, ruling=ruling, by=by_alice, now=timezone.now())
    expect(scores).to_have_text(["3", "6"])
    expect(page.locator(".tv-box.is-followed")).to_contain_text("6")
