"""The stored pictures of shared pages: requested by a page view, drawn by a worker, kept as long as they are used."""

from contextlib import suppress
from datetime import datetime, timedelta

import structlog
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.http import Http404
from django.utils.translation import override

from core.left_out import left_out
from core.live.site_version import unseen_writes
from core.queue import claim_lasts, hint, resend_after
from core.throttle import MINUTE, Limit, count
from display.sharing.cards import BoardMoment, SharedCard, card_of, language_of_page
from display.sharing.drawing import draw_card
from engine.errors import Refused
from matches.access import match_for_viewer
from matches.play.replay import live_source
from matches.play.watching import watched_match
from matches.records.board import Diagram
from players.clubs.emblems import emblem_image
from tournaments.models import SharePicture

log = structlog.get_logger(__name__)

DRAW = "tournaments.draw_share_picture"
PREPARE = "tournaments.prepare_share_picture"
"""The name of the task that has the picture of a page drawn before somebody requests it."""
MAX_KEPT = 500
"""Pictures; those that were not used for the longest time go. One takes about 25 kB."""
MAX_WAITING = 50
"""Pictures that wait for a worker; further ones are requested again by whoever wants them later."""
MAX_BYTES = 300_000
MAX_ATTEMPTS = 3
USED_FOR = timedelta(hours=1)
"""A picture notes at most this often that it is used."""
KEPT_UNUSED = timedelta(days=30)
VERSION_KEPT = 60
"""Seconds for which a page names the same picture, so that few views of a page read what its picture shows."""
NEW_PICTURES = Limit("share-pictures", 60, MINUTE)
"""Of the whole site: whoever requests the pictures of all pages gets the neutral one for most of them."""
MESSAGES = Limit("share-messages", 60, MINUTE)
"""To workers about pages that visitors read."""


def version_of(kind: str, key: str) -> str:
    """Return the version of a page's picture for its URL; empty if the page has none, or is incomplete.

    A crawler requests the picture a moment after the page and may keep it for ever, so workers are notified now.
    """
    if left_out():
        return ""
    name = f"share-version:{kind}:{key}"
    version: str | None = cache.get(name)
    if version is None:
        try:
            card = card_of(kind, key)
        except Http404:
            cache.set(name, "", VERSION_KEPT)
            return ""
        version = card.version
        # Without a cache nobody would count the messages, and a broker that hangs would hold up every page.
        is_new = cache.add(name, version, VERSION_KEPT)
        is_stored = not is_new or SharePicture.objects.filter(kind=kind, key=key, digest=card.digest).exists()
        if not is_stored and _is_within(MESSAGES):
            hint(PREPARE, kind, key)
    return version


def prepare_picture(*, kind: str, key: str, now: datetime) -> None:
    """Have the picture of a page drawn, unless it is stored already or the page is hidden."""
    with suppress(Http404):
        stored_picture(kind, key, card_of(kind, key), now)


def stored_picture(kind: str, key: str, card: SharedCard, now: datetime) -> bytes | None:
    """Return the picture of a card as a PNG file, or have it drawn and return None."""
    row = SharePicture.objects.filter(kind=kind, key=key).first()
    if row is None or row.digest != card.digest:
        _request(row, kind, key, card.digest, now)
        return None
    if row.used_at < now - USED_FOR:
        with unseen_writes():
            SharePicture.objects.filter(pk=row.pk).update(used_at=now)
    return bytes(row.data) if row.data is not None else None


def _is_within(limit: Limit) -> bool:
    """Count once for the whole site; return whether that is within the limit."""
    try:
        count(limit, "")
    except Refused:
        return False
    return True


def _request(row: SharePicture | None, kind: str, key: str, digest: str, now: datetime) -> None:
    """Note that a picture is to be drawn, unless too many are, and notify a worker."""
    if SharePicture.objects.filter(data=None, attempts__lt=MAX_ATTEMPTS).count() >= MAX_WAITING:
        return
    if not _is_within(NEW_PICTURES):
        return
    wanted = {"digest": digest, "data": None, "sent_at": now, "claimed_at": None, "attempts": 0, "used_at": now}
    try:
        with unseen_writes(), transaction.atomic():
            if row is None:
                picture_id = SharePicture.objects.create(kind=kind, key=key, **wanted).pk
            else:
                picture_id = row.pk
                SharePicture.objects.filter(pk=row.pk).update(**wanted)
            transaction.on_commit(lambda: hint(DRAW, picture_id), robust=True)
    except IntegrityError:
        # Somebody else has requested it at the same moment.
        return


def draw_picture(*, picture_id: int, now: datetime) -> None:
    """Draw one picture, if it still waits. What it shows is read now; a page that is hidden by now has no picture."""
    free = Q(claimed_at=None) | Q(claimed_at__lt=now - claim_lasts())
    waiting = SharePicture.objects.filter(free, pk=picture_id, data=None, attempts__lt=MAX_ATTEMPTS)
    with unseen_writes():
        if not waiting.update(claimed_at=now, attempts=F("attempts") + 1):
            return
    row = SharePicture.objects.filter(pk=picture_id, claimed_at=now).first()
    if row is None:
        return
    try:
        card = card_of(row.kind, row.key)
    except Http404:
        with unseen_writes():
            row.delete()
        return
    emblem = b""
    with suppress(Http404):
        emblem = emblem_image(*card.emblem) if card.emblem is not None else b""
    with override(language_of_page(row.kind, row.key)):
        data = draw_card(card, _position(card.board) if card.board is not None else None, emblem)
    if len(data) > MAX_BYTES:
        log.warning("share_picture_too_large", kind=row.kind, key=row.key, bytes=len(data))
        return
    with unseen_writes():
        # Nothing is stored if the row was requested again, or deleted, in the meantime.
        SharePicture.objects.filter(pk=row.pk, claimed_at=now).update(data=data, digest=card.digest, claimed_at=None)
        _drop_unused()


def _position(moment: BoardMoment) -> Diagram | None:
    """The last position of a match that was played here, as everybody may see it; None if it has none."""
    match = match_for_viewer(AnonymousUser(), moment.match)
    source = live_source(watched_match(match, None, AnonymousUser())).match
    return source.game(len(source)).moments[-1].diagram if len(source) else None


def _drop_unused() -> None:
    """Delete the pictures that were not used for the longest time, but for as many as are kept."""
    beyond = SharePicture.objects.order_by("-used_at", "-pk").values_list("pk", flat=True)[MAX_KEPT:]
    SharePicture.objects.filter(pk__in=list(beyond)).delete()


def send_again(*, now: datetime) -> None:
    """Notify workers again of pictures whose message was lost or whose worker died."""
    free = Q(claimed_at=None, sent_at__lt=now - resend_after()) | Q(claimed_at__lt=now - claim_lasts())
    rows = SharePicture.objects.filter(free, data=None, attempts__lt=MAX_ATTEMPTS)
    ids = list(rows.values_list("pk", flat=True)[:MAX_WAITING])
    with unseen_writes():
        SharePicture.objects.filter(pk__in=ids).update(sent_at=now)
    for picture_id in ids:
        hint(DRAW, picture_id)


def delete_unused(now: datetime) -> int:
    """Delete pictures that nobody has requested for a long time; return how many rows that were."""
    with unseen_writes():
        return SharePicture.objects.filter(used_at__lt=now - KEPT_UNUSED).delete()[0]


def forget_pictures() -> None:
    """Delete all pictures, since any of them may show the name of somebody who is erased."""
    with unseen_writes():
        SharePicture.objects.all().delete()
