"""No public page of the demo club is wider than its window: on a phone, and with text at 200 %."""

import json
from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from tests.browser.conftest import PHONE, OpenPage
from tournaments.demo import load

TABLET, DESK = 768, 1280
MOST_PAGES = 120
ONE_OF_EACH = ("/players/", "/matches/", "/check/")
"""Of the pages below these paths only one of each kind is visited."""
WIDE = """() => {
    const most = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= most) return []
    const scrolls = (element) => element && element !== document.documentElement &&
        (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement))
    const wide = [...document.querySelectorAll("body *")]
        .filter((element) => element.getBoundingClientRect().right > most + 1 && !scrolls(element.parentElement))
        .map((element) => `${element.tagName}.${element.className.baseVal ?? element.className}`)
        .slice(0, 5)
    return wide.length ? wide : [`${document.documentElement.scrollWidth} px`]
}"""
"""Return the elements that stick out of the window, except inside boxes that scroll."""


def kind(path: str) -> str:
    """Return the kind of a page: its path without the ids in it."""
    parts = [part for part in path.split("/") if part]
    return "/".join("*" if len(part) == 10 and part.isalnum() else part for part in parts)


def links(page: Page) -> list[str]:
    hrefs: list[str] = page.evaluate(
        "[...document.querySelectorAll('a[href]')].map((a) => a.href).filter((at) => at.startsWith(location.origin))"
    )
    return [urlsplit(link).path for link in hrefs]


def public_pages(page: Page) -> list[str]:
    """Return the paths that an anonymous visitor reaches from the home page, one of each kind."""
    paths, seen, waiting = [], set(), ["/"]
    while waiting and len(paths) < MOST_PAGES:
        path = waiting.pop(0)
        if kind(path) in seen or "." in path.rpartition("/")[2] or path.startswith(("/static/", "/api/")):
            continue
        seen.add(kind(path))
        response = page.goto(path)
        if response is not None and response.ok and "html" in response.headers["content-type"]:
            paths.append(path)
            waiting += links(page)
    return paths


@pytest.mark.parametrize(("width", "text"), [(PHONE, 100), (PHONE, 200), (TABLET, 100), (TABLET, 200), (DESK, 200)])
def test_no_public_page_scrolls_sideways(open_page: OpenPage, width: int, text: int) -> None:
    load(password="crawford-1969", now=timezone.now())
    page = open_page("/", width=width)
    paths = public_pages(page)
    assert len(paths) > 20, paths
    wide: dict[str, list[str]] = {}
    for path in paths:
        page.goto(path)
        if text != 100:
            page.evaluate(f"document.documentElement.style.fontSize = '{text}%'")
        if culprits := page.evaluate(WIDE):
            wide[path] = culprits
    assert not wide, json.dumps(wide, indent=1)
