"""What stands on the page of the draw designer: the forms of the stages and of the evening, and their outline."""

from collections.abc import Mapping
from datetime import timedelta, tzinfo

from core.messages import sentence
from engine.errors import Refused
from tournaments.draws.design.design_form import DesignForm
from tournaments.draws.design.evening_form import EveningForm
from tournaments.draws.design.forms import OWN, StageForm
from tournaments.draws.design.previews import Shown, shown
from tournaments.events.forms import shown_local
from tournaments.events.services.events import entries_in
from tournaments.formats.blueprint import MOST_STAGES
from tournaments.formats.forecast.outline import Choices, Outline, outline
from tournaments.formats.forecast.schedule import MINUTES_PER_POINT
from tournaments.formats.forecast.stages import choices_of
from tournaments.formats.presets import preset
from tournaments.formats.settings import GROUPS, StageSettings
from tournaments.models import Division
from tournaments.state.stages import stage_settings

USUAL_PLAYERS = 16
"""For whom a division is outlined while nobody is entered."""
OF_EACH_GROUP, OF_A_STAGE = 2, 8
"""How many go on when a stage is added, until the director says so."""
SAME_EVENT = timedelta(hours=24)
EVENING = ("players", "tables", "starts", "closes", "minutes")


class Design:
    """The page's state: a form for each stage, one for the evening, and what follows from them.

    `settings` and `tables` are what would be stored, None while something is wrong; `outline` is in words.
    """

    def __init__(self, division: Division, zone: tzinfo, stages: list[StageForm], evening: EveningForm) -> None:
        self.division, self.zone, self.stages, self.evening = division, zone, stages, evening
        self.faults: list[str] = []
        self.was_faulty = False
        """Whether the page that was sent showed faults."""
        good = [form.made for form in stages if form.is_valid() or not form.is_bound]
        made = [one for one in good if one is not None]
        self.settings = made if len(made) == len(stages) and evening.is_valid() else None
        self.tables: int | None = evening.cleaned_data.get("tables") if evening.is_valid() else None
        self.found = self._outlined()
        self.outline: Shown | None = shown(self.found, zone) if self.found else None
        self._offer()

    @classmethod
    def of_division(cls, division: Division, zone: tzinfo) -> "Design":
        """As it is set now, for those who are entered."""
        return cls(division, zone, _unbound(stage_settings(division), division), EveningForm(_usual(division, zone)))

    @classmethod
    def of_form(cls, division: Division, zone: tzinfo, form: DesignForm) -> "Design":
        """As it was sent; where the form has faults, as it is set now, with these."""
        if not form.is_valid():
            design = cls.of_division(division, zone)
            design.settings = None
            design.faults += form.faults
            return design
        design = cls._sent(division, zone, form)
        design.was_faulty = form.cleaned_data["faulty"]
        return design

    @classmethod
    def _sent(cls, division: Division, zone: tzinfo, form: DesignForm) -> "Design":
        data, chosen = form.data, form.cleaned_data["preset"]
        usual = _usual(division, zone)
        evening = EveningForm({name: data.get(name, usual[name]) for name in EVENING})
        if chosen:
            players = evening.cleaned_data.get("players", 0) if evening.is_valid() else USUAL_PLAYERS
            return cls(division, zone, _unbound(list(preset(chosen, players)), division), evening)
        return cls(division, zone, _bound(division, form, _prefilled(data, evening)), evening)

    @property
    def faulty(self) -> bool:
        """Whether something that was typed is not in order."""
        return self.settings is None

    @property
    def more_stages(self) -> int | None:
        """The number of stages with one more; None where that is too many."""
        return len(self.stages) + 1 if len(self.stages) < MOST_STAGES else None

    @property
    def fewer_stages(self) -> int | None:
        """The number of stages with one less."""
        return len(self.stages) - 1 or None

    def refuse(self, refused: Refused) -> None:
        """Beside the stage it is about, or above all."""
        at = refused.params.get("stage", 0)
        if 1 <= at <= len(self.stages) and self.stages[at - 1].is_bound:
            self.stages[at - 1].refuse(refused)
        else:
            self.faults.append(sentence(refused.code, refused.params))

    def _outlined(self) -> Outline | None:
        if self.settings is None:
            return None
        starts, closes = self.evening.span(self.zone)
        return outline(
            self.settings,
            self.evening.cleaned_data["players"],
            default_lengths=self.division.lengths,
            pace=self.evening.pace(),
            starts=starts,
            closes=closes,
        )

    def _offer(self) -> None:
        """The patterns that fit the field of each stage; while something is wrong, those of the first at least."""
        if self.found is not None:
            choices = [one.choices for one in self.found.stages]
        else:
            valid = self.evening.is_valid()
            players = self.evening.cleaned_data["players"] if valid else 0
            choices = [choices_of(StageSettings(self.stages[0].format_name), players)] if self.stages else []
        for form, one in zip(self.stages, [*choices, *[Choices()] * len(self.stages)], strict=False):
            form.offer(one)


def _unbound(stages: list[StageSettings], division: Division) -> list[StageForm]:
    return [
        StageForm(None, number=number, last=number == len(stages), stored=one, usual_lengths=division.lengths)
        for number, one in enumerate(stages, start=1)
    ]


def _bound(division: Division, form: DesignForm, data: Mapping[str, str]) -> list[StageForm]:
    """The forms as they were sent, for as many stages as are wanted."""
    count, wanted = form.cleaned_data["stages"], form.stages_wanted
    if wanted > count:
        name = f"s{count}-qualifiers"
        groups = data.get(f"s{count}-format") == GROUPS
        data = dict(data.items()) | {name: data.get(name) or str(OF_EACH_GROUP if groups else OF_A_STAGE)}
    return [
        StageForm(data, number=number, last=number == wanted, usual_lengths=division.lengths)
        for number in range(1, wanted + 1)
    ]


def _prefilled(data: Mapping[str, str], evening: EveningForm) -> Mapping[str, str]:
    """Who wants a pattern of his own begins with the one proposed for the field, as far as that is known."""
    players = evening.cleaned_data.get("players", 0) if evening.is_valid() else 0
    filled = dict(data.items())
    proposed = choices_of(StageSettings(data.get("s1-format", "")), players)
    for name, proposals in (("pattern", proposed.lower), ("last_chance", proposed.last_chance)):
        if filled.get(f"s1-{name}") == OWN and f"s1-own_{name}" not in filled and proposals:
            filled[f"s1-own_{name}"] = str(proposals[0].pattern)
    return filled


def _usual(division: Division, zone: tzinfo) -> dict[str, str]:
    """What the evening is like as far as is known."""
    event = division.tournament
    players = entries_in(division) or division.capacity or USUAL_PLAYERS
    starts = shown_local(event.starts_at, zone)
    ends = event.ends_at
    soon = ends is not None and ends - event.starts_at < SAME_EVENT
    return {
        "players": str(players),
        "tables": str(event.tables_for(players)),
        "starts": f"{starts:%Y-%m-%dT%H:%M}",
        "closes": f"{ends.astimezone(zone):%H:%M}" if ends is not None and soon else "",
        "minutes": f"{MINUTES_PER_POINT:g}",
    }
