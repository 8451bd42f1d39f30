"""Open pages show new challenges by the event stream, before they would ask without one."""

from django.utils import timezone
from playwright.sync_api import expect

from matches.play.lobby.services import ChallengeInput, accept, make_challenge
from players.actors import Actor
from players.models import Club, Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.matches.conftest import bob_player, carol_player, club
from tests.matches.play.lobby.test_reviews import week_of

__all__ = ["bob_player", "carol_player", "club"]

SOON = 9_000
"""Milliseconds, fewer than the pages wait without a stream."""


def test_new_challenges_appear_at_once(
    open_page: OpenPage, bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    lobby, mine = (open_page(path, width=PHONE, user=bob) for path in ("/lobby/", "/my/"))
    for opponent in (None, bob_player):
        wish = ChallengeInput(3, opponent)
        make_challenge(player=carol_player, wish=wish, by=Actor.of(carol), now=timezone.now())
        for page in (lobby,) if opponent is None else (lobby, mine):
            heading = "Open challenges" if opponent is None else "Challenges for you"
            card = page.get_by_role("region", name=heading)
            expect(card.get_by_text("Carol")).to_be_visible(timeout=SOON)


def test_both_read_that_a_fourth_match_would_not_be_rated(
    open_page: OpenPage,
    in_both_views: Check,
    bob_player: Player,
    carol_player: Player,
    bob: User,
    carol: User,
) -> None:
    for number in range(4):
        wish = ChallengeInput(3, bob_player, rated=True)
        challenge = make_challenge(player=carol_player, wish=wish, by=Actor.of(carol), now=timezone.now())
        if number < 3:
            accept(challenge=challenge, player=bob_player, by=Actor.of(bob), now=timezone.now())
    hers = open_page("/lobby/", width=PHONE, user=carol)
    expect(hers.get_by_role("region", name="Your challenges")).to_contain_text("not rated: the 4th today")
    his = open_page("/lobby/", width=PHONE, user=bob)
    card = his.get_by_role("region", name="Challenges for you")
    expect(card).to_contain_text("not rated: the 4th today")
    in_both_views(his)
    card.get_by_role("button", name="Accept").click()
    expect(his.locator("#board")).to_be_visible()
    challenge.refresh_from_db()
    assert challenge.match is not None
    assert (challenge.match.rated, challenge.not_rated) == (False, "day")


def test_an_officer_takes_a_friendly_out_of_the_ratings(
    open_page: OpenPage,
    in_both_views: Check,
    club: Club,
    bob_player: Player,
    carol_player: Player,
    alice: User,
) -> None:
    week_of(bob_player, carol_player, 7)
    page = open_page(f"/clubs/{club.slug}/", width=PHONE, user=alice)
    page.get_by_role("link", name="Friendly matches").click()
    pair = page.locator("section", has_text="all won by Bob")
    expect(pair).to_contain_text("7 given up before the 10th play")
    in_both_views(page)
    pair.get_by_role("button", name="Remove from the ratings").first.click()
    expect(page.get_by_text("The match no longer counts.")).to_be_visible()
    pair.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The match counts again.")).to_be_visible()
