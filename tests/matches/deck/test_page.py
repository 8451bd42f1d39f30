"""A card is answered with two taps, by its owner alone."""

from datetime import date
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from matches.analysis.values import Candidate, Judgement
from matches.deck import choices
from matches.models import Card, Decision, Match
from players.models import Player, User
from tests.matches.deck.test_choices import cube_decision
from tests.pages import html

pytestmark = pytest.mark.django_db


@pytest.fixture
def card(bob: User, match: Match, decision: Decision) -> Card:
    """Bob's, and due today."""
    return Card.objects.create(user=bob, match=match, game=1, event=4, decision=decision, due=timezone.localdate())


@pytest.fixture
def reader(client: Client, bob: User) -> Client:
    client.force_login(bob)
    return client


def send(client: Client, card: Card, play: str, after: date | None = None) -> Any:
    fields = {"play": play, "after": after or card.due}
    return client.post(reverse("deck-card", args=[card.pk]), fields, follow=True)


def test_the_deck_asks_without_saying_who_played_what_or_what_is_best(reader: Client, card: Card) -> None:
    content = html(reader.get(reverse("deck")))
    assert content.count('type="radio"') == 3
    assert content.count("board-way") == 3
    assert "You need 7, they need 7." in content
    assert "Carol" not in content


def test_an_answer_is_shown_with_its_cost_and_the_best(reader: Client, card: Card) -> None:
    content = html(send(reader, card, "13/10 6/5"))
    assert "Not the best: it costs" in content
    assert "8/5 6/5" in content
    # The same page is sent again: the first answer stands.
    assert "Not the best: it costs" in html(send(reader, card, "8/5 6/5"))
    assert "Nothing to repeat today." in html(reader.get(reverse("deck")))


@pytest.mark.parametrize("play", ["", "8/1", "double", "8/5\n6/5"])
def test_what_is_no_legal_play_is_refused(reader: Client, card: Card, play: str) -> None:
    send(reader, card, play)
    card.refresh_from_db()
    assert card.state == {}


def test_nobody_else_sees_a_card(client: Client, carol: User, alice: User, card: Card) -> None:
    for user in (carol, alice):
        client.force_login(user)
        for name in ("deck-card", "deck-suspend"):
            assert client.post(reverse(name, args=[card.pk]), {"suspended": "1"}).status_code == 404
        assert "data-question" not in html(client.get(reverse("deck")))


def test_an_answer_says_what_the_best_gains(reader: Client, card: Card, decision: Decision) -> None:
    decision.candidates[0]["chances"] = [0.56, 0.17, 0.01, 0.12, 0.01]
    decision.candidates[2]["chances"] = [0.51, 0.16, 0.01, 0.13, 0.01]
    decision.save()
    assert "it wins 56 % of the games, yours 51 %" in html(send(reader, card, "13/10 6/5"))


def test_a_cube_action_is_a_card_too(reader: Client, card: Card, decision: Decision) -> None:
    cube = cube_decision("double")
    Decision.objects.filter(pk=decision.pk).update(
        kind="double",
        xgid=cube.xgid,
        candidates=[],
        played="double",
        best="no_double",
        no_double=0.5,
        double_take=0.4,
        double_pass=1.0,
    )
    Card.objects.update(kind="double")
    content = html(reader.get(reverse("deck")))
    assert "Double to 2?" in content
    assert "Move the checkers instead" not in content
    content = html(send(reader, card, "double"))
    assert "No double" in content
    assert "Not the best: it costs" in content


def test_another_play_is_no_answer_without_a_program(reader: Client, card: Card, settings: Any) -> None:
    settings.ANALYSIS_BACKEND = "off"
    assert "Nobody can judge this play here." in html(send(reader, card, "24/21 24/23"))
    card.refresh_from_db()
    assert card.state == {}


class Program:
    """Thinks that the other play is almost the best."""

    name = "gnubg"

    def advise(self, state: object, depth: object) -> Judgement:
        rows = (("8/5 6/5", 0.15), ("24/21 24/23", 0.14))
        return Judgement(tuple(Candidate(play, equity, None, "2-ply") for play, equity in rows))


def test_another_play_is_judged_by_the_program_which_a_worker_asks(
    reader: Client, card: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(choices, "is_any_installed", lambda: True)
    monkeypatch.setattr(choices, "send", lambda task, xgid: sent.append((task, xgid)))
    cache.clear()
    assert "data-wait" in html(send(reader, card, "24/21 24/23"))
    assert "data-wait" in html(send(reader, card, "24/21 24/23"))
    [(task, xgid)] = sent
    assert task == choices.JUDGE
    choices.judge_plays(xgid, Program())  # type: ignore[arg-type]
    assert "Almost the best" in html(send(reader, card, "24/23 24/21"))


def test_the_tick_is_asked_once_and_can_be_changed(reader: Client, bob_player: Player, card: Card) -> None:
    Player.objects.update(collects_decisions=None)
    assert "Repeat your three decisions?" in html(reader.get(reverse("deck")))
    content = html(reader.post(reverse("deck-collect"), {"collects": "1"}, follow=True))
    assert "Repeat your three decisions?" not in content
    assert "Collect no new decisions" in content
    reader.post(reverse("deck-collect"), {"collects": "0"})
    bob_player.refresh_from_db()
    assert bob_player.collects_decisions is False


def test_a_card_is_never_shown_again_and_taken_back(reader: Client, card: Card) -> None:
    url = reverse("deck-suspend", args=[card.pk])
    Player.objects.update(collects_decisions=None)
    assert "Show it again" in html(reader.post(url, {"suspended": "1"}, follow=True))
    assert 'type="radio"' in html(reader.post(url, {"suspended": "0"}, follow=True))
    assert "question-settings" in html(reader.get(reverse("deck"), {"move": "1"}))
