"""Matches, their records and reports, their results, and the ratings computed from them."""

from matches.models.analyses import Analysis, Decision
from matches.models.chat import ChatDecision, ChatMessage, ChatMute, ChatReport
from matches.models.lobby import MAX_FRIENDLY, NAMED_FOR, OPEN_FOR, BotPlayer, Challenge, FriendlyBlock, PlayPreferences
from matches.models.matches import GameFingerprint, Match, MatchImport, Provisional, Result
from matches.models.play import (
    MAX_ACTION_KEY_LENGTH,
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
from matches.models.puzzles import Card, Puzzle, PuzzleAnswer
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
from matches.models.reports import MAX_TIMES, CalendarFeed, Claim, Objection, Proposal
from matches.models.submissions import MAX_BYTES, MAX_FILE_NAME_LENGTH, MAX_MEBIBYTES, Submission, Verdict

__all__ = [
    "MAX_ACTION_KEY_LENGTH",
    "MAX_BYTES",
    "MAX_FILE_NAME_LENGTH",
    "MAX_FRIENDLY",
    "MAX_MEBIBYTES",
    "MAX_TIMES",
    "NAMED_FOR",
    "OPEN_FOR",
    "Action",
    "Analysis",
    "BotPlayer",
    "CalendarFeed",
    "Card",
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
    "GameFingerprint",
    "LiveMatch",
    "Match",
    "MatchImport",
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
    "Puzzle",
    "PuzzleAnswer",
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
