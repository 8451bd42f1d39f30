"""What the clock worker does again and again, without broker and beat.

It settles what is due, closes boards that nobody has come to, notes who is away, acts for bots that no worker has
served, and tells spectators who are behind what they may see now.
"""

from datetime import datetime

import structlog
from django.db import DatabaseError, connection

from core.faults import each
from matches.play import absences, bots, due, watching
from matches.play.lobby import services as lobby

log = structlog.get_logger(__name__)
INTERVAL = 0.5
"""Seconds between two rounds."""


def work(*, now: datetime) -> int:
    """Settle every live match with something due; return how many there were.

    While the database cannot be reached nothing is lost: the next round finds the same matches.
    """
    steps = (
        due.settle_all,
        lobby.lapse_invitations,
        absences.note_absences,
        bots.act_where_lost,
        watching.announce_delayed,
    )
    try:
        settled, *_ = each("clock", steps, lambda step: step(now=now))
    except DatabaseError as error:
        log.warning("clock_round_failed", error=str(error))
        connection.close()
        return 0
    return settled
