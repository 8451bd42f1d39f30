"""The facts that `progress` derives everything else from: results and withdrawals."""

from dataclasses import dataclass

from formats.graph import EntryId, PlaceOf

PLAYED = "played"
FORFEIT = "forfeit"
DOUBLE_FORFEIT = "double_forfeit"
NOBODY = -1
"""In place of a slot: nobody advances."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one fixture.

    `winner` is the winning slot (0 or 1), None if nobody won. `score` has the points of slot 0 and slot 1. `kind` is
    how the match ended; a forfeit loses only this match, so its loser still drops. `between` are the two entries who
    met: if they are no longer the entrants of the fixture, the result is void; if they have changed sides, so does the
    result. `advances` is the slot that advances (or NOBODY) if a director corrected the winner but kept the bracket;
    `kept` are the qualifying places of its table that were kept then.
    """

    winner: int | None
    score: tuple[int, int] | None = None
    kind: str = PLAYED
    between: tuple[EntryId, EntryId] | None = None
    advances: int | None = None
    kept: tuple[tuple[PlaceOf, EntryId | None], ...] = ()

    @property
    def advancing_slot(self) -> int | None:
        if self.advances is None:
            return self.winner
        return None if self.advances == NOBODY else self.advances

    @property
    def losing_slots(self) -> tuple[int, ...]:
        """The slots that lost: one; both if both forfeited; none if a settled match has no winner."""
        if self.winner is None:
            return (0, 1) if self.kind == DOUBLE_FORFEIT else ()
        return (1 - self.winner,)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An entry that withdrew from one bracket, or from all of them if `bracket` is None.

    Its decided matches stand; all others are walkovers for the opponents.
    """

    entry: EntryId
    bracket: str | None = None
