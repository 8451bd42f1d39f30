"""The page of a club: its next evening and who comes, its calendar, winners, ways to it and members; and its feed."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Prefetch, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from core.access import Who, open_to
from core.languages import ordinal
from core.links import absolute_url
from core.names import initials_of
from core.requests import is_htmx
from core.times import DAY, pattern
from formats.graph import FINAL
from formats.settings import ELIMINATION, LEAGUE
from matches.models import RatingPool, Result
from matches.play.watching import live_now
from matches.presentation.labels import final_score, score_of
from matches.presentation.visibility import Viewer
from matches.reporting.calendars import CalendarEvent, written
from players import access as club_access
from players.access import Role, Visitor, is_at_least
from players.clubs.owners import may_ask
from players.models import Club, Membership, Player
from players.people.pairs import load_people, persons
from players.selectors import club_home
from seasons.page.season import season_card
from tournaments.access import VISIBLE
from tournaments.events.page import USUAL_DURATION, calendar_entry
from tournaments.events.selectors import ENDED, FINAL_BRACKETS, can_register, visible
from tournaments.models import Division, Entry, Fixture, Slot, Stage, Tournament
from tournaments.standings.placings import champions
from tournaments.state.format_labels import stages_name
from tournaments.state.names import match_names
from tournaments.state.plans import settings_of
from tournaments.templatetags.tournaments import lengths

# The calendar of a club: what is to come, the next evening first.


MAX_COMING = 8
"""Events in the calendar; the page of all events lists the others."""
DISCS = 6
"""How many of those who come are shown by their initials."""


@dataclass(frozen=True, slots=True)
class CalendarLine:
    """An event that is not over."""

    event: Tournament
    starts: datetime
    """On the clocks of the event."""
    divisions: Sequence[Division]

    def is_on(self, now: datetime) -> bool:
        return self.event.status == Tournament.Status.RUNNING and self.event.starts_at <= now

    @property
    def over_at(self) -> datetime:
        """When it is the next evening no more: at its end, but on the day after its start at the latest."""
        is_running = self.event.status == Tournament.Status.RUNNING
        usual = self.event.starts_at + (timedelta(days=1) if is_running else USUAL_DURATION)
        return min(usual, self.event.ends_at) if self.event.ends_at and not is_running else usual

    @property
    def players(self) -> int:
        """How many people are entered, without the waiting list."""
        return len(_people_in(self.entered))

    @property
    def entered(self) -> "list[ComingEntry]":
        """The entries of all divisions: those who are here first, then in the order in which they came."""
        rows = [entry for division in self.divisions for entry in division.present]  # type: ignore[attr-defined]
        return [
            ComingEntry(entry.division_id, entry.status == Entry.Status.WAITING, tuple(persons(entry.player)))
            for entry in sorted(rows, key=lambda entry: entry.turn)
        ]

    @property
    def only(self) -> Division | None:
        return self.divisions[0] if len(self.divisions) == 1 else None

    @property
    def what(self) -> str:
        """What is played: the format and length of the only division, or the names of several; empty without one."""
        if self.only is None:
            return ", ".join(division.name for division in self.divisions)
        played = stages_name([settings_of(stage) for stage in self.only.stages.all()])
        return ", ".join(filter(None, (played, lengths(self.only))))

    @property
    def details(self) -> str:
        """What is played and, if the event ends within a day, until when."""
        ends = self.event.ends_at
        if ends is None or ends - self.event.starts_at > timedelta(days=1):
            return self.what
        until = _("until about %(time)s") % {"time": date_format(ends.astimezone(self.starts.tzinfo), "H:i")}
        return ", ".join(filter(None, (self.what, until)))


def _coming(user: Visitor, club: Club) -> list[Tournament]:
    """Return the next events of a club that are not over, as this user may see them."""
    events = visible(user).filter(club=club).exclude(status__in=ENDED)
    return list(events.order_by("starts_at", "name", "pk")[:MAX_COMING])


def divisions_shown(events: Sequence[Tournament], club: Club) -> list[Division]:
    """Return the divisions of these events with their entries, and those of the club that finished last.

    Takes three queries, and one if there are pairs.
    """
    finished = Division.objects.filter(
        tournament__club=club, tournament__status__in=VISIBLE, status=Division.Status.FINISHED
    ).order_by("-tournament__starts_at", "order", "pk")
    leagues = finished.filter(Exists(Stage.objects.filter(division=OuterRef("pk"), format=LEAGUE)))
    shown = (
        Q(tournament__in=events)
        | Q(pk__in=finished.values("pk")[:LATEST])
        | Q(pk__in=leagues.values("pk")[: LATEST * LATEST])
    )
    entries = Entry.objects.filter(division__tournament__in=events).exclude(status=Entry.Status.OUT)
    divisions: list[Division] = list(
        Division.objects.filter(shown)
        .exclude(status=Division.Status.CANCELLED)
        .select_related("tournament__club")
        .prefetch_related("stages", Prefetch("entries", entries.select_related("player__merged_into"), "present"))
        .order_by("-tournament__starts_at", "order", "pk")
    )
    load_people(entry.player for row in divisions for entry in row.present)  # type: ignore[attr-defined]
    return divisions


def calendar_lines(events: Iterable[Tournament], divisions: Iterable[Division]) -> list[CalendarLine]:
    """Return events with their divisions, in the order of the events."""
    by_event: dict[int, list[Division]] = {}
    for division in divisions:
        by_event.setdefault(division.tournament_id, []).append(division)
    return [
        CalendarLine(event, event.starts_at.astimezone(ZoneInfo(event.time_zone)), by_event.get(event.pk, []))
        for event in events
    ]


def calendar_of(user: Visitor, club: Club) -> list[CalendarLine]:
    """Return what is to come at a club, as this user may see it."""
    events = _coming(user, club)
    return calendar_lines(events, divisions_shown(events, club))


@dataclass(frozen=True, slots=True)
class ComingEntry:
    """An entry of an evening, with whom it stands for."""

    division: int
    is_waiting: bool
    people: tuple[Player, ...]


def _people_in(entries: "Iterable[ComingEntry]") -> dict[Player, None]:
    """Return the different people of those of these entries that do not wait, in their order."""
    return dict.fromkeys(person for entry in entries if not entry.is_waiting for person in entry.people)


@dataclass(frozen=True, slots=True)
class NextEvening:
    line: CalendarLine
    when: str
    is_on: bool
    """Whether it is being played already."""
    entries: Sequence[ComingEntry]
    way: str
    """How the reader gets in: `join`, `wait`, `choose`, `in`, `waiting`, `staff`, `playing` or `closed`."""
    division: Division | None = None
    """The division that the reader is in or can join."""
    place: int = 0
    """Place on the waiting list, of the reader or of the next one."""

    day: str = ""
    """When it is, as in “I'm coming on Tuesday”; empty if it is played over weeks, wherever the players are."""

    @property
    def initials(self) -> list[str]:
        coming = (initials_of(person.name) for person in _people_in(self.entries) if person.erased_at is None)
        return [initials for initials in coming if initials][:DISCS]

    @property
    def coming(self) -> int:
        """How many different players come."""
        return len(_people_in(self.entries))

    @property
    def nth(self) -> str:
        """The place on the waiting list in words, such as 3rd."""
        return ordinal(self.place)

    @property
    def free(self) -> str:
        """How much room there is, in words; empty if it is not limited."""
        capacities = [division.capacity for division in self.line.divisions]
        if capacities and None not in capacities:
            taken = Counter(entry.division for entry in self.entries if not entry.is_waiting)
            places = sum(max(0, (row.capacity or 0) - taken[row.pk]) for row in self.line.divisions)
            return ngettext("%(count)d place free", "%(count)d places free", places) % {"count": places}
        sides = {entry.people for entry in self.entries if not entry.is_waiting}
        boards = (self.line.event.tables or 0) - (len(sides) + 1) // 2
        return (
            ngettext("%(count)d board free", "%(count)d boards free", boards) % {"count": boards} if boards > 0 else ""
        )

    @property
    def may_leave(self) -> bool:
        """Whether leaving needs no more than a tap: nothing is drawn yet."""
        return self.division is not None and self.division.status == Division.Status.ENTRIES


