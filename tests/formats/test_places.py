"""A place for everybody: the plan, who has a bye, and who takes which place."""

import importlib.util
import json
import random
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.elimination import places
from formats.elimination.places import certain_places, everybody, final_order
from formats.errors import Refused
from formats.facts import DOUBLE_FORFEIT, Result, Withdrawal
from formats.graph import BYE, EntrySource, Graph, PlaceOf, Round, Source, WinnerOf, check
from formats.plans import draw_places, later_sources, lengths_of, plan_of, sources_of
from formats.progress import Progress, SharedPlace, progress
from formats.settings import StageSettings
from formats.states import FixtureStatus
from tests.formats.cast import SEED, coin, play_out

FIELDS = [*range(3, 34), 63, 64, 65, 127, 128]
MATCHES = {8: 12, 9: 13, 12: 20, 13: 22, 16: 32, 24: 52, 32: 80, 64: 192}


def graph_of(entries: int, played_to: int = 0, shared_by: int = 1) -> Graph:
    return everybody([EntrySource(n) for n in range(1, entries + 1)], played_to=played_to, shared_by=shared_by)


def matches_of(graph: Graph) -> dict[int, int]:
    """Number of a fixture -> number of its match, without byes."""
    numbers = (number for number, fixture in graph.fixtures.items() if BYE not in fixture.sources)
    return {number: match for match, number in enumerate(numbers, start=1)}


def without_byes(graph: Graph) -> dict[int, list[list[object]]]:
    """Number of a match -> its sources, as the reference model writes them."""
    matches = matches_of(graph)

    def written(source: Source) -> list[object]:
        if isinstance(source, EntrySource):
            return ["entry", source.entry]
        fixture = graph.fixtures[source.fixture]  # type: ignore[union-attr]
        if BYE in fixture.sources:
            return written(next(other for other in fixture.sources if other != BYE))
        return [source.kind, matches[fixture.number]]

    return {match: [written(source) for source in graph.fixtures[number].sources] for number, match in matches.items()}


def played(state: Progress) -> Counter[int]:
    over = (fixture for fixture in state.fixtures.values() if fixture.status is FixtureStatus.DECIDED)
    return Counter(slot.entry for fixture in over for slot in fixture.slots if slot.entry is not None)


@pytest.mark.parametrize("entries", FIELDS)
def test_everybody_plays_on_and_nobody_has_two_byes(entries: int) -> None:
    graph = check(graph_of(entries))
    assert len(matches_of(graph)) == MATCHES.get(entries, len(matches_of(graph)))
    state, _results = play_out(graph, coin(entries))
    byes = Counter(f.winner.entry for f in state.fixtures.values() if f.status is FixtureStatus.BYE)
    assert max(byes.values(), default=0) <= 1
    assert min(played(state).values()) >= entries.bit_length() - 2
    met = Counter(frozenset(slot.entry for slot in f.slots) for f in state.fixtures.values() if f.loser.entry)
    assert set(met.values()) == {1}
    order = certain_places(state)
    assert [(row.first, row.last) for row in order] == [(place, place) for place in range(1, entries + 1)]
    assert sorted(entry for row in order for entry in row.entries) == list(range(1, entries + 1))


def places_decided(key: str, round_: Round) -> tuple[int, int]:
    entrants = sum(source != BYE for fixture in round_.fixtures for source in fixture.sources)
    return places.first_place(key), places.first_place(key) + entrants - 1


def test_losers_begin_the_bracket_of_their_places() -> None:
    graph = graph_of(9)
    rounds = {bracket.key: [places_decided(bracket.key, r) for r in bracket.rounds] for bracket in graph.brackets}
    assert rounds == {
        "main": [(1, 9), (1, 5), (1, 3), (1, 2)],
        "p6": [(6, 9), (6, 7)], "p4": [(4, 5)], "p8": [(8, 9)],
    }  # fmt: skip
    assert [bracket.fed_by for bracket in graph.brackets] == [None, "main", "main", "p6"]
    # The bye of the first round meets somebody who had none, and the next one goes to a line that cannot have had one.
    assert graph.fixtures[5].sources == (EntrySource(9), BYE)
    assert graph.fixtures[6].sources == (WinnerOf(1), WinnerOf(5))


