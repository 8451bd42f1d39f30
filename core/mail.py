"""E-mails as plain text."""

import smtplib
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from core import breaker

AUTOMATIC = {"Auto-Submitted": "auto-generated"}
"""Says that nobody has typed it (RFC 3834), so that no holiday reply comes back."""


def send_mail(
    *, to: str, subject: str, template: str, context: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> None:
    """Render a text template and send it to one recipient; see `send_text`."""
    send_text(to=to, subject=subject, text=render_to_string(template, dict(context)), headers=headers)


def send_text(*, to: str, subject: str, text: str, headers: Mapping[str, str] | None = None) -> None:
    """Send an e-mail to one recipient.

    Raises OSError if it cannot be sent, and its subclass LeftAlone if the mail server did not answer before.
    """
    # A subject is one line, whatever line breaks a name in it contains.
    line = " ".join(subject.split())
    server = f"smtp {settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    breaker.check(server)
    try:
        EmailMessage(line, text, to=[to], headers={**(headers or {}), **AUTOMATIC}).send()
    except OSError as error:
        if _is_away(error):
            breaker.failed(server)
        raise
    breaker.succeeded(server)


def _is_away(error: OSError) -> bool:
    """Whether the server did not answer; one that refuses an e-mail is there."""
    answered = isinstance(error, smtplib.SMTPException)
    return not answered or isinstance(error, smtplib.SMTPConnectError | smtplib.SMTPServerDisconnected)
