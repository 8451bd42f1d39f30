"""A new club rates its matches in a pool of its own, until somebody who runs the site accepts it."""

import re
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.locks import lock_match
from matches.models import Match, PlayerRating, RatingPool
from matches.ratings import services as ratings
from players.actors import SYSTEM, Actor
from players.clubs.services import create_club
from players.models import Club, LogEntry, Membership, Player, User
from tests.matches.cast import match_between
from tests.tournaments.support.pages import page, text

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@pytest.fixture
def site(db: None) -> User:
    """Who runs the site."""
    return User.objects.create_superuser("root@example.org", "crawford-1969", display_name="Root")


@pytest.fixture
def site_client(site: User) -> Client:
    client = Client()
    client.force_login(site)
    return client


@pytest.fixture
def new_club(alice: User) -> Club:
    """A club that Alice has just created."""
    return create_club(name="Hill", by=Actor.of(alice))


def pair(club: Club, *names: str) -> list[Player]:
    people = [Player.objects.create(name=name) for name in names]
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in people])
    return people


def won(club: Club | None, winner: Player, loser: Player, days_ago: int = 2) -> Match:
    """A rated match to 7 in this club, ruled by a director."""
    at = timezone.now() - timedelta(days=days_ago)
    match = match_between(winner, loser, club=club, now=at)
    rule(match, winner=0, at=at)
    return match


def rule(match: Match, *, winner: int, at: datetime, by: Actor = SYSTEM) -> None:
    with transaction.atomic():
        score = (7, 0) if winner == 0 else (0, 7)
        append_result(lock_match(match.pk), ResultInput(winner, score), Basis("director"), by=by, now=at)


def replayed() -> None:
    for pool in RatingPool.objects.all():
        ratings.replay_pool(pool_id=pool.pk, now=timezone.now())


def stored() -> dict[tuple[bool, str], float]:
    """The ratings by (whether that of the site, name)."""
    rows = PlayerRating.objects.select_related("pool", "player")
    return {(row.pool.is_default, row.player.name): round(row.rating, 1) for row in rows}


def test_matches_of_a_new_club_do_not_count_for_the_site(new_club: Club) -> None:
    assert new_club.accepted_at is None
    bob, carol = pair(new_club, "Bob", "Carol")
    won(new_club, bob, carol)
    replayed()
    assert set(stored()) == {(False, "Bob"), (False, "Carol")}
    assert ratings.ratings_of(players=[bob.pk], club=new_club)[bob.pk] > ratings.ratings_of(players=[bob.pk])[bob.pk]
    assert not any(ratings.check_ratings(pool) for pool in RatingPool.objects.all())


@pytest.mark.parametrize("path", ["today", "past"])
def test_the_administrator_sees_what_changes_and_then_accepts(new_club: Club, site_client: Client, path: str) -> None:
    bob, carol = pair(new_club, "Bob", "Carol")
    won(new_club, bob, carol)
    won(None, carol, Player.objects.create(name="Dave"), days_ago=1)
    replayed()
    was = stored()
    assert 'href="/waiting-clubs/"' in page(site_client, "/clubs/")
    look = page(site_client, f"/waiting-clubs/?club={new_club.slug}&since={path}")
    assert stored() == was
    assert Club.objects.get(pk=new_club.pk).accepted_at is None
    site_client.post("/waiting-clubs/", {"club": new_club.slug, "since": path})
    replayed()
    now = stored()
    if path == "today":
        assert "No ratings would change." in look
        assert now == was
    else:
        changed = {(who, now[True, who]) for who in ("Bob", "Carol", "Dave") if was.get((True, who)) != now[True, who]}
        assert changed == {
            (name, float(after))
            for name, after in re.findall(r"(Bob|Carol|Dave) [\d.]+ → ([\d.]+)", text(look).split("which end")[0])
        }
        assert {who for of_site, who in now if not of_site} == set()
    won(new_club, bob, carol, days_ago=-1)
    replayed()
    assert stored()[True, "Bob"] > 1500
    assert not any(ratings.check_ratings(pool) for pool in RatingPool.objects.all())
    assert LogEntry.objects.filter(verb="club_accepted", club=new_club).count() == 1
    again = site_client.post("/waiting-clubs/", {"club": new_club.slug, "since": path})
    assert again.status_code == 422
    assert "Hill has been accepted already." in text(again.content.decode())


