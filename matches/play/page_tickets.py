"""Page tickets: for five minutes they prove which side of a match a page belongs to.

An open page pings every few seconds. With a ticket, its account or personal link is not read from the database for
each ping. A ticket allows nothing but pings. A page whose user has signed out, or whose link was revoked, may be shown
as open until its ticket expires.
"""

from datetime import timedelta
from typing import NamedTuple

from django.core.signing import BadSignature, TimestampSigner

from engine.cube import Side

LASTS = timedelta(minutes=5)
"""As long as an event stream at most, after which its reader is authorised again."""
_signer = TimestampSigner(salt="matches.page_tickets")


class Page(NamedTuple):
    """What a ticket is for."""

    match_id: int
    side: Side


def page_ticket(public_id: str, page: Page) -> str:
    """Return a ticket for a page of this match."""
    return _signer.sign(f"{public_id}.{page.match_id}.{page.side}")


def page_of(ticket: str, public_id: str) -> Page | None:
    """Return what a ticket is for; None if it is empty, forged, too old or of another match."""
    try:
        named, match_id, side = _signer.unsign(ticket, max_age=LASTS).split(".")
    except BadSignature:
        return None
    return Page(int(match_id), int(side)) if named == public_id else None
