"""A rating is provisional until five rated matches in events of accepted clubs, or against four who have these."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape
from itertools import islice
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from demo import club as demo
from matches.models import Match, PlayerRating, PoolSettings, RatingChange, RatingPool
from matches.models.pool_settings import ENOUGH_EVENT_MATCHES
from matches.rankings.tables import RankingFilters, ranking
from matches.ratings.pools import create_pool, list_of
from matches.ratings.services import accept_club, check_ratings, default_pool, provisional_among
from players.actors import SYSTEM
from players.models import Club, Player, User
from tests.matches.ratings.history import LATER, NOON, Kind, correct, played, player, reinstate, replay, void
from tests.privacy.addresses import ROUTES, addresses
from tests.test_privacy import PERSONAL
from tests.tiers import TEST_SEED

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

CUP = "division:cup"


# What is counted.


def rated_by_site() -> Iterator[tuple[Match, int, int]]:
    """The matches that count for the site, each with its winner and loser, in order, from the facts alone."""
    into = dict(Player.objects.values_list("pk", "merged_into"))

    def person(pk: int) -> int:
        while (other := into[pk]) is not None:
            pk = other
        return pk

    for match in Match.objects.select_related("club").order_by("finished_at", "pk"):
        standing = max(match.results.all(), key=lambda result: result.version)
        is_played = standing.winner is not None and standing.kind in (Kind.PLAYED, Kind.CONCESSION, Kind.VOID)
        sides = [person(match.player_0_id), person(match.player_1_id)]
        club = match.club
        since = None if club is None else club.accepted_from
        counts = club is None or (club.accepted_at is not None and (since is None or match.finished_at >= since))
        if not (is_played and match.rated and counts and match.pool_id is None and sides[0] != sides[1]):
            continue
        yield match, sides[standing.winner], sides[1 - standing.winner]


def counted_from_facts() -> dict[int, tuple[int, int]]:
    """Opponents who have enough matches in events, and matches in events, of everybody rated by the site."""
    met: dict[int, list[int]] = defaultdict(list)
    in_events: dict[int, int] = defaultdict(int)
    for match, *sides in rated_by_site():
        for pk, opponent in (sides, sides[::-1]):
            met[pk].append(opponent)
            in_events[pk] += match.parent_topic != ""
    enough = {pk for pk, matches in in_events.items() if matches >= ENOUGH_EVENT_MATCHES}
    return {pk: (len(enough.intersection(others)), in_events[pk]) for pk, others in met.items()}


def ratings_from_facts() -> dict[int, float]:
    """The rating of everybody by the formula of FIBS, of which friendlies with provisional opponents change nothing."""
    counts = counted_from_facts()
    anchored = {pk for pk, (opponents, matches) in counts.items() if opponents >= 4 or matches >= ENOUGH_EVENT_MATCHES}
    ratings, experience = dict.fromkeys(counts, 1500.0), dict.fromkeys(counts, 0)
    for match, winner, loser in rated_by_site():
        chance = 1 / (10 ** ((ratings[loser] - ratings[winner]) * match.length**0.5 / 2000) + 1)
        stake = 4 * match.length**0.5 * (1 - chance)
        for pk, opponent, sign in ((winner, loser, 1), (loser, winner, -1)):
            if match.parent_topic or pk not in anchored or opponent in anchored:
                ratings[pk] += sign * stake * max(1, 5 - experience[pk] / 100)
                experience[pk] += match.length
    return ratings


def stored(pool: RatingPool | None = None) -> dict[int, tuple[int, int]]:
    rows = PlayerRating.objects.filter(pool=pool or default_pool())
    return {row.player_id: (row.event_opponents, row.event_matches) for row in rows}


class History:
    """Matches, corrections, merges and a club that is accepted, in random order."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.people = [player(f"P{number}") for number in range(7)]
        accepted = Club.objects.create(name="Harbour", slug="harbour", accepted_at=NOON)
        self.waiting = Club.objects.create(name="Hill", slug="hill", accepted_at=None)
        self.clubs = [None, None, accepted, self.waiting]
        self.matches: list[Match] = []
        for _ in range(25):
            self.play()

    def step(self) -> None:
        steps = [self.play] * 6 + [self.correct, self.void_or_reinstate, self.rate_or_not, self.merge_or_not]
        self.chance.choice([*steps, self.accept])()

    def play(self) -> None:
        first, second = self.chance.sample(self.people, 2)
        club = self.chance.choice(self.clubs)
        topic = CUP if club is not None and self.chance.random() < 0.7 else ""
        hours = self.chance.randrange(100)
        self.matches.append(played(first, second, hours=hours, length=5, club=club, parent_topic=topic))

    def one(self) -> Match | None:
        return Match.objects.get(pk=self.chance.choice(self.matches).pk) if self.matches else None

    def correct(self) -> None:
        if (match := self.one()) is not None and match.state != Match.State.VOID:
            correct(match, winner=self.chance.randrange(2), score=(5, 5))

    def void_or_reinstate(self) -> None:
        if (match := self.one()) is not None:
            if match.state == Match.State.VOID:
                reinstate(match)
            else:
                void(match, rated=self.chance.random() < 0.5)

    def rate_or_not(self) -> None:
        if (match := self.one()) is not None and match.state != Match.State.VOID:
            match.rated = not match.rated
            match.save(update_fields=["rated"])
            correct(match, winner=0, score=(5, 1))

    def merge_or_not(self) -> None:
        people = list(Player.objects.filter(pk__in=[one.pk for one in self.people]))
        merged = [one for one in people if one.merged_into_id is not None]
        if merged and self.chance.random() < 0.5:
            Player.objects.filter(pk=self.chance.choice(merged).pk).update(merged_into=None)
        else:
            one, into = self.chance.sample([one for one in people if one.merged_into_id is None], 2)
            Player.objects.filter(pk=one.pk).update(merged_into=into)

    def accept(self) -> None:
        self.waiting.refresh_from_db()
        if self.waiting.accepted_at is None and len(self.matches) > 10:
            at = NOON + timedelta(hours=50)
            accept_club(club=self.waiting, with_past=self.chance.random() < 0.5, by=SYSTEM, now=at)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(4))
