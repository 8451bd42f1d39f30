"""Which prizes a correction would change, for its preview."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tournaments.ledger.money import Currency
from tournaments.models import Division
from tournaments.prizes.selectors.prizes import DivisionPrizes, plan_of, prizes_of
from tournaments.standings.layout import ranking_name
from tournaments.state.derivation import StageState
from tournaments.state.names import names_of


@dataclass(frozen=True, slots=True)
class PrizeChange:
    """The prize of an entry that would change; amounts as text, in the currency of the event."""

    entry: str
    name: str
    prize: str
    before: str
    after: str


def prize_changes(division: Division, states: Sequence[StageState]) -> list[PrizeChange]:
    """Return the published prizes that would change if the stages of a division were in these states.

    Payments are not mentioned, because assistants see previews, too.
    """
    plan = plan_of(division) if states else None
    if plan is None or not plan.published:
        return []
    before, after = _due(prizes_of(division)), _due(prizes_of(division, states=states))
    names, currency = names_of(division, staff=True), Currency.of(division.tournament)
    titles = {pool.key: pool.name for pool in division.side_pools.all()}
    return [
        PrizeChange(
            names.entries[entry].public_id,
            names.of(entry),
            titles.get(pot) or ranking_name(pot),
            currency.text(before[pot, entry]),
            currency.text(after[pot, entry]),
        )
        for pot, entry in sorted(before.keys() | after.keys())
        if before[pot, entry] != after[pot, entry]
    ]


def _due(prizes: DivisionPrizes) -> defaultdict[tuple[str, int], int]:
    """Return (pot, entry) -> what is due."""
    due: defaultdict[tuple[str, int], int] = defaultdict(int)
    for row in prizes.every_row:
        if row.entry is not None:
            due[row.pot, row.entry] += row.due
    return due
