"""A player of a match by correspondence decides ahead how to answer the double that the opponent may offer now.

It holds for this one turn of the opponent, can be withdrawn until the double arrives, and nobody else sees it. The
double and the answer are then written together. No program has a part in it: the player has decided.
"""

from datetime import datetime

from django.db import transaction

from core.locks import for_update
from engine.actions import Act, Phase
from engine.cube import Side
from engine.errors import Refused
from matches.models import LiveMatch, Match
from matches.play import due
from matches.play.journal import AHEAD, Journal
from matches.play.live import LiveEvent, LiveState
from players.actors import SYSTEM


def may_decide_ahead(live: LiveMatch, state: LiveState, side: Side) -> bool:
    """Whether the opponent of this side is about to roll or double, in a match by correspondence between people."""
    match = state.match
    is_between_people = live.correspondence and live.bot_side is None
    is_before_roll = match.phase is Phase.TO_ROLL and match.turn == 1 - side and not state.is_paused
    return is_between_people and is_before_roll and match.may_double


def answer_ahead(live: LiveMatch) -> str:
    """What was decided ahead for the turn on the board, `take` or `drop`; empty if nothing was, or no longer holds."""
    return live.answer_ahead if live.answer_ahead_after == live.changed_by else ""


def decide_ahead(*, match: Match, side: Side, answer: str, last: int, now: datetime) -> None:
    """Take (`take`) or pass (`drop`) the double that may come now; an empty answer withdraws what was decided.

    `last` is the number of the last action that the player has seen. What is due happens first.
    Refused: `not_live`, `stale`, and `no_double_ahead` where no double of the opponent can come now.
    """
    due.settle_first(match_id=match.pk, now=now)
    with transaction.atomic():
        locked = for_update(Match.objects.all()).get(pk=match.pk)
        if locked.state != Match.State.LIVE:
            raise Refused("not_live")
        # Read after the lock: whoever waited for a double must not decide about it.
        live = LiveMatch.objects.get(pk=match.pk)
        if not live.changed_by <= last <= live.last:
            raise Refused("stale", seq=live.last)
        if not may_decide_ahead(live, due.state_of(live), side):
            raise Refused("no_double_ahead")
        live.answer_ahead, live.answer_ahead_after = answer, live.changed_by
        live.save(update_fields=["answer_ahead", "answer_ahead_after"])


def answer_as_decided(journal: Journal, *, seen: int, at: int) -> None:
    """Answer the double that was just appended, if the opponent decided that ahead after action `seen`."""
    if not journal.live.correspondence:
        return
    # Not from the journal: on PostgreSQL its board is older than its lock (`lock_with_live`).
    decided = LiveMatch.objects.filter(pk=journal.match.pk, answer_ahead_after=seen).exclude(answer_ahead="")
    answer = decided.values_list("answer_ahead", flat=True).first()
    if answer is not None:
        event = LiveEvent(Act(answer), at, journal.state.match.to_act)
        journal.append(event, by=SYSTEM, data={AHEAD: True})
