"""Byes in brackets fed by losers, counted by hand from the matches that were played."""

import random
from collections import Counter
from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.elimination.byes import LowerByes
from formats.elimination.knockout import draw, knockout, take_bye
from formats.elimination.lower_bracket import take_late_drop, with_lower_bracket
from formats.elimination.patterns import propose_consolation, propose_double
from formats.elimination.seating import Past, seat_entrants
from formats.facts import Result, Withdrawal
from formats.forecast.stages import choices_of
from formats.graph import BYE, CONSOLATION, LOWER, MAIN, DrawnSeat, Fixture, LoserOf, Round, WinnerOf
from formats.lots import Lots, lot
from formats.plans import draw_places, plan_of, sources_of
from formats.progress import progress
from formats.settings import DOUBLE, PROGRESSIVE, StageSettings
from formats.states import SlotStatus
from tests.formats.cast import SEED, SIZES, coin, play_out, sizes
from tests.tiers import TIER, first_in_make_test


def main(size, seed=SEED):
    return knockout(draw(range(1, size + 1), seed=seed).places)


def rounds_played(graph, state, results):
    """For each round of each bracket: who met, and who had nobody to meet."""
    for bracket in graph.brackets:
        for round_ in bracket.rounds:
            numbers = [fixture.number for fixture in round_.fixtures]
            met = [results[number].between for number in numbers if number in results]
            alone = [
                next(slot.entry for slot in state.fixtures[number].slots if slot.entry is not None)
                for number in numbers
                if number not in results and BYE in graph.fixture(number).sources
            ]
            yield bracket.key, met, alone


def unfair_byes(graph, state, results):
    """Byes for somebody although one with fewer byes was in the same round: the fewest possible is always none."""
    had = Counter()
    unfair = []
    for key, met, alone in rounds_played(graph, state, results):
        present = [*alone, *(entry for pair in met for entry in pair)]
        if key != MAIN:
            unfair += [(key, entry) for entry in alone if had[entry] > min(had[other] for other in present)]
        had.update(alone)
    return unfair


def graphs(size, *choices):
    """Every offered pattern for a field of so many, with byes on lines and by lot."""
    for byes in choices or LowerByes:
        for proposal in choices_of(StageSettings(DOUBLE), size).lower:
            yield StageSettings(DOUBLE, pattern=str(proposal.pattern), lower_byes=byes)
        for proposal in choices_of(StageSettings(PROGRESSIVE), size).lower:
            yield StageSettings(PROGRESSIVE, pattern=str(proposal.pattern), lower_byes=byes)
        for chance in choices_of(StageSettings(PROGRESSIVE), size).last_chance:
            yield StageSettings(PROGRESSIVE, last_chance=str(chance.pattern), lower_byes=byes)


def planned(stage, size, seed):
    places = draw_places(stage, range(1, size + 1), seed=seed).places
    return plan_of(stage, sources_of(places), seed=seed)


@pytest.mark.slow
@settings(max_examples=40)
@given(sizes(4, 128), st.integers(0, 999), st.integers(0, 99))
def test_no_bye_goes_to_somebody_while_another_has_had_fewer(size, which, toss):
    offered = list(graphs(size))
    stage = offered[which % len(offered)]
    graph = planned(stage, size, random.Random(toss).randbytes(32))
    state, results = play_out(graph, coin(toss))
    assert state.over
    assert unfair_byes(graph, state, results) == []


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("size", [size for size in SIZES if 4 <= size <= (128 if TIER.every_size else 65)])
def test_no_bye_is_unfair_at_any_size_in_any_pattern(size):
    offered = list(graphs(size))
    assert offered
    for toss, stage in enumerate(offered):
        graph = planned(stage, size, random.Random(size).randbytes(32))
        state, results = play_out(graph, coin(toss))
        assert unfair_byes(graph, state, results) == [], stage.pattern


def least_rematches(pairs, met):
    """The fewest earlier meetings with which the same players could have been paired, by trying everything."""
    players = [entry for pair in pairs for entry in pair]

    def least(left):
        if not left:
            return 0
        first, *others = left
        return min(
            met[frozenset((first, other))] + least([entry for entry in others if entry != other]) for other in others
        )

    return least(players)


