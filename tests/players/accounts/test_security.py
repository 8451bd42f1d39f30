"""Bob is told when somebody changes how to get into his account, at the address that he had before."""

import ast
import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core import mail
from django.db import transaction
from django.test import Client
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from players.accounts import second_factor
from players.accounts.security import EVENTS
from players.accounts.services import change_email, register_user
from players.accounts.tokens import create_token
from players.actors import Actor
from players.mail import ALERTS_KEPT_FOR, send, send_again, verification_secret
from players.models import AccountEmail, Notification, NotificationChoice, User
from players.notifications.services import choices_of
from tests.clock import NOON
from tests.pages import html
from tests.players.accounts.test_second_factor import code_of, turn_on
from tests.players.conftest import NOW
from tests.test_layout import module_of, python_files
from tests.tokens import key_for

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
OLD, NEW, PASSWORD = "bob@example.org", "new@example.org", "gammon-and-1"

# What Bob, or whoever sits at his computer, does.


def ask_for_an_address(client: Client, bob: User, password: str) -> None:
    client.post("/preferences/email/", {"email": NEW, "password": password})


def confirm_an_address(client: Client, bob: User, password: str) -> None:
    User.objects.filter(pk=bob.pk, email=OLD).update(new_email=NEW)
    client.post(f"/confirm-email/{verification_secret(bob, NEW)}/")


def change_the_password(client: Client, bob: User, password: str) -> None:
    client.post("/preferences/password/", {"password": password, "new_password": PASSWORD})


def reset_the_password(client: Client, bob: User, password: str) -> None:
    if not bob.check_password(PASSWORD):
        uid = urlsafe_base64_encode(force_bytes(bob.pk))
        client.get(f"/password/choose/{uid}/{default_token_generator.make_token(bob)}/")
        client.post(f"/password/choose/{uid}/set-password/", {"new_password": PASSWORD})
        bob.refresh_from_db()
        assert bob.check_password(PASSWORD)


def set_up_a_second_factor(client: Client, bob: User, password: str) -> None:
    client.post("/preferences/second-factor/start/")
    client.post("/preferences/second-factor/on/", {"one_time_code": code_of(bob), "password": password})


def remove_the_second_factor(client: Client, bob: User, password: str) -> None:
    client.post("/preferences/second-factor/off/", {"password": password})


def renew_the_codes(client: Client, bob: User, password: str) -> None:
    client.post("/preferences/second-factor/codes/", {"password": password, "csrfmiddlewaretoken": "once"})


def make_a_token(client: Client, bob: User, password: str) -> None:
    fields = {"name": "Board", "days": "30", "password": password, "csrfmiddlewaretoken": "once"}
    client.post("/preferences/token/", fields)


def make_a_token_in_the_api(client: Client, bob: User, password: str) -> None:
    Client().post("/api/v1/tokens/", {"email": OLD, "password": password}, headers={"Idempotency-Key": "once"})


def sign_out_elsewhere(client: Client, bob: User, password: str) -> None:
    client.post("/preferences/sessions/end-others/")


def replace_the_password_in_the_admin(client: Client, bob: User, password: str) -> None:
    fields = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true", "set-password": "1"}
    assert admin().post(f"/admin/players/user/{bob.pk}/password/", fields).status_code == 302


def replace_the_address_in_the_admin(client: Client, bob: User, password: str) -> None:
    fields = {"email": NEW, "display_name": "Bob", "theme": "auto"}
    assert admin().post(f"/admin/players/user/{bob.pk}/change/", fields).status_code == 302


def admin() -> Client:
    staff = User.objects.filter(email="root@example.org").first()
    client = Client()
    client.force_login(staff or User.objects.create_superuser("root@example.org", "crawford-1969"))
    return client