@given(st.sampled_from(FIELDS), st.integers(0, 16), st.sampled_from([2, 4, 8]), st.integers(0, 99))
def test_places_that_are_not_played_for_are_shared(entries: int, played_to: int, shared_by: int, toss: int) -> None:
    state, _results = play_out(graph_of(entries, played_to, shared_by), coin(toss))
    taken = [place for row in certain_places(state) for place in range(row.first, row.last + 1)]
    assert taken == list(range(1, entries + 1))
    sizes = [len(row.entries) for row in certain_places(state)]
    assert max(sizes) <= (shared_by if played_to else 1)
    for row in certain_places(state):
        assert row.last == row.first or row.first > played_to > 0


@settings(max_examples=60)
@given(st.integers(3, 40), st.integers(0, 999))
def test_whoever_leaves_places_once_known_stay_and_each_is_taken(entries: int, seed: int) -> None:
    chance, graph = random.Random(seed), graph_of(entries)
    results: dict[int, Result] = {}
    gone: list[Withdrawal] = []
    state = progress(graph, results)
    known: dict[int, SharedPlace] = {}
    while not state.over:
        number = chance.choice(state.ready)
        between = state.fixtures[number].entrants
        match chance.randrange(8):
            case 0:
                gone.append(Withdrawal(chance.randint(1, entries)))
            case 1:
                results[number] = Result(None, None, DOUBLE_FORFEIT, between)
            case _:
                results[number] = Result(chance.randrange(2), between=between)
        state = progress(graph, results, gone)
        # A match against somebody who has left is recorded, and stands whoever leaves after it.
        while new := {n: f.walkover for n, f in state.fixtures.items() if f.walkover and n not in results}:
            results |= {n: result for n, result in new.items() if result is not None}
            state = progress(graph, results, gone)
        for row in certain_places(state):
            assert all(known.setdefault(entry, row) == row for entry in row.entries)
    rows = certain_places(state)
    assert sorted(p for row in rows for p in row.only or range(row.first, row.last + 1)) == [*range(1, entries + 1)]
    assert sorted(entry for row in rows for entry in row.entries) == list(range(1, entries + 1))


def test_two_who_would_meet_share_and_others_keep_their_places() -> None:
    """Of eight, the losers of M1 and M2 go home; those of M3 and M4 play for place 5, and one has a walkover for 7."""
    results = {n: Result(0) for n in range(1, 7)} | {8: Result(0)}
    state = progress(graph_of(8), results, [Withdrawal(2), Withdrawal(4)])
    assert [(row.first, row.last, row.entries, row.only) for row in certain_places(state)] == [
        (5, 5, (6,), ()),
        (6, 8, (2, 4), (6, 8)),
        (7, 7, (8,), ()),
    ]
    both = [holders for _first, _last, (holders,) in final_order(state) if holders and len(holders) > 1]
    assert both == [frozenset({2, 4})] * 2


def test_what_was_won_after_an_empty_line_counts_once_the_winner_has_left() -> None:
    """Both forfeit M1, so the winner of M2 is in the final of the upper four without a match; it then goes home."""
    results = {1: Result(None, None, DOUBLE_FORFEIT, (1, 2)), 2: Result(0, between=(3, 4)), 3: Result(0), 4: Result(0)}
    graph = graph_of(8)
    stayed = progress(graph, results | {6: Result(0, between=(5, 7)), 9: Result(0, between=(3, 5))})
    left = progress(graph, results | {6: Result(0, between=(5, 7)), 9: Result(0, between=(3, 5))}, [Withdrawal(3)])
    assert certain_places(left)[:2] == certain_places(stayed)[:2] == (SharedPlace(1, 1, (3,)), SharedPlace(2, 2, (5,)))


