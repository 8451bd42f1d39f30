"""Structured logs: JSON lines in production, readable lines in development, each with its request id.

Log lines contain nothing that lets a reader act as somebody else: tracebacks come without local variables, and
tokens, cookies, passwords and the bodies of e-mails are removed from the finished line, whoever logged it.
"""

import logging
import math
import re
from http import HTTPStatus
from typing import Any

import structlog
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from structlog.types import Processor

from config.database import outage_of

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]

BROKER_AWAY = (RedisConnectionError, RedisTimeoutError, BrokerError)
QUIET_FOR = 10.0
"""Seconds."""

HIDDEN = "***"
_SLASH = r"(?:/|%2F)"
_SEGMENT = r"[^/%?&#\s\"'<>]+"
_FIELDS = (
    r"sessionid|csrftoken|csrfmiddlewaretoken|(?:new_)?password\d?|idempotency-key|x-csrftoken|match-link"
    r"|ticket|(?:api_?|device_?)key|(?:otp_?|api_?)?token|secret|recovery_code|one_time_code"
)
"""Names of form fields, headers, cookies and JSON keys whose values are secret."""
_SECRETS = [
    # Paths that work like a key: personal links of matches and events, the link of the installation's owner,
    # invitations, calendars, links to unsubscribe, to pair a kiosk, to confirm an address or to choose a new password.
    re.compile(
        rf"(?P<keep>{_SLASH}(?:m|e|owner-link|invitations|helping|calendar|unsubscribe|confirm-email"
        rf"|kiosk{_SLASH}pair){_SLASH}){_SEGMENT}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?P<keep>{_SLASH}password{_SLASH}choose{_SLASH}){_SEGMENT}{_SLASH}{_SEGMENT}", re.IGNORECASE),
    # The token of a match link or a calendar without its path, as the API receives it in a header.
    re.compile(r"(?P<keep>\b)[2-9a-z]{10}\.(?:[01abs]\.)?[\w-]{43}"),
    re.compile(r"(?P<keep>\bbp_)[\w-]{43}"),
    re.compile(r"(?P<keep>\b(?:Token|Bearer|Basic) )[\w.~+/=-]{8,}", re.IGNORECASE),
    # Whole headers: any cookie may work like a key.
    re.compile(
        r"(?P<keep>\b(?:authorization|(?:set-)?cookie)\\?[\"']?\s*[:=]\s*+\\?[\"']?)[^\\\"'\r\n]+", re.IGNORECASE
    ),
    # Fields in quotes, which may contain spaces: up to the closing quote.
    re.compile(
        rf"(?P<keep>\b(?:{_FIELDS}|body)\\?[\"']?\s*[=:]\s*(?P<quote>\\?[\"']))(?:(?!(?P=quote))(?:\\.|[^\\]))+",
        re.IGNORECASE,
    ),
    # Query strings, form bodies and headers.
    re.compile(rf"(?P<keep>\b(?:{_FIELDS})\s*[=:]\s*)[^\\\"'&;,\s]+", re.IGNORECASE),
    # The password in the URL of a database or broker.
    re.compile(r"(?P<keep>://[^:/@\s\"']*:)[^@/\s\"']+(?=@)"),
    # PostgreSQL quotes the whole row that violates a constraint.
    re.compile(r"(?P<keep>Failing row contains )\(.*?\)(?=\.|\\n|\n|\"|$)"),
]


def without_secrets(text: str) -> str:
    """Return the text with every token, session cookie and password replaced by `***`."""
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<keep>{HIDDEN}", text)
    return text


class SafeFormatter(structlog.stdlib.ProcessorFormatter):
    """Formats log lines and tracebacks without secrets, from any logger."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class OutagesInOneLine(logging.Filter):
    """Writes one line, without a traceback, for an error that only says that the database or the broker is away.

    Beat and workers try the broker many times a second, so of each logger one such line is kept in ten seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self._logged_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to keep the record, in which the outage is part of the line."""
        if record.exc_info is None and getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE:
            return False  # Django's own line, beside one with a cause.
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if error is not None and record.name == "celery.beat":
            error = error.__context__ or error  # Beat raises an error of its own about what the broker raised.
        is_broker, database = isinstance(error, BROKER_AWAY), outage_of(error)
        if not (is_broker or database):
            return True
        outage = "broker down" if is_broker else f"database {database}"
        cause = " ".join(str(error).split())
        record.msg, record.args = f"{record.getMessage().splitlines()[0]} ({outage}: {cause})", ()
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        return not is_broker or self._is_first(record)

    def _is_first(self, record: logging.LogRecord) -> bool:
        if record.created < self._logged_at.get(record.name, -math.inf) + QUIET_FOR:
            return False
        self._logged_at[record.name] = record.created
        return True


def logging_config(*, json: bool, level: str) -> dict[str, Any]:
    """Return the LOGGING dictionary, and set up structlog so that both kinds of logger write the same lines."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    # By default both renderers print local variables, and those of a view contain what was typed.
    tracebacks = structlog.processors.ExceptionRenderer(
        structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    )
    renderer: list[Processor] = (
        [tracebacks, structlog.processors.JSONRenderer()]
        if json
        else [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": SafeFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
            }
        },
        "filters": {"outages": {"()": OutagesInOneLine}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured", "filters": ["outages"]}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"level": level},
            # In a terminal, a page that was not found is no news, unless more is asked for.
            "django.request": {"level": level if json or level != "WARNING" else "ERROR"},
            # These have handlers of their own, which would write unfiltered lines.
            "django.server": {"level": level, "propagate": True},
            "uvicorn": {"level": level, "propagate": True},
            # The proxy logs requests.
            "uvicorn.access": {"level": "WARNING", "propagate": True},
        },
    }
