"""The administration pages, and what a match is called where it is listed."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from matches.lifecycle.events import events
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOW, RunningEvent, publish
from tests.matches.cast import open_match
from tests.tournaments.support.pages import page, text
from tournaments.entries import services as entries
from tournaments.events.services import create_division, create_tournament, publish_tournament
from tournaments.floor.calls import call
from tournaments.floor.evening import open_floor
from tournaments.models import Division, Draw, Entry, Fixture, Stage, Tournament
from tournaments.results import services as results

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [Tournament, Division, Entry, Stage, Draw, Fixture])
def test_the_staff_look_and_change_nothing(
    model: type[Tournament], running: RunningEvent, client: Client, password: str
) -> None:
    client.force_login(User.objects.create_superuser("staff@example.org", password))
    row = model.objects.first()
    assert row is not None
    where = f"/admin/tournaments/{model._meta.model_name}/"
    assert f"{where}{row.pk}/change/" in page(client, where)
    html = page(client, f"{where}{row.pk}/change/")
    assert 'name="_save"' not in html
    assert Stage.objects.get().seed not in html
    assert client.get(f"{where}add/").status_code == 403


def test_a_match_is_named_after_its_event(running: RunningEvent) -> None:
    topic = running.division.topic
    contexts = events().contexts([topic, "division:nothing222"])
    assert contexts[topic].title == "Winter Open · Open"
    assert contexts[topic].url == running.division_url
    assert set(contexts) == {topic}


def test_my_page_says_where_my_next_match_is_and_where_i_am_entered(
    running: RunningEvent, bob: User, make_division: Callable[..., Division], by_alice: Actor, as_user: Any
) -> None:
    side = make_division(name="Side event", capacity=2)
    bob_player = running.entry.player
    other = next(player for player in running.fixture.match.players if player != bob_player)
    entries.enter(division=side, players=[other, Player.objects.create(name="Zoe"), bob_player], by=by_alice, now=NOW)
    html = text(page(as_user(bob), "/my/"))
    assert "Carol Semi-finals · M1" in html
    assert "Winter Open · Open being played" in html
    assert "Winter Open · Side event number 1 on the waiting list" in html


def test_after_a_report_the_match_page_names_the_next_match(
    running: RunningEvent, bob: User, make_players: Callable[[int], list[Player]], by_alice: Actor, as_user: Any
) -> None:
    match, bob_player = running.fixture.match, running.entry.player
    client = as_user(bob)
    assert "Your next match" not in text(page(client, f"/matches/{match.public_id}/"))
    winner = match.players.index(bob_player)
    score = (7, 3) if winner == 0 else (3, 7)
    results.enter_result(fixture=running.fixture, result=ResultInput(winner, score), by=by_alice, now=NOW)
    assert "Your next match" not in text(page(client, f"/matches/{match.public_id}/")), "its players are not known yet"
    second = Fixture.objects.select_related("stage", "match").get(stage__division=running.division, number=2)
    results.enter_result(fixture=second, result=ResultInput(0, (7, 3)), by=by_alice, now=NOW)
    html = text(page(client, f"/matches/{match.public_id}/"))
    assert f"Your next match {second.match.player_0.name} Winter Open · Open · Final · M3" in html


def test_the_next_match_is_one_of_this_event_or_says_that_it_is_not(
    running: RunningEvent, bob: User, make_players: Callable[[int], list[Player]], by_alice: Actor, as_user: Any
) -> None:
    event = create_tournament(
        club=running.tournament.club, by=by_alice, now=NOW, name="Next Door", starts_at=NOW, tables=1
    )
    division = create_division(tournament=event, by=by_alice, now=NOW, name="Blitz", match_length=3)
    entries.enter(division=division, players=[running.entry.player, *make_players(1)], by=by_alice, now=NOW)
    publish_tournament(tournament=event, by=by_alice, now=NOW)
    publish(division, by_alice)
    open_floor(tournament=event, by=by_alice, now=NOW)
    call(fixture=Fixture.objects.get(stage__division=division), by=by_alice, now=NOW)
    match, client = running.fixture.match, as_user(bob)
    score = (7, 3) if match.players[0] == running.entry.player else (3, 7)
    results.enter_result(fixture=running.fixture, result=ResultInput.played(score), by=by_alice, now=NOW)
    html = text(page(client, f"/matches/{match.public_id}/"))
    assert "Your next match is in another event" in html
    assert re.search(r"Next Door · Blitz · Final · M1 · Table 1\b", html)
    second = Fixture.objects.select_related("stage", "match").get(stage__division=running.division, number=2)
    results.enter_result(fixture=second, result=ResultInput(0, (7, 3)), by=by_alice, now=NOW)
    html = text(page(client, f"/matches/{match.public_id}/"))
    assert f"Your next match {second.match.player_0.name} Winter Open · Open · Final · M3" in html


def test_the_most_urgent_match_comes_first(
    bob_player: Player, make_players: Callable[[int], list[Player]], bob: User, by_alice: Actor, as_user: Any
) -> None:
    soon, late, never = (
        open_match(players=(bob_player, player), length=5, due_at=due, by=by_alice, now=NOW)
        for player, due in zip(make_players(3), (NOW + timedelta(days=1), NOW + timedelta(days=9), None), strict=True)
    )
    html = page(as_user(bob), "/my/")
    places = [html.index(match.public_id) for match in (soon, late, never)]
    assert places == sorted(places)
