"""What an entry did in each round, and what its unplayed rounds are worth to others.

Unplayed rounds follow the FIDE Tie-Break Regulations in force from 1 September 2023 (Handbook C.07,
article 16): a **voluntarily unplayed round** is a requested bye, an absence or a lost forfeit; an entry was
available to play in every other one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from tournaments.formats.graph import EntryId
from tournaments.formats.lots import Lots

REGULATIONS = "FIDE Tie-Break Regulations, 1 September 2023"


class RoundKind(StrEnum):
    """How a round was spent."""

    PLAYED = "played"
    FORFEIT = "forfeit"
    BYE = "bye"
    REQUESTED_BYE = "requested_bye"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Game:
    """One round of one entry: a match, a forfeit, a bye or an absence.

    `points` counts in the table (1, 0.5 or 0 by default). `won` and `lost` are the points of the match
    score, `length` its length, 0 where none was played.
    """

    kind: RoundKind
    points: float
    opponent: EntryId | None = None
    won: int = 0
    lost: int = 0
    length: int = 0

    @property
    def played(self) -> bool:
        """Whether two met."""
        return self.kind is RoundKind.PLAYED

    @property
    def voluntary(self) -> bool:
        """Whether this is a voluntarily unplayed round (article 16.2)."""
        lost_forfeit = self.kind is RoundKind.FORFEIT and self.points == 0
        return lost_forfeit or self.kind in (RoundKind.REQUESTED_BYE, RoundKind.ABSENT)

    @property
    def difference(self) -> int:
        """Points won minus points lost, each capped at the match length."""
        return min(self.won, self.length) - min(self.lost, self.length)


@dataclass(frozen=True)
class Records:
    """All rounds of all entries, in order, and what a standing needs besides.

    `win` is what a won match counts, half of it a draw. With `scheduled` (round robins) a forfeit counts
    as a match against the scheduled opponent, as article 16.1 has it; without it article 16 applies.
    `playoffs` gives the place each entry took in a play-off. `lots_seed` decides the drawing of lots.
    """

    games: Mapping[EntryId, Sequence[Game]]
    win: float = 1.0
    scheduled: bool = False
    playoffs: Mapping[EntryId, int] = field(default_factory=dict)
    lots_seed: bytes | None = None

    @cached_property
    def scores(self) -> dict[EntryId, float]:
        """Entry -> points."""
        return {entry: sum(game.points for game in games) for entry, games in self.games.items()}

    @cached_property
    def adjusted(self) -> dict[EntryId, float]:
        """Entry -> points as its opponents' tie-breaks see them (article 16.3).

        Voluntarily unplayed rounds after which the entry was never available again count as draws.
        """
        return {entry: self._adjusted(entry) for entry in self.games}

    def _adjusted(self, entry: EntryId) -> float:
        games = self.games[entry]
        if self.scheduled:
            return self.scores[entry]
        available = [at for at, game in enumerate(games) if not game.voluntary]
        kept = available[-1] + 1 if available else 0
        return sum(game.points for game in games[:kept]) + self.win / 2 * (len(games) - kept)

    @cached_property
    def most_rounds(self) -> int:
        """The rounds of the entry that has most."""
        return max(map(len, self.games.values()), default=0)

    def counts_as_met(self, game: Game) -> bool:
        """Whether a round counts against a real opponent, not against a dummy (article 16.4)."""
        return game.opponent is not None and (game.played or self.scheduled)

    @cached_property
    def lots(self) -> dict[EntryId, int]:
        """Entry -> place in the drawing of lots over all entries, 1 the best; all 0 without a seed."""
        if self.lots_seed is None:
            return dict.fromkeys(self.games, 0)
        drawn = Lots(self.lots_seed, "tiebreak").shuffled(sorted(self.games))
        return {entry: place for place, entry in enumerate(drawn, start=1)}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The match lengths that occur, ascending."""
        return tuple(sorted({game.length for games in self.games.values() for game in games if game.played}))
