"""Costly decisions come back as cards, a few a week and a day, and follow their analysis."""

from datetime import date, timedelta

import pytest

from matches.deck.cards import (
    MAX_NEW,
    MAX_SHOWN,
    add_puzzle,
    collect,
    next_card,
    question_on,
    record_answer,
    set_collecting,
    suspend,
)
from matches.deck.choices import judged
from matches.models import Analysis, Card, Decision, Match, Puzzle
from matches.presentation.visibility import Viewer
from players.models import Club, User
from tests.matches.cast import NOW
from tests.matches.deck.conftest import analysed
from tests.matches.deck.test_choices import OPENING, asked, play_decision

pytestmark = pytest.mark.django_db
TODAY = date(2026, 11, 20)


def collected(user: User) -> list[Card]:
    collect(user=user, viewer=Viewer.of(user), now=NOW, today=TODAY)
    return list(Card.objects.filter(user=user))


def puzzles(club: Club, count: int) -> list[Puzzle]:
    question = asked(play_decision()).as_json
    days = (TODAY - timedelta(days=number) for number in range(count))
    return [Puzzle.objects.create(club=club, date=day, key=OPENING, question=question) for day in days]


def answer(card: Card, user: User, play: str, after: date, today: date) -> None:
    question = question_on(card, Viewer.of(user))
    assert question is not None
    record_answer(card=card, after=after, play=play, answer=judged(question, play), today=today)
    card.refresh_from_db()


def test_own_costly_decisions_become_cards_once_and_only_if_wanted(bob: User, carol: User, decision: Decision) -> None:
    assert [card.decision for card in collected(bob)] == [decision]
    assert len(collected(bob)) == 1
    set_collecting(user=carol, collects=True)
    assert collected(carol) == []
    Card.objects.all().delete()
    set_collecting(user=bob, collects=False)
    assert collected(bob) == []


def test_an_answer_counts_once_and_the_card_comes_back_when_it_is_due(bob: User, decision: Decision) -> None:
    [card] = collected(bob)
    answer(card, bob, "13/10 6/5", TODAY, TODAY)
    assert (card.due, card.state["play"]) == (TODAY + timedelta(days=1), "13/10 6/5")
    # Sent twice, or sent again from a page that was left open.
    answer(card, bob, "8/5 6/5", TODAY, TODAY)
    answer(card, bob, "8/5 6/5", card.due, TODAY)
    assert card.state["play"] == "13/10 6/5"
    assert next_card(bob, Viewer.of(bob), TODAY) is None
    answer(card, bob, "8/5 6/5", card.due, card.due)
    assert card.due == TODAY + timedelta(days=3)


def test_a_card_follows_its_decision_to_a_newer_analysis_and_keeps_what_is_known(
    bob: User, match: Match, decision: Decision
) -> None:
    [card] = collected(bob)
    answer(card, bob, "8/5 6/5", TODAY, TODAY)
    decision.analysis.delete()
    again = analysed(match)
    card = Card.objects.get()
    assert card.decision is None
    assert question_on(card, Viewer.of(bob)) is not None
    card = Card.objects.get()
    assert (card.decision, card.due) == (again, TODAY + timedelta(days=2))


@pytest.mark.parametrize("fields", [None, {"event": 6}, {"side": 1}])
def test_a_card_goes_with_a_decision_that_is_no_longer_there(
    bob: User, match: Match, decision: Decision, fields: dict[str, object] | None
) -> None:
    [card] = collected(bob)
    decision.analysis.delete()
    waiting = Analysis.objects.create(match=match)
    assert next_card(bob, Viewer.of(bob), TODAY) is None
    assert Card.objects.filter(pk=card.pk).exists()
    waiting.delete()
    if fields is not None:
        analysed(match, **fields)
    assert next_card(bob, Viewer.of(bob), TODAY) is None
    assert not Card.objects.filter(pk=card.pk).exists()


def test_ten_cards_a_week_are_new_and_eight_a_day_are_shown(bob: User, club: Club) -> None:
    added = [add_puzzle(user=bob, puzzle=puzzle, now=NOW, today=TODAY) for puzzle in puzzles(club, MAX_NEW + 1)]
    assert added == [True] * MAX_NEW + [False]
    tomorrow, shown = TODAY + timedelta(days=1), 0
    while found := next_card(bob, Viewer.of(bob), tomorrow):
        answer(found[0], bob, "8/5 6/5", found[0].due, tomorrow)
        shown += 1
    assert shown == MAX_SHOWN


def test_a_suspended_card_is_not_shown_until_that_is_taken_back(bob: User, decision: Decision) -> None:
    [card] = collected(bob)
    suspend(card=card, suspended=True)
    assert next_card(bob, Viewer.of(bob), TODAY) is None
    suspend(card=card, suspended=False)
    assert next_card(bob, Viewer.of(bob), TODAY) is not None
