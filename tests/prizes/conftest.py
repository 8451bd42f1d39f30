"""A knockout of four with consolation whose prizes are published."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest

from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from prizes.prizes import DivisionPrizes, prizes_of
from prizes.services import PlanInput, pay_out, save_plan
from tests.event_cast import NOW
from tournaments.ledger import payments
from tournaments.ledger.accounts import accounts_of
from tournaments.ledger.payments import PaymentInput
from tournaments.ledger.shares import Pot
from tournaments.models import Division, Entry, Fixture, Payment
from tournaments.results import services as results

PLAN = PlanInput([Pot("main", (6000, 3000, 500, 500))], registration=600, unit=500)


def play(division: Division, by: Actor, rng: Random | None = None) -> None:
    """Play every match: the side on the left wins, or with `rng` either side."""
    while ready := list(Fixture.objects.filter(stage__division=division, status="ready").select_related("match")):
        for fixture in ready:
            winner = rng.randrange(2) if rng is not None else 0
            score = (3, 1) if winner == 0 else (1, 3)
            results.enter_result(fixture=fixture, result=ResultInput(winner, score), by=by, now=NOW)


@dataclass
class Prizes:
    """A played division of four with a fee of 30.00, of which 6.00 are kept; everybody has paid."""

    division: Division
    by: Actor

    def now(self) -> DivisionPrizes:
        """The prize table as it is now."""
        return prizes_of(Division.objects.select_related("tournament__club").get(pk=self.division.pk))

    def due(self) -> list[tuple[str, int | None, int]]:
        """The prizes as (pot, place, amount due)."""
        return [(row.pot, row.prize.first if row.prize else None, row.due) for row in self.now().rows]

    def holder(self, place: int) -> Entry:
        """The entry that has this place in the main draw."""
        pk = next(row.entry for row in self.now().rows if row.prize and row.prize.first == place)
        assert pk is not None
        return Entry.objects.select_related("player", "division__tournament__club").get(pk=pk)

    def pay(self, place: int, amount: int, key: str = "") -> list[Payment]:
        """Pay out a prize of the main draw."""
        payment = PaymentInput(amount, key or f"prize {place} {Payment.objects.count()}")
        return pay_out(entry=self.holder(place), pot="main", payment=payment, by=self.by, now=NOW)


@pytest.fixture
def unplayed(drawn: Callable[..., Division], by_alice: Actor) -> Prizes:
    """The division before its first result, with its prizes published."""
    division = drawn(4, fee=3000, match_length=3)
    type(division.tournament).objects.update(currency="EUR", currency_exponent=2)
    division = Division.objects.select_related("tournament__club").get(pk=division.pk)
    save_plan(division=division, plan=PLAN, publish=True, by=by_alice, now=NOW)
    for number, account in enumerate(accounts_of(division.tournament)):
        pay_in = PaymentInput(account.owes, f"entry {number}")
        payments.receive(tournament=division.tournament, player=account.player, payment=pay_in, by=by_alice, now=NOW)
    return Prizes(division, by_alice)


@pytest.fixture
def prizes(unplayed: Prizes) -> Prizes:
    """The division with its final played and its prizes published: 96.00 by 60, 30, 5 and 5 %, rounded to 5.00."""
    play(unplayed.division, unplayed.by)
    return unplayed
