"""Structured logs: JSON lines in production, readable lines in development, each with its request id.

Log lines contain nothing that lets a reader act as somebody else: tracebacks come without local variables, and
tokens, cookies and passwords are removed from the finished line.
"""

import logging
import re
from typing import Any

import structlog
from structlog.types import Processor

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]

HIDDEN = "***"
_SLASH = r"(?:/|%2F)"
_SEGMENT = r"[^/%?&#\s\"'<>]+"
_SECRETS = [
    # Paths that work like a key: personal match links, invitations, links to choose a new password.
    re.compile(rf"(?P<keep>{_SLASH}(?:m|invitations){_SLASH}){_SEGMENT}", re.IGNORECASE),
    re.compile(rf"(?P<keep>{_SLASH}password{_SLASH}choose{_SLASH}){_SEGMENT}{_SLASH}{_SEGMENT}", re.IGNORECASE),
    # The token of a match link without its path, as the API receives it in a header.
    re.compile(r"(?P<keep>\b)[2-9a-z]{10}\.[01s]\.[\w-]{43}"),
    re.compile(r"(?P<keep>\b(?:Token|Bearer|Basic) )[\w.~+/=-]{8,}", re.IGNORECASE),
    # Cookies, query strings and form bodies, with quotes around the name, the value or both.
    re.compile(
        r"(?P<keep>\b(?:sessionid|csrftoken|csrfmiddlewaretoken|(?:new_)?password\d?|authorization|idempotency-key"
        r"|x-csrftoken|match-link|cookie)\\?[\"']?\s*[=:]\s*\\?[\"']?)[^\\\"'&;,\s]+",
        re.IGNORECASE,
    ),
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
        """Return the finished line."""
        return without_secrets(super().format(record))


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
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"level": level},
            # These have handlers of their own, which would write unfiltered lines.
            "django.server": {"level": level, "propagate": True},
            "uvicorn": {"level": level, "propagate": True},
            # The proxy logs requests.
            "uvicorn.access": {"level": "WARNING", "propagate": True},
        },
    }
