"""The score of a match between teams."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.tables.teams import Board, TeamScore, team_scores
from tests.conftest import SHARED_DATA

CASES = SHARED_DATA / "weekend" / "teams.json"


@pytest.mark.skipif(not CASES.exists(), reason="needs the reference cases")
def test_scores_are_those_of_the_reference():
    cases = [case for case in json.loads(CASES.read_text())["cases"] if case["kind"] == "teams"]
    assert cases
    for case in cases:
        boards = [
            Board(tuple(row["teams"]), row["length"], row["winner"], tuple(row["score"]) if "score" in row else None)
            for row in case["results"]
        ]
        assert {team: list(score) for team, score in team_scores(boards).items()} == case["expect"], case["name"]


def test_points_above_the_length_count_only_up_to_it():
    assert team_scores([Board(("A", "B"), 7, 1, (5, 11))]) == {"A": TeamScore(0, 5), "B": TeamScore(1, 7)}


def test_what_nobody_won_and_a_match_within_a_team_count_nothing():
    boards = [Board(("A", "B"), 7, None, (3, 3)), Board(("A", "A"), 7, 0, (7, 2))]
    assert team_scores(boards) == {"A": TeamScore(), "B": TeamScore()}


@given(
    st.lists(
        st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC"), st.sampled_from([0, 1, None]), st.integers(0, 9))
    )
)
def test_as_many_boards_are_won_as_were_decided_between_teams(rows):
    boards = [Board((a, b), 7, winner, (7, loser) if winner == 0 else (loser, 7)) for a, b, winner, loser in rows]
    decided = [board for board in boards if board.winner is not None and board.teams[0] != board.teams[1]]
    assert sum(score.boards for score in team_scores(boards).values()) == len(decided)
