"""Coming to an appointment, and claiming the match if the opponent does not."""

from datetime import datetime, timedelta

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.locks import changed, lock_match, refuse_over
from matches.lifecycle.play_rules import PlayRules, play_rules_of
from matches.models import Match, Proposal, Result
from matches.reporting.services.proposals import appointment
from players.actors import Actor, log

EARLY = timedelta(minutes=15)
"""So long before the appointment a player can say that they are there."""


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
        if agreed.here[side] is None:
            field = f"here_{side}"
            setattr(agreed, field, now)
            agreed.save(update_fields=[field])
            log(by, "player_arrived", locked.topic, club=locked.club, side=side)
            changed(locked)
    return agreed


def claim_no_show(*, match: Match, side: int, by: Actor, now: datetime) -> Result:
    """Win a match by forfeit because the opponent has not come to the appointment.

    Refused: `match_settled`, `match_void`, `match_live`, `no_appointment`, `no_show_by_director` where the event
    leaves it to a director, `not_here` before the side has said that it is there itself, `opponent_is_here`,
    `no_show_wait`.
    """
    with transaction.atomic():
        locked = lock_match(match.pk)
        refuse_over(locked)
        agreed, _ = _appointment(locked)
        rules = play_rules_of(locked)
        if not rules.no_show_loses:
            raise Refused("no_show_by_director")
        from_ = claimable_from(agreed, side, rules)
        if from_ is None:
            raise Refused("not_here" if agreed.here[side] is None else "opponent_is_here")
        if now < from_:
            raise Refused("no_show_wait", until=from_.isoformat(), minutes=rules.no_show_minutes)
        result = append_result(
            locked, ResultInput(side, kind=Result.Kind.FORFEIT), Basis(Result.Source.CLAIM), by=by, now=now
        )
        log(by, "no_show_claimed", locked.topic, club=locked.club, side=side)
    return result


def claimable_from(agreed: Proposal, side: int, rules: PlayRules) -> datetime | None:
    """When `side` may claim that its opponent has not come; None while it has not come itself, or both have."""
    here = agreed.here[side]
    if agreed.agreed_at is None or here is None or agreed.here[1 - side] is not None:
        return None
    return max(agreed.agreed_at, here) + timedelta(minutes=rules.no_show_minutes)


def _appointment(match: Match) -> tuple[Proposal, datetime]:
    """The accepted proposal of a match and its time. Refused: `no_appointment`."""
    agreed = appointment(match)
    if agreed is None or agreed.agreed_at is None:
        raise Refused("no_appointment")
    return agreed, agreed.agreed_at
