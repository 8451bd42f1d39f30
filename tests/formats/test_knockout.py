import hashlib
import hmac
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.elimination.knockout import (
    bracket_size,
    cross_seeded,
    draw,
    inner_outer,
    knockout,
    open_byes,
    seed_order,
    take_bye,
)
from formats.errors import Refused
from formats.graph import MAIN, PlaceOf
from formats.lots import Lots, commitment, lot
from formats.states import FixtureStatus, SlotStatus
from tests.formats.cast import SEED, coin, play_out, sizes

fields = sizes(2, 300)
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@given(fields, st.integers(1, 5))
def test_the_same_seed_and_draft_give_the_same_draw_and_everybody_is_in_it(size, draft):
    first = draw(range(1, size + 1), seed=SEED, draft=draft)
    again = draw(reversed(range(1, size + 1)), seed=SEED, draft=draft)
    assert first == again
    assert sorted(entry for entry in first.places if entry) == list(range(1, size + 1))


def test_a_redraw_takes_the_next_number_of_the_same_seed():
    drafts = {draw(range(1, 33), seed=SEED, draft=number).places for number in range(1, 21)}
    assert len(drafts) == 20


@given(fields)
def test_byes_are_the_missing_places_all_in_round_one_and_spread_evenly(size):
    places = draw(range(1, size + 1), seed=SEED).places
    byes = bracket_size(size) - size
    assert places.count(None) == byes
    half = len(places) // 2
    assert abs(places[:half].count(None) - places[half:].count(None)) <= 1
    state, _ = play_out(knockout(places), coin(size))
    with_bye = [n for n, s in state.fixtures.items() if s.status is FixtureStatus.BYE]
    assert len(with_bye) == byes
    assert all(number <= half for number in with_bye)


@given(fields, st.integers(0, 1000))
def test_a_knockout_of_n_has_n_minus_one_decisive_matches(size, toss):
    state, results = play_out(knockout(draw(range(1, size + 1), seed=SEED).places), coin(toss))
    assert len(results) == size - 1
    assert state.over
    assert state.champion(MAIN) in range(1, size + 1)
    losses = [s.loser.entry for s in state.fixtures.values() if s.status is FixtureStatus.DECIDED]
    assert sorted([*losses, state.champion(MAIN)]) == list(range(1, size + 1))


def test_every_order_of_three_is_drawn_about_as_often():
    orders = [tuple(Lots(SEED, "try", draft).shuffled("abc")) for draft in range(1, 3001)]
    counts = {order: orders.count(order) for order in set(orders)}
    assert len(counts) == 6
    assert all(abs(count - 500) < 100 for count in counts.values())


def test_the_lots_are_what_their_description_says():
    block = hmac.digest(SEED, b"knockout:3:0", hashlib.sha256)
    word = int.from_bytes(block[:8], "big")
    assert Lots(SEED, "knockout", 3).below(1000) == word % 1000
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()


def test_a_number_that_would_favour_the_low_ones_is_passed_over():
    words = [hmac.digest(SEED, f"try:1:{b}".encode(), "sha256")[at : at + 8] for b in range(9) for at in (0, 8, 16, 24)]
    bound = 2**63 + 1
    kept = [int.from_bytes(word, "big") for word in words if int.from_bytes(word, "big") < bound]
    lots = Lots(SEED, "try")
    assert [lots.below(bound) for _ in range(10)] == kept[:10]
    assert len(kept) < len(words)


@pytest.mark.parametrize("make", [commitment, lambda seed: Lots(seed, "try")])
def test_a_short_seed_is_refused(make):
    with pytest.raises(Refused) as refusal:
        make(b"fifteen bytes..")
    assert refusal.value.code == "seed_too_short"
    assert "16 bytes" in refusal.value.message


@pytest.mark.parametrize(("size", "code"), [(1, "field_too_small"), (4097, "field_too_large")])
def test_fields_outside_2_to_4096_are_refused(size, code):
    with pytest.raises(Refused) as refusal:
        draw(range(size), seed=SEED)
    assert refusal.value.code == code


def test_an_entry_given_twice_and_a_seed_not_entered_are_refused():
    with pytest.raises(Refused, match="twice"):
        draw([1, 2, 2], seed=SEED)
    with pytest.raises(Refused, match="does not take part"):
        draw([1, 2, 3], seed=SEED, seeds=[4])


def test_inner_outer_order_of_sixteen_and_of_the_reference_data():
    assert inner_outer(16) == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]
    if not (SHARED / "seed_ordering.json").exists():
        pytest.skip("the shared seed_ordering.json is not on this machine")
    cases = json.loads((SHARED / "seed_ordering.json").read_text())["cases"]
    assert len(cases) >= 4
    for case in cases:
        assert inner_outer(len(case["seeds"])) == case["expected"], case["name"]


def test_seeds_stand_inner_outer_and_have_the_byes():
    seeds = seed_order({7: 1900.0, 3: 1950.0, 5: 1900.0})
    assert seeds == (3, 5, 7)
    places = draw(range(1, 14), seed=SEED, seeds=seeds).places
    order = inner_outer(16)
    assert [places[order.index(seed)] for seed in (1, 2, 3)] == [3, 5, 7]
    for entry in seeds:
        assert places[places.index(entry) ^ 1] is None


