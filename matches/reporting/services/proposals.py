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
from players.notifications.services import can_be_sent_to, delivered_at
from players.people.rows import account_of

FARTHEST = timedelta(days=366)
LATEST_PROPOSAL = timedelta(hours=24)
"""So long before the deadline a proposal has to be delivered, or a quarter of the round before it if that is later."""
SHORT_ROUND = timedelta(hours=6)
"""In a shorter round, no proposal decides."""
ENOUGH_TIMES = 2
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


def note_shown(*, match: Match, side: int, now: datetime) -> None:
    """Note that a signed-in player has opened the page with the times that the other side proposes."""
    unseen = match.proposals.filter(side=1 - side, state=State.OPEN, shown_at=None)
    if unseen.exists():
        unseen.update(shown_at=now)


class Tried(NamedTuple):
    """Who tried to play a match before its deadline."""

    side: int | None
    """The side that came to the appointment alone, or whose proposed times were delivered and never answered."""
    is_open: bool = False
    """Whether a side proposed times that cannot decide, so that a director has to."""


def who_tried(match: Match, due_at: datetime) -> Tried:
    """Return which side has tried to agree and to play, if only one has; that side wins by a missed deadline.

    A proposal counts if it was delivered in time and still named two times ahead then. In a round of a few hours no
    proposal decides, nor against a player whom nothing can be delivered to (docs/reporting.md).
    """
    offered = list(match.proposals.exclude(state=State.WITHDRAWN))
    agreed = next((proposal for proposal in offered if proposal.state == State.ACCEPTED), None)
    if agreed is not None:
        came = [side for side, here in enumerate(agreed.here) if here is not None]
        return Tried(came[0] if len(came) == 1 else None)
    if any(proposal.state != State.OPEN for proposal in offered):
        return Tried(None)
    sides = {proposal.side for proposal in offered}
    if len(sides) != 1:
        return Tried(None)
    side = sides.pop()
    if due_at - match.created_at < SHORT_ROUND:
        return Tried(None, is_open=True)
    delivered = [(proposal, _delivered_at(match, proposal)) for proposal in offered]
    if all(at is None for _, at in delivered) and not _is_reachable(match, 1 - side):
        return Tried(None, is_open=True)
    latest = due_at - min(LATEST_PROPOSAL, (due_at - match.created_at) / 4)
    counts = any(at is not None and at <= latest and _is_choice(proposal, at) for proposal, at in delivered)
    return Tried(side if counts else None)


def _is_choice(proposal: Proposal, delivered_at: datetime) -> bool:
    """Whether two of the proposed times were still ahead when the other side got to know of them."""
    return sum(at > delivered_at for at in proposal.instants) >= ENOUGH_TIMES


def _delivered_at(match: Match, proposal: Proposal) -> datetime | None:
    """When the other side could first have known of a proposal: the page was shown to it, or a message was sent."""
    user = account_of(match.players[1 - proposal.side])
    sent = None if user is None else delivered_at(user, notifications.proposal_key(proposal))
    return min(filter(None, (proposal.shown_at, sent)), default=None)


def _is_reachable(match: Match, side: int) -> bool:
    """Whether a message can be delivered to a side."""
    user = account_of(match.players[side])
    return user is not None and can_be_sent_to(user)


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
