"""The pages of a club's seasons: the list, the table with every figure explained, making and changing, and files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.charts import Axes, ChartFrame, path
from core.downloads import safe, short_file
from core.languages import ordinal
from core.left_out import left_out
from core.public_ids import new_form_key
from core.requests import is_htmx
from engine.errors import Refused
from formats.series.final import FinalRounds, final_rounds
from formats.series.numbers import number
from formats.series.plan import ELSE, Eligibility, Places, Plan, Shares, nodes, plan_from
from formats.series.presets import PRESETS
from formats.series.table import CountedResult, SeriesRow
from formats.series.warnings import kinds_of
from players import access as people
from players.access import Role, Visitor, is_at_least, role_in
from players.models import Club, Player, User
from players.people.rows import is_person, player_of
from seasons.actions import season_data, series_of
from seasons.chances import RaceView, race_view
from seasons.changes import qualifying_places
from seasons.forms import DetailsForm, ReopenForm, SeasonPoolForm, SeriesForm, ViewForm, season_initial
from seasons.places import (
    ANSWERS,
    DAYS_TO_ANSWER,
    EVERYBODY_TOGETHER,
    Free,
    free_places,
    is_drawn,
    place_lines,
    qualified_by,
    starts_lines,
    tied_sentence,
)
from seasons.plan_form import Line, PlanLinesForm, kind_label, lines_of
from seasons.pool import currencies_of, open_desks, places_text, pool_lines, pools_of, share_text
from seasons.preview import PlanPreview, preview_of
from seasons.season_views import PLAYERS, find_view, rule_label, view_of
from seasons.sentences import belongs_text, rank_sentence, result_sentence, winner_sentence
from seasons.services import is_empty, missing_events
from seasons.tables import (
    CountedEvent,
    SeasonTable,
    closing_of,
    day_of,
    display,
    is_staff,
    names_by_id,
    names_of_table,
    newest_plan,
    plain,
    season_table,
    table_of,
    table_of_view,
)
from seasons.titles import proposals_left, title_lines, titles_of
from tournaments.access import VISIBLE
from tournaments.ledger.money import Currency, percent
from tournaments.ledger.season_pools import newest_shares
from tournaments.models import Entry, FinalPlace, Payment, Series, SeriesClosing, SeriesPoints, SeriesView, Tournament
from tournaments.state.names import names_in_club

ON_CARD = 4
"""Rows on the card of a club."""
MAX_LOOKED_AT = 20
"""Seasons, the newest first, among which the current one of a club is."""
PLACES_SHOWN = 10
"""Evenings of a line of places, since the table is evaluated after each of them."""
LATE = 6
"""The last evenings that are over, which a narrow page shows."""
PLACES = ChartFrame("places", width=72, height=16, left=0, right=0, top=0, bottom=0)
BARS_WIDTH, BARS_HEIGHT, WIDEST_PITCH, MIN_BAR = 108, 24, 9, 1.5
"""Of the evenings of a row as bars."""


@dataclass(frozen=True, slots=True)
class EventColumn:
    id: str
    name: str
    day: date | None
    is_over: bool = True
    url: str = ""
    is_late: bool = False
    """Whether it is among the evenings shown where a page is narrow."""

    @property
    def classes(self) -> str:
        """How its heading is drawn."""
        return _classes(self.is_late)


def _classes(is_late: bool) -> str:
    return "night is-late" if is_late else "night"


@dataclass(frozen=True, slots=True)
class SeasonCell:
    """A player's points of one event, and how they are marked: won, dropped, so-far, absent or to-come."""

    text: str
    mark: str = ""
    label: str = ""
    points: Fraction | None = None
    is_late: bool = False

    @property
    def classes(self) -> str:
        """How its place in the table is drawn."""
        return _classes(self.is_late)


@dataclass(frozen=True, slots=True)
class EveningBar:
    """An evening as a bar, in a field of `BARS_WIDTH` by `BARS_HEIGHT`; `mark` as that of its cell."""

    x: str
    y: str
    width: str
    height: str
    mark: str


@dataclass(frozen=True, slots=True)
class TableRow:
    rank: int | None
    player: str
    name: str
    total: str
    cells: tuple[SeasonCell, ...]
    is_own: bool = False
    moved: int = 0
    """Ranks gained by the last evening; negative if lost."""
    missing: str = ""
    """How many evenings are missing for a rank, in words."""
    sentences: tuple[tuple[date | None, str, str], ...] = ()
    """Day, name and explanation of each evening."""
    sum: str = ""
    """The evenings that count, added up."""
    dropped: str = ""
    reason: str = ""
    threshold: str = ""
    """What a new evening must be better than to count; empty if every evening counts."""
    can_reach: str = ""
    """The total with the best result in every evening left; empty if none is left."""
    places: "RankLine | None" = None
    bars: tuple[EveningBar, ...] = ()
    """The evenings on a phone."""

    @property
    def moved_by(self) -> int:
        """How many ranks it moved, up or down."""
        return abs(self.moved)