def next_evening_of(user: Visitor, lines: Iterable[CalendarLine], now: datetime) -> NextEvening | None:
    """Return the next published event, or else the one that is going on; no query."""
    open_lines = [line for line in lines if line.event.is_open and line.over_at > now]
    if not open_lines:
        return None
    line = next((line for line in open_lines if not line.is_on(now)), open_lines[0])
    entries = line.entered
    way, division, place = _way_in(user, line, entries, now)
    is_league = any(stage.format == LEAGUE for row in line.divisions for stage in row.stages.all())
    day = "" if is_league else _day(line.starts, now)
    return NextEvening(line, _when(line.starts, now), line.is_on(now), entries, way, division, place, day)


def _way_in(
    user: Visitor, line: CalendarLine, entries: Sequence[ComingEntry], now: datetime
) -> tuple[str, Division | None, int]:
    """Return how the reader gets in, by which division, and the place on its waiting list."""
    divisions = {division.pk: division for division in line.divisions}
    own = next((row for row in entries if user.pk and any(person.user_id == user.pk for person in row.people)), None)
    if own is not None:
        waiting = [entry for entry in entries if entry.is_waiting and entry.division == own.division]
        place = waiting.index(own) + 1 if own.is_waiting else 0
        return ("waiting" if own.is_waiting else "in"), divisions[own.division], place
    open_ = [division for division in line.divisions if can_register(division, now)]
    if len(open_) > 1:
        return "choose", None, 0
    if open_:
        inside = Counter(entry.is_waiting for entry in entries if entry.division == open_[0].pk)
        is_full = open_[0].capacity is not None and inside[False] >= open_[0].capacity
        return ("wait", open_[0], inside[True] + 1) if is_full else ("join", open_[0], 0)
    if any(
        division.status == Division.Status.ENTRIES and not division.self_registration for division in divisions.values()
    ):
        return "staff", None, 0
    return ("playing" if line.is_on(now) else "closed"), None, 0


