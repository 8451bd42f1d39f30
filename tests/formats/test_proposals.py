"""The formats that are proposed for so many players and tables until closing time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.forecast.finish_times import Pace
from formats.forecast.forecasts import forecast_stages
from formats.forecast.proposals import LENGTHS, RUNS, fit_lengths, is_hopeless, offered, propose_format, propose_formats
from formats.settings import LEAGUE, PROGRESSIVE, SWISS, StageSettings
from tests.tiers import TIER


def minutes_of(stages: tuple[StageSettings, ...], length: int, players: int, tables: int) -> float:
    return minutes_of_lengths(stages, (length,), players, tables)


def minutes_of_lengths(stages: tuple[StageSettings, ...], lengths: tuple[int, ...], players: int, tables: int) -> float:
    """Minutes within which nine of ten evenings are over, by the same number of simulated evenings."""
    forecast = forecast_stages(stages, players, default_lengths=lengths, pace=Pace(tables, runs=RUNS))
    assert forecast.possible
    assert forecast.finish is not None
    return forecast.finish.late


@pytest.mark.slow
@settings(max_examples=TIER.proposals)
@given(st.integers(3, 128), st.integers(1, 64), st.integers(4, 40))
def test_a_proposal_fits_and_no_longer_matches_of_its_format_fit(players: int, tables: int, quarters: int) -> None:
    minutes = 15 * quarters
    proposals = propose_formats(players, tables, minutes)
    first = proposals[0]
    assert first.in_time == any(proposal.in_time for proposal in proposals)
    for proposal in proposals:
        late = minutes_of(proposal.stages, proposal.length, players, tables)
        assert proposal.in_time == (late <= minutes), proposal
        (stage,) = proposal.stages
        for length in (length for length in LENGTHS if length > proposal.length):
            longer = minutes_of((offered(stage, length),), length, players, tables)
            assert longer > minutes, (proposal, length)


@pytest.mark.slow
@settings(max_examples=4 * TIER.proposals)
@given(st.integers(2, 32), st.integers(1, 16), st.integers(4, 40))
def test_what_is_proposed_first_uses_the_time_or_nothing_better_does(players: int, tables: int, quarters: int) -> None:
    minutes = 15 * quarters
    first, *beside = propose_formats(players, tables, minutes)
    # It is offered, but never proposed while another format fits.
    others = [offer for offer in beside if offer.name != "places"]
    if not first.in_time:
        assert all(first.finish.late <= other.finish.late for other in others)
        return
    if first.matches_each.least < 2:
        assert not any(other.in_time and other.matches_each.least >= 2 for other in others)
    if first.length < 5:
        assert not any(other.in_time and other.length >= 5 and other.matches_each.least >= 2 for other in others)
    if first.finish.late < 0.75 * minutes:
        rivals = [row for row in others if row.in_time and row.length >= 5 and row.matches_each.least >= 2]
        assert all(rival.finish.late <= first.finish.late for rival in rivals)
    names = [proposal.name for proposal in (first, *others)]
    assert len(set(names)) == len(names), "each format once"


@pytest.mark.parametrize(
    ("players", "tables", "minutes", "format_", "length"),
    [
        (4, 2, 480, "roundrobin", 13),
        (16, 8, 300, "progressive", 5),
        # Four matches to 5 points for everybody rather than a bracket to 3.
        (13, 6, 270, "swiss", 5),
        # Twice as many players as there is room for: a few rounds for everybody rather than one loss and home.
        (32, 12, 240, "swiss", 3),
        (2, 1, 90, "knockout", 7),
        # Eight hours are used, not five.
        (16, 8, 480, "progressive", 7),
    ],
)
def test_the_format_for_an_evening(players: int, tables: int, minutes: int, format_: str, length: int) -> None:
    proposal = propose_format(players, tables, minutes)
    assert (proposal.stages[0].format, proposal.length, proposal.in_time) == (format_, length, True)
    forecast = forecast_stages(proposal.stages, players, default_lengths=(proposal.length,), pace=Pace(tables))
    assert forecast.finish is not None
    assert forecast.finish.late <= minutes * 1.05, "the same with more runs"


def test_formats_that_are_too_long_are_listed_last() -> None:
    proposals = propose_formats(14, 7, 210)
    assert [proposal.in_time for proposal in proposals] == sorted((row.in_time for row in proposals), reverse=True)
    round_robin = next(proposal for proposal in proposals if proposal.name == "roundrobin")
    assert (round_robin.in_time, round_robin.length, round_robin.matches_each.least) == (False, 3, 13)


@pytest.mark.slow
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
        (StageSettings("roundrobin", twice=True), 6, 2, True),
    ],
)
def test_what_takes_all_night_at_these_tables_is_not_simulated(
    stage: StageSettings, players: int, tables: int, hopeless: bool
) -> None:
    assert is_hopeless(stage, 3, players, tables, minutes=240) is hopeless


@pytest.mark.slow
@given(st.integers(6, 24), st.integers(2, 12), st.integers(8, 36), st.sampled_from([(3, 5), (5, 7), (9,)]))
@settings(max_examples=40, deadline=None)
def test_a_changed_evening_changes_the_lengths_of_its_format(
    players: int, tables: int, quarters: int, before: tuple[int, ...]
) -> None:
    def late_with(points: int) -> float:
        stage = StageSettings(PROGRESSIVE, lower_lengths=tuple(max(3, length - 2 + points) for length in before))
        lengths = tuple(max(3, length + points) for length in before)
        finish = forecast_stages([stage], players, default_lengths=lengths, pace=Pace(tables, runs=RUNS)).finish
        assert finish is not None
        return finish.late

    minutes = 15 * quarters
    consolation = StageSettings(PROGRESSIVE, lower_lengths=tuple(max(3, length - 2) for length in before))
    stages, lengths = fit_lengths([consolation], before, players, tables, minutes)
    points = lengths[-1] - before[-1]
    assert points % 2 == 0
    assert lengths == tuple(max(3, length + points) for length in before)
    assert len(stages) == 1
    fits = minutes_of_lengths(stages, lengths, players, tables) <= minutes
    assert fits or lengths[-1] == 3
    if fits and lengths[-1] < 13 and before[0] - 2 + points >= 3:
        assert late_with(points + 2) > minutes, "longer matches would not fit"


def test_a_league_has_no_evening_to_fit() -> None:
    league = StageSettings(LEAGUE, until="2026-12-24")
    assert fit_lengths([league], [7], 8, 4, 240) == ((league,), (7,))


def test_a_format_with_longer_matches_than_are_offered_keeps_them_where_they_fit() -> None:
    swiss = StageSettings(SWISS, rounds=3)
    assert fit_lengths([swiss], [15], 8, 4, 900)[1] == (15,)
