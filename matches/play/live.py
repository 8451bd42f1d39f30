"""A match played here as a pure fold: `after_event(state, event) -> state`."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, TypeVar

from engine.actions import Act, Action, Phase
from engine.clock import DAY, MINUTE, Clock, after_action, open_game
from engine.cube import Score, Side
from engine.errors import Refused
from engine.match import MatchState, apply
from engine.search import Dice

# Instants as the clock counts them: whole milliseconds since the epoch.


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def to_ms(moment: datetime) -> int:
    """A moment in whole milliseconds since the epoch, rounded down."""
    return (moment - EPOCH) // MILLISECOND


def from_ms(moment: int) -> datetime:
    """The moment that is so many milliseconds after the epoch."""
    return EPOCH + moment * MILLISECOND


# How long the players of a live match have been away in their own turns: a pure count (docs/live.md).
#
# Instants and durations in milliseconds.


class AbsenceLimits(NamedTuple):
    """After how much absence the opponent may claim."""

    closed: int
    """With the page closed."""
    total: int
    """With the page closed or the network lost."""


class SideAbsence(NamedTuple):
    closed: int = 0
    """Counted so far with the page closed."""
    lost: int = 0
    """Counted so far with the network lost."""
    since: int | None = None
    """When the present absence was counted last; None while the side is there."""
    page_closed: bool = False
    """Whether the present absence began with a goodbye."""

    def begun(self, at: int, *, already: int, page_closed: bool) -> "SideAbsence":
        """The absence of a side that leaves at `at`; `already` ms before that count as well."""
        return self._replace(since=at - already, page_closed=page_closed)

    def counted(self, at: int, *, waited_for: bool) -> "SideAbsence":
        """The time up to `at` counted, if the match has waited for this side."""
        if self.since is None:
            return self
        time = max(0, at - self.since) if waited_for else 0
        if self.page_closed:
            return self._replace(closed=self.closed + time, since=max(at, self.since))
        return self._replace(lost=self.lost + time, since=max(at, self.since))

    def claim_at(self, limits: AbsenceLimits) -> int | None:
        """When the opponent may claim if the match goes on waiting for this side; None while it is there."""
        if self.since is None:
            return None
        left = limits.total - self.closed - self.lost
        if self.page_closed:
            left = min(left, limits.closed - self.closed)
        return self.since + max(0, left)


Absences = tuple[SideAbsence, SideAbsence]
NOBODY_AWAY: Absences = (SideAbsence(), SideAbsence())


def counted(absences: Absences, at: int, waited_for: tuple[bool, bool]) -> Absences:
    """Absence seconds of both sides up to `at`."""
    first, second = absences
    return first.counted(at, waited_for=waited_for[0]), second.counted(at, waited_for=waited_for[1])


def postponed(absences: Absences, time: int) -> Absences:
    """Both absences as if they were counted last `time` later: time that nobody lost."""
    first, second = (
        absence if absence.since is None else absence._replace(since=absence.since + time) for absence in absences
    )
    return first, second


def claimable(absences: Absences, side: Side, limits: AbsenceLimits, at: int) -> bool:
    """Whether the absence of `side` may be claimed at `at`."""
    due = absences[side].claim_at(limits)
    return due is not None and due <= at


# The engine's `MatchState` knows the rules of backgammon; around it stand what only live play has: the clock, who has
# come to the board, who is ready, pauses, and how often a resignation was offered. The rows of `Action` are the
# events; the state that is stored with a match is a cache of this fold.
#
# An open board is an invitation until both sides have said that they are here: before that no clock runs and the
# match waits for nobody, so that nobody can win it.


T = TypeVar("T")

PAUSES = 2
"""Each side may pause a match so often …"""
PAUSE_LENGTH = 5 * MINUTE
"""… for so long (milliseconds)."""
VACATION_DAYS = 14
"""Each side may take so many days of vacation in a match by correspondence."""


class EventKind(StrEnum):
    HERE = "here"
    """A side has come to the board and says so; once both have, the match can begin."""
    LAPSE = "lapse"
    """The invitation was not taken up in time: who has come has to say so again."""
    INVITE = "invite"
    """`side`, or without one a director, invites again to a board whose invitation lapsed."""
    READY = "ready"
    """A side is ready, and therefore here, for the opening roll of a game; the roll follows once both are."""
    PAUSE = "pause"
    CONTINUE = "continue"
    """A side ends the pause, which takes both; without a side its time is over."""
    ADJUST_CLOCK = "adjust_clock"
    """The director adds `value` ms to the bank of `side`, or takes them off."""
    VACATION = "vacation"
    """The clock of `side` stands still for `value` ms from `at` (correspondence)."""
    OUTAGE = "outage"
    """The server was away for `value` ms, which costs neither side anything."""

    TAKE_BACK = "take_back"
    """In practice `side` takes back its last decision and all that followed; `taken_back` says what that leads to."""
    RESTORED = "restored"
    """The match was void for a while, and is to be played on from where it was adjourned then."""
    LEFT = "left"
    """`side` closed its page; of the time before, `value` ms count as absence."""
    AWAY = "away"
    """`side` has lost its network; of the time before, `value` ms count as absence."""
    BACK = "back"
    """`side` is there again, or nothing is known of it: then the last `value` ms do not count as absence."""
    CLAIM_AWAY = "claim_away"
    """`side` claims because its opponent is away; the opponent's flag falls with it."""


