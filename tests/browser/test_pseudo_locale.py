"""With text at 200 %, 40 % longer or from right to left, nothing scrolls sideways; nothing longer is cut off."""

import itertools
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from core.languages import OFFERED
from demo.club import load
from players.models import Club, User
from tests.browser.conftest import DESK, HEIGHT, PHONE, Check, OpenPage

TABLET = 768
TEXT_SIZES = {PHONE: (100, 200), TABLET: (100, 200), DESK: (200,)}
"""The sizes of text in per cent, by the width of the window."""
MAX_PAGES = 120
ONE_OF_EACH = ("/players/", "/matches/", "/check/")
"""Of the pages below these paths only one of each kind is visited."""
FOR_EVERYBODY = re.compile(r"/(?:wall|tv|embed/\w+|paper/\w+)/$")
"""Pages in the language of the event, which is not the reader's."""
WIDE = """() => {
    const most = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= most) return []
    const scrolls = (element) => element && element !== document.documentElement &&
        (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement))
    const wide = [...document.querySelectorAll("body *")]
        .filter((element) => {
            const {left, right} = element.getBoundingClientRect()
            return (right > most + 1 || left < -1) && !scrolls(element.parentElement)
        })
        .map((element) => `${element.tagName}.${element.className.baseVal ?? element.className}`)
        .slice(0, 5)
    return wide.length ? wide : [`${document.documentElement.scrollWidth} px`]
}"""
"""Return the elements that stick out of the window, except inside boxes that scroll."""
BOARDS = "[...document.querySelectorAll('.game-board, svg')].map((board) => getComputedStyle(board).direction)"
CLIPPED = """() => [...document.querySelectorAll("body *")]
    .filter((element) => {
        const style = getComputedStyle(element)
        const hidden = style.clipPath !== "none" || style.clip !== "auto" || element.clientWidth <= 1
        const cuts = ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis"
        const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
        return text && cuts && !hidden && element.scrollWidth > element.clientWidth + 1
    })
    .map((element) => `${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 60)}`)
    .slice(0, 5)"""
"""Elements that cut their text off without saying so by an ellipsis."""


def kind(path: str) -> str:
    """Return the kind of a page: its path without the ids in it."""
    parts = [part for part in path.split("/") if part]
    return "/".join("*" if len(part) == 10 and part.isalnum() else part for part in parts)


def links(page: Page) -> list[str]:
    hrefs: list[str] = page.evaluate(
        "[...document.querySelectorAll('a[href]')].map((a) => a.href).filter((at) => at.startsWith(location.origin))"
    )
    return [urlsplit(link).path for link in hrefs]


def visit_pages(page: Page, seen: set[str]) -> Iterator[str]:
    """Open the pages that are reached from the home page, one of each kind, and yield the path of each.

    `seen` has the kinds that are left out, and gets those that were opened.
    """
    opened, waiting = 0, ["/"]
    while waiting and opened < MAX_PAGES:
        path = waiting.pop(0)
        if kind(path) in seen or "." in path.rpartition("/")[2] or path.startswith(("/static/", "/api/")):
            continue
        seen.add(kind(path))
        response = page.goto(path)
        if response is not None and response.ok and "html" in response.headers["content-type"]:
            opened += 1
            waiting += links(page)
            yield path


@pytest.mark.slow
def test_pages_fit_with_larger_and_with_longer_texts(
    open_page: OpenPage, in_both_views: Check, pseudo_locale: str, subtests: pytest.Subtests
) -> None:
    load(password="crawford-1969", now=timezone.now())
    page = open_page("/", width=PHONE)
    expect(page.get_by_role("link", name="Winter Knockout")).to_be_visible()
    in_both_views(page)
    visited = 0
    for path in visit_pages(page, set()):
        visited += 1
        for width, percents in TEXT_SIZES.items():
            page.set_viewport_size({"width": width, "height": HEIGHT.get(width, HEIGHT[DESK])})
            for percent in percents:
                page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
                with subtests.test(path, width=width, percent=percent):
                    assert page.evaluate(WIDE) == []
        page.set_viewport_size({"width": PHONE, "height": HEIGHT[PHONE]})
    assert visited > 20

    # So that wall and paper are in it, too.
    Club.objects.update(language=pseudo_locale)
    # Whoever is not signed in sees other pages besides, and another front page.
    seen: set[str] = set()
    for user, least in ((User.objects.get(email="alice@example.org"), 20), (None, 2)):
        page = open_page("/", width=PHONE, user=user)
        page.set_extra_http_headers({"Accept-Language": pseudo_locale})
        visited = 0
        for path in visit_pages(page, seen):
            visited += 1
            assert page.get_attribute("html", "lang") == pseudo_locale
            with subtests.test(path, user=str(user)):
                assert [*page.evaluate(WIDE), *page.evaluate(CLIPPED)] == []
        assert visited > least
        seen.discard(kind("/"))


def test_pages_fit_from_right_to_left(open_page: OpenPage, right_to_left: str, subtests: pytest.Subtests) -> None:
    load(password="crawford-1969", now=timezone.now())
    Club.objects.update(language=right_to_left)
    seen: set[str] = set()
    for user, least in ((User.objects.get(email="alice@example.org"), 20), (None, 2)):
        page = open_page("/", width=PHONE, user=user)
        page.set_extra_http_headers({"Accept-Language": right_to_left})
        visited = 0
        for path in visit_pages(page, seen):
            visited += 1
            assert page.get_attribute("html", "dir") == "rtl"
            with subtests.test(path, user=str(user)):
                assert page.evaluate(WIDE) == []
                boards = page.evaluate(BOARDS)
                assert set(boards) <= {"ltr"}, "the board is the same in every language"
        assert visited > least
        seen.discard(kind("/"))


@pytest.mark.parametrize("language", sorted(set(OFFERED) - {"en"}))
def test_pages_fit_in_each_language(
    language: str, open_page: OpenPage, axe_lang: Check, subtests: pytest.Subtests
) -> None:
    load(password="crawford-1969", now=timezone.now())
    for email, most in (("alice@example.org", 30), ("bob@example.org", 20), ("", 10)):
        user = User.objects.get(email=email) if email else None
        page = open_page("/", width=PHONE, user=user)
        page.set_extra_http_headers({"Accept-Language": f"{language}-AT, en;q=0.5"})
        visited = 0
        for path in itertools.islice(visit_pages(page, set()), most):
            visited += 1
            with subtests.test(path, user=email):
                if FOR_EVERYBODY.search(path) is None:
                    assert page.get_attribute("html", "lang") == language
                axe_lang(page)
                for width in (PHONE, DESK):
                    page.set_viewport_size({"width": width, "height": HEIGHT[width]})
                    assert [*page.evaluate(WIDE), *page.evaluate(CLIPPED)] == [], width
        assert visited > most / 2
