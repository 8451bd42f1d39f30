"""An evening counts on its day by its own clocks, whoever reads, and in whichever order."""

import re
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.test import Client
from django.urls import NoReverseMatch
from django.utils import timezone

from players.actors import SYSTEM
from players.models import Club, Player, User
from seasons import services
from seasons.page.season import own_places
from seasons.pool import open_desks_of
from seasons.services import SeriesInput
from seasons.titles import proposals_left
from tests.access.roles import ROUTES
from tests.access.world import World, season_of
from tests.clock import NOON
from tests.core.test_event_times import seen
from tests.seasons.test_seasons import night
from tournaments.ledger.money import Currency
from tournaments.models import Series, SeriesEvent, Tournament

AUCKLAND, NEW_YORK, KIRITIMATI = "Pacific/Auckland", "America/New_York", "Pacific/Kiritimati"
READERS = ("UTC", AUCKLAND, NEW_YORK)
ONE_DAY = timedelta(days=1)
FIRST, LAST = NOON.date() - 3 * ONE_DAY, NOON.date() - 2 * ONE_DAY


def at(day: date, hour: int, zone: str) -> datetime:
    """Half past this hour of a day."""
    return datetime.combine(day, time(hour, 30), ZoneInfo(zone))


@pytest.mark.django_db
@pytest.mark.parametrize(("zone", "club_zone"), [(AUCKLAND, AUCKLAND), (KIRITIMATI, NEW_YORK)])
def test_the_clocks_of_an_event_say_on_which_day_it_was(zone: str, club_zone: str) -> None:
    cast = [Player.objects.create(name=f"Player {number}") for number in range(1, 9)]
    user = User.objects.create_user("one@example.org", "crawford-1969", display_name="One")
    Player.objects.filter(pk=cast[0].pk).update(user=user)
    shortly = {
        "before": at(FIRST - ONE_DAY, 23, zone), "first": at(FIRST, 0, zone),
        "last": at(LAST, 23, zone), "after": at(LAST + ONE_DAY, 0, zone),
    }  # fmt: skip
    for number, (name, starts_at) in enumerate(shortly.items()):
        event = night(cast[:6] if name == "before" else cast, name, seed=number).division.tournament
        Tournament.objects.filter(pk=event.pk).update(starts_at=starts_at, time_zone=zone)
    Club.objects.update(time_zone=club_zone)
    club = Club.objects.get()
    ticket = Currency(event.currency, event.currency_exponent)
    found = []
    for reader in (*READERS, KIRITIMATI):
        with timezone.override(ZoneInfo(reader)):
            row = services.create_series(
                club=club, series=SeriesInput(reader, FIRST, LAST, "motor_racing"), by=SYSTEM, now=NOON
            )
            counted = {each.tournament.name for each in row.counted.select_related("tournament")}
            desks = {each.name for each in open_desks_of(row, ticket)}
            missing = services.missing_events(row)
            shown = [
                bool(own_places(user, [club], at(*moment, club_zone))) for moment in ((LAST, 23), (LAST + ONE_DAY, 0))
            ]
            services.close_series(series=row, after=row.seq, by=SYSTEM, now=NOON)
            new = sorted({each.player for each in proposals_left(row) if each.kind == "newcomer"})
            found.append((counted, desks, missing, shown, new))
            SeriesEvent.objects.all().delete()
    newcomers = {player.public_id for player in cast[6:]}
    assert found[0][:3] == ({"Cup first", "Cup last"}, {"Cup first", "Cup last", "Cup after"}, [])
    assert found[0][3] == [True, False], "it runs until its last day ends on the clocks of its club"
    assert {*found[0][4]} <= newcomers
    assert found[0][4]
    assert found == [found[0]] * 4


INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)")
ON_THEIR_CLOCK = re.compile(r"<time\b.*?</time>", re.DOTALL)
ZONE = re.compile(r"(?<=\d\d:\d\d)(?: (?:UTC|NZDT|EST))?(?: \([^()]* for you\))?")
DAY = re.compile(r"(?:\w+,? )?\d{1,2} Nov\w*(?: \d{4},?)?(?: \d\d:\d\d)?")
ABOUT_NO_CLUB = {"home": "today", "submission": "a record that belongs to no event"}
"""Pages with days on the reader's clock."""


def read(name: str, address: str, client: Client) -> str:
    """What a page or an endpoint says, apart from times on the reader's clock, and from the zones of times."""
    answer = client.get(address)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    text = content.decode(errors="replace")
    if answer["Content-Type"].startswith("text/html"):
        text = ZONE.sub("", seen(ON_THEIR_CLOCK.sub("", text)))
    if name in ABOUT_NO_CLUB:
        text = DAY.sub("", text)
    return INSTANT.sub(lambda at: f"{datetime.fromisoformat(at[0]).timestamp():.0f}", text)


def addresses(world: World, client: Client) -> dict[str, str]:
    """Return what a client can read, by route."""
    found = {}
    for name in ROUTES:
        with suppress(NoReverseMatch, KeyError):
            found[name] = world.address(name)
    return {name: address for name, address in found.items() if client.get(address).status_code == 200}


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(("zone", "hour"), [(AUCKLAND, 0), (NEW_YORK, 23)])
def test_readers_in_other_zones_see_the_same(world: World, as_user: Any, alice: User, zone: str, hour: int) -> None:
    event, season = world.running.tournament, season_of(world.running)
    day = event.starts_at.date()
    Club.objects.update(time_zone=zone)
    Tournament.objects.filter(pk=event.pk).update(starts_at=at(day, hour, zone), time_zone=zone)
    Series.objects.filter(pk=season.pk).update(first_day=day, last_day=day)
    season.refresh_from_db()
    services.count_events(series=season, events=services.missing_events(season), by=SYSTEM)
    assert [row.tournament for row in season.counted.all()] == [event]
    different, total = [], 0
    for user in (None, alice):
        readers = [as_user(user) for _reader in READERS]
        for reader, client in zip(READERS, readers, strict=True):
            client.cookies["time_zone"] = reader
        for name, address in addresses(world, readers[0]).items():
            if name == "sessions":  # It says which of them is the reader's own.
                continue
            with time_machine.travel(timezone.now().timestamp(), tick=False):
                different += [name] if len({read(name, address, client) for client in readers}) > 1 else []
            total += 1
    assert total > 300
    assert different == []
