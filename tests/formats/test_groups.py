from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.errors import Refused
from formats.graph import MAIN, PlaceOf
from formats.progress import progress
from formats.tables.groups import drawn_groups, group_names, in_one_group, knockout_from_groups, snake_groups
from tests.formats.cast import SEED, sizes


def test_a_snake_runs_to_and_fro():
    assert snake_groups(range(1, 10), 3) == ((1, 6, 7), (2, 5, 8), (3, 4, 9))


@given(sizes(4, 300), st.data())
def test_groups_differ_by_one_at_most_and_hold_everybody(size, data):
    count = data.draw(st.integers(1, size // 2))
    for groups in (
        snake_groups(range(size), count),
        drawn_groups(range(size), count, seed=SEED, seeds=range(min(size, count))),
    ):
        assert sorted(entry for group in groups for entry in group) == list(range(size))
        assert max(map(len, groups)) - min(map(len, groups)) <= 1


def test_the_same_seed_draws_the_same_groups_and_club_mates_stand_apart():
    clubs = [(1, 2, 3, 4), (5, 6, 7, 8)]
    groups = drawn_groups(range(1, 17), 4, seed=SEED, apart=clubs)
    assert groups == drawn_groups(range(16, 0, -1), 4, seed=SEED, apart=clubs)
    for club in clubs:
        assert [len(set(club) & set(group)) for group in groups] == [1, 1, 1, 1]
    assert groups != drawn_groups(range(1, 17), 4, seed=SEED, draft=2, apart=clubs)


@given(st.integers(4, 60), st.data())
def test_two_who_are_kept_apart_stand_in_different_groups_whatever_clubs_they_are_of(size, data):
    count = data.draw(st.integers(2, size // 2))
    clubs = [range(0, size, 3), range(1, size, 3)]
    pair = data.draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True))
    groups = drawn_groups(range(size), count, seed=SEED, draft=data.draw(st.integers(1, 99)), apart=[pair])
    assert in_one_group(groups, [pair]) == ()
    mixed = drawn_groups(range(size), count, seed=SEED, apart=[*clubs, pair])
    together = {frozenset(two) for two in in_one_group(mixed, [*clubs, pair])}
    for group in mixed:
        for first, second in combinations(group, 2):
            mates = first % 3 == second % 3 != 2 or {first, second} == set(pair)
            assert (frozenset((first, second)) in together) == mates


def test_a_pair_kept_apart_does_not_bring_club_mates_together():
    clubs = [(1, 2, 3, 4), (5, 6, 7, 8)]
    for draft in range(1, 40):
        groups = drawn_groups(range(1, 17), 4, seed=SEED, draft=draft, apart=[*clubs, (1, 9)])
        assert in_one_group(groups, [*clubs, (1, 9)]) == ()


def test_seeded_entries_head_different_groups():
    groups = drawn_groups(range(1, 13), 3, seed=SEED, seeds=[1, 2, 3, 4, 5, 6])
    assert {group[0] for group in groups} == {1, 2, 3}
    assert {group[1] for group in groups} == {4, 5, 6}


def test_too_many_groups_are_refused():
    with pytest.raises(Refused, match="too few entries"):
        snake_groups(range(5), 3)
    assert group_names(27)[-1] == "AA"


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8, 16])
def test_winner_and_second_of_a_group_can_only_meet_again_in_the_final(count):
    graph = knockout_from_groups(group_names(count), 2)
    first = graph.bracket(MAIN).rounds[0].fixtures
    half = {s: at < len(first) / 2 for at, fixture in enumerate(first) for s in fixture.sources}
    for name in group_names(count):
        assert half[PlaceOf(name, 1)] != half[PlaceOf(name, 2)]
    taken = {PlaceOf(name, place): 10 * place + at for at, name in enumerate(group_names(count)) for place in (1, 2)}
    assert len(progress(graph, {}, places=taken).ready) >= count // 2


def test_group_winners_meet_lower_places_in_the_first_round():
    graph = knockout_from_groups(group_names(4), 2)
    for fixture in graph.bracket(MAIN).rounds[0].fixtures:
        assert {source.place for source in fixture.sources} == {1, 2}
