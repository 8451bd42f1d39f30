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
from django.db.models import Q, QuerySet

from core.live.publishing import touch_on_commit
from core.locks import for_update
from core.messages import sentence
from engine.errors import Refused
from players.actors import Actor, log
from players.kept.acts import NOTE, STRUCK, UNDO, Arrived, Outcome, Seen, SentAct
from players.models import Club, KeptAct, Outbox, User
from players.people.mentions import ERASED

logger = logging.getLogger(__name__)

MAX_AGE = timedelta(hours=48)
"""An act that was done before that is not done any more."""
MAX_ACTS = 20
"""In one request."""
MAX_IN_OUTBOX = 500
NEW_OUTBOXES = 10
"""About one topic that somebody sends in a day."""
DAY = timedelta(days=1)
NOT_COUNTED = (STRUCK, "running-score", "score")
"""Acts that never keep a report back: of the running scores of a match only the newest matters."""
NOT_STORED = ("label", "reader", "by")
"""Parts of an act that name people; whose it is, is stored with the outbox, and its label beside the content."""
OPEN = (Outcome.DIFFERS, Outcome.REFUSED)

Arrive = Callable[[Seen, Actor, datetime], Arrived]
"""Does an act, or says why not, in the transaction that stores its outcome."""
Carries = Callable[[User, Sequence[SentAct], datetime], bool]
"""Whether a sender may send what this account has done, which was typed at this moment at the earliest."""


@dataclass(frozen=True)
class OutboxKey:
    """An outbox as a request names it, and what it is about."""

    topic: str
    key: str
    club: Club | None
    device: str = ""
    most: int = MAX_IN_OUTBOX
    """How many acts of one sender arrive in a day."""


@dataclass(frozen=True)
class Sending:
    """What a browser sends along with its acts."""

    by: Actor
    device_now: int
    """In ms, by the clock of the device."""
    left: int = 0
    """How many acts it has beside these."""
    carries: Carries | None = None
    """Given if the sender sends the acts of somebody else, and knows it."""


def receive(box: OutboxKey, acts: Sequence[SentAct], sending: Sending, arrive: Arrive, now: datetime) -> Outbox:
    """Let the acts arrive in the order of their numbers, each in a transaction of its own; return the outbox.

    Refused: `kept_of_another`, `kept_gap`, `key_reused`, `too_many_outboxes`, `outbox_full`, `too_many_kept`; what came
    before in the request has arrived.
    """
    owner, sent = _owner(acts, sending, now), _sent_by(sending.by, box.topic).exclude(action__in=NOT_COUNTED)
    room = box.most - sent.filter(arrived_at__gt=now - DAY).count()
    for act in acts:
        with transaction.atomic():
            row = _locked(box) or _begun(box, owner, sending, now)
            if (row.by, row.user, row.side) != (owner.kind, owner.user, owner.side):
                raise Refused("kept_of_another")
            if act.number > row.have + 1:
                raise Refused("kept_gap", have=row.have)
            if act.number <= row.have:
                stored = row.acts.filter(number=act.number).values_list("digest", flat=True).first()
                if stored is not None and stored != digest_of(act):
                    raise Refused("key_reused", n=act.number)
                continue
            _refuse_full(row, act)
            if act.action not in NOT_COUNTED:
                if room <= 0:
                    times = sent.exclude(action__in=NOT_COUNTED).order_by("-arrived_at")
                    raise _too_many(
                        "too_many_kept", box.most, times.values_list("arrived_at", flat=True), row.have, now
                    )
                room -= 1
            _store(row, act, sending, arrive, now)
            row.have = act.number
            row.save(update_fields=["have"])
            # What a person has to decide is shown on open floors.
            touch_on_commit(row.topic)
    Outbox.objects.filter(pk=row.pk).update(left=sending.left, heard_at=now, device=box.device)
    row.left, row.heard_at = sending.left, now
    return row


def _locked(box: OutboxKey) -> Outbox | None:
    return for_update(Outbox.objects.select_related("user", "club").filter(topic=box.topic, key=box.key)).first()


