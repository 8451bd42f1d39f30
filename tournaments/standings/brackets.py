"""The brackets of a division, for its page and for the API, from the same rows."""

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from core.languages import ordinal
from formats.elimination import knockout
from formats.elimination.places import FIRST_PLACES
from formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER, MAIN
from formats.plans import ROUNDS, TABLE
from formats.settings import DOUBLE, ELIMINATION, KNOCKOUT, PLACES
from matches.lifecycle.where import Where
from matches.models import Match, Result
from matches.play.watching import where_of
from matches.presentation.labels import shown_score
from matches.presentation.visibility import NOBODY
from tournaments.models import Advance, Division, Draw, Fixture, Round, Slot
from tournaments.state.figures import Counted, MatchFigures, counted
from tournaments.state.names import Names

# The layout of a bracket page: trees, sections, columns, boxes, lines. Filled in by `selectors.brackets`.


MAX_PLACES_IN_ONE_PIECE = 64
"""Places of the first round up to which a bracket is shown in one piece."""
PLACES_PER_SECTION = 32
MERGE, STRAIGHT, CURVES = "merge", "straight", "curves"
QUARTERS, SEMIS = 4, 2
LETTERED = (CONSOLATION, LAST_CHANCE, LOWER)
"""Brackets whose rounds are named by a letter and a number."""


@dataclass(slots=True)
class BoxSide:
    """One side of a box; `kind` is "entry", "bye", "walkover", "to_be_decided", or "nobody" if no match is needed."""

    kind: str
    text: str
    entry: int | None = None
    player: str = ""
    """Public id of the player; empty if there is none."""
    seed: int | None = None
    score: int | None = None
    won: bool = False
    lost: bool = False
    here: bool = False
    """Whether this is the player that the user searched for."""
    late: bool = False
    """Whether the player entered after the draw."""
    onward: bool = False
    """Whether the player advances without having won, after a correction that kept the bracket."""


@dataclass(slots=True)
class FixtureBox:
    number: int
    status: str
    lines: tuple[BoxSide, BoxSide]
    counted: Counted = Counted.NO_MATCH
    fixture: str = ""
    match: str = ""
    """Public ids of fixture and match; empty if there is none."""
    mark: str = ""
    """"live", "claimed", "disputed", or empty."""
    where: str = ""
    """Where the match is, in a few words; empty before it is called, and once it is over."""
    note: str = ""
    """A note beside the number, such as “forfeit”."""
    start: str = ""
    """The score at which it begins, such as “from 2–0”; empty for 0–0."""
    winner_to: int | None = None
    loser_to: int | None = None
    winner_side: int = 0
    """The side that the winner takes in the next match."""
    winner_draw: str = ""
    """The round in whose draw the winner takes part; empty if the next match is known."""
    loser_draw: str = ""
    far: bool = False
    """Whether no line leads to the winner's next match, so that it is named in words."""
    due_at: datetime | None = None
    """Set only if it differs from the round's."""
    path: bool = False
    can_enter: bool = False
    seq: int = 0


@dataclass(slots=True)
class RoundColumn:
    name: str
    length: int
    boxes: list[FixtureBox]
    deadline: datetime | None = None
    words: str = ""
    """Its name in words if `name` is only a letter and a number."""
    by_lot: str = ""
    """Says that some or all of its lines are still to be drawn; empty if none is."""
    joins: str = ""
    """How lines lead to the next column: MERGE (two into one), STRAIGHT (one to one), CURVES, or none."""
    links: tuple[tuple[float, float], ...] = ()
    """Curves as (from, to), in percent of the height."""

    @property
    def done(self) -> int:
        """Number of boxes with nothing left to play."""
        return sum(box.status not in ("waiting", "ready") for box in self.boxes)


