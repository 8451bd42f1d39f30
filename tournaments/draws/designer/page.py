"""The state of the designer page: the forms of the stages and of the evening, and the preview of their format."""

from collections.abc import Mapping
from datetime import tzinfo

from core.messages import sentence
from engine.errors import Refused
from tournaments.draws.designer.forms.designer import DesignerForm
from tournaments.draws.designer.forms.evening import EveningForm
from tournaments.draws.designer.forms.stage import StageForm
from tournaments.draws.designer.forms.stage_values import OWN
from tournaments.draws.designer.preview import Preview, preview_of
from tournaments.draws.evening_forms import local_span
from tournaments.events.services.events import entries_in
from tournaments.formats.forecast.finish_times import MINUTES_PER_POINT
from tournaments.formats.forecast.forecasts import Forecast, forecast_stages
from tournaments.formats.forecast.stages import Choices, choices_of
from tournaments.formats.plans import MOST_STAGES
from tournaments.formats.presets import preset
from tournaments.formats.settings import GROUPS, StageSettings
from tournaments.models import Division
from tournaments.state.stages import stage_settings

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
            pace=self.evening.pace(),
            starts=starts,
            closes=closes,
        )

    def _offer_patterns(self) -> None:
        """Offer each stage the patterns for its field; while a form has errors, only the first stage gets any."""
        if self.forecast is not None:
            choices = [stage.choices for stage in self.forecast.stages]
        else:
            players = self.evening.cleaned_data["players"] if self.evening.is_valid() else 0
            choices = [choices_of(StageSettings(self.stages[0].format_name), players)] if self.stages else []
        for form, patterns in zip(self.stages, [*choices, *[Choices()] * len(self.stages)], strict=False):
            form.offer(patterns)


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
    return {
        "players": str(players),
        "tables": str(event.tables_for(players)),
        "starts": f"{starts:%Y-%m-%dT%H:%M}",
        "closes": f"{ends:%H:%M}" if ends is not None else "",
        "minutes": f"{MINUTES_PER_POINT:g}",
    }
