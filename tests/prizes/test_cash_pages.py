"""The pages of the cash desk: who owes, prizes and closing, for directors; the published prizes for everybody."""

import csv
import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from players.models import Player, User
from players.people.pairs import pair_of
from tests.event_cast import RunningEvent
from tests.pages import html
from tests.prizes.conftest import Prizes
from tournaments.models import (
    AgreedSplit,
    CashCount,
    Division,
    Entry,
    Fixture,
    Payment,
    PoolMember,
    PrizePlan,
    SidePool,
    Tournament,
)
from tournaments.state.stages import first_stage

pytestmark = pytest.mark.django_db


def url(prizes: Prizes, path: str = "cash/") -> str:
    event = prizes.division.tournament
    return f"/events/{event.club.slug}/{event.slug}/{path}"


def send(client: Client, prizes: Prizes, path: str, **data: Any) -> str:
    """Post a form and return the page that follows."""
    response = client.post(url(prizes, path), data, follow=True)
    assert response.status_code == 200
    return html(response)


@pytest.fixture
def late(prizes: Prizes) -> Player:
    """A player of another division of the event, who has not paid the 10.00."""
    player = Player.objects.create(name="Late Larry")
    division = Division.objects.create(tournament=prizes.division.tournament, name="Late", fee=1000)
    first_stage(division)
    Entry.objects.create(division=division, player=player)
    return player


@pytest.mark.slow
def test_who_owes_comes_first_and_pays_with_one_tap(prizes: Prizes, late: Player, alice_client: Client) -> None:
    page = html(alice_client.get(url(prizes)))
    assert "4 of 5" in page
    assert page.index("Late Larry") < page.index("Player 1")
    assert "Owes 10.00" in page
    form = {"act": "receive", "player": late.public_id, "amount": "10.00", "method": "cash", "key": "tap"}
    for _ in range(2):
        page = send(alice_client, prizes, "cash/pay/", **form)
        assert "Late Larry paid 10.00." in page
    assert Payment.objects.filter(entry__player=late).count() == 1
    assert "5 of 5" in page
    payment = Payment.objects.get(entry__player=late)
    desk = url(prizes, f"check-in/?q={late.name}")
    assert "Owes" not in html(alice_client.get(desk))
    page = send(alice_client, prizes, "cash/take-back/", payment=payment.public_id)
    assert "Take back 10.00 EUR: entry, Late Larry" in page
    assert "5 of 5" in html(alice_client.get(url(prizes))), "nothing before it is confirmed"
    page = send(alice_client, prizes, "cash/take-back/", payment=payment.public_id, confirmed="on")
    assert "The payment of 10.00 was taken back." in page
    assert "Owes 10.00" in page
    assert "Owes 10.00" in html(alice_client.get(desk))
    page = send(alice_client, prizes, "cash/pay/", **form | {"key": "2", "amount": "11"})
    assert "10.00 is owed now." in page
    page = send(alice_client, prizes, "cash/pay/", **form | {"key": "3", "amount": "ten"})
    assert "“ten” is not an amount." in page


@pytest.mark.slow
def test_a_prize_is_paid_from_the_page_and_the_desk_is_closed_short(prizes: Prizes, alice_client: Client) -> None:
    page = html(alice_client.get(url(prizes, "cash/?tab=prizes")))
    assert "4 × 24.00 = 96.00 · rounded down to 5.00, remainder to first" in page
    assert "96.00 to 2 players" in page
    first = prizes.holder(1)
    form = {"entry": first.public_id, "pot": "main", "amount": "71.00", "method": "cash", "key": "prize"}
    assert "71.00 paid to" in send(alice_client, prizes, "cash/payout/", **form)
    assert "Nothing is due to" in send(alice_client, prizes, "cash/payout/", **form | {"key": "other"})
    expense = {"act": "expense", "amount": "4.00", "method": "cash", "note": "paper", "key": "e"}
    assert "Record 4.00 EUR as spent" in send(alice_client, prizes, "cash/move/", **expense)
    page = send(alice_client, prizes, "cash/move/", **expense, confirmed="on")
    assert "Expense, 1" in page
    count = {"expected": "45.00", "counted": "40.00"}
    assert "Say what happened: the box differs by −5.00." in send(alice_client, prizes, "cash/close/", **count)
    page = send(alice_client, prizes, "cash/close/", **count, note="Wrong change")
    assert "The cash desk is closed. 5.00 short <q>Wrong change</q>" in page
    assert not re.search(r">\s*(Take|Pay) \d", page)
    assert CashCount.objects.get().difference == -500
    assert "The cash desk is open." in send(alice_client, prizes, "cash/reopen/")


