"""Notes that the staff leave for later: a line under "Needs you", whether or not there was a connection."""

from datetime import datetime

from django.db import transaction

from core.locks import for_update
from players.actors import Actor
from players.kept.acts import NOTE, Outcome
from players.models import KeptAct, Outbox
from tournaments.models import Tournament


def take_note(*, tournament: Tournament, text: str, by: Actor, now: datetime) -> KeptAct:
    """Store a note as if it had been kept and had just arrived, in an outbox for the notes of this user."""
    key = f"notes-{by.user.pk if by.user is not None else 0}"  # shorter than those of browsers
    with transaction.atomic():
        defaults = {"club": tournament.club, "by": by.kind, "user": by.user, "created_at": now}
        row, _created = Outbox.objects.get_or_create(topic=tournament.topic, key=key, defaults=defaults)
        row = for_update(Outbox.objects.filter(pk=row.pk)).get()
        row.have, row.heard_at = row.have + 1, now
        row.save(update_fields=["have", "heard_at"])
        return KeptAct.objects.create(
            outbox=row, number=row.have, action=NOTE, content={"fields": {"text": text}}, typed_at=now, arrived_at=now,
            outcome=Outcome.DONE, is_open=True,
        )  # fmt: skip
