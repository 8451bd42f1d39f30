"""The floor of 128 players at 40 tables in the first round, beside a bare view in the same run: time, queries, size."""

import re
from datetime import datetime, timedelta

from benchmarks.pages import REQUESTS, bare, database, measure

# isort: split
from django.db import connection
from django.test import Client
from django.utils import timezone

from formats.settings import PROGRESSIVE, StageSettings
from matches.models import Match
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor import calls, selectors
from tournaments.floor import evening as opening
from tournaments.floor.page.page import HEADER
from tournaments.models import Fixture, Tournament
from tournaments.state.stages import set_stages

PLAYERS, TABLES, PLAYING, LENGTH = 128, 40, 36, 7


def evening(now: datetime) -> tuple[User, Tournament]:
    """Return a director and an event in its first round: most tables are taken, the other matches wait."""
    start = now - timedelta(minutes=40)
    alice = User.objects.create_user("alice@example.org", "crawford-1969", display_name="Alice")
    club = Club.objects.create(name="Marina", slug="marina", time_zone="Europe/Copenhagen")
    director = Player.objects.create(name="Alice", user=alice)
    Membership.objects.create(club=club, player=director, role=Membership.Role.OWNER)
    by = Actor.of(alice)
    event = events.create_tournament(
        club=club, by=by, now=start, name="Open", starts_at=start, tables=TABLES, ends_at=now + timedelta(hours=6)
    )
    division = events.create_division(tournament=event, by=by, now=start, name="Open", match_length=LENGTH)
    players = Player.objects.bulk_create([Player(name=f"Player {number}") for number in range(PLAYERS)])
    entries.enter(division=division, players=players, by=by, now=start)
    division.refresh_from_db()
    set_stages(division=division, stages=[StageSettings(PROGRESSIVE)], after=division.seq, by=by, now=start)
    events.publish_tournament(tournament=event, by=by, now=start)
    draw = draws.request_draw(division=division, by=by, now=start)
    draws.make_draft(draw_id=draw.pk, now=start)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=start)
    opening.open_floor(tournament=event, by=by, now=start)
    open_fixtures = Fixture.objects.filter(match__state=Match.State.OPEN).order_by("number")
    tables = list(event.floor_tables.all())
    for at, (fixture, table) in enumerate(zip(open_fixtures[:PLAYING], tables, strict=False)):
        calls.call(fixture=fixture, table=table, by=by, now=start)
        if at % 6:
            calls.start(fixture=fixture, by=by, now=start + timedelta(minutes=2))
            calls.set_running_score(fixture=fixture, score=(at % LENGTH, 3), by=by, now=now)
    return alice, event


def page_of(event: Tournament) -> str:
    """Return the path of an event's floor."""
    return f"/events/{event.club.slug}/{event.slug}/floor/"


def versions_of(page: str, user: User) -> str:
    """Return the versions of the parts of the floor that a browser has."""
    client = Client()
    client.force_login(user)
    shown = re.search(r'data-versions="([^"]*)"', client.get(page).content.decode())
    if shown is None:
        raise SystemExit(f"{page} names no versions of its parts")
    return shown[1]


def call_next(event: Tournament, user: User) -> None:
    """Call the match that is suggested first."""
    now = timezone.now()
    first = selectors.floor(event, now).state.suggestions[0]
    fixture, table = Fixture.objects.get(pk=first.fixture), event.floor_tables.get(pk=first.table)
    calls.call(fixture=fixture, table=table, by=Actor.of(user), now=now)


def main() -> None:
    """Build the event, then measure its floor with and without a forecast that is computed anew."""
    with database():
        alice, event = evening(timezone.now())
        page = page_of(event)
        print(f"The floor of {PLAYERS} players, {TABLES} tables ({connection.vendor}); {REQUESTS} requests each")
        bare()
        compressed = {"Accept-Encoding": "gzip"}
        measure("floor", page, user=alice, **compressed)
        versions = versions_of(page, alice)
        call_next(event, alice)
        measure("update after a call", page, user=alice, **compressed, **{"HX-Request": "true", HEADER: versions})
        measure("forecast", f"{page}forecast/", user=alice, **compressed)
        sheet = Fixture.objects.order_by("number").first()
        if sheet is not None:
            measure("sheet of a match", f"{page}matches/{sheet.public_id}/", user=alice, **{"HX-Request": "true"})


if __name__ == "__main__":
    main()
