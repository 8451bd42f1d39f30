"""Signed links: one for each side of a match, which speaks for that player without an account, and one for its sheet.

A sheet lies on the table, so its link only names the match: it may claim a score, and no more.
"""

from django.core.signing import BadSignature, Signer

from matches.models import Match

SHEET = "s"
_SIGNER = Signer(salt="matches.links", sep=".")
TOKEN = r"(?P<token>[2-9a-z]{10}\.[01s]\.[\w-]{43})"  # noqa: S105, the shape of an address
"""What a token looks like in an address."""


def token_for(match: Match, side: int | None) -> str:
    """The token of a side's personal link, or with None that of the sheet."""
    return _SIGNER.sign(f"{match.public_id}.{SHEET if side is None else side}")


def read(token: str) -> tuple[str, int | None] | None:
    """The match's public id and the side; None for what we have not signed."""
    try:
        public_id, _, side = _SIGNER.unsign(token).partition(".")
    except BadSignature:
        return None
    return public_id, None if side == SHEET else int(side)
