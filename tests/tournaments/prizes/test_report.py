"""The report of an event, and the API of the cash desk."""

from collections.abc import Callable

import pytest
from django.test import Client

from matches.ratings.services.ratings import default_pool, replay_pool
from players.models import User
from tests.pages import html
from tests.tournaments.conftest import NOW
from tests.tournaments.prizes.conftest import Prizes
from tournaments.models import Payment

pytestmark = pytest.mark.django_db


def test_the_report_has_winners_prizes_upsets_and_ratings(
    prizes: Prizes, as_user: Callable[[User | None], Client]
) -> None:
    event = prizes.division.tournament
    replay_pool(pool_id=default_pool().pk, now=NOW)
    champion = prizes.holder(1).player
    visitor = as_user(None)
    page = html(visitor.get(f"/events/{event.club.slug}/{event.slug}/report/"))
    assert f'Champion: <b class="name win">{champion.name}</b>' in page
    assert "71.00" in page
    assert "Rating changes" in page
    body = visitor.get(f"/api/v1/tournaments/{event.public_id}/report/").json()
    assert body["figures"] == {"players": 4, "entries": 4, "matches": 3, "walkovers": 0, "points": 12}
    (division,) = body["divisions"]
    assert division["champion"] == champion.name
    assert [place["place"] for place in division["brackets"][0]["places"]] == ["1", "2", "3–4"]
    assert [prize["due"] for prize in division["prizes"]] == [7100, 2500, 0, 0]
    assert len(body["ratings"]) == 4
    assert body["ratings"][0]["after"] > body["ratings"][0]["before"]
    assert all(upset["winner_rating"] < upset["loser_rating"] for upset in body["upsets"])
    prizes.division.prize_plans.update(published=False)
    hidden = visitor.get(f"/api/v1/tournaments/{event.public_id}/report/").json()
    assert hidden["divisions"][0]["prizes"] == []


def test_the_cash_desk_by_api(prizes: Prizes, alice_client: Client) -> None:
    event = prizes.division.tournament
    url = f"/api/v1/tournaments/{event.public_id}/cash/"
    first = prizes.holder(1)

    def send(path: str, **body: object) -> tuple[int, object]:
        response = alice_client.post(f"{url}{path}", body, content_type="application/json")
        return response.status_code, response.json()

    body = alice_client.get(url).json()
    assert (body["currency"], body["expected"], body["closed"]) == ("EUR", 12000, False)
    assert [account["owes"] for account in body["accounts"]] == [0] * 4
    payout = {"act": "payout", "entry": first.public_id, "bracket": "main", "amount": 7100}
    status, rows = send("payments/", **payout)
    assert (status, rows[0]["amount"]) == (201, -7100)  # type: ignore[index]
    status, problem = send("payments/", **payout)
    assert (status, problem["code"]) == (409, "nothing_due")  # type: ignore[index]
    for wrong in ({"act": "payout", "entry": first.public_id, "amount": 1}, {"act": "receive", "amount": 1}):
        assert send("payments/", **wrong)[0] == 422
    paid = Payment.objects.get(kind="payout")
    assert send(f"payments/{paid.public_id}/take-back/")[0] == 201
    status, problem = send("close/", counted=12000, expected=4900)
    assert (status, problem["code"]) == (409, "box_changed")  # type: ignore[index]
    status, closed = send("close/", counted=12000, expected=12000)
    assert (status, closed["closed"], closed["counted"]) == (200, True, 12000)  # type: ignore[index]
    assert send("payments/", act="float", amount=100)[0] == 409
    assert send("reopen/")[0] == 200
    assert send("payments/", act="float", amount=100)[0] == 201
    public = alice_client.get(f"/api/v1/tournaments/{event.public_id}/prizes/").json()
    assert [prize["due"] for prize in public[0]["prizes"]] == [7100, 2500, 0, 0]
