"""Asking to join a club and "this is me": who may claim whom, what the directors decide, and what becomes of it.

Olga owns the club and Alice directs it; Carol and Dave have accounts and would like to join.
"""

import random

import pytest
from django.test import Client

from core import throttle
from engine.errors import Refused
from players.access import Role
from players.actors import SYSTEM, Actor
from players.clubs.services import add_member, add_player, leave_club
from players.joining.services import accept_request, ask_to_join, find_claimable, refuse_request, withdraw_request
from players.models import Club, JoinRequest, Membership, Merge, Notification, Player, User
from players.notifications.services import notifications_of
from players.people.erasure import erase_player
from players.people.services import merge_players, undo_merge
from tests.pages import html
from tests.players.conftest import NOW, Join

pytestmark = pytest.mark.django_db


def ask(user: User, club: Club, claimed: Player | None = None) -> JoinRequest:
    name = claimed.public_id if claimed else ""
    return ask_to_join(club=club, user=user, claimed=name, by=Actor.of(user), now=NOW)


def accept(request: JoinRequest, by: User, *, link: bool = True) -> JoinRequest:
    return accept_request(request=request, link=link, by=Actor.of(by), now=NOW)


def refuse(request: JoinRequest, by: User, reason: str = "We know Karl.") -> JoinRequest:
    return refuse_request(request=request, reason=reason, by=Actor.of(by), now=NOW)


def refusal(code: str) -> "pytest.RaisesExc[Refused]":
    return pytest.raises(Refused, check=lambda refused: refused.code == code)


def is_member(user: User, club: Club) -> bool:
    return Membership.objects.filter(club=club, player__user=user, left_at=None).exists()


def sentences(user: User) -> list[str]:
    return [text.sentence for text in notifications_of(user)]


@pytest.fixture
def karl(club: Club, olga: User) -> Player:
    """A player without an account whom the club has entered."""
    return add_member(club=club, name="Karl Nyström", by=Actor.of(olga)).player


def test_nothing_changes_before_a_director_has_accepted(club: Club, olga: User, carol: User, karl: Player) -> None:
    request = ask(carol, club, karl)
    karl.refresh_from_db()
    assert (karl.merged_into, karl.user, is_member(carol, club)) == (None, None, False)
    assert sentences(olga) == ["Carol asks to join the club and says: “I am Karl Nyström.”"]

    accept(request, olga)
    karl.refresh_from_db()
    assert karl.merged_into == Player.objects.get(user=carol)
    assert is_member(carol, club)
    assert sentences(carol) == ["You are now a member of Copenhagen Backgammon. Your earlier results there are yours."]


def test_an_accepted_claim_can_be_undone_and_asked_again(club: Club, olga: User, carol: User, karl: Player) -> None:
    accept(ask(carol, club, karl), olga)
    undo_merge(merge=Merge.objects.get(), by=Actor.of(olga), now=NOW, club=club)
    karl.refresh_from_db()
    assert (karl.merged_into, is_member(carol, club)) == (None, True)
    # A member says so again.
    accept(ask(carol, club, karl), olga)
    karl.refresh_from_db()
    assert karl.merged_into == Player.objects.get(user=carol)


def test_a_director_accepts_the_member_and_not_the_claim(club: Club, olga: User, carol: User, karl: Player) -> None:
    accept(ask(carol, club, karl), olga, link=False)
    karl.refresh_from_db()
    assert (karl.merged_into, is_member(carol, club)) == (None, True)
    assert sentences(carol) == ["You are now a member of Copenhagen Backgammon."]


def test_a_refusal_is_told_and_changes_nothing(club: Club, olga: User, carol: User, karl: Player) -> None:
    refuse(ask(carol, club, karl), olga)
    karl.refresh_from_db()
    assert (karl.merged_into, is_member(carol, club)) == (None, False)
    assert sentences(carol) == ["Copenhagen Backgammon has refused your request to join: We know Karl."]
    # And Carol may ask again.
    assert ask(carol, club).state == JoinRequest.State.OPEN


def test_two_people_claim_the_same_player(club: Club, olga: User, carol: User, dave: User, karl: Player) -> None:
    first, second = ask(carol, club, karl), ask(dave, club, karl)
    accept(first, olga)
    with refusal("already_merged"):
        accept(second, olga)
    assert not is_member(dave, club)
    # As somebody new, Dave can still join.
    accept(second, olga, link=False)
    assert is_member(dave, club)


def test_asking_twice_is_one_request(club: Club, olga: User, carol: User, karl: Player) -> None:
    first = ask(carol, club, karl)
    assert ask(carol, club, karl) == first
    assert len(sentences(olga)) == 1
    with refusal("already_asked"):
        ask(carol, club)
    withdraw_request(club=club, user=carol, by=Actor.of(carol), now=NOW)
    withdraw_request(club=club, user=carol, by=Actor.of(carol), now=NOW)
    assert ask(carol, club) != first


