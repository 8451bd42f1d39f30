"""The format that is proposed for so many players and tables until closing time."""

import pytest

from tournaments.formats.forecast.finish_times import Pace
from tournaments.formats.forecast.forecasts import forecast_stages
from tournaments.formats.forecast.proposals import is_hopeless, propose_format
from tournaments.formats.settings import StageSettings


@pytest.mark.parametrize(
    ("players", "tables", "minutes", "format_", "length"),
    [
        (5, 2, 240, "roundrobin", 3),
        (16, 8, 300, "progressive", 5),
        (13, 6, 240, "progressive", 5),
        # Twice as many players as there is room for: a few rounds for everybody rather than one loss and home.
        (32, 12, 240, "swiss", 3),
        (2, 1, 90, "knockout", 7),
    ],
)
def test_the_longest_format_that_is_over_in_time_is_proposed(
    players: int, tables: int, minutes: int, format_: str, length: int
) -> None:
    proposal = propose_format(players, tables, minutes)
    assert (proposal.stages[0].format, proposal.length, proposal.in_time) == (format_, length, True)
    pace = Pace(tables)
    forecast = forecast_stages(proposal.stages, players, default_lengths=(proposal.length,), pace=pace)
    assert forecast.possible
    assert forecast.finish is not None
    assert forecast.finish.late <= minutes * 1.05, "the same with more runs"


def test_more_time_never_means_shorter_matches_or_a_lesser_format() -> None:
    evenings = [propose_format(16, 8, minutes) for minutes in (60, 180, 240, 300, 420)]
    lengths = [proposal.length for proposal in evenings if proposal.stages[0].format == "progressive"]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) > 1


def test_if_nothing_is_over_in_time_the_fastest_format_is_proposed() -> None:
    proposal = propose_format(64, 4, 30)
    assert (proposal.stages[0].format, proposal.length, proposal.in_time) == ("knockout", 1, False)


@pytest.mark.parametrize(
    ("stage", "players", "tables", "hopeless"),
    [
        (StageSettings("knockout"), 97, 1, True),
        (StageSettings("swiss", rounds=3), 97, 1, True),
        (StageSettings("swiss", rounds=3), 97, 40, False),
        (StageSettings("roundrobin"), 6, 1, True),
        (StageSettings("roundrobin"), 6, 3, False),
    ],
)
def test_what_takes_all_night_at_these_tables_is_not_simulated(
    stage: StageSettings, players: int, tables: int, hopeless: bool
) -> None:
    assert is_hopeless(stage, 3, players, tables, minutes=240) is hopeless


def test_for_many_players_at_one_table_the_fastest_format_is_proposed() -> None:
    proposal = propose_format(97, 1, 240)
    assert (proposal.stages[0].format, proposal.length, proposal.in_time) == ("knockout", 1, False)
