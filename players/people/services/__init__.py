"""Services of players."""

from players.people.services.editing import edit_player
from players.people.services.erasure import erase_player
from players.people.services.invitations import accept_invitation, claim_player, invite, withdraw_invitation
from players.people.services.lists import How, NameMatch, find_or_add_players, find_players
from players.people.services.merging import merge_players, remember_alias, undo_merge

__all__ = [
    "How",
    "NameMatch",
    "accept_invitation",
    "claim_player",
    "edit_player",
    "erase_player",
    "find_or_add_players",
    "find_players",
    "invite",
    "merge_players",
    "remember_alias",
    "undo_merge",
    "withdraw_invitation",
]
