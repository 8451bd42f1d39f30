import random
from itertools import pairwise

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.errors import Refused
from formats.facts import DOUBLE_FORFEIT, FORFEIT, Result
from formats.swiss.event import ByeKind, Order, SwissBye, SwissEvent, SwissPair, SwissPlayer, SwissRound
from formats.swiss.packing import Packing
from formats.swiss.pairing import RoundRequest, best_matching, pair_round
from formats.tables.tiebreaks import standings
from tests.formats.cast import ALICE, BOB, CAROL, DAVE, ERIN, SEED, coin, sizes


def field(size, **options):
    return SwissEvent(tuple(SwissPlayer(entry, rating=2000 - entry) for entry in range(1, size + 1)), **options)


def played(round_, winner):
    results = {p.pair: Result(winner(p.first, p.second), (7, 5)) for p in round_.pairs}
    return round_.with_results(results)


def play(event, rounds, toss=1, **options):
    winner = coin(toss)
    for _ in range(rounds):
        event = event.with_round(played(pair_round(event, seed=SEED, **options), winner))
    return event


def best(first, second):
    return int(second < first)


def gaps(event, round_):
    return [abs(event.scores[pair.first] - event.scores[pair.second]) for pair in round_.pairs]


@settings(max_examples=15)
@given(sizes(2, 300), st.integers(1, 6), st.sampled_from(Order), st.integers(0, 99))
def test_nobody_meets_twice_or_sits_out_twice_and_everybody_is_paired(size, rounds, order, toss):
    rounds = min(rounds, size - 1 + size % 2)
    event = play(field(size, planned=rounds, order=order), rounds, toss)
    assert all(len(met) == 1 for met in event.meetings.values())
    assert max(event.pairing_byes.values(), default=0) <= 1
    for round_ in event.rounds:
        names = [e for p in round_.pairs for e in (p.first, p.second)] + [bye.entry for bye in round_.byes]
        assert sorted(names) == list(range(1, size + 1))
        assert len(round_.byes) == size % 2
    assert event.over


@settings(max_examples=25)
@given(st.integers(4, 9), st.integers(0, 9999))
def test_small_fields_play_every_round_there_can_be(size, toss):
    rounds = size - 1 + size % 2
    event = play(field(size, planned=rounds), rounds, toss)
    assert all(len(met) == 1 for met in event.meetings.values())
    assert len(event.meetings) == size * (size - 1) // 2


def can_be_paired(event):
    """Whether the next round has a pairing."""
    try:
        pair_round(event, seed=SEED)
    except Refused:
        return False
    return True


def test_without_foresight_six_players_can_be_left_without_a_last_round():
    """The control: pairing round by round, two triangles can remain of the unmet pairs."""
    triangles = 0
    for toss in range(60):
        event, winner = field(6), coin(toss)
        for draft in range(3):
            event = event.with_round(played(pair_round(event, seed=SEED, draft=draft + toss), winner))
        triangles += not can_be_paired(event)
    assert triangles > 0


def test_the_same_seed_gives_the_same_pairing_and_another_draft_another():
    event = play(field(20), 2)
    assert pair_round(event, seed=SEED) == pair_round(event, seed=SEED)
    assert len({pair_round(event, seed=SEED, draft=draft) for draft in range(5)}) == 5


def history(data, size):
    """Some rounds that nobody paired sensibly, with results, byes and clubs."""
    rng = random.Random(data.draw(st.integers(0, 10**6)))
    rounds = []
    for _ in range(data.draw(st.integers(0, 4))):
        order = list(range(1, size + 1))
        rng.shuffle(order)
        pairs = [SwissPair(a, b, Result(rng.randrange(2))) for a, b in zip(order[::2], order[1::2], strict=False)]
        rounds.append(SwissRound(tuple(pairs), (SwissBye(order[-1]),) if size % 2 else ()))
    players = tuple(SwissPlayer(e, club=rng.choice([None, "North", "South"])) for e in range(1, size + 1))
    return SwissEvent(players, tuple(rounds))


def all_pairings(entries):
    """Every way to pair them, one without an opponent (None) if they are odd."""
    if not entries:
        yield []
        return
    first, rest = entries[0], entries[1:]
    for at, other in enumerate(rest):
        for pairing in all_pairings(rest[:at] + rest[at + 1 :]):
            yield [(first, other), *pairing]


