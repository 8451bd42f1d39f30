"""What notifications say, in the language and the time zone of their reader."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext

from core import time_zones
from core.names import numbered
from core.times import LONG, event_time, reader_time
from players.models import Notification, Player, User
from players.notifications.kinds import kind_of


class Text(NamedTuple):
    """What a notification says."""

    notification: Notification
    sentence: str
    context: str
    """The event, the division and the match; empty if it belongs to none."""
    detail: str


def texts_of(notifications: Sequence[Notification]) -> list[Text]:
    """Return what notifications say in the active language and time zone, in one query."""
    ids = {row.params.get(name) for row in notifications for name in kind_of(row.kind).players}
    names = {player.pk: player.shown_name for player in Player.objects.filter(pk__in=ids - {None})}
    return [_text(row, names) for row in notifications]


def _text(row: Notification, names: dict[int, str]) -> Text:
    kind = kind_of(row.kind)
    values: dict[str, Any] = dict(row.params)
    numbers = values.get("entry_numbers", {})
    for name in kind.players:
        player = values[name]
        values[name] = numbered(names.get(player, gettext("a player")), numbers.get(str(player), 1))
    for name in kind.times:
        at = datetime.fromisoformat(values[name])
        values[name] = event_time(at, values["zone"], LONG) if "zone" in values else reader_time(at)
    variant = values.get("variant", "")
    detail = kind.details.get(variant, "")
    return Text(
        notification=row,
        sentence=gettext(kind.sentences[variant]).format_map(values),
        context=values.get("context", ""),
        detail=gettext(detail).format_map(values) if detail else "",
    )


@contextmanager
def written_for(user: User) -> Iterator[None]:
    """Activate the language and the time zone of a user's account, for texts that are sent."""
    zone = user.time_zone if user.time_zone in time_zones.known() else "UTC"
    with translation.override(user.language or settings.LANGUAGE_CODE), timezone.override(ZoneInfo(zone)):
        yield
