"""The snapshot for continuing a night without the server: tables, queue, brackets and money on two pages."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.formats import time_format
from django.utils.translation import gettext as _

from tournaments.floor.selectors import FloorView, floor
from tournaments.floor.state import MatchFacts, MatchOnFloor, MatchState, TableState
from tournaments.ledger.accounts import accounts_of, box_of
from tournaments.ledger.money import Currency
from tournaments.models import Division, Tournament
from tournaments.paper.brackets import sheet_brackets
from tournaments.paper.drawing import Area, PageDrawing, Sizes, drawing, pack
from tournaments.prizes.prizes import prizes_for_staff
from tournaments.standings.brackets import rounds_of, targets

AREAS = {"a4": Area(190, 250), "letter": Area(196, 232)}
"""Of a portrait page below its head."""
DUES_HEIGHT = 52.0
"""Millimetres kept free below the last brackets for prizes and what is owed, if there is money in the event."""
HEAD_LINES = 3
"""Height of a title and a table head, in lines of the queue."""
LINE, TABLE_LINE = 6.6, 9.2
"""Millimetres of a match in the queue and at a table."""
MOST_MONEY_LINES = 6
SIZES = Sizes(
    gutter=11,
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
    gap=3,
)


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A match that is not over, and where its players go from it."""

    number: int
    where: str
    names: tuple[str, str]
    then: tuple[str, ...]
    table: str = ""
    scores: tuple[str, str] = ("", "")
    since: str = ""
    waits_for: str = ""


@dataclass(slots=True)
class SnapshotPage:
    """One page: matches at tables and in the queue, or brackets; dues on the last one."""

    tables: list[OpenMatch] = field(default_factory=list)
    queue: list[OpenMatch] = field(default_factory=list)
    drawing: PageDrawing | None = None
    money: bool = False
    number: int = 1


def snapshot(tournament: Tournament, now: datetime, paper: str) -> dict[str, Any]:
    """Return the pages of the snapshot for directors, and the sums of money. Names are as everybody may see them."""
    view = floor(tournament, now, staff=False)
    area = AREAS[paper]
    money = _money(tournament)
    pages = [*_match_pages(view, tournament, area), *_bracket_pages(tournament, area, bool(money["has_money"]))]
    pages[-1].money = bool(money["has_money"])
    for number, page in enumerate(pages, start=1):
        page.number = number
    return {"pages": pages, "free": _tables_in(view, TableState.FREE, TableState.KEPT),
            "out": _tables_in(view, TableState.OUT), **money}  # fmt: skip


def _tables_in(view: FloorView, *states: TableState) -> str:
    return ", ".join(table.facts.label for table in view.tables.values() if table.state in states)


def _match_pages(view: FloorView, tournament: Tournament, area: Area) -> list[SnapshotPage]:
    """Return the pages of open matches; usually one."""
    onward = _onward(tournament)
    playing = (MatchState.CALLED, MatchState.PLAYING, MatchState.REPORTED)
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
        if left < height:
            pages.append(SnapshotPage())
            left = area.height - HEAD_LINES * LINE
        (pages[-1].tables if is_at_table else pages[-1].queue).append(row)
        left -= height
    # The brackets show the other matches, too: these only fill the page.
    pages[-1].queue += later[: max(0, int((left - HEAD_LINES * LINE) / LINE))]
    return pages


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
    if match.state == MatchState.CALLED:
        text = _("called %(time)s") % {"time": text}
    facts, score = match.facts, match.where.score
    reasons = view.reasons(match)
    return OpenMatch(
        number=match.number,
        where=f"{facts.round_name}, {_('%(length)d pt') % {'length': facts.length}}",
        names=(_name(facts, 0), _name(facts, 1)),
        then=onward.get(match.number, ()),
        table=match.where.table,
        scores=("", "") if score is None else (str(score[0]), str(score[1])),
        since=text,
        waits_for=reasons[0] if reasons else "",
    )


def _name(match: MatchFacts, side: int) -> str:
    """Return the player, or where an undecided one comes from."""
    source = match.source(side)
    if match.names[side]:
        return match.names[side]
    if source is None or source.number is None:
        return _("To be decided")
    if source.kind == "winner":
        return _("Winner of M%(number)d") % {"number": source.number}
    return _("Loser of M%(number)d") % {"number": source.number}


def _bracket_pages(tournament: Tournament, area: Area, has_money: bool) -> Iterator[SnapshotPage]:
    """Yield the pages with the unfinished rounds of all brackets."""
    divisions = tournament.divisions.exclude(status=Division.Status.ENTRIES)
    brackets = [bracket for division in divisions for bracket in sheet_brackets(division, unfinished=True)]
    brackets = [bracket for bracket in brackets if not bracket.over]
    room = Area(area.width, area.height - (DUES_HEIGHT if has_money else 0))
    for parts in pack(brackets, room, SIZES):
        yield SnapshotPage(drawing=drawing(parts, room, SIZES))


def _money(tournament: Tournament) -> dict[str, Any]:
    """Return the open prizes, who owes what, and what should be in the box, as text."""
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
    return {
        "has_money": bool(owed or prizes or box.cash),
        "owed": owed[:MOST_MONEY_LINES],
        "more_owed": len(owed[MOST_MONEY_LINES:]),
        "prizes": prizes[:MOST_MONEY_LINES],
        "expected": currency.with_name(box.expected),
    }
