"""A match that a director plays in, and the code of a refusal."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOON
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Fixture


def draw_pair(division: Division, pair: list[Player], by: Actor) -> Fixture:
    """Enter two players, publish the draw, and return their fixture."""
    entries.enter(division=division, players=pair, by=by, now=NOON)
    events.publish_tournament(tournament=division.tournament, by=by, now=NOON)
    draw = draws.request_draw(division=division, by=by, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=NOON)
    return Fixture.objects.select_related("match", "stage__division__tournament").get(stage__division=division)


def refusal(act: Callable[[], Any]) -> str:
    """Return the code with which a call is refused."""
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code
