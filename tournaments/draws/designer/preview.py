"""The preview of a format in words: totals in one line, rounds with their times, and remarks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.messages import sentence
from tournaments.formats.forecast.brackets import BracketForecast, RoundForecast
from tournaments.formats.forecast.counts import Count
from tournaments.formats.forecast.finish_times import Finish
from tournaments.formats.forecast.forecasts import Forecast, Remark, StageForecast
from tournaments.formats.forecast.stages import ALL_GROUPS
from tournaments.formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN
from tournaments.formats.settings import DOUBLE, GROUPS, LEAGUE, ROUND_ROBIN
from tournaments.standings.layout import bracket_name, round_name
from tournaments.state.format_labels import FORMAT_NAMES

MOST_ROWS = 24
NUMBERED_ROUNDS = (GROUPS, ROUND_ROBIN, LEAGUE)
"""Formats whose rounds have numbers instead of names such as “Final”."""


@dataclass(frozen=True, slots=True)
class RoundPreview:
    """A round."""

    name: str
    players: str
    byes: str
    matches: str
    length: int
    done: str
    """When it is likely to be over; empty if there is no forecast."""


@dataclass(frozen=True, slots=True)
class BracketPreview:
    """A bracket; `left_out` counts the rounds that are not listed."""

    title: str
    pattern: str
    rows: list[RoundPreview]
    left_out: int


@dataclass(frozen=True, slots=True)
class StagePart:
    """A stage."""

    title: str
    note: str
    parts: list[BracketPreview]


@dataclass(frozen=True, slots=True)
class Preview:
    """A whole format. `facts` are labels with values; `remarks` are kinds with sentences."""

    line: str
    facts: list[tuple[str, str]]
    remarks: list[tuple[str, str]]
    stages: list[StagePart]
    has_times: bool


def preview_of(forecast: Forecast, zone: tzinfo) -> Preview:
    """Return a forecast in words, with times in the zone of the event."""
    several = len(forecast.stages) > 1
    return Preview(
        line=_line(forecast, zone),
        facts=_facts(forecast),
        remarks=[(str(remark.kind), _remark(remark, several)) for remark in forecast.remarks],
        stages=[_stage(stage, forecast.starts, zone, several) for stage in forecast.stages if stage.brackets],
        has_times=bool(forecast.finish),
    )


def count_text(count: Count) -> str:
    """Return a number, or a range such as 24–25."""
    return str(count.least) if count.exact else f"{count.least}–{count.most}"


def clock(at: datetime, zone: tzinfo, since: datetime) -> str:
    """Return a time, with its day if that is not the day of `since`."""
    local = at.astimezone(zone)
    if local.date() == since.astimezone(zone).date():
        return date_format(local, "H:i")
    return date_format(local, "D H:i" if at - since < timedelta(days=6) else "j M H:i")


def _line(forecast: Forecast, zone: tzinfo) -> str:
    matches = forecast.matches
    parts = [ngettext("%(count)d player", "%(count)d players", forecast.entries) % {"count": forecast.entries}]
    if matches.most:
        parts.append(ngettext("%(count)s match", "%(count)s matches", matches.most) % {"count": count_text(matches)})
        parts.append(_(", then ").join(_rounds(stage) for stage in forecast.stages if stage.brackets))
    if forecast.starts and forecast.ends and forecast.ends_late:
        ends, late = (clock(at, zone, forecast.starts) for at in (forecast.ends, forecast.ends_late))
        parts.append(_("about %(time)s, 90 %% likely by %(late)s") % {"time": ends, "late": late})
    return " · ".join(parts)


def _rounds(stage: StageForecast) -> str:
    text = ngettext("%(count)s round", "%(count)s rounds", stage.rounds.most) % {"count": count_text(stage.rounds)}
    texts = {
        CONSOLATION: _("%(rounds)d in the consolation"),
        LAST_CHANCE: _("%(rounds)d in the last chance"),
        LOWER: _("%(rounds)d in the lower bracket"),
        FINAL: _("the final"),
    }
    brackets = [bracket for bracket in stage.brackets if bracket.key in texts and bracket.rounds]
    return " + ".join([text, *(texts[bracket.key] % {"rounds": len(bracket.rounds)} for bracket in brackets)])


def _facts(forecast: Forecast) -> list[tuple[str, str]]:
    if not forecast.matches.most:
        return []
    return [
        (_("Matches per player"), count_text(forecast.matches_each)),
        (_("Byes"), count_text(forecast.byes)),
        (_("Tables in use"), str(forecast.tables)),
    ]


def _remark(remark: Remark, several: bool) -> str:
    text = sentence(remark.code, remark.params)
    if several and remark.stage is not None and "stage" not in remark.params:
        return _("Stage %(number)d: %(text)s") % {"number": remark.stage, "text": text}
    return text


def _stage(stage: StageForecast, starts: datetime | None, zone: tzinfo, several: bool) -> StagePart:
    title = str(FORMAT_NAMES[stage.format])
    if several:
        title = _("Stage %(number)d: %(name)s") % {"number": stage.number, "name": title}
    note = _("In any order, until the last day you set.") if stage.format == LEAGUE else ""
    parts = [_part(bracket, stage, starts, zone) for bracket in stage.brackets if bracket.rounds]
    return StagePart(title, note, parts)


def _part(bracket: BracketForecast, stage: StageForecast, starts: datetime | None, zone: tzinfo) -> BracketPreview:
    title = bracket_name(bracket.key, upper=stage.format == DOUBLE)
    if bracket.key == ALL_GROUPS:
        title = _("Groups of %(sizes)s players") % {"sizes": _sizes(stage.groups)}
    rows = [_row(round_, bracket, stage, starts, zone) for round_ in bracket.rounds[:MOST_ROWS]]
    return BracketPreview(title, bracket.pattern, rows, max(0, len(bracket.rounds) - MOST_ROWS))


def _sizes(groups: Sequence[int]) -> str:
    return _(" and ").join(str(size) for size in sorted(set(groups), reverse=True))


def _row(
    round_: RoundForecast, bracket: BracketForecast, stage: StageForecast, starts: datetime | None, zone: tzinfo
) -> RoundPreview:
    return RoundPreview(
        _round_title(round_, bracket, stage),
        count_text(round_.entrants),
        count_text(round_.byes) if round_.byes.most else "",
        count_text(round_.matches),
        round_.length,
        _done(round_.finish, starts, zone),
    )


def _round_title(round_: RoundForecast, bracket: BracketForecast, stage: StageForecast) -> str:
    fixtures = round_.matches.most + round_.byes.most
    name = (
        _("Round %(number)d") % {"number": round_.number}
        if stage.format in NUMBERED_ROUNDS
        else round_name(bracket.key, round_.number, fixtures, len(bracket.rounds), upper=stage.format == DOUBLE)
    )
    if round_.matches.least == 0 and bracket.key != MAIN:
        return _("%(round)s, if needed") % {"round": name}
    return name


def _done(finish: Finish | None, starts: datetime | None, zone: tzinfo) -> str:
    return clock(starts + timedelta(minutes=finish.median), zone, starts) if finish and starts else ""
