"""Players who are away from a live match, and outages of our own server."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction

from core.faults import each
from core.live.presence import Command, PagePresence, RecentActivity, goodbye, note_activity, presences, presences_after
from core.locks import for_update
from engine.actions import Act, FlagRule
from engine.clock import SECOND
from engine.cube import Side
from engine.errors import Refused
from matches.models import LiveMatch, Match, Outage, Pulse
from matches.play.codec import stored_absences
from matches.play.journal import Journal
from matches.play.live import MILLISECOND, AbsenceLimits, EventKind, LiveEvent, claimable, counted, to_ms
from players.actors import SYSTEM, Actor

# Outages of our own server: recognised by a missing pulse, and given back to both players of every live match.


log = structlog.get_logger(__name__)
PERIOD = 2.0
"""Seconds between two beats of a web process."""
MAX_GAP = timedelta(seconds=6)
"""Without a beat for longer, the web server counts as down."""


def beat(*, now: datetime) -> Outage | None:
    """Note that a web process is alive; after a gap, put back the clocks of all matches and return the outage."""
    with transaction.atomic():
        pulse = for_update(Pulse.objects.all()).filter(pk=Pulse.ONLY).first()
        if pulse is None:
            Pulse.objects.create(pk=Pulse.ONLY, beat_at=now)
            return None
        before = pulse.beat_at
        if before >= now:
            return None
        pulse.beat_at = now
        pulse.save(update_fields=["beat_at"])
        is_outage = now - before > MAX_GAP
        outage = Outage.objects.create(started_at=before, ended_at=now) if is_outage else None
    for uncredited in Outage.objects.filter(credited_at=None):
        _credit_all(uncredited, now)
    return outage


def is_silent(now: datetime) -> bool:
    """Whether no web process has beaten lately; False where none ever has."""
    return Pulse.objects.filter(pk=Pulse.ONLY, beat_at__lt=now - MAX_GAP).exists()


def credit_match(*, match_id: int) -> None:
    """Put back the clocks of one match for outages that were recognised just now."""
    for outage in Outage.objects.filter(credited_at=None):
        _credit(match_id, outage)


def _credit_all(outage: Outage, now: datetime) -> None:
    live = LiveMatch.objects.filter(match__state=Match.State.LIVE, started_at__lt=outage.ended_at)
    for match_id in live.order_by("pk").values_list("pk", flat=True):
        _credit(match_id, outage)
    Outage.objects.filter(pk=outage.pk).update(credited_at=now)
    log.info("outage_credited", started_at=outage.started_at.isoformat(), ended_at=outage.ended_at.isoformat())


def _credit(match_id: int, outage: Outage) -> None:
    """Put back the clocks of a match by what it lost since its last action; a second call changes nothing."""
    with transaction.atomic():
        try:
            journal = Journal.open(match_id)
        except Refused:
            return  # Finished or voided since.
        last = journal.live.actions.order_by("-seq").first()
        began = max(outage.started_at, last.at if last else journal.live.started_at)
        lost = (outage.ended_at - began) // MILLISECOND
        if lost > 0:
            event = LiveEvent(EventKind.OUTAGE, to_ms(outage.ended_at), value=lost)
            journal.append(event, by=SYSTEM, data={"outage": outage.pk})
            if journal.live.lapses_at is not None:
                journal.live.lapses_at += lost * MILLISECOND
            journal.close(outage.ended_at)


# Who is away from a live match: noted by the clock worker from the signs of life, claimed by the opponent.


NOTED_AFTER = 5.0
"""Seconds of absence before it is noted: reloading a page is none."""
PINGS_MISSED = 2.5
"""A page has lost its network once so many signs of life are missing."""
BATCH_SIZE = 1000
"""Sides that are asked after in one round trip."""


def limits() -> AbsenceLimits:
    """Return after how much absence the opponent may claim."""
    return AbsenceLimits(settings.ABSENCE_CLOSED * SECOND, settings.ABSENCE_LOST * SECOND)


def member(public_id: str, side: Side) -> tuple[str, str]:
    """Return a side of a match as a member of its topic."""
    return f"match:{public_id}", str(side)


def sign_of(public_id: str, side: Side, life: str, every: int) -> RecentActivity:
    """Return the sign of life of a side's page that gives one every so many seconds."""
    return RecentActivity(member(public_id, side), life, lasts=every * PINGS_MISSED)


