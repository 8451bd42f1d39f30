"""Every field of an event, a division and a stage is told, in calendars, depends on the start, or is none of these.

A new field fails here until that is decided. What is written is tried: each field is changed through its service.
"""

import re
from collections.abc import Callable
from dataclasses import fields as fields_of
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import models, transaction
from django.test import Client

from formats.settings import LEAGUE, StageSettings
from matches.reporting import calendars
from players.actors import Actor
from players.models import Notification, Player, User
from tests.event_cast import NOON, RunningEvent
from tests.tournaments.support import calendars as reader
from tournaments.entries.services import enter
from tournaments.events import services as events
from tournaments.events.api import DivisionFieldsSerializer, EditEventSerializer
from tournaments.events.dates import DAYS, OF_DIVISION, OF_EVENT
from tournaments.events.deadlines import set_deadlines
from tournaments.events.forms import DivisionForm, EditTournamentForm
from tournaments.events.services import AFTER_DRAW, EDITABLE, SETTINGS
from tournaments.models import Division, Tournament
from tournaments.state.stages import set_stages

pytestmark = [pytest.mark.django_db, pytest.mark.time_machine(NOON)]
TOLD, CALENDAR, HANGS, NONE = "told", "calendar", "hangs", ""
DAY, LATER = timedelta(days=1), NOON + timedelta(days=30)

# field -> what it is, and another value for it
EVENT: dict[str, tuple[str, Any]] = {
    "name": (CALENDAR, "Winter Cup"),
    "starts_at": (f"{TOLD} {CALENDAR}", LATER),
    "ends_at": (f"{CALENDAR} {HANGS}", LATER),
    "closing_rule": (NONE, "leader"),
    "silent_desk": (NONE, "go_on"),
    "check_in_opens_at": (HANGS, LATER),
    "check_in_closes_at": (HANGS, LATER),
    "time_zone": (f"{TOLD} {CALENDAR}", "America/New_York"),
    "language": (NONE, "en"),
    "second_language": (NONE, "en"),
    "venue": (f"{TOLD} {CALENDAR}", "Club house"),
    "tables": (NONE, 3),
    "about": (NONE, "Bring a board."),
    "currency": (NONE, "EUR"),
    "currency_exponent": (NONE, 2),
    "rated": (NONE, False),
    "season": (NONE, False),
}
DIVISION: dict[str, tuple[str, Any]] = {
    "name": (CALENDAR, "Masters"),
    "is_side": (NONE, True),
    "sides": (NONE, "two"),
    "self_registration": (NONE, True),
    "closes_at": (HANGS, LATER),
    "capacity": (NONE, 64),
    "fee": (NONE, 5),
    "reentry_until": (HANGS, LATER),
    "reentry_keeps": (NONE, False),
    "match_length": (TOLD, 5),
    "round_lengths": (TOLD, [5, 7]),
    "crawford": (NONE, False),
    "rated": (NONE, False),
    "pool_id": (NONE, None),
    "draw_method": (NONE, "entry"),
    "apart": (NONE, True),
    "start_rule": (NONE, "hand"),
    "start_cap": (NONE, 2),
    "start_table": (NONE, [[300, 2]]),
    "deadline_rule": (NONE, "lots"),
    "no_show_loses": (NONE, True),
    "no_show_minutes": (NONE, 7),
    "extension_hours": (NONE, 5),
    "claim_wait": (NONE, 3600),
    "records_stand": (NONE, True),
    # Where nobody sits at a table, the calendar of a player does not name the venue.
    "play_mode": (CALENDAR, "here"),
    "clock": (NONE, "correspondence"),
    "overtime_minutes": (NONE, 1),
    "turn_days": (NONE, 3),
    "bank_days": (NONE, 3),
    "flag_rule": (NONE, "points"),
    "spectators_delay": (NONE, 5),
}
DEADLINES = "deadlines"
ONLY_ASKED = {"move", "checked", "move_dates", "preview"}
"""Fields that say how a change is made."""
OTHER_NAMES = {"lengths": "round_lengths"}
STAGE = {
    **dict.fromkeys(("until", "join_until"), HANGS),
    # A time of day at the event, whatever the day.
    **dict.fromkeys(("late_until", "switch_time"), NONE),
    "format": TOLD,
}
"""Settings of a stage that are dates or times, and the format, whose name is told."""
FACTS = re.compile(r"_at$|^at$")
"""A date with such a name says when something was done; these do not."""
AHEAD = {
    "Tournament": {*OF_EVENT, "starts_at"},
    "Division": set(OF_DIVISION),
    "Round": {"deadline"},
    "Fixture": {"due_at"},
}
NOT_MOVED = {
    "Tournament.undo_until": "a minute after the start of the evening",
    "Entry.away_until": "somebody is away at the event",
    "CheckIn.until": "somebody is away at the event",
    "FinalPlace.answer_by": "set when a place is offered, for the answer",
    "Series.first_day": "of a season, which has many events",
    "Series.last_day": "of a season, which has many events",
    "OpeningHours.opens": "of a venue",
    "OpeningHours.closes": "of a venue",
    "EveningTemplate.starts": "of other evenings",
    "EveningTemplate.closes": "of other evenings",
    "PastPlacing.day": "of an event of earlier years",
    "Title.day": "awarded when the event is over",
}


