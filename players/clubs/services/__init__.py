"""Services of clubs and their members."""

from players.clubs.services.clubs import create_club, set_second_factor, update_club
from players.clubs.services.members import add_member, add_player, leave_club, remove_member, set_role

__all__ = [
    "add_member",
    "add_player",
    "create_club",
    "leave_club",
    "remove_member",
    "set_role",
    "set_second_factor",
    "update_club",
]
