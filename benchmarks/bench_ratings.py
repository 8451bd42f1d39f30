"""Ratings: the replay of a history, and the pages of a large ranking beside a bare view in the same run."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import perf_counter

from benchmarks.pages import REQUESTS, bare, database, measure

# isort: split
from django.db import connection, transaction

from matches.models import Match, PlayerRating, RatingPool, Result
from matches.ratings import services as ratings
from players.models import Player

MATCHES = 10_000
PLAYERS = 300
RANKED = 5_000
LONGEST_HISTORY = 3_000
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SEED = 1975


def season(rng: random.Random) -> tuple[list[Player], list[Match]]:
    """Create MATCHES matches; the first player is in LONGEST_HISTORY of them."""
    people = Player.objects.bulk_create([Player(name=f"Player {number:04}") for number in range(PLAYERS)])
    pairs = [
        tuple(rng.sample(people[1:], 2)) if number >= LONGEST_HISTORY else (people[0], rng.choice(people[1:]))
        for number in range(MATCHES)
    ]
    rng.shuffle(pairs)
    first = NOW - timedelta(hours=MATCHES)
    matches = Match.objects.bulk_create(
        [
            Match(
                player_0=player_0,
                player_1=other,
                length=rng.choice([5, 7, 9, 11]),
                state=Match.State.SETTLED,
                finished_at=first + timedelta(hours=number),
            )
            for number, (player_0, other) in enumerate(pairs)
        ]
    )
    Result.objects.bulk_create([result(match, 1, rng.randrange(2)) for match in matches])
    return people, matches


def result(match: Match, version: int, winner: int) -> Result:
    score = (match.length, 3) if winner == 0 else (3, match.length)
    return Result(
        match=match,
        version=version,
        winner=winner,
        score_0=score[0],
        score_1=score[1],
        kind=Result.Kind.PLAYED,
        source=Result.Source.DIRECTOR,
        by="system",
    )


def timed(label: str, work: Callable[[], ratings.Replayed | None]) -> None:
    """Print the time of a step."""
    started = perf_counter()
    done = work()
    seconds = perf_counter() - started
    if done is None:
        raise SystemExit(f"{label}: nothing was replayed")
    print(f"  {label:<34} {seconds * 1000:>9.1f} ms  {done.matches:>6} matches folded, {done.written:>6} rows written")


def correct(pool: RatingPool, match: Match) -> ratings.Replayed | None:
    """Reverse the winner of a match and replay the ratings."""
    standing_result = match.results.order_by("-version")[0]
    with transaction.atomic():
        result(match, standing_result.version + 1, 1 - (standing_result.winner or 0)).save()
        ratings.mark_dirty(match=match)
    return ratings.replay_pool(pool_id=pool.pk, now=NOW)


def measure_replay(matches: list[Match]) -> None:
    """Measure replays of everything, and after corrections at the start, in the middle and at the end."""
    pool = ratings.default_pool()
    print(f"Replay of {MATCHES:,} matches of {PLAYERS} players ({connection.vendor}), seed {SEED}")
    timed("everything, for the first time", lambda: ratings.rebuild_pool(pool=pool, now=NOW))
    timed("everything, nothing differs", lambda: ratings.rebuild_pool(pool=pool, now=NOW))
    timed("the first match corrected", lambda: correct(pool, matches[0]))
    timed("the middle one corrected", lambda: correct(pool, matches[MATCHES // 2]))
    timed("the last one corrected", lambda: correct(pool, matches[-1]))
    started = perf_counter()
    if ratings.check_ratings(pool):
        raise SystemExit("The ratings are not what the results say.")
    print(f"  {'check, which writes nothing':<34} {(perf_counter() - started) * 1000:>9.1f} ms")


def fill_ranking(rng: random.Random) -> None:
    """Add players until RANKED of them are rated."""
    pool = ratings.default_pool()
    missing = RANKED - PlayerRating.objects.filter(pool=pool).count()
    people = Player.objects.bulk_create([Player(name=f"Member {number:05}") for number in range(missing)])
    PlayerRating.objects.bulk_create(
        [
            PlayerRating(
                pool=pool,
                player=player,
                rating=rng.gauss(1500, 120),
                experience=700,
                matches=100,
                wins=50,
                last_played_at=NOW - timedelta(days=rng.randrange(300)),
                last_change=2.5,
                opponents=20,
            )
            for player in people
        ]
    )


def measure_pages(player: Player) -> None:
    """Measure the ranking and the page of the busiest player, beside a view that does nothing."""
    here = f"/players/{player.public_id}"
    print(f"Pages: a ranking of {RANKED:,}, a player of {LONGEST_HISTORY:,} matches; {REQUESTS} requests each")
    bare()
    for label, path in (
        ("ranking, first page", "/rankings/?days=0"),
        ("ranking, middle page", "/rankings/?days=0&page=50"),
        ("ranking, played within a year", "/rankings/"),
        ("ranking, a search", "/rankings/?days=0&q=member+0100"),
        ("ranking, API", "/api/v1/rankings/?days=0"),
        ("profile", f"{here}/"),
        ("profile, chart of all matches", f"{here}/?chart=all"),
        ("history, first page", f"{here}/matches/"),
        ("history, last page, won only", f"{here}/matches/?result=won&page=999"),
    ):
        measure(label, path)


def main() -> None:
    """Measure everything in one database."""
    rng = random.Random(SEED)  # noqa: S311, repeatable
    with database():
        people, matches = season(rng)
        measure_replay(matches)
        fill_ranking(rng)
        measure_pages(people[0])


if __name__ == "__main__":
    main()
