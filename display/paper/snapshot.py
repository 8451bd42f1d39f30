"""The snapshot for continuing a night without the server: tables, queue, cards, brackets and money."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.formats import time_format
from django.utils.translation import gettext as _

from display.paper.brackets import SheetBracket, sheet_brackets
from display.paper.drawing import Area, PageDrawing, Sizes, drawing, least_height, pack
from display.paper.slips import FlowSheet, flow_sheets
from matches.presentation.labels import from_start
from prizes.prizes import prizes_for_staff
from tournaments.floor.selectors import FloorView, floor
from tournaments.floor.state import FloorMatchState, MatchFacts, MatchOnFloor, TableState
from tournaments.ledger.accounts import accounts_of, box_of
from tournaments.ledger.money import Currency
from tournaments.models import Division, Tournament
from tournaments.standings.brackets import rounds_of, targets

AREAS = {"a4": Area(190, 250), "letter": Area(196, 232)}
"""Of a portrait page below its head."""
HEAD_LINES = 3
"""Height of a title and a table head, in lines of the queue."""
LINE, TABLE_LINE = 6.6, 9.2
"""Millimetres of a match in the queue and at a table."""
DUES_HEAD, DUES_LINE = 9.0, 5.0
"""Millimetres of a title and a line of prizes, dues or the box."""
PRIZE_COLUMNS, DUES_COLUMNS = 2, 3
SIZES = Sizes(
    gutter=13,
    widest_column=40,
    title=6,
    head=4.6,
    smallest_pitch=3.5,
    largest_pitch=5.4,
    title_text=3.8,
    head_text=2.7,
    points_text=2.3,
    largest_name=2.9,
    largest_label=2.0,
    small=1.8,
    gap=3,
)


class SnapshotSide(NamedTuple):
    """A player of an open match, or where the player comes from."""

    text: str
    known: bool


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A match that is not over, and where its players go from it."""

    number: int
    where: str
    sides: tuple[SnapshotSide, SnapshotSide]
    then: tuple[str, ...]
    table: str = ""
    scores: tuple[str, str] = ("", "")
    since: str = ""
    waits_for: str = ""
    """Why it is not at a table, unless it only waits for a player."""


