"""What stages would be like for so many entries, before anything is drawn: rounds, matches, byes, and when it ends.

Nothing here is an exception that a page would have to catch: a format that is impossible for this field is told as a
remark, with the reason, and the rest is outlined as far as it goes.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from tournaments.formats.errors import Refused
from tournaments.formats.forecast.brackets import BracketForecast, StageEstimate, combined
from tournaments.formats.forecast.counts import NONE, Count
from tournaments.formats.forecast.finish_times import Finish, Pace
from tournaments.formats.forecast.stages import Choices, choices_of, groups_of, sketch
from tournaments.formats.plans import MOST_STAGES, checked_stages, places_before
from tournaments.formats.settings import GROUPS, SWISS, StageSettings
from tournaments.formats.tables.groups import LEAST_GROUP

NO_CHOICES = Choices()


class RemarkKind(StrEnum):
    """How much a remark weighs."""

    FAULT = "fault"
    WARNING = "warning"
    NOTE = "note"


FAULT, WARNING, NOTE = RemarkKind.FAULT, RemarkKind.WARNING, RemarkKind.NOTE

REMARKS: dict[str, str] = {
    "qualifiers_too_many": "{going_on} are to go on, and only {entrants} take part.",
    "qualifiers_of_group": "{going_on} of each group are to go on, and the smallest group has {entrants}.",
    "everybody_goes_on": "Everybody goes on from stage {stage}.",
    "rounds_with_rematches": "{rounds} rounds cannot be paired without rematches: with {entries} players {most} can.",
    "several_unbeaten": "After {rounds} rounds up to {unbeaten} can be unbeaten; tie-breaks decide among them.",
    "groups_uneven": "The groups differ in size: {small} or {large} players.",
    "tables_few": "Up to {matches} matches could be played at once. On {tables} tables some have to wait.",
    "closing_missed": "It is likely to end {minutes} minutes after the closing time.",
    "closing_close": "It may end after the closing time: one evening in ten by {minutes} minutes or more.",
}
"""Code -> English template of what is remarked and is no refusal."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What the director should know: a fault makes it impossible, a warning may spoil it, a note explains it.

    `stage` counts from 1, None where it is about the whole. `REMARKS` and
    `errors.MESSAGES` have the sentences of the codes.
    """

    kind: RemarkKind
    code: str
    params: dict[str, Any]
    stage: int | None = None


@dataclass(frozen=True, slots=True)
class StageForecast:
    """One stage. `rounds` are those one after the other (of the main bracket); `matches_each` those of one player.

    `groups` are the sizes of groups, `going_on` who takes part in the next stage. `finish` counts from the start of
    the first stage; None for a league, which takes until a day, and where something is impossible.
    """

    number: int
    format: str
    entrants: int
    brackets: tuple[BracketForecast, ...] = ()
    matches: Count = NONE
    byes: Count = NONE
    rounds: Count = NONE
    matches_each: Count = NONE
    groups: tuple[int, ...] = ()
    going_on: int = 0
    finish: Finish | None = None
    choices: Choices = NO_CHOICES


@dataclass(frozen=True, slots=True)
class Forecast:
    """All stages. `tables` are those that can be in use at once, of those there are."""

    entries: int
    stages: tuple[StageForecast, ...]
    remarks: tuple[Remark, ...]
    matches: Count
    byes: Count
    rounds: Count
    matches_each: Count
    tables: int
    finish: Finish | None
    starts: datetime | None = None

    @property
    def possible(self) -> bool:
        """Whether nothing forbids it."""
        return not any(remark.kind == FAULT for remark in self.remarks)

    @property
    def ends(self) -> datetime | None:
        """When it is likely to be over."""
        return self._at(self.finish.median if self.finish else None)

    @property
    def ends_late(self) -> datetime | None:
        """When nine evenings in ten are over."""
        return self._at(self.finish.late if self.finish else None)

    def _at(self, minutes: float | None) -> datetime | None:
        return self.starts + timedelta(minutes=minutes) if self.starts and minutes is not None else None


def forecast_stages(
    stages: Sequence[StageSettings],
    entries: int,
    *,
    default_lengths: Sequence[int],
    pace: Pace,
    starts: datetime | None = None,
    closes: datetime | None = None,
) -> Forecast:
    """What these stages would be like for `entries` entries.

    `default_lengths` are the division's match lengths by round, for stages that have no own. With `starts` and
    `closes` it is said whether it ends in time. Equal input gives equal output.
    """
    if not stages:
        return _whole((), entries, [_fault(Refused("stage_count", most=MOST_STAGES))], 0, starts)
    fields = [entries, *(len(places_before(one, at)) for at, one in enumerate(stages[:-1], start=1))]
    drawn = [_sketched(stages, at, field, default_lengths) for at, field in enumerate(fields)]
    remarks = [remark for one in drawn for remark in one[2]]
    remarks += _whole_faults(stages, pace, known={remark.code for remark in remarks})
    possible = not any(remark.kind == FAULT for remark in remarks)
    timed = combined([one[1] for one in drawn], stages, default_lengths, pace, forecast_too=possible)
    peak = max(one[1].peak for one in drawn)
    if possible and peak > pace.tables:
        remarks.append(Remark(NOTE, "tables_few", {"matches": peak, "tables": pace.tables}))
    full = [
        _filled(one[0], sketched, going_on)
        for one, sketched, going_on in zip(drawn, timed, [*fields[1:], 0], strict=True)
    ]
    whole = _whole(tuple(full), entries, remarks, min(peak, pace.tables), starts)
    return replace(whole, remarks=(*remarks, *_closing(whole, closes)))


def _sketched(
    stages: Sequence[StageSettings], at: int, field: int, default_lengths: Sequence[int]
) -> tuple[StageForecast, StageEstimate, list[Remark]]:
    """One stage without its times, and what is to be said of it."""
    settings, number = stages[at], at + 1
    one = StageForecast(number, settings.format, field)
    try:
        before = stages[at - 1].checked() if at else None
        drawn = sketch(settings.checked(default_lengths), before, number, field)
    except Refused as refused:
        # Patterns are told all the same: the wrong one may be the fault.
        return replace(one, choices=choices_of(settings, field)), StageEstimate(()), [_fault(refused, number)]
    one = replace(one, choices=choices_of(settings, field), groups=groups_of(settings, field))
    return one, drawn, _remarks(settings, one, last=number == len(stages))


def _whole_faults(stages: Sequence[StageSettings], pace: Pace, known: Collection[str]) -> list[Remark]:
    """What forbids these stages in this order, or to play at all, and is not said of one of them already."""
    found = []
    for check in (lambda: checked_stages(stages), pace.checked):
        try:
            check()
        except Refused as refused:
            if refused.code not in known:
                found.append(_fault(refused, refused.params.get("stage")))
    return found


def _filled(one: StageForecast, drawn: StageEstimate, going_on: int) -> StageForecast:
    return replace(
        one,
        brackets=drawn.brackets,
        matches=drawn.matches,
        byes=drawn.byes,
        rounds=drawn.rounds,
        matches_each=drawn.matches_each,
        finish=drawn.finish,
        going_on=going_on,
    )


def _whole(
    stages: tuple[StageForecast, ...], entries: int, remarks: Sequence[Remark], tables: int, starts: datetime | None
) -> Forecast:
    return Forecast(
        entries=entries,
        stages=stages,
        remarks=tuple(remarks),
        matches=sum((one.matches for one in stages), NONE),
        byes=sum((one.byes for one in stages), NONE),
        rounds=sum((one.rounds for one in stages), NONE),
        matches_each=_matches_each(stages),
        tables=tables,
        finish=stages[-1].finish if stages else None,
        starts=starts,
    )


def _fault(refused: Refused, stage: int | None = None) -> Remark:
    return Remark(FAULT, refused.code, dict(refused.params), stage)


def _remarks(settings: StageSettings, stage: StageForecast, *, last: bool) -> list[Remark]:
    """What is to be said of one stage besides what its format refuses."""
    found = [] if last else _going_on(settings, stage)
    if settings.format == SWISS and settings.rounds is not None and stage.entrants > 1:
        found += _swiss(settings, settings.rounds, stage)
    if settings.format == GROUPS and LEAST_GROUP <= min(stage.groups, default=0) < max(stage.groups):
        sizes = {"small": min(stage.groups), "large": max(stage.groups)}
        found.append(Remark(NOTE, "groups_uneven", sizes, stage.number))
    return found


def _going_on(settings: StageSettings, stage: StageForecast) -> list[Remark]:
    wanted = settings.qualifiers or 0
    if settings.format == GROUPS:
        smallest = min(stage.groups, default=wanted)
        if wanted > smallest:
            params = {"going_on": wanted, "entrants": smallest}
            return [Remark(FAULT, "qualifiers_of_group", params, stage.number)]
        everybody = wanted * len(stage.groups) == stage.entrants
    else:
        if wanted > stage.entrants:
            params = {"going_on": wanted, "entrants": stage.entrants}
            return [Remark(FAULT, "qualifiers_too_many", params, stage.number)]
        everybody = wanted == stage.entrants
    return [Remark(NOTE, "everybody_goes_on", {"stage": stage.number}, stage.number)] if everybody else []


def _swiss(settings: StageSettings, rounds: int, stage: StageForecast) -> list[Remark]:
    # Everybody can meet everybody else once; with an odd field each has one bye as well.
    most = stage.entrants - 1 + stage.entrants % 2
    if rounds > most and not settings.allow_rematches:
        params = {"rounds": rounds, "entries": stage.entrants, "most": most}
        return [Remark(FAULT, "rounds_with_rematches", params, stage.number)]
    unbeaten = stage.entrants
    for _round in range(rounds):
        unbeaten = (unbeaten + 1) // 2
    if unbeaten > 1:
        return [Remark(NOTE, "several_unbeaten", {"rounds": rounds, "unbeaten": unbeaten}, stage.number)]
    return []


def _matches_each(stages: Sequence[StageForecast]) -> Count:
    """The fewest and the most matches of one player in all stages; the fewest of one who goes on no further."""
    each = NONE
    everybody = True
    for stage in stages:
        if everybody:
            each += stage.matches_each
        else:
            each = Count(each.least, each.most + stage.matches_each.most)
        everybody = everybody and stage.going_on == stage.entrants
    return each


def _closing(whole: Forecast, closes: datetime | None) -> list[Remark]:
    if closes is None or whole.ends is None or whole.ends_late is None:
        return []
    for code, kind, ends in (("closing_missed", WARNING, whole.ends), ("closing_close", NOTE, whole.ends_late)):
        if ends > closes:
            return [Remark(kind, code, {"minutes": round((ends - closes).total_seconds() / 60)})]
    return []
