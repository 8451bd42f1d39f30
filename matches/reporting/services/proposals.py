"""When to play: one side offers up to five times, the other accepts one or offers others.

Acceptance binds: an appointment holds until both have agreed on another.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.db import transaction

from engine.errors import Refused
from matches.lifecycle.locks import changed, lock_match, refuse_over, refuse_stale
from matches.models import LONGEST_KEY, MOST_TIMES, Match, Proposal
from matches.reporting.services import outcomes as report_outcomes
from players.actors import Actor, log

LONGEST_NOTE = 300
FARTHEST = timedelta(days=366)
State = Proposal.State


def propose(
    *,
    match: Match,
    side: int,
    times: Iterable[datetime],
    by: Actor,
    now: datetime,
    after: int | None = None,
    key: str = "",
    note: str = "",
) -> Proposal:
    """Offer times at which one could play; they replace whatever was open, one's own or the other side's.

    Refused: `stale`, `match_settled`, `match_void`, `times_missing`, `too_many_times`, `time_past`, `time_far`,
    `time_after_deadline`, `note_too_long`, `key_too_long`, `key_reused`.
    """
    instants = sorted({time.astimezone(UTC).replace(microsecond=0) for time in times})
    if len(key) > LONGEST_KEY:
        raise Refused("key_too_long", most=LONGEST_KEY)
    if len(note) > LONGEST_NOTE:
        raise Refused("note_too_long", most=LONGEST_NOTE)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _seen_before(row, side, instants, key)) is not None:
            return seen
        refuse_stale(row, after)
        refuse_over(row)
        _check_times(row, instants, now)
        for old in row.proposals.filter(state=State.OPEN):
            old.state = State.WITHDRAWN if old.side == side else State.COUNTERED
            old.answered_at = now
            old.save(update_fields=["state", "answered_at"])
        new = Proposal.objects.create(
            match=row,
            side=side,
            times=[instant.isoformat() for instant in instants],
            note=note,
            by=by.kind,
            user=by.user,
            key=key,
            created_at=now,
        )
        log(by, "times_proposed", row.topic, club=row.club, side=side, proposal=new.public_id, times=new.times)
        report_outcomes.note_seen(row, side, now)
        changed(row)
    return new


def accept(
    *,
    match: Match,
    proposal: Proposal,
    side: int,
    time: datetime,
    by: Actor,
    now: datetime,
    after: int | None = None,
    key: str = "",
) -> Proposal:
    """Accept one of the other side's times; it replaces an earlier appointment.

    Refused: `stale`, `match_settled`, `match_void`, `proposal_answered`, `proposal_own`, `time_not_proposed`,
    `time_past`.
    """
    with transaction.atomic():
        row = lock_match(match.pk)
        offered = row.proposals.get(pk=proposal.pk)
        if key and offered.answer_key == key:
            return offered
        refuse_stale(row, after)
        refuse_over(row)
        if offered.state != State.OPEN:
            raise Refused("proposal_answered")
        if offered.side == side:
            raise Refused("proposal_own")
        if time not in offered.instants:
            raise Refused("time_not_proposed")
        if time <= now:
            raise Refused("time_past")
        row.proposals.filter(state=State.ACCEPTED).update(state=State.REPLACED)
        offered.state, offered.agreed_at, offered.answered_at, offered.answer_key = State.ACCEPTED, time, now, key
        offered.save(update_fields=["state", "agreed_at", "answered_at", "answer_key"])
        log(by, "time_accepted", row.topic, club=row.club, side=side, proposal=offered.public_id, at=time.isoformat())
        changed(row)
    return offered


def withdraw_proposal(
    *, match: Match, proposal: Proposal, side: int, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Proposal:
    """Take one's own times back while nobody has answered. Refused: `stale`, `proposal_answered`, `proposal_other`."""
    with transaction.atomic():
        row = lock_match(match.pk)
        offered = row.proposals.get(pk=proposal.pk)
        if key and offered.answer_key == key:
            return offered
        refuse_stale(row, after)
        if offered.side != side:
            raise Refused("proposal_other")
        if offered.state != State.OPEN:
            raise Refused("proposal_answered")
        offered.state, offered.answered_at, offered.answer_key = State.WITHDRAWN, now, key
        offered.save(update_fields=["state", "answered_at", "answer_key"])
        log(by, "times_withdrawn", row.topic, club=row.club, side=side, proposal=offered.public_id)
        changed(row)
    return offered


def appointment(match: Match) -> Proposal | None:
    """What both have agreed on."""
    return match.proposals.filter(state=State.ACCEPTED).first()


def ignored_proposer(match: Match) -> int | None:
    """The side that offered times and never had an answer; None where both, or none, have cared.

    For the rule of deadlines: the one who proposed wins against the one who never answered.
    """
    offered = match.proposals.exclude(state=State.WITHDRAWN)
    if any(proposal.state != State.OPEN for proposal in offered):
        return None
    sides = {proposal.side for proposal in offered}
    return sides.pop() if len(sides) == 1 else None


def _seen_before(match: Match, side: int, instants: list[datetime], key: str) -> Proposal | None:
    seen = match.proposals.filter(key=key).first() if key else None
    if seen is not None and (seen.side, seen.instants) != (side, instants):
        raise Refused("key_reused")
    return seen


def _check_times(match: Match, instants: list[datetime], now: datetime) -> None:
    if not instants:
        raise Refused("times_missing")
    if len(instants) > MOST_TIMES:
        raise Refused("too_many_times", most=MOST_TIMES)
    for at in instants:
        check_time(match, at, now)


def check_time(match: Match, at: datetime, now: datetime) -> None:
    """Whether a match can be played then. Refused: `time_past`, `time_far`, `time_after_deadline`."""
    if at <= now:
        raise Refused("time_past")
    if at > now + FARTHEST:
        raise Refused("time_far")
    if match.due_at is not None and at > match.due_at:
        raise Refused("time_after_deadline")
