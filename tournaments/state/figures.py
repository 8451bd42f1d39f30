"""How many entries, players, matches and rounds: the figures of an event, and of its divisions, brackets and rounds.

Pages, prints and the API take them from here, so that they agree. The glossary says what each of them counts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from formats.settings import BY_ROUND, SWISS
from matches.models import Match, Result
from players.people.rows import PersonId, people_of_rows, side_columns, side_of
from tournaments.models import Division, Entry, Fixture, FloorEvent, FloorKind, Round, Slot, Stage, Withdrawal
from tournaments.state.plans import settings_of
from tournaments.state.stage_rows import UNPLAYED


class Counted(Enum):
    NO_MATCH = "no match"
    OPEN = "open"
    PLAYED = "played"
    WALKOVER = "walkover"
    """Decided without play: a walkover or a forfeit."""


def counted(status: str, *, result: str = "", conditional: bool = False, has_bye: bool = False) -> Counted:
    """Return what a fixture with this status counts as.

    `result` is the kind of its standing result. Byes are no matches, and neither is a `conditional` one until it is
    certain to be needed. `has_bye`: one of the slots is a bye, even if the other entrant is to be decided.
    """
    if status == Fixture.Status.WALKOVER or (status == Fixture.Status.EMPTY and result == Result.Kind.DOUBLE_FORFEIT):
        return Counted.WALKOVER
    if status == Fixture.Status.DECIDED:
        return Counted.WALKOVER if result in UNPLAYED else Counted.PLAYED
    if status == Fixture.Status.READY or (status == Fixture.Status.WAITING and not conditional and not has_bye):
        return Counted.OPEN
    return Counted.NO_MATCH


def is_to_come() -> Q:
    """Return the condition for fixtures that count as open matches, as `counted` has it."""
    byes = Slot.objects.filter(fixture=OuterRef("pk"), status=Slot.Status.BYE)
    waits = Q(status=Fixture.Status.WAITING, needed_if_fixture=None) & ~Q(Exists(byes))
    return Q(status=Fixture.Status.READY) | waits


def is_being_played() -> Q:
    """Return the condition for fixtures whose match goes on: it has begun, and is neither adjourned nor reported."""
    facts = FloorEvent.objects.filter(match=OuterRef("match"), undone_by=None)
    continued = facts.filter(kind=FloorKind.CONTINUED, pk__gt=OuterRef("pk"))
    adjourned = facts.filter(~Exists(continued), kind=FloorKind.ADJOURNED)
    goes_on = Q(match__begun_at__isnull=False, match__state__in=(Match.State.OPEN, Match.State.LIVE))
    return Q(status=Fixture.Status.READY) & goes_on & ~Q(Exists(adjourned))


@dataclass(frozen=True, slots=True)
class MatchFigures:
    """The matches of a division, a bracket or a round."""

    total: int | None
    """All matches, walkovers included; None if that depends on results."""
    played: int = 0
    walkovers: int = 0

    @classmethod
    def of(cls, fixtures: Iterable[Counted]) -> "MatchFigures":
        count = Counter(fixtures)
        played, walkovers = count[Counted.PLAYED], count[Counted.WALKOVER]
        return cls(count[Counted.OPEN] + played + walkovers, played, walkovers)

    @property
    def decided(self) -> int:
        return self.played + self.walkovers

    @property
    def is_over(self) -> bool:
        return self.total == self.decided

    def __add__(self, other: "MatchFigures") -> "MatchFigures":
        total = None if self.total is None or other.total is None else self.total + other.total
        return MatchFigures(total, self.played + other.played, self.walkovers + other.walkovers)


Side = tuple[PersonId, ...]


class Figures(NamedTuple):
    entries: int
    sides: frozenset[Side]
    """Who enters: the people of each entry; re-entries, and entries that were merged, are the same side."""
    entered: int
    """Entries that are not withdrawn."""
    waiting: int
    """Entries on the waiting list."""
    matches: MatchFigures

    @property
    def players(self) -> int:
        return len(set(chain.from_iterable(self.sides)))

    @property
    def pairs(self) -> int:
        return sum(len(side) > 1 for side in self.sides)


def takes_part() -> Q:
    """Return the condition for entries that count: those that are in, and those that withdrew after the draw."""
    withdrawn = Withdrawal.objects.filter(entry=OuterRef("pk"), bracket=None, taken_back_at=None)
    after_draw = Q(Exists(withdrawn), status=Entry.Status.OUT) & ~Q(division__status=Division.Status.ENTRIES)
    return Q(status=Entry.Status.IN) | after_draw


def figures_of(divisions: Sequence[Division]) -> dict[int, Figures]:
    """Return the figures of divisions by id, in three queries, or four if one of them is paired round by round."""
    keys = [division.pk for division in divisions]
    entries = Entry.objects.filter(takes_part() | Q(status=Entry.Status.WAITING), division__in=keys).order_by()
    rows: dict[int, list[tuple[str, Side]]] = {}
    for key, status, *player in entries.values_list("division", "status", *side_columns("player")):
        rows.setdefault(key, []).append((status, side_of(player)))
    matches = matches_by("stage__division", Fixture.objects.filter(stage__division__in=keys))
    paired = _paired(divisions)
    result = {}
    for division in divisions:
        own = rows.get(division.pk, [])
        to_be_paired = _to_be_paired(division, own, paired)
        result[division.pk] = _figures(own, matches.get(division.pk, MatchFigures(0)) + to_be_paired)
    return result


def figures_from(
    division: Division, entries: Iterable[Entry], fixtures: Iterable[Counted], paired: Mapping[int, int]
) -> Figures:
    """Return the figures of a division whose rows are loaded already.

    Takes one query if an entry is withdrawn, and one if there are pairs.
    `paired` is the number of rounds of each stage, by the number of the stage.
    """
    rows = list(entries)
    gone = [row.pk for row in rows if row.status == Entry.Status.OUT]
    counted_too = set(Entry.objects.filter(takes_part(), pk__in=gone).values_list("pk", flat=True)) if gone else set()
    people = people_of_rows(row.player for row in rows)
    sides = [
        (row.status, people[row.player_id]) for row in rows if row.status != Entry.Status.OUT or row.pk in counted_too
    ]
    to_be_paired = _to_be_paired(division, sides, {row.pk: paired.get(row.number, 0) for row in division.stages.all()})
    return _figures(sides, MatchFigures.of(fixtures) + to_be_paired)


def event_figures(divisions: Iterable[Figures]) -> Figures:
    """Return the figures of an event, given its divisions' figures; somebody in two of them is one player."""
    rows = list(divisions)
    return Figures(
        sum(row.entries for row in rows),
        frozenset[Side]().union(*(row.sides for row in rows)),
        sum(row.entered for row in rows),
        sum(row.waiting for row in rows),
        sum((row.matches for row in rows), MatchFigures(0)),
    )


