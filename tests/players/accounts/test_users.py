import pytest
from django.apps import apps
from django.contrib.auth import authenticate
from django.db import IntegrityError, transaction
from django.test import Client

from core.messages import sentence
from players.actors import SYSTEM
from players.models import Club, User
from players.people.services import invite, merge_players, remember_alias
from tests.players.conftest import NOW, Enter


def test_bob_signs_in_with_his_address_in_any_case(bob: User, password: str) -> None:
    assert authenticate(email="BOB@example.org", password=password) == bob
    assert authenticate(email="bob@example.org", password="wrong") is None


def test_an_address_is_unique_in_any_case(bob: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("Bob@Example.org", display_name="Another Bob")


def test_a_user_needs_an_email_address(db: None) -> None:
    with pytest.raises(ValueError, match="e-mail"):
        User.objects.create_user("", display_name="Nobody")


def test_a_user_without_password_cannot_sign_in(db: None) -> None:
    User.objects.create_user("guest@example.org", display_name="Guest")
    assert authenticate(email="guest@example.org", password="") is None


@pytest.mark.parametrize("page", ["", "add/"])
def test_staff_manage_users_in_the_admin_pages(db: None, client: Client, password: str, page: str) -> None:
    client.force_login(User.objects.create_superuser("staff@example.org", password, display_name="Staff"))
    assert client.get(f"/admin/players/user/{page}").status_code == 200


def test_a_refusal_is_a_sentence_with_its_parameters() -> None:
    assert sentence("bad_dice", {"dice": "70"}) == "70 is not a roll of two dice with numbers from 1 to 6."


def test_an_unknown_code_is_shown_as_it_is() -> None:
    assert sentence("no_such_code", {}) == "no_such_code"


@pytest.mark.parametrize("model", ["player", "club", "membership", "alias", "invitation", "merge", "logentry"])
def test_the_admin_shows_people_but_cannot_change_them(
    full_club: Club, client: Client, password: str, model: str, enter: Enter
) -> None:
    jens, double = enter("Jens"), enter("J.")
    remember_alias(player=jens, name="jenshh", by=SYSTEM)
    invite(membership=jens.memberships.get(), by=SYSTEM, now=NOW, link=str)
    merge_players(player=double, into=jens, by=SYSTEM, now=NOW)
    client.force_login(User.objects.create_superuser("staff@example.org", password, display_name="Staff"))
    rows = apps.get_model("players", model).objects.all()
    assert rows
    here = f"/admin/players/{model}/"
    assert client.get(here, {"q": "Jens"}).status_code == 200
    page = client.get(f"{here}{rows[0].pk}/change/")
    assert page.status_code == 200
    assert b"secret" not in page.content.lower()
    assert client.get(f"{here}add/").status_code == 403
    assert client.post(f"{here}{rows[0].pk}/change/", {}).status_code == 403
    assert client.post(f"{here}{rows[0].pk}/delete/", {"post": "yes"}).status_code == 403