@settings(max_examples=40)
@given(st.sampled_from([6, 7, 9, 10, 11, 13, 18, 19, 20]), st.integers(0, 999), st.integers(0, 99))
def test_a_drawn_round_has_as_few_rematches_as_can_be(size, which, toss):
    offered = list(graphs(size, LowerByes.LOTS))
    graph = planned(offered[which % len(offered)], size, random.Random(toss).randbytes(32))
    drawn = [bool(round_.entrants) for bracket in graph.brackets for round_ in bracket.rounds]
    state, results = play_out(graph, coin(toss))
    met = Counter()
    for is_drawn, (_, pairs, _) in zip(drawn, rounds_played(graph, state, results), strict=True):
        if is_drawn and len(pairs) <= 4:
            assert sum(met[frozenset(pair)] for pair in pairs) == least_rematches(pairs, met)
        met.update(map(frozenset, pairs))


def test_everybody_with_the_fewest_byes_can_draw_the_bye_and_nobody_else():
    fixtures = (
        Fixture(20, (DrawnSeat(LOWER, 2, 1), DrawnSeat(LOWER, 2, 2))),
        Fixture(21, (DrawnSeat(LOWER, 2, 3), DrawnSeat(LOWER, 2, 4))),
    )
    round_ = Round(2, (*fixtures, Fixture(22, (DrawnSeat(LOWER, 2, 5), BYE))))
    past = Past(byes=Counter({12: 1, 14: 2}))
    taken = Counter()
    for draft in range(300):
        order = seat_entrants(round_, [11, 12, 13, 14, 15], past, Lots(SEED, "example", draft))
        assert sorted(order) == [0, 1, 2, 3, 4]
        taken[11 + order[4]] += 1
    assert set(taken) == {11, 13, 15}
    assert min(taken.values()) > 70


def test_two_to_be_kept_apart_do_not_meet_where_others_can():
    seats = [DrawnSeat(LOWER, 2, number) for number in range(1, 5)]
    round_ = Round(2, (Fixture(20, (seats[0], seats[1])), Fixture(21, (seats[2], seats[3]))))
    for arrived in permutations([11, 12, 13, 14]):
        past = Past(met=Counter([frozenset((11, 13))]), apart=(frozenset((11, 12)),))
        order = seat_entrants(round_, arrived, past, Lots(SEED, "example"))
        entries = [arrived[at] for at in order]
        assert {frozenset(entries[:2]), frozenset(entries[2:])} == {frozenset((11, 14)), frozenset((12, 13))}


def waiting_round(graph):
    return next(round_ for bracket in graph.brackets for round_ in bracket.rounds if round_.entrants)


def test_nobody_is_known_in_a_drawn_round_until_all_its_entrants_are():
    graph = with_lower_bracket(main(19), "A.B.|.C.|.D.|.", seed=SEED, byes=LowerByes.LOTS)
    round_ = waiting_round(graph)
    results = {}
    state = progress(graph, results)
    while state.ready:
        known = [slot.entry for fixture in round_.fixtures for slot in state.fixtures[fixture.number].slots]
        feeding = [state.fixtures[source.fixture] for source in round_.entrants]
        assert (set(known) == {None}) == (not all(fixture.over for fixture in feeding))
        number = state.ready[0]
        first, second = (slot.entry for slot in state.fixtures[number].slots)
        results[number] = Result(0, between=(first, second))
        state = progress(graph, results)
    assert len(results) == 18 + 16


@settings(max_examples=30)
@given(st.integers(5, 40), st.integers(0, 99), st.data())
def test_the_order_of_results_and_a_correction_with_its_undo_change_no_lot(size, toss, data):
    stage = data.draw(st.sampled_from(list(graphs(size))))
    graph = planned(stage, size, SEED)
    state, results = play_out(graph, coin(toss))
    number = data.draw(st.sampled_from(sorted(results)))
    there = results[number]
    other = Result(1 - there.winner, between=there.between)
    corrected = progress(graph, {**results, number: other})
    again = progress(graph, {**results, number: there})
    assert again == state
    assert progress(graph, dict(sorted(results.items(), reverse=True))) == state
    # What was decided before the corrected match stays as it was.
    untouched = [earlier for earlier in state.fixtures if earlier < number]
    assert all(corrected.fixtures[earlier] == state.fixtures[earlier] for earlier in untouched)


