"""Players of an event are notified of the draw, their next match, their table, their place and their rating."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail

from matches.lifecycle.finish import ResultInput
from matches.models import Match
from matches.ratings import services as ratings
from players.actors import Actor
from players.models import Delivery, Notification, Player, User
from players.notifications.emails import send_emails
from players.notifications.kinds import texts_of
from players.notifications.services import notify
from tests.event_cast import NOW, RunningEvent
from tournaments.entries import services as entries
from tournaments.floor import calls, evening
from tournaments.models import Division, Fixture
from tournaments.results import services as results

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
MINUTE = timedelta(minutes=1)


def sentences(user: User, kind: str = "") -> list[str]:
    """What a user was told, oldest first; of one kind if given."""
    rows = Notification.objects.filter(user=user, **({"kind": kind} if kind else {})).order_by("pk")
    return [f"{text.sentence} ({text.context})" for text in texts_of(list(rows))]


def fixture(running: RunningEvent, number: int) -> Fixture:
    rows = Fixture.objects.select_related("stage__division", "match")
    return rows.get(stage__division=running.division, number=number)


def test_players_learn_of_the_draw_and_of_the_match_that_follows(
    running: RunningEvent, by_alice: Actor, bob: User, carol: User, alice: User
) -> None:
    assert sentences(bob) == sentences(carol) == ["The draw is out. (Winter Open · Open)"]
    assert sentences(alice) == [], "she does not play"
    bob_side = running.fixture.match.players.index(running.entry.player)
    score = (7, 3) if bob_side == 0 else (3, 7)
    results.enter_result(fixture=running.fixture, result=ResultInput.played(score), by=by_alice, now=NOW)
    assert sentences(bob, "match_ready") == [], "his opponent is to be decided"
    results.enter_result(fixture=fixture(running, 2), result=ResultInput.played((7, 5)), by=by_alice, now=NOW)
    winner = fixture(running, 2).match.players[0].name
    assert sentences(bob, "match_ready") == [f"Your next match is against {winner}. (Winter Open · Open · M3)"]
    assert sentences(carol, "match_ready") == []
    assert sentences(carol, "ruled") == [], "the director only entered the result"


def test_a_call_is_announced_at_once_and_again_with_another_table(
    running: RunningEvent, by_alice: Actor, bob: User, carol: User
) -> None:
    event = running.tournament
    event.tables = 2
    event.save()
    evening.open_floor(tournament=event, by=by_alice, now=NOW)
    Delivery.objects.all().delete()
    first, second = event.floor_tables.all()
    calls.call(fixture=fixture(running, 1), table=first, by=by_alice, now=NOW)
    assert sentences(bob, "called") == ["Come to table 1: your match against Carol. (Winter Open · Open · M1)"]
    assert send_emails(user=bob.pk, now=NOW) == 1
    calls.move(fixture=fixture(running, 1), table=second, by=by_alice, now=NOW + MINUTE)
    calls.call_again(fixture=fixture(running, 1), by=by_alice, now=NOW + 2 * MINUTE)
    assert [text.split(" (")[0] for text in sentences(carol, "called")[1:]] == [
        "Your match against Bob is now at table 2.",
        "Second call: come to table 2 for your match against Bob.",
    ]
    assert send_emails(user=bob.pk, now=NOW + 2 * MINUTE) == 2
    calls.start(fixture=fixture(running, 1), by=by_alice, now=NOW + 3 * MINUTE)
    assert send_emails(user=carol.pk, now=NOW + 3 * MINUTE) == 0, "who has sat down need not be called"
    assert set(Delivery.objects.filter(notification__user=carol).values_list("state", flat=True)) == {"dropped"}


def test_the_subject_of_an_email_names_the_event_and_what_is_new(running: RunningEvent, bob: User) -> None:
    [draw] = Notification.objects.filter(user=bob)
    send_emails(user=bob.pk, now=NOW + MINUTE)
    assert [message.subject for message in mail.outbox] == ["Winter Open: the draw is out"]
    for division in ("Beginners", "Doubles"):
        params = {**draw.params, "context": f"Winter Open · {division}"}
        notify(users=[bob.pk], kind=draw.kind, params=params, url=draw.url, key=division, now=NOW)
    send_emails(user=bob.pk, now=NOW + MINUTE)
    assert [message.subject for message in mail.outbox[1:]] == ["Winter Open: the draws are out"]


def test_the_first_of_the_waiting_list_learns_of_the_free_place(
    open_division: Division, by_alice: Actor, make_players: Any, carol_player: Player, carol: User
) -> None:
    open_division.capacity = 2
    open_division.save()
    first, *_ = entries.enter(division=open_division, players=[*make_players(2), carol_player], by=by_alice, now=NOW)
    assert sentences(carol) == []
    entries.withdraw(entry=first, by=by_alice, now=NOW)
    assert sentences(carol) == ["You are in: a place has become free. (Winter Open · Open)"]


def test_a_rating_that_changes_is_announced_once(running: RunningEvent, by_alice: Actor, bob: User) -> None:
    results.enter_result(fixture=running.fixture, result=ResultInput.played((7, 3)), by=by_alice, now=NOW)
    pool = ratings.default_pool()
    ratings.replay_pool(pool_id=pool.pk, now=NOW)
    [text] = sentences(bob, "rating_changed")
    assert re.match(r"Your rating after the match against Carol: 1\d+\.\d\d\? \(", text), "after one opponent"
    ratings.mark_dirty(match=running.fixture.match)
    ratings.replay_pool(pool_id=pool.pk, now=NOW)
    assert len(sentences(bob, "rating_changed")) == 1


def test_each_player_learns_how_their_dispute_was_ruled(
    running: RunningEvent, by_alice: Actor, bob: User, carol: User
) -> None:
    Match.objects.filter(pk=running.fixture.match_id).update(state=Match.State.DISPUTED)
    results.enter_result(
        fixture=running.fixture, result=ResultInput.played((7, 3)), by=by_alice, now=NOW, reason="seen"
    )
    winner, loser = running.fixture.match.names
    users = {"Bob": bob, "Carol": carol}
    place = "(Winter Open · Open · Semi-finals · M1)"
    assert sentences(users[winner], "ruled") == [f"The director ruled: you won 7–3 against {loser}. {place}"]
    assert sentences(users[loser], "ruled") == [f"The director ruled: you lost 3–7 against {winner}. {place}"]
