"""The brackets of 256 players, half played, beside a bare view in the same run: time, queries, size."""

import random

from benchmarks.pages import REQUESTS, bare, database, measure

# isort: split
from django.db import connection
from django.utils import timezone

from formats.settings import DOUBLE, KNOCKOUT, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Club, Player
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Fixture
from tournaments.results import services as results
from tournaments.state.stages import set_stages

PLAYERS = 256
SEED = 1975
LENGTH = 9
PLAYED = {KNOCKOUT: 200, DOUBLE: 300}
"""How many of the 255 and 511 matches have a result."""

FIRST = ["Elif", "Omar", "Uma", "Mei", "Anna", "Ben", "Zoe", "Victor", "Kit", "Gus", "Quinn", "Aki", "Søren", "Íngrid"]
LAST = ["Ristic", "Kageyama", "Trencsenyi", "Simonsen", "Tomar", "Wright", "Lylloff", "Ballard", "Gulyas", "Weinberg"]


def half_played(rng: random.Random) -> dict[str, Division]:
    """Return a knockout and a double elimination with results for their first matches."""
    now = timezone.now()
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    tournament = events.create_tournament(club=club, by=SYSTEM, now=now, name="Nordic Cup", starts_at=now)
    names = [f"{rng.choice(FIRST)} {rng.choice(LAST)} {number}" for number in range(PLAYERS)]
    players = Player.objects.bulk_create([Player(name=name) for name in names])
    divisions = {}
    for format_ in PLAYED:
        division = events.create_division(tournament=tournament, by=SYSTEM, now=now, name=format_, match_length=LENGTH)
        entries.enter(division=division, players=players, by=SYSTEM, now=now)
        division.refresh_from_db()
        stages = [StageSettings(format_, second_final=format_ == DOUBLE)]
        set_stages(division=division, stages=stages, after=division.seq, by=SYSTEM, now=now)
        if not divisions:
            events.publish_tournament(tournament=tournament, by=SYSTEM, now=now)
        draw = draws.request_draw(division=division, by=SYSTEM, now=now)
        draws.make_draft(draw_id=draw.pk, now=now)
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=now)
        _play(division, rng, PLAYED[format_])
        divisions[format_] = division
    return divisions


def _play(division: Division, rng: random.Random, count: int) -> None:
    """Enter results in the order of the matches."""
    now = timezone.now()
    played = 0
    while played < count:
        ready = Fixture.objects.filter(stage__division=division, status="ready").select_related("stage")
        for fixture in ready[: count - played]:
            winner = rng.randrange(2)
            score = (LENGTH, rng.randrange(LENGTH)) if winner == 0 else (rng.randrange(LENGTH), LENGTH)
            results.enter_result(fixture=fixture, result=ResultInput(winner, score), by=SYSTEM, now=now)
            played += 1


def page_of(division: Division) -> str:
    """Return the URL of a division."""
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/{division.public_id}/"


def main() -> None:
    """Build the event, then measure its pages."""
    with database():
        divisions = half_played(random.Random(SEED))  # noqa: S311, a run that can be repeated
        fields = ", ".join(f"{format_} with {count} results" for format_, count in PLAYED.items())
        print(f"Brackets of {PLAYERS}: {fields} ({connection.vendor}); {REQUESTS} requests each, seed {SEED}")
        bare()
        compressed = {"Accept-Encoding": "gzip"}
        measure("home page", "/")
        for format_, division in divisions.items():
            page = page_of(division)
            measure(format_, page)
            measure(f"{format_}, compressed", page, **compressed)
            measure(f"{format_}, all sections, compressed", f"{page}?section=all", **compressed)
            measure(f"{format_} by API", f"/api/v1/divisions/{division.public_id}/bracket/")
        division = divisions[KNOCKOUT]
        measure("event", f"/events/{division.tournament.club.slug}/{division.tournament.slug}/")
        measure("events", "/events/")


if __name__ == "__main__":
    main()
