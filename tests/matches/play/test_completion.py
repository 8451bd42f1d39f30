"""How Bob's matches on the site's board ended: Alice, who directs his club, sees it on his page; others do not."""

import pytest
from django.test import Client

from engine.actions import Act
from matches.models import Match
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from matches.rankings.profiles import Completion, completion_of
from players.actors import SYSTEM
from players.models import Player, User
from tests.matches.conftest import bob_player, carol_player, club, match, pool
from tests.matches.play.conftest import BOB, CAROL, START

__all__ = ["bob_player", "carol_player", "club", "match", "pool"]

pytestmark = pytest.mark.django_db


def played(match: Match, loser: int) -> Match:
    """A match played here that its loser concedes."""
    start(match=match, settings=PlaySettings(server_chains=True), by=SYSTEM, now=START)
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=SYSTEM, now=START)
    for after, (side, kind) in enumerate([(BOB, EventKind.READY), (CAROL, EventKind.READY), (loser, Act.CONCEDE)]):
        act(match=match, side=side, request=ActionInput(kind, after + (after == 2)), by=SYSTEM, now=START)
    return match


def test_a_conceded_match_counts_for_its_loser(match: Match, bob_player: Player, carol_player: Player) -> None:
    assert completion_of(bob_player) == Completion(0, 0, 0, 0)
    played(match, BOB)
    assert completion_of(bob_player) == Completion(finished=0, flagged=0, left=0, resigned=1)
    assert completion_of(carol_player) == Completion(finished=1, flagged=0, left=0, resigned=0)


@pytest.mark.parametrize(("claimed", "record"), [(False, Completion(0, 1, 0, 0)), (True, Completion(0, 0, 1, 0))])
def test_a_loss_on_time_and_one_by_absence_are_told_apart(
    match: Match, bob_player: Player, claimed: bool, record: Completion
) -> None:
    played(match, BOB)
    match.results.update(kind="flag")
    if claimed:
        match.live.actions.filter(kind=Act.CONCEDE).update(kind=EventKind.CLAIM_AWAY)
    assert completion_of(bob_player) == record


def test_only_directors_of_the_player_s_clubs_see_it(
    client: Client, match: Match, bob_player: Player, alice: User, bob: User, dave: User
) -> None:
    played(match, BOB)
    for user, sees in ((None, False), (dave, False), (bob, False), (alice, True)):
        if user is not None:
            client.force_login(user)
        page = client.get(f"/players/{bob_player.public_id}/")
        assert ("Matches played here" in page.content.decode()) == sees
