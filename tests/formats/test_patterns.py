import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.elimination.knockout import draw, knockout
from formats.elimination.lower_bracket import with_lower_bracket
from formats.elimination.patterns import (
    READY_DOUBLE,
    knockout_losers,
    losers_by_round,
    parse,
    plan,
    propose_consolation,
    propose_double,
    unshifted,
)
from formats.errors import Refused
from formats.graph import CONSOLATION
from tests.formats.cast import SEED

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "lower_bracket_patterns.json"
PROGRESSIVE = "_progressive_consolation_losers_paid_in_main_do_not_drop"


def test_a_pattern_is_read_and_written_in_the_fields_notation():
    pattern = parse(" A.B.|. C.| ")
    assert pattern.rounds == (("A",), ("B",), (), ("C",), ())
    assert str(pattern) == "A.B.|.C.|."
    assert not pattern.final
    assert parse("AB.|.C.X").rounds[0] == ("A", "B")


@pytest.mark.parametrize("text", ["A.B.XR", "A.B.X.R", "A.B.R", "A.B.RX"])
def test_r_means_x_with_a_second_final(text):
    pattern = parse(text)
    assert (pattern.final, pattern.second_final) == (True, True)
    assert str(pattern) == "A.B.R"


def test_the_counts_of_sixteen():
    rounds = plan(parse("A.B.|.C.|."), knockout_losers(16))
    assert [(r.text, r.entrants, r.matches, r.byes) for r in rounds] == [
        ("A", 8, 4, 0),
        ("B", 8, 4, 0),
        ("|", 4, 2, 0),
        ("C", 4, 2, 0),
        ("|", 2, 1, 0),
    ]


def test_the_counts_of_thirteen_show_their_byes():
    rounds = plan(parse("A.B.|.C.|."), knockout_losers(13))
    assert [(r.entrants, r.byes) for r in rounds] == [(5, 1), (7, 1), (4, 0), (4, 0), (2, 0)]


def test_the_ready_patterns_and_their_counts_are_those_of_the_reference_data():
    if not SHARED.exists():
        pytest.skip("the shared lower_bracket_patterns.json is not on this machine")
    data = json.loads(SHARED.read_text())
    doubles = {name: case for name, case in data.items() if not name.startswith("_")}
    assert len(doubles) == 9
    ready = {text for patterns in READY_DOUBLE.values() for text in patterns.values()}
    assert {case["pattern"] for case in doubles.values()} == ready
    for name, case in doubles.items():
        counts = plan(parse(case["pattern"]), knockout_losers(int(name.split()[0])))
        given_counts = [(r["drop"], r["entrants"], r["matches"]) for r in case["rounds"][:-1]]
        assert [(r.text, r.entrants, r.matches) for r in counts] == given_counts, name
    for size, text in data[PROGRESSIVE].items():
        assert str(propose_consolation(int(size))[0].pattern) == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "pattern_empty"),
        (".X", "pattern_empty"),
        ("A.b", "pattern_symbol"),
        ("A.B.|C.", "pattern_round_mixed"),
        ("|.A.", "pattern_without_drop"),
        ("B.A.", "pattern_letter_order"),
        ("A.A.", "pattern_letter_order"),
        ("A.X.B.", "pattern_final_early"),
        ("AX.B.", "pattern_final_early"),
    ],
)
def test_what_is_no_pattern_is_refused_with_the_reason(text, code):
    with pytest.raises(Refused) as refusal:
        parse(text)
    assert refusal.value.code == code
    assert "{" not in refusal.value.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("A.B.E.", "pattern_letter_unknown"),
        ("A.B.|.C.X", "pattern_final_misses"),
        ("A.B.|.C.|.|.", "pattern_idle_round"),
        ("A.B.|.C.", "pattern_not_one_left"),
        ("A.B.|.C.|.D.|.X", "pattern_idle_round"),
    ],
)
def test_a_pattern_impossible_for_sixteen_is_refused_with_the_reason(text, code):
    with pytest.raises(Refused) as refusal:
        plan(parse(text), knockout_losers(16))
    assert refusal.value.code == code
    assert "{" not in refusal.value.message


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(2, 4096))
def test_patterns_are_proposed_for_every_field_and_all_of_them_work(size):
    doubles = propose_double(size)
    assert doubles
    assert all(proposal.pattern.final for proposal in doubles)
    assert len({str(proposal.pattern) for proposal in doubles}) == len(doubles)
    consolations = propose_consolation(size)
    assert bool(consolations) == (sum(knockout_losers(size)[:-1]) >= 2)
    assert [p.byes for p in doubles[1:]] == sorted(p.byes for p in doubles[1:])


@pytest.mark.parametrize("size", [*range(3, 131), 200, 256, 300, 512, 1000])
def test_by_default_the_loser_of_the_upper_final_enters_for_the_lower_final(size):
    usual = propose_double(size)[0]
    last = usual.pattern.rounds[-1]
    assert last == ("A", "B") if size == 3 else last == (usual.pattern.letters[-1],)
    assert usual.rounds[-1].entrants == 2
    assert len(usual.pattern.letters) == len(knockout_losers(size))


@given(st.integers(2, 300))
def test_losers_are_counted_from_the_graph_as_from_the_field(size):
    graph = knockout(draw(range(size), seed=SEED).places)
    assert losers_by_round(graph) == knockout_losers(size)
    assert sum(knockout_losers(size)) == size - 1


@pytest.mark.parametrize(
    ("losers", "text"),
    [
        # Nobody meets a lone loser of the first round, who waits for the losers of the second.
        ((1, 2, 1), "AB.|.C."),
        # Only the first round makes losers wait, however many rounds follow.
        ((1, 8, 4, 2, 1), "AB.|.C.|.D.|.E."),
        ((2, 2, 1), "A.B.|.C."),
        # There is no second round to wait for.
        ((1,), "A."),
    ],
)
def test_only_a_lone_loser_of_the_first_of_several_rounds_waits_for_the_second(losers, text):
    assert unshifted(losers) == parse(text)


def test_losers_of_a_consolation_feed_a_last_chance():
    graph = with_lower_bracket(knockout(draw(range(13), seed=SEED).places), "A.B.|.C.|.", seed=SEED)
    assert losers_by_round(graph, CONSOLATION) == (2, 3, 2, 2, 1)


def test_powers_of_two_have_proposals_without_byes():
    for size in (8, 16, 32, 64, 128, 256):
        assert propose_double(size)[0].byes == 0
        assert propose_consolation(size)[0].byes == 0
