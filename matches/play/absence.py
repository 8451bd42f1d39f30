"""How long the players of a live match have been away in their own turns: a pure count (docs/live.md).

Instants and durations in milliseconds.
"""

from typing import NamedTuple

from engine.cube import Side


class Limits(NamedTuple):
    """After how much absence the opponent may claim."""

    closed: int
    """With the page closed."""
    total: int
    """With the page closed or the network lost."""


class SideAbsence(NamedTuple):
    """The absence of one side, over the whole match."""

    closed: int = 0
    """Counted so far with the page closed."""
    lost: int = 0
    """Counted so far with the network lost."""
    since: int | None = None
    """When the present absence was counted last; None while the side is there."""
    page_closed: bool = False
    """Whether the present absence began with a goodbye."""

    def begun(self, at: int, *, already: int, page_closed: bool) -> "SideAbsence":
        """Away, of which `already` ms before `at` count."""
        return self._replace(since=at - already, page_closed=page_closed)

    def counted(self, at: int, *, waited_for: bool) -> "SideAbsence":
        """The time up to `at` counted, if the match has waited for this side."""
        if self.since is None:
            return self
        time = max(0, at - self.since) if waited_for else 0
        if self.page_closed:
            return self._replace(closed=self.closed + time, since=max(at, self.since))
        return self._replace(lost=self.lost + time, since=max(at, self.since))

    def claim_at(self, limits: Limits) -> int | None:
        """When the opponent may claim if the match goes on waiting for this side; None while it is there."""
        if self.since is None:
            return None
        left = limits.total - self.closed - self.lost
        if self.page_closed:
            left = min(left, limits.closed - self.closed)
        return self.since + max(0, left)


Absences = tuple[SideAbsence, SideAbsence]
NOBODY_AWAY: Absences = (SideAbsence(), SideAbsence())


def counted(absences: Absences, at: int, waited_for: tuple[bool, bool]) -> Absences:
    """Both absences counted up to `at`."""
    first, second = absences
    return first.counted(at, waited_for=waited_for[0]), second.counted(at, waited_for=waited_for[1])


def postponed(absences: Absences, time: int) -> Absences:
    """Both absences as if they were counted last `time` later: time that nobody lost."""
    first, second = (
        absence if absence.since is None else absence._replace(since=absence.since + time) for absence in absences
    )
    return first, second


def claimable(absences: Absences, side: Side, limits: Limits, at: int) -> bool:
    """Whether the absence of `side` may be claimed at `at`."""
    due = absences[side].claim_at(limits)
    return due is not None and due <= at