ACTS: list[tuple[Callable[[Client, User, str], None], str]] = [
    (ask_for_an_address, "address_asked"),
    (confirm_an_address, "address_changed"),
    (replace_the_address_in_the_admin, "address_changed"),
    (change_the_password, "password_changed"),
    (reset_the_password, "password_changed"),
    (set_up_a_second_factor, "second_factor_on"),
    (remove_the_second_factor, "second_factor_off"),
    (renew_the_codes, "codes_renewed"),
    (make_a_token, "token_made"),
    (make_a_token_in_the_api, "token_made"),
    (sign_out_elsewhere, "signed_out"),
]


@pytest.mark.parametrize(("act", "event"), ACTS, ids=lambda value: getattr(value, "__name__", None))
def test_the_owner_is_told_once_at_the_address_they_had(
    client: Client, bob: User, password: str, act: Callable[[Client, User, str], None], event: str
) -> None:
    for _device in range(2):
        client = Client()
        client.force_login(bob)
    if event in ("second_factor_off", "codes_renewed"):
        turn_on(bob)
    AccountEmail.objects.all().delete()
    Notification.objects.all().delete()
    NotificationChoice.objects.create(user=bob, kind="security", site=False, email=False, push=False)
    for _twice in range(2):
        act(client, bob, password)
    [alert] = AccountEmail.objects.filter(kind="alert")
    [notification] = Notification.objects.filter(user=bob, kind="security")
    assert (alert.email, notification.params, notification.on_site) == (OLD, {"variant": event}, True)
    assert mail.outbox == [], "a worker sends it"
    assert send(email_id=alert.pk, now=alert.created_at)
    assert not AccountEmail.objects.filter(kind="alert").exists()
    [message] = mail.outbox
    assert message.to == [OLD]
    text = f"{message.subject}\n{message.body}"
    assert "Barpoint account" in message.subject
    assert "If it was not you" in text
    assert ("/password/forgotten/" in text) is (event != "address_changed")
    assert not re.search(rf"bp_|choose/|confirm-email|{NEW}|{PASSWORD}|{password}|\b\w{{4}}-\w{{4}}-\w{{4}}\b", text)
    bob.refresh_from_db()
    page = Client()
    page.force_login(bob)
    assert EVENTS[event] in html(page.get("/notifications/"))
    assert "security" not in choices_of(bob)


def test_the_staff_replaces_a_password_and_everything_ends_with_it(bob: User, password: str) -> None:
    key_for(bob)
    phone = Client()
    phone.force_login(bob)
    AccountEmail.objects.all().delete()
    replace_the_password_in_the_admin(Client(), bob, password)
    assert AccountEmail.objects.get().email == OLD
    assert not bob.api_tokens.exists()
    assert not bob.sessions.exists()


def test_nothing_is_sent_to_an_address_that_was_never_confirmed(db: None, password: str) -> None:
    erin = register_user(email="erin@example.org", password=password, display_name="Erin", now=NOW)
    change_email(user=erin, email=NEW, password=password, by=Actor.of(erin), now=NOW)
    create_token(user=erin, name="Board", scopes=["read"], days=1, by=Actor.of(erin), now=NOW)
    assert not AccountEmail.objects.filter(kind="alert").exists()
    assert Notification.objects.filter(user=erin, kind="security").count() == 2


def test_nobody_is_told_of_what_was_rolled_back(bob: User) -> None:
    with transaction.atomic():
        create_token(user=bob, name="Board", scopes=["read"], days=1, by=Actor.of(bob), now=NOW)
        transaction.set_rollback(True)
    assert not AccountEmail.objects.exists()
    assert not Notification.objects.exists()


def test_an_alert_is_in_the_language_of_the_account_and_waits_for_a_day(bob: User, pseudo_locale: str) -> None:
    bob.language, bob.time_zone = pseudo_locale, "Pacific/Auckland"
    bob.save()
    evening = NOON.replace(hour=19)
    create_token(user=bob, name="Board", scopes=["read"], days=1, by=Actor.of(bob), now=evening)
    alert = AccountEmail.objects.get()
    assert "Hello" not in alert.text
    assert " 21 " in alert.text, "on the clocks of the reader"
    later = evening + ALERTS_KEPT_FOR
    assert send_again(now=later - timedelta(minutes=1)) == 1
    assert send_again(now=later) == 0


