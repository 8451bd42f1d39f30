"""The preview of a format as data for the API."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from core.messages import sentence
from tournaments.draws.designer.serializers import OutlineSerializer
from tournaments.events.services.events import entries_in
from tournaments.formats.elimination.patterns import Proposal
from tournaments.formats.forecast.brackets import BracketForecast, RoundForecast
from tournaments.formats.forecast.finish_times import Finish, Pace
from tournaments.formats.forecast.forecasts import Forecast, Remark, StageForecast, forecast_stages
from tournaments.formats.settings import StageSettings
from tournaments.models import Division


def preview_data(division: Division, stages: Sequence[StageSettings], evening: dict[str, Any]) -> dict[str, Any]:
    """Return the preview of these stages; values missing from `evening` are those of the event."""
    event = division.tournament
    count = evening.get("entries")
    entries = entries_in(division) if count is None else count
    pace = Pace(evening.get("tables") or event.tables_for(entries))
    if "minutes_per_point" in evening:
        pace = replace(pace, minutes_per_point=evening["minutes_per_point"])
    starts = evening.get("starts_at") or event.starts_at
    forecast = forecast_stages(
        stages,
        entries,
        default_lengths=division.lengths,
        pace=pace,
        starts=starts,
        closes=evening.get("closes_at"),
    )
    return OutlineSerializer(_forecast(forecast, starts)).data


def _forecast(forecast: Forecast, starts: datetime) -> dict[str, Any]:
    return {
        "possible": forecast.possible,
        "entries": forecast.entries,
        "matches": forecast.matches,
        "byes": forecast.byes,
        "rounds": forecast.rounds,
        "matches_each": forecast.matches_each,
        "tables": forecast.tables,
        "finish": _finish(forecast.finish, starts),
        "remarks": [_remark(remark) for remark in forecast.remarks],
        "stages": [_stage(stage, starts) for stage in forecast.stages],
    }


def _finish(finish: Finish | None, starts: datetime) -> dict[str, Any] | None:
    if finish is None:
        return None
    at, late_at = (starts + timedelta(minutes=minutes) for minutes in (finish.median, finish.late))
    return {"minutes": finish.median, "late_minutes": finish.late, "at": at, "late_at": late_at}


def _remark(remark: Remark) -> dict[str, Any]:
    return {
        "kind": remark.kind.value,
        "code": remark.code,
        "params": remark.params,
        "stage": remark.stage,
        "detail": sentence(remark.code, remark.params),
    }


def _stage(stage: StageForecast, starts: datetime) -> dict[str, Any]:
    return {
        "number": stage.number,
        "format": stage.format,
        "entrants": stage.entrants,
        "matches": stage.matches,
        "byes": stage.byes,
        "rounds": stage.rounds,
        "matches_each": stage.matches_each,
        "groups": stage.groups,
        "going_on": stage.going_on,
        "finish": _finish(stage.finish, starts),
        "patterns": [_pattern(proposal) for proposal in stage.choices.lower],
        "last_chance_patterns": [_pattern(proposal) for proposal in stage.choices.last_chance],
        "brackets": [_bracket(bracket, starts) for bracket in stage.brackets],
    }


def _pattern(proposal: Proposal) -> dict[str, Any]:
    return {
        "name": proposal.name,
        "pattern": str(proposal.pattern),
        "rounds": len(proposal.rounds),
        "matches": sum(round_.matches for round_ in proposal.rounds),
        "byes": proposal.byes,
    }


def _bracket(bracket: BracketForecast, starts: datetime) -> dict[str, Any]:
    return {
        "key": bracket.key,
        "pattern": bracket.pattern,
        "matches": bracket.matches,
        "byes": bracket.byes,
        "rounds": [_round(round_, starts) for round_ in bracket.rounds],
    }


def _round(round_: RoundForecast, starts: datetime) -> dict[str, Any]:
    return {
        "number": round_.number,
        "entrants": round_.entrants,
        "matches": round_.matches,
        "byes": round_.byes,
        "length": round_.length,
        "drops": round_.drops,
        "finish": _finish(round_.finish, starts),
    }
