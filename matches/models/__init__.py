"""Matches, their records and reports, their results, and the ratings computed from them."""

from matches.models.claims import Claim
from matches.models.matches import Match, Result
from matches.models.objections import Objection
from matches.models.outages import Outage, Pulse
from matches.models.play import LONGEST_ACTION_KEY, Action, DiceChain, DiceSecret, LiveMatch
from matches.models.preferences import PlayPreferences
from matches.models.proposals import MOST_TIMES, Proposal
from matches.models.ratings import (
    PlayerRating,
    RatingChange,
    RatingImport,
    RatingMark,
    RatingPool,
    RatingStart,
)
from matches.models.submissions import LONGEST_FILE_NAME, LONGEST_KEY, MOST_BYTES, MOST_MEBIBYTES, Submission, Verdict

__all__ = [
    "LONGEST_ACTION_KEY",
    "LONGEST_FILE_NAME",
    "LONGEST_KEY",
    "MOST_BYTES",
    "MOST_MEBIBYTES",
    "MOST_TIMES",
    "Action",
    "Claim",
    "DiceChain",
    "DiceSecret",
    "LiveMatch",
    "Match",
    "Objection",
    "Outage",
    "PlayPreferences",
    "PlayerRating",
    "Proposal",
    "Pulse",
    "RatingChange",
    "RatingImport",
    "RatingMark",
    "RatingPool",
    "RatingStart",
    "Result",
    "Submission",
    "Verdict",
]