def test_counts_and_ratings_are_those_of_the_facts_whatever_happened(number: int) -> None:
    history = History(1000 * TEST_SEED + number)
    counts: set[tuple[int, int]] = set()
    for _ in range(12):
        for _ in range(history.chance.randrange(1, 6)):
            history.step()
        replay()
        counts |= set(stored().items())
        assert stored() == counted_from_facts()
        ratings = PlayerRating.objects.filter(pool=default_pool()).values_list("player", "rating")
        assert dict(ratings) == pytest.approx(ratings_from_facts(), abs=0.001)
        assert not check_ratings(default_pool())
        provisional = {row.player_id for row in PlayerRating.objects.filter(pool=default_pool()) if row.is_provisional}
        assert provisional_among(default_pool(), stored()) == provisional
    assert len({opponents for opponents, _ in counts}) > 2


def test_the_check_and_a_rebuild_find_wrong_counts() -> None:
    played(player("Bob"), player("Carol"))
    replay()
    PlayerRating.objects.update(event_opponents=4, event_matches=1)
    assert len(check_ratings(default_pool()).standings) == 2
    call_command("rebuild", verbosity=0)
    assert set(stored().values()) == {(0, 0)}


def test_a_pool_that_the_release_before_has_replayed_is_replayed_again() -> None:
    played(player("Bob"), player("Carol"))
    replay()
    pool = default_pool()
    pool.basis["derives"] -= 1
    pool.save()
    PlayerRating.objects.update(event_opponents=4)
    assert not check_ratings(pool), "a replay is due, so nothing is compared"
    replay()
    assert set(stored().values()) == {(0, 0)}


# What follows.


def rows(**filters: Any) -> list[str]:
    return [row.player.name for row in ranking(RankingFilters(days=0, **filters), 1, LATER).rows]