@dataclass(frozen=True, slots=True)
class RankLine:
    """A player's ranks after the last evenings, as a line that goes up with a better rank."""

    line: str
    end: tuple[float, float]
    """Its last point."""
    ranks: str
    """The ranks in words, the earliest first."""


@dataclass(frozen=True)
class SeasonView:
    series: Series
    standing: SeasonTable = field(repr=False)
    columns: Sequence[EventColumn]
    rows: Sequence[TableRow]
    rule: str
    played: str
    own: TableRow | None = None
    ahead: str = ""
    closing: SeriesClosing | None = None
    changed_since: bool = False
    """Whether a closed table would be another one by now."""
    qualifiers: int = 0
    is_imported: bool = False
    """Whether evenings are those of an imported season."""
    race: RaceView | None = None
    """What it would take; None once the season is closed, before its first evening, and in a view."""
    part: SeriesView | None = None
    """The view whose table this is; None: everybody's."""
    belongs: str = ""
    """Who is in the table, in words, if not everybody is."""
    winner: str = ""
    """Why the winner of the only evening is not first; empty if they are, and after another evening."""

    @property
    def so_far(self) -> str:
        """The reader's points of the evening that is being played, so far; empty without one."""
        if self.own is None or self.closing is not None:
            return ""
        earned = (points.get(self.own.player) for points in self.standing.so_far.values())
        return next((self.standing.show(own.points) for own in earned if own is not None), "")

    @property
    def dropped_label(self) -> str:
        """What a result is called that does not count."""
        return _dropped_label(self.standing.plan, is_closed=self.closing is not None)

    @property
    def has_places(self) -> bool:
        return any(row.places is not None for row in self.rows)

    @property
    def has_reach(self) -> bool:
        """Whether rows say what they can reach."""
        return any(row.can_reach for row in self.rows)

    @property
    def ranked(self) -> int:
        return sum(row.rank is not None for row in self.rows)

    @property
    def place(self) -> str:
        """The reader's place in words, as in "3rd of 23"; empty without a rank."""
        if self.own is None or self.own.rank is None:
            return ""
        return _("%(index)s of %(total)s") % {"index": ordinal(self.own.rank), "total": self.ranked}


def season_view(
    user: Visitor, series: Series, *, explained: bool = True, with_race: bool = True, part: SeriesView | None = None
) -> SeasonView:
    """Return a season, or a view of it, as a reader sees it: as it stands, or the table announced once it is closed."""
    closing = closing_of(series)
    standing = season_table(series, version=closing.plan if closing is not None else None)
    current = table_of(standing)
    table = closing.table if closing is not None else current
    is_corrected = table != current
    names = names_of_table(user, series.club, {"rows": [*table["rows"], *current["rows"]]})
    if part is not None:
        seen = view_of(part)
        standing = standing.seen_by(seen)
        table = table_of_view(table, seen) if closing is not None else table_of(standing)
    own_player = player_of(user) if isinstance(user, User) else None
    own = own_player.public_id if own_player is not None else ""
    columns = _columns(standing, table, closing is not None)
    live = {row.player: row for row in standing.season.rows}
    winners = _winners(standing)
    dropped_label = _dropped_label(standing.plan, is_closed=closing is not None)
    rows = []
    for data in sorted(table["rows"], key=_as_shown):
        row = _row(data, standing, columns, winners, names, dropped_label)
        known = live.get(data["player"])
        if explained and known is not None and not is_corrected:
            row = _explained(row, known, standing, names)
        rows.append(replace(row, is_own=data["player"] == own))
    mine = next((row for row in rows if row.is_own), None)
    today = timezone.localdate(timezone=ZoneInfo(series.club.time_zone))
    final = qualifying_places(standing.plan)
    has_race = with_race and closing is None and part is None
    race = race_view(standing, names, own or None, today, final) if has_race else None
    if explained and not is_corrected:
        lines, reach = _place_lines(standing), race.reach if race is not None else {}
        rows = [replace(row, can_reach=reach.get(row.player, ""), places=lines.get(row.player)) for row in rows]
    if explained:
        rows = _with_bars(rows)
    return SeasonView(
        series, standing, columns, rows, _rule(standing.plan), _played(standing), mine,
        _ahead(rows, table, mine, standing), closing, closing is not None and is_corrected, final,
        any(night.row is None for night in standing.nights), race, part, belongs_text(standing.plan),
        winner_sentence(standing.season, [row.player for row in rows], names, standing.digits),
    )  # fmt: skip


