import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.difference import difference
from formats.elimination.knockout import cross_seeded, draw, knockout
from formats.elimination.lower_bracket import double_elimination
from formats.elimination.patterns import propose_double
from formats.errors import Refused
from formats.facts import DOUBLE_FORFEIT, FORFEIT, Result, Withdrawal
from formats.graph import (
    BYE,
    CONSOLATION,
    FINAL,
    LOWER,
    MAIN,
    Bracket,
    EntrySource,
    Fixture,
    Graph,
    LoserOf,
    NeededIf,
    PlaceOf,
    Round,
    WinnerOf,
    check,
)
from formats.progress import SharedPlace, progress
from formats.settings import DOUBLE, KNOCKOUT, StageSettings
from formats.states import FixtureStatus, SlotStatus
from formats.tables.tables import elimination_places
from tests.formats.cast import ALICE, BOB, CAROL, DAVE, ERIN, SEED, coin, play_out


def four_with_consolation() -> Graph:
    """Alice - Bob (M1), Carol - Dave (M2), final M3; the losers of M1 and M2 meet in M4."""
    main = knockout([ALICE, BOB, CAROL, DAVE])
    match = Fixture(4, (LoserOf(1), LoserOf(2)))
    return check(main.with_bracket(Bracket(CONSOLATION, (Round(1, (match,), ("A",)),), fed_by=MAIN)))


def test_before_any_result_first_matches_are_ready_and_the_others_to_be_decided():
    state = progress(four_with_consolation(), {})
    assert state.ready == (1, 2)
    assert {slot.status for slot in state.fixtures[3].slots} == {SlotStatus.TO_BE_DECIDED}
    assert state.fixtures[3].status is FixtureStatus.WAITING
    assert not state.over


def test_a_winner_goes_on_and_a_loser_drops():
    state = progress(four_with_consolation(), {1: Result(0, (7, 3)), 2: Result(1, (5, 7))})
    assert [slot.entry for slot in state.fixtures[3].slots] == [ALICE, DAVE]
    assert [slot.entry for slot in state.fixtures[4].slots] == [BOB, CAROL]


def test_a_bye_passes_its_entry_on_and_drops_a_bye():
    graph = knockout([ALICE, None, CAROL, DAVE])
    graph = graph.with_bracket(Bracket(CONSOLATION, (Round(1, (Fixture(4, (LoserOf(1), LoserOf(2))),)),)))
    state = progress(graph, {2: Result(0)})
    assert state.fixtures[1].status is FixtureStatus.BYE
    assert state.fixtures[3].slots[0].entry == ALICE
    assert state.fixtures[4].slots[0].status is SlotStatus.BYE
    assert state.champion(CONSOLATION) == DAVE


def test_a_forfeit_loses_the_match_only_so_the_loser_still_drops():
    state = progress(four_with_consolation(), {1: Result(0, kind=FORFEIT), 2: Result(0)})
    assert state.fixtures[4].slots[0].entry == BOB


def test_who_withdraws_from_the_event_is_a_walkover_here_and_in_the_consolation():
    state = progress(four_with_consolation(), {2: Result(0)}, [Withdrawal(BOB)])
    first = state.fixtures[1]
    assert first.status is FixtureStatus.WALKOVER
    assert (first.slots[1].status, first.slots[1].absent) == (SlotStatus.WALKOVER, BOB)
    assert state.fixtures[3].slots[0].entry == ALICE
    assert state.fixtures[4].slots[0].status is SlotStatus.WALKOVER
    assert state.fixtures[4].slots[0].absent == BOB
    assert state.champion(CONSOLATION) == DAVE


def test_who_withdraws_from_the_main_bracket_only_drops_to_the_consolation():
    state = progress(four_with_consolation(), {2: Result(0)}, [Withdrawal(BOB, MAIN)])
    assert state.fixtures[1].status is FixtureStatus.WALKOVER
    assert state.fixtures[4].slots[0].entry == BOB
    assert state.fixtures[4].status is FixtureStatus.READY