def test_an_unclear_amount_is_not_asked_about_while_it_is_typed(prizes: Prizes, alice_client: Client) -> None:
    path = url(prizes, f"{prizes.division.public_id}/prizes/")
    plan = {"shares_main": "70 30", "guaranteed": "1,500"}
    assert alice_client.post(path, plan, headers={"HX-Request": "true"}).status_code == 204
    saved = alice_client.post(path, plan | {"draft": "1"})
    assert saved.status_code == 422, "once it is sent, it is asked what it means"
    assert "1,500" in html(saved)


@pytest.mark.slow
def test_prizes_pools_and_splits_are_set_on_their_page(prizes: Prizes, alice_client: Client) -> None:
    path = f"{prizes.division.public_id}/prizes/"
    page = html(alice_client.get(url(prizes, path)))
    assert 'value="60 30 5 5"' in page
    plan = {"shares_main": "70/30", "registration": "5", "unit": "1"}
    typed = html(alice_client.post(url(prizes, path), plan, headers={"HX-Request": "true"}))
    assert re.findall(r"<b>([\d.]+)</b>", typed) == ["70.00", "30.00"], "amounts are shown before anything is saved"
    wrong = alice_client.post(url(prizes, path), plan | {"shares_main": "70 2"}, headers={"HX-Request": "true"})
    assert "The shares must make 100 %" in html(wrong)
    assert not PrizePlan.objects.filter(registration=500).exists()
    assert "The draft is saved." in send(alice_client, prizes, path, **plan, draft="1")
    assert "The prizes are published." in send(alice_client, prizes, path, **plan, publish="1")
    assert [row.due for row in prizes.now().rows] == [7000, 3000]
    response = alice_client.post(url(prizes, path), plan | {"shares_main": "70 20", "publish": "1"})
    assert response.status_code == 422
    assert "The shares must make 100 %" in html(response)
    pool = {"name": "Side pool", "fee": "10", "shares": "100", "order": "main 1, main 2"}
    assert "“Side pool” is open." in send(alice_client, prizes, f"{path}pool/", **pool)
    wrong = alice_client.post(url(prizes, f"{path}pool/"), pool | {"name": "Other", "order": "moon 1"})
    assert "“moon 1” is not a place of this division." in html(wrong)
    first, second = prizes.holder(1), prizes.holder(2)
    member = {"pool": SidePool.objects.get().public_id, "entry": second.public_id}
    assert "closed with the first result" in send(alice_client, prizes, "cash/pool-member/", **member, act="join")
    assert re.search(r"“Side pool” closed at", html(alice_client.get(url(prizes))))
    assert not PoolMember.objects.exists()
    amounts = {f"amount_{first.public_id}": "52.50", f"amount_{second.public_id}": "47.50"}
    page = send(alice_client, prizes, f"{path}split/", pot="main", **amounts)
    assert "The agreed amounts are due now." in page
    assert "52.50" in page
    split = AgreedSplit.objects.get()
    assert "due as published again" in send(alice_client, prizes, "cash/split-back/", split=split.public_id)


@pytest.fixture
def couple(prizes: Prizes, late: Player) -> tuple[Player, Player]:
    """Ann and Bea, entered as a pair in the division of Late Larry for 10.00."""
    ann, bea = Player.objects.create(name="Ann Berg"), Player.objects.create(name="Bea Kral")
    division = Division.objects.get(name="Late")
    Entry.objects.create(division=division, player=pair_of(ann, bea))
    return ann, bea


@pytest.mark.slow
def test_both_of_a_pair_pay_in_one_tap(prizes: Prizes, couple: tuple[Player, Player], alice_client: Client) -> None:
    page = html(alice_client.get(url(prizes)))
    assert page.count("Owes 5.00") == 2
    assert page.count("Take 10.00 for both") == 2
    pair = Player.objects.get(parts__isnull=False)
    form = {"act": "receive", "player": pair.public_id, "amount": "10.00", "method": "cash", "key": "both"}
    for _tap in range(2):
        assert "Ann Berg &amp; Bea Kral paid 10.00." in send(alice_client, prizes, "cash/pay/", **form)
    assert set(Payment.objects.values_list("player", "amount").exclude(player=None)) == {
        (player.pk, 500) for player in couple
    }
    page = html(alice_client.get(url(prizes)))
    assert "Owes 5.00" not in page
    assert "for both" not in page
    assert ["payment", "Bea Kral", "entry", "cash", "", "5.00"] in [
        row[:6] for row in csv.reader(io.StringIO(alice_client.get(url(prizes, "cash.csv")).content.decode()))
    ]