def _as_shown(row: Mapping[str, Any]) -> tuple[bool, Fraction]:
    """The order on the page: the ranks as they are, then those without one, of whom the best come first."""
    return row["rank"] is None, Fraction(0) if row["rank"] is not None else -Fraction(row["total"])


def _with_bars(rows: Sequence[TableRow]) -> list[TableRow]:
    """Draw the evenings of each row to the scale of the best one in the table."""
    highest = max((cell.points or 0 for row in rows for cell in row.cells), default=0) or 1
    return [
        replace(row, bars=tuple(_bar(cell, index, len(row.cells), highest) for index, cell in enumerate(row.cells)))
        for row in rows
    ]


def _bar(cell: SeasonCell, index: int, count: int, highest: Fraction | int) -> EveningBar:
    pitch = min(WIDEST_PITCH, BARS_WIDTH / count)
    share = max(0.0, float(cell.points / highest)) if cell.points is not None else 0.0
    height = max(MIN_BAR, share * BARS_HEIGHT)
    x, y = index * pitch, BARS_HEIGHT - height
    return EveningBar(f"{x:.1f}", f"{y:.1f}", f"{pitch * 2 / 3:.1f}", f"{height:.1f}", cell.mark)


def _place_lines(standing: SeasonTable) -> dict[str, RankLine]:
    """Return the lines of those who have had a rank after more than one of the last evenings."""
    played = len(standing.season.events)
    ranks = [standing.ranks_after(count) for count in range(max(1, played - PLACES_SHOWN + 1), played + 1)]
    lowest = max((rank for after in ranks for rank in after.values()), default=1)
    axes = Axes(PLACES, max(1, len(ranks) - 1), max(2, lowest), 1)
    lines = {}
    for row in standing.season.rows:
        own = [(index, after[row.player]) for index, after in enumerate(ranks) if row.player in after]
        if len(own) > 1:
            points = [axes.place(index, rank) for index, rank in own]
            text = ", ".join(str(rank) for _index, rank in own)
            lines[row.player] = RankLine(path(points), points[-1], text)
    return lines


def _columns(standing: SeasonTable, table: Mapping[str, Any], is_closed: bool) -> list[EventColumn]:
    urls = {night.facts.id: night.url for night in standing.nights}
    columns = [
        EventColumn(
            event["event"],
            event["name"],
            date.fromisoformat(event["day"]) if event["day"] else None,
            url=urls.get(event["event"], ""),
        )
        for event in table["events"]
    ]
    if not is_closed:
        columns += [
            EventColumn(night.facts.id, night.name, night.shown_day, False, night.url)
            for night in standing.nights
            if not night.is_over
        ]
    over = sum(column.is_over for column in columns)
    return [
        replace(column, is_late=max(0, over - LATE) <= index < max(over, LATE)) for index, column in enumerate(columns)
    ]


def _winners(standing: SeasonTable) -> set[tuple[str, str]]:
    """Return (event, player) of those who won the main bracket of an event."""
    return {
        (event.id, player)
        for event in standing.season.events
        for division in event.divisions[:1]
        for bracket in division.brackets
        if bracket.name == "main" and bracket.placings and len(bracket.placings[0]) == 1
        for player in event.people(division, bracket.placings[0][0])
    }


def _dropped_label(plan: Plan, *, is_closed: bool) -> str:
    """The worst evenings can still be others until the season is closed."""
    return _("would be dropped") if plan.count.drop_worst and not is_closed else _("not counted")


