"""E-mails as plain text."""

from collections.abc import Mapping
from typing import Any

from django.core.mail import EmailMessage
from django.template.loader import render_to_string


def send_mail(*, to: str, subject: str, template: str, context: Mapping[str, Any]) -> None:
    """Render a text template and send it to one recipient."""
    # A subject is one line, whatever line breaks a name in it contains.
    EmailMessage(" ".join(subject.split()), render_to_string(template, dict(context)), to=[to]).send()
