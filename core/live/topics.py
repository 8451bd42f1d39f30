"""What can be watched: apps register a kind of topic with the function that authorises it."""

from collections.abc import Callable

from django.http import Http404, HttpRequest

Check = Callable[[HttpRequest, str], int]
"""Return the current number of a topic for whoever asks; raise Http404 or PermissionDenied."""

_checks: dict[str, Check] = {}


def register(kind: str, check: Check) -> None:
    """Make topics `kind:name` watchable. Raises ValueError if the kind is registered with another function."""
    if _checks.setdefault(kind, check) is not check:
        raise ValueError(f"two checks for topics of kind {kind!r}")


def authorise(request: HttpRequest, topic: str) -> int:
    """Return the current number of a topic. Raises Http404 if there is no such topic, or not for this request."""
    kind, _, name = topic.partition(":")
    check = _checks.get(kind)
    if check is None or not name:
        raise Http404
    return check(request, name)
