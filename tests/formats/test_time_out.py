"""Whether it pays to withdraw from a stage without rounds and to return later.

Nights of players of equal skill are played by the rule itself. `TEST_TIER=soak .venv/bin/python -m pytest
tests/formats/test_time_out.py -m soak -s` plays all strategies and prints the figures.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

import pytest

from formats.continuous.night import EveningField, SimulatedEvening
from formats.continuous.state import PairingDecision
from formats.elimination.from_lives import PLACES
from formats.graph import EntryId
from formats.settings import LIVES, SWISS, PairingMode, StageSettings, strict
from formats.swiss.lives import MISSED_FOR_A_LIFE, lives_for_missed, missed_while_out
from tests.tiers import TEST_SEED, TIER, TIER_NAME

pytestmark = [pytest.mark.slow, pytest.mark.soak]

PLAYERS, TABLES = 20, 10
HONEST = 1 / PLAYERS
ABSENTEE = 1
"""The entry that withdraws; everybody else plays on."""

Charge = Callable[..., int]
"""Returns how many matches a returning entry misses, as `missed_while_out`."""


def nothing(_begun: Collection[int], _own: int, *, is_strict: bool) -> int:
    """Count nothing: the control."""
    return 0


class Strategy(NamedTuple):
    leaves: str
    """After its first `win`, after its first `match`, or at the `start`."""
    away: float | None
    """Minutes until it returns; None is as late as it is let in."""

    def __str__(self) -> str:
        return f"{self.leaves}, {'latest' if self.away is None else f'{self.away:g} min'}"


FLOW = StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS)
FLOW_SWISS = StageSettings(SWISS, rounds=5, pairing=PairingMode.CONTINUOUS)
STANDARD = {"lives": FLOW, "Swiss": FLOW_SWISS}
STRICT = {
    "lives": strict(FLOW),
    "lives, then a bracket": replace(strict(FLOW), qualifiers=8),
    "Swiss": strict(FLOW_SWISS),
}
STRATEGIES = [Strategy(leaves, away) for leaves in ("win", "match", "start") for away in (20.0, 40.0, 60.0, 90.0, None)]
BEST = [Strategy("match", 60.0), Strategy("match", None)]
"""Those that pay best, for which more nights are played; outside a soak there are no others."""
NIGHTS = 8 * TIER.nights
MORE_NIGHTS = 4 * NIGHTS
ALLOWED = 3.5
"""Standard errors beyond which a difference is not chance: one of 75 comparisons exceeds them in 2 % of soaks."""


@dataclass
class NightWithTimeOut(SimulatedEvening):
    """A night on which an entry withdraws once, and returns."""

    strategy: Strategy = field(kw_only=True)
    charge: Charge = missed_while_out
    returned_at: float | None = None
    reserve: int | None = field(default=None, init=False)
    """What the absentee had left when it withdrew, while it is away."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.has_left = False
        if self.strategy.leaves == "start":
            self._leave()

    def _leave(self) -> None:
        self.has_left, self.reserve = True, self.left.pop(ABSENTEE)
        self.rows.pop(ABSENTEE, None)
        self.free_since.pop(ABSENTEE, None)
        away = self.strategy.away
        self.to_come[ABSENTEE] = math.inf if away is None else self.at + away

    def _let_in(self) -> None:
        if self.reserve is None:
            super()._let_in()
        elif self.to_come[ABSENTEE] <= self.at:
            self._return()

    def _return(self) -> None:
        """Let the absentee in, unless it is refused; then it stays out."""
        reserve, count = self.reserve, self._missed(self._present())
        assert reserve is not None
        del self.to_come[ABSENTEE]
        self.reserve = None
        if self._is_refused(reserve, count):
            return
        self.returned_at = self.at
        self.begun[ABSENTEE] += count
        by_lot = lives_for_missed(0, count, seed=self.seed, person=ABSENTEE)
        self.left[ABSENTEE] = max(0, reserve - (count if self.settings.format == SWISS else by_lot))

    def _present(self) -> dict[EntryId, int]:
        """The matches begun by everybody who is still in."""
        is_swiss = self.settings.format == SWISS
        return {entry: self.begun[entry] for entry, left in self.left.items() if left > 0 or is_swiss}

    def _missed(self, present: dict[EntryId, int]) -> int:
        return self.charge(list(present.values()), self.begun[ABSENTEE], is_strict=self.settings.is_missed_by_lot)

    def _is_refused(self, reserve: int, count: int) -> bool:
        """Whether nothing would be left; in a Swiss the return is accepted then, but of no use."""
        return reserve <= (count // MISSED_FOR_A_LIFE if self.settings.format == LIVES else count)

    # As late as it is let in: before anything that could happen next lets it in no more.

    def _make(self, decision: PairingDecision) -> None:
        begun = self._present()
        for pair in decision.pairs:
            begun |= {entry: self.begun[entry] + 1 for entry in (pair.first, pair.second)}
        left = sum(self.left.values()) - 2 * len(decision.pairs) - len(decision.byes) - len(decision.missed)
        self._return_before(begun, is_over=self.settings.format == SWISS and not left)
        super()._make(decision)

    def _finish(self, number: int, *, is_knockout: bool = False) -> EntryId:
        pair = self.playing[number]
        if self.settings.format == LIVES and not is_knockout:
            for loser in pair:
                left = {**self.left, loser: self.left[loser] - 1}
                places = sum(PLACES[lives] for lives in left.values())
                is_over = len(self.playing) == 1 and places <= (self.settings.qualifiers or 0)
                begun = {entry: count for entry, count in self._present().items() if left[entry] > 0}
                self._return_before(begun, is_over=is_over or len(begun) < 2)
        winner = super()._finish(number, is_knockout=is_knockout)
        is_time = self.strategy.leaves == "match" or winner == ABSENTEE
        if ABSENTEE in pair and self.left[ABSENTEE] > 0 and is_time and not (self.has_left or is_knockout):
            self._leave()
        return winner

    def _return_before(self, begun: dict[EntryId, int], *, is_over: bool = False) -> None:
        """Return if this is the last chance: in a moment the stage may be over, or these be the matches begun."""
        if self.reserve is None or self.strategy.away is not None:
            return
        if is_over or self._is_refused(self.reserve, self._missed(begun)):
            self._return()


def chance_to_win(night: SimulatedEvening) -> float:
    """Play a night; return the absentee's share of the victory, which in a Swiss all with the most points have."""
    played = night.play()
    if night.settings.qualifiers:
        return float(night.play_bracket().bracket[0] == ABSENTEE)
    if night.settings.format == LIVES:
        (winner,) = [entry for entry, left in played.left.items() if left > 0]
        return float(winner == ABSENTEE)
    most = max(night.points.values())
    first = [entry for entry, points in night.points.items() if points == most]
    return (ABSENTEE in first) / len(first)


class Estimate(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: list[float]) -> "Estimate":
        mean = sum(values) / len(values)
        return cls(mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)))

    def __str__(self) -> str:
        return f"{self.mean:6.1%} ± {self.error:.1%}"