def test_one_of_a_pair_pays_and_is_paid_by_programs(
    prizes: Prizes, couple: tuple[Player, Player], alice_client: Client
) -> None:
    ann, _bea = couple
    entry = Entry.objects.get(player__parts__isnull=False)
    event = prizes.division.tournament
    path = f"/api/v1/tournaments/{event.public_id}/cash/"

    def pay(**fields: Any) -> tuple[int, Any]:
        body = {"act": "receive", "entry": entry.public_id, "amount": 500, **fields}
        response = alice_client.post(f"{path}payments/", body, content_type="application/json")
        return response.status_code, response.json()

    status, rows = pay(player=ann.public_id)
    assert (status, [(row["player"], row["amount"]) for row in rows]) == (201, [(ann.public_id, 500)])
    assert pay(player=prizes.holder(1).player.public_id)[0] == 422
    assert pay(amount=501)[1]["code"] == "owes_less"
    assert pay()[0] == 201
    accounts = {row["name"]: row for row in alice_client.get(path).json()["accounts"]}
    assert [accounts[name]["owes"] for name in ("Ann Berg", "Bea Kral")] == [0, 0]


def test_published_prizes_are_public_and_amounts_are_not(
    prizes: Prizes, late: Player, dave: User, as_user: Callable[[User | None], Client]
) -> None:
    visitor = as_user(None)
    page = html(visitor.get(url(prizes, "prizes/")))
    assert "71.00" in page
    assert "Your fees" not in page
    Player.objects.filter(pk=late.pk).update(user=dave)
    own = html(as_user(dave).get(url(prizes, "prizes/")))
    assert "You owe 10.00." in own
    prizes.division.prize_plans.update(published=False)
    assert "71.00" not in html(visitor.get(url(prizes, "prizes/")))


def test_the_csv_has_accounts_prizes_and_payments(prizes: Prizes, alice_client: Client) -> None:
    Player.objects.filter(name="Player 1").update(name="=1+1")
    prizes.pay(1, 7100)
    response = alice_client.get(url(prizes, "cash.csv"))
    rows = list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))
    assert [row["section"] for row in rows].count("account") == 4
    assert sum(float(row["amount"]) for row in rows if row["section"] == "payment") == 4 * 30 - 71
    assert not any(row["name"].startswith("=") for row in rows)
    assert {row["currency"] for row in rows} == {"EUR"}


def test_the_page_takes_the_same_queries_for_many_players(
    running: RunningEvent, alice_client: Client, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    Tournament.objects.update(currency="EUR", currency_exponent=2)
    with django_assert_max_num_queries(46):
        assert alice_client.get(f"{running.url}cash/").status_code == 200


def test_the_preview_of_a_correction_says_which_prizes_change(prizes: Prizes, alice_client: Client) -> None:
    final = Fixture.objects.get(stage__division=prizes.division, number=3)
    path = f"fixtures/{final.public_id}/correct/?kind=played&winner=1&left=1&right=3&rated=1"
    page = html(alice_client.get(url(prizes, path)))
    assert "Prizes due" in page
    assert '71.00 <span aria-hidden="true">→</span>' in page
    assert "2 prizes" in page
    prizes.division.prize_plans.update(published=False)
    assert "Prizes due" not in html(alice_client.get(url(prizes, path)))


def test_a_side_pool_is_joined_and_left_before_the_first_result(unplayed: Prizes, alice_client: Client) -> None:
    pool = {"name": "Side pool", "fee": "10", "shares": "100", "order": "main 1, main 2"}
    send(alice_client, unplayed, f"{unplayed.division.public_id}/prizes/pool/", **pool)
    entry = unplayed.division.entries.earliest("pk")
    member = {"pool": SidePool.objects.get().public_id, "entry": entry.public_id}
    assert "joins Side pool" in send(alice_client, unplayed, "cash/pool-member/", **member, act="join")
    assert "Owes 10.00" in html(alice_client.get(url(unplayed)))
    assert "is no longer in" in send(alice_client, unplayed, "cash/pool-member/", **member, act="leave")


def test_a_refund_is_asked_once_with_the_amount_and_the_name_on_the_button(
    prizes: Prizes, alice_client: Client
) -> None:
    entry = prizes.holder(1)
    form = {"act": "refund", "player": entry.player.public_id, "amount": "20", "method": "cash", "key": "back"}
    before = Payment.objects.count()
    assert f"Refund 20.00 EUR to {entry.player.name}" in send(alice_client, prizes, "cash/pay/", **form)
    assert Payment.objects.count() == before
    for _ in range(2):
        page = send(alice_client, prizes, "cash/pay/", **form, confirmed="on")
        assert f"{entry.player.name} got 20.00 back." in page
    assert Payment.objects.count() == before + 1, "the key of the form is that of the first page"
    box = {"act": "float", "method": "cash", "key": "f"}
    assert "Put 50.00 EUR into the box" in send(alice_client, prizes, "cash/move/", **box, amount="50")
    assert "Take 50.00 EUR out of the box" in send(alice_client, prizes, "cash/move/", **box, amount="-50")
    assert Payment.objects.count() == before + 1