def test_a_late_entrants_loser_takes_the_bye_of_a_drawn_round():
    graph = with_lower_bracket(main(19), "A.B.|.C.|.D.|.", seed=SEED, byes=LowerByes.LOTS)
    while any(BYE in f.sources for r in graph.bracket(CONSOLATION).rounds if not r.entrants for f in r.fixtures):
        graph, number = take_bye(graph, 100 + len(graph.entries), lots=lot(SEED, "late"))
        graph = take_late_drop(graph, number, CONSOLATION)
    round_ = waiting_round(graph)
    graph, number = take_bye(graph, 99, lots=lot(SEED, "late"))
    graph = take_late_drop(graph, number, CONSOLATION)
    after = next(later for later in graph.bracket(CONSOLATION).rounds if later.number == round_.number)
    assert len(after.entrants) == len(round_.entrants) + 1
    assert not any(BYE in fixture.sources for fixture in after.fixtures)
    state, results = play_out(graph, coin(3))
    assert state.over
    assert len({frozenset(pair) for pair in combinations(graph.entries, 2)}) > len(results)
    assert unfair_byes(graph, state, results) == []


# Byes on fixed lines


def may_have_rested(graph, source):
    """Whether somebody who comes from a source can have had a bye, looked up along every way there."""
    if isinstance(source, DrawnSeat):
        round_ = graph.bracket(source.bracket).rounds[source.round - 1]
        return any(may_have_rested(graph, entrant) for entrant in round_.entrants)
    if not isinstance(source, WinnerOf | LoserOf):
        return False
    own = graph.fixture(source.fixture).sources
    return (BYE in own and isinstance(source, WinnerOf)) or any(may_have_rested(graph, other) for other in own)


def lower_byes(graph):
    """The other source of every bye in a bracket fed by losers."""
    return [
        next(source for source in fixture.sources if source != BYE)
        for bracket in graph.brackets
        if bracket.fed_by is not None
        for fixture in bracket.fixtures
        if BYE in fixture.sources
    ]


