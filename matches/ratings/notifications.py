"""Notifications of changed ratings."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext_noop

from matches.models import RatingPool
from players.models import Player
from players.notifications.kinds import NotificationKind
from players.notifications.services import Notice, notify_each
from players.ratings import RatingEffect

RATING_CHANGED = "rating_changed"
RECENT = timedelta(days=1)

KIND = NotificationKind(
    code=RATING_CHANGED,
    label=gettext_noop("Your rating changes"),
    sentences={"": gettext_noop("Your rating after the match against {opponent}: {after} ({difference}).")},
    players=("opponent",),
    default=frozenset({"site"}),
)


def notify_changed(pool: RatingPool, changes: Iterable[RatingEffect], now: datetime) -> None:
    """Tell players what a match has changed. Changes to matches that were finished long ago are not announced."""
    recent = [change for change in changes if change.finished_at >= now - RECENT]
    if not recent:
        return
    players = Player.objects.filter(pk__in={change.player for change in recent})
    known = {player.pk: (player.user_id, player.public_id) for player in players if player.user_id is not None}
    notices = [
        Notice(
            user=known[change.player][0],
            params={
                "opponent": change.opponent,
                "after": f"{change.rating_after:.2f}",
                "difference": f"{change.rating_after - change.rating_before:+.2f}",
                "context": pool.name,
            },
            url=reverse("player", args=[known[change.player][1]]),
            key=f"{RATING_CHANGED}:{pool.pk}:{change.match}",
        )
        for change in recent
        if change.player in known
    ]
    notify_each(kind=RATING_CHANGED, notices=notices, now=now)
