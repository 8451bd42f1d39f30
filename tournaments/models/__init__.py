"""Events: tournament > division > stage > bracket > round > fixture > slot, and who entered."""

from tournaments.models.brackets import Bracket, Fixture, Round, Slot, Stage
from tournaments.models.entries import Draw, Entry, Withdrawal
from tournaments.models.events import Division, Tournament

__all__ = [
    "Bracket",
    "Division",
    "Draw",
    "Entry",
    "Fixture",
    "Round",
    "Slot",
    "Stage",
    "Tournament",
    "Withdrawal",
]
