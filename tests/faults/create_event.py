"""Create an event in an installation: `python -m tests.faults.create_event knockout 64`, with its environment."""

import os
import sys
import time
from datetime import timedelta

import django

FORGOTTEN_FOR = timedelta(seconds=15)
"""One match of the first round is never reported; its deadline is so much later."""

PATIENCE = 60.0


SWISS_ROUNDS = 4


def make(format_: str, count: int) -> None:
    """Create Alice's club, so many players, and a knockout or a Swiss of matches to 1 with a published draw."""
    from django.utils import timezone

    from players.actors import Actor
    from players.models import Club, Player, User
    from tournaments.draws.services import draws
    from tournaments.entries.services import entries
    from tournaments.events.services import deadlines, events
    from tournaments.formats.settings import NextRound, StageSettings
    from tournaments.models import Draw, Fixture
    from tournaments.state.stages import set_stages

    now = timezone.now()
    acts = {"by": Actor.of(User.objects.create_user("alice@example.org", display_name="Alice")), "now": now}
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    players = [Player.objects.create(name=f"Player {number}") for number in range(1, count + 1)]
    event = events.create_tournament(club=club, name="Winter Open", starts_at=now, **acts)
    division = events.create_division(
        tournament=event, name="Open", match_length=1, deadline_rule="lots", claim_wait=5, **acts
    )
    entries.enter(division=division, players=players, **acts)
    events.publish_tournament(tournament=event, **acts)
    division.refresh_from_db()
    stage = StageSettings(format_)
    if format_ == "swiss":
        stage = StageSettings(format_, rounds=SWISS_ROUNDS, next_round=NextRound.PUBLISH, countdown=1)
    set_stages(division=division, stages=[stage], after=division.seq, **acts)
    draw = draws.request_draw(division=division, **acts)
    deadline = time.monotonic() + PATIENCE
    while draw.state == Draw.State.REQUESTED and time.monotonic() < deadline:
        time.sleep(0.05)  # until the worker has drawn
        draw.refresh_from_db()
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, **acts)
    forgotten = Fixture.objects.select_related("match", "stage").get(stage__division=division, number=1)
    deadlines.extend_deadline(fixture=forgotten, due_at=now + FORGOTTEN_FOR, **acts)


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    make(sys.argv[1], int(sys.argv[2]))
