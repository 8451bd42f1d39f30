"""The forecast of a format for a number of entries, before the draw: rounds, matches, byes, and when it finishes.

A format that is impossible for this field raises nothing: the forecast says so in a remark and covers the rest.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

from formats.continuous.night import NightForecast
from formats.errors import Refused
from formats.forecast.brackets import BracketForecast, StageEstimate, planned_matches, with_times
from formats.forecast.counts import NONE, Count
from formats.forecast.finish_times import Finish, Pace, RemainingMatch
from formats.forecast.planned import numbering
from formats.forecast.stages import Choices, choices_of, estimate_stage, groups_of
from formats.forecast.without_rounds import night_before_bracket, without_rounds
from formats.plans import MAX_STAGES, MIN_QUALIFIERS, check_field, checked_stages, places_before
from formats.settings import GROUPS, LIVES, SWISS, StageSettings, check_rounds
from formats.tables.groups import MIN_GROUP

NO_CHOICES = Choices()
PLAYERS_OF_A_DIVISION = 1_000_000
"""More than any division has: players are numbered by division."""


class RemarkKind(StrEnum):
    FAULT = "fault"
    WARNING = "warning"
    NOTE = "note"


FAULT, WARNING, NOTE = RemarkKind.FAULT, RemarkKind.WARNING, RemarkKind.NOTE

REMARKS: dict[str, str] = {
    "qualifiers_too_many": "{going_on} players are to qualify, but only {entrants} take part.",
    "qualifiers_of_group": "{going_on} of each group are to qualify, but the smallest group has {entrants} players.",
    "everybody_goes_on": "Everybody qualifies from stage {stage}.",
    "several_unbeaten": "Up to {unbeaten} players can be unbeaten after {rounds} rounds; tie-breaks then decide.",
    "groups_uneven": "The groups differ in size: {small} or {large} players.",
    "tables_few": "Up to {matches} matches could be played at once. With {tables} tables, some have to wait.",
    "closing_missed": "The event is likely to finish {minutes} min after closing time.",
    "closing_close": "There is a 10 % chance that the event finishes {minutes} min or more after closing time.",
}
"""Code -> English template, for remarks that are not refusals."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the director should know: a fault makes the format impossible, a warning is a risk, a note explains.

    `stage` counts from 1; None if the remark is about all of them. The sentence of its code is in `REMARKS` or
    `errors.MESSAGES`.
    """

    kind: RemarkKind
    code: str
    params: dict[str, Any]
    stage: int | None = None


@dataclass(frozen=True, slots=True)
class StageForecast:
    """The forecast of a stage. `rounds` are those of the main bracket, `matches_each` the matches of one player.

    `groups` has the sizes of the groups, `going_on` the number who qualify for the next stage. `finish` counts from the
    start of the first stage; None for a league, which ends on a fixed day, and if something is impossible.
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
    starts: int = 0
    """In how many of the last rounds players start later than the others."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of all stages. `tables` is how many of the tables can be in use at once."""

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
        return not any(remark.kind == FAULT for remark in self.remarks)

    @property
    def ends(self) -> datetime | None:
        return self._at(self.finish.median if self.finish else None)

    @property
    def ends_late(self) -> datetime | None:
        """When it finishes with a probability of 90 %."""
        return self._at(self.finish.late if self.finish else None)

    def _at(self, minutes: float | None) -> datetime | None:
        return self.starts + timedelta(minutes=minutes) if self.starts and minutes is not None else None


class Beside(NamedTuple):
    """Another division at the same tables."""

    stages: tuple[StageSettings, ...]
    entries: int
    default_lengths: tuple[int, ...]