class Comparison(NamedTuple):
    """The chances of one who withdraws and returns, of one who misses nothing, and of a late entry at that time."""

    absentee: Estimate
    uncharged: Estimate
    late: Estimate

    def __str__(self) -> str:
        return f"{self.absentee}, late entry {self.late}, nothing missed {self.uncharged}"


def compared(settings: StageSettings, strategy: Strategy) -> Comparison:
    """Play the same nights with the rule and without it, and with a late entry whenever the absentee returned.

    Whoever returns as late as possible chooses the moment, so the late entry does, too.
    """
    absentee, uncharged, late = [], [], []
    for number in range(MORE_NIGHTS if strategy in BEST and settings.format == LIVES else NIGHTS):
        night = night_with_time_out(settings, strategy, number)
        absentee.append(chance_to_win(night))
        uncharged.append(chance_to_win(night_with_time_out(settings, strategy, number, nothing)))
        if strategy.away is None:
            late.append(chance_to_win(night_with_time_out(settings, Strategy("start", None), number)))
        elif night.returned_at is not None:
            drawn = drawn_night(settings, f"late {strategy}:{number}", night.returned_at)
            late.append(chance_to_win(SimulatedEvening(**drawn)))
    comparison = Comparison(*map(Estimate.of, (absentee, uncharged, late)))
    print(f"{settings.format}, lead {settings.lead}, {strategy}: {comparison}")
    return comparison


def night_with_time_out(
    settings: StageSettings, strategy: Strategy, number: int, charge: Charge = missed_while_out
) -> NightWithTimeOut:
    return NightWithTimeOut(**drawn_night(settings, f"{strategy}:{number}"), strategy=strategy, charge=charge)


def drawn_night(settings: StageSettings, name: str, enters_at: float | None = None) -> dict[str, Any]:
    """Return the conditions of a night; the absentee comes late if `enters_at` is given."""
    chance = Random(f"{TEST_SEED}:{name}")
    people = EveningField.drawn(PLAYERS, chance)
    if enters_at is not None:
        people = replace(people, enters_at={ABSENTEE: enters_at})
    seed = chance.randbytes(32)
    return {"settings": settings, "tables": TABLES, "people": people, "chance": chance, "seed": seed}


def cases(presets: dict[str, StageSettings]) -> list[Any]:
    """Return each preset with each strategy."""
    return [
        pytest.param(settings, strategy, id=f"{name}: {strategy}")
        for name, settings in presets.items()
        for strategy in (STRATEGIES if TIER_NAME == "soak" else BEST)
    ]


@pytest.mark.parametrize(("settings", "strategy"), cases(STRICT))
def test_under_strict_a_time_out_does_not_pay(settings: StageSettings, strategy: Strategy) -> None:
    absentee = compared(settings, strategy).absentee
    assert absentee.mean <= HONEST + ALLOWED * absentee.error


@pytest.mark.parametrize(("settings", "strategy"), cases(STANDARD))
def test_under_standard_a_time_out_pays_no_more_than_playing_on_or_coming_as_late(
    settings: StageSettings, strategy: Strategy
) -> None:
    absentee, _uncharged, late = compared(settings, strategy)
    is_as_late = absentee.mean <= late.mean + ALLOWED * math.hypot(absentee.error, late.error)
    assert is_as_late or absentee.mean <= HONEST + ALLOWED * absentee.error


@pytest.mark.parametrize("settings", [FLOW, strict(FLOW)], ids=["Standard", "Strict"])
def test_a_time_out_for_which_nothing_is_missed_would_pay(settings: StageSettings) -> None:
    nights = [night_with_time_out(settings, BEST[-1], number, nothing) for number in range(MORE_NIGHTS)]
    uncharged = Estimate.of([chance_to_win(night) for night in nights])
    assert uncharged.mean > HONEST + ALLOWED * uncharged.error
