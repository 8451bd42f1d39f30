"""The standings of every stage of a division, the same for pages, files and the API."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from tournaments.formats.graph import EntryId
from tournaments.formats.plans import ROUNDS, TABLE, places_before
from tournaments.formats.progress import SharedPlace
from tournaments.formats.settings import DOUBLE, ELIMINATION, GROUPS, LIVES
from tournaments.formats.swiss.event import SwissEvent
from tournaments.formats.tables.records import Records
from tournaments.formats.tables.tables import Table, elimination_places, round_table
from tournaments.formats.tables.tiebreaks import TIEBREAKS, Explanation, Row
from tournaments.formats.tables.tiebreaks import Figure as Counted
from tournaments.models import Division
from tournaments.standings.labels import explanation_text, regulations, round_sentence, tiebreak
from tournaments.standings.layout import bracket_name, ranking_name
from tournaments.standings.selectors.cells import LOST, Cell, Cells, cells_of, legend, standing_kinds
from tournaments.standings.selectors.rows import (
    Figure,
    PlaceOfEntries,
    PlacesView,
    RoundCounts,
    ShownEntry,
    StageView,
    TableLine,
    TableView,
)
from tournaments.state.derivation import StageState, states_of
from tournaments.state.lots import lots_seed
from tournaments.state.names import Names

LOTS = "lots"
"""The tie-break whose value is a place."""
AMONG_TIED = ("head_to_head", LOTS)
"""Tie-breaks that apply only to tied entries."""
MOST_IN_CROSS_TABLE = 24
"""Entries up to which a table is also shown as a cross-table."""


def standings_of(
    division: Division,
    names: Names,
    *,
    stage: int | None = None,
    round_number: int | None = None,
    here: int | None = None,
) -> list[StageView]:
    """Return every stage in order, or the stage of this number; `round_number` shows a Swiss after that round."""
    states = {state.stage.pk: state for state in states_of(division)}
    views = []
    for row in division.stages.order_by("number"):
        if stage is not None and row.number != stage:
            continue
        state = states.get(row.pk)
        view = stage_view(state, names, round_number=round_number, here=here) if state else StageView(row)
        views.append(view)
    return views


def person(names: Names, entry: EntryId, gone: Iterable[EntryId] = (), here: int | None = None) -> ShownEntry:
    """Return an entry as the user may see it; `gone` are those that withdrew."""
    row = names.entries[entry]
    return ShownEntry(entry, row.public_id, row.player.public_id, names.of(entry), entry in gone, entry == here)


def stage_view(
    state: StageState, names: Names, *, round_number: int | None = None, here: int | None = None
) -> StageView:
    """Return the standings of one stage; two queries besides those of `state`."""
    settings = state.rows.settings
    qualifiers = places_before(settings, state.stage.number)
    view = StageView(state.stage, over=state.over, qualifiers=len(qualifiers))
    matches = {number: row.match for number, row in state.rows.fixtures.items()}
    view.provisional = sorted(number for number, match in matches.items() if match is not None and match.provisional)
    certain = [entry for place in qualifiers if (entry := state.places.get(place)) is not None]
    view.advancing = set(certain)
    gone = frozenset(item.entry for item in state.rows.withdrawals())
    builder = _TableBuilder(state, names, gone, here)
    if settings.format in ELIMINATION:
        view.brackets = builder.brackets()
        return view
    kinds = standing_kinds(state.stage.division)
    if state.event is None:
        each = settings.qualifiers or 0
        view.tables = [builder.table(table, cells_of(state, table.key, kinds), each) for table in state.tables]
        return view
    view.complete, view.paired = complete_rounds(state.event), len(state.event.rounds)
    shown = view.complete if round_number is None else min(max(0, round_number), view.complete)
    table, event = table_after(state, shown)
    view.lives = settings.lives if settings.format == LIVES else None
    view.tables = [builder.rounds(table, event, cells_of(state, ROUNDS, kinds, shown), settings.qualifiers or 0, shown)]
    return view


def complete_rounds(event: SwissEvent) -> int:
    """Return the number of rounds, from the first on, that have all their results."""
    complete = 0
    for round_ in event.rounds:
        if any(pair.result is None for pair in round_.pairs):
            break
        complete += 1
    return complete


def table_after(state: StageState, rounds: int) -> tuple[Table, SwissEvent]:
    """Return the table of a Swiss or of lives after `rounds` rounds, with those who had entered by then."""
    event = state.event
    assert event is not None  # noqa: S101, only used for stages paired by rounds
    players = tuple(player for player in event.players if player.joined <= rounds + 1)
    after = replace(event, rounds=event.rounds[:rounds], players=players)
    return round_table(state.rows.settings, after, ROUNDS, seed=lots_seed(state.stage)), after


class _TableBuilder:
    """Builds the tables of a stage for one user."""

    def __init__(self, state: StageState, names: Names, gone: frozenset[EntryId], here: int | None) -> None:
        self.state, self.names, self.gone, self.here = state, names, gone, here
        self.settings = state.rows.settings

    def person(self, entry: EntryId) -> ShownEntry:
        return person(self.names, entry, self.gone, self.here)

    def table(self, table: Table, cells: Cells, advancing: int) -> TableView:
        """Return the table of a round robin, with a cross-table if it is small enough."""
        lines = [self.line(row, table) for row in table.rows]
        self._fill(lines, cells)
        for line in lines:
            met = {game.opponent for game in table.records.games[line.person.entry]}
            for cell in line.cells:
                cell.counted = cell.opponent is None or cell.kind == "open" or cell.opponent in met
        for line in lines[:advancing]:
            line.advances = True
        title = bracket_name(table.key) if self.settings.format == GROUPS else _("Table")
        view = TableView(table.key, title, lines, [tiebreak(code) for code in table.tiebreaks], table.over)
        view.regulations = regulations(self.settings) if table.tiebreaks else ""
        view.cross = len(lines) <= MOST_IN_CROSS_TABLE
        if view.cross:
            _cross(lines)
        view.legend = legend(cell for line in lines for cell in line.cells)
        return view

    def rounds(self, table: Table, event: SwissEvent, cells: Cells, advancing: int, shown: int) -> TableView:
        """Return the table of a Swiss or of lives after a round."""
        lines = [self.line(row, table) for row in table.rows]
        self._fill(lines, cells)
        for line in lines:
            player = event.by_entry[line.person.entry]
            line.joined, line.left = player.joined, player.left
            if self.settings.format == LIVES:
                self._lives(line)
        for line in lines[:advancing]:
            line.advances = True
        title = _("Table") if table.key == TABLE else _("Standings")
        over = table.over and shown == len(self.state.event.rounds if self.state.event else ())
        view = TableView(table.key, title, lines, [tiebreak(code) for code in table.tiebreaks], over, shown)
        view.regulations = regulations(self.settings) if table.tiebreaks else ""
        view.legend = legend(cell for line in lines for cell in line.cells)
        return view

    def line(self, row: Row, table: Table) -> TableLine:
        """Return a row with its figures and reasons."""
        figures = [
            Figure(code, _value(code, row.entry, figure, table), figure is not None, row.decided_by == code)
            for code, figure in zip(table.tiebreaks, row.figures, strict=True)
        ]
        why = [(reason, explanation_text(reason)) for reason in row.explain()]
        counts = _counts(row.entry, table.records, self.settings.loss)
        return TableLine(row.place, self.person(row.entry), row.points, counts, figures, why, row.decided_by)

    def _fill(self, lines: Sequence[TableLine], cells: Cells) -> None:
        """Set the cells of each line, with opponents' places and sentences."""
        places = {line.person.entry: line.place for line in lines}
        for line in lines:
            line.cells = cells.get(line.person.entry, [])
            for cell in line.cells:
                cell.opponent_place = places.get(cell.opponent) if cell.opponent is not None else None
                score = f"{cell.score[0]}–{cell.score[1]}" if cell.score else ""
                cell.sentence = round_sentence(
                    cell.kind, round=cell.round, score=score, name=self.names.of(cell.opponent)
                )

    def _lives(self, line: TableLine) -> None:
        """Set lives left, the round in which the last one was lost, and the reason for the place."""
        lives = self.settings.lives
        line.lives = int(line.points)
        lost = [cell.round for cell in line.cells if cell.kind in LOST]
        if line.lives:
            why = Explanation("lives_left", {"left": line.lives, "lives": lives})
        elif len(lost) >= lives:
            line.out_in = lost[lives - 1]
            why = Explanation("lives_out", {"round": line.out_in, "lives": lives})
        else:
            why = Explanation("lives_gone", {"round": line.left or 0})
        line.why = [(why, explanation_text(why))]
        if line.out_in is not None:
            line.cells = [cell for cell in line.cells if cell.round <= (line.out_in or 0)]

    def brackets(self) -> list[PlacesView]:
        """Return the places of each bracket; a double elimination is ranked as a whole."""
        by_bracket = elimination_places(self.settings, self.state.progress)
        return [self._places(key, places) for key, places in by_bracket.items()]

    def _places(self, key: str, places: Sequence[SharedPlace]) -> PlacesView:
        progress = self.state.progress
        whole = self.settings.format == DOUBLE
        numbers = (
            progress.graph.fixtures if whole else [fixture.number for fixture in progress.graph.bracket(key).fixtures]
        )
        over = all(progress.fixtures[number].over for number in numbers)
        rows = [
            PlaceOfEntries(
                place.first,
                place.last,
                sorted(map(self.person, place.entries), key=lambda person: person.name.casefold()),
            )
            for place in places
        ]
        return PlacesView(key, ranking_name(key), over, rows)


def _value(code: str, entry: EntryId, figure: Counted | None, table: Table) -> float | None:
    """Return the value of a tie-break column; lots count places downwards and are shown as places."""
    if figure is not None:
        return -figure.value if code == LOTS else figure.value
    return None if code in AMONG_TIED else TIEBREAKS[code](entry, (entry,), table.records).value


def _counts(entry: EntryId, records: Records, loss: float) -> RoundCounts:
    counts = RoundCounts()
    for game in records.games[entry]:
        if game.played:
            counts.played += 1
            counts.won += game.points >= records.win
            counts.lost += game.points <= loss
            counts.drawn += loss < game.points < records.win
        elif game.opponent is not None:
            counts.unplayed_won += game.points >= records.win
            counts.unplayed_lost += game.points < records.win
        elif game.kind.value in ("bye", "requested_bye"):
            counts.byes += 1
    return counts


def _cross(lines: Sequence[TableLine]) -> None:
    for line in lines:
        by_opponent: dict[EntryId, list[Cell]] = {}
        for cell in line.cells:
            if cell.opponent is not None:
                by_opponent.setdefault(cell.opponent, []).append(cell)
        line.against = [None if other is line else by_opponent.get(other.person.entry, []) for other in lines]
