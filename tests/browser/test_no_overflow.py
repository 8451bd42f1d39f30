"""No public page of the demo club is wider than its window: on a phone, and with text at 200 %."""

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

from django.utils import timezone
from playwright.sync_api import Page

from tests.browser.conftest import DESK, HEIGHT, PHONE, OpenPage
from tournaments.demo import load

TABLET = 768
TEXT_SIZES = {PHONE: (100, 200), TABLET: (100, 200), DESK: (200,)}
"""The sizes of text in per cent, by the width of the window."""
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


def visit_pages(page: Page) -> Iterator[str]:
    """Open the pages that are reached from the home page, one of each kind, and yield the path of each."""
    opened, seen, waiting = 0, set(), ["/"]
    while waiting and opened < MOST_PAGES:
        path = waiting.pop(0)
        if kind(path) in seen or "." in path.rpartition("/")[2] or path.startswith(("/static/", "/api/")):
            continue
        seen.add(kind(path))
        response = page.goto(path)
        if response is not None and response.ok and "html" in response.headers["content-type"]:
            opened += 1
            waiting += links(page)
            yield path


def test_no_public_page_scrolls_sideways(open_page: OpenPage) -> None:
    load(password="crawford-1969", now=timezone.now())
    wide: dict[str, list[str]] = {}

    page = open_page("/", width=PHONE)
    visited = 0
    for path in visit_pages(page):
        visited += 1
        for width, percents in TEXT_SIZES.items():
            page.set_viewport_size({"width": width, "height": HEIGHT.get(width, HEIGHT[DESK])})
            for percent in percents:
                page.evaluate(f"document.documentElement.style.fontSize = '{percent}%'")
                if culprits := page.evaluate(WIDE):
                    wide[f"{path} at {width} px, text at {percent} %"] = culprits
        page.set_viewport_size({"width": PHONE, "height": HEIGHT[PHONE]})
    assert visited > 20
    assert not wide, json.dumps(wide, indent=1)
