"""Events: tournament > division > stage > bracket > round > fixture > slot, who entered, and what was corrected."""

from tournaments.models.brackets import Bracket, Fixture, Round, Slot, Stage
from tournaments.models.corrections import Advance, Correction
from tournaments.models.entries import ByeRequest, Draw, Entry, KeptApart, Withdrawal
from tournaments.models.events import Division, Tournament

__all__ = [
    "Advance",
    "Bracket",
    "ByeRequest",
    "Correction",
    "Division",
    "Draw",
    "Entry",
    "Fixture",
    "KeptApart",
    "Round",
    "Slot",
    "Stage",
    "Tournament",
    "Withdrawal",
]
