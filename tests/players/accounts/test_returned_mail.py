"""A mail server that knows no mailbox of an address, and one that turns everybody away."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from players.accounts.services import change_email, verify_email
from players.actors import Actor
from players.mail import request_invitation, send
from players.models import AccountEmail, Delivery, Notification, User
from players.notifications.emails import send_emails
from players.notifications.services import can_be_sent_to, notify
from tests.faults.mailbox import Mailbox
from tests.pages import html
from tests.players.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
GONE = "550 5.1.1 User unknown"


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    mailbox = Mailbox()
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "core.mail.SmtpBackend", "127.0.0.1"
    settings.EMAIL_PORT = mailbox.port
    yield mailbox
    mailbox.close()


def answer(mailbox: Mailbox, text: str | None) -> None:
    mailbox.behave = lambda step: text if step == "RCPT" else None


def emailed(user: User, at: Any) -> Delivery:
    """Notify a user, let a worker try to send it, and return the delivery."""
    params = {"opponent": None, "context": "Friday night · Main · M7"}
    [row] = notify(users=[user.pk], kind="ruled", params=params, url="/my/", key=f"{at}", now=at)
    send_emails(user=user.pk, now=at + MINUTE)
    return Delivery.objects.get(notification=row, channel="email")


def stopped(user: User) -> bool:
    user.refresh_from_db()
    assert user.email_verified_at is not None, "it says whose the address is"
    return user.email_stopped_at is not None


def test_an_address_without_a_mailbox_is_given_up_after_two_days(bob: User, mailbox: Mailbox, client: Client) -> None:
    answer(mailbox, GONE)
    assert emailed(bob, NOW).state == "given_up", "at once"
    emailed(bob, NOW + MINUTE)
    assert not stopped(bob), "it may be well again tomorrow"
    emailed(bob, NOW + DAY)
    assert stopped(bob)
    assert not can_be_sent_to(bob.pk)
    answer(mailbox, None)
    assert emailed(bob, NOW + 2 * DAY).state == "dropped"
    assert mailbox.messages == []

    client.force_login(bob)
    page = html(client.get("/notifications/"))
    assert "Mail to b…@example.org comes back." in page
    assert 'href="/preferences/#email"' in page
    assert client.post("/preferences/email/try-again/").status_code == 302
    assert "comes back" not in html(client.get("/notifications/"))
    assert emailed(bob, NOW + 3 * DAY).state == "sent"


def test_another_address_and_what_arrives_forget_it(bob: User, mailbox: Mailbox, password: str) -> None:
    answer(mailbox, GONE)
    emailed(bob, NOW)
    answer(mailbox, None)
    emailed(bob, NOW + HOUR)
    answer(mailbox, GONE)
    emailed(bob, NOW + DAY)
    assert not stopped(bob), "it arrived in between"
    emailed(bob, NOW + 2 * DAY)
    assert stopped(bob)
    new = "bob@example.net"
    change_email(user=bob, email=new, password=password, by=Actor.of(bob), now=NOW + 2 * DAY)
    verify_email(user=bob, email=new, by=Actor.of(bob), now=NOW + 2 * DAY)
    assert not stopped(bob)


@pytest.mark.parametrize("text", ["550 no", "554 5.7.1 Blocked", "550 5.1.8 Sender unknown", "450 4.1.1 Try later"])
def test_what_is_not_about_the_mailbox_changes_no_address(bob: User, mailbox: Mailbox, text: str) -> None:
    answer(mailbox, text)
    for days in range(3):
        cache.clear()
        assert emailed(bob, NOW + days * DAY).state == "waiting"
    assert bob.email_bounced_at is None
    assert not stopped(bob)


def people(count: int) -> list[User]:
    rows = [User(email=f"p{n}@example.org", display_name=f"P{n}", email_verified_at=NOW) for n in range(count)]
    return User.objects.bulk_create(rows)


@pytest.mark.parametrize("text", [GONE, "554 5.7.1 Blocked"])
def test_a_server_that_turns_everybody_away_is_left_alone_and_nobodys_address_changes(
    mailbox: Mailbox, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    many = people(12)
    tried = []

    def behave(step: str) -> str | None:
        tried.append(step)
        return text if step == "RCPT" else None

    mailbox.behave = behave
    for days in range(2):
        cache.clear()
        for user in many:
            emailed(user, NOW + days * DAY)
    assert not User.objects.exclude(email_bounced_at=None, email_stopped_at=None).exists()
    assert set(Delivery.objects.values_list("state", flat=True)) == {"waiting"}
    assert 6 <= tried.count("RCPT") <= 12, "of 24"
    assert "mail_server" in caplog.text
    cache.clear()
    answer(mailbox, None)
    for user in many:
        while send_emails(user=user.pk, now=NOW + DAY + 3 * HOUR):
            pass
    assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}
    assert Notification.objects.count() == 2 * len(many)


def test_a_few_of_many_are_not_the_servers_fault(mailbox: Mailbox) -> None:
    many = people(12)
    for number, user in enumerate(many):
        answer(mailbox, GONE if number % 3 == 0 else None)
        emailed(user, NOW)
    assert User.objects.exclude(email_bounced_at=None).count() == 4


def test_an_invitation_to_an_address_without_a_mailbox_is_tried_once(db: None, mailbox: Mailbox) -> None:
    template = "players/accounts/mail/password.txt"
    request_invitation(to="nobody@example.org", subject="Come", template=template, context={}, now=NOW)
    answer(mailbox, GONE)
    assert not send(email_id=AccountEmail.objects.get().pk, now=NOW)
    assert not AccountEmail.objects.exists()
