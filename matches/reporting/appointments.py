"""Agreeing on when to play, and reminders."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q

from core.faults import each
from core.locks import for_update
from core.times import known
from engine.errors import Refused
from matches.lifecycle.events import events
from matches.lifecycle.locks import changed, lock_match, refuse_over, refuse_stale
from matches.models import MAX_TIMES, LiveMatch, Match, Proposal
from matches.play.journal import INVITATION
from matches.play.notifications import opened_key
from matches.reporting import notifications, reports
from matches.reporting.notifications import DEADLINE, deadline_key, remind_of_appointment, remind_of_deadline
from matches.reporting.reports import check_texts
from players.actors import Actor, log
from players.models import Notification
from players.notifications.services import can_be_sent_to, delivered_at
from players.people.rows import accounts_of, lock_present

# Times in the players' time zones.


def zone_of(match: Match, side: int) -> ZoneInfo:
    """The time zone of a player: their account's, else their own, else the match's, else UTC."""
    player = match.players[side]
    candidates = (
        player.user.time_zone if player.user is not None else "",
        player.time_zone,
    )
    return ZoneInfo(next((zone for zone in candidates if zone in known()), "") or zone_of_match(match) or "UTC")


def zone_of_match(match: Match) -> str:
    """The time zone of a match: its event's, else its club's; empty if it has neither."""
    context = events().contexts([match.parent_topic]).get(match.parent_topic)
    if context is not None:
        return context.zone
    return match.club.time_zone if match.club is not None else ""


def instant(text: str, zone: ZoneInfo) -> datetime:
    """Parse a local time such as `2026-11-20T20:00` in this zone. Refused: `bad_time`, `time_skipped`.

    A local time that occurs twice means its first occurrence.
    """
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        raise Refused("bad_time", text=text[:40]) from None
    if local.tzinfo is not None:
        return local.astimezone(UTC)
    try:
        parsed = local.replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:
        raise Refused("bad_time", text=text[:40]) from None
    if parsed.astimezone(zone).replace(tzinfo=None) != local:
        raise Refused("time_skipped", text=text[:40])
    return parsed


# Agreeing on when to play: one side proposes up to five times, the other accepts one or proposes others.
#
# An accepted time is binding: the appointment holds until both have agreed on another.


MAX_AHEAD = timedelta(days=366)
MIN_NOTICE = timedelta(hours=24)
"""So long before the deadline a proposal has to be delivered, or a quarter of the round before it if that is later."""
SHORT_ROUND = timedelta(hours=6)
"""In a shorter round, no proposal decides."""
ENOUGH_TIMES = 2
State = Proposal.State


class Dates(NamedTuple):
    """Times that one side could play."""

    times: Iterable[datetime]
    note: str = ""
    """For the other side."""


def propose(
    *, match: Match, side: int, offer: Dates, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Proposal:
    """Propose times to play. They replace the open proposal, whichever side it came from.

    Refused: `stale`, `match_settled`, `match_void`, `times_missing`, `too_many_times`, `time_past`, `time_far`,
    `time_after_deadline`, `note_too_long`, `key_too_long`, `key_reused`, `former_member`, `suspended`.
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
        lock_present(*locked.players)
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
        reports.start_waiting_time(locked, side, now)
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
    """The side that came to the appointment or the board alone, or that offered to play and was never answered."""
    is_open: bool = False
    """Whether a side offered to play in a way that cannot decide, so that a director has to."""


def who_tried(match: Match, due_at: datetime) -> Tried:
    """Return which side has tried to agree and to play, if only one has; that side wins by a missed deadline.

    It has to have offered two occasions that the other side learned of in time: times that were still ahead, or
    invitations to the board that it came to itself. In a round of a few hours it has to have waited at the board
    instead. Offers do not decide against a player who cannot be reached (docs/reporting.md).
    """
    offered = list(match.proposals.exclude(state=State.WITHDRAWN))
    agreed = next((proposal for proposal in offered if proposal.state == State.ACCEPTED), None)
    if agreed is not None:
        came = [side for side, here in enumerate(agreed.here) if here is not None]
        return Tried(came[0] if len(came) == 1 else None)
    invitations = _invitations(match)
    if invitations is None or any(proposal.state != State.OPEN for proposal in offered):
        return Tried(None)
    sides = {proposal.side for proposal in offered} | {side for _, side in invitations}
    if len(sides) != 1:
        return Tried(None)
    side = sides.pop()
    if due_at - match.created_at < SHORT_ROUND:
        has_waited = any(at + INVITATION <= due_at for at, _ in invitations)
        return Tried(side) if has_waited else Tried(None, is_open=True)
    delivered = _occasions(match, offered, invitations)
    if not delivered and not any(map(can_be_sent_to, _accounts(match, 1 - side))):
        return Tried(None, is_open=True)
    latest = due_at - min(MIN_NOTICE, (due_at - match.created_at) / 4)
    occasions = sum(number for at, number in delivered if at <= latest)
    return Tried(side if occasions >= ENOUGH_TIMES else None)


