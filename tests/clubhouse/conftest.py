"""Fixtures of leagues and their seasons."""

from collections.abc import Callable

import pytest

from formats.settings import LEAGUE, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOON
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Fixture
from tournaments.results import services as results
from tournaments.state import stages


@pytest.fixture
def leagues(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Callable[..., list[Division]]:
    """Create drawn league divisions of four with so many moving up and down; `Player 1` to `4` are in the first."""

    def make(*moving: int) -> list[Division]:
        players = make_players(4 * len(moving))
        divisions = []
        for index, (name, moves) in enumerate(zip(("First", "Second", "Third"), moving, strict=False)):
            division = make_division(name=name, match_length=3, fee=4)
            entries.enter(division=division, players=players[4 * index : 4 * index + 4], by=by_alice, now=NOON)
            division.refresh_from_db()
            league = StageSettings(LEAGUE, until="2026-12-31", moving=moves)
            stages.set_stages(division=division, stages=[league], after=division.seq, by=by_alice, now=NOON)
            divisions.append(division)
        events.publish_tournament(tournament=divisions[0].tournament, by=by_alice, now=NOON)
        for division in divisions:
            draw = draws.request_draw(division=division, by=by_alice, now=NOON)
            draws.make_draft(draw_id=draw.pk, now=NOON)
            division.refresh_from_db()
            draws.publish_draw(division=division, after=division.seq, by=by_alice, now=NOON)
        return divisions

    return make


@pytest.fixture
def league(leagues: Callable[..., list[Division]]) -> list[Division]:
    """Two divisions between which one player moves."""
    return leagues(1, 1)


def play_league(division: Division, by: Actor, unplayed: int = 0) -> None:
    """Let everyone lose to those entered before them; leave the last `unplayed` matches open."""
    fixtures = Fixture.objects.filter(stage__division=division).select_related("match", "stage").order_by("number")
    assert len(fixtures) == 6
    for fixture in fixtures[: 6 - unplayed]:
        assert fixture.match is not None
        winner = 0 if fixture.match.player_0_id < fixture.match.player_1_id else 1
        results.enter_result(
            fixture=fixture, result=ResultInput(winner, (3, 0) if winner == 0 else (0, 3)), by=by, now=NOON
        )
