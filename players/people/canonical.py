"""The current player after merges."""

from players.models import Player, User


def canonical(player: Player) -> Player:
    """Return the player that a player was merged into, or the player if not merged."""
    while player.merged_into is not None:
        player = player.merged_into
    return player


def player_of(user: User) -> Player | None:
    """Return the player of an account, if it has one."""
    return Player.objects.filter(user=user).first()
