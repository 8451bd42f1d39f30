"""Accounts, players, clubs and their members, and the log."""

from players.models.accounts import User, UserManager
from players.models.log import LogEntry
from players.models.people import Alias, Club, Invitation, Membership, Merge, Player

__all__ = ["Alias", "Club", "Invitation", "LogEntry", "Membership", "Merge", "Player", "User", "UserManager"]
