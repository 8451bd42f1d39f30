"""The format designer: the stages of a division, and a preview of what they mean for the evening."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.messages import sentence
from engine.errors import Refused
from formats.forecast.brackets import ALL_GROUPS, BracketForecast, RoundForecast
from formats.forecast.durations import MINUTES_PER_POINT
from formats.forecast.finish_times import Finish
from formats.forecast.forecasts import Forecast, Remark, StageForecast, forecast_stages
from formats.forecast.proposals import fit_lengths
from formats.forecast.stages import Choices, choices_of
from formats.forecast.waits import waits_of_stage
from formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN
from formats.plans import MAX_STAGES
from formats.presets import preset
from formats.settings import DOUBLE, GROUPS, LEAGUE, ROUND_ROBIN, StageSettings
from tournaments.draws.designer.forms import OWN, DesignerForm, EveningForm, StageForm
from tournaments.draws.evenings import (
    MAX_PLAYERS,
    ComparedLine,
    Evening,
    FormatOffer,
    Timeline,
    compared,
    count_text,
    divisions_beside,
    format_name,
    format_of,
    is_at_stake,
    lengths_text,
    local_span,
    matches_text,
    offers_for,
    proposed_stages,
    rest_of,
    stages_of,
    timeline_of,
    with_lengths,
)
from tournaments.draws.services import MIN_ENTRIES
from tournaments.models import Division, EveningTemplate
from tournaments.standings.brackets import bracket_name, round_name
from tournaments.state.format_labels import FORMAT_NAMES, in_order, pattern_in_words
from tournaments.state.places import entries_in
from tournaments.state.stages import stage_settings

# The preview of a format in words: totals in one line, rounds with their times, and remarks.


MAX_ROWS = 24
NUMBERED_ROUNDS = (GROUPS, ROUND_ROBIN, LEAGUE)
"""Formats whose rounds have numbers instead of names such as “Final”."""


@dataclass(frozen=True, slots=True)
class RoundPreview:
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
    title: str
    note: str
    parts: list[BracketPreview]


@dataclass(frozen=True, slots=True)
class FormatPreview:
    """A whole format. `facts` are labels with values; `remarks` are kinds with sentences."""

    line: str
    facts: list[tuple[str, str]]
    remarks: list[tuple[str, str]]
    stages: list[StagePart]
    has_times: bool


def preview_of(forecast: Forecast, zone: tzinfo) -> FormatPreview:
    """Return a forecast in words, with times in the zone of the event."""
    several = len(forecast.stages) > 1
    return FormatPreview(
        line=_line(forecast, zone),
        facts=_facts(forecast),
        remarks=[(str(remark.kind), _remark(remark, several)) for remark in forecast.remarks],
        stages=[_stage(stage, forecast.starts, zone, several) for stage in forecast.stages if stage.brackets],
        has_times=bool(forecast.finish),
    )


def clock(at: datetime, zone: tzinfo, since: datetime) -> str:
    """Return a time, with its day if that is not the day of `since`."""
    local = at.astimezone(zone)
    if local.date() == since.astimezone(zone).date():
        return date_format(local, "H:i")
    day = date_format(local, "D" if at - since < timedelta(days=6) else "SHORT_DATE_FORMAT")
    return f"{day} {date_format(local, 'H:i')}"


def _line(forecast: Forecast, zone: tzinfo) -> str:
    matches = forecast.matches
    parts = [ngettext("%(count)s player", "%(count)s players", forecast.entries) % {"count": forecast.entries}]
    if matches.most:
        parts.append(ngettext("%(count)s match", "%(count)s matches", matches.most) % {"count": count_text(matches)})
        parts.append(in_order([_rounds(stage) for stage in forecast.stages if stage.brackets]))
    if forecast.starts and forecast.ends and forecast.ends_late:
        ends, late = (clock(at, zone, forecast.starts) for at in (forecast.ends, forecast.ends_late))
        parts.append(_("about %(time)s, 90 %% likely by %(late)s") % {"time": ends, "late": late})
    return " · ".join(parts)


def _rounds(stage: StageForecast) -> str:
    text = ngettext("%(count)s round", "%(count)s rounds", stage.rounds.most) % {"count": count_text(stage.rounds)}
    texts = {
        CONSOLATION: _("Consolation"),
        LAST_CHANCE: _("Last chance"),
        LOWER: _("Lower bracket"),
        FINAL: _("Final"),
    }
    brackets = [bracket for bracket in stage.brackets if bracket.key in texts and bracket.rounds]
    return " + ".join([text, *(f"{texts[bracket.key]} ({len(bracket.rounds)})" for bracket in brackets)])


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
        title = _("Stage %(number)d: %(text)s") % {"number": stage.number, "text": title}
    note = _("In any order, until the last day you set.") if stage.format == LEAGUE else ""
    parts = [_part(bracket, stage, starts, zone) for bracket in stage.brackets if bracket.rounds]
    return StagePart(title, note, parts)


def _part(bracket: BracketForecast, stage: StageForecast, starts: datetime | None, zone: tzinfo) -> BracketPreview:
    title = bracket_name(bracket.key, upper=stage.format == DOUBLE)
    if bracket.key == ALL_GROUPS:
        title = _("Groups of %(sizes)s players") % {"sizes": _sizes(stage.groups)}
    rows = [_row(round_, bracket, stage, starts, zone) for round_ in bracket.rounds[:MAX_ROWS]]
    return BracketPreview(
        title,
        pattern_in_words(bracket.pattern) if bracket.pattern else "",
        rows,
        max(0, len(bracket.rounds) - MAX_ROWS),
    )


def _sizes(groups: Sequence[int]) -> str:
    return "–".join(str(size) for size in sorted(set(groups)))


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
    rounds, upper = len(bracket.rounds), stage.format == DOUBLE
    name = (
        _("Round %(number)s") % {"number": round_.number}
        if stage.format in NUMBERED_ROUNDS
        else round_name(
            bracket.key,
            round_.number,
            fixtures,
            rounds,
            upper=upper,
            starts=stage.starts,
            byes=round_.byes.most,
        )
    )
    if round_.matches.least == 0 and bracket.key != MAIN:
        return _("%(round)s, if needed") % {"round": name}
    return name


def _done(finish: Finish | None, starts: datetime | None, zone: tzinfo) -> str:
    return clock(starts + timedelta(minutes=finish.median), zone, starts) if finish and starts else ""


DEFAULT_PLAYERS = 16
"""Players assumed for a division without entries and without a limit."""
QUALIFIERS_PER_GROUP, QUALIFIERS_PER_STAGE = 2, 8
"""Qualifiers of a stage that gets a successor, until the director enters a number."""
USUAL_EVENING = timedelta(hours=4)
"""How long an event is assumed to last that has no end."""
EVENING_FIELDS = ("players", "tables", "starts", "closes", "minutes")


@dataclass(frozen=True, slots=True)
class FormatOrigin:
    """A preset or a template of the club, from which stages are taken."""

    preset: str
    template: EveningTemplate | None

    def stages(self, players: int, plan: Evening | None, lengths: Sequence[int]) -> list[StageSettings]:
        """Return its stages with the match lengths that suit the evening, if there is a closing time."""
        if self.template is not None:
            own = stages_of(self.template), tuple(self.template.lengths)
            if plan is not None:
                format_ = format_of(self.template, plan)
                own = format_.stages, format_.lengths
            return with_lengths(*own)
        stages = preset(self.preset, players)
        if plan is None:
            return list(stages)
        fitted, _lengths = fit_lengths(with_lengths(stages, lengths), (), players, plan.tables, plan.minutes)
        return list(fitted)


def _origin(division: Division, preset_name: str, template: int | None) -> FormatOrigin | None:
    if template is not None:
        row = EveningTemplate.objects.filter(club=division.tournament.club, pk=template).first()
        return None if row is None else FormatOrigin("", row)
    return FormatOrigin(preset_name, None) if preset_name else None


def _fitted_evening(fields: Mapping[str, Any], evening: EveningForm) -> Evening | None:
    """Return the evening that the stages on the page were fitted to; None if it had no closing time."""
    players, tables, minutes = (fields[f"fitted_{name}"] for name in ("players", "tables", "minutes"))
    if not players or tables is None or minutes is None:
        return None
    starts = evening.cleaned_data["starts"]
    return Evening(players, tables, starts, starts + timedelta(minutes=minutes))


class DesignerPage:
    """One form per stage, one for the evening, and what follows from them.

    `settings` and `tables` are what would be stored; both are None while a form has errors.
    """

    def __init__(self, division: Division, zone: tzinfo, stages: list[StageForm], evening: EveningForm) -> None:
        self.division, self.zone, self.stages, self.evening = division, zone, stages, evening
        self.faults: list[str] = []
        """Errors that belong to no stage."""
        self.was_faulty = False
        """Whether the submitted page showed errors."""
        valid = [form.settings for form in stages if form.is_valid() or not form.is_bound]
        settings = [stage for stage in valid if stage is not None]
        self.settings = settings if len(settings) == len(stages) and evening.is_valid() else None
        self.origin: FormatOrigin | None = None
        """What the stages were taken from, unless they were changed by hand since."""
        self.is_open = False
        """Whether the details of the format are open."""
        self.rounds_open = False
        self.tables: int | None = evening.cleaned_data.get("tables") if evening.is_valid() else None
        self.forecast = self._forecast()
        self.preview: FormatPreview | None = preview_of(self.forecast, zone) if self.forecast else None
        self._offer_patterns()

    @classmethod
    def of_division(cls, division: Division, zone: tzinfo) -> "DesignerPage":
        """Return the page for the stored format and the current entries."""
        evening = EveningForm(_default_evening(division))
        return cls(division, zone, _stored_stages(stage_settings(division), division), evening)

    @classmethod
    def of_form(cls, division: Division, zone: tzinfo, form: DesignerForm) -> "DesignerPage":
        """Return the page as submitted; if `form` has errors, the stored format with these errors."""
        if not form.is_valid():
            page = cls.of_division(division, zone)
            page.settings = None
            page.faults += form.faults
            return page
        page = cls._submitted(division, zone, form)
        page.was_faulty = form.cleaned_data["faulty"]
        page.is_open = page.is_open or form.cleaned_data["format_open"] or page.faulty
        page.rounds_open = form.cleaned_data["rounds_open"]
        return page

    @classmethod
    def _submitted(cls, division: Division, zone: tzinfo, form: DesignerForm) -> "DesignerPage":
        data, fields = form.data, form.cleaned_data
        defaults = _default_evening(division)
        evening = EveningForm({name: data.get(name, defaults[name]) for name in EVENING_FIELDS})
        plan = evening.evening() if evening.is_valid() else None
        plan = replace(plan, at_stake=is_at_stake(division)) if plan is not None else None
        if fields["proposal"] and plan is not None and (stages := proposed_stages(fields["proposal"], plan)):
            return cls(division, zone, _stored_stages(list(stages), division), evening)
        players = evening.cleaned_data["players"] if evening.is_valid() else DEFAULT_PLAYERS
        if chosen := _origin(division, fields["preset"], fields["template"]):
            return cls._from(chosen, players, plan, division, zone, evening)
        page = cls(division, zone, _submitted_stages(division, form, _with_proposals(data, evening)), evening)
        kept = _origin(division, fields["from_preset"], fields["from_template"])
        if kept is None or page.settings is None or not evening.is_valid():
            return page
        before = _fitted_evening(fields, evening)
        if page.settings != kept.stages(fields["fitted_players"] or 0, before, division.lengths):
            return page
        return cls._from(kept, players, plan, division, zone, evening, is_open=False)

    @classmethod
    def _from(
        cls,
        origin: "FormatOrigin",
        players: int,
        plan: Evening | None,
        division: Division,
        zone: tzinfo,
        evening: EveningForm,
        *,
        is_open: bool = True,
    ) -> "DesignerPage":
        """Return the page with the stages of a preset or a template, fitted to the evening."""
        stages = origin.stages(players, plan, division.lengths)
        page = cls(division, zone, _stored_stages(stages, division), evening)
        page.origin, page.is_open = origin, is_open
        return page

    @property
    def plan(self) -> Evening | None:
        """The evening that formats are proposed for; None without players or a closing time."""
        plan = self.evening.evening() if self.evening.is_valid() else None
        if plan is None or not MIN_ENTRIES <= plan.players <= MAX_PLAYERS:
            return None
        return replace(plan, at_stake=is_at_stake(self.division))

    @property
    def offers(self) -> list[FormatOffer]:
        """The formats that suit the evening, and those that are too long."""
        return offers_for(self.plan, stage_settings(self.division), self.division.lengths) if self.plan else []

    @property
    def timeline(self) -> Timeline | None:
        """When the format on the page is over, beside the closing time."""
        finish = self.forecast.finish if self.forecast is not None else None
        return timeline_of(self.plan, finish) if self.plan is not None and finish is not None else None

    @property
    def compared(self) -> list[ComparedLine]:
        """The first stage in rounds and without, if it can be paired in both ways."""
        finish = self.forecast.finish if self.forecast is not None else None
        if self.plan is None or not self.settings or finish is None:
            return []
        pace = replace(self.evening.pace(), rest=rest_of(self.division.tournament))
        return compared(self.settings, self.division.lengths, self.plan, pace, finish)

    @property
    def matches_each(self) -> str:
        """How many matches everybody plays in the format on the page."""
        return matches_text(self.forecast.matches_each) if self.forecast is not None else ""

    @property
    def title(self) -> str:
        """The format on the page in a few words."""
        return format_name(self.settings) if self.settings else ""

    @property
    def details(self) -> str:
        """The match lengths of the format on the page."""
        return lengths_text(self.settings, self.division.lengths) if self.settings else ""

    @property
    def fitted(self) -> list[tuple[str, str]]:
        """The evening that the stages of the origin were fitted to, as names and values of hidden fields."""
        players = self.evening.cleaned_data["players"] if self.evening.is_valid() else 0
        fields = [("fitted_players", str(players))]
        if (plan := self.evening.evening() if self.evening.is_valid() else None) is not None:
            fields += [("fitted_tables", str(plan.tables)), ("fitted_minutes", f"{plan.minutes:g}")]
        return fields

    @property
    def is_stored(self) -> bool:
        return self.settings == stage_settings(self.division)

    @property
    def faulty(self) -> bool:
        """Whether any form has errors."""
        return self.settings is None

    @property
    def more_stages(self) -> int | None:
        """The number of stages after adding one; None if that is too many."""
        return len(self.stages) + 1 if len(self.stages) < MAX_STAGES else None

    @property
    def fewer_stages(self) -> int | None:
        """The number of stages after removing one; None if there is only one."""
        return len(self.stages) - 1 or None

    def refuse(self, refused: Refused) -> None:
        """Show a refusal beside its stage, or above all stages if it names none."""
        at = refused.params.get("stage", 0)
        if 1 <= at <= len(self.stages) and self.stages[at - 1].is_bound:
            self.stages[at - 1].refuse(refused)
        else:
            self.faults.append(sentence(refused.code, refused.params))

    def _forecast(self) -> Forecast | None:
        if self.settings is None:
            return None
        starts, closes = self.evening.span(self.zone)
        return forecast_stages(
            self.settings,
            self.evening.cleaned_data["players"],
            default_lengths=self.division.lengths,
            pace=replace(self.evening.pace(), rest=rest_of(self.division.tournament)),
            starts=starts,
            closes=closes,
            beside=divisions_beside(self.division),
        )

    def _offer_patterns(self) -> None:
        """Offer each stage what suits its field; while a form has errors, only the first stage gets any patterns."""
        if self.forecast is not None:
            choices = [stage.choices for stage in self.forecast.stages]
        else:
            players = self.evening.cleaned_data["players"] if self.evening.is_valid() else 0
            choices = [choices_of(StageSettings(self.stages[0].format_name), players)] if self.stages else []
        for form, patterns in zip(self.stages, [*choices, *[Choices()] * len(self.stages)], strict=False):
            form.offer(patterns)
        if self.forecast is not None and self.settings is not None:
            for form, stage in zip(self.stages, self.forecast.stages, strict=True):
                form.offer_byes(
                    waits_of_stage(
                        self.settings,
                        stage.number,
                        stage.entrants,
                        default_lengths=self.division.lengths,
                        minutes_per_point=self.evening.pace().minutes_per_point,
                    )
                )


def _stored_stages(stages: list[StageSettings], division: Division) -> list[StageForm]:
    return [
        StageForm(None, number=number, last=number == len(stages), stored=settings, default_lengths=division.lengths)
        for number, settings in enumerate(stages, start=1)
    ]


def _submitted_stages(division: Division, form: DesignerForm, data: Mapping[str, str]) -> list[StageForm]:
    """Return as many bound forms as the page is to show."""
    before, count = form.cleaned_data["stages"], form.stage_count
    if count > before:
        name = f"s{before}-qualifiers"
        groups = data.get(f"s{before}-format") == GROUPS
        qualifiers = QUALIFIERS_PER_GROUP if groups else QUALIFIERS_PER_STAGE
        data = dict(data.items()) | {name: data.get(name) or str(qualifiers)}
    return [
        StageForm(data, number=number, last=number == count, default_lengths=division.lengths)
        for number in range(1, count + 1)
    ]


def _with_proposals(data: Mapping[str, str], evening: EveningForm) -> Mapping[str, str]:
    """Fill a custom pattern that was just chosen with the proposal for the field, if the field is known."""
    players = evening.cleaned_data.get("players", 0) if evening.is_valid() else 0
    filled = dict(data.items())
    proposed = choices_of(StageSettings(data.get("s1-format", "")), players)
    for name, proposals in (("pattern", proposed.lower), ("last_chance", proposed.last_chance)):
        if filled.get(f"s1-{name}") == OWN and f"s1-own_{name}" not in filled and proposals:
            filled[f"s1-own_{name}"] = str(proposals[0].pattern)
    return filled


def _default_evening(division: Division) -> dict[str, str]:
    """Return the evening of the event, for its entries, or for its capacity before anyone has entered."""
    event = division.tournament
    players = entries_in(division) or division.capacity or DEFAULT_PLAYERS
    starts, ends = local_span(event)
    closes = starts + USUAL_EVENING if event.ends_at is None else ends
    others = 0 if event.tables else sum(row.entries for row in divisions_beside(division))
    return {
        "players": str(players),
        "tables": str(event.tables_for(players + others)),
        "starts": f"{starts:%Y-%m-%dT%H:%M}",
        "closes": f"{closes:%H:%M}" if closes is not None else "",
        "minutes": f"{MINUTES_PER_POINT:g}",
    }
