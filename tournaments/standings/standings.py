"""The standings of every stage of a division, the same for pages, files and the API."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import time

from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from core.names import fold, short_name
from formats.facts import DOUBLE_FORFEIT, FORFEIT
from formats.graph import EntryId
from formats.graph import Round as PlannedRound
from formats.plans import MIN_QUALIFIERS, ROUNDS, TABLE, places_before
from formats.progress import SharedPlace
from formats.settings import ELIMINATION, GROUPS, LIVES, ONE_ORDER, PLACES, StageSettings
from formats.states import FixtureState, FixtureStatus, SlotStatus
from formats.swiss.event import SwissEvent
from formats.tables.records import Records
from formats.tables.tables import StandingsTable, elimination_places, round_table
from formats.tables.tiebreaks import TIEBREAKS, Explanation, StandingsRow, plain
from formats.tables.tiebreaks import Figure as Counted
from matches.models import Match, Result
from matches.presentation.labels import shown_score
from tournaments.models import Division, Stage
from tournaments.standings.brackets import bracket_name, ranking_name
from tournaments.standings.labels import (
    MARKS,
    Tiebreak,
    explanation_text,
    letter,
    meaning,
    regulations,
    round_sentence,
    tiebreak,
)
from tournaments.standings.teams import TeamsView, teams_view
from tournaments.state.commitments import lots_seed
from tournaments.state.derivation import StageState, states_of
from tournaments.state.names import Names

# How each entry spent each round of a stage that counts points or lives: one cell per round.


LOST = frozenset({"lost", "forfeit_lost", "walkover_lost", "empty"})
"""Kinds of cell that cost a life."""


@dataclass(slots=True)
class RoundCell:
    """One round of one entry; `kind` is a key of `labels.MARKS`, `score` has the entry's own points first.

    `counted` is False for a match that was deleted because one of the two left.
    """

    round: int
    kind: str
    opponent: EntryId | None = None
    score: tuple[int, int] | None = None
    match: str = ""
    counted: bool = True
    number: int = 0
    """The number of its fixture; 0 if there is none."""
    opponent_place: int | None = None
    opponent_name: str = ""
    """Shown instead of the place, where players share places."""
    sentence: str = ""

    @property
    def letter(self) -> str:
        return letter(self.kind)

    @property
    def tone(self) -> str:
        """The cell's style: "won", "lost" or its kind; the letter says the same."""
        if self.kind in LOST:
            return "lost"
        return "won" if self.kind in ("won", "forfeit_won", "walkover_won") else self.kind


Cells = dict[EntryId, list[RoundCell]]


def standing_kinds(division: Division) -> dict[int, str]:
    """Return match id -> kind of its standing result; one query."""
    rows = Result.objects.filter(match__parent_topic=division.topic).order_by("version")
    return dict(rows.values_list("match_id", "kind"))


def cells_of(state: StageState, key: str, kinds: Mapping[int, str], rounds: int | None = None) -> Cells:
    """Return the cells of every entry of a bracket, for all or its first `rounds` rounds."""
    by_entry: Cells = {}
    # The bracket of a stage that is paired comes with its first pairs.
    brackets = [bracket for bracket in state.progress.graph.brackets if bracket.key == key]
    for planned in [round_ for bracket in brackets for round_ in bracket.rounds][:rounds]:
        row: Cells = {}
        byes = _byes(state, planned.number)
        for fixture in planned.fixtures:
            for entry, cell in _pair_cells(state, planned, fixture.number, kinds, byes):
                row.setdefault(entry, []).append(cell)
        if state.event is not None and not state.event.continuous:
            for player in state.event.players:
                if player.entry not in row:
                    row[player.entry] = [
                        RoundCell(planned.number, _kind_when_unpaired(player.joined, player.left, planned.number))
                    ]
        for entry, cells in row.items():
            by_entry.setdefault(entry, []).extend(cells)
    return _numbered(by_entry) if state.event is not None and state.event.continuous else by_entry


def _numbered(by_entry: Cells) -> Cells:
    """Let each entry count its own matches, as it does where there are no rounds."""
    for cells in by_entry.values():
        for number, cell in enumerate(cells, start=1):
            cell.round = number
    return by_entry


