"""The pages of clubs for each role."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.access import Role, role_in
from players.accounts.services import update_preferences
from players.actors import SYSTEM
from players.clubs.services import give_role, leave_club
from players.models import Alias, Club, Invitation, Membership, Merge, Player, User
from players.people.services import find_or_add_players, invite, merge_players
from tests.pages import html
from tests.players.conftest import NOW, Enter, Join

NAMES = ("anonymous", "dave", "mallory", "bob", "anton", "alice", "olga")


def text(response: Any) -> str:
    return html(response)


@pytest.fixture
def clients(
    full_club: Club, other_club: Club, dave: User, mallory: User, bob: User, anton: User, alice: User, olga: User
) -> dict[str, Client]:
    """Clients of an anonymous visitor, a stranger, another club's owner, and this club's member, assistant, director,
    owner.
    """
    clients = {"anonymous": Client()}
    for name, user in zip(NAMES[1:], (dave, mallory, bob, anton, alice, olga), strict=True):
        clients[name] = Client()
        clients[name].force_login(user)
    return clients


def statuses(clients: dict[str, Client], method: str, path: str, data: Any = None) -> dict[str, int]:
    return {name: getattr(client, method)(path, data).status_code for name, client in clients.items()}


def answers(*codes: int) -> dict[str, int]:
    """The statuses that each of NAMES gets."""
    return dict(zip(NAMES, codes, strict=True))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", answers(200, 200, 200, 200, 200, 200, 200)),
        ("edit/", answers(302, 403, 403, 403, 403, 200, 200)),
        ("members/", answers(302, 403, 403, 403, 403, 200, 200)),
    ],
)
def test_who_may_see_which_page(
    clients: dict[str, Client], full_club: Club, path: str, expected: dict[str, int]
) -> None:
    assert statuses(clients, "get", f"/clubs/{full_club.slug}/{path}") == expected
    assert {client.get(f"/clubs/nowhere/{path}").status_code for client in list(clients.values())[1:]} == {404}


def test_who_may_see_the_page_of_a_member(
    clients: dict[str, Client], full_club: Club, bob: User, mallory: User
) -> None:
    bob_player, mallorys = (Player.objects.get(user=user).public_id for user in (bob, mallory))
    path = f"/clubs/{full_club.slug}/members/"
    assert statuses(clients, "get", f"{path}{bob_player}/") == answers(302, 403, 403, 403, 403, 200, 200)
    assert statuses(clients, "get", f"{path}{mallorys}/") == answers(302, 403, 403, 403, 403, 404, 404)


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("members/add/", {}, answers(302, 403, 403, 403, 403, 422, 422)),
        ("members/paste/", {}, answers(302, 403, 403, 403, 403, 422, 422)),
        ("members/list/", {}, answers(302, 403, 403, 403, 403, 422, 422)),
        ("members/known/", {"player": "2222222222"}, answers(302, 403, 403, 403, 403, 404, 404)),
        ("edit/", {}, answers(302, 403, 403, 403, 403, 422, 422)),
        ("invitations/0/withdraw/", {}, answers(302, 403, 403, 403, 403, 404, 404)),
        ("merges/0/undo/", {}, answers(302, 403, 403, 403, 403, 404, 404)),
        ("members/{jens}/invite/", {"email": "no address"}, answers(302, 403, 403, 403, 403, 422, 422)),
        ("members/{jens}/names/", {}, answers(302, 403, 403, 403, 403, 422, 422)),
        ("members/{jens}/merge/", {"into": "2222222222"}, answers(302, 403, 403, 403, 403, 422, 422)),
        ("members/{jens}/role/", {"role": "king"}, answers(302, 403, 403, 403, 403, 403, 422)),
        ("members/{jens}/edit/", {}, answers(302, 403, 403, 403, 403, 422, 422)),
        ("members/{olga}/remove/", {}, answers(302, 403, 403, 403, 403, 403, 302)),
        ("leave/", {}, answers(302, 403, 403, 302, 302, 302, 302)),
    ],
)
def test_who_may_send_which_form(
    clients: dict[str, Client],
    full_club: Club,
    olga: User,
    enter: Enter,
    path: str,
    data: Any,
    expected: dict[str, int],
) -> None:
    ids = {"jens": enter("Jens").public_id, "olga": Player.objects.get(user=olga).public_id}
    assert statuses(clients, "post", f"/clubs/{full_club.slug}/{path.format(**ids)}", data) == expected
    assert role_in(olga, full_club) == Role.OWNER


def test_a_signed_out_user_returns_to_the_page_of_the_form(full_club: Club) -> None:
    page = f"/clubs/{full_club.slug}/members/"
    response = Client().post(f"{page}add/", {"name": "Jens"}, headers={"Referer": f"http://testserver{page}"})
    assert response["Location"] == f"/sign-in/?next={page}"
    response = Client().post(f"{page}add/", {"name": "Jens"}, headers={"Referer": "https://example.com/x"})
    assert response["Location"] == "/sign-in/?next=/"


def test_a_country_and_a_time_zone_that_disagree_are_asked_about_once(client: Client, olga: User) -> None:
    client.force_login(olga)
    client.cookies["time_zone"] = "Europe/Copenhagen"
    assert '<option value="DK" selected>Denmark</option>' in text(client.get("/clubs/new/"))
    fields = {"name": "Aarhus", "country": "DE", "time_zone": "Europe/Copenhagen", "currency": "DKK"}
    response = client.post("/clubs/new/", fields)
    assert "is a time zone of Denmark, not of Germany" in text(response)
    assert not Club.objects.exists()
    (agreed,) = re.findall(r'name="agreed" value="([^"]+)"', text(response))
    elsewhere = client.post("/clubs/new/", fields | {"country": "AU", "agreed": agreed})
    assert "not of Australia" in text(elsewhere), "another country is another question"
    assert client.post("/clubs/new/", fields | {"agreed": agreed}).status_code == 302
    assert Club.objects.get().country == "DE"
    kept = fields | {"colour": "", "board": "", "class_points": "", "city": "Aarhus"}
    assert client.post("/clubs/aarhus/edit/", kept).status_code == 302, "what is saved is not response again"

    preferences = {"display_name": "Olga", "country": "AU", "time_zone": "vienna", "analysis_visibility": "club"}
    preferences |= {"theme": "auto", "language": ""}
    response = client.post("/preferences/", preferences)
    assert "is a time zone of Austria, not of Australia" in text(response)
    assert client.post("/preferences/", preferences | {"agreed": "AU Europe/Vienna"}).status_code == 302
    assert client.post("/preferences/", preferences).status_code == 302


def test_olga_creates_a_club(client: Client, olga: User) -> None:
    client.force_login(olga)
    fields = {"name": "Aarhus Backgammon", "city": "Aarhus", "time_zone": "copenhagen"}
    assert client.post("/clubs/new/", fields).status_code == 422
    assert client.post("/clubs/new/", {**fields, "country": "xx", "currency": "euros"}).status_code == 422
    fields |= {"country": "dk", "currency": "dkk"}
    response = client.post("/clubs/new/", fields, follow=True)
    assert response.redirect_chain == [("/clubs/aarhus-backgammon/tonight/", 302)]
    club = Club.objects.get()
    assert (club.time_zone, role_in(olga, club)) == ("Europe/Copenhagen", Role.OWNER)
    assert (club.place, club.currency) == ("Aarhus, DK", "DKK")
    again = client.post("/clubs/new/", fields)
    assert again["Location"] == "/clubs/aarhus-backgammon/"
    assert Club.objects.count() == 1


def test_names_of_eighty_characters_are_shown_in_full(client: Client, club: Club, olga: User) -> None:
    client.force_login(olga)
    long = "W" * 80
    client.post(f"/clubs/{club.slug}/edit/", {"name": long, "time_zone": "UTC"})
    client.post(f"/clubs/{club.slug}/members/add/", {"name": long})
    for path in ("", "members/"):
        assert text(client.get(f"/clubs/{club.slug}/{path}")).count(long) >= 2


def test_typed_text_is_escaped(client: Client, club: Club, olga: User) -> None:
    client.force_login(olga)
    evil = "<script>alert(1)</script>"
    client.post(f"/clubs/{club.slug}/edit/", {"name": evil, "about": evil, "city": evil, "time_zone": "UTC"})
    client.post(f"/clubs/{club.slug}/members/add/", {"name": evil})
    for path in ("", "members/", "edit/"):
        page = text(client.get(f"/clubs/{club.slug}/{path}"))
        assert evil not in page
        assert "&lt;script&gt;" in page


def test_adding_a_namesake_needs_confirmation(client: Client, club: Club, olga: User, enter: Enter) -> None:
    client.force_login(olga)
    enter("Jens Hansen")
    path = f"/clubs/{club.slug}/members/add/"
    response = client.post(path, {"name": "jens hansen"})
    assert response.status_code == 422
    assert "This club already knows Jens Hansen." in text(response)
    assert 'name="namesake"' in text(response)
    assert client.post(path, {"name": "jens hansen", "namesake": "on"}).status_code == 302
    assert Membership.objects.filter(club=club, player__name_key="jens hansen").count() == 2


def test_a_player_of_another_club_is_offered_first(
    client: Client, club: Club, other_club: Club, olga: User, enter: Enter
) -> None:
    client.force_login(olga)
    theirs = enter("Jens Hansen", into=other_club)
    response = client.post(f"/clubs/{club.slug}/members/add/", {"name": "JENS HANSEN"})
    assert response.status_code == 422
    assert "Malmo Backgammon" in text(response)
    assert f'value="{theirs.public_id}"' in text(response)
    client.post(f"/clubs/{club.slug}/members/known/", {"player": theirs.public_id})
    assert Membership.objects.filter(club=club, player=theirs).exists()


def test_players_with_initials_only_are_not_found_by_name(
    client: Client, full_club: Club, bob: User, olga: User
) -> None:
    update_preferences(user=bob, by=SYSTEM, display_name="Bob Murray", initials_only=True)
    page = text(client.get(f"/clubs/{full_club.slug}/"))
    assert "B. M." in page
    assert "Murray" not in page
    assert "B. M." not in text(client.get(f"/clubs/{full_club.slug}/?q=murray"))
    client.force_login(olga)
    assert "Bob Murray" in text(client.get(f"/clubs/{full_club.slug}/members/?q=murray"))


def test_pasting_a_list_reports_the_outcome(client: Client, club: Club, olga: User, enter: Enter) -> None:
    client.force_login(olga)
    enter("Jens Hansen")
    enter("Mia"), enter("Mia")
    names = "1. JENS HANSEN\n2. Søren\n\n3. Soren\n"
    response = client.post(f"/clubs/{club.slug}/members/paste/", {"names": names}, follow=True)
    page = text(response)
    assert "1 player added. 1 was already a member." in page
    assert "Recognised as members: JENS HANSEN → Jens Hansen." in page


def test_a_list_asks_before_anybody_is_added(client: Client, club: Club, olga: User, enter: Enter) -> None:
    client.force_login(olga)
    former, twins = enter("Jens Hansen"), [enter("Mia"), enter("Mia")]
    leave_club(membership=former.memberships.get(), by=SYSTEM, now=NOW)
    names = f"Søren\nJens Hanson\nmia\nJens Hanson\n{'x' * 81}\n"
    page = text(client.post(f"/clubs/{club.slug}/members/paste/", {"names": names}))
    assert page.count("<select") == 2
    assert all(player.public_id in page for player in (former, *twins))
    assert "line 5" in page
    assert not Player.objects.filter(name="Søren").exists()

    listed = {"names": "Søren\nJens Hanson\nmia\nJens Hanson", "choice-1": former.public_id}
    page = text(client.post(f"/clubs/{club.slug}/members/list/", listed, follow=True))
    assert "Not added: Jens Hanson, mia." in page
    assert former.memberships.filter(left_at=None).exists()
    assert Player.objects.filter(name="Søren").exists()
    bad = client.post(f"/clubs/{club.slug}/members/list/", {"names": "Mia", "choice-0": former.public_id}, follow=True)
    assert "Choose a player" in text(bad)
    assert client.post(f"/clubs/{club.slug}/members/list/", {"names": ""}).status_code == 422


def test_the_link_is_shown_once_with_its_qr_code(client: Client, club: Club, olga: User, enter: Enter) -> None:
    client.force_login(olga)
    jens = enter("Jens Hansen")
    path = f"/clubs/{club.slug}/members/{jens.public_id}/"
    response = client.post(f"{path}invite/", {"email": ""})
    [url] = re.findall(r'value="(http://testserver/invitations/[\w-]+/)"', text(response))
    assert "<svg" in text(response)
    assert "no-store" in response["Cache-Control"]
    assert url not in text(client.get(path))
    assert Client().get(url).status_code == 200


def test_an_invitation_is_withdrawn(client: Client, club: Club, olga: User, enter: Enter) -> None:
    client.force_login(olga)
    jens = enter("Jens Hansen")
    client.post(f"/clubs/{club.slug}/members/{jens.public_id}/invite/", {})
    invitation = Invitation.objects.get()
    assert f"/invitations/{invitation.pk}/withdraw/" in text(client.get(f"/clubs/{club.slug}/members/"))
    client.post(f"/clubs/{club.slug}/invitations/{invitation.pk}/withdraw/")
    assert "/withdraw/" not in text(client.get(f"/clubs/{club.slug}/members/"))


def test_two_players_are_merged_and_separated(client: Client, club: Club, olga: User, enter: Enter) -> None:
    client.force_login(olga)
    jens, double = enter("Jens Hansen"), enter("J. Hansen")
    client.post(f"/clubs/{club.slug}/members/{double.public_id}/merge/", {"into": jens.public_id})
    merge = Merge.objects.get()
    page = text(client.get(f"/clubs/{club.slug}/members/"))
    assert "<bdi>J. Hansen</bdi> is now shown as <bdi>Jens Hansen</bdi>." in page
    assert client.get(f"/clubs/{club.slug}/members/{double.public_id}/").status_code == 404
    client.post(f"/clubs/{club.slug}/merges/{merge.pk}/undo/")
    double.refresh_from_db()
    assert double.merged_into is None
    twice = client.post(f"/clubs/{club.slug}/merges/{merge.pk}/undo/", follow=True)
    assert "This merge has already been undone." in text(twice)


def test_another_name_is_added(client: Client, club: Club, olga: User, enter: Enter) -> None:
    client.force_login(olga)
    jens = enter("Jens Hansen")
    path = f"/clubs/{club.slug}/members/{jens.public_id}/"
    client.post(f"{path}names/", {"name": "jenshh"})
    assert Alias.objects.get(player=jens).name == "jenshh"
    assert "jenshh" in text(client.get(path))


def test_the_last_owner_is_told_why_they_stay(client: Client, full_club: Club, olga: User) -> None:
    client.force_login(olga)
    page = text(client.post(f"/clubs/{full_club.slug}/leave/", follow=True))
    assert "Olga is the last owner of this club." in page


def test_an_owner_who_gives_up_the_role_is_redirected_to_the_club(
    client: Client, full_club: Club, olga: User, join: Join
) -> None:
    client.force_login(olga)
    mine = Player.objects.get(user=olga).public_id
    give_role(full_club.memberships.get(role=Role.DIRECTOR), Role.OWNER, SYSTEM)
    response = client.post(f"/clubs/{full_club.slug}/members/{mine}/role/", {"role": "member"}, follow=True)
    assert response.redirect_chain == [(f"/clubs/{full_club.slug}/", 302)]
    assert role_in(olga, full_club) == Role.MEMBER


@pytest.mark.parametrize("path", ["/clubs/", "/clubs/{slug}/", "/clubs/{slug}/members/"])
def test_queries_do_not_grow_with_the_number_of_members(client: Client, club: Club, olga: User, path: str) -> None:
    client.force_login(olga)
    path = path.format(slug=club.slug)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(path, headers={"Accept-Language": "en"}).status_code == 200
        return len(captured)

    few = queries()
    added = find_or_add_players(club=club, names=[f"Player {number}" for number in range(60)], by=SYSTEM)
    for member in added[:10]:
        assert member.player is not None
        invite(membership=member.player.memberships.get(), by=SYSTEM, now=NOW, link=str)
    for member in added[20:30]:
        assert member.player is not None
        merge_players(player=member.player, into=Player.objects.get(user=olga), by=SYSTEM, now=NOW)
    assert queries() <= few
    # One each for unread notifications, boards, an own request, the seasons and the pools.
    assert few <= 17


def test_htmx_gets_only_the_list(client: Client, full_club: Club, olga: User) -> None:
    client.force_login(olga)
    for path, mark in (("clubs/", "clubs"), (f"clubs/{full_club.slug}/", "people-list")):
        page = text(client.get(f"/{path}", headers={"HX-Request": "true"}))
        assert page.strip().startswith(f'<div id="{mark}"')


def test_clubs_are_found_by_name_and_city_without_accents(client: Client, club: Club, other_club: Club) -> None:
    for q, there, gone in (("copenh", club, other_club), ("MALMÖ", other_club, club)):
        page = text(client.get("/clubs/", {"q": q}))
        assert f'href="/clubs/{there.slug}/"' in page
        assert f'href="/clubs/{gone.slug}/"' not in page
    assert "No clubs match “nowhere”." in text(client.get("/clubs/", {"q": "nowhere"}))


def test_a_user_without_a_club_is_welcomed(client: Client, db: None) -> None:
    assert "No clubs yet." in text(client.get("/clubs/"))


@pytest.mark.parametrize("query", ["page=0", "page=x", "page=99999999999999999999", "q=" + "x" * 5000])
def test_invalid_queries_are_harmless(client: Client, full_club: Club, olga: User, query: str) -> None:
    client.force_login(olga)
    for path in ("clubs/", f"clubs/{full_club.slug}/", f"clubs/{full_club.slug}/members/"):
        assert client.get(f"/{path}?{query}").status_code == 200


def test_a_director_corrects_a_name_and_the_old_one_still_finds_the_player(
    client: Client, club: Club, olga: User, enter: Enter
) -> None:
    client.force_login(olga)
    nils = enter("Nils Nørd")
    path = f"/clubs/{club.slug}/members/{nils.public_id}/"
    client.post(f"{path}edit/", {"name": "Nils Nordahl", "country": "dk"})
    nils.refresh_from_db()
    assert (nils.name, nils.country) == ("Nils Nordahl", "DK")
    page = text(client.get(path))
    assert "Nils Nørd → Nils Nordahl" in page
    for search in (f"/clubs/{club.slug}/?q=nils+nord", f"/clubs/{club.slug}/members/?q=nørd", "/players/?q=nils+nørd"):
        assert "Nils Nordahl" in text(client.get(search)), search
    matches = find_or_add_players(club=club, names=["Nils Nørd"], by=SYSTEM)
    assert matches[0].player == nils


@pytest.mark.parametrize(
    ("fields", "field"), [({"name": " ", "country": ""}, "name"), ({"name": "Nils", "country": "ZZ"}, "country")]
)
def test_an_invalid_name_is_refused_beside_its_field(
    client: Client, club: Club, olga: User, enter: Enter, fields: dict[str, str], field: str
) -> None:
    client.force_login(olga)
    nils = enter("Nils Nørd")
    response = client.post(f"/clubs/{club.slug}/members/{nils.public_id}/edit/", fields)
    assert response.status_code == 422
    assert response.context["name_form"].errors.keys() == {field}
    nils.refresh_from_db()
    assert (nils.name, nils.country) == ("Nils Nørd", "")


def test_a_player_with_an_account_chooses_their_own_name(
    client: Client, full_club: Club, bob: User, olga: User
) -> None:
    client.force_login(olga)
    bob_player = Player.objects.get(user=bob)
    response = client.post(f"/clubs/{full_club.slug}/members/{bob_player.public_id}/edit/", {"name": "Bobby"})
    assert "Bob has an account and chooses their own name." in text(response)
    bob_player.refresh_from_db()
    assert bob_player.name == "Bob"
