"""What a match played here stores, derived again from its actions."""

import json
from collections.abc import Iterator

from engine.actions import Act
from engine.adjudication import adjudicate
from matches.models import LiveMatch, Result
from matches.play.codec import to_data
from matches.play.replaying import state_after, state_at_start
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
    state = json.loads(json.dumps(to_data(state_after(state_at_start(live), actions))))
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


def _of_verdict(live: LiveMatch, result: Result) -> Iterator[Difference]:
    """Compare the result of the play with the engine's verdict on its transcript."""
    verdict = adjudicate(transcript_of(live))
    # No record says that a director has set the score, so that it does not follow from the games.
    is_set = live.actions.filter(kind=Act.SET_SCORE).exists()
    excused = {"score_contradicts"} if is_set else set()
    errors = [finding.code for finding in verdict.findings if finding.severity == "error"]
    errors = [code for code in errors if code not in excused]
    if errors:
        yield "findings", [], errors
    if result.winner != verdict.winner:
        yield "winner of the play", result.winner, verdict.winner
    elif result.kind == Result.Kind.PLAYED and result.score != verdict.score:
        # A match that was conceded or lost on time keeps its score; the engine counts the missing points.
        yield "score of the play", result.score, verdict.score
