"""The wall screen and the big screen of an event: what they show, who chooses it, and frames on other sites."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from http import HTTPStatus
from typing import Any, NamedTuple, cast
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt

from core.access import Who, open_to
from core.left_out import left_out
from core.live.publishing import touch_on_commit
from core.names import fold
from core.repeats import Repeat, repeated
from display.languages import in_its_language
from display.paper import lists
from display.paper.brackets import sheet_brackets
from display.paper.cards import label_size
from display.paper.drawing import DRAW_AREAS, Area, PageDrawing, Sizes, draw_pages, drawing, pack
from matches.lifecycle.where import WhereState
from matches.play.watching import LiveLine, live_now
from matches.presentation.labels import from_start, points_won
from matches.presentation.visibility import NOBODY
from players.access import Role, is_at_least
from players.actors import Actor, log
from players.forms import RefusingForm
from players.models import Club, User
from seasons.actions import series_of
from seasons.page.season import EveningLine, evening_table, season_view, series_of_event
from tournaments import access
from tournaments.events.actions import by, event_url_args
from tournaments.floor.flows import Flow, flows_of
from tournaments.floor.page.cards import Discs, taken_by
from tournaments.floor.page.flow import bracket_line, count_out, lives_at_tables, lives_counts
from tournaments.floor.page.forecast import evening_forecast
from tournaments.floor.selectors import FloorView, floor
from tournaments.floor.state import FloorMatchState, MatchFacts, MatchOnFloor, TableOnFloor, TableState
from tournaments.models import Division, Tournament, Wall
from tournaments.standings import brackets
from tournaments.standings.brackets import BracketOptions, FixtureBox, RoundColumn
from tournaments.standings.standings import StandingsLine, standings_of
from tournaments.state.names import names_of
from tournaments.state.topics import event_topics

# The parts of the wall screen, and which of them a director shows.


class PartKey(StrEnum):
    """The parts of the wall screen, in the order that they are shown in."""

    FLOOR = "floor"
    BRACKETS = "brackets"
    STANDINGS = "standings"
    SEASON = "season"


PART_LABELS = {
    PartKey.FLOOR: gettext_lazy("Calls, tables and who plays next"),
    PartKey.BRACKETS: gettext_lazy("Brackets"),
    PartKey.STANDINGS: gettext_lazy("Standings"),
    PartKey.SEASON: gettext_lazy("Tables of the season"),
}


def wall_of(tournament: Tournament) -> Wall:
    """Return the settings of an event's wall screen, unsaved usual ones if nobody has changed them."""
    return Wall.objects.filter(tournament=tournament).first() or Wall(tournament=tournament)


# The floor on the wall: who is called to which table, what the tables are used for, and who plays next.


FRESH = timedelta(seconds=90)
"""How long a call stands out. Meanwhile the wall shows nothing but calls."""
VIEW_GONE = gettext_lazy("The view that was chosen is gone. These are all players.")
LARGE_CALLS = 2
"""Calls that have room for large print, beside what is next."""
CALLS_ON_SCREEN = 20
LINES_IN_TWO_COLUMNS = 24
TABLES_IN_ROW = 6
TABLES_BESIDE_LARGE = 12
"""Tables that fit below large calls; more have a screen of their own."""
TABLES_BESIDE_ROWS = {2: 12, 3: 6, 4: 6, 5: 6}
"""Rows of calls -> tables that fit below them."""
TABLES_ON_SCREEN = 24
NEXT_ON_SCREEN, NEXT_ABOVE_TWO_ROWS = 4, 3
MAX_NAMES_OF_NEXT = 26
"""Characters of two names that fit on a line of what is next."""
MAX_NAME_OF_TABLE_LENGTH = 14
"""Characters of a name that fit into the tile of a table."""


ExpectedTime = tuple[str, str]
"""What is expected to be over, and when, as a time of day."""


class TableTile(NamedTuple):
    """A table: its label, what it shows, its kind ("called", "playing", "out" or "free"), and who plays there."""

    label: str
    text: str
    kind: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallLine:
    """A match called to a table, or one of its players."""

    table: str
    names: tuple[str, ...]
    where: str
    length: str
    fresh: bool
    last_call: bool
    discs: tuple[Discs | None, ...] = ()
    """The lives of the players, where lives are counted without rounds."""

    @property
    def players(self) -> Sequence[tuple[str, Discs | None]]:
        """The names, each with the lives."""
        return list(zip(self.names, self.discs or (None, None), strict=False))

    @property
    def label_size(self) -> str:
        """The size in which the label of the table fits into its field."""
        return label_size(self.table)


