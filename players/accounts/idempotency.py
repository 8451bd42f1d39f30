"""Idempotency keys of the API: a request that is repeated with its key does nothing twice."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import file_digest
from typing import Any

from django.core.files import File
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from core.public_ids import hash_of
from core.text_lengths import LONGEST_KEY
from engine.errors import Refused
from players.models import IdempotencyKey

KEPT = timedelta(hours=48)
"""For how long a key is remembered."""
KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description=(
        "Up to 100 characters, remembered for 48 hours for your account and this action. Repeating the request with "
        "its key returns what the first one did; with other fields than `after` it is refused (422 `key_reused`)."
    ),
)


def key_of(request: Request, fields: Mapping[str, Any]) -> str:
    """Return the key with which a service finds what this request did first; nothing without an Idempotency-Key.

    It is a key of our own, which belongs to the account, or personal link, and the action, and is forgotten with the
    client's. `fields` are all validated fields. Refused: `key_too_long`, `key_reused`.
    """
    sent, now = request.headers.get("Idempotency-Key", ""), timezone.now()
    if len(sent) > LONGEST_KEY:
        raise Refused("key_too_long", most=LONGEST_KEY)
    if not sent:
        return ""
    account, link = request.user.pk, request.headers.get("Match-Link", "")
    digest = hash_of(json.dumps([account, link, request.method, request.path, sent]))
    values = {"fingerprint": fingerprint(fields), "created_at": now}
    row, is_new = IdempotencyKey.objects.get_or_create(digest=digest, defaults=values)
    if not is_new and row.created_at <= now - KEPT:
        IdempotencyKey.objects.filter(pk=row.pk).delete()
        row, _ = IdempotencyKey.objects.get_or_create(digest=digest, defaults=values)
    if row.fingerprint != values["fingerprint"]:
        raise Refused("key_reused")
    return row.key


def once(key: str, act: Callable[[], object]) -> None:
    """Call a service that stores no key, unless a request with this `key_of` was already carried out."""
    if key and IdempotencyKey.objects.filter(key=key, is_done=True).exists():
        return
    act()
    if key:
        IdempotencyKey.objects.filter(key=key).update(is_done=True)


def fingerprint(fields: Mapping[str, Any]) -> str:
    """Return the hash of what a request asks for: its fields without `after`, files by their content."""
    stated = {name: value for name, value in fields.items() if name != "after"}
    return hash_of(json.dumps(stated, sort_keys=True, default=_plain))


def _plain(value: Any) -> str:
    if isinstance(value, File):
        value.seek(0)
        digest = file_digest(value, "sha256").hexdigest()
        value.seek(0)
        return digest
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return str(value)
