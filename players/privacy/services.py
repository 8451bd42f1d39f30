"""Requesting, making and deleting copies of a person's data."""

from datetime import datetime, timedelta
from functools import partial
from tempfile import TemporaryFile
from typing import IO

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from core.locks import for_update, lock_row
from core.queue import claim_lasts, hint, resend_after
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Club, DataExport, DataExportPart, Player, User
from players.people.canonical import canonical
from players.people.services.erasure import erase_player
from players.people.services.merging import check_managed_by_club
from players.people.topics import player_topic
from players.privacy.archive import write_archive
from players.privacy.sections import Person

MAKE_EXPORT = "players.make_data_export"
"""Name of the Celery task that `hint` publishes."""
PART_SIZE = 512 * 1024
"""Bytes of an archive that are stored, and later sent, at a time."""
MOST_ATTEMPTS = 3
SWEEP_AT_ONCE = 50
MOST_DAYS = 30
"""A copy expires in any case; for so many days it is kept where data is kept forever."""
REUSED_FOR = timedelta(hours=1)
"""How long a finished copy is returned instead of making another one."""
State = DataExport.State

events = structlog.get_logger(__name__)


@transaction.atomic
def request_export(*, player: Player, user: User, by: Actor, now: datetime, club: Club | None = None) -> DataExport:
    """Have a worker make a copy of a person's data for `user`; an unfinished or fresh copy is returned again.

    With a `club` its director requests it for a player without an account, whom that club entered.
    Refused: `erased`, `account_decides`, `other_club_entered`.
    """
    player = lock_row(Player, canonical(player).pk)
    if player.erased_at is not None:
        raise Refused("erased")
    if club is not None:
        check_managed_by_club(player, club)
    known = DataExport.objects.filter(player=player, requested_by=user)
    fresh = Q(state__in=[State.QUEUED, State.WORKING]) | Q(state=State.DONE, finished_at__gt=now - REUSED_FOR)
    existing = known.filter(fresh).first()
    if existing is not None:
        return existing
    export = DataExport.objects.create(player=player, requested_by=user, requested_at=now, sent_at=now)
    log(by, "data_exported", player_topic(player), club=club)
    transaction.on_commit(lambda: hint(MAKE_EXPORT, export.pk), robust=True)
    return export


def erase_member(*, player: Player, club: Club, by: Actor, now: datetime) -> Player:
    """Erase a player without an account for the club that entered them.

    Refused: `account_decides`, `other_club_entered`, and as for `erase_player`.
    """
    return erase_player(player=player, by=by, now=now, check=partial(check_managed_by_club, club=club))


def make_export(*, export_id: int, now: datetime) -> DataExport | None:
    """Claim an export, make its archive and store it; None if there was nothing left to do."""
    export = _claim(export_id, now)
    if export is None:
        return None
    with TemporaryFile() as file:
        write_archive(file, Person.of(export.player), reader=export.requested_by, now=now)
        return _store(export_id, file, now)


@transaction.atomic
def _store(export_id: int, file: IO[bytes], now: datetime) -> DataExport | None:
    """Store the archive in parts; None if the person was erased or another worker has finished first."""
    row = for_update(DataExport.objects.filter(pk=export_id)).first()
    if row is None or not row.is_open:
        return None
    row.size = file.tell()
    file.seek(0)
    for number, data in enumerate(iter(partial(file.read, PART_SIZE), b"")):
        DataExportPart.objects.create(export=row, number=number, data=data)
    row.state, row.finished_at = State.DONE, now
    row.expires_at = now + timedelta(days=settings.EXPORTS_KEPT_DAYS or MOST_DAYS)
    row.save(update_fields=["size", "state", "finished_at", "expires_at"])
    return row


def _claim(export_id: int, now: datetime) -> DataExport | None:
    """Claim the row, unless it is finished or claimed by another worker; give it up after some attempts."""
    with transaction.atomic():
        row = for_update(DataExport.objects.filter(pk=export_id)).first()
        if row is None or not row.is_open:
            return None
        if row.claimed_at is not None and row.claimed_at > now - claim_lasts():
            return None
        if row.attempts >= MOST_ATTEMPTS:
            row.state = State.FAILED
            row.save(update_fields=["state"])
            events.error("data_export_gave_up", export=row.public_id, attempts=row.attempts)
            return None
        row.state, row.claimed_at, row.attempts = State.WORKING, now, row.attempts + 1
        row.save(update_fields=["state", "claimed_at", "attempts"])
        return row


def send_again(*, now: datetime) -> int:
    """Publish the task again for exports that are unclaimed or whose claim has expired; return how many."""
    due = Q(state=State.QUEUED) | Q(state=State.WORKING, claimed_at__lte=now - claim_lasts())
    rows = DataExport.objects.filter(due, sent_at__lte=now - resend_after()).order_by("sent_at", "pk")
    ids = list(rows.values_list("pk", flat=True)[:SWEEP_AT_ONCE])
    DataExport.objects.filter(pk__in=ids).update(sent_at=now)
    for export_id in ids:
        hint(MAKE_EXPORT, export_id)
    return len(ids)


def exports_for(user: User, player: Player, now: datetime) -> QuerySet[DataExport]:
    """Return the copies of a person's data that this user requested and that have not expired, newest first."""
    kept = Q(expires_at=None) | Q(expires_at__gt=now)
    return DataExport.objects.filter(kept, requested_by=user, player=player)