def _begun(box: OutboxKey, owner: Actor, sending: Sending, now: datetime) -> Outbox:
    """Return a new outbox, or the one that another request has just begun. Refused: `too_many_outboxes`."""
    sent = _sent_by(sending.by, box.topic).filter(outbox__created_at__gt=now - DAY, outbox__topic=box.topic, number=1)
    times = sent.values_list("outbox__created_at", flat=True)
    if times.count() >= NEW_OUTBOXES:
        raise _too_many("too_many_outboxes", NEW_OUTBOXES, times, 0, now)
    begun = {"created_at": now, "heard_at": now, "club": box.club, "device": box.device}
    whose = {"by": owner.kind, "user": owner.user, "side": owner.side}
    Outbox.objects.get_or_create(topic=box.topic, key=box.key, defaults=begun | whose)
    row = _locked(box)
    assert row is not None  # noqa: S101, just made
    return row


def _owner(acts: Sequence[SentAct], sending: Sending, now: datetime) -> Actor:
    """Return whose acts these are: the sender's, or those of the account they name. Refused: `kept_of_another`."""
    named = {act.reader for act in acts if act.reader}
    if named <= {reader_id(sending.by)}:
        return sending.by
    (name,) = named if len(named) == 1 and sending.carries is not None else ("",)
    reader = User.objects.filter(pk=int(name)).first() if name.isdecimal() else None
    since = min(typed_time(act, sending.device_now, now) or now - MAX_AGE for act in acts)
    # The same answer for an account that is not there, so that nobody can look for them.
    if reader is None or sending.carries is None or not sending.carries(reader, acts, since):
        raise Refused("kept_of_another")
    return Actor.of(reader)


def _sent_by(by: Actor, topic: str) -> QuerySet[KeptAct]:
    """Return the acts that somebody has sent, carried ones among them; by a personal link, those about its match."""
    own = Q(outbox__by=by.kind, outbox__user=by.user, outbox__side=by.side, carried_by=None)
    if by.user is None:
        return KeptAct.objects.filter(own, outbox__topic=topic)
    return KeptAct.objects.filter(own | Q(carried_by=by.user))


def _refuse_full(row: Outbox, act: SentAct) -> None:
    """Refused: `outbox_full`, upon which a browser begins another. What takes an act back always finds room."""
    if act.number <= MAX_IN_OUTBOX or act.action in (STRUCK, UNDO):
        return
    if row.acts.exclude(action__in=(STRUCK, UNDO)).count() >= MAX_IN_OUTBOX:
        raise Refused("outbox_full", most=MAX_IN_OUTBOX, have=row.have)


def _too_many(code: str, most: int, times: QuerySet[Any, datetime], have: int, now: datetime) -> Refused:
    """Return a refusal with the minutes until fewer than `most` of these times are within a day."""
    minutes = max(1, math.ceil((sorted(times, reverse=True)[most - 1] + DAY - now) / timedelta(minutes=1)))
    return Refused(code, most=most, minutes=minutes, have=have)


def reader_id(by: Actor) -> str:
    """Return what an act says of whose it is: the number of an account, or the side of a personal link."""
    return str(by.user.pk) if by.user is not None else f"link-{by.side}"


def is_owner(row: Outbox, by: Actor) -> bool:
    return (row.by, row.user_id, row.side) == (by.kind, by.user.pk if by.user is not None else None, by.side)


def _store(row: Outbox, act: SentAct, sending: Sending, arrive: Arrive, now: datetime) -> None:
    typed_at = typed_time(act, sending.device_now, now)
    own = made_by(row)
    arrived = _arrived(Seen(act, typed_at, own, row.pk), sending.by, arrive, now)
    is_carried = not is_owner(row, sending.by)
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


def notices(topic: str, key: str, now: datetime) -> QuerySet[KeptAct]:
    """Return the acts of an outbox of which its reader should know, in order: to be decided, or overtaken lately."""
    overtaken = Q(outcome=Outcome.OVERTAKEN, arrived_at__gt=now - MAX_AGE)
    acts = KeptAct.objects.filter(Q(is_open=True) | overtaken, outbox__topic=topic, outbox__key=key)
    return acts.order_by("number")


class _Params(dict[str, Any]):
    """The parameters of a sentence; those that were erased with a person are left open."""

    def __missing__(self, name: str) -> str:
        return ERASED


def text_of(act: KeptAct) -> str:
    """Return the sentence that explains the outcome of an act; empty if it needs none."""
    return sentence(act.code, _Params(act.params)) if act.code else ""
