"""Which stages the page of the draw designer carries, and what its buttons ask for."""

from typing import ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.formats.blueprint import MOST_STAGES
from tournaments.formats.presets import PRESETS


class DesignForm(RefusingForm):
    """The frame of the designer: the stages themselves and the evening are forms of their own, of the same data."""

    stages = forms.IntegerField(label=_("Stages"), min_value=1, max_value=MOST_STAGES)
    wanted = forms.IntegerField(label=_("Stages"), min_value=1, max_value=MOST_STAGES, required=False)
    """Another number of stages, where one is added or removed."""
    preset = forms.ChoiceField(label=_("Preset"), choices=[(name, name) for name in PRESETS], required=False)
    """Fills in all stages anew."""
    faulty = forms.BooleanField(required=False)
    """Whether the page showed faults."""
    FIELD_OF: ClassVar[dict[str, str]] = {}

    @property
    def faults(self) -> list[str]:
        """What is wrong with it, each with the field that it is about."""
        return [f"{self.fields[name].label}: {error}" for name, errors in self.errors.items() for error in errors]

    @property
    def stages_wanted(self) -> int:
        """How many stages the page is to show."""
        wanted: int = self.cleaned_data["wanted"] or self.cleaned_data["stages"]
        return wanted
