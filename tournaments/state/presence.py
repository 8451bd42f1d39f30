"""Who is here on the day of an event, derived from check-ins and from what players did at the tables.

A day begins at 5 a.m. of the event's time zone, and nothing that was recorded before it counts: at an event of several
days players are checked in again each day. `presence` is pure; `presence_facts` reads what it is derived from.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, Subquery

from matches.models import Result
from players.people.rows import People, PersonId
from tournaments.models import CheckIn, Fixture, FloorEvent, FloorKind, LateEntry, Tournament

DAY_BEGINS = time(5)
"""The time of day until which a night belongs to the day before."""
PLAY = (FloorKind.STARTED, FloorKind.RUNNING_SCORE, FloorKind.MOVED, FloorKind.CONTINUED)
"""Facts of the floor by which both players of a match are here; a move only if the match had not been called."""
NO_SHOWS = (Result.Kind.FORFEIT, Result.Kind.DOUBLE_FORFEIT)
"""Results of a match that did not begin because somebody did not come."""


class SignKind(StrEnum):
    """What says whether a player is here."""

    HERE = "here"
    AWAY = "away"
    """Away for some time, which does not change whether the player was here."""
    MISSING = "missing"
    PLAYED = "played"
    """A result, a report, a score or a seat taken."""
    NO_SHOW = "no_show"
    """The match was forfeited before it began."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that says at a moment whether a player, by the id it was recorded with, is here."""

    at: datetime
    player: int
    kind: SignKind
    at_desk: bool = False
    """Whether it was recorded by a director or at a director's kiosk."""


@dataclass(frozen=True, slots=True)
class PresenceFacts:
    """What presence at an event is derived from, beside the time; `signs` in any order, of any day."""

    signs: tuple[Evidence, ...] = ()
    zone: tzinfo = UTC
    opened_at: datetime | None = None
    """When directors opened the check-in, if they set that."""


@dataclass(frozen=True, slots=True)
class Presence:
    """Who is here at a moment."""

    is_followed: bool
    """Whether calls follow check-in: a director has checked somebody in today, or opened check-in."""
    here: frozenset[PersonId]
    no_shows: frozenset[PersonId]
    """Those who did not come to a match and have not been here since."""
    ends_at: datetime
    """When the day ends."""

    def is_absent(self, person: PersonId) -> bool:
        """Whether somebody is not to be called."""
        return person in self.no_shows or (self.is_followed and person not in self.here)


def day_of(zone: tzinfo, now: datetime) -> tuple[datetime, datetime]:
    """Return when the day of an event in a time zone began, and when the next one begins."""
    local = now.astimezone(zone)
    date = local.date() if local.time() >= DAY_BEGINS else local.date() - timedelta(days=1)
    return datetime.combine(date, DAY_BEGINS, zone), datetime.combine(date + timedelta(days=1), DAY_BEGINS, zone)


def day_began(tournament: Tournament, now: datetime) -> datetime:
    """Return when the day of an event began; check-ins before that no longer count."""
    return day_of(ZoneInfo(tournament.time_zone), now)[0]


def presence(facts: PresenceFacts, people: People, now: datetime) -> Presence:
    """Return who is here at `now`; the last sign of each person counts, under whatever player it was recorded.

    A check-in that brings back a no-show or somebody who was away says nothing about the others, so that calls do not
    follow check-in by it.
    """
    begins, ends = day_of(facts.zone, now)
    is_followed = facts.opened_at is not None and begins <= facts.opened_at <= now
    here: set[PersonId] = set()
    no_shows: set[PersonId] = set()
    away: set[PersonId] = set()
    for sign in sorted((row for row in facts.signs if begins <= row.at < ends), key=lambda row: row.at):
        persons = people[sign.player]
        if sign.kind == SignKind.NO_SHOW:
            here.difference_update(persons)
            no_shows.update(persons)
        elif sign.kind == SignKind.AWAY:
            away.update(persons)
        elif sign.kind == SignKind.MISSING:
            here.difference_update(persons)
        else:
            is_followed |= sign.at_desk and (no_shows | away).isdisjoint(persons)
            here.update(persons)
            no_shows.difference_update(persons)
    return Presence(is_followed, frozenset(here), frozenset(no_shows), ends)


def presence_facts(tournament: Tournament) -> PresenceFacts:
    """Read what presence at an event is derived from; two queries, and a third once somebody was checked in."""
    signs = [*_check_ins(tournament), *_matches(tournament)]
    if any(sign.kind != SignKind.PLAYED for sign in signs):
        signs += _floor(tournament)
    return PresenceFacts(tuple(signs), ZoneInfo(tournament.time_zone), tournament.check_in_opens_at)


def _check_ins(tournament: Tournament) -> Iterable[Evidence]:
    """Read the check-ins that were not undone."""
    rows = CheckIn.objects.filter(entry__division__tournament=tournament, undoes=None, undone_by=None)
    late = LateEntry.objects.filter(entry=OuterRef("entry"), at=OuterRef("at"))
    values = (
        rows.annotate(is_late=Exists(late))
        .order_by("pk")
        .values_list("at", "entry__player", "state", "source", "is_late")
    )
    for at, player, state, source, is_late in values:
        at_desk = not is_late and source in (CheckIn.Source.DIRECTOR, CheckIn.Source.KIOSK)
        yield Evidence(at, player, SignKind(state), at_desk)


def _matches(tournament: Tournament) -> Iterable[Evidence]:
    """Read which matches began or were decided, and who did not come to one."""
    last = Result.objects.filter(match=OuterRef("match")).order_by("-version")
    rows = Fixture.objects.filter(
        Q(match__begun_at__isnull=False) | Q(match__finished_at__isnull=False), stage__division__tournament=tournament
    ).annotate(kind=Subquery(last.values("kind")[:1]), winner=Subquery(last.values("winner")[:1]))
    values = rows.order_by("match__finished_at").values_list(
        "match__player_0", "match__player_1", "match__begun_at", "match__finished_at", "kind", "winner"
    )
    for first, second, begun_at, finished_at, kind, winner in values:
        players = (first, second)
        if begun_at is not None:
            moments = (begun_at, finished_at) if finished_at is not None else (begun_at,)
            yield from (Evidence(at, player, SignKind.PLAYED) for at in moments for player in players)
        elif finished_at is not None and kind in NO_SHOWS:
            yield from (
                Evidence(finished_at, player, SignKind.NO_SHOW) for side, player in enumerate(players) if side != winner
            )


def _floor(tournament: Tournament) -> Iterable[Evidence]:
    rows = FloorEvent.objects.filter(tournament=tournament, kind__in=PLAY, undone_by=None, match__isnull=False)
    rows = rows.filter(~Q(kind=FloorKind.MOVED) | Q(params__has_key="seated"))
    for at, *players in rows.order_by("pk").values_list("at", "match__player_0", "match__player_1"):
        yield from (Evidence(at, player, SignKind.PLAYED) for player in players)