def test_answering_twice(club: Club, olga: User, carol: User, karl: Player) -> None:
    request = ask(carol, club, karl)
    accept(request, olga)
    accept(request, olga)
    assert Merge.objects.count() == 1
    with refusal("request_decided"):
        refuse(request, olga)
    withdrawn = ask(carol, club, add_member(club=club, name="Kim", by=SYSTEM).player)
    withdraw_request(club=club, user=carol, by=Actor.of(carol), now=NOW)
    with refusal("request_decided"):
        accept(withdrawn, olga)


def test_whom_nobody_can_claim(club: Club, other_club: Club, olga: User, bob: User, carol: User, join: Join) -> None:
    """With an account, hidden, erased, merged, gone, of another club, or unknown: the same refusal tells nothing."""
    join(bob)
    names = ("Hidden Karl", "Erased Karl", "Merged Karl", "Gone Karl")
    hidden, erased, merged, gone = nobody = [add_member(club=club, name=name, by=SYSTEM).player for name in names]
    hidden.initials_only = True
    hidden.save()
    erase_player(player=erased, by=SYSTEM, now=NOW)
    into = add_member(club=club, name="Kasper", by=SYSTEM).player
    merge_players(player=merged, into=into, by=SYSTEM, now=NOW)
    leave_club(membership=gone.memberships.get(), by=SYSTEM, now=NOW)
    foreign = add_member(club=other_club, name="Foreign Karl", by=SYSTEM).player
    add_player(club=club, player=foreign, by=SYSTEM)
    for player in (*nobody, foreign, Player.objects.get(user=bob)):
        with refusal("claim_unknown"):
            ask(carol, club, player)
    for q in ("Karl", "Hidden", "H. K.", "Bob"):
        assert find_claimable(club, q) == []
    assert find_claimable(other_club, "karl") == [foreign]


def test_the_search_begins_words_and_is_short(club: Club, karl: Player) -> None:
    for name in ("Anna Karlsson", *(f"Kim {number}" for number in range(30))):
        add_member(club=club, name=name, by=SYSTEM)
    assert [player.name for player in find_claimable(club, "KARL")] == ["Anna Karlsson", "Karl Nyström"]
    assert find_claimable(club, "nystrom karl") == [karl]
    assert find_claimable(club, "k") == find_claimable(club, " ") == find_claimable(club, "arl") == []
    assert len(find_claimable(club, "kim")) == 10


def test_a_club_that_nobody_runs(club: Club, olga: User, carol: User) -> None:
    Membership.objects.filter(player__user=olga).update(left_at=NOW)
    ask(carol, club)
    wanted = club.owner_offers.get()
    assert (wanted.kind, wanted.state, wanted.by) == ("request", "open", None), "the site's staff see it"


def test_every_director_is_notified(club: Club, olga: User, alice: User, anton: User, carol: User, join: Join) -> None:
    join(alice, Role.DIRECTOR)
    join(anton, Role.ASSISTANT)
    ask(carol, club)
    assert set(Notification.objects.values_list("user", flat=True)) == {olga.pk, alice.pk}


def test_an_erased_player_takes_the_claims_along(club: Club, carol: User, karl: Player) -> None:
    ask(carol, club, karl)
    erase_player(player=karl, by=SYSTEM, now=NOW)
    assert not JoinRequest.objects.exists()


class Model:
    """What random acts should lead to: whose the players are, and who is a member."""

    def __init__(self, club: Club, director: User) -> None:
        self.club, self.director = club, director
        self.owner: dict[Player, User] = {}
        self.members: set[User] = set()

    def ask(self, user: User, player: Player | None, request: JoinRequest | None) -> None:
        is_same = request is not None and request.claimed == player
        is_new = request is None and (user not in self.members if player is None else player not in self.owner)
        if is_same or is_new:
            ask(user, self.club, player)
        else:
            with pytest.raises(Refused):
                ask(user, self.club, player)

    def accept(self, request: JoinRequest, *, link: bool) -> None:
        claimed = request.claimed if link else None
        if claimed in self.owner:
            with pytest.raises(Refused):
                accept(request, self.director, link=link)
            return
        accept(request, self.director, link=link)
        self.members.add(request.user)
        if claimed is not None:
            self.owner[claimed] = request.user

    def undo(self, player: Player) -> None:
        merge = Merge.objects.get(player=player, undone_at=None)
        undo_merge(merge=merge, by=Actor.of(self.director), now=NOW, club=self.club)
        del self.owner[player]