@dataclass(slots=True)
class BracketSection:
    """Columns that are shown together."""

    key: str
    title: str
    columns: list[RoundColumn]
    open: bool = True
    shown: bool = True
    """Whether its boxes are in the page; very large brackets load sections one at a time."""
    has_anchor: bool = False
    """Whether links to what is played now lead to its current round."""

    @property
    def boxes(self) -> list[FixtureBox]:
        return [box for column in self.columns for box in column.boxes]

    @property
    def matches(self) -> MatchFigures:
        return MatchFigures.of(box.counted for box in self.boxes)

    @property
    def live(self) -> int:
        """Number of matches being played."""
        return sum(box.mark == "live" for box in self.boxes)

    @property
    def current(self) -> int:
        """The number of the round being played, counted from 1; 0 once nothing is left to play.

        It is the first with a match in play or reported or, without one, the first that is not over.
        """
        live = (number for number, column in enumerate(self.columns, 1) if any(box.mark for box in column.boxes))
        unfinished = (number for number, column in enumerate(self.columns, 1) if column.done < len(column.boxes))
        return next(live, 0) or next(unfinished, 0)


@dataclass(slots=True)
class Tree:
    """A bracket on the page; `key` is unique in the page."""

    key: str
    title: str
    sections: list[BracketSection] = field(default_factory=list)
    stage: int = 1
    champion: str = ""
    legend: str = ""
    """What the letters of its rounds mean; empty if they have names."""

    @property
    def boxes(self) -> list[FixtureBox]:
        return [box for section in self.sections for box in section.boxes]

    @property
    def live(self) -> int:
        """Number of matches being played."""
        return sum(section.live for section in self.sections)

    @property
    def whole(self) -> bool:
        """Whether the bracket is shown in one piece."""
        return len(self.sections) == 1


def bracket_name(key: str, *, upper: bool = False) -> str:
    """Return the name of a bracket; `upper` is set for the main draw of a double elimination."""
    names: Mapping[str, str] = {
        MAIN: _("Upper bracket") if upper else _("Main draw"),
        CONSOLATION: _("Progressive consolation"),
        LAST_CHANCE: _("Last chance"),
        LOWER: _("Lower bracket"),
        FINAL: pgettext("bracket", "Final"),
        TABLE: _("Round robin"),
        ROUNDS: _("Rounds"),
    }
    if key in FIRST_PLACES:
        return _("Places from %(first)d") % {"first": FIRST_PLACES[key]}
    return names.get(key) or _("Group %(name)s") % {"name": key}


def ranking_name(key: str, *, whole: bool = False) -> str:
    """Return the title of a bracket's places; a double elimination lists all of its places under its final.

    With `whole`, the main bracket lists all places of a stage.
    """
    if whole and key == MAIN:
        return _("Final order")
    return _("Double elimination") if key == FINAL else bracket_name(key)


def places_name(key: str) -> str:
    """Return the title of the places of a bracket or table where no match is shown."""
    return _("Standings") if key == ROUNDS else ranking_name(key)


def round_name(
    key: str, number: int, fixtures: int, rounds: int, *, upper: bool = False, starts: int = 0, byes: int = 0
) -> str:
    """Return the name of a round: by the entrants left in a main draw, by its number or its places elsewhere.

    The last round of an `upper` bracket is not the final: its winner still has to meet the lower bracket's winner.
    Players join in the last `starts` rounds; those before them are qualifying rounds if they are smaller than usual.
    `byes` of its fixtures have one.
    """
    if key == FINAL:
        return pgettext("round", "Final") if number == 1 else _("Second final")
    if key in LETTERED:
        letter = key[0].upper()
        return _("%(letter)s final") % {"letter": letter} if number == rounds else f"{letter}{number}"
    if key in (TABLE, ROUNDS):
        return _("Round %(number)s") % {"number": number}
    if key in FIRST_PLACES:
        first = FIRST_PLACES[key]
        return _("Places %(first)d–%(last)d") % {"first": first, "last": first + 2 * fixtures - byes - 1}
    if key != MAIN:
        return f"{key}{number}"
    qualifying = rounds - starts if starts else 0
    if number <= qualifying and fixtures < 2 ** (rounds - number):
        return _("Qualifying round %(number)d") % {"number": number} if qualifying > 1 else _("Qualifying round")
    # With later starts a round has fewer fixtures than its name says.
    fixtures = max(fixtures, 2 ** (rounds - number))
    if fixtures == 1:
        return _("Upper final") if upper else pgettext("round", "Final")
    if fixtures == SEMIS:
        return _("Upper semi-finals") if upper else _("Semi-finals")
    if fixtures == QUARTERS:
        return _("Upper quarter-finals") if upper else _("Quarter-finals")
    return _("Round of %(count)d") % {"count": 2 * fixtures}


