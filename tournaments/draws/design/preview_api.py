"""An outline as programs see it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from core.messages import sentence
from tournaments.draws.design import serializers as shapes
from tournaments.events.services.events import entries_in
from tournaments.formats.elimination.patterns import Proposal
from tournaments.formats.forecast.outline import Bracket, Outline, Remark, StageOutline, outline
from tournaments.formats.forecast.schedule import Finish, Pace
from tournaments.formats.settings import StageSettings
from tournaments.models import Division


def told(division: Division, stages: Sequence[StageSettings], evening: dict[str, Any]) -> dict[str, Any]:
    """The outline of these stages; what `evening` leaves out is as the event has it."""
    event = division.tournament
    count = evening.get("entries")
    entries = entries_in(division) if count is None else count
    pace = Pace(evening.get("tables") or event.tables_for(entries))
    if "minutes_per_point" in evening:
        pace = replace(pace, minutes_per_point=evening["minutes_per_point"])
    starts = evening.get("starts_at") or event.starts_at
    found = outline(
        stages,
        entries,
        default_lengths=division.lengths,
        pace=pace,
        starts=starts,
        closes=evening.get("closes_at"),
    )
    return shapes.OutlineSerializer(_whole(found, starts)).data


def _whole(found: Outline, starts: datetime) -> dict[str, Any]:
    return {
        "possible": found.possible,
        "entries": found.entries,
        "matches": found.matches,
        "byes": found.byes,
        "rounds": found.rounds,
        "matches_each": found.matches_each,
        "tables": found.tables,
        "finish": _finish(found.finish, starts),
        "remarks": [_remark(one) for one in found.remarks],
        "stages": [_stage(one, starts) for one in found.stages],
    }


def _finish(one: Finish | None, starts: datetime) -> dict[str, Any] | None:
    if one is None:
        return None
    at, late_at = (starts + timedelta(minutes=minutes) for minutes in (one.median, one.late))
    return {"minutes": one.median, "late_minutes": one.late, "at": at, "late_at": late_at}


def _remark(one: Remark) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "code": one.code,
        "params": one.params,
        "stage": one.stage,
        "detail": sentence(one.code, one.params),
    }


def _stage(one: StageOutline, starts: datetime) -> dict[str, Any]:
    return {
        "number": one.number,
        "format": one.format,
        "entrants": one.entrants,
        "matches": one.matches,
        "byes": one.byes,
        "rounds": one.rounds,
        "matches_each": one.matches_each,
        "groups": one.groups,
        "going_on": one.going_on,
        "finish": _finish(one.finish, starts),
        "patterns": [_pattern(choice) for choice in one.choices.lower],
        "last_chance_patterns": [_pattern(choice) for choice in one.choices.last_chance],
        "brackets": [_bracket(bracket, starts) for bracket in one.brackets],
    }


def _pattern(one: Proposal) -> dict[str, Any]:
    return {
        "name": one.name,
        "pattern": str(one.pattern),
        "rounds": len(one.rounds),
        "matches": sum(round_.matches for round_ in one.rounds),
        "byes": one.byes,
    }


def _bracket(bracket: Bracket, starts: datetime) -> dict[str, Any]:
    rounds = [
        {
            "number": one.number,
            "entrants": one.entrants,
            "matches": one.matches,
            "byes": one.byes,
            "length": one.length,
            "drops": one.drops,
            "finish": _finish(one.finish, starts),
        }
        for one in bracket.rounds
    ]
    return {
        "key": bracket.key,
        "pattern": bracket.pattern,
        "matches": bracket.matches,
        "byes": bracket.byes,
        "rounds": rounds,
    }
