"""Events: tournament > division > stage > bracket > round > fixture > slot, with entries, draws and corrections."""

from tournaments.models.brackets import Bracket, Fixture, Round, Slot, Stage
from tournaments.models.corrections import Advance, Correction
from tournaments.models.draws import Commitment, Draw
from tournaments.models.entries import ByeRequest, Entry, KeptApart, LateEntry, Return, Withdrawal
from tournaments.models.events import Division, Tournament

__all__ = [
    "Advance",
    "Bracket",
    "ByeRequest",
    "Commitment",
    "Correction",
    "Division",
    "Draw",
    "Entry",
    "Fixture",
    "KeptApart",
    "LateEntry",
    "Return",
    "Round",
    "Slot",
    "Stage",
    "Tournament",
    "Withdrawal",
]
