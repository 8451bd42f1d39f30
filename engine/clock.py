"""The clock of a live match: a delay for each turn and a bank for the whole match (docs/rules.md §7).

Instants are whole milliseconds since the epoch, durations whole milliseconds. Nothing here reads the time: every
instant is an argument. A player's time is spent in this order: the delay of the turn, the bank, the overtime.

>>> clock = Clock.of(PRESETS["table"].settings(length=7))
>>> clock = clock.begin_turn(0, at=0)
>>> clock.due_at == 12_000 + 14 * 60_000
True
>>> clock.begin_turn(1, at=20_000).sides[0].bank == 14 * 60_000 - 8_000
True
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.actions import Phase
from engine.cube import Score, Side
from engine.errors import Refused
from engine.match import MatchState

SECOND = 1_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE
READY_GRACE = 30 * SECOND
"""How long a side may take to be ready for a game before its clock runs."""
MAX_LAG_CREDIT = SECOND
"""The most that is given back for one action."""
LAG_REFILL = 100
"""What each action adds to the allowance from which lag is given back."""

Interval = tuple[int, int]
"""From one instant up to another."""


class ClockSettings(NamedTuple):
    """How much time each side has; the same for both."""

    delay: int
    """Free time in each turn, however many decisions it takes."""
    bank: int
    """Time for the whole match, spent once the delay of a turn is used up."""
    overtime: int = 0
    """Granted once, when the bank is empty."""
    correspondence: bool = False
    """The delay is counted in days: players may be absent, take vacation, and no lag is given back."""


class Preset(NamedTuple):
    """A usual setting, whose bank depends on the length and the score of the match."""

    delay: int
    per_point: int
    """Bank for each point of the length; half of it is taken off for each point that either side has already."""

    def settings(self, *, length: int, score: Score = (0, 0), overtime: int = 0) -> ClockSettings:
        """The settings for a match to `length`, with clocks introduced at `score`."""
        return ClockSettings(self.delay, self.per_point * length - self.per_point * sum(score) // 2, overtime)


PRESETS = {
    "table": Preset(12 * SECOND, 2 * MINUTE),
    "doubles": Preset(18 * SECOND, 150 * SECOND),
    "online": Preset(8 * SECOND, MINUTE),
}
"""Table and doubles: U.S. Backgammon Clock Rules, 2013, section 2."""


class SideClock(NamedTuple):
    """The time of one side."""

    delay: int
    """Left of the delay of this turn."""
    bank: int
    overtime: int
    running_since: int | None = None
    """None while this clock stands still. May lie ahead: the clock starts to run then."""
    vacation: tuple[Interval, ...] = ()
    """When this clock does not run, in order and apart from one another (correspondence)."""

    @property
    def left(self) -> int:
        """All that can be spent before the flag falls, as of `running_since`."""
        return self.delay + self.bank + self.overtime

    def used(self, at: int) -> int:
        """Time spent between `running_since` and `at`, vacations left out; 0 while the clock stands still."""
        if self.running_since is None or at <= self.running_since:
            return 0
        pauses = sum(max(0, min(end, at) - max(start, self.running_since)) for start, end in self.vacation)
        return at - self.running_since - pauses

    @property
    def due_at(self) -> int | None:
        """When the flag falls; None while the clock stands still."""
        if self.running_since is None:
            return None
        due = self.running_since + self.left
        for start, end in self.vacation:
            if end > self.running_since and start < due:
                due += end - max(start, self.running_since)
        return due

    @property
    def vacation_taken(self) -> int:
        """All vacation of the match, past and to come."""
        return sum(end - start for start, end in self.vacation)

    def spent(self, amount: int) -> "SideClock":
        """This clock after `amount`, from the delay, then the bank, then the overtime; never below zero."""
        delay = min(self.delay, amount)
        bank = min(self.bank, amount - delay)
        overtime = min(self.overtime, amount - delay - bank)
        return self._replace(delay=self.delay - delay, bank=self.bank - bank, overtime=self.overtime - overtime)


class Clock(NamedTuple):
    """The clocks of both sides. Every method returns a new value."""

    settings: ClockSettings
    sides: tuple[SideClock, SideClock]

    @classmethod
    def of(cls, settings: ClockSettings) -> "Clock":
        """Both clocks full and standing still. Refused: `bad_clock` where there is no time at all or less."""
        if min(settings.delay, settings.bank, settings.overtime) < 0 or not settings.delay + settings.bank:
            raise Refused("bad_clock")
        full = SideClock(settings.delay, settings.bank, settings.overtime)
        return cls(settings, (full, full))

    @property
    def running(self) -> tuple[Side, ...]:
        """The sides whose clocks run, or will."""
        return tuple(side for side in (0, 1) if self.sides[side].running_since is not None)

    @property
    def due_at(self) -> int | None:
        """When the first flag falls if nothing happens; None while both clocks stand still."""
        return self.due_with((0, 0))

    def due_with(self, credit: tuple[int, int]) -> int | None:
        """When the first flag falls if `credit` is given back to each side for lag."""
        return min(
            (due + credit[side] for side in (0, 1) if (due := self.sides[side].due_at) is not None), default=None
        )

    def fallen(self, at: int, *, credit: tuple[int, int] = (0, 0)) -> Side | None:
        """The side whose flag fell first up to and including `at`, with `credit` given back to each for lag.

        Side 0 where both fell in the same millisecond; None where neither fell.
        """
        dues = [(due + credit[side], side) for side in (0, 1) if (due := self.sides[side].due_at) is not None]
        return min((entry for entry in dues if entry[0] <= at), default=(0, None))[1]

    def left(self, side: Side, at: int) -> int:
        """Time left of `side` at `at`: delay, bank and overtime."""
        clock = self.sides[side]
        return max(0, clock.left - clock.used(at))

    def stop(self, at: int, *, credit: tuple[int, int] = (0, 0)) -> "Clock":
        """Both clocks charged for their time up to `at` and standing still.

        `credit` is given back to each side for lag: never more than was used.
        """
        first, second = (
            clock.spent(max(0, clock.used(at) - given))._replace(running_since=None)
            for clock, given in zip(self.sides, credit, strict=True)
        )
        return self._replace(sides=(first, second))

    def run(self, sides: Iterable[Side], *, since: int) -> "Clock":
        """The clocks of `sides` run from `since`; the others as they are. For clocks that stand still."""
        running = set(sides)
        first, second = (
            clock._replace(running_since=since) if side in running else clock for side, clock in enumerate(self.sides)
        )
        return self._replace(sides=(first, second))

    def begin_turn(self, side: Side, at: int, *, credit: tuple[int, int] = (0, 0)) -> "Clock":
        """A new turn of `side`: both have the whole delay again, and the clock of `side` runs."""
        return self.stop(at, credit=credit).with_full_delays().run([side], since=at)

    def with_full_delays(self) -> "Clock":
        """Both sides with the whole delay of a turn."""
        first, second = (clock._replace(delay=self.settings.delay) for clock in self.sides)
        return self._replace(sides=(first, second))

    def adjust(self, side: Side, change: int) -> "Clock":
        """The bank of `side` with `change` added (a director's act). Refused: `bad_clock` below zero."""
        clock = self.sides[side]
        if clock.bank + change < 0:
            raise Refused("bad_clock")
        return self._with(side, clock._replace(bank=clock.bank + change))

    def postpone(self, amount: int) -> "Clock":
        """What runs, runs `amount` later: time that neither player lost, such as a restart of the server."""
        first, second = (
            clock if clock.running_since is None else clock._replace(running_since=clock.running_since + amount)
            for clock in self.sides
        )
        return self._replace(sides=(first, second))

    def with_vacation(self, side: Side, start: int, end: int) -> "Clock":
        """The clock of `side` standing still from `start` to `end`, merged with the vacations it has."""
        merged: list[Interval] = []
        for begin, finish in sorted([*self.sides[side].vacation, (start, end)]):
            if merged and begin <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(finish, merged[-1][1]))
            else:
                merged.append((begin, finish))
        return self._with(side, self.sides[side]._replace(vacation=tuple(merged)))

    def _with(self, side: Side, clock: SideClock) -> "Clock":
        return self._replace(sides=(clock, self.sides[1]) if side == 0 else (self.sides[0], clock))


