"""The format page and the floor forecast the same evening alike before the first call; Alice directs."""

from collections.abc import Callable, Sequence

import pytest

from formats.forecast.finish_times import Finish, Pace
from formats.forecast.forecasts import Beside, forecast_stages
from formats.settings import StageSettings
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOON
from tests.tournaments.support.played_stages import drawn_as
from tournaments.draws.designer.page import DesignerPage
from tournaments.events.actions import zone_of
from tournaments.floor import evening, selectors
from tournaments.floor.page.forecast import EveningForecast, evening_forecast
from tournaments.models import Division

pytestmark = pytest.mark.django_db

PROGRESSIVE = StageSettings("progressive", last_chance="", lower_lengths=(5,), last_lengths=(3,))
EVENINGS: dict[str, tuple[list[StageSettings], int]] = {
    "knockout with consolation and last chance": ([PROGRESSIVE], 19),
    "double elimination": ([StageSettings("double", second_final=True)], 13),
    "everybody plays to the end": ([StageSettings("places", lower_lengths=(5,))], 13),
    "Swiss": ([StageSettings("swiss", rounds=4)], 13),
    "Swiss until one is unbeaten": ([StageSettings("swiss")], 13),
    "lives": ([StageSettings("lives", lives=3)], 12),
    "round robin": ([StageSettings("roundrobin")], 7),
    "groups, then a knockout": ([StageSettings("groups", groups=3, qualifiers=2), StageSettings("knockout")], 13),
    "Swiss, then a knockout": ([StageSettings("swiss", rounds=3, qualifiers=4), StageSettings("knockout")], 12),
}
TABLES = 5
SIMULATION_ERROR = 0.03
"""Two simulations of the same evening differ by this share; the real draw has its byes in other places."""


def on_floor(division: Division, by: Actor) -> EveningForecast:
    event = division.tournament
    evening.open_floor(tournament=event, by=by, now=NOON)
    return evening_forecast(selectors.floor(event, NOON))


def on_format_page(division: Division) -> Finish:
    division.refresh_from_db()
    forecast = DesignerPage.of_division(division, zone_of(division.tournament)).forecast
    assert forecast is not None
    assert forecast.finish is not None
    return forecast.finish


def assert_equal(first: Finish, second: Finish) -> None:
    assert first.median == pytest.approx(second.median, rel=SIMULATION_ERROR)
    assert first.late == pytest.approx(second.late, rel=SIMULATION_ERROR)


@pytest.mark.parametrize(("stages", "players"), EVENINGS.values(), ids=EVENINGS)
def test_before_the_first_call_the_floor_forecasts_what_the_format_page_does(
    stages: Sequence[StageSettings],
    players: int,
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
) -> None:
    division = make_division(match_length=7)
    division.tournament.tables = TABLES
    division.tournament.save()
    drawn_as(division, stages, make_players(players), by_alice)
    floor = on_floor(division, by_alice)
    assert_equal(floor.total, on_format_page(division))
    assert {match.row for match in floor.matches if not match.gate} == {row.key for row in floor.rows}


def test_two_divisions_share_the_tables_in_both_forecasts(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> None:
    divisions = [make_division(name=name, match_length=7) for name in ("Open", "Intermediate")]
    event = divisions[0].tournament
    type(event).objects.filter(pk=event.pk).update(tables=TABLES)
    stages = [[PROGRESSIVE], [StageSettings("swiss", rounds=4)]]
    for division, own, players in zip(divisions, stages, (13, 12), strict=True):
        division.tournament.refresh_from_db()
        drawn_as(division, own, make_players(players), by_alice)
    floor = on_floor(divisions[0], by_alice)
    for division in divisions:
        rows = [row.key for row in floor.rows if row.label.startswith(division.name)]
        assert rows
        together = floor.forecast.finish_of(*rows)
        assert together is not None
        assert_equal(together, on_format_page(division))
        alone = forecast_stages(
            stages[divisions.index(division)],
            (13, 12)[divisions.index(division)],
            default_lengths=(7,),
            pace=Pace(TABLES),
        )
        assert alone.finish is not None
        assert together.median > 1.2 * alone.finish.median
    ends = [floor.forecast.finish_of(row.key) for row in floor.rows]
    assert floor.total.median >= max(finish.median for finish in ends if finish is not None)


def test_a_division_beside_that_nobody_can_play_takes_no_tables() -> None:
    stages = [StageSettings("knockout")]
    alone = forecast_stages(stages, 8, default_lengths=(7,), pace=Pace(2)).finish
    for beside in (Beside((StageSettings("league"),), 8, (7,)), Beside((StageSettings("knockout"),), 1, (7,))):
        assert forecast_stages(stages, 8, default_lengths=(7,), pace=Pace(2), beside=(beside,)).finish == alone