def cost(event, pairs):
    """The rule of the module, written out; None if a pair is not allowed."""
    level, total = 0, [0, 0, 0, 0]
    for a, b in pairs:
        if None in (a, b):
            single = a if b is None else b
            if event.pairing_byes[single]:
                return None
            level = event.scores[single]
            total[2] += event.floats.get(single, 0) > 0
            continue
        if frozenset((a, b)) in event.meetings:
            return None
        gap = event.scores[a] - event.scores[b]
        signs = ((gap > 0) - (gap < 0), (gap < 0) - (gap > 0))
        repeated = sum(s != 0 and s == event.floats.get(e, 0) for e, s in zip((a, b), signs, strict=True))
        clubs = {event.by_entry[a].club, event.by_entry[b].club}
        step = (round(2 * abs(gap)), round(4 * gap * gap), repeated, int(len(clubs) == 1 and None not in clubs))
        total = [old + new for old, new in zip(total, step, strict=True)]
    return (level, *total)


@settings(max_examples=60)
@given(st.integers(2, 8), st.data())
def test_the_pairing_is_the_best_of_all_pairings_or_there_is_none(size, data):
    event = history(data, size)
    sides = list(range(1, size + 1)) + [None] * (size % 2)
    costs = [c for c in (cost(event, pairs) for pairs in all_pairings(sides)) if c is not None]
    if not costs:
        with pytest.raises(Refused) as refusal:
            pair_round(event, seed=SEED)
        assert refusal.value.code == "no_legal_pairing"
    else:
        paired = pair_round(event, seed=SEED)
        pairs = [(p.first, p.second) for p in paired.pairs] + [(bye.entry, None) for bye in paired.byes]
        assert cost(event, pairs) == min(costs)


@settings(max_examples=20)
@given(st.integers(4, 26), st.integers(0, 10**6))
def test_the_matching_weighs_as_much_as_networkx_finds(size, draw):
    rng = random.Random(draw)
    edges = [(a, b, rng.randrange(1, 1 << 90)) for a in range(size) for b in range(a + 1, size) if rng.random() < 0.6]
    graph = networkx.Graph()
    graph.add_weighted_edges_from(edges)
    oracle = networkx.max_weight_matching(graph, maxcardinality=True)
    weights = {(a, b): w for a, b, w in edges}
    matching = best_matching(size, edges)
    assert len(matching) == len(oracle)
    assert sum(weights[e] for e in matching) == sum(weights[min(e), max(e)] for e in oracle)


@pytest.mark.parametrize("size", [302, 341])
def test_the_sparse_pairing_of_a_large_field_has_the_least_sum_of_score_differences(size):
    event = play(field(size), 5)
    paired = pair_round(event, seed=SEED)
    level = [round(2 * event.scores[entry]) for entry in range(1, size + 1)]
    edges = [
        (a, b, 100 - abs(level[a] - level[b]))
        for a in range(size)
        for b in range(a + 1, size)
        if frozenset((a + 1, b + 1)) not in event.meetings
    ]
    lowest = min(level[e - 1] for e in range(1, size + 1) if not event.pairing_byes[e])
    if size % 2:
        edges += [(a, size, 100) for a in range(size) if level[a] == lowest and not event.pairing_byes[a + 1]]
    dense = best_matching(size + size % 2, edges)
    least = sum(abs(level[a] - level[b]) for a, b in dense if b < size)
    assert sum(gaps(event, paired)) * 2 == least


def test_the_bye_goes_to_the_lowest_score_that_has_had_none():
    event = play(field(7, planned=5), 4)
    paired = pair_round(event, seed=SEED)
    eligible = [e for e in range(1, 8) if not event.pairing_byes[e]]
    assert event.scores[paired.byes[0].entry] == min(event.scores[e] for e in eligible)
    assert paired.byes[0].kind is ByeKind.FULL


def test_byes_asked_for_are_kept_apart_from_the_one_the_pairing_gives():
    event = field(8)
    paired = pair_round(event, RoundRequest(byes={3: ByeKind.HALF}), seed=SEED)
    kinds = {bye.kind: bye.entry for bye in paired.byes}
    assert kinds[ByeKind.HALF] == 3
    assert set(kinds) == {ByeKind.HALF, ByeKind.FULL}
    event = event.with_round(played(paired, best))
    assert event.scores[3] == 0.5
    assert event.pairing_byes[3] == 0
    zero = pair_round(field(3), RoundRequest(byes={3: ByeKind.REQUESTED}), seed=SEED)
    assert zero.byes == (SwissBye(3, ByeKind.REQUESTED),)
    assert zero.byes[0].points == 0