def lines_after_round(clean, others):
    """Every (clean, other) number of lines that can follow a round whose bye stands on a clean one."""
    count = clean + others
    if count == 1:
        return {(clean, others)}
    free = clean - count % 2
    return {(both, (count + 1) // 2 - both) for both in range(free // 2 + 1) if free >= 0 and free - 2 * both <= others}


def can_all_stand_on_clean_lines(graph, pattern):
    """Whether any plan has a line for each bye by which only players come who have had none.

    By trying how many matches of each round are of two such lines; nothing else of a plan matters for that.
    """
    main_rounds = graph.bracket(MAIN).rounds
    reachable = {(0, 0)}
    for letters in pattern.rounds:
        dropping = [
            LoserOf(fixture.number)
            for letter in letters
            for fixture in main_rounds[ord(letter) - ord("A")].fixtures
            if BYE not in fixture.sources
        ]
        rested = sum(may_have_rested(graph, source) for source in dropping)
        reachable = {
            after
            for clean, others in reachable
            for after in lines_after_round(clean + len(dropping) - rested, others + rested)
        }
    return bool(reachable)


ON_CLEAN_LINES = {*range(4, 9), *range(12, 17), *range(24, 33), *range(48, 65)}
"""How many players have a consolation in which nobody can have a second bye, whatever the results."""
ON_LINES = {*ON_CLEAN_LINES, 9, 10, 17, 33}
"""How many have a default consolation without later lots: where everybody may have had a bye, others are fair."""


@pytest.mark.parametrize(
    "size", [pytest.param(size, marks=pytest.mark.slow) if size % 6 else size for size in range(4, 65)]
)
def test_every_bye_stands_on_a_clean_line_if_any_plan_has_one(size):
    for proposal in (*propose_consolation(size), *propose_double(size)):
        feeding = main(size, bytes([size]) * 16)
        graph = with_lower_bracket(feeding, proposal.pattern, seed=bytes([size]) * 16)
        clean = not any(may_have_rested(graph, source) for source in lower_byes(graph))
        assert clean == can_all_stand_on_clean_lines(feeding, proposal.pattern) == (size in ON_CLEAN_LINES)
        lots = any(round_.entrants for bracket in graph.brackets for round_ in bracket.rounds)
        assert not (clean and lots), proposal.pattern
        if proposal == propose_consolation(size)[0]:
            assert lots == (size not in ON_LINES)


@pytest.mark.slow
@pytest.mark.parametrize("size", range(4, 65) if TIER.every_size else (*range(4, 18), 22, 27, 33, 48, 63))
def test_nobody_has_a_second_bye_or_one_before_another_whatever_the_results(size):
    for stage in graphs(size, LowerByes.LINES):
        graph = planned(stage, size, random.Random(size).randbytes(32))
        for toss in range(3):
            state, results = play_out(graph, coin(toss))
            assert unfair_byes(graph, state, results) == [], stage
            if size in ON_CLEAN_LINES and stage.last_chance is None:
                had = Counter(entry for _, _, alone in rounds_played(graph, state, results) for entry in alone)
                assert max(had.values(), default=0) <= 1


@pytest.mark.parametrize("size", [5, 6, 7, pytest.param(9, marks=pytest.mark.slow)])
def test_all_possible_results_of_a_small_field_give_nobody_an_unfair_bye(size):
    graph = with_lower_bracket(main(size), propose_consolation(size)[0].pattern, seed=SEED)
    matches = [number for number, fixture in graph.fixtures.items() if BYE not in fixture.sources]
    assert len(matches) == 2 * size - 4
    for winners in product((0, 1), repeat=len(matches)):
        decided = dict(zip(matches, winners, strict=True))
        state = progress(graph, {number: Result(winner) for number, winner in decided.items()})
        between = {number: tuple(slot.entry for slot in state.fixtures[number].slots) for number in matches}
        results = {number: Result(winner, between=between[number]) for number, winner in decided.items()}
        assert unfair_byes(graph, state, results) == []


def test_a_match_of_a_round_with_a_lot_begins_when_its_two_players_are_there():
    graph = with_lower_bracket(main(19), "A.B.|.C.|.D.|.", seed=SEED)
    round_ = waiting_round(graph)
    seated = [
        fixture for fixture in round_.fixtures if any(isinstance(source, DrawnSeat) for source in fixture.sources)
    ]
    others = [fixture for fixture in round_.fixtures if fixture not in seated]
    assert len(round_.entrants) == 2
    assert others
    lot_waits_for = {source.fixture for source in round_.entrants}
    results = {}
    state = progress(graph, results)
    while playing := [number for number in state.ready if number not in lot_waits_for]:
        for number in playing:
            first, second = (slot.entry for slot in state.fixtures[number].slots)
            results[number] = Result(0, between=(first, second))
        state = progress(graph, results)
    assert all(fixture.number in results for fixture in others)
    assert not any(fixture.number in results for fixture in seated)


@pytest.mark.parametrize("size", first_in_make_test(11, *([19, 21, 37] if TIER.every_size else [19])))
def test_the_lot_can_give_the_bye_to_each_of_its_lines(size):
    took = Counter()
    for toss in range(60):
        graph = with_lower_bracket(main(size), propose_consolation(size)[0].pattern, seed=toss.to_bytes(16))
        state, _ = play_out(graph, coin(toss))
        round_ = waiting_round(graph)
        bye = next(fixture for fixture in round_.fixtures if BYE in fixture.sources)
        seat = next(source for source in bye.sources if isinstance(source, DrawnSeat))
        order = state.drawn[CONSOLATION, round_.number]
        took[order[seat.number - 1]] += 1
        assert sorted(order) == list(range(len(round_.entrants)))
    assert set(took) == set(range(len(round_.entrants)))


def test_players_of_a_clean_line_who_withdraw_leave_a_walkover_and_no_bye():
    graph = with_lower_bracket(main(13), "A.B.|.C.|.", seed=SEED)
    bye = next(fixture for fixture in graph.bracket(CONSOLATION).rounds[1].fixtures if BYE in fixture.sources)
    full, results = play_out(graph, coin(2))
    leaver = full.fixtures[bye.number].winner.entry
    before = {number: result for number, result in results.items() if number < bye.number}
    state = progress(graph, before, [Withdrawal(leaver)])
    after = graph.next_of_winner[bye.number]
    assert state.fixtures[bye.number].winner.entry == leaver, "the bye passes them on, and the next match is a walkover"
    assert leaver in [slot.absent for slot in state.fixtures[after].slots]
    others = [fixture for fixture in graph.bracket(CONSOLATION).rounds[1].fixtures if fixture != bye]
    assert not any(
        SlotStatus.BYE in [slot.status for slot in state.fixtures[fixture.number].slots] for fixture in others
    )