def _byes(state: StageState, number: int) -> dict[EntryId, str]:
    """Return entry -> kind of its bye in a paired round or a batch; empty if byes come from the draw."""
    if state.event is None:
        return {}
    # A batch may have no pairs, so that its number is not its place. All byes of a stage without rounds are alike.
    rounds = state.event.rounds if state.event.continuous else state.event.rounds[number - 1 : number]
    return {bye.entry: f"bye_{bye.kind.value}" for round_ in rounds for bye in round_.byes}


def _kind_when_unpaired(joined: int, left: int | None, number: int) -> str:
    if number < joined:
        return "missed"
    return "gone" if left is not None and number > left else "absent"


def _pair_cells(
    state: StageState, planned: PlannedRound, number: int, kinds: Mapping[int, str], byes: Mapping[EntryId, str]
) -> Iterable[tuple[EntryId, RoundCell]]:
    fixture = state.progress.fixtures[number]
    row = state.rows.fixtures[number]
    pair = [slot.entrant for slot in fixture.slots]
    match = row.match.public_id if row.match is not None else ""
    result_kind = kinds.get(row.match_id or 0, "")
    for side, entry in enumerate(pair):
        if entry is None:
            continue
        if fixture.slots[1 - side].status is SlotStatus.BYE:
            yield entry, RoundCell(planned.number, byes.get(entry, "bye_drawn"), number=number)
        elif pair[1 - side] is not None:
            kind, score = kind_for_side(fixture, side, result_kind), _score(fixture, row.match, side)
            yield entry, RoundCell(planned.number, kind, pair[1 - side], score, match, number=number)


def kind_for_side(fixture: FixtureState, side: int, result_kind: str = "") -> str:
    """Return how a match ended for one side, as a kind of cell; `result_kind` belongs to the standing result."""
    if not fixture.over:
        return "open"
    if fixture.status is FixtureStatus.EMPTY:
        return "empty"
    result = fixture.result
    if result is None:
        return "walkover_won" if fixture.slots[side].entry is not None else "walkover_lost"
    if result.kind == DOUBLE_FORFEIT:
        return "forfeit_lost"
    won = result.winner == side
    if result.kind == FORFEIT:
        name = "walkover" if result_kind == Result.Kind.WALKOVER else "forfeit"
        return f"{name}_won" if won else f"{name}_lost"
    if result.winner is None:
        return "drawn"
    return "won" if won else "lost"


def _score(fixture: FixtureState, match: Match | None, side: int) -> tuple[int, int] | None:
    """Return the score as shown, with the points of this side first."""
    score = fixture.result.score if fixture.result is not None else None
    if score is None or match is None:
        return None
    shown = shown_score(match.length, score)
    return shown[side], shown[1 - side]


def legend(cells: Iterable[RoundCell]) -> list[tuple[str, str]]:
    """Return the letters that occur with their meanings, in the order of `MARKS`."""
    kinds = {cell.kind for cell in cells}
    return [(letter(kind), meaning(kind)) for kind in MARKS if kind in kinds]


# Standings as values for one user, for pages, files and the API.


@dataclass(slots=True)
class ShownEntry:
    """An entry as the user may see it."""

    entry: EntryId
    public_id: str
    player: str
    """Public id of the player."""
    name: str
    withdrawn: bool = False
    here: bool = False
    """Whether the user searched for this player or is this player."""


@dataclass(slots=True)
class ShownFigure:
    """A tie-break of one row: its value, whether it was needed, and whether it separates the row from the one above.

    For lots the value is a place; for all others more is better. None: it applies only to tied entries, and the tie
    was broken before.
    """

    code: str
    value: float | None
    needed: bool = False
    decides: bool = False
    head: str = ""
    """The heading of its column."""
    why: Explanation | None = None

    @property
    def text(self) -> str:
        """The value without trailing zeros."""
        return "" if self.value is None else plain(self.value)


@dataclass(slots=True)
class RoundCounts:
    """Counts of one entry's rounds; `played`, `won`, `lost` and `drawn` count matches at the board."""

    played: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    unplayed_won: int = 0
    unplayed_lost: int = 0
    byes: int = 0


