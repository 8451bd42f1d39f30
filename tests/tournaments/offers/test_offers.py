"""Lists at the desk: each starts once, by itself when it is full, and every fee is kept, paid out or refunded."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.packages import ROOT
from engine.errors import Refused
from matches.models import Match
from prizes.prizes import prizes_of
from tests.event_cast import NOON
from tests.tournaments.offers.conftest import FEE, JACKPOT, Desk
from tournaments.draws.undo import unpublish_draw
from tournaments.entries import services as entries
from tournaments.floor.undo import UndoPreview, last_act, preview_undo, undo
from tournaments.ledger.accounts import accounts_of, box_of, owed_by_entry
from tournaments.ledger.money import Fees
from tournaments.ledger.payments import PaymentInput, receive, require_payment
from tournaments.ledger.shares import CertainPlaces, Pot, PrizePlacing, prize_table
from tournaments.models import Division, Draw, Entry, Fixture, Payment, Stage, Tournament
from tournaments.offers import services as offers
from tournaments.state import integrity

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

FOUR = ("Ann", "Bea", "Cem", "Dan")
CASES = ROOT.parent / "shared" / "data" / "weekend" / "money.json"


def code(act: Any, *args: Any, **options: Any) -> str:
    """The code with which an act is refused."""
    with pytest.raises(Refused) as refused:
        act(*args, **options)
    return str(refused.value.code)


def refunds(desk: Desk) -> dict[str, int]:
    """What is to be refunded, by name."""
    return {account.name: -account.owes for account in accounts_of(desk.event) if account.owes < 0}


def published(desk: Desk) -> int:
    """How many draws of its lists are published."""
    return Draw.objects.filter(stage__division__offer=desk.offer, state=Draw.State.PUBLISHED).count()


def test_a_name_is_entered_here_and_paid_at_once(desk: Desk) -> None:
    entry = desk.join("Ann")
    assert (entry.division.name, entry.status, entry.division.is_side) == ("Jackpot 100 no. 1", "in", True)
    assert entry.checked_in_at == desk.at
    assert [(row.entry, row.amount, row.method) for row in Payment.objects.all()] == [(entry, FEE, "cash")]
    assert owed_by_entry(entry.division) == {}


def test_the_last_name_starts_the_countdown_and_opens_the_next_list(desk: Desk) -> None:
    desk.join(*FOUR)
    assert desk.run(1).starts_at == desk.at + offers.COUNTDOWN
    assert desk.lists == [FOUR, ()]
    desk.wait(29)
    assert desk.statuses == ["entries", "entries"]
    desk.wait(1)
    assert desk.statuses == ["running", "entries"]
    assert Fixture.objects.filter(stage__division=desk.run(1), match__state=Match.State.OPEN).count() == 2
    assert list(integrity.differences()) == []


def test_a_list_starts_when_the_clock_is_set_back_during_its_countdown(desk: Desk) -> None:
    desk.join(*FOUR)
    desk.wait(-3600)
    assert desk.statuses == ["running", "entries"]


def test_a_list_starts_once_however_often_the_sweep_runs(desk: Desk) -> None:
    desk.join(*FOUR)
    run = desk.run(1)
    # The server was stopped in the 30 s, and two sweeps run when it is back.
    desk.wait(3600)
    assert offers.start_due(division_id=run.pk, now=desk.at) is None
    assert published(desk) == 1
    assert desk.join("Ann").division.run == 2


def test_the_next_list_is_no_act_of_whoever_filled_one_and_a_drawn_list_is_named(desk: Desk) -> None:
    assert last_act(desk.event, desk.by) is None
    desk.join(*FOUR)
    act = last_act(desk.event, desk.by)
    assert act is not None
    assert (act.label, preview_undo(act)) == ("Undo: Dan · here · 100.00 EUR paid", None)
    desk.wait(31)
    assert last_act(desk.event, desk.by) == act
    assert preview_undo(act) == UndoPreview("Jackpot 100 no. 1 was drawn from it.", is_refused=True)
    assert code(lambda: undo(tournament=desk.event, act=act, by=desk.by, now=desk.at)) == "list_drawn"
    unpublish_draw(division=desk.run(1), by=desk.by, now=desk.at)
    assert preview_undo(act) is None


def test_the_next_name_after_a_full_list_is_first_on_the_next(desk: Desk) -> None:
    desk.join(*FOUR)
    entry = desk.join("Eva")
    assert (entry.division.run, desk.lists) == (2, [FOUR, ("Eva",)])
    assert Payment.objects.count() == 5


def test_leaving_within_the_countdown_calls_the_start_off(desk: Desk) -> None:
    desk.join(*FOUR)
    desk.leave("Dan")
    assert desk.run(1).starts_at is None
    assert refunds(desk) == {"Dan": FEE}
    desk.wait(60)
    assert published(desk) == 0
    # The next name fills the first list although the second is open.
    assert desk.join("Eva").division.run == 1
    assert desk.lists == [("Ann", "Bea", "Cem", "Eva"), ()]
    desk.wait(30)
    assert desk.statuses == ["running", "entries"]
    assert code(desk.leave, "Ann") == "list_started"


def test_who_is_withdrawn_elsewhere_calls_the_start_off_too(desk: Desk) -> None:
    desk.join(*FOUR)
    entries.withdraw(entry=desk.entry("Ann"), by=desk.by, now=desk.at)
    desk.wait(31)
    assert (published(desk), desk.run(1).starts_at) == (0, None)


def test_names_that_are_entered_elsewhere_start_a_list_too(desk: Desk) -> None:
    players = [desk.people[name] for name in FOUR]
    entries.enter(division=desk.run(1), players=players, by=desk.by, now=desk.at)
    desk.wait(2)
    assert desk.run(1).starts_at == desk.at + offers.COUNTDOWN
    assert desk.lists == [FOUR, ()]


def test_undo_takes_the_entry_and_the_money_back(desk: Desk) -> None:
    entry = desk.join(*FOUR)
    offers.undo_join(offer=desk.offer, entry=entry, by=desk.by, now=desk.at)
    assert desk.lists == [("Ann", "Bea", "Cem"), ()]
    assert (box_of(desk.event).expected, refunds(desk)) == (3 * FEE, {})


def test_the_same_tap_sent_twice_has_one_effect(desk: Desk) -> None:
    first, again = desk.join("Ann", key="tap"), desk.join("Ann", key="tap")
    assert first == again
    assert (Entry.objects.filter(division__offer=desk.offer).count(), Payment.objects.count()) == (1, 1)
    assert desk.join("Bea", key="tap").player.name == "Bea"


def test_a_name_is_once_on_a_list(desk: Desk) -> None:
    desk.join("Ann")
    assert code(desk.join, "Ann") == "already_entered"
    assert Payment.objects.count() == 1


def test_a_name_on_a_list_that_is_not_over_can_join_the_next_unless_that_is_off(desk: Desk) -> None:
    desk.join(*FOUR)
    assert desk.join("Ann").division.run == 2
    offers.update_offer(offer=desk.offer, values=offers.OfferInput(**_values(again=False)), by=desk.by, now=desk.at)
    with pytest.raises(Refused) as refused:
        desk.join("Bea")
    assert (refused.value.code, refused.value.params) == ("list_again", {"name": "Bea", "run": 1})
    assert Payment.objects.count() == 5


def _values(**changed: Any) -> dict[str, Any]:
    values = {field: getattr(JACKPOT, field) for field in JACKPOT.__dataclass_fields__}
    return values | changed


def test_another_fee_than_was_seen_is_refused_and_nothing_recorded(desk: Desk) -> None:
    offers.update_offer(offer=desk.offer, values=offers.OfferInput(**_values(fee=50_00)), by=desk.by, now=desk.at)
    assert code(desk.join, "Ann") == code(desk.join, "Ann", paid=False) == "fees_changed"
    assert desk.lists == [()]
    assert Payment.objects.count() == 0
    assert desk.join("Ann", amount=50_00).division.fee == 50_00


def test_a_full_list_waits_for_a_fee_if_draws_do(desk: Desk) -> None:
    require_payment(tournament=desk.event, needed=True, by=desk.by, now=desk.at)
    desk.join("Bea", "Cem", "Dan")
    desk.join("Ann", paid=False)
    assert (desk.run(1).starts_at, desk.lists[1:]) == (None, [()])
    desk.wait(60)
    assert published(desk) == 0
    payment = PaymentInput(FEE, "Ann pays")
    receive(tournament=desk.event, player=desk.people["Ann"], payment=payment, by=desk.by, now=desk.at)
    desk.wait(2)
    assert desk.run(1).starts_at == desk.at + offers.COUNTDOWN
    desk.wait(30)
    assert published(desk) == 1


def test_a_draw_that_was_taken_back_waits_for_the_director_or_another_name(desk: Desk) -> None:
    desk.join(*FOUR)
    desk.wait(30)
    before = Draw.objects.get(stage__division=desk.run(1)).places
    unpublish_draw(division=desk.run(1), by=desk.by, now=desk.at)
    desk.wait(60)
    assert (published(desk), desk.run(1).starts_at) == (0, None)
    run = desk.run(1)
    offers.start(division=run, names=4, after=run.seq, by=desk.by, now=desk.at)
    assert Draw.objects.get(stage__division=run, state=Draw.State.PUBLISHED).places == before
    unpublish_draw(division=desk.run(1), by=desk.by, now=desk.at)
    desk.leave("Dan")
    desk.join("Eva")
    desk.wait(30)
    assert published(desk) == 1


def test_a_short_list_starts_with_all_or_with_the_first(desk: Desk) -> None:
    offers.update_offer(offer=desk.offer, values=offers.OfferInput(**_values(size=8)), by=desk.by, now=desk.at)
    desk.join(*FOUR, "Eva")
    run = desk.run(1)
    assert code(offers.start, division=run, names=1, after=run.seq, by=desk.by, now=desk.at) == "list_too_short"
    assert code(offers.start, division=run, names=6, after=run.seq, by=desk.by, now=desk.at) == "list_too_short"
    assert code(offers.start, division=run, names=5, after=run.entries_seq - 1, by=desk.by, now=desk.at) == "stale"
    (refunded,) = offers.start(division=run, names=4, after=run.seq, by=desk.by, now=desk.at)
    assert (refunded.player.name, refunds(desk)) == ("Eva", {"Eva": FEE})
    assert (desk.lists, desk.statuses) == ([FOUR, ()], ["running", "entries"])
    desk.join(*FOUR, "Eva")
    Tournament.objects.update(ends_at=desk.at)
    run = desk.run(2)
    assert offers.start(division=run, names=5, after=run.seq, by=desk.by, now=desk.at) == []
    # From closing time on there is no next list.
    assert desk.statuses == ["running", "running"]
    assert code(desk.join, "Gus") == "offer_closed"


def test_closing_refunds_the_lists_that_have_not_started(desk: Desk) -> None:
    desk.join(*FOUR)
    desk.wait(30)
    desk.join("Eva", "Fay")
    called_off = offers.close_offer(offer=desk.offer, by=desk.by, now=desk.at)
    assert [entry.player.name for entry in called_off] == ["Eva", "Fay"]
    assert (desk.statuses, refunds(desk)) == (["running", "cancelled"], {"Eva": FEE, "Fay": FEE})
    assert code(desk.join, "Gus") == "offer_closed"
    assert code(offers.close_offer, offer=desk.offer, by=desk.by, now=desk.at) == "offer_closed"
    offers.reopen_offer(offer=desk.offer, by=desk.by, now=desk.at)
    assert desk.join("Gus").division.run == 3
    assert list(integrity.differences()) == []


def test_each_list_is_committed_to_when_it_opens(desk: Desk) -> None:
    desk.join(*FOUR)
    stages = Stage.objects.filter(division__offer=desk.offer)
    assert [stage.commitments.count() for stage in stages] == [1, 1]


def test_bad_offers_are_refused(desk: Desk) -> None:
    for changed, expected in (
        ({"name": "Jackpot 100"}, "name_taken"),
        ({"shares": (7000, 2000)}, "bad_shares"),
        ({"lengths": []}, "bad_round_lengths"),
        ({"lengths": [99]}, "bad_round_lengths"),
    ):
        values = offers.OfferInput(**_values(**{"name": "Other"} | changed))
        assert code(offers.create_offer, tournament=desk.event, offer=values, by=desk.by, now=NOON) == expected
    assert Division.objects.filter(offer__isnull=False).count() == 1


# Money.


def test_what_is_kept_and_the_prizes_are_all_that_was_paid(desk: Desk) -> None:
    desk.join(*FOUR)
    desk.wait(30)
    prizes = prizes_of(desk.run(1))
    assert (prizes.fund.kept, prizes.fund.total) == (20_00, 380_00)
    assert [row.due for row in prizes.rows] == [266_00, 114_00]


MONEY = [
    # entries, fee, kept, shares, unit, places shared from -> (total, kept, prizes)
    (8, 10000, 500, [10000], 1, None, (80000, 4000, [76000])),
    (8, 25, 500, [7000, 3000], 5, None, (200, 10, [135, 55])),
    (5, 100, 500, [7000, 3000], 5, None, (500, 25, [335, 140])),
    (16, 200, 500, [5000, 2500, 1250, 1250], 1, 3, (3200, 160, [1520, 760, 380, 380])),
    (7, 3, 500, [10000], 1, None, (21, 1, [20])),
    (4, 100, 0, [7000, 3000], 1, None, (400, 0, [280, 120])),
]


@pytest.mark.parametrize(("names", "fee", "kept", "shares", "unit", "shared", "expected"), MONEY)
def test_the_money_of_a_list(
    names: int, fee: int, kept: int, shares: list[int], unit: int, shared: int | None, expected: Any
) -> None:
    assert _money(names, fee, kept, shares, unit, shared) == expected


def _money(
    names: int, fee: int, kept: int, shares: list[int], unit: int = 1, shared: int | None = None
) -> tuple[int, int, list[int]]:
    fees = Fees(fee, share=kept)
    places = [PrizePlacing(at, at, (at,)) for at in range(1, shared or names + 1)]
    if shared is not None:
        places.append(PrizePlacing(shared, shared + 1, (shared, shared + 1)))
    standing = {"main": CertainPlaces(tuple(places), over=True)}
    prizes = prize_table(fees.fund(names, 0), [Pot("main", tuple(shares))], standing, unit=unit)
    return names * fee, fees.kept_of_all(names, 0), [prize.due for prize in prizes]


@pytest.mark.skipif(not Path(CASES).exists(), reason="the reference cases are beside the repository")
def test_the_reference_cases_of_money() -> None:
    cases = [case for case in json.loads(CASES.read_text())["cases"] if case["kind"] == "jackpot"]
    assert cases
    for case in cases:
        sizes = case.get("sizes", [1])
        shared = len(sizes) if sizes[-1] == 2 else None
        money = _money(case["entries"], case["fee"], case["kept"], case["shares"], case.get("unit", 1), shared)
        assert money == tuple(case["expect"].values()), case["name"]
