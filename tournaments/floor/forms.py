"""The form of a floor: its settings and its tables."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.floor.facts import FloorSettings
from tournaments.floor.loading import settings_of
from tournaments.floor.services.opening import FloorPlan, TablePlan
from tournaments.models import Floor, Table, Tournament
from tournaments.models.floor import LONGEST_LABEL

MOST_MINUTES = 240
MINUTES = ("rest", "second_call", "no_show", "penalty_first", "penalty_each")


class FloorSettingsForm(RefusingForm):
    """The minutes and rules of a floor, the label and category of each table, and one more table."""

    rest = forms.IntegerField(min_value=0, max_value=MOST_MINUTES, label=_("Minutes of rest between matches"))
    second_call = forms.IntegerField(min_value=1, max_value=MOST_MINUTES, label=_("Minutes until the second call"))
    no_show = forms.IntegerField(
        min_value=1, max_value=MOST_MINUTES, label=_("Minutes until a player counts as a no-show")
    )
    penalty_points = forms.BooleanField(required=False, label=_("Penalty points for lateness"))
    penalty_first = forms.IntegerField(
        min_value=1, max_value=MOST_MINUTES, label=_("Minutes until the first penalty point")
    )
    penalty_each = forms.IntegerField(
        min_value=1, max_value=MOST_MINUTES, label=_("Minutes for each further penalty point")
    )
    new_label = forms.CharField(required=False, max_length=LONGEST_LABEL, label=_("New table"))
    new_category = forms.ChoiceField(choices=Table.Category.choices, label=_("Category"), required=False)

    def __init__(self, data: Any = None, *, tournament: Tournament) -> None:
        settings = settings_of(Floor.objects.filter(tournament=tournament).first())
        initial = {name: getattr(settings, name) for name in (*MINUTES, "penalty_points")}
        super().__init__(data, initial=initial)
        self.tables = list(tournament.floor_tables.all())
        for table in self.tables:
            self.fields[f"label_{table.public_id}"] = forms.CharField(
                max_length=LONGEST_LABEL, label=_("Table"), initial=table.label
            )
            self.fields[f"category_{table.public_id}"] = forms.ChoiceField(
                choices=Table.Category.choices, label=_("Category"), initial=table.category
            )

    @property
    def rows(self) -> list[tuple[Any, Any]]:
        """The fields of each table: label and category."""
        return [(self[f"label_{row.public_id}"], self[f"category_{row.public_id}"]) for row in self.tables]

    @property
    def plan(self) -> FloorPlan:
        """What the valid form asks for."""
        data = self.cleaned_data
        plans = [
            TablePlan(data[f"label_{row.public_id}"], data[f"category_{row.public_id}"], row) for row in self.tables
        ]
        if data["new_label"]:
            plans.append(TablePlan(data["new_label"], data["new_category"] or Table.Category.NORMAL))
        settings = {name: data[name] for name in (*MINUTES, "penalty_points")}
        return FloorPlan(FloorSettings(**settings), tuple(plans))