@dataclass(slots=True)
class StandingsLine:
    place: int
    person: ShownEntry
    points: float
    counts: RoundCounts
    figures: list[ShownFigure]
    why: list[tuple[Explanation, str]]
    """Reasons for the place, each with its translated sentence."""
    decided_by: str | None = None
    cells: list[RoundCell] = field(default_factory=list)
    advances: bool = False
    joined: int = 1
    """The first round in which the entry could be paired."""
    left: int | None = None
    """The last round in which the entry could be paired; None if it has not left."""
    lives: int | None = None
    out_in: int | None = None
    """The round in which the last life was lost."""
    against: list[list[RoundCell] | None] = field(default_factory=list)
    """Cells against each line of the table in order, None against itself; empty without a cross-table."""

    @property
    def points_text(self) -> str:
        """The value without trailing zeros."""
        return plain(self.points)

    @property
    def pips(self) -> range:
        """One item for each life left."""
        return range(self.lives or 0)


@dataclass(slots=True)
class TableView:
    """A table of a bracket or group; `round` is the round after which it is shown, 0 before the first."""

    key: str
    title: str
    lines: list[StandingsLine]
    tiebreaks: list[Tiebreak]
    over: bool
    round: int | None = None
    cross: bool = False
    has_shared_places: bool = False
    """Whether players share places, so that a cross-table heads its columns with names."""
    legend: list[tuple[str, str]] = field(default_factory=list)
    regulations: str = ""
    """The regulations that its tie-breaks follow, with their edition."""
    is_long: bool = False
    """Whether its lines show no more than their figures, and their rounds and reasons are on pages of their own."""

    @property
    def last_advancing(self) -> int:
        """The number of the last line that advances; 0 if none does."""
        return max((number for number, line in enumerate(self.lines, start=1) if line.advances), default=0)


@dataclass(slots=True)
class PlaceOfEntries:
    """A place from `first` to `last`, and the entries that share it."""

    first: int
    last: int
    people: list[ShownEntry]

    @property
    def text(self) -> str:
        """The label: 3 or 3–4."""
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


@dataclass(slots=True)
class PlacesView:
    key: str
    title: str
    over: bool
    places: list[PlaceOfEntries]


@dataclass(slots=True)
class StageView:
    """A stage: tables if points or lives are counted, places otherwise; neither before its draw."""

    stage: Stage
    tables: list[TableView] = field(default_factory=list)
    brackets: list[PlacesView] = field(default_factory=list)
    over: bool = False
    lives: int | None = None
    complete: int | None = None
    """Number of complete rounds, if rounds are paired one by one."""
    paired: int = 0
    qualifiers: int = 0
    """How many entries advance to the next stage."""
    provisional: list[int] = field(default_factory=list)
    """The numbers of the matches whose result is provisional."""
    advancing: set[EntryId] = field(default_factory=set)
    is_without_rounds: bool = False
    rules: str = ""
    """Of a stage without rounds, while it is played: when its bracket is drawn, and until when one can enter."""
    teams: TeamsView | None = None
    """The score of a match between teams."""

    @property
    def provisional_text(self) -> str:
        return ", ".join(f"M{number}" for number in self.provisional)

    @property
    def number(self) -> int:
        return self.stage.number

    @property
    def format(self) -> str:
        """One of `settings.FORMATS`."""
        return self.stage.format

    @property
    def round(self) -> int | None:
        """The round after which its tables are shown."""
        return self.tables[0].round if self.tables else None

    @property
    def query(self) -> str:
        """The query string of this stage after this round."""
        return f"stage={self.number}" + (f"&round={self.round}" if self.round is not None else "")

    @property
    def is_paired(self) -> bool:
        """Whether its matches are paired one by one or by rounds, for reasons that have a page."""
        return self.complete is not None or self.is_without_rounds

    @property
    def rounds(self) -> range:
        return range(1, (self.complete or 0) + 1)


LOTS = "lots"
"""The tie-break whose value is a place."""
AMONG_TIED = ("head_to_head", LOTS)
"""Tie-breaks that apply only to tied entries."""
MAX_IN_DETAIL = 64
"""Entries up to which a table shows every round and reason in its lines."""
MAX_IN_CROSS_TABLE = 24
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


