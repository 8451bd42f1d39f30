"""The link of the installation's owner.

There is one at a time, and it replaces the one before. Opening it changes nothing, since messengers open links to
preview them; it is used by sending one of its two forms, and signs nobody in before that. It grants no more than that
form: to be signed in as the demo's director, or to remove the demo and create an ordinary account.
"""

import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.http import Http404
from django.urls import reverse

from core.locks import for_update
from core.public_ids import hash_of
from engine.errors import Refused
from players.models import User
from tournaments.demo.club import director
from tournaments.models import Installation

LASTS = timedelta(days=1)
SECRET_BYTES = 32


def renew(*, now: datetime) -> str:
    """Replace the link by a new one, and return its path. Only the hash of its secret is stored."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    fields = {
        "link_hash": hash_of(secret),
        "link_expires_at": now + LASTS,
        "link_used_at": None,
        "link_form_hash": "",
    }
    Installation.objects.update_or_create(pk=Installation.ONLY, defaults=fields)
    return reverse("owner-link", args=[secret])


def must_be_open(secret: str, now: datetime) -> None:
    """Refused: `owner_link_used`, `owner_link_expired`. Raises Http404 for every other secret than the current one."""
    row = _row(secret)
    if row.link_used_at is not None:
        raise Refused("owner_link_used")
    _refuse_expired(row, now)


@transaction.atomic
def use(*, secret: str, form: str, now: datetime) -> None:
    """Use the link for a form, named by its purpose and a random key; harmless when the same form is sent again.

    Refused: `owner_link_used`, `owner_link_expired`. Raises Http404 for every other secret than the current one.
    """
    row = _row(secret, lock=True)
    _refuse_expired(row, now)
    form_hash = hash_of(form)
    if row.link_used_at is not None:
        # The answer may have been lost: whoever has the form sends it again.
        if row.link_form_hash != form_hash:
            raise Refused("owner_link_used")
        return
    row.link_used_at, row.link_form_hash = now, form_hash
    row.save(update_fields=["link_used_at", "link_form_hash"])


@transaction.atomic
def use_for_demo(*, secret: str, key: str, now: datetime) -> User:
    """Use the link to look around the demo, and return its director. Refused: `demo_gone`, and what `use` refuses."""
    use(secret=secret, form=f"demo {key}", now=now)
    user = director()
    if user is None:
        raise Refused("demo_gone")
    return user


def _row(secret: str, *, lock: bool = False) -> Installation:
    rows = Installation.objects.filter(link_hash=hash_of(secret))
    row = (for_update(rows) if lock else rows).first()
    if row is None:
        raise Http404
    return row


def _refuse_expired(row: Installation, now: datetime) -> None:
    if row.link_expires_at is None or row.link_expires_at <= now:
        raise Refused("owner_link_expired")
