"""The second day of an event: nothing is called before somebody is checked in or a director opens the floor."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from players.actors import Actor
from players.models import Club, Notification, Player
from tests.clock import NOON
from tests.pages import html
from tests.tournaments.floor.test_batches import Night, people, start
from tests.tournaments.floor.test_services import Evening
from tournaments import tasks
from tournaments.entries import check_in
from tournaments.floor import evening, selectors
from tournaments.floor.undo import last_act, undo
from tournaments.models import Autopilot, Batch, Division, FloorEvent, Tournament
from tournaments.state.presence import day_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]
__all__ = ["people", "start"]
WHY = "Nobody is checked in today, so nothing is called: check in who has come, or open the floor for everybody."


@pytest.fixture(params=["Europe/Berlin", "America/New_York"])
def event(request: pytest.FixtureRequest, drawn: Callable[..., Division], by_alice: Actor) -> Evening:
    """An event of two days whose autopilot calls by itself; the first matches are to be played on the second."""
    division = drawn(8, match_length=7)
    Tournament.objects.update(tables=4, time_zone=request.param)
    division = Division.objects.select_related("tournament__club").get(pk=division.pk)
    tournament = division.tournament
    evening.open_floor(tournament=tournament, by=by_alice, now=NOON)
    evening.pause(tournament=tournament, until=second_day(tournament, 4, 50), by=by_alice, now=NOON)
    evening.set_autopilot(tournament=tournament, mode=Autopilot.CALL, by=by_alice, now=NOON)
    return Evening(division, by_alice)


def second_day(tournament: Tournament, hour: int, minute: int) -> datetime:
    """The time of day on the day after the first one, on the clock of the event."""
    zone = ZoneInfo(tournament.time_zone)
    return datetime.combine(day_of(zone, NOON)[1].date(), time(hour, minute), zone)


@contextmanager
def at(tournament: Tournament, hour: int, minute: int) -> Iterator[datetime]:
    """Let the sweeps of the workers pass at that time of the second day."""
    now = second_day(tournament, hour, minute)
    with time_machine.travel(now.timestamp(), tick=False):
        tasks.end_check_in_days()
        tasks.sweep_floors()
        yield now


def called() -> list[int]:
    """The numbers of the matches that were called, once for each call."""
    rows = FloorEvent.objects.filter(kind__in=("called", "called_again"), fixture__isnull=False).order_by("pk")
    return [row.fixture.number for row in rows if row.fixture is not None]


def page(event: Evening) -> str:
    return reverse("floor", args=[event.division.tournament.club.slug, event.division.tournament.slug])


def all_here(event: Evening, now: datetime) -> None:
    check_in.mark_all_here(tournament=event.division.tournament, division=None, by=event.alice, now=now)


def test_at_five_in_the_morning_nobody_is_called_who_was_checked_in_the_day_before(
    event: Evening, alice_client: Client
) -> None:
    tournament = event.division.tournament
    all_here(event, NOON)
    for minute in (1, 11, 31):
        with at(tournament, 5, minute) as now:
            assert called() == []
            view = selectors.floor(tournament, now)
            assert (view.state.attention, view.state.suggestions, len(view.state.not_here)) == ((), (), 8)
    assert not Notification.objects.exists()
    with at(tournament, 9, 0) as now:
        shown = html(alice_client.get(page(event)))
        assert (WHY in shown, 'id="post-open-floor"' in shown) == (True, True)
        check_in.mark_players_here(tournament=tournament, players=list(event.match(3).players), by=event.alice, now=now)
        assert WHY not in html(alice_client.get(page(event)))
    with at(tournament, 9, 1):
        assert called() == [3], "only who is here"


def test_a_director_opens_the_floor_for_everybody_by_one_tap_which_undo_takes_back(
    event: Evening, alice_client: Client, as_user: Callable[..., Client], erin: object
) -> None:
    tournament = event.division.tournament
    all_here(event, NOON)
    evening.set_autopilot(tournament=tournament, mode=Autopilot.SUGGEST, by=event.alice, now=NOON)
    with at(tournament, 9, 0) as now:
        shown = html(as_user(erin).get(page(event)))
        assert (WHY in shown, 'id="post-open-floor"' in shown) == (True, False), "an assistant checks in"
        alice_client.post(f"{page(event)}do/autopilot/", {"mode": "suggest"})
        assert WHY not in html(alice_client.get(page(event)))
        assert len(selectors.floor(tournament, now).state.suggestions) == 4
        last = last_act(tournament, event.alice)
        assert last is not None
        undo(tournament=tournament, act=last, by=event.alice, now=now)
        assert WHY in html(alice_client.get(page(event)))
        all_here(event, now)
        evening.set_autopilot(tournament=tournament, mode=Autopilot.CALL, by=event.alice, now=now)
        gone = event.match(2).player_0
        entry = event.division.entries.select_related("division__tournament").get(player=gone)
        check_in.mark(entry=entry, state="missing", by=event.alice, now=now)
    with at(tournament, 9, 1):
        assert sorted(called()) == [1, 3, 4], "check-in of the day counts, however the floor was opened"


def test_an_event_that_never_used_check_in_goes_on_as_before(event: Evening, alice_client: Client) -> None:
    with at(event.division.tournament, 5, 1):
        assert called() == [1, 2, 3, 4]
        assert WHY not in html(alice_client.get(page(event)))


def test_nobody_is_paired_without_rounds_before_they_are_here(
    start: Callable[..., Tournament], people: list[Player], club: Club, by_alice: Actor, alice_client: Client
) -> None:
    tournament = start()
    Tournament.objects.update(ends_at=NOON + timedelta(days=2))
    night = Night(tournament, by_alice)
    evening.pause(
        tournament=tournament, until=second_day(tournament, 4, 50), by=by_alice, now=NOON + timedelta(minutes=1)
    )
    result = Evening(tournament.divisions.get(), by_alice, NOON + timedelta(minutes=40))
    for fixture in night.open():
        result.win(fixture.number, (fixture.match.length, 0) if fixture.match is not None else (0, 0))
    for minute in (1, 11, 31):
        with at(tournament, 5, minute):
            assert Batch.objects.count() == 1
    with at(tournament, 9, 0) as now:
        assert WHY in html(alice_client.get(reverse("floor", args=[club.slug, tournament.slug])))
        check_in.mark_players_here(tournament=tournament, players=people, by=by_alice, now=now)
    with at(tournament, 9, 20):
        assert Batch.objects.count() > 1
