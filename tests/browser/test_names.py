"""Names in right-to-left scripts, and long ones, keep their own direction; a name that is cut is cut at its end."""

from itertools import cycle

from playwright.sync_api import Page, expect

from matches.lifecycle import links
from players.models import Club, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.browser.result_form import choose_result
from tests.browser.test_floor import evening
from tests.browser.test_seasons import autumn, nights
from tests.clubhouse.test_home import live_match
from tests.tournaments.support.drawn_divisions import page_of
from tournaments.models import Division, Fixture, Tournament

__all__ = ["evening"]

ARABIC = "ليلى بنت عبد الرحمن السيد المنصوري"
HEBREW = "יעל בן־שלמה ממשפחת רוזנבלום־הלוי"
LONG = "Wolfeschlegelstein-" * 2 + "Jr"
NAMES = (ARABIC, HEBREW, LONG)
WRONG = """(names) => [...document.body.querySelectorAll("*")].flatMap((element) => {
  const text = element.textContent.trim();
  if (!names.includes(text) || !element.checkVisibility() || element.closest("title, option, svg")) return [];
  const way = /[\\u0590-\\u08ff]/.test(text) ? "rtl" : "ltr";
  const style = getComputedStyle(element);
  const [faults, html] = [[], element.outerHTML];
  if (style.textOverflow === "ellipsis" && style.direction !== way) faults.push(`cut at the wrong end: ${html}`);
  const inside = [...element.querySelectorAll("*")].some((part) => part.textContent.trim() === text);
  if (way === "rtl" && !inside) {
    let at = element;
    while (at.parentElement.textContent.trim() === text && getComputedStyle(at).unicodeBidi === "normal") {
      at = at.parentElement;
    }
    const { unicodeBidi, direction } = getComputedStyle(at);
    if (unicodeBidi !== "plaintext" && direction !== way) faults.push(`not on its own: ${html}`);
  }
  return faults;
})"""
"""Return what is wrong with the names on a page, wherever one stands alone."""


def rename() -> None:
    """Give all players such names."""
    for player, name in zip(Player.objects.filter(user=None).order_by("pk"), cycle(NAMES), strict=False):
        player.name = name
        player.save()


def checked(page: Page, fits: Check, least: int) -> None:
    """Look at the names on a page."""
    fits(page)
    assert page.evaluate(WRONG, NAMES) == []
    shown = page.locator("body").inner_text()
    assert sum(name in shown for name in NAMES) >= least, page.url


def test_names_on_floor_bracket_and_wall(evening: Tournament, alice: User, open_page: OpenPage, fits: Check) -> None:
    rename()
    # The wall has room for whole names in the call alone, whomever the draw brings together there.
    called = Fixture.objects.get(floor_events__table__label="4").match
    assert called is not None
    for player, name in zip(called.players, NAMES, strict=False):
        player.name = name
        player.save()
    home = f"/events/harbour/{evening.slug}/"
    for path, least in (
        (f"{home}floor/", 3), (page_of(Division.objects.get()), 3), (home, 3), (f"{home}wall/", 2),
        (f"{home}wall/?screen=bracket", 2),
    ):  # fmt: skip
        checked(open_page(path, width=PHONE, user=alice), fits, least)


def test_names_on_a_board_and_in_a_sentence_of_a_script(evening: Tournament, open_page: OpenPage, fits: Check) -> None:
    match = live_match(ARABIC, HEBREW)
    page = open_page(f"/matches/{match.public_id}/play/", width=PHONE)
    expect(page.locator(".play-seat").first).to_be_visible()
    checked(page, fits, 2)
    rename()
    fixture = Fixture.objects.get(floor_events__table__label="4")
    assert fixture.match is not None
    report = open_page(f"/m/{links.token_for(fixture.match, None)}/", width=PHONE)
    name = fixture.match.player_0
    name.name = HEBREW
    name.save()
    report.reload()
    choose_result(report, HEBREW, 4)
    expect(report.get_by_role("button", name="wins 7–4")).to_have_text(f"\u2068{HEBREW}\u2069 wins 7–4")
    checked(report, fits, 1)


def test_names_in_a_season(club: Club, open_page: OpenPage, fits: Check) -> None:
    nights(2, [Player.objects.create(name=name) for name in (*NAMES, "Bo")])
    season = autumn(club)
    checked(open_page(f"/clubs/{club.slug}/seasons/{season.slug}/", width=PHONE), fits, 3)