def _invitations(match: Match) -> list[tuple[datetime, int]] | None:
    """The invitations to the board that only one side followed, each with that side; None if both have come."""
    live = LiveMatch.objects.filter(pk=match.pk, invited_at__isnull=False).first()
    invited = live.invited() if live is not None else []
    if len({side for _, came in invited for side in came}) > 1:
        return None
    return [(at, side) for at, came in invited for side in came]


def _occasions(
    match: Match, offered: Iterable[Proposal], invitations: Iterable[tuple[datetime, int]]
) -> list[tuple[datetime, int]]:
    """When the other side got to know of what one side offered, each with how many occasions to play it then was."""
    occasions = []
    for proposal in offered:
        sent = _delivered_at(match, 1 - proposal.side, notifications.proposal_key(proposal))
        known_at = min(filter(None, (proposal.shown_at, sent)), default=None)
        if known_at is not None:
            occasions.append((known_at, sum(at > known_at for at in proposal.instants)))
    for at, side in invitations:
        sent = _delivered_at(match, 1 - side, opened_key(match, at))
        if sent is not None:
            occasions.append((sent, 1))
    return occasions


def _delivered_at(match: Match, side: int, key: str) -> datetime | None:
    """Return when a notification was first delivered to somebody on a side; None if it was not."""
    sent = (delivered_at(user, key) for user in _accounts(match, side))
    return min(filter(None, sent), default=None)


def _accounts(match: Match, side: int) -> tuple[int, ...]:
    player = match.players[side]
    return accounts_of([player]).get(player.pk, ())


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
    if len(instants) > MAX_TIMES:
        raise Refused("too_many_times", most=MAX_TIMES)
    for at in instants:
        check_time(match, at, now)


def check_time(match: Match, at: datetime, now: datetime) -> None:
    """Check that a match can be played at this time. Refused: `time_past`, `time_far`, `time_after_deadline`."""
    if at <= now:
        raise Refused("time_past")
    if at > now + MAX_AHEAD:
        raise Refused("time_far")
    if match.due_at is not None and at > match.due_at:
        raise Refused("time_after_deadline")


# Reminders of appointments, a day and an hour before, and of deadlines, a day before.


BEFORE = (timedelta(hours=24), timedelta(hours=1))
BATCH_SIZE = 100
DEADLINE_BEFORE = timedelta(hours=24)


def send_due_reminders(*, now: datetime) -> int:
    """Remind the players of the appointments that are near; return how many appointments there were.

    A player without an account is not reminded.
    """
    ids = Proposal.objects.filter(
        state=Proposal.State.ACCEPTED,
        match__state=Match.State.OPEN,
        agreed_at__gt=now,
        agreed_at__lte=now + max(BEFORE),
    ).order_by("agreed_at", "pk")
    return sum(each("appointments", ids.values_list("pk", flat=True), lambda pk: _remind(pk, now), at_most=BATCH_SIZE))


def _remind(proposal_id: int, now: datetime) -> bool:
    """Send the reminder of one appointment if one is due; leave it to the other sweep that has locked its row."""
    with transaction.atomic():
        rows = Proposal.objects.select_related("match__club", "match__player_0__user", "match__player_1__user")
        agreed = for_update(rows.filter(pk=proposal_id), skip_locked=True).first()
        if agreed is None or not is_due(agreed, now):
            return False
        remind_of_appointment(agreed.match, agreed, now)
        agreed.reminded_at = now
        agreed.save(update_fields=["reminded_at"])
    return True


def is_due(agreed: Proposal, now: datetime) -> bool:
    """Whether the players are to be reminded: not again for the same reminder, nor of what they agreed on since."""
    if agreed.agreed_at is None or agreed.answered_at is None or now >= agreed.agreed_at:
        return False
    known_since = max(agreed.answered_at, agreed.reminded_at or agreed.answered_at)
    return any(known_since < agreed.agreed_at - before <= now for before in BEFORE)


def send_due_deadlines(*, now: datetime) -> int:
    """Remind the players of open matches that are due within a day; return how many matches there were.

    Who was reminded of a deadline is not reminded of it again; of a later one they are. A pair may have accounts.
    """
    due = Match.objects.filter(
        Q(player_0__user__isnull=False)
        | Q(player_1__user__isnull=False)
        | Q(player_0__merged_into__user__isnull=False)
        | Q(player_1__merged_into__user__isnull=False)
        | Q(player_0__parts__isnull=False)
        | Q(player_1__parts__isnull=False),
        state=Match.State.OPEN,
        due_at__gt=now,
        due_at__lte=now + DEADLINE_BEFORE,
    )
    keys = {
        deadline_key(public_id, due_at): pk
        for pk, public_id, due_at in due.values_list("pk", "public_id", "due_at")
        if due_at is not None
    }
    known = Notification.objects.filter(kind=DEADLINE, created_at__gte=now - 2 * DEADLINE_BEFORE)
    reminded = set(known.values_list("key", flat=True))
    missing = [pk for key, pk in keys.items() if key not in reminded]
    matches = due.filter(pk__in=missing).select_related("club", "player_0", "player_1")
    return len(each("match-deadlines", matches, lambda match: remind_of_deadline(match, now), at_most=BATCH_SIZE))