def _row(
    data: Mapping[str, Any],
    standing: SeasonTable,
    columns: Sequence[EventColumn],
    winners: set[tuple[str, str]],
    names: Mapping[str, str],
    dropped_label: str,
) -> TableRow:
    player, points, counted = data["player"], data["points"], set(data["counted"])
    cells = []
    for column in columns:
        if column.id in points:
            value = number(points[column.id], "")
            mark, label = "", ""
            if (column.id, player) in winners:
                mark, label = "won", _("won")
            elif column.id not in counted:
                mark, label = "dropped", dropped_label
            cells.append(SeasonCell(standing.show(value), mark, label, value))
        elif earned := standing.so_far.get(column.id, {}).get(player):
            cells.append(SeasonCell(standing.show(earned.points), "so-far", _("so far"), earned.points))
        else:
            cells.append(SeasonCell("–", "absent") if column.is_over else SeasonCell("·", "to-come"))
        cells[-1] = replace(cells[-1], is_late=column.is_late)
    more = data["more_events"]
    before = standing.ranks_before.get(player)
    return TableRow(
        data["rank"],
        player,
        names.get(player, ""),
        standing.show(number(data["total"], "")),
        tuple(cells),
        moved=before - data["rank"] if before is not None and data["rank"] is not None else 0,
        missing=ngettext("%(count)d more evening for a rank", "%(count)d more evenings for a rank", more)
        % {"count": more} if more else "",
    )  # fmt: skip


def _explained(shown: TableRow, row: SeriesRow, standing: SeasonTable, names: Mapping[str, str]) -> TableRow:
    nights = {night.facts.id: night for night in standing.nights}
    by_event = {result.event: result for result in row.results}
    counted = [standing.show(by_event[event].points) for event in row.best_first]
    dropped = [standing.show(by_event[event].points) for event in row.dropped]
    return replace(
        shown,
        sentences=tuple(_sentence(nights[result.event], row, result, standing.digits) for result in row.results),
        sum=" + ".join(counted),
        dropped=", ".join(dropped),
        # An announced table may rank a view in another order, which this sentence does not explain.
        reason=rank_sentence(row, names, standing.digits) if row.rank == shown.rank else "",
        threshold=_threshold(row, standing),
    )


def _threshold(row: SeriesRow, standing: SeasonTable) -> str:
    """Return what a new evening must be better than to count; empty if every one does, or if it depends on the day."""
    plan = standing.plan
    count = plan.count
    depends_on_day = plan.decay or count.per_month is not None or count.per_class or count.away is not None
    counted = [result.points for result in row.results if result.counts]
    if depends_on_day or count.best is None or len(counted) < count.best:
        return ""
    return standing.show(min(counted))


def _sentence(night: CountedEvent, row: SeriesRow, result: CountedResult, digits: int) -> tuple[date | None, str, str]:
    """Return the day and name of an evening, and where its points come from."""
    text, reason = result_sentence(row, result, digits), night.reasons.get(row.player)
    return night.shown_day, night.name, f"{text} ({reason})" if reason else text


def _rule(plan: Plan) -> str:
    """Say which evenings count."""
    count = plan.count
    parts = []
    if count.best is not None:
        text = ngettext("The best %(count)d evening counts", "The best %(count)d evenings count", count.best)
        parts.append(text % {"count": count.best})
    elif count.drop_worst:
        text = ngettext("The worst evening is dropped", "The worst %(count)d evenings are dropped", count.drop_worst)
        parts.append(text % {"count": count.drop_worst} if "%" in text else text)
    else:
        parts.append(_("Every evening counts"))
    if count.min_events:
        text = ngettext("%(count)d is needed for a rank", "%(count)d are needed for a rank", count.min_events)
        parts.append(text % {"count": count.min_events})
    return "; ".join(parts) + "."


def _played(standing: SeasonTable) -> str:
    total = len(standing.nights)
    if not total:
        return _("no evening yet")
    return ngettext(
        "%(over)d of %(total)d evening played", "%(over)d of %(total)d evenings played", total
    ) % {"over": len(standing.over), "total": total}  # fmt: skip


def _ahead(rows: Sequence[TableRow], table: Mapping[str, Any], own: TableRow | None, standing: SeasonTable) -> str:
    """Say how far the reader is from the next player."""
    totals = {row["player"]: number(row["total"], "") for row in table["rows"] if row["rank"] is not None}
    if own is None or own.rank is None or len(totals) < 2:
        return ""
    mine, place = totals[own.player], [row.player for row in rows].index(own.player)
    is_first = place == 0
    other = rows[1] if is_first else rows[place - 1]
    if other.player not in totals:
        return ""
    difference = abs(totals[other.player] - mine)
    if not difference:
        return _("level with %(name)s") % {"name": other.name}
    params = {"points": display(difference, standing.digits), "name": other.name}
    return (_("%(points)s ahead of %(name)s") if is_first else _("%(points)s behind %(name)s")) % params