@pytest.fixture
def accepted() -> Club:
    """A club that was accepted before the first match."""
    return Club.objects.create(name="Quay", slug="quay", accepted_at=NOON)


def evening(club: Club, *people: Player, matches: int = ENOUGH_EVENT_MATCHES, hours: float = 0) -> list[Match]:
    """Let neighbours play one another so often in an event of a club."""
    pairs = list(zip(people[::2], people[1::2], strict=True)) * matches
    return [played(*pair, hours=hours + number / 10, club=club, parent_topic=CUP) for number, pair in enumerate(pairs)]


def regulars(club: Club, count: int) -> list[Player]:
    people = [player(f"Regular {number}") for number in range(count)]
    evening(club, *people)
    return people


def test_five_matches_in_events_of_accepted_clubs_give_a_rank(accepted: Club) -> None:
    erik, frida = player("Erik"), player("Frida")
    waiting = Club.objects.create(name="Hill", slug="hill", accepted_at=None)
    evening(accepted, erik, frida, matches=4)
    evening(waiting, erik, frida, matches=2)
    played(erik, frida, hours=50, club=accepted)
    replay()
    assert rows() == []
    assert set(rows(provisional=True)) == {"Erik", "Frida"}
    standing = PlayerRating.objects.get(pool=default_pool(), player=erik)
    assert (standing.missing_opponents, standing.missing_event_matches) == (4, 1)
    evening(accepted, erik, frida, matches=1, hours=60)
    replay()
    assert set(rows()) == {"Erik", "Frida"}
    standing.refresh_from_db()
    assert (standing.missing_opponents, standing.is_provisional) == (0, False)


def test_friendlies_against_four_people_who_have_them_give_one_but_no_second_hop(accepted: Club) -> None:
    bob, carol, dave = (player(name) for name in ("Bob", "Carol", "Dave"))
    people = regulars(accepted, 6)
    for number, other in enumerate(people[:4]):
        played(bob, other, hours=20 + number)
    for number, other in enumerate([bob, *people[:3], player("Stranger")]):
        played(carol, other, hours=40 + number)
        played(dave, other, hours=40 + number)
    replay()
    assert set(rows()) == {"Bob", *(one.name for one in people)}
    standing = PlayerRating.objects.get(pool=default_pool(), player=carol)
    assert (standing.missing_opponents, standing.missing_event_matches) == (1, 5)


TURNS: dict[str, tuple[Callable[[Match], Any], Callable[[Match], Any]]] = {
    "voided": (void, reinstate),
    "taken out of the ratings": (
        lambda match: rate(match, rated=False),
        lambda match: rate(match, rated=True),
    ),
    "corrected to nobody's": (
        lambda match: correct(match, winner=None, kind=Kind.FORFEIT),
        lambda match: correct(match, winner=1, score=(3, 7)),
    ),
}


def rate(match: Match, *, rated: bool) -> None:
    match.rated = rated
    match.save(update_fields=["rated"])
    correct(match, winner=0, score=(7, 3))


@pytest.mark.parametrize("what", TURNS)
def test_who_met_somebody_follows_what_becomes_of_their_matches(what: str, accepted: Club) -> None:
    """Bob's four friendlies came long before: nothing of his own is replayed."""
    bob, people = player("Bob"), [player(f"Regular {number}") for number in range(4)]
    for number, other in enumerate(people):
        played(bob, other, hours=number)
    last = evening(accepted, *people, hours=100)[-1]
    replay()
    assert "Bob" in rows()
    take, give_back = TURNS[what]
    take(last)
    replay()
    assert rows() == ["Regular 0", "Regular 1"]
    assert not check_ratings(default_pool())
    give_back(Match.objects.get(pk=last.pk))
    replay()
    assert "Bob" in rows()
    assert not check_ratings(default_pool())


