"""Changing what the wall screen shows."""

from collections.abc import Collection

from django.db import transaction

from core.live.publishing import touch_on_commit
from players.actors import Actor, log
from tournaments.models import Tournament, Wall
from tournaments.wall.parts import PartKey


def set_wall(*, tournament: Tournament, message: str, parts: Collection[str], seconds: int, by: Actor) -> Wall:
    """Show `message` and these parts on the wall, each for `seconds`; open screens change at once."""
    with transaction.atomic():
        values = {
            "message": message,
            "hidden": [key.value for key in PartKey if key.value not in parts],
            "seconds": seconds,
        }
        wall, _created = Wall.objects.update_or_create(tournament=tournament, defaults=values)
        log(by, "wall_changed", tournament.topic, club=tournament.club, message=message)
        touch_on_commit(tournament.topic)
    return wall
