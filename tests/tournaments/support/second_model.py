"""A second model of an event: what follows from its results, worked out again from the rules in docs/.

It shares with the product only the plan as it was drawn and the lots (`formats.lots`, and `seat_entrants` for the lots
of a round), never `formats.progress`, `formats.tables` or anything in `state`. It plays the history from its beginning,
and every correction and undo after that, and says who stands in every slot, who goes on and how everybody is rated.

Stages end their tie-breaks with `PLAIN`: points, matches won at the board, lots.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import sqrt
from typing import NamedTuple

from formats import graph as plan
from formats.elimination.seating import Past, lots_of, seat_entrants
from formats.lots import Lots
from matches.lifecycle.finish import ResultInput
from tests.tournaments.support.correcting import LENGTH, Cup, Left, Paired, Played
from tournaments.models import Fixture, Round, Slot, Stage

PLAIN = ("wins", "lots")
FIRST_RATING = 1500.0


class Seen(NamedTuple):
    """A slot: its status, who stands in it, and who is missing in it."""

    status: str
    entry: int | None = None
    absent: int | None = None


BYE, OPEN, NOBODY = Seen("bye"), Seen("to_be_decided"), Seen("walkover")
Key = tuple[int, int, int]
"""A match: the number of its fixture, and its two entries."""


@dataclass(frozen=True)
class Decision:
    """A result, who goes on by it, and the places by table that were kept with it."""

    winner: int | None
    is_played: bool
    goes_on: int | None
    kept: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, result: ResultInput) -> "Decision":
        return cls(result.winner, result.kind == "played", result.winner)


@dataclass(frozen=True)
class PlannedMatch:
    """A fixture of the plan, whose sources are as its slots store them."""

    number: int
    bracket: str
    round: int
    sources: tuple[plan.Source, plan.Source]
    needed_if: tuple[int, int] | None


@dataclass(frozen=True)
class PlannedStage:
    """A stage of the plan."""

    number: int
    format: str
    qualifiers: int
    rounds: int
    lots_seed: bytes
    matches: tuple[PlannedMatch, ...]
    seats: Mapping[tuple[str, int], plan.Round]
    """The rounds drawn once their players are known."""


@dataclass
class View:
    """What stands."""

    slots: dict[int, tuple[Seen, Seen]] = field(default_factory=dict)
    statuses: dict[int, str] = field(default_factory=dict)
    orders: dict[str, list[int]] = field(default_factory=dict)
    """Table -> entries, best first; of tables that are over."""
    earned: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    places: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    """Table -> who goes on; `earned` is that by the results alone."""
    drawn: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)

    def pair(self, number: int) -> tuple[int, int] | None:
        first, second = (slot.entry or slot.absent for slot in self.slots[number])
        return None if first is None or second is None else (first, second)


@dataclass
class SecondModel:
    """The facts so far, and what stands by them."""

    stages: list[PlannedStage]
    byes: dict[tuple[int, int], dict[int, str]]
    """(stage, round) -> entry -> kind of its bye."""
    decisions: dict[Key, Decision] = field(default_factory=dict)
    ended: dict[Key, tuple[datetime, int]] = field(default_factory=dict)
    left: dict[int, datetime] = field(default_factory=dict)
    begun: list[tuple[int, datetime, frozenset[int]]] = field(default_factory=list)
    """(stage, time, entries) of what people have decided or published."""
    frozen: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    stays_rated: dict[Key, bool] = field(default_factory=dict)
    """Of matches that were void at some time: whether they stayed rated the last time."""
    view: View = field(default_factory=View)

    @classmethod
    def of(cls, cup: Cup) -> "SecondModel":
        """Read the plan of a division and play its history again."""
        model = cls([_planned(stage) for stage in cup.division.stages.order_by("number")], {})
        entry_of = dict(cup.division.entries.values_list("player", "pk"))
        for event in cup.history:
            if isinstance(event, Paired):
                model.byes[event.stage, event.round] = {entry_of[player]: kind for player, kind in event.byes.items()}
                if event.round:
                    model.begun.append((event.stage, event.at, frozenset(entry_of.values())))
            elif isinstance(event, Left):
                model.left[entry_of[event.player]] = event.at
            elif isinstance(event, Played):
                first, second = (entry_of[player] for player in event.pair)
                model.decide((event.number, first, second), Decision.of(event.result), event.at)
            model.settle(event.at)
        return model

    # What happens

    def decide(self, key: Key, decision: Decision, at: datetime) -> None:
        """A person decides a match."""
        stage, match = next((s, m) for s in self.stages for m in s.matches if m.number == key[0])
        self.decisions[key] = decision
        self.ended.setdefault(key, (at, len(self.ended)))
        self.begun.append((stage.number, at, frozenset(key[1:])))
        where = (match.bracket, match.round)
        if where in self.view.drawn and any(isinstance(source, plan.DrawnSeat) for source in match.sources):
            self.frozen.setdefault(where, self.view.drawn[where])

    def settle(self, at: datetime, *, rated: bool = True, as_before: Mapping[Key, bool] | None = None) -> None:
        """Work out what stands now; matches that become void stay rated as they were `as_before`, else if `rated`."""
        old, self.view = self.view, self._look(at)
        for key in self.decisions:
            number, first, second = key
            if number in old.slots and old.pair(number) == (first, second) != self.view.pair(number):
                known = None if as_before is None else as_before.get(key, self.stays_rated.get(key, True))
                self.stays_rated[key] = rated if known is None else known

    def correct(self, number: int, new: ResultInput, *, keep: bool, rated: bool, at: datetime) -> "SecondModel":
        """What would stand if a result were corrected."""
        after = self.copy()
        key = (number, *(self.view.pair(number) or (0, 0)))
        decision = Decision.of(new)
        if keep:
            old = self.decisions[key]
            decision = replace(decision, goes_on=old.goes_on, kept=old.kept)
            after.decide(key, decision, at)
            trial = after.copy()
            trial.settle(at)
            changed = {
                table: places
                for table, places in self.view.places.items()
                if _stage_of(table) == self.stage_of(number)
                and (places, self.view.earned[table]) != (trial.view.places.get(table), trial.view.earned.get(table))
            }
            decision = replace(decision, kept={**old.kept, **changed})
        after.decide(key, decision, at)
        after.settle(at, rated=rated)
        return after

    def undo(self, before: "SecondModel", number: int, at: datetime) -> "SecondModel":
        """What would stand if the correction of a match, made when `before` stood, were undone."""
        after = self.copy()
        key = (number, *(self.view.pair(number) or (0, 0)))
        after.decide(key, before.decisions[key], at)
        after.settle(at, as_before=before.stays_rated)
        return after

    def copy(self) -> "SecondModel":
        """The same facts, to which others can be added."""
        return replace(
            self,
            decisions=dict(self.decisions),
            ended=dict(self.ended),
            begun=list(self.begun),
            frozen=dict(self.frozen),
            stays_rated=dict(self.stays_rated),
        )

    def stage_of(self, number: int) -> int:
        """The number of the stage of a match."""
        return next(stage.number for stage in self.stages for match in stage.matches if match.number == number)

    # What follows

    def _look(self, at: datetime) -> View:
        view = View()
        for stage in self.stages:
            self._look_at(stage, view, at)
        return view

    def _look_at(self, stage: PlannedStage, view: View, at: datetime) -> None:
        walk = Walk(self, stage, view)
        for match in stage.matches:
            if not walk.leaves_out(match):
                raw = (walk.arriving(match.sources[0]), walk.arriving(match.sources[1]))
                self._record_walkover(match.number, raw, at)
                walk.pass_on(match.number, raw)
        self._tables(stage, view)

    def _record_walkover(self, number: int, raw: tuple[Seen, Seen], at: datetime) -> None:
        """Record that one of two entrants is missing; if both are, nobody goes on."""
        here = [self.missing(slot) for slot in raw]
        first, second = (slot.entry or slot.absent for slot in here)
        if first is not None and second is not None and any(slot.absent for slot in here):
            present = next((side for side, slot in enumerate(here) if slot.entry is not None), None)
            if (key := (number, first, second)) not in self.decisions:
                self.decisions[key] = Decision(present, is_played=False, goes_on=present)
                self.ended[key] = (at, len(self.ended))

    def missing(self, slot: Seen) -> Seen:
        """The slot, if its entry has withdrawn as a walkover."""
        return Seen("walkover", None, slot.entry) if slot.entry in self.left else slot

    def past(self, stage: PlannedStage, view: View) -> Past:
        """Who has met and had byes in the matches of a stage that were looked at so far."""
        past = Past()
        for match in stage.matches:
            pair = view.pair(match.number) if match.number in view.slots else None
            if pair is not None and self.decisions.get((match.number, *pair), None) is not None:
                past.met[frozenset(pair)] += self.decisions[match.number, *pair].is_played
            elif view.statuses.get(match.number) == "bye":
                past.byes[next(slot.entry for slot in view.slots[match.number] if slot.entry is not None)] += 1
        return past

    # Tables, and who goes on

    def _tables(self, stage: PlannedStage, view: View) -> None:
        if not stage.matches or stage.format not in ("swiss", "groups", "roundrobin"):
            return
        kept: dict[str, tuple[int | None, ...]] = {}
        for match in reversed(stage.matches):
            pair = view.pair(match.number)
            if pair is not None and view.statuses[match.number] == "decided":
                kept |= self.decisions[match.number, *pair].kept
        for bracket in sorted({match.bracket for match in stage.matches}):
            matches = [match for match in stage.matches if match.bracket == bracket]
            table = f"{stage.number}:{bracket}" if stage.format == "groups" else str(stage.number)
            entries = {slot.entry or slot.absent or 0 for match in matches for slot in view.slots[match.number]} - {0}
            gone = self._gone(stage, entries)
            order = self._order(stage, matches, entries, gone, view)
            over = all(view.statuses[match.number] not in ("waiting", "ready") for match in matches)
            if stage.format == "swiss":
                over = over and len({match.round for match in matches}) == stage.rounds
            if not over:
                continue
            view.orders[table] = order
            if stage.qualifiers:
                first = [entry for entry in kept.get(table, ()) if entry is not None]
                if not entries.issuperset(first):
                    first = []
                rest = [entry for entry in order if entry not in first]
                view.earned[table] = _first(stage.qualifiers, [entry for entry in order if entry not in gone])
                view.places[table] = _first(stage.qualifiers, [entry for entry in first + rest if entry not in gone])

    def _gone(self, stage: PlannedStage, entries: set[int]) -> set[int]:
        """Those who had withdrawn when the first of this table began to play in the next stage."""
        begun = [at for number, at, who in self.begun if number == stage.number + 1 and who & entries]
        return {entry for entry, at in self.left.items() if entry in entries and (not begun or at <= min(begun))}

    def _order(
        self, stage: PlannedStage, matches: list[PlannedMatch], entries: set[int], gone: set[int], view: View
    ) -> list[int]:
        dropped = set() if stage.format == "swiss" else self._dropped(matches, gone, view)
        points: Counter[int] = Counter()
        won: Counter[int] = Counter()
        for match in matches:
            pair = view.pair(match.number)
            if pair is None:
                points += self._bye_points(stage, match, view)
            elif view.statuses[match.number] == "decided" and not dropped & set(pair):
                decision = self.decisions[match.number, *pair]
                if decision.winner is not None:
                    points[pair[decision.winner]] += 2
                    won[pair[decision.winner]] += decision.is_played
        lots = Lots(stage.lots_seed, "tiebreak").shuffled(sorted(entries))
        return sorted(entries, key=lambda entry: (-points[entry], -won[entry], lots.index(entry)))

    def _bye_points(self, stage: PlannedStage, match: PlannedMatch, view: View) -> Counter[int]:
        """Half-points for a bye in a Swiss."""
        alone = [slot.entry or slot.absent for slot in view.slots[match.number]]
        kinds = self.byes.get((stage.number, match.round), {})
        worth = {"full": 2, "half": 1}
        given = {entry: worth.get(kinds.get(entry, "full"), 0) for entry in alone if entry is not None}
        return Counter(given if stage.format == "swiss" else {})

    def _dropped(self, matches: list[PlannedMatch], gone: set[int], view: View) -> set[int]:
        """Those who left before they had played half of their matches: none of their results counts."""
        own = {entry: [m for m in matches if entry in (view.pair(m.number) or ())] for entry in gone}
        return {entry for entry, all_ in own.items() if 2 * sum(self._is_played(m, view) for m in all_) < len(all_)}

    def _is_played(self, match: PlannedMatch, view: View) -> bool:
        pair = view.pair(match.number)
        return (
            pair is not None
            and view.statuses[match.number] == "decided"
            and self.decisions[match.number, *pair].is_played
        )

    # Ratings: 4·K·√n·P with K = max(1, 5 - experience/100), see docs/ratings.md

    def ratings(self) -> dict[int, float]:
        """Entry -> rating, for those with rated matches."""
        rating: dict[int, float] = {}
        experience: Counter[int] = Counter()
        for key in sorted(self.ended, key=lambda key: self.ended[key]):
            number, *pair = key
            decision = self.decisions[key]
            stands = self.view.pair(number) == tuple(pair)
            if decision.winner is None or not decision.is_played or not (stands or self.stays_rated.get(key, True)):
                continue
            winner, loser = pair[decision.winner], pair[1 - decision.winner]
            gap = rating.get(loser, FIRST_RATING) - rating.get(winner, FIRST_RATING)
            chance_to_lose = 1 - 1 / (10 ** (gap * sqrt(LENGTH) / 2000) + 1)
            stake = 4 * sqrt(LENGTH) * chance_to_lose
            for entry, sign in ((winner, 1), (loser, -1)):
                k = max(1.0, 5 - experience[entry] / 100)
                rating[entry] = round(rating.get(entry, FIRST_RATING) + sign * stake * k, 6)
                experience[entry] += LENGTH
        return rating


@dataclass
class Walk:
    """A way through the matches of a stage in their order, each time with who arrives from the earlier ones."""

    model: SecondModel
    stage: PlannedStage
    view: View
    winners: dict[int, Seen] = field(default_factory=dict)
    losers: dict[int, Seen] = field(default_factory=dict)

    def arriving(self, source: plan.Source) -> Seen:
        """Who comes from a source."""
        match source:
            case plan.EntrySource(entry):
                return Seen("entry", entry)
            case plan.WinnerOf(number):
                return self.winners[number]
            case plan.LoserOf(number):
                return self.losers[number]
            case plan.PlaceOf(table, place):
                taker = self.view.places[table][place - 1] if table in self.view.places else 0
                return OPEN if taker == 0 else NOBODY if taker is None else Seen("entry", taker)
            case plan.DrawnSeat():
                return self._seated(source)
        return BYE

    def _seated(self, seat: plan.DrawnSeat) -> Seen:
        where = (seat.bracket, seat.round)
        round_ = self.stage.seats[where]
        known = [self.arriving(source) for source in round_.entrants]
        if where in self.model.frozen:
            self.view.drawn[where] = self.model.frozen[where]
        elif OPEN in known:
            return OPEN
        elif where not in self.view.drawn:
            lots = lots_of(self.stage.lots_seed, *where)
            past = self.model.past(self.stage, self.view)
            self.view.drawn[where] = seat_entrants(round_, [slot.entry for slot in known], past, lots)
        return known[self.view.drawn[where][seat.number - 1]]

    def leaves_out(self, match: PlannedMatch) -> bool:
        """Whether this is a second final that is not needed, or not known to be."""
        if match.needed_if is None:
            return False
        final, side = match.needed_if
        challenger, winner = self.view.slots[final][side].entry, self.winners[final]
        if challenger is not None and winner.entry == challenger:
            return False
        slot, status = (OPEN, "waiting") if winner == OPEN else (NOBODY, "not_needed")
        self.view.slots[match.number], self.view.statuses[match.number] = (slot, slot), status
        self.winners[match.number] = self.losers[match.number] = slot
        return True

    def pass_on(self, number: int, raw: tuple[Seen, Seen]) -> None:
        """Note who stands here, and who goes on from here."""
        decision = self.model.decisions.get((number, raw[0].entry or 0, raw[1].entry or 0))
        if decision is not None:
            on = decision.goes_on
            self.view.slots[number], self.view.statuses[number] = raw, "decided"
            self.winners[number], self.losers[number] = (NOBODY, NOBODY) if on is None else (raw[on], raw[1 - on])
            return
        here = (self.model.missing(raw[0]), self.model.missing(raw[1]))
        self.view.slots[number] = here
        self.view.statuses[number], self.winners[number], self.losers[number] = _undecided(*here)
        if BYE in raw and self.winners[number].absent is not None:
            # A bye is not a match: whoever has withdrawn goes on, to a walkover.
            self.winners[number] = raw[0] if raw[1] == BYE else raw[1]


def _stage_of(table: str) -> int:
    return int(table.partition(":")[0])


def _first(count: int, entries: list[int]) -> tuple[int | None, ...]:
    return (*entries[:count], *[None] * (count - len(entries)))


def _undecided(first: Seen, second: Seen) -> tuple[str, Seen, Seen]:
    """The status of a fixture without a result, and who its winner and its loser are (docs/formats.md)."""
    both = (first, second)
    if OPEN in both:
        return "waiting", OPEN, BYE if BYE in both else OPEN
    if BYE in both:
        other = first if second == BYE else second
        return "bye" if other.entry is not None else "empty", other, BYE
    present = [slot for slot in both if slot.entry is not None]
    absent = [slot.absent for slot in both if slot.absent is not None]
    loser = Seen("entry", absent[0]) if len(absent) == 1 else NOBODY
    if len(present) == 2:
        return "ready", OPEN, OPEN
    return ("walkover", present[0], loser) if present else ("empty", NOBODY, loser)


def _planned(stage: Stage) -> PlannedStage:
    settings = stage.settings
    matches = []
    fixtures = Fixture.objects.filter(stage=stage).select_related("round__bracket").order_by("number")
    for row in fixtures.prefetch_related("slots"):
        first, second = (_source(slot) for slot in sorted(row.slots.all(), key=lambda slot: slot.side))
        needed = None
        if row.needed_if_fixture is not None and row.needed_if_slot is not None:
            needed = (row.needed_if_fixture, row.needed_if_slot)
        matches.append(PlannedMatch(row.number, row.round.bracket.key, row.round.number, (first, second), needed))
    seats = {}
    for round_ in Round.objects.filter(bracket__stage=stage).exclude(entrants=[]).select_related("bracket"):
        where = (round_.bracket.key, round_.number)
        own = tuple(
            plan.Fixture(match.number, match.sources) for match in matches if (match.bracket, match.round) == where
        )
        entrants = tuple(
            plan.WinnerOf(number) if kind == "winner" else plan.LoserOf(number) for kind, number in round_.entrants
        )
        seats[where] = plan.Round(round_.number, own, (), entrants)
    return PlannedStage(
        stage.number,
        stage.format,
        settings.get("qualifiers") or 0,
        settings.get("rounds") or 0,
        bytes.fromhex(stage.lots_seed),
        tuple(matches),
        seats,
    )


def _source(slot: Slot) -> plan.Source:
    if slot.is_seat:
        bracket, _colon, number = slot.source_stage.rpartition(":")
        return plan.DrawnSeat(bracket, int(number), slot.source_place or 0)
    match slot.source:
        case "entry":
            return plan.EntrySource(slot.source_entry_id or 0)
        case "winner":
            return plan.WinnerOf(slot.source_fixture or 0)
        case "loser":
            return plan.LoserOf(slot.source_fixture or 0)
        case "place":
            return plan.PlaceOf(slot.source_stage, slot.source_place or 0)
    return plan.BYE