@pytest.fixture
def event(running: RunningEvent, make_division: Callable[..., Division], bob_player: Player, by_alice: Actor) -> Any:
    """An event with a drawn division, whose rounds have deadlines, and one before its draw; Bob is in both."""
    deadlines = [NOON + 20 * DAY, NOON + 25 * DAY]
    set_deadlines(division=running.division, deadlines=deadlines, after=running.division.seq, by=by_alice, now=NOON)
    enter(division=make_division(name="Beginners"), players=[bob_player], by=by_alice, now=NOON)
    events.update_tournament(tournament=running.tournament, by=by_alice, now=NOON, venue="Harbour Café")
    Notification.objects.all().delete()
    return running


class Observed:
    """What a change did to notifications and calendars."""

    def __init__(self, event: RunningEvent, bob: User) -> None:
        feed = calendars.token_of(calendars.renew(user=bob, now=NOON))
        club = event.tournament.club.slug
        self.paths = [f"{event.url}calendar.ics", f"/clubs/{club}/calendar.ics", f"/calendar/{feed}.ics"]
        self.before = self.read()

    def read(self) -> list[dict[str, reader.Entry]]:
        return [reader.read(Client().get(path).content) for path in self.paths]

    def kinds(self) -> set[str]:
        """Return what the change turned out to be, after checking that each entry that differs has a higher number."""
        differs = False
        for was, now in zip(self.before, self.read(), strict=True):
            assert was, "there is something to compare"
            assert was.keys() == now.keys()
            for uid, entry in now.items():
                if _shown(entry) != _shown(was[uid]):
                    differs = True
                    assert entry.number > was[uid].number, f"{uid} changed: {was[uid]} → {entry}"
                    assert entry.last_modified >= was[uid].last_modified
        return ({CALENDAR} if differs else set()) | ({TOLD} if Notification.objects.exists() else set())


def _shown(entry: reader.Entry) -> dict[str, str]:
    hidden = ("SEQUENCE", "DTSTAMP", "LAST-MODIFIED")
    return {name: value for name, value in entry.values.items() if name not in hidden}


def kinds_of_each(
    observed: Observed, samples: dict[str, tuple[str, Any]], change: Callable[[str, Any], object]
) -> dict[str, set[str]]:
    """Change one field after another, each back to what was before, and return what each turned out to be."""
    kinds = {}
    for field, (_kinds, value) in samples.items():
        with transaction.atomic():
            change(field, value)
            kinds[field] = observed.kinds()
            transaction.set_rollback(True)
    return kinds


@pytest.mark.slow
def test_each_field_of_an_event(event: RunningEvent, by_alice: Actor, bob: User) -> None:
    def change(field: str, value: Any) -> None:
        events.update_tournament(tournament=event.tournament, by=by_alice, now=NOON + DAY, **{field: value})

    declared = {field: set(kinds.split()) - {HANGS} for field, (kinds, _value) in EVENT.items()}
    assert kinds_of_each(Observed(event, bob), EVENT, change) == declared