def matches_by(key: str, fixtures: QuerySet[Fixture]) -> dict[Any, MatchFigures]:
    """Return the matches of fixtures, by the value of one of their fields; one query."""
    newest = Result.objects.filter(match=OuterRef("match")).order_by("-version").values("kind")[:1]
    bye = Slot.objects.filter(fixture=OuterRef("pk"), status=Slot.Status.BYE)
    rows = (
        fixtures.order_by()
        .annotate(result=Coalesce(Subquery(newest), Value("")), has_bye=Exists(bye), conditional=F("needed_if_fixture"))
        .values_list(key, "status", "result", "conditional", "has_bye")
        .annotate(number=Count("pk"))
    )
    by_key: dict[Any, list[Counted]] = {}
    for value, status, result, condition, has_bye, number in rows:
        kind = counted(status, result=result, conditional=condition is not None, has_bye=has_bye)
        by_key.setdefault(value, []).extend([kind] * number)
    return {value: MatchFigures.of(kinds) for value, kinds in by_key.items()}


def _figures(entries: Sequence[tuple[str, Side]], matches: MatchFigures) -> Figures:
    waiting = sum(status == Entry.Status.WAITING for status, _side in entries)
    return Figures(
        len(entries) - waiting,
        frozenset(tuple(sorted(side)) for status, side in entries if status != Entry.Status.WAITING),
        sum(status == Entry.Status.IN for status, _side in entries),
        waiting,
        matches,
    )


def _paired(divisions: Iterable[Division]) -> Counter[int]:
    """Return the number of rounds of the stages that are paired round by round, by stage; a query if there are any."""
    stages = [row for division in divisions for row in division.stages.all() if row.format in BY_ROUND]
    rounds = Round.objects.filter(bracket__stage__in=stages).values_list("bracket__stage", flat=True)
    return Counter(rounds if stages else ())


def _to_be_paired(division: Division, entries: Sequence[tuple[str, Side]], paired: Mapping[int, int]) -> MatchFigures:
    if division.status != Division.Status.RUNNING:
        return MatchFigures(0)
    left = sum(status == Entry.Status.IN for status, _side in entries)
    stages = [row for row in division.stages.all() if row.format in BY_ROUND]
    return sum((_unpaired(row, paired.get(row.pk, 0), left) for row in stages), MatchFigures(0))


def _unpaired(stage: Stage, paired: int, entrants: int) -> MatchFigures:
    """Return the matches of the rounds of a stage after the first `paired` ones, among this many entrants."""
    if stage.status == Stage.Status.FINISHED:
        return MatchFigures(0)
    settings = settings_of(stage)
    is_known = stage.format == SWISS and stage.status == Stage.Status.RUNNING and not settings.is_continuous
    rounds = settings.rounds if is_known else None
    return MatchFigures(None if rounds is None else max(0, rounds - paired) * (entrants // 2))
