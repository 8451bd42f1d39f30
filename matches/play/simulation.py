"""Whole matches played through the services by very simple players: to try the services out, never to play well.

Clocks, flags, pauses, refused resignations and a director's rulings are mixed in, and every finished match is
adjudicated by the engine like a record sent in.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import NamedTuple

from engine.actions import Act, Phase
from engine.adjudication import adjudicate
from engine.clock import DAY, MINUTE, SECOND, ClockSettings
from engine.cube import Side
from engine.simulation import PlayStyle, next_action
from engine.verdict import Outcome
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import LiveMatch, Match, Result
from matches.play import due
from matches.play.acting import ActionInput, act
from matches.play.directing import Ruling, rule
from matches.play.live import EventKind, LiveState
from matches.play.starting import PlaySettings, commit_chain, start
from matches.play.transcripts import transcript_of
from players.actors import SYSTEM
from players.models import Player

STARTED = datetime(2026, 1, 1, 12, tzinfo=UTC)
LONGEST = 15
CLOCKS = (
    None,
    ClockSettings(12 * SECOND, 2 * MINUTE),
    ClockSettings(8 * SECOND, 20 * SECOND, overtime=MINUTE),
    ClockSettings(2 * DAY, 0, correspondence=True),
)
PAUSE_CHANCE = 0.01
RESIGN_CHANCE = 0.01
RULING_CHANCE = 0.005
LONG_THOUGHT_CHANCE = 0.004


class SimulatedMatch(NamedTuple):
    match: Match
    outcome: Outcome
    errors: list[str]
    """Codes of findings of severity error; there should be none."""
    is_one_sided: bool
    """Whether one side never moved, as when its flag fell first: no record of that is accepted as proof of a match."""
    counts: Counter[str]
    """How many actions of each kind there were."""


class Simulation:
    """One match between two players, from its opening to its result; the same seed gives the same decisions."""

    def __init__(self, players: tuple[Player, Player], seed: int) -> None:
        self.random = Random(seed)  # noqa: S311, a simulation that must be repeatable
        self.now = STARTED
        self.styles = (self.random.choice(list(PlayStyle)), self.random.choice(list(PlayStyle)))
        length = self.random.randint(1, LONGEST)
        self.match = open_matches(
            [Opening(players, length)], settings=MatchSettings(rated=False), by=SYSTEM, now=self.now
        )[0]
        settings = PlaySettings(
            clock=self.random.choice(CLOCKS),
            flag_rule=self.random.choice(LiveMatch.FlagRule.values),
            server_chains=True,
        )
        start(match=self.match, settings=settings, by=SYSTEM, now=self.now)
        for side in (0, 1):
            commit_chain(match=self.match, side=side, anchor="", by=SYSTEM, now=self.now)
        self.live = self._read()

    def run(self) -> SimulatedMatch:
        """Play until there is a result, then adjudicate what was played."""
        while self.live.match.state == Match.State.LIVE:
            self._step()
        live = LiveMatch.objects.select_related("match__player_0", "match__player_1").get(pk=self.match.pk)
        verdict = adjudicate(transcript_of(live))
        errors = [finding.code for finding in verdict.findings if finding.severity == "error"]
        counts = Counter(live.actions.values_list("kind", flat=True))
        is_one_sided = any(finding.code == "side_never_moved" for finding in verdict.findings)
        return SimulatedMatch(live.match, verdict.outcome, errors, is_one_sided, counts)

    def _read(self) -> LiveMatch:
        return LiveMatch.objects.select_related("match").get(pk=self.match.pk)

    def _step(self) -> None:
        """Let some time pass, then let somebody act."""
        state = due.state_of(self.live)
        if self._passes_due_time():
            self.live = self._read()
        elif state.match.phase is Phase.ADJOURNED:
            self._rule(Ruling(Act.RESUME, self.live.last))
        elif state.is_paused:
            for side in (0, 1):
                self._act(side, EventKind.CONTINUE)
        elif state.match.flagged is not None:
            self._act(1 - state.match.flagged, Act.CLAIM_FLAG)
        elif not self._does_something_else(state):
            self._plays_on(state)

    def _passes_due_time(self) -> bool:
        """Mostly a few seconds pass; now and then so many that something falls due, which a worker settles."""
        due_at = self.live.due_at
        if due_at is not None and self.random.random() < LONG_THOUGHT_CHANCE:
            self.now = max(self.now, due_at) + due.GRACE
            return due.settle_due(match_id=self.match.pk, now=self.now)
        self.now += timedelta(milliseconds=self.random.randint(300, 6_000))
        # As a request does: without the grace of a sweep.
        return due_at is not None and due_at <= self.now and due.settle_first(match_id=self.match.pk, now=self.now)

    def _does_something_else(self, state: LiveState) -> bool:
        """A pause, a resignation or a ruling, where one is possible."""
        side = state.match.to_act
        if side is None:
            return False
        waits = state.match.phase is Phase.TO_ROLL
        if waits and state.pauses[side] < 1 and self.random.random() < PAUSE_CHANCE:
            self._act(side, EventKind.PAUSE)
        elif waits and state.offers[side] < 1 and self.random.random() < RESIGN_CHANCE:
            self._act(side, Act.RESIGN, value=1)
        elif self.random.random() < RULING_CHANCE:
            self._rule(self._ruling(state, side))
        else:
            return False
        return True

    def _ruling(self, state: LiveState, side: Side) -> Ruling:
        if state.clock is not None and self.random.random() < 0.5:
            return Ruling(EventKind.ADJUST_CLOCK, self.live.last, side, self.random.randint(0, 30) * SECOND)
        return Ruling(Act.ADJOURN, self.live.last)

    def _plays_on(self, state: LiveState) -> None:
        """What the simulated players of the engine would do."""
        if state.match.phase is Phase.OPENING:
            for side in (0, 1):
                if not state.ready[side]:
                    self._act(side, EventKind.READY)
            return
        action = next_action(state.match, self.random, self.styles)
        kind = action.act
        if kind is Act.RESIGN and (action.value or 0) <= state.offers[action.side or 0]:
            kind = Act.ROLL
        if kind is Act.ACCEPT and self.random.random() < 0.5:
            kind = Act.REFUSE
        assert action.side is not None  # noqa: S101, somebody is to act
        value = action.value if kind is Act.RESIGN else None
        play_forced = self.random.random() < 0.5
        self._act(action.side, kind, moves=action.moves, value=value, play_forced=play_forced)

    def _act(
        self,
        side: Side,
        kind: str,
        *,
        moves: tuple[tuple[int, ...], ...] = (),
        value: int | None = None,
        play_forced: bool = False,
    ) -> None:
        play_forced = play_forced and kind == Act.ROLL
        request = ActionInput(kind, self.live.last, moves=moves, value=value, play_forced=play_forced)
        self.live = act(match=self.match, side=side, request=request, by=SYSTEM, now=self.now).live

    def _rule(self, ruling: Ruling) -> None:
        rule(match=self.match, ruling=ruling, by=SYSTEM, now=self.now)
        self.live = self._read()


def play_matches(count: int, seed: int) -> Iterator[SimulatedMatch]:
    """Play `count` matches, one after the other, between two players made for it."""
    players = (Player.objects.create(name="Ada"), Player.objects.create(name="Ben"))
    for number in range(count):
        yield Simulation(players, seed * 1_000_003 + number).run()


def is_conserved(played: SimulatedMatch) -> bool:
    """Whether score and bank of the stored state add up.

    The result has the score of the games, and no side has more time than it was given.
    """
    live = played.match.live
    state = due.state_of(live)
    result = Result.objects.filter(match=played.match).latest("version")
    if result.score != state.match.score:
        return False
    games = state.match.results
    points = [sum(game.points for game in games if game.winner == side) for side in (0, 1)]
    granted_time = live.bank + sum(action.data["value"] for action in live.actions.filter(kind=EventKind.ADJUST_CLOCK))
    banks = [side.bank for side in state.clock.sides] if state.clock else [0, 0]
    return points == list(state.match.score) and max(banks) <= granted_time
