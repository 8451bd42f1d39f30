"""Open pages show new challenges by the event stream, before they would ask without one."""

from django.utils import timezone
from playwright.sync_api import expect

from matches.play.lobby.services.challenges import ChallengeInput, make_challenge
from players.actors import Actor
from players.models import Player, User
from tests.browser.conftest import PHONE, OpenPage
from tests.matches.conftest import bob_player, carol_player

__all__ = ["bob_player", "carol_player"]

SOON = 6_000
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
