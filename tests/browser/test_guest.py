"""The board of a guest: it can be taken back to before a decision, and is there again after a reload."""

import re
import time

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, Route, expect

from core import throttle
from matches.models import Match
from players.models import User
from tests.browser.chromium import SOON
from tests.browser.conftest import PHONE, SLOWLY, Check, OpenPage


def play(page: Page) -> None:
    """Make the first play that the board accepts."""
    commit = page.locator("#commit")
    page.locator("#board button.place:not([disabled])").first.wait_for(state="attached")
    for _ in range(4):
        places = page.locator("#board button.place:not([disabled])")
        for index in range(places.count()):
            if commit.is_enabled():
                return commit.click()
            places.nth(index).click(force=True)
    expect(commit).to_be_enabled()
    return commit.click()


@pytest.mark.django_db(transaction=True)
def test_a_guest_plays_takes_back_and_goes_on_after_a_reload(
    open_page: OpenPage, in_both_views: Check, settings: LazySettings, bob: User
) -> None:
    settings.ANALYSIS_BACKEND = "off"
    page = open_page("/play/guest/", width=PHONE)
    take_back, plays = page.locator('[data-act="take_back"]'), page.locator("#play-list")
    roll = page.locator('[data-act="roll"]')
    expect(page.locator(':is([data-panel="play"], [data-panel="roll"], [data-panel="cube"]):visible')).to_be_visible()
    if page.locator('[data-act="take"]').is_visible():
        page.locator('[data-act="take"]').click()
        if page.locator("#confirmed").is_visible():
            page.locator("#confirmed").click()
        expect(page.locator(':is([data-panel="play"], [data-panel="roll"]):visible')).to_be_visible()
    if roll.is_visible():
        roll.click()
    expect(page.locator('[data-panel="play"]')).to_be_visible()
    hint = page.locator('[data-banner="hint"]')
    expect(hint).to_be_hidden()
    page.locator('[data-act="hint"]').click()
    expect(hint).to_contain_text("Hint by the Club Bot")
    expect(hint.locator("li").first).to_contain_text("/")
    in_both_views(page)
    before = plays.inner_text()
    play(page)
    expect(hint).to_be_hidden()
    expect(take_back).to_be_enabled()
    expect(plays).not_to_have_text(before)
    after = plays.inner_text()
    page.reload()
    expect(take_back).to_be_enabled()
    assert plays.inner_text() == after
    # By a script, since a question that the bot asks may hide it on a phone.
    take_back.evaluate("button => button.click()")
    expect(page.locator('[data-panel="play"]')).to_be_visible()
    assert plays.inner_text() == before
    in_both_views(page)
    assert "sessionid" not in {cookie["name"] for cookie in page.context.cookies()}
    assert not Match.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_throws_for_the_opening_are_shown_whoever_begins(open_page: OpenPage) -> None:
    """A bot that begins has played before the page learns of its dice."""
    page = open_page("/play/guest/", width=PHONE, script=SLOWLY)
    starters: set[str] = set()
    for _ in range(20):
        throws = page.locator(".game-board .throw > span")
        expect(throws).to_have_count(2)
        expect(throws.first).to_contain_text("Guest rolls", timeout=2 * SOON)  # after equal dice
        expect(page.locator(".throw")).to_have_count(0)
        starters.add(page.locator("#play-list li:not(.throw-row) > :not(:empty)").first.inner_text()[-1])
        # A play that is still to come ends in an ellipsis.
        if len({each == "…" for each in starters}) == 2:
            return
        page.evaluate("localStorage.clear()")
        page.reload()
    raise AssertionError("the same side has begun twenty times")


@pytest.mark.django_db(transaction=True)
def test_no_word_of_a_lost_connection_stays_once_it_is_back(
    open_page: OpenPage, expected_errors: list[re.Pattern[str]], settings: LazySettings
) -> None:
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED"))
    settings.ANALYSIS_BACKEND = "off"
    page = open_page("/play/guest/", width=PHONE)
    expect(page.locator('[data-act="hint"]')).to_be_enabled()
    error = page.locator('[data-banner="error"]')
    page.context.set_offline(True)
    page.locator('[data-act="hint"]').click()
    expect(error).to_contain_text("No connection")
    page.context.set_offline(False)
    expect(error).to_be_hidden()
    page.locator('[data-act="hint"]').click()
    expect(page.locator('[data-banner="hint"]')).to_contain_text("Hint by the Club Bot")


@pytest.mark.django_db(transaction=True)
def test_a_guest_learns_that_too_many_have_begun_from_this_network_and_until_when(
    open_page: OpenPage, expected_errors: list[re.Pattern[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected_errors.append(re.compile("429"))
    limit = throttle.GUEST_MATCHES_FROM
    monkeypatch.setattr(throttle, "GUEST_MATCHES_FROM", limit._replace(most=0))
    page = open_page("/play/guest/", width=PHONE)
    loading = page.locator('[data-panel="loading"]')
    expect(loading).to_contain_text("Try again in 60 min")
    # It is asked for again, by the page itself.
    monkeypatch.setattr(throttle, "GUEST_MATCHES_FROM", limit)
    expect(page.locator("#play-list")).to_contain_text("Opening roll")


def later(route: Route) -> None:
    time.sleep(1.1)
    route.continue_()


@pytest.mark.django_db(transaction=True)
def test_two_tabs_of_a_guest_show_one_match(open_page: OpenPage) -> None:
    first = open_page("/play/guest/")
    second = first.context.new_page()
    plays = [page.locator("#play-list") for page in (first, second)]
    expect(plays[0]).to_contain_text("Opening roll")
    second.goto("/play/guest/")
    expect(plays[1]).to_have_text(plays[0].inner_text(), use_inner_text=True)
    # Texts that are signed in different seconds differ.
    for page in (first, second):
        page.route("**/practice/guest/", later)
    # What has to be done is the same in both, and is done in the second.
    if second.locator('[data-panel="roll"]').is_visible():
        second.locator('[data-act="roll"]').click()
    expect(second.locator('[data-panel="play"]')).to_be_visible()
    play(second)
    expect(second.locator('[data-act="take_back"]')).to_be_enabled()
    expect(first.locator('[data-act="take_back"]')).to_be_enabled()
    expect(plays[0]).to_have_text(plays[1].inner_text(), use_inner_text=True)
    # Neither tab answers to what the other has only read. Scripts that a page loads late are no answer.
    asked: list[str] = []
    for page in (first, second):
        page.on("request", lambda request: asked.append(request.url) if "/static/" not in request.url else None)
    first.wait_for_timeout(2500)
    assert asked == []