def side_presences(public_id: str, now: datetime, sign: RecentActivity | None = None) -> list[PagePresence]:
    """Return whether the pages of side 0 and of side 1 are open, once a sign of life of one of them is noted."""
    return presences([member(public_id, side) for side in (0, 1)], now=now.timestamp(), sign=sign)


def side_presences_after(
    commands: Sequence[Command], public_id: str, now: datetime, sign: RecentActivity | None = None
) -> tuple[list[Any], list[PagePresence]]:
    """Send commands to the broker; return their answers, and what `side_presences` does, in one round trip."""
    members = [member(public_id, side) for side in (0, 1)]
    return presences_after(commands, members, now=now.timestamp(), sign=sign)


def note_activity_of(sign: RecentActivity, now: datetime) -> None:
    """Note that a page of a side is open."""
    note_activity(sign, now=now.timestamp())


def note_goodbye(*, public_id: str, side: Side, tab: str, now: datetime) -> None:
    """Note that a page of a side was closed or left, which ends the life of that name."""
    goodbye(member(public_id, side), [tab], now=now.timestamp())


def note_absences(*, now: datetime) -> int:
    """Note in every live match who has left or come back; return how many changes there were.

    Correspondence knows no absence. What is unknown counts as being there. While the web server is down pages cannot
    show themselves, and nothing is noted.
    """
    if is_silent(now):
        return 0
    rows = LiveMatch.objects.filter(match__state=Match.State.LIVE, correspondence=False).order_by("pk")
    matches = list(rows.values_list("pk", "match__public_id", "state__absences"))
    stored = {pk: absences for pk, _, absences in matches}
    members = [member(public_id, side) for _, public_id, _ in matches for side in (0, 1)]
    batches = [members[first : first + BATCH_SIZE] for first in range(0, len(members), BATCH_SIZE)]
    by_side = [seen for batch in batches for seen in presences(batch, now=now.timestamp())]
    seen_in = dict(zip(stored, zip(by_side[::2], by_side[1::2], strict=True), strict=True))

    def note(pk: int) -> int:
        changes = 0
        for side, absence, seen in zip((0, 1), stored_absences(stored[pk]), seen_in[pk], strict=True):
            if (absence.since is not None) != _is_away(seen, now):
                changes += note_presence(match_id=pk, side=side, seen=seen, now=now)
        return changes

    return sum(each("absences", stored, note))


def note_presence(*, match_id: int, side: Side, seen: PagePresence, now: datetime) -> bool:
    """Note that a side has left or come back; return whether that is a change."""
    with transaction.atomic():
        try:
            journal = Journal.open(match_id)
        except Refused:
            return False  # Finished or voided since.
        is_away = _is_away(seen, now)
        if is_away == (journal.state.absences[side].since is not None):
            return False
        at = to_ms(now)
        if is_away and seen.since is not None:
            last = journal.live.actions.order_by("-seq").first()
            began = max(int(seen.since * SECOND), to_ms(last.at) if last else to_ms(journal.live.started_at))
            kind = EventKind.LEFT if seen.closed else EventKind.AWAY
            journal.append(LiveEvent(kind, at, side, value=max(0, at - began)), by=SYSTEM)
        else:
            # Whether they were away is not known any more: what was not counted yet will not be.
            since = journal.state.absences[side].since
            unknown = at - since if seen.online is None and since is not None else 0
            journal.append(LiveEvent(EventKind.BACK, at, side, value=max(0, unknown) or None), by=SYSTEM)
        journal.close(now)
    return True


def claim_absence(journal: Journal, event: LiveEvent, side: Side, *, by: Actor, key: str) -> None:
    """Let an absent opponent's flag fall; they lose the match or the game, by the rule of the event.

    Refused: `not_away`, `not_away_long_enough`.
    """
    opponent = 1 - side
    state = journal.state
    absences = counted(state.absences, event.at, (state.waits_for(0), state.waits_for(1)))
    journal.append(event, by=by, key=key)
    if not claimable(absences, opponent, limits(), event.at):
        raise Refused("not_away_long_enough")
    journal.append(LiveEvent(Act.FLAG, event.at, opponent), by=by)
    if journal.state.match.flag_rule is FlagRule.CLAIM:
        journal.append(LiveEvent(Act.CLAIM_FLAG, event.at, side), by=by)


def _is_away(seen: PagePresence, now: datetime) -> bool:
    return seen.online is False and seen.since is not None and now.timestamp() - seen.since >= NOTED_AFTER
