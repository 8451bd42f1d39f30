"""What a director sends about a season."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH
from core.text_lengths import LONGEST_KEY, LONGEST_NAME, LONGEST_NOTE
from players.forms import RefusingForm
from tournaments.formats.series.presets import PRESETS

OFFERED = {code: preset for code, preset in PRESETS.items() if code not in ("american_tour", "given")}
"""The presets of pages and API: the other two need points or shares that a director types in."""


class SeriesForm(RefusingForm):
    """A new season: its name, days and the plan it begins with."""

    FIELD_OF = {"series_name_taken": "name", "series_days": "last_day"}

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    first_day = forms.DateField(label=_("First day"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))
    last_day = forms.DateField(label=_("Last day"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))
    preset = forms.ChoiceField(
        label=_("Points"), choices=[(code, preset.title) for code, preset in OFFERED.items()], required=False
    )
    like = forms.CharField(max_length=LENGTH, required=False)
    key = forms.CharField(max_length=LONGEST_KEY, required=False)


class CountForm(RefusingForm):
    """An event that counts, and as what; `missing` stands for all events of the days that do not count yet."""

    event = forms.CharField(max_length=LENGTH)
    kind = forms.CharField(label=_("Kind of evening"), max_length=20, required=False)
    weight = forms.CharField(label=_("Weight"), max_length=20, required=False)


class LeaveOutForm(RefusingForm):
    """An event that no longer counts."""

    event = forms.CharField(max_length=LENGTH)


class PlanForm(RefusingForm):
    """A whole plan in its exchange form."""

    plan = forms.JSONField()
    after = forms.IntegerField(min_value=0)


class CloseForm(RefusingForm):
    """The `seq` that was seen."""

    after = forms.IntegerField(min_value=0)


class ReopenForm(RefusingForm):
    """Why it is opened again."""

    reason = forms.CharField(label=_("Reason"), max_length=LONGEST_NOTE)
    after = forms.IntegerField(min_value=0)


def season_initial(now: Any) -> dict[str, Any]:
    """The days of a season that begins this month and ends with the year, or in half a year near its end."""
    first = now.date().replace(day=1)
    last = first.replace(month=12, day=31) if first.month < 10 else first.replace(year=first.year + 1, month=6, day=30)
    return {"first_day": first, "last_day": last, "preset": "usual"}
