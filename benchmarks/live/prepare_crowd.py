"""The pages that the crowd reads, in an installation: `python -m benchmarks.live.prepare_crowd` prints their paths.

`python -m benchmarks.live.prepare_crowd write 1.0` writes to the event every so many seconds, until it is stopped.
"""

import json
import os
import sys
import time

import django

PLAYERS, RESULTS, LENGTH = 32, 20, 7


def paths() -> list[str]:
    """Create a half-played knockout, and return the paths of its pages."""
    from django.utils import timezone

    from matches.lifecycle.finish import ResultInput
    from players.actors import SYSTEM
    from players.models import Club, Player
    from tournaments.draws import services as draws
    from tournaments.entries import services as entries
    from tournaments.events import services as events
    from tournaments.models import Fixture
    from tournaments.results import services as results

    now = timezone.now()
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    event = events.create_tournament(club=club, by=SYSTEM, now=now, name="Nordic Cup", starts_at=now)
    division = events.create_division(tournament=event, by=SYSTEM, now=now, name="Open", match_length=LENGTH)
    players = Player.objects.bulk_create([Player(name=f"Player {number}") for number in range(PLAYERS)])
    entries.enter(division=division, players=players, by=SYSTEM, now=now)
    events.publish_tournament(tournament=event, by=SYSTEM, now=now)
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=now)
    for number in range(RESULTS):
        fixture = Fixture.objects.filter(stage__division=division, status="ready").select_related("stage").first()
        if fixture is not None:
            result = ResultInput(0, (LENGTH, number % LENGTH))
            results.enter_result(fixture=fixture, result=result, by=SYSTEM, now=now)
    home = f"/events/harbour/{event.slug}/"
    page = f"{home}{division.public_id}/"
    return [page, page, page, home, f"{page}pairings/", f"/api/v1/divisions/{division.public_id}/bracket/"]


def write(every: float) -> None:
    """Change the event every so many seconds."""
    from tournaments.models import Tournament

    while True:
        Tournament.objects.update(venue=f"Room {time.monotonic():.0f}")
        time.sleep(every)


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    if sys.argv[1:2] == ["write"]:
        write(float(sys.argv[2]))
    else:
        print(json.dumps(paths()))
