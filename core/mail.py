"""E-mails as plain text."""

import re
import select
import smtplib
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends import smtp
from django.template.loader import render_to_string

from core import breaker
from core.conversations import Conversation

log = structlog.get_logger(__name__)

AUTOMATIC = {"Auto-Submitted": "auto-generated"}
"""Says that nobody has typed it (RFC 3834), so that no holiday reply comes back."""
NO_MAILBOX = re.compile(r"5\.1\.(?![78]\b)")
"""Statuses about the address of the recipient (RFC 3463); 7 and 8 are about that of the sender."""
OF_SITE = re.compile(r"5\.(7\.|1\.[78]\b)")
"""Statuses about this site: its address as a sender, and what the server lets it do."""
LAST_LINE = b".\r\n"


def _nothing() -> None:
    return None


class _Client(smtplib.SMTP):
    """A conversation with the mail server that ends in time; `handing_over` is called before the e-mail is sent."""

    def __init__(self, handing_over: Callable[[], None], *args: Any, **kwargs: Any) -> None:
        self._handing_over = handing_over
        self._conversation = Conversation(lambda: self.sock)
        try:
            super().__init__(*args, **kwargs)
        except BaseException:
            self._conversation.end()
            raise

    def send(self, s: Any) -> None:
        """Send a command, which is text, or the e-mail, which is bytes and follows once the server wants it."""
        if isinstance(s, bytes):
            try:
                # Without its last line a server has not received it.
                super().send(s.removesuffix(LAST_LINE))
                self._conversation.check()
                self._check_silence()
                self._handing_over()
            except BaseException:
                self.close()  # QUIT would be taken for a line of the e-mail.
                raise
            s = LAST_LINE
        super().send(s)

    def _check_silence(self) -> None:
        """Raises SMTPServerDisconnected if the server closed the connection, or refused, amid the e-mail."""
        poll = select.poll()
        if self.sock is not None:
            poll.register(self.sock, select.POLLIN)
        if poll.poll(0):
            raise smtplib.SMTPServerDisconnected("the mail server does not take the whole e-mail")

    def close(self) -> None:
        """Close the connection."""
        self._conversation.end()
        super().close()


class _TlsClient(_Client, smtplib.SMTP_SSL):
    """The same over TLS from the beginning."""


class SmtpBackend(smtp.EmailBackend):
    """Django's backend, in conversations that end in time."""

    handing_over: Callable[[], None] = staticmethod(_nothing)

    @property
    def connection_class(self) -> Any:
        """Return what opens a connection."""
        return partial(_TlsClient if self.use_ssl else _Client, self.handing_over)


def send_mail(*, to: str, subject: str, template: str, context: Mapping[str, Any]) -> None:
    """Render a text template and send it to one recipient; see `send_text`."""
    send_text(to=to, subject=subject, text=render_to_string(template, dict(context)))


def send_text(
    *,
    to: str,
    subject: str,
    text: str,
    headers: Mapping[str, str] | None = None,
    handing_over: Callable[[], None] = _nothing,
) -> None:
    """Send an e-mail to one recipient; `handing_over` is called before the server may have received it.

    Raises OSError if it cannot be sent, its subclass LeftAlone if the mail server did not answer before, and whatever
    `handing_over` raises, in which case nothing was handed over.
    """
    # A subject is one line, whatever line breaks a name in it contains.
    line = " ".join(subject.split())
    server = _server()
    began = breaker.check(server)
    connection = get_connection()
    if isinstance(connection, SmtpBackend):
        connection.handing_over = handing_over
    else:
        handing_over()  # Files take it at once.
    try:
        EmailMessage(line, text, to=[to], headers={**(headers or {}), **AUTOMATIC}, connection=connection).send()
    except OSError as error:
        is_of_server = _says(error, OF_SITE)
        if is_of_server:
            log.error("mail_server_refuses", codes=[code for code, _ in _answers(error)])
        if is_of_server or _is_away(error):
            breaker.failed(server, began)
        raise
    breaker.succeeded(server)


def _is_away(error: OSError) -> bool:
    """Whether the server did not answer; one that refuses an e-mail is there."""
    answered = isinstance(error, smtplib.SMTPException)
    return not answered or isinstance(error, smtplib.SMTPConnectError | smtplib.SMTPServerDisconnected)


def _server() -> str:
    return f"smtp {settings.EMAIL_HOST}:{settings.EMAIL_PORT}"


def blame_server() -> None:
    """Count an answer that was not about its address as a failure of the mail server."""
    breaker.failed(_server(), time.time())


def has_no_mailbox(error: OSError) -> bool:
    """Whether the server answered that the address has no mailbox, or its domain none."""
    return _says(error, NO_MAILBOX)


def _says(error: OSError, status: re.Pattern[str]) -> bool:
    texts = (text if isinstance(text, str) else text.decode(errors="replace") for _, text in _answers(error))
    return any(status.match(text) for text in texts)


def is_refusal(error: OSError) -> bool:
    """Whether the server answered that it does not take an e-mail, so that nobody has received it."""
    return bool(_answers(error))


def _answers(error: OSError) -> list[tuple[int, bytes | str]]:
    """Return the codes and texts with which the server refused an e-mail; empty if it did not, or unreadably."""
    answers: list[tuple[int, bytes | str]] = []
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        answers += error.recipients.values()
    elif isinstance(error, smtplib.SMTPResponseException):
        answers.append((error.smtp_code, error.smtp_error))
    # A line that is too long is the plain exception, and has a code that nobody sent.
    is_read = type(error) is not smtplib.SMTPResponseException
    return [(code, text) for code, text in answers if is_read and 400 <= code < 600]
