"""The states of a match played here, computed from its actions."""

from collections.abc import Iterable

from engine.clock import Clock, ClockSettings
from matches.models import Action, LiveMatch
from matches.play.instants import to_ms
from matches.play.live import LiveState, after_event
from matches.play.services.journal import event_of
from matches.play.services.starting import first_state, here_at_start


def state_at_start(live: LiveMatch) -> LiveState:
    """The state before the first action."""
    clock = None
    if live.delay is not None:
        clock = Clock.of(ClockSettings(live.delay, live.bank, live.overtime, live.correspondence))
    start = first_state(live.match, live.flag_rule)
    return LiveState.start(start, clock, to_ms(live.started_at), here=here_at_start(live))


def state_after(state: LiveState, actions: Iterable[Action]) -> LiveState:
    """The state that the actions lead to."""
    for action in actions:
        state = after_event(state, event_of(action))
    return state
