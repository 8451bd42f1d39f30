"""Commitments, take-backs and countdowns in a browser, on a phone and on a desktop."""

import os
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from formats.settings import NextRound, StageSettings
from players.actors import Actor
from players.models import Club, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage, follow
from tests.tournaments.support.swiss_rounds import DivisionDriver
from tournaments.draws import services as draws
from tournaments.events import services as events
from tournaments.models import Draw

PICTURES = os.environ.get("PICTURES")
"""A folder for pictures of the pages, if the environment names one."""


@pytest.fixture
def driver(club: Club, alice: User) -> DivisionDriver:
    """An event with nine entries and no draw."""
    by, now = Actor.of(alice), timezone.now()
    tournament = events.create_tournament(club=club, by=by, now=now, name="Harbour Weekend", starts_at=now)
    driver = DivisionDriver(
        events.create_division(tournament=tournament, by=by, now=now, name="Open", match_length=5), by, now
    )
    driver.enter([Player.objects.create(name=f"Player {number}") for number in range(1, 10)])
    return driver


def address(driver: DivisionDriver, page: str = "") -> str:
    tournament = driver.division.tournament
    return f"/events/{tournament.club.slug}/{tournament.slug}/{driver.division.public_id}/{page}"


def picture(page: Page, name: str) -> None:
    if PICTURES:
        width = (page.viewport_size or {"width": 0})["width"]
        page.screenshot(path=Path(PICTURES) / f"{name}-{width}.png", full_page=True)


def test_the_list_of_commitments_is_public(open_page: OpenPage, driver: DivisionDriver, in_both_views: Check) -> None:
    driver.begin(StageSettings("knockout"))
    page = open_page(f"/clubs/{driver.division.tournament.club.slug}/commitments/", width=PHONE)
    expect(page.locator("h1")).to_have_text("Draw commitments")
    expect(page.locator(".commitments")).to_contain_text("Drawn")
    picture(page, "commitments")
    in_both_views(page)


@pytest.mark.slow
def test_a_director_publishes_draws_and_takes_the_draw_back(
    open_page: OpenPage, driver: DivisionDriver, alice: User, in_both_views: Check
) -> None:
    page = open_page(address(driver, "draw/"), user=alice, width=PHONE)
    picture(page, "draw-unpublished")
    in_both_views(page)
    page.get_by_role("button", name="Publish event and draw").click()
    expect(page.locator("#draw")).to_contain_text("is being made")
    draws.make_draft(draw_id=Draw.objects.get().pk, now=timezone.now())
    page.get_by_role("button", name="Publish this draw").click()
    follow(page.get_by_role("link", name="Take back the draw"))
    page.locator("summary", has_text="Take back the draw").click()
    picture(page, "draw-take-back")
    in_both_views(page)
    page.get_by_label("Reason (shown to everybody)").fill("Two were missing")
    page.get_by_role("button", name="Take back the draw").click()
    expect(page.locator(".messages")).to_contain_text("was taken back")
    expect(page.locator("#draw")).to_contain_text("Two were missing")
    expect(page.get_by_label("Why again?")).to_have_count(0)
    picture(page, "draw-taken-back")
    in_both_views(page)


def test_a_countdown_is_shown_and_stopped_and_a_round_taken_back(
    open_page: OpenPage, driver: DivisionDriver, alice: User, in_both_views: Check
) -> None:
    driver.begin(StageSettings("swiss", rounds=3, next_round=NextRound.PUBLISH))
    driver.play_round()
    draft = Draw.objects.get(state=Draw.State.REQUESTED)
    draws.make_draft(draw_id=draft.pk, now=timezone.now())
    page = open_page(address(driver, "rounds/"), user=alice, width=PHONE)
    expect(page.locator("#countdown")).to_contain_text("is published automatically")
    picture(page, "countdown")
    in_both_views(page)
    page.get_by_role("button", name="Stop the countdown").click()
    expect(page.locator("#countdown")).to_have_count(0)
    page.get_by_role("button", name="Publish round 2").click()
    page.locator("summary", has_text="Take back round 2").click()
    picture(page, "round-take-back")
    in_both_views(page)
