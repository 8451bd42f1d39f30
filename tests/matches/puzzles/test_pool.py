"""The puzzle of the day: which positions may be it, which one is, and how hard it is."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from engine import legal_plays, parse_play, parse_xgid
from engine.ids import xgid
from engine.resolution import resolve
from matches.deck.choices import question_of
from matches.models import Decision, Match, Puzzle
from matches.puzzles.pool import (
    MIN_CHOICES,
    MIN_GAP,
    MIN_MOVERS,
    difficulty,
    eligible,
    has_clear_best,
    neutral_xgid,
    puzzle_of,
    shipped,
)
from players.models import Club, Player
from players.people.pairs import pair_of
from tests.conftest import SHARED_DATA
from tests.matches.cast import NOW, match_between
from tests.matches.play.conftest import Board, board, users
from tests.matches.puzzles.evenings import ask, movers, played

__all__ = ["board", "users"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
CASES = SHARED_DATA / "morning" / "puzzles.json"
Choice = Player.PuzzleChoice


@pytest.fixture
def cases() -> dict[str, list[dict[str, Any]]]:
    if not CASES.exists():
        pytest.skip("the cases of the specification are not here")
    data: dict[str, list[dict[str, Any]]] = json.loads(CASES.read_text())
    return data


@pytest.fixture
def willing(club: Club) -> list[Player]:
    """As many as are needed, each with a decision that may be asked, and somebody who has said nothing."""
    players = [*movers(MIN_MOVERS), Player.objects.create(name="Nina Opponent")]
    for player in players[:-1]:
        played(club, player, players[-1])
    return players


def asked_of(club: Club) -> set[int]:
    """The persons whose decisions may be asked."""
    return set(eligible(club, NOW).values())


def test_positions_that_ship_are_legal_clear_and_told_apart() -> None:
    pool = shipped()
    assert len({each.key for each in pool}) == len(pool) == 60
    for each in pool:
        state = parse_xgid(each.key)
        assert state.dice is not None
        plays = {play.result.key for play in legal_plays(state.position, state.dice)}
        for row in each.decision.candidates:
            assert resolve(state.position.key, state.dice, parse_play(row["play"])).key in plays
            assert len(row["chances"]) == 5
        assert has_clear_best(each.decision.candidates, 0.5)
        assert neutral_xgid(state) == each.key
        question = question_of(each.decision)
        assert question is not None
        assert len(question.choices) >= MIN_CHOICES
        assert sorted(choice.loss for choice in question.choices)[1] >= MIN_GAP - 1e-9


def test_a_position_is_the_same_for_either_side() -> None:
    for each in shipped():
        state = parse_xgid(each.key)
        assert state.turn == 1
        assert state.dice is not None
        other = state._replace(
            turn=0,
            dice=state.dice[::-1],
            score=state.score[::-1],
            cube_owner=None if state.cube_owner is None else 1 - state.cube_owner,
        )
        assert neutral_xgid(other) == each.key


def test_cases_of_the_pool(cases: Mapping[str, list[dict[str, Any]]], club: Club) -> None:
    assert cases["eligible"]
    asked = shipped()[0]
    candidates = asked.decision.candidates
    for case in cases["eligible"]:
        mover = movers(1, Choice.ALLOWS if case["consent"] else Choice.UNDECIDED)[0]
        other = movers(1, Choice.OBJECTS if case["other_objects"] else Choice.UNDECIDED)[0]
        best = candidates[0]["equity"]
        phase = Decision.Phase.OPENING if case["plies_before"] < 6 else Decision.Phase(case["phase"])
        kept = [each | {"equity": best - case["gap"] * n} for n, each in enumerate(candidates[: case["choices"]])]
        match = played(
            club,
            mover,
            other,
            at=NOW - timedelta(days=case["age_days"]),
            phase=phase,
            winning=case["winning"],
            depth=case["depth"],
            candidates=kept,
            xgid=asked.key,
        )
        # The others are there only so that there are enough.
        for player in movers(MIN_MOVERS):
            played(club, player, other, candidates=[])
        Player.objects.filter(pk=other.pk).update(puzzle_choice=other.puzzle_choice)
        puzzle = puzzle_of(club, now=NOW)
        assert puzzle is not None
        assert (puzzle.decision_id is not None) == case["eligible"], case["name"]
        Puzzle.objects.all().delete()
        Match.objects.filter(pk=match.pk).update(finished_at=NOW)


def test_cases_of_difficulty(cases: Mapping[str, list[dict[str, Any]]]) -> None:
    assert cases["difficulty"]
    for case in cases["difficulty"]:
        assert difficulty(case["bot_rank"], case["softmax_rank"]) == case["class"]


def test_a_puzzle_is_of_members_who_allow_it_and_names_nobody(club: Club, willing: list[Player]) -> None:
    assert asked_of(club) == {player.pk for player in willing[:-1]}
    puzzle = puzzle_of(club, now=NOW)
    assert puzzle is not None
    assert puzzle.decision is not None
    assert puzzle.key in {each.key for each in shipped()}
    stored = json.dumps(puzzle.question)
    assert "Mover" not in stored
    assert "Nina" not in stored


def test_with_fewer_who_allow_it_a_position_that_ships_is_asked(club: Club, willing: list[Player]) -> None:
    Player.objects.filter(pk=willing[0].pk).update(puzzle_choice=Choice.UNDECIDED)
    for allows_too in (False, True):
        # It does not help that somebody else allows it who has no match here.
        movers(int(allows_too))
        puzzle = puzzle_of(club, now=NOW)
        assert puzzle is not None
        assert puzzle.decision is None
        puzzle.delete()


def test_an_opponent_who_objects_or_has_left_takes_the_match_out(club: Club, willing: list[Player]) -> None:
    other = Player.objects.create(name="Oda Objects", puzzle_choice=Choice.OBJECTS)
    match = played(club, willing[0], other)
    assert match.pk not in matches_asked(club)
    Player.objects.filter(pk=other.pk).update(puzzle_choice=Choice.UNDECIDED)
    assert match.pk in matches_asked(club)
    Player.objects.filter(pk=other.pk).update(erased_at=NOW)
    assert match.pk not in matches_asked(club)
    Player.objects.filter(pk=other.pk).update(erased_at=None, merged_into=movers(1, Choice.OBJECTS)[0])
    assert match.pk not in matches_asked(club), "who they are now objects"


def test_of_a_pair_nothing_is_asked_and_each_can_take_the_match_out(club: Club, willing: list[Player]) -> None:
    partner = Player.objects.create(name="Pia Partner")
    with transaction.atomic():
        pair, willing_pair = pair_of(Player.objects.create(name="Una"), partner), pair_of(willing[1], willing[2])
    match, of_pair = played(club, willing[0], pair), played(club, willing_pair, willing[0])
    assert match.pk in matches_asked(club)
    assert of_pair.pk not in matches_asked(club), "its plays are for both of them alone"
    Player.objects.filter(pk=partner.pk).update(puzzle_choice=Choice.OBJECTS)
    assert match.pk not in matches_asked(club)


def test_a_merged_player_stands_for_whom_they_are_now(club: Club, willing: list[Player]) -> None:
    merged, into = Player.objects.create(name="Old Name"), willing[0]
    match = played(club, merged, willing[-1])
    assert match.pk not in matches_asked(club)
    Player.objects.filter(pk=merged.pk).update(merged_into=into)
    assert match.pk in matches_asked(club)
    assert len(asked_of(club)) == MIN_MOVERS, "one person"
    Player.objects.filter(pk=into.pk).update(erased_at=NOW)
    assert match.pk not in matches_asked(club)


def test_neither_a_young_match_nor_one_of_another_club_nor_one_that_goes_on(club: Club, willing: list[Player]) -> None:
    young = played(club, *willing[:2], at=NOW - timedelta(days=29))
    elsewhere = played(Club.objects.create(name="Deuce", slug="deuce"), *willing[:2])
    running = match_between(*willing[:2], club=club)
    ask(running)
    told = played(club, *willing[:2])
    Match.objects.filter(pk=told.pk).update(as_told=True)
    assert not matches_asked(club) & {young.pk, elsewhere.pk, running.pk, told.pk}


def test_nothing_is_asked_that_is_on_a_board_between_people(board: Board, club: Club, willing: list[Player]) -> None:
    board.open_game()
    game = board.game
    best, *others = [str(play) for play in game.legal_plays()][:3]
    candidates = [{"play": best, "equity": 0.1}, *({"play": play, "equity": -0.2} for play in others)]
    Decision.objects.update(candidates=[])
    match = played(club, *willing[:2], xgid=xgid(game), played=best, best=best, candidates=candidates)
    puzzle = puzzle_of(club, now=NOW)
    assert puzzle is not None
    assert puzzle.decision is None, "a position that ships in its place"
    puzzle.delete()
    board.do(1 - (game.turn or 0), "concede")
    puzzle = puzzle_of(club, now=NOW)
    assert puzzle is not None
    assert puzzle.decision is not None
    assert puzzle.decision.analysis.match_id == match.pk


def test_only_the_newest_analysis_of_a_match_is_asked(club: Club, willing: list[Player]) -> None:
    match = played(club, *willing[:2])
    newer = ask(match)
    assert {pk for pk in eligible(club, NOW) if Decision.objects.get(pk=pk).analysis.match_id == match.pk} == {newer.pk}


def test_the_side_of_the_record_is_told_from_that_of_the_match(club: Club, willing: list[Player]) -> None:
    match = played(club, willing[-1], willing[0])
    assert match.pk not in matches_asked(club), "the first player decided, who has said nothing"
    match.analyses.update(swapped=True)
    assert match.pk in matches_asked(club)


def test_a_day_has_one_puzzle(club: Club, willing: list[Player]) -> None:
    first = puzzle_of(club, now=NOW)
    assert puzzle_of(club, now=NOW) == first
    assert puzzle_of(club, now=NOW + timedelta(days=1)) != first
    assert Puzzle.objects.count() == 2


def test_no_position_comes_again_within_a_year(club: Club) -> None:
    for day in range(60):
        assert puzzle_of(club, now=NOW + timedelta(days=day)) is not None
    keys = list(Puzzle.objects.order_by("date").values_list("key", flat=True))
    assert len(set(keys)) == 60
    # There are no more: the one that was asked first comes again.
    again = puzzle_of(club, now=NOW + timedelta(days=60))
    assert again is not None
    assert again.key == keys[0]


def test_each_club_has_its_own(club: Club) -> None:
    other = Club.objects.create(name="Deuce", slug="deuce")
    days = [NOW + timedelta(days=day) for day in range(5)]
    keys = [[puzzle.key for day in days if (puzzle := puzzle_of(each, now=day))] for each in (club, other)]
    assert keys[0] != keys[1]


def matches_asked(club: Club) -> set[int]:
    return set(Decision.objects.filter(pk__in=eligible(club, NOW)).values_list("analysis__match", flat=True))
