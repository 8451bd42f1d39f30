"""Entering an act that differed when it arrived, once what its reader saw has become true."""

from datetime import datetime

from django.db import transaction

from engine.errors import Refused
from players.actors import Actor
from players.kept.acts import NOTE, UNDO, Outcome, Seen
from players.kept.api import sent_act
from players.kept.outboxes import made_by
from players.models import KeptAct
from tournaments.floor.kept.arrival import arrival_at, would_arrive
from tournaments.floor.kept.decisions import Decision, decide, decided_before, lock_act
from tournaments.models import Tournament


def outcome_now(tournament: Tournament, act: KeptAct, by: Actor, now: datetime) -> KeptAct.Outcome | None:
    """Return what would become of an open act if it arrived now; None if that is not known."""
    if act.action in (NOTE, UNDO) or act.outbox.topic != tournament.topic or not act.content:
        return None
    try:
        with transaction.atomic():  # for the locks under which it is compared
            arrived = would_arrive(tournament, _seen(act), by, now)
    except Refused:
        return Outcome.REFUSED
    return Outcome.DONE if arrived is None else arrived.outcome


@transaction.atomic
def enter(*, tournament: Tournament, act: KeptAct, by: Actor, now: datetime) -> KeptAct:
    """Do an act as whoever decides it. Entering it twice changes nothing.

    Refused: `kept_decided` if somebody has decided otherwise, `kept_still_differs`, and what its service refuses.
    """
    locked = lock_act(act)
    if not locked.is_open:
        return decided_before(locked, Decision.ENTERED)
    if locked.action == NOTE or locked.outbox.topic != tournament.topic or not locked.content:
        raise Refused("not_kept")
    # Logged before what it does, whose own line is the one that can be undone.
    decided = decide(tournament, locked, Decision.ENTERED, by=by, now=now)
    arrived = arrival_at(tournament)(_seen(locked), by, now)
    if arrived.outcome not in (Outcome.DONE, Outcome.ALREADY):
        raise Refused("kept_still_differs")
    return decided


def _seen(act: KeptAct) -> Seen:
    return Seen(sent_act(act.content), act.typed_at, made_by(act.outbox), act.outbox_id)