MAX_LIVES_AS_PLACES = 2
"""Up to so many lives, each is one place of the bracket that follows."""


def _bracket_rule(settings: StageSettings) -> str:
    """Return when the bracket after lives without rounds is drawn, in words; empty if none follows."""
    if settings.ended:
        then = _("Nobody is paired any more; then the best {places} play a bracket.")
        return then.format(places=settings.qualifiers) if settings.qualifiers else _("Nobody is paired any more.")
    if settings.format != LIVES or not settings.is_continuous or not settings.qualifiers:
        return ""
    texts = {"places": settings.qualifiers, "time": ""}
    if settings.switch_time:
        texts["time"] = time_format(time.fromisoformat(settings.switch_time))
    if settings.switch_time and settings.qualifiers == MIN_QUALIFIERS:
        sentences = [_("The bracket is drawn at {time}, with as many places as are needed then.")]
    elif settings.lives > MAX_LIVES_AS_PLACES:
        at_the_latest = [_("It is drawn at {time} at the latest.")] if settings.switch_time else []
        sentences = [_("The bracket is drawn when the lives left need no more than {places} places."), *at_the_latest]
    elif settings.switch_time:
        sentences = [_("The bracket is drawn when {places} lives are left."), _("It is drawn at {time} at the latest.")]
    else:
        sentences = [_("The bracket is drawn when {places} lives are left.")]
    if settings.lives > MAX_LIVES_AS_PLACES:
        sentences.append(_("Two lives take 2 places, three or four take 4, five take 8."))
    return " ".join(sentences).format(**texts)


def _cut_by_lot(state: StageState, names: Names) -> str:
    """Return in which order the lots put those who shared the last place of the bracket with lives; empty if nobody."""
    settings = state.rows.settings
    if settings.format != LIVES or not settings.ended or not settings.qualifiers:
        return ""
    (table,) = state.tables
    rows = [row for row in table.rows if row.points > 0]
    if len(rows) <= settings.qualifiers or rows[settings.qualifiers - 1].place != rows[settings.qualifiers].place:
        return ""
    tied = [row.entry for row in rows if row.place == rows[settings.qualifiers].place]
    return _("Equal at the last place of the bracket, in the order of the lots: {names}.").format(
        names=", ".join(map(names.of, tied))
    )


def _late_rule(settings: StageSettings) -> str:
    """Return until when late entries are possible without rounds, in words; empty if no time is set."""
    if not settings.is_continuous or not settings.late_until:
        return ""
    return _("Late entries are possible until {time}.").format(
        time=time_format(time.fromisoformat(settings.late_until))
    )


def stage_view(
    state: StageState, names: Names, *, round_number: int | None = None, here: int | None = None
) -> StageView:
    """Return the standings of one stage; two queries beside the ones behind `state`."""
    settings = state.rows.settings
    qualifiers = places_before(settings, state.stage.number)
    view = StageView(state.stage, over=state.over, qualifiers=len(qualifiers))
    matches = {number: row.match for number, row in state.rows.fixtures.items()}
    view.provisional = sorted(number for number, match in matches.items() if match is not None and match.provisional)
    certain = [entry for place in qualifiers if (entry := state.places.get(place)) is not None]
    view.advancing = set(certain)
    view.teams = teams_view(state, names)
    gone = frozenset(item.entry for item in state.rows.withdrawals())
    builder = _TableBuilder(state, names, gone, here)
    if settings.format in ELIMINATION:
        view.brackets = builder.brackets()
        return view
    kinds = standing_kinds(state.stage.division)
    if state.event is None:
        view.tables = [builder.table(table, cells_of(state, table.key, kinds)) for table in state.tables]
        return view
    view.lives = settings.lives if settings.format == LIVES else None
    rules = (_bracket_rule(settings), "" if settings.ended else _late_rule(settings))
    view.rules = _cut_by_lot(state, names) if state.over else " ".join(filter(None, rules))
    if state.event.continuous:
        view.is_without_rounds = True
        (table,) = state.tables
        view.tables = [builder.rounds(table, state.event, cells_of(state, ROUNDS, kinds), len(state.event.rounds))]
        return view
    view.complete, view.paired = complete_rounds(state.event), len(state.event.rounds)
    shown = view.complete if round_number is None else min(max(0, round_number), view.complete)
    table, event = table_after(state, shown)
    view.tables = [builder.rounds(table, event, cells_of(state, ROUNDS, kinds, shown), shown)]
    return view


