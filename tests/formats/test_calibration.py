"""Nine of ten evenings are over by the time that their forecast says, before the first call and during play."""

from itertools import pairwise

import pytest

from benchmarks.bench_calibration import SETTINGS
from formats.forecast.durations import LATE
from formats.forecast.finish_times import Pace
from formats.forecast.forecasts import forecast_stages
from tests.formats.evenings import Evening, held_counts

EVENINGS = {"knockout": 200, "double": 50, "swiss until unbeaten": 50, "lives": 50, "round robin": 50}
"""Format -> evenings; `benchmarks.bench_calibration` plays 1,000 of each format."""


@pytest.mark.slow
def test_nine_of_ten_evenings_are_over_by_the_later_time_of_the_forecast():
    first, counts = 0, []
    for name, evenings in EVENINGS.items():
        counts.append(held_counts(SETTINGS[name], range(first, first + evenings)))
        first += evenings
    shares = [sum(column) / first for column in zip(*counts, strict=True)]
    assert len(shares) == 4, "before the first call, and after each quarter"
    assert shares == pytest.approx([LATE] * 4, abs=0.03)


@pytest.mark.parametrize("name", SETTINGS)
def test_an_evening_is_played_to_its_end_as_it_was_planned(name):
    setting = SETTINGS[name]
    evening = Evening(setting, 1)
    at_once = []
    evening.play(lambda now: at_once.append(sum(match.called <= now.clock for match in now.open)))
    assert max(at_once) <= setting.tables
    forecast = forecast_stages(setting.stages, setting.players, default_lengths=setting.lengths, pace=Pace(9))
    assert forecast.matches.least <= len(evening.over) <= forecast.matches.most
    for player in evening.tempos:
        own = sorted((match.starts, match.ends) for match in evening.over if player in match.pair)
        assert all(earlier[1] <= later[0] for earlier, later in pairwise(own))