@pytest.mark.parametrize("entries", [2, 129])
def test_a_field_has_three_to_128(entries: int) -> None:
    stage = StageSettings("places")
    with pytest.raises(Refused, match="3 to 128") as refused:
        draw_places(stage, range(1, entries + 1), seed=SEED)
    assert refused.value.code == "places_field"
    with pytest.raises(Refused):
        plan_of(stage, sources_of(range(1, entries + 1)), seed=SEED)


def test_seeds_keep_the_order_of_a_bracket_without_the_seats_nobody_has() -> None:
    stage = StageSettings("places")
    drawn = draw_places(stage, range(1, 8), seed=SEED, seeds=range(1, 8))
    assert drawn.places == (1, 4, 5, 2, 7, 3, 6, None)
    assert drawn.algorithm.endswith(", byes last")
    apart = draw_places(stage, range(1, 13), seed=SEED, apart=[(1, 2), (3, 4), (5, 6, 7, 8)])
    assert not {frozenset(pair) for pair in zip(apart.places[::2], apart.places[1::2], strict=True)} & {
        frozenset(pair) for pair in [(1, 2), (3, 4), (5, 6), (7, 8), (5, 7), (5, 8), (6, 7), (6, 8)]
    }


def test_it_can_follow_a_swiss_and_its_losers_may_play_shorter_matches() -> None:
    before = StageSettings("swiss", rounds=3, qualifiers=5)
    sources = later_sources(StageSettings("places"), before, 1)
    assert sources == [PlaceOf("1", 1), PlaceOf("1", 4), PlaceOf("1", 5), PlaceOf("1", 2), PlaceOf("1", 3), BYE]
    assert len(matches_of(plan_of(StageSettings("places"), sources, seed=SEED))) == 5
    stage = StageSettings("places", lengths=(5, 7), lower_lengths=(3,))
    assert (lengths_of(stage, "main", [9]), lengths_of(stage, "p9", [9])) == ((5, 7), (3,))


@pytest.mark.parametrize("changed", [{"played_to": -1}, {"played_to": 129}, {"shared_by": 3}])
def test_settings_out_of_range_are_refused(changed: dict[str, int]) -> None:
    with pytest.raises(Refused) as refused:
        StageSettings("places", **changed).checked()  # type: ignore[arg-type]
    assert refused.value.code == "bad_setting"
    assert StageSettings.of("places", StageSettings("places", played_to=8, shared_by=4).as_data()).shared_by == 4


def model(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("weekend_model", folder / "model.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_plan_is_that_of_the_reference_model(shared_data: Path) -> None:
    reference = model(shared_data / "weekend")
    for entries in FIELDS:
        for played_to, shared_by in ((0, 1), (8, 4), (3, 2), (1, 8)):
            fixtures, _leaves = reference.plan(entries, played_to, shared_by)
            expected = {fixture["number"]: fixture["sources"] for fixture in fixtures}
            assert without_byes(graph_of(entries, played_to, shared_by)) == expected


def test_every_case_of_the_specification(shared_data: Path) -> None:
    for case in json.loads((shared_data / "weekend/places.json").read_text())["cases"]:
        graph = graph_of(case["n"], case.get("played_to", 0), case.get("shared_by", 1))
        if case["kind"] == "places":
            first = [graph.fixtures[f.number].sources for f in graph.bracket("main").rounds[0].fixtures]
            met = [[[source.kind, source.entry] for source in pair] for pair in first if BYE not in pair]  # type: ignore[union-attr]
            assert {"matches": len(matches_of(graph)), "first_node": met} == case["expect"], case["name"]
        if case["kind"] == "final_order":
            number = {str(match): fixture for fixture, match in matches_of(graph).items()}
            results = {number[match]: Result(winner) for match, winner in case["wins"].items()}
            state = progress(graph, results, [Withdrawal(entry) for entry in case.get("gone", ())])
            order = [
                [first, last, [["both", *sorted(who)] if len(who) > 1 else min(who) for who in lines if who]]
                for first, last, lines in final_order(state)
            ]
            assert order == case["expect"], case["name"]
