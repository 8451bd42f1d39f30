"""Bob reports at a table without a connection; his phone sends the report when it has one again."""

import re

import pytest
from playwright.sync_api import expect

from matches.lifecycle import links
from matches.models import Claim, Match
from matches.reporting import reports
from players.actors import Actor
from players.models import Club, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.matches.cast import BOB, CAROL, match_between, player_of

__all__ = ["match"]


@pytest.fixture
def match(club: Club, bob: User, carol: User) -> Match:
    """Bob against Carol, to 3."""
    return match_between(player_of(bob), player_of(carol), club=club, length=3)


def test_a_report_typed_offline_is_sent_once_or_kept_as_evidence(
    open_page: OpenPage,
    hall: str,
    axe: Check,
    fits: Check,
    match: Match,
    club: Club,
    expected_errors: list[re.Pattern[str]],
) -> None:
    """In a hall without HTTPS, and with two tabs open."""
    expected_errors += [re.compile("ERR_INTERNET_DISCONNECTED|Failed to load resource|status of 409")]
    page = open_page(f"{hall}/m/{links.token_for(match, BOB)}/", width=PHONE, touch=True)
    assert page.evaluate("!isSecureContext && !navigator.locks")
    other_tab = page.context.new_page()
    other_tab.goto(page.url)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    fits(page)
    page.context.set_offline(True)
    less, more = (page.get_by_role("button", name=f"One point {way} for Bob") for way in ("less", "more"))
    for _ in range(3):
        more.tap()
    box = more.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 44
    expect(less).to_be_visible()
    page.get_by_role("button", name="Continue").tap()
    expect(page.get_by_role("heading", name="Bob wins 3–0.")).to_be_visible()
    expect(page.get_by_text("You’re offline.")).to_be_visible()
    page.get_by_role("button", name="Keep and send later").tap()
    expect(page.get_by_text("Not sent yet. Nobody else can see it.")).to_be_visible()
    fits(page)
    assert not Claim.objects.exists()
    page.context.set_offline(False)
    expect(other_tab.get_by_text("You reported 3–0. Carol or the director has to confirm it.")).to_be_visible()
    expect(page.get_by_text("You reported 3–0. Carol or the director has to confirm it.")).to_be_visible()
    page.reload()
    expect(page.locator("[data-outbox]")).to_be_hidden()
    assert [claim.score for claim in Claim.objects.all()] == [(3, 0)], "sent once"

    # The next match changes while his phone has no connection.
    other = match_between(match.players[0], match.players[1], club=club, length=3)
    page.goto(f"{hall}/m/{links.token_for(other, BOB)}/")
    page.context.set_offline(True)
    for _ in range(3):
        page.get_by_role("button", name="One point more for Bob").tap()
    page.get_by_role("button", name="Continue").tap()
    page.get_by_role("button", name="Keep and send later").tap()
    reports.report_score(
        match=other,
        side=CAROL,
        report=reports.ScoreReport(CAROL, (1, 3)),
        by=Actor.link(CAROL),
        now=other.created_at,
    )
    page.context.set_offline(False)
    expect(page.get_by_text("The match changed before your report arrived, so it does not count.")).to_be_visible()
    expect(page.get_by_role("heading", name="Arrived too late")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="OK").tap()
    page.reload()
    expect(page.locator("[data-outbox]")).to_be_hidden()
    assert list(other.claims.values_list("state", flat=True)) == ["open", "late"]
