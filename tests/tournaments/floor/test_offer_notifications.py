"""Bob and Carol are asked about a shorter match: on the site, by e-mail and by push, once, while they can answer."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from players.actors import Actor
from players.models import Delivery, Notification, User
from players.notifications import services as notifications
from players.notifications.emails import send_emails
from players.notifications.kinds import texts_of
from tests.pages import html
from tests.tournaments.floor.test_length_offers import (
    accept,
    decline,
    new_score,
    offer,
    playing,
    propose,
    reported,
    standing,
)
from tests.tournaments.floor.test_players_scores import AtTable, at_table
from tournaments.floor import length_offers
from tournaments.floor.undo import last_act, undo

__all__ = ["at_table", "playing"]
pytestmark = pytest.mark.django_db


def sentences(user: User) -> list[str]:
    """What a user was asked about shorter matches, oldest first."""
    rows = Notification.objects.filter(user=user, kind="length_offered").order_by("pk")
    return [f"{text.sentence} ({text.context})" for text in texts_of(list(rows))]


def send_now(user: User) -> int:
    """Send the e-mails that wait for a user, except those of other kinds; return how many."""
    Delivery.objects.exclude(notification__kind="length_offered").delete()
    return send_emails(user=user.pk, now=timezone.now())


def test_the_other_player_is_asked_once_and_answers_by_the_link_of_the_email(
    playing: AtTable, bob: User, carol: User
) -> None:
    for _ in range(2):
        offer(playing, playing.side_of_bob, 5)
    assert sentences(bob) == [], "he offered it"
    assert sentences(carol) == ["Bob wants to play to 5 points instead of 7. Do you agree? (Winter Open · Open · M1)"]
    assert Notification.objects.get(kind="length_offered").url == f"/matches/{playing.match.public_id}/"
    assert send_now(carol) == 1
    assert send_now(carol) == 0
    [link] = re.findall(r"https?://[^/\s]+(/m/\S+)", str(mail.outbox[-1].body))
    assert "Do you agree?" in html(Client().get(link))
    assert Client().post(f"{link}length/accept/", {"offer": standing(playing)}).status_code == 302
    assert playing.match.length == 5
    assert sentences(bob) == []


def test_a_proposal_by_the_director_asks_both_and_nobody_who_made_it(playing: AtTable, bob: User, carol: User) -> None:
    propose(playing, 5)
    text = "The director proposes to play your match against {} to 5 points instead of 7. (Winter Open · Open · M1)"
    assert sentences(bob) == [text.format("Carol")]
    assert sentences(carol) == [text.format("Bob")]
    assert send_now(bob) == 1
    assert "Both of you have to agree." in mail.outbox[-1].body
    length_offers.propose_length(
        fixture=playing.running.fixture, length=6, by=Actor.of(bob), now=timezone.now()
    )  # Bob directs, too.
    assert (len(sentences(bob)), len(sentences(carol))) == (1, 2)


def withdrawn(table: AtTable) -> None:
    decline(table, table.side_of_bob, standing(table))


def ended_by_alice(table: AtTable) -> None:
    decline(table, None, standing(table))


def declined(table: AtTable) -> None:
    decline(table, 1 - table.side_of_bob, standing(table))


def replaced_by_her(table: AtTable) -> None:
    offer(table, 1 - table.side_of_bob, 6)


def test_an_offer_that_cannot_be_accepted_any_more_is_not_sent(playing: AtTable, carol: User) -> None:
    for what in (withdrawn, ended_by_alice, declined, replaced_by_her, new_score, reported):
        offer(playing, playing.side_of_bob, 5)
        what(playing)
        assert send_now(carol) == 0, what.__name__
    states = Delivery.objects.filter(notification__user=carol, notification__kind="length_offered")
    assert list(states.values_list("state", flat=True)) == ["dropped"] * 6


def test_a_proposal_that_was_undone_or_that_a_player_has_accepted_is_not_sent_to_them(
    playing: AtTable, bob: User, carol: User
) -> None:
    accept(playing, playing.side_of_bob, propose(playing, 5).pk)
    assert (send_now(bob), send_now(carol)) == (0, 1), "Carol still has to agree"
    propose(playing, 6)
    last = last_act(playing.running.tournament, playing.alice)
    assert last is not None
    undo(tournament=playing.running.tournament, act=last, by=playing.alice, now=timezone.now())
    assert (send_now(bob), send_now(carol)) == (0, 0)


def test_bob_can_choose_not_to_be_asked(playing: AtTable, bob: User, carol: User) -> None:
    client = Client()
    client.force_login(bob)
    assert "A shorter length for the match you are playing" in html(client.get("/account/notifications/"))
    notifications.save_choices(user=bob, wanted={"length_offered": ()})
    propose(playing, 5)
    assert (len(sentences(bob)), len(sentences(carol))) == (0, 1)
