"""Who meets whom: the matches that can be played now, or those of a round, with the byes and walkovers beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from matches.models import Result
from matches.presentation.labels import shown_score
from tournaments.formats.graph import Bracket, ByeSource, EntryId
from tournaments.formats.graph import Round as PlannedRound
from tournaments.formats.progress import FixtureState, FixtureStatus, SlotStatus
from tournaments.formats.settings import DOUBLE, ELIMINATION, GROUPS, SWISS
from tournaments.formats.tables.tiebreaks import plain
from tournaments.models import Division, Stage
from tournaments.standings.labels import meaning
from tournaments.standings.layout import bracket_name, round_name
from tournaments.standings.selectors.brackets import mark_of
from tournaments.standings.selectors.cells import standing_kinds
from tournaments.standings.selectors.rows import Person
from tournaments.standings.selectors.standings import person
from tournaments.state.derivation import StageState, states_of
from tournaments.state.names import Names

ADVANCES = "advances"
"""The kind of a bye in a bracket."""


@dataclass(slots=True)
class Side:
    """One side of a pairing: who stands there (or should have come), by the four names of a slot."""

    stands: str
    person: Person | None = None
    points: float | None = None
    """Before the round, in a Swiss."""
    won: bool = False
    score: int | None = None

    @property
    def points_text(self) -> str:
        """Without needless decimals."""
        return "" if self.points is None else plain(self.points)


@dataclass(slots=True)
class Pairing:
    """A fixture of a round. `table` is its order in the round, None where matches start whenever they are ready."""

    number: int
    public_id: str
    bracket: str
    bracket_title: str
    round: int
    round_title: str
    length: int
    status: str
    sides: tuple[Side, Side]
    table: int | None = None
    kind: str = ""
    """How it ended: a kind of the result that stands."""
    bye: str = ""
    """The kind of the bye, where it is one."""
    match: str = ""
    mark: str = ""
    """live, claimed, disputed or empty."""

    @property
    def where(self) -> str:
        """What a player looks for: a table, or the number of the match."""
        if self.table is not None:
            return _("Table %(number)d") % {"number": self.table}
        return f"M{self.number}"

    @property
    def bye_meaning(self) -> str:
        """What the bye is worth."""
        if self.bye == ADVANCES:
            return _("bye by the draw: goes on without a match")
        return meaning(f"bye_{self.bye}") if self.bye else ""

    @property
    def ending(self) -> str:
        """How it ended, where it was not simply played."""
        return str(Result.Kind(self.kind).label) if self.kind not in ("", Result.Kind.PLAYED) else ""

    @property
    def present(self) -> Person | None:
        """The one who is there, of a bye or a walkover."""
        return next((side.person for side in self.sides if side.stands == SlotStatus.ENTRY), None)

    @property
    def missing(self) -> Person | None:
        """The one who has withdrawn, of a walkover."""
        return next((side.person for side in self.sides if side.stands == SlotStatus.WALKOVER), None)


@dataclass(slots=True)
class PairingsView:
    """The pairings of a stage: of `round`, or (None) those that can be played now."""

    stage: Stage | None
    round: int | None
    pairings: list[Pairing] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    going_on: bool = False
    """Whether something is left to play."""

    @property
    def to_play(self) -> list[Pairing]:
        """Those with two players, by table."""
        return [one for one in self.pairings if one.status in ("ready", "decided") and one.kind != Result.Kind.WALKOVER]

    @property
    def byes(self) -> list[Pairing]:
        """Nobody comes, by the format."""
        return [one for one in self.pairings if one.status == "bye"]

    @property
    def walkovers(self) -> list[Pairing]:
        """Somebody should have come and has withdrawn."""
        return [one for one in self.pairings if one.status == "walkover" or one.kind == Result.Kind.WALKOVER]

    @property
    def empty(self) -> list[Pairing]:
        """Neither comes."""
        return [one for one in self.pairings if one.status == "empty"]

    @property
    def undecided(self) -> list[Pairing]:
        """Not known yet who comes."""
        return [one for one in self.pairings if one.status == "waiting"]

    @property
    def index(self) -> list[tuple[Person, str]]:
        """Every player by name, with his table, his match or his bye."""
        found: list[tuple[Person, str]] = []
        for one in self.to_play:
            found += [(side.person, one.where) for side in one.sides if side.person is not None]
        found += [(one.present, _("Bye")) for one in self.byes if one.present is not None]
        for one in self.walkovers:
            if one.present is not None:
                found.append((one.present, _("Walkover")))
        return sorted(found, key=lambda pair: (pair[0].name.casefold(), pair[0].entry))


def pairings_of(
    division: Division,
    names: Names,
    *,
    stage: int | None = None,
    round_number: int | None = None,
    here: int | None = None,
) -> PairingsView:
    """The pairings of the stage that is being played, or of the one of that number, and of one of its rounds.

    Without a round: what can be played now in a bracket, elsewhere the first round that is not over, or the last.
    """
    states = states_of(division)
    chosen = _chosen(states, stage)
    view = PairingsView(chosen.stage if chosen else None, round_number, stages=[state.stage for state in states])
    if chosen is None:
        return view
    brackets = chosen.progress.graph.brackets
    view.rounds = sorted({planned.number for bracket in brackets for planned in bracket.rounds})
    view.going_on = not chosen.over
    if round_number is None and chosen.rows.settings.format not in ELIMINATION:
        view.round = _current_round(chosen, view.rounds)
    made = _Maker(chosen, division, names, here).all(view.round)
    if view.round is None:
        made = [one for one in made if one.status == FixtureStatus.READY]
    view.pairings = made
    return view


def _chosen(states: Sequence[StageState], number: int | None) -> StageState | None:
    if number is not None:
        return next((state for state in states if state.stage.number == number), None)
    begun = [state for state in states if state.rows.fixtures]
    return next((state for state in begun if not state.over), begun[-1] if begun else None)


def _current_round(state: StageState, rounds: Sequence[int]) -> int | None:
    for number in rounds if state.event is None else rounds[-1:]:
        planned = [one for bracket in state.progress.graph.brackets for one in bracket.rounds if one.number == number]
        if any(not state.progress.fixtures[f.number].over for one in planned for f in one.fixtures):
            return number
    return rounds[-1] if rounds else None


class _Maker:
    """Makes the pairings of a stage for one reader."""

    def __init__(self, state: StageState, division: Division, names: Names, here: int | None) -> None:
        self.state, self.names, self.here = state, names, here
        self.settings = state.rows.settings
        self.kinds = standing_kinds(division)
        self.gone = frozenset(item.entry for item in state.rows.withdrawals())
        self.lengths = {(row.bracket_id, row.number): row.length for row in state.rows.rounds}
        self.bracket_ids = {row.key: row.pk for row in state.rows.brackets}

    def all(self, round_number: int | None) -> list[Pairing]:
        """Those of a round, or of all; tables are counted through a round."""
        made: list[Pairing] = []
        tables: dict[int, int] = {}
        for bracket in self.state.progress.graph.brackets:
            for planned in bracket.rounds:
                if round_number is not None and planned.number != round_number:
                    continue
                points = self._points(planned.number)
                for fixture in planned.fixtures:
                    pairing = self._pairing(bracket, planned, fixture.number, points)
                    if not any(isinstance(source, ByeSource) for source in fixture.sources):
                        tables[planned.number] = tables.get(planned.number, 0) + 1
                        if self.settings.format not in ELIMINATION:
                            pairing.table = tables[planned.number]
                    made.append(pairing)
        return made

    def _points(self, round_number: int) -> dict[EntryId, float]:
        event = self.state.event
        return event.scores_before(round_number) if event is not None and self.settings.format == SWISS else {}

    def _pairing(self, bracket: Bracket, planned: PlannedRound, number: int, points: dict[EntryId, float]) -> Pairing:
        stands, row = self.state.progress.fixtures[number], self.state.rows.fixtures[number]
        match = row.match
        kind = self.kinds.get(row.match_id or 0, "") if stands.status is FixtureStatus.DECIDED else ""
        walkover = kind == Result.Kind.WALKOVER
        length = self.lengths[self.bracket_ids[bracket.key], planned.number]
        first, second = (self._side(stands, side, points, length, walkover=walkover) for side in (0, 1))
        ready = stands.status is FixtureStatus.READY and match is not None
        pairing = Pairing(
            number=number,
            public_id=row.public_id,
            bracket=bracket.key,
            bracket_title=self._title(bracket.key),
            round=planned.number,
            round_title=self._round_title(bracket, planned),
            length=length,
            status=stands.status.value,
            sides=(first, second),
            kind=kind,
            match=match.public_id if match is not None else "",
            mark=mark_of(match) if ready and match is not None else "",
        )
        if stands.status is FixtureStatus.BYE:
            pairing.bye = self._bye(planned.number, stands)
        return pairing

    def _title(self, key: str) -> str:
        """Empty where there is one alone."""
        titled = self.settings.format in (*ELIMINATION, GROUPS)
        return bracket_name(key, upper=self.settings.format == DOUBLE) if titled else ""

    def _round_title(self, bracket: Bracket, planned: PlannedRound) -> str:
        if self.settings.format in ELIMINATION:
            upper = self.settings.format == DOUBLE
            return round_name(bracket.key, planned.number, len(planned.fixtures), len(bracket.rounds), upper=upper)
        return _("Round %(number)d") % {"number": planned.number}

    def _side(
        self, stands: FixtureState, side: int, points: dict[EntryId, float], length: int, *, walkover: bool
    ) -> Side:
        slot = stands.slots[side]
        entry = slot.entrant
        made = Side(slot.status.value)
        if entry is not None:
            made.person = person(self.names, entry, self.gone, self.here)
            made.points = points.get(entry)
        if stands.result is not None:
            made.won = stands.result.winner == side
            if walkover and not made.won:
                # It is booked as the result it will be; the name of what happened stays.
                made.stands = SlotStatus.WALKOVER.value
            made.score = shown_score(length, stands.result.score)[side] if stands.result.score else None
        elif stands.status is FixtureStatus.WALKOVER:
            made.won = slot.entry is not None
        return made

    def _bye(self, round_number: int, stands: FixtureState) -> str:
        """Its kind: that of the pairing, else drawn, or in brackets advances."""
        if self.state.event is None:
            return ADVANCES if self.settings.format in ELIMINATION else "drawn"
        who = {slot.entry for slot in stands.slots} | {slot.absent for slot in stands.slots}
        byes = self.state.event.rounds[round_number - 1].byes
        return next((bye.kind.value for bye in byes if bye.entry in who), "drawn")
