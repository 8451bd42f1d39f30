"""The home of an event: what is played now, what comes when, and where its divisions stand."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q
from django.utils.translation import gettext as _

from core.live import audience
from core.names import fold
from engine.ids import xgid
from formats.graph import FINAL, LOWER, MAIN
from formats.settings import ELIMINATION
from matches.lifecycle.where import Where, WhereState, in_words
from matches.play.watching import LIVE_FOR, LiveLine, Watched, live_now, most_watched
from matches.presentation.visibility import NOBODY, Viewer
from matches.records.board import COLOURS, Scene, draw
from matches.records.replays import diagram_at
from players import access as people
from players.access import Role, Visitor
from players.models import Player, User
from players.people.rows import of_account
from tournaments.access import is_helper
from tournaments.events.offers import OfferLine, RunLine, folded
from tournaments.events.selectors import (
    ENDED,
    DivisionCounts,
    ListedMatch,
    can_register,
    divisions_of,
    match_lines,
    my_player,
    open_fixtures,
)
from tournaments.models import Division, Entry, Fixture, Round, Slot, Stage, Tournament
from tournaments.panels import event_panels
from tournaments.standings.placings import NO_LEADERS, TableLeaders, champion_of, champions, leaders
from tournaments.standings.rounds import RoundNames
from tournaments.state.figures import event_figures
from tournaments.state.names import shown_entry
from tournaments.state.topics import event_topics

NEXT_SHOWN = 12
"""Matches listed; division pages list all."""
STILL_IN_SHOWN = 4
"""Names of those still in a bracket; the others are counted."""


# The matches of the reader, and those that are played now.


class MyEventMatch(NamedTuple):
    """A match of the signed-in player, with the opponent's name."""

    line: ListedMatch
    where: Where
    opponent: str
    sentence: str
    """Where it is, for the player."""


def _my_matches(
    tournament: Tournament, rounds: Mapping[int, str], user: Visitor, viewer: Viewer, now: datetime
) -> list[MyEventMatch]:
    """Return the next matches of a user in an event: in play first, then called, then by deadline."""
    if not isinstance(user, User):
        return []
    own = Player.objects.filter(of_account(user))
    fixtures = open_fixtures(tournament).filter(Q(match__player_0__in=own) | Q(match__player_1__in=own))
    matches = []
    rows = list(fixtures.order_by("due_at", "number")[:NEXT_SHOWN])
    for line in match_lines(rows, rounds, viewer, now, staff=False):
        assert line.match is not None and line.where is not None  # noqa: S101, PT018, the query filters by players
        side = 0 if line.match.player_0_id in viewer.players else 1
        matches.append(MyEventMatch(line, line.where, line.names[1 - side], in_words(line.where, line.match, side)))
    return sorted(matches, key=lambda row: row.where.rank)


class PlayingSide(NamedTuple):
    name: str
    points: int | None
    """None where spectators see them after the match, and without a score."""
    colour: str = ""
    """Of the checkers, beside a board."""


@dataclass(frozen=True, slots=True)
class PlayedNow:
    """A match that is called or being played, at a table or on this site, as everybody may see it.

    One about which its players disagree waits for a director, and is none of these.
    """

    url: str
    sides: tuple[PlayingSide, PlayingSide]
    length: int
    round: str
    """Division and round; empty if it is not among the first matches of the event."""
    where: str
    """Its table and state, in words; empty for a match on this site whose round is named."""
    mark: str
    """The CSS class of its state."""
    match: str = ""
    """Its public id, if it is not played on this site."""
    delay: str = ""
    """By how much spectators are behind, in words."""


class Featured(NamedTuple):
    """The match with a board on the page."""

    match: PlayedNow
    scene: Scene
    spectators: int


def _live(line: LiveLine, listed: ListedMatch | None, *, several: bool) -> PlayedNow:
    points = line.score if line.score is not None else (None, None)
    first, second = (PlayingSide(*side) for side in zip(line.names, points, COLOURS, strict=True))
    about = _round_of(listed, several=several) if listed is not None else ""
    # Where no table is known, the place is the round again.
    place = line.place if listed is None else ""
    return PlayedNow(line.url, (first, second), line.length, about, place, "live", delay=line.delay_text)


def _at_table(line: ListedMatch, now: datetime, *, several: bool) -> PlayedNow | None:
    match, where = line.match, line.where
    if match is None or where is None or where.state in (WhereState.DISPUTED, WhereState.ADJOURNED):
        return None
    if where.since is not None and where.since < now - LIVE_FOR:
        return None
    points = where.score if where.score is not None else (None, None)
    first, second = (PlayingSide(*side) for side in zip(line.names, points, strict=True))
    about = _round_of(line, several=several)
    url = f"/matches/{match.public_id}/"
    return PlayedNow(url, (first, second), match.length, about, where.label, where.mark, match.public_id)


def _round_of(line: ListedMatch, *, several: bool) -> str:
    return f"{line.division.name} · {line.round}" if several else line.round