def test_acceptance_taken_back_takes_the_ranks_with_it(accepted: Club) -> None:
    bob, people = player("Bob"), regulars(accepted, 4)
    for number, other in enumerate(people):
        played(bob, other, hours=50 + number)
    replay()
    assert len(rows()) == 5
    Club.objects.update(accepted_at=None)
    assert check_ratings(default_pool())
    call_command("rebuild", verbosity=0)
    assert rows() == []


def test_two_accounts_that_turn_out_to_be_one_person_are_one_opponent(accepted: Club) -> None:
    bob, (first, second, *others) = player("Bob"), regulars(accepted, 4)
    for number, other in enumerate([first, second, *others]):
        played(bob, other, hours=50 + number)
    replay()
    assert "Bob" in rows()
    Player.objects.filter(pk=first.pk).update(merged_into=second)
    replay()
    assert "Bob" not in rows()
    Player.objects.filter(pk=first.pk).update(merged_into=None)
    replay()
    assert "Bob" in rows()


def test_pools_of_clubs_keep_their_settings(club: Club) -> None:
    pool = create_pool(club=club, settings=PoolSettings("Ladder"), by=SYSTEM)
    played(player("Bob"), player("Carol"), club=club, pool=pool)
    replay(pool=pool)
    assert stored(pool)
    assert not any(row.is_provisional for row in PlayerRating.objects.filter(pool=pool))
    assert (pool.chosen.least_event_opponents, default_pool().chosen.least_event_opponents) == (0, 4)
    assert "least_event_opponents" not in default_pool().basis.get("counted", {})


def account(name: str, days: float, **fields: Any) -> User:
    joined = LATER - timedelta(days=days)
    return User.objects.create_user(f"{name.lower()}@example.org", display_name=name, date_joined=joined, **fields)


def test_a_new_account_that_was_not_seen_in_events_waits_seven_days(accepted: Club) -> None:
    people = regulars(accepted, 4)
    Player.objects.filter(pk=people[0].pk).update(user=account("Claimed", 0))
    for name, days in (("Old", 7), ("New", 6.9)):
        own = player(name, user=account(name, days))
        for number, other in enumerate(people):
            played(own, other, hours=50 + number)
    replay()
    assert set(rows()) == {"Old", *(one.name for one in people)}, "who was seen in events keeps a place on signing up"
    assert "New" in rows(provisional=True)
    found = {row.player.name: row.rank for row in ranking(RankingFilters(days=0, q="w"), 1, LATER).rows}
    assert found == {"New": None}


def test_a_suspended_account_leaves_the_rankings_and_its_page_says_so(accepted: Club, client: Client) -> None:
    people = regulars(accepted, 2)
    pool = create_pool(club=accepted, settings=PoolSettings("Ladder"), by=SYSTEM)
    played(*people, club=accepted, pool=pool)
    replay()
    replay(pool=pool)
    user = account("Regular", 30)
    Player.objects.filter(pk=people[0].pk).update(user=user)
    page = f"/players/{people[0].public_id}/"
    said = "This account is suspended."
    for is_active, names in ((True, {"Regular 0", "Regular 1"}), (False, {"Regular 1"})):
        User.objects.filter(pk=user.pk).update(is_active=is_active)
        assert set(rows()) == set(rows(provisional=True)) == names
        listed, named = list_of(pool, LATER)
        assert {named[row.player].name for row in listed if row.rank} == names
        assert (said in words(client.get(page))) != is_active


# Where it is shown.


@pytest.fixture
def rated(bob: User, accepted: Club) -> Player:
    """Bob, who has an account and has beaten two people who are known from events."""
    own = player("Bob", user=bob)
    for number, other in enumerate(regulars(accepted, 2)):
        played(own, other, hours=50 + number)
    replay()
    return own


def words(page: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.content.decode())).split())


def test_the_player_reads_what_is_missing(rated: Player, bob: User, client: Client) -> None:
    client.force_login(bob)
    for url in ("/", f"/players/{rated.public_id}/", "/rankings/"):
        shown = words(client.get(url))
        assert "It takes 5 more rated matches in events of clubs, or rated matches against 2 more opponents" in shown, (
            url
        )


