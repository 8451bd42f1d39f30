"""Accounts of one person give one another any rating, but no rank of the site: that takes evenings in clubs."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import combinations

import pytest

from demo import club as demo
from matches.models import Challenge, Match, PlayerRating, RatingChange
from matches.models.pool_settings import ENOUGH_EVENT_MATCHES
from matches.play.lobby.services import USUAL, friendlies_to_review
from matches.rankings.tables import RankingFilters, table
from matches.ratings.services import check_ratings, default_pool
from players.models import Club, Membership, Player, User
from tests.clock import TEST_NOW
from tests.matches.ratings.history import NOON, played, player, replay
from tests.matches.ratings.test_provisional import CUP, evening

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

Friendly = tuple[Player, Player]
"""Winner and loser."""


class Farm:
    """Accounts of one person, made a month before; the first is to get a rank."""

    def __init__(self, accounts: int) -> None:
        joined = NOON - timedelta(days=30)
        users = [
            User.objects.create_user(f"farm{number}@example.org", display_name=f"Farm {number}", date_joined=joined)
            for number in range(accounts)
        ]
        self.own, *self.others = (player(user.display_name, user=user) for user in users)
        self.accounts = [self.own, *self.others]


class Harbour:
    """An accepted club, six of whose members played an evening."""

    def __init__(self) -> None:
        self.club = Club.objects.create(name="Harbour", slug="harbour", accepted_at=NOON)
        self.members = [player(f"Member {number}") for number in range(6)]
        for member in self.members:
            Membership.objects.create(club=self.club, player=member)
        evening(self.club, *self.members)


def fifteen_losers(farm: Farm, _: Harbour) -> Iterator[Friendly]:
    yield from ((farm.own, other) for other in farm.others)


def round_robin(farm: Farm, _: Harbour) -> Iterator[Friendly]:
    yield from combinations(farm.accounts, 2)


def ladder(farm: Farm, _: Harbour) -> Iterator[Friendly]:
    """Each account wins against the one below, and the first against all who have won; a club of theirs waits."""
    waiting = Club.objects.create(name="Farm", slug="farm", accepted_at=None)
    Membership.objects.bulk_create(Membership(club=waiting, player=account) for account in farm.accounts)
    for above, below in zip(farm.others, farm.others[1:], strict=False):
        yield from ((above, below), (above, below), (farm.own, above))


def honest_victims(farm: Farm, harbour: Harbour) -> Iterator[Friendly]:
    """Three members accept open challenges."""
    for victim in harbour.members[:3]:
        yield farm.own, victim
        yield from ((other, victim) for other in farm.others[:2])
    yield from round_robin(farm, harbour)


def four_matches_in_events(farm: Farm, harbour: Harbour) -> Iterator[Friendly]:
    """Each of the accounts comes to a club until it has one match too few."""
    for number, account in enumerate(farm.accounts):
        evening(harbour.club, account, harbour.members[0], matches=4, hours=number)
    yield from round_robin(farm, harbour)


def alternating_sets(farm: Farm, _: Harbour) -> Iterator[Friendly]:
    """Two sets of four vouch for each other, and then for the first account."""
    first, second = farm.others[:4], farm.others[4:8]
    yield from ((one, other) for one in first for other in second)
    yield from ((farm.own, other) for other in first + second)


FARMS: dict[str, tuple[int, Callable[[Farm, Harbour], Iterator[Friendly]]]] = {
    "fifteen accounts that lose": (16, fifteen_losers),
    "a round robin of five": (5, round_robin),
    "a ladder": (8, ladder),
    "honest victims": (6, honest_victims),
    "four matches in events": (5, four_matches_in_events),
    "alternating sets": (9, alternating_sets),
}


def names(day: int, *, provisional: bool = False) -> list[str]:
    now = NOON + timedelta(days=day)
    return [row.player.name for row in table(RankingFilters(provisional=provisional), now)]


@pytest.mark.parametrize("kind", FARMS)
def test_no_farm_has_a_rank_within_thirty_days_and_administrators_see_it(kind: str) -> None:
    accounts, plan = FARMS[kind]
    harbour, farm = Harbour(), Farm(accounts)
    honest = {member.name for member in harbour.members}
    friendlies = list(plan(farm, harbour))
    assert len(friendlies) > USUAL
    for day in (1, 2, 3, 10, 20, 29):
        # All of them on each of these days: more than the limits of friendlies let them play.
        for number, (winner, loser) in enumerate(friendlies):
            match = played(winner, loser, hours=24 * day - 1 + number / 1000)
            Challenge.objects.create(
                challenger=winner, opponent=loser, length=7, match=match, rated=True, expires_at=NOON,
                state=Challenge.State.ACCEPTED,
            )  # fmt: skip
        replay()
        assert set(names(day)) == honest, "whoever comes to the club keeps the rank"
    assert names(29, provisional=True)[0] in {account.name for account in farm.accounts}, (
        "its rating would be the first"
    )
    assert not check_ratings(default_pool())
    groups = friendlies_to_review(None, NOON + timedelta(days=29))
    assert {account for group in groups for account in group.players} >= set(farm.accounts)


@pytest.mark.parametrize("evening_first", [True, False])
@pytest.mark.parametrize("accounts", [15, 30])
@pytest.mark.parametrize("won", [0, 2, 5])
def test_a_member_who_farms_has_no_rank_above_the_one_from_events(won: int, accounts: int, evening_first: bool) -> None:
    """An evening of five matches, and friendlies against accounts of one's own, before it or after."""
    harbour, farm = Harbour(), Farm(accounts + 1)
    Membership.objects.create(club=harbour.club, player=farm.own)
    at = 20.0 if evening_first else 24.0 * 31
    for number in range(ENOUGH_EVENT_MATCHES):
        pair = (farm.own, harbour.members[number]) if number < won else (harbour.members[number], farm.own)
        played(*pair, hours=at + number / 10, club=harbour.club, parent_topic=CUP)
    replay()
    rank = names(31).index(farm.own.name)
    rating = PlayerRating.objects.get(pool=default_pool(), player=farm.own).rating
    for day in (1, 2, 3, 10, 20, 29):
        for number, other in enumerate(farm.others):
            played(farm.own, other, hours=24 * day - 1 + number / 1000)
        replay()
        assert names(31).index(farm.own.name) == rank
        assert PlayerRating.objects.get(pool=default_pool(), player=farm.own).rating == rating
    assert not check_ratings(default_pool())


