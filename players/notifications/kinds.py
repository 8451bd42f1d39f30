"""The kinds of notifications. The app in which something happens registers its kind, as it does with refusals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from players.models import Notification

Params = Mapping[str, Any]


def _always(params: Params) -> bool:
    return True


def _nothing(notification: Notification, at: datetime) -> None:
    return None


def _no_link(notification: Notification) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class NotificationKind:
    """A kind of notification: what it says, when it is still worth sending, and how it is sent by default.

    Sentences are English message ids with `{placeholders}`, filled with the parameters of a notification. A parameter
    named in `players` is the id of a player and one named in `times` an ISO 8601 time; both are written for the reader
    when the sentence is shown. The parameter `context` names the event, the division and the match, `zone`
    is the time zone of the event, and `variant` selects a sentence; without one it is the sentence of "".
    """

    code: str
    label: str
    """What the settings page calls it."""
    sentences: Mapping[str, str]
    """What it says, by variant."""
    details: Mapping[str, str] = field(default_factory=dict)
    """A second sentence for e-mails, by variant."""
    players: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    default: frozenset[str] = field(default_factory=lambda: frozenset({"site", "email", "push"}))
    is_call: bool = False
    """It calls the reader to a page: while it is current and unread, a bar on every other page leads there."""
    is_urgent: bool = False
    """Sent by e-mail at once instead of with others of the same minute."""
    lapses_after: timedelta = timedelta(days=2)
    """A delivery that has not succeeded by then is given up."""
    is_current: Callable[[Params], bool] = _always
    """Whether it is still worth sending."""
    email_url: Callable[[Notification], str] = _no_link
    """The path that the e-mail links to instead of the notification's page, such as a personal link."""
    after_email: Callable[[Notification, datetime], None] = _nothing
    """Called once the e-mail was sent."""


_kinds: dict[str, NotificationKind] = {}


def register(*kinds: NotificationKind) -> None:
    """Register the kinds of an app, in the order of the settings page. Raises ValueError for a code taken."""
    for kind in kinds:
        if _kinds.setdefault(kind.code, kind) is not kind:
            raise ValueError(f"two kinds of notifications with the code {kind.code!r}")


def registered() -> list[NotificationKind]:
    """Return every registered kind."""
    return list(_kinds.values())


def kind_of(code: str) -> NotificationKind:
    """Return the kind with this code. Raises KeyError for an unknown one."""
    return _kinds[code]