def _featured(watched: Watched | None, rows: Mapping[str, PlayedNow]) -> Featured | None:
    """Return the most watched of the live matches with its board as spectators see it; None if nobody may see one."""
    if watched is None or watched.live.match.public_id not in rows:
        return None
    match, state = watched.live.match, watched.state.match
    diagram = diagram_at(xgid(state), match.names)
    if diagram is None or state.is_over:
        return None
    spectators = audience.sizes([match.public_id]).get(match.public_id, 0)
    return Featured(rows[match.public_id], draw(diagram), spectators)


# What comes when.


SCHEDULE_SHOWN, PAST_SHOWN = 8, 3


class ScheduleLine(NamedTuple):
    at: datetime
    text: str
    is_over: bool


def schedule_of(
    tournament: Tournament, divisions: Iterable[Division], rounds: Mapping[int, str], now: datetime
) -> list[ScheduleLine]:
    """Return the times of an event in order, without those long past: entries, check-in, deadlines, start and end."""
    rows: list[tuple[datetime, str]] = [(tournament.starts_at, _("Start"))]
    if tournament.check_in_opens_at is not None:
        rows.append((tournament.check_in_opens_at, _("Check-in opens")))
    if tournament.check_in_closes_at is not None:
        rows.append((tournament.check_in_closes_at, _("Check-in closes")))
    named = {division.pk: division for division in divisions}
    several = len(named) > 1
    for division in named.values():
        if division.closes_at is not None and division.self_registration:
            text = _("Registration closes")
            rows.append((division.closes_at, f"{text} · {division.name}" if several else text))
    deadlines = Round.objects.filter(bracket__stage__division__in=named, deadline__isnull=False).order_by()
    for pk, division_id, at in deadlines.values_list("pk", "bracket__stage__division", "deadline"):
        text = f"{named[division_id].name}: {rounds[pk]}" if several else rounds[pk]
        if at is not None:
            rows.append((at, _("{round} to be played by").format(round=text)))
    if tournament.ends_at is not None:
        rows.append((tournament.ends_at, _("End")))
    lines = [ScheduleLine(at, text, at <= now) for at, text in sorted(rows)]
    over = sum(line.is_over for line in lines)
    first = max(0, min(over - PAST_SHOWN, len(lines) - SCHEDULE_SHOWN))
    return lines[first : first + SCHEDULE_SHOWN]


# Where the divisions stand.


@dataclass(frozen=True, slots=True)
class DivisionRow:
    """A division in the table: its figures, and who has won it, leads it or is still in it."""

    counted: DivisionCounts
    entry: Entry | None
    """The reader's own."""
    may_register: bool
    champion: str
    leaders: TableLeaders = NO_LEADERS
    still_in: Sequence[str] = ()
    left: int = 0
    """How many are still in the bracket; 0 if that is not known."""

    @property
    def division(self) -> Division:
        return self.counted.division


class SideEventRow(NamedTuple):
    """An offer in the table, with its lists and who won each."""

    line: OfferLine
    runs: Sequence[tuple[RunLine, str]]


def _current_stage(division: Division) -> Stage | None:
    """Return the stage that is being played: the last that has begun."""
    begun = [stage for stage in division.stages.all() if stage.status != Stage.Status.PLANNED]
    return begun[-1] if begun and division.status == Division.Status.RUNNING else None


def still_in(stages: Collection[Stage], *, staff: bool) -> dict[int, tuple[int, list[str]]]:
    """Return division id -> how many can still win its bracket, and the names of few; two queries."""
    slots = Slot.objects.filter(
        fixture__stage__in=[stage.pk for stage in stages],
        fixture__round__bracket__key__in=(MAIN, LOWER, FINAL),
        fixture__status__in=(Fixture.Status.WAITING, Fixture.Status.READY),
        entry__isnull=False,
    )
    entries: dict[int, set[int]] = defaultdict(set)
    for division, entry in slots.order_by().values_list("fixture__stage__division", "entry"):
        if entry is not None:
            entries[division].add(entry)
    few = [pk for left in entries.values() if len(left) <= STILL_IN_SHOWN for pk in left]
    named = Entry.objects.select_related("player__merged_into").in_bulk(few) if few else {}
    return {
        division: (len(left), sorted((shown_entry(named[pk], staff=staff) for pk in left if pk in named), key=fold))
        for division, left in entries.items()
    }


def _division_rows(
    user: Visitor, divisions: Sequence[DivisionCounts], own: Mapping[int, Entry], now: datetime, *, staff: bool
) -> list[DivisionRow]:
    winners = champions(user, [counted.division for counted in divisions])
    stages = {counted.division.pk: _current_stage(counted.division) for counted in divisions}
    brackets = [stage for stage in stages.values() if stage is not None and stage.format in ELIMINATION]
    left = still_in(brackets, staff=staff) if brackets else {}
    rows = []
    for counted in divisions:
        division, stage = counted.division, stages[counted.division.pk]
        is_table = stage is not None and stage.format not in ELIMINATION and counted.figures.matches.decided
        number, names = left.get(division.pk, (0, []))
        if stage in brackets and not number:
            # The main draw is over; a consolation may go on.
            winners[division.pk] = champion_of(user, division)
        rows.append(
            DivisionRow(
                counted,
                own.get(division.pk),
                can_register(division, now),
                winners.get(division.pk, ""),
                leaders(user, stage) if is_table and stage is not None else NO_LEADERS,
                names,
                number,
            )
        )
    return rows


