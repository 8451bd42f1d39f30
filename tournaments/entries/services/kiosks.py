"""Kiosks: devices at the door that are paired by a QR code and can check players in, and nothing else."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.core.signing import BadSignature, Signer
from django.db import models, transaction

from core.locks import lock_row
from core.public_ids import new_public_id
from engine.errors import Refused
from players.actors import Actor, log
from players.models import LogEntry
from tournaments.entries.services import check_in
from tournaments.models import CheckIn, Entry, Kiosk, Tournament
from tournaments.state.locks import lock_division

PAIRING_LASTS = timedelta(minutes=10)
UNDO_LASTS = timedelta(seconds=30)
KIOSK = Actor(LogEntry.By.LINK)
"""Whoever holds the pairing link, and then the device; the log names the kiosk."""
_SIGNER = Signer(salt="tournaments.kiosks", sep=".")


def create_kiosk(*, tournament: Tournament, by: Actor, now: datetime) -> Kiosk:
    """Create a kiosk whose pairing link is valid for ten minutes. Refused: `tournament_not_open`."""
    if not tournament.is_open:
        raise Refused("tournament_not_open")
    with transaction.atomic():
        kiosk = Kiosk.objects.create(tournament=tournament, created_at=now, created_by=by.user)
        log(by, "kiosk_created", tournament.topic, club=tournament.club)
    return kiosk


def pairing_token(kiosk: Kiosk) -> str:
    """Return the token of the link that pairs a device."""
    return _SIGNER.sign(kiosk.public_id)


def pairable(token: str, now: datetime) -> Kiosk:
    """Return the kiosk that a pairing token can pair a device with. Refused: `kiosk_link_used`."""
    try:
        public_id = _SIGNER.unsign(token)
    except BadSignature:
        raise Refused("kiosk_link_used") from None
    kiosk = _kiosks().filter(public_id=public_id, paired_at=None, created_at__gt=now - PAIRING_LASTS).first()
    if kiosk is None or not kiosk.tournament.is_open:
        raise Refused("kiosk_link_used")
    return kiosk


def pair(*, token: str, now: datetime) -> tuple[Kiosk, str]:
    """Pair a device; return its kiosk and the secret that the device is to keep. Refused: `kiosk_link_used`."""
    with transaction.atomic():
        lock_row(Kiosk, pairable(token, now).pk)
        # Of two devices that scan the same code, the second finds it used.
        kiosk = pairable(token, now)
        secret = secrets.token_urlsafe(32)
        kiosk.secret_hash, kiosk.paired_at = _hash(secret), now
        kiosk.save(update_fields=["secret_hash", "paired_at"])
        event = kiosk.tournament
        log(KIOSK, "kiosk_paired", event.topic, club=event.club, kiosk=kiosk.public_id)
    return kiosk, secret


def kiosk_with(secret: str) -> Kiosk | None:
    """Return the kiosk of the device with this secret; None if it was revoked or its event is over."""
    if not secret:
        return None
    kiosk = _kiosks().filter(secret_hash=_hash(secret), paired_at__isnull=False).first()
    return kiosk if kiosk is not None and kiosk.tournament.is_open else None


def revoke_kiosk(*, kiosk: Kiosk, by: Actor, now: datetime) -> None:
    """Revoke a kiosk, paired or not; what it recorded stays. Does nothing if it is revoked already."""
    with transaction.atomic():
        row = lock_row(Kiosk, kiosk.pk)
        if row.revoked_at is None:
            row.revoked_at = now
            row.save(update_fields=["revoked_at"])
            log(by, "kiosk_revoked", row.tournament.topic, club=row.tournament.club)


def check_in_at(*, kiosk: Kiosk, entry: Entry, now: datetime) -> str:
    """Check a player in at a kiosk, in one division; return the batch by which it is undone, empty if they are here.

    Refused: `not_entered`, `check_in_closed`.
    """
    with transaction.atomic():
        division = lock_division(entry.division_id)
        row = Entry.objects.select_related("player", "division__tournament__club").get(pk=entry.pk)
        if row.status != Entry.Status.IN:
            raise Refused("not_entered", name=row.player.shown_name)
        if not check_in.is_open_for_players(division, now):
            raise Refused("check_in_closed")
        if row.checked_in_at is not None:
            return ""
        batch = new_public_id()
        arrival = CheckIn(
            entry=row, state=CheckIn.State.HERE, source=CheckIn.Source.KIOSK, kiosk=kiosk, batch=batch, at=now
        )
        check_in.record(division, [arrival], KIOSK)
    return batch


def undo_at(*, kiosk: Kiosk, batch: str, now: datetime) -> None:
    """Undo a check-in that this kiosk recorded less than 30 seconds ago.

    Refused: `kiosk_undo_late`, `check_in_changed`.
    """
    if not kiosk.check_ins.filter(batch=batch, at__gt=now - UNDO_LASTS).exists():
        raise Refused("kiosk_undo_late")
    check_in.undo(tournament=kiosk.tournament, batch=batch, by=KIOSK, now=now)


def undoable(kiosk: Kiosk, now: datetime) -> CheckIn | None:
    """Return the last check-in at this kiosk if it can still be undone there."""
    recent = kiosk.check_ins.filter(at__gt=now - UNDO_LASTS, undoes=None, undone_by=None)
    return recent.select_related("entry__player", "entry__division").order_by("-pk").first()


def _kiosks() -> models.QuerySet[Kiosk]:
    return Kiosk.objects.select_related("tournament__club").filter(revoked_at=None)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
