"""E-mails as plain text."""

from collections.abc import Mapping
from typing import Any

from django.core.mail import EmailMessage
from django.template.loader import render_to_string


def send_mail(
    *, to: str, subject: str, template: str, context: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> None:
    """Render a text template and send it to one recipient. Raises OSError if it cannot be sent."""
    # A subject is one line, whatever line breaks a name in it contains.
    line = " ".join(subject.split())
    EmailMessage(line, render_to_string(template, dict(context)), to=[to], headers=dict(headers or {})).send()
