"""What changes in the table of a series: by another plan, or by a corrected result."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from formats.series.difference import RowChange, SeasonChange, difference
from formats.series.numbers import written
from formats.series.plan import Plan
from formats.series.points import Earned
from seasons.pool import PoolChange, pool_changes
from seasons.tables import CountedEvent, SeasonTable, closing_of, names_by_id, nights_of, season_table
from seasons.titles import TitleChange, series_title_changes
from tournaments.models import Division, Entry, Series
from tournaments.state.derivation import StageState


@dataclass(frozen=True, slots=True)
class TableChange:
    """A row of the table before and after, as rank and total; None if it is not there."""

    name: str
    before: tuple[int | None, str] | None
    after: tuple[int | None, str] | None
    points: tuple[str, str] | None = None
    """Of the corrected evening, before and after, if they change."""
    nights: Sequence[str] = ()
    """Sentences about evenings that count only now, or no longer."""


def changes_of(before: SeasonTable, after: SeasonTable, names: Mapping[str, str]) -> list[TableChange]:
    """Return the rows whose rank, total or counted evenings differ, in the order of the new table."""
    return _changes(before, after, difference(before.season, after.season), names, None)


def _changes(
    before: SeasonTable, after: SeasonTable, change: SeasonChange, names: Mapping[str, str], event: str | None
) -> list[TableChange]:
    """Return the rows that change; `event` is the corrected one, without which points of an evening are left out."""
    nights = {night.facts.id: _named(night) for night in (*before.nights, *after.nights)}
    order = {row.player: number for number, row in enumerate((*after.season.rows, *before.season.rows), start=1)}
    order |= {row.player: number for number, row in enumerate(after.season.rows, start=-len(order))}
    rows = sorted(change.rows, key=lambda row: order.get(row.player, 0))
    return [
        TableChange(
            names.get(row.player, ""),
            _shown(before, row.before.rank, row.before.total),
            _shown(after, row.after.rank, row.after.total),
            _points(row, event, after),
            [
                *(_("%(night)s counts.") % {"night": nights[event]}
                  for event in row.after.counted if event not in row.before.counted),
                *(_("%(night)s no longer counts.") % {"night": nights[event]}
                  for event in row.before.counted if event not in row.after.counted),
            ],
        )
        for row in rows
        if row.before != row.after or event in row.points
    ]  # fmt: skip


def _named(night: CountedEvent) -> str:
    """Return the name of an evening with its day, since those of a club often share a name."""
    day = night.shown_day
    return f"{night.name}, {date_format(day)}" if day else night.name


def _points(row: RowChange, event: str | None, standing: SeasonTable) -> tuple[str, str] | None:
    if event is None or event not in row.points:
        return None
    before, after = (standing.show(value) if value is not None else "–" for value in row.points[event])
    return before, after


def _shown(standing: SeasonTable, rank: int | None, total: Fraction | None) -> tuple[int | None, str] | None:
    return None if total is None else (rank, standing.show(total))


def qualifying_places(plan: Plan) -> int:
    """Return how many qualify for a final; 0 if nobody does."""
    places = plan.qualify.get("places")
    return places if isinstance(places, int) else 0


@dataclass(frozen=True)
class SeasonChanges:
    """What a corrected result would change in a series in which its event counts."""

    series: Series
    event: str
    """Public id of the event."""
    rows: Sequence[TableChange]
    is_closed: bool
    change: SeasonChange
    """The same exactly, by public ids."""
    names: Mapping[str, str]
    points: tuple[Mapping[str, Earned], Mapping[str, Earned]]
    """What everybody has of the corrected evening, before and after."""
    final: Sequence[str] = ()
    """Sentences about who would qualify for the final, and who no longer would."""
    titles: Sequence[TitleChange] = ()
    pool: Sequence[PoolChange] = ()
    """What would be due of the pool by the table as it stands; nothing changes once the season is closed."""


def season_changes(division: Division, states: Sequence[StageState]) -> list[SeasonChanges]:
    """Return what changes in the series of a division's event if its stages had these states; staff read it."""
    if not states:
        return []
    changes = []
    event = division.tournament.public_id
    rows = Series.objects.filter(counted__tournament=division.tournament_id).select_related("club")
    for series in rows.order_by("first_day", "pk"):
        before = season_table(series)
        after = season_table(series, nights=nights_of(series, {division.pk: states}))
        ids = (row.player for row in (*before.season.rows, *after.season.rows))
        names = names_by_id(series.club, ids, staff=True)
        change = difference(before.season, after.season, qualifying_places(before.plan))
        changed = _changes(before, after, change, names, event)
        titles = series_title_changes(series, before, after)
        if changed or titles:
            final = _about_final(series, change, names)
            closed = closing_of(series) is not None
            points = before.season.points.get(event, {}), after.season.points.get(event, {})
            ranks = [[(row.rank, row.player) for row in each.season.rows] for each in (before, after)]
            pool = [] if closed else pool_changes(series, ranks[0], ranks[1], names)
            changes.append(SeasonChanges(series, event, changed, closed, change, names, points, final, titles, pool))
    return changes


def _about_final(series: Series, change: SeasonChange, names: Mapping[str, str]) -> list[str]:
    """Say who qualifies and who no longer does; who is in the draw of the final stays in it."""
    drawn: set[str] = set()
    if series.final is not None and change.no_longer:
        entries = Entry.objects.filter(division__tournament=series.final, status=Entry.Status.IN)
        entries = entries.exclude(division__status__in=(Division.Status.ENTRIES, Division.Status.CANCELLED))
        drawn = set(entries.values_list("player__public_id", flat=True))
    stays = _("%(name)s no longer qualifies, but is in the draw of the final and stays in it.")
    return [
        *(_("%(name)s qualifies for the final.") % {"name": names.get(row, "")} for row in change.now),
        *(
            (stays if row in drawn else _("%(name)s no longer qualifies.")) % {"name": names.get(row, "")}
            for row in change.no_longer
        ),
    ]


def represented(changes: SeasonChanges) -> dict[str, Any]:
    return {
        "series": changes.series.public_id,
        "name": changes.series.name,
        "closed": changes.is_closed,
        "rows": [
            {"player": row.player, "name": changes.names.get(row.player, ""), **_row(row, changes)}
            for row in changes.change.rows
        ],
        "qualify": changes.change.now,
        "no_longer_qualify": changes.change.no_longer,
        "titles": [asdict(change) for change in changes.titles],
        "pool": [asdict(change) for change in changes.pool],
    }


def _row(row: RowChange, changes: SeasonChanges) -> dict[str, Any]:
    before, after = (points.get(row.player) for points in changes.points)
    numbers = {
        "total_before": row.before.total, "total_after": row.after.total,
        "points_before": before.points if before is not None else None,
        "points_after": after.points if after is not None else None,
    }  # fmt: skip
    return {
        "rank_before": row.before.rank,
        "rank_after": row.after.rank,
        **{name: None if value is None else written(value) for name, value in numbers.items()},
        "counted_before": row.before.counted,
        "counted_after": row.after.counted,
    }
