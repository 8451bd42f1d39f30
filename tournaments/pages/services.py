"""The next season of a league: promotion, relegation, and a draft event with the same divisions."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor, log
from players.models import Player
from tournaments.entries.services.entries import enter
from tournaments.events.services.events import create_division, create_tournament
from tournaments.formats.settings import LEAGUE, StageSettings
from tournaments.formats.tables.seasons import next_season
from tournaments.models import Division, Entry, Stage, Tournament
from tournaments.state.derivation import states_of
from tournaments.state.stages import set_stages, stage_settings

COPIED = (
    "name", "self_registration", "capacity", "fee", "match_length", "round_lengths", "crawford", "rated",
    "draw_method", "apart", "deadline_rule", "extension_hours", "claim_wait",
    "records_stand",
)  # fmt: skip
"""Settings of a division that are copied to the next season."""


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
        season = create_tournament(
            club=tournament.club,
            by=by,
            now=now,
            key=key,
            name=name,
            starts_at=starts_at,
            time_zone=tournament.time_zone,
            venue=tournament.venue,
            tables=tournament.tables,
            currency=tournament.currency,
            currency_exponent=tournament.currency_exponent,
        )
        if season.divisions.exists():
            return season
        for drafted_division in drafted:
            values = {field: getattr(drafted_division.before, field) for field in COPIED}
            division = create_division(tournament=season, by=by, now=now, **values)
            enter(division=division, players=[player for player, _ in drafted_division.players], by=by, now=now)
            division.refresh_from_db()
            stages = [_without_dates(settings) for settings in stage_settings(drafted_division.before)]
            set_stages(division=division, stages=stages, after=division.seq, by=by, now=now)
        log(by, "season_drafted", tournament.topic, club=tournament.club, season=season.public_id, name=season.name)
    return season


def _without_dates(settings: StageSettings) -> StageSettings:
    """Return the settings without the dates of the past season."""
    return replace(settings, until="", join_until="")
