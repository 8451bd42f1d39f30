"""The message and HTTP status of each refusal or finding: one registry for pages, API and command line."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext

from core import refusals
from engine.errors import MESSAGES

_templates: dict[str, str] = {**MESSAGES, **refusals.MESSAGES}
_statuses: dict[str, HTTPStatus] = dict(refusals.STATUS)


def register(messages: Mapping[str, str], statuses: Mapping[str, HTTPStatus] | None = None) -> None:
    """Register an app's English messages by code, and the HTTP status of the codes that do not have 422.

    Raises ValueError if a code is already registered with another message or status.
    """
    for code, template in messages.items():
        if _templates.setdefault(code, template) != template:
            raise ValueError(f"two sentences for the code {code!r}")
    for code, status in (statuses or {}).items():
        if _statuses.setdefault(code, status) != status:
            raise ValueError(f"two statuses for the code {code!r}")


def registered() -> Mapping[str, str]:
    return dict(_templates)


def sentence(code: str, params: Mapping[str, Any]) -> str:
    """Return the message of `code` in the active language, filled with `params`; the code itself if it is unknown.

    The English template is the message id, so translators see whole sentences with their `{placeholders}`. `changed_by`
    chooses the sentence of a code that says who has changed something.
    """
    template = _templates.get(f"{code}_by_{params.get('changed_by')}", _templates.get(code))
    if template is None:
        return code
    return gettext(template).format_map(params)


def status_of(code: str) -> int:
    """Return the HTTP status of a refusal with this code; 422 by default."""
    return _statuses.get(code, HTTPStatus.UNPROCESSABLE_ENTITY)
