"""The second factor: codes of an app, recovery codes, and clubs that want it of their owners."""

import re

import pytest
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from core.throttle import CODES_FROM
from engine.errors import Refused
from matches.presentation.visibility import Viewer
from players import access
from players.access import Role, has_second_factor
from players.accounts import second_factor
from players.accounts.services import ensure_player
from players.actors import SYSTEM, Actor
from players.clubs.services import add_player, create_club, give_role, set_second_factor
from players.models import RecoveryCode, User
from tests.pages import html
from tests.players.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
PAGE = "/preferences/second-factor/"


def code_of(user: User, *, ahead: int = 0) -> str:
    """The code that the user's app shows, or a later one: each is accepted once."""
    device = TOTPDevice.objects.get(user=user)
    return f"{totp(device.bin_key, t0=-30 * ahead):06}"


def turn_on(user: User) -> list[str]:
    second_factor.start(user=user)
    return second_factor.turn_on(user=user, code=code_of(user), by=Actor.of(user), now=NOW)


def signed_in(client: Client) -> bool:
    return client.get("/preferences/").status_code == 200


def test_bob_turns_it_on_and_signs_in_with_a_code(client: Client, bob: User, password: str) -> None:
    client.force_login(bob)
    assert "It is off." in html(client.get(PAGE))
    client.post(f"{PAGE}start/")
    key = second_factor.key_of(TOTPDevice.objects.get())
    assert key in html(client.get(PAGE))
    tablet = Client()
    tablet.force_login(bob)
    for wrong in (
        {"one_time_code": "12345", "password": password},
        {"one_time_code": code_of(bob), "password": "guess"},
    ):
        assert client.post(f"{PAGE}on/", wrong).status_code == 422
    assert not has_second_factor(bob)
    code = code_of(bob)
    shown = html(client.post(f"{PAGE}on/", {"one_time_code": f" {code[:3]} {code[3:]}", "password": password}))
    assert signed_in(client)
    assert not signed_in(tablet), "it had not given a code"
    codes = re.findall(r"\b[2-9a-z]{4}-[2-9a-z]{4}-[2-9a-z]{4}\b", shown)
    assert len(codes) == 10
    assert "You have 10 recovery codes" in html(client.get(PAGE))
    assert key not in html(client.get(PAGE))

    phone = Client()
    first = phone.post("/sign-in/", {"username": bob.email, "password": password, "next": "/my/"})
    assert first["Location"] == "/sign-in/code/"
    assert not signed_in(phone), "the password alone is not enough"
    assert phone.post("/sign-in/code/", {"one_time_code": code}).status_code == 422, "used already"
    assert phone.post("/sign-in/code/", {"one_time_code": code_of(bob, ahead=1)})["Location"] == "/my/"
    assert signed_in(phone)


def test_a_recovery_code_signs_in_once(bob: User, password: str) -> None:
    code = turn_on(bob)[0]
    assert not RecoveryCode.objects.filter(code_hash__contains=code.replace("-", "")).exists()
    answers = []
    for _twice in range(2):
        client = Client()
        client.post("/sign-in/", {"username": bob.email, "password": password})
        answers.append(client.post("/sign-in/code/", {"one_time_code": code.upper()}).status_code)
    assert answers == [302, 422]
    assert bob.recovery_codes.count() == 9


def test_codes_cannot_be_guessed_without_limit(bob: User, password: str) -> None:
    turn_on(bob)
    client = Client()
    client.post("/sign-in/", {"username": bob.email, "password": password})
    for _ in range(CODES_FROM.most):
        client.post("/sign-in/code/", {"one_time_code": "000000"})
    page = client.post("/sign-in/code/", {"one_time_code": code_of(bob, ahead=1)})
    assert "Too many attempts" in html(page)
    assert not signed_in(client)
    elsewhere = Client(REMOTE_ADDR="198.51.100.7")
    elsewhere.post("/sign-in/", {"username": bob.email, "password": password})
    assert elsewhere.post("/sign-in/code/", {"one_time_code": code_of(bob, ahead=1)}).status_code == 302


