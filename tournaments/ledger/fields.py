"""Form fields of shares in money."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

BETWEEN_SHARES = re.compile(r"[\s/;%]+")
MAX_DECIMALS = -2


class SharesField(forms.CharField):
    """Percentages by place, such as “40 25” or “40/25”, as hundredths of a percent."""

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(max_length=200, widget=widget, **options)

    def clean(self, value: Any) -> Any:
        """Return the shares. Raises ValidationError for anything but percentages with up to two decimals."""
        words = [word for word in BETWEEN_SHARES.split(super().clean(value).replace(", ", " ")) if word]
        return tuple(hundredths(word) for word in words)


def hundredths(word: str) -> int:
    """Return a percentage such as 12.5 in hundredths of a percent. Raises ValidationError for anything else."""
    try:
        share = Decimal(word.replace(",", "."))
    except InvalidOperation:
        raise ValidationError(_("“%(text)s” is not a percentage.") % {"text": word}) from None
    if not share.is_finite() or not 0 <= share <= 100 or int(share.as_tuple().exponent) < MAX_DECIMALS:
        raise ValidationError(_("“%(text)s” is not a percentage.") % {"text": word})
    return int(share * 100)
