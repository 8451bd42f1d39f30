"""A match played here under everything that its players, a director, workers and time may do to it, in any order.

After every step what is stored follows from the actions, score, cube and clock are conserved, and what was refused has
changed nothing. The actions of the match are in the message of a failure.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from core.live.presence import PagePresence
from engine.actions import Act
from engine.clock import DAY, MINUTE, SECOND, ClockSettings
from engine.errors import Refused
from engine.match import MatchState
from engine.simulation import PlayStyle, next_action
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import LiveMatch, Match, Pulse, Result
from matches.play import absences, due, lag
from matches.play.acting import OF_PLAYERS, ActionInput, act
from matches.play.directing import OF_DIRECTORS, Ruling
from matches.play.directing import rule as rule_match
from matches.play.live import PAUSES, VACATION_DAYS, EventKind, LiveState, to_ms
from matches.play.lobby import services as lobby
from matches.play.starting import PlaySettings, commit_chain, start
from matches.play.transcripts import differences_of
from players.actors import SYSTEM
from players.models import Player
from tests.integrity import differences_left
from tests.matches.play.conftest import START
from tests.tiers import TIER

MAX_RUNS = 5
USUAL = (Act.PLAY, Act.ROLL, EventKind.READY, EventKind.PAUSE, EventKind.ADJUST_CLOCK, EventKind.HERE, "presence")
CLOCKS = (
    None,
    ClockSettings(12 * SECOND, 2 * MINUTE),
    ClockSettings(2 * SECOND, 10 * SECOND, overtime=20 * SECOND),
    ClockSettings(DAY, DAY, correspondence=True),
)
MOMENTS = (0.2, 1.0, 5.0)
LONGER = (1.0, 5.0, 5.0, 14.0, 14.0, 31.0, 301.0)
"""Seconds that pass."""
SWEEPS = 15
"""More than can be due after the longest of these times."""
SELDOM = 20
"""One in so many: else every match would be conceded before it is played."""
# Not st.randoms(), from which a match takes more or less as its dice fall.
chances = st.integers(0, 2**32).map(Random)
totals: Counter[str] = Counter()
"""What was accepted and what refused, by all runs together."""


class PlayedHere(RuleBasedStateMachine):
    """A match from its opening to wherever chance leads."""

    live: LiveMatch

    @initialize(
        length=st.integers(1, 5), clock=st.sampled_from(CLOCKS), flag_rule=st.sampled_from(LiveMatch.FlagRule.values)
    )
    def alice_opens_a_match(self, length: int, clock: ClockSettings | None, flag_rule: str) -> None:
        # Lag is kept by the number of the match, which the next example uses again.
        cache.clear()
        self.savepoint = transaction.savepoint()
        self.now = START
        self.players = Player.objects.create(name="Bob"), Player.objects.create(name="Carol")
        self.open(length, clock, flag_rule)

    @rule(length=st.integers(1, 5), clock=st.sampled_from(CLOCKS), flag_rule=st.sampled_from(LiveMatch.FlagRule.values))
    def they_play_another(self, length: int, clock: ClockSettings | None, flag_rule: str) -> None:
        if not self.is_live:
            self.open(length, clock, flag_rule)

    def open(self, length: int, clock: ClockSettings | None, flag_rule: str) -> None:
        self.clock, self.opened_at = clock, self.now
        opening = Opening(self.players, length)
        (self.match,) = open_matches([opening], settings=MatchSettings(rated=False), by=SYSTEM, now=self.now)
        start(match=self.match, settings=PlaySettings(clock, flag_rule, server_chains=True), by=SYSTEM, now=self.now)
        for side in (0, 1):
            commit_chain(match=self.match, side=side, anchor="", by=SYSTEM, now=self.now)
        self.unearned = (0, 0)
        """Points of the score that no game gave: set by the director."""
        self.refresh()

    # What the steps have in common

    @property
    def is_live(self) -> bool:
        return hasattr(self, "live") and self.live.match.state == Match.State.LIVE

    def refresh(self) -> None:
        self.live = LiveMatch.objects.select_related("match__player_0", "match__player_1").get(pk=self.match.pk)
        self.state: LiveState = due.state_of(self.live)

    def attempt(self, name: str, step: Callable[[], Any]) -> None:
        """Do something that may be refused; what is refused changes nothing but what was due before it."""
        before = self.fingerprint() if self.is_nothing_due() else None
        refusal = ""
        try:
            step()
        except Refused as refused:
            refusal = f": {refused.code}"
        totals[name + refusal] += 1
        assert not refusal or before is None or self.fingerprint() == before, refusal
        self.refresh()

    def fingerprint(self) -> tuple[Any, ...]:
        live = LiveMatch.objects.select_related("match").get(pk=self.match.pk)
        return live.state, live.last, live.changed_by, live.due_at, live.match.seq, live.match.state

    def is_nothing_due(self) -> bool:
        return self.live.due_at is None or self.live.due_at > self.now

    def act(self, side: int, kind: str, **fields: Any) -> None:
        after = fields.pop("after", self.live.last)
        network = self.network_with(side, fields.pop("milliseconds", 0))
        request = ActionInput(kind, after, **fields)
        self.attempt(
            kind, lambda: act(match=self.match, side=side, request=request, by=SYSTEM, now=self.now, network=network)
        )

    def network_with(self, side: int, milliseconds: int) -> str:
        """Let a side measure a network with so much lag."""
        network = f"{milliseconds} ms"
        ping = lag.new_ping(self.match.pk, side, self.now - timedelta(milliseconds=milliseconds))
        lag.measure(match_id=self.match.pk, side=side, network=network, ping=ping, now=self.now)
        return network

    # The players

    @rule(chance=chances, seconds=st.sampled_from(MOMENTS))
    def they_play_on(self, chance: Random, seconds: float) -> None:
        if not self.is_live:
            return
        for _ in range(12):
            self.now += timedelta(seconds=seconds)
            state = self.state
            if not self.is_live or state.is_paused or state.match.phase.value == "adjourned":
                return
            if state.match.phase.value == "opening":
                for side in (0, 1):
                    is_coming = self.is_live and not self.state.here[side]
                    self.act(side, EventKind.HERE if is_coming and chance.random() < 0.5 else EventKind.READY)
            else:
                self.play_on(state.match, chance)

    def play_on(self, state: MatchState, chance: Random) -> None:
        action = next_action(state, chance, (PlayStyle.SIMPLE, PlayStyle.SIMPLE))
        assert action.side is not None
        value = action.value if action.act is Act.RESIGN else None
        milliseconds, forced = chance.randint(0, 900), chance.random() < 0.5
        self.act(
            action.side, action.act, moves=action.moves, value=value, play_forced=forced, milliseconds=milliseconds
        )

    @rule(
        side=st.integers(0, 1),
        kind=st.sampled_from(
            [*sorted(OF_PLAYERS - {Act.CONCEDE}), EventKind.PAUSE, EventKind.CONTINUE, Act.RESIGN, Act.DOUBLE]
        ),
        value=st.integers(1, 3),
        behind=st.sampled_from([0, 0, 0, 1, 5]),
    )
    def somebody_does_anything(self, side: int, kind: str, value: int, behind: int) -> None:
        if not self.is_live:
            return
        if kind == EventKind.VACATION:
            value *= 5 * DAY
        self.act(side, kind, value=value, after=max(0, self.live.last - behind), moves=((6, 5), (8, 7)))

    @rule(side=st.integers(0, 1))
    def somebody_pauses(self, side: int) -> None:
        if self.is_live:
            self.act(side, EventKind.PAUSE)

    @rule(side=st.integers(0, 1), chance=chances)
    def somebody_concedes(self, side: int, chance: Random) -> None:
        if not self.is_live:
            return
        if chance.randrange(SELDOM) == 0:
            self.act(side, Act.CONCEDE)

    @rule(side=st.integers(0, 1), online=st.booleans(), closed=st.booleans())
    def a_page_opens_or_closes(self, side: int, online: bool, closed: bool) -> None:
        if not self.is_live:
            return
        seen = PagePresence(online, None if online else self.now.timestamp() - 10, closed)
        step = lambda: absences.note_presence(match_id=self.match.pk, side=side, seen=seen, now=self.now)  # noqa: E731
        self.attempt("presence", step)

    # The director, workers and time

    @rule(
        kind=st.sampled_from([*sorted(OF_DIRECTORS), Act.RESUME, EventKind.ADJUST_CLOCK]),
        side=st.integers(0, 1),
        value=st.sampled_from([1, 2, 4, -3 * SECOND, 40 * SECOND]),
        score=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    )
    def alice_rules(self, kind: str, side: int, value: int, score: tuple[int, int]) -> None:
        if not self.is_live:
            return
        ruling = Ruling(kind, self.live.last, side, value, score)
        last = self.live.last
        self.attempt(kind, lambda: rule_match(match=self.match, ruling=ruling, by=SYSTEM, now=self.now))
        if kind == Act.SET_SCORE and self.live.actions.filter(seq__gt=last, kind=kind).exists():
            earned = self.earned()
            self.unearned = score[0] - earned[0], score[1] - earned[1]

    @rule(seconds=st.sampled_from(LONGER))
    def time_passes_and_the_clock_worker_works(self, seconds: float) -> None:
        if not self.is_live:
            return
        self.now += timedelta(seconds=seconds)
        # The end of a pause may let a clock run whose flag has fallen since; a side with no time left that does not get
        # ready loses a game every half minute.
        for _ in range(SWEEPS):
            self.attempt("sweep", lambda: due.settle_due(match_id=self.match.pk, now=self.now))
        assert not due.settle_due(match_id=self.match.pk, now=self.now), self.history()

    @rule(chance=chances)
    def the_invitation_lapses(self, chance: Random) -> None:
        if not self.is_live or self.live.lapses_at is None or chance.randrange(SELDOM) > 1:
            return
        self.now = max(self.now, self.live.lapses_at)
        self.attempt("lapse", lambda: lobby.lapse(match_id=self.match.pk, now=self.now))
        assert self.live.match.state == Match.State.OPEN, self.history()
        self.attempt("invite", lambda: start(match=self.match, settings=PlaySettings(), by=SYSTEM, now=self.now))

    @rule(seconds=st.sampled_from([7.0, 60.0]))
    def the_server_is_away(self, seconds: float) -> None:
        if not self.is_live:
            return
        absences.beat(now=self.now)
        self.now += timedelta(seconds=seconds)
        absences.beat(now=self.now)
        # Without a pulse no time counts as an outage, until this happens again.
        Pulse.objects.all().delete()
        self.refresh()

    # What holds

    def earned(self) -> tuple[int, int]:
        """The points of the games of each side."""
        first, second = (sum(game.points for game in self.state.match.results if game.winner == s) for s in (0, 1))
        return first, second

    @invariant()
    def everything_follows_from_the_actions(self) -> None:
        if hasattr(self, "live"):
            assert list(differences_of(self.live)) == [], self.history()

    @invariant()
    def the_score_is_that_of_the_games(self) -> None:
        if hasattr(self, "live"):
            earned, score = self.earned(), self.state.match.score
            assert score == (earned[0] + self.unearned[0], earned[1] + self.unearned[1]), self.history()
            results = Result.objects.filter(match=self.match)
            assert [result.score for result in results] == ([score] if self.state.match.is_over else [])

    @invariant()
    def nobody_wins_alone(self) -> None:
        if not hasattr(self, "live") or not self.state.is_invitation:
            return
        assert self.state.paused_until is None, self.history()
        assert self.state.clock is None or self.state.clock.running == (), self.history()
        assert not any(self.state.waits_for(side) for side in (0, 1)), self.history()
        given_up = {Result.Kind.CONCESSION, Result.Kind.RULING, Result.Kind.PLAYED}
        for result in Result.objects.filter(match=self.match):
            assert result.kind in given_up, self.history()

    @invariant()
    def the_cube_is_turned_by_a_take_only(self) -> None:
        if not hasattr(self, "live"):
            return
        match = self.state.match
        assert (match.cube_owner is None) == (match.cube == 1)
        if match.turn is not None and not match.is_over:
            assert match.cube == 2 ** self.takes_of_this_game(), self.history()

    def takes_of_this_game(self) -> int:
        """How many doubles were taken since the last opening roll; an opening roll has no side."""
        opening = self.live.actions.filter(kind=Act.ROLL, side=None).order_by("seq").last()
        assert opening is not None
        return self.live.actions.filter(kind=Act.TAKE, seq__gt=opening.seq).count()

    @invariant()
    def no_time_is_made_or_lost(self) -> None:
        if not hasattr(self, "live") or self.state.clock is None or self.clock is None:
            return
        elapsed = to_ms(self.now) - to_ms(self.opened_at)
        for number, side in enumerate(self.state.clock.sides):
            adjustments = self.live.actions.filter(kind=EventKind.ADJUST_CLOCK, side=number)
            added = sum(action.data["value"] for action in adjustments)
            given = self.clock.bank + self.clock.overtime + added
            assert min(side.delay, side.bank, side.overtime) >= 0
            assert side.delay <= self.clock.delay
            # A clock that a director takes more time from than it has stands at nothing.
            assert added < 0 or given - elapsed <= side.bank + side.overtime <= given, self.history()
            assert side.vacation_taken <= VACATION_DAYS * DAY
        assert max(self.state.pauses) <= PAUSES

    def history(self) -> str:
        return " ".join(f"{action.kind}/{action.side}" for action in self.live.actions.order_by("seq"))

    def teardown(self) -> None:
        if hasattr(self, "savepoint"):
            assert differences_left() == [], self.history()
            transaction.savepoint_rollback(self.savepoint)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.django_db
def test_whatever_happens_to_a_match_it_follows_from_its_actions() -> None:
    # In one of many runs, no match gets as far as a play.
    for _ in range(MAX_RUNS):
        run_state_machine_as_test(
            PlayedHere,
            settings=settings(
                max_examples=TIER.live_matches,
                stateful_step_count=TIER.live_steps,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate],
            ),
        )
        if not (missing := [kind for kind in USUAL if not totals[kind]]):
            break
    print(dict(totals.most_common()))
    assert not missing, f"never accepted: {missing}"
