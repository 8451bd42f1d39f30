"""Pages for signing up, in and out, passwords and preferences."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from core.throttle import SIGN_IN_AS_FROM
from players.accounts.services import ensure_player
from players.accounts.tokens import hash_of
from players.actors import SYSTEM
from players.mail import send
from players.models import AccountEmail, ApiToken, Player, User
from tests.pages import html
from tests.tokens import key_for

pytestmark = pytest.mark.django_db

ERIN = {"display_name": "Erin", "email": "erin@example.org", "new_password": "crawford-1969"}


def text(response: Any) -> str:
    return html(response)


def signed_in(client: Client) -> User | None:
    return User.objects.filter(pk=client.session.get("_auth_user_id")).first()


def sign_in(client: Client, email: str, password: str, **more: str) -> Any:
    return client.post("/sign-in/", {"username": email, "password": password, **more})


def test_erin_signs_up_and_is_signed_in(client: Client) -> None:
    response = client.post("/sign-up/", ERIN)
    assert (response.status_code, response["Location"]) == (302, "/clubs/")
    erin = signed_in(client)
    assert erin is not None
    assert Player.objects.get(user=erin).name == "Erin"


def test_submitting_the_sign_up_form_twice_signs_in(client: Client) -> None:
    Client().post("/sign-up/", ERIN)
    assert client.post("/sign-up/", ERIN).status_code == 302
    assert signed_in(client) == User.objects.get(email="erin@example.org")


def test_signing_up_with_a_known_address_reveals_and_opens_nothing(client: Client, bob: User) -> None:
    other = Client()
    known = client.post("/sign-up/", {**ERIN, "email": "BOB@example.org", "new_password": "gammon-and-1"})
    unknown = other.post("/sign-up/", {**ERIN, "email": "new@example.org", "new_password": "gammon-and-1"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert signed_in(client) not in (None, bob)
    pages = [text(visitor.get("/preferences/")) for visitor in (client, other)]
    assert "BOB@example.org is not confirmed yet" in pages[0]
    assert "new@example.org is not confirmed yet" in pages[1]
    assert "unverified.invalid" not in pages[0]


def test_what_follows_signing_up_with_a_known_address_reveals_nothing_either(bob: User) -> None:
    for email in (bob.email, "new@example.org"):
        fields = {**ERIN, "email": email, "new_password": "gammon-and-1"}
        first, again = Client(), Client()
        first.post("/sign-up/", fields)
        assert sign_in(again, email, "gammon-and-1").status_code == 302
        assert signed_in(again) == signed_in(first) != bob
        assert again.get("/api/v1/me/").json()["email"] == email
        twice = Client()
        twice.post("/sign-up/", fields)
        assert signed_in(twice) == signed_in(first)
        assert sign_in(Client(), email, "guess").status_code == 422


def test_an_account_with_bobs_address_does_not_help_to_guess_his_password(bob: User, password: str) -> None:
    Client().post("/sign-up/", {**ERIN, "email": bob.email, "new_password": "gammon-and-1"}, REMOTE_ADDR="192.0.2.9")
    for number in range(SIGN_IN_AS_FROM.most):
        sign_in(Client(), bob.email, "gammon-and-1" if number % 2 else "guess")
    assert sign_in(Client(), bob.email, password).status_code == 429


def test_erin_confirms_her_address(client: Client) -> None:
    client.post("/sign-up/", ERIN)
    assert mail.outbox == [], "a worker sends it"
    assert client.post("/preferences/email/send-again/").status_code == 302
    for row in AccountEmail.objects.all():
        send(email_id=row.pk, now=timezone.now())
    assert len(mail.outbox) == 2
    path = re.findall(r"(/confirm-email/\S+)", str(mail.outbox[0].body))[0]
    assert "erin@example.org" in text(client.get(path))
    erin = User.objects.get()
    assert erin.email_verified_at is None, "opening the link changes nothing"
    assert client.post(path)["Location"] == "/preferences/"
    erin.refresh_from_db()
    assert erin.email_verified_at is not None
    assert "is not confirmed yet" not in text(client.get("/preferences/"))
    assert Client().post(path)["Location"] == "/sign-in/"
    assert client.get(path[:-5] + "xxxx/").status_code == 410


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("email", "not an address", "Enter a valid email address."),
        ("email", "", "This field is required."),
        ("new_password", "short", "This password is too short."),
        ("display_name", "\u202e ", "A name is missing."),
        ("display_name", "x" * 81, "at most 80 characters"),
        ("display_name", "a\x00b", "Null characters are not allowed."),
    ],
)
def test_an_error_is_shown_beside_its_field(client: Client, field: str, value: str, message: str) -> None:
    response = client.post("/sign-up/", {**ERIN, field: value})
    assert response.status_code == 422
    [fault] = re.findall(rf'<ul class="errorlist" id="id_{field}_error">(.*?)</ul>', text(response))
    assert message in fault
    assert not User.objects.exists()


def test_bob_returns_to_the_page_he_wanted(client: Client, bob: User, password: str) -> None:
    response = client.get("/preferences/")
    assert response["Location"] == "/sign-in/?next=/preferences/"
    assert sign_in(client, "bob@example.org", password, next="/preferences/")["Location"] == "/preferences/"


@pytest.mark.parametrize("path", ["/sign-in/", "/sign-up/"])
@pytest.mark.parametrize("target", ["https://example.com/", "//example.com/", "javascript:alert(1)", "\\\\example.com"])
def test_signing_in_never_redirects_to_another_site(
    client: Client, bob: User, password: str, path: str, target: str
) -> None:
    fields = ERIN if path == "/sign-up/" else {"username": bob.email, "password": password}
    response = client.post(path, {**fields, "next": target})
    assert response.status_code == 302
    assert response["Location"] in ("/", "/clubs/")


def test_signing_in_changes_the_session_key(client: Client, bob: User, password: str) -> None:
    session = client.session
    session["seen"] = True
    session.save()
    before = session.session_key
    sign_in(client, bob.email, password)
    assert client.session.session_key != before


def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(client: Client, bob: User) -> None:
    wrong, unknown = sign_in(client, bob.email, "guess"), sign_in(client, "nobody@example.org", "guess")
    assert wrong.status_code == unknown.status_code == 422
    for response in (wrong, unknown):
        assert "Wrong email or password." in text(response)


def test_a_deactivated_account_cannot_sign_in(client: Client, bob: User, password: str) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert sign_in(client, bob.email, password).status_code == 422


def test_signing_out_requires_a_post(client: Client, bob: User) -> None:
    client.force_login(bob)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/")["Location"] == "/"
    assert signed_in(client) is None


@pytest.mark.parametrize("path", ["/sign-in/", "/sign-up/", "/sign-out/", "/password/forgotten/"])
def test_a_form_from_another_site_is_refused(bob: User, path: str) -> None:
    assert Client(enforce_csrf_checks=True).post(path, {}).status_code == 403


def test_bob_resets_a_forgotten_password(client: Client, bob: User) -> None:
    key_for(bob)
    response = client.post("/password/forgotten/", {"email": "BOB@example.org"})
    assert response["Location"] == "/password/sent/"
    assert send(email_id=AccountEmail.objects.get(kind="reset").pk, now=timezone.now())
    [letter] = mail.outbox
    assert letter.to == ["bob@example.org"]
    path = re.findall(r"(/password/choose/\S+)", str(letter.body))[0]
    form = client.get(path, follow=True)
    assert "Choose a new password" in text(form)
    address = form.redirect_chain[-1][0]
    assert client.post(address, {"new_password": "12345678"}).status_code == 422
    assert client.post(address, {"new_password": "gammon-and-1"})["Location"] == "/password/done/"
    assert sign_in(client, bob.email, "gammon-and-1").status_code == 302
    assert not ApiToken.objects.exists(), "programs must sign in again, too"
    assert "This link no longer works" in text(client.get(path, follow=True))


def test_a_password_reset_does_not_reveal_accounts(client: Client, bob: User) -> None:
    known = client.post("/password/forgotten/", {"email": bob.email})
    unknown = client.post("/password/forgotten/", {"email": "nobody@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert mail.outbox == [], "that would take longer for an account"
    for row in AccountEmail.objects.all():
        assert send(email_id=row.pk, now=timezone.now())
    assert [message.to for message in mail.outbox] == [[bob.email]]


def test_an_invalid_reset_link_is_explained(client: Client) -> None:
    assert "This link no longer works" in text(client.get("/password/choose/MQ/abc-def/"))


def test_bob_saves_his_preferences(client: Client, bob: User, pseudo_locale: str) -> None:
    client.force_login(bob)
    fields = {
        "display_name": "Robert",
        "initials_only": "on",
        "analysis_visibility": "private",
        "leave_out_of_lines": "on",
        "puzzle_choice": "no",
        "language": "en",
        "time_zone": "new york",
        "theme": "dark",
    }
    assert client.post("/preferences/", fields)["Location"] == "/preferences/"
    bob.refresh_from_db()
    assert (bob.display_name, bob.language, bob.time_zone, bob.theme) == ("Robert", "en", "America/New_York", "dark")
    assert Player.objects.get(user=bob).shown_name == "R."
    assert Player.objects.get(user=bob).analysis_visibility == Player.AnalysisVisibility.PRIVATE
    assert not Player.objects.get(user=bob).in_event_lines
    assert Player.objects.get(user=bob).puzzle_choice == Player.PuzzleChoice.OBJECTS
    page = text(client.get("/preferences/"))
    assert 'data-theme="dark"' in page
    assert 'value="America/New_York"' in page


def test_an_unknown_time_zone_is_shown_beside_its_field(client: Client, bob: User) -> None:
    client.force_login(bob)
    response = client.post("/preferences/", {"display_name": "Bob", "time_zone": "Mars", "theme": "auto"})
    assert response.status_code == 422
    assert "“Mars” is not a known time zone." in text(response)


def test_every_time_zone_is_offered(client: Client, bob: User) -> None:
    client.force_login(bob)
    page = text(client.get("/preferences/"))
    assert page.count("<option value=") > 400
    assert '<option value="Europe/Copenhagen">' in page


def test_changing_the_email_address_needs_the_password(client: Client, bob: User, password: str) -> None:
    client.force_login(bob)
    wrong = client.post("/preferences/email/", {"email": "new@example.org", "password": "guess"})
    assert wrong.status_code == 422
    assert 'id="email_password_error"' in text(wrong)
    client.post("/preferences/email/", {"email": "new@example.org", "password": password})
    bob.refresh_from_db()
    assert (bob.email, bob.new_email) == ("bob@example.org", "new@example.org")


def test_changing_the_password_keeps_only_this_session(client: Client, bob: User, password: str) -> None:
    elsewhere = Client()
    client.force_login(bob)
    elsewhere.force_login(bob)
    client.post("/preferences/password/", {"password": password, "new_password": "gammon-and-1"})
    assert text(client.get("/preferences/sessions/")).count('name="session"') == 0, "ended sessions are not listed"
    assert bob.sessions.count() == 1
    assert client.get("/preferences/").status_code == 200
    assert elsewhere.get("/preferences/").status_code == 302


def test_a_token_is_shown_once_and_revoked(client: Client, bob: User, carol: User, password: str) -> None:
    client.force_login(bob)
    fields = {"name": "Scoreboard", "scopes": ["play"], "days": "30"}
    for wrong in ({}, {"password": "guess"}, {"password": password, "days": "0"}):
        assert client.post("/preferences/token/", fields | wrong).status_code == 422
    assert not ApiToken.objects.exists()
    shown = client.post("/preferences/token/", fields | {"password": password})
    token = ApiToken.objects.get(user=bob)
    assert token.scopes == ["read", "play"]
    key = re.findall(r"bp_[\w-]{43}", text(shown))[0]
    assert hash_of(key) == token.key_hash
    assert shown["Cache-Control"].find("no-store") >= 0
    page = text(client.get("/preferences/token/"))
    assert "Scoreboard" in page
    assert "Never used." in page
    assert key not in page
    assert client.post("/preferences/token/", {"name": "", "days": "7"}).status_code == 422
    elsewhere = Client()
    elsewhere.force_login(carol)
    elsewhere.post("/preferences/token/revoke/", {"token": token.pk})
    assert ApiToken.objects.exists(), "only its owner can revoke it"
    client.post("/preferences/token/revoke/", {"token": token.pk})
    assert not ApiToken.objects.exists()


def test_deleting_the_account_needs_the_password_and_a_tick(client: Client, bob: User, password: str) -> None:
    client.force_login(bob)
    player = ensure_player(user=bob, by=SYSTEM)
    for fields in ({"password": password}, {"password": "guess", "sure": "on"}):
        assert client.post("/preferences/delete/", fields).status_code == 422
        assert User.objects.filter(pk=bob.pk).exists()
    response = client.post("/preferences/delete/", {"password": password, "sure": "on"}, follow=True)
    assert "Your account was deleted." in text(response)
    assert not User.objects.filter(pk=bob.pk).exists()
    player.refresh_from_db()
    assert player.shown_name == "Former member"


@pytest.mark.parametrize("path", ["/sign-up/", "/sign-in/", "/password/forgotten/", "/clubs/"])
def test_no_page_has_inline_scripts_or_styles(client: Client, path: str) -> None:
    page = text(client.get(path))
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []
    assert not re.search(r"\sstyle=|<style|\son\w+=", page)
