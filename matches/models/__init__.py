"""Matches, their records and reports, their results, and the ratings computed from them."""

from matches.models.analyses import Analysis, Decision
from matches.models.chat import ChatDecision, ChatMessage, ChatMute, ChatReport
from matches.models.lobby import (
    LONGEST_FRIENDLY,
    NAMED_FOR,
    OPEN_FOR,
    BotPlayer,
    Challenge,
    FriendlyBlock,
    PlayPreferences,
)
from matches.models.matches import Match, Provisional, Result
from matches.models.play import (
    LONGEST_ACTION_KEY,
    Action,
    ClockPreset,
    DiceChain,
    DiceSecret,
    LiveMatch,
    Outage,
    PlayMode,
    PracticeLevel,
    Pulse,
)
from matches.models.pool_settings import PoolSettings
from matches.models.ratings import (
    FormulaComparison,
    PlayerRating,
    RatingChange,
    RatingImport,
    RatingMark,
    RatingPool,
    RatingPoolVersion,
    RatingStart,
    Unrating,
)
from matches.models.reports import MOST_TIMES, CalendarFeed, Claim, Objection, Proposal
from matches.models.submissions import LONGEST_FILE_NAME, MOST_BYTES, MOST_MEBIBYTES, Submission, Verdict

__all__ = [
    "LONGEST_ACTION_KEY",
    "LONGEST_FILE_NAME",
    "LONGEST_FRIENDLY",
    "MOST_BYTES",
    "MOST_MEBIBYTES",
    "MOST_TIMES",
    "NAMED_FOR",
    "OPEN_FOR",
    "Action",
    "Analysis",
    "BotPlayer",
    "CalendarFeed",
    "Challenge",
    "ChatDecision",
    "ChatMessage",
    "ChatMute",
    "ChatReport",
    "Claim",
    "ClockPreset",
    "Decision",
    "DiceChain",
    "DiceSecret",
    "FormulaComparison",
    "FriendlyBlock",
    "LiveMatch",
    "Match",
    "Objection",
    "Outage",
    "PlayMode",
    "PlayPreferences",
    "PlayerRating",
    "PoolSettings",
    "PracticeLevel",
    "Proposal",
    "Provisional",
    "Pulse",
    "RatingChange",
    "RatingImport",
    "RatingMark",
    "RatingPool",
    "RatingPoolVersion",
    "RatingStart",
    "Result",
    "Submission",
    "Unrating",
    "Verdict",
]
