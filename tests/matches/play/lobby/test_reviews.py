"""Friendlies of two players of Alice's club that she should look at, and what she takes out of the ratings."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from matches.models import Challenge, Match, PlayerRating, Unrating
from matches.play.acting import ActionInput, act
from matches.play.lobby.services import (
    ChallengeInput,
    accept,
    decide_rated,
    friendlies_to_review,
    make_challenge,
    match_to_review,
)
from matches.play.starting import commit_chain
from matches.ratings import services as ratings
from players.actors import Actor
from players.models import Club, LogEntry, Membership, Player, User
from tests.matches.cast import player_of
from tests.matches.play.conftest import Board, refused
from tests.pages import html

pytestmark = pytest.mark.django_db


@pytest.fixture
def club(player: Player, alice: User) -> Club:
    """Alice directs it; Bob is a member, Carol is not."""
    club = Club.objects.create(name="Harbour", slug="harbour")
    Membership.objects.create(club=club, player=player_of(alice), role=Membership.Role.DIRECTOR)
    Membership.objects.create(club=club, player=player)
    return club


def actor(player: Player) -> Actor:
    assert player.user is not None
    return Actor.of(player.user)


def played(first: Player, second: Player, at: datetime, *, loser: int = 1, plays: int = 2, length: int = 1) -> Match:
    """A rated friendly that one side concedes after so many plays."""
    row = make_challenge(player=first, wish=ChallengeInput(length, second, "none", rated=True), by=actor(first), now=at)
    match = accept(challenge=row, player=second, by=actor(second), now=at)
    match.live.server_chains = True
    match.live.save(update_fields=["server_chains"])
    users = [first.user, second.user]
    for side in (0, 1):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=at)
    board = Board(match, users)
    board.now = at
    mover = board.open_game()
    for turn in range(plays):
        if turn:
            board.do(mover, "roll")
        board.do(mover, "play", moves=board.any_play())
        mover = 1 - mover
    act(match=match, side=loser, request=ActionInput("concede", board.live.last), by=actor(first), now=at)
    return Match.objects.get(pk=match.pk)


def week_of(first: Player, second: Player, count: int, *, ago: int = 0, **how: int) -> list[Match]:
    """So many matches, two a day, ending some days ago."""
    begun = timezone.now() - timedelta(days=ago + count // 2 + 1)
    return [played(first, second, begun + timedelta(days=number // 2), **how) for number in range(count)]


def listed(club: Club) -> list[int]:
    return [len(group.matches) for group in friendlies_to_review(club, timezone.now())]


@pytest.mark.slow
def test_more_than_six_that_one_player_won_are_listed(club: Club, player: Player, carol_player: Player) -> None:
    week_of(player, carol_player, 6, plays=10)
    assert listed(club) == []
    seventh = played(player, carol_player, timezone.now(), plays=10)
    assert listed(club) == [7]
    (pair,) = friendlies_to_review(club, timezone.now())
    assert (pair.only_winner, pair.ended_early) == (player, 0)
    assert pair.matches[0].match == seventh


@pytest.mark.slow
def test_they_are_not_if_both_have_won_and_few_ended_early(club: Club, player: Player, carol_player: Player) -> None:
    week_of(player, carol_player, 6, plays=10)
    played(player, carol_player, timezone.now(), loser=0, plays=10)
    assert listed(club) == []


@pytest.mark.slow
def test_they_are_if_half_were_given_up_before_the_tenth_play(club: Club, player: Player, carol_player: Player) -> None:
    week_of(player, carol_player, 3, ago=7, loser=0, plays=9)
    week_of(player, carol_player, 3, plays=10)
    assert listed(club) == []
    played(player, carol_player, timezone.now(), plays=2)
    assert listed(club) == [7]


def test_a_month_later_nothing_is_listed(club: Club, player: Player, carol_player: Player) -> None:
    week_of(player, carol_player, 7)
    assert listed(club) == [7]
    assert friendlies_to_review(club, timezone.now() + timedelta(days=31)) == []


@pytest.mark.slow
def test_a_winner_of_early_ends_against_several_is_listed(
    club: Club, player: Player, carol_player: Player, dave_player: Player
) -> None:
    week_of(player, carol_player, 3, ago=7, plays=10)
    week_of(player, carol_player, 3)
    week_of(player, dave_player, 3)
    assert listed(club) == []
    seventh = played(player, dave_player, timezone.now(), plays=9)
    assert seventh.rated, "how a match ended never decides that by itself"
    (group,) = friendlies_to_review(club, timezone.now())
    assert (group.players, len(group.matches), group.only_winner) == ((player,), 7, player)


@pytest.mark.slow
def test_administrators_look_at_players_without_a_club(
    player: Player, carol_player: Player, club: Club, client: Client
) -> None:
    match = week_of(player, carol_player, 7)[0]
    assert friendlies_to_review(None, timezone.now()) == []
    Membership.objects.filter(player=player).update(left_at=timezone.now())
    client.force_login(User.objects.create_superuser("staff@example.org", "x", display_name="Staff"))
    assert "7 matches" in html(client.get("/lobby/friendlies/"))
    client.post("/lobby/friendlies/", {"match": match.public_id, "rated": "no"})
    match.refresh_from_db()
    assert not match.rated


def test_other_clubs_do_not_see_them(club: Club, player: Player, carol_player: Player, alice: User) -> None:
    match = week_of(player, carol_player, 7)[0]
    other = Club.objects.create(name="Hill", slug="hill")
    assert friendlies_to_review(other, timezone.now()) == []
    Membership.objects.create(club=other, player=alice.player, role=Membership.Role.DIRECTOR)
    client = APIClient()
    client.force_authenticate(alice)
    asked = {"match": match.public_id, "rated": False}
    assert client.post("/api/v1/clubs/hill/friendlies/", asked, format="json").status_code == 404


def test_a_match_taken_out_of_the_ratings_leaves_them_and_comes_back(
    club: Club, player: Player, carol_player: Player, alice: User
) -> None:
    played(player, carol_player, timezone.now())

    def rating() -> float | None:
        ratings.replay_pool(pool_id=ratings.default_pool().pk, now=timezone.now())
        assert not ratings.check_ratings(ratings.default_pool())
        return PlayerRating.objects.filter(player=player).values_list("rating", flat=True).first()

    before = rating()
    assert before is not None
    match = Match.objects.get()
    for rated, after in ((False, None), (False, None), (True, before), (True, before)):
        found = match_to_review(club, match.public_id)
        decide_rated(match=found, club=club, rated=rated, by=Actor.of(alice), now=timezone.now())
        assert rating() == after
    assert Unrating.objects.filter(undone_at__isnull=False).count() == 1
    verbs = LogEntry.objects.filter(club=club, verb__startswith="friendly").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == ["friendly_unrated", "friendly_rated_again"]


def test_an_officer_does_not_decide_about_their_own_match(club: Club, player: Player, carol_player: Player) -> None:
    Membership.objects.filter(player=player).update(role=Membership.Role.DIRECTOR)
    match = played(player, carol_player, timezone.now())
    with refused("review_own"):
        decide_rated(match=match, club=club, rated=False, by=actor(player), now=timezone.now())


def test_what_was_taken_out_still_counts_for_the_limit(
    club: Club, player: Player, carol_player: Player, alice: User
) -> None:
    now = timezone.now()
    matches = [played(player, carol_player, now) for _ in range(3)]
    decide_rated(match=matches[0], club=club, rated=False, by=Actor.of(alice), now=now)
    with refused("rating_changed"):
        played(player, carol_player, now)


@pytest.mark.slow
def test_the_page_and_the_api(club: Club, player: Player, carol_player: Player, alice: User) -> None:
    match = week_of(player, carol_player, 7)[0]
    client, api = Client(), APIClient()
    client.force_login(alice)
    api.force_authenticate(alice)
    assert "/clubs/harbour/friendlies/" in html(client.get("/clubs/harbour/"))
    page = html(client.get("/clubs/harbour/friendlies/"))
    assert "all won by <bdi>Bob</bdi>" in page
    assert f"/matches/{match.public_id}/replay/" in page
    done = html(client.post("/clubs/harbour/friendlies/", {"match": match.public_id, "rated": "no"}, follow=True))
    assert "The match no longer counts." in done
    assert "Undo" in done
    (pair,) = api.get("/api/v1/clubs/harbour/friendlies/").json()
    assert [row["rated"] for row in pair["matches"]].count(False) == 1
    asked = {"match": match.public_id, "rated": True}
    assert api.post("/api/v1/clubs/harbour/friendlies/", asked, format="json").status_code == 204
    assert Challenge.objects.get(match=match).match.rated