def round_in_words(
    key: str, number: int, fixtures: int, rounds: int, *, upper: bool = False, starts: int = 0, byes: int = 0
) -> str:
    """Return the name of a round as those understand it who do not know the letters of brackets."""
    if key not in LETTERED:
        return round_name(key, number, fixtures, rounds, upper=upper, starts=starts, byes=byes)
    if number == rounds:
        finals = {CONSOLATION: _("Consolation final"), LAST_CHANCE: _("Last-chance final"), LOWER: _("Lower final")}
        return finals[key]
    title = _("Consolation") if key == CONSOLATION else bracket_name(key)
    return _("%(title)s, round %(number)d") % {"title": title, "number": number}


def legend_of(key: str, rounds: int) -> str:
    """Return what the letters of a bracket's rounds mean; empty for a bracket whose rounds have names."""
    legends: Mapping[str, str] = {
        CONSOLATION: _(
            "C1 is the first round of the consolation, which players enter when they lose in the main draw."
        ),
        LAST_CHANCE: _(
            "L1 is the first round of the last chance, which players enter when they lose in the consolation."
        ),
        LOWER: _(
            "L1 is the first round of the lower bracket, which players enter when they lose in the upper bracket."
        ),
    }
    return legends.get(key, "") if rounds > 1 else ""


def place_name(stage: str, place: int) -> str:
    """Return the name of a place in an earlier stage (`1`) or group (`1:A`)."""
    _number, _colon, group = stage.partition(":")
    if group:
        return _("%(place)s of group %(name)s") % {"place": ordinal(place), "name": group}
    return _("%(place)s of stage %(number)s") % {"place": ordinal(place), "number": stage}


def connect(columns: Sequence[RoundColumn]) -> list[RoundColumn]:
    """Set on each column how lines lead to the next one, and return the columns."""
    for column, following in itertools.pairwise([*columns, RoundColumn("", 0, [])]):
        targets = [box.winner_to for box in column.boxes]
        numbers = [box.number for box in following.boxes]
        if targets and targets == [number for number in numbers for _twice in range(2)]:
            column.joins = MERGE
        elif targets and targets == numbers:
            column.joins = STRAIGHT
        elif set(targets) & set(numbers):
            column.joins = CURVES
            column.links = tuple(
                (_height(row, len(targets)), _height(numbers.index(target), len(numbers)))
                for row, target in enumerate(targets)
                if target in numbers
            )
        for box in column.boxes:
            box.far = box.winner_to is not None and box.winner_to not in numbers
    return list(columns)


def uncross(columns: Sequence[RoundColumn]) -> list[RoundColumn]:
    """Return the columns with their boxes ordered so that no two lines to the next column cross.

    Every winner goes to one box, so a bracket is a tree, and each column can follow the order of the next one. A box
    without a line to the next column keeps roughly its height.
    """
    ordered = list(columns)
    for index in reversed(range(len(ordered) - 1)):
        boxes, following = ordered[index].boxes, [box.number for box in ordered[index + 1].boxes]
        places = {number: place for place, number in enumerate(following)}
        ranks = {
            box.number: (
                places.get(box.winner_to or 0, (row + 0.5) * len(following) / len(boxes) - 0.5),
                box.winner_side,
                row,
            )
            for row, box in enumerate(boxes)
        }
        ordered[index] = replace(ordered[index], boxes=sorted(boxes, key=lambda box: ranks[box.number]))
    return ordered


