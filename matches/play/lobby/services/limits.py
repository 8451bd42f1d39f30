"""Which friendly matches are not rated although both players wish it: accounts cost nothing, and neither do wins.

Both need a confirmed address, and between the same two only the first matches of a day and of a week count. It is
decided when the match is made; both players read it before.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from matches.models import Challenge, Match
from players.models import Player

A_DAY, A_WEEK = 3, 10
"""Rated friendlies of the same two players, in a day and in a week from Monday, by the site's time."""
NotRated = Challenge.NotRated


def not_rated_between(player: Player, others: Collection[Player], now: datetime) -> dict[int, str]:
    """Why a friendly of this player with each of the others would not be rated now, by id; those left out would be."""
    since_day = timezone.localtime(now, timezone.get_default_timezone()).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    since_week = since_day - timedelta(days=since_day.weekday())
    rows = Challenge.objects.filter(
        Q(challenger=player) | Q(opponent=player), rated=True, not_rated="", match__created_at__gte=since_week
    ).exclude(match__state=Match.State.VOID)
    made = [
        (opponent if challenger == player.pk else challenger, at)
        for challenger, opponent, at in rows.values_list("challenger", "opponent", "match__created_at")
    ]
    week, day = Counter(other for other, _ in made), Counter(other for other, at in made if at >= since_day)
    reasons: dict[int, str] = {}
    for other in others:
        if not (has_confirmed_address(player) and has_confirmed_address(other)):
            reasons[other.pk] = NotRated.ADDRESS
        elif day[other.pk] >= A_DAY:
            reasons[other.pk] = NotRated.DAY
        elif week[other.pk] >= A_WEEK:
            reasons[other.pk] = NotRated.WEEK
    return reasons


def foresee(rows: Iterable[Challenge], reader: Player | None, now: datetime) -> list[Challenge]:
    """Set on each open challenge (unsaved) why its match would not be rated if this reader played it now."""
    challenges = list(rows)
    others = {row.pk: _other(row, reader) for row in challenges if row.rated}
    known = [other for other in others.values() if other is not None]
    reasons = not_rated_between(reader, known, now) if reader is not None and known else {}
    for row in challenges:
        other = others.get(row.pk)
        row.not_rated = reasons.get(other.pk, "") if other is not None else ""
    return challenges


def _other(row: Challenge, reader: Player | None) -> Player | None:
    return row.opponent if reader is not None and row.challenger_id == reader.pk else row.challenger


def has_confirmed_address(player: Player) -> bool:
    """Whether the player has an account whose e-mail address is confirmed."""
    return player.user is not None and player.user.email_verified_at is not None
