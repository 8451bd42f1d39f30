"""Create an evening in an installation: `python -m tests.faults.create_evening 16 5 call`, with its environment.

So many players with accounts play a knockout of matches to 1 at so many tables, and the autopilot calls by itself, or
only suggests matches (`suggest`).
Prints the public id of the event and the tokens of its two directors as JSON.
"""

import json
import os
import sys
from typing import Any

import django

from tests.faults.create_event import wait_for_draft


def make(players: int, tables: int, mode: str) -> dict[str, Any]:
    """Create Alice's club with an event whose floor is open; Bob directs, too, and nobody rests between matches."""
    from django.utils import timezone

    from formats.settings import StageSettings
    from players.accounts.tokens import SCOPES, create_token
    from players.actors import Actor
    from players.models import Club, Membership, Player, User
    from tournaments.draws import services as draws
    from tournaments.entries import services as entries
    from tournaments.events import services as events
    from tournaments.floor import evening
    from tournaments.models import Autopilot, Floor
    from tournaments.state.stages import set_stages

    alice, now = User.objects.create_user("alice@example.org", display_name="Alice"), timezone.now()
    acts: dict[str, Any] = {"by": Actor.of(alice), "now": now}
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    bob = User.objects.create_user("bob@example.org", display_name="Bob")
    for user, role in ((alice, Membership.Role.OWNER), (bob, Membership.Role.DIRECTOR)):
        member = Player.objects.create(name=user.display_name, user=user)
        Membership.objects.create(club=club, player=member, role=role)
    names = [f"Player {number}" for number in range(1, players + 1)]
    users = [
        User.objects.create_user(f"player{number}@example.org", display_name=name)
        for number, name in enumerate(names, start=1)
    ]
    field = [Player.objects.create(name=name, user=user) for name, user in zip(names, users, strict=True)]
    event = events.create_tournament(club=club, name="Club Night", starts_at=now, tables=tables, **acts)
    division = events.create_division(tournament=event, name="Open", match_length=1, **acts)
    entries.enter(division=division, players=field, **acts)
    events.publish_tournament(tournament=event, **acts)
    division.refresh_from_db()
    set_stages(division=division, stages=[StageSettings("knockout")], after=division.seq, **acts)
    draw = draws.request_draw(division=division, **acts)
    wait_for_draft(draw)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, **acts)
    evening.open_floor(tournament=event, **acts)
    Floor.objects.update(rest_minutes=0)
    evening.set_autopilot(tournament=event, mode=Autopilot(mode), **acts)
    tokens = [create_token(user=user, name="Evening", scopes=SCOPES, days=1, **acts) for user in (alice, bob)]
    return {"event": event.public_id, "tokens": [token.key for token in tokens]}


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    print(json.dumps(make(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])))
