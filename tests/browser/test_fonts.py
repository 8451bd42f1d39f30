"""What is printed, the wall and the TV have the site's typeface; all other pages have the fonts of the system."""

from collections.abc import Callable

from playwright.sync_api import Page

from display.paper.drawing import text_width
from formats.settings import StageSettings
from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import NAMES, Check, OpenPage
from tests.browser.test_paper import NAMES as PRINTED_NAMES
from tests.browser.test_paper import TYPEFACE
from tests.event_cast import by_alice, club, make_division, tournament
from tests.tournaments.support.played_stages import drawn_as
from tournaments.models import Division

__all__ = ["by_alice", "club", "make_division", "tournament"]

SITES = "Inter"


def fonts_of(page: Page, selector: str) -> set[str]:
    """Return the families in which the text of an element is set, as the browser has chosen them."""
    page.evaluate(TYPEFACE)
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    return {font["familyName"] for font in session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]}


def test_paper_and_screens_bring_their_typeface_and_other_pages_load_none(
    make_division: Callable[..., Division],
    by_alice: Actor,
    alice: User,
    open_page: OpenPage,
    fits: Check,
    font_family: str,
) -> None:
    division = make_division(name="Open", match_length=7)
    drawn_as(
        division, [StageSettings("progressive")], [Player.objects.create(name=f"Bob {n}") for n in range(8)], by_alice
    )
    event = division.tournament
    base = f"/events/{event.club.slug}/{event.slug}"
    page = open_page("/", user=alice)
    loaded: list[str] = []
    page.on("response", lambda answer: loaded.append(answer.url) if answer.request.resource_type == "font" else None)
    for path in ("/", "/events/", f"{base}/", f"{base}/paper/", f"{base}/console/"):
        page.goto(path)
        fits(page)
        assert fonts_of(page, "h1") == {font_family}, path
    assert loaded == []
    for path, text in (
        ("paper/draws", "h2"), ("paper/score-sheets", ".score-sheet-where"), ("paper/entries", ".is-name"),
        ("check-in/poster", "h2"), ("wall", "h1"), ("tv", "h1"),
    ):  # fmt: skip
        page.goto(f"{base}/{path}/")
        assert fonts_of(page, f".sheet-of-paper {text}" if text != "h1" else text) == {SITES}, path
    assert {url.rpartition("/")[2] for url in loaded} <= {"inter-latin.woff2", "inter-signs.woff2"}


MEASURED = """texts => {
    const context = document.createElement('canvas').getContext('2d');
    return document.fonts.load('700 100px Inter', texts.join('')).then(() => {
        context.font = '700 100px Inter';
        return texts.map((text) => context.measureText(text).width / 100);
    });
}"""
TEXTS = ["loser → M116", "✓ 7–4", "Winner of M12 · 15 pt", "Łódź Žižek Đoković", "Юлия Щукина", *NAMES, *PRINTED_NAMES]
FIRST_IDEOGRAPH = "\u2e80"
PRECISION = 0.06
"""A share: letters that stand side by side are set closer or wider than alone."""


def test_texts_of_brackets_are_as_wide_as_the_server_computes(open_page: OpenPage, alice: User, club: object) -> None:
    page = open_page("/clubs/harbour/poster/", user=alice)
    texts = [text for text in TEXTS if max(text) < FIRST_IDEOGRAPH]
    widths = page.evaluate(MEASURED, texts)
    wrong = [
        (text, wide, text_width(text, 1))
        for text, wide in zip(texts, widths, strict=True)
        if not wide * (1 - PRECISION) <= text_width(text, 1) <= wide * (1 + PRECISION)
    ]
    assert wrong == []