def test_fold_slide_and_rating_order_in_the_first_round():
    def opponents(order):
        pairs = pair_round(field(8, order=order), seed=SEED).pairs
        return {tuple(sorted((p.first, p.second))) for p in pairs}

    assert opponents(Order.FOLD) == {(1, 8), (2, 7), (3, 6), (4, 5)}
    assert opponents(Order.SLIDE) == {(1, 5), (2, 6), (3, 7), (4, 8)}
    assert opponents(Order.RATING) == {(1, 2), (3, 4), (5, 6), (7, 8)}


def test_club_mates_do_not_meet_while_others_of_the_same_score_are_there():
    players = tuple(SwissPlayer(e, club="North" if e <= 4 else "South") for e in range(1, 9))
    for draft in range(5):
        paired = pair_round(SwissEvent(players), seed=SEED, draft=draft)
        assert all((p.first <= 4) != (p.second <= 4) for p in paired.pairs)


def test_a_float_is_not_repeated_if_another_can_float():
    rounds = (
        SwissRound((SwissPair(1, 2, Result(0)), SwissPair(3, 4, Result(0)), SwissPair(5, 6, Result(0)))),
        SwissRound((SwissPair(1, 3, Result(0)), SwissPair(5, 2, Result(0)), SwissPair(4, 6, Result(0)))),
    )
    late = (SwissPlayer(7, joined=3, missed_points=1.0), SwissPlayer(8, joined=3, missed_points=0.5))
    event = SwissEvent((*(SwissPlayer(e) for e in range(1, 7)), *late), rounds)
    assert event.floats == {1: 0, 3: 0, 5: 1, 2: -1, 4: 0, 6: 0}
    assert sorted(event.scores.values()) == [0, 0, 1, 1, 1, 2, 2, 2]
    floaters = set()
    for draft in range(20):
        paired = pair_round(event, seed=SEED, draft=draft)
        floaters |= {
            e for p in paired.pairs for e in p.pair if event.scores[e] == 2 > min(map(event.scores.get, p.pair))
        }
    assert floaters == {1, 7}


def test_forbidden_pairs_never_meet_and_manual_pairs_stand_first():
    event = field(6, forbidden=frozenset({frozenset((1, 2)), frozenset((1, 3))}))
    paired = pair_round(event, RoundRequest(manual=((4, 5),)), seed=SEED)
    assert {frozenset((1, 6)), frozenset((2, 3)), frozenset((4, 5))} == {p.pair for p in paired.pairs}


@pytest.mark.parametrize(
    ("manual", "reason"),
    [
        (((1, 1),), "both play"),
        (((1, 9),), "both play"),
        (((1, 2), (2, 3)), "another pair"),
        (((3, 4),), "met"),
        (((5, 6),), "kept apart"),
    ],
)
def test_a_manual_pair_that_cannot_be_is_refused(manual, reason):
    event = field(6, forbidden=frozenset({frozenset((5, 6))}))
    event = event.with_round(SwissRound((SwissPair(3, 4, Result(0)),)))
    with pytest.raises(Refused, match=reason):
        pair_round(event, RoundRequest(manual=manual), seed=SEED)


def test_late_entrants_and_leavers_are_paired_only_while_they_are_in():
    players = (
        *(SwissPlayer(e) for e in (ALICE, BOB, CAROL)),
        SwissPlayer(DAVE, joined=2, missed_points=0.5),
        SwissPlayer(ERIN, left=1),
    )
    event = SwissEvent(players)
    first = pair_round(event, seed=SEED)
    assert {e for p in first.pairs for e in p.pair} == {ALICE, BOB, CAROL, ERIN}
    event = event.with_round(played(first, best))
    assert event.scores[DAVE] == 0.5
    second = pair_round(event, seed=SEED)
    assert {e for p in second.pairs for e in p.pair} == {ALICE, BOB, CAROL, DAVE}
    event = event.with_round(played(second, best))
    row = event.records().games[DAVE]
    assert [game.kind.value for game in row] == ["absent", "played"]
    assert row[0].points == 0.5
    assert event.records().scores == event.scores
    assert [game.kind.value for game in event.records().games[ERIN]] == ["played", "absent"]


def test_an_open_result_a_finished_event_and_a_lone_player_are_refused():
    event = field(4, planned=1)
    with pytest.raises(Refused, match="without a result"):
        pair_round(event.with_round(pair_round(event, seed=SEED)), seed=SEED)
    with pytest.raises(Refused, match="All 1 rounds"):
        pair_round(play(event, 1), seed=SEED)
    with pytest.raises(Refused, match="Too few players"):
        pair_round(field(1), seed=SEED)


