"""The topics of log entries about people and clubs."""

from players.models import Club, Player, User


def user_topic(user: User) -> str:
    """Return the topic of an account."""
    return f"user:{user.pk}"


def player_topic(player: Player) -> str:
    """Return the topic of a player."""
    return f"player:{player.public_id}"


def club_topic(club: Club) -> str:
    """Return the topic of a club, by its id, since its slug may change."""
    return f"club:{club.pk}"
