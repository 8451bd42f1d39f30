"""An outline as it is shown: its totals in one line, its rounds with their times, what is remarked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.messages import sentence
from tournaments.formats.forecast.expected import Count
from tournaments.formats.forecast.outline import Bracket, Outline, Remark, Round, StageOutline
from tournaments.formats.forecast.schedule import Finish
from tournaments.formats.forecast.stages import ALL_GROUPS
from tournaments.formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN
from tournaments.formats.settings import DOUBLE, GROUPS, LEAGUE, ROUND_ROBIN
from tournaments.standings.layout import bracket_name, round_name
from tournaments.state.format_labels import FORMAT_NAMES

MOST_ROWS = 24


@dataclass(frozen=True, slots=True)
class Row:
    """A round in words."""

    name: str
    players: str
    byes: str
    matches: str
    length: int
    done: str
    """When it is likely to be over; empty where nothing is foretold."""


@dataclass(frozen=True, slots=True)
class Part:
    """A bracket in words, and how many of its rounds are left out."""

    title: str
    pattern: str
    rows: list[Row]
    left_out: int


@dataclass(frozen=True, slots=True)
class StagePart:
    """A stage in words."""

    title: str
    note: str
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class Shown:
    """All of it."""

    line: str
    facts: list[tuple[str, str]]
    remarks: list[tuple[str, str]]
    stages: list[StagePart]


def shown(found: Outline, zone: tzinfo) -> Shown:
    """An outline in words; times are those of the event's clocks."""
    several = len(found.stages) > 1
    return Shown(
        line=_line(found, zone),
        facts=_facts(found),
        remarks=[(str(one.kind), _remark(one, several)) for one in found.remarks],
        stages=[_stage(one, found.starts, zone, several) for one in found.stages if one.brackets],
    )


def number(count: Count) -> str:
    """So many, or from … to …"""
    return str(count.least) if count.exact else f"{count.least}–{count.most}"


def clock(at: datetime, zone: tzinfo, since: datetime) -> str:
    """A time, with the day where it is another one."""
    local = at.astimezone(zone)
    if local.date() == since.astimezone(zone).date():
        return date_format(local, "H:i")
    return date_format(local, "D H:i" if at - since < timedelta(days=6) else "j M H:i")


def _line(found: Outline, zone: tzinfo) -> str:
    parts = [ngettext("%(count)d player", "%(count)d players", found.entries) % {"count": found.entries}]
    if found.matches.most:
        parts.append(
            ngettext("%(count)s match", "%(count)s matches", found.matches.most) % {"count": number(found.matches)}
        )
        parts.append(_(", then ").join(_rounds(stage) for stage in found.stages if stage.brackets))
    if found.starts and found.ends and found.ends_late:
        times = {"about": clock(found.ends, zone, found.starts), "late": clock(found.ends_late, zone, found.starts)}
        parts.append(_("done about %(about)s, nine in ten by %(late)s") % times)
    return " · ".join(parts)


def _rounds(stage: StageOutline) -> str:
    text = ngettext("%(count)s round", "%(count)s rounds", stage.rounds.most) % {"count": number(stage.rounds)}
    where = {
        CONSOLATION: _("%(rounds)d in the consolation"),
        LAST_CHANCE: _("%(rounds)d in the last chance"),
        LOWER: _("%(rounds)d in the lower bracket"),
        FINAL: _("the final"),
    }
    more = [where[one.key] % {"rounds": len(one.rounds)} for one in stage.brackets if one.key in where and one.rounds]
    return " + ".join([text, *more])


def _facts(found: Outline) -> list[tuple[str, str]]:
    if not found.matches.most:
        return []
    return [
        (_("Matches a player"), number(found.matches_each)),
        (_("Byes"), number(found.byes)),
        (_("Tables in use"), str(found.tables)),
    ]


def _remark(one: Remark, several: bool) -> str:
    said = sentence(one.code, one.params)
    if several and one.stage is not None and "stage" not in one.params:
        return _("Stage %(number)d: %(text)s") % {"number": one.stage, "text": said}
    return said


def _stage(stage: StageOutline, starts: datetime | None, zone: tzinfo, several: bool) -> StagePart:
    title = str(FORMAT_NAMES[stage.format])
    if several:
        title = _("Stage %(number)d: %(name)s") % {"number": stage.number, "name": title}
    note = ""
    if stage.format == LEAGUE:
        note = _("In any order, until the day you set.")
    parts = [_part(one, stage, starts, zone) for one in stage.brackets if one.rounds]
    return StagePart(title, note, parts)


def _part(bracket: Bracket, stage: StageOutline, starts: datetime | None, zone: tzinfo) -> Part:
    title = bracket_name(bracket.key, upper=stage.format == DOUBLE)
    if bracket.key == ALL_GROUPS:
        title = _("Groups of %(sizes)s players") % {"sizes": _sizes(stage.groups)}
    rows = [_row(one, bracket, stage, starts, zone) for one in bracket.rounds[:MOST_ROWS]]
    return Part(title, bracket.pattern, rows, max(0, len(bracket.rounds) - MOST_ROWS))


def _sizes(groups: Sequence[int]) -> str:
    return _(" and ").join(str(size) for size in sorted(set(groups), reverse=True))


def _row(one: Round, bracket: Bracket, stage: StageOutline, starts: datetime | None, zone: tzinfo) -> Row:
    fixtures = one.matches.most + one.byes.most
    name = (
        _("Round %(number)d") % {"number": one.number}
        if stage.format in (GROUPS, ROUND_ROBIN, LEAGUE)
        else round_name(bracket.key, one.number, fixtures, len(bracket.rounds), upper=stage.format == DOUBLE)
    )
    if one.matches.least == 0 and bracket.key not in (MAIN,):
        name = _("%(round)s, if needed") % {"round": name}
    return Row(
        name,
        number(one.entrants),
        number(one.byes) if one.byes.most else "",
        number(one.matches),
        one.length,
        _done(one.finish, starts, zone),
    )


def _done(finish: Finish | None, starts: datetime | None, zone: tzinfo) -> str:
    return clock(starts + timedelta(minutes=finish.median), zone, starts) if finish and starts else ""
