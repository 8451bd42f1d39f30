"""The order in which analyses wait: tonight's matches before all others, and within a night a match each in turn.

So everybody who played has something to see by the morning, when letters are sent (docs/morning.md).

It is worked out whenever a worker asks for work, since each match that ends tonight goes before those of other days.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Q

from matches.analysis.queue import claim_lasts
from matches.models import Analysis

NIGHT_ENDS = timedelta(hours=6)
"""After midnight: a match that ends before belongs to the evening before."""


@dataclass(frozen=True, slots=True)
class InLine:
    """An analysis that is still to be done, or one of the same nights that is done, which took its players' turn."""

    id: int
    ended_at: datetime
    night: date
    is_tonight: bool
    is_imported: bool
    """Whether it is of an imported match."""
    people: tuple[int, ...]
    """Its players with an account: nobody else sees how they played."""
    is_waiting: bool
    is_working: bool


def waiting_in_line(now: datetime) -> list[int]:
    """Return the ids of what is to be done, in order: what a worker is at, tonight's matches, others, imported ones.

    Within a night the players take turns, and the newest match comes first: a match goes before others if one of its
    players has had fewer matches analysed, whatever the other has had. A record of its own, without a match, is of the
    night on which it was sent.
    """
    rows = sorted(_rows(now), key=lambda row: row.ended_at, reverse=True)
    turns: Counter[tuple[date, int]] = Counter()
    for row in rows:
        if not row.is_waiting:
            turns.update((row.night, person) for person in row.people)
    keyed = []
    for row in rows:
        if row.is_waiting:
            turn = sorted(turns[row.night, person] for person in row.people) + [len(rows)] * (2 - len(row.people))
            turns.update((row.night, person) for person in row.people)
            group = (not row.is_working, row.is_imported, not row.is_tonight, -row.night.toordinal(), turn)
            keyed.append((group, row.id))
    return [pk for _group, pk in sorted(keyed, key=lambda each: each[0])]


def next_in_line(now: datetime) -> int | None:
    """Return the first of those that a worker may take; None if there is none."""
    queued = Q(state=Analysis.State.QUEUED) & (Q(not_before=None) | Q(not_before__lte=now))
    left = Q(state=Analysis.State.WORKING, claimed_at__lte=now - claim_lasts())
    free = set(Analysis.objects.filter(queued | left).order_by().values_list("pk", flat=True))
    return next((pk for pk in waiting_in_line(now) if pk in free), None)


def _rows(now: datetime) -> Iterator[InLine]:
    open_ = Q(state__in=[Analysis.State.QUEUED, Analysis.State.WORKING])
    lately = Q(state=Analysis.State.DONE, match__finished_at__gt=now - timedelta(days=1))
    rows = Analysis.objects.filter(open_ | lately, origin=Analysis.Origin.COMPUTED).order_by("pk")
    fields = (
        "pk", "state", "created_at", "match__finished_at", "match__as_told", "match__club__time_zone",
        "match__player_0", "match__player_0__user", "match__player_1", "match__player_1__user",
    )  # fmt: skip
    for pk, state, created_at, finished_at, as_told, zone, player_0, user_0, player_1, user_1 in rows.values_list(
        *fields
    ):
        ended_at, clock = finished_at or created_at, ZoneInfo(zone or "UTC")
        night, tonight = ((at.astimezone(clock) - NIGHT_ENDS).date() for at in (ended_at, now))
        people = tuple(player for player, user in ((player_0, user_0), (player_1, user_1)) if user is not None)
        is_waiting, is_working = state != Analysis.State.DONE, state == Analysis.State.WORKING
        yield InLine(pk, ended_at, night, night == tonight, bool(as_told), people, is_waiting, is_working)
