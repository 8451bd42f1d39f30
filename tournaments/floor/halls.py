"""The hall of an event: which other events use the same tables, and may take its people.

Events of a club share the tables of one label if both are running, on the same day and not at two venues, unless
somebody has said that one of them has a hall of its own (`FloorKind.OWN_HALL`).
"""

from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import override

from core.names import fold
from tournaments.models import Entry, Floor, FloorEvent, FloorKind, Tournament
from tournaments.state.presence import day_began, day_of

ELSEWHERE_FOR = timedelta(hours=12)
"""For so long after its last call a match takes its table, and its players, from other events."""
SEATS = (FloorKind.CALLED, FloorKind.MOVED)


@cache
def _words() -> tuple[str, ...]:
    """Return what a label may say before a number, such as “table”, in all languages; the longest first."""
    words = {"t"}
    for language, _name in settings.LANGUAGES:
        with override(language):
            words.add(fold(_("Table %(table)s") % {"table": ""}))
    return tuple(sorted(words, key=len, reverse=True))


def table_key(label: str) -> str:
    """Return what the labels of one table have in common: “1”, “Table 1” and “T1” name the same.

    >>> table_key("Table 1") == table_key("T01") == table_key("1") != table_key("Stream 1")
    True
    """
    key = fold(label)
    numbers = (key.removeprefix(word).strip() for word in _words())
    return next((number.lstrip("0") for number in numbers if number.isdecimal()), key)


def sharing_tables(tournament: Tournament, now: datetime) -> Q:
    """Return the condition for other events in which a match may be at a table of an event: called today, and lately.

    Whether they are in the same hall, `is_same_hall` says.
    """
    since = max(day_began(tournament, now), now - ELSEWHERE_FOR)
    called = FloorEvent.objects.filter(tournament=OuterRef("pk"), kind__in=SEATS, at__gte=since)
    return Q(Exists(called), club=tournament.club_id, status=Tournament.Status.RUNNING)


def on_the_day_of(tournament: Tournament, now: datetime) -> Q:
    """Return the condition for events that are played on this day of an event: by their dates, or by what was done."""
    begins, ends = day_of(ZoneInfo(tournament.time_zone), now)
    facts = FloorEvent.objects.filter(tournament=OuterRef("pk"), at__gte=begins)
    return Q(starts_at__range=(begins, ends)) | Q(starts_at__lt=ends, ends_at__gte=begins) | Q(Exists(facts))


def is_same_hall(event: Tournament, other: Tournament) -> bool:
    """Whether two events of a club share tables, as far as their venues say."""
    return not (event.venue and other.venue) or fold(event.venue) == fold(other.venue)


def floors_beside(tournament_id: int) -> QuerySet[Floor]:
    """Return the floor of an event, and those of running events from which a call here may take people or tables.

    Before this floor is open there are none.
    """
    person = Coalesce("player__merged_into", "player")
    entries = Entry.objects.annotate(person=person).filter(status=Entry.Status.IN)
    here = entries.filter(division__tournament=tournament_id).values("person")
    of_the_same = entries.filter(person__in=here).values("division__tournament")
    club = Tournament.objects.filter(pk=tournament_id).values("club")
    is_open = Exists(Floor.objects.filter(tournament=tournament_id))
    beside = Q(is_open, tournament__status=Tournament.Status.RUNNING)
    beside &= Q(tournament__in=of_the_same) | Q(tournament__club__in=club)
    return Floor.objects.filter(Q(tournament=tournament_id) | beside)
