"""What a director sends about a season."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.public_ids import LENGTH
from core.text_lengths import MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_NOTE_LENGTH
from formats.series.presets import PRESETS
from players.forms import RefusingForm, SpreadsheetForm
from players.models import Club
from seasons.imports.seasons import NEW, SAME, Question
from seasons.pool import currencies_of
from seasons.season_views import MEMBERS, RULES, rule_label
from seasons.tables import day_of
from tournaments.access import VISIBLE
from tournaments.ledger.fields import AmountField, SeenAmountField, ShareField, SharesField, take_amounts_in
from tournaments.ledger.money import Currency
from tournaments.models import Payment, Series, Tournament
from tournaments.models.series import MAX_SHARES

HALF_A_YEAR = 183
"""Days."""


class SeriesForm(RefusingForm):
    """A new season: its name, days and the plan it begins with."""

    FIELD_OF = {"series_name_taken": "name", "series_days": "last_day"}

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    first_day = forms.DateField(label=_("First day"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))
    last_day = forms.DateField(label=_("Last day"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))
    preset = forms.ChoiceField(
        label=_("Points"), choices=[(code, _(preset.title)) for code, preset in PRESETS.items()], required=False
    )
    like = forms.CharField(max_length=LENGTH, required=False)
    key = forms.CharField(max_length=MAX_KEY_LENGTH, required=False)


class DetailsForm(RefusingForm):
    """The name and the days of a season, and what pairs get in it."""

    FIELD_OF = SeriesForm.FIELD_OF

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    first_day = forms.DateField(label=_("First day"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))
    last_day = forms.DateField(label=_("Last day"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))
    pairs = forms.ChoiceField(label=_("Points of pairs"), choices=Series.PairPoints.choices, required=False)
    after = forms.IntegerField(min_value=0)


class RemoveSeriesForm(RefusingForm):
    """Nothing: the season is in the address."""


class CountEventForm(RefusingForm):
    event = forms.CharField(max_length=LENGTH)
    kind = forms.CharField(label=_("Kind of evening"), max_length=20, required=False)
    weight = forms.CharField(label=_("Weight"), max_length=20, required=False)
    shares = forms.CharField(label=_("Shares of the places"), max_length=MAX_SHARES, required=False)


class LeaveOutForm(RefusingForm):
    """An event that no longer counts."""

    event = forms.CharField(max_length=LENGTH)


class _PlanDecoder(json.JSONDecoder):
    """Reads JSON; what is nested too deeply for Python is not understood, as what is no JSON."""

    def decode(self, s: str, *args: Any) -> Any:
        try:
            return super().decode(s, *args)
        except RecursionError:
            raise json.JSONDecodeError("nested too deeply", s, 0) from None


class SeasonPlanForm(RefusingForm):
    """A whole plan in its exchange form."""

    plan = forms.JSONField(decoder=_PlanDecoder)
    after = forms.IntegerField(min_value=0)


class CloseSeasonForm(RefusingForm):
    """The `seq` that was seen."""

    after = forms.IntegerField(min_value=0)


class ReopenForm(RefusingForm):
    """Why it is opened again."""

    reason = forms.CharField(label=_("Reason"), max_length=MAX_NOTE_LENGTH)
    after = forms.IntegerField(min_value=0)


class PointsForm(RefusingForm):
    FIELD_OF = {"series_number": "points"}

    event = forms.CharField(label=_("Evening"), max_length=LENGTH)
    player = forms.CharField(label=_("Player"), max_length=LENGTH)
    points = forms.CharField(label=_("Points"), max_length=20)
    reason = forms.CharField(label=_("Reason"), max_length=MAX_NOTE_LENGTH)


class SeasonEntryForm(RefusingForm):
    """Whether a player enters a season; without `player` it is who asks."""

    enters = forms.ChoiceField(choices=(("yes", "yes"), ("no", "no")))
    player = forms.CharField(max_length=LENGTH, required=False)


class PayPoolForm(RefusingForm):
    """What is paid to a player out of the pool: all that is still due."""

    player = forms.CharField(max_length=LENGTH)
    event = forms.CharField(max_length=LENGTH)
    amount = SeenAmountField(min_value=1)
    method = forms.ChoiceField(choices=Payment.Method.choices, initial=Payment.Method.CASH)
    key = forms.CharField(max_length=MAX_KEY_LENGTH, required=False)


class SeasonPoolForm(RefusingForm):
    """The part of each entry fee for the pool of a season: a percentage or an amount, and the shares of the places."""

    FIELD_OF = {"series_shares": "shares"}
    chosen: Currency | None = None
    """The currency of the amount; None if no evening has fees in it."""

    percent = ShareField(label=_("Percentage of each entry fee"), required=False)
    amount = AmountField(label=_("Or an amount of each entry fee"), required=False)
    currency = forms.CharField(label=_("Currency of fees"), max_length=12, required=False)
    shares = SharesField(
        label=_("Percentages"),
        required=False,
        help_text=_("In the final table, such as 50 30 20; together 100. Empty: nothing by places, as for a final."),
    )
    after = forms.IntegerField(min_value=0)

    def full_clean(self) -> None:
        """Check the form; its amount is in one of the currencies of the evenings, by default that of the newest."""
        if self.is_bound:
            code = self.data.get("currency", "")
            self.chosen = next((row for row in currencies_of(self.instance) if code in ("", row.code)), None)
            if self.chosen is not None:
                take_amounts_in(self.chosen, self)
        super().full_clean()

    def clean_amount(self) -> int:
        """Return whole minor units, 0 without an amount."""
        amount: int = self.cleaned_data["amount"] or 0
        if amount and self.cleaned_data.get("percent"):
            raise ValidationError(_("Enter a percentage or an amount, not both."))
        return amount

    def clean_currency(self) -> Currency:
        if self.chosen is None:
            raise ValidationError(_("No evening of this season has fees in this currency."))
        return self.chosen


class PointsBackForm(RefusingForm):
    """Points by hand that are taken back."""

    given = forms.IntegerField(min_value=1)


class ListField(forms.Field):
    """Several values, such as those of checkboxes of the same name."""

    widget = forms.SelectMultiple

    def to_python(self, value: Any) -> list[str]:
        return [str(item) for item in value or ()]


class ViewForm(RefusingForm):
    """A part of the players who have a table of their own: a new one, or the one with the public id in `view`."""

    FIELD_OF = {"series_view_taken": "name"}

    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    rule = forms.ChoiceField(
        label=_("Who is in it"), choices=lambda: [(rule, rule_label(rule)) for rule in RULES], initial=MEMBERS
    )
    players = ListField(required=False)
    view = forms.CharField(max_length=LENGTH, required=False)


class RemoveViewForm(RefusingForm):
    view = forms.CharField(max_length=LENGTH)


class FinalForm(RefusingForm):
    """The button says it all."""


def season_initial(club: Club, now: datetime) -> dict[str, Any]:
    """Suggest the days of a season.

    It begins with the month of the oldest event of the last half year that counts in no season, or else with this
    month, and ends with the year, or in the middle of the next one if that is near.
    """
    since = now - timedelta(days=HALF_A_YEAR)
    waiting = Tournament.objects.filter(club=club, status__in=VISIBLE, starts_at__range=(since, now), counts_in=None)
    oldest = waiting.exclude(status=Tournament.Status.CANCELLED).order_by("starts_at").first()
    first = (day_of(oldest) if oldest is not None else now.astimezone(ZoneInfo(club.time_zone)).date()).replace(day=1)
    last = first.replace(month=12, day=31) if first.month < 10 else first.replace(year=first.year + 1, month=6, day=30)
    return {"first_day": first, "last_day": last, "preset": "usual"}


# Imports of earlier seasons and matches.


DAY_ORDERS = [
    ("", _("as the column shows")),
    ("dmy", _("day first: 31/12/2024")),
    ("mdy", _("month first: 12/31/2024")),
]


class NumbersField(ListField):
    """Numbers of sheets or columns; 0 stands for none, as in an empty choice."""

    def to_python(self, value: Any) -> Any:
        texts = super().to_python(value)
        if not all(text.isascii() and text.isdecimal() and len(text) < 4 for text in texts):
            raise forms.ValidationError(_("Choose from the list."))
        return [int(text) for text in texts]


def column_field(label: Any) -> forms.IntegerField:
    """Return the field of the number of a column, from 1; 0 is none."""
    return forms.IntegerField(label=label, required=False, min_value=0, max_value=100)


class PastImportForm(SpreadsheetForm):
    """What is decided about the rows of any import."""

    columns_of = forms.IntegerField(required=False)
    """The sheet to which the chosen columns belong; choosing another one lets its own columns be recognised."""
    day_order = forms.ChoiceField(label=_("Dates are written"), required=False, choices=DAY_ORDERS)
    sheets = NumbersField(required=False)
    choices = ListField(required=False)
    leave_out = forms.BooleanField(label=_("Leave these rows out"), required=False)
    step = forms.ChoiceField(choices=[("preview", "preview"), ("apply", "apply")])
    FIELD_OF: ClassVar[dict[str, str]] = {**RefusingForm.FIELD_OF, "past_rows_open": "leave_out"}

    @property
    def is_other_sheet(self) -> bool:
        """Whether the chosen columns are those of a sheet that is no longer the first one to be read."""
        shown: int | None = self.cleaned_data["columns_of"]
        return bool(shown) and shown != next(iter(self.cleaned_data["sheets"]), None)


def choices_of(values: Sequence[str]) -> dict[str, str]:
    """Return what names mean, by name.

    Values such as `k7m2q9x4ab:Jan Novák` for a member, `new:Jan Novák`, or `same:Jan Novák:J. Novák` for another name.
    """
    pairs = [value.rpartition(":") if value.startswith(SAME) else value.partition(":") for value in values]
    return {name: choice for choice, _colon, name in pairs if choice and name}


def answers_to(question: Question) -> list[tuple[str, Any, bool]]:
    """Return value, label and whether it was chosen, of each answer to a question."""
    namesakes = Counter(player.name for player in question.members)
    options: list[tuple[str, Any]] = [
        (player.public_id, f"{player.name} · {player.public_id}" if namesakes[player.name] > 1 else player.name)
        for player in question.members
    ]
    options += [(SAME + name, _("the same as {name} in this file").format(name=name)) for name in question.names]
    options.append((NEW, _("somebody new")))
    return [(f"{value}:{question.name}", label, value == question.choice) for value, label in options]
