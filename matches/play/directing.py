"""What a director does to a match that is played here, and what happens to it when its players change."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from core.locks import for_update
from engine.actions import Act, Phase
from engine.cube import Score, Side
from engine.errors import Refused
from engine.match import MatchState
from matches.lifecycle.own_match import side_of
from matches.models import Action, Match
from matches.play import due
from matches.play.journal import Journal, lock_with_live
from matches.play.live import EventKind, LiveEvent, to_ms
from players.actors import SYSTEM, Actor, log

# What a director does to a match that is played here: adjust a clock, set the score, end a game, adjourn, resume.


OF_DIRECTORS = frozenset({Act.SET_SCORE, Act.END_GAME, Act.ADJOURN, Act.RESUME, EventKind.ADJUST_CLOCK})


class Ruling(NamedTuple):
    """What a director decides in a match that is played here."""

    kind: str
    """`Act.SET_SCORE`, `END_GAME`, `ADJOURN`, `RESUME` or `Kind.ADJUST_CLOCK`."""
    after: int
    """The number of the last action the director has seen."""
    side: Side | None = None
    """END_GAME: who wins the game. ADJUST_CLOCK: whose clock."""
    value: int | None = None
    """END_GAME: points. ADJUST_CLOCK: milliseconds added to the bank, or taken off it."""
    score: Score | None = None
    reason: str = ""


def rule(*, match: Match, ruling: Ruling, by: Actor, now: datetime) -> Action:
    """Apply a director's ruling; it is an action of the match and stands in the log.

    Refused: `own_match` where the director plays it, `not_live`, `stale`, `not_allowed_here`, `score_in_mid_game`,
    and what the engine refuses (`bad_score`, `bad_ruling`, `not_now`, `bad_clock`).
    """
    if ruling.kind not in OF_DIRECTORS:
        raise Refused("not_allowed_here")
    if side_of(match, by) is not None:
        raise Refused("own_match")
    due.settle_first(match_id=match.pk, now=now)
    with transaction.atomic():
        locked = lock_with_live(match.pk)
        journal = Journal.of(locked)
        if not journal.live.changed_by <= ruling.after <= journal.live.last:
            raise Refused("stale", seq=journal.live.last)
        if ruling.kind == Act.SET_SCORE and journal.state.match.phase is not Phase.OPENING:
            # In mid-game it could turn a game with a doubled cube into the Crawford game.
            raise Refused("score_in_mid_game")
        if ruling.kind == Act.END_GAME and not _can_end(journal.state.match, ruling):
            raise Refused("bad_ruling")
        event = LiveEvent(ruling.kind, to_ms(now), ruling.side, value=ruling.value, score=ruling.score)
        data = {"reason": ruling.reason} if ruling.reason else None
        action = journal.append(event, by=by, data=data)
        journal.close(now)
        log(
            by,
            "live_ruling",
            match.topic,
            club=match.club,
            kind=ruling.kind,
            side=ruling.side,
            value=ruling.value,
            score=list(ruling.score) if ruling.score else None,
            reason=ruling.reason,
        )
    return action


def _can_end(match: MatchState, ruling: Ruling) -> bool:
    """Whether a ruling names a winner, and points that a record can give them."""
    if ruling.side not in (0, 1) or ruling.value is None or ruling.value < 1:
        return False
    return match.can_give(ruling.side, ruling.value)


# A match that is being played here becomes void because its players changed, and is restored when they return.


def adjourn_boards(match_ids: Iterable[int], *, now: datetime) -> None:
    """Adjourn the boards that these matches are being played on, so that no clock runs while they are void.

    Call it in the transaction that makes them void, before they are locked for that.
    """
    live = Match.objects.filter(pk__in=list(match_ids), state=Match.State.LIVE).order_by("pk")
    for match_id in live.values_list("pk", flat=True):
        try:
            journal = Journal.open(match_id)
        except Refused:
            continue  # Finished meanwhile.
        if journal.state.match.phase is not Phase.ADJOURNED:
            journal.append(LiveEvent(Act.ADJOURN, to_ms(now)), by=SYSTEM, data={"reason": "void"})
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
        journal.append(LiveEvent(EventKind.RESTORED, to_ms(now)), by=SYSTEM)
        journal.close(now)
        log(SYSTEM, "match_reinstated", match.topic, club=match.club, kind="live")
        restored.append(journal.match)
    return restored
