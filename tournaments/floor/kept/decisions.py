"""What a person decides about a kept act that has changed nothing, or about a note."""

from datetime import datetime

from django.db import transaction

from core.live.publishing import touch_on_commit
from core.locks import for_update
from engine.errors import Refused
from players.actors import Actor, log
from players.models import KeptAct, Outbox
from tournaments.models import Tournament

Decision = KeptAct.Decision
LEFT, ENTERED = "kept_left", "kept_entered"
"""The verbs of the log."""


@transaction.atomic
def leave(*, tournament: Tournament, act: KeptAct, by: Actor, now: datetime) -> KeptAct:
    """Leave everything as it is: the act is no longer shown as one to decide. Deciding it so twice changes nothing.

    Refused: `kept_decided` if somebody has decided otherwise.
    """
    locked = lock_act(act)
    if not locked.is_open:
        return decided_before(locked, Decision.LEFT)
    return decide(tournament, locked, Decision.LEFT, by=by, now=now)


def lock_act(act: KeptAct) -> KeptAct:
    """Return a kept act as it is now; its outbox is locked until the transaction ends, before anything else."""
    for_update(Outbox.objects.all()).get(pk=act.outbox_id)
    return KeptAct.objects.select_related("outbox__user", "outbox__club", "decided_by").get(pk=act.pk)


def decide(tournament: Tournament, locked: KeptAct, decision: KeptAct.Decision, *, by: Actor, now: datetime) -> KeptAct:
    """Store and log a decision about an open act whose outbox is locked."""
    locked.is_open, locked.decision = False, decision
    locked.decided_by, locked.decided_at = by.user, now
    locked.save(update_fields=["is_open", "decision", "decided_by", "decided_at"])
    params = {"kept": locked.pk, "action": locked.action, "device": locked.outbox.device}
    verb = ENTERED if decision == Decision.ENTERED else LEFT
    log(by, verb, tournament.topic, club=tournament.club, **params)
    touch_on_commit(tournament.topic)
    return locked


def reopen(*, tournament: Tournament, act: KeptAct) -> None:
    """Take back that an act was left: it waits for a decision again."""
    locked = lock_act(act)
    locked.is_open, locked.decision, locked.decided_by, locked.decided_at = True, "", None, None
    locked.save(update_fields=["is_open", "decision", "decided_by", "decided_at"])
    touch_on_commit(tournament.topic)


def decided_before(act: KeptAct, decision: KeptAct.Decision) -> KeptAct:
    """Return an act that was decided in the same way before. Refused: `kept_decided`."""
    if act.decision != decision:
        raise Refused("kept_decided", decision=act.get_decision_display())
    return act
