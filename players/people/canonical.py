"""Which player somebody is, after merges."""

from players.models import Player, User


def canonical(player: Player) -> Player:
    """The player that stands for this one: himself, or the one he was merged into."""
    while player.merged_into is not None:
        player = player.merged_into
    return player


def player_of(user: User) -> Player | None:
    """The player behind an account; None for an account that has none (yet)."""
    return Player.objects.filter(user=user).first()
