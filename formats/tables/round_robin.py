"""Round robins: Berger tables, single or double, and how the matches of an entry that leaves count.

A round robin is a bracket like any other, with entries and byes as sources, so `progress` derives its state; this
module adds its table. Entries get Berger numbers in the order in which they are passed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from formats.errors import Refused
from formats.facts import Result
from formats.graph import BYE, Bracket, EntryId, EntrySource, Fixture, Round, Source
from formats.progress import Progress
from formats.states import FixtureState, FixtureStatus
from formats.tables.records import Records, RoundKind, RoundRecord

MIN_FIELD = 2


class LeaverRule(StrEnum):
    """How the matches of an entry that leaves count.

    HALF: if it played less than half of its matches, all its results are deleted; otherwise they stand and the other
    matches are lost by forfeit (FIDE Competition Rules, round robins). KEEP and DELETE always do one of the two.
    """

    HALF = "half"
    KEEP = "keep"
    DELETE = "delete"


class Unplayed(StrEnum):
    """How a match counts that has not been played when a league ends.

    NOTHING: no points for either side; HALF: half a win for both; RULING: a director decides each match.
    """

    NOTHING = "nothing"
    HALF = "half"
    RULING = "ruling"


@dataclass(frozen=True, slots=True)
class Scoring:
    """The table points of a match, such as 1 and 0 or 3 and 1 for winner and loser.

    Both get `draw` if a settled match has no winner; None means half of `win`. Both get `unplayed` if neither appeared.
    """

    win: float = 1.0
    loss: float = 0.0
    draw: float | None = None
    unplayed: float = 0.0

    @property
    def half(self) -> float:
        """The points of each side if nobody won."""
        return self.win / 2 if self.draw is None else self.draw


STANDARD = Scoring()
"""1 point for a win, 0 for a loss."""


def berger(entries: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the Berger table: rounds of pairs of numbers 1 to n, or to n + 1 for an odd n, where n + 1 is the bye.

    Source: FIDE Handbook C.05, annex 1.

    >>> berger(4)
    (((1, 4), (2, 3)), ((4, 3), (1, 2)), ((2, 4), (3, 1)))
    """
    size = entries + entries % 2
    circle = size - 1
    rounds: list[tuple[tuple[int, int], ...]] = []
    for number in range(circle):
        head = number * (size // 2) % circle
        fixed = (head + 1, size) if number % 2 == 0 else (size, head + 1)
        others = (((head + k) % circle + 1, (head - k) % circle + 1) for k in range(1, size // 2))
        rounds.append((fixed, *others))
    return tuple(rounds)


def round_robin(entries: Sequence[EntryId], *, key: str, double: bool = False, first_number: int = 1) -> Bracket:
    """Return the bracket of a round robin in Berger order; the second half of a double one reverses every pair.

    In an odd field each entry has one bye in each half. Raises Refused("field_too_small") or ("entry_twice").
    """
    if len(set(entries)) != len(entries):
        raise Refused("entry_twice", entry=max(entries, key=list(entries).count))
    return round_robin_of([EntrySource(entry) for entry in entries], key=key, double=double, first_number=first_number)


def round_robin_of(members: Sequence[Source], *, key: str, double: bool = False, first_number: int = 1) -> Bracket:
    """Like `round_robin`, with any sources, such as places of an earlier stage. Raises Refused("field_too_small")."""
    if len(members) < MIN_FIELD:
        raise Refused("field_too_small", entries=len(members), least=MIN_FIELD)
    sources = [*members, BYE] if len(members) % 2 else list(members)
    table = berger(len(members))
    reversed_table = tuple(tuple((b, a) for a, b in pairs) for pairs in table) if double else ()
    rounds: list[Round] = []
    number = first_number
    for pairs in (*table, *reversed_table):
        fixtures = tuple(Fixture(number + at, (sources[a - 1], sources[b - 1])) for at, (a, b) in enumerate(pairs))
        number += len(fixtures)
        rounds.append(Round(len(rounds) + 1, fixtures))
    return Bracket(key, tuple(rounds))


def table(
    state: Progress,
    key: str,
    *,
    length: int = 0,
    scoring: Scoring = STANDARD,
    withdrawn: Collection[EntryId] = (),
    rule: LeaverRule = LeaverRule.HALF,
    lots_seed: bytes | None = None,
) -> Records:
    """Return the records of a round robin for `tiebreaks.standings`; unfinished matches are left out.

    `length` is the match length, which points won minus lost need. Byes count nothing, because everybody has one.
    """
    fixtures = [state.fixtures[fixture.number] for fixture in state.graph.bracket(key).fixtures]
    deleted = frozenset(entry for entry in withdrawn if _deleted(entry, fixtures, rule))
    games: dict[EntryId, list[RoundRecord]] = {}
    for fixture in fixtures:
        pair = [slot.entrant for slot in fixture.slots]
        for side, entry in enumerate(pair):
            if entry is None:
                continue
            row = games.setdefault(entry, [])
            opponent = pair[1 - side]
            if opponent is not None and fixture.over and not deleted & {entry, opponent}:
                row.append(_game(fixture, side, opponent, length, scoring))
    return Records(games, win=scoring.win, scheduled=True, lots_seed=lots_seed)


def _deleted(entry: EntryId, fixtures: Sequence[FixtureState], rule: LeaverRule) -> bool:
    if rule is not LeaverRule.HALF:
        return rule is LeaverRule.DELETE
    own = [f for f in fixtures if any(entry in (slot.entry, slot.absent) for slot in f.slots)]
    matches = [f for f in own if f.status is not FixtureStatus.BYE and f.status is not FixtureStatus.EMPTY]
    played = sum(f.result is not None and "forfeit" not in f.result.kind for f in matches if f.over)
    return 2 * played < len(matches)


def _game(fixture: FixtureState, side: int, opponent: EntryId, length: int, scoring: Scoring) -> RoundRecord:
    result = fixture.result
    if result is None:
        points = scoring.win if fixture.winner.entry == fixture.slots[side].entry is not None else 0.0
        return RoundRecord(RoundKind.FORFEIT, points, opponent)
    if "forfeit" in result.kind:
        points = scoring.unplayed if result.winner is None else scoring.win if result.winner == side else 0.0
        return RoundRecord(RoundKind.FORFEIT, points, opponent)
    won, lost = _score(result, side)
    return RoundRecord(RoundKind.PLAYED, _points(result, side, scoring), opponent, won, lost, length)


def _points(result: Result, side: int, scoring: Scoring) -> float:
    if result.winner is None:
        return scoring.half
    return scoring.win if result.winner == side else scoring.loss


def _score(result: Result, side: int) -> tuple[int, int]:
    if result.score is None:
        return 0, 0
    return result.score[side], result.score[1 - side]
