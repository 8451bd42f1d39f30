"""A match that is being played here becomes void because its players changed, and is restored when they return."""

from collections.abc import Iterable
from datetime import datetime

from core.locks import for_update
from engine.actions import Act, Phase
from engine.errors import Refused
from matches.models import Match
from matches.play.instants import to_ms
from matches.play.live import Event, EventKind
from matches.play.services.journal import Journal
from players.actors import SYSTEM, log


def adjourn_boards(match_ids: Iterable[int], *, now: datetime) -> None:
    """Adjourn those of these matches that are being played here, so that no clock runs while they are void.

    Call it in the transaction that makes them void, before they are locked for that.
    """
    live = Match.objects.filter(pk__in=list(match_ids), state=Match.State.LIVE).order_by("pk")
    for match_id in live.values_list("pk", flat=True):
        try:
            journal = Journal.open(match_id)
        except Refused:
            continue  # Finished meanwhile.
        if journal.state.match.phase is not Phase.ADJOURNED:
            journal.append(Event(Act.ADJOURN, to_ms(now)), by=SYSTEM, data={"reason": "void"})
            journal.close(now)


def restore_boards(match_ids: Iterable[int], *, now: datetime) -> list[Match]:
    """Let void matches be played on here: adjourned, with board, score and clocks, until a director resumes them.

    Call it in the transaction that gives them back to their fixtures. Refused: `match_not_void`.
    """
    restored = []
    for match in for_update(Match.objects.filter(pk__in=list(match_ids)).order_by("pk")):
        if match.state != Match.State.VOID:
            raise Refused("match_not_void")
        match.state = Match.State.LIVE
        match.save(update_fields=["state"])
        journal = Journal.open(match.pk)
        journal.append(Event(EventKind.RESTORED, to_ms(now)), by=SYSTEM)
        journal.close(now)
        log(SYSTEM, "match_reinstated", match.topic, club=match.club, kind="live")
        restored.append(journal.match)
    return restored