class LiveEvent(NamedTuple):
    """One action of a match played here. Instants and durations in milliseconds."""

    kind: str
    """The value of an `Act` of the engine or of a `Kind`."""
    at: int
    side: Side | None = None
    dice: Dice | None = None
    moves: tuple[tuple[int, ...], ...] = ()
    value: int | None = None
    score: Score | None = None
    credit: int = 0
    """Given back to `side` for lag."""

    @property
    def action(self) -> Action:
        """The engine's action; for kinds that are an `Act`."""
        return Action(Act(self.kind), self.side, self.dice, self.moves, self.value, self.score)


class LiveState(NamedTuple):
    """Where a match played here stands."""

    match: MatchState
    clock: Clock | None
    """None where the match is played without one."""
    here: tuple[bool, bool] = (True, True)
    """Which sides have said that they are at the board."""
    ready: tuple[bool, bool] = (False, False)
    offers: tuple[int, int] = (0, 0)
    """The highest resignation each side has offered in this turn."""
    pauses: tuple[int, int] = (0, 0)
    """How many each side has taken."""
    paused_until: int | None = None
    continues: tuple[bool, bool] = (False, False)
    """Which sides want to end the pause."""
    absences: Absences = NOBODY_AWAY

    @classmethod
    def start(
        cls, match: MatchState, clock: Clock | None, at: int, *, here: tuple[bool, bool] = (True, True)
    ) -> "LiveState":
        """A match before its first opening roll, from `at`; its clock stands still until both sides are here."""
        return cls(match, open_game(clock, at) if clock and all(here) else clock, here)

    @property
    def is_invitation(self) -> bool:
        """Whether a side has not come to the board yet, so that nothing counts."""
        return not all(self.here)

    @property
    def is_paused(self) -> bool:
        return self.paused_until is not None

    def due_at(self, credit: tuple[int, int] = (0, 0)) -> int | None:
        """When something happens by itself: a pause ends, or a flag falls with `credit` given back for lag."""
        if self.paused_until is not None:
            return self.paused_until
        return self.clock.due_with(credit) if self.clock else None

    def waits_for(self, side: Side) -> bool:
        """Whether the match goes on only once this side acts: in its turn, or when it alone is not ready."""
        match = self.match
        if self.is_invitation or self.is_paused or match.is_over or match.phase is Phase.ADJOURNED:
            return False
        if match.flagged is not None:
            return False
        if self.clock is not None and self.clock.settings.correspondence:
            return False
        if match.phase is Phase.OPENING:
            return not self.ready[side] and self.ready[1 - side]
        return match.to_act == side

    def has_to_act(self, side: Side) -> bool:
        """Whether it is for this side to act, or to be ready for the next game; who has not come yet is not asked."""
        match = self.match
        if self.is_invitation or self.is_paused or match.is_over or match.phase is Phase.ADJOURNED:
            return False
        return not self.ready[side] if match.phase is Phase.OPENING else match.to_act == side

    def waits_for_bot(self, side: Side) -> bool:
        """Whether a bot that plays this side has something to do: also to go on after a pause if its opponent does."""
        match = self.match
        if match.is_over or match.phase is Phase.ADJOURNED or match.flagged is not None:
            return False
        if self.is_paused:
            return self.continues[1 - side] and not self.continues[side]
        if match.phase is Phase.OPENING:
            # Not before: the opponent's first dice chain would be made with the link of the bot known.
            return self.ready[1 - side] and not self.ready[side]
        return match.to_act == side

    def vacation_days_left(self, side: Side) -> int:
        """Whole days of vacation that a side may still take; 0 except by correspondence."""
        if self.match.is_over or self.clock is None or not self.clock.settings.correspondence:
            return 0
        return VACATION_DAYS - -(-self.clock.sides[side].vacation_taken // DAY)

    def may_pause(self, side: Side) -> bool:
        """Whether a side may pause now: between games or before its own roll, if it has a pause left."""
        is_now = self.is_before_roll_of(side) and not self.is_invitation and not self.is_paused
        return is_now and self.pauses[side] < PAUSES

    def is_before_roll_of(self, side: Side) -> bool:
        """Whether a side is about to roll, or both are between two games."""
        return self.match.phase is Phase.OPENING or (self.match.phase is Phase.TO_ROLL and self.match.turn == side)

    @property
    def awaits_opening_roll(self) -> bool:
        """Whether both sides are here and ready, and the server has to roll."""
        is_opening = self.match.phase is Phase.OPENING and not self.is_invitation
        return is_opening and all(self.ready) and not self.is_paused


def after_event(state: LiveState, event: LiveEvent) -> LiveState:
    """The state after one event.

    Refused: what `engine.match.apply` refuses, and `match_paused`, `not_paused`, `pause_not_now`, `no_pause_left`,
    `already_here`, `already_ready`, `not_ready`, `resignation_too_low`, `no_clock`, `bad_clock`, `no_vacation_left`,
    `already_away`, `not_away`, `no_take_back`.
    """
    if event.kind == EventKind.TAKE_BACK:
        # It goes back to an earlier state (`taken_back`), rather than on from this one.
        raise Refused("no_take_back")
    absences = state.absences
    if event.kind == EventKind.OUTAGE:
        absences = postponed(absences, event.value or 0)
    if event.kind == EventKind.BACK and event.side is not None:
        absences = _with(absences, event.side, postponed(absences, event.value or 0)[event.side])
    absences = counted(absences, event.at, (state.waits_for(0), state.waits_for(1)))
    state = state._replace(absences=absences)
    if event.kind in _HANDLERS:
        return _HANDLERS[EventKind(event.kind)](state, event)
    return _act(state, event)


def taken_back(before: LiveState, now: LiveState) -> LiveState:
    """The state after a decision made in the state `before` is taken back in the state `now`.

    Who is away is no decision, so that it stays as it is now.
    """
    return before._replace(absences=now.absences)


def _act(state: LiveState, event: LiveEvent) -> LiveState:
    if state.is_paused and event.kind not in _DURING_A_PAUSE:
        raise Refused("match_paused")
    if event.kind == Act.ROLL and state.match.phase is Phase.OPENING and not state.awaits_opening_roll:
        raise Refused("not_ready")
    offers = _offers(state, event)
    before, after = state.match, apply(state.match, event.action)
    if (after.game, after.turn) != (before.game, before.turn):
        offers = (0, 0)
    ready = state.ready if after.phase is Phase.OPENING and after.game == before.game else (False, False)
    state = state._replace(match=after, ready=ready, offers=offers)
    if after.is_over or after.phase is Phase.ADJOURNED:
        state = state._replace(paused_until=None, continues=(False, False))
    if state.is_paused:
        return state
    return _with_clock(state, before, event)


def _offers(state: LiveState, event: LiveEvent) -> tuple[int, int]:
    """The offers of this turn with this one. One resignation may be offered a turn, then only a higher one."""
    if event.kind != Act.RESIGN or event.side not in (0, 1) or event.value is None:
        return state.offers
    if event.value <= state.offers[event.side]:
        raise Refused("resignation_too_low")
    return _with(state.offers, event.side, event.value)


def _with_clock(state: LiveState, before: MatchState, event: LiveEvent) -> LiveState:
    if state.clock is None:
        return state
    credit = _with((0, 0), event.side, event.credit) if event.side is not None else (0, 0)
    if state.is_invitation or state.match.flagged is not None:
        # A fallen flag waits for the opponent's claim; nobody's time counts any more, nor before both sides are here.
        return state._replace(clock=state.clock.stop(event.at, credit=credit))
    clock = after_action(state.clock, before, state.match, at=event.at, ready=state.ready, credit=credit)
    return state._replace(clock=clock)


def _be_here(state: LiveState, event: LiveEvent) -> LiveState:
    if event.side is None or state.match.phase is not Phase.OPENING:
        raise Refused("not_now", act=event.kind, phase=state.match.phase.value)
    if state.here[event.side]:
        raise Refused("already_here")
    state = state._replace(here=_with(state.here, event.side, True))
    return state if state.is_invitation or state.is_paused else _with_clock(state, state.match, event)


def _lapse(state: LiveState, event: LiveEvent) -> LiveState:
    if not state.is_invitation:
        raise Refused("already_here")
    return state._replace(here=(False, False))


def _ready(state: LiveState, event: LiveEvent) -> LiveState:
    if state.is_paused:
        raise Refused("match_paused")
    if state.match.phase is not Phase.OPENING or event.side is None:
        raise Refused("not_now", act=event.kind, phase=state.match.phase.value)
    if state.ready[event.side]:
        raise Refused("already_ready")
    ready, here = _with(state.ready, event.side, True), _with(state.here, event.side, True)
    return _with_clock(state._replace(ready=ready, here=here), state.match, event)


def _pause(state: LiveState, event: LiveEvent) -> LiveState:
    if state.is_paused:
        raise Refused("match_paused")
    side = event.side
    if side is None or state.is_invitation or not state.is_before_roll_of(side):
        raise Refused("pause_not_now")
    if state.pauses[side] >= PAUSES:
        raise Refused("no_pause_left", most=PAUSES)
    return state._replace(
        clock=state.clock.stop(event.at, credit=_with((0, 0), side, event.credit)) if state.clock else None,
        pauses=_with(state.pauses, side, state.pauses[side] + 1),
        paused_until=event.at + PAUSE_LENGTH,
    )


def _continue(state: LiveState, event: LiveEvent) -> LiveState:
    if not state.is_paused:
        raise Refused("not_paused")
    if event.side is not None:
        state = state._replace(continues=_with(state.continues, event.side, True))
        if not all(state.continues):
            return state
    return _with_clock(state._replace(paused_until=None, continues=(False, False)), state.match, event)


def _adjust_clock(state: LiveState, event: LiveEvent) -> LiveState:
    if state.clock is None or event.side is None or event.value is None:
        raise Refused("no_clock")
    return state._replace(clock=state.clock.adjust(event.side, event.value))


def _vacation(state: LiveState, event: LiveEvent) -> LiveState:
    if state.clock is None or event.side is None or event.value is None or not state.clock.settings.correspondence:
        raise Refused("no_clock")
    clock = state.clock.with_vacation(event.side, event.at, event.at + event.value)
    if clock.sides[event.side].vacation_taken > VACATION_DAYS * DAY:
        raise Refused("no_vacation_left", most=VACATION_DAYS)
    return state._replace(clock=clock)


def _outage(state: LiveState, event: LiveEvent) -> LiveState:
    lost = event.value or 0
    return state._replace(
        clock=state.clock.postpone(lost) if state.clock else None,
        paused_until=state.paused_until + lost if state.paused_until is not None else None,
    )


def _restored(state: LiveState, event: LiveEvent) -> LiveState:
    if state.match.phase is not Phase.ADJOURNED:
        raise Refused("not_now", act=event.kind, phase=state.match.phase.value)
    return state


def _leave(state: LiveState, event: LiveEvent) -> LiveState:
    if event.side is None or state.absences[event.side].since is not None:
        raise Refused("already_away")
    already = event.value if state.waits_for(event.side) and event.value else 0
    away = state.absences[event.side].begun(event.at, already=already, page_closed=event.kind == EventKind.LEFT)
    return state._replace(absences=_with(state.absences, event.side, away.counted(event.at, waited_for=True)))


def _come_back(state: LiveState, event: LiveEvent) -> LiveState:
    if event.side is None or state.absences[event.side].since is None:
        raise Refused("not_away")
    back = state.absences[event.side]._replace(since=None)
    return state._replace(absences=_with(state.absences, event.side, back))


def _claim_away(state: LiveState, event: LiveEvent) -> LiveState:
    if event.side is None or state.absences[1 - event.side].since is None or not state.waits_for(1 - event.side):
        raise Refused("not_away")
    return state


def _with(pair: tuple[T, T], side: Side, value: T) -> tuple[T, T]:
    return (value, pair[1]) if side == 0 else (pair[0], value)


_HANDLERS = {
    EventKind.HERE: _be_here,
    EventKind.LAPSE: _lapse,
    EventKind.INVITE: _lapse,
    EventKind.READY: _ready,
    EventKind.PAUSE: _pause,
    EventKind.CONTINUE: _continue,
    EventKind.ADJUST_CLOCK: _adjust_clock,
    EventKind.VACATION: _vacation,
    EventKind.OUTAGE: _outage,
    EventKind.RESTORED: _restored,
    EventKind.LEFT: _leave,
    EventKind.AWAY: _leave,
    EventKind.BACK: _come_back,
    EventKind.CLAIM_AWAY: _claim_away,
}
_DURING_A_PAUSE = frozenset({Act.CONCEDE, Act.SET_SCORE, Act.END_GAME, Act.ADJOURN})
