"""What an outline says before the draw is what is played afterwards, for every format and any field."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.errors import Refused
from formats.facts import Result
from formats.forecast.counts import LivesRun, lives_runs, rounds_until_unbeaten
from formats.forecast.finish_times import Pace
from formats.forecast.forecasts import REMARKS, forecast_stages
from formats.plans import draw_places, later_sources, plan_of, sources_of, with_places
from formats.presets import PRESETS, preset
from formats.settings import FORMATS, GROUPS, PairingMode, StageSettings
from formats.states import FixtureStatus
from formats.swiss.event import SwissEvent, SwissPlayer
from formats.swiss.lives import lives_over, pair_lives
from formats.swiss.pairing import pair_round
from tests.clock import NOON
from tests.formats.cast import SEED, coin, play_out, sizes

PACE = Pace(8, runs=4)
ELIMINATIONS = [
    StageSettings("knockout"),
    StageSettings("progressive"),
    StageSettings("progressive", last_chance=""),
    StageSettings("double"),
    StageSettings("double", second_final=True),
]


def outlined(stage, entries, **options):
    return forecast_stages([stage], entries, default_lengths=(5, 7), pace=PACE, **options)


def planned(stage, entries, seed=SEED):
    return plan_of(stage, sources_of(draw_places(stage, range(1, entries + 1), seed=seed).places), seed=seed)


def codes(forecast):
    return [(remark.kind, remark.code) for remark in forecast.remarks]


def decided(state, numbers):
    return sum(state.fixtures[number].status is FixtureStatus.DECIDED for number in numbers)


@pytest.mark.slow
@settings(max_examples=30)
@given(st.sampled_from(ELIMINATIONS), sizes(6, 300), st.integers(1, 99))
def test_an_elimination_is_played_as_it_was_outlined(stage, entries, seed):
    forecast = outlined(stage, entries)
    assert forecast.possible
    graph = planned(stage, entries, b"lots of the test" + bytes([seed]))
    state, results = play_out(graph, coin(seed))
    assert forecast.matches.least <= len(results) <= forecast.matches.most
    assert [bracket.key for bracket in forecast.stages[0].brackets] == [bracket.key for bracket in graph.brackets]
    for forecast_bracket, bracket in zip(forecast.stages[0].brackets, graph.brackets, strict=True):
        assert len(forecast_bracket.rounds) == len(bracket.rounds)
        for own, real in zip(forecast_bracket.rounds, bracket.rounds, strict=True):
            numbers = [fixture.number for fixture in real.fixtures]
            assert own.matches.least <= decided(state, numbers) <= own.matches.most
            byes = sum(state.fixtures[number].status is FixtureStatus.BYE for number in numbers)
            assert own.byes.least == own.byes.most == byes
    played = Counter(entry for result in results.values() for entry in result.between)
    assert forecast.matches_each.least <= min(played.values()) <= max(played.values()) <= forecast.matches_each.most
    assert set(played) == set(range(1, entries + 1))


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(2, 40), st.integers(1, 8), st.booleans(), st.sampled_from(["roundrobin", "groups", "league"]))
def test_tables_are_played_as_they_were_outlined(entries, groups, twice, name):
    stage = StageSettings(name, twice=twice, groups=groups) if name == "groups" else StageSettings(name, twice=twice)
    forecast = outlined(stage, entries)
    if not forecast.possible:
        assert codes(forecast)[0][1] in ("group_count", "division_size")
        return
    graph = planned(stage, entries)
    own = Counter()
    for bracket in graph.brackets:
        for round_ in bracket.rounds:
            kinds = ["bye" if any(s.kind == "bye" for s in f.sources) else "match" for f in round_.fixtures]
            own.update((round_.number, kind) for kind in kinds)
    (bracket,) = forecast.stages[0].brackets
    assert bracket.rounds
    for round_ in bracket.rounds:
        assert (round_.matches.most, round_.byes.most) == (own[round_.number, "match"], own[round_.number, "bye"])
    assert forecast.rounds.most == max(len(bracket.rounds) for bracket in graph.brackets)
    assert forecast.matches.most == sum(count for (_, kind), count in own.items() if kind == "match")
    assert (forecast.finish is None) == (name == "league")


def swiss_played(stage, entries, tosses):
    event = SwissEvent(tuple(map(SwissPlayer, range(1, entries + 1))), planned=stage.rounds)
    while not event.over:
        paired = pair_round(event, seed=SEED)
        event = event.with_round(
            paired.with_results({pair.pair: Result(tosses(pair.first, pair.second)) for pair in paired.pairs})
        )
    return event


@settings(max_examples=20)
@given(st.integers(2, 20), st.none() | st.integers(1, 5), st.integers(1, 99))
def test_a_swiss_is_played_as_it_was_outlined(entries, rounds, seed):
    stage = StageSettings("swiss", rounds=rounds)
    forecast = outlined(stage, entries)
    if not forecast.possible:
        assert codes(forecast)[0] == ("fault", "rounds_with_rematches")
        assert rounds > entries - 1 + entries % 2
        return
    event = swiss_played(stage, entries, coin(seed))
    assert forecast.rounds.least <= len(event.rounds) <= forecast.rounds.most
    matches = sum(len(round_.pairs) for round_ in event.rounds)
    assert forecast.matches.least <= matches <= forecast.matches.most
    byes = sum(len(round_.byes) for round_ in event.rounds)
    assert forecast.byes.least <= byes <= forecast.byes.most
    played = Counter(entry for round_ in event.rounds for pair in round_.pairs for entry in (pair.first, pair.second))
    assert forecast.matches_each.least <= min(played[entry] for entry in range(1, entries + 1))
    assert max(played.values()) <= forecast.matches_each.most


@settings(max_examples=15)
@given(st.integers(2, 24), st.sampled_from([3, 5]), st.integers(1, 99))
def test_lives_are_played_about_as_they_were_outlined(entries, lives, seed):
    forecast = outlined(StageSettings("lives", lives=lives), entries)
    event, tosses = SwissEvent(tuple(map(SwissPlayer, range(1, entries + 1)))), coin(seed)
    while not lives_over(event, lives):
        paired = pair_lives(event, lives, seed=SEED)
        event = event.with_round(
            paired.with_results({pair.pair: Result(tosses(pair.first, pair.second)) for pair in paired.pairs})
        )
    matches = sum(len(round_.pairs) for round_ in event.rounds)
    assert forecast.matches.least <= matches <= forecast.matches.most
    # Every match costs a life; how the lives are spread, and so the rounds, is a matter of results.
    assert forecast.rounds.least - lives <= len(event.rounds) <= forecast.rounds.most + lives


def test_the_invented_events_with_lives_take_as_many_rounds_as_real_ones():
    entries, lives = 16, 3
    real = []
    for seed in range(16):
        event, tosses = SwissEvent(tuple(map(SwissPlayer, range(1, entries + 1)))), coin(seed)
        while not lives_over(event, lives):
            paired = pair_lives(event, lives, seed=SEED)
            event = event.with_round(
                paired.with_results({pair.pair: Result(tosses(pair.first, pair.second)) for pair in paired.pairs})
            )
        real.append(len(event.rounds))
    invented = [len(run.entrants) for run in lives_runs(entries, lives)]
    assert abs(sum(real) / len(real) - sum(invented) / len(invented)) < 0.8


@pytest.mark.parametrize("players", [2, 3, 5, 9, 13, 16])
def test_the_chances_of_how_many_rounds_a_swiss_takes_are_those_of_coins(players):
    chances = rounds_until_unbeaten(players)
    assert sum(chances.values()) == pytest.approx(1)
    played = [len(swiss_played(StageSettings("swiss"), players, coin(seed)).rounds) for seed in range(40)]
    expected = sum(rounds * chance for rounds, chance in chances.items())
    assert abs(sum(played) / len(played) - expected) < 0.3


def test_stages_follow_each_other_in_numbers_and_in_time():
    stages = [StageSettings(GROUPS, groups=4, qualifiers=2), StageSettings("knockout")]
    forecast = forecast_stages(stages, 17, default_lengths=(5,), pace=PACE, starts=NOON)
    groups, knockout = forecast.stages
    assert (groups.groups, groups.going_on, knockout.entrants) == ((5, 4, 4, 4), 8, 8)
    graph = plan_of(stages[1], later_sources(stages[1], stages[0], 1), seed=SEED)
    assert knockout.matches.most == len(graph.fixtures) == 7
    assert forecast.matches.most == 10 + 3 * 6 + 7
    assert (forecast.matches_each.least, forecast.matches_each.most) == (3, 4 + 3)
    assert groups.finish.median < knockout.brackets[0].rounds[0].finish.median < knockout.finish.median
    assert forecast.finish == knockout.finish
    assert forecast.ends == NOON + timedelta(minutes=forecast.finish.median)
    assert codes(forecast) == [("note", "groups_uneven")]


def test_a_hand_counted_evening():
    forecast = outlined(StageSettings("progressive"), 13, starts=NOON)
    main, consolation = forecast.stages[0].brackets
    assert [(round_.entrants.most, round_.matches.most, round_.byes.most) for round_ in main.rounds] == [
        (13, 5, 3),
        (8, 4, 0),
        (4, 2, 0),
        (2, 1, 0),
    ]
    assert [round_.length for round_ in main.rounds] == [5, 7, 7, 7]
    assert consolation.matches.most == 5 + 4 + 2 - 1
    assert forecast.stages[0].choices.lower[0].pattern.letters == ("A", "B", "C")


@pytest.mark.parametrize(
    ("stages", "entries", "code"),
    [
        ([StageSettings("progressive")], 3, "field_too_small"),
        ([StageSettings("progressive", last_chance="")], 4, "last_chance_empty"),
        ([StageSettings("progressive", pattern="A.B.|.C.")], 40, "pattern_not_one_left"),
        ([StageSettings("double", pattern="A.B.C.D.X")], 5, "pattern_letter_unknown"),
        ([StageSettings("groups", groups=4)], 7, "group_count"),
        ([StageSettings("league")], 13, "division_size"),
        ([StageSettings("roundrobin")], 400, "too_many_matches"),
        ([StageSettings("swiss", rounds=8)], 8, "rounds_with_rematches"),
        ([StageSettings("swiss")], 1, "field_too_small"),
        ([StageSettings("knockout")], 1, "field_too_small"),
        ([StageSettings("knockout")], 0, "field_too_small"),
        ([StageSettings("ladder")], 8, "no_such_format"),
        ([StageSettings("knockout"), StageSettings("knockout")], 8, "stage_qualifiers"),
        ([StageSettings("swiss", qualifiers=9), StageSettings("knockout")], 8, "qualifiers_too_many"),
        ([StageSettings("groups", qualifiers=3), StageSettings("knockout")], 5, "qualifiers_of_group"),
        ([], 8, "stage_count"),
    ],
)
def test_what_is_impossible_is_said_and_not_raised(stages, entries, code):
    forecast = forecast_stages(stages, entries, default_lengths=(7,), pace=PACE, starts=NOON)
    assert ("fault", code) in codes(forecast)
    assert not forecast.possible
    assert forecast.finish is None


def test_without_a_table_nobody_plays():
    forecast = forecast_stages([StageSettings()], 8, default_lengths=(7,), pace=Pace(0))
    assert codes(forecast) == [("fault", "no_tables")]


@settings(max_examples=60)
@given(
    st.lists(
        st.builds(
            StageSettings,
            st.sampled_from(FORMATS),
            pattern=st.sampled_from(["", "A.", "A.B.|.C.|.", "A.B.X", "nonsense"]),
            last_chance=st.none() | st.sampled_from(["", "A.", "A.B.|."]),
            rounds=st.none() | st.integers(0, 9),
            lives=st.integers(0, 5),
            groups=st.integers(0, 20),
            qualifiers=st.none() | st.integers(0, 9),
        ),
        max_size=3,
    ),
    st.integers(0, 300),
)
def test_nothing_that_can_be_chosen_brings_it_down(stages, entries):
    forecast = forecast_stages(stages, entries, default_lengths=(5,), pace=Pace(6, runs=1))
    assert len(forecast.stages) == len(stages)
    if forecast.possible:
        assert forecast.matches.most > 0
    for remark in forecast.remarks:
        if remark.code in REMARKS:
            assert REMARKS[remark.code].format_map(remark.params)


def test_the_closing_time_is_compared_with_the_forecast():
    plain = outlined(StageSettings(), 16, starts=NOON)
    assert codes(plain) == []
    assert codes(outlined(StageSettings(), 16, starts=NOON, closes=plain.ends_late)) == []
    close = outlined(StageSettings(), 16, starts=NOON, closes=plain.ends)
    assert codes(close) == [("note", "closing_close")]
    missed = outlined(StageSettings(), 16, starts=NOON, closes=plain.ends - timedelta(minutes=31))
    assert codes(missed) == [("warning", "closing_missed")]
    assert missed.remarks[0].params == {"minutes": 31}


def test_few_tables_make_a_long_evening():
    assert codes(outlined(StageSettings(), 17)) == []
    few = forecast_stages([StageSettings()], 17, default_lengths=(5, 7), pace=Pace(2, runs=20))
    assert codes(few) == [("note", "tables_few")]
    assert (few.tables, few.remarks[0].params) == (2, {"matches": 8, "tables": 2})
    assert few.finish.median > outlined(StageSettings(), 17).finish.median * 1.5


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(PRESETS) - {"league"}))
def test_a_preset_works_for_every_field_of_four_or_more(name):
    # Nights without rounds are played, which takes a second for each field.
    fields = (*range(4, 12), 19, 29, 100) if preset(name, 8)[0].is_continuous else (*range(4, 30), 47, 48, 64, 100)
    for entries in fields:
        forecast = forecast_stages(preset(name, entries), entries, default_lengths=(5,), pace=Pace(50, runs=1))
        assert forecast.possible, (entries, codes(forecast))


def test_a_preset_of_an_unknown_name_is_refused():
    with pytest.raises(Refused, match="not a format"):
        preset("ladder", 8)


def test_too_few_rounds_leave_several_unbeaten():
    assert codes(outlined(StageSettings("swiss", rounds=3), 20)) == [
        ("note", "several_unbeaten"),
        ("note", "tables_few"),
    ]
    assert codes(outlined(StageSettings("swiss", rounds=4), 16)) == []


@pytest.mark.slow
def test_every_choice_of_a_pattern_works_for_its_field():
    for entries in (*range(4, 20), 31, 32, 33, 65):
        for name in ("progressive", "double"):
            choices = outlined(StageSettings(name), entries).stages[0].choices
            assert choices.lower
            for choice in choices.lower:
                chosen = outlined(StageSettings(name, pattern=str(choice.pattern)), entries)
                assert chosen.possible
                lower = next(bracket for bracket in chosen.stages[0].brackets if bracket.pattern)
                assert lower.matches.most == sum(round_.matches for round_ in choice.rounds)
                assert lower.byes.most == choice.byes
            for choice in choices.last_chance:
                assert outlined(StageSettings(name, last_chance=str(choice.pattern)), entries).possible


def test_one_player_sits_out_a_round_with_lives_if_their_number_is_odd():
    assert LivesRun((7, 4, 3, 2)).matches == (3, 2, 1, 1)


def test_the_forecast_of_a_format_knows_the_clock_that_draws_its_bracket():
    starts = datetime(2026, 11, 20, 19, tzinfo=ZoneInfo("Europe/Copenhagen"))
    lives = StageSettings("lives", lives=2, pairing=PairingMode.CONTINUOUS)
    knockout = StageSettings("knockout")

    def forecast(switch_time, qualifiers=None):
        stages = [with_places(replace(lives, qualifiers=qualifiers, switch_time=switch_time)), knockout]
        return forecast_stages(stages, 16, default_lengths=(5,), pace=PACE, starts=starts)

    early, late, never = forecast("20:30"), forecast("22:00"), forecast("18:00")
    assert not [remark for remark in early.remarks if remark.kind == "fault"]
    # Nobody is out after ninety minutes, and the matches in progress are played to their end.
    assert 90 <= early.stages[0].finish.median < late.stages[0].finish.median < never.stages[0].finish.median
    assert 16 >= early.stages[1].entrants > late.stages[1].entrants > never.stages[1].entrants == 2
    assert early.stages[1].matches.least == early.stages[1].entrants - 1
    with_eight = forecast("18:00", 8)
    without_clock = forecast_stages(
        [replace(lives, qualifiers=8), knockout], 16, default_lengths=(5,), pace=PACE, starts=starts
    )
    assert with_eight.stages[0].finish == without_clock.stages[0].finish, "the time of the next day"
    # The bracket begins once the lives are over, and takes as long as one that no clock draws.
    for drawn in (early, late, with_eight):
        assert drawn.stages[1].finish.median > drawn.stages[0].finish.median + 60
    assert abs(with_eight.finish.median - without_clock.finish.median) < 45
