"""Pages on a phone with texts 40 % longer: nothing is cut off, and nothing scrolls sideways."""

import pytest
from django.utils import timezone

from players.models import User
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.test_no_overflow import WIDE, visit_pages
from tournaments.demo import load

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


def test_longer_texts_fit_on_a_phone(open_page: OpenPage, pseudo_locale: str, subtests: pytest.Subtests) -> None:
    load(password="crawford-1969", now=timezone.now())
    for user in (None, User.objects.get(email="alice@example.org")):
        page = open_page("/", width=PHONE, user=user)
        page.set_extra_http_headers({"Accept-Language": pseudo_locale})
        opened = 0
        for path in visit_pages(page):
            opened += 1
            assert page.get_attribute("html", "lang") == pseudo_locale
            with subtests.test(path, user=str(user)):
                assert [*page.evaluate(WIDE), *page.evaluate(CLIPPED)] == []
        assert opened > 20
