"""A league: divisions of 4 to 12 in which all play all in free order until a date.

Facts are the matches; the table, the matches still open and the next season follow from them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations

from tournaments.formats.errors import Refused
from tournaments.formats.graph import EntryId
from tournaments.formats.records import Game, Records, RoundKind
from tournaments.formats.round_robin import STANDARD, LeaverRule, Scoring

LEAST_DIVISION = 4
LARGEST_DIVISION = 12


@dataclass(frozen=True, slots=True)
class LeagueMatch:
    """A match that was played (or given up, `forfeit`) on a day; `winner` None: nobody won."""

    first: EntryId
    second: EntryId
    winner: EntryId | None
    score: tuple[int, int] = (0, 0)
    day: date | None = None
    forfeit: bool = False

    @property
    def pair(self) -> frozenset[EntryId]:
        """The two, in no order."""
        return frozenset((self.first, self.second))


@dataclass(frozen=True, slots=True)
class League:
    """The rules of one division for a season.

    `legs` is how often each pair meets. After `until` a match that was not played counts nothing, or with
    `unplayed_half` half a win for both.
    """

    entries: tuple[EntryId, ...]
    legs: int = 1
    length: int = 0
    scoring: Scoring = STANDARD
    until: date | None = None
    join_until: date | None = None
    unplayed_half: bool = False
    leavers: frozenset[EntryId] = frozenset()
    leaver_rule: LeaverRule = LeaverRule.HALF

    def checked(self) -> "League":
        """The same league; raises Refused("division_size") outside 4–12 entries."""
        if not LEAST_DIVISION <= len(self.entries) <= LARGEST_DIVISION:
            raise Refused("division_size", least=LEAST_DIVISION, most=LARGEST_DIVISION, entries=len(self.entries))
        return self

    def joined(self, entry: EntryId, on: date) -> "League":
        """The league with a late joiner. Raises Refused("joining_closed"), ("entry_twice"), ("division_size")."""
        if self.join_until is not None and on > self.join_until:
            raise Refused("joining_closed", until=self.join_until.isoformat())
        if entry in self.entries:
            raise Refused("entry_twice", entry=entry)
        return replace(self, entries=(*self.entries, entry)).checked()


def accept(league: League, played: Sequence[LeagueMatch], match: LeagueMatch) -> tuple[LeagueMatch, ...]:
    """The matches with one more; raises Refused("unknown_entry"), ("pair_complete"), ("season_closed")."""
    for entry in (match.first, match.second):
        if entry not in league.entries:
            raise Refused("unknown_entry", entry=entry)
    if league.until is not None and match.day is not None and match.day > league.until:
        raise Refused("season_closed", until=league.until.isoformat())
    if sum(old.pair == match.pair for old in played) >= league.legs or match.first == match.second:
        raise Refused("pair_complete", first=match.first, second=match.second)
    return (*played, match)


def open_pairs(league: League, played: Sequence[LeagueMatch]) -> tuple[tuple[EntryId, EntryId], ...]:
    """The pairs that still have to meet, once for each match missing; leavers have none."""
    stays = [entry for entry in league.entries if entry not in league.leavers]
    return tuple(
        pair
        for pair in combinations(stays, 2)
        for _ in range(league.legs - sum(old.pair == frozenset(pair) for old in played))
    )


def league_table(league: League, played: Sequence[LeagueMatch], *, on: date | None = None) -> Records:
    """The records of the division, ready for `tiebreaks.standings`.

    Once `on` is past the season's end, open matches count as the league says. A leaver's matches are
    deleted below half played; else the rest are lost by forfeit (`LeaverRule`).
    """
    deleted = {entry for entry in league.leavers if _deleted(league, played, entry)}
    games: dict[EntryId, list[Game]] = {entry: [] for entry in league.entries}
    for match in played:
        if not match.pair & deleted:
            for entry, opponent, won, lost in _sides(match):
                games[entry].append(_game(league, match, entry, opponent, won, lost))
    for leaver in league.leavers - deleted:
        for other in set(league.entries) - league.leavers:
            for _ in range(league.legs - sum(old.pair == {leaver, other} for old in played)):
                games[leaver].append(Game(RoundKind.FORFEIT, 0.0, other))
                games[other].append(Game(RoundKind.FORFEIT, league.scoring.win, leaver))
    if league.unplayed_half and on is not None and league.until is not None and on > league.until:
        for pair in open_pairs(league, played):
            for entry, other in (pair, pair[::-1]):
                games[entry].append(Game(RoundKind.FORFEIT, league.scoring.win / 2, other))
    return Records(games, win=league.scoring.win, scheduled=True)


def _deleted(league: League, played: Sequence[LeagueMatch], entry: EntryId) -> bool:
    if league.leaver_rule is not LeaverRule.HALF:
        return league.leaver_rule is LeaverRule.DELETE
    own = sum(entry in match.pair and not match.forfeit for match in played)
    return 2 * own < league.legs * (len(league.entries) - 1)


def _sides(match: LeagueMatch) -> Iterable[tuple[EntryId, EntryId, int, int]]:
    yield match.first, match.second, match.score[0], match.score[1]
    yield match.second, match.first, match.score[1], match.score[0]


def _game(league: League, match: LeagueMatch, entry: EntryId, opponent: EntryId, won: int, lost: int) -> Game:
    scoring = league.scoring
    if match.forfeit:
        return Game(RoundKind.FORFEIT, scoring.win if match.winner == entry else 0.0, opponent)
    points = scoring.half if match.winner is None else scoring.win if match.winner == entry else scoring.loss
    return Game(RoundKind.PLAYED, points, opponent, won, lost, league.length)


def next_season(
    tables: Sequence[Sequence[EntryId]],
    *,
    moving: Sequence[int],
    leavers: Collection[EntryId] = (),
    newcomers: Sequence[EntryId] = (),
) -> tuple[tuple[EntryId, ...], ...]:
    """Divisions of the next season, best first, from the final tables of this one.

    The last `moving[i]` of division i change places with as many first ones of the division below. Leavers
    go out first; gaps are then filled from the top of the division below, newcomers join the lowest.
    """
    sizes = [len(table) for table in tables]
    stays = [[entry for entry in table if entry not in leavers] for table in tables]
    last = len(stays) - 1
    ups = [table[: moving[at - 1] if at else 0] for at, table in enumerate(stays)]
    rest = [table[len(up) :] for table, up in zip(stays, ups, strict=True)]
    downs = [table[max(0, len(table) - moving[at]) :] if at < last else [] for at, table in enumerate(rest)]
    new = [
        [
            *(downs[at - 1] if at else []),
            *rest[at][: len(rest[at]) - len(downs[at])],
            *(ups[at + 1] if at < last else []),
        ]
        for at in range(len(stays))
    ]
    new[-1] += newcomers
    for at in range(len(new) - 1):
        while len(new[at]) < sizes[at] and new[at + 1]:
            new[at].append(new[at + 1].pop(0))
    return tuple(map(tuple, new))


def team_result(boards: Sequence[int | None]) -> tuple[int, int]:
    """Boards won by each team of a team fixture; an item is the winning side (0 or 1), None for nobody.

    >>> team_result([0, 1, 0, None])
    (2, 1)
    """
    return sum(side == 0 for side in boards), sum(side == 1 for side in boards)


def team_winner(boards: Sequence[int | None], overall: Mapping[int, int] | None = None) -> int | None:
    """The side with more boards; level, the one with more of `overall` (side -> match points); else None."""
    first, second = team_result(boards)
    if first == second and overall is not None:
        first, second = overall.get(0, 0), overall.get(1, 0)
    return None if first == second else int(second > first)
