"""The kinds of notifications, which the apps register, and what they say in the reader's language."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import TextChoices
from django.utils import timezone, translation
from django.utils.translation import gettext, gettext_lazy

from core import times as time_zones
from core.languages import first_offered
from core.names import numbered
from core.times import LONG, duration, event_time, reader_time
from players.models import Notification, User
from players.people.rows import players_among

# The kinds of notifications. The app in which something happens registers its kind, as it does with refusals.


Params = Mapping[str, Any]


def _always(params: Params) -> bool:
    return True


def _no_values(rows: Sequence[Params]) -> Sequence[Mapping[str, str]]:
    return [{} for _ in rows]


def _nothing(notification: Notification, at: datetime) -> None:
    return None


def _no_link(notification: Notification) -> str:
    return ""


class NotificationGroup(TextChoices):
    """What a kind is about: the settings have one line for each, in this order, which stands for all its kinds."""

    MATCHES = "matches", gettext_lazy("My matches")
    EVENTS = "events", gettext_lazy("My events")
    CLUB = "club", gettext_lazy("My club")
    GAMES = "games", gettext_lazy("My games here")
    SECURITY = "security", gettext_lazy("Security")


class OwnEmail(NamedTuple):
    """An e-mail that only kinds with the same one share, and that is written as a whole."""

    not_before: Callable[[User, Params, datetime], datetime]
    """Return when it may be sent to a reader, `now` or later; asked at every attempt."""
    written: Callable[[User, Sequence[Notification], datetime], tuple[str, str] | None]
    """Return its subject and its text in the active language; None if there is nothing to say any more."""


@dataclass(frozen=True, slots=True)
class NotificationKind:
    """A kind of notification: what it says, when it is still worth sending, and how it is sent by default.

    Sentences are English message ids with `{placeholders}`, filled with the parameters of a notification. A parameter
    named in `players` is the id of a player, one named in `times` an ISO 8601 time and one named in `minutes` a
    duration; all are written for the reader when the sentence is shown. The parameter `context` names the event, the
    division and the match, `event` the event alone, `language` is that of the event or its club, `zone` the time zone
    of the event, `with` is the id of the reader's partner in a pair, and `variant` selects a sentence; without one it
    is the sentence of "".
    """

    code: str
    label: str
    """What the settings page calls it."""
    group: NotificationGroup
    sentences: Mapping[str, str]
    """What it says, by variant."""
    details: Mapping[str, str] = field(default_factory=dict)
    """A second sentence for e-mails, by variant."""
    subjects: Mapping[str, str] = field(default_factory=dict)
    """The subject of its e-mail, by variant, where the sentence alone does not name what it is about."""
    subjects_of_several: Mapping[str, str] = field(default_factory=dict)
    """The subject of an e-mail with several of this variant about the same event."""
    players: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    minutes: tuple[str, ...] = ()
    values: Callable[[Sequence[Params]], Sequence[Mapping[str, str]]] = _no_values
    """Further values of the sentences of several notifications, read and worded for the reader when they are shown."""
    default: frozenset[str] = field(default_factory=lambda: frozenset({"site", "email", "push"}))
    is_chosen: bool = True
    """Whether its reader chooses how it is sent; otherwise it is always sent as by default."""
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
    own_email: OwnEmail | None = None
    """How its e-mail is written, if it is not one of the usual ones."""
    after_email: Callable[[Notification, datetime], None] = _nothing
    """Called once the e-mail was sent."""


_kinds: dict[str, NotificationKind] = {}


def register(*kinds: NotificationKind) -> None:
    """Register the kinds of an app, in the order of the settings page. Raises ValueError for a code taken."""
    for kind in kinds:
        if _kinds.setdefault(kind.code, kind) is not kind:
            raise ValueError(f"two kinds of notifications with the code {kind.code!r}")


def registered() -> list[NotificationKind]:
    return list(_kinds.values())


def kind_of(code: str) -> NotificationKind:
    """Return the kind with this code. Raises KeyError for an unknown one."""
    return _kinds[code]


# What notifications say, in the language and the time zone of their reader.


class NotificationText(NamedTuple):
    notification: Notification
    sentence: str
    context: str
    """The event, the division and the match; empty if it belongs to none."""
    detail: str
    event: str
    """Empty if it belongs to none."""
    subject: str
    subject_of_several: str
    """Empty if it has no other one for several."""


def texts_of(notifications: Sequence[Notification]) -> list[NotificationText]:
    """Return what notifications say in the active language and time zone, in one query and those of `values`."""
    ids = {row.params.get(name) for row in notifications for name in (*kind_of(row.kind).players, "with")}
    names = {player.pk: player.shown_name for player in players_among(ids)}
    by_kind: dict[str, list[Notification]] = {}
    for row in notifications:
        by_kind.setdefault(row.kind, []).append(row)
    further: dict[int, Mapping[str, str]] = {}
    for code, rows in by_kind.items():
        values = kind_of(code).values([row.params for row in rows])
        further |= {id(row): own for row, own in zip(rows, values, strict=True)}
    return [_text(row, names, further[id(row)]) for row in notifications]


def _text(row: Notification, names: dict[int, str], further: Mapping[str, str]) -> NotificationText:
    kind = kind_of(row.kind)
    values: dict[str, Any] = {**row.params, **further}
    numbers = values.get("entry_numbers", {})
    for name in kind.players:
        player = values[name]
        values[name] = numbered(names.get(player, gettext("a player")), numbers.get(str(player), 1))
    for name in kind.times:
        at = datetime.fromisoformat(values[name])
        values[name] = event_time(at, values["zone"], LONG) if "zone" in values else reader_time(at)
    for name in kind.minutes:
        values[name] = duration(60 * values[name])
    variant, context = values.get("variant", ""), values.get("context", "")
    # Rows that were stored before the event had a parameter of its own have it in front of their context.
    values.setdefault("event", context.partition(" · ")[0])
    if (partner := names.get(values.get("with", 0))) is not None:
        context = f"{context} · {gettext('with {name}').format(name=partner)}"

    def written(templates: Mapping[str, str]) -> str:
        template = templates.get(variant, "")
        return gettext(template).format_map(values) if template else ""

    sentence = gettext(kind.sentences[variant]).format_map(values)
    return NotificationText(
        notification=row,
        sentence=sentence,
        context=context,
        detail=written(kind.details),
        event=values["event"],
        subject=written(kind.subjects) or sentence.rstrip("."),
        subject_of_several=written(kind.subjects_of_several),
    )


@contextmanager
def written_for(user: User, notifications: Sequence[Notification] = ()) -> Iterator[None]:
    """Activate the language and the time zone of a user's account, for texts that are sent.

    Who has chosen no language reads that of the event or the club of the first notification, or else the site's.
    """
    language = first_offered(user.language, *(row.params.get("language", "") for row in notifications))
    zone = user.time_zone if user.time_zone in time_zones.known() else "UTC"
    with translation.override(language), timezone.override(ZoneInfo(zone)):
        yield
