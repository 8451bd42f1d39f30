"""What a correction would change in the prizes, for its preview.

Prizes come after results in the order of packages, so `tournaments.apps` registers the function that knows them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tournaments.models import Division
from tournaments.state.derivation import StageState


@dataclass(frozen=True, slots=True)
class PrizeChange:
    """The prize of an entry that would change; amounts as text, in the currency of the event."""

    entry: str
    name: str
    prize: str
    before: str
    after: str


Provider = Callable[[Division, Sequence[StageState]], list[PrizeChange]]
_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Ask this function for the changes from now on; registering it again changes nothing."""
    if provider not in _providers:
        _providers.append(provider)


def prize_changes(division: Division, states: Sequence[StageState]) -> list[PrizeChange]:
    """Return the prizes that would change if the stages of a division were in these states."""
    return [change for provider in _providers for change in provider(division, states)] if states else []
