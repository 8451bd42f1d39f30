"""The venue of a club: what a director sets once, and every new event starts with."""

from datetime import datetime, time

import pytest
from django.test import Client

from clubhouse.copies import copy_event
from engine.errors import Refused
from players.actors import Actor
from players.models import Club
from tests.event_cast import NOON
from tests.pages import html
from tournaments.events import services as events
from tournaments.events.venues import (
    EVENING,
    VenueInput,
    closing_time,
    next_evening,
    save_venue,
    tables_for_event,
    venue_of,
)
from tournaments.floor.evening import open_floor
from tournaments.models import Division, OpeningHours, Tournament

pytestmark = pytest.mark.postgresql

local = datetime.fromisoformat
SATURDAY = local("2026-11-21 15:00")
TUESDAY_NIGHT = OpeningHours(weekday=1, opens=time(18), closes=time(0, 30))


@pytest.mark.parametrize(
    ("now", "starts", "ends"),
    [
        (SATURDAY, local("2026-11-24 18:00"), local("2026-11-25 00:30")),
        (local("2026-11-24 17:59"), local("2026-11-24 18:00"), local("2026-11-25 00:30")),
        (local("2026-11-24 18:01"), local("2026-12-01 18:00"), local("2026-12-02 00:30")),
    ],
)
def test_the_next_evening_is_the_next_opening(now: datetime, starts: datetime, ends: datetime) -> None:
    assert next_evening([TUESDAY_NIGHT], now) == (starts, ends)


@pytest.mark.parametrize(
    ("now", "closes"),
    [
        ("2026-11-24 17:59", time(0, 30)),
        ("2026-11-24 23:30", time(0, 30)),
        ("2026-11-25 00:10", time(0, 30)),
        ("2026-11-25 00:30", None),
        ("2026-11-25 20:00", None),
    ],
)
def test_a_venue_closes_after_midnight(now: str, closes: time | None) -> None:
    assert closing_time([TUESDAY_NIGHT], local(now)) == closes


def test_without_opening_hours_the_next_evening_is_at_half_past_seven() -> None:
    assert next_evening([], SATURDAY) == (datetime.combine(SATURDAY.date(), EVENING), None)


@pytest.mark.django_db
def test_a_director_sets_the_venue_once_and_new_events_start_with_it(
    alice_client: Client, club: Club, by_alice: Actor
) -> None:
    url = f"/clubs/{club.slug}/venue/"
    form = {"after": 0, "name": "Harbour House", "more": 3, "opens_1": "18:00", "closes_1": "23:30"}
    assert alice_client.post(url, {**form, "closes_1": ""}).status_code == 422, "a day with one time"
    assert alice_client.post(url, form).status_code == 302
    named = form | {
        "after": 1, "more": "", "label_0": "Stage", "category_0": "stream", "label_1": "2", "category_1": "normal",
        "label_2": "", "category_2": "normal",
    }  # fmt: skip
    assert alice_client.post(url, {**named, "label_1": "Stage"}).status_code == 422, "two tables of one name"
    assert alice_client.post(url, named).status_code == 302
    assert alice_client.post(url, named).status_code == 422, "somebody else was faster"
    assert [(table.label, table.category) for table in venue_of(club).tables.all()] == [
        ("Stage", "stream"), ("2", "normal"),
    ]  # fmt: skip

    page = html(alice_client.get(f"/events/new/{club.slug}/"))
    assert 'value="Harbour House"' in page
    assert 'T18:00"' in page
    assert 'T23:30"' in page
    event = events.create_tournament(club=club, by=by_alice, now=NOON, name="Tuesday", starts_at=NOON)
    assert event.tables == 2
    assert tables_for_event(club, 4) == [("Stage", "stream"), ("2", "normal"), ("3", "normal"), ("4", "normal")]


@pytest.mark.django_db
def test_the_floor_opens_with_the_tables_of_the_club_and_next_week_keeps_them(
    club: Club, make_division: type[Division], by_alice: Actor
) -> None:
    venue = VenueInput("", [("Stage", "stream"), ("2", "normal"), ("Window", "accessible")], [])
    save_venue(club=club, venue=venue, after=0, by=by_alice)
    event = make_division(name="Open").tournament
    events.publish_tournament(tournament=event, by=by_alice, now=NOON)
    Tournament.objects.filter(pk=event.pk).update(tables=2)
    open_floor(tournament=event, by=by_alice, now=NOON)
    tables = [("Stage", "stream"), ("2", "normal")]
    assert list(event.floor_tables.values_list("label", "category")) == tables

    save_venue(club=club, venue=VenueInput("", [], []), after=1, by=by_alice)
    copy = copy_event(tournament=event, by=by_alice, now=NOON)
    assert list(copy.floor_tables.values_list("label", "category")) == tables, "the club has no tables any more"
    with pytest.raises(Refused, match="stale"):
        save_venue(club=club, venue=venue, after=1, by=by_alice)


@pytest.mark.django_db
def test_two_tables_of_a_venue_have_no_label_in_common(club: Club, by_alice: Actor) -> None:
    with pytest.raises(Refused, match="venue_table_twice"):
        save_venue(club=club, venue=VenueInput("Pier", [("1", "normal"), ("1", "stream")], []), after=0, by=by_alice)
