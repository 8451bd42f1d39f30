"""A wrong *This is me*: undone for 30 days by the director or the person, also after the account is deleted.

Olga has accepted that Carol is Karl Nyström, whom the club had entered without an account.
"""

from datetime import timedelta

import pytest
from django.apps import apps

from matches.models import Card
from players.actors import SYSTEM, Actor
from players.clubs.services import add_player
from players.joining.services import find_claimable
from players.models import Alias, Club, DataExport, Membership, Merge, Notification, Player, User
from players.models.people import CLAIM_LASTS
from players.notifications.services import notify
from players.people.erasure import erase_player
from players.people.services import find_players, merge_players, undo_merge
from players.privacy.retention import delete_expired
from players.privacy.services import request_export
from tests.matches.cast import match_between
from tests.pages import html
from tests.players.conftest import NOW, Enter
from tests.players.joining.test_joining import accept, ask, client_of, is_member, refusal

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
NAME = "Karl Nyström"


@pytest.fixture
def karl(enter: Enter) -> Player:
    player = enter(NAME)
    Alias.objects.create(player=player, name="Kalle N")
    return player


@pytest.fixture
def claim(club: Club, olga: User, carol: User, karl: Player) -> Merge:
    """The merge by which Carol has become Karl."""
    accept(ask(carol, club, karl), olga)
    return Merge.objects.get()


def undo(claim: Merge, by: User, *, after: timedelta = timedelta()) -> None:
    undo_merge(merge=claim, by=Actor.of(by), now=NOW + after, club=None)


def erase(user: User, *, after: timedelta = timedelta()) -> None:
    erase_player(player=Player.objects.get(user=user), by=Actor.of(user), now=NOW + after)


def names_in_database() -> set[str]:
    """Return the names of Karl that any column of any table still has, with the table and the column."""
    return {
        f"{model.__name__}.{field.attname}"
        for model in apps.get_models()
        for row in model._default_manager.all()
        for field in model._meta.concrete_fields
        if any(part in str(field.value_from_object(row)).casefold() for part in ("nystr", "kalle n"))
    }


@pytest.mark.parametrize("who", ["the director", "the person"])
def test_a_wrong_claim_is_undone_for_30_days(who: str, claim: Merge, olga: User, carol: User, karl: Player) -> None:
    by = olga if who == "the director" else carol
    with refusal("claim_settled"):
        undo(claim, by, after=CLAIM_LASTS)
    undo(claim, by, after=CLAIM_LASTS - timedelta(seconds=1))
    karl.refresh_from_db()
    assert (karl.merged_into, karl.name, karl.user) == (None, NAME, None)
    with refusal("merge_undone"):
        undo(claim, by)
    assert find_claimable(Club.objects.get(), "karl") == [karl]


def test_the_director_undoes_it_on_the_page_of_the_member(
    claim: Merge, club: Club, olga: User, carol: User, karl: Player
) -> None:
    director = client_of(olga)
    path = f"/clubs/{club.slug}/members/{Player.objects.get(user=carol).public_id}/"
    action = f"/clubs/{club.slug}/merges/{claim.pk}/undo/"
    assert action in html(director.get(path))
    assert "are separate players again" in html(director.post(action, follow=True))
    assert action not in html(director.get(path))
    assert "has already been undone" in html(director.post(action, follow=True))


def test_the_person_undoes_it_on_their_own_page(claim: Merge, bob: User, carol: User, olga: User, karl: Player) -> None:
    person, action = client_of(carol), f"/account/claims/{claim.pk}/undo/"
    assert action in html(person.get("/preferences/"))
    for stranger in (bob, olga):
        assert client_of(stranger).post(action).status_code == 404
        assert action not in html(client_of(stranger).get("/preferences/"))
    assert f"{NAME} is not you any more." in html(person.post(action, follow=True))
    assert action not in html(person.get("/preferences/"))
    karl.refresh_from_db()
    assert karl.merged_into is None


def test_the_same_by_the_api(claim: Merge, bob: User, club: Club, carol: User, olga: User) -> None:
    path = f"/api/v1/me/claims/{claim.pk}/undo/"
    [listed] = client_of(carol).get("/api/v1/me/claims/").json()
    assert (listed["id"], listed["player"]["name"]) == (claim.pk, NAME)
    assert [row["id"] for row in client_of(olga).get(f"/api/v1/clubs/{club.slug}/merges/").json()] == [claim.pk]
    assert client_of(bob).post(path).status_code == 404
    assert client_of(carol).post(path).status_code == 204
    assert client_of(carol).post(path).json()["code"] == "merge_undone"
    assert client_of(carol).get("/api/v1/me/claims/").json() == []


def test_an_old_claim_has_no_button(claim: Merge, club: Club, carol: User, olga: User) -> None:
    Merge.objects.update(merged_at=NOW - CLAIM_LASTS)
    assert "/undo/" not in html(client_of(carol).get("/preferences/"))
    page = html(client_of(olga).get(f"/clubs/{club.slug}/members/"))
    assert NAME in page
    assert "merges/" not in page
    assert client_of(olga).get(f"/api/v1/clubs/{club.slug}/merges/").json() == []