def after_action(
    clock: Clock,
    before: MatchState,
    after: MatchState,
    *,
    at: int,
    ready: tuple[bool, bool] = (False, False),
    credit: tuple[int, int] = (0, 0),
) -> Clock:
    """The clock once an action at `at` has led from one state of the match to another.

    Only a side that must act spends time. A turn has one delay for each side, which a double, a resignation and their
    answers neither end nor renew. Before an opening roll the clock of each side that is not `ready` runs after
    `READY_GRACE`; it has a delay of its own.
    """
    stopped = clock.stop(at, credit=credit)
    if after.phase in (Phase.OVER, Phase.ADJOURNED):
        return stopped
    if after.phase is Phase.OPENING:
        full = stopped.with_full_delays() if after.game != before.game else stopped
        started = clock if after.game == before.game else full
        return _before_opening(started, full, at, ready)
    side = after.to_act
    assert side is not None  # noqa: S101, somebody is to act in every other phase
    if (after.game, after.turn) != (before.game, before.turn):
        stopped = stopped.with_full_delays()
    return stopped.run([side], since=at)


def open_game(clock: Clock, at: int) -> Clock:
    """The clock before the first opening roll: both sides have `READY_GRACE` to be ready."""
    return _before_opening(clock, clock.stop(at), at, (False, False))


def _before_opening(before: Clock, stopped: Clock, at: int, ready: tuple[bool, bool]) -> Clock:
    """Run the clocks of the sides that are not ready: from when they ran or would have run, or after the grace."""
    for side, is_ready in enumerate(ready):
        if not is_ready:
            since = before.sides[side].running_since
            stopped = stopped.run([side], since=at + READY_GRACE if since is None else max(at, since))
    return stopped


class Lag(NamedTuple):
    """The delay of a connection, and how much of it may be given back.

    Each action adds `LAG_REFILL` to the allowance and takes what it is given from it, so a connection that claims
    a second each time soon gets no more than the refill.
    """

    allowance: int = MAX_LAG_CREDIT

    def credit(self, measured: int) -> tuple[int, "Lag"]:
        """What is given back for an action that took `measured` ms on its way, and the allowance after it."""
        given = max(0, min(measured, self.allowance, MAX_LAG_CREDIT))
        return given, Lag(min(MAX_LAG_CREDIT, self.allowance - given + LAG_REFILL))