@open_to(get=Who.EVERYBODY)
def series_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the seasons of a club, the newest first."""
    club = people.club(slug)
    rows = list(Series.objects.filter(club=club).prefetch_related("closings"))
    seasons = [(row, next((c for c in row.closings.all() if c.reopened_at is None), None)) for row in rows]
    context = {"club": club, "seasons": seasons, "may_direct": _directs(request.user, club)}
    return render(request, "seasons/list.html", context)


def _names_of_places(user: Visitor, series: Series, free: Free | None) -> dict[str, str]:
    """Return public id -> name of who has or may get a place in the final, as this reader may see it."""
    places = series.final_places.select_related("player__merged_into")
    rows = [place.player.merged_into or place.player for place in places]
    rows += free.tied[1] if free is not None and free.tied is not None else []
    names = names_in_club(series.club, rows, staff=is_staff(user, series.club))
    return {row.public_id: names[row.pk] for row in rows}


def _directs(user: Visitor, club: Club) -> bool:
    return is_at_least(role_in(user, club), Role.DIRECTOR)


@open_to(get=Who.EVERYBODY)
def series_page(request: HttpRequest, slug: str, series: str) -> HttpResponse:
    """Show the table of a season, or of one of its views, to everybody."""
    row = series_of(slug, series)
    part = find_view(row, request.GET.get("view"))
    view = season_view(request.user, row, part=part)
    context = {
        "club": row.club,
        "view": view,
        "views": row.views.all(),
        "lines": [(line.label, _figures(line)) for line in lines_of(view.standing.version.plan)],
        "share_url": reverse("series-share", args=[row.club.slug, row.slug])
        + (f"?page={part.public_id}" if part is not None else ""),
        "query": f"?view={part.public_id}" if part is not None else "",
        "may_direct": _directs(request.user, row.club),
        "earlier": list(row.closings.exclude(reopened_at=None)),
    }
    if part is None:
        context |= _around_the_table(request.user, view)
    return render(request, "seasons/season.html", context)


def _final_rounds(plan: Plan) -> FinalRounds:
    """Return in which rounds the ranks start; none of an older plan that cannot be drawn, which preparing it says."""
    try:
        return final_rounds(plan.qualify)
    except Refused:
        return EVERYBODY_TOGETHER


def _figures(line: Line) -> str:
    """Return the figures of a line of the plan, as everybody reads them."""
    if not isinstance(line.value, Mapping):
        return line.text
    labels = {ELSE: _("all others"), "normal": _("normal")}
    return ", ".join(f"{labels.get(key) or kind_label(key)}: {value}" for key, value in line.value.items())


def _around_the_table(user: Visitor, view: SeasonView) -> dict[str, Any]:
    """Return what belongs to a whole season, not to a view: its final, titles and pool."""
    row, now = view.series, timezone.now()
    may_direct = _directs(user, row.club)
    free = None
    if may_direct and view.qualifiers and not is_drawn(row.final):
        free = free_places(row, now, qualified_by(view.standing, view.closing))
    own = player_of(user) if isinstance(user, User) else None
    has_entries = view.standing.plan.belongs is Eligibility.ENTERED and view.closing is None
    people_names = _names_of_places(user, row, free)
    share = newest_shares([row.pk]).get(row.pk)
    pools = pools_of(row) if share is not None else []
    rounds = _final_rounds(view.standing.plan)
    lines = place_lines(row, people_names, own, now, directs=may_direct, rounds=rounds)
    may_offer = may_direct and not is_drawn(row.final)
    closed_table = view.closing.table if view.closing is not None else None
    staff = is_staff(user, row.club)
    return {
        "can_enter": has_entries and own is not None,
        "has_entered": has_entries and own is not None and own.public_id in (view.standing.plan.players or ()),
        "share": share_text(share),
        "pool_places": places_text(share),
        "pools": pool_lines(row, pools, closed_table, own=own, staff=staff, directs=may_direct),
        "methods": Payment.Method.choices,
        "places": lines,
        "starts": starts_lines(rounds),
        "free": free,
        "tied": tied_sentence(free, people_names) if free is not None else "",
        "asked_next": sum(len(players) for _rank, players in free.next) if free is not None else 0,
        "answers": ANSWERS,
        "answer_by": now.astimezone(ZoneInfo(row.club.time_zone)).date() + timedelta(days=DAYS_TO_ANSWER),
        "may_prepare": not is_drawn(row.final) and (row.final is None or row.final_places.exists()),
        "open_offers": sum(line.state == FinalPlace.State.OFFERED for line in lines) if may_offer else 0,
        "final": row.final if row.final is not None and (may_direct or row.final.status in VISIBLE) else None,
        "titles": title_lines(user, row.club, titles_of(row.titles.filter(withdrawn_at=None))),
        "proposals": title_lines(user, row.club, proposals_left(row)) if may_direct else [],
    }


@open_to(get=Who.DIRECTORS)
def series_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form of a new season; it is sent to the action `create`."""
    club = people.club_as(request.user, slug, Role.DIRECTOR)
    context = {
        "club": club,
        "form": SeriesForm(initial=season_initial(club, timezone.now())),
        "presets": PRESETS,
        "earlier": Series.objects.filter(club=club)[:3],
        "key": new_form_key(),
    }
    return render(request, "seasons/new.html", context)


