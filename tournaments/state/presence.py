"""Who is here on the day of an event, derived from check-ins and from what players did at the tables.

A day begins at 5 a.m. of the event's time zone, and who was here before it is not here by that: at an event of several
days players are checked in again each day. `presence` is pure; `presence_facts` reads what it is derived from.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

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
    """The match was forfeited before it began. Of a pair it says only that one of the two did not come."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that says at a moment whether a player, by the id it was recorded with, is here."""

    at: datetime
    player: int
    kind: SignKind
    at_desk: bool = False
    """Whether it was recorded by a director or at a director's kiosk."""
    until: datetime | None = None
    """When somebody who is away comes back."""
    without: frozenset[int] = frozenset()
    """Whom of a pair it says nothing about, since the match was played without them."""


class AtMatch(NamedTuple):
    """A fact of the floor by which the players of a match are here; the division is unknown once its draw is gone."""

    at: datetime
    division: int | None
    players: tuple[int, int]


Excuses = Mapping[tuple[int, int], Mapping[int, datetime]]
"""(Division id, player id of a pair) -> who of the two is excused, by the id it was recorded with, and since when."""


@dataclass(frozen=True, slots=True)
class PresenceFacts:
    """What presence at an event is derived from, beside the time; `signs` in any order, of any day."""

    signs: tuple[Evidence, ...] = ()
    zone: tzinfo = UTC
    opened_at: datetime | None = None
    """When directors opened the check-in, if they set that."""
    excuses: Excuses = field(default_factory=dict)

    @property
    def players(self) -> set[int]:
        """All ids that occur, of whom one has to know for whom they stand."""
        return {sign.player for sign in self.signs} | {player for rows in self.excuses.values() for player in rows}

    def excused(self, people: People) -> dict[tuple[int, int], frozenset[PersonId]]:
        """Return (division id, player id of a pair) -> without whom that pair plays there."""
        return {pair: frozenset(people[player][0] for player in rows) for pair, rows in self.excuses.items()}

    def away(self, people: People) -> dict[PersonId, datetime]:
        """Return person -> when they come back, for those who are away by what was last recorded of them."""
        away: dict[PersonId, datetime] = {}
        for sign in sorted(self.signs, key=lambda row: row.at):
            if sign.until is not None:
                away |= dict.fromkeys(people[sign.player], sign.until)
            elif sign.kind in (SignKind.HERE, SignKind.MISSING):
                for person in people[sign.player]:
                    away.pop(person, None)
        return away


@dataclass(frozen=True, slots=True)
class Presence:
    """Who is here at a moment."""

    is_followed: bool
    """Whether calls follow check-in: a director has checked somebody in at the event, or opened check-in."""
    is_new_day: bool
    """Whether they follow that of an earlier day, and nobody is here yet."""
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


def presence(facts: PresenceFacts, people: People, now: datetime, floor_opened_at: datetime | None = None) -> Presence:
    """Return who is here at `now`; the last sign of each person counts, under whatever player it was recorded.

    On a day on which directors opened the floor, calls do not follow the check-in of earlier days.
    A check-in that brings back a no-show or somebody who was away says nothing about the others, so that calls do not
    follow check-in by it. A forfeit of a pair marks nobody; who of the two is then recorded as missing did not come.
    """
    begins, ends = day_of(facts.zone, now)
    opened_at = facts.opened_at
    days = {day_of(facts.zone, opened_at)[0]} if opened_at is not None and opened_at <= now else set()
    day = day_ends = datetime.min.replace(tzinfo=UTC)
    here: set[PersonId] = set()
    no_shows: set[PersonId] = set()
    away: set[PersonId] = set()
    in_question: set[PersonId] = set()

    def order(sign: Evidence) -> tuple[datetime, bool]:
        return sign.at, not (sign.kind == SignKind.NO_SHOW and len(people[sign.player]) > 1)

    for sign in sorted((row for row in facts.signs if row.at < ends), key=order):
        if sign.at >= day_ends:
            day, day_ends = day_of(facts.zone, sign.at)
            here, no_shows, away, in_question = set(), set(), set(), set()
        persons = set(people[sign.player]) - {person for player in sign.without for person in people[player]}
        if sign.kind == SignKind.NO_SHOW and len(people[sign.player]) > 1:
            in_question |= persons
        elif sign.kind == SignKind.NO_SHOW:
            here -= persons
            no_shows |= persons
        elif sign.kind == SignKind.AWAY:
            away |= persons
        elif sign.kind == SignKind.MISSING:
            here -= persons
            no_shows |= persons & in_question
        else:
            if sign.at_desk and (no_shows | away).isdisjoint(persons):
                days.add(day)
            here |= persons
            no_shows -= persons
            in_question -= persons
    here, no_shows = (here, no_shows) if day == begins else (set(), set())
    is_opened = floor_opened_at is not None and begins <= floor_opened_at <= now
    is_followed = begins in days or (bool(days) and not is_opened)
    is_new_day = is_followed and begins not in days and not here
    return Presence(is_followed, is_new_day, frozenset(here), frozenset(no_shows), ends)


