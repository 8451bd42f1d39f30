"""A Swiss event as data: players, rounds as they were paired, and what follows from them.

A paired round is a fact. Scores, earlier meetings, byes and floats are derived here. The pairing itself is in `pairing`
and, for events in which players lose lives, in `lives`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from formats.errors import Refused
from formats.facts import DOUBLE_FORFEIT, FORFEIT, Result
from formats.graph import EntryId
from formats.tables.records import NEWEST, Edition, Records, RoundKind, RoundRecord

PairOfEntries = frozenset[EntryId]


class ByeKind(StrEnum):
    """The kind of a bye.

    FULL is given by the pairing to one player of an odd number; SIT_OUT is the same where players lose lives, and is
    not a win; HALF and REQUESTED were requested by the player.
    """

    FULL = "full"
    SIT_OUT = "sit_out"
    HALF = "half"
    REQUESTED = "requested"


PAIRING_BYES = (ByeKind.FULL, ByeKind.SIT_OUT)
BYE_POINTS = {ByeKind.FULL: 1.0, ByeKind.SIT_OUT: 0.0, ByeKind.HALF: 0.5, ByeKind.REQUESTED: 0.0}


class Order(StrEnum):
    """How to choose between equally good pairings.

    FOLD: in a score group the first meets the last; SLIDE: the first of the upper half meets the first of the lower
    half; RATING: neighbours meet; RANDOM: by lot.
    """

    RANDOM = "random"
    FOLD = "fold"
    SLIDE = "slide"
    RATING = "rating"


@dataclass(frozen=True, slots=True)
class SwissPlayer:
    """An entry of a Swiss event.

    `joined` is the first round (from 1) in which it can be paired; each earlier round counts `missed_points`. It is not
    paired after the round `left`. Players of the same `club` are kept apart if possible.
    """

    entry: EntryId
    rating: float = 0.0
    club: str | None = None
    joined: int = 1
    missed_points: float = 0.0
    left: int | None = None

    def active(self, round_number: int) -> bool:
        """Whether the entry can be paired in that round."""
        return self.joined <= round_number and (self.left is None or round_number <= self.left)


@dataclass(frozen=True, slots=True)
class SwissPair:
    """Two players who meet in a round. In `result`, as in `progress`, slot 0 is `first`."""

    first: EntryId
    second: EntryId
    result: Result | None = None

    @property
    def pair(self) -> PairOfEntries:
        """The two entries as an unordered pair."""
        return frozenset((self.first, self.second))

    @property
    def losers(self) -> tuple[EntryId, ...]:
        """The entries that lost: one, both if both forfeited, or none."""
        both = (self.first, self.second)
        return () if self.result is None else tuple(both[slot] for slot in self.result.losing_slots)

    def points(self) -> tuple[float, float]:
        """Return the table points of both: 1 and 0, or half each if nobody won; none if both forfeited."""
        if self.result is None or self.result.kind == DOUBLE_FORFEIT:
            return 0.0, 0.0
        if self.result.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if self.result.winner == 0 else (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class SwissBye:
    """A round without a match. Nobody gets a full bye twice."""

    entry: EntryId
    kind: ByeKind = ByeKind.FULL

    @property
    def points(self) -> float:
        return BYE_POINTS[self.kind]


@dataclass(frozen=True, slots=True)
class SwissRound:
    """A paired round, with its matches in the order of tables."""

    pairs: tuple[SwissPair, ...]
    byes: tuple[SwissBye, ...] = ()

    def with_results(self, results: Mapping[PairOfEntries, Result]) -> "SwissRound":
        pairs = tuple(replace(pair, result=results.get(pair.pair, pair.result)) for pair in self.pairs)
        return replace(self, pairs=pairs)


@dataclass(frozen=True)
class SwissEvent:
    """Everything a pairing depends on.

    `planned` is the number of rounds, or None for an event that ends when only one player is unbeaten. Pairs in
    `forbidden` must not meet. With `allow_rematches`, which a director may choose, there are as few rematches as
    possible instead of none. `length` is the match length. `closed` says that nobody can enter any more.

    If it is `continuous`, its `rounds` are the batches of pairs in their order: an entry plays in some of them, and not
    being in one means nothing. `missed` has the matches that entries missed because they were late or away, and
    `lives_missed` the lives that this costs.
    """

    players: tuple[SwissPlayer, ...]
    rounds: tuple[SwissRound, ...] = ()
    planned: int | None = None
    order: Order = Order.RANDOM
    forbidden: frozenset[PairOfEntries] = frozenset()
    allow_rematches: bool = False
    length: int = 0
    closed: bool = False
    continuous: bool = False
    missed: Mapping[EntryId, int] = field(default_factory=dict)
    lives_missed: Mapping[EntryId, int] = field(default_factory=dict)

    @property
    def next_round(self) -> int:
        """The number of the round to be paired."""
        return len(self.rounds) + 1

    @cached_property
    def by_entry(self) -> dict[EntryId, SwissPlayer]:
        return {player.entry: player for player in self.players}

    @cached_property
    def scores(self) -> dict[EntryId, float]:
        """Entry -> points before the next round, missed rounds included."""
        return self.scores_before(self.next_round)

    def scores_before(self, round_number: int) -> dict[EntryId, float]:
        """Return entry -> points before a round."""
        scores = {
            p.entry: p.missed_points * (min(p.joined, round_number) - 1 + self.missed.get(p.entry, 0))
            for p in self.players
        }
        for round_ in self.rounds[: round_number - 1]:
            for entry, points in _points(round_):
                scores[entry] += points
        return scores

    @cached_property
    def meetings(self) -> dict[PairOfEntries, list[int]]:
        """Pair -> the rounds in which they were paired, ascending."""
        meetings: dict[PairOfEntries, list[int]] = {}
        for number, round_ in enumerate(self.rounds, start=1):
            for pair in round_.pairs:
                meetings.setdefault(pair.pair, []).append(number)
        return meetings

    @cached_property
    def pairing_byes(self) -> Counter[EntryId]:
        """Entry -> number of byes given by the pairing."""
        byes = (bye for round_ in self.rounds for bye in round_.byes)
        return Counter(bye.entry for bye in byes if bye.kind in PAIRING_BYES)

    @cached_property
    def losses(self) -> Counter[EntryId]:
        """Entry -> number of matches lost; if both forfeit, both lose."""
        losses: Counter[EntryId] = Counter()
        for pair in (pair for round_ in self.rounds for pair in round_.pairs):
            losses.update(pair.losers)
        return losses

    @cached_property
    def floats(self) -> dict[EntryId, int]:
        """Entry -> 1 if it met a lower score in the last round (or had a full bye), -1 a higher one, else 0."""
        floats: dict[EntryId, int] = {}
        if self.rounds:
            before, last = self.scores_before(len(self.rounds)), self.rounds[-1]
            for pair in last.pairs:
                gap = before[pair.first] - before[pair.second]
                floats[pair.first] = (gap > 0) - (gap < 0)
                floats[pair.second] = -floats[pair.first]
            floats.update({bye.entry: 1 for bye in last.byes if bye.kind is ByeKind.FULL})
        return floats

    @property
    def unbeaten(self) -> tuple[EntryId, ...]:
        """The entries still in the event that have lost no match."""
        number = self.next_round
        return tuple(p.entry for p in self.players if p.active(number) and not self.losses[p.entry])

    @property
    def has_open_matches(self) -> bool:
        """Whether a match of a paired round has no result."""
        return any(pair.result is None for round_ in self.rounds for pair in round_.pairs)

    @property
    def is_deserted(self) -> bool:
        """Whether at most one player is left and nobody can enter any more."""
        return self.closed and sum(player.active(self.next_round) for player in self.players) <= 1

    @property
    def over(self) -> bool:
        """Whether the planned rounds are played or, if none are planned, at most one entry is unbeaten.

        It is over as well once nobody can be paired any more (`is_deserted`).
        """
        if self.has_open_matches:
            return False
        if self.is_deserted:
            return True
        if self.planned is not None:
            return len(self.rounds) >= self.planned
        return bool(self.rounds) and len(self.unbeaten) <= 1

    def with_round(self, round_: SwissRound) -> "SwissEvent":
        """Return the event with one more paired round."""
        return replace(self, rounds=(*self.rounds, round_))

    def checked(self) -> "SwissEvent":
        """Return this event if a round can be paired. Raises Refused("rounds_over") or ("round_open")."""
        for number, round_ in enumerate(self.rounds, start=1):
            if any(pair.result is None for pair in round_.pairs):
                raise Refused("round_open", round=number)
        if self.planned is not None and len(self.rounds) >= self.planned:
            raise Refused("rounds_over", rounds=self.planned)
        return self

    def records(self, *, lots_seed: bytes | None = None, edition: Edition = NEWEST) -> Records:
        """Return the records of all rounds for `tiebreaks.standings`; matches without a result are left out."""
        games: dict[EntryId, list[RoundRecord]] = {
            player.entry: [RoundRecord(RoundKind.ABSENT, player.missed_points)] * self.missed.get(player.entry, 0)
            for player in self.players
        }
        for number, round_ in enumerate(self.rounds, start=1):
            row = dict(self._games(round_))
            playing = {entry for pair in round_.pairs if pair.result is None for entry in pair.pair}
            for player in self.players:
                if player.entry in playing or (self.continuous and player.entry not in row):
                    continue
                missed = player.missed_points if number < player.joined else 0.0
                games[player.entry].append(row.get(player.entry, RoundRecord(RoundKind.ABSENT, missed)))
        return Records(games, lots_seed=lots_seed, edition=edition)

    def _games(self, round_: SwissRound) -> Iterable[tuple[EntryId, RoundRecord]]:
        for pair in round_.pairs:
            if pair.result is None:
                continue
            forfeit = pair.result.kind in (FORFEIT, DOUBLE_FORFEIT)
            kind = RoundKind.FORFEIT if forfeit else RoundKind.PLAYED
            score = pair.result.score or (0, 0)
            points = pair.points()
            yield pair.first, RoundRecord(kind, points[0], pair.second, score[0], score[1], self.length)
            yield pair.second, RoundRecord(kind, points[1], pair.first, score[1], score[0], self.length)
        for bye in round_.byes:
            kind = RoundKind.BYE if bye.kind in PAIRING_BYES else RoundKind.REQUESTED_BYE
            yield bye.entry, RoundRecord(kind, bye.points)


def _points(round_: SwissRound) -> Iterable[tuple[EntryId, float]]:
    for pair in round_.pairs:
        first, second = pair.points()
        yield pair.first, first
        yield pair.second, second
    for bye in round_.byes:
        yield bye.entry, bye.points