def test_a_withdrawal_leaves_results_already_there():
    state = progress(four_with_consolation(), {1: Result(1), 2: Result(0)}, [Withdrawal(BOB)])
    assert state.fixtures[1].winner.entry == BOB
    assert state.fixtures[3].slots[0].absent == BOB
    assert state.champion(MAIN) == CAROL


def test_when_both_forfeit_nobody_goes_on_and_the_next_opponent_has_a_walkover():
    state = progress(four_with_consolation(), {1: Result(None, kind=DOUBLE_FORFEIT), 2: Result(0)})
    assert state.fixtures[3].slots[0].status is SlotStatus.WALKOVER
    assert state.fixtures[3].slots[0].absent is None
    assert state.champion(MAIN) == CAROL
    assert state.fixtures[4].slots[0].status is SlotStatus.WALKOVER
    assert state.places(MAIN) == (SharedPlace(1, 1, (CAROL,)), SharedPlace(2, 4, (ALICE, BOB, DAVE)))


def test_who_had_a_bye_keeps_what_he_won_after_it():
    graph = knockout([ALICE, None, CAROL, DAVE])
    results = {2: Result(0, (7, 3), between=(CAROL, DAVE)), 3: Result(0, (7, 5), between=(ALICE, CAROL))}
    state = progress(graph, results, [Withdrawal(ALICE)])
    assert state.fixtures[3].status is FixtureStatus.DECIDED
    assert state.champion(MAIN) == ALICE


def test_who_had_a_bye_and_withdraws_is_a_walkover_in_his_first_match():
    graph = knockout([ALICE, None, CAROL, DAVE])
    state = progress(graph, {2: Result(0)}, [Withdrawal(ALICE)])
    assert state.fixtures[3].status is FixtureStatus.WALKOVER
    assert state.fixtures[3].slots[0].absent == ALICE
    assert state.champion(MAIN) == CAROL


def test_two_who_withdraw_leave_an_empty_fixture():
    state = progress(four_with_consolation(), {}, [Withdrawal(ALICE), Withdrawal(BOB)])
    assert state.fixtures[1].status is FixtureStatus.EMPTY
    assert state.fixtures[3].slots[0].status is SlotStatus.WALKOVER


def test_a_result_of_players_who_do_not_stand_there_is_void_and_not_used():
    results = {1: Result(0), 2: Result(0), 3: Result(0, between=(BOB, CAROL))}
    state = progress(four_with_consolation(), results)
    assert state.void == (3,)
    assert state.fixtures[3].status is FixtureStatus.READY
    assert state.champion(MAIN) is None


def test_a_result_is_turned_when_its_two_players_stand_the_other_way_round():
    state = progress(four_with_consolation(), {1: Result(0, (7, 2), between=(BOB, ALICE))})
    assert state.fixtures[1].winner.entry == BOB
    assert state.fixtures[1].result == Result(1, (2, 7), between=(ALICE, BOB))


def test_a_bracket_let_stand_keeps_its_winner_while_the_result_is_corrected():
    state = progress(four_with_consolation(), {1: Result(1, (3, 7), advances=0)})
    assert state.fixtures[1].winner.entry == ALICE
    assert state.fixtures[1].result.winner == 1


def test_a_correction_is_the_difference_of_two_values():
    graph = four_with_consolation()
    played = {
        1: Result(0, between=(ALICE, BOB)),
        2: Result(0, between=(CAROL, DAVE)),
        3: Result(0, between=(ALICE, CAROL)),
        4: Result(0, between=(BOB, DAVE)),
    }
    corrected = played | {1: Result(1, between=(ALICE, BOB))}
    changes = difference(progress(graph, played), progress(graph, corrected))
    assert [change.number for change in changes] == [1, 3, 4]
    assert [change.players_change for change in changes] == [False, True, True]
    assert [change.after.void and not change.before.void for change in changes] == [False, True, True]
    assert difference(progress(graph, corrected), progress(graph, corrected)) == ()


