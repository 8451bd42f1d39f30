"""Players that a player does not want friendly matches with."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from engine.errors import Refused
from matches.models import Challenge, FriendlyBlock
from players.actors import Actor, log
from players.models import Player
from players.people.rows import player_topic, touch_users_on_commit


def block(*, player: Player, other: Player, by: Actor, now: datetime) -> None:
    """Keep `other` from friendly matches with `player`, and end the open challenges between them.

    Blocking twice does no harm. Refused: `block_self`.
    """
    if player.pk == other.pk:
        raise Refused("block_self")
    with transaction.atomic():
        _, created = FriendlyBlock.objects.get_or_create(player=player, blocked=other, defaults={"created_at": now})
        between = Q(challenger=player, opponent=other) | Q(challenger=other, opponent=player)
        Challenge.objects.filter(between, state=Challenge.State.OPEN).update(state=Challenge.State.DECLINED)
        touch_users_on_commit([player, other])
        if created:
            log(by, "player_blocked", player_topic(player), blocked=other.public_id)


def unblock(*, player: Player, other: Player, by: Actor) -> None:
    """Allow friendly matches with `other` again; nothing happens if they were not blocked."""
    with transaction.atomic():
        removed, _ = FriendlyBlock.objects.filter(player=player, blocked=other).delete()
        if removed:
            touch_users_on_commit([player, other])
            log(by, "player_unblocked", player_topic(player), blocked=other.public_id)


def is_blocked(first: Player, second: Player) -> bool:
    """Whether one of two players has blocked the other."""
    either = Q(player=first, blocked=second) | Q(player=second, blocked=first)
    return FriendlyBlock.objects.filter(either).exists()
