from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.elimination.drops import _masks, lay_out
from formats.elimination.knockout import draw, knockout, open_byes, take_bye
from formats.elimination.lower_bracket import double_elimination, lower_feed, take_late_drop, with_lower_bracket
from formats.elimination.patterns import parse, propose_consolation, propose_double
from formats.errors import Refused
from formats.facts import DOUBLE_FORFEIT, Result, Withdrawal
from formats.graph import BYE, CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN, ByeSource, LoserOf
from formats.lots import lot
from formats.progress import progress
from formats.states import FixtureStatus, SlotStatus
from tests.formats.cast import SEED, coin, play_out, sizes


def main(size):
    return knockout(draw(range(1, size + 1), seed=SEED).places)


def meetings(state):
    met = [s for s in state.fixtures.values() if s.status is FixtureStatus.DECIDED]
    return Counter(frozenset(slot.entry for slot in s.slots) for s in met)


def losses(state):
    return Counter(s.loser.entry for s in state.fixtures.values() if s.status is FixtureStatus.DECIDED)


@given(st.integers(5, 12), st.integers(0, 99), st.data())
def test_a_withdrawal_changes_nothing_in_a_bracket_that_is_played_to_its_end(size, toss, data):
    """A bye, and a line to which nobody came, stay what they were when their entrant leaves later."""
    graph = double_elimination(main(size), seed=SEED, pattern=propose_double(size)[0].pattern)
    opening = {}
    for number in data.draw(st.sets(st.sampled_from(progress(graph, {}).ready), max_size=1)):
        opening[number] = Result(None, None, DOUBLE_FORFEIT)
    state, results = play_out(graph, coin(toss), opening)
    assert any(fixture.status is FixtureStatus.BYE for fixture in state.fixtures.values()) or size == 8
    went_on = {entry for entry in graph.entries if not opening or entry in _winners(state)}
    assert went_on
    for entry in went_on:
        assert progress(graph, results, [Withdrawal(entry)]).fixtures == state.fixtures


def _winners(state):
    return {s.winner.entry for s in state.fixtures.values() if s.status is FixtureStatus.DECIDED}


@pytest.mark.slow
@settings(max_examples=25)
@given(sizes(2, 300), st.integers(0, 99), st.booleans(), st.integers(0, 9))
def test_in_a_double_elimination_everybody_is_out_after_exactly_two_losses(size, toss, second, which):
    proposals = propose_double(size, second_final=second)
    graph = double_elimination(main(size), seed=SEED, pattern=proposals[which % len(proposals)].pattern)
    state, results = play_out(graph, coin(toss))
    champion = state.champion(FINAL)
    lost = losses(state)
    assert state.over
    beaten_once = lost.pop(champion, 0)
    others = sorted(lost[entry] for entry in range(1, size + 1) if entry != champion)
    assert beaten_once in (0, 1)
    if second:
        assert set(others) == {2}
        assert len(results) == 2 * size - 2 + beaten_once
    else:
        # In a single final the upper winner stakes his second life, so he may go out after one loss.
        assert others == [2 - beaten_once, *[2] * (size - 2)]
        assert len(results) == 2 * size - 2
    assert all(len(met) == 2 for met in meetings(state))
    places = state.places(FINAL, LOWER)
    assert places[0].entries == (champion,)
    assert sorted(entry for place in places for entry in place.entries) == list(range(1, size + 1))


@pytest.mark.slow
@settings(max_examples=25)
@given(sizes(3, 140), st.integers(0, 99))
def test_by_default_whoever_loses_the_upper_final_is_third_at_least(size, toss):
    graph = double_elimination(main(size), seed=SEED, pattern=propose_double(size)[0].pattern)
    state, _ = play_out(graph, coin(toss))
    upper, lower = (state.fixtures[graph.bracket(key).fixtures[-1].number] for key in (MAIN, LOWER))
    assert upper.loser.entry in [slot.entry for slot in lower.slots]
    first, second, third = state.places(FINAL, LOWER)[:3]
    assert third.entries == (lower.loser.entry,)
    assert upper.loser.entry in {*first.entries, *second.entries, *third.entries}


