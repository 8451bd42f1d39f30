"""Create events in an installation: `python -m tests.faults.create_event knockout 64 swiss 8`, with its environment."""

import os
import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from players.models import Club, User
    from tournaments.models import Draw

FORGOTTEN_FOR = timedelta(seconds=10)
"""One match of each first round is never reported; its deadline is so much later."""
PATIENCE = 60.0
SWISS_ROUNDS = 3


def create(counts: dict[str, int]) -> None:
    """Create Alice's club and its events: a knockout or a Swiss with so many players each."""
    from players.models import Club, User

    alice = User.objects.create_user("alice@example.org", display_name="Alice")
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    for format_, count in counts.items():
        create_event(club, alice, format_, count)


def create_event(club: "Club", alice: "User", format_: str, count: int) -> None:
    """Create an event of matches to 1, and publish its draw."""
    from django.utils import timezone

    from formats.settings import NextRound, StageSettings
    from players.actors import Actor
    from players.models import Player
    from tournaments.draws import services as draws
    from tournaments.entries import services as entries
    from tournaments.events import deadlines
    from tournaments.events import services as events
    from tournaments.models import Fixture
    from tournaments.state.stages import set_stages

    now = timezone.now()
    acts = {"by": Actor.of(alice), "now": now}
    players = [Player.objects.create(name=f"Player {number}") for number in range(1, count + 1)]
    event = events.create_tournament(club=club, name=f"Winter {format_}", starts_at=now, **acts)
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
    wait_for_draft(draw)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, **acts)
    forgotten = Fixture.objects.select_related("match", "stage").get(stage__division=division, number=1)
    deadlines.extend_deadline(fixture=forgotten, due_at=timezone.now() + FORGOTTEN_FOR, **acts)


def wait_for_draft(draw: "Draw") -> None:
    """Wait until a worker of the installation has made the draft of a draw."""
    deadline = time.monotonic() + PATIENCE
    while draw.state == draw.State.REQUESTED and time.monotonic() < deadline:
        time.sleep(0.05)
        draw.refresh_from_db()


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    create(dict(zip(sys.argv[1::2], map(int, sys.argv[2::2]), strict=True)))
