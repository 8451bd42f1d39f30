"""The current player after merges."""

from collections.abc import Iterable

from django.db.models import QuerySet

from players.models import Player, User


def canonical(player: Player) -> Player:
    """Return the player that a player was merged into, or the player if not merged."""
    while player.merged_into is not None:
        player = player.merged_into
    return player


def account_of(player: Player) -> int | None:
    """Return the id of the account of a player, or of the player it was merged into, if there is one."""
    return player.user_id or canonical(player).user_id


def players_among(ids: Iterable[int | None]) -> QuerySet[Player]:
    """Return the players with these ids, each with the player it was merged into."""
    return Player.objects.filter(pk__in={pk for pk in ids if pk is not None}).select_related("merged_into")


def player_of(user: User) -> Player | None:
    """Return the player of an account, if it has one."""
    return Player.objects.filter(user=user).first()