def _height(row: int, count: int) -> float:
    """Return the middle of a box in percent, where `count` boxes share the height of a column."""
    return round(100 * (row + 0.5) / count, 1)


def tree(key: str, columns: Sequence[RoundColumn], *, name: str = "", title: str = "", by_seats: bool = True) -> Tree:
    """Return a bracket in one piece, or in sections of 32 places and a last one with what follows them.

    `name` is used in URLs, `title` on the page; by default both come from the key. Sections of a main bracket are named
    `by_seats`, the places of its first round, unless its rounds are named by the places that they decide.
    """
    name, columns = name or key, uncross(columns)
    bracket = Tree(name, title or bracket_name(key))
    widest = max((len(column.boxes) for column in columns), default=0)
    parts = -(-2 * widest // PLACES_PER_SECTION)
    shared = list(itertools.takewhile(lambda column: len(column.boxes) >= parts, columns))
    if 2 * widest <= MAX_PLACES_IN_ONE_PIECE or not shared:
        bracket.sections = [BracketSection(f"{name}-1", "", connect(columns))]
        return bracket
    for index in range(parts):
        part = [replace(column, boxes=_part(column.boxes, index, parts)) for column in shared]
        bracket.sections.append(
            BracketSection(
                f"{name}-{index + 1}", _part_title(key if by_seats else "", part, index, parts), connect(part)
            )
        )
    rest = list(columns[len(shared) :])
    if rest:
        bracket.sections.append(BracketSection(f"{name}-final", _("To the final"), connect(rest)))
    return bracket


def _part(boxes: Sequence[FixtureBox], index: int, parts: int) -> list[FixtureBox]:
    """Return the boxes of a round in one of `parts` equal sections."""
    return list(boxes[index * len(boxes) // parts : (index + 1) * len(boxes) // parts])


def _part_title(key: str, part: Sequence[RoundColumn], index: int, parts: int) -> str:
    if key != MAIN:
        return _("Part %(number)d of %(count)d") % {"number": index + 1, "count": parts}
    size = 2 * len(part[0].boxes)
    return _("Places %(first)d–%(last)d") % {"first": index * size + 1, "last": (index + 1) * size}


MAX_BOXES = 400
"""Boxes up to which a page contains the closed sections too; above it they are loaded one by one."""
MAX_BOXES_AT_ALL = 1100
"""Boxes up to which all sections can be shown open at once."""


GOING_ON = (Match.State.OPEN, Match.State.LIVE, Match.State.CLAIMED, Match.State.DISPUTED)
SLOT = (
    "source", "source_fixture", "status", "entry", "absent", "source_entry", "source_stage", "source_place",
)  # fmt: skip
FIXTURE = ("pk", "round", "number", "status", "public_id", "due_at", "needed_if_fixture")
MATCH = (
    "match", "match__public_id", "match__state", "match__begun_at", "match__seq", "match__finished_at",
    "match__length", "match__club", "match__visibility", "match__player_0", "match__player_1", "match__provisional",
    "match__start_0", "match__start_1",
)  # fmt: skip


class SlotRow(NamedTuple):
    source: str
    source_fixture: int | None
    status: str
    entry: int | None
    absent: int | None
    source_entry: int | None = None
    source_stage: str = ""
    source_place: int | None = None

    @property
    def entrant(self) -> int | None:
        """The entry here, or the one that is absent."""
        return self.entry if self.entry is not None else self.absent


class PlayedMatch(NamedTuple):
    """The match of a fixture, where it is, and its standing result."""

    pk: int = 0
    public_id: str = ""
    state: str = ""
    begun_at: datetime | None = None
    seq: int = 0
    finished_at: datetime | None = None
    length: int = 0
    club_id: int | None = None
    visibility: str = ""
    player_0_id: int = 0
    player_1_id: int = 0
    provisional: bool = False
    start_0: int = 0
    start_1: int = 0
    winner: int | None = None
    score: tuple[int, int] | None = None
    kind: str = ""
    kept: bool = False
    """Whether the bracket was kept when this result was corrected."""
    kept_side: int | None = None
    """The side that advances in that case; None: nobody."""
    where: Where | None = None
    """Where it is, as spectators see it; None without a match and once it is over."""

    @property
    def onward(self) -> int | None:
        """The side that advances; None: nobody."""
        return self.kept_side if self.kept else self.winner


@dataclass(slots=True)
class FixtureRow:
    number: int
    status: str
    slots: tuple[SlotRow, SlotRow]
    public_id: str = ""
    played: PlayedMatch = field(default_factory=PlayedMatch)
    due_at: datetime | None = None
    conditional: bool = False
    """Whether it is played only after a certain result of another fixture."""

    @property
    def counted(self) -> Counted:
        has_bye = any(slot.status == Slot.Status.BYE for slot in self.slots)
        return counted(self.status, result=self.played.kind, conditional=self.conditional, has_bye=has_bye)


@dataclass(slots=True)
class RoundRow:
    bracket: str
    number: int
    length: int
    deadline: datetime | None
    fixtures: list[FixtureRow]
    stage: int = 1
    format: str = KNOCKOUT
    entrants: Sequence[tuple[str, int]] = ()
    """The entrants of the lines drawn by lot: winner or loser, and the number of the fixture they come from."""
    starts: int = 0
    """In how many of the last rounds players start later than the others."""

    @property
    def upper(self) -> bool:
        """Whether the stage is a double elimination, whose main draw is the upper bracket."""
        return self.format == DOUBLE

    @property
    def to_be_drawn(self) -> bool:
        """Whether lines of it will be drawn by lot, once all their entrants are known."""
        return any(slot.source == Slot.Source.DRAWN for fixture in self.fixtures for slot in fixture.slots)

    @property
    def byes(self) -> int:
        return sum(slot.source == Slot.Source.BYE for fixture in self.fixtures for slot in fixture.slots)

    def name(self, rounds: int) -> str:
        """Return its name; its bracket has so many rounds."""
        return round_name(
            self.bracket, self.number, len(self.fixtures), rounds, upper=self.upper, starts=self.starts, byes=self.byes
        )

    @property
    def wholly_drawn(self) -> bool:
        """Whether all of its lines are drawn by lot, and not only some."""
        return len(self.entrants) == 2 * len(self.fixtures) - self.byes

    @property
    def by_lot(self) -> str:
        """Says that some or all of its lines are still to be drawn; empty if none is."""
        if not self.to_be_drawn:
            return ""
        return _("by lot") if self.wholly_drawn else _("some lines by lot")


def rounds_of(division: Division) -> list[RoundRow]:
    """Return all rounds of a division with fixtures, standing results and where the matches are, by stage.

    It is where spectators see them, whoever reads it: a bracket may be shown to a whole room. Four queries, one while a
    match is open, and a few if matches are being played here or the floor is open.
    """
    # With their slots in one query: a pairing may be added or undone meanwhile.
    rows = Fixture.objects.filter(stage__division=division).order_by("number", "pk", "slots__side")
    both_sides = list(rows.values_list(*FIXTURE, *MATCH, *(f"slots__{name}" for name in SLOT)))
    fixtures, slots = both_sides[::2], [SlotRow(*row[-len(SLOT) :]) for row in both_sides]
    sides = zip(slots[::2], slots[1::2], strict=True)
    by_round: dict[int, list[FixtureRow]] = {}
    results = _standing_results(division)
    played = {row[0]: PlayedMatch(*row[len(FIXTURE) : -len(SLOT)]) for row in fixtures if row[len(FIXTURE)] is not None}
    where = where_of([match for match in played.values() if match.state in GOING_ON], NOBODY, timezone.now())
    for (pk, round_, number, status, public_id, due_at, condition, *_match), both in zip(fixtures, sides, strict=True):
        row = FixtureRow(number, status, both, public_id, due_at=due_at, conditional=condition is not None)
        if pk in played:
            match = played[pk]
            row.played = match._replace(where=where.get(match.pk), **results.get(match.pk, {}))
        by_round.setdefault(round_, []).append(row)
    rounds = Round.objects.filter(bracket__stage__division=division).select_related("bracket__stage")
    return [
        RoundRow(
            row.bracket.key,
            row.number,
            row.length,
            row.deadline,
            by_round.get(row.pk, []),
            row.bracket.stage.number,
            row.bracket.stage.format,
            row.entrants,
            len(row.bracket.stage.settings.get("starts") or ()),
        )
        for row in rounds.order_by("bracket__stage__number", "bracket__order", "number")
    ]


def _standing_results(division: Division) -> dict[int, dict[str, Any]]:
    """Return match id -> its standing result, as fields of `PlayedMatch`."""
    kept = dict(Advance.objects.filter(fixture__stage__division=division).values_list("result", "side"))
    standing = {}
    for match, pk, winner, first, second, kind in (
        Result.objects.filter(match__parent_topic=division.topic)
        .order_by("version")
        .values_list("match", "pk", "winner", "score_0", "score_1", "kind")
    ):
        score = None if first is None or second is None else (first, second)
        standing[match] = {
            "winner": winner, "score": score, "kind": kind, "kept": pk in kept, "kept_side": kept.get(pk),
        }  # fmt: skip
    return {match: result for match, result in standing.items() if result["kind"] != Result.Kind.VOID}


def seeds_of(draw: Draw | None, division: Division) -> dict[int, int]:
    """Return entry id -> seed, if the draw of an elimination was seeded."""
    if draw is None or division.draw_method == Division.DrawMethod.RANDOM:
        return {}
    if draw.stage.format not in ELIMINATION or not draw.places:
        return {}
    entries = [entry for entry in draw.places if entry is not None]
    order = knockout.inner_outer(knockout.bracket_size(len(draw.places)))
    if draw.stage.format == PLACES:
        taken = sorted(zip([place for place in order if place <= len(entries)], entries, strict=True))
    else:
        taken = sorted((place, entry) for place, entry in zip(order, draw.places, strict=True) if entry is not None)
    return {entry: seed for seed, (_place, entry) in enumerate(taken, start=1)}


@dataclass(frozen=True, slots=True)
class BracketOptions:
    """How a user sees a bracket: names, seeds, the player whose path is marked, and whether they may enter results."""

    names: Names
    seeds: Mapping[int, int] = field(default_factory=dict)
    late: Collection[int] = ()
    """Entries made after the draw."""
    highlight: int | None = None
    can_enter: bool = False


def trees(rounds: Sequence[RoundRow], options: BracketOptions) -> list[Tree]:
    """Return the brackets as laid out on the page, by stage."""
    to_winner, to_loser = targets(rounds)
    sides, draws = _sides(rounds), _awaited_draws(rounds)
    brackets: dict[tuple[int, str], list[RoundRow]] = {}
    for row in rounds:
        brackets.setdefault((row.stage, row.bracket), []).append(row)
    laid_out = []
    for (stage, key), own in brackets.items():
        columns = []
        for row in own:
            boxes = [box_of(fixture, row, options) for fixture in row.fixtures]
            for box in boxes:
                box.winner_to, box.loser_to = to_winner.get(box.number), to_loser.get(box.number)
                box.winner_side = sides.get(box.number, 0)
                box.winner_draw = draws.get((Slot.Source.WINNER, box.number), "")
                box.loser_draw = draws.get((Slot.Source.LOSER, box.number), "")
            name = row.name(len(own))
            words = round_in_words(key, row.number, len(row.fixtures), len(own)) if key in LETTERED else ""
            columns.append(RoundColumn(name, row.length, boxes, row.deadline, words, by_lot=row.by_lot))
        upper = own[0].upper
        title = columns[0].name if key in FIRST_PLACES else bracket_name(key, upper=upper)
        bracket = tree(key, columns, name=tree_key(stage, key), title=title, by_seats=own[0].format != PLACES)
        bracket.stage, bracket.legend = stage, legend_of(key, len(own))
        laid_out.append(bracket)
    return laid_out


def tree_key(stage: int, bracket: str) -> str:
    """Return the key of a bracket in URLs, unique in the division; stages may share bracket keys."""
    return bracket if stage == 1 else f"{bracket}-s{stage}"


def targets(rounds: Iterable[RoundRow]) -> tuple[dict[int, int], dict[int, int]]:
    """Return fixture number -> next fixture, of winners and of losers."""
    winners: dict[int, int] = {}
    losers: dict[int, int] = {}
    for row in rounds:
        for fixture in row.fixtures:
            for slot in fixture.slots:
                if slot.source_fixture is not None:
                    target = winners if slot.source == Slot.Source.WINNER else losers
                    target.setdefault(slot.source_fixture, fixture.number)
    return winners, losers


def _sides(rounds: Iterable[RoundRow]) -> dict[int, int]:
    """Return fixture number -> the side that its winner takes in the next match."""
    return {
        slot.source_fixture: side
        for row in rounds
        for fixture in row.fixtures
        for side, slot in enumerate(fixture.slots)
        if slot.source == Slot.Source.WINNER and slot.source_fixture is not None
    }


def _awaited_draws(rounds: Sequence[RoundRow]) -> dict[tuple[str, int], str]:
    """Return (winner or loser, fixture number) -> the name of the round they will be drawn into."""
    last = {(row.stage, row.bracket): row.number for row in rounds}
    return {
        (kind, fixture): row.name(last[row.stage, row.bracket])
        for row in rounds
        if row.to_be_drawn
        for kind, fixture in row.entrants
    }


def box_of(row: FixtureRow, round_: RoundRow, options: BracketOptions) -> FixtureBox:
    first, second = (_line(slot, side, row, round_, options) for side, slot in enumerate(row.slots))
    ready = row.status == Fixture.Status.READY
    where = row.played.where if ready else None
    return FixtureBox(
        number=row.number,
        status=row.status,
        counted=row.counted,
        lines=(first, second),
        fixture=row.public_id,
        match=row.played.public_id,
        mark=where.mark if where is not None else "",
        where=where.label if where is not None and not where.is_to_come else "",
        note=_note(row, round_),
        start=_start(row.played),
        due_at=row.due_at if ready and row.due_at != round_.deadline else None,
        path=first.here or second.here,
        can_enter=options.can_enter and bool(row.played.public_id),
        seq=row.played.seq if options.can_enter else 0,
    )


def _start(played: PlayedMatch) -> str:
    """Return the score at which a match begins; empty if that is 0–0."""
    score = {"left": played.start_0, "right": played.start_1}
    return _("from %(left)d–%(right)d") % score if any(score.values()) else ""


def _note(row: FixtureRow, round_: RoundRow) -> str:
    """Return how the match ended, unless it was simply played, or whether it will be needed."""
    if row.status == Fixture.Status.NOT_NEEDED:
        return _("not needed")
    if row.status == Fixture.Status.EMPTY and row.played.kind != Result.Kind.DOUBLE_FORFEIT:
        return _("empty")
    if row.conditional and round_.bracket == FINAL and row.status == Fixture.Status.WAITING:
        return _("if needed")
    if row.status == Fixture.Status.WALKOVER:
        return str(Result.Kind.WALKOVER.label)
    if row.status == Fixture.Status.DECIDED and row.played.kept and row.played.onward != row.played.winner:
        return _("corrected, bracket kept")
    if row.played.provisional:
        return str(Result.Finality.PROVISIONAL.label)
    if row.status in (Fixture.Status.DECIDED, Fixture.Status.EMPTY) and row.played.kind not in ("", "played"):
        return str(Result.Kind(row.played.kind).label)
    return ""


def _line(slot: SlotRow, side: int, row: FixtureRow, round_: RoundRow, options: BracketOptions) -> BoxSide:
    entrant = slot.entrant
    entry = options.names.entries.get(entrant) if entrant is not None else None
    if row.status == Fixture.Status.NOT_NEEDED:
        return BoxSide("nobody", "–")
    here = entrant is not None and entrant == options.highlight
    line = BoxSide(slot.status, _text(slot, row, round_, options.names), entry=entrant, here=here)
    if entry is not None:
        line.player = entry.player.public_id
        line.seed = options.seeds.get(entry.pk)
        line.late = slot.source == Slot.Source.ENTRY and entry.pk in options.late
    if row.status in (Fixture.Status.DECIDED, Fixture.Status.WALKOVER):
        _set_result(line, side, slot, row, round_.length)
    elif row.played.where is not None and row.played.where.score is not None:
        line.score = row.played.where.score[side]
    return line


def _set_result(line: BoxSide, side: int, slot: SlotRow, row: FixtureRow, length: int) -> None:
    if row.status == Fixture.Status.WALKOVER:
        # There is no match if nobody could come from the other side.
        line.won = slot.entry is not None
    else:
        line.won = row.played.winner == side
        line.score = shown_score(length, row.played.score)[side] if row.played.score else None
        line.onward = not line.won and row.played.onward == side
    line.lost = line.entry is not None and not line.won
    if line.lost and row.played.kind == Result.Kind.WALKOVER:
        line.kind = Slot.Status.WALKOVER.value


def _text(slot: SlotRow, row: FixtureRow, round_: RoundRow, names: Names) -> str:
    if slot.entry is not None:
        return names.of(slot.entry)
    if slot.status == Slot.Status.BYE:
        return _("Bye")
    if slot.status == Slot.Status.WALKOVER:
        return names.of(slot.absent) or _("Nobody")
    if slot.source == Slot.Source.WINNER:
        return _("Winner of M%(number)s") % {"number": slot.source_fixture or 0}
    if slot.source == Slot.Source.LOSER:
        return _("Loser of M%(number)s") % {"number": slot.source_fixture or 0}
    if slot.source == Slot.Source.DRAWN:
        return _by_lot(row, round_)
    if slot.source == Slot.Source.PLACE:
        return place_name(slot.source_stage, slot.source_place or 0)
    return _("To be decided")


def _by_lot(row: FixtureRow, round_: RoundRow) -> str:
    """Return the text of a line that is still to be drawn, so that it can be drawn on paper, too."""
    has_bye = any(slot.source == Slot.Source.BYE for slot in row.slots)
    label = _("Bye by lot") if has_bye else _("By lot")
    if round_.wholly_drawn:
        return label
    lines = ", ".join(
        (_("W%(number)d") if kind == Slot.Source.WINNER else _("L%(number)d")) % {"number": number}
        for kind, number in round_.entrants
    )
    return f"{label}: {lines}"


def open_sections(brackets: Sequence[Tree], selected: str) -> None:
    """Open the selected section, else those on the marked path, else the first and the last that has begun.

    `selected` is the key of a section or "all".
    """
    boxes = sum(len(bracket.boxes) for bracket in brackets)
    everything = selected == "all" and boxes <= MAX_BOXES_AT_ALL
    for bracket in brackets:
        if bracket.whole:
            continue
        chosen = _sections_to_open(bracket.sections, selected)
        for section in bracket.sections:
            section.open = everything or section.key in chosen
            section.shown = section.open or boxes <= MAX_BOXES
    in_play = [section for bracket in brackets for section in bracket.sections if section.open and section.current]
    for section in in_play[:1]:
        section.has_anchor = True


def _sections_to_open(sections: Sequence[BracketSection], selected: str) -> set[str]:
    named = {section.key for section in sections if section.key == selected}
    on_path = {section.key for section in sections if any(box.path for box in section.boxes)}
    last = {sections[-1].key} if sections[-1].live or sections[-1].matches.decided else set()
    return named or on_path or {sections[0].key} | last