def test_friendlies_with_others_move_both_or_only_the_provisional_side() -> None:
    harbour, bob, carol = Harbour(), player("Bob"), player("Carol")
    first, second, *_ = harbour.members
    for pair in ((first, bob), (bob, first), (first, second), (bob, carol)):
        played(*pair, hours=30)
    played(first, bob, hours=40, club=harbour.club, as_told=True)
    replay()
    moved = [
        [change.change != 0 for change in RatingChange.objects.filter(match=match).order_by("-won")]
        for match in Match.objects.filter(parent_topic="").order_by("pk")
    ]
    assert moved == [[False, True], [True, False], [True, True], [True, True], [True, True]]


@pytest.mark.slow
def test_the_demo_club_keeps_its_ranks() -> None:
    demo.load(password="crawford-1969", now=TEST_NOW, with_year=True)
    ratings = PlayerRating.objects.filter(pool=default_pool())
    before = {
        row.player_id
        for row in ratings
        if row.event_matches >= 10
        or RatingChange.objects.filter(pool=row.pool, player=row.player).values("opponent").distinct().count() >= 4
    }
    after = set(table(RankingFilters(), TEST_NOW).values_list("player", flat=True))
    assert len(before) > 12
    assert len(before - after) <= len(before) // 5, "their draws are by lot: who played 4 matches has no rank now"
