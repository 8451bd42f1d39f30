"""Signed links: a personal link for each side of a match, and a link on its score sheet.

A personal link acts for its player without an account. The sheet lies on the table for anyone to scan, so its link only
identifies the match and can do no more than report a score.
"""

from django.core.signing import BadSignature, Signer

from matches.models import Match

SHEET = "s"
_SIGNER = Signer(salt="matches.links", sep=".")
TOKEN = r"(?P<token>[2-9a-z]{10}\.[01s]\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of a token in a URL."""


def token_for(match: Match, side: int | None) -> str:
    """The token of a side's personal link, or of the sheet link if `side` is None."""
    return _SIGNER.sign(f"{match.public_id}.{SHEET if side is None else side}")


def read(token: str) -> tuple[str, int | None] | None:
    """Return the public id of the match and the side of a token, or None if its signature is invalid."""
    try:
        public_id, _, side = _SIGNER.unsign(token).partition(".")
    except BadSignature:
        return None
    return public_id, None if side == SHEET else int(side)
