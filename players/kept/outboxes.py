"""The protocol of kept acts: each arrives once, in order, and the server's answer may get lost.

The browser numbers its acts, and the server says up to which number it has them. An act and its outcome are stored in
one transaction with what the act changes, so a crash stores nothing, and a repeated act has its first outcome.
"""

import hashlib
import json
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import QuerySet

from core.live.publishing import touch_on_commit
from core.locks import for_update
from core.messages import sentence
from engine.errors import Refused
from players.actors import Actor, log
from players.kept.acts import NOTE, STRUCK, Arrived, Outcome, Seen, SentAct
from players.models import Club, KeptAct, Outbox, User
from players.people.mentions import ERASED

logger = logging.getLogger(__name__)

MAX_AGE = timedelta(hours=48)
"""An act that was done before that is not done any more."""
MAX_ACTS = 20
"""In one request."""
MAX_IN_OUTBOX = 500
NEW_OUTBOXES = 10
"""Of one reader in a day."""
DAY = timedelta(days=1)
NOT_STORED = ("label", "reader", "by")
"""Parts of an act that name people; whose it is, is stored with the outbox, and its label beside the content."""
OPEN = (Outcome.DIFFERS, Outcome.REFUSED)

Arrive = Callable[[Seen, Actor, datetime], Arrived]
"""Does an act, or says why not, in the transaction that stores its outcome."""


@dataclass(frozen=True)
class OutboxKey:
    """An outbox as a request names it, and what it is about."""

    topic: str
    key: str
    club: Club | None
    device: str = ""
    most: int | None = None
    """How many acts of one reader arrive about the topic in a day; None for as many as outboxes hold."""


@dataclass(frozen=True)
class Sending:
    """What a browser sends along with its acts."""

    by: Actor
    device_now: int
    """In ms, by the clock of the device."""
    left: int = 0
    """How many acts it has beside these."""
    carried: bool = False
    """Whether the sender sends the acts of somebody else, and knows it."""


def receive(box: OutboxKey, acts: Sequence[SentAct], sending: Sending, arrive: Arrive, now: datetime) -> Outbox:
    """Let the acts arrive in the order of their numbers, each in a transaction of its own; return the outbox.

    Refused: `kept_of_another`, `kept_gap`, `key_reused`, `too_many_outboxes`, `outbox_full`, `too_many_kept`; what came
    before in the request has arrived.
    """
    row = _outbox(box, acts, sending, now)
    for act in acts:
        with transaction.atomic():
            row = for_update(Outbox.objects.all()).select_related("user", "club").get(pk=row.pk)
            if act.number > row.have + 1:
                raise Refused("kept_gap", have=row.have)
            if act.number <= row.have:
                stored = row.acts.filter(number=act.number).values_list("digest", flat=True).first()
                if stored is not None and stored != digest_of(act):
                    raise Refused("key_reused")
                continue
            _refuse_too_many(row, act, box.most, now)
            _store(row, act, sending, arrive, now)
            row.have = act.number
            row.save(update_fields=["have"])
            # What a person has to decide is shown on open floors.
            touch_on_commit(row.topic)
    Outbox.objects.filter(pk=row.pk).update(left=sending.left, heard_at=now, device=box.device)
    row.left, row.heard_at = sending.left, now
    return row


def _outbox(box: OutboxKey, acts: Sequence[SentAct], sending: Sending, now: datetime) -> Outbox:
    """Return the outbox that a request names, made if it is new. Refused: `kept_of_another`."""
    owner = _owner(acts, sending)
    if not Outbox.objects.filter(topic=box.topic, key=box.key).exists():
        _refuse_new(box.topic, owner, now)
    row, _created = Outbox.objects.get_or_create(
        topic=box.topic,
        key=box.key,
        defaults={
            "club": box.club,
            "by": owner.kind,
            "user": owner.user,
            "side": owner.side,
            "device": box.device,
            "created_at": now,
            "heard_at": now,
        },
    )
    if not sending.carried and not is_owner(row, sending.by):
        raise Refused("kept_of_another")
    return row


def _owner(acts: Sequence[SentAct], sending: Sending) -> Actor:
    """Return whose acts these are if no earlier request has said so: the sender's, or the account's they name."""
    named = {act.reader for act in acts if act.reader}
    if named <= {reader_id(sending.by)}:
        return sending.by
    (name,) = named if len(named) == 1 and sending.carried else ("",)
    reader = User.objects.filter(pk=int(name)).first() if name.isdecimal() else None
    if reader is None:
        raise Refused("kept_of_another")
    return Actor.of(reader)


def _refuse_new(topic: str, owner: Actor, now: datetime) -> None:
    """Refused: `too_many_outboxes` that this reader has begun within a day, with the minutes to wait."""
    begun = Outbox.objects.filter(by=owner.kind, user=owner.user, side=owner.side, created_at__gt=now - DAY)
    if owner.user is None:
        begun = begun.filter(topic=topic)
    times = list(begun.order_by("-created_at").values_list("created_at", flat=True)[:NEW_OUTBOXES])
    if len(times) == NEW_OUTBOXES:
        raise Refused("too_many_outboxes", most=NEW_OUTBOXES, minutes=_minutes_until(times[-1] + DAY, now))


