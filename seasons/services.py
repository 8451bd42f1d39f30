"""Creating a series, choosing its events, changing its plan by a new version, and closing it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.fields.reverse_related import ForeignObjectRel
from django.dispatch import receiver
from django.utils.text import slugify

from core.locks import lock_row
from engine.errors import Refused
from formats.series.final import final_rounds
from formats.series.numbers import number
from formats.series.plan import plan_from, plan_json
from formats.series.presets import preset
from players.actors import Actor, log
from players.models import Club, LogEntry, Player
from players.people.rows import lock_club, lock_present
from seasons.tables import (
    closing_of,
    day_of,
    events_between,
    newest_plan,
    season_table,
    shares_of,
    table_of,
    with_a_match,
)
from tournaments.access import VISIBLE
from tournaments.events.services import event_published
from tournaments.models import (
    Division,
    Series,
    SeriesClosing,
    SeriesEntry,
    SeriesEvent,
    SeriesPlan,
    SeriesPoints,
    Tournament,
)

MAX_SERIES_DAYS = 400
"""Days of the longest series."""
BY_MONTH = "by_month"
"""In place of a class: the plan says it by the month."""
RESERVED = ("new", "create")
"""Addresses of pages beside those of the seasons."""


@dataclass(frozen=True, slots=True)
class SeriesInput:
    """A new series; `like` is one whose plan is copied instead of taking a preset, with what pairs get."""

    name: str
    first_day: date
    last_day: date
    preset: str = "usual"
    like: Series | None = None


@dataclass(frozen=True, slots=True)
class PointsInput:
    """Points by hand, with their reason."""

    event: Tournament
    player: Player
    points: str
    reason: str


def check_days(first_day: date, last_day: date) -> None:
    """Refuse days that make no season. Refused: `series_days`."""
    if not 0 <= (last_day - first_day).days <= MAX_SERIES_DAYS:
        raise Refused("series_days", most=MAX_SERIES_DAYS)


def create_series(*, club: Club, series: SeriesInput, by: Actor, now: datetime, key: str = "") -> Series:
    """Create a series with a plan, in which the club's events of these days count.

    Repeating a `key` returns the first series. Refused: `series_days`, `series_name_taken`, `series_preset`.
    """
    check_days(series.first_day, series.last_day)
    form = newest_plan(series.like).plan if series.like is not None else plan_json(preset(series.preset).plan)
    with transaction.atomic():
        lock_club(club)
        if key and (first := LogEntry.objects.filter(user=by.user, verb="series_created", params__key=key).first()):
            return Series.objects.select_related("club").get(public_id=first.topic.partition(":")[2])
        if Series.objects.filter(club=club, name__iexact=series.name).exists():
            raise Refused("series_name_taken", name=series.name)
        row = Series.objects.create(
            club=club,
            name=series.name,
            slug=_free_slug(club, series.name),
            first_day=series.first_day,
            last_day=series.last_day,
            pairs=series.like.pairs if series.like is not None else Series.PairPoints.EACH,
            created_at=now,
            created_by=by.user,
        )
        plan = {**form, "name": row.name}
        SeriesPlan.objects.create(series=row, number=1, plan=plan, created_at=now, created_by=by.user)
        SeriesEvent.objects.bulk_create(SeriesEvent(series=row, tournament=event) for event in missing_events(row))
        log(by, "series_created", row.topic, club=club, name=row.name, key=key)
    return row


def _free_slug(club: Club, name: str) -> str:
    base = slugify(name)[:50] or "season"
    taken = set(Series.objects.filter(club=club, slug__startswith=base).values_list("slug", flat=True))
    numbered = (f"{base}-{count}" for count in range(2, len(taken) + 3))
    return next(slug for slug in (base, *numbered) if slug not in taken and slug not in RESERVED)


def missing_events(series: Series) -> list[Tournament]:
    """Return the club's events of the days of a series that do not count in it, oldest first.

    Cancelled ones only if a match of theirs had been played.
    """
    events = Tournament.objects.filter(club=series.club, status__in=VISIBLE)
    counted = series.counted.values("tournament")
    rows = events.exclude(pk__in=counted).exclude(final_of=series)
    of_days = events_between(series.first_day, series.last_day, rows)
    cancelled = [row for row in of_days if row.status == Tournament.Status.CANCELLED]
    divisions = list(Division.objects.filter(tournament__in=cancelled)) if cancelled else []
    begun_topics = with_a_match(divisions)
    abandoned = {row.tournament_id for row in divisions if row.topic in begun_topics}
    return [row for row in of_days if row not in cancelled or row.pk in abandoned]


def changed_series(series: Series, after: int | None = None) -> Series:
    """Lock a series that is open, and count the change. Refused: `stale`, `series_closed`."""
    row = lock_row(Series, series.pk)
    if after is not None and row.seq != after:
        raise Refused("stale")
    if closing_of(row) is not None:
        raise Refused("series_closed")
    row.seq += 1
    row.save(update_fields=["seq"])
    return row


@dataclass(frozen=True, slots=True)
class CountsAs:
    """As what an event counts; an empty value leaves what was set, and `by_month` leaves the kind to the plan."""

    kind: str = ""
    weight: str = ""
    shares: str = ""


def count_events(*, series: Series, events: Sequence[Tournament], by: Actor, counts_as: CountsAs = CountsAs()) -> None:
    """Count events of the club in a series, or change as what they count.

    Refused: `series_closed`, `series_number`, `series_event_elsewhere`.
    """
    if counts_as.weight:
        number(counts_as.weight, "weight")
    shares_of(counts_as.shares)
    with transaction.atomic():
        row = changed_series(series)
        for event in events:
            if event.club_id != row.club_id:
                raise Refused("series_event_elsewhere", event=event.name)
            values = {name: value for name, value in asdict(counts_as).items() if value}
            if values.get("kind") == BY_MONTH:
                values["kind"] = ""
            SeriesEvent.objects.update_or_create(series=row, tournament=event, defaults=values)
            log(by, "series_event_counted", row.topic, club=row.club, event=event.name, **values)


def change_details(
    *, series: Series, name: str, days: tuple[date, date], after: int, by: Actor, pairs: str = ""
) -> None:
    """Change the name and the first and last day of a season; its address stays.

    `pairs`, unless empty, says what each of a pair gets of its points (`Series.PairPoints`).

    The club's events of days that are new to it count; those that count already stay, whatever their day.
    Refused: `series_days`, `stale`, `series_closed`, `series_name_taken`.
    """
    check_days(*days)
    with transaction.atomic():
        lock_club(series.club)
        row = changed_series(series, after)
        if Series.objects.filter(club=row.club, name__iexact=name).exclude(pk=row.pk).exists():
            raise Refused("series_name_taken", name=name)
        before = row.first_day, row.last_day
        row.name, (row.first_day, row.last_day) = name, days
        row.pairs = pairs or row.pairs
        row.save(update_fields=["name", "first_day", "last_day", "pairs"])
        new = [event for event in missing_events(row) if not before[0] <= day_of(event) <= before[1]]
        SeriesEvent.objects.bulk_create(SeriesEvent(series=row, tournament=event) for event in new)
        log(
            by, "series_details_changed", row.topic, club=row.club, name=name,
            days=[day.isoformat() for day in days], pairs=row.pairs,
        )  # fmt: skip


def is_empty(series: Series) -> bool:
    """Whether nothing rests on a season: no evening, entry, points, view, place or title, nor was it ever closed."""
    if series.final_id is not None:
        return False
    for relation in Series._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.related_model is not SeriesPlan:
            rows = relation.related_model._default_manager  # noqa: SLF001, the manager of any model
            if rows.filter(**{relation.field.name: series}).exists():
                return False
    return True


def remove_series(*, series: Series, by: Actor) -> None:
    """Remove a season on which nothing rests, with its plan. Refused: `series_closed`, `series_in_use`."""
    with transaction.atomic():
        row = changed_series(series)
        if not is_empty(row):
            raise Refused("series_in_use", name=row.name)
        row.plans.all().delete()
        row.delete()
        log(by, "series_removed", row.topic, club=row.club, name=row.name)


@receiver(event_published, dispatch_uid="seasons.count_published")
def count_published(sender: type[Tournament], event: Tournament, by: Actor, **_: object) -> None:
    """Count an event that is being published in the open seasons of its club whose days it falls on, if it is to."""
    if not event.season:
        return
    day = day_of(event)
    rows = Series.objects.filter(club=event.club_id, first_day__lte=day, last_day__gte=day).exclude(final=event)
    for series in rows.order_by("pk"):
        row = lock_row(Series, series.pk)
        if closing_of(row) is None and SeriesEvent.objects.get_or_create(series=row, tournament=event)[1]:
            row.seq += 1
            row.save(update_fields=["seq"])
            log(by, "series_event_counted", row.topic, club=row.club, event=event.name)


def give_points(*, series: Series, given: PointsInput, by: Actor, now: datetime) -> SeriesPoints:
    """Give a player points by hand in an event that counts, in addition to those of the plan.

    Refused: `series_closed`, `series_number`, `series_event_left_out`.
    """
    number(given.points, "points")
    with transaction.atomic():
        row = changed_series(series)
        if not row.counted.filter(tournament=given.event).exists():
            raise Refused("series_event_left_out", event=given.event.name)
        points = SeriesPoints.objects.create(
            series=row, tournament=given.event, player=given.player, points=given.points, reason=given.reason,
            at=now, by=by.user,
        )  # fmt: skip
        log(
            by, "series_points_given", row.topic, club=row.club, event=given.event.name,
            player=given.player.public_id, points=given.points, reason=given.reason,
        )  # fmt: skip
    return points


def undo_points(*, series: Series, given: int, by: Actor) -> None:
    """Take back points that were given by hand; harmless if that was done before. Refused: `series_closed`."""
    with transaction.atomic():
        row = changed_series(series)
        points = row.points_by_hand.filter(pk=given).select_related("player", "tournament").first()
        if points is not None:
            points.delete()
            log(
                by, "series_points_taken_back", row.topic, club=row.club, event=points.tournament.name,
                player=points.player.public_id, points=points.points,
            )  # fmt: skip


def enter_season(*, series: Series, player: Player, by: Actor, now: datetime) -> None:
    """Enter a player; harmless if that was done before. Refused: `series_closed`, and as `lock_present`."""
    with transaction.atomic():
        row = changed_series(series)
        lock_present(player)
        if not _entries(row, player).exists():
            SeriesEntry.objects.create(series=row, player=player, at=now, by=by.user)
            log(by, "series_entered", row.topic, club=row.club, player=player.public_id)


def leave_season(*, series: Series, player: Player, by: Actor) -> None:
    """Take the entry of a player back; harmless without one. Refused: `series_closed`."""
    with transaction.atomic():
        row = changed_series(series)
        if _entries(row, player).delete()[0]:
            log(by, "series_entry_removed", row.topic, club=row.club, player=player.public_id)


def _entries(series: Series, player: Player) -> QuerySet[SeriesEntry]:
    return series.entries.filter(Q(player=player) | Q(player__merged_into=player))


def leave_out(*, series: Series, event: Tournament, by: Actor) -> None:
    """Let an event no longer count; harmless if it does not. Refused: `series_closed`."""
    with transaction.atomic():
        row = changed_series(series)
        if row.counted.filter(tournament=event).delete()[0]:
            log(by, "series_event_left_out", row.topic, club=row.club, event=event.name)


def change_plan(*, series: Series, plan: Any, after: int, by: Actor, now: datetime) -> SeriesPlan:
    """Let a new version of the plan apply; an equal one makes no version.

    Refused: `stale`, `series_closed`, and as `plan_from` and `final_rounds`.
    """
    proposed = plan_from(plan)
    final_rounds(proposed.qualify)
    data = plan_json(proposed)
    with transaction.atomic():
        row = changed_series(series, after)
        newest = newest_plan(row)
        data["name"] = newest.plan.get("name", row.name)
        if data == newest.plan:
            return newest
        version = SeriesPlan.objects.create(
            series=row, number=newest.number + 1, plan=data, created_at=now, created_by=by.user
        )
        log(by, "series_plan_changed", row.topic, club=row.club, version=version.number)
    return version


def close_series(*, series: Series, after: int, by: Actor, now: datetime) -> SeriesClosing:
    """Close a series with its table as it stands. Refused: `stale`, `series_closed`, `series_night_open`."""
    with transaction.atomic():
        row = changed_series(series, after)
        standing = season_table(row)
        running = next((night for night in standing.nights if night.has_begun and not night.is_over), None)
        if running is not None:
            raise Refused("series_night_open", event=running.name)
        closing = SeriesClosing.objects.create(
            series=row, plan=standing.version, table=table_of(standing), at=now, by=by.user
        )
        log(by, "series_closed", row.topic, club=row.club, name=row.name)
    return closing


def reopen_series(*, series: Series, reason: str, after: int, by: Actor, now: datetime) -> None:
    """Open a closed series again; what was announced is kept. Refused: `stale`, `series_not_closed`."""
    with transaction.atomic():
        row = lock_row(Series, series.pk)
        if row.seq != after:
            raise Refused("stale")
        closing = closing_of(row)
        if closing is None:
            raise Refused("series_not_closed")
        closing.reopened_at, closing.reopened_by, closing.reason = now, by.user, reason
        closing.save(update_fields=["reopened_at", "reopened_by", "reason"])
        row.seq += 1
        row.save(update_fields=["seq"])
        log(by, "series_reopened", row.topic, club=row.club, name=row.name, reason=reason)
