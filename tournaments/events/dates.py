"""The dates of an event that depend on its start, and how they move with it."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import F
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from core.times import LONG
from engine.errors import Refused
from players.actors import Actor, log
from tournaments.events.deadlines import OPEN, move_fixtures, move_rounds
from tournaments.models import Division, Fixture, Stage, Tournament
from tournaments.state.locks import division_changed
from tournaments.state.plans import season_end
from tournaments.state.stages import round_deadlines

Value = datetime | date | Sequence[datetime | None]
OF_EVENT = ("ends_at", "check_in_opens_at", "check_in_closes_at")
OF_DIVISION = ("closes_at", "reentry_until")
DEADLINES, DAYS = "deadlines", ("until", "join_until")
LABELS = {
    "ends_at": _("Ends"),
    "check_in_opens_at": _("Check-in opens"),
    "check_in_closes_at": _("Check-in closes"),
    "closes_at": _("Registration closes"),
    "reentry_until": _("Re-entry until"),
    DEADLINES: _("Deadlines by round"),
    "until": _("Last day"),
    "join_until": _("Late entries until"),
}


class EventStart(NamedTuple):
    """When an event starts, on its own clocks, before and after a change."""

    was: datetime
    now: datetime

    @classmethod
    def of(cls, tournament: Tournament, values: Mapping[str, Any]) -> "EventStart":
        """Return the start with new values of an event; in another time zone alone it keeps its clock time."""
        zone = ZoneInfo(values.get("time_zone", tournament.time_zone))
        was = tournament.starts_at.astimezone(ZoneInfo(tournament.time_zone))
        given = values.get("starts_at")
        return cls(was, was.replace(tzinfo=zone) if given is None else given.astimezone(zone))

    def moved(self, at: datetime) -> datetime:
        """Return an instant, moved on the clocks as the start is."""
        by = self.now.replace(tzinfo=None) - self.was.replace(tzinfo=None)
        return (at.astimezone(self.was.tzinfo).replace(tzinfo=None) + by).replace(tzinfo=self.now.tzinfo)


def is_announced(tournament: Tournament, values: Mapping[str, Any]) -> bool:
    """Whether people hear of new values of an event: of another start or another venue."""
    starts_at = EventStart.of(tournament, values).now
    return (starts_at, values.get("venue", tournament.venue)) != (tournament.starts_at, tournament.venue)


class DependentDate(NamedTuple):
    """A date that depends on the start of an event; the deadlines of the rounds of a stage are one."""

    row: Tournament | Division | Stage
    field: str
    value: Value
    start: EventStart

    @property
    def division(self) -> Division | None:
        """Its division; None for a date of the event."""
        row = self.row.division if isinstance(self.row, Stage) else self.row
        return row if isinstance(row, Division) else None

    @property
    def key(self) -> str:
        """Names it in its event, such as `ends_at`, `ab12cd34ef.closes_at` or `ab12cd34ef.until.1`."""
        number = f".{self.row.number}" if isinstance(self.row, Stage) else ""
        return f"{self.division.public_id}.{self.field}{number}" if self.division is not None else self.field

    @property
    def label(self) -> str:
        """What it is, with the name of its division."""
        label = str(LABELS[self.field])
        return f"{self.division.name} · {label}" if self.division is not None else label

    @property
    def becomes(self) -> Value:
        match self.value:
            case datetime():
                return self.start.moved(self.value)
            case date():
                return self.value + (self.start.now.date() - self.start.was.date())
        return [self.start.moved(at) if at is not None else None for at in self.value]

    @property
    def texts(self) -> tuple[str, str]:
        """What it becomes, on the new clocks, and what it was on the old ones, in the active language."""
        return _text(self.becomes, self.start.now), _text(self.value, self.start.was)


def _text(value: Value, start: datetime) -> str:
    match value:
        case datetime():
            return date_format(value.astimezone(start.tzinfo), LONG)
        case date():
            return date_format(value)
    return ", ".join(_text(at, start) if at is not None else "–" for at in value)


def dates_of(tournament: Tournament, values: Mapping[str, Any]) -> list[DependentDate]:
    """Return every date that is set and depends on the start of an event, which is to have new values."""
    dates: list[tuple[Tournament | Division | Stage, str, Any]] = [
        (tournament, field, getattr(tournament, field)) for field in OF_EVENT
    ]
    over = (Division.Status.FINISHED, Division.Status.CANCELLED)
    for division in tournament.divisions.exclude(status__in=over).prefetch_related("stages__division"):
        dates += ((division, field, getattr(division, field)) for field in OF_DIVISION)
        for stage in division.stages.all():
            days = {field: stage.settings.get(field) for field in DAYS}
            dates += ((stage, field, date.fromisoformat(day)) for field, day in days.items() if day)
            dates.append((stage, DEADLINES, round_deadlines(stage)))
    start = EventStart.of(tournament, values)
    return [DependentDate(*row, start) for row in dates if row[2]]


def moved_dates(tournament: Tournament, values: Mapping[str, Any]) -> list[DependentDate]:
    """Return the dates that move with new values of an event, except for those among the values.

    Refused: `bad_time` if there is no such date.
    """
    try:
        return [row for row in dates_of(tournament, values) if row.key not in values and row.becomes != row.value]
    except OverflowError:
        raise Refused("bad_time", text=str(values.get("starts_at", ""))) from None


def move_dates(divisions: Sequence[Division], dates: Sequence[DependentDate], *, by: Actor, now: datetime) -> None:
    """Move dates of locked divisions, whose event has its new start and time zone already."""
    for division in divisions:
        own = [row for row in dates if row.division == division]
        values = {row.field: row.becomes for row in own if isinstance(row.row, Division)}
        for field, value in values.items():
            setattr(division, field, value)
        for stage in division.stages.order_by("number"):
            stage.division = division
            _move_stage(stage, {row.field: row for row in own if row.row == stage}, by, now)
        if own:
            division_changed(division, *values)
            changes = {row.field: [_as_data(row.value), _as_data(row.becomes)] for row in own}
            log(by, "division_changed", division.topic, club=division.tournament.club, changes=changes)


def _move_stage(stage: Stage, dates: Mapping[str, DependentDate], by: Actor, now: datetime) -> None:
    if dates:
        stage.settings = {**stage.settings, **{field: _as_data(row.becomes) for field, row in dates.items()}}
        stage.save(update_fields=["settings"])
    given = Fixture.objects.filter(stage=stage, status__in=OPEN).exclude(due_at=F("round__deadline"), extended=False)
    own = {row.pk: row.due_at for row in given if row.due_at is not None} if DEADLINES in dates else {}
    # The last day of a season ends on the clocks of the event, so its rounds move with the zone alone, too.
    if DEADLINES in dates or season_end(stage) is not None:
        move_rounds(stage, round_deadlines(stage), by, now)
        move_fixtures({pk: dates[DEADLINES].start.moved(at) for pk, at in own.items()}, by, now)


def _as_data(value: Value) -> Any:
    return value.isoformat() if isinstance(value, date) else [at.isoformat() if at else "" for at in value]
