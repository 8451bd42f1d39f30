"""Form fields of amounts and of shares in money."""

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from core.numbers import UNCLEAR, UnclearNumberError, read_number
from engine.errors import Refused
from players.actions import serializer_field
from players.forms import unclear
from tournaments.ledger.money import WHOLE, Currency
from tournaments.models.events import MAX_MINOR_UNITS

BETWEEN_SHARES = re.compile(r"[\s/;%]+")
MAX_PLACES = 64
"""Of a bracket that may have a share; a page has room for no more."""
SHARES_HELP = "By place, from first on, in hundredths of a percent: 4000 is 40 %."


class AmountField(forms.CharField):
    """An amount such as 15, 15.00 or 15,00, as whole minor units, which programs send; an empty one is None.

    One that is unclear is asked about, with its readings (`players.forms.RefusingForm.is_valid`).
    """

    def __init__(self, currency: Currency | None = None, *, negative: bool = False, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "size": 8})
        super().__init__(max_length=24, widget=widget, **options)
        self.currency, self.negative = currency or Currency("ticket", 0), negative

    def clean(self, value: Any) -> Any:
        """Return whole minor units. Raises ValidationError for anything that is not an amount of the currency."""
        if isinstance(value, int):
            return value
        text = super().clean(value)
        if not text:
            return None
        try:
            amount = self.currency.parse(text)
        except UnclearNumberError as error:
            amounts = [int(reading) for reading in error.readings]
            readings = {self.currency.plain(each): self.currency.with_name(each) for each in amounts}
            raise unclear(text, readings) from None
        except ValueError:
            raise ValidationError(_("“%(text)s” is not an amount.") % {"text": text}) from None
        if amount < 0 and not self.negative:
            raise ValidationError(_("Enter an amount of 0 or more."))
        return amount


class SeenAmountField(forms.IntegerField):
    """An amount that a page showed, or a program read, in whole minor units: it has to be the same still."""

    def __init__(self, *, min_value: int = 0, **options: Any) -> None:
        super().__init__(min_value=min_value, max_value=MAX_MINOR_UNITS, **options)


def take_amounts_in(currency: Currency, form: forms.Form) -> None:
    """Let the amounts of a form be in a currency."""
    for field in form.fields.values():
        if isinstance(field, AmountField):
            field.currency = currency


class SharesField(forms.CharField):
    """Percentages by place, such as “40 25” or “40/25”, as hundredths of a percent."""

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(max_length=200, widget=widget, **options)

    def clean(self, value: Any) -> Any:
        """Return the shares. Raises ValidationError for anything but percentages with up to two decimals."""
        if isinstance(value, list):
            return tuple(value)
        words = [word for word in BETWEEN_SHARES.split(super().clean(value).replace(", ", " ")) if word]
        return tuple(hundredths(word) for word in words)


class ShareField(forms.CharField):
    """A percentage such as 5 or 2.5, as hundredths of a percent, which programs send; an empty one is 0."""

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "size": 6})
        super().__init__(max_length=12, widget=widget, **options)

    def clean(self, value: Any) -> Any:
        """Return the share. Raises ValidationError for anything but a percentage with up to two decimals."""
        if isinstance(value, int):
            return value
        word = super().clean(value).removesuffix("%").strip()
        return hundredths(word) if word else 0


class MinorUnitsField(serializers.IntegerField):
    """An amount of the API, in whole minor units; a text with decimals or separated thousands is refused."""

    def __init__(self, *, min_value: int = 0, **options: Any) -> None:
        super().__init__(min_value=min_value, max_value=MAX_MINOR_UNITS, **options)

    def to_internal_value(self, data: Any) -> int:
        """Return the amount. Refused: `unclear_amount` for what a person would type, such as `1,500` or `15.00`."""
        if isinstance(data, str) and not re.fullmatch(r"-?[0-9]+", data):
            try:
                readings = [read_number(data, 2)]
            except UnclearNumberError as error:
                readings = error.readings
            except ValueError:
                self.fail("invalid")
            raise Refused(UNCLEAR, field=self.field_name, text=data, readings=[f"{each:.2f}" for each in readings])
        return super().to_internal_value(data)


@serializer_field.register
def amount_in_api(field: AmountField, **options: Any) -> MinorUnitsField:
    return MinorUnitsField(min_value=-MAX_MINOR_UNITS if field.negative else 0, **options)


@serializer_field.register
def seen_amount_in_api(field: SeenAmountField, **options: Any) -> MinorUnitsField:
    return MinorUnitsField(**options)


@serializer_field.register
def share_in_api(field: ShareField, **options: Any) -> serializers.IntegerField:
    text = "In hundredths of a percent: 500 is 5 %."
    return serializers.IntegerField(min_value=0, max_value=WHOLE, **{"help_text": text, **options})


def hundredths(word: str) -> int:
    """Return a percentage such as 12.5 in hundredths of a percent. Raises ValidationError for anything else."""
    try:
        share = read_number(word, 2, (0, 100))
    except ValueError:
        share = Decimal(-1)
    if not 0 <= share <= 100:
        raise ValidationError(_("“%(text)s” is not a percentage.") % {"text": word})
    return int(share * 100)