def test_a_match_corrected_after_accepting_from_today_stays_with_the_club(new_club: Club, site_client: Client) -> None:
    bob, carol = pair(new_club, "Bob", "Carol")
    match = won(new_club, bob, carol)
    site_client.post("/waiting-clubs/", {"club": new_club.slug, "since": "today"})
    rule(match, winner=1, at=timezone.now())
    replayed()
    assert {who: rating > 1500 for who, rating in stored().items()} == {(False, "Bob"): False, (False, "Carol"): True}


def test_rankings_open_on_the_club_where_the_site_has_nothing(new_club: Club, site_client: Client) -> None:
    won(new_club, *pair(new_club, "Bob", "Carol"))
    replayed()
    assert "These are the own ratings of Hill" in text(page(Client(), "/rankings/"))
    assert "Bob" in page(Client(), "/rankings/")
    file = b"".join(Client().get("/rankings/ranking.csv").streaming_content).decode()  # type: ignore[attr-defined]
    assert "Bob" in file
    won(None, *[Player.objects.create(name=name) for name in ("Dave", "Erin")])
    replayed()
    assert "Bob" in page(Client(), "/rankings/"), "nobody is ranked by the site yet"
    opened = text(page(Client(), "/rankings/?provisional=1"))
    assert "Dave" in opened
    assert "Bob" not in opened
    assert "Bob" in text(page(Client(), f"/rankings/?club={new_club.slug}"))


def test_officers_read_that_their_ratings_are_their_own(new_club: Club, alice: User, bob: User, site: User) -> None:
    told = "Matches of this club count in its own ratings until an administrator of the site accepts the club."
    reader = Client()
    for user, reads in ((alice, True), (bob, False)):
        reader.force_login(user)
        assert (told in text(page(reader, f"/clubs/{new_club.slug}/"))) is reads
    reader.force_login(alice)
    ratings.accept_club(club=new_club, with_past=False, by=Actor.of(site), now=timezone.now())
    assert told not in text(page(reader, f"/clubs/{new_club.slug}/"))


def test_a_club_of_whoever_runs_the_site_is_accepted_at_once(site: User, alice: User) -> None:
    assert create_club(name="Ours", by=Actor.of(site)).accepted_by == site
    assert create_club(name="Made by a command", by=SYSTEM).accepted_at is not None
    alice.owns_site = True
    assert create_club(name="Hers", by=Actor.of(alice)).accepted_at is not None


def ruled(first: Player, second: Player, club: Club, by: Actor) -> str:
    """A match of this club that was ruled just now; its public id."""
    match = match_between(first, second, club=club, now=timezone.now())
    rule(match, winner=0, at=timezone.now(), by=by)
    return match.public_id


def listed(client: Client) -> set[str]:
    return set(re.findall(r'href="/matches/([2-9a-z]{10})/"', page(client, "/waiting-clubs/")))


def test_results_are_listed_that_only_one_director_vouches_for(
    new_club: Club, site_client: Client, alice: User, frank: User
) -> None:
    bob, carol, dave, erin, grete, hans = pair(new_club, "Bob", "Carol", "Dave", "Erin", "Grete", "Hans")
    by_alice, elsewhere = Actor.of(alice), Club.objects.get(slug="elsewhere")
    pairs = ((bob, carol), (dave, erin), (grete, hans))
    first, second, third = (ruled(*two, new_club, by_alice) for two in pairs)
    assert listed(site_client) == {first, second, third}
    ruled(Player.objects.create(name="Elsa"), dave, elsewhere, SYSTEM)
    assert listed(site_client) == {first, third}, "Dave has played in another club"
    ruled(grete, hans, new_club, Actor.of(frank))
    assert listed(site_client) == {first}, "Frank has ruled about Grete and Hans"
    Membership.objects.filter(club=new_club, player=bob).update(role=Membership.Role.DIRECTOR)
    assert listed(site_client) == set(), "Bob directs it too"


def test_a_result_of_a_club_without_officers_is_not_listed(site_client: Client, alice: User) -> None:
    club = create_club(name="Made by a command", by=SYSTEM)
    ruled(*pair(club, "Bob", "Carol"), club, Actor.of(alice))
    assert listed(site_client) == set()
