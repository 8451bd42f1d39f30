"""The API of accounts, clubs and members."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from core.throttle import SIGN_IN_AS_FROM
from engine.errors import Refused
from players.access import Role, role_in
from players.accounts.services import ensure_player
from players.accounts.tokens import MAX_TOKENS
from players.actors import SYSTEM, Actor
from players.clubs.services import add_player, create_club, give_role
from players.models import ApiToken, Club, LogEntry, Membership, Player, User
from players.people.services import find_or_add_players
from tests.tokens import key_for

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
ME, TOKENS, CLUBS = "/api/v1/me/", "/api/v1/tokens/", "/api/v1/clubs/"


@pytest.fixture
def club(alice: User) -> Club:
    """Alice's club."""
    return create_club(name="Copenhagen Backgammon", city="København", by=Actor.of(alice))


@pytest.fixture
def members(club: Club) -> str:
    """The URL of its members."""
    return f"{CLUBS}{club.slug}/members/"


def as_(user: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


def join(club: Club, user: User, role: Role = Role.MEMBER) -> str:
    membership = add_player(club=club, player=ensure_player(user=user, by=SYSTEM), by=SYSTEM)
    give_role(membership, role, SYSTEM)
    return membership.player.public_id


def enter(club: Club, name: str) -> Player:
    [match] = find_or_add_players(club=club, names=[name], by=SYSTEM)
    assert match.player is not None
    return match.player


def problem(response: Any, status: int, code: str) -> None:
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == code


def test_bob_obtains_uses_and_revokes_tokens(bob: User, password: str) -> None:
    client = APIClient()
    fields = {"email": "BOB@example.org", "password": password}
    response = client.post(TOKENS, {**fields, "name": "Scoreboard", "scopes": ["play"], "days": 30})
    assert response.status_code == 200
    key = response.json()["token"]
    assert (response.json()["name"], response.json()["scopes"]) == ("Scoreboard", ["read", "play"])
    other = client.post(TOKENS, fields).json()
    assert other["token"] != key
    assert not ApiToken.objects.filter(key_hash__contains=key[3:]).exists(), "only the hash is stored"
    headers = {"Authorization": f"Token {key}"}
    assert client.get(ME, headers=headers).json()["display_name"] == "Bob"
    mine = client.get(f"{ME}tokens/", headers=headers)
    assert [token["name"] for token in mine.json()] == ["API client", "Scoreboard"]
    assert mine.json()[1]["last_used_on"] == timezone.now().date().isoformat()
    assert key not in mine.content.decode()
    problem(client.delete(f"{ME}tokens/{other['id']}/", headers=headers), 403, "token_scope")
    all_of_it = {"Authorization": f"Token {other['token']}"}
    assert client.delete(f"{ME}tokens/{other['id']}/", headers=all_of_it).status_code == 204
    assert client.delete(f"{TOKENS}current/", headers=headers).status_code == 204
    problem(client.get(ME, headers=headers), 401, "authentication_failed")
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("get", "me/", "read"),
        ("get", "clubs/{club}/members/", "read"),
        ("patch", "me/", "play"),
        ("post", "challenges/", "play"),
        ("post", "matches/2222222222/claims/", "play"),
        ("post", "divisions/2222222222/register/", "play"),
        ("post", "matches/2222222222/live/", "direct"),
        ("get", "matches/2222222222/links/", "direct"),
        ("patch", "tournaments/2222222222/", "direct"),
        ("post", "fixtures/2222222222/result/", "direct"),
        ("patch", "clubs/{club}/", "club"),
        ("post", "clubs/{club}/members/", "club"),
        ("post", "me/exports/", "club"),
        ("get", "exports/2222222222/", "club"),
        ("get", "exports/2222222222/archive.zip", "club"),
        ("delete", "me/tokens/1/", "club"),
    ],
)
def test_a_token_does_only_what_its_scopes_allow(alice: User, club: Club, method: str, path: str, scope: str) -> None:
    url = "/api/v1/" + path.format(club=club.slug)
    for scopes in (("read",), ("play",), ("direct",), ("club",)):
        client = APIClient(headers={"Authorization": f"Token {key_for(alice, *scopes)}"})
        response = getattr(client, method)(url, {})
        if scope in (*scopes, "read"):
            assert response.status_code not in (401, 403), scopes
        else:
            problem(response, 403, "token_scope")


def test_an_expired_token_and_one_of_a_deactivated_account_are_refused(bob: User) -> None:
    client = APIClient(headers={"Authorization": f"Token {key_for(bob)}"})
    assert client.get(ME).status_code == 200
    ApiToken.objects.update(expires_at=timezone.now())
    problem(client.get(ME), 401, "token_expired")
    ApiToken.objects.update(expires_at=None)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    problem(client.get(ME), 401, "authentication_failed")


