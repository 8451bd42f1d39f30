"""The sentence of a refusal or a finding in the reader's language: one place for pages, API and command line."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from engine.errors import MESSAGES

_templates = dict(MESSAGES)


def add(messages: Mapping[str, str]) -> None:
    """Make the codes that a room refuses known here; the sentence of a code belongs to whoever had it first."""
    for code, template in messages.items():
        _templates.setdefault(code, template)


def sentence(code: str, params: Mapping[str, Any]) -> str:
    """What `code` says, filled with `params`, in the active language; the bare code where no text is known.

    The English template is the message id, so translators see whole sentences with their `{places}`.
    """
    template = _templates.get(code)
    if template is None:
        return code
    return gettext(template).format_map(params)
