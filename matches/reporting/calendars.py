"""Calendar files (iCalendar, RFC 5545) of appointments, and their secret URLs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.core.signing import BadSignature, Signer
from django.db.models import Max, Prefetch, Q
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext, override
from icalendar import Calendar, Event

from core.languages import first_offered
from core.public_ids import new_public_id
from matches.lifecycle.events import MatchContext, events
from matches.lifecycle.where import Where
from matches.models import CalendarFeed, Match, Proposal
from matches.play.watching import where_of
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from players.models import LogEntry, User

# Calendar files (iCalendar, RFC 5545): one appointment, or everything an account has to play.


MINUTES_A_POINT = 11
"""Usual duration of a match, in minutes per point of its length."""
MAX_MATCHES = 200
TOKEN = r"(?P<feed_token>[2-9a-z]{10}\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of the token of a feed in a URL."""
_SIGNER = Signer(salt="matches.calendars", sep=".")


class CalendarEvent(NamedTuple):
    uid: str
    sequence: int
    """Grows with each change of the same entry."""
    starts_at: datetime
    ends_at: datetime
    changed_at: datetime
    """When it was changed last, or created."""
    title: str
    detail: str
    url: str
    location: str = ""
    is_cancelled: bool = False
    """A calendar removes it, or strikes it out."""


def token_of(feed: CalendarFeed) -> str:
    """The token of a feed, for its URL: the key and its signature."""
    return _SIGNER.sign(feed.key)


def user_of(token: str) -> User:
    """Return the account of a feed's token. Raise Http404 for a forged or revoked one."""
    try:
        key = _SIGNER.unsign(token)
    except BadSignature:
        raise Http404 from None
    feed = CalendarFeed.objects.select_related("user").filter(key=key, user__is_active=True).first()
    if feed is None:
        raise Http404
    return feed.user


def feed(user: User, now: datetime, absolute: Callable[[str], str]) -> bytes:
    """The appointments of an account's open matches, and the deadlines of those without one; `absolute` makes URLs.

    It is in the language of the account, or else in that of the first match's club. Those of void matches that are
    still to come are cancelled.
    """
    viewer = Viewer.of(user)
    players = viewer.players
    agreed = Proposal.objects.filter(state=Proposal.State.ACCEPTED)
    to_come = Q(due_at__gt=now) | Q(pk__in=agreed.filter(agreed_at__gt=now).values("match"))
    shown = Q(state=Match.State.OPEN) | Q(state=Match.State.VOID) & to_come
    rows = Match.objects.filter(Q(player_0__in=players) | Q(player_1__in=players), shown)
    rows = rows.select_related("player_0", "player_1", "club").prefetch_related(Prefetch("proposals", agreed))
    matches = list(rows.order_by("state", "pk")[:MAX_MATCHES])
    language = first_offered(user.language, *(match.club.language for match in matches if match.club is not None))
    with override(language):
        return written(match_events(matches, where_of(matches, viewer, now), absolute))


def match_events(
    matches: Sequence[Match], where: Mapping[int, Where], absolute: Callable[[str], str]
) -> Iterator[CalendarEvent]:
    """The appointments of matches, with the usual duration of such a match, or else their deadlines."""
    contexts = events().contexts({match.parent_topic for match in matches})
    logged = LogEntry.objects.filter(topic__in=[match.topic for match in matches]).order_by()
    logged_at = dict(logged.values_list("topic").annotate(Max("at")))
    for match in matches:
        played_for = contexts.get(match.parent_topic) or MatchContext("")
        agreed = (row.agreed_at for row in match.proposals.all() if row.state == Proposal.State.ACCEPTED)
        at = next(agreed, None)
        starts_at, kind, title = at or match.due_at, "match", _title(match)
        if starts_at is None:
            continue
        if at is None:
            kind, title = "deadline", gettext("Deadline: {match}").format(match=title)
        changes = match.created_at, logged_at.get(match.topic), played_for.calendar_changed_at
        yield CalendarEvent(
            uid=f"{kind}-{match.public_id}@barpoint",
            sequence=match.seq + played_for.calendar_sequence,
            starts_at=starts_at,
            ends_at=starts_at if at is None else at + timedelta(minutes=MINUTES_A_POINT * match.length),
            changed_at=max(filter(None, changes)),
            title=title,
            detail=_detail(match, where[match.pk], played_for.division),
            url=absolute(reverse("match", args=[match.public_id])),
            location=played_for.venue,
            is_cancelled=match.state == Match.State.VOID,
        )


def _title(match: Match) -> str:
    first, second = match.names
    return gettext("Backgammon: {first} – {second}").format(first=first, second=second)


def _detail(match: Match, where: Where, division: str) -> str:
    parts = [division, labels.length(match.length), "" if where.is_to_come else where.text]
    return " · ".join(part for part in parts if part)


def written(entries: Iterable[CalendarEvent]) -> bytes:
    """The entries as an iCalendar file; the same entries always give the same file."""
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//Barpoint//Appointments//EN")
    for entry in entries:
        event = Event()
        event.add("uid", entry.uid)
        event.add("sequence", entry.sequence)
        # Without a METHOD, DTSTAMP is when the entry was changed last as well (RFC 5545, 3.8.7.2).
        event.add("dtstamp", entry.changed_at.astimezone(UTC))
        event.add("last-modified", entry.changed_at.astimezone(UTC))
        event.add("dtstart", entry.starts_at.astimezone(UTC))
        # DTEND has to be later than DTSTART (3.8.2.2).
        if entry.ends_at > entry.starts_at:
            event.add("dtend", entry.ends_at.astimezone(UTC))
        event.add("status", "CANCELLED" if entry.is_cancelled else "CONFIRMED")
        event.add("summary", _text(entry.title))
        event.add("description", _text(entry.detail))
        if entry.location:
            event.add("location", _text(entry.location))
        event.add("url", entry.url)
        calendar.add_component(event)
    data: bytes = calendar.to_ical()
    return data


def _text(text: str) -> str:
    return " ".join(text.split())


# The secret URLs of calendars: made, replaced and revoked.


def renew(*, user: User, now: datetime) -> CalendarFeed:
    """Give an account a new calendar feed, which replaces the one it has."""
    feed, _ = CalendarFeed.objects.update_or_create(user=user, defaults={"key": new_public_id(), "created_at": now})
    return feed


def revoke(*, user: User) -> None:
    """Take the calendar feed of an account away, if it has one."""
    CalendarFeed.objects.filter(user=user).delete()