def test_a_reset_forgets_an_address_that_somebody_else_has_entered(client: Client, bob: User, password: str) -> None:
    change_email(user=bob, email=NEW, password=password, by=Actor.of(bob), now=NOW)
    secret = verification_secret(bob, NEW)
    reset_the_password(client, bob, password)
    Client().post(f"/confirm-email/{secret}/")
    assert User.objects.get(pk=bob.pk).email == OLD


def test_turning_off_what_waits_for_its_first_code_is_no_news(bob: User, password: str) -> None:
    second_factor.start(user=bob)
    second_factor.turn_off(user=bob, password=password, by=Actor.of(bob), now=NOW)
    assert not AccountEmail.objects.exists()


# No change goes untold.


DECISIONS = {
    # What the owner is told.
    "players.accounts.services.change_email": "address_asked",
    "players.accounts.services.verify_email": "address_changed",
    "players.accounts.services._set_password": "password_changed",
    "players.accounts.services.password_replaced": "password_changed",
    "players.accounts.services.reset_password": "password_changed",
    "players.accounts.second_factor.turn_on": "second_factor_on",
    "players.accounts.second_factor.turn_off": "second_factor_off",
    "players.accounts.second_factor._new_codes": "codes_renewed",
    "players.accounts.tokens.create_token": "token_made",
    "players.accounts.sessions.end_others": "signed_out",
    # And why nothing.
    "players.accounts.services.register_user": "- the account is new",
    "players.models.accounts.create_user": "- the operator makes a new account",
    "players.accounts.second_factor.start": "- the device counts only once `turn_on` has confirmed it",
    "players.accounts.second_factor.check_code": "- a recovery code is used up, as it is meant to be",
    "players.accounts.tokens.revoke_token": "- it opens nothing",
    "players.accounts.tokens.authenticate_credentials": "- it notes the day on which a token was used",
    "tournaments.events.helpers.accept_helping": "- the address of an invitation",
    "tournaments.events.helpers.remove_helper": "- the address of an invitation",
}
"""Every function that changes how somebody gets into an account: of what the owner is told, or why of nothing."""
WRITES = ["create", "get_or_create", "update_or_create", "bulk_create", "update", "delete", "save"]
CREDENTIALS = re.compile(
    r"\b(ApiToken|RecoveryCode|TOTPDevice|AccountSession)\.objects|\.(api_tokens|sessions|recovery_codes)\b"
)
FIELDS = {"email", "new_email", "confirmed"}


def changes_of_credentials() -> Iterator[str]:
    """Yield the functions of the site that write credentials, by their dotted names."""
    for path in python_files():
        module = module_of(path)
        if ".migrations." in module or module in ("demo", "players.privacy.retention"):
            continue
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(map(_writes, ast.walk(function))):
                yield f"{module}.{function.name}"


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_write = node.func.attr in WRITES and CREDENTIALS.search(ast.unparse(node.func.value))
        return node.func.attr == "set_password" or bool(is_write)
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Attribute)]
        return any(part.attr in FIELDS and ast.unparse(part.value) != "self" for part in names)
    return False


def test_whatever_changes_how_to_get_into_an_account_is_decided() -> None:
    found = set(changes_of_credentials())
    assert len(found) >= 15
    assert sorted(found - set(DECISIONS)) == []
    assert sorted(set(DECISIONS) - found) == []


def test_every_event_is_tried() -> None:
    events = {decision for decision in DECISIONS.values() if not decision.startswith("- ")}
    assert events == set(EVENTS) == {event for _act, event in ACTS}
