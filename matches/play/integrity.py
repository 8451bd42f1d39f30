"""What a match played here stores, derived again from its actions."""

import json
from collections.abc import Iterator

from engine.actions import Act
from engine.adjudication import adjudicate
from engine.clock import Clock, ClockSettings
from matches.models import Action, LiveMatch, Result
from matches.play.codec import to_data
from matches.play.instants import to_ms
from matches.play.live import LiveState, after_event
from matches.play.services.journal import event_of
from matches.play.services.starting import first_state
from matches.play.transcripts import transcript_of

Difference = tuple[str, object, object]
"""What differs, the stored value, and the derived one."""


def differences_of(live: LiveMatch) -> Iterator[Difference]:
    """Yield every stored value of a match that does not follow from its actions.

    A match that ended on the board is adjudicated as well: no finding may be an error, and the engine's result has to
    be the one that its play led to.
    """
    actions = list(live.actions.order_by("seq"))
    seqs = [action.seq for action in actions]
    if seqs != list(range(1, len(seqs) + 1)):
        yield "actions", seqs, list(range(1, len(seqs) + 1))
        return
    state = json.loads(json.dumps(to_data(state_after(live, actions))))
    if live.state != state:
        yield "board", live.state, state
    if live.last != len(actions):
        yield "last action", live.last, len(actions)
    rolled = any(action.kind == Act.ROLL for action in actions)
    if (live.begun_at is not None) != rolled:
        yield "has begun", live.begun_at is not None, rolled
    result = Result.objects.filter(match=live.pk, source=Result.Source.LIVE).order_by("version").last()
    if result is not None:
        yield from _of_verdict(live, result)


def state_after(live: LiveMatch, actions: list[Action]) -> LiveState:
    """The state that the actions lead to from the first."""
    clock = None
    if live.delay is not None:
        clock = Clock.of(ClockSettings(live.delay, live.bank, live.overtime, live.correspondence))
    state = LiveState.start(first_state(live.match, live.flag_rule), clock, to_ms(live.started_at))
    for action in actions:
        state = after_event(state, event_of(action))
    return state


def _of_verdict(live: LiveMatch, result: Result) -> Iterator[Difference]:
    """Compare the result of the play with the engine's verdict on its transcript."""
    verdict = adjudicate(transcript_of(live))
    errors = [finding.code for finding in verdict.findings if finding.severity == "error"]
    if errors:
        yield "findings", [], errors
    if result.winner != verdict.winner:
        yield "winner of the play", result.winner, verdict.winner
    elif result.kind == Result.Kind.PLAYED and result.score != verdict.score:
        # A match that was conceded or lost on time keeps its score; the engine counts the missing points.
        yield "score of the play", result.score, verdict.score
