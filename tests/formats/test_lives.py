import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.errors import Refused
from formats.facts import Result
from formats.swiss.event import ByeKind, SwissEvent, SwissPair, SwissPlayer, SwissRound
from formats.swiss.lives import lives_left, lives_over, lives_places, pair_lives
from tests.formats.cast import SEED, coin


def field(size, **options):
    return SwissEvent(tuple(SwissPlayer(entry) for entry in range(1, size + 1)), **options)


def play_out(event, lives, winner):
    while not lives_over(event, lives):
        paired = pair_lives(event, lives, seed=SEED)
        event = event.with_round(paired.with_results({p.pair: Result(winner(p.first, p.second)) for p in paired.pairs}))
    return event


@settings(max_examples=25)
@given(st.integers(2, 64), st.sampled_from([3, 5]), st.integers(0, 999))
def test_everybody_has_exactly_his_lives_and_one_is_left(size, lives, toss):
    event = play_out(field(size), lives, coin(toss))
    champion = lives_places(event, lives)[0]
    assert len(champion) == 1
    assert [event.losses[e] for e in range(1, size + 1) if e != champion[0]] == [lives] * (size - 1)
    assert event.losses[champion[0]] < lives
    assert sorted(e for place in lives_places(event, lives) for e in place) == list(range(1, size + 1))


@settings(max_examples=25)
@given(st.integers(2, 64), st.sampled_from([3, 5]), st.integers(0, 999))
def test_nobody_has_a_second_bye_while_another_has_had_none(size, lives, toss):
    event = play_out(field(size), lives, coin(toss))
    for number, round_ in enumerate(event.rounds):
        before = SwissEvent(event.players, event.rounds[:number])
        still_in = lives_left(before, lives)
        assert {e for p in round_.pairs for e in p.pair} | {b.entry for b in round_.byes} == set(still_in)
        for bye in round_.byes:
            assert before.pairing_byes[bye.entry] == min(before.pairing_byes[e] for e in still_in)
            assert bye.kind is ByeKind.SIT_OUT
            assert bye.points == 0


def test_rematches_come_only_when_nobody_new_is_left_and_then_the_longest_ago():
    event = field(4)
    for pairs in ([(1, 2), (3, 4)], [(1, 3), (2, 4)], [(1, 4), (2, 3)]):
        paired = pair_lives(event, 5, seed=SEED)
        assert not {p.pair for p in paired.pairs} & set(event.meetings)
        event = event.with_round(SwissRound(tuple(SwissPair(a, b, Result(0)) for a, b in pairs)))
    again = pair_lives(event, 5, seed=SEED)
    assert {p.pair for p in again.pairs} == {frozenset((1, 2)), frozenset((3, 4))}


def test_equal_lives_meet_if_nothing_before_decides():
    event = field(8).with_round(SwissRound(tuple(SwissPair(a, a + 4, Result(0)) for a in range(1, 5))))
    paired = pair_lives(event, 3, seed=SEED)
    assert all((p.first <= 4) == (p.second <= 4) for p in paired.pairs)


def test_the_last_two_play_on_until_one_is_out():
    event = play_out(field(2), 3, lambda first, second: int(second < first))
    assert len(event.rounds) == 3
    assert lives_places(event, 3) == ((1,), (2,))


def test_a_bye_costs_no_life_and_forbidden_pairs_are_kept():
    event = field(3, forbidden=frozenset({frozenset((1, 2))}))
    paired = pair_lives(event, 3, seed=SEED)
    assert paired.pairs[0].pair != frozenset((1, 2))
    event = event.with_round(paired.with_results({paired.pairs[0].pair: Result(0)}))
    assert lives_left(event, 3)[paired.byes[0].entry] == 3


def test_who_is_left_alone_or_may_not_meet_the_other_is_refused():
    with pytest.raises(Refused, match="Too few players"):
        pair_lives(field(1), 3, seed=SEED)
    with pytest.raises(Refused, match="Round 1 cannot be paired"):
        pair_lives(field(2, forbidden=frozenset({frozenset((1, 2))})), 3, seed=SEED)


def test_a_large_field_is_paired_over_neighbours_without_rematches():
    event = field(501)
    winner = coin(5)
    for _ in range(4):
        paired = pair_lives(event, 3, seed=SEED)
        event = event.with_round(paired.with_results({p.pair: Result(winner(1, 2)) for p in paired.pairs}))
    assert all(len(met) == 1 for met in event.meetings.values())
    assert max(event.pairing_byes.values()) == 1


def test_who_withdrew_is_placed_with_the_round_he_left():
    players = (SwissPlayer(1), SwissPlayer(2), SwissPlayer(3, left=1))
    event = play_out(SwissEvent(players), 3, lambda first, second: int(second < first))
    assert lives_places(event, 3) == ((1,), (2,), (3,))


def test_club_mates_do_not_meet_while_others_with_as_many_lives_are_there():
    players = tuple(SwissPlayer(entry, club="North" if entry <= 3 else "South") for entry in range(1, 7))
    for draft in range(6):
        paired = pair_lives(SwissEvent(players), 3, seed=SEED, draft=draft)
        assert all((p.first <= 3) != (p.second <= 3) for p in paired.pairs)


def test_a_round_without_results_costs_nobody_a_life():
    event = field(4).with_round(SwissRound((SwissPair(1, 2, Result(0)), SwissPair(3, 4))))
    assert lives_left(event, 1) == {1: 1, 3: 1, 4: 1}
    assert lives_places(event, 1) == ((1, 3, 4), (2,))
