"""Coming to an appointment or to a board that a director calls to, and claiming the match if the opponent does not.

Nothing else starts a no-show: an invitation of the opponent lapses without consequence.
"""

from datetime import datetime, timedelta

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.events import events
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.locks import changed, lock_match, refuse_over
from matches.lifecycle.play_rules import PlayRules
from matches.models import Match, Proposal, Result
from players.actors import Actor, log

Here = tuple[datetime | None, datetime | None]
"""When each side came."""
EARLY = timedelta(minutes=15)
"""How long before the appointment a player can say that they are there."""


def arrive(*, match: Match, side: int, by: Actor, now: datetime) -> Proposal:
    """Note that a side is there for the appointment of its match; saying it again changes nothing.

    Refused: `match_settled`, `match_void`, `match_live`, `no_appointment`, `appointment_later`.
    """
    with transaction.atomic():
        locked = lock_match(match.pk)
        refuse_over(locked)
        agreed, at = _appointment(locked)
        if now < at - EARLY:
            raise Refused("appointment_later", minutes=EARLY // timedelta(minutes=1))
        if _note_arrival(agreed, locked, side, by, now):
            changed(locked)
    return agreed


def arrive_at_board(*, match: Match, side: int, by: Actor, now: datetime) -> None:
    """Count a side that has come to the board of its locked match as there for the appointment, if it has one."""
    agreed = appointment(match)
    if agreed is not None and agreed.agreed_at is not None and now >= agreed.agreed_at - EARLY:
        _note_arrival(agreed, match, side, by, now)


def _note_arrival(agreed: Proposal, match: Match, side: int, by: Actor, now: datetime) -> bool:
    """Note that a side is there; return whether that is new."""
    if agreed.here[side] is not None:
        return False
    field = f"here_{side}"
    setattr(agreed, field, now)
    agreed.save(update_fields=[field])
    log(by, "player_arrived", match.topic, club=match.club, side=side)
    return True


def claim_no_show(*, match: Match, side: int, by: Actor, now: datetime) -> Result:
    """Win a match by forfeit because the opponent has not come to the appointment, or to the board when called to it.

    Refused: `match_settled`, `match_void`, `match_live`, `no_appointment`, `no_show_by_director` where the event
    leaves it to a director, `not_here` before the side has said that it is there itself, `opponent_is_here`,
    `no_show_wait`.
    """
    with transaction.atomic():
        locked = lock_match(match.pk)
        refuse_over(locked)
        is_called = _is_called(locked)
        agreed = None if is_called else _appointment(locked)[0]
        rules = events().play_rules(locked.parent_topic)
        if not rules.no_show_loses:
            raise Refused("no_show_by_director")
        here = agreed.here if agreed is not None else locked.live.came_at
        from_ = _late_from(here, side, agreed.agreed_at if agreed is not None else locked.live.called_at, rules)
        if from_ is None:
            raise Refused("not_here" if here[side] is None else "opponent_is_here")
        if now < from_:
            raise Refused("no_show_wait", until=from_.isoformat(), minutes=rules.no_show_minutes)
        result = append_result(
            locked, ResultInput(side, kind=Result.Kind.FORFEIT), Basis(Result.Source.CLAIM), by=by, now=now
        )
        log(by, "no_show_claimed", locked.topic, club=locked.club, side=side)
    return result


def claimable_from(agreed: Proposal, side: int, rules: PlayRules) -> datetime | None:
    """When `side` may claim that its opponent has not come; None while it has not come itself, or both have."""
    return _late_from(agreed.here, side, agreed.agreed_at, rules)


def claimable_from_call(match: Match, side: int) -> datetime | None:
    """When `side`, called to the board of its match by a director, may claim that its opponent has not come."""
    if not _is_called(match) or not (rules := events().play_rules(match.parent_topic)).no_show_loses:
        return None
    return _late_from(match.live.came_at, side, match.live.called_at, rules)


def _late_from(here: Here, side: int, at: datetime | None, rules: PlayRules) -> datetime | None:
    came = here[side]
    if at is None or came is None or here[1 - side] is not None:
        return None
    return max(at, came) + timedelta(minutes=rules.no_show_minutes)


def _is_called(match: Match) -> bool:
    """Whether a director has called both players to the board of a match, and not both have come."""
    return match.state == Match.State.LIVE and match.live.is_invitation and match.live.called_at is not None


def appointment(match: Match) -> Proposal | None:
    """The proposal whose time was accepted, if there is one."""
    return match.proposals.filter(state=Proposal.State.ACCEPTED).first()


def _appointment(match: Match) -> tuple[Proposal, datetime]:
    """The accepted proposal of a match and its time. Refused: `no_appointment`."""
    agreed = appointment(match)
    if agreed is None or agreed.agreed_at is None:
        raise Refused("no_appointment")
    return agreed, agreed.agreed_at
