"""Formats for evenings: proposed from players, tables and closing time, and kept with the club."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from django.db import transaction

from players.actors import Actor
from players.models import Club
from tournaments.events.services.events import create_division
from tournaments.formats.forecast.finish_times import Finish, Pace
from tournaments.formats.forecast.forecasts import forecast_stages
from tournaments.formats.forecast.proposals import RUNS, propose_format
from tournaments.formats.settings import StageSettings
from tournaments.models import Division, EveningTemplate, Tournament
from tournaments.state.stages import set_stages


@dataclass(frozen=True, slots=True)
class Evening:
    """How many play at how many tables, from when until when (local times without a zone)."""

    players: int
    tables: int
    starts: datetime
    closes: datetime

    @property
    def minutes(self) -> float:
        """How long the evening lasts."""
        return (self.closes - self.starts).total_seconds() / 60


@dataclass(frozen=True, slots=True)
class EveningFormat:
    """The format of an evening. `kept` says that the club has played it on such an evening before."""

    evening: Evening
    stages: tuple[StageSettings, ...]
    lengths: tuple[int, ...]
    finish: Finish | None
    kept: bool


def format_for(club: Club, evening: Evening) -> EveningFormat:
    """Return the format that the club keeps for such an evening, or else a proposal."""
    template = EveningTemplate.objects.filter(club=club, **_key(evening)).first()
    if template is not None:
        return format_of(template, evening)
    proposal = propose_format(evening.players, evening.tables, evening.minutes)
    return EveningFormat(evening, proposal.stages, (proposal.length,), proposal.finish, kept=False)


def format_of(template: EveningTemplate, evening: Evening) -> EveningFormat:
    """Return the format of a template, with its forecast for `evening`."""
    stages = tuple(StageSettings.of(data["format"], data["settings"]) for data in template.stages)
    lengths = tuple(template.lengths)
    pace = Pace(evening.tables, runs=RUNS)
    finish = forecast_stages(stages, evening.players, default_lengths=lengths, pace=pace).finish
    return EveningFormat(evening, stages, lengths, finish, kept=True)


def keep_format(
    *, club: Club, evening: Evening, stages: Sequence[StageSettings], lengths: Sequence[int], now: datetime
) -> None:
    """Keep a format with the club for evenings like this one, in place of an earlier one."""
    values = {
        "stages": [{"format": stage.format, "settings": stage.as_data()} for stage in stages],
        "lengths": list(lengths),
        "used_at": now,
    }
    EveningTemplate.objects.update_or_create(club=club, **_key(evening), defaults=values)


def create_division_for(
    *,
    tournament: Tournament,
    settings: Mapping[str, Any],
    format_: EveningFormat,
    by: Actor,
    now: datetime,
    key: str = "",
) -> Division:
    """Create a division with the format of an evening, which the club keeps. Refused: as `create_division`.

    Repeating a `key` leaves the first division with the format that it has by now.
    """
    lengths = list(format_.lengths)
    values = {**settings, "match_length": lengths[0], "round_lengths": lengths}
    with transaction.atomic():
        known = set(tournament.divisions.values_list("pk", flat=True))
        division = create_division(tournament=tournament, by=by, now=now, key=key, **values)
        if division.pk in known:
            return division
        set_stages(division=division, stages=format_.stages, after=division.seq, by=by, now=now)
        keep_format(club=tournament.club, evening=format_.evening, stages=format_.stages, lengths=lengths, now=now)
    division.refresh_from_db()
    return division


def _key(evening: Evening) -> dict[str, Any]:
    return {
        "players": evening.players,
        "tables": evening.tables,
        "starts": evening.starts.time(),
        "closes": evening.closes.time(),
    }


def first_after(starts: datetime, closes: time) -> datetime:
    """Return the first instant after `starts` at which clocks show `closes`; both are local."""
    ends = datetime.combine(starts.date(), closes)
    return ends if ends > starts else ends + timedelta(days=1)
