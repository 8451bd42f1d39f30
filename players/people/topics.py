"""What the log calls the things of this room."""

from players.models import Club, Player, User


def user_topic(user: User) -> str:
    """An account."""
    return f"user:{user.pk}"


def player_topic(player: Player) -> str:
    """A player."""
    return f"player:{player.public_id}"


def club_topic(club: Club) -> str:
    """A club, by its number: its address may change."""
    return f"club:{club.pk}"
