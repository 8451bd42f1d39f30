"""The bracket of 256 players, half played, beside a bare view in the same run: time, queries, size."""

import random

from benchmarks.pages import REQUESTS, bare, database, measure

# isort: split
from django.db import connection
from django.utils import timezone

from players.actors import SYSTEM
from players.models import Club, Player
from tournaments.models import Division, Fixture
from tournaments.services import draws, entries, events, results

PLAYERS = 256
SEED = 1975
LENGTH = 9
PLAYED = 200
"""Of the 255 matches, those with a result."""

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


def main() -> None:
    """Build the event, then ask for its pages."""
    with database():
        division = half_played(random.Random(SEED))  # noqa: S311, a run that can be repeated
        page = f"/events/{division.tournament.club.slug}/{division.tournament.slug}/{division.public_id}/"
        print(f"Bracket of {PLAYERS}, {PLAYED} of {PLAYERS - 1} matches played ({connection.vendor}); ", end="")
        print(f"{REQUESTS} requests each, seed {SEED}")
        bare()
        compressed = {"Accept-Encoding": "gzip"}
        measure("home page", "/")
        measure("bracket", page)
        measure("bracket, compressed", page, **compressed)
        measure("bracket, all sections, compressed", f"{page}?section=all", **compressed)
        measure("event", f"/events/{division.tournament.club.slug}/{division.tournament.slug}/")
        measure("events", "/events/")
        measure("bracket by API", f"/api/v1/divisions/{division.public_id}/bracket/")


if __name__ == "__main__":
    main()
