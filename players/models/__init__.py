"""Accounts, players, clubs and their members, notifications, and the log."""

from players.models.accounts import (
    NO_ADDRESS,
    AccountEmail,
    AccountSession,
    ApiToken,
    IdempotencyKey,
    RecoveryCode,
    User,
    UserManager,
)
from players.models.handover import OwnerOffer
from players.models.kept import KeptAct, Outbox
from players.models.log import LogEntry
from players.models.notifications import Delivery, Notification, NotificationChoice, PushSubscription
from players.models.people import Alias, Club, ClubEmblem, Invitation, JoinRequest, Membership, Merge, Pair, Player
from players.models.privacy import DataExport, DataExportPart

__all__ = [
    "NO_ADDRESS",
    "AccountEmail",
    "AccountSession",
    "Alias",
    "ApiToken",
    "Club",
    "ClubEmblem",
    "DataExport",
    "DataExportPart",
    "Delivery",
    "IdempotencyKey",
    "Invitation",
    "JoinRequest",
    "KeptAct",
    "LogEntry",
    "Membership",
    "Merge",
    "Notification",
    "NotificationChoice",
    "Outbox",
    "OwnerOffer",
    "Pair",
    "Player",
    "PushSubscription",
    "RecoveryCode",
    "User",
    "UserManager",
]
