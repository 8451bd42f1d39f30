"""What can be done to people and clubs; each verb is one transaction and writes the log."""

from players.services.accounts import (
    change_email,
    change_password,
    ensure_player,
    make_token,
    register_user,
    reset_password,
    revoke_token,
    token_of,
    update_preferences,
)
from players.services.clubs import create_club, update_club
from players.services.editing import edit_player
from players.services.erasure import erase_player
from players.services.invitations import accept_invitation, claim_player, invite, withdraw_invitation
from players.services.lists import Found, How, find_or_add_players, find_players
from players.services.members import add_member, add_player, leave_club, remove_member, set_role
from players.services.merging import merge_players, remember_alias, undo_merge

__all__ = [
    "Found",
    "How",
    "accept_invitation",
    "add_member",
    "add_player",
    "change_email",
    "change_password",
    "claim_player",
    "create_club",
    "edit_player",
    "ensure_player",
    "erase_player",
    "find_or_add_players",
    "find_players",
    "invite",
    "leave_club",
    "make_token",
    "merge_players",
    "register_user",
    "remember_alias",
    "remove_member",
    "reset_password",
    "revoke_token",
    "set_role",
    "token_of",
    "undo_merge",
    "update_club",
    "update_preferences",
    "withdraw_invitation",
]
