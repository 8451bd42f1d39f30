"""Whoever leaves the site ends what they play in the lobby, and nothing is asked of them any more."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from engine.actions import Act
from engine.errors import Refused
from matches.models import Challenge, Match, Result
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.lobby.services import ChallengeInput, accept, make_challenge, start_practice, want_rematch
from players.actors import SYSTEM
from players.models import Player, User
from players.people.erasure import erase_player
from players.people.leaving import lift_suspension, suspend
from players.people.stored_elsewhere import taking_part
from tests.pages import html

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
Leave = Callable[[Player], object]
START = timezone.now()
LEAVE: dict[str, Leave] = {
    "former_member": lambda player: erase_player(player=player, by=SYSTEM, now=START),
    "suspended": lambda player: suspend(user=player.user, by=SYSTEM, now=START),  # type: ignore[arg-type]
}


def friendly(player: Player, other: Player) -> Match:
    row = make_challenge(player=player, wish=ChallengeInput(3), by=SYSTEM, now=START)
    return accept(challenge=row, player=other, by=SYSTEM, now=START)


def both_come(match: Match) -> None:
    for side in (0, 1):
        act(match=match, side=side, request=ActionInput(EventKind.HERE, side), by=SYSTEM, now=START)


@pytest.mark.parametrize("left", LEAVE)
@pytest.mark.parametrize("side", [0, 1])
def test_a_friendly_that_has_begun_is_conceded(player: Player, carol_player: Player, left: str, side: int) -> None:
    match = friendly(player, carol_player)
    both_come(match)
    LEAVE[left]((player, carol_player)[side])
    result = Result.objects.get(match=match)
    assert (result.winner, result.kind) == (1 - side, Result.Kind.CONCESSION)


@pytest.mark.parametrize("left", LEAVE)
@pytest.mark.parametrize("side", [0, 1])
def test_a_board_that_waits_is_called_off(player: Player, carol_player: Player, left: str, side: int) -> None:
    match = friendly(player, carol_player)
    LEAVE[left]((player, carol_player)[side])
    match.refresh_from_db()
    assert match.state == Match.State.VOID
    assert not Challenge.objects.filter(state=Challenge.State.OPEN).exists(), "it is not offered again"


@pytest.mark.parametrize("left", LEAVE)
def test_practice_ends_and_challenges_are_withdrawn(player: Player, carol_player: Player, left: str) -> None:
    practice = start_practice(player=player, style="pip", length=1, by=SYSTEM, now=START)
    own = make_challenge(player=player, wish=ChallengeInput(3), by=SYSTEM, now=START)
    for_them = make_challenge(player=carol_player, wish=ChallengeInput(3, player), by=SYSTEM, now=START)
    assert [part.text for part in taking_part([player], START)] == [
        f"Match against {practice.names[1]}",
        "Open challenges in the lobby",
    ]
    LEAVE[left](player)
    practice.refresh_from_db()
    assert practice.state == Match.State.SETTLED
    states = dict(Challenge.objects.values_list("pk", "state"))
    assert states == {own.pk: "withdrawn", for_them.pk: "declined"}
    assert taking_part([player], START) == []


@pytest.mark.parametrize("left", LEAVE)
def test_nothing_is_asked_of_somebody_who_has_left(
    player: Player, carol_player: Player, carol: User, left: str
) -> None:
    match = friendly(player, carol_player)
    act(match=match, side=0, request=ActionInput(Act.CONCEDE, 0), by=SYSTEM, now=START)
    client = Client()
    client.force_login(carol)
    pages = [f"/matches/{match.public_id}/", "/lobby/", f"/matches/{match.public_id}/end/"]
    rematch = f"/matches/{match.public_id}/rematch/"
    assert [rematch in html(client.get(page)) for page in pages] == [True, True, True]

    LEAVE[left](player)

    assert [rematch in html(client.get(page)) for page in pages] == [False, False, False]
    player = Player.objects.get(pk=player.pk)
    asks: list[Callable[[], object]] = [
        lambda: want_rematch(match=match, player=carol_player, by=SYSTEM, now=START),
        lambda: make_challenge(player=carol_player, wish=ChallengeInput(3, player), by=SYSTEM, now=START),
        lambda: make_challenge(player=player, wish=ChallengeInput(3), by=SYSTEM, now=START),
        lambda: start_practice(player=player, style="pip", length=1, by=SYSTEM, now=START),
    ]
    codes = []
    for ask in asks:
        with pytest.raises(Refused) as refused:
            ask()
        codes.append(refused.value.code)
    assert codes == [left, "opponent_without_account" if left == "former_member" else left, left, left]


def test_challenges_are_possible_again_once_a_suspension_is_lifted(player: Player, bob: User) -> None:
    suspend(user=bob, by=SYSTEM, now=START)
    lift_suspension(user=bob, by=SYSTEM, now=START)
    assert make_challenge(player=player, wish=ChallengeInput(3), by=SYSTEM, now=START).state == "open"
