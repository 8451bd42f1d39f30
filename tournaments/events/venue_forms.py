"""The form of a club's venue."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.events.services.venues import DayHours, VenueInput
from tournaments.models import Table, Venue
from tournaments.models.floor import LONGEST_LABEL

MOST_VENUE_TABLES = 200
CATEGORIES = Table.Category.choices


def _time(label: Any) -> forms.TimeField:
    widget = forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    return forms.TimeField(label=label, required=False, widget=widget)


class VenueForm(RefusingForm):
    """The name of a venue, its opening hours by weekday, and its tables; a table without a label is removed."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    name = forms.CharField(label=_("Venue"), max_length=200, required=False)
    more = forms.IntegerField(
        label=_("More tables"),
        min_value=0,
        max_value=MOST_VENUE_TABLES,
        required=False,
        help_text=_("They are numbered on. Save to name them."),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {}

    def __init__(self, data: Any = None, *, venue: Venue) -> None:
        super().__init__(data, initial={"after": venue.seq, "name": venue.name})
        self.tables = list(venue.tables.all()) if venue.pk else []
        hours = {day.weekday: day for day in venue.hours.all()} if venue.pk else {}
        for weekday in WEEKDAYS:
            day = hours.get(weekday)
            for name, label in (("opens", _("Opens")), ("closes", _("Closes"))):
                self.fields[f"{name}_{weekday}"] = field = _time(label)
                field.initial = getattr(day, name, None)
        for number, table in enumerate(self.tables):
            self.fields[f"label_{number}"] = forms.CharField(
                label=_("Table"), max_length=LONGEST_LABEL, required=False, initial=table.label
            )
            self.fields[f"category_{number}"] = forms.ChoiceField(
                label=_("Category"), choices=CATEGORIES, initial=table.category
            )

    @property
    def table_rows(self) -> list[tuple[BoundField, BoundField]]:
        """The fields of each table: label and category."""
        return [(self[f"label_{number}"], self[f"category_{number}"]) for number in range(len(self.tables))]

    @property
    def hour_rows(self) -> list[tuple[Any, BoundField, BoundField]]:
        """The name of each weekday with its fields: opens and closes."""
        return [(name, self[f"opens_{day}"], self[f"closes_{day}"]) for day, name in WEEKDAYS.items()]

    def clean(self) -> dict[str, Any]:
        """Check that each day has both times or neither."""
        cleaned = super().clean() or {}
        for day in WEEKDAYS:
            opens, closes = cleaned.get(f"opens_{day}"), cleaned.get(f"closes_{day}")
            if (opens is None) != (closes is None):
                missing = "opens" if opens is None else "closes"
                self.add_error(f"{missing}_{day}", ValidationError(_("Enter both times, or none.")))
        return cleaned

    def venue(self) -> VenueInput:
        """Return the venue that the valid form describes."""
        data = self.cleaned_data
        rows = [(data[f"label_{row}"], data[f"category_{row}"]) for row in range(len(self.tables))]
        tables = [(label, category) for label, category in rows if label]
        taken = {label for label, _category in tables}
        number = len(tables)
        for _row in range(min(data["more"] or 0, MOST_VENUE_TABLES - len(tables))):
            number += 1
            while str(number) in taken:
                number += 1
            tables.append((str(number), Table.Category.NORMAL))
        hours = [DayHours(day, data[f"opens_{day}"], data[f"closes_{day}"]) for day in WEEKDAYS if data[f"opens_{day}"]]
        return VenueInput(data["name"], tables, hours)
