"""The format designer: the stages of a division, and a preview of what they mean for the evening."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core.messages import sentence, status_of
from core.requests import is_htmx
from engine.errors import Refused
from tournaments.draws.designer.forms import OWN, DesignerForm, EveningForm, StageForm
from tournaments.draws.evenings import divisions_beside, keep_format, local_span, rest_of
from tournaments.draws.services import LEAST_ENTRIES
from tournaments.events.pages import account_needed, by, directed_division, division_url_args, missed, seen_at, zone_of
from tournaments.events.selectors import divisions_of
from tournaments.events.services import entries_in
from tournaments.formats.forecast.brackets import ALL_GROUPS, BracketForecast, RoundForecast
from tournaments.formats.forecast.counts import Count
from tournaments.formats.forecast.durations import MINUTES_PER_POINT
from tournaments.formats.forecast.finish_times import Finish
from tournaments.formats.forecast.forecasts import Forecast, Remark, StageForecast, forecast_stages
from tournaments.formats.forecast.stages import Choices, choices_of
from tournaments.formats.forecast.waits import waits_of_stage
from tournaments.formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN
from tournaments.formats.plans import MOST_STAGES
from tournaments.formats.presets import preset
from tournaments.formats.settings import DOUBLE, GROUPS, LEAGUE, ROUND_ROBIN, StageSettings
from tournaments.models import Division
from tournaments.standings.brackets import bracket_name, round_name
from tournaments.state.format_labels import FORMAT_NAMES, PRESET_NAMES, pattern_in_words, stages_name
from tournaments.state.forms import AfterForm
from tournaments.state.stages import set_stages, stage_settings

# The preview of a format in words: totals in one line, rounds with their times, and remarks.


MOST_ROWS = 24
NUMBERED_ROUNDS = (GROUPS, ROUND_ROBIN, LEAGUE)
"""Formats whose rounds have numbers instead of names such as “Final”."""


@dataclass(frozen=True, slots=True)
class RoundPreview:
    """One round of the preview, as text."""

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
    """One stage of the preview, with its brackets."""

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
    return BracketPreview(
        title,
        pattern_in_words(bracket.pattern) if bracket.pattern else "",
        rows,
        max(0, len(bracket.rounds) - MOST_ROWS),
    )


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


# The state of the designer page: the forms of the stages and of the evening, and the preview of their format.


DEFAULT_PLAYERS = 16
"""Players assumed for a division without entries and without a limit."""
QUALIFIERS_PER_GROUP, QUALIFIERS_PER_STAGE = 2, 8
"""Qualifiers of a stage that gets a successor, until the director enters a number."""
EVENING_FIELDS = ("players", "tables", "starts", "closes", "minutes")


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
        self.tables: int | None = evening.cleaned_data.get("tables") if evening.is_valid() else None
        self.forecast = self._forecast()
        self.preview: Preview | None = preview_of(self.forecast, zone) if self.forecast else None
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
        return page

    @classmethod
    def _submitted(cls, division: Division, zone: tzinfo, form: DesignerForm) -> "DesignerPage":
        data, chosen = form.data, form.cleaned_data["preset"]
        defaults = _default_evening(division)
        evening = EveningForm({name: data.get(name, defaults[name]) for name in EVENING_FIELDS})
        if chosen:
            players = evening.cleaned_data.get("players", 0) if evening.is_valid() else DEFAULT_PLAYERS
            return cls(division, zone, _stored_stages(list(preset(chosen, players)), division), evening)
        return cls(division, zone, _submitted_stages(division, form, _with_proposals(data, evening)), evening)

    @property
    def faulty(self) -> bool:
        """Whether any form has errors."""
        return self.settings is None

    @property
    def more_stages(self) -> int | None:
        """The number of stages after adding one; None if that is too many."""
        return len(self.stages) + 1 if len(self.stages) < MOST_STAGES else None

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
    others = 0 if event.tables else sum(row.entries for row in divisions_beside(division))
    return {
        "players": str(players),
        "tables": str(event.tables_for(players + others)),
        "starts": f"{starts:%Y-%m-%dT%H:%M}",
        "closes": f"{ends:%H:%M}" if ends is not None else "",
        "minutes": f"{MINUTES_PER_POINT:g}",
    }


TEMPLATE = "tournaments/draws/designer/designer.html"
FRAGMENT = "tournaments/draws/designer/_designer.html"


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def designer(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the format of a division; by POST, store it."""
    division = directed_division(request, **kwargs)
    zone = zone_of(division.tournament)
    if request.method != "POST":
        return _render(request, division, DesignerPage.of_division(division, zone))
    page = DesignerPage.of_form(division, zone, DesignerForm(request.POST))
    after = AfterForm(request.POST)
    if page.settings is None or page.tables is None or not after.is_valid():
        return _render(request, division, page, status=422)
    try:
        set_stages(
            division=division,
            stages=page.settings,
            tables=page.tables,
            after=after.cleaned_data["after"],
            by=by(request),
            now=timezone.now(),
        )
    except Refused as refused:
        page.refuse(refused)
        changes = missed(request, refused, division.tournament, [division.topic])
        division.refresh_from_db()
        return _render(request, division, page, missed=changes, status=status_of(refused.code))
    if (evening := page.evening.evening()) is not None:
        keep_format(
            club=division.tournament.club,
            evening=evening,
            stages=page.settings,
            lengths=division.lengths,
            now=timezone.now(),
        )
    messages.success(request, _("Format of %(division)s saved: %(stages)s.") % {
        "division": division.name, "stages": stages_name(page.settings),
    })  # fmt: skip
    return redirect("draw" if entries_in(division) >= LEAST_ENTRIES else "entries", *division_url_args(division))


@account_needed
@require_POST
def preview(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the page for the submitted format without storing it; for htmx, only its forms and preview."""
    division = directed_division(request, **kwargs)
    page = DesignerPage.of_form(division, zone_of(division.tournament), DesignerForm(request.POST))
    return _render(request, division, page)


def _render(
    request: HttpRequest, division: Division, page: DesignerPage, *, missed: Sequence[Any] = (), status: int = 200
) -> HttpResponse:
    tournament = division.tournament
    context = {
        "tournament": tournament,
        "club": tournament.club,
        "division": division,
        "divisions": divisions_of(tournament),
        "designer": page,
        "presets": list(PRESET_NAMES.items()),
        "missed": missed,
        "open": division.status == Division.Status.ENTRIES,
        "seen": int(seen_at(request).timestamp()) if status == 200 and request.method == "POST" else None,
        "now": timezone.now(),
    }
    fragment = is_htmx(request) and status == 200
    response = render(request, FRAGMENT if fragment else TEMPLATE, context, status=status)
    if fragment and (page.faulty or page.was_faulty):
        # Errors are shown beside their fields, outside the preview: replace these too, also once they are fixed.
        response["HX-Retarget"] = response["HX-Reselect"] = "#design"
    return response