def presence_facts(tournament: Tournament, known: Iterable[AtMatch] | None = None) -> PresenceFacts:
    """Read what presence at an event is derived from; two queries, and a third once somebody was checked in.

    `known` are the facts of `at_matches`, for a caller that has read them.
    """
    signs, excuses = _check_ins(tournament)
    signs += _matches(tournament, excuses)
    if any(sign.kind != SignKind.PLAYED for sign in signs):
        signs += (
            _played(fact.at, fact.division, player, excuses)
            for fact in (at_matches(tournament) if known is None else known)
            for player in fact.players
        )
    return PresenceFacts(tuple(signs), ZoneInfo(tournament.time_zone), tournament.check_in_opens_at, excuses)


def excuses_in(tournaments: Collection[Tournament]) -> Excuses:
    """Read who is excused in events of which no more is to be known; one query."""
    rows = CheckIn.objects.filter(entry__division__tournament__in=tournaments, person__isnull=False)
    standing = rows.filter(undoes=None, undone_by=None).order_by("pk")
    return _excuses(standing.values_list("entry__division", "entry__player", "person", "state", "at"))


def _excuses(rows: Iterable[tuple[int, int, int, str, datetime]]) -> Excuses:
    """Return who is excused by the rows of pairs, oldest first; the last one of each of the two counts."""
    excuses: dict[tuple[int, int], dict[int, datetime]] = {}
    for division, pair, person, state, at in rows:
        of_pair = excuses.setdefault((division, pair), {})
        of_pair.pop(person, None)
        if state == CheckIn.State.EXCUSED:
            of_pair[person] = at
    return {pair: rows for pair, rows in excuses.items() if rows}


# Building these queries takes as long as the database does, so that it is done once.


@cache
def _standing() -> QuerySet[CheckIn, tuple[Any, ...]]:
    rows = CheckIn.objects.filter(undoes=None, undone_by=None).order_by("pk")
    late = LateEntry.objects.filter(entry=OuterRef("entry"), at=OuterRef("at"))
    return rows.annotate(is_late=Exists(late)).values_list(
        "entry__division", "entry__player", "person", "state", "at", "until", "source", "is_late"
    )


@cache
def _begun() -> QuerySet[Fixture, tuple[Any, ...]]:
    last = Result.objects.filter(match=OuterRef("match")).order_by("-version")
    rows = Fixture.objects.filter(Q(match__begun_at__isnull=False) | Q(match__finished_at__isnull=False))
    rows = rows.annotate(kind=Subquery(last.values("kind")[:1]), winner=Subquery(last.values("winner")[:1]))
    return rows.order_by().values_list(
        "stage__division", "match__player_0", "match__player_1", "match__begun_at", "match__finished_at", "kind",
        "winner",
    )  # fmt: skip


def _check_ins(tournament: Tournament) -> tuple[list[Evidence], Excuses]:
    """Read the check-ins that were not undone."""
    signs, of_pairs = [], []
    for division, player, person, state, at, until, source, is_late in _standing().filter(
        entry__division__tournament=tournament
    ):
        if person is not None:
            of_pairs.append((division, player, person, state, at))
        if state != CheckIn.State.EXCUSED:
            at_desk = not is_late and source in (CheckIn.Source.DIRECTOR, CheckIn.Source.KIOSK)
            signs.append(Evidence(at, person or player, SignKind(state), at_desk, until))
    return signs, _excuses(of_pairs)


def _matches(tournament: Tournament, excuses: Excuses) -> Iterable[Evidence]:
    """Read which matches began or were decided, and who did not come to one."""
    rows = _begun().filter(stage__division__tournament=tournament)
    for division, first, second, begun_at, finished_at, kind, winner in rows:
        players = (first, second)
        if begun_at is not None:
            moments = (begun_at, finished_at) if finished_at is not None else (begun_at,)
            yield from (_played(at, division, player, excuses) for at in moments for player in players)
        elif finished_at is not None and kind in NO_SHOWS:
            yield from (
                Evidence(finished_at, player, SignKind.NO_SHOW) for side, player in enumerate(players) if side != winner
            )


def shows_players(kind: str, params: Mapping[str, Any]) -> bool:
    """Whether the players of a match are here by a fact of the floor about it."""
    return kind in PLAY and (kind != FloorKind.MOVED or "seated" in params)


def at_matches(tournament: Tournament) -> Iterator[AtMatch]:
    """Read the standing facts of the floor of an event by which players are here; one query."""
    rows = FloorEvent.objects.filter(tournament=tournament, kind__in=PLAY, undone_by=None, match__isnull=False)
    columns = ("kind", "params", "at", "fixture__stage__division", "match__player_0", "match__player_1")
    for kind, params, at, division, first, second in rows.order_by().values_list(*columns):
        if shows_players(kind, params):
            yield AtMatch(at, division, (first, second))


def _played(at: datetime, division: int | None, player: int, excuses: Excuses) -> Evidence:
    """Return that a player was at a match, or a pair without whoever of the two was excused by then."""
    excused = excuses.get((division, player), {}) if division is not None else {}
    return Evidence(
        at, player, SignKind.PLAYED, without=frozenset(person for person, since in excused.items() if since <= at)
    )
