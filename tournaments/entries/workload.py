"""What one more competition means for a person's day: said when somebody is entered, and never refused."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import log2
from zoneinfo import ZoneInfo

from django.utils.formats import time_format
from django.utils.translation import gettext as _

from formats.forecast.durations import MEAN_SHARE, MINUTES_PER_POINT
from players.models import Player
from players.people.rows import people_of
from tournaments.entries.services import same_person
from tournaments.models import Division, Entry, Fixture
from tournaments.state.figures import Figures, figures_of, is_being_played

MINUTES_A_POINT = MINUTES_PER_POINT * MEAN_SHARE
"""Of a match, on average."""
HALF_AN_HOUR = 30
OPEN = (Division.Status.ENTRIES, Division.Status.RUNNING)


def warnings_of(entry: Entry, now: datetime) -> list[str]:
    """Return, for each person of a new entry, whether they play more than there is time for, and where they are."""
    event = entry.division.tournament
    warnings = []
    people = people_of([entry.player_id])
    for person in Player.objects.filter(pk__in=people[entry.player_id]).order_by("pk"):
        entries = Entry.objects.filter(same_person(person), division__tournament=event, division__status__in=OPEN)
        own = list(
            entries.exclude(status=Entry.Status.OUT)
            .select_related("division")
            .order_by("division__order", "division_id", "pk")
        )
        divisions = list({row.division_id: row.division for row in own}.values())
        warnings += _too_much(person, divisions, event.ends_at, now)
        warnings += _at_a_match(person, own, ZoneInfo(event.time_zone), now)
    return warnings


def _too_much(person: Player, divisions: Sequence[Division], ends_at: datetime | None, now: datetime) -> list[str]:
    if len(divisions) < 2 or ends_at is None or ends_at <= now:
        return []
    figures = figures_of(divisions)
    play = sum(_minutes_left(division, figures[division.pk]) for division in divisions)
    left = (ends_at - now) / timedelta(minutes=1)
    if play <= left:
        return []
    values = {"name": person.full_name, "count": len(divisions), "play": _hours(play), "left": _hours(left)}
    return [_("%(name)s would be in %(count)d events: about %(play)s h of play, %(left)s h left.") % values]


def _minutes_left(division: Division, figures: Figures) -> float:
    """Return the minutes of play that are to come for an entry on average: matches, length, minutes a point."""
    entered, matches = max(2, figures.entered), figures.matches
    each = log2(entered) if not matches.total else 2 * (matches.total - matches.decided) / entered
    return each * sum(division.lengths) / len(division.lengths) * MINUTES_A_POINT


def _hours(minutes: float) -> str:
    """Return hours and minutes, rounded to half an hour, such as “5:30”."""
    hours, rest = divmod(round(minutes / HALF_AN_HOUR) * HALF_AN_HOUR, 60)
    return f"{hours}:{rest:02d}"


def _at_a_match(person: Player, entries: Sequence[Entry], zone: ZoneInfo, now: datetime) -> list[str]:
    played = Fixture.objects.filter(is_being_played(), slots__entry__in=entries).select_related("match")
    fixture = played.order_by("number").first()
    if fixture is None or fixture.match is None or fixture.match.begun_at is None:
        return []
    until = max(now, fixture.match.begun_at + timedelta(minutes=fixture.match.length * MINUTES_A_POINT))
    values = {"name": person.full_name, "number": fixture.number, "time": time_format(until.astimezone(zone))}
    return [_("%(name)s is at M%(number)d until about %(time)s.") % values]
