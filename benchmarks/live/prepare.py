"""Create players and matches that are played here: `python -m benchmarks.live.prepare 200`, in an installation.

Prints them as JSON, with a session of each player. A second argument sets the bank in seconds; then there is no delay.
"""

import json
import os
import sys
from typing import Any

import django

LENGTH = 15
"""Points; no match ends while it is measured."""


def matches(count: int, bank: int | None = None) -> list[dict[str, Any]]:
    """Create matches of two players each, with the usual clock or a bank of so many seconds; the server keeps dice."""
    from django.test import Client
    from django.utils import timezone

    from engine.clock import PRESETS, SECOND, ClockSettings
    from matches.lifecycle.opening import MatchSettings, Opening, open_matches
    from matches.play.starting import PlaySettings, commit_chain, start
    from players.actors import SYSTEM
    from players.models import Player, User

    now = timezone.now()
    first = User.objects.count()
    numbers = range(first, first + 2 * count)
    users = [User(email=f"player{number}@example.org", display_name=f"Player {number}") for number in numbers]
    User.objects.bulk_create(users)
    players = Player.objects.bulk_create([Player(name=user.display_name, user=user) for user in users])
    pairs = list(zip(players[::2], players[1::2], strict=True))
    opened = open_matches(
        [Opening(pair, LENGTH) for pair in pairs], settings=MatchSettings(rated=False), by=SYSTEM, now=now
    )
    usual = PRESETS["online"].settings(length=LENGTH, score=(0, 0), overtime=0)
    clock = usual if bank is None else ClockSettings(0, bank * SECOND)
    settings = PlaySettings(clock, server_chains=True)
    for match in opened:
        start(match=match, settings=settings, by=SYSTEM, now=now)
        for side in (0, 1):
            commit_chain(match=match, side=side, anchor="", by=SYSTEM, now=now)

    def session(player: Player) -> str:
        client = Client()
        client.force_login(player.user)
        return str(client.cookies["sessionid"].value)

    return [
        {"id": match.public_id, "sessions": [session(player) for player in pair]}
        for match, pair in zip(opened, pairs, strict=True)
    ]


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    print(json.dumps(matches(*map(int, sys.argv[1:]))))
