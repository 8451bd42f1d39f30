"""How the page of a match learns that it has changed."""

from datetime import datetime
from typing import Any

from core.live.publishing import now_shown
from matches.access import Seat
from matches.lifecycle import links
from matches.lifecycle.locks import matches_topic
from matches.lifecycle.running_scores import at_tables
from matches.models import Match


def version_of(match: Match, now: datetime) -> str:
    """What the page shows of a match: it does not change with the play of a match that is played here."""
    if match.state == Match.State.OPEN and match.pk in (rows := at_tables([match.pk])):
        row = rows[match.pk]
        is_closing = row.players_offer_from is not None and row.players_offer_from <= now
        return f"{match.seq}-{row.version}{'-closing' if is_closing else ''}"
    return str(match.state if match.state == Match.State.LIVE else match.seq)


def watch_context(match: Match, seat: Seat | None, now: datetime) -> dict[str, Any]:
    """Context of a page that is to be refreshed with the match: its version, topics and ticket for the stream.

    While the match is played here only its end matters, and its own topic would show spectators when somebody acts.
    """
    if match.state != Match.State.LIVE:
        topics = f"{match.topic}={match.seq}"
    else:
        topics = f"{matches_topic(match.parent_topic)}={now_shown()}" if match.parent_topic else ""
    ticket = links.stream_ticket(match, seat.side) if seat is not None and seat.token else ""
    return {"version": version_of(match, now), "topics": topics, "ticket": ticket}
