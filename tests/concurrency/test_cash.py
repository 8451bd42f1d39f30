"""Two directors at the cash desk at once: a prize is paid once, a fee taken once, and the box closed as counted."""

from functools import partial
from typing import Any

from matches.lifecycle.finish import ResultInput
from prizes import services as prize_services
from prizes.prizes import prizes_of
from prizes.services import PlanInput
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, fixtures
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tournaments.ledger import payments
from tournaments.ledger.accounts import account_of, box_of
from tournaments.ledger.payments import PaymentInput
from tournaments.ledger.shares import Pot
from tournaments.models import CashDesk, Division, Entry, Payment
from tournaments.results import services as results

pytestmark = POSTGRESQL_ONLY
RACES = 5
FEE = 10


def played(builder: EventBuilder) -> Division:
    """A division of two with a published prize of 20 for the winner."""
    division = builder.drawn(2, fee=FEE)
    prize_services.save_plan(division=division, plan=PlanInput([Pot("main", (10000,))]), publish=True, **builder.acts)
    (final,) = fixtures(division)
    results.enter_result(fixture=final, result=ResultInput(0, (1, 0)), **builder.acts)
    return Division.objects.select_related("tournament__club").get(pk=division.pk)


def pay_twice(builder: EventBuilder, division: Division) -> list[Any]:
    (prize,) = prizes_of(division).rows
    assert prize.entry is not None
    entry = Entry.objects.select_related("player", "division__tournament__club").get(pk=prize.entry)
    pay = partial(prize_services.pay_out, entry=entry, pot="main", **builder.acts)
    return at_once(*(partial(pay, payment=PaymentInput(2 * FEE, f"director {number}")) for number in range(2)))


def test_two_directors_who_pay_out_a_prize_at_once_pay_it_once(builder: EventBuilder) -> None:
    for _ in range(RACES):
        division = played(builder)
        outcomes = pay_twice(builder, division)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["nothing_due"]
        assert [row.amount for row in Payment.objects.filter(tournament=division.tournament)] == [-2 * FEE]


def test_control_without_the_lock_of_the_desk_a_prize_is_paid_twice(builder: EventBuilder) -> None:
    division = played(builder)
    with without_locks(CashDesk):
        outcomes = pay_twice(builder, division)
    assert faults(outcomes) + refusals(outcomes) == []
    assert [row.amount for row in Payment.objects.filter(tournament=division.tournament)] == [-2 * FEE] * 2


def test_two_directors_who_take_a_fee_at_once_take_it_once(builder: EventBuilder) -> None:
    event = played(builder).tournament
    player = builder.cast[0]
    take = partial(payments.receive, tournament=event, player=player, **builder.acts)
    outcomes = at_once(*(partial(take, payment=PaymentInput(FEE, f"director {number}")) for number in range(2)))
    assert faults(outcomes) == []
    assert refusals(outcomes) == ["owes_less"]
    assert account_of(event, player).owes == 0


def test_a_payment_and_the_closing_at_once_leave_a_closed_box_as_counted(builder: EventBuilder) -> None:
    for _ in range(RACES):
        event = played(builder).tournament
        pay = PaymentInput(FEE, "fee")
        outcomes = at_once(
            partial(payments.receive, tournament=event, player=builder.cast[0], payment=pay, **builder.acts),
            partial(payments.close_desk, tournament=event, counted=0, expected=0, **builder.acts),
        )
        assert faults(outcomes) == []
        assert refusals(outcomes) in (["cash_closed"], ["box_changed"])
        assert (box_of(event).expected == 0) == (refusals(outcomes) == ["cash_closed"])