class NextMatch(NamedTuple):
    names: tuple[str, ...]
    round_name: str


class LivesBoard(NamedTuple):
    """The players of a stage without rounds by lives left; `title` is its division if there are several."""

    title: str
    rows: Sequence[tuple[Discs, str]]
    out: str
    bracket: str
    """When the bracket that follows is drawn; empty if none follows."""


@dataclass(slots=True)
class FloorScreen:
    """What the wall shows of the floor at once: calls, tables, the next matches and expected times."""

    calls: list[CallLine] = field(default_factory=list)
    tables: list[TableTile] = field(default_factory=list)
    next: list[NextMatch] = field(default_factory=list)
    """The matches that are called next. What they wait for is for their players and the staff."""
    expected: Sequence[ExpectedTime] = ()
    lives: Sequence["LivesBoard"] = ()
    """How many are still in, by lives; only of stages without rounds. It does not tell who is free."""
    is_wide: bool = False
    """Whether the calls take the whole width, in columns."""
    kind: str = "floor"

    @property
    def has_long_labels(self) -> bool:
        """Whether a table with calls has a name that needs a wider field."""
        return any(call.label_size == "long" for call in self.calls)

    @property
    def columns(self) -> int:
        if not self.is_wide:
            return 1
        return 2 if len(self.calls) <= LINES_IN_TWO_COLUMNS else 3

    @property
    def rows(self) -> int:
        """Calls below each other."""
        return -(-len(self.calls) // self.columns)


def floor_screens(
    view: FloorView,
    expected: Sequence[ExpectedTime] = (),
    *,
    by_name: bool = False,
    lives: Mapping[int, tuple[Discs, Discs]] | None = None,
) -> list[FloorScreen]:
    """Return the screens of the floor; none before it is opened. `view` has the names that everybody may see.

    `lives` has those of the players of matches without rounds, by fixture id.

    Every call is on the first one, by table or by player, up to 20 calls; more of them follow, the fresh ones first.
    """
    if not view.is_open:
        return []
    calls, tables = calls_of(view, lives), [_tile(view, table) for table in view.tables.values()]
    upcoming = [_next(match.facts) for match in view.queue[:NEXT_ON_SCREEN]]
    if not calls:
        return _table_screens(tables, upcoming, expected) or [FloorScreen(next=upcoming, expected=expected)]
    if len(calls) <= LARGE_CALLS:
        if len(tables) <= TABLES_IN_ROW:
            return [FloorScreen(calls, tables, upcoming, expected)]
        if len(tables) <= TABLES_BESIDE_LARGE:
            return [FloorScreen(calls, tables, upcoming[:NEXT_ABOVE_TWO_ROWS], expected[-1:])]
        return [FloorScreen(calls, [], upcoming, expected), *_table_screens(tables, upcoming, expected)]
    if len(calls) > CALLS_ON_SCREEN:
        calls.sort(key=lambda call: not call.fresh)
    parts = [calls[first : first + CALLS_ON_SCREEN] for first in range(0, len(calls), CALLS_ON_SCREEN)]
    screens = [FloorScreen(_by_name(part) if by_name else part, is_wide=True) for part in parts]
    others = [tile for tile in tables if tile.kind != "called"]
    if len(screens) == 1 and len(others) <= TABLES_BESIDE_ROWS.get(screens[0].rows, 0):
        screens[0].tables = others
    return screens + _table_screens(tables, upcoming, expected)


def _table_screens(
    tables: Sequence[TableTile], upcoming: list[NextMatch], expected: Sequence[ExpectedTime]
) -> list[FloorScreen]:
    """Return the screens of all tables, with what is next beside them."""
    parts = [list(tables[first : first + TABLES_ON_SCREEN]) for first in range(0, len(tables), TABLES_ON_SCREEN)]
    return [FloorScreen([], part, upcoming, expected) for part in parts]


def calls_of(view: FloorView, lives: Mapping[int, tuple[Discs, Discs]] | None = None) -> list[CallLine]:
    """Return the matches that are called, in the order of the tables."""
    order = {table: place for place, table in enumerate(view.tables)}
    called = [match for match in view.matches.values() if match.state == FloorMatchState.CALLED]
    called.sort(key=lambda match: order.get(match.table or 0, len(order)))
    several = len({match.facts.division_id for match in view.matches.values()}) > 1
    return [
        CallLine(
            match.where.table,
            match.facts.names,
            _where(match, with_division=several),
            from_start(_("%(length)d pt") % {"length": match.facts.length}, match.facts.start),
            fresh=match.called_at is not None and view.now - match.called_at < FRESH,
            last_call=len(match.facts.call_times) > 1,
            discs=(lives or {}).get(match.fixture, ()),
        )
        for match in called
    ]


def _next(match: MatchFacts) -> NextMatch:
    fits = sum(map(len, match.names)) <= MAX_NAMES_OF_NEXT
    return NextMatch(match.names if fits else tuple(map(short_name, match.names)), match.round_name)


def _by_name(calls: Sequence[CallLine]) -> list[CallLine]:
    """Return a line for each player, in the order of their names."""
    lines = [replace(call, names=(name,), discs=(discs,)) for call in calls for name, discs in call.players]
    return sorted(lines, key=lambda line: fold(line.names[0]))


def _where(match: MatchOnFloor, *, with_division: bool) -> str:
    facts = match.facts
    points = from_start(points_won(facts.length), facts.start)
    division = [facts.division] if with_division else []
    return " · ".join(dict.fromkeys((*division, facts.bracket, facts.round_name, points)))


def _tile(view: FloorView, table: TableOnFloor) -> TableTile:
    label, match = table.facts.label, table.match
    if table.state == TableState.OUT:
        return TableTile(label, _("Out of use"), "out")
    if match is None and table.elsewhere is not None:
        return TableTile(label, pgettext("table", "Taken"), "out", (taken_by(table.elsewhere),))
    if match is None:
        return TableTile(label, pgettext("table", "Free"), "free")
    names = tuple(short_name(name) for name in match.facts.names)
    if match.state == FloorMatchState.CALLED:
        return TableTile(label, _("Called"), "called", names)
    where = view.where(match)
    if where.state == WhereState.DISPUTED:
        return TableTile(label, _("Director called"), "playing", names)
    if match.state == FloorMatchState.REPORTED:
        return TableTile(label, _("Reported"), "playing", names)
    score = where.score
    return TableTile(label, _("Playing") if score is None else f"{score[0]}–{score[1]}", "playing", names)


def short_name(name: str) -> str:
    """Return a name as it fits into the tile of a table: a long one with the initials of its later words.

    Of a long name of a pair, only the first word of each is left.
    """
    first, *others = name.split() or [""]
    if len(name) <= MAX_NAME_OF_TABLE_LENGTH or not others:
        return name
    if "&" in others:
        return " & ".join(part.split()[0] for part in name.split(" & ") if part.strip())
    return f"{first} {' '.join(f'{other[0]}.' for other in others)}"


# What the wall screen shows in turn: the floor, brackets, standings and tables of seasons.


MAX_BRACKET_SCREENS = 6
LINES_ON_SCREEN = 10
MAX_LINES = 40
AREA = Area(1840, 780)
"""Of a screen of 1920 × 1080, in its pixels, between the head and the message."""
SIZES = Sizes(
    gutter=265,
    widest_column=430,
    title=76,
    head=56,
    smallest_pitch=72,
    largest_pitch=96,
    title_text=44,
    head_text=32,
    points_text=30,
    largest_name=46,
    largest_label=34,
    label=0.42,
    small=30,
    filled_in=False,
    least=30,
    gap=24,
    below=8,
)


@dataclass(frozen=True, slots=True)
class TitledScreen:
    """A part of a bracket, drawn, or some lines of the standings; which of the two, `kind` says."""

    kind: str
    title: str
    drawing: PageDrawing | None = None
    lines: Sequence[StandingsLine] = ()


@dataclass(frozen=True, slots=True)
class SeasonScreen:
    """Some lines of the table of a season in which the evening counts."""

    title: str
    evening: str
    """What the points of this evening are called: those so far, or those that are certain."""
    lines: Sequence[EveningLine]
    note: str = ""
    kind: str = "season"


Screen = FloorScreen | TitledScreen | SeasonScreen


def wall(view: FloorView, expected: Sequence[ExpectedTime], *, by_name: bool = False) -> dict[str, Any]:
    """Return the context of the wall. It shows only what everybody may see, whoever is signed in on it.

    While a call is fresh, nothing but the calls is shown, unless the wall does not show the floor.
    """
    event = view.tournament
    settings = wall_of(event)
    drawn = event.divisions.exclude(status=Division.Status.ENTRIES)
    # Lists of side events that are over would take the screen from what is played.
    over = (Division.Status.FINISHED, Division.Status.CANCELLED)
    divisions = list(drawn.exclude(offer__isnull=False, status__in=over).order_by("order", "pk"))
    shown = [key for key in PartKey if key.value not in settings.hidden]
    flows = [flow for flow in flows_of(event, view.state, view.now) if lives_counts(flow)]
    lives = {fixture: discs for flow in flows for fixture, discs in lives_at_tables(flow).items()}
    screens = floor_screens(view, expected, by_name=by_name, lives=lives)
    calling = [screen for screen in screens if PartKey.FLOOR in shown]
    boards = _lives_boards(flows, view)
    for screen in calling:
        screen.lives = boards
    fresh = [screen for screen in calling if any(call.fresh for call in screen.calls)]
    makers: dict[PartKey, Callable[[], Sequence[Screen]]] = {
        PartKey.FLOOR: lambda: calling,
        PartKey.BRACKETS: lambda: list(_brackets(divisions))[:MAX_BRACKET_SCREENS],
        PartKey.STANDINGS: lambda: list(_standings(divisions)),
        PartKey.SEASON: lambda: [] if left_out() else list(_seasons(event, settings.season_tables)),
    }
    return {
        "tournament": event,
        "club": event.club,
        "still_in": _still_in(flows[0]) if len(flows) == 1 else "",
        "settings": settings,
        "screens": fresh or [screen for key in shown for screen in makers[key]()],
        "topics": event_topics(event),
        "clock": time_format(view.now.astimezone(ZoneInfo(event.time_zone))),
        "now": int(view.now.timestamp() * 1000),
    }


def _still_in(flow: Flow) -> str:
    """Return how many are still in, and what for."""
    left = sum(count for _discs, count in lives_counts(flow))
    values = {"left": left, "all": left + count_out(flow)}
    if flow.pool.settings.qualifiers:
        return _("%(left)d of %(all)d still in") % values
    return _("%(left)d of %(all)d still in · the last one with a life wins") % values


def _lives_boards(flows: Sequence[Flow], view: FloorView) -> list[LivesBoard]:
    """Return the players of the stages without rounds by lives left."""
    return [
        LivesBoard(
            flow.division.name if len(flows) > 1 else "",
            [(discs, _players(count)) for discs, count in lives_counts(flow)],
            _players(count_out(flow)),
            bracket_line(flow, ZoneInfo(view.tournament.time_zone)),
        )
        for flow in flows
    ]


def _players(count: int) -> str:
    return ngettext("%(count)s player", "%(count)s players", count) % {"count": count}


def _brackets(divisions: Sequence[Division]) -> Iterator[TitledScreen]:
    """Yield the rounds of each bracket from the first that is still played, in parts that can be read from afar."""
    several = len(divisions) > 1
    for division in divisions:
        for parts in pack(sheet_brackets(division, unfinished=True), AREA, SIZES):
            title = ", ".join(part.title for part in parts)
            drawn = drawing(parts, AREA, SIZES)
            yield TitledScreen("bracket", f"{division.name} · {title}" if several else title, drawn)


def _standings(divisions: Sequence[Division]) -> Iterator[TitledScreen]:
    """Yield the tables of the current stage of each division, ten lines at a time."""
    for division in divisions:
        views = standings_of(division, names_of(division, staff=False))
        for table, teams in ((table, view.teams) for view in views for table in view.tables):
            lines = table.lines[:MAX_LINES]
            title = " · ".join(filter(None, (division.name, table.title, teams.text if teams is not None else "")))
            for first in range(0, len(lines), LINES_ON_SCREEN):
                yield TitledScreen("standings", title, lines=lines[first : first + LINES_ON_SCREEN])


def _seasons(event: Tournament, chosen: Collection[str]) -> Iterator[SeasonScreen]:
    """Yield the tables of the seasons in which an event counts, or those that are chosen, ten lines at a time.

    Instead of a view that is gone the whole table is shown, once, which says so.
    """
    rows = {series.public_id: series for series in series_of_event(event).prefetch_related("views")}
    keys = [key.partition(":") for key in chosen if key.partition(":")[0] in rows]
    wanted = [(rows[season], view) for season, _colon, view in keys] or [(series, "") for series in rows.values()]
    shown: set[tuple[int, int | None]] = set()
    for series, public_id in wanted:
        part = next((view for view in series.views.all() if view.public_id == public_id), None)
        key = series.pk, part.pk if part is not None else None
        if key in shown:
            continue
        shown.add(key)
        table = evening_table(series, event, part)
        evening = _("Tonight")
        note = str(VIEW_GONE) if public_id and part is None else ""
        lines = table.lines[:MAX_LINES]
        for first in range(0, len(lines), LINES_ON_SCREEN):
            yield SeasonScreen(table.name, evening, lines[first : first + LINES_ON_SCREEN], note)


# What the big screen of an event shows: the match that decides most, the others that are live, and the last rounds.


MAX_LIVE = 40
ALSO_LIVE = 4
"""Matches listed beside the one that is shown."""
ROUNDS = 3
"""Rounds of the strip at the bottom."""
MAX_IN_STRIP = 4
"""Matches of a round in the strip."""


class Followed(NamedTuple):
    """A match that is being played, and where it stands in its division."""

    line: LiveLine
    division: Division
    column: RoundColumn
    box: FixtureBox
    weight: tuple[int, int, int]
    """How much it decides: the stage, how few matches its round has, its length."""


def tv(event: Tournament, now: datetime) -> dict[str, Any]:
    """Return the context of the screen. It shows only what everybody may see, whoever is signed in on it."""
    divisions = list(event.divisions.exclude(status=Division.Status.ENTRIES).order_by("pk"))
    topics = [division.topic for division in divisions]
    lines = {line.public_id: line for line in live_now(NOBODY, now, among=Q(parent_topic__in=topics), most=MAX_LIVE)}
    columns = {division.pk: list(_columns(division)) for division in divisions}
    playing = [
        Followed(lines[box.match], division, column, box, (stage, -len(column.boxes), column.length))
        for division in divisions
        for stage, column in columns[division.pk]
        for box in column.boxes
        if box.match in lines
    ]
    playing.sort(key=lambda match: match.weight, reverse=True)
    first = playing[0] if playing else None
    shown = first.division if first else next((row for row in divisions if row.status == row.Status.RUNNING), None)
    return {
        "tournament": event,
        "topics": event_topics(event),
        "followed": first,
        "api": reverse("api-live", args=[first.line.public_id]) if first else "",
        "also": playing[1 : 1 + ALSO_LIVE],
        "division": shown,
        "strip": _strip([column for _, column in columns[shown.pk]], first) if shown else [],
        "now": now,
    }


def _columns(division: Division) -> Iterator[tuple[int, RoundColumn]]:
    """Yield the rounds of a division with their stage, of the main bracket of each stage first."""
    for tree in brackets.trees(brackets.rounds_of(division), BracketOptions(names_of(division, staff=False))):
        for section in tree.sections:
            for column in section.columns:
                yield tree.stage, column


def _strip(columns: list[RoundColumn], first: Followed | None) -> list[tuple[RoundColumn, list[FixtureBox]]]:
    """Return the round of the match that is shown, the one before and the one after, else the last ones begun."""
    at = next((index for index, column in enumerate(columns) if first and first.box in column.boxes), None)
    if at is None:
        begun = [index for index, column in enumerate(columns) if column.done]
        at = begun[-1] if begun else 0
    start = max(0, min(at - 1, len(columns) - ROUNDS))
    return [(column, _most_interesting(column.boxes)) for column in columns[start : start + ROUNDS]]


def _most_interesting(boxes: list[FixtureBox]) -> list[FixtureBox]:
    """Return the first matches of a round, those that are being played before others, in the order of the round."""
    live_first = sorted(boxes, key=lambda box: box.mark != "live")[:MAX_IN_STRIP]
    return [box for box in boxes if box in live_first]


# What a director chooses for the wall screen.


class WallForm(RefusingForm):
    """The message and the parts of the wall screen."""

    message = forms.CharField(
        label=gettext_lazy("Message"),
        max_length=Wall._meta.get_field("message").max_length,
        required=False,
        help_text=gettext_lazy("Always at the bottom of the screen. Leave it empty to remove it."),
    )
    parts = forms.MultipleChoiceField(
        label=gettext_lazy("Shown in turn"),
        choices=[(key.value, PART_LABELS[key]) for key in PartKey],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one part.")},
    )
    season_tables = forms.MultipleChoiceField(
        label=gettext_lazy("Tables of the season"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Of all players, or of a view. Choose nothing for the whole tables."),
    )
    seconds = forms.IntegerField(label=gettext_lazy("Seconds per screen"), min_value=5, max_value=120)

    def __init__(self, data: Any, wall: Wall) -> None:
        parts = [key.value for key in PartKey if key.value not in wall.hidden]
        tables = wall.season_tables
        initial = {"message": wall.message, "parts": parts, "seconds": wall.seconds, "season_tables": tables}
        super().__init__(data, initial=initial)
        choices = list(_season_choices(wall.tournament))
        if len(choices) > 1:
            cast(forms.MultipleChoiceField, self.fields["season_tables"]).choices = choices
        else:
            del self.fields["season_tables"]


def _season_choices(event: Tournament) -> Iterator[tuple[str, str]]:
    """Yield the tables of the seasons in which an event counts, and those of their views."""
    for series in series_of_event(event).prefetch_related("views"):
        yield series.public_id, _("{season}: all players").format(season=series.name)
        for view in series.views.all():
            yield f"{series.public_id}:{view.public_id}", f"{series.name}: {view.name}"


class WallOrderForm(forms.Form):
    """The order of the calls, which each screen has in its URL; an unknown one is that of the tables."""

    BY_TABLE, BY_NAME = "table", "name"

    order = forms.ChoiceField(choices=[(BY_TABLE, BY_TABLE), (BY_NAME, BY_NAME)], required=False)


def set_wall(
    *,
    tournament: Tournament,
    message: str,
    parts: Collection[str],
    seconds: int,
    by: Actor,
    season_tables: Sequence[str] = (),
) -> Wall:
    """Show `message` and these parts on the wall, each for `seconds`; open screens change at once.

    `season_tables` are those of seasons and their views, as the settings keep them; none stands for all seasons.
    """
    with transaction.atomic():
        values = {
            "message": message,
            "hidden": [key.value for key in PartKey if key.value not in parts],
            "seconds": seconds,
            "season_tables": list(season_tables),
        }
        wall, _created = Wall.objects.update_or_create(tournament=tournament, defaults=values)
        log(by, "wall_changed", tournament.topic, club=tournament.club, message=message)
        touch_on_commit(tournament.topic)
    return wall


# When the evening is expected to go on and to end, in a few lines for the wall.


MAX_BRACKETS = 2


def expected_times(view: FloorView) -> list[ExpectedTime]:
    """Return when the first brackets and the evening are expected to end; empty before the floor is opened."""
    if not view.is_open:
        return []
    evening = evening_forecast(view)
    zone = ZoneInfo(view.tournament.time_zone)
    if not evening.matches:
        return []
    ends = [(row.label, evening.forecast.finish_of(row.key)) for row in evening.rows]
    named = [(label, finish) for label, finish in ends if finish is not None][:MAX_BRACKETS]
    if len(ends) > 1:
        named.append((_("Last match ends"), evening.total))
    return [(label, time_format(evening.at(finish.median).astimezone(zone))) for label, finish in named]


@never_cache
@open_to(get=Who.EVERYBODY)
@in_its_language
def event_tv(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Follow the most important match of an event that is being played here."""
    event = access.tournament(request.user, club, slug)
    return render(request, "display/wall/tv.html", tv(event, timezone.now()))


@open_to(get=Who.HELPERS, post=Who.HELPERS)
@never_cache
@repeated(Repeat.HARMLESS)
def wall_settings(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Set the message and the parts of the wall screen."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = WallForm(request.POST if request.method == "POST" else None, wall_of(event))
    if form.is_bound and form.is_valid():
        set_wall(tournament=event, **form.cleaned_data, by=by(request))
        messages.success(request, _("Saved."))
        return redirect("wall-settings", *event_url_args(event))
    role = access.require_in(request.user, event, access.HELPER)
    context = {
        "tournament": event,
        "club": event.club,
        "division": event.divisions.first(),
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "only_helps": role is None,
        "form": form,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return render(request, "display/wall/settings.html", context, status=status)


@never_cache
@open_to(get=Who.EVERYBODY)
@in_its_language
def event_wall(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show calls as long as they are fresh, else calls, tables, brackets, standings and seasons in turn."""
    event = access.tournament(request.user, club, slug)
    view = floor(event, timezone.now(), staff=False)
    form = WallOrderForm(request.GET)
    by_name = form.is_valid() and form.cleaned_data["order"] == WallOrderForm.BY_NAME
    context = wall(view, expected_times(view), by_name=by_name)
    if event.status not in access.VISIBLE:
        return render(request, "display/wall/wall.html", context)
    # Browsers keep it for when the network is gone, so it is rendered as for a visitor, but in the reader's theme.
    context["theme"] = request.user.theme if isinstance(request.user, User) else User.Theme.AUTO.value
    request.user = AnonymousUser()
    response = render(request, "display/wall/wall.html", {"messages": (), **context})
    response.headers["Kept-Offline"] = "public"
    return response


# Bracket, standings and calls of an event, and the table of a season, for a frame on pages that the club names.
#
# They show what everybody may see, have no forms, and do not look at who is signed in.


@xframe_options_exempt
@open_to(get=Who.EVERYBODY)
@in_its_language
def bracket(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the brackets of a division, for a frame on another website."""
    row = access.division(AnonymousUser(), division, (club, slug))
    return _framed(request, row.tournament, {"drawings": draw_pages(row, DRAW_AREAS["a4"])}, row.name)


@xframe_options_exempt
@open_to(get=Who.EVERYBODY)
@in_its_language
def standings(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the standings of a division, for a frame on another website."""
    row = access.division(AnonymousUser(), division, (club, slug))
    return _framed(request, row.tournament, {"lists": list(lists.standings(row))}, row.name)


@xframe_options_exempt
@open_to(get=Who.EVERYBODY)
@in_its_language
def calls(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the whole event, for a frame on another website: calls, tables, and the standings of each division."""
    event = access.tournament(AnonymousUser(), club, slug)
    view = floor(event, timezone.now(), staff=False)
    divisions = event.divisions.exclude(status=Division.Status.ENTRIES).order_by("order", "pk")
    titled = [(division.name, table) for division in divisions for table in lists.standings(division)]
    content = {
        "calls": calls_of(view),
        "tables": [_tile(view, table) for table in view.tables.values()] if view.is_open else [],
        "lists": [replace(table, title=f"{name} · {table.title}") for name, table in titled],
        "shows_calls": True,
    }
    return _framed(request, event, content)


@xframe_options_exempt
@open_to(get=Who.EVERYBODY)
@in_its_language
def season(request: HttpRequest, slug: str, series: str) -> HttpResponse:
    """Show the table of a season or of one of its views, for a frame on another website.

    Instead of a view that is gone the whole table is shown, which says so.
    """
    row = series_of(slug, series)
    wanted = request.GET.get("view")
    part = row.views.filter(public_id=wanted).select_related("series__club").first() if wanted else None
    view = season_view(AnonymousUser(), row, explained=False, with_race=False, part=part)
    live = [night.event for night in view.standing.nights if night.has_begun and not night.is_over]
    context = {
        "title": row.name,
        "name": part.name if part is not None else "",
        "note": VIEW_GONE if wanted and part is None else "",
        "url": reverse("series", args=[row.club.slug, row.slug]) + (f"?view={part.public_id}" if part else ""),
        "topics": " ".join(event_topics(event) for event in live),
        "view": view,
    }
    return _in_frame(request, row.club, context)


def _framed(request: HttpRequest, event: Tournament, content: Mapping[str, Any], name: str = "") -> HttpResponse:
    context = {
        "title": event.name,
        "url": reverse("event", args=event_url_args(event)),
        "name": name,
        "topics": event_topics(event),
        **content,
    }
    return _in_frame(request, event.club, context)


def _in_frame(request: HttpRequest, club: Club, content: Mapping[str, Any]) -> HttpResponse:
    """Render an embedded page, which only this site and the hosts that the club names may frame.

    It is the same for everybody, so it is rendered as for a visitor whoever is signed in.
    """
    request.user = AnonymousUser()
    # The messages of the reader wait for a page of the site.
    response = render(request, "display/wall/embed.html", {"messages": (), "club": club, **content})
    # This site shows a preview to those who want to embed the page.
    response.headers["Content-Security-Policy"] = f"frame-ancestors 'self' {club.embed_hosts}".rstrip()
    return response
