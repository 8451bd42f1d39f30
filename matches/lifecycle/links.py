"""Signed links: a personal link for each side of a match, a link on its score sheet, and when they end."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.core.signing import BadSignature, Signer, TimestampSigner

from engine.errors import Refused
from matches.lifecycle.events import EventEnd, events
from matches.lifecycle.finish import closes_at
from matches.models import Claim, Match, Objection

# Signed links: a personal link for each side of a match, and a link on its score sheet.
#
# A personal link acts for its player without an account. The sheet lies on the table for anyone to scan, so its link
# only identifies the match and can do no more than report a score. A stream ticket lets a page that was opened by a
# personal link watch the match: browsers send no headers with an event stream, and the link itself must not be in a
# URL of a log.
#
# A link is computed, not stored, so that its QR code can be printed again. Revoking it raises the generation of its
# side, with which it is signed. Each person of a pair has a link of their own, of the same generation.


SHEET = "s"
SECOND = ("a", "b")
"""How a token names side 0 and side 1 where it is that of the second person of a pair."""
SALT, TICKET_SALT = "matches.links", "matches.stream_tickets"
TICKET_LASTS = timedelta(hours=1)
TOKEN = r"(?P<token>[2-9a-z]{10}\.[01abs]\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of a token in a URL."""


def token_for(match: Match, side: int | None, *, second: bool = False) -> str:
    """The token of a side's personal link, or of the sheet link if `side` is None; `second` of a pair has its own."""
    return _signer(match, side).sign(_named(match, side, second=second))


def is_second(token: str) -> bool:
    """Whether a token is that of the second person of a pair."""
    return _name_in(token) in SECOND


def match_id_of(token: str) -> str:
    """Return the public id of the match that a token or a ticket is for, without checking its signature."""
    return token.partition(".")[0]


def side_of(token: str, match: Match) -> int | None:
    """Return the side of a token of this match, None for the sheet. Raise BadSignature if forged or revoked."""
    side = _side_in(token)
    if _signer(match, side).unsign(token) != _named(match, side, second=is_second(token)):
        raise BadSignature
    return side


def is_valid(token: str, match: Match) -> bool:
    """Whether this is a token of this match that was not revoked."""
    try:
        side_of(token, match)
    except BadSignature:
        return False
    return True


def stream_ticket(match: Match, side: int | None) -> str:
    """A ticket that admits the holder of a link to the event stream of its match, for an hour."""
    return _ticket_signer(match, side).sign(_named(match, side))


def side_of_ticket(ticket: str, match: Match) -> int | None:
    """Return the side of a ticket of this match. Raise BadSignature if it is forged, or revoked, or has expired."""
    side = _side_in(ticket)
    if _ticket_signer(match, side).unsign(ticket, max_age=TICKET_LASTS) != _named(match, side):
        raise BadSignature
    return side


def _signer(match: Match, side: int | None) -> Signer:
    return Signer(salt=_salt(SALT, match, side), sep=".")


def _ticket_signer(match: Match, side: int | None) -> TimestampSigner:
    return TimestampSigner(salt=_salt(TICKET_SALT, match, side))


def _salt(salt: str, match: Match, side: int | None) -> str:
    generation = 0 if side is None else match.link_generations[side]
    return f"{salt}.{generation}" if generation else salt


def _named(match: Match, side: int | None, *, second: bool = False) -> str:
    name = SHEET if side is None else SECOND[side] if second else side
    return f"{match.public_id}.{name}"


def _name_in(text: str) -> str:
    return text.partition(".")[2][:1]


def _side_in(text: str) -> int | None:
    """The side that a token or a ticket names. Raise BadSignature for any other text."""
    name = _name_in(text)
    if name == SHEET:
        return None
    if name in SECOND:
        return SECOND.index(name)
    if name not in ("0", "1"):
        raise BadSignature
    return int(name)


# When the links of a match end: some hours after its event, or once nobody can object any more, if that is later.


def refuse_expired_link(match: Match, now: datetime) -> None:
    """Refused: `link_expired`, settings.PERSONAL_LINK_HOURS after the event."""
    limit = now - timedelta(hours=settings.PERSONAL_LINK_HOURS)
    if _may_have_expired(match, limit) and _ended_before(match, limit) and not _may_object(match, now):
        raise Refused("link_expired")


def refuse_expired_event_link(end: EventEnd, matches: Iterable[Match], now: datetime) -> None:
    """Refuse (`link_expired`), as for one match, a link to all matches of a player in an event."""
    limit = now - timedelta(hours=settings.PERSONAL_LINK_HOURS)
    if end.at is not None and end.at < limit and not any(_may_object(match, now) for match in matches):
        raise Refused("link_expired")


def _may_have_expired(match: Match, limit: datetime) -> bool:
    """Whether a link may have expired; needs no query, so that pages of today's matches cost none."""
    return (match.finished_at or match.created_at) < limit


def _ended_before(match: Match, limit: datetime) -> bool:
    end = events().end(match.parent_topic)
    if end is None:
        return match.is_over and (match.finished_at or match.created_at) < limit
    return end.at is not None and end.at < limit


def _may_object(match: Match, now: datetime) -> bool:
    if match.provisional or match.objections.filter(state=Objection.State.OPEN).exists():
        return True
    unanswered = match.claims.filter(state=Claim.State.STANDS, stood_unanswered=True, objection__isnull=True)
    return any((until := closes_at(report)) is None or until > now for report in unanswered)
