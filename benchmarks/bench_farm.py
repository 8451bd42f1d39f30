"""Where somebody ends who wins rated friendlies against accounts of their own, and whether administrators see it.

    python -m benchmarks.bench_farm

The accounts belong to no club, and play as fast as the limits of friendlies allow. Beside them, 20 players of equal
skill have played a round robin. The rank is that among all ratings, provisional or not.
"""

from datetime import datetime, timedelta
from random import Random

from benchmarks.pages import database

# isort: split
from django.utils import timezone

from matches.models import PlayerRating
from matches.play.lobby.services import friendlies_to_review, not_rated_between
from matches.ratings import services as ratings
from players.models import Player, User
from tests.matches.play.lobby.test_reviews import played
from tests.matches.ratings.history import played as reported

FIELD, SEED, LENGTH = 20, 1975, 5
FARMS = ((3, 5, 8), (5, 3, 8), (5, 3, 10), (15, 1, 8), (15, 1, 10))
"""Accounts, matches with each, and plays before they give up."""


def account(name: str, now: datetime) -> Player:
    """Create a player with an account whose address is confirmed."""
    user = User.objects.create_user(f"{name}@example.org", "x", display_name=name, email_verified_at=now)
    return Player.objects.create(name=name, user=user)


def prepare() -> None:
    """Create the field, of which everybody has met everybody."""
    rng = Random(SEED)  # noqa: S311, a field to measure with
    people = [Player.objects.create(name=f"Player {number:02}") for number in range(FIELD)]
    pairs = [pair for index, one in enumerate(people) for pair in ((one, other) for other in people[index + 1 :])]
    rng.shuffle(pairs)
    for number, pair in enumerate(pairs):
        reported(*rng.sample(pair, 2), hours=number, length=LENGTH)


def farm(number: int, accounts: int, each: int, plays: int) -> str:
    """Let one account win its matches; return the row of the table."""
    now = timezone.now()
    own = account(f"farm{number}", now)
    left = dict.fromkeys((account(f"farm{number}-{other}", now) for other in range(accounts)), each)
    day, days = now - timedelta(days=14), 0
    while any(left.values()):
        day, days = day + timedelta(days=1), days + 1
        for other in left:
            while left[other] and other.pk not in not_rated_between(own, [other], day):
                match = played(own, other, day, plays=plays, length=LENGTH)
                left[other] -= match.rated
    ratings.replay_pool(pool_id=ratings.default_pool().pk, now=timezone.now())
    row = PlayerRating.objects.select_related("pool").get(player=own)
    rank = 1 + PlayerRating.objects.filter(pool=row.pool, rating__gt=row.rating).exclude(pk=row.pk).count()
    seen = sum(len(group.matches) for group in friendlies_to_review(None, timezone.now()) if own in group.players)
    state = "provisional" if row.is_provisional else "ranked"
    return f"| {accounts} × {each} | {plays} | {days} | {row.rating:.0f} | {rank} | {state} | {seen or 'nobody'} |"


def main() -> None:
    """Print the table."""
    with database():
        prepare()
        print("| Accounts × matches | Plays | Days | Rating | Rank | Rating is | Matches on the list for review |")
        print("|---|---|---|---|---|---|---|")
        for number, (accounts, each, plays) in enumerate(FARMS):
            print(farm(number, accounts, each, plays), flush=True)


if __name__ == "__main__":
    main()
