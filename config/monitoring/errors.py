"""Reports of errors to Sentry, or to a service with the same protocol."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.environment import VERSION
from config.logs import without_secrets


def report_errors(dsn: str) -> None:
    """Send unhandled exceptions to this DSN, without secrets, bodies of requests and local variables.

    Raises ImproperlyConfigured if sentry-sdk is not installed.
    """
    try:
        import sentry_sdk
    except ImportError as error:
        raise ImproperlyConfigured("SENTRY_DSN is set, but sentry-sdk is not installed.") from error
    sentry_sdk.init(
        dsn=dsn,
        release=VERSION,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        before_send=_report,
        before_breadcrumb=lambda breadcrumb, _hint: _scrubbed(breadcrumb),
    )


def _report(event: Any, _hint: Any) -> Any:
    """Return what is sent for an error: of its request only the method and the URL without its query."""
    if "request" in event:
        event["request"] = {key: value for key, value in event["request"].items() if key in ("method", "url")}
    return _scrubbed(event)


def _scrubbed(value: Any, name: str = "") -> Any:
    """Return a value with the secrets in its texts hidden, wherever they are; `name` is its key in a dictionary."""
    if isinstance(value, str):
        prefix = f'{name}="'
        return without_secrets(f'{prefix}{value}"')[len(prefix) : -1]
    if isinstance(value, dict):
        return {key: _scrubbed(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_scrubbed(item, name) for item in value]
    return value