def forecast_stages(
    stages: Sequence[StageSettings],
    entries: int,
    *,
    default_lengths: Sequence[int],
    pace: Pace,
    starts: datetime | None = None,
    closes: datetime | None = None,
    beside: Sequence[Beside] = (),
) -> Forecast:
    """Forecast these stages for `entries` entries.

    `default_lengths` are the division's match lengths by round, for stages without their own. `beside` are the other
    divisions that are played at the same time and at the same tables. With `starts` and
    `closes`, remarks say whether the event finishes in time. Equal input gives equal output.
    """
    if not stages:
        return _total((), entries, [_fault(Refused("stage_count", most=MAX_STAGES))], 0, starts)
    fields = [entries, *(len(places_before(stage, number)) for number, stage in enumerate(stages[:-1], start=1))]
    night = _night_before_bracket(stages, entries, default_lengths, pace, starts)
    if night is not None:
        fields[1] = max(night.going_on, MIN_QUALIFIERS)
    drafts = [
        _draft(stages, index, field, default_lengths, is_field_known=index == 1 and night is not None)
        for index, field in enumerate(fields)
    ]
    remarks = [remark for draft in drafts for remark in draft.remarks]
    remarks += _faults_of_all(stages, entries, pace, known={remark.code for remark in remarks})
    possible = not any(remark.kind == FAULT for remark in remarks)
    estimates = with_times(
        [draft.estimate for draft in drafts],
        stages,
        default_lengths,
        pace,
        beside=_matches_beside(beside) if possible else (),
        with_finish=possible,
    )
    if possible:
        estimates = without_rounds(estimates, stages, entries, default_lengths, pace, night)
    peak = max(draft.estimate.peak for draft in drafts)
    if possible and peak > pace.tables:
        remarks.append(Remark(NOTE, "tables_few", {"matches": peak, "tables": pace.tables}))
    complete = tuple(
        _complete(draft.forecast, estimate, going_on)
        for draft, estimate, going_on in zip(drafts, estimates, [*fields[1:], 0], strict=True)
    )
    total = _total(complete, entries, remarks, min(peak, pace.tables), starts)
    return replace(total, remarks=(*remarks, *_closing(total, closes)))


def later_stages(
    stages: Sequence[StageSettings],
    first: int,
    *,
    default_lengths: Sequence[int],
    keys: Iterator[int],
    division: int,
    after: Collection[int],
    entrants: int = 0,
) -> list[RemainingMatch]:
    """Return the matches of the stages from number `first` (2 or more) on, which wait for the matches `after`.

    `entrants` are those of stage `first` if they are known better than from the settings of the stage before. Empty if
    the stages are impossible for those who qualify.
    """
    try:
        estimates = [
            estimate_stage(stage.checked(default_lengths), None, number, entrants)
            if entrants and number == first
            else estimate_stage(
                stage.checked(default_lengths), before.checked(), number, len(places_before(before, number - 1))
            )
            for number, (before, stage) in enumerate(pairwise(stages), start=2)
            if number >= first
        ]
    except Refused:
        return []
    return planned_matches(
        estimates, stages[first - 1 :], default_lengths, keys=keys, division=division, first_stage=first, after=after
    )


def _matches_beside(divisions: Sequence[Beside]) -> list[RemainingMatch]:
    matches: list[RemainingMatch] = []
    keys = numbering(-1, -1)
    for number, division in enumerate(divisions, start=1):
        if not division.stages:
            continue
        fields = [
            division.entries,
            *(len(places_before(stage, at)) for at, stage in enumerate(division.stages, start=1)),
        ]
        drafts = [
            _draft(division.stages, at, fields[at], division.default_lengths) for at in range(len(division.stages))
        ]
        if any(remark.kind == FAULT for draft in drafts for remark in draft.remarks):
            continue
        matches += planned_matches(
            [draft.estimate for draft in drafts],
            division.stages,
            division.default_lengths,
            keys=keys,
            division=number,
            first_player=number * PLAYERS_OF_A_DIVISION,
        )
    return matches


def _night_before_bracket(
    stages: Sequence[StageSettings],
    entries: int,
    default_lengths: Sequence[int],
    pace: Pace,
    starts: datetime | None,
) -> NightForecast | None:
    if len(stages) < 2 or entries < 2:
        return None
    try:
        settings = stages[0].checked(default_lengths)
        pace.checked()
        check_field(stages, entries)
    except Refused:
        return None
    return night_before_bracket(settings, entries, default_lengths, pace, starts)


class _Draft(NamedTuple):
    """The forecast of a stage before its times are known, and the remarks on it."""

    forecast: StageForecast
    estimate: StageEstimate
    remarks: list[Remark]


def _draft(
    stages: Sequence[StageSettings],
    index: int,
    field: int,
    default_lengths: Sequence[int],
    *,
    is_field_known: bool = False,
) -> _Draft:
    settings, number = stages[index], index + 1
    # The choice of patterns is included even if the stage is impossible: its pattern may be the fault.
    starts = len(settings.starts)
    forecast = StageForecast(number, settings.format, field, choices=choices_of(settings, field), starts=starts)
    try:
        before = stages[index - 1].checked() if index and not is_field_known else None
        estimate = estimate_stage(settings.checked(default_lengths), before, number, field)
    except Refused as refused:
        return _Draft(forecast, StageEstimate(()), [_fault(refused, number)])
    forecast = replace(forecast, groups=groups_of(settings, field))
    return _Draft(forecast, estimate, _remarks(settings, forecast, last=number == len(stages)))


