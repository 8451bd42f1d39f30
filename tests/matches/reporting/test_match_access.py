"""Access to a match: players, visitors, those who run it, and holders of links."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from matches import access
from matches.lifecycle import links
from matches.models import Match
from players.models import Club, Player, User
from tests.matches.cast import BOB, CAROL, Role, join, match_between, player_of

pytestmark = pytest.mark.django_db


def gets_in(call: Callable[..., object], *args: object) -> int:
    try:
        call(*args)
    except Http404:
        return 404
    except PermissionDenied:
        return 403
    return 200


@pytest.fixture
def visitors(alice: User, bob: User, carol: User, dave: User, club: Club) -> dict[str, User | AnonymousUser]:
    """Every kind of visitor."""
    names = ["Assistant", "Stranger", "Member", "Elsewhere"]
    users = {name: User.objects.create_user(f"{name}@example.org", "x", display_name=name) for name in names}
    join(club, player_of(users["Assistant"]), Role.ASSISTANT)
    join(club, player_of(users["Member"]))
    player_of(users["Stranger"])
    other = Club.objects.create(name="Other", slug="other")
    join(other, player_of(users["Elsewhere"]), Role.DIRECTOR)
    return {"anonymous": AnonymousUser(), "director": alice, "player": bob, "opponent": carol, "dave": dave} | {
        name.lower(): user for name, user in users.items()
    }


def test_only_its_players_have_a_side_in_a_match(match: Match, visitors: dict[str, User]) -> None:
    got_in = {name: gets_in(access.match_for_player, user, match.public_id) for name, user in visitors.items()}
    assert {name for name, status in got_in.items() if status == 200} == {"player", "opponent"}
    assert access.match_for_player(visitors["player"], match.public_id).side == BOB
    assert access.match_for_player(visitors["opponent"], match.public_id).side == CAROL


@pytest.mark.parametrize(
    ("visibility", "shut_out"),
    [
        ("public", set()),
        ("club", {"anonymous", "dave", "stranger", "elsewhere"}),
        ("private", {"anonymous", "dave", "stranger", "elsewhere", "member"}),
    ],
)
def test_who_may_look(match: Match, visitors: dict[str, User], visibility: str, shut_out: set[str]) -> None:
    Match.objects.update(visibility=visibility)
    got = {name: gets_in(access.match_for_viewer, user, match.public_id) for name, user in visitors.items()}
    assert {name for name, status in got.items() if status == 404} == shut_out


def test_who_runs_a_match(match: Match, visitors: dict[str, User]) -> None:
    got = {name: gets_in(access.match_for_director, user, match.public_id) for name, user in visitors.items()}
    assert {name for name, status in got.items() if status == 200} == {"director", "assistant"}
    assert got["elsewhere"] == got["player"] == got["anonymous"] == 403


def test_nobody_runs_a_match_without_a_club(bob_player: Player, carol_player: Player, alice: User) -> None:
    friendly = match_between(bob_player, carol_player, club=None)
    assert gets_in(access.match_for_director, alice, friendly.public_id) == 404


def test_a_personal_link_acts_for_one_side_of_one_match(match: Match) -> None:
    seat = access.match_for_link(links.token_for(match, CAROL))
    assert (seat.match, seat.side, seat.by.kind, seat.by.side) == (match, CAROL, "link", CAROL)
    sheet = access.match_for_link(links.token_for(match, None))
    assert (sheet.match, sheet.side) == (match, None)


def test_a_tampered_link_gives_no_access(match: Match, bob_player: Player, carol_player: Player) -> None:
    token = links.token_for(match, CAROL)
    other = match_between(bob_player, carol_player)
    forged = [
        token.replace(".1.", ".0."),
        token.replace(match.public_id, other.public_id),
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        "",
    ]
    assert [gets_in(access.match_for_link, text) for text in forged] == [404] * 4


def test_a_merged_player_keeps_their_side(match: Match, bob_player: Player, bob: User) -> None:
    grown = Player.objects.create(name="Robert")
    Player.objects.filter(pk=bob_player.pk).update(user=None, merged_into=grown)
    Player.objects.filter(pk=grown.pk).update(user=bob)
    assert access.match_for_player(bob, match.public_id).side == BOB