@pytest.mark.slow
def test_each_field_of_a_division(event: RunningEvent, by_alice: Actor, bob: User) -> None:
    def change(field: str, value: Any) -> None:
        division = event.tournament.divisions.get(name="Open" if field in AFTER_DRAW else "Beginners")
        if field == "sides":
            # It is fixed once somebody is entered.
            division.entries.all().delete()
        # Pairs have ratings of their own, and with a start score nothing is rated.
        values = {field: value, **({"rated": False} if field in ("sides", "start_rule") else {})}
        events.update_division(division=division, after=division.seq, by=by_alice, now=NOON + DAY, **values)

    declared = {field: set(kinds.split()) - {HANGS} for field, (kinds, _value) in DIVISION.items()}
    assert kinds_of_each(Observed(event, bob), DIVISION, change) == declared


def test_deadlines_are_in_calendars(event: RunningEvent, by_alice: Actor, bob: User) -> None:
    observed = Observed(event, bob)
    event.division.refresh_from_db()
    set_deadlines(
        division=event.division, deadlines=[LATER, LATER], after=event.division.seq, by=by_alice, now=NOON + DAY
    )
    assert observed.kinds() == {CALENDAR}


def test_every_field_is_decided() -> None:
    assert set(EVENT) == set(EDITABLE)
    assert set(DIVISION) == set(SETTINGS)
    of_events = {*EditTournamentForm.base_fields, *EditEventSerializer().fields}
    assert of_events - ONLY_ASKED == set(EVENT)
    of_divisions = {*DivisionForm.base_fields, *DivisionFieldsSerializer().fields} - {DEADLINES}
    assert {OTHER_NAMES.get(name, name) for name in of_divisions} == set(DIVISION)
    hang = {name for name, (kinds, _value) in (EVENT | DIVISION).items() if HANGS in kinds}
    assert hang == {*OF_EVENT, *OF_DIVISION}
    assert {*DAYS} == {name for name, kind in STAGE.items() if kind == HANGS}
    timed = {field.name for field in fields_of(StageSettings) if re.search(r"until|time|_at$|day", field.name)}
    assert timed == set(STAGE) - {"format"}


def test_every_date_of_the_app_is_decided() -> None:
    dates, undecided = [], []
    for model in apps.get_app_config("tournaments").get_models():
        for field in model._meta.get_fields():
            if isinstance(field, models.DateField | models.TimeField):
                name = f"{model.__name__}.{field.name}"
                dates.append(name)
                hangs = field.name in AHEAD.get(model.__name__, ())
                if not (hangs or name in NOT_MOVED or FACTS.search(field.name)):
                    undecided.append(name)
    assert set(NOT_MOVED) <= set(dates)
    assert undecided == [], "do these depend on the start?"


def test_everything_that_hangs_on_the_start_moves_with_it(
    make_division: Callable[..., Division], tournament: Tournament, by_alice: Actor
) -> None:
    times = {name: NOON + hours * timedelta(hours=1) for hours, name in enumerate((*OF_EVENT, *OF_DIVISION), 1)}
    division = make_division(**{name: times[name] for name in OF_DIVISION})
    stages = [StageSettings(LEAGUE, until="2027-01-31", join_until="2026-12-31")]
    set_stages(division=division, stages=stages, after=division.seq, by=by_alice, now=NOON)
    of_event = {name: times[name] for name in OF_EVENT}
    events.update_tournament(tournament=tournament, by=by_alice, now=NOON, **of_event)
    events.update_tournament(tournament=tournament, by=by_alice, now=NOON, starts_at=NOON + 7 * DAY)
    tournament.refresh_from_db()
    division.refresh_from_db()
    for name in (*OF_EVENT, *OF_DIVISION):
        assert getattr(tournament if name in OF_EVENT else division, name) == times[name] + 7 * DAY, name
    settings = division.stages.get().settings
    assert (settings["until"], settings["join_until"]) == ("2027-02-07", "2027-01-07")