def _when(starts: datetime, now: datetime) -> str:
    """Return when an event starts on its own clocks, such as “tomorrow, 19:30”."""
    day = (starts.date() - now.astimezone(starts.tzinfo).date()).days
    near = {0: _("today"), 1: _("tomorrow")}
    name = near.get(day) or date_format(starts, "l" if 0 < day < 7 else "DATE_FORMAT")
    return f"{name}, {date_format(starts, 'H:i')}"


def _day(starts: datetime, now: datetime) -> str:
    """Return the weekday of an event within six days, else its date, for “I'm coming on …”."""
    is_near = 0 <= (starts.date() - now.astimezone(starts.tzinfo).date()).days <= 6
    return date_format(starts, "l" if is_near else pattern(DAY))


# Those who won.


LATEST = 3
"""How many winners are shown, and how many champions."""


@dataclass(frozen=True, slots=True)
class Winner:
    """Who won a division, and the final if there was one."""

    division: Division
    name: str
    score: str = ""
    loser: str = ""


def latest_winners(user: Visitor, divisions: Sequence[Division], *, staff: bool) -> list[Winner]:
    """Return the winners of finished divisions, newest first; 2 queries, and some for each without a final."""
    finals = _finals(divisions, staff=staff) if divisions else {}
    others = champions(user, [division for division in divisions if division.pk not in finals])
    winners = [finals.get(division.pk) or Winner(division, others.get(division.pk, "")) for division in divisions]
    return [winner for winner in winners if winner.name]


