"""Divisions of any format, drawn and played at random, as the tests of standings and pairings need them."""

import random
from collections.abc import Sequence

from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.actors import Actor
from players.models import Player
from tests.clock import NOON
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Draw, Fixture, Tournament
from tournaments.results import services as results
from tournaments.state.stages import set_stages

MAX_STEPS = 40

STAGES: dict[str, list[StageSettings]] = {
    "round robin": [StageSettings("roundrobin")],
    "double round robin": [StageSettings("roundrobin", twice=True, win=3.0, loss=1.0)],
    "league": [StageSettings("league")],
    "groups": [StageSettings("groups", groups=2, qualifiers=2), StageSettings("knockout")],
    "swiss": [StageSettings("swiss", rounds=4)],
    "swiss then final": [StageSettings("swiss", rounds=3, qualifiers=4), StageSettings("knockout")],
    "lives": [StageSettings("lives", lives=2)],
    "knockout": [StageSettings("knockout")],
    "progressive": [StageSettings("progressive")],
    "double": [StageSettings("double")],
    "places": [StageSettings("places")],
}
"""Name -> stages."""


def drawn_as(division: Division, stages: Sequence[StageSettings], players: Sequence[Player], by: Actor) -> Division:
    """The division with these stages and players, its draw published."""
    entries.enter(division=division, players=list(players), by=by, now=NOON)
    division.refresh_from_db()
    set_stages(division=division, stages=stages, after=division.seq, by=by, now=NOON)
    if division.tournament.status == Tournament.Status.DRAFT:
        events.publish_tournament(tournament=division.tournament, by=by, now=NOON)
    draw = draws.request_draw(division=division, by=by, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=NOON)
    division.refresh_from_db()
    return division


def ready(division: Division) -> list[Fixture]:
    """The matches that can be played now."""
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
    return list(rows.select_related("stage", "match").order_by("number"))


def play(division: Division, by: Actor, chance: random.Random, *, most: int | None = None) -> int:
    """Plays what can be played, pairing each round when it is asked for; `most` matches, or to the end."""
    played = 0
    for _step in range(MAX_STEPS):
        for draw in Draw.objects.filter(stage__division=division, state=Draw.State.REQUESTED):
            draws.make_draft(draw_id=draw.pk, now=NOON)
            draw.refresh_from_db()
            if draw.state == Draw.State.DRAFT:
                division.refresh_from_db()
                draws.publish_draw(division=division, after=division.seq, by=by, now=NOON)
        todo = ready(division)
        if not todo or played == most:
            break
        for fixture in todo:
            if played == most:
                break
            fixture.refresh_from_db()
            if fixture.status == Fixture.Status.READY:
                _enter(fixture, by, chance)
                played += 1
    division.refresh_from_db()
    return played


def _enter(fixture: Fixture, by: Actor, chance: random.Random) -> None:
    length = fixture.match.length if fixture.match else 1
    winner, roll = chance.randrange(2), chance.random()
    if roll < 0.1:
        results.forfeit(fixture=fixture, side=1 - winner, by=by, now=NOON)
    elif roll < 0.15 and fixture.stage.format in ("roundrobin", "league", "groups", "swiss", "lives"):
        kind = Result.Kind.DOUBLE_FORFEIT
        results.enter_result(fixture=fixture, result=ResultInput(None, kind=kind), by=by, now=NOON)
    else:
        score = (length, chance.randrange(length))
        ordered = score if winner == 0 else score[::-1]
        results.enter_result(fixture=fixture, result=ResultInput(winner, ordered), by=by, now=NOON)