@given(sizes(8, 300), st.integers(1, 3))
def test_club_mates_stand_in_opposite_halves_and_quarters_as_far_as_possible(size, draft):
    clubs = [set(range(1, 5)), set(range(5, 7))]
    drawn = draw(range(1, size + 1), seed=SEED, draft=draft, apart=clubs)
    quarter = len(drawn.places) // 4
    spread = [sorted(drawn.places.index(entry) // quarter for entry in club) for club in clubs]
    assert spread[0] == [0, 1, 2, 3]
    assert [at // 2 for at in spread[1]] == [0, 1]
    assert {(m.first, m.second) for m in drawn.meetings} == {
        (a, b) for a in clubs[0] for b in clubs[0] if a < b and _half(drawn, a) == _half(drawn, b)
    }
    assert len(drawn.meetings) == 2


def _half(drawn, entry):
    return drawn.places.index(entry) // (len(drawn.places) // 2)


def test_three_who_cannot_all_be_apart_are_said_to_meet_in_the_semi_final():
    drawn = draw(range(1, 9), seed=SEED, apart=[(1, 2), (2, 3), (1, 3)])
    assert len(drawn.meetings) == 1
    assert (drawn.meetings[0].round, drawn.meetings[0].rounds) == (2, 3)


def test_seeds_keep_their_places_when_clubs_are_kept_apart():
    drawn = draw(range(1, 17), seed=SEED, seeds=[1, 2, 3], apart=[(1, 4, 5, 6), (2, 7)])
    plain = inner_outer(16)
    assert [drawn.places[plain.index(seed)] for seed in (1, 2, 3)] == [1, 2, 3]
    assert _half(drawn, 2) != _half(drawn, 7)


def test_a_late_entrant_takes_a_bye_by_lot_whose_next_match_has_not_begun():
    graph = knockout(draw(range(1, 14), seed=SEED).places)
    byes = open_byes(graph)
    assert len(byes) == 3
    begun = [graph.next_of_winner[byes[0]], graph.next_of_winner[byes[1]]]
    changed, number = take_bye(graph, 99, lots=lot(SEED, "late"), begun=begun)
    assert number == byes[2]
    assert 99 in changed.entries
    assert len(open_byes(changed)) == 2
    taken = {take_bye(graph, 99, lots=lot(SEED, "late", key))[1] for key in range(30)}
    assert taken == set(byes)


def test_a_bye_that_is_taken_leaves_the_lot_among_the_others_as_it_was():
    graph = knockout(draw(range(1, 14), seed=SEED).places)
    for key in range(20):
        _, expected = take_bye(graph, 99, lots=lot(SEED, "late", key))
        for other in range(20):
            changed, taken = take_bye(graph, 98, lots=lot(SEED, "late", "other", other))
            _, number = take_bye(changed, 99, lots=lot(SEED, "late", key))
            assert number == expected or taken == expected


def test_a_re_entry_takes_the_bye_farthest_from_the_first_entry():
    graph = knockout(draw(range(1, 14), seed=SEED).places)
    for key in range(10):
        changed, number = take_bye(graph, 99, lots=lot(SEED, "late", key), apart_from=[1])
        first = next(s.number for s in graph.bracket(MAIN).rounds[0].fixtures if 1 in _entries(s))
        assert (first - 1) // 4 != (number - 1) // 4
        assert changed.fixture(number) != graph.fixture(number)


def _entries(fixture):
    return [getattr(source, "entry", None) for source in fixture.sources]


def test_a_late_entrant_who_is_in_already_is_refused():
    with pytest.raises(Refused, match="twice"):
        take_bye(knockout(draw(range(1, 14), seed=SEED).places), 1, lots=lot(SEED, "late"))


def test_no_bye_left_is_refused():
    graph = knockout(draw(range(1, 9), seed=SEED).places)
    with pytest.raises(Refused, match="No bye is left"):
        take_bye(graph, 99, lots=lot(SEED, "late"))


def test_places_of_groups_are_cross_seeded():
    sources = [PlaceOf("A", 1), PlaceOf("B", 1), PlaceOf("A", 2), PlaceOf("B", 2)]
    graph = cross_seeded(sources)
    assert graph.fixture(1).sources == (PlaceOf("A", 1), PlaceOf("B", 2))
    assert graph.fixture(2).sources == (PlaceOf("B", 1), PlaceOf("A", 2))
    state, _ = play_out(graph, coin(1))
    assert {slot.status for slot in state.fixtures[1].slots} == {SlotStatus.TO_BE_DECIDED}


def test_the_largest_field_is_drawn_with_everybody_in_a_club():
    clubs = [range(start, start + 16) for start in range(1, 4097, 16)]
    drawn = draw(range(1, 4097), seed=SEED, apart=clubs)
    sixteenth = len(drawn.places) // 16
    assert all(len({drawn.places.index(e) // sixteenth for e in club}) == 16 for club in clubs[:3])