def test_undoing_ends_what_the_account_saw(
    claim: Merge, club: Club, other_club: Club, olga: User, bob: User, carol: User, karl: Player
) -> None:
    match = match_between(karl, Player.objects.create(name="Bob", user=bob), club=club, visibility="private")
    page = f"/matches/{match.public_id}/"
    person = client_of(carol)
    assert person.get(page).status_code == 200
    notify(users=[carol.pk], kind="reported", params={"match": match.public_id}, url=page, key="a", now=NOW)
    notify(users=[carol.pk], kind="join_answered", params={"club": "Malmo", "variant": ""}, url="/", key="b", now=NOW)
    request_export(player=Player.objects.get(user=carol), user=carol, by=Actor.of(carol), now=NOW)
    Card.objects.create(user=carol, match=match, due=NOW)
    links = match.link_generations
    undo(claim, olga)
    assert not Card.objects.exists()
    assert person.get(page).status_code == 404
    assert not Notification.objects.filter(user=carol, key="a").exists()
    assert Notification.objects.filter(user=carol, key="b").exists(), "that was not about Karl"
    assert not DataExport.objects.exists()
    match.refresh_from_db()
    assert match.link_generations[0] == links[0] + 1


def test_undoing_ends_memberships_that_came_with_the_player(
    club: Club, other_club: Club, olga: User, carol: User, karl: Player
) -> None:
    """Carol stays a member where she has asked to be one, and where she is given a role."""
    add_player(club=other_club, player=karl, by=SYSTEM)
    accept(ask(carol, club, karl), olga)
    assert is_member(carol, other_club)
    undo_merge(merge=Merge.objects.get(), by=Actor.of(olga), now=NOW, club=club)
    assert is_member(carol, club)
    assert not is_member(carol, other_club)
    assert Membership.objects.filter(player=karl, left_at=None).count() == 2


# An account that is deleted while its claim can be undone.


def test_deleting_the_account_hides_the_name_at_once_and_everywhere(
    claim: Merge, club: Club, olga: User, carol: User, karl: Player
) -> None:
    assert len(names_in_database()) > 2
    assert "is kept, hidden, for 30 days" in html(client_of(carol).get("/preferences/delete/"))
    erase(carol)
    assert names_in_database() == {"Merge.kept"}
    karl.refresh_from_db()
    assert (karl.shown_name, karl.name) == ("Former member", "")
    assert find_claimable(club, "karl") == []
    assert [match.player for match in find_players(club=club, names=[NAME])] == [None]
    director = client_of(olga)
    for path in ("members/", "", "merges/"):
        for base in ("/clubs/", "/api/v1/clubs/"):
            assert "Nyström" not in html(director.get(f"{base}{club.slug}/{path}", follow=True))


def test_the_claim_of_a_deleted_account_is_undone_and_gives_the_name_back(
    claim: Merge, club: Club, olga: User, carol: User, karl: Player
) -> None:
    erase(carol)
    director = client_of(olga)
    action = f"/clubs/{club.slug}/merges/{claim.pk}/undo/"
    assert action in html(director.get(f"/clubs/{club.slug}/members/"))
    assert NAME in html(director.post(action, follow=True))
    karl.refresh_from_db()
    assert (karl.name, karl.name_key, karl.erased_at, karl.merged_into) == (NAME, "karl nystrom", None, None)
    assert [alias.name for alias in karl.aliases.all()] == ["Kalle N"]
    assert find_claimable(club, "kalle") == [karl]
    assert Merge.objects.get().kept is None
    assert Player.objects.filter(erased_at__isnull=False).count() == 1, "Carol stays deleted"
    # The right person says so, and deletes the account for good.
    erase_player(player=karl, by=SYSTEM, now=NOW)
    assert names_in_database() == set()


def test_nothing_else_is_done_with_a_player_whose_name_is_kept(
    claim: Merge, club: Club, olga: User, carol: User, karl: Player
) -> None:
    erase(carol)
    for path in ("", "invite/", "edit/", "merge/", "names/", "remove/", "data/"):
        url = f"/clubs/{club.slug}/members/{karl.public_id}/{path}"
        assert client_of(olga).post(url, {"name": "Karl"}).status_code in (404, 405), path


def test_after_30_days_the_name_is_blanked(claim: Merge, olga: User, carol: User) -> None:
    erase(carol, after=CLAIM_LASTS - timedelta(minutes=1))
    assert delete_expired(now=NOW + CLAIM_LASTS - timedelta(seconds=1))["claimed_names"] == 0
    assert names_in_database() == {"Merge.kept"}
    assert delete_expired(now=NOW + CLAIM_LASTS)["claimed_names"] == 1
    assert names_in_database() == set()
    with refusal("claim_settled"):
        undo(claim, olga, after=CLAIM_LASTS)


def test_an_old_claim_keeps_no_name(claim: Merge, carol: User) -> None:
    erase(carol, after=CLAIM_LASTS)
    assert names_in_database() == set()


def test_players_merged_before_the_claim_come_back_with_it(
    club: Club, olga: User, carol: User, karl: Player, enter: Enter
) -> None:
    double = enter("K. Nyström")
    merge_players(player=double, into=karl, by=SYSTEM, now=NOW)
    accept(ask(carol, club, karl), olga)
    erase_player(player=Player.objects.get(user=carol), by=Actor.of(carol), now=NOW)
    undo_merge(merge=Merge.objects.get(player=karl), by=Actor.of(olga), now=NOW)
    for player, name in ((karl, NAME), (double, "K. Nyström")):
        player.refresh_from_db()
        assert (player.name, player.erased_at) == (name, None)
    assert double.merged_into == karl
