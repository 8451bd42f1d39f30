"""What a correction changes: the difference between two values of `progress`, fixture by fixture."""

from dataclasses import dataclass

from tournaments.formats.graph import FixtureId
from tournaments.formats.progress import FixtureState, Progress


@dataclass(frozen=True, slots=True)
class Change:
    """One fixture before and after a correction."""

    number: FixtureId
    before: FixtureState
    after: FixtureState

    @property
    def players_change(self) -> bool:
        """Whether other players (or a bye, a walkover, nobody yet) stand in it."""
        return self.before.slots != self.after.slots


def difference(before: Progress, after: Progress) -> tuple[Change, ...]:
    """What a correction changes, fixture by fixture, in the order of the numbers."""
    return tuple(
        Change(number, before.fixtures[number], state)
        for number, state in after.fixtures.items()
        if number in before.fixtures and before.fixtures[number] != state
    )
