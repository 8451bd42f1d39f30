"""The frame of the designer page: how many stages it has and which of its buttons was pressed."""

from typing import ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.formats.plans import MOST_STAGES
from tournaments.formats.presets import PRESETS


class DesignerForm(RefusingForm):
    """The fields that belong to no stage; each stage and the evening have forms of their own over the same data."""

    stages = forms.IntegerField(label=_("Stages"), min_value=1, max_value=MOST_STAGES)
    new_count = forms.IntegerField(label=_("Stages"), min_value=1, max_value=MOST_STAGES, required=False)
    """The new number of stages, sent by the buttons that add or remove one."""
    preset = forms.ChoiceField(label=_("Preset"), choices=[(name, name) for name in PRESETS], required=False)
    """The template that replaces all stages."""
    faulty = forms.BooleanField(required=False)
    """Whether the page showed errors when it was sent."""
    FIELD_OF: ClassVar[dict[str, str]] = {}

    @property
    def faults(self) -> list[str]:
        """All errors, each after the label of its field."""
        return [f"{self.fields[name].label}: {error}" for name, errors in self.errors.items() for error in errors]

    @property
    def stage_count(self) -> int:
        """The number of stages to show."""
        count: int = self.cleaned_data["new_count"] or self.cleaned_data["stages"]
        return count
