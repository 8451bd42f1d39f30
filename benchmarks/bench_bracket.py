"""The bracket of 256 players, half played, beside a bare view in the same run: time, queries, size.

Requests go through Django's test client: all of our code and middleware, and no network.
"""

import random
from collections.abc import Callable
from http import HTTPStatus
from statistics import median
from time import perf_counter

from benchmarks.bench_ratings import database

PLAYERS = 256
REQUESTS = 100
WARM_UP = 5
SEED = 1975
LENGTH = 9
PLAYED = 200
"""Of the 255 matches, those with a result."""

from django.db import connection  # noqa: E402, its settings are made by the import above
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from players.actors import SYSTEM  # noqa: E402
from players.models import Club, Player  # noqa: E402
from tournaments.models import Division, Fixture  # noqa: E402
from tournaments.services import draws, entries, events, results  # noqa: E402

FIRST = ["Elif", "Omar", "Uma", "Mei", "Anna", "Ben", "Zoe", "Victor", "Kit", "Gus", "Quinn", "Aki", "Søren", "Íngrid"]
LAST = ["Ristic", "Kageyama", "Trencsenyi", "Simonsen", "Tomar", "Wright", "Lylloff", "Ballard", "Gulyas", "Weinberg"]


def half_played(rng: random.Random) -> Division:
    """A knockout in which PLAYED matches have a result."""
    now = timezone.now()
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    tournament = events.create_tournament(club=club, by=SYSTEM, now=now, name="Nordic Cup", starts_at=now)
    division = events.create_division(tournament=tournament, by=SYSTEM, now=now, name="Open", match_length=LENGTH)
    names = [f"{rng.choice(FIRST)} {rng.choice(LAST)} {number}" for number in range(PLAYERS)]
    players = Player.objects.bulk_create([Player(name=name) for name in names])
    entries.enter(division=division, players=players, by=SYSTEM, now=now)
    events.publish_tournament(tournament=tournament, by=SYSTEM, now=now)
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=now)
    played = 0
    while played < PLAYED:
        ready = Fixture.objects.filter(stage__division=division, status="ready").select_related("stage")
        for fixture in ready[: PLAYED - played]:
            winner = rng.randrange(2)
            score = (LENGTH, rng.randrange(LENGTH)) if winner == 0 else (rng.randrange(LENGTH), LENGTH)
            results.enter_result(fixture=fixture, winner=winner, score=score, by=SYSTEM, now=now)
            played += 1
    return division


def times(get: Callable[[], int]) -> list[float]:
    """Milliseconds of each request, ascending."""
    for _ in range(WARM_UP):
        get()
    found = []
    for _ in range(REQUESTS):
        begun = perf_counter()
        if get() != HTTPStatus.OK:
            raise SystemExit("The page does not answer 200.")
        found.append((perf_counter() - begun) * 1000)
    return sorted(found)


def line(label: str, client: Client, path: str, **headers: str) -> None:
    """Print the times of a page, its size, and what it asked the database."""
    milliseconds = times(lambda: client.get(path, headers=headers).status_code)
    with CaptureQueriesContext(connection) as queries:
        body = client.get(path, headers=headers).content
    last = milliseconds[int(len(milliseconds) * 0.99)]
    print(
        f"  {label:<34} p50 {median(milliseconds):>7.1f} ms  p99 {last:>7.1f} ms  "
        f"{len(body):>8,} bytes  {len(queries):>3} queries"
    )


def main() -> None:
    """Build the event, then ask for its pages."""
    with database():
        division = half_played(random.Random(SEED))  # noqa: S311, a run that can be repeated
        page = f"/events/{division.tournament.club.slug}/{division.tournament.slug}/{division.public_id}/"
        client = Client()
        print(f"Bracket of {PLAYERS}, {PLAYED} of {PLAYERS - 1} matches played ({connection.vendor})")
        line("bare view (healthz)", client, "/healthz")
        line("home page", client, "/")
        line("bracket", client, page)
        line("bracket, compressed", client, page, **{"Accept-Encoding": "gzip"})
        line("bracket, all sections open", client, f"{page}?section=all", **{"Accept-Encoding": "gzip"})
        line("bracket by API", client, f"/api/v1/divisions/{division.public_id}/bracket/")


if __name__ == "__main__":
    main()
