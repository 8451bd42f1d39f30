"""Calendar files (iCalendar, RFC 5545) of appointments, and their secret URLs."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.core.signing import BadSignature, Signer
from django.db.models import Prefetch, Q
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext
from icalendar import Calendar, Event

from core.public_ids import new_public_id
from matches.lifecycle.where import Where
from matches.models import CalendarFeed, Match, Proposal
from matches.play.watching import where_of
from matches.presentation.visibility import Viewer
from players.models import User

# Calendar files (iCalendar, RFC 5545): one appointment, or everything an account has to play.


MINUTES_A_POINT = 11
"""Usual duration of a match, in minutes per point of its length."""
MOST_MATCHES = 200
TOKEN = r"(?P<feed_token>[2-9a-z]{10}\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of the token of a feed in a URL."""
_SIGNER = Signer(salt="matches.calendars", sep=".")


class CalendarEvent(NamedTuple):
    """One entry of a calendar."""

    uid: str
    sequence: int
    """Grows with each change of the same entry."""
    starts_at: datetime
    ends_at: datetime
    title: str
    detail: str
    url: str


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
    """The appointments of an account's open matches, and the deadlines of those without one; `absolute` makes URLs."""
    viewer = Viewer.of(user)
    players = viewer.players
    agreed = Proposal.objects.filter(state=Proposal.State.ACCEPTED)
    rows = Match.objects.filter(Q(player_0__in=players) | Q(player_1__in=players), state=Match.State.OPEN)
    rows = rows.select_related("player_0", "player_1").prefetch_related(Prefetch("proposals", agreed))
    matches = list(rows.order_by("pk")[:MOST_MATCHES])
    where = where_of(matches, viewer, now)
    return written((event for match in matches for event in _events(match, where[match.pk], absolute)), now)


def _events(match: Match, where: Where, absolute: Callable[[str], str]) -> Iterator[CalendarEvent]:
    url = absolute(reverse("match", args=[match.public_id]))
    at = next((proposal.agreed_at for proposal in match.proposals.all()), None)
    if at is not None:
        yield appointment_event(match, where, at, url)
    elif match.due_at is not None:
        title = gettext("Deadline: {match}").format(match=_title(match))
        uid = f"deadline-{match.public_id}@barpoint"
        yield CalendarEvent(uid, match.seq, match.due_at, match.due_at, title, _detail(match, where), url)


def appointment_event(match: Match, where: Where, at: datetime, url: str) -> CalendarEvent:
    """The appointment of a match, with the usual duration of such a match."""
    ends_at = at + timedelta(minutes=MINUTES_A_POINT * match.length)
    uid = f"match-{match.public_id}@barpoint"
    return CalendarEvent(uid, match.seq, at, ends_at, _title(match), _detail(match, where), url)


def _title(match: Match) -> str:
    first, second = match.names
    return gettext("Backgammon: {first} – {second}").format(first=first, second=second)


def _detail(match: Match, where: Where) -> str:
    detail = gettext("Match to {length} points").format(length=match.length)
    return detail if where.is_to_come else f"{detail} · {where.text}"


def written(events: Iterable[CalendarEvent], now: datetime) -> bytes:
    """The entries as an iCalendar file."""
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//Barpoint//Appointments//EN")
    for event in events:
        entry = Event()
        entry.add("uid", event.uid)
        entry.add("sequence", event.sequence)
        entry.add("dtstamp", now.astimezone(UTC))
        entry.add("dtstart", event.starts_at.astimezone(UTC))
        entry.add("dtend", event.ends_at.astimezone(UTC))
        entry.add("summary", _text(event.title))
        entry.add("description", _text(event.detail))
        entry.add("url", event.url)
        calendar.add_component(entry)
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