def test_a_second_final_is_played_only_if_the_lower_winner_wins_the_first():
    first = Fixture(4, (EntrySource(ALICE), EntrySource(BOB)))
    second = Fixture(5, (WinnerOf(4), LoserOf(4)), needed_if=NeededIf(4, 1))
    graph = Graph((Bracket("final", (Round(1, (first,)), Round(2, (second,)))),))
    assert progress(graph, {}).fixtures[5].status is FixtureStatus.WAITING
    upper = progress(graph, {4: Result(0)})
    assert upper.fixtures[5].status is FixtureStatus.NOT_NEEDED
    assert upper.champion("final") == ALICE
    lower = progress(graph, {4: Result(1)})
    assert lower.fixtures[5].status is FixtureStatus.READY
    assert lower.champion("final") is None
    assert progress(graph, {4: Result(1), 5: Result(0)}).champion("final") == BOB
    assert progress(graph, {}, [Withdrawal(BOB)]).champion("final") == ALICE
    assert progress(graph, {}, [Withdrawal(ALICE)]).champion("final") == BOB


def test_places_of_a_group_fill_as_they_become_known_and_a_spare_one_is_a_bye():
    graph = cross_seeded([PlaceOf("A", 1), PlaceOf("B", 1)])
    known = progress(graph, {}, places={PlaceOf("A", 1): ERIN})
    assert [slot.entry for slot in known.fixtures[1].slots] == [ERIN, None]
    empty = progress(graph, {}, places={PlaceOf("A", 1): ERIN, PlaceOf("B", 1): None})
    assert empty.fixtures[1].slots[1].status is SlotStatus.BYE
    assert empty.fixtures[1].status is FixtureStatus.BYE
    assert empty.champion(MAIN) == ERIN


def test_places_are_shared_by_those_who_went_out_in_the_same_round():
    state, _ = play_out(knockout([1, 2, 3, 4, 5, None, 7, 8]), lambda first, second: int(second < first))
    assert [(place.first, place.last, place.entries) for place in state.places(MAIN)] == [
        (1, 1, (1,)), (2, 2, (5,)), (3, 4, (3, 7)), (5, 7, (2, 4, 8)),
    ]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(2, 40), st.booleans(), st.data())
def test_a_place_that_is_certain_while_others_play_is_the_place_at_the_end(size, twice, data):
    graph = knockout(draw(range(1, size + 1), seed=SEED).places)
    if twice:
        graph = double_elimination(graph, seed=SEED, pattern=propose_double(size, second_final=True)[0].pattern)
    brackets = (FINAL, LOWER, MAIN) if twice else (MAIN,)
    end, results = play_out(graph, lambda first, second: data.draw(st.integers(0, 1)))
    kept = data.draw(st.integers(0, len(results)))
    now = progress(graph, dict(list(results.items())[:kept]))

    final = {entry: (place.first, place.last) for place in end.places(*brackets) for entry in place.entries}
    certain = {entry: (place.first, place.last) for place in now.places(*brackets) for entry in place.entries}

    assert len(final) == size
    assert certain.items() <= final.items()
    assert kept < len(results) or certain == final


def test_a_match_with_an_empty_line_will_have_no_loser():
    graph, semi_final = knockout([1, 2, 3, 4, 5, 6, 7, 8]), 6
    results = {1: Result(None, kind=DOUBLE_FORFEIT), 3: Result(0), 4: Result(0), semi_final: Result(0)}
    for known in (results, results | {2: Result(0)}):
        assert SharedPlace(3, 3, (7,)) in progress(graph, known).places(MAIN)