@pytest.mark.slow
@settings(max_examples=25)
@given(sizes(2, 300), st.integers(0, 9))
def test_every_fixture_is_fed_and_byes_are_where_they_may_be(size, which):
    proposals = propose_double(size) + propose_consolation(size)
    chosen = proposals[which % len(proposals)]
    graph = with_lower_bracket(main(size), chosen.pattern, seed=SEED)
    lower = graph.bracket(LOWER if chosen.pattern.final else CONSOLATION)
    counts = [(2 * r.matches + r.byes, r.matches, r.byes) for r in chosen.rounds if r.matches]
    drawn_counts = []
    for round_ in lower.rounds:
        byes = sum(isinstance(s, ByeSource) for fixture in round_.fixtures for s in fixture.sources)
        drawn_counts.append((2 * len(round_.fixtures) - byes, len(round_.fixtures) - byes, byes))
    assert drawn_counts == counts
    assert all(byes <= 1 for _, _, byes in drawn_counts)
    later_rounds = [f for r in graph.bracket(MAIN).rounds[1:] for f in r.fixtures]
    assert not any(isinstance(s, ByeSource) for fixture in later_rounds for s in fixture.sources)
    dropped = {s.fixture for f in lower.fixtures for s in graph.intended(f.number) if isinstance(s, LoserOf)}
    letters = [ord(letter) - ord("A") for letter in chosen.pattern.letters]
    feeding = [f for at in letters for f in graph.bracket(MAIN).rounds[at].fixtures]
    real = {f.number for f in feeding if not any(isinstance(s, ByeSource) for s in f.sources)}
    assert dropped == real or (size == 2 and not dropped)


@pytest.mark.slow
@settings(max_examples=20)
@given(sizes(5, 300), st.integers(0, 99))
def test_losers_of_named_rounds_have_one_more_chance_and_finalists_do_not(size, toss):
    chosen = propose_consolation(size)[0]
    graph = with_lower_bracket(main(size), chosen.pattern, seed=SEED)
    state, results = play_out(graph, coin(toss))
    lost = losses(state)
    paid = {slot.entry for slot in state.fixtures[graph.bracket(MAIN).fixtures[-1].number].slots}
    won = state.champion(CONSOLATION)
    assert state.champion(MAIN) in paid
    assert won not in paid
    assert all(lost[e] == 2 for e in range(1, size + 1) if e not in paid | {won})
    assert len(results) == (size - 1) + (size - 3)


def test_the_director_may_name_the_last_round_that_drops():
    proposal = propose_consolation(16, last_drop="A")[0]
    assert str(proposal.pattern) == "A.|.|."
    assert str(propose_consolation(16, last_drop="D")[0].pattern) in ("A.B.|.C.|.D.", "A.B.C.D.|.")
    assert propose_consolation(3) == ()


def test_a_last_chance_is_fed_by_early_losers_of_the_consolation():
    graph = with_lower_bracket(main(32), "A.B.|.C.|.|.", seed=SEED)
    graph = with_lower_bracket(graph, "A.B.|.|.|.", seed=SEED, key=LAST_CHANCE, fed_by=CONSOLATION)
    state, _ = play_out(graph, coin(4))
    assert state.over
    assert state.champion(LAST_CHANCE) is not None
    assert max(losses(state).values()) == 3
    assert graph.bracket(LAST_CHANCE).fed_by == CONSOLATION


def test_the_second_final_is_needed_only_if_the_upper_winner_loses_the_first():
    graph = double_elimination(main(8), seed=SEED, pattern="A.B.|.C.XR")
    first, second = graph.bracket(FINAL).fixtures
    assert second.needed_if.fixture == first.number
    totals = {len(play_out(graph, coin(toss))[1]) for toss in range(12)}
    assert totals == {14, 15}


def test_a_withdrawn_players_drop_is_a_walkover_and_a_bye_is_none():
    graph = with_lower_bracket(main(13), "A.B.|.C.|.", seed=SEED)
    first = next(n for n, f in graph.fixtures.items() if not any(isinstance(s, ByeSource) for s in f.sources))
    leaver = graph.fixture(first).sources[0].entry
    state = progress(graph, {}, [Withdrawal(leaver)])
    drop = graph.next_of_loser[first]
    slot = state.fixtures[drop].slots[graph.intended(drop).index(LoserOf(first))]
    assert (slot.status, slot.absent) == (SlotStatus.WALKOVER, leaver)
    byes = [s for f in state.fixtures.values() for s in f.slots if s.status is SlotStatus.BYE]
    assert len(byes) == 3 + 2
    assert any(s.status is SlotStatus.TO_BE_DECIDED for f in state.fixtures.values() for s in f.slots)


def test_the_bye_of_the_first_consolation_round_is_drawn_by_lot_with_the_plan():
    takers = set()
    for draft in range(1, 40):
        graph = with_lower_bracket(main(13), "A.B.|.C.|.", seed=SEED, draft=draft)
        first = graph.bracket(CONSOLATION).rounds[0]
        assert not first.entrants
        takers.update(fixture.sources[0] for fixture in first.fixtures if fixture.sources[1] == BYE)
    assert len(takers) == 5


def test_the_same_seed_and_draft_give_the_same_consolation():
    assert with_lower_bracket(main(21), "A.B.|.C.|.D.|.", seed=SEED) == with_lower_bracket(
        main(21), "A.B.|.C.|.D.|.", seed=SEED
    )


