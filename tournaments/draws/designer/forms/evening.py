"""The assumptions of a preview: number of players, tables, start and closing time."""

from datetime import datetime, time, tzinfo
from typing import ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from players.forms import RefusingForm
from tournaments.draws.services.evenings import Evening, first_after
from tournaments.events.forms import MOST_TABLES, LocalField, localise
from tournaments.formats.forecast.finish_times import MINUTES_PER_POINT, Pace
from tournaments.models.events import MOST_ENTRIES


class EveningForm(RefusingForm):
    """How many players and tables a format is previewed for, and when the evening starts and ends."""

    players = forms.IntegerField(label=_("Players"), min_value=0, max_value=MOST_ENTRIES)
    tables = forms.IntegerField(label=_("Tables"), min_value=1, max_value=MOST_TABLES)
    starts = LocalField(label=_("Start"))
    closes = forms.TimeField(
        label=_("Closing time"), required=False, widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    minutes = forms.FloatField(label=_("Minutes per point"), min_value=1, max_value=60, initial=MINUTES_PER_POINT)

    FIELD_OF: ClassVar[dict[str, str]] = {"no_tables": "tables"}

    def pace(self) -> Pace:
        """Return the number of tables and the minutes per point that a schedule is computed with."""
        return Pace(self.cleaned_data["tables"], minutes_per_point=self.cleaned_data["minutes"])

    def evening(self) -> Evening | None:
        """Return the evening in local times; None without players or a closing time."""
        starts, closes, players = (self.cleaned_data[name] for name in ("starts", "closes", "players"))
        if closes is None or not players:
            return None
        return Evening(players, self.cleaned_data["tables"], starts, first_after(starts, closes))

    def span(self, zone: tzinfo) -> tuple[datetime, datetime | None]:
        """Return the start and, if a closing time is set, the first instant after it at which clocks show that time."""
        naive: datetime = self.cleaned_data["starts"]
        starts = localise(naive, zone)
        assert starts is not None  # noqa: S101, the field is required
        closes: time | None = self.cleaned_data["closes"]
        if closes is None:
            return starts, None
        return starts, localise(first_after(naive, closes), zone)