def test_two_who_forfeit_in_the_upper_bracket_share_the_places_behind_the_lower_one():
    graph = knockout(draw(range(1, 6), seed=SEED).places)
    graph = double_elimination(graph, seed=SEED, pattern=propose_double(5, second_final=True)[0].pattern)
    nobody = next(number for number in progress(graph, {}).ready if graph.bracket_of[number] == MAIN)
    pair = {slot.entry for slot in progress(graph, {}).fixtures[nobody].slots}
    results = {nobody: Result(None, kind=DOUBLE_FORFEIT)}
    while (state := progress(graph, results)).ready:
        results |= {number: Result(0) for number in state.ready}
    (*_others, last) = elimination_places(StageSettings(DOUBLE), state)[FINAL]
    assert (last.first, last.last, set(last.entries)) == (4, 5, pair)


@pytest.mark.parametrize("twice", [False, True])
@given(st.integers(2, 20), st.data())
def test_with_any_forfeits_and_withdrawals_the_places_are_a_permutation(twice, size, data):
    graph = knockout(draw(range(1, size + 1), seed=SEED).places)
    if twice:
        graph = double_elimination(graph, seed=SEED, pattern=propose_double(size, second_final=True)[0].pattern)
    gone, results = [], {}
    while (state := progress(graph, results, gone)).ready:
        number = data.draw(st.sampled_from(state.ready))
        winner = data.draw(st.sampled_from([0, 1, None, None]))
        results[number] = Result(winner, kind=DOUBLE_FORFEIT if winner is None else FORFEIT)
        gone += [Withdrawal(entry) for entry in data.draw(st.lists(st.integers(1, size), max_size=1))]
    (places,) = elimination_places(StageSettings(DOUBLE if twice else KNOCKOUT), state).values()
    assert sorted(entry for place in places for entry in place.entries) == [*range(1, size + 1)]
    assert [at for place in places for at in place.places] == [*range(1, size + 1)]


@pytest.mark.parametrize(
    ("fixtures", "problem"),
    [
        ([Fixture(1, (EntrySource(1), EntrySource(2))), Fixture(1, (BYE, EntrySource(3)))], "occurs twice"),
        ([Fixture(1, (WinnerOf(2), EntrySource(2))), Fixture(2, (BYE, EntrySource(3)))], "not before it"),
        ([Fixture(1, (EntrySource(1), BYE)), Fixture(2, (WinnerOf(1), WinnerOf(1)))], "used twice"),
        ([Fixture(1, (EntrySource(1), EntrySource(1)))], "listed twice"),
    ],
)
def test_an_unsound_graph_is_refused(fixtures, problem):
    with pytest.raises(Refused, match=problem):
        check(Graph((Bracket(MAIN, (Round(1, tuple(fixtures)),)),)))


@given(st.integers(3, 64), st.data())
def test_correcting_is_the_same_as_replaying_with_the_right_result(size, data):
    graph = knockout(draw(range(1, size + 1), seed=SEED).places)
    _, results = play_out(graph, coin(size))
    number = data.draw(st.sampled_from(sorted(results)))
    wrong = results[number]
    right = Result(1 - wrong.winner, between=wrong.between)
    corrected = progress(graph, results | {number: right})
    kept = {n: r for n, r in results.items() if n not in corrected.void} | {number: right}
    replayed = progress(graph, kept)
    assert {n: (s.slots, s.status) for n, s in replayed.fixtures.items()} == {
        n: (s.slots, s.status) for n, s in corrected.fixtures.items()
    }
    assert progress(graph, results).fixtures == progress(graph, results | {number: wrong}).fixtures


@given(st.integers(2, 100), st.lists(st.integers(1, 100), max_size=60), st.integers(0, 99))
def test_with_any_withdrawals_an_event_still_ends(size, leavers, toss):
    graph = knockout(draw(range(1, size + 1), seed=SEED).places)
    gone = [Withdrawal(entry) for entry in leavers if entry <= size]
    winner, results = coin(toss), {}
    state = progress(graph, results, gone)
    while state.ready:
        results |= {number: Result(winner(0, 0)) for number in state.ready}
        state = progress(graph, results, gone)
    assert state.over
    stays = set(range(1, size + 1)) - {item.entry for item in gone}
    assert (state.champion(MAIN) in stays) if stays else state.champion(MAIN) is None
