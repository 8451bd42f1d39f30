"""The page of the puzzle of the day, for members of the club and for everybody else."""

import gzip
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from matches.deck.choices import DecisionQuestion
from matches.models import Card, Match, Puzzle, PuzzleAnswer
from matches.puzzles.answers import MIN_ANSWERS, difficulty_of, record_answer
from matches.puzzles.pool import MIN_MOVERS, puzzle_of
from players.models import Club, Player, User
from tests.matches.cast import NOW, join, player_of
from tests.matches.puzzles.evenings import movers, played
from tests.matches.puzzles.test_pool import cases

__all__ = ["cases"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
MAX_BYTES, MAX_QUERIES = 20_000, 12


@pytest.fixture
def members(club: Club, bob: User, carol: User) -> list[Player]:
    """Bob and Carol are members; five allow their positions, so that the puzzle is one of theirs."""
    players = movers(MIN_MOVERS)
    for player in (*players, player_of(bob), player_of(carol)):
        join(club, player)
    opponent = Player.objects.create(name="Nina Opponent")
    for player in players:
        played(club, player, opponent)
    return players


@pytest.fixture
def puzzle(club: Club, members: list[Player]) -> Puzzle:
    puzzle = puzzle_of(club, now=timezone.now())
    assert puzzle is not None
    assert puzzle.decision is not None
    return puzzle


@pytest.fixture(autouse=True)
def _matches_long_ago(members: list[Player]) -> None:
    Match.objects.update(finished_at=timezone.now() - timedelta(days=40))


def as_(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def url(club: Club) -> str:
    return reverse("club-puzzle", args=[club.slug])


def plays(puzzle: Puzzle) -> tuple[str, str]:
    """The best play, and the worst of those that are offered."""
    question = DecisionQuestion.of_json(puzzle.question)
    worst = max(question.choices, key=lambda choice: choice.loss)
    return question.best, worst.play


def answer(user: User | None, club: Club, puzzle: Puzzle, play: str) -> str:
    client = as_(user)
    response = client.post(url(club), {"play": play, "puzzle": puzzle.pk}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_names_neither_players_nor_the_match(club: Club, puzzle: Puzzle, members: list[Player]) -> None:
    assert puzzle.decision is not None
    match = puzzle.decision.analysis.match
    assert match is not None
    for play in plays(puzzle):
        for source in (as_(None).get(url(club)).content.decode(), answer(None, club, puzzle, play)):
            for player in Player.objects.all():
                assert player.name not in source
                assert player.public_id not in source
            for fact in (match.public_id, "<time", "/events/", "/matches/", "/players/"):
                assert fact not in source.split("<main")[1].split("</main>")[0], fact


def test_the_page_is_light_and_asks_little_of_the_database(club: Club, members: list[Player], bob: User) -> None:
    # The first look of a day chooses the puzzle, too.
    for user, most in ((None, MAX_QUERIES + 3), (None, MAX_QUERIES), (bob, MAX_QUERIES)):
        client = as_(user)
        with CaptureQueriesContext(connection) as queries:
            page = client.get(url(club))
        assert page.status_code == 200
        assert len(gzip.compress(page.content)) <= MAX_BYTES
        assert len(queries) <= most, [query["sql"][:90] for query in queries]


def test_the_mover_is_at_the_bottom_and_the_score_is_in_words(club: Club, puzzle: Puzzle) -> None:
    page = as_(None).get(url(club)).content.decode()
    question = DecisionQuestion.of_json(puzzle.question)
    assert f"You need {question.own_away}, they need {question.opposing_away}." in page
    assert len(re.findall('name="play"', page)) == len(question.choices) >= 3
    assert page.count("button-primary") == 1


def test_the_first_answer_of_a_member_is_kept(club: Club, puzzle: Puzzle, bob: User) -> None:
    best, worst = plays(puzzle)
    page = answer(bob, club, puzzle, worst)
    assert "Not the best" in page
    assert best in page
    assert "Not the best" in answer(bob, club, puzzle, best)
    record_answer(puzzle=puzzle, user=bob, play=best, is_right=True)
    stored = PuzzleAnswer.objects.get()
    assert (stored.user, stored.play, stored.is_right) == (bob, worst, False)
    assert "Yes, that is the best." not in as_(bob).get(url(club)).content.decode()


def test_others_see_the_verdict_and_nothing_is_kept(club: Club, puzzle: Puzzle, dave: User) -> None:
    best, worst = plays(puzzle)
    for user in (None, dave):
        assert "Yes, that is the best." in answer(user, club, puzzle, best)
        assert "Not the best" in answer(user, club, puzzle, worst)
        assert "deck" not in answer(user, club, puzzle, worst).split("<main")[1].split("</main>")[0].replace(
            "matches/deck", ""
        )
    assert not PuzzleAnswer.objects.exists()


def test_what_is_no_answer_is_not_kept(club: Club, puzzle: Puzzle, bob: User) -> None:
    client = as_(bob)
    best = plays(puzzle)[0]
    for data in ({}, {"play": best}, {"play": "24/1", "puzzle": puzzle.pk}, {"play": best, "puzzle": puzzle.pk + 1}):
        assert client.post(url(club), data).status_code == 302
    assert not PuzzleAnswer.objects.exists()
    assert "This is today’s." in client.get(url(club)).content.decode()


def test_a_wrong_answer_becomes_a_card_by_one_tap(club: Club, puzzle: Puzzle, bob: User, carol: User) -> None:
    keep = reverse("club-puzzle-keep", args=[club.slug, puzzle.pk])
    best, worst = plays(puzzle)
    assert keep not in answer(bob, club, puzzle, best)
    assert as_(bob).post(keep).status_code == 404, "it was right"
    assert keep in answer(carol, club, puzzle, worst)
    for _ in range(2):
        assert as_(carol).post(keep).status_code == 302
    card = Card.objects.get()
    assert (card.user, card.puzzle) == (carol, puzzle)
    page = as_(carol).get(url(club)).content.decode()
    assert keep not in page
    assert reverse("deck") in page


def test_the_last_seven_days_are_dots(club: Club, puzzle: Puzzle, bob: User) -> None:
    assert "○○○○○○○" in as_(bob).get(url(club)).content.decode()
    answer(bob, club, puzzle, plays(puzzle)[0])
    for days in (3, 9):
        earlier = Puzzle.objects.create(
            club=club, date=puzzle.date - timedelta(days=days), key=str(days), question={}, difficulty="easy"
        )
        PuzzleAnswer.objects.create(puzzle=earlier, user=bob, play="8/5", is_right=False)
    assert "○○○●○○●" in as_(bob).get(url(club)).content.decode()
    assert "○" not in as_(None).get(url(club)).content.decode()


def test_cases_of_how_hard_it_is(cases: dict[str, list[dict[str, Any]]], club: Club) -> None:
    assert cases["share_right"]
    for number, case in enumerate(cases["share_right"]):
        puzzle = Puzzle.objects.create(
            club=club, date=NOW.date() - timedelta(days=number), key="", question={}, difficulty=case["class"]
        )
        answered(puzzle, right=case["right"], of=case["of"])
        assert difficulty_of(puzzle) == case["shown"]


def test_a_play_that_nothing_could_judge_is_no_answer(club: Club, puzzle: Puzzle) -> None:
    answered(puzzle, right=MIN_ANSWERS - 1, of=MIN_ANSWERS - 1)
    PuzzleAnswer.objects.create(puzzle=puzzle, user=User.objects.create(email="z@example.org"), play="", is_right=None)
    assert "solved" not in difficulty_of(puzzle)


def answered(puzzle: Puzzle, *, right: int, of: int) -> None:
    for number in range(of):
        user = User.objects.create(email=f"{puzzle.pk}-{number}@example.org")
        PuzzleAnswer.objects.create(puzzle=puzzle, user=user, play="8/5", is_right=number < right)


def test_it_is_a_tap_from_the_page_of_the_club_and_from_home(club: Club, puzzle: Puzzle, bob: User) -> None:
    for path in (reverse("club", args=[club.slug]), "/"):
        assert f'href="{url(club)}"' in as_(bob).get(path).content.decode()
