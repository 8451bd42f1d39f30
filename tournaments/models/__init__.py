"""Events: tournament > division > stage > bracket > round > fixture > slot, with entries, draws and corrections."""

from tournaments.models.batches import ON_PAPER, Batch, MissedMatch, OpenPairing, Pairing, PendingBatch
from tournaments.models.brackets import Advance, Bracket, Correction, Fixture, Round, Slot, Stage
from tournaments.models.draws import Commitment, Draw
from tournaments.models.entries import (
    ByeRequest,
    CheckIn,
    Entry,
    EventLink,
    JoinedEntry,
    KeptApart,
    Kiosk,
    LateEntry,
    Return,
    Substitution,
    Withdrawal,
)
from tournaments.models.events import Division, Helper, Offer, Tournament
from tournaments.models.floor import TYPED_AT, Autopilot, Floor, FloorEvent, FloorKind, Table, Wall
from tournaments.models.installation import Installation
from tournaments.models.letters import Letter
from tournaments.models.past_seasons import PastPlacing, PastSeason
from tournaments.models.payments import (
    AgreedSplit,
    CashCount,
    CashDesk,
    CashReopening,
    Payment,
    PoolMember,
    PrizePlan,
    SidePool,
)
from tournaments.models.series import (
    FinalPlace,
    Series,
    SeriesClosing,
    SeriesEntry,
    SeriesEvent,
    SeriesFeeShare,
    SeriesPlan,
    SeriesPoints,
    SeriesView,
)
from tournaments.models.sharing import SharePicture
from tournaments.models.titles import Title
from tournaments.models.venues import EveningTemplate, OpeningHours, Venue, VenueTable

__all__ = [
    "ON_PAPER",
    "TYPED_AT",
    "Advance",
    "AgreedSplit",
    "Autopilot",
    "Batch",
    "Bracket",
    "ByeRequest",
    "CashCount",
    "CashDesk",
    "CashReopening",
    "CheckIn",
    "Commitment",
    "Correction",
    "Division",
    "Draw",
    "Entry",
    "EveningTemplate",
    "EventLink",
    "FinalPlace",
    "Fixture",
    "Floor",
    "FloorEvent",
    "FloorKind",
    "Helper",
    "Installation",
    "JoinedEntry",
    "KeptApart",
    "Kiosk",
    "LateEntry",
    "Letter",
    "MissedMatch",
    "Offer",
    "OpenPairing",
    "OpeningHours",
    "Pairing",
    "PastPlacing",
    "PastSeason",
    "Payment",
    "PendingBatch",
    "PoolMember",
    "PrizePlan",
    "Return",
    "Round",
    "Series",
    "SeriesClosing",
    "SeriesEntry",
    "SeriesEvent",
    "SeriesFeeShare",
    "SeriesPlan",
    "SeriesPoints",
    "SeriesView",
    "SharePicture",
    "SidePool",
    "Slot",
    "Stage",
    "Substitution",
    "Table",
    "Title",
    "Tournament",
    "Venue",
    "VenueTable",
    "Wall",
    "Withdrawal",
]