def test_only_a_token_that_may_only_read_is_without_an_end(bob: User, password: str) -> None:
    fields = {"email": bob.email, "password": password, "days": None}
    client = APIClient()
    problem(client.post(TOKENS, {**fields, "scopes": ["play"]}, format="json"), 422, "token_needs_end")
    answer = client.post(TOKENS, {**fields, "scopes": ["read"]}, format="json")
    assert (answer.status_code, answer.json()["expires_at"]) == (200, None)


def test_an_account_has_a_limited_number_of_tokens(bob: User) -> None:
    for _ in range(MAX_TOKENS):
        key_for(bob)
    with pytest.raises(Refused, match="too_many_tokens"):
        key_for(bob)


def test_nobody_revokes_the_token_of_somebody_else(bob: User, carol: User) -> None:
    key_for(bob)
    as_(carol).delete(f"{ME}tokens/{ApiToken.objects.get().pk}/")
    assert ApiToken.objects.count() == 1


def test_a_wrong_password_gets_no_token(bob: User) -> None:
    for email in (bob.email, "nobody@example.org"):
        problem(APIClient().post(TOKENS, {"email": email, "password": "guess"}), 401, "wrong_credentials")
    assert not ApiToken.objects.exists()


def test_guesses_of_a_password_are_limited(bob: User, password: str) -> None:
    client = APIClient()
    for _ in range(SIGN_IN_AS_FROM.most):
        client.post(TOKENS, {"email": bob.email, "password": "guess"})
    problem(client.post(TOKENS, {"email": bob.email, "password": password}), 429, "too_many_attempts")


def test_bob_reads_and_changes_his_preferences(bob: User) -> None:
    client = as_(bob)
    before = client.get(ME).json()
    assert before["player"] == Player.objects.get(user=bob).public_id
    after = client.patch(ME, {"time_zone": "copenhagen", "initials_only": True, "analysis_visibility": "public"}).json()
    assert before["in_event_lines"] is after["in_event_lines"] is True
    assert client.patch(ME, {"in_event_lines": False}).json()["in_event_lines"] is False
    assert before["puzzle_choice"] == ""
    assert client.patch(ME, {"puzzle_choice": "yes"}).json()["puzzle_choice"] == "yes"
    assert client.patch(ME, {"puzzle_choice": "maybe"}).status_code == 422
    assert after["analysis_visibility"] == "public"
    assert (after["time_zone"], after["initials_only"], after["display_name"]) == ("Europe/Copenhagen", True, "Bob")
    assert LogEntry.objects.get(verb="preferences_changed").user == bob


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"theme": "plaid"}, "theme"), ({"time_zone": "Mars"}, "time_zone"), ({"display_name": ""}, "display_name")],
)
def test_an_invalid_preference_names_its_field(bob: User, fields: dict[str, str], field: str) -> None:
    response = as_(bob).patch(ME, fields)
    problem(response, 422, "invalid")
    assert [fault["field"] for fault in response.json()["errors"]] == [field]


def test_private_endpoints_require_an_account(club: Club, members: str) -> None:
    client = APIClient()
    for response in (client.get(ME), client.post(CLUBS, {"name": "Mine"}), client.post(members, {"name": "Jens"})):
        problem(response, 401, "not_authenticated")