def _faults_of_all(stages: Sequence[StageSettings], entries: int, pace: Pace, known: Collection[str]) -> list[Remark]:
    """Return the faults of the stages in this order, or of the pace, that are not among the `known` codes."""
    faults = []
    for check in (lambda: checked_stages(stages), lambda: check_field(stages, entries), pace.checked):
        try:
            check()
        except Refused as refused:
            if refused.code not in known:
                faults.append(_fault(refused, refused.params.get("stage")))
    return faults


def _complete(forecast: StageForecast, estimate: StageEstimate, going_on: int) -> StageForecast:
    return replace(
        forecast,
        brackets=estimate.brackets,
        matches=estimate.matches,
        byes=estimate.byes,
        rounds=estimate.rounds,
        matches_each=estimate.matches_each,
        finish=estimate.finish,
        going_on=going_on,
    )


def _total(
    stages: tuple[StageForecast, ...], entries: int, remarks: Sequence[Remark], tables: int, starts: datetime | None
) -> Forecast:
    return Forecast(
        entries=entries,
        stages=stages,
        remarks=tuple(remarks),
        matches=sum((stage.matches for stage in stages), NONE),
        byes=sum((stage.byes for stage in stages), NONE),
        rounds=sum((stage.rounds for stage in stages), NONE),
        matches_each=_matches_each(stages),
        tables=tables,
        finish=stages[-1].finish if stages else None,
        starts=starts,
    )


def _fault(refused: Refused, stage: int | None = None) -> Remark:
    return Remark(FAULT, refused.code, dict(refused.params), stage)


def _remarks(settings: StageSettings, stage: StageForecast, *, last: bool) -> list[Remark]:
    """Return the remarks on a stage that its format allows."""
    remarks = [] if last else _qualifiers(settings, stage)
    if settings.format == SWISS and settings.rounds is not None and stage.entrants > 1:
        remarks += _swiss(settings, settings.rounds, stage)
    if settings.format == GROUPS and MIN_GROUP <= min(stage.groups, default=0) < max(stage.groups):
        sizes = {"small": min(stage.groups), "large": max(stage.groups)}
        remarks.append(Remark(NOTE, "groups_uneven", sizes, stage.number))
    return remarks


def _qualifiers(settings: StageSettings, stage: StageForecast) -> list[Remark]:
    qualifiers = settings.qualifiers or 0
    if settings.format == GROUPS:
        smallest = min(stage.groups, default=qualifiers)
        if qualifiers > smallest:
            params = {"going_on": qualifiers, "entrants": smallest}
            return [Remark(FAULT, "qualifiers_of_group", params, stage.number)]
        everybody = qualifiers * len(stage.groups) == stage.entrants
    else:
        # Without rounds they are the places of a bracket, one for each life, which is met only from above.
        lives = settings.format == LIVES and settings.is_continuous
        if qualifiers > (stage.entrants * settings.lives // 2 if lives else stage.entrants):
            params = {"going_on": qualifiers, "entrants": stage.entrants}
            return [Remark(FAULT, "qualifiers_too_many", params, stage.number)]
        everybody = qualifiers == stage.entrants and not lives
    return [Remark(NOTE, "everybody_goes_on", {"stage": stage.number}, stage.number)] if everybody else []


def _swiss(settings: StageSettings, rounds: int, stage: StageForecast) -> list[Remark]:
    try:
        check_rounds(settings, stage.entrants)
    except Refused as refused:
        return [_fault(refused, stage.number)]
    unbeaten = stage.entrants
    for _round in range(rounds):
        unbeaten = (unbeaten + 1) // 2
    if unbeaten > 1:
        return [Remark(NOTE, "several_unbeaten", {"rounds": rounds, "unbeaten": unbeaten}, stage.number)]
    return []


def _matches_each(stages: Sequence[StageForecast]) -> Count:
    """Return the fewest and the most matches of one player in all stages."""
    each = NONE
    everybody = True
    for stage in stages:
        if everybody:
            each += stage.matches_each
        else:
            each = Count(each.least, each.most + stage.matches_each.most)
        everybody = everybody and stage.going_on == stage.entrants
    return each


def _closing(total: Forecast, closes: datetime | None) -> list[Remark]:
    if closes is None or total.ends is None or total.ends_late is None:
        return []
    for code, kind, ends in (("closing_missed", WARNING, total.ends), ("closing_close", NOTE, total.ends_late)):
        if ends > closes:
            return [Remark(kind, code, {"minutes": round((ends - closes).total_seconds() / 60)})]
    return []
