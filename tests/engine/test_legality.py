"""Why a play is illegal, the legal plays nearest to it, and the graph of steps that leads to legal plays."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Position, Refused, explain_illegal, legal_plays, step_graph, why_illegal
from engine.legality import nearest_plays
from engine.position import position_of
from engine.resolution import resolve
from tests.engine.boards import ROLLS, board, dice, pairs, played_positions, positions
from tests.engine.naive import legal_boards, moved
from tests.engine.test_plays import CASES

START = Position.start()
ON_THE_BAR = board({25: 1, 13: 2, 8: 3}, {24: 2, 20: 2})
BEARING_OFF = board({6: 1, 4: 2}, {24: 2})
ONE_LEFT_BEHIND = board({8: 1, 4: 2}, {24: 2})
LAST_MAN = board({13: 1}, {4: 2})
SPREAD = board(dict.fromkeys([3, 4, 6, 8, 9, 10, 11, 12, 13, 15, 17, 19, 21, 22, 24], 1))
"""Fifteen blots have the most plays; of thousands of such boards this one has the largest graph."""

REASONS = [
    ("no_such_move", START, (3, 1), "6/8"),
    ("no_such_move", START, (3, 1), "8/8"),
    ("no_checker", START, (3, 1), "8/5 7/6"),
    ("no_checker", START, (4, 1), "24/23 3/off"),
    ("bar_first", ON_THE_BAR, (6, 3), "13/7 8/5"),
    ("blocked", START, (5, 1), "24/19 6/5"),
    ("blocked", ON_THE_BAR, (5, 3), "bar/20 8/5"),
    ("wrong_die", START, (3, 1), "13/11 6/5"),
    ("wrong_die", START, (3, 1), "24/22"),
    ("more_than_dice", START, (3, 1), "8/5 6/5 6/5"),
    ("more_than_dice", START, (1, 1), "8/7 8/7 6/5 6/5 6/5"),
    ("not_all_home", ONE_LEFT_BEHIND, (4, 1), "4/off 8/7"),
    ("higher_checker", BEARING_OFF, (5, 1), "4/off 4/3"),
    ("must_play", START, (3, 1), ""),
    ("must_play_both", START, (3, 1), "8/5"),
    ("must_play_both", board({10: 1, 7: 1}, {4: 2, 24: 2}), (6, 1), "7/6"),
    ("must_play_larger", LAST_MAN, (6, 3), "13/10"),
    ("must_play_more", START, (1, 1), "8/7 8/7"),
]


@pytest.mark.parametrize(("code", "position", "rolled", "written"), REASONS)
def test_a_play_is_refused_for_the_reason(code, position, rolled, written):
    assert explain_illegal(position, rolled, pairs(written)) == code


@pytest.mark.parametrize(("code", "position", "rolled", "written"), REASONS)
def test_every_reason_fills_the_places_of_its_sentence(code, position, rolled, written):
    message = why_illegal(position, rolled, pairs(written)).message
    assert message != code
    assert "{" not in message
    assert "?" not in message


def test_the_reason_names_the_points():
    assert why_illegal(START, (5, 1), pairs("24/19 6/5")).params == {"source": "24", "point": "19"}
    assert why_illegal(LAST_MAN, (6, 3), pairs("13/10")).params == {"die": 6}


@pytest.mark.parametrize(
    ("position", "rolled", "written"),
    [
        (START, (3, 1), "8/5 6/5"),
        (START, (3, 1), "6/5 8/5"),
        (START, (6, 5), "24/13"),
        (START, (6, 5), "24/18/13"),
        (LAST_MAN, (6, 3), "13/7"),
        (board({5: 1, 4: 1}, {24: 2}), (5, 2), "4/off 5/3"),
        (board({25: 1}, dict.fromkeys((19, 20, 21, 22, 23, 24), 2)), (6, 1), ""),
    ],
)
def test_a_legal_play_has_no_reason_against_it_in_whatever_order_it_is_written(position, rolled, written):
    assert explain_illegal(position, rolled, pairs(written)) is None
    assert why_illegal(position, rolled, pairs(written)) is None


def test_a_play_without_a_roll_is_refused():
    with pytest.raises(Refused) as refused:
        explain_illegal(START, (0, 0), pairs("8/5"))
    assert refused.value.code == "bad_dice"


@given(positions(), dice)
def test_no_legal_play_is_explained_away(position, rolled):
    for play in legal_plays(position, rolled):
        assert explain_illegal(position, rolled, play.steps) is None


written_plays = st.lists(st.tuples(st.integers(1, 25), st.integers(0, 24)), max_size=4)


def some_play(position, rolled, written, chance):
    """Mostly a legal play, whole, in part, or with one step changed, so that not everything is nonsense."""
    plays = legal_plays(position, rolled)
    if not plays or chance.random() < 0.2:
        return written
    steps = [step[:2] for step in chance.choice(plays).steps]
    if chance.random() < 0.3:
        source, target = steps.pop(chance.randrange(len(steps)))
        steps.append((max(1, source - chance.randint(0, 1)), max(0, target - chance.randint(0, 1))))
    chance.shuffle(steps)
    return steps[: chance.randint(1, 4)]


@given(positions(), dice, written_plays, st.randoms(use_true_random=False))
def test_steps_are_legal_exactly_where_the_naive_generator_reaches_their_board(position, rolled, written, chance):
    written = some_play(position, rolled, written, chance)
    ends = all_ends(position.counts, tuple(sorted(written)), rolled if rolled[0] != rolled[1] else rolled * 2)
    finals = legal_boards(position.counts, rolled) or {position.counts}
    assert (explain_illegal(position, rolled, written) is None) == (not ends.isdisjoint(finals))


@given(positions(), dice, written_plays, st.randoms(use_true_random=False))
def test_a_written_play_is_resolved_to_a_legal_one_or_refused(position, rolled, written, chance):
    written = some_play(position, rolled, written, chance)
    ends = all_ends(position.counts, tuple(sorted(written)), rolled if rolled[0] != rolled[1] else rolled * 2)
    finals = legal_boards(position.counts, rolled) or {position.counts}
    try:
        taken = position_of(resolve(position.key, rolled, written).key).counts
    except Refused as refused:
        assert refused.code == "ambiguous" or ends.isdisjoint(finals)  # noqa: PT017, refusing is one of two answers
    else:
        assert taken in finals


@cache
def all_ends(counts: tuple[int, ...], written: tuple[tuple[int, int], ...], left: tuple[int, ...]) -> frozenset:
    """Return every board that the written moves lead to in any order, each by one die or several."""
    if not written:
        return frozenset([counts])
    ends: set[tuple[int, ...]] = set()
    for index, (source, target) in enumerate(written):
        for at, die in enumerate(left):
            after = moved(counts, source, die) if source > target else None
            reached = max(0, source - die)
            if after is None or reached < target:
                continue
            others = written[:index] + written[index + 1 :] + (((reached, target),) if reached > target else ())
            ends |= all_ends(after, tuple(sorted(others)), left[:at] + left[at + 1 :])
    return frozenset(ends)


def test_the_nearest_legal_plays_have_the_fewest_checkers_elsewhere():
    near = nearest_plays(START, (3, 1), pairs("8/5 6/4"))
    assert len(near) == 3
    assert str(near[0]) == "8/5 6/5"


@pytest.mark.parametrize("nonsense", [((40, -7),), ((25, 25), (0, 0)), ((6,),), ((),), ((10**9, 3),)])
def test_nonsense_has_legal_plays_near_it_too(nonsense):
    assert len(nearest_plays(START, (3, 1), nonsense)) == 3
    assert explain_illegal(START, (3, 1), nonsense)


def test_hundreds_of_written_steps_are_too_many_at_once():
    steps = [(source, source - 1 - way) for source in range(24, 8, -1) for way in range(8)] * 4
    assert explain_illegal(START, (1, 1), steps) == "more_than_dice"


def walks(graph, at=0, path=()):
    """Yield every path from the first node to a complete one: its steps and its last position."""
    node = graph[at]
    if node.complete:
        yield path, node.position
    for step, then in node.edges:
        yield from walks(graph, then, (*path, step))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_paths_through_the_graph_are_the_orders_of_the_legal_plays(case):
    position, rolled = Position.from_gnubg_id(case["position"]), tuple(case["dice"])
    walked = list(walks(step_graph(position, rolled)))
    if not case["plays"]:
        assert walked == [((), position)]
        return
    assert {end for _, end in walked} == {play.result for play in legal_plays(position, rolled)}
    if "all off" not in case["plays"].values():
        assert len({path for path, _ in walked}) == len(walked) == case["orders"]


def test_paths_along_games_lead_to_legal_plays_only():
    met = list(played_positions(seed=3, games=2))
    assert len(met) > 80
    for position in met[::4]:
        for rolled in ROLLS:
            finals = {play.result for play in legal_plays(position, rolled)} or {position}
            graph = step_graph(position, rolled)
            assert {node.position for node in graph if node.complete} == finals
            assert all(node.edges or node.complete for node in graph)
            assert not any(node.edges and node.complete for node in graph)


def test_every_edge_of_the_graph_is_a_legal_step():
    for rolled in ROLLS:
        graph = step_graph(ON_THE_BAR, rolled)
        for node in graph:
            for step, then in node.edges:
                assert moved(node.position.counts, step.source, step.die) == graph[then].position.counts
                assert sorted([*graph[then].dice, step.die]) == sorted(node.dice)


def test_a_step_that_spoils_the_second_die_is_not_offered():
    graph = step_graph(board({10: 1, 7: 1}, {4: 2, 24: 2}), (6, 1))
    assert sorted(str(edge.step) for edge in graph[0].edges) == ["10/9", "7/1"]


def test_without_a_move_the_graph_has_only_its_start():
    (node,) = step_graph(board({25: 1}, dict.fromkeys(range(19, 25), 2)), (4, 2))
    assert node.complete
    assert node.edges == ()


def test_the_largest_graphs_stay_small_enough_to_send():
    assert max(len(step_graph(SPREAD, rolled)) for rolled in ROLLS) == 2925
