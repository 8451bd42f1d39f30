"""The API of prize plans, side pools and agreed splits."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from players.models import LogEntry, User
from tests.prizes.conftest import Prizes, play
from tournaments.models import AgreedSplit, PrizePlan, SidePool, Slot

pytestmark = pytest.mark.django_db

PLAN = {"brackets": [{"bracket": "main", "shares": [7000, 3000]}], "registration": 600, "unit": 500, "publish": True}


@pytest.fixture
def send(unplayed: Prizes, alice_client: Client) -> Callable[..., tuple[int, Any]]:
    """Send a request about the division as Alice; the status and the JSON of the answer."""

    def request(method: str, path: str, **body: Any) -> tuple[int, Any]:
        url = f"/api/v1/divisions/{unplayed.division.public_id}/{path}/"
        answer = alice_client.generic(method, url, json.dumps(body) if body else "", content_type="application/json")
        return answer.status_code, answer.json() if answer.content else None

    return request


def test_a_plan_is_saved_as_a_draft_and_published(
    prizes: Prizes, send: Callable[..., tuple[int, Any]], as_user: Callable[[User | None], Client]
) -> None:
    event = prizes.division.tournament
    published = f"/api/v1/tournaments/{event.public_id}/prizes/"
    visitor = as_user(None)
    before = visitor.get(published).json()
    status, draft = send("POST", "prizes", **PLAN | {"publish": False})
    assert (status, draft["version"], draft["published"], draft["reentry"]) == (201, 2, False, None)
    assert visitor.get(published).json() == before
    assert send("POST", "prizes", **PLAN)[0] == 201
    # 96.00 by 70 and 30 %, rounded down to 5.00, the remainder to first place.
    assert [prize["due"] for prize in visitor.get(published).json()[0]["prizes"]] == [7100, 2500]
    status, plans = send("GET", "prizes")
    assert (status, plans["brackets"]) == (200, ["main"])
    assert [(plan["version"], plan["published"]) for plan in plans["plans"]] == [(3, True), (2, False), (1, True)]
    assert plans["plans"][0]["brackets"] == PLAN["brackets"]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"brackets": [{"bracket": "main", "shares": [7000, 2999]}]}, 422, "bad_shares"),
        ({"registration": 3001}, 422, "registration_too_large"),
        ({"brackets": [{"bracket": "moon", "shares": [10000]}]}, 422, "invalid"),
        ({"brackets": [{"bracket": "main", "shares": [5000]}] * 2}, 422, "invalid"),
        ({"brackets": []}, 422, "invalid"),
        ({"unit": 0}, 422, "invalid"),
        ({"guaranteed": -1}, 422, "invalid"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(
    prizes: Prizes, send: Callable[..., tuple[int, Any]], changes: dict[str, Any], status: int, code: str
) -> None:
    answered, problem = send("POST", "prizes", **PLAN | changes)
    assert (answered, problem["code"]) == (status, code)
    assert PrizePlan.objects.count() == 1


def test_a_side_pool_with_members(unplayed: Prizes, send: Callable[..., tuple[int, Any]]) -> None:
    order = [{"bracket": "main", "place": 1}, {"bracket": "main", "place": 2}]
    fields = {"name": "Jackpot", "fee": 1000, "shares": [7000, 3000], "order": order}
    assert send("POST", "pools", **fields | {"order": [{"bracket": "moon", "place": 1}]})[0] == 422
    status, pool = send("POST", "pools", **fields)
    assert (status, pool["members"], pool["order"]) == (201, [], order)
    status, problem = send("POST", "pools", **fields)
    assert (status, problem["code"]) == (422, "name_taken")
    # The sides on the left of both semifinals will meet in the final.
    left = Slot.objects.filter(fixture__stage__division=unplayed.division, fixture__number__in=(1, 2), side=0)
    first, second = left.order_by("fixture__number").values_list("entry__public_id", flat=True)
    members = f"pools/{pool['public_id']}/members"
    assert send("POST", members, entry=first)[1]["members"] == [first]
    assert send("POST", members, entry=second)[1]["members"] == [first, second]
    assert send("POST", members, entry=second)[1]["code"] == "pool_joined"
    assert send("POST", members, entry="aaaaaaaaaa")[0] == 422
    assert send("POST", "pools/aaaaaaaaaa/members", entry=first)[0] == 404
    assert send("GET", "pools")[1][0]["closed_at"] is None
    play(unplayed.division, unplayed.by)
    (row,) = unplayed.now().pools
    assert [prize.due for prize in row.rows] == [1400, 600]
    assert send("GET", "pools")[1][0]["closed_at"]
    third = unplayed.holder(3).public_id
    assert send("POST", members, entry=third)[1]["code"] == "pool_closed"
    assert send("DELETE", f"{members}/{second}") == (204, None)
    assert send("DELETE", f"{members}/{second}")[1]["code"] == "pool_not_joined"
    assert send("GET", "pools")[1][0]["members"] == [first]


def test_an_agreed_split_and_taking_it_back(prizes: Prizes, send: Callable[..., tuple[int, Any]]) -> None:
    first, second = (prizes.holder(place).public_id for place in (1, 2))
    amounts = [{"entry": first, "amount": 4800}, {"entry": second, "amount": 4800}]
    status, split = send("POST", "splits", bracket="main", amounts=amounts, note="By half")
    assert (status, split["amounts"], split["applies"], split["note"]) == (201, amounts, True, "By half")
    assert [due for _pot, _place, due in prizes.due()][:2] == [4800, 4800]
    assert [row["public_id"] for row in send("GET", "splits")[1]] == [split["public_id"]]
    too_much = [amounts[0] | {"amount": 4801}, amounts[1]]
    assert send("POST", "splits", bracket="main", amounts=too_much)[1]["code"] == "split_sum"
    assert send("POST", "splits", bracket="consolation", amounts=amounts)[1]["code"] == "split_holders"
    assert send("POST", "splits", bracket="main", amounts=amounts[:1] * 2)[0] == 422
    assert send("DELETE", f"splits/{split['public_id']}") == (204, None)
    assert [due for _pot, _place, due in prizes.due()][:2] == [7100, 2500]
    assert send("DELETE", f"splits/{split['public_id']}")[1]["code"] == "split_taken_back"
    assert send("GET", "splits") == (200, [])


def test_only_directors_set_prizes(
    prizes: Prizes, as_user: Callable[[User | None], Client], bob: User, alice: User
) -> None:
    """Nor may a director do so by the URL of a division elsewhere, or with the pool of another division."""
    url = f"/api/v1/divisions/{prizes.division.public_id}/"
    pool = SidePool.objects.create(division=prizes.division, name="Jackpot", fee=1000, shares=[10000])
    first, second = prizes.holder(1), prizes.holder(2)
    split = AgreedSplit.objects.create(division=prizes.division, pot="main", amounts=[[first.pk, 1], [second.pk, 2]])
    entries = LogEntry.objects.count()
    for user, status in ((None, 401), (bob, 403)):
        client = as_user(user)
        for method, path in (
            ("POST", "prizes"), ("POST", "pools"), ("POST", "splits"), ("POST", f"pools/{pool.public_id}/members"),
            ("DELETE", f"pools/{pool.public_id}/members/{first.public_id}"), ("DELETE", f"splits/{split.public_id}"),
        ):  # fmt: skip
            answer = client.generic(method, f"{url}{path}/", "{}", content_type="application/json")
            assert answer.status_code == status, path
        assert [client.get(f"{url}{path}/").status_code for path in ("prizes", "pools", "splits")] == [403] * 3
    assert LogEntry.objects.count() == entries


def test_whether_a_draw_waits_for_payments(prizes: Prizes, alice_client: Client) -> None:
    url = f"/api/v1/tournaments/{prizes.division.tournament.public_id}/cash/"
    assert alice_client.get(url).json()["draw_needs_payment"] is False
    answer = alice_client.patch(url, {"draw_needs_payment": True}, content_type="application/json")
    assert (answer.status_code, answer.json()["draw_needs_payment"]) == (200, True)
    assert alice_client.patch(url, {}, content_type="application/json").status_code == 422