def _finals(divisions: Sequence[Division], *, staff: bool) -> dict[int, Winner]:
    """Return the winners of those divisions whose last match was played as a final."""
    last = {
        division.pk: max(division.stages.all(), key=lambda stage: stage.number, default=None) for division in divisions
    }
    stages = [stage.pk for stage in last.values() if stage is not None and stage.format in ELIMINATION]
    later = Slot.objects.filter(
        fixture__stage=OuterRef("stage"), source=Slot.Source.WINNER, source_fixture=OuterRef("number")
    ).exclude(fixture__status=Fixture.Status.NOT_NEEDED)
    fixtures = list(
        Fixture.objects.filter(
            ~Exists(later), stage__in=stages, status=Fixture.Status.DECIDED, round__bracket__key__in=FINAL_BRACKETS
        ).select_related("match__player_0", "match__player_1", "round__bracket", "stage")
    )
    results = {
        result.match_id: result
        for result in Result.objects.filter(match__in=[row.match_id for row in fixtures]).order_by("version")
    }
    by_key = {division.pk: division for division in divisions}
    finals: dict[int, Winner] = {}
    for fixture in sorted(fixtures, key=lambda row: (row.round.bracket.key == FINAL, row.number)):
        result = results.get(fixture.match_id or 0)
        if fixture.match is None or result is None or result.winner is None:
            continue
        names = match_names(fixture, staff=staff)
        points = final_score(fixture.match, result)
        score = score_of(fixture.match, result.winner, points) if points is not None else ""
        division = by_key[fixture.stage.division_id]
        finals[division.pk] = Winner(division, names[result.winner], score, names[1 - result.winner])
    return finals


def club_champions(user: Visitor, divisions: Iterable[Division]) -> list[Winner]:
    """Return the winners of the leagues among finished divisions, newest first, of each league the highest division."""
    highest: dict[int, Division] = {}
    for division in divisions:
        if any(stage.format == LEAGUE for stage in division.stages.all()):
            highest.setdefault(division.tournament_id, division)
    shown = list(highest.values())[:LATEST]
    names = champions(user, shown)
    return [Winner(division, names[division.pk]) for division in shown if names.get(division.pk)]


@open_to(get=Who.EVERYBODY)
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a club to everybody; for htmx, only the list of its people."""
    row = club_access.club(slug)
    context = club_home(request.user, row, request.GET.get("q", ""), request.GET.get("page"))
    if is_htmx(request):
        return render(request, "players/clubs/_people.html", context)
    return render(request, "clubhouse/club.html", context | _club_page(request.user, row, context, timezone.now()))


def _club_page(user: Visitor, club: Club, home: dict[str, Any], now: datetime) -> dict[str, Any]:
    events = _coming(user, club)
    divisions = divisions_shown(events, club)
    finished = [division for division in divisions if division.status == Division.Status.FINISHED]
    lines = calendar_lines(events, divisions)
    evening = next_evening_of(user, lines, now)
    staff = is_at_least(home["role"], Role.ASSISTANT)
    officers: list[Membership] = home["officers"]
    return {
        "may_ask_for_owner": home["role"] not in (None, Role.OWNER) and may_ask(user, club, now),
        "evening": evening,
        "lines": [line for line in lines if evening is None or line is not evening.line],
        "more_events": len(lines) == MAX_COMING,
        "winners": latest_winners(user, finished[:LATEST], staff=staff),
        "champions": club_champions(user, finished),
        "live_now": live_now(Viewer.of(user), now, among=Q(club=club)),
        "asked": officers[0].player if officers else None,
        "has_ratings": RatingPool.objects.filter(club=club).exists(),
        "season": season_card(user, club, now.astimezone(ZoneInfo(club.time_zone)).date()),
    }


MAX_IN_FEED = 200
PAST = timedelta(days=60)
"""How long past events stay in the feed."""


@open_to(get=Who.EVERYBODY)
def calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the events of a club as a calendar, for calendar programs to subscribe to; drafts are left out."""
    row = club_access.club(slug)
    now = timezone.now()
    with override(row.effective_language):
        data = written(_feed(row, now, partial(absolute_url, request)))
    headers = {"Content-Language": row.effective_language}
    return HttpResponse(data, content_type="text/calendar; charset=utf-8", headers=headers)


def _feed(club: Club, now: datetime, absolute: Callable[[str], str]) -> Iterator[CalendarEvent]:
    events = Tournament.objects.filter(club=club, status__in=VISIBLE, starts_at__gt=now - PAST)
    for event in events.select_related("club").order_by("starts_at", "pk")[:MAX_IN_FEED]:
        yield calendar_entry(event, absolute)
