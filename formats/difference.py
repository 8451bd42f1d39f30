"""The difference between two values of `progress`: what a correction changes."""

from dataclasses import dataclass

from formats.graph import FixtureId
from formats.progress import Progress
from formats.states import FixtureState


@dataclass(frozen=True, slots=True)
class FixtureDifference:
    number: FixtureId
    before: FixtureState
    after: FixtureState

    @property
    def players_change(self) -> bool:
        """Whether one of its slots changes (entry, bye, walkover or to be decided)."""
        return self.before.slots != self.after.slots


def difference(before: Progress, after: Progress) -> tuple[FixtureDifference, ...]:
    """Return the fixtures that differ, by ascending number."""
    return tuple(
        FixtureDifference(number, before.fixtures[number], state)
        for number, state in after.fixtures.items()
        if number in before.fixtures and before.fixtures[number] != state
    )
