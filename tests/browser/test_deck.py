"""The deck in a browser: two taps, two keys, or the checkers themselves."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from matches.models import Card, Match
from players.models import Club, User
from tests.browser.conftest import DESK, Check, OpenPage, follow
from tests.matches.cast import match_between, player_of
from tests.matches.deck.conftest import FINISHED, analysed


@pytest.fixture
def card(club: Club, bob: User, carol: User) -> Card:
    """Bob's, of a match that is over."""
    match = match_between(player_of(bob), player_of(carol), club=club, parent_topic="")
    Match.objects.filter(pk=match.pk).update(state="settled", finished_at=FINISHED)
    decision = analysed(match)
    return Card.objects.create(user=bob, match=match, game=1, event=4, decision=decision, due=timezone.localdate())


def test_a_card_is_answered_by_taps_by_keys_and_by_moving(
    open_page: OpenPage, in_both_views: Check, card: Card, bob: User
) -> None:
    page = open_page("/my/deck/", user=bob, width=DESK)
    in_both_views(page)
    expect(page.locator(".board-way:visible")).to_have_count(0)
    page.keyboard.press("2")
    expect(page.locator(".board-way:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Not the best: it costs")).to_be_visible()
    in_both_views(page)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing to repeat today.")).to_be_visible()
    Card.objects.update(due=timezone.localdate(), state={})
    page.reload()
    follow(page.get_by_role("link", name="Move the checkers instead"))
    expect(page.get_by_role("button", name="swap them")).to_be_visible()
    for place in (8, 6):
        page.locator(f'[data-place="{place}"]').dispatch_event("click")
    in_both_views(page)
    follow(page.get_by_role("button", name="Check"))
    expect(page.get_by_text("Yes, that is the best.")).to_be_visible()
