"""How the page of a match learns that it has changed."""

from datetime import datetime
from typing import Any
from zlib import crc32

from core.live.publishing import now_shown
from matches.access import MatchSeat
from matches.lifecycle import links
from matches.lifecycle.locks import matches_topic
from matches.models import Match
from matches.play.whereabouts import facts_of
from matches.presentation.visibility import Viewer


def version_of(match: Match, viewer: Viewer, now: datetime) -> str:
    """What the page shows of a match: it does not change with the play of a match that is played here."""
    if match.state == Match.State.LIVE:
        return match.state
    at_table = facts_of([match], viewer, now)[match.pk].at_tables
    if at_table is None:
        return str(match.seq)
    is_closing = at_table.players_offer_from is not None and at_table.players_offer_from <= now
    return f"{match.seq}-{crc32(repr((at_table, is_closing)).encode())}"


def watch_context(match: Match, seat: MatchSeat | None, viewer: Viewer, now: datetime) -> dict[str, Any]:
    """Context of a page that is to be refreshed with the match: its version, topics and ticket for the stream.

    While the match is played here only its end matters, and its own topic would show spectators when somebody acts.
    """
    if match.state != Match.State.LIVE:
        topics = f"{match.topic}={match.seq}"
    else:
        topics = f"{matches_topic(match.parent_topic)}={now_shown()}" if match.parent_topic else ""
    ticket = links.stream_ticket(match, seat.side) if seat is not None and seat.token else ""
    return {"version": version_of(match, viewer, now), "topics": topics, "ticket": ticket}
