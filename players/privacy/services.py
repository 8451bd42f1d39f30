"""Requesting, making, downloading and deleting copies of a person's data."""

import json
import zipfile
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Any

import structlog
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import translation
from django.utils.translation import gettext as _

from core.downloads import long_download
from core.languages import first_offered
from core.locks import for_update, lock_row
from core.queue import claim_lasts, hint, resend_after
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Club, DataExport, DataExportPart, Player, User
from players.people.erasure import erase_player
from players.people.rows import canonical, player_topic
from players.people.services import check_managed_by_club
from players.privacy.sections import Person, files_of, sections

# The ZIP file of an export.


def write_archive(file: IO[bytes], person: Person, *, reader: User, now: datetime) -> None:
    """Write a ZIP with a JSON file for each section, the person's records and a README in the reader's language."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        contents = {section.name: _write_rows(archive, section.name, section.rows(person)) for section in sections()}
        for path, data in files_of(person):
            archive.writestr(path, data)
        with translation.override(first_offered(reader.language)):
            archive.writestr("README.txt", _readme(person, contents, now))


def _write_rows(archive: zipfile.ZipFile, name: str, rows: Iterable[dict[str, Any]]) -> int:
    """Write rows as a JSON list, one on a line, and return how many there were."""
    count = 0
    with archive.open(f"{name}.json", "w", force_zip64=True) as file:
        _write(file, "[")
        for row in rows:
            _write(file, (",\n" if count else "\n") + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False))
            count += 1
        _write(file, "\n]\n")
    return count


def _write(file: IO[bytes], text: str) -> None:
    file.write(text.encode())


def _readme(person: Person, contents: dict[str, int], now: datetime) -> str:
    lines = [
        _("Everything that Barpoint knows about %(name)s, on %(date)s.")
        % {
            "name": person.players[0].name or person.players[0].shown_name,
            "date": now.date().isoformat(),
        },
        "",
        _("Each file is a JSON list with one row a line. Times are in UTC. Sides of a match are 0 and 1."),
        _("Not in here: passwords and keys, which are stored as hashes, and what others wrote about other people."),
        _("Your browsers keep more for use without a network, until you sign out there; it is not in this copy."),
        "",
        *(f"{section.name}.json ({contents[section.name]}): {section.about}" for section in sections()),
    ]
    return "\n".join(lines) + "\n"


# The answer with which a copy of a person's data is downloaded.


def archive_download(request: HttpRequest, export: DataExport, content_type: str) -> StreamingHttpResponse:
    """Return the ZIP file of a finished copy, in parts. Refused: `too_many_downloads`, `too_many_attempts`."""
    name = f"barpoint-{export.player.public_id}-{export.requested_at:%Y-%m-%d}.zip"
    response = long_download(request, export.chunks(), name=name, content_type=content_type)
    response["Content-Length"] = str(export.size)
    return response


# Requesting, making and deleting copies of a person's data.


MAKE_EXPORT = "players.make_data_export"
"""Name of the Celery task that `hint` publishes."""
PART_SIZE = 512 * 1024
"""Bytes of an archive that are stored, and later sent, at a time."""
MAX_ATTEMPTS = 3
SWEEP_AT_ONCE = 50
MAX_DAYS = 30
"""A copy expires in any case; for so many days it is kept where data is kept forever."""
REUSED_FOR = timedelta(hours=1)
"""How long a finished copy is returned instead of making another one."""
State = DataExport.State

events = structlog.get_logger(__name__)


@transaction.atomic
def request_export(*, player: Player, user: User, by: Actor, now: datetime, club: Club | None = None) -> DataExport:
    """Have a worker make a copy of a person's data for `user`; an unfinished or fresh copy is returned again.

    With a `club` its director requests it for a player without an account that the club entered.
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
    row.expires_at = now + timedelta(days=settings.EXPORTS_KEPT_DAYS or MAX_DAYS)
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
        if row.attempts >= MAX_ATTEMPTS:
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
    not_expired = Q(expires_at=None) | Q(expires_at__gt=now)
    return DataExport.objects.filter(not_expired, requested_by=user, player=player)
