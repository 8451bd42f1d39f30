from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.errors import Refused
from formats.facts import FORFEIT, Result, Withdrawal
from formats.graph import Graph
from formats.progress import progress
from formats.states import FixtureStatus
from formats.tables.round_robin import LeaverRule, Scoring, berger, round_robin, table
from formats.tables.tiebreaks import standings
from tests.formats.cast import ALICE, BOB, CAROL, DAVE, SEED, coin, play_out, sizes


def group(*entries, double=False):
    return Graph((round_robin(entries, key="A", double=double),))


def test_the_berger_table_of_six_is_the_published_one():
    assert berger(6) == (
        ((1, 6), (2, 5), (3, 4)),
        ((6, 4), (5, 3), (1, 2)),
        ((2, 6), (3, 1), (4, 5)),
        ((6, 5), (1, 4), (2, 3)),
        ((3, 6), (4, 2), (5, 1)),
    )


@settings(max_examples=15)
@given(sizes(2, 300), st.booleans())
def test_all_play_all_once_or_twice_and_nobody_plays_twice_in_a_round(size, double):
    bracket = round_robin(range(1, size + 1), key="A", double=double)
    met = Counter()
    for round_ in bracket.rounds:
        names = [getattr(s, "entry", "bye") for fixture in round_.fixtures for s in fixture.sources]
        assert len(names) == len(set(names)) == size + size % 2
        met.update(frozenset(getattr(s, "entry", "bye") for s in fixture.sources) for fixture in round_.fixtures)
    assert set(met.values()) == {2 if double else 1}
    assert len(met) == (size + size % 2) * (size + size % 2 - 1) // 2


def test_the_second_half_of_a_double_round_robin_turns_every_pair():
    bracket = round_robin([1, 2, 3, 4], key="A", double=True)
    first = [fixture.sources for round_ in bracket.rounds[:3] for fixture in round_.fixtures]
    second = [fixture.sources for round_ in bracket.rounds[3:] for fixture in round_.fixtures]
    assert second == [(b, a) for a, b in first]


def test_a_finished_group_has_a_table_with_tie_breaks():
    graph = group(ALICE, BOB, CAROL, DAVE)
    state, results = play_out(graph, lambda first, second: int(second < first))
    assert len(results) == 6
    rows = standings(table(state, "A", length=7), ["head_to_head"])
    assert [(row.entry, row.points) for row in rows] == [(ALICE, 3), (BOB, 2), (CAROL, 1), (DAVE, 0)]


def test_matches_not_yet_over_do_not_count_and_a_bye_counts_nothing():
    graph = group(ALICE, BOB, CAROL)
    records = table(progress(graph, {}), "A")
    assert records.scores == {ALICE: 0, BOB: 0, CAROL: 0}
    state, _ = play_out(graph, coin(3))
    assert sum(table(state, "A").scores.values()) == 3
    assert Counter(s.status for s in state.fixtures.values()) == {
        FixtureStatus.DECIDED: 3,
        FixtureStatus.BYE: 3,
    }


def played_by(graph, entry, count):
    """`entry` plays (and wins) his first matches only; all others play all theirs, the lower number wins."""
    results, own = {}, 0
    for number, fixture in graph.fixtures.items():
        pair = [source.entry for source in fixture.sources]
        if entry in pair:
            own += 1
            if own > count:
                continue
        winner = pair.index(entry) if entry in pair else pair.index(min(pair))
        results[number] = Result(winner, (7, 5) if winner == 0 else (5, 7))
    return results


@pytest.mark.parametrize(
    ("played", "rule", "points"),
    [
        (1, LeaverRule.HALF, {ALICE: 2, BOB: 1, CAROL: 0, DAVE: 0}),
        (2, LeaverRule.HALF, {DAVE: 2}),
        (1, LeaverRule.KEEP, {DAVE: 1}),
        (2, LeaverRule.DELETE, {ALICE: 2, BOB: 1, CAROL: 0, DAVE: 0}),
    ],
)
def test_a_leaver_counts_as_the_rule_says(played, rule, points):
    graph = group(ALICE, BOB, CAROL, DAVE)
    state = progress(graph, played_by(graph, DAVE, played), [Withdrawal(DAVE)])
    scores = table(state, "A", withdrawn=[DAVE], rule=rule).scores
    assert {entry: scores[entry] for entry in points} == points
    if DAVE not in points or points[DAVE] == 2:
        # His third opponent won by forfeit unless all was deleted.
        assert sum(scores.values()) == (3 if rule is LeaverRule.DELETE else 6)


def test_walkovers_that_were_booked_as_results_are_no_matches_a_leaver_has_played():
    graph = group(ALICE, BOB, CAROL, DAVE)
    results = played_by(graph, DAVE, 1)
    for number, fixture in graph.fixtures.items():
        pair = [source.entry for source in fixture.sources]
        if number not in results:
            results[number] = Result(1 - pair.index(DAVE), kind=FORFEIT)
    scores = table(progress(graph, results, [Withdrawal(DAVE)]), "A", withdrawn=[DAVE]).scores
    assert scores == {ALICE: 2, BOB: 1, CAROL: 0, DAVE: 0}


def test_points_by_pair_give_the_loser_his_share():
    graph = group(ALICE, BOB)
    state = progress(graph, {1: Result(0, (7, 4))})
    assert table(state, "A", scoring=Scoring(3, 1)).scores == {ALICE: 3, BOB: 1}
    settled = progress(graph, {1: Result(None, (4, 4), kind="settled")})
    assert table(settled, "A", scoring=Scoring(3, 1)).scores == {ALICE: 1.5, BOB: 1.5}
    forfeit = progress(graph, {1: Result(0, kind=FORFEIT)})
    assert table(forfeit, "A", scoring=Scoring(3, 1)).scores == {ALICE: 3, BOB: 0}


def test_a_group_of_one_and_an_entry_given_twice_are_refused():
    with pytest.raises(Refused, match="Too few entries"):
        round_robin([1], key="A")
    with pytest.raises(Refused, match="twice"):
        round_robin([1, 1], key="A")


def test_lots_can_end_the_ties_of_a_group():
    state, _ = play_out(group(1, 2, 3), lambda a, b: int((b - a) % 3 == 1))
    rows = standings(table(state, "A", lots_seed=SEED), ["head_to_head", "lots"])
    assert [row.place for row in rows] == [1, 2, 3]
