"""Nine of ten evenings are over by the time that their forecast says, before the first call and during play."""

from itertools import pairwise

import pytest

from formats.forecast.durations import LATE
from formats.forecast.finish_times import Pace
from formats.forecast.forecasts import forecast_stages
from formats.settings import StageSettings
from tests.formats.evenings import Evening, Setting, held_counts

SETTINGS = {
    "knockout": Setting((StageSettings("knockout"),), 16, 8),
    "progressive": Setting((StageSettings("progressive", lower_lengths=(5,)),), 32, 10),
    "last chance": Setting(
        (StageSettings("progressive", last_chance="", lower_lengths=(5,), last_lengths=(3,)),), 19, 9
    ),
    "double": Setting((StageSettings("double", second_final=True, lower_lengths=(5,)),), 16, 8),
    "swiss": Setting((StageSettings("swiss", rounds=4),), 24, 12),
    "swiss until unbeaten": Setting((StageSettings("swiss"),), 13, 6, (5,)),
    "lives": Setting((StageSettings("lives", lives=3),), 12, 6, (5,)),
    "round robin": Setting((StageSettings("roundrobin"),), 8, 4, (5,)),
    "groups and knockout": Setting(
        (StageSettings("groups", groups=4, qualifiers=2), StageSettings("knockout")), 16, 8, (5,)
    ),
}
EVENINGS = {"knockout": 200, "double": 50, "swiss until unbeaten": 50, "lives": 50, "round robin": 50}
"""Format -> evenings; docs/floor.md has what 1,000 or 200 of each format came to."""


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
