"""The rounds of each entry, and what unplayed rounds are worth to the entry and to its opponents.

Unplayed rounds follow article 16 of the FIDE Tie-Break Regulations (Handbook C.07) in one of two editions, see
`Edition`. A **voluntarily unplayed round** is a requested bye, an absence or a lost forfeit; an entry was available
to play in every other round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from formats.graph import EntryId
from formats.lots import Lots


class Edition(StrEnum):
    """An edition of the FIDE Tie-Break Regulations, by the day from which it applies.

    Both evaluate an opponent's unplayed rounds alike (article 16.3). They differ in article 16.4, what an entry's
    own unplayed round is worth. 2023: as many points as the entry has. 2026: that, but at most the adjusted points
    of the opponent it was paired with (16.4.1), or, where there was none, draws in all rounds (16.4.2).
    """

    FIDE_2023 = "2023-09-01"
    FIDE_2026 = "2026-03-01"


NEWEST = Edition.FIDE_2026
"""The default edition."""


class RoundKind(StrEnum):
    PLAYED = "played"
    FORFEIT = "forfeit"
    BYE = "bye"
    REQUESTED_BYE = "requested_bye"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round of an entry: a match, a forfeit, a bye or an absence.

    `points` are table points (1, 0.5 or 0 by default). `won` and `lost` are the points of the match score and `length`
    the match length; 0 if no match was played.
    """

    kind: RoundKind
    points: float
    opponent: EntryId | None = None
    won: int = 0
    lost: int = 0
    length: int = 0

    @property
    def played(self) -> bool:
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
    """The rounds of all entries in order, and what else standings depend on.

    A won match counts `win` points, a draw half of that. With `scheduled` (round robins) a forfeit counts as a match
    against the scheduled opponent, by article 16.1; otherwise article 16 applies in the given edition. `lots_seed` is
    the seed of the lots.
    """

    games: Mapping[EntryId, Sequence[RoundRecord]]
    win: float = 1.0
    scheduled: bool = False
    lots_seed: bytes | None = None
    edition: Edition = NEWEST

    @cached_property
    def scores(self) -> dict[EntryId, float]:
        return {entry: sum(game.points for game in games) for entry, games in self.games.items()}

    @cached_property
    def adjusted(self) -> dict[EntryId, float]:
        """Entry -> points as its opponents' tie-breaks see them (article 16.3).

        Requested byes and absences after which the entry was never available again count as draws; lost forfeits there
        count what they scored.
        """
        return {entry: self._adjusted(entry) for entry in self.games}

    def _adjusted(self, entry: EntryId) -> float:
        games = self.games[entry]
        if self.scheduled:
            return self.scores[entry]
        available = [at for at, game in enumerate(games) if not game.voluntary]
        kept = available[-1] + 1 if available else 0
        trailing = (game.points if game.kind is RoundKind.FORFEIT else self.win / 2 for game in games[kept:])
        return sum(game.points for game in games[:kept]) + sum(trailing)

    def worth(self, entry: EntryId, game: RoundRecord) -> float:
        """Return what a round contributes to the Buchholz and Sonneborn–Berger sums of the entry.

        That is the opponent's adjusted points or, for an unplayed round, those of a dummy opponent (article 16.4).
        """
        if game.opponent is not None and self.counts_as_met(game):
            return self.adjusted[game.opponent]
        own = self.scores[entry]
        if self.edition is Edition.FIDE_2023:
            return own
        if game.opponent is not None:
            return min(own, self.adjusted[game.opponent])
        return min(own, self.win / 2 * self.most_rounds)

    @cached_property
    def most_rounds(self) -> int:
        """The number of rounds of the entry with the most rounds."""
        return max(map(len, self.games.values()), default=0)

    def counts_as_met(self, game: RoundRecord) -> bool:
        """Whether a round counts against its real opponent rather than a dummy (article 16.4)."""
        return game.opponent is not None and (game.played or self.scheduled)

    @cached_property
    def lots(self) -> dict[EntryId, int]:
        """Entry -> place in the drawing of lots among all entries, 1 being the best; all 0 without a seed."""
        if self.lots_seed is None:
            return dict.fromkeys(self.games, 0)
        drawn = Lots(self.lots_seed, "tiebreak").shuffled(sorted(self.games))
        return {entry: place for place, entry in enumerate(drawn, start=1)}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The match lengths that occur, ascending."""
        return tuple(sorted({game.length for games in self.games.values() for game in games if game.played}))