def test_a_session_needs_a_csrf_token(bob: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(bob)
    assert client.patch(ME, {"theme": "dark"}, content_type="application/json").status_code == 403


def test_a_club_is_created_listed_and_changed(bob: User) -> None:
    client = as_(bob)
    response = client.post(CLUBS, {"name": "Århus Backgammon", "time_zone": "Europe/Copenhagen"})
    assert response.status_code == 201
    body = response.json()
    assert (body["slug"], body["members"], body["my_role"]) == ("arhus-backgammon", 1, "owner")
    problem(client.post(CLUBS, {"name": "Århus Backgammon"}), 422, "club_twice")
    [club] = APIClient().get(CLUBS, {"q": "ARHUS"}).json()["results"]
    assert (club["name"], club["my_role"]) == ("Århus Backgammon", None)
    here = f"{CLUBS}arhus-backgammon/"
    assert client.patch(here, {"city": "Århus"}).json()["city"] == "Århus"
    changed = client.patch(here, {"country": "dk", "currency": "dkk"}).json()
    assert (changed["country"], changed["currency"]) == ("DK", "DKK")
    problem(client.patch(here, {"currency": "kroner"}), 422, "bad_currency")
    assert client.patch(here, {"slug": "aarhus"}).json()["slug"] == "aarhus"
    problem(client.get(here), 404, "not_found")


def test_a_club_names_the_pages_that_may_embed_its_events(club: Club, alice: User) -> None:
    here = f"{CLUBS}{club.slug}/"
    assert as_(alice).patch(here, {"letter_on_close": True}).json()["letter_on_close"] is True
    changed = as_(alice).patch(here, {"embed_hosts": "www.example.org, https://club.example"}).json()
    assert changed["embed_hosts"] == "https://www.example.org https://club.example"
    refused = as_(alice).patch(here, {"embed_hosts": "javascript:alert(1)"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "embed_hosts")


def test_clubs_can_be_limited_to_my_own(club: Club, alice: User, bob: User) -> None:
    create_club(name="Another", by=Actor.of(bob))
    assert [row["slug"] for row in as_(alice).get(CLUBS, {"mine": "true"}).json()["results"]] == [club.slug]
    assert APIClient().get(CLUBS, {"mine": "true"}).json()["results"] == []
    assert len(APIClient().get(CLUBS).json()["results"]) == 2


def test_only_owners_change_the_slug_of_a_club(club: Club, bob: User) -> None:
    join(club, bob, Role.DIRECTOR)
    problem(as_(bob).patch(f"{CLUBS}{club.slug}/", {"slug": "mine"}), 403, "permission_denied")
    assert as_(bob).patch(f"{CLUBS}{club.slug}/", {"city": "Malmö"}).status_code == 200


def test_members_are_added_by_name_or_id(club: Club, members: str, alice: User, bob: User) -> None:
    client = as_(alice)
    assert client.post(members, {"name": "Jens Hansen"}).status_code == 201
    problem(client.post(members, {"name": "JENS HANSEN"}), 422, "namesake")
    assert client.post(members, {"name": "JENS HANSEN", "namesake": True}).status_code == 201
    bob_id = ensure_player(user=bob, by=SYSTEM).public_id
    assert client.post(members, {"player": bob_id}).json()["player"]["name"] == "Bob"
    problem(client.post(members, {"player": bob_id}), 422, "already_member")
    for fields in ({}, {"name": "x", "player": bob_id}):
        problem(client.post(members, fields), 422, "invalid")


def test_members_are_paginated_and_filtered(club: Club, members: str) -> None:
    find_or_add_players(club=club, names=[f"Player {number:02}" for number in range(60)], by=SYSTEM)
    first = APIClient().get(members).json()
    assert len(first["results"]) == 50
    second = APIClient().get(first["next"]).json()
    assert (len(second["results"]), second["next"]) == (11, None)
    assert [row["player"]["name"] for row in APIClient().get(members, {"role": "owner"}).json()["results"]] == ["Alice"]
    assert len(APIClient().get(members, {"q": "player 07"}).json()["results"]) == 1


def test_queries_do_not_grow_with_the_number_of_members(club: Club, members: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert APIClient().get(members).status_code == 200
        return len(captured)

    few = queries()
    find_or_add_players(club=club, names=[f"Player {number}" for number in range(40)], by=SYSTEM)
    assert queries() == few <= 5


def test_a_list_of_names_is_answered_in_its_order(club: Club, members: str, alice: User) -> None:
    enter(club, "Søren")
    listed = {"names": ["soren", "Mia", "MIA"]}
    problem(as_(alice).post(f"{members}list/", listed), 422, "list_left_out")
    response = as_(alice).post(f"{members}list/", {**listed, "partial": True})
    assert [(row["how"], row["repeated"]) for row in response.json()] == [
        ("found", False),
        ("added", False),
        ("added", True),
    ]
    problem(as_(alice).post(f"{members}list/", {"names": []}), 422, "invalid")


def test_roles_are_changed_by_owners(club: Club, members: str, alice: User, bob: User, carol: User) -> None:
    bob_id, carol_id = join(club, bob, Role.DIRECTOR), join(club, carol)
    problem(as_(bob).patch(f"{members}{carol_id}/", {"role": "assistant"}), 403, "permission_denied")
    assert as_(alice).patch(f"{members}{bob_id}/", {"role": "assistant"}).json()["role"] == "assistant"
    problem(as_(alice).patch(f"{members}{bob_id}/", {"role": "owner"}), 422, "owner_by_offer")
    problem(as_(alice).patch(f"{members}{bob_id}/", {"role": "king"}), 422, "invalid")
    response = as_(alice).post(f"{members}{bob_id}/owner/", {"then": "director"})
    assert (response.status_code, response.json()["state"]) == (200, "open")
    accept = f"/api/v1/owner-offers/{response.json()['public_id']}/accept/"
    problem(as_(carol).post(accept), 404, "not_found")
    problem(as_(alice).post(accept), 422, "offer_over")
    assert as_(bob).post(accept).json()["state"] == "accepted"
    assert Membership.objects.get(club=club, player__user=alice).role == "director"


def test_members_leave_but_the_last_owner_stays(club: Club, members: str, alice: User, bob: User, carol: User) -> None:
    alice_id, bob_id, carol_id = (
        Player.objects.get(user=alice).public_id,
        join(club, bob),
        join(club, carol),
    )
    assert as_(bob).delete(f"{members}{bob_id}/").status_code == 204
    problem(as_(bob).delete(f"{members}{carol_id}/"), 403, "permission_denied")
    assert as_(alice).delete(f"{members}{carol_id}/").status_code == 204
    problem(as_(alice).delete(f"{members}{alice_id}/"), 422, "last_owner")
    assert list(Membership.objects.filter(club=club, left_at=None).values_list("player__name", flat=True)) == ["Alice"]


def test_an_invited_player_is_linked_to_bobs_account(club: Club, members: str, alice: User, bob: User) -> None:
    jens = enter(club, "Jens")
    response = as_(alice).post(f"{members}{jens.public_id}/invitation/", {})
    assert response.status_code == 201
    secret = response.json()["url"].split("/")[-2]
    accepted = as_(bob).post("/api/v1/invitations/accept/", {"secret": secret})
    assert accepted.json()["public_id"] == jens.public_id
    assert Player.objects.get(pk=jens.pk).user == bob
    problem(as_(alice).post("/api/v1/invitations/accept/", {"secret": secret}), 410, "invitation_used")
    problem(as_(bob).post("/api/v1/invitations/accept/", {"secret": "made-up"}), 404, "not_found")


def test_a_withdrawn_link_is_refused(club: Club, members: str, alice: User, bob: User) -> None:
    here = f"{members}{enter(club, 'Jens').public_id}/invitation/"
    secret = as_(alice).post(here, {}).json()["url"].split("/")[-2]
    assert as_(alice).delete(here).status_code == 204
    problem(as_(bob).post("/api/v1/invitations/accept/", {"secret": secret}), 410, "invitation_withdrawn")


def test_two_players_are_merged_and_separated(club: Club, members: str, alice: User) -> None:
    jens, double = enter(club, "Jens Hansen"), enter(club, "J. Hansen")
    merged = as_(alice).post(f"{members}{double.public_id}/merge/", {"into": jens.public_id})
    assert merged.status_code == 201
    assert merged.json()["into"]["name"] == "Jens Hansen"
    problem(as_(alice).get(f"{members}{double.public_id}/"), 404, "not_found")
    here = f"{CLUBS}{club.slug}/merges/{merged.json()['id']}/"
    assert as_(alice).delete(here).status_code == 204
    problem(as_(alice).delete(here), 422, "merge_undone")


def test_strangers_and_members_change_nothing(club: Club, members: str, bob: User, dave: User) -> None:
    mallory = User.objects.create_user("mallory@example.org", display_name="Mallory")
    create_club(name="Malmö Backgammon", by=Actor.of(mallory))
    jens = enter(club, "Jens").public_id
    join(club, bob)
    for user in (bob, dave, mallory):
        client = as_(user)
        for response in (
            client.patch(f"{CLUBS}{club.slug}/", {"name": "Mine"}),
            client.post(members, {"name": "Mia"}),
            client.post(f"{members}list/", {"names": ["Mia"]}),
            client.patch(f"{members}{jens}/", {"role": "member"}),
            client.delete(f"{members}{jens}/"),
            client.post(f"{members}{jens}/invitation/", {}),
            client.delete(f"{members}{jens}/invitation/"),
            client.post(f"{members}{jens}/merge/", {"into": jens}),
            client.delete(f"{CLUBS}{club.slug}/merges/1/"),
        ):
            problem(response, 403, "permission_denied")
        assert role_in(user, club) == (Role.MEMBER if user == bob else None)
    assert not Player.objects.filter(name="Mia").exists()


def test_the_schema_contains_every_route(client: Client) -> None:
    schema = client.get("/api/schema/?format=json").json()
    paths = {path: set(methods) - {"parameters"} for path, methods in schema["paths"].items()}
    assert paths["/api/v1/me/"] == {"get", "patch"}
    assert paths["/api/v1/tokens/"] == {"post"}
    assert paths["/api/v1/clubs/"] == {"get", "post"}
    assert paths["/api/v1/clubs/{slug}/members/{public_id}/"] == {"get", "patch", "delete"}
    operation = schema["paths"]["/api/v1/clubs/"]["get"]
    assert {"q", "mine", "cursor", "page_size"} <= {parameter["name"] for parameter in operation["parameters"]}
