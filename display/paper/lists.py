"""Lists that are printed: pairings, names, entries, standings and cross-tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from core.names import fold
from matches.presentation.labels import from_start
from prizes.prizes import prizes_view
from tournaments.models import Division, Entry
from tournaments.standings.pairings import BoardPairing, PairingsView, pairings_of
from tournaments.standings.standings import PlacesView, RoundCell, TableView, standings_of
from tournaments.state.names import names_of, shown_entry

NUMBER, NAME, TEXT, BOX = "num", "name", "text", "box"
"""Kinds of columns: figures, names, other text, and fields that are filled in by hand."""


@dataclass(frozen=True, slots=True)
class ListColumn:
    label: str
    kind: str = TEXT
    second: str = ""
    """The label in the second language of the sheet, if it has one and they differ."""


@dataclass(frozen=True, slots=True)
class PrintedList:
    """A list with its rows; each row has a text for every column."""

    title: str
    columns: Sequence[ListColumn]
    rows: Sequence[Sequence[str]]
    is_short: bool = False
    """Whether its rows are so short that two of them stand beside each other."""
    second_title: str = ""
    """The title in the second language of the sheet, if it has one and they differ."""

    def with_second(self, other: "PrintedList") -> "PrintedList":
        """Return the list with the headings of the same one in the second language beside its own."""
        columns = [
            replace(column, second=second.label if second.label != column.label else "")
            for column, second in zip(self.columns, other.columns, strict=True)
        ]
        return replace(self, columns=columns, second_title=other.title if other.title != self.title else "")

    @property
    def cells(self) -> list[list[tuple[str, str]]]:
        """The rows with the kind of each column."""
        return [[(column.kind, text) for column, text in zip(self.columns, row, strict=True)] for row in self.rows]


def pairings(division: Division) -> Iterator[PrintedList]:
    """Yield the pairings of the current round, or what can be played now, by board or match number."""
    view = pairings_of(division, names_of(division, staff=False))
    if not view.to_play and not view.byes:
        return
    columns = [
        ListColumn(
            pgettext("number of a pairing", "Board") if view.has_boards else pgettext("furniture", "Table"), NUMBER
        ),
        ListColumn(pgettext("of backgammon", "Match"), NUMBER),
        ListColumn(_("Player"), NAME),
        ListColumn(_("Score"), BOX),
        ListColumn(_("Player"), NAME),
        ListColumn(_("Score"), BOX),
        ListColumn(pgettext("score", "Points"), NUMBER),
    ]
    rows = [_pairing_row(pairing) for pairing in view.to_play]
    rows += [["", "", bye.present.name, "", bye.bye_meaning, "", ""] for bye in view.byes if bye.present is not None]
    yield PrintedList(_title(_("Pairings"), view), columns, rows)


def _title(title: str, view: PairingsView) -> str:
    if view.round is None:
        return title
    return f"{title} · {_('Round %(number)s') % {'number': view.round}}"


def _pairing_row(pairing: BoardPairing) -> list[str]:
    """Return board or table, match, players and points; scores only if the match is over."""
    sides = [
        (side.person.name if side.person else "", "" if side.score is None else str(side.score))
        for side in pairing.sides
    ]
    board = pairing.table if pairing.board is None else str(pairing.board)
    return [board, f"M{pairing.number}", *sides[0], *sides[1], from_start(str(pairing.length), pairing.start)]


def names(division: Division) -> Iterator[PrintedList]:
    """Yield where each player plays, by name."""
    view = pairings_of(division, names_of(division, staff=False))
    if view.index:
        columns = [ListColumn(_("Player"), NAME), ListColumn(_("Where"), TEXT)]
        rows = [[row.name, at] for row, at in view.index]
        yield PrintedList(_title(_("Find your name"), view), columns, rows, is_short=True)


def entries(division: Division) -> Iterator[PrintedList]:
    """Yield the entries in the order of the names that are shown, with boxes to tick who is here and has paid."""
    rows = [
        (shown_entry(entry, staff=False), entry)
        for entry in division.entries.exclude(status=Entry.Status.OUT).select_related("player__merged_into")
    ]
    rows.sort(key=lambda row: (fold(row[0]), row[1].pk))
    columns = [ListColumn("#", NUMBER), ListColumn(_("Player"), NAME), ListColumn(_("Here"), BOX)]
    columns += [ListColumn(_("Paid"), BOX)]
    waits = [entry.status == Entry.Status.WAITING for _name, entry in rows]
    if any(waits):
        columns.insert(2, ListColumn(_("Note")))
    listed = [
        [str(number), name, *([_("waiting list") if waiting else ""] if any(waits) else []), "", ""]
        for number, ((name, _entry), waiting) in enumerate(zip(rows, waits, strict=True), start=1)
    ]
    if listed:
        yield PrintedList(_("Entries"), columns, listed, is_short=True)


def standings(division: Division) -> Iterator[PrintedList]:
    """Yield the standings of every stage: tables, and the places of brackets."""
    for view in standings_of(division, names_of(division, staff=False)):
        for table in view.tables:
            if table.lines:
                yield _table(table, lives=view.lives is not None)
        for bracket in view.brackets:
            if bracket.places:
                yield _places(bracket)


def _table(table: TableView, *, lives: bool) -> PrintedList:
    columns = [
        ListColumn("#", NUMBER),
        ListColumn(_("Player"), NAME),
        ListColumn(pgettext("played", "P"), NUMBER),
        ListColumn(pgettext("won", "W"), NUMBER),
        ListColumn(pgettext("lost", "L"), NUMBER),
        ListColumn(_("Lives") if lives else _("Pts"), NUMBER),
        *(ListColumn(tiebreak.short, NUMBER) for tiebreak in table.tiebreaks),
    ]
    rows = []
    for line in table.lines:
        counts = line.counts
        total = str(line.lives or 0) if lives else line.points_text
        figures = {figure.code: figure.text for figure in line.figures}
        tiebreaks = [figures.get(tiebreak.code, "") for tiebreak in table.tiebreaks]
        played = [str(count) for count in (counts.played, counts.won, counts.lost)]
        rows.append([str(line.place), line.person.name, *played, total, *tiebreaks])
    title = table.title or _("Standings")
    return PrintedList(title, columns, rows)


def _places(bracket: PlacesView) -> PrintedList:
    columns = [ListColumn(_("Place"), NUMBER), ListColumn(_("Player"), NAME)]
    rows = [[place.text, person.name] for place in bracket.places for person in place.people]
    return PrintedList(bracket.title, columns, rows)


def cross_tables(division: Division) -> Iterator[PrintedList]:
    """Yield the cross-tables of stages that have them."""
    for view in standings_of(division, names_of(division, staff=False)):
        for table in view.tables:
            if table.cross:
                yield _cross_table(table)


def _cross_table(table: TableView) -> PrintedList:
    columns = [
        ListColumn("#", NUMBER),
        ListColumn(_("Player"), NAME),
        *(ListColumn(str(line.place), BOX) for line in table.lines),
        ListColumn(_("Pts"), NUMBER),
    ]
    rows = [
        [
            str(line.place),
            line.person.name,
            *("■" if cells is None else " ".join(_cross_cell(cell) for cell in cells) for cells in line.against),
            line.points_text,
        ]
        for line in table.lines
    ]
    return PrintedList(table.title or _("Cross-table"), columns, rows)


def _cross_cell(cell: RoundCell) -> str:
    if cell.kind == "open":
        return ""
    return f"{cell.score[0]}–{cell.score[1]}" if cell.score else cell.letter


def prizes(division: Division) -> Iterator[PrintedList]:
    """Yield the prizes of a division once they are published, with a box to sign each."""
    view = prizes_view(division, names_of(division, staff=False))
    rows = [
        [section.title, line.place, line.name, line.share, line.due, ""]
        for section in view.sections
        for line in section.lines
    ]
    if view.is_published and rows:
        columns = [
            ListColumn(_("Bracket")),
            ListColumn(_("Place")),
            ListColumn(_("Player"), NAME),
            ListColumn(pgettext("of the prize money", "Share"), NUMBER),
            ListColumn(_("Amount"), NUMBER),
            ListColumn(_("Signature"), BOX),
        ]
        yield PrintedList(_("Prizes"), columns, rows)


KINDS: dict[str, tuple[Callable[[Division], Iterator[PrintedList]], str]] = {
    "pairings": (pairings, "portrait"),
    "names": (names, "portrait"),
    "entries": (entries, "portrait"),
    "standings": (standings, "portrait"),
    "prizes": (prizes, "portrait"),
    "cross-tables": (cross_tables, "landscape"),
}
"""Kind of list -> what makes it, and the orientation of its pages."""
