"""The puzzle of the day, from the front page: by thumb and by keyboard."""

import pytest
from django.utils import timezone

from matches.analysis import labels
from matches.deck.choices import DecisionQuestion
from matches.models import Card, PuzzleAnswer
from matches.puzzles.pool import puzzle_of
from players.models import Club, User
from tests.journeys.conftest import Journey
from tests.matches.cast import join, player_of


@pytest.fixture
def question(club: Club, bob: User, carol: User) -> DecisionQuestion:
    """The one of today; Bob and Carol are members."""
    for user in (bob, carol):
        join(club, player_of(user))
    puzzle = puzzle_of(club, now=timezone.now())
    assert puzzle is not None
    return DecisionQuestion.of_json(puzzle.question)


@pytest.mark.journey("the puzzle of the day, missed and kept")
def test_a_puzzle_by_thumb(journey: Journey, question: DecisionQuestion, bob: User) -> None:
    worst = max(question.choices, key=lambda choice: choice.loss)
    player = journey.on_phone(bob)
    player.tap("Puzzle of the day")
    player.sees(f"You need {question.own_away}, they need {question.opposing_away}.")
    player.tap(labels.action(worst.play), role="radio")
    player.tap("Check")
    player.sees("Not the best")
    player.tap("Repeat it in my deck")
    player.sees("It comes back tomorrow in your deck.")
    assert Card.objects.get().user == bob


@pytest.mark.journey("the puzzle of the day by keyboard")
def test_a_puzzle_by_keyboard(journey: Journey, club: Club, question: DecisionQuestion, carol: User) -> None:
    plays = [choice.play for choice in question.choices]
    player = journey.at_desk(carol)
    player.tap(club.name)
    player.tap("Puzzle")
    player.sees("Answered on")
    player.press(str(plays.index(question.best) + 1))
    player.press("Enter")
    player.sees("Yes, that is the best.")
    assert PuzzleAnswer.objects.get().is_right