def _refuse_too_many(row: Outbox, act: SentAct, most: int | None, now: datetime) -> None:
    """Refused: `outbox_full`, and `too_many_kept` that have arrived of this reader within a day."""
    if act.number > MAX_IN_OUTBOX:
        raise Refused("outbox_full", most=MAX_IN_OUTBOX)
    if most is None or act.action == STRUCK:
        return
    arrived = KeptAct.objects.filter(
        outbox__topic=row.topic,
        outbox__by=row.by,
        outbox__user=row.user,
        outbox__side=row.side,
        arrived_at__gt=now - DAY,
    ).exclude(action=STRUCK)
    times = list(arrived.order_by("-arrived_at").values_list("arrived_at", flat=True)[:most])
    if len(times) == most:
        raise Refused("too_many_kept", most=most, minutes=_minutes_until(times[-1] + DAY, now))


def _minutes_until(then: datetime, now: datetime) -> int:
    return max(1, math.ceil((then - now) / timedelta(minutes=1)))


def reader_id(by: Actor) -> str:
    """Return what an act says of whose it is: the number of an account, or the side of a personal link."""
    return str(by.user.pk) if by.user is not None else f"link-{by.side}"


def is_owner(row: Outbox, by: Actor) -> bool:
    return (row.by, row.user_id, row.side) == (by.kind, by.user.pk if by.user is not None else None, by.side)


def _store(row: Outbox, act: SentAct, sending: Sending, arrive: Arrive, now: datetime) -> None:
    typed_at = typed_time(act, sending.device_now, now)
    own = made_by(row)
    arrived = _arrived(Seen(act, typed_at, own, row.pk), sending.by, arrive, now)
    is_carried = sending.carried and not is_owner(row, sending.by)
    stored = KeptAct.objects.create(
        outbox=row,
        number=act.number,
        digest=digest_of(act),
        action=act.action,
        content={name: value for name, value in act.content.items() if name not in NOT_STORED},
        label=act.label,
        typed_at=typed_at,
        arrived_at=now,
        outcome=arrived.outcome,
        code=arrived.code,
        params=dict(arrived.params),
        made=list(arrived.made),
        carried_by=sending.by.user if is_carried else None,
        is_open=arrived.outcome in OPEN or (act.action == NOTE and arrived.outcome == Outcome.DONE),
    )
    log_kept(row, stored, sending.by)


def log_kept(row: Outbox, act: KeptAct, by: Actor) -> None:
    """Log that an act has arrived from an outbox of a club, and what became of it; `by` has sent it.

    What it made has lines of its own. Whose act it is, if the sender carried it, is with the act.
    """
    if row.club is None:
        return
    typed_at = act.typed_at.isoformat() if act.typed_at is not None else None
    log(
        by, "kept_act", row.topic, club=row.club, kept=act.pk, action=act.action, number=act.number,
        outcome=str(act.outcome), typed_at=typed_at, device=row.device, carried=act.carried_by is not None,
    )  # fmt: skip


def _arrived(seen: Seen, by: Actor, arrive: Arrive, now: datetime) -> Arrived:
    """Return what becomes of an act; one that fails changes nothing, and does not stop those after it."""
    if seen.act.action == STRUCK:
        return Arrived(Outcome.CANCELLED)
    if seen.typed_at is not None and now - seen.typed_at > MAX_AGE:
        return Arrived(Outcome.REFUSED, "kept_too_old")
    try:
        with transaction.atomic():
            return arrive(seen, by, now)
    except Refused as refused:
        return Arrived(Outcome.REFUSED, refused.code, refused.params)
    except (OperationalError, InterfaceError):
        raise  # Nothing is stored, and the act comes again.
    except Exception:
        # An act that fails each time must not keep back those after it; it stays in sight.
        logger.exception("A kept act failed: %s", seen.act.action)
        return Arrived(Outcome.REFUSED, "server_error")


def made_by(row: Outbox) -> frozenset[str]:
    """Return what the acts of an outbox have made, by the names they are undone by."""
    return frozenset(name for made in row.acts.values_list("made", flat=True) for name in made)


def typed_time(act: SentAct, device_now: int, now: datetime) -> datetime | None:
    """Return when an act was done, by its age on the device, at the earliest when the reader's page was made.

    Nobody can say that it was later than now. None if the clock of the device went back. The error of that clock
    cancels out.
    """
    age = timedelta(milliseconds=device_now - act.at)
    return None if age < timedelta(0) else min(max(now - age, act.seen_at), now)


def digest_of(act: SentAct) -> str:
    """Return the hash of the content of an act, by which a number that is used twice is noticed."""
    return hashlib.sha256(json.dumps(act.content, sort_keys=True).encode()).hexdigest()


def have(topic: str, key: str) -> int:
    """Return the number of the last act of an outbox that has arrived; 0 if it is not known."""
    return Outbox.objects.filter(topic=topic, key=key).values_list("have", flat=True).first() or 0


def undecided(topic: str, key: str) -> QuerySet[KeptAct]:
    """Return the acts of an outbox that a person has to decide, by their numbers."""
    return KeptAct.objects.filter(outbox__topic=topic, outbox__key=key, is_open=True).order_by("number")


class _Params(dict[str, Any]):
    """The parameters of a sentence; those that were erased with a person are left open."""

    def __missing__(self, name: str) -> str:
        return ERASED


def text_of(act: KeptAct) -> str:
    """Return the sentence that explains the outcome of an act; empty if it needs none."""
    return sentence(act.code, _Params(act.params)) if act.code else ""
