"""The two of a pair: each owes half, pays for themselves, and gets their own money back."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from players.people.pairs import pair_of
from players.people.services import merge_players
from prizes.services import SidePoolInput, create_pool, join_pool
from tests.conftest import SHARED_DATA
from tests.event_cast import NOW
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.ledger import payments
from tournaments.ledger.accounts import account_of, accounts_of, box_of, owed_by_entry, owed_by_person, payee_of
from tournaments.ledger.payments import PaymentInput
from tournaments.ledger.sides import Sides, halves
from tournaments.models import Division, Entry, Payment, Substitution

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

CASES = SHARED_DATA / "weekend" / "money.json"


@given(amount=st.integers(0, 10**9))
def test_two_halves_are_the_whole_and_the_first_has_the_odd_unit(amount: int) -> None:
    first, second = halves(amount)
    assert (first + second, first - second) == (amount, amount % 2)


@pytest.mark.skipif(not CASES.exists(), reason="needs the reference cases")
def test_halves_are_those_of_the_reference() -> None:
    cases = [case for case in json.loads(CASES.read_text())["cases"] if case["kind"] == "halves"]
    assert cases
    for case in cases:
        assert list(halves(case["amount"])) == case["expect"], case["name"]


@dataclass
class Doubles:
    """Ann & Bea in a doubles for 25.01; Ann in the main event for 30.00, too."""

    division: Division
    main: Division
    by: Actor
    ann: Player
    bea: Player
    pair: Player
    entry: Entry
    keys: Iterator[int] = field(default_factory=count)

    def owes(self, player: Player) -> int:
        return account_of(self.division.tournament, player).owes

    def pay(self, player: Player, amount: int) -> list[Payment]:
        return payments.receive(
            tournament=self.division.tournament, player=player, payment=self.input(amount), by=self.by, now=NOW
        )

    def refund(self, player: Player, amount: int) -> list[Payment]:
        return payments.refund(
            tournament=self.division.tournament, player=player, payment=self.input(amount), by=self.by, now=NOW
        )

    def input(self, amount: int) -> PaymentInput:
        return PaymentInput(amount, f"key {next(self.keys)}")


@pytest.fixture
def doubles(make_division: Callable[..., Division], by_alice: Actor) -> Doubles:
    main, division = make_division(name="Main", fee=3000), make_division(name="Doubles", fee=2501)
    event = division.tournament
    events.update_tournament(tournament=event, by=by_alice, now=NOW, currency="EUR", currency_exponent=2)
    Division.objects.filter(pk=division.pk).update(sides=Division.Sides.TWO)
    main.tournament.refresh_from_db()
    division = Division.objects.select_related("tournament__club").get(pk=division.pk)
    ann, bea = Player.objects.create(name="Ann Berg"), Player.objects.create(name="Bea Kral")
    pair = pair_of(ann, bea)
    entries.enter(division=main, players=[ann], by=by_alice, now=NOW)
    (entry,) = entries.enter(division=division, players=[pair], by=by_alice, now=NOW)
    return Doubles(division, main, by_alice, ann, bea, pair, entry)


def test_each_owes_half_and_pays_with_what_they_owe_elsewhere(doubles: Doubles) -> None:
    assert [(row.name, row.owes) for row in accounts_of(doubles.division.tournament)] == [
        ("Ann Berg", 3000 + 1251),
        ("Bea Kral", 1250),
    ]
    assert owed_by_person(doubles.division) == {
        doubles.entry.pk: {doubles.ann.pk: 1251, doubles.bea.pk: 1250},
    }
    rows = doubles.pay(doubles.ann, 4251)
    assert [(row.amount, row.player, payee_of(row)) for row in rows] == [
        (3000, None, "Ann Berg"),
        (1251, doubles.ann, "Ann Berg"),
    ]
    assert (doubles.owes(doubles.ann), doubles.owes(doubles.bea)) == (0, 1250)
    assert owed_by_entry(doubles.division, doubles.main) == {doubles.entry.pk: 1250}
    with pytest.raises(Refused, match="owes_less"):
        doubles.pay(doubles.bea, 1251)
    (row,) = doubles.pay(doubles.bea, 1250)
    assert (row.player, payee_of(row)) == (doubles.bea, "Bea Kral")
    assert box_of(doubles.division.tournament).expected == 3000 + 2501


def test_both_pay_in_one_payment_and_get_it_back(doubles: Doubles) -> None:
    rows = doubles.pay(doubles.pair, 2501)
    assert {row.player: row.amount for row in rows} == {doubles.ann: 1251, doubles.bea: 1250}
    assert (doubles.owes(doubles.pair), doubles.owes(doubles.ann)) == (0, 3000)
    assert {row.player: row.amount for row in doubles.refund(doubles.pair, 2501)} == {
        doubles.ann: -1251, doubles.bea: -1250,
    }  # fmt: skip
    assert doubles.owes(doubles.pair) == 2501


def test_one_of_a_pair_cannot_get_the_money_of_the_other(doubles: Doubles) -> None:
    doubles.pay(doubles.ann, 4251)
    with pytest.raises(Refused, match="refund_too_large"):
        doubles.refund(doubles.bea, 1)
    entries.withdraw(
        entry=Entry.objects.select_related("player", "division").get(pk=doubles.entry.pk), by=doubles.by, now=NOW
    )
    assert (doubles.owes(doubles.ann), doubles.owes(doubles.bea)) == (-1251, 0)
    (row,) = doubles.refund(doubles.ann, 1251)
    assert (row.player, row.amount) == (doubles.ann, -1251)
    back = payments.undo_payment(payment=row, by=doubles.by, now=NOW)
    assert (back.player, doubles.owes(doubles.ann)) == (doubles.ann, -1251)


def test_at_the_desk_one_pays_for_themselves_or_both_in_one_tap(doubles: Doubles) -> None:
    event, entry = doubles.division.tournament, doubles.entry

    def tap(amount: int, *people: Player) -> list[Payment]:
        only = {player.pk for player in people} or None
        return payments.receive_for_entries(
            tournament=event, entries=[entry], people=only, payment=doubles.input(amount), by=doubles.by, now=NOW
        )

    with pytest.raises(Refused, match="fees_changed"):
        tap(1251, doubles.bea)
    assert [(row.player, row.amount) for row in tap(1250, doubles.bea)] == [(doubles.bea, 1250)]
    with pytest.raises(Refused, match="fees_changed"):
        tap(2501)
    assert [(row.player, row.amount) for row in tap(1251)] == [(doubles.ann, 1251)]


def test_a_side_pool_is_shared_as_well(doubles: Doubles) -> None:
    pool = SidePoolInput("Pool", 501, (10000,), (("main", 1),))
    row = create_pool(division=doubles.division, pool=pool, by=doubles.by, now=NOW)
    join_pool(pool=row, entry=doubles.entry, by=doubles.by, now=NOW)
    assert (doubles.owes(doubles.ann), doubles.owes(doubles.bea)) == (3000 + 1251 + 251, 1250 + 250)
    assert [part.pool for part in doubles.pay(doubles.bea, 1500)] == [None, row]


def test_who_takes_a_place_in_a_pair_takes_over_what_was_paid_for_it(doubles: Doubles) -> None:
    doubles.pay(doubles.bea, 1250)
    cem = Player.objects.create(name="Cem Öz")
    dan = Player.objects.create(name="Dan Li")
    before = doubles.pair
    for couple in ((doubles.ann, cem), (dan, cem)):
        after = pair_of(*couple)
        Substitution.objects.create(entry=doubles.entry, before=before, after=after, at=NOW)
        Entry.objects.filter(pk=doubles.entry.pk).update(player=after)
        before = after
    assert (doubles.owes(cem), doubles.owes(dan), doubles.owes(doubles.bea)) == (0, 1251, 0)
    assert account_of(doubles.division.tournament, cem).by_method == {"cash": 1250}


def test_halves_follow_the_places_of_a_side_if_a_couple_was_named_in_the_other_order(doubles: Doubles) -> None:
    doubles.pay(doubles.ann, 4251)
    doubles.pay(doubles.bea, 1250)
    cem = Player.objects.create(name="Cem Öz")
    known = pair_of(cem, doubles.ann)
    Substitution.objects.create(entry=doubles.entry, before=doubles.pair, after=known, at=NOW)
    Entry.objects.filter(pk=doubles.entry.pk).update(player=known)
    assert (doubles.owes(doubles.ann), doubles.owes(cem)) == (0, 0)
    assert owed_by_entry(doubles.division) == {}
    entry = Entry.objects.select_related("player__merged_into").get(pk=doubles.entry.pk)
    assert Sides([entry]).of(entry.pk) == (doubles.ann, cem)


def test_what_somebody_paid_stays_theirs_when_they_are_merged(doubles: Doubles) -> None:
    doubles.pay(doubles.bea, 1250)
    beatrice = Player.objects.create(name="Beatrice Kral")
    merge_players(player=doubles.bea, into=beatrice, by=doubles.by, now=NOW)
    assert [(row.name, row.owes) for row in accounts_of(doubles.division.tournament)] == [
        ("Ann Berg", 4251),
        ("Beatrice Kral", 0),
    ]


def test_events_without_pairs_ask_for_none(doubles: Doubles, django_assert_num_queries: Callable[..., object]) -> None:
    with django_assert_num_queries(7):  # type: ignore[attr-defined]
        owed_by_person(doubles.main)
