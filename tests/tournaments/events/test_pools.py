"""Rating pools of a club, on pages and by API, and divisions that use one."""

import re
from typing import Any

import pytest
from django.test import Client

from matches.models import Match, PlayerRating, RatingPool
from matches.rankings.pools import RatingPoolForm
from matches.ratings import services as ratings
from players.models import Club, Player
from tests.event_cast import NOW
from tests.tournaments.support.pages import page, text
from tournaments.models import Division, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
SETTINGS = {"name": "Ladder", "start_rating": 1500, "start_experience": 0, "ramp": "before", "k_scale": 0.5}
FIELDS = {
    name: field.initial
    for name, field in RatingPoolForm.base_fields.items()
    if field.initial is not None and field.initial is not False
} | SETTINGS
"""What a browser sends for a new pool."""
ROWS = "name,rating\nNils,1700\n"


def test_a_pool_is_created_imported_into_and_undone(club: Club, alice_client: Client) -> None:
    alice_client.post(f"/clubs/{club.slug}/pools/", FIELDS)
    pool = RatingPool.objects.get(club=club)
    url = f"/clubs/{club.slug}/pools/{pool.pk}/"
    assert "Ladder" in page(alice_client, f"/clubs/{club.slug}/pools/")

    assert alice_client.post(f"{url}import/", {}).status_code == 422
    look = alice_client.post(f"{url}import/", {"kind": "starts", "text": ROWS, "step": "preview"}).content.decode()
    assert "Nils new member – → 1700.0" in text(look)
    assert not Player.objects.filter(name="Nils").exists()
    bad = alice_client.post(f"{url}import/", {"kind": "starts", "text": "name,rating\nNils,x", "step": "preview"})
    assert bad.status_code == 422
    assert "Row 2: “x” is not a valid rating." in text(bad.content.decode())

    alice_client.post(f"{url}import/", {"kind": "starts", "text": ROWS, "step": "apply"})
    nils = Player.objects.get(name="Nils")
    assert ratings.ratings_of(players=[nils.pk], pool=pool) == {nils.pk: 1700}
    undo = re.search(rf"{url}imports/\d+/undo/", page(alice_client, url))
    assert undo
    alice_client.post(undo[0])
    assert ratings.ratings_of(players=[nils.pk], pool=pool) == {nils.pk: 1500}
    pool.refresh_from_db()
    seen = {"after": pool.seq, "step": "apply"}
    assert alice_client.post(url, {**FIELDS, **seen, "k_scale": 100}).status_code == 422
    alice_client.post(url, {**FIELDS, **seen, "k_scale": 2})
    pool.refresh_from_db()
    assert pool.k_scale == 2


def send(client: Client, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    return getattr(client, method)(f"/api/v1/clubs/harbour/pools/{path}", body or {}, content_type="application/json")


def test_the_same_by_api(club: Club, alice_client: Client) -> None:
    pool = send(alice_client, "post", "", SETTINGS).json()
    assert send(alice_client, "post", "", SETTINGS).json()["code"] == "pool_name_taken"
    assert (
        send(alice_client, "put", f"{pool['id']}/", {**SETTINGS, "k_scale": 1, "after": pool["seq"]}).json()["k_scale"]
        == 1
    )
    past = "date;winner;loser;length\n2025-01-01;Nils;Gram;5\n"
    body = {"kind": "matches", "text": past, "preview": True}
    seen = send(alice_client, "post", f"{pool['id']}/imports/", body).json()
    assert [effect["name"] for effect in seen["effects"]] == ["Nils", "Gram"]
    assert not Match.objects.exists()
    created = send(alice_client, "post", f"{pool['id']}/imports/", {**body, "preview": False}).json()
    ratings.replay_pool(pool_id=pool["id"], now=NOW)
    stored = {row.player.name: row.rating for row in PlayerRating.objects.filter(pool=pool["id"])}
    assert stored == {effect["name"]: effect["after"] for effect in seen["effects"]}
    assert send(alice_client, "post", f"{pool['id']}/imports/{created['id']}/undo/").json()["undone_at"]
    assert send(alice_client, "post", f"{pool['id']}/imports/{created['id']}/undo/").status_code == 409


def test_a_division_counts_for_a_pool_of_its_own_club_only(
    club: Club, tournament: Tournament, alice_client: Client
) -> None:
    mine = RatingPool.objects.create(name="Ladder", club=club)
    other = RatingPool.objects.create(name="Theirs", club=Club.objects.create(name="Elsewhere", slug="elsewhere"))
    path = f"/api/v1/tournaments/{tournament.public_id}/divisions/"
    created = alice_client.post(path, {"name": "Open", "pool_id": mine.pk}, content_type="application/json")
    assert created.json()["pool_id"] == mine.pk
    refused = alice_client.post(path, {"name": "Side", "pool_id": other.pk}, content_type="application/json")
    assert refused.json()["code"] == "pool_of_other_club"
    division = Division.objects.get()
    html = page(alice_client, f"/events/{club.slug}/{tournament.slug}/{division.public_id}/settings/")
    assert f'<option value="{mine.pk}" selected>Ladder</option>' in html
    assert "Theirs" not in html