def _who_may_have_points(series: Series) -> QuerySet[Player]:
    """Return the members of the club, and guests who have played in the season."""
    entered = Entry.objects.filter(division__tournament__counts_in__series=series)
    ids = Q(pk__in=entered.values(person=Coalesce("player__merged_into", "player")))
    for partner in ("player__pair__first", "player__pair__second"):
        ids |= Q(pk__in=entered.values(person=Coalesce(f"{partner}__merged_into", partner)))
    concerned = Q(memberships__club=series.club) | ids
    rows = Player.objects.filter(is_person(), concerned, merged_into=None, erased_at=None)
    return rows.distinct().order_by("name_key", "pk")


def _entries_context(series: Series, plan: Plan) -> dict[str, Any]:
    """Return who may have points, who has entered, and who else can be entered."""
    people = list(_who_may_have_points(series))
    rows = list(series.entries.select_related("player__merged_into"))
    entered = {row.player.merged_into or row.player for row in rows}
    return {
        "players": people,
        "has_entries": plan.belongs is Eligibility.ENTERED or bool(rows),
        "entered": sorted(entered, key=lambda player: (player.name_key, player.pk)),
        "can_enter": [player for player in people if player not in entered],
    }


def _by_hand(series: Series) -> list[tuple[SeriesPoints, str]]:
    """Return the points given by hand with the names of their players, for directors."""
    rows = list(series.points_by_hand.select_related("player__merged_into", "tournament"))
    names = names_in_club(series.club, (row.player for row in rows), staff=True)
    return [(row, names[row.player_id]) for row in rows]


def _kinds(plan: Plan) -> list[str]:
    """Return the classes of events that a plan tells apart."""
    kinds = kinds_of(plan) | set(plan.class_by_month.values())
    return sorted(kinds - {ELSE, "normal"})


def _kind_choices(plan: Plan, kinds: Sequence[str]) -> list[tuple[str, str]]:
    """Return the classes that a director can give an evening; empty if the plan tells none apart."""
    if not kinds:
        return []
    by_plan = [("by_month", _("as the month says"))] if plan.class_by_month else []
    return [*by_plan, ("normal", _("normal")), *((kind, kind_label(kind)) for kind in kinds)]


def _pool_context(series: Series) -> dict[str, Any]:
    """Return the form of the pool and what it says about evenings."""
    share = newest_shares([series.pk]).get(series.pk)
    initial: dict[str, Any] = {"shares": "50 30 20"}
    if share is not None:
        initial["shares"] = places_text(share).removesuffix(" %").replace(" · ", " ")
        if share.percent:
            initial["percent"] = percent(share.percent).removesuffix(" %")
        if share.amount:
            own = Currency(share.currency, share.currency_exponent)
            initial |= {"amount": own.plain(share.amount), "currency": own.code}
    still_open = open_desks(series)
    return {
        "pool_form": SeasonPoolForm(initial=initial),
        "pool_share": share_text(share),
        "currencies": currencies_of(series),
        "pool_currency": initial.get("currency", ""),
        "open_desks": still_open,
        "closed_desks": series.counted.count() - still_open,
    }


@dataclass(frozen=True, slots=True)
class ViewLine:
    """A view on the page of a director, with its form."""

    public_id: str
    name: str
    rule: str
    form: ViewForm
    players: Sequence[tuple[str, str, bool]]
    """Public id, name and whether it is chosen, of each player who can be."""


