"""Agreeing on when to play: one side proposes up to five times, the other accepts one or proposes others.

An accepted time is binding: the appointment holds until both have agreed on another.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.locks import changed, lock_match, refuse_over, refuse_stale
from matches.models import MOST_TIMES, Match, Proposal
from matches.reporting.services import notifications, report_outcomes
from matches.reporting.services.reports import check_texts
from players.actors import Actor, log

FARTHEST = timedelta(days=366)
State = Proposal.State


class Offer(NamedTuple):
    """Times that one side could play."""

    times: Iterable[datetime]
    note: str = ""
    """For the other side."""


def propose(
    *, match: Match, side: int, offer: Offer, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Proposal:
    """Propose times to play. They replace the open proposal, whichever side it came from.

    Refused: `stale`, `match_settled`, `match_void`, `times_missing`, `too_many_times`, `time_past`, `time_far`,
    `time_after_deadline`, `note_too_long`, `key_too_long`, `key_reused`.
    """
    instants = sorted({time.astimezone(UTC).replace(microsecond=0) for time in offer.times})
    check_texts(key, offer.note)
    with transaction.atomic():
        locked = lock_match(match.pk)
        if (stored := _stored_proposal(locked, side, instants, key)) is not None:
            return stored
        refuse_stale(locked, after)
        refuse_over(locked)
        _check_times(locked, instants, now)
        _replace_open_proposal(locked, side, now)
        proposal = Proposal.objects.create(
            match=locked,
            side=side,
            times=[instant.isoformat() for instant in instants],
            note=offer.note,
            by=by.kind,
            user=by.user,
            key=key,
            created_at=now,
        )
        params = {"side": side, "proposal": proposal.public_id, "times": proposal.times}
        log(by, "times_proposed", locked.topic, club=locked.club, **params)
        report_outcomes.start_waiting_time(locked, side, now)
        notifications.notify_proposal(locked, proposal, now)
        changed(locked)
    return proposal


def accept(
    *, proposal: Proposal, side: int, time: datetime, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Proposal:
    """Accept one of the other side's times. It replaces an earlier appointment.

    Refused: `stale`, `match_settled`, `match_void`, `proposal_answered`, `proposal_own`, `time_not_proposed`,
    `time_past`.
    """
    with transaction.atomic():
        locked = lock_match(proposal.match_id)
        offered = locked.proposals.get(pk=proposal.pk)
        if key and offered.answer_key == key:
            return offered
        refuse_stale(locked, after)
        refuse_over(locked)
        if offered.state != State.OPEN:
            raise Refused("proposal_answered")
        if offered.side == side:
            raise Refused("proposal_own")
        if time not in offered.instants:
            raise Refused("time_not_proposed")
        if time <= now:
            raise Refused("time_past")
        locked.proposals.filter(state=State.ACCEPTED).update(state=State.REPLACED)
        offered.state, offered.agreed_at, offered.answered_at, offered.answer_key = State.ACCEPTED, time, now, key
        offered.save(update_fields=["state", "agreed_at", "answered_at", "answer_key"])
        params = {"side": side, "proposal": offered.public_id, "at": time.isoformat()}
        log(by, "time_accepted", locked.topic, club=locked.club, **params)
        notifications.notify_accepted(locked, offered, now)
        changed(locked)
    return offered


def withdraw_proposal(
    *, proposal: Proposal, side: int, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Proposal:
    """Withdraw the side's own proposal while it is open. Refused: `stale`, `proposal_answered`, `proposal_other`."""
    with transaction.atomic():
        locked = lock_match(proposal.match_id)
        offered = locked.proposals.get(pk=proposal.pk)
        if key and offered.answer_key == key:
            return offered
        refuse_stale(locked, after)
        if offered.side != side:
            raise Refused("proposal_other")
        if offered.state != State.OPEN:
            raise Refused("proposal_answered")
        offered.state, offered.answered_at, offered.answer_key = State.WITHDRAWN, now, key
        offered.save(update_fields=["state", "answered_at", "answer_key"])
        log(by, "times_withdrawn", locked.topic, club=locked.club, side=side, proposal=offered.public_id)
        changed(locked)
    return offered


def appointment(match: Match) -> Proposal | None:
    """The proposal whose time was accepted, if there is one."""
    return match.proposals.filter(state=State.ACCEPTED).first()


def side_that_tried(match: Match) -> int | None:
    """The side that came to the appointment alone, or whose proposed times were never answered.

    None if both sides, or neither, have tried to agree and to play. After a missed deadline the player who tried wins
    against the one who did not (docs/rules.md).
    """
    offered = list(match.proposals.exclude(state=State.WITHDRAWN))
    agreed = next((proposal for proposal in offered if proposal.state == State.ACCEPTED), None)
    if agreed is not None:
        came = [side for side, here in enumerate(agreed.here) if here is not None]
        return came[0] if len(came) == 1 else None
    if any(proposal.state != State.OPEN for proposal in offered):
        return None
    sides = {proposal.side for proposal in offered}
    return sides.pop() if len(sides) == 1 else None


def _replace_open_proposal(match: Match, side: int, now: datetime) -> None:
    """Close the open proposal of a locked match, since this side proposes other times."""
    for replaced in match.proposals.filter(state=State.OPEN):
        replaced.state = State.WITHDRAWN if replaced.side == side else State.COUNTERED
        replaced.answered_at = now
        replaced.save(update_fields=["state", "answered_at"])


def _stored_proposal(match: Match, side: int, instants: list[datetime], key: str) -> Proposal | None:
    stored = match.proposals.filter(key=key).first() if key else None
    if stored is not None and (stored.side, stored.instants) != (side, instants):
        raise Refused("key_reused")
    return stored


def _check_times(match: Match, instants: list[datetime], now: datetime) -> None:
    if not instants:
        raise Refused("times_missing")
    if len(instants) > MOST_TIMES:
        raise Refused("too_many_times", most=MOST_TIMES)
    for at in instants:
        check_time(match, at, now)


def check_time(match: Match, at: datetime, now: datetime) -> None:
    """Check that a match can be played at this time. Refused: `time_past`, `time_far`, `time_after_deadline`."""
    if at <= now:
        raise Refused("time_past")
    if at > now + FARTHEST:
        raise Refused("time_far")
    if match.due_at is not None and at > match.due_at:
        raise Refused("time_after_deadline")
