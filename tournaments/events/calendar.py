"""The calendar of an event (iCalendar): when it takes place, and until when its rounds are to be played."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext

from matches.reporting.calendars import CalendarEvent, written
from tournaments.models import Round, Tournament
from tournaments.standings.rounds import round_names

USUAL_DURATION = timedelta(hours=6)
"""Of an event that does not say when it ends."""


def calendar_of(tournament: Tournament, now: datetime, absolute: Callable[[str], str]) -> bytes:
    """Return the calendar of an event; `absolute` makes URLs."""
    return written(_events(tournament, absolute), now)


def _events(tournament: Tournament, absolute: Callable[[str], str]) -> Iterator[CalendarEvent]:
    args = [tournament.club.slug, tournament.slug]
    divisions = {division.pk: division for division in tournament.divisions.all()}
    sequence = sum(division.seq for division in divisions.values())
    is_cancelled = tournament.status == Tournament.Status.CANCELLED
    yield CalendarEvent(
        uid=f"event-{tournament.public_id}@barpoint",
        sequence=sequence,
        starts_at=tournament.starts_at,
        ends_at=tournament.ends_at or tournament.starts_at + USUAL_DURATION,
        title=gettext("Cancelled: {event}").format(event=tournament.name) if is_cancelled else tournament.name,
        detail=" · ".join(filter(None, [tournament.venue, tournament.club.name])),
        url=absolute(reverse("event", args=args)),
    )
    rounds = Round.objects.filter(bracket__stage__division__in=divisions)
    names = round_names(rounds)
    due = rounds.filter(deadline__isnull=False).select_related("bracket__stage").order_by("deadline", "pk")
    for row in due if not is_cancelled else ():
        division = divisions[row.bracket.stage.division_id]
        assert row.deadline is not None  # noqa: S101, filtered above
        yield CalendarEvent(
            uid=f"round-{tournament.public_id}-{row.pk}@barpoint",
            sequence=sequence,
            starts_at=row.deadline,
            ends_at=row.deadline,
            title=gettext("Deadline: {match}").format(match=f"{division.name} · {names[row.pk]}"),
            detail=tournament.name,
            url=absolute(reverse("division", args=[*args, division.public_id])),
        )
