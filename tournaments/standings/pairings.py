"""Pairings: the matches that can be played now, or a round with its byes and walkovers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils import timezone
from django.utils.translation import gettext as _

from core.names import fold
from formats.graph import BYE, Bracket, ByeSource, EntryId
from formats.graph import Round as PlannedRound
from formats.settings import DOUBLE, ELIMINATION, GROUPS, SWISS
from formats.states import FixtureState, FixtureStatus, SlotStatus
from matches.lifecycle.where import Where
from matches.models import Result
from matches.play.watching import where_of
from matches.presentation.labels import shown_score
from matches.presentation.visibility import NOBODY
from tournaments.models import Division, Stage
from tournaments.standings.brackets import bracket_name, round_name
from tournaments.standings.labels import meaning, points_text
from tournaments.standings.rounds import board_name, has_open_floor
from tournaments.standings.standings import ShownEntry, person, standing_kinds
from tournaments.state.derivation import StageState, states_of
from tournaments.state.names import Names

ADVANCES = "advances"
"""The kind of bye in a bracket."""


@dataclass(slots=True)
class PairingSide:
    """One side of a pairing; `status` is a `SlotStatus` value, `person` the entry or the one that is absent."""

    status: str
    person: ShownEntry | None = None
    points: float | None = None
    """Before the round, in a Swiss."""
    won: bool = False
    score: int | None = None

    @property
    def points_text(self) -> str:
        """The points with their noun, e.g. “2½ points”."""
        return "" if self.points is None else points_text(self.points)


@dataclass(slots=True)
class BoardPairing:
    """A fixture of a round.

    `board` is its number in the round; None if matches start whenever they are ready, and while the floor is open.
    """

    number: int
    public_id: str
    bracket: str
    bracket_title: str
    round: int
    round_title: str
    length: int
    status: str
    sides: tuple[PairingSide, PairingSide]
    board: int | None = None
    kind: str = ""
    """The kind of the standing result."""
    bye: str = ""
    """The kind of the bye, if it is one."""
    match: str = ""
    start: tuple[int, int] = (0, 0)
    """The score at which its match begins."""
    where: Where | None = None
    """Where its match is, as spectators see it; None without a match and once it is over."""

    @property
    def table(self) -> str:
        """The label of its table; empty if it is at none."""
        return self.where.table if self.where is not None else ""

    @property
    def place(self) -> str:
        """Where a player finds the match: its table, its board, or the match number."""
        if self.table:
            return _("Table %(table)s") % {"table": self.table}
        return board_name(self.board) if self.board is not None else f"M{self.number}"

    @property
    def bye_meaning(self) -> str:
        if self.bye == ADVANCES:
            return _("bye by the draw: advances without a match")
        return meaning(f"bye_{self.bye}") if self.bye else ""

    @property
    def ending(self) -> str:
        """How the match ended, unless it was simply played."""
        return str(Result.Kind(self.kind).label) if self.kind not in ("", Result.Kind.PLAYED) else ""

    @property
    def present(self) -> ShownEntry | None:
        return next((side.person for side in self.sides if side.status == SlotStatus.ENTRY), None)

    @property
    def missing(self) -> ShownEntry | None:
        return next((side.person for side in self.sides if side.status == SlotStatus.WALKOVER), None)


@dataclass(slots=True)
class PairingsView:
    """The pairings of a stage: of `round`, or (None) those that can be played now."""

    stage: Stage | None
    round: int | None
    pairings: list[BoardPairing] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    unfinished: bool = False
    """Whether matches are left to play."""
    resting: list[BoardPairing] = field(default_factory=list)
    """What can be played now leaves out byes: those of players who wait for their first match."""
    has_boards: bool = False
    """Whether the matches of a round are counted as boards."""

    @property
    def to_play(self) -> list[BoardPairing]:
        """Pairings of two players, by board."""
        return [
            pairing
            for pairing in self.pairings
            if pairing.status in ("ready", "decided") and pairing.kind != Result.Kind.WALKOVER
        ]

    @property
    def byes(self) -> list[BoardPairing]:
        """Pairings without an opponent, by the format."""
        return self._with_status("bye")

    @property
    def walkovers(self) -> list[BoardPairing]:
        """Pairings with one player who has withdrawn."""
        return [
            pairing for pairing in self.pairings if pairing.status == "walkover" or pairing.kind == Result.Kind.WALKOVER
        ]

    @property
    def empty(self) -> list[BoardPairing]:
        return self._with_status("empty")

    @property
    def undecided(self) -> list[BoardPairing]:
        """Pairings whose players are not known yet."""
        return self._with_status("waiting")

    def _with_status(self, status: str) -> list[BoardPairing]:
        return [pairing for pairing in self.pairings if pairing.status == status]

    @property
    def index(self) -> list[tuple[ShownEntry, str]]:
        """Every player by name, with their table, board, match number, bye or walkover."""
        places = [
            (side.person, pairing.place)
            for pairing in self.to_play
            for side in pairing.sides
            if side.person is not None
        ]
        places += [(bye.present, _("Bye")) for bye in (*self.byes, *self.resting) if bye.present is not None]
        places += [(walkover.present, _("Walkover")) for walkover in self.walkovers if walkover.present is not None]
        return sorted(places, key=lambda pair: (fold(pair[0].name), pair[0].entry))


def pairings_of(
    division: Division,
    names: Names,
    *,
    stage: int | None = None,
    round_number: int | None = None,
    here: int | None = None,
) -> PairingsView:
    """Return the pairings of a round of the current stage, or of the stage with this number.

    Without a round: in brackets what can be played now, otherwise the first unfinished round, or the last.
    """
    states = states_of(division)
    chosen = _chosen_stage(states, stage)
    view = PairingsView(chosen.stage if chosen else None, round_number, stages=[state.stage for state in states])
    if chosen is None:
        return view
    brackets = chosen.progress.graph.brackets
    view.rounds = sorted({planned.number for bracket in brackets for planned in bracket.rounds})
    view.unfinished = not chosen.over
    if chosen.rows.settings.is_continuous:
        view.rounds = []
    elif round_number is None and chosen.rows.settings.format not in ELIMINATION:
        view.round = _current_round(chosen, view.rounds)
    settings = chosen.rows.settings
    has_boards = settings.format not in ELIMINATION and not settings.is_continuous
    view.has_boards = has_boards and not has_open_floor(division.tournament_id)
    view.pairings = _PairingBuilder(chosen, division, names, here).all(view.round, has_boards=view.has_boards)
    if view.round is None:
        view.resting = _resting(view.byes, view.pairings)
        view.pairings = [pairing for pairing in view.pairings if pairing.status == FixtureStatus.READY]
    _add_where(view.pairings, chosen)
    return view


def _resting(byes: Sequence[BoardPairing], pairings: Sequence[BoardPairing]) -> list[BoardPairing]:
    """Return the byes of players who have no other match than one whose opponent is not known yet."""
    busy = {
        side.person.entry
        for pairing in pairings
        for side in pairing.sides
        if side.person is not None and pairing.status in (FixtureStatus.READY, FixtureStatus.DECIDED)
    }
    return [bye for bye in byes if bye.present is not None and bye.present.entry not in busy]


def _add_where(pairings: Sequence[BoardPairing], state: StageState) -> None:
    """Set where the matches are that are not over, as spectators see them."""
    ready = [pairing for pairing in pairings if pairing.status == FixtureStatus.READY]
    matches = {pairing.number: state.rows.fixtures[pairing.number].match for pairing in ready}
    where = where_of([match for match in matches.values() if match is not None], NOBODY, timezone.now())
    for pairing in ready:
        match = matches[pairing.number]
        pairing.where = where[match.pk] if match is not None else None


def _chosen_stage(states: Sequence[StageState], number: int | None) -> StageState | None:
    if number is not None:
        return next((state for state in states if state.stage.number == number), None)
    begun = [state for state in states if state.rows.fixtures]
    return next((state for state in begun if not state.over), begun[-1] if begun else None)


def _current_round(state: StageState, rounds: Sequence[int]) -> int | None:
    for number in rounds if state.event is None else rounds[-1:]:
        rounds_of_number = [
            round_ for bracket in state.progress.graph.brackets for round_ in bracket.rounds if round_.number == number
        ]
        fixtures = [fixture.number for round_ in rounds_of_number for fixture in round_.fixtures]
        if any(not state.progress.fixtures[fixture].over for fixture in fixtures):
            return number
    return rounds[-1] if rounds else None


class _PairingBuilder:
    def __init__(self, state: StageState, division: Division, names: Names, here: int | None) -> None:
        self.state, self.names, self.here = state, names, here
        self.settings = state.rows.settings
        self.kinds = standing_kinds(division)
        self.gone = frozenset(item.entry for item in state.rows.withdrawals())
        self.lengths = {(row.bracket_id, row.number): row.length for row in state.rows.rounds}
        self.bracket_ids = {row.key: row.pk for row in state.rows.brackets}

    def all(self, round_number: int | None, *, has_boards: bool) -> list[BoardPairing]:
        """Return the pairings of a round, or of all; boards are numbered per round."""
        pairings: list[BoardPairing] = []
        boards: dict[int, int] = {}
        for bracket in self.state.progress.graph.brackets:
            for planned in bracket.rounds:
                if round_number is not None and planned.number != round_number:
                    continue
                points = self._points(planned.number)
                for fixture in planned.fixtures:
                    pairing = self._pairing(bracket, planned, fixture.number, points)
                    if not any(isinstance(source, ByeSource) for source in fixture.sources):
                        boards[planned.number] = boards.get(planned.number, 0) + 1
                        if has_boards:
                            pairing.board = boards[planned.number]
                    pairings.append(pairing)
        return pairings

    def _points(self, round_number: int) -> dict[EntryId, float]:
        event = self.state.event
        shown = event is not None and self.settings.format == SWISS and not event.continuous
        return event.scores_before(round_number) if event is not None and shown else {}

    def _pairing(
        self, bracket: Bracket, planned: PlannedRound, number: int, points: dict[EntryId, float]
    ) -> BoardPairing:
        state, row = self.state.progress.fixtures[number], self.state.rows.fixtures[number]
        match = row.match
        kind = self.kinds.get(row.match_id or 0, "") if state.status is FixtureStatus.DECIDED else ""
        walkover = kind == Result.Kind.WALKOVER
        length = self.lengths[self.bracket_ids[bracket.key], planned.number]
        first, second = (self._side(state, side, points, length, walkover=walkover) for side in (0, 1))
        pairing = BoardPairing(
            number=number,
            public_id=row.public_id,
            bracket=bracket.key,
            bracket_title=self._title(bracket.key),
            round=planned.number,
            round_title=self._round_title(bracket, planned),
            length=length,
            status=state.status.value,
            sides=(first, second),
            kind=kind,
            match=match.public_id if match is not None else "",
            start=match.start_score if match is not None else (0, 0),
        )
        if state.status is FixtureStatus.BYE:
            pairing.bye = self._bye(planned.number, state)
        return pairing

    def _title(self, key: str) -> str:
        """Return the bracket's title; empty if the stage has only one."""
        titled = self.settings.format in (*ELIMINATION, GROUPS)
        return bracket_name(key, upper=self.settings.format == DOUBLE) if titled else ""

    def _round_title(self, bracket: Bracket, planned: PlannedRound) -> str:
        if self.settings.format in ELIMINATION:
            size, rounds, starts = len(planned.fixtures), len(bracket.rounds), len(self.settings.starts)
            upper, byes = self.settings.format == DOUBLE, sum(BYE in fixture.sources for fixture in planned.fixtures)
            return round_name(bracket.key, planned.number, size, rounds, upper=upper, starts=starts, byes=byes)
        if self.settings.is_continuous:
            return ""
        return _("Round %(number)s") % {"number": planned.number}

    def _side(
        self, state: FixtureState, side: int, points: dict[EntryId, float], length: int, *, walkover: bool
    ) -> PairingSide:
        slot = state.slots[side]
        entry = slot.entrant
        pairing_side = PairingSide(slot.status.value)
        if entry is not None:
            pairing_side.person = person(self.names, entry, self.gone, self.here)
            pairing_side.points = points.get(entry)
        if state.result is not None:
            pairing_side.won = state.result.winner == side
            if walkover and not pairing_side.won:
                # A walkover is stored as a result, but still shown as a walkover.
                pairing_side.status = SlotStatus.WALKOVER.value
            pairing_side.score = shown_score(length, state.result.score)[side] if state.result.score else None
        elif state.status is FixtureStatus.WALKOVER:
            pairing_side.won = slot.entry is not None
        return pairing_side

    def _bye(self, round_number: int, state: FixtureState) -> str:
        """Return the kind of a bye: the pairing's, else "drawn", or "advances" in brackets."""
        if self.state.event is None:
            return ADVANCES if self.settings.format in ELIMINATION else "drawn"
        entries = {slot.entry for slot in state.slots} | {slot.absent for slot in state.slots}
        byes = self.state.event.rounds[round_number - 1].byes
        return next((bye.kind.value for bye in byes if bye.entry in entries), "drawn")