def complete_rounds(event: SwissEvent) -> int:
    """Return the number of rounds, from the first on, that have all their results."""
    complete = 0
    for round_ in event.rounds:
        if any(pair.result is None for pair in round_.pairs):
            break
        complete += 1
    return complete


def table_after(state: StageState, rounds: int) -> tuple[StandingsTable, SwissEvent]:
    """Return the table of a Swiss or of lives after `rounds` rounds, with those who had entered by then."""
    event = state.event
    assert event is not None  # noqa: S101, only used for stages paired by rounds
    players = tuple(player for player in event.players if player.joined <= rounds + 1)
    after = replace(event, rounds=event.rounds[:rounds], players=players)
    return round_table(state.rows.settings, after, ROUNDS, seed=lots_seed(state.stage)), after


class _TableBuilder:
    def __init__(self, state: StageState, names: Names, gone: frozenset[EntryId], here: int | None) -> None:
        self.state, self.names, self.gone, self.here = state, names, gone, here
        self.settings = state.rows.settings

    def person(self, entry: EntryId) -> ShownEntry:
        return person(self.names, entry, self.gone, self.here)

    def table(self, table: StandingsTable, cells: Cells) -> TableView:
        """Return the table of a round robin, with a cross-table if it is small enough."""
        lines = [self.line(row, table) for row in table.rows]
        self._fill(lines, cells)
        for line in lines:
            met = {game.opponent for game in table.records.games[line.person.entry]}
            for cell in line.cells:
                cell.counted = cell.opponent is None or cell.kind == "open" or cell.opponent in met
        advancing = self.state.advancing(table)
        for line in lines:
            line.advances = line.person.entry in advancing
        title = bracket_name(table.key) if self.settings.format == GROUPS else pgettext("standings", "Table")
        view = TableView(table.key, title, lines, [tiebreak(code) for code in table.tiebreaks], table.over)
        view.regulations = regulations(self.settings) if table.tiebreaks else ""
        view.cross = len(lines) <= MAX_IN_CROSS_TABLE
        view.has_shared_places = len({line.place for line in lines}) < len(lines)
        if view.cross:
            _cross(lines)
        view.legend = legend(cell for line in lines for cell in line.cells)
        return view

    def rounds(self, table: StandingsTable, event: SwissEvent, cells: Cells, shown: int) -> TableView:
        """Return the table of a Swiss or of lives after a round, or as it stands where there are no rounds."""
        lines = [self.line(row, table) for row in table.rows]
        self._fill(lines, cells)
        for line in lines:
            player = event.by_entry[line.person.entry]
            line.joined, line.left = player.joined, player.left
            if self.settings.format == LIVES:
                self._lives(line)
        advancing = self.state.advancing(table)
        for line in lines:
            line.advances = line.person.entry in advancing
        title = pgettext("standings", "Table") if table.key == TABLE else _("Standings")
        over = table.over and shown == len(self.state.event.rounds if self.state.event else ())
        after = None if event.continuous else shown
        view = TableView(table.key, title, lines, [tiebreak(code) for code in table.tiebreaks], over, after)
        view.is_long = len(lines) > MAX_IN_DETAIL
        view.regulations = regulations(self.settings) if table.tiebreaks else ""
        view.legend = legend(cell for line in lines for cell in line.cells)
        return view

    def line(self, row: StandingsRow, table: StandingsTable) -> StandingsLine:
        figures = [_figure(code, row, figure, table) for code, figure in zip(table.tiebreaks, row.figures, strict=True)]
        why = [(reason, explanation_text(reason, self.names.of)) for reason in row.explain()]
        counts = _counts(row.entry, table.records, self.settings.loss)
        return StandingsLine(row.place, self.person(row.entry), row.points, counts, figures, why, row.decided_by)

    def _fill(self, lines: Sequence[StandingsLine], cells: Cells) -> None:
        """Set the cells of each line, with opponents' places, or their names if places are shared, and sentences."""
        places = {line.person.entry: line.place for line in lines}
        are_shared = self.settings.format == LIVES or len(set(places.values())) < len(places)
        for line in lines:
            line.cells = cells.get(line.person.entry, [])
            for cell in line.cells:
                cell.opponent_place = places.get(cell.opponent) if cell.opponent is not None else None
                cell.opponent_name = short_name(self.names.of(cell.opponent)) if are_shared and cell.opponent else ""
                score = f"{cell.score[0]}–{cell.score[1]}" if cell.score else ""
                cell.sentence = round_sentence(
                    cell.kind,
                    number=cell.round,
                    score=score,
                    name=self.names.of(cell.opponent),
                    is_match=self.settings.is_continuous,
                )

    def _lives(self, line: StandingsLine) -> None:
        """Set the lives left, the round that cost the last one, and the reason for the place."""
        lives = self.settings.lives
        line.lives = int(line.points)
        if self.settings.is_continuous:
            self._lives_without_rounds(line)
            return
        lost = [cell.round for cell in line.cells if cell.kind in LOST]
        if line.lives:
            why = Explanation("lives_left", {"left": line.lives, "lives": lives})
        elif len(lost) >= lives:
            line.out_in = lost[lives - 1]
            why = Explanation("lives_out", {"round": line.out_in, "lives": lives})
        else:
            why = Explanation("lives_gone", {"round": line.left or 0})
        line.why = [(why, explanation_text(why, self.names.of))]
        if line.out_in is not None:
            line.cells = [cell for cell in line.cells if cell.round <= (line.out_in or 0)]

    def _lives_without_rounds(self, line: StandingsLine) -> None:
        won = line.counts.won + line.counts.unplayed_won
        if line.lives:
            why = Explanation("lives_left", {"left": line.lives, "lives": self.settings.lives})
        elif line.left is not None:
            why = Explanation("lives_withdrawn", {"won": won})
        else:
            why = Explanation("lives_out_after", {"won": won})
        line.why = [(why, explanation_text(why, self.names.of))]

    def brackets(self) -> list[PlacesView]:
        """Return the places of each bracket; a double elimination is ranked as a whole."""
        by_bracket = elimination_places(self.settings, self.state.progress)
        return [self._places(key, places) for key, places in by_bracket.items()]

    def _places(self, key: str, places: Sequence[SharedPlace]) -> PlacesView:
        progress = self.state.progress
        whole = self.settings.format in ONE_ORDER
        numbers = (
            progress.graph.fixtures if whole else [fixture.number for fixture in progress.graph.bracket(key).fixtures]
        )
        over = all(progress.fixtures[number].over for number in numbers)
        rows = [
            PlaceOfEntries(
                place.first,
                place.last,
                sorted(map(self.person, place.entries), key=lambda person: fold(person.name)),
            )
            for place in places
        ]
        return PlacesView(key, ranking_name(key, whole=self.settings.format == PLACES), over, rows)


def _figure(code: str, row: StandingsRow, figure: Counted | None, table: StandingsTable) -> ShownFigure:
    """Return the cell of a tie-break column; lots count places downwards and are shown as places."""
    counted = figure
    if counted is None and code not in AMONG_TIED:
        counted = TIEBREAKS[code](row.entry, (row.entry,), table.records)
    head = tiebreak(code).short
    if counted is None:
        return ShownFigure(code, None, head=head)
    value = -counted.value if code == LOTS else counted.value
    return ShownFigure(code, value, figure is not None, row.decided_by == code, head, counted.why)


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


def _cross(lines: Sequence[StandingsLine]) -> None:
    for line in lines:
        by_opponent: dict[EntryId, list[RoundCell]] = {}
        for cell in line.cells:
            if cell.opponent is not None:
                by_opponent.setdefault(cell.opponent, []).append(cell)
        line.against = [None if other is line else by_opponent.get(other.person.entry, []) for other in lines]
