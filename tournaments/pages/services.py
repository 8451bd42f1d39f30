"""Drafting an event from an earlier one: the next season of a league, or the same event again."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from players.models import Player
from tournaments.entries.services.entries import enter
from tournaments.events.services.events import SETTINGS, create_division, create_tournament
from tournaments.formats.settings import LEAGUE, StageSettings
from tournaments.formats.tables.seasons import next_season
from tournaments.ledger.services.desk import require_payment
from tournaments.models import CashDesk, Division, Entry, Floor, Stage, Table, Tournament
from tournaments.prizes.selectors.prizes import plan_of, pots_of
from tournaments.prizes.services.plans import PlanInput, save_plan
from tournaments.prizes.services.pools import PoolInput, create_pool
from tournaments.state.derivation import states_of
from tournaments.state.stages import set_stages, stage_settings

TIMES = ("closes_at", "reentry_until")
COPIED = tuple(name for name in SETTINGS if name not in TIMES)
"""Settings of a division that are copied unchanged."""
FLOOR_SETTINGS = (
    "rest_minutes", "second_call_minutes", "no_show_minutes", "penalty_points", "penalty_first_minutes",
    "penalty_each_minutes",
)  # fmt: skip
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class DraftedDivision:
    """A division of the next season; each player with the index (from 0) of their current division."""

    before: Division
    players: tuple[tuple[Player, int], ...]


def leagues_of(tournament: Tournament) -> list[Division]:
    """Return the divisions of an event that are leagues, the highest first."""
    rows = tournament.divisions.filter(stages__format=Stage.Format.LEAGUE).distinct()
    return list(rows.exclude(status=Division.Status.CANCELLED).order_by("order", "pk"))


def preview_season(tournament: Tournament) -> list[DraftedDivision]:
    """Return the divisions of the next season from the final tables of this one; writes nothing.

    Between two divisions as many players move up and down as the higher one says (`moving`). Withdrawn players are
    left out. Refused: `no_league`, `season_not_over`.
    """
    divisions = leagues_of(tournament)
    if not divisions:
        raise Refused("no_league")
    entries: dict[int, tuple[Entry, int]] = {}
    tables: list[list[int]] = []
    moving: list[int] = []
    for index, division in enumerate(divisions):
        if division.status != Division.Status.FINISHED:
            raise Refused("season_not_over", division=division.name)
        league = next(state for state in states_of(division) if state.stage.format == LEAGUE)
        moving.append(league.rows.settings.moving)
        tables.append([row.entry for row in league.tables[0].rows])
        rows = division.entries.filter(pk__in=tables[-1]).select_related("player")
        entries |= {entry.pk: (entry, index) for entry in rows}
    leavers = [pk for pk, (entry, _) in entries.items() if entry.status == Entry.Status.OUT]
    rosters = next_season(tables, moving=moving[:-1], leavers=leavers)
    return [
        DraftedDivision(division, tuple((entries[pk][0].player, entries[pk][1]) for pk in members))
        for division, members in zip(divisions, rosters, strict=True)
    ]


def draft_next_season(
    *, tournament: Tournament, name: str, starts_at: datetime, by: Actor, now: datetime, key: str = ""
) -> Tournament:
    """Create a draft event with the same divisions and the players of `preview_season`; the director sets dates.

    A repeated `key` of the same user returns the first draft. Refused: as `preview_season`, and `name_taken`.
    """
    with transaction.atomic():
        drafted = preview_season(tournament)
        values = {"name": name, "starts_at": starts_at}
        season = _create_like(tournament, values, by=by, now=now, key=key)
        if season.divisions.exists():
            return season
        for drafted_division in drafted:
            division = create_division(tournament=season, by=by, now=now, **_copied_settings(drafted_division.before))
            enter(division=division, players=[player for player, _ in drafted_division.players], by=by, now=now)
            division.refresh_from_db()
            _copy_stages(drafted_division.before, division, by=by, now=now)
        log(by, "season_drafted", tournament.topic, club=tournament.club, season=season.public_id, name=season.name)
    return season


def copy_event(*, tournament: Tournament, by: Actor, now: datetime, key: str = "") -> Tournament:
    """Create a draft of the same event in a later week: divisions, formats, tables, fees, prizes, side pools.

    Players, results and the deadlines of rounds are not copied, nor are cancelled divisions. All times move by the same
    number of weeks (`weeks_until_next`). A repeated `key` of the same user returns the first copy.
    Refused: `no_division`.
    """
    divisions = list(tournament.divisions.exclude(status=Division.Status.CANCELLED).order_by("order", "pk"))
    if not divisions:
        raise Refused("no_division")
    zone = ZoneInfo(tournament.time_zone)
    shift = weeks_until_next(tournament.starts_at, zone, now) * WEEK
    with transaction.atomic():
        values = {
            "name": tournament.name,
            "starts_at": _moved(tournament.starts_at, shift, zone),
            "ends_at": _moved(tournament.ends_at, shift, zone),
            "check_in_opens_at": _moved(tournament.check_in_opens_at, shift, zone),
            "check_in_closes_at": _moved(tournament.check_in_closes_at, shift, zone),
            "about": tournament.about,
        }
        copy = _create_like(tournament, values, by=by, now=now, key=key)
        if copy.divisions.exists():
            return copy
        _copy_floor(tournament, copy, now)
        pairs = []
        for before in divisions:
            times = {name: _moved(getattr(before, name), shift, zone) for name in TIMES}
            settings = _copied_settings(before) | times
            division = create_division(tournament=copy, by=by, now=now, **settings)
            _copy_stages(before, division, by=by, now=now)
            pairs.append((before, division))
        # The cash desk is the last lock (docs/locking.md), so that no division is created after this.
        for before, division in pairs:
            _copy_prizes(before, division, by=by, now=now)
        if CashDesk.objects.filter(tournament=tournament, draw_needs_payment=True).exists():
            require_payment(tournament=copy, needed=True, by=by, now=now)
        log(by, "event_copied", tournament.topic, club=tournament.club, copy=copy.public_id)
    return copy


def weeks_until_next(starts_at: datetime, zone: ZoneInfo, now: datetime) -> int:
    """Return after how many weeks, at least one, the event's weekday and local time are in the future."""
    weeks = max(1, (now - starts_at) // WEEK)
    return next(number for number in range(weeks, weeks + 3) if starts_at.astimezone(zone) + number * WEEK > now)


def _moved(at: datetime | None, shift: timedelta, zone: ZoneInfo) -> datetime | None:
    """Return the instant with the same local time `shift` later, whatever summer time does."""
    return at.astimezone(zone) + shift if at is not None else None


def _create_like(
    tournament: Tournament, values: Mapping[str, Any], *, by: Actor, now: datetime, key: str
) -> Tournament:
    """Create a draft event with these values at the same place, with the same tables, currency and closing rule."""
    return create_tournament(
        club=tournament.club,
        by=by,
        now=now,
        key=key,
        time_zone=tournament.time_zone,
        venue=tournament.venue,
        tables=tournament.tables,
        closing_rule=tournament.closing_rule,
        currency=tournament.currency,
        currency_exponent=tournament.currency_exponent,
        **values,
    )


def _copied_settings(division: Division) -> dict[str, Any]:
    return {field: getattr(division, field) for field in COPIED}


def _copy_stages(before: Division, division: Division, *, by: Actor, now: datetime) -> None:
    stages = [_without_dates(settings) for settings in stage_settings(before)]
    set_stages(division=division, stages=stages, after=division.seq, by=by, now=now)


def _copy_floor(before: Tournament, copy: Tournament, now: datetime) -> None:
    """Copy the tables and the settings of the floor. Services refuse to open the floor of a draft."""
    Table.objects.bulk_create(
        Table(tournament=copy, label=table.label, order=table.order, category=table.category)
        for table in before.floor_tables.all()
    )
    if (floor := Floor.objects.filter(tournament=before).first()) is not None:
        settings = {name: getattr(floor, name) for name in FLOOR_SETTINGS}
        Floor.objects.create(tournament=copy, opened_at=now, **settings)


def _copy_prizes(before: Division, division: Division, *, by: Actor, now: datetime) -> None:
    """Copy the prize plan, published if it was, and the side pools without their members."""
    if (plan := plan_of(before)) is not None:
        copied = PlanInput(pots_of(plan), plan.registration, plan.reentry, plan.guaranteed, plan.unit, plan.ties_share)
        save_plan(division=division, plan=copied, publish=plan.published, by=by, now=now)
    for pool in before.side_pools.all():
        order = [(bracket, place) for bracket, place in pool.order]
        side_pool = PoolInput(pool.name, pool.fee, pool.shares, order, pool.unit)
        create_pool(division=division, pool=side_pool, by=by, now=now)


def _without_dates(settings: StageSettings) -> StageSettings:
    """Return the settings without the dates of the past season."""
    return replace(settings, until="", join_until="")
