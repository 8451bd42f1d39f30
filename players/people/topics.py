"""The topics of people and clubs, in the log and in the event stream."""

from collections.abc import Iterable

from core.live.publishing import touch_on_commit
from players.models import Club, Player, User
from players.people.canonical import account_of


def user_topic(user: User) -> str:
    """Return the topic of an account."""
    return f"user:{user.pk}"


def player_topic(player: Player) -> str:
    """Return the topic of a player."""
    return f"player:{player.public_id}"


def club_topic(club: Club) -> str:
    """Return the topic of a club, by its id, since its slug may change."""
    return f"club:{club.pk}"


def touch_users_on_commit(players: Iterable[Player]) -> None:
    """Publish, once the transaction has committed, that what the accounts of these players see of theirs has changed.

    Players without an account are left out.
    """
    users = {user for player in players if (user := account_of(player)) is not None}
    touch_on_commit(*(f"user:{user}" for user in sorted(users)))