def test_a_late_entrants_loss_takes_a_bye_of_the_consolation():
    graph = with_lower_bracket(main(13), "A.B.|.C.|.", seed=SEED)
    assert len(open_byes(graph)) == 3
    graph, number = take_bye(graph, 99, lots=lot(SEED, "late"))
    graph = take_late_drop(graph, number, CONSOLATION)
    state, results = play_out(graph, coin(1))
    assert state.over
    assert len(results) == 13 + 11
    full = with_lower_bracket(main(16), "A.B.|.C.|.", seed=SEED)
    with pytest.raises(Refused, match="No bye is left"):
        take_late_drop(full, 1, CONSOLATION)


def test_double_elimination_needs_a_pattern_with_a_final():
    with pytest.raises(Refused, match="must end in X"):
        double_elimination(main(8), seed=SEED, pattern="A.B.|.C.")


# The order of drops


def measure(graph):
    """Expected rematches before the final, over all results, each as likely: by playing every one of them."""
    pairs = [n for n in graph.fixtures if graph.bracket_of[n] != FINAL]
    real = [n for n in pairs if not any(isinstance(s, ByeSource) for s in graph.fixture(n).sources)]
    total = 0
    for winners in product((0, 1), repeat=len(real)):
        state = progress(graph, {n: Result(w) for n, w in zip(real, winners, strict=True)})
        total += sum(count - 1 for count in meetings(state).values())
    return total / 2 ** len(real)


@pytest.mark.parametrize(("size", "text"), [(4, "A.B.X"), (7, "A.B.|.C.X"), (8, "A.B.|.C.X")])
def test_the_measure_is_the_average_over_all_possible_results(size, text):
    graph = main(size)
    layout = lay_out(lower_feed(graph, parse(text)), seed=SEED, draft=1, first_number=max(graph.fixtures) + 1)
    assert measure(double_elimination(graph, seed=SEED, pattern=text)) == pytest.approx(layout.rematches)


def test_drawing_a_round_when_its_players_are_known_leaves_fewer_rematches_than_the_plan_expects():
    graph = main(6)
    pattern = "A.B.C.|.X"
    layout = lay_out(lower_feed(graph, parse(pattern)), seed=SEED, draft=1, first_number=max(graph.fixtures) + 1)
    assert measure(double_elimination(graph, seed=SEED, pattern=pattern)) < layout.rematches


def _met(later, earlier):
    """The chance that the loser of a fixture (round, index) met that of an earlier one."""
    depth = later[0] - earlier[0]
    return 2.0**-depth if depth > 0 and earlier[1] >> depth == later[1] else 0.0


def _crossed(first, second):
    return sum(p * q * (_met(a, b) + _met(b, a)) for a, p in first.items() for b, q in second.items())


def _merged(first, second):
    return {key: (first.get(key, 0) + second.get(key, 0)) / 2 for key in first.keys() | second.keys()}


def _all_pairs(items):
    if not items:
        yield []
        return
    for at in range(1, len(items)):
        for rest in _all_pairs(items[1:at] + items[at + 1 :]):
            yield [(items[0], items[at]), *rest]


def least(depth, sides, round_):
    """The fewest expected rematches of an unshifted lower bracket, over every order of drops and every pairing."""
    if round_ > depth:
        return 0.0
    best = float("inf")
    for order in permutations(range(len(sides))):
        drops = [{(round_, at): 1.0} for at in order]
        cost = sum(map(_crossed, sides, drops))
        met = [_merged(side, drop) for side, drop in zip(sides, drops, strict=True)]
        for pairs in _all_pairs(met) if len(met) > 1 and cost < best else [[]]:
            now = cost + sum(_crossed(a, b) for a, b in pairs)
            if now < best:
                best = min(best, now + least(depth, [_merged(a, b) for a, b in pairs], round_ + 1))
    return best


@pytest.mark.parametrize(("size", "text", "expected"), [(8, "A.B.|.C.X", 0.625), (16, "A.B.|.C.|.D.X", 0.75)])
def test_the_order_of_drops_is_the_best_of_all_orders_for_8_and_16(size, text, expected):
    depth = size.bit_length() - 1
    first = [{(1, at): 1.0} for at in range(size // 2)]
    searched = min(least(depth, [_merged(a, b) for a, b in pairs], 2) for pairs in _all_pairs(first))
    graph = main(size)
    layout = lay_out(lower_feed(graph, parse(text)), seed=SEED, draft=1, first_number=size)
    assert searched == pytest.approx(expected)
    assert layout.rematches == pytest.approx(searched)


@pytest.mark.parametrize("size", [32, 64, 100, 256, 300, 512, 1024])
def test_the_expected_rematches_stay_low_at_every_size(size):
    graph = main(size)
    chosen = propose_double(size)[0].pattern
    layout = lay_out(lower_feed(graph, chosen), seed=SEED, draft=1, first_number=max(graph.fixtures) + 1)
    assert 0.3 < layout.rematches < 0.95


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_every_exchange_of_a_small_round_is_tried(size):
    assert sorted(_masks(size)) == list(range(size))