@dataclass(frozen=True, slots=True)
class Money:
    """What is to be paid: prizes as player, prize and amount, what players owe, and the cash that should be there."""

    prizes: Sequence[tuple[str, str, str]]
    owed: Sequence[tuple[str, str]]
    expected: str

    @property
    def height(self) -> float:
        """In millimetres."""
        lines = ((len(self.prizes), PRIZE_COLUMNS), (len(self.owed), DUES_COLUMNS))
        lists = sum(DUES_HEAD + DUES_LINE * -(-count // columns) for count, columns in lines if count)
        return lists + DUES_HEAD


@dataclass(slots=True)
class SnapshotPage:
    """One page: matches at tables and in the queue, cards or slips without rounds, or brackets; dues where they fit."""

    tables: list[OpenMatch] = field(default_factory=list)
    queue: list[OpenMatch] = field(default_factory=list)
    drawing: PageDrawing | None = None
    flow: FlowSheet | None = None
    money: Money | None = None
    number: int = 1
    queue_from: int = 1
    """The place in the queue of its first match there."""
    free: str = ""
    """The tables that are free, on the first page."""
    out: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.tables or self.queue or self.drawing or self.flow or self.money)


def snapshot(tournament: Tournament, now: datetime, paper: str) -> dict[str, Any]:
    """Return the pages of the snapshot for directors. Names are as everybody may see them.

    What is to be paid stands below the matches, else below the last brackets, else on a page of its own.
    """
    view = floor(tournament, now, staff=False)
    area, money = AREAS[paper], _money(tournament)
    pages, left = _match_pages(view, tournament, area, money.height if money is not None else 0)
    if money is not None and money.height <= left:
        pages[-1].money, money = money, None
    pages += [SnapshotPage(flow=sheet) for sheet in flow_sheets(view, paper)]
    packed = pack(_open_brackets(tournament), area, SIZES)
    for number, parts in enumerate(packed, start=1):
        page, room = SnapshotPage(), area
        if money is not None and number == len(packed) and least_height(parts, SIZES) + money.height <= area.height:
            room = Area(area.width, area.height - money.height)
            page.money, money = money, None
        page.drawing = drawing([replace(part, titled=True) for part in parts], room, SIZES)
        pages.append(page)
    if money is not None:
        pages.append(SnapshotPage(money=money))
    pages = [page for page in pages if not page.is_empty] or [SnapshotPage()]
    for number, page in enumerate(pages, start=1):
        page.number = number
        page.queue_from = 1 + sum(len(before.queue) for before in pages[: number - 1])
    pages[0].free = _tables_in(view, TableState.FREE, TableState.KEPT)
    pages[0].out = _tables_in(view, TableState.OUT)
    return {"pages": pages}


def _tables_in(view: FloorView, *states: TableState) -> str:
    return ", ".join(table.facts.label for table in view.tables.values() if table.state in states)


def _match_pages(view: FloorView, tournament: Tournament, area: Area, dues: float) -> tuple[list[SnapshotPage], float]:
    """Return the pages of open matches, usually one, and the height that is left on the last one.

    `dues` is the height of what is to be paid, for which room is left on the last one if there is enough.
    The brackets show all matches: those that wait for others stand here only if they fit on the same page.
    """
    onward = _onward(tournament)
    playing = (FloorMatchState.CALLED, FloorMatchState.PLAYING, FloorMatchState.REPORTED)
    in_play = [row for row in view.matches.values() if row.state in playing]
    at_tables = [_open_match(view, row, onward) for row in in_play]
    at_tables.sort(key=lambda match: (not match.table, len(match.table), match.table))
    queue = [_open_match(view, row, onward) for row in view.queue]
    soon = {row.number for row in (*in_play, *view.queue)}
    later = [_open_match(view, row, onward) for row in view.waiting if _is_next(row.facts, soon)]
    pages, left = [SnapshotPage()], area.height - HEAD_LINES * LINE
    rows = [(True, TABLE_LINE, row) for row in at_tables]
    rows += [(False, LINE, row) for row in queue]
    for is_at_table, height, row in rows:
        page = pages[-1]
        needed = height if is_at_table or page.queue else height + HEAD_LINES * LINE
        if left < needed:
            pages.append(SnapshotPage())
            left, needed = area.height - HEAD_LINES * LINE, height
        (pages[-1].tables if is_at_table else pages[-1].queue).append(row)
        left -= needed
    kept = dues if dues <= left else 0
    head = 0 if pages[-1].queue else HEAD_LINES * LINE
    added = later[: max(0, int((left - kept - head) / LINE))]
    pages[-1].queue += added
    return pages, left - len(added) * LINE - (head if added else 0)


def _is_next(match: MatchFacts, soon: Collection[int]) -> bool:
    """Whether a waiting match has a known player, or both come from matches that are played or called next."""
    sources = [match.source(side) for side, name in enumerate(match.names) if not name]
    return any(match.names) or all(source.number in soon for source in sources if source is not None)


def _onward(tournament: Tournament) -> dict[int, tuple[str, ...]]:
    """Return match number -> where its winner and its loser go."""
    texts: dict[int, tuple[str, ...]] = {}
    for division in tournament.divisions.exclude(status=Division.Status.ENTRIES):
        rounds = rounds_of(division)
        winners, losers = targets(rounds)
        for number in {fixture.number for row in rounds for fixture in row.fixtures}:
            goes = []
            if number in winners:
                goes.append(_("winner → %(match)s") % {"match": f"M{winners[number]}"})
            if number in losers:
                goes.append(_("loser → %(match)s") % {"match": f"M{losers[number]}"})
            texts[number] = tuple(goes)
    return texts


def _open_match(view: FloorView, match: MatchOnFloor, onward: Mapping[int, tuple[str, ...]]) -> OpenMatch:
    since = match.started_at or match.called_at
    text = "" if since is None else time_format(since.astimezone(view.zone))
    if match.state == FloorMatchState.CALLED:
        text = _("Called %(called)s") % {"called": text}
    facts, score = match.facts, match.where.score
    reasons = view.reasons(match)
    return OpenMatch(
        number=match.number,
        where=f"{facts.round_name}, {from_start(_('%(length)d pt') % {'length': facts.length}, facts.start)}",
        sides=(
            SnapshotSide(_name(facts, 0), bool(facts.names[0])),
            SnapshotSide(_name(facts, 1), bool(facts.names[1])),
        ),
        then=onward.get(match.number, ()),
        table=match.where.table,
        scores=("", "") if score is None else (str(score[0]), str(score[1])),
        since=text,
        waits_for=reasons[0] if reasons and all(facts.names) else "",
    )


def _name(match: MatchFacts, side: int) -> str:
    """Return the player, or where an undecided one comes from."""
    source = match.source(side)
    if match.names[side]:
        return match.names[side]
    if source is None or source.number is None:
        return _("To be decided")
    if source.kind == "winner":
        return _("Winner of M%(number)s") % {"number": source.number}
    return _("Loser of M%(number)s") % {"number": source.number}


def _open_brackets(tournament: Tournament) -> list[SheetBracket]:
    """Return the unfinished rounds of all brackets."""
    divisions = tournament.divisions.exclude(status=Division.Status.ENTRIES)
    brackets = [bracket for division in divisions for bracket in sheet_brackets(division, unfinished=True)]
    return [bracket for bracket in brackets if not bracket.over]


def _money(tournament: Tournament) -> Money | None:
    """Return the open prizes, who owes what, and what should be in the box; None without money."""
    currency = Currency.of(tournament)
    owed = [(account.name, currency.text(account.owes)) for account in accounts_of(tournament) if account.owes > 0]
    prizes = [
        (line.name or line.place, f"{section.title}, {line.place}", line.due)
        for division in tournament.divisions.all()
        for section in prizes_for_staff(division).sections
        for line in section.lines
        if line.state != "paid" and line.due_amount
    ]
    box = box_of(tournament)
    return Money(prizes, owed, currency.with_name(box.expected)) if owed or prizes or box.cash else None