def _views_context(user: Visitor, standing: SeasonTable) -> dict[str, Any]:
    """Return the views of a season with their forms, and the form of a new one."""
    series = standing.series
    ids = [row.player for row in standing.season.rows]
    ids += sorted({player for earned in standing.so_far.values() for player in earned} - set(ids))
    names = names_of_table(user, series.club, {"rows": [{"player": player} for player in ids]})
    erased = set(Player.objects.filter(public_id__in=ids).exclude(erased_at=None).values_list("public_id", flat=True))
    offered = {player: names[player] for player in ids if player in names and player not in erased}
    views = list(series.views.prefetch_related("players__merged_into"))
    members = {view: {(row.merged_into or row).public_id for row in view.players.all()} for view in views}
    others = names_by_id(series.club, set().union(*members.values()), staff=True)
    lines = []
    for view, chosen in members.items():
        known = offered | {player: others[player] for player in sorted(chosen) if player not in offered}
        lines.append(
            ViewLine(
                view.public_id, view.name, rule_label(view.rule),
                ViewForm(initial={"name": view.name, "rule": view.rule}, auto_id=f"id_{view.public_id}_%s"),
                [(public_id, name, public_id in chosen) for public_id, name in known.items()],
            )
        )  # fmt: skip
    players = [(public_id, name, False) for public_id, name in offered.items()]
    new = ViewLine("", "", "", ViewForm(initial={"rule": PLAYERS if players else None}, auto_id="id_view_%s"), players)
    return {"views": lines, "new_view": new}


@open_to(get=Who.DIRECTORS)
@never_cache
def series_edit(request: HttpRequest, slug: str, series: str) -> HttpResponse:
    """Show which events count and the lines of the plan, with a preview of what is typed; htmx gets the preview."""
    row = series_of(slug, series)
    people.require(request.user, row.club, Role.DIRECTOR)
    version = newest_plan(row)
    standing = season_table(row, version=version)
    form = PlanLinesForm(request.GET if "show_digits" in request.GET else None, version.plan)
    data, refusal = version.plan, None
    preview: PlanPreview | None = None
    try:
        if form.is_bound and form.is_valid():
            data = form.proposed
        preview = preview_of(request.user, standing, data, form.example)
    except Refused as refused:
        form.full_clean()
        refusal = refused
        form.refuse(refused)
    context = {"club": row.club, "series": row, "form": form, "preview": preview, "refusal": refusal}
    if is_htmx(request):
        return render(request, "seasons/_preview.html", context)
    plan = plan_from(version.plan)
    kinds = _kinds(plan)
    days = {"name": row.name, "first_day": row.first_day, "last_day": row.last_day, "pairs": row.pairs}
    context |= {
        "details": DetailsForm(initial=days, auto_id="id_details_%s"),
        "is_empty": is_empty(row),
        "version": version,
        "versions": row.plans.order_by("-number"),
        "closing": closing_of(row),
        "reopen": ReopenForm(),
        "counted": [
            (night, (night.row.kind or ("by_month" if plan.class_by_month else "normal")) if night.row else "")
            for night in standing.nights
        ],
        "own_nights": [night for night in standing.nights if night.row is not None],
        "missing": [(event, day_of(event)) for event in missing_events(row)],
        "by_hand": _by_hand(row),
        **_entries_context(row, plan),
        **_pool_context(row),
        **_views_context(request.user, standing),
        "has_shares": any(isinstance(each, Places) and isinstance(each.values, Shares) for each in nodes(plan.points)),
        "kinds": _kind_choices(plan, kinds),
    }
    return render(request, "seasons/edit.html", context)


@open_to(get=Who.EVERYBODY)
def series_file(request: HttpRequest, slug: str, series: str, extension: str) -> HttpResponseBase:
    """Download the table of a season as CSV or JSON."""
    row = series_of(slug, series)
    view = find_view(row, request.GET.get("view"))
    body = season_data(request.user, row, view)
    name = f"{row.slug}-{view.public_id}" if view is not None else row.slug
    if extension == "csv":
        return short_file(_lines(body), f"{name}.csv")
    body = {
        **body,
        "first_day": row.first_day.isoformat(),
        "last_day": row.last_day.isoformat(),
        "closed_at": body["closed_at"] and body["closed_at"].isoformat(),
    }
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return HttpResponse(json.dumps(body, ensure_ascii=False), content_type="application/json", headers=headers)


def _lines(body: Mapping[str, Any]) -> Iterator[list[Any]]:
    events = body["events"]
    titles = (safe(f"{event['day'] or ''} {event['name']}".strip()) for event in events)
    yield [_("Rank"), _("Player"), *titles, _("Total")]
    for row in body["rows"]:
        points = (row["points"].get(event["event"], "") for event in events)
        yield [row["rank"] or "", safe(row["name"]), *map(_decimal, (*points, row["total"]))]


def _decimal(points: str) -> str:
    """Write 27/2, which spreadsheets take for a date, as 13.5000: three decimals could be thousands to our import."""
    return points and plain(Fraction(points), 4)