def test_a_round_in_which_everyone_left_has_met_is_refused():
    triangles = [[(1, 4), (2, 5), (3, 6)], [(1, 5), (2, 6), (3, 4)], [(1, 6), (2, 4), (3, 5)]]
    rounds = tuple(SwissRound(tuple(SwissPair(a, b, Result(0)) for a, b in pairs)) for pairs in triangles)
    stuck = SwissEvent(field(6).players, rounds, planned=5)
    with pytest.raises(Refused, match="Round 4"):
        pair_round(stuck, seed=SEED)


def test_a_manual_pair_is_part_of_what_later_rounds_are_foreseen_from():
    """Left over are two triangles, 1 2 3 and 4 5 6, and 1-4, 2-5, 3-6: those three must not be one round."""
    rounds = tuple(
        SwissRound(tuple(SwissPair(a, b, Result(None, kind="settled")) for a, b in pairs))
        for pairs in ([(1, 5), (3, 4), (2, 6)], [(5, 3), (4, 2), (6, 1)])
    )
    event = SwissEvent(field(6).players, rounds, planned=4)
    request = RoundRequest(manual=((1, 4),))
    for draft in range(12):
        paired = pair_round(event, request, seed=SEED, draft=draft)
        assert {p.pair for p in paired.pairs} == {frozenset((1, 4)), frozenset((2, 3)), frozenset((5, 6))}
    last_round = SwissEvent(event.players, event.rounds, planned=3)
    free = {pair_round(last_round, request, seed=SEED, draft=draft).pairs for draft in range(12)}
    assert any(frozenset((2, 5)) in {p.pair for p in pairs} for pairs in free)


def test_a_director_may_allow_rematches_and_then_there_are_as_few_as_possible():
    event = play(field(4, planned=3), 3)
    again = SwissEvent(event.players, event.rounds, planned=4, allow_rematches=True)
    paired = pair_round(again, seed=SEED)
    assert len(paired.pairs) == 2
    event = play(field(5, planned=3), 2)
    soft = SwissEvent(event.players, event.rounds, planned=3, allow_rematches=True)
    assert all(p.pair not in soft.meetings for p in pair_round(soft, seed=SEED).pairs)


def test_an_event_without_planned_rounds_ends_when_one_is_unbeaten():
    event = field(8)
    while not event.over:
        event = event.with_round(played(pair_round(event, seed=SEED), best))
    assert len(event.rounds) == 3
    assert event.unbeaten == (1,)


def test_forfeits_settled_matches_and_missing_results_have_their_points():
    def points(result):
        return SwissPair(1, 2, result).points()

    assert points(None) == (0, 0)
    assert points(Result(0, kind=FORFEIT)) == (1, 0)
    assert points(Result(None, kind=DOUBLE_FORFEIT)) == (0, 0)
    assert points(Result(None, kind="settled")) == (0.5, 0.5)


def test_a_match_being_played_is_no_absence():
    """While a round is being played its open matches take nothing from anybody's tie-breaks."""
    done = play(field(4), 1)
    running = done.with_round(pair_round(done, seed=SEED))
    assert len(running.rounds[1].pairs) == 2

    before, during = done.records(), running.records()

    assert during.games == before.games
    assert during.adjusted == before.adjusted


def test_tables_are_in_the_order_of_the_scores_and_standings_follow():
    event = play(field(16, planned=4), 4, toss=3)
    paired = pair_round(SwissEvent(event.players, event.rounds, planned=5), seed=SEED)
    tops = [max(event.scores[p.first], event.scores[p.second]) for p in paired.pairs]
    assert all(upper >= lower for upper, lower in pairwise(tops))
    rows = standings(event.records(lots_seed=SEED), ["buchholz", "sonneborn_berger", "lots"])
    assert [row.place for row in rows] == list(range(1, 17))
    assert [row.points for row in rows] == sorted(event.scores.values(), reverse=True)


def test_packed_costs_keep_their_order_even_where_the_last_must_be_coarser():
    packing = Packing((3, 40, 65535), 5)
    assert packing.weight((0, 40, 65535)) > packing.weight((1, 0, 0))
    assert packing.weight((0, 1, 0)) < packing.weight((0, 0, 65535))
    tight = Packing((2**50, 2**50, 65535), 500)
    assert tight.top < 2**126
    assert tight.weight((0, 0, 65535)) > tight.weight((0, 1, 0))
    with pytest.raises(ValueError, match="do not fit"):
        Packing((2**60, 2**60, 1), 500)
