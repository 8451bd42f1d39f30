"""The facts that `progress` derives everything from: results and withdrawals."""

from dataclasses import dataclass

from tournaments.formats.graph import EntryId

PLAYED = "played"
FORFEIT = "forfeit"
DOUBLE_FORFEIT = "double_forfeit"
NOBODY = -1
"""Instead of a slot: nobody goes on."""


@dataclass(frozen=True, slots=True)
class Result:
    """A fact about one fixture.

    `winner` is the winning slot (0 or 1), None when nobody won. `score` is points of slot 0 and slot 1.
    `kind` is the kind of ending; a forfeit loses this match only, so its loser still drops. `between` names
    the two who met: if they are no longer the two who stand there, the result is void; if they stand the
    other way round, it is turned. `advances` is the slot that goes on (or NOBODY) where a director corrected
    the winner but kept the bracket.
    """

    winner: int | None
    score: tuple[int, int] | None = None
    kind: str = PLAYED
    between: tuple[EntryId, EntryId] | None = None
    advances: int | None = None

    @property
    def advancing_slot(self) -> int | None:
        """The slot that goes on."""
        if self.advances is None:
            return self.winner
        return None if self.advances == NOBODY else self.advances

    @property
    def losing_slots(self) -> tuple[int, ...]:
        """The slots that lost: one, both if both forfeited, none if nobody won a match that was settled."""
        if self.winner is None:
            return (0, 1) if self.kind == DOUBLE_FORFEIT else ()
        return (1 - self.winner,)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An entry comes no more: to one bracket, or (`bracket` None) to none of the graph.

    Matches already decided stay; every other one is a walkover for the opponent.
    """

    entry: EntryId
    bracket: str | None = None