def my_entries(tournament: Tournament, user: Visitor) -> dict[int, Entry]:
    """Return the entries of a user that are not withdrawn, by division."""
    if not isinstance(user, User):
        return {}
    own = Entry.objects.filter(of_account(user, "player__"), division__tournament=tournament)
    own = own.exclude(status=Entry.Status.OUT)
    return {entry.division_id: entry for entry in own}


def has_league(tournament: Tournament) -> bool:
    """Whether the event has a league, so that a next season can follow."""
    return Stage.objects.filter(division__tournament=tournament, format=Stage.Format.LEAGUE).exists()


def event_home(user: Visitor, tournament: Tournament, now: datetime) -> dict[str, Any]:
    role = people.role_in(user, tournament.club)
    staff = people.is_at_least(role, Role.ASSISTANT)
    directs = people.is_at_least(role, Role.DIRECTOR)
    divisions = divisions_of(tournament)
    several = len(divisions) > 1
    rounds = RoundNames(Round.objects.filter(bracket__stage__division__tournament=tournament), in_words=True)
    viewer = Viewer.of(user)
    mine = _my_matches(tournament, rounds, user, viewer, now)
    own_matches = {row.line.match.public_id for row in mine if row.line.match is not None}
    first = list(open_fixtures(tournament)[:NEXT_SHOWN])
    # A spectators' page, whoever reads it.
    lines = match_lines(first, rounds, NOBODY, now, staff=staff)
    listed = {line.match.public_id: line for line in lines if line.match is not None}
    of_event = Q(parent_topic__in=[counted.division.topic for counted in divisions])
    live = {
        line.public_id: _live(line, listed.get(line.public_id), several=several)
        for line in live_now(viewer, now, among=of_event)
    }
    featured = _featured(most_watched(now, among=of_event), live) if live else None
    # The reader's own matches are above the lists already.
    others = [line for key, line in listed.items() if key not in own_matches]
    others_now = [line for line in others if not line.is_to_come and _key(line) not in live]
    at_tables = [_at_table(line, now, several=several) for line in others_now]
    also = [row for row in live.values() if featured is None or row is not featured.match]
    rows = _division_rows(user, divisions, my_entries(tournament, user), now, staff=staff)
    rows_of = {row.division.pk: row for row in rows}
    plain, offers = folded(divisions, now)
    figures = event_figures(counted.figures for counted in divisions)
    return {
        "tournament": tournament,
        "club": tournament.club,
        "role": role,
        "staff": staff,
        "helps": not staff and is_helper(user, tournament),
        "may_direct": directs,
        "may_copy": directs and tournament.status != Tournament.Status.DRAFT and bool(divisions),
        "may_add_division": directs and bool(divisions) and tournament.status not in ENDED,
        "next_season": directs and tournament.status == Tournament.Status.FINISHED and has_league(tournament),
        "divisions": [rows_of[counted.division.pk] for counted in plain],
        "offers": [
            SideEventRow(line, [(run, rows_of[run.division.pk].champion) for run in line.runs]) for line in offers
        ],
        "figures": figures,
        "several": several,
        "featured": featured,
        "played_now": [*also, *(row for row in at_tables if row is not None)],
        "topics": event_topics(tournament),
        "next": [line for line in others if line.is_to_come],
        "more": open_fixtures(tournament).count() - NEXT_SHOWN if len(first) == NEXT_SHOWN else 0,
        "schedule": schedule_of(tournament, [counted.division for counted in divisions], rounds, now),
        "registers_once": sum(row.may_register and row.entry is None for row in rows) == 1,
        "mine": mine[:1],
        "mine_later": mine[1:],
        "my_player": my_player(user),
        **event_panels(user, tournament),
    }


def _key(line: ListedMatch) -> str:
    return line.match.public_id if line.match is not None else ""


def find_player(tournament: Tournament, text: str, staff: bool) -> list[tuple[Entry, Division]]:
    """Return entries of an event whose name contains a text; names shown as initials only for the staff.

    A pair is found by what is shown of its names.
    """
    key = fold(text)
    entries = (
        Entry.objects.filter(_of_person(name_key__contains=key), division__tournament=tournament)
        .exclude(status=Entry.Status.OUT)
        .select_related("player__merged_into", "division")
        .order_by("division__order", "player__name_key")
    )
    if not staff:
        entries = entries.filter(_of_person(initials_only=False, erased_at=None))
    found = [row for row in entries[:50] if staff or row.player.parts is None or key in fold(row.player.shown_name)]
    return [(entry, entry.division) for entry in found] if key else []


def _of_person(**fields: Any) -> Q:
    """Return the condition that the person of an entry, after merges, has these fields."""
    own, merged = (
        Q(**{f"{prefix}__{name}": value for name, value in fields.items()})
        for prefix in ("player", "player__merged_into")
    )
    return Q(own, player__merged_into=None) | Q(merged, player__merged_into__isnull=False)
