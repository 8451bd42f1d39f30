"""Random evenings reconcile: a thousand in pure arithmetic, twenty with the real services."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from players.actors import Actor
from prizes.prizes import prizes_of
from prizes.services import PlanInput, SidePoolInput, create_pool, join_pool, pay_out, save_plan
from prizes.simulation import simulate_evenings
from tests.event_cast import NOW
from tests.prizes.conftest import play
from tournaments.entries import services as entries
from tournaments.ledger import money, payments, shares
from tournaments.ledger.accounts import accounts_of, box_of
from tournaments.ledger.payments import PaymentInput
from tournaments.ledger.shares import Pot
from tournaments.models import Division, Entry, Payment, Tournament

EVENINGS = 20


def test_a_thousand_random_evenings_reconcile(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("simulate_cash", evenings=1000, seed=7, json=True)
    totals = json.loads(capsys.readouterr().out)
    assert (totals["evenings"], totals["differences"]) == (1000, [])
    assert min(totals["corrections"], totals["splits"]) > 100
    assert totals["payments"] > 10_000


@pytest.mark.parametrize("module", [money, shares])
def test_control_a_lost_minor_unit_is_found(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if module is money:
        monkeypatch.setattr(money.Fees, "prize_money", lambda own, *, is_reentry: own.of(is_reentry=is_reentry) // 2)
    else:
        monkeypatch.setattr(shares, "_with_remainder", lambda prizes, _pot, _fund: prizes)
    assert simulate_evenings(20, seed=7).differences
    with pytest.raises(CommandError):
        call_command("simulate_cash", evenings=20, seed=7)


@pytest.mark.slow
@pytest.mark.django_db
def test_twenty_evenings_with_real_services_reconcile(
    drawn: Callable[..., Division], tournament: Tournament, by_alice: Actor
) -> None:
    for number in range(EVENINGS):
        rng = Random(number)
        count = rng.randrange(3, 6)
        division = drawn(count, fee=rng.randrange(1, 4000), match_length=3, name=f"Evening {number}")
        _evening(Division.objects.select_related("tournament__club").get(pk=division.pk), by_alice, rng)
        # The event ended with its only open division.
        Tournament.objects.update(status=Tournament.Status.PUBLISHED)
        tournament.refresh_from_db()


def _evening(division: Division, by: Actor, rng: Random) -> None:
    """Play one evening in the division, and check that its money adds up."""
    acts: dict[str, Any] = {"by": by, "now": NOW}
    event, key = division.tournament, division.public_id
    before = box_of(event).expected
    cut = rng.randrange(1, shares.WHOLE)
    pots = [Pot("main", (cut, shares.WHOLE - cut))]
    plan = PlanInput(pots, rng.randrange(0, division.fee + 1), unit=rng.choice([1, 100]))
    save_plan(division=division, plan=plan, publish=True, **acts)
    pool = create_pool(division=division, pool=SidePoolInput("Pool", 500, (10000,), (("main", 1), ("main", 2))), **acts)
    members = [row for row in division.entries.select_related("player") if rng.random() < 0.5]
    for entry in members:
        join_pool(pool=pool, entry=entry, **acts)
    for account in accounts_of(event):
        if account.owes:
            paid = PaymentInput(account.owes, f"{key} {account.player.pk}")
            payments.receive(tournament=event, player=account.player, payment=paid, **acts)
    leaver = division.entries.order_by("pk")[rng.randrange(division.entries.count())]
    entries.withdraw(entry=leaver, **acts)
    play(division, by, rng)
    table = prizes_of(division)
    for row in table.every_row:
        if row.open > 0 and row.entry is not None:
            entry = Entry.objects.select_related("player", "division__tournament__club").get(pk=row.entry)
            payment = PaymentInput(row.open, f"{key} {row.pot} {row.entry}")
            (payout,) = pay_out(entry=entry, pot=row.pot, payment=payment, **acts)
            if rng.random() < 0.3:
                payments.undo_payment(payment=payout, **acts)
    after = prizes_of(division)
    awarded = sum(row.due for row in after.every_row if row.entry is not None)
    still_open = sum(row.open for row in after.every_row)
    assert sum(row.due for row in after.every_row) == after.fund.total + 500 * len(members)
    collected = division.fee * division.entries.count() + 500 * len(members)
    assert sum(account.owes for account in accounts_of(event)) == 0
    assert box_of(event).expected - before == collected - (awarded - still_open)
    expected = box_of(event).expected
    assert payments.close_desk(tournament=event, counted=expected, expected=expected, **acts).difference == 0
    payments.reopen_desk(tournament=event, **acts)
    assert Payment.objects.filter(entry__division=division).exists()