def test_a_changed_password_ends_the_wait_for_a_code(bob: User, password: str) -> None:
    turn_on(bob)
    client = Client()
    client.post("/sign-in/", {"username": bob.email, "password": password})
    bob.set_password("gammon-and-1")
    bob.save()
    answer = client.post("/sign-in/code/", {"one_time_code": code_of(bob, ahead=1)})
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/")
    assert not signed_in(client)


def test_right_codes_are_not_limited(bob: User, password: str) -> None:
    turn_on(bob)
    for number in range(CODES_FROM.most + 1):
        if number % second_factor.RECOVERY_CODES == 0:
            codes = second_factor.renew_recovery_codes(user=bob, password=password, by=Actor.of(bob), now=NOW)
        code = codes.pop()
        client = Client()
        client.post("/sign-in/", {"username": bob.email, "password": password})
        assert client.post("/sign-in/code/", {"one_time_code": code}).status_code == 302


def test_there_is_no_way_around_it(client: Client, bob: User, password: str, caplog: pytest.LogCaptureFixture) -> None:
    turn_on(bob)
    assert client.get("/sign-in/code/")["Location"] == "/sign-in/"
    client.post("/sign-up/", {"display_name": "Bob", "email": bob.email, "new_password": password})
    assert client.session.get("_auth_user_id") != str(bob.pk)
    fields = {"email": bob.email, "password": password}
    caplog.clear()
    assert Client().post("/api/v1/tokens/", fields).json()["code"] == "wrong_code"
    assert "sign_in_failed" in caplog.text
    fields["one_time_code"] = code_of(bob, ahead=1)
    assert Client().post("/api/v1/tokens/", fields).status_code == 200


def test_turning_it_off_needs_the_password(client: Client, bob: User, password: str) -> None:
    turn_on(bob)
    client.force_login(bob)
    assert client.post(f"{PAGE}off/", {"password": "guess"}).status_code == 422
    assert has_second_factor(bob)
    old = set(bob.recovery_codes.values_list("code_hash", flat=True))
    assert client.post(f"{PAGE}codes/", {"password": password}).status_code == 200
    assert old.isdisjoint(bob.recovery_codes.values_list("code_hash", flat=True))
    client.post(f"{PAGE}off/", {"password": password})
    assert not has_second_factor(bob)
    assert not bob.recovery_codes.exists()


def test_a_club_wants_it_of_its_owners(client: Client, alice: User, bob: User) -> None:
    club = create_club(name="Harbour", by=Actor.of(alice))
    membership = add_player(club=club, player=ensure_player(user=bob, by=SYSTEM), by=SYSTEM)
    give_role(membership, Role.OWNER, SYSTEM)
    client.force_login(alice)
    page = f"/clubs/{club.slug}/"
    with pytest.raises(Refused, match="second_factor_first"):
        set_second_factor(club=club, required=True, by=Actor.of(alice))
    client.post(f"{page}second-factor/", {"required": "on"})
    club.refresh_from_db()
    assert not club.second_factor, "she has none herself"
    turn_on(alice)
    with pytest.raises(Refused, match="second_factor_on"):
        second_factor.start(user=alice)
    client.post(f"{page}second-factor/", {"required": "on"})
    club.refresh_from_db()
    assert club.second_factor
    assert access.require(alice, club, Role.OWNER) == Role.OWNER
    with pytest.raises(Refused, match="second_factor_needed"):
        access.require(bob, club, Role.ASSISTANT)
    owner = Client()
    owner.force_login(bob)
    refused = owner.get(f"{page}members/")
    assert refused.status_code == 403
    assert "wants its owners to sign in with a second factor" in html(refused)
    assert access.role_in(bob, club) == Role.MEMBER, "where nothing is refused, he sees what members see"
    assert Viewer.of(bob).directs == frozenset()
    home = html(owner.get(page))
    assert "You can run it once yours is on." in home
    assert f"{page}members/" not in home
    turn_on(bob)
    assert access.role_in(bob, club) == Role.OWNER
    assert Viewer.of(bob).directs == {club.pk}
    assert f"{page}members/" in html(owner.get(page))
