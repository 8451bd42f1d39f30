"""Simulation of whole events with random results, to compare formats.

Draws use lots, as real ones do. Results are drawn with the probability that the caller gives (an even chance by
default), from a generator seeded for each event; equal input gives equal reports, apart from the measured seconds.

A rematch is a match of two players who have met before in the event; a second final is not counted. It is avoidable if
the players of that round could have been paired with fewer earlier meetings. A bye in a bracket fed by losers is unfair
if somebody else in that round had had fewer byes.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from time import perf_counter

from formats.elimination.knockout import draw, knockout
from formats.elimination.lower_bracket import double_elimination, with_lower_bracket
from formats.elimination.patterns import propose_consolation, propose_double
from formats.elimination.places import certain_places
from formats.errors import Refused
from formats.facts import Result
from formats.graph import FINAL, LOWER, MAIN, EntryId, FixtureId, Graph
from formats.plans import draw_places, plan_of, sources_of
from formats.progress import Progress, progress
from formats.settings import PLACES, StageSettings
from formats.states import FixtureStatus
from formats.swiss.event import SwissEvent, SwissPlayer, SwissRound
from formats.swiss.lives import lives_left, lives_over, lives_places, pair_lives
from formats.swiss.pairing import best_matching, pair_round
from formats.tables.round_robin import round_robin, table
from formats.tables.tiebreaks import standings

Chance = Callable[[EntryId, EntryId], float]
"""The chance (0–1) that the first of two entries beats the second."""

HEAD = 3
"""How many entries of the standings a report shows."""

LIVES = 3


@dataclass(frozen=True, slots=True)
class Spec:
    """What to simulate. `rounds` applies to a Swiss, `pattern` to lower brackets; None means the default."""

    format: str
    players: int
    rounds: int | None = None
    pattern: str | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """The figures of one event. Score differences are None for formats that do not pair by score."""

    format: str
    players: int
    seed: int
    event: int
    rounds: int
    matches: int
    byes_per_player_max: int
    byes_unfair: int
    rematches: int
    rematches_avoidable: int
    max_score_difference: float | None
    sum_score_difference: float | None
    pairing_seconds: list[float]
    standings_head: list[dict[str, float]]


@dataclass(slots=True)
class _Count:
    """The counters of a running event."""

    met: Counter[frozenset[EntryId]] = field(default_factory=Counter)
    byes: Counter[EntryId] = field(default_factory=Counter)
    byes_unfair: int = 0
    matches: int = 0
    rounds: int = 0
    rematches: int = 0
    avoidable: int = 0
    gaps: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def round(self, pairs: Sequence[tuple[EntryId, EntryId]]) -> None:
        earlier = sum(self.met[frozenset(pair)] for pair in pairs)
        if earlier:
            self.rematches += sum(self.met[frozenset(pair)] > 0 for pair in pairs)
            self.avoidable += earlier - self._fewest_meetings([entry for pair in pairs for entry in pair])
        self.met.update(frozenset(pair) for pair in pairs)
        self.matches += len(pairs)

    def _fewest_meetings(self, entries: Sequence[EntryId]) -> int:
        """Return the fewest earlier meetings with which these entries could have been paired."""
        most = max(self.met.values()) + 1
        edges = [
            (a, b, most - self.met[frozenset((entries[a], entries[b]))])
            for a, b in combinations(range(len(entries)), 2)
        ]
        return sum(self.met[frozenset((entries[a], entries[b]))] for a, b in best_matching(len(entries), edges))


def coin(_first: EntryId, _second: EntryId) -> float:
    """Give both sides an even chance."""
    return 0.5


def simulate(spec: Spec, event: int = 1, chance: Chance = coin) -> SimulationReport:
    """Simulate one event. Raises Refused("no_such_format"), or what the format itself refuses."""
    if spec.format not in FORMATS:
        raise Refused("no_such_format", name=spec.format)
    seed = hashlib.sha256(f"{spec.seed}:{event}".encode()).digest()
    results = Random(f"{spec.seed}:{event}")  # noqa: S311 - results are invented, only draws must be verifiable

    def winner(first: EntryId, second: EntryId) -> int:
        return 0 if results.random() < chance(first, second) else 1

    count = _Count()
    head = FORMATS[spec.format](spec, seed, winner, count)
    return SimulationReport(
        format=spec.format,
        players=spec.players,
        seed=spec.seed,
        event=event,
        rounds=count.rounds,
        matches=count.matches,
        byes_per_player_max=max(count.byes.values(), default=0),
        byes_unfair=count.byes_unfair,
        rematches=count.rematches,
        rematches_avoidable=count.avoidable,
        max_score_difference=max(count.gaps, default=None),
        sum_score_difference=sum(count.gaps) if count.gaps else None,
        pairing_seconds=[round(seconds, 4) for seconds in count.seconds],
        standings_head=head,
    )


Winner = Callable[[EntryId, EntryId], int]
Head = list[dict[str, float]]


def _knockout(spec: Spec, seed: bytes, winner: Winner, count: _Count) -> Head:
    started = perf_counter()
    graph = _main(spec, seed)
    count.seconds.append(perf_counter() - started)
    return _head([shared.entries for shared in _played(graph, winner, count).places(MAIN)])


def _progressive(spec: Spec, seed: bytes, winner: Winner, count: _Count) -> Head:
    started = perf_counter()
    proposals = propose_consolation(spec.players)
    if spec.pattern is None and not proposals:
        raise Refused("field_too_small", entries=spec.players, least=5)
    graph = with_lower_bracket(_main(spec, seed), spec.pattern or proposals[0].pattern, seed=seed)
    count.seconds.append(perf_counter() - started)
    return _head([shared.entries for shared in _played(graph, winner, count).places(MAIN)])


def _double(spec: Spec, seed: bytes, winner: Winner, count: _Count) -> Head:
    started = perf_counter()
    pattern = spec.pattern or propose_double(spec.players)[0].pattern
    graph = double_elimination(_main(spec, seed), seed=seed, pattern=pattern)
    count.seconds.append(perf_counter() - started)
    return _head([shared.entries for shared in _played(graph, winner, count).places(FINAL, LOWER)])


def _places(spec: Spec, seed: bytes, winner: Winner, count: _Count) -> Head:
    started = perf_counter()
    drawn = draw_places(StageSettings(PLACES), range(1, spec.players + 1), seed=seed)
    graph = plan_of(StageSettings(PLACES), sources_of(drawn.places), seed=seed)
    count.seconds.append(perf_counter() - started)
    return _head([shared.entries for shared in certain_places(_played(graph, winner, count))])


def _main(spec: Spec, seed: bytes) -> Graph:
    return knockout(draw(range(1, spec.players + 1), seed=seed).places)


def _played(graph: Graph, winner: Winner, count: _Count) -> Progress:
    """Play every fixture as soon as it is ready; fixtures that are ready at the same time make a round."""
    results: dict[FixtureId, Result] = {}
    state = progress(graph, results)
    while state.ready:
        for number in state.ready:
            first, second = _entrants(state, number)
            results[number] = Result(winner(first, second), between=(first, second))
        # A round of a bracket could have been paired differently; a second final could not.
        groups: dict[str, list[tuple[EntryId, EntryId]]] = {}
        for number in state.ready:
            if graph.fixtures[number].needed_if is None:
                groups.setdefault(graph.bracket_of[number], []).append(_entrants(state, number))
            else:
                count.matches += 1
        for pairs in groups.values():
            count.round(pairs)
        count.rounds += 1
        state = progress(graph, results)
    _count_byes(state, count)
    return state


def _count_byes(state: Progress, count: _Count) -> None:
    """Count the byes of every round, and those given while another player of the round had had fewer."""
    for bracket in state.graph.brackets:
        for round_ in bracket.rounds:
            fixtures = [state.fixtures[fixture.number] for fixture in round_.fixtures]
            present = [slot.entry for fixture in fixtures for slot in fixture.slots if slot.entry is not None]
            fewest = min((count.byes[entry] for entry in present), default=0)
            takers = [fixture.winner.entry for fixture in fixtures if fixture.status is FixtureStatus.BYE]
            byes = [entry for entry in takers if entry is not None]
            if bracket.fed_by is not None:
                count.byes_unfair += sum(count.byes[entry] > fewest for entry in byes)
            count.byes.update(byes)


def _entrants(state: Progress, number: FixtureId) -> tuple[EntryId, EntryId]:
    first, second = (slot.entry for slot in state.fixtures[number].slots)
    if first is None or second is None:
        raise ValueError(f"M{number} is not ready")
    return first, second


def _swiss(spec: Spec, seed: bytes, winner: Winner, count: _Count) -> Head:
    rounds = spec.rounds or (spec.players - 1).bit_length()
    event = SwissEvent(_players(spec), planned=rounds)
    for _ in range(rounds):
        started = perf_counter()
        round_ = pair_round(event, seed=seed)
        count.seconds.append(perf_counter() - started)
        count.gaps += [abs(event.scores[p.first] - event.scores[p.second]) for p in round_.pairs]
        event = event.with_round(_with_results(round_, winner, count))
    rows = standings(event.records(lots_seed=seed), ["buchholz_cut_1", "buchholz", "sonneborn_berger", "lots"])
    return [{"place": row.place, "entry": row.entry, "points": row.points} for row in rows[:HEAD]]


def _lives(spec: Spec, seed: bytes, winner: Winner, count: _Count) -> Head:
    event = SwissEvent(_players(spec))
    while not lives_over(event, LIVES):
        started = perf_counter()
        round_ = pair_lives(event, LIVES, seed=seed)
        count.seconds.append(perf_counter() - started)
        left = lives_left(event, LIVES)
        count.gaps += [float(abs(left[p.first] - left[p.second])) for p in round_.pairs]
        event = event.with_round(_with_results(round_, winner, count))
    return _head(lives_places(event, LIVES))


def _players(spec: Spec) -> tuple[SwissPlayer, ...]:
    return tuple(SwissPlayer(entry) for entry in range(1, spec.players + 1))


def _with_results(round_: SwissRound, winner: Winner, count: _Count) -> SwissRound:
    count.round([(pair.first, pair.second) for pair in round_.pairs])
    count.byes.update(bye.entry for bye in round_.byes)
    count.rounds += 1
    return round_.with_results({pair.pair: Result(winner(pair.first, pair.second)) for pair in round_.pairs})


def _round_robin(spec: Spec, seed: bytes, winner: Winner, count: _Count) -> Head:
    started = perf_counter()
    graph = Graph((round_robin(range(1, spec.players + 1), key="A"),))
    count.seconds.append(perf_counter() - started)
    results: dict[FixtureId, Result] = {}
    state = progress(graph, results)
    for round_ in graph.brackets[0].rounds:
        ready = [f.number for f in round_.fixtures if state.fixtures[f.number].status is FixtureStatus.READY]
        count.round([_entrants(state, number) for number in ready])
        results |= {number: Result(winner(*_entrants(state, number))) for number in ready}
        count.rounds += 1
    state = progress(graph, results)
    byes = (fixture for fixture in state.fixtures.values() if fixture.status is FixtureStatus.BYE)
    count.byes.update(fixture.winner.entry for fixture in byes if fixture.winner.entry is not None)
    rows = standings(table(state, "A", lots_seed=seed), ["head_to_head", "sonneborn_berger", "lots"])
    return [{"place": row.place, "entry": row.entry, "points": row.points} for row in rows[:HEAD]]


def _head(places: Sequence[Sequence[EntryId]]) -> Head:
    shown: Head = []
    place = 1
    for entries in places:
        shown += [{"place": place, "entry": entry} for entry in entries]
        place += len(entries)
    return shown[:HEAD]


FORMATS: dict[str, Callable[[Spec, bytes, Winner, _Count], Head]] = {
    "knockout": _knockout,
    "progressive": _progressive,
    "double": _double,
    "places": _places,
    "swiss": _swiss,
    "lives": _lives,
    "roundrobin": _round_robin,
}
"""Name -> function that plays an event."""