@dataclass(frozen=True)
class SeasonCard:
    """The top of a club's current season."""

    view: SeasonView
    rows: Sequence[TableRow]


def current_series(club: Club, today: date) -> Series | None:
    """Return the season of a club that is on, or else the newest."""
    rows = list(Series.objects.filter(club=club).select_related("club")[:MAX_LOOKED_AT])
    running = [row for row in rows if row.first_day <= today <= row.last_day]
    return min(running, key=lambda row: row.first_day) if running else next(iter(rows), None)


def season_card(user: Visitor, club: Club, today: date) -> SeasonCard | None:
    series = current_series(club, today)
    if series is None or left_out():
        return None
    view = season_view(user, series, explained=False, with_race=False)
    own = [view.own] if view.own is not None and view.own not in view.rows[:ON_CARD] else []
    return SeasonCard(view, [*view.rows[:ON_CARD], *own])


MAX_AT_HOME = 3
"""Seasons on the page of a member."""


def own_places(user: User, clubs: Sequence[Club], now: datetime) -> list[SeasonView]:
    """Return the seasons of these clubs that are running on their clocks, and in whose tables the user is."""
    running = Q(pk__in=[])
    for club in clubs:
        today = now.astimezone(ZoneInfo(club.time_zone)).date()
        running |= Q(club=club, first_day__lte=today, last_day__gte=today)
    rows = Series.objects.filter(running).select_related("club").order_by("last_day", "pk")[:MAX_AT_HOME]
    views = [season_view(user, row, explained=False) for row in rows]
    return [view for view in views if view.own is not None]


@dataclass(frozen=True, slots=True)
class SeasonOfEvent:
    """A season in which an event counts, with the reader's place in it if they have one."""

    series: Series
    view: SeasonView | None = None
    """For players."""
    so_far: str = ""
    """The reader's points of this event while it is being played."""


def series_of_event(event: Tournament) -> QuerySet[Series]:
    """Return the seasons of its club in which an event counts, the oldest first."""
    return Series.objects.filter(club=event.club_id, counted__tournament=event).select_related("club").order_by("pk")


def seasons_of_event(user: Visitor, event: Tournament) -> list[SeasonOfEvent]:
    """Return the seasons in which an event counts. Places are looked up for players only, if all can be derived."""
    rows = series_of_event(event)
    player = player_of(user) if rows and isinstance(user, User) else None
    if player is None or left_out():
        return [SeasonOfEvent(row) for row in rows]
    seasons = []
    for row in rows:
        view = season_view(user, row, explained=False, with_race=False)
        earned = view.standing.so_far.get(event.public_id, {}).get(player.public_id)
        so_far = view.standing.show(earned.points) if earned is not None else ""
        seasons.append(SeasonOfEvent(row, view, so_far))
    return seasons


# The table on the screens of an evening.


@dataclass(frozen=True, slots=True)
class EveningLine:
    """A player of a season on one of its evenings, with what it gave them, or gives them so far."""

    rank: int | None
    name: str
    total: str
    """Of the evenings that are over; empty before a player's first."""
    evening: str


@dataclass(frozen=True, slots=True)
class EveningTable:
    """A season on one of its evenings, as everybody may see it."""

    name: str
    lines: Sequence[EveningLine]


def evening_table(series: Series, event: Tournament, part: SeriesView | None = None) -> EveningTable:
    """Return the table of a season, or of a view, with the points of one evening; newcomers come last."""
    view = season_view(AnonymousUser(), series, explained=False, with_race=False, part=part)
    standing = view.standing
    column = next((at for at, each in enumerate(view.columns) if each.id == event.public_id), None)
    lines = [
        EveningLine(row.rank, row.name, row.total, row.cells[column].text if column is not None else "")
        for row in view.rows
    ]
    so_far = {} if view.closing is not None else standing.so_far.get(event.public_id, {})
    listed = {row.player for row in view.rows}
    belong = standing.view.players if standing.view is not None else so_far.keys()
    new = [pair for pair in so_far.items() if pair[0] not in listed and pair[0] in belong]
    newcomers = sorted(new, key=lambda pair: -pair[1].points)
    names = names_of_table(
        AnonymousUser(), series.club, {"rows": [{"player": player} for player, _earned in newcomers]}
    )
    lines += [
        EveningLine(None, names.get(player, ""), "", standing.show(earned.points)) for player, earned in newcomers
    ]
    name = f"{series.name} · {part.name}" if part is not None else series.name
    return EveningTable(name, lines)
