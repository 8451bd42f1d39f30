"""Texts of one line, in forms and in the API."""

import re

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.text_lengths import MAX_LINE_LENGTH

BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Line breaks, and what cannot be shown or stored. A tab is a space, as in a row pasted from a spreadsheet."""


def is_one_line(max_length: int | None, *, strips: bool) -> bool:
    """Whether a field takes one line: it is short, and not kept as it was typed, as a password is."""
    return strips and max_length is not None and max_length <= MAX_LINE_LENGTH


def check_one_line(text: str) -> None:
    """Raise ValidationError if a text has a line break or another control character."""
    if BREAKS.search(text):
        raise ValidationError(_("This has to be one line, without control characters."), code="line_break")