def test_an_account_that_was_erased_meanwhile(club: Club, olga: User, carol: User, karl: Player) -> None:
    request = ask(carol, club, karl)
    erase_player(player=Player.objects.get(user=carol), by=SYSTEM, now=NOW)
    with refusal("request_decided"):
        accept(request, olga)
    with refusal("request_decided"):
        refuse(request, olga)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_a_player_has_one_account(
    seed: int, club: Club, olga: User, bob: User, carol: User, dave: User
) -> None:
    chance, model = random.Random(seed), Model(club, olga)
    players = [add_member(club=club, name=f"Karl {letter}", by=SYSTEM).player for letter in "ABC"]
    for _step in range(40):
        user, player = chance.choice([bob, carol, dave]), chance.choice([*players, None])
        request = JoinRequest.objects.filter(user=user, state="open").first()
        match chance.choice(["ask", "withdraw", "accept", "join", "refuse", "undo"]):
            case "ask":
                model.ask(user, player, request)
            case "withdraw":
                withdraw_request(club=club, user=user, by=Actor.of(user), now=NOW)
            case "accept" | "join" as act if request is not None:
                model.accept(request, link=act == "accept")
            case "refuse" if request is not None:
                refuse(request, olga)
            case "undo" if player in model.owner:
                model.undo(player)
        for each in players:
            each.refresh_from_db()
        assert {each: each.merged_into.user for each in players if each.merged_into is not None} == model.owner
        assert {each for each in (bob, carol, dave) if is_member(each, club)} == model.members


# The pages and the API.


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_the_page_names_who_is_called_like_me(club: Club, carol: User, karl: Player) -> None:
    add_member(club=club, name="Carol Nyström", by=SYSTEM)
    page = html(client_of(carol).get(f"/clubs/{club.slug}/join/"))
    assert "Carol Nyström" in page
    assert "Karl Nyström" not in page


def test_a_visitor_is_led_to_an_account_and_back(club: Club, karl: Player) -> None:
    page = html(Client().get(f"/clubs/{club.slug}/join/?q=karl"))
    assert f"/sign-up/?next=/clubs/{club.slug}/join/" in page
    assert "Nyström" not in page


def test_asking_on_the_page_until_the_answer(club: Club, olga: User, carol: User, karl: Player) -> None:
    path = f"/clubs/{club.slug}/join"
    person, director = client_of(carol), client_of(olga)
    assert "This is me" in html(person.get(f"{path}/?q=kar"))
    assert "You have asked to join" in html(person.post(f"{path}/ask/", {"claimed": karl.public_id}, follow=True))
    for where in (f"/clubs/{club.slug}/", f"/clubs/{club.slug}/members/", "/"):
        assert "1 person asks to join" in html(director.get(where)), where
    for where in (f"/clubs/{club.slug}/", "/"):
        assert "You have asked to join" in html(person.get(where)), where
    request = JoinRequest.objects.get()
    refused = director.post(f"/clubs/{club.slug}/join-requests/{request.public_id}/refuse/", {"reason": ""})
    assert refused.status_code == 302
    assert JoinRequest.objects.get().state == "open"
    director.post(f"/clubs/{club.slug}/join-requests/{request.public_id}/refuse/", {"reason": "Karl is my uncle."})
    assert "Karl is my uncle." in html(person.get(f"{path}/"))


def test_another_club_answers_nothing(club: Club, other_club: Club, mallory: User, carol: User, karl: Player) -> None:
    request = ask(carol, club, karl)
    path = f"/clubs/{other_club.slug}/join-requests/{request.public_id}/accept/"
    assert client_of(mallory).post(path, {"link": "1"}).status_code == 404
    assert JoinRequest.objects.get().state == "open"


def test_the_same_by_the_api(club: Club, olga: User, carol: User, karl: Player) -> None:
    person, director = client_of(carol), client_of(olga)
    path = f"/api/v1/clubs/{club.slug}/"
    found = person.get(f"{path}claimable-players/?q=nys").json()
    assert found == [{"public_id": karl.public_id, "name": "Karl Nyström"}]
    asked = person.post(f"{path}join/ask/", {"claimed": karl.public_id}, content_type="application/json").json()
    assert asked["claimed"] == found[0]
    assert [row["public_id"] for row in person.get("/api/v1/me/join-requests/").json()] == [asked["public_id"]]
    assert [row["public_id"] for row in director.get(f"{path}join-requests/").json()] == [asked["public_id"]]
    answer = director.post(
        f"{path}join-requests/{asked['public_id']}/accept/", {"link": True}, content_type="application/json"
    )
    assert answer.json()["state"] == "accepted"
    assert is_member(carol, club)


@pytest.mark.slow
@pytest.mark.usefixtures("valkey")
def test_searches_and_requests_are_throttled(club: Club, carol: User) -> None:
    person = client_of(carol)
    path = f"/api/v1/clubs/{club.slug}/claimable-players/?q=ka"
    answers = [person.get(path).status_code for _ in range(throttle.NAME_SEARCHES_BY.most + 1)]
    assert answers == [200] * throttle.NAME_SEARCHES_BY.most + [429]
    assert "Too many attempts" in html(person.get(f"/clubs/{club.slug}/join/?q=ka"))
    for _ in range(throttle.JOIN_REQUESTS_BY.most):
        person.post(f"/clubs/{club.slug}/join/ask/")
        person.post(f"/clubs/{club.slug}/join/withdraw/")
    person.post(f"/clubs/{club.slug}/join/ask/")
    assert not JoinRequest.objects.filter(state="open").exists()
    assert JoinRequest.objects.count() == throttle.JOIN_REQUESTS_BY.most