def test_a_search_finds_who_has_no_rank(rated: Player, client: Client) -> None:
    for query, is_ranked in (("q=bob", False), ("q=bob&provisional=1", True)):
        shown = client.get(f"/rankings/?{query}&days=0").context["ranking"].rows
        assert [row.rank is not None for row in shown if row.player == rated] == [is_ranked]
        listed = client.get(f"/api/v1/rankings/?{query}&days=0").json()["results"]
        ranks = [row["rank"] for row in listed if row["player"]["public_id"] == rated.public_id]
        assert [rank is not None for rank in ranks] == [is_ranked]


def test_the_api_says_so(rated: Player, client: Client) -> None:
    for query, marks in (("", {False}), ("&provisional=true", {False, True}), ("&provisional=true&q=bob", {True})):
        listed = client.get(f"/api/v1/rankings/?days=0{query}").json()["results"]
        assert {row["is_provisional"] for row in listed} == marks
    profile = client.get(f"/api/v1/players/{rated.public_id}/").json()
    assert (profile["standing"]["is_provisional"], profile["rank"]) == (True, None)


RATING = 7777.7
SHOWN = re.compile(r"7[,.\u202f ]?77[78](?:[.,]70?)?(?!\d)")
OF_CHANGES = {"event-report", "api-report"}
"""They show what an event has made of a rating."""
QUERIES = {
    "choose-opponent": {"q": "e"},
    "rankings": {"provisional": "1"},
    "ranking-csv": {"provisional": "1"},
    "api-rankings": {"provisional": "1"},
}
MARKED = {
    "home", "rankings", "players", "player", "versus", "choose-opponent", "ranking-csv", "api-rankings", "api-players",
    "api-player", "api-versus", *OF_CHANGES,
}  # fmt: skip
"""Routes that show a rating of today; each must have been read with one."""


def unmarked(response: Any) -> tuple[int, list[str]]:
    """How often a page, answer or file shows the rating, and what surrounds it where it is not marked."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if "json" in response.headers["Content-Type"]:
        rows = list(objects(json.loads(content)))
        found = [row for row in rows if RATING in row.values() or RATING in row.get("ratings", ())]
        return len(found), [str(row) for row in found if row.get("is_provisional") not in (True, [True, True])]
    text = unescape(re.sub(r"<[^>]+>", " ", content.decode("utf-8", "replace")))
    if "csv" in response.headers["Content-Type"]:
        lines = [line for line in text.splitlines() if SHOWN.search(line)]
        return len(lines), [line for line in lines if not line.endswith(",1")]
    found_at = list(SHOWN.finditer(text))
    faults = [text[at.start() - 60 : at.end() + 20] for at in found_at if not text[at.end() :].lstrip().startswith("?")]
    return len(found_at), faults


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


@pytest.mark.slow
def test_a_provisional_rating_is_marked_wherever_it_is_shown() -> None:
    now = timezone.now()
    demo.load(password="crawford-1969", now=now)
    call_command("rebuild", verbosity=0)
    provisional = {"rating": RATING, "event_opponents": 3, "event_matches": 4}
    PlayerRating.objects.filter(pool=default_pool()).update(**provisional)
    client = Client()
    client.force_login(User.objects.get(email="bob@example.org"))
    seen: set[str] = set()
    faults: list[str] = []
    public = [name for name in ROUTES if not PERSONAL & set(ROUTES[name].pattern.regex.groupindex)]
    for name in sorted(public, key=lambda name: name in OF_CHANGES):
        if name in OF_CHANGES:
            RatingChange.objects.filter(pool=default_pool()).update(rating_after=RATING)
        for url in islice(addresses(name), None if name in MARKED else 2):
            response = client.get(url, QUERIES.get(name, {}))
            if response.status_code == 200 and not response.headers["Content-Type"].startswith("image"):
                count, unmarked_here = unmarked(response)
                seen |= {name} if count else set()
                faults += [f"{name} {url}: {' '.join(fault.split())}" for fault in unmarked_here]
    assert faults == []
    assert MARKED - seen == set()
