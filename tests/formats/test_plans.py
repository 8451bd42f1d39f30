"""From settings and a field to a plan: places drawn, brackets fed, later stages fed by places."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.elimination.knockout import take_bye
from formats.errors import Refused
from formats.facts import Result
from formats.forecast.stages import matches_each
from formats.graph import BYE, Graph, PlaceOf, check
from formats.lots import lot
from formats.plans import (
    LateDrop,
    checked_stages,
    draw_places,
    group_keys,
    last_chance_pattern,
    later_sources,
    lengths_of,
    lower_pattern,
    padded,
    places_before,
    plan_of,
    sources_of,
    with_late_drop,
)
from formats.progress import progress
from formats.settings import ELIMINATION, FORMATS, GROUPS, PairingMode, StageSettings
from formats.tables.tables import bracket_tables, final_orders, places_taken
from tests.formats.cast import SEED, coin, play_out
from tests.tiers import TEST_SEED, TIER

FIELDS = {"league": (4, 12), "places": (3, 128), "progressive": (6, 80), "groups": (8, 80), "roundrobin": (2, 40)}


def size_of(name):
    least, most = FIELDS.get(name, (2, 150))
    return st.integers(least, most)


formats = st.sampled_from(FORMATS).flatmap(lambda name: st.tuples(st.just(name), size_of(name)))


def planned(stage, entries, seed=SEED):
    return plan_of(stage, sources_of(draw_places(stage, range(1, entries + 1), seed=seed).places), seed=seed)


@settings(max_examples=80)
@given(formats, st.integers(1, 50), st.booleans())
def test_everybody_is_drawn_once_and_the_same_seed_draws_the_same(chosen, draft, seeded):
    name, entries = chosen
    stage = StageSettings(name, groups=3, group_draw="snake" if seeded else "drawn")
    field = list(range(1, entries + 1))
    seeds = field[::-1] if seeded else ()
    drawn = draw_places(stage, field, seed=SEED, draft=draft, seeds=seeds)
    assert sorted(place for place in drawn.places if place is not None) == field
    assert draw_places(stage, field[::-1], seed=SEED, draft=draft, seeds=seeds) == drawn
    assert drawn.algorithm


@pytest.mark.slow
@settings(max_examples=80)
@given(formats)
def test_a_plan_is_sound_and_everybody_is_in_it(chosen):
    name, entries = chosen
    graph = planned(StageSettings(name, groups=3, last_chance=None), entries)
    if name in ("swiss", "lives"):
        assert graph.brackets == ()
        return
    assert set(graph.entries) == set(range(1, entries + 1))
    if name in ELIMINATION:
        check(graph)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.sampled_from(["knockout", "double", "roundrobin", "groups"]), st.integers(8, 40), st.integers(1, 500))
def test_numbers_go_on_from_the_stage_before(name, entries, first):
    stage = StageSettings(name, groups=2)
    places = sources_of(draw_places(stage, range(1, entries + 1), seed=SEED).places)
    plain, shifted = (plan_of(stage, places, seed=SEED, first_number=number) for number in (1, first))
    assert sorted(shifted.fixtures) == [number + first - 1 for number in sorted(plain.fixtures)]


@settings(max_examples=40)
@given(st.integers(1, 8), st.integers(1, 4), st.sampled_from(["knockout", "roundrobin", "groups"]))
def test_a_later_stage_takes_each_place_before_it_once(groups, qualifiers, name):
    before = StageSettings(GROUPS, groups=groups, qualifiers=qualifiers)
    places = places_before(before, 1)
    assert len(set(places)) == groups * qualifiers
    following = StageSettings(name, groups=2)
    if len(places) < (4 if name == "groups" else 2):
        return
    sources = later_sources(following, before, 1)
    assert Counter(source for source in sources if source != BYE) == Counter(places)
    graph = plan_of(following, sources, seed=SEED)
    assert graph.fixtures


@settings(max_examples=25)
@given(st.integers(8, 30), st.integers(2, 4), st.integers(1, 2), st.integers(1, 99))
def test_groups_and_then_a_knockout_are_played_to_one_winner(entries, groups, qualifiers, seed):
    before, after = StageSettings(GROUPS, groups=groups, qualifiers=qualifiers), StageSettings("knockout")
    state, _results = play_out(planned(before, entries), coin(seed))
    tables = bracket_tables(before, state, lengths=[5], seed=SEED)
    orders = final_orders(before, 1, state=state, tables=tables, seed=SEED)
    taken = places_taken(places_before(before, 1), orders)
    assert len({entry for entry in taken.values() if entry is not None}) == groups * qualifiers
    graph = plan_of(after, later_sources(after, before, 1), seed=SEED, first_number=max(state.graph.fixtures) + 1)
    known = progress(graph, {}, places=taken)
    assert known.ready
    assert {slot.entry for number in known.ready for slot in known.fixtures[number].slots} <= set(taken.values())


def test_winners_of_groups_come_before_the_seconds():
    before = StageSettings(GROUPS, groups=2, qualifiers=2)
    assert group_keys(before, 1) == ("1:A", "1:B")
    assert places_before(before, 1) == [PlaceOf("1:A", 1), PlaceOf("1:B", 1), PlaceOf("1:A", 2), PlaceOf("1:B", 2)]
    assert places_before(StageSettings("swiss", qualifiers=2), 3) == [PlaceOf("3", 1), PlaceOf("3", 2)]
    assert places_before(StageSettings("swiss"), 1) == []
    assert padded([[1, 4], [2, 3, 5]]) == (1, 4, None, 2, 3, 5)


def test_the_pattern_of_a_double_elimination_ends_as_the_final_is_chosen():
    graph = planned(StageSettings("knockout"), 8)
    for written in ("A.B.|.C.", "A.B.|.C.X"):
        once = StageSettings("double", pattern=written)
        assert str(lower_pattern(once, graph)).endswith("X")
        assert str(lower_pattern(StageSettings("double", pattern=written, second_final=True), graph)).endswith("R")
    assert str(lower_pattern(StageSettings("double", pattern="A.B.|.C.R"), graph)).endswith("R")
    assert not lower_pattern(StageSettings("progressive", pattern="A.B.|.X"), graph).final


def test_a_last_chance_takes_the_losers_of_the_first_half_of_the_consolation():
    graph = planned(StageSettings("progressive"), 16)
    assert last_chance_pattern(StageSettings("progressive", last_chance=""), graph).letters == ("A", "B")
    assert last_chance_pattern(StageSettings("progressive", last_chance="A.|."), graph).letters == ("A",)


@pytest.mark.parametrize(
    ("stage", "entries", "code"),
    [
        (StageSettings("knockout"), 1, "field_too_small"),
        (StageSettings("knockout"), 4097, "field_too_large"),
        (StageSettings("progressive"), 3, "field_too_small"),
        (StageSettings("progressive", last_chance=""), 4, "last_chance_empty"),
        (StageSettings("progressive", pattern="A.B.C.D.E.F."), 8, "pattern_letter_unknown"),
        (StageSettings("double", pattern="A.B.|."), 8, "pattern_final_misses"),
        (StageSettings("groups", groups=5), 9, "group_count"),
        (StageSettings("league"), 3, "division_size"),
        (StageSettings("roundrobin"), 1, "field_too_small"),
        (StageSettings("roundrobin"), 400, "too_many_matches"),
        (StageSettings("roundrobin", twice=True), 250, "too_many_matches"),
    ],
)
def test_what_is_impossible_is_refused_with_its_code(stage, entries, code):
    with pytest.raises(Refused) as refused:
        planned(stage, entries)
    assert refused.value.code == code


def test_stages_that_can_follow_each_other():
    groups, last = StageSettings(GROUPS, groups=4, qualifiers=2), StageSettings("knockout", qualifiers=3)
    assert checked_stages([groups, last]) == [groups, StageSettings("knockout")]
    for stages, code in (
        ([], "stage_count"),
        ([last] * 6, "stage_count"),
        ([StageSettings("knockout"), last], "stage_qualifiers"),
        ([StageSettings("swiss", qualifiers=1), last], "stage_qualifiers"),
        ([last, StageSettings(GROUPS, groups=2)], "group_count"),
        ([StageSettings("swiss", qualifiers=2), StageSettings("swiss", rounds=4)], "rounds_with_rematches"),
        ([StageSettings(GROUPS, qualifiers=2), StageSettings("swiss", rounds=4)], "rounds_with_rematches"),
        ([StageSettings("swiss", qualifiers=3), StageSettings("progressive")], "field_too_small"),
        ([StageSettings("lives", qualifiers=3), StageSettings("league")], "division_size"),
        ([StageSettings("swiss", qualifiers=400), StageSettings("roundrobin")], "too_many_matches"),
        ([StageSettings("ladder")], "no_such_format"),
    ):
        with pytest.raises(Refused) as refused:
            checked_stages(stages)
        assert refused.value.code == code


def test_a_clock_alone_may_end_lives_without_rounds():
    lives = StageSettings("lives", lives=2, pairing=PairingMode.CONTINUOUS, switch_time="22:30")
    last = StageSettings("knockout")
    assert checked_stages([lives, last]) == [replace(lives, qualifiers=2), last]
    assert checked_stages([replace(lives, qualifiers=16), last])[0].qualifiers == 16
    with pytest.raises(Refused) as refused:
        checked_stages([replace(lives, switch_time=""), last])
    assert refused.value.code == "stage_qualifiers"
    with pytest.raises(Refused) as refused:
        checked_stages([lives])
    assert refused.value.code == "bad_setting", "no bracket follows"


def test_match_lengths_are_those_of_the_bracket_then_the_one_before_then_the_division():
    plain = StageSettings("progressive")
    assert {key: lengths_of(plain, key, [5, 7]) for key in ("main", "consolation", "last_chance")} == {
        "main": (5, 7),
        "consolation": (5, 7),
        "last_chance": (5, 7),
    }
    own = StageSettings("progressive", lengths=(9,), lower_lengths=(5,), last_lengths=(3,), final_lengths=(11,))
    assert [lengths_of(own, key, [1]) for key in ("main", "consolation", "lower", "last_chance", "final")] == [
        (9,),
        (5,),
        (5,),
        (3,),
        (11,),
    ]
    assert lengths_of(StageSettings("double", lengths=(5, 7)), "final", [1]) == (7,)


LATE_FIELDS = range(4, 65) if TIER.every_size else (5, 9, 12, 14, 21)
MAX_LATE = 6


def fewest_played(graph: Graph, chance: Random) -> int:
    """Play everything by chance and count the matches of everybody; return the fewest."""
    results: dict[int, Result] = {}
    counted = Counter(dict.fromkeys(graph.entries, 0))
    while ready := (state := progress(graph, results)).ready:
        for number in ready:
            entrants = state.fixtures[number].entrants
            assert entrants is not None
            results[number] = Result(chance.randrange(2), between=entrants)
            counted.update(entrants)
    return min(counted.values())


@pytest.mark.soak
def test_after_late_entries_everybody_still_has_two_matches_while_the_consolation_has_not_begun():
    stage, seed = StageSettings("progressive"), bytes(range(32))
    without_drop = 0
    print("\n12 → 2 2b 2b 2a 2b: at least 2 matches as drawn, then with 1, 2, … late entries;")
    print("b: the loser takes a bye of the consolation, a: it is drawn again, -: waiting list")
    for count in LATE_FIELDS:
        graph = planned(stage, count, seed=seed)
        row = [str(matches_each(graph).least)]
        for late in range(1, MAX_LATE + 1):
            try:
                entered, number = take_bye(graph, 1000 + late, lots=lot(seed, "late"))
            except Refused:
                row.append("-")
                continue
            graph, drop = with_late_drop(stage, entered, number, begun=(), seed=seed, draft=1, first_number=1000 * late)
            check(graph)
            without_drop += drop is LateDrop.ANEW
            least = matches_each(graph).least
            row.append(f"{least}{drop.value[0]}")
            assert least == 2, (count, late)
            assert fewest_played(graph, Random(f"{TEST_SEED}:{count}:{late}")) >= least
        print(f"{count:2} → {' '.join(row)}")
    print(f"{without_drop} late entries would have sent a loser home after one match")
    assert without_drop
