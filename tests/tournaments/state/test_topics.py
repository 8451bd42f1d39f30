"""Divisions and events in the event stream: who may watch them, and what is published."""

from collections.abc import Callable
from time import sleep

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from django.test import RequestFactory
from django.utils import timezone

from core.live.publishing import authorise, last_touch, now_shown, touch
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player, User
from tests.event_cast import NOW, bob_player, by_alice, club, make_division, make_players, tournament
from tests.tournaments.support.played_stages import STAGES, drawn_as
from tournaments.models import Division, Fixture, Tournament
from tournaments.results import services as results
from tournaments.state.topics import topics_shown

__all__ = ["bob_player", "by_alice", "club", "make_division", "make_players", "tournament"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def division(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Division:
    return drawn_as(make_division(name="Open", match_length=7), STAGES["round robin"], make_players(4), by_alice)


def number(topic: str, user: User | None = None) -> int:
    request: HttpRequest = RequestFactory().get("/live/")
    request.user = user or AnonymousUser()
    return authorise(request, topic)


def test_a_result_changes_the_division_its_matches_and_the_event(division: Division, by_alice: Actor) -> None:
    division.refresh_from_db()
    before, moment = division.seq, now_shown()
    fixture = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)[0]
    results.enter_result(fixture=fixture, result=ResultInput(0, (7, 2)), by=by_alice, now=NOW)
    division.refresh_from_db()
    assert number(division.topic) == division.seq > before
    for topic in (division.tournament.topic, f"matches:{division.topic}"):
        assert number(topic) == last_touch(topic) > moment


def test_a_page_shows_what_changed_before_it_was_read_and_nothing_later(division: Division) -> None:
    event = division.tournament
    touch(event.topic)
    before = last_touch(event.topic)
    sleep(0.005)
    began = timezone.now()
    assert topics_shown(event, read_since=began).split()[0] == f"{event.topic}={before}"
    sleep(0.005)
    touch(event.topic)
    shown = int(topics_shown(event, read_since=began).split()[0].split("=")[1])
    assert before <= shown < last_touch(event.topic)


def test_a_draft_event_is_there_for_its_staff_alone(division: Division, alice: User, dave: User) -> None:
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    event = Tournament.objects.get(pk=division.tournament_id)
    for topic in (division.topic, event.topic, f"matches:{division.topic}"):
        assert number(topic, alice) >= 0
        for user in (dave, None):
            with pytest.raises(Http404):
                number(topic, user)


@pytest.mark.parametrize("topic", ["division:nonsense12", "matches:club:1", "matches:division:", "tournament:x"])
def test_what_does_not_exist_cannot_be_watched(topic: str, division: Division) -> None:
    with pytest.raises(Http404):
        number(topic)
