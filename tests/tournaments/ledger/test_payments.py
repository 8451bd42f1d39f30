"""Payments, refunds, the closing of the cash desk, and who has paid."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from django.db import IntegrityError, transaction

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from prizes import services as prize_services
from prizes.services import SidePoolInput
from tests.event_cast import NOW
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.ledger import payments
from tournaments.ledger.accounts import (
    Account,
    account_of,
    accounts_of,
    box_of,
    division_charges,
    owed_by_entry,
    standing_count,
    unpaid_names,
)
from tournaments.ledger.payments import PaymentInput
from tournaments.models import Division, Entry, Payment, Substitution, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


@dataclass
class Till:
    """The cash desk of an event in euros with an entry fee of 30.00; every payment has a key of its own."""

    division: Division
    by: Actor
    keys: Iterator[int] = field(default_factory=lambda: iter(range(1000)))

    @property
    def event(self) -> Tournament:
        return self.division.tournament

    def input(self, amount: int, method: str = "cash", note: str = "") -> PaymentInput:
        return PaymentInput(amount, f"key {next(self.keys)}", method, note)

    def receive(self, player: Player, amount: int, method: str = "cash") -> list[Payment]:
        payment = self.input(amount, method)
        return payments.receive(tournament=self.event, player=player, payment=payment, by=self.by, now=NOW)

    def refund(self, player: Player, amount: int) -> list[Payment]:
        return payments.refund(tournament=self.event, player=player, payment=self.input(amount), by=self.by, now=NOW)

    def account(self, player: Player) -> Account:
        return account_of(self.event, player)


@pytest.fixture
def till(make_division: Callable[..., Division], by_alice: Actor) -> Till:
    division = make_division(name="Open", fee=3000)
    events.update_tournament(tournament=division.tournament, by=by_alice, now=NOW, currency="EUR", currency_exponent=2)
    division.tournament.refresh_from_db()
    return Till(division, by_alice)


@pytest.fixture
def bob(till: Till, bob_player: Player) -> Player:
    """Bob, entered."""
    entries.enter(division=till.division, players=[bob_player], by=till.by, now=NOW)
    return bob_player


@pytest.fixture
def carol(till: Till, carol_player: Player) -> Player:
    """Carol, entered."""
    entries.enter(division=till.division, players=[carol_player], by=till.by, now=NOW)
    return carol_player


def entry_of(player: Player) -> Entry:
    return Entry.objects.select_related("player", "division__tournament").filter(player=player).latest("pk")


def join_pool(till: Till, player: Player) -> None:
    pool = till.division.side_pools.first() or prize_services.create_pool(
        division=till.division, pool=SidePoolInput("Side pool", 1000, (7000, 3000), (("main", 1),)), by=till.by, now=NOW
    )
    prize_services.join_pool(pool=pool, entry=entry_of(player), by=till.by, now=NOW)


def test_who_owes_comes_first_and_pays_entry_before_pool(till: Till, bob: Player, carol: Player) -> None:
    join_pool(till, bob)
    till.receive(carol, 3000, "card")
    bob_account, carol_account = accounts_of(till.event)
    assert [(line.kind, line.owes) for line in bob_account.lines] == [("entry", 3000), ("pool", 1000)]
    assert (carol_account.owes, carol_account.by_method) == (0, {"card": 3000})
    assert unpaid_names(till.division) == ["Bob"]
    rows = till.receive(bob, 3500)
    assert [(row.kind, row.amount) for row in rows] == [("entry", 3000), ("pool", 500)]
    assert till.account(bob).owes == 500
    assert owed_by_entry(till.division) == {entry_of(bob).pk: 500}


def test_a_double_tap_pays_once(till: Till, bob: Player) -> None:
    payment = PaymentInput(1000, "form 1")
    for _ in range(2):
        rows = payments.receive(tournament=till.event, player=bob, payment=payment, by=till.by, now=NOW)
        assert [row.amount for row in rows] == [1000]
    assert till.account(bob).paid == 1000


@pytest.mark.parametrize(("amount", "code"), [(0, "amount_needed"), (-5, "amount_needed"), (3001, "owes_less")])
def test_nobody_pays_more_than_they_owe(till: Till, bob: Player, amount: int, code: str) -> None:
    with pytest.raises(Refused, match=code):
        till.receive(bob, amount)
    assert not Payment.objects.exists()


def test_taking_a_payment_back_is_a_payment(till: Till, bob: Player) -> None:
    (paid,) = till.receive(bob, 3000)
    back = payments.undo_payment(payment=paid, by=till.by, now=NOW)
    assert (back.amount, back.undoes, till.account(bob).owes) == (-3000, paid, 3000)
    assert box_of(till.event).expected == 0
    for payment, code in ((paid, "payment_undone"), (back, "payment_is_undo")):
        with pytest.raises(Refused, match=code):
            payments.undo_payment(payment=payment, by=till.by, now=NOW)


def test_a_withdrawal_before_the_draw_is_refunded_what_it_paid(till: Till, bob: Player) -> None:
    till.receive(bob, 3000)
    entries.withdraw(entry=entry_of(bob), by=till.by, now=NOW)
    assert till.account(bob).owes == -3000
    with pytest.raises(Refused, match="refund_too_large"):
        till.refund(bob, 3001)
    till.refund(bob, 3000)
    assert (till.account(bob).owes, box_of(till.event).expected) == (0, 0)


def test_a_withdrawal_after_the_draw_still_owes_and_entering_again_is_a_reentry(
    drawn: Callable[..., Division], by_alice: Actor
) -> None:
    division = drawn(4, fee=3000)
    entry = division.entries.select_related("player", "division").order_by("pk")[0]
    entries.withdraw(entry=entry, by=by_alice, now=NOW)
    Entry.objects.create(division=division, player=entry.player)
    account = account_of(division.tournament, entry.player)
    assert [(line.kind, line.due) for line in account.lines] == [("entry", 3000), ("reentry", 1500)]
    events.cancel_tournament(tournament=division.tournament, by=by_alice, now=NOW)
    division.tournament.refresh_from_db()
    assert accounts_of(division.tournament) == []


def test_a_substitute_takes_over_the_fee_of_the_place(drawn: Callable[..., Division], by_alice: Actor) -> None:
    division = drawn(5, fee=3000)
    first, second, third, *_ = division.entries.select_related("player", "division").order_by("pk")
    gone = first.player
    leave(first, by_alice)
    replace_player(second, gone, by_alice)
    assert dues(division, gone) == [("entry", 3000), ("entry", 3000)], "the place is not a re-entry"
    leave(second, by_alice)
    Entry.objects.create(division=division, player=gone)
    assert dues(division, gone)[2:] == [("reentry", 1500)]

    # A re-entry stays one when somebody else takes it over, and whoever left a place enters for the full fee.
    leave(third, by_alice)
    again = Entry.objects.create(division=division, player=third.player)
    replace_player(again, Player.objects.create(name="Yara"), by_alice)
    assert [row.is_reentry for row in division_charges(division) if row.entry == again] == [True]
    Entry.objects.create(division=division, player=second.player)
    assert dues(division, second.player) == [("entry", 3000)]


def leave(entry: Entry, by: Actor) -> None:
    row = Entry.objects.select_related("player", "division").get(pk=entry.pk)
    entries.withdraw(entry=row, by=by, now=NOW)


def replace_player(entry: Entry, player: Player, by: Actor) -> None:
    """Let a player take the place of an entry, whatever has been played."""
    Substitution.objects.create(entry=entry, before=entry.player, after=player, at=NOW, by=by.user)
    Entry.objects.filter(pk=entry.pk).update(player=player)


def dues(division: Division, player: Player) -> list[tuple[str, int]]:
    return [(str(line.kind), line.due) for line in account_of(division.tournament, player).lines]


def test_leaving_a_pool_makes_its_fee_a_refund(till: Till, bob: Player) -> None:
    join_pool(till, bob)
    till.receive(bob, 4000)
    pool = till.division.side_pools.get()
    prize_services.leave_pool(pool=pool, entry=entry_of(bob), by=till.by, now=NOW)
    assert [(line.kind, line.owes) for line in till.account(bob).lines] == [("entry", 0), ("pool", -1000)]
    (row,) = till.refund(bob, 1000)
    assert (row.kind, row.amount, row.pool) == ("refund", -1000, pool)
    for change, code in ((prize_services.leave_pool, "pool_not_joined"), (prize_services.join_pool, "pool_joined")):
        if code == "pool_joined":
            prize_services.join_pool(pool=pool, entry=entry_of(bob), by=till.by, now=NOW)
        with pytest.raises(Refused, match=code):
            change(pool=pool, entry=entry_of(bob), by=till.by, now=NOW)


def test_the_box_is_closed_with_what_was_counted_and_reopened(till: Till, bob: Player, carol: Player) -> None:
    event, by = till.event, till.by
    payments.add_float(tournament=event, payment=till.input(10000), by=by, now=NOW)
    till.receive(bob, 3000)
    till.receive(carol, 3000, "transfer")
    payments.spend(tournament=event, payment=till.input(1840, note="score sheets"), by=by, now=NOW)
    box = box_of(event)
    assert [(row.kind, row.count, row.amount) for row in box.cash] == [
        ("float", 1, 10000), ("entry", 1, 3000), ("expense", 1, -1840),
    ]  # fmt: skip
    assert [(row.kind, row.amount) for row in box.other] == [("transfer", 3000)]
    with pytest.raises(Refused, match="box_changed"):
        payments.close_desk(tournament=event, counted=10000, expected=10000, by=by, now=NOW)
    with pytest.raises(Refused, match="difference_needs_note"):
        payments.close_desk(tournament=event, counted=10660, expected=11160, by=by, now=NOW)
    closing = payments.close_desk(tournament=event, counted=10660, expected=11160, note="bar", by=by, now=NOW)
    assert closing.difference == -500
    with pytest.raises(Refused, match="cash_closed"):
        till.refund(bob, 100)
    with pytest.raises(Refused, match="cash_closed"):
        payments.close_desk(tournament=event, counted=1, expected=11160, note="again", by=by, now=NOW)
    payments.reopen_desk(tournament=event, by=by, now=NOW)
    assert standing_count(event) is None
    with pytest.raises(Refused, match="cash_not_closed"):
        payments.reopen_desk(tournament=event, by=by, now=NOW)
    till.refund(bob, 100)


def test_an_expense_says_what_it_was_for(till: Till) -> None:
    with pytest.raises(Refused, match="note_needed"):
        payments.spend(tournament=till.event, payment=till.input(100), by=till.by, now=NOW)


def test_the_database_refuses_a_payment_in_the_wrong_direction(till: Till, bob: Player) -> None:
    for kind, amount in (("entry", -1), ("payout", 1), ("entry", 0)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Payment.objects.create(
                tournament=till.event, kind=kind, amount=amount, entry=entry_of(bob), key=f"{kind}{amount}"
            )


def test_accounts_take_the_same_queries_for_many_players(
    till: Till, make_players: Callable[[int], list[Player]], django_assert_num_queries: Callable[..., object]
) -> None:
    entries.enter(division=till.division, players=make_players(12), by=till.by, now=NOW)
    with django_assert_num_queries(9):  # type: ignore[attr-defined]
        assert len(accounts_of(till.event)) == 12


def test_a_draw_can_wait_until_everybody_has_paid(till: Till, bob: Player, carol: Player) -> None:
    events.publish_tournament(tournament=till.event, by=till.by, now=NOW)
    payments.require_payment(tournament=till.event, needed=True, by=till.by, now=NOW)
    draw = draws.request_draw(division=till.division, by=till.by, now=NOW)
    draws.make_draft(draw_id=draw.pk, now=NOW)
    till.division.refresh_from_db()
    publish = {"division": till.division, "after": till.division.seq, "by": till.by, "now": NOW}
    till.receive(carol, 3000)
    with pytest.raises(Refused, match="unpaid_entries") as refused:
        draws.publish_draw(**publish)  # type: ignore[arg-type]
    assert refused.value.params == {"names": "Bob"}
    till.receive(bob, 3000)
    draws.publish_draw(**publish)  # type: ignore[arg-type]


def test_the_currency_stays_once_something_was_paid_in_it(till: Till, bob: Player) -> None:
    till.receive(bob, 3000)
    with pytest.raises(Refused, match="currency_in_use"):
        events.update_tournament(tournament=till.event, by=till.by, now=NOW, currency="USD")
    events.update_tournament(tournament=till.event, by=till.by, now=NOW, currency="EUR", venue="Café")
