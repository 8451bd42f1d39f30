"""Bob and Carol are notified: on the site, by e-mail, in the ways they have chosen, once."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from core import breaker
from players.models import ApiToken, Delivery, Notification, NotificationChoice, User
from players.notifications import deliveries, kinds
from players.notifications import services as notifications
from players.notifications.emails import send_emails
from players.notifications.expiring_tokens import tell_owners
from tests.pages import html
from tests.players.conftest import NOW, silent_server

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
RULED, REPORTED = "ruled", "reported"
SETTINGS = "/account/notifications/"
State = Delivery.State


def notify(*users: User, kind: str = RULED, key: str = "m1", **params: Any) -> list[Notification]:
    """Notify users of something at NOW."""
    values = {"opponent": None, "context": "Friday night · Main · M7", **params}
    return notifications.notify(
        users=[user.pk for user in users], kind=kind, params=values, url="/my/", key=key, now=NOW
    )


def test_everybody_is_notified_once_of_the_same_occasion(bob: User, carol: User) -> None:
    assert len(notify(bob)) == 1
    assert [row.user_id for row in notify(bob, carol)] == [carol.pk]
    assert notify(bob, carol) == []
    assert Delivery.objects.count() == 2


def test_what_happens_within_a_minute_is_one_email(bob: User) -> None:
    notify(bob)
    notify(bob, key="m2")
    assert send_emails(user=bob.pk, now=NOW + 59 * SECOND) == 0, "more may happen"
    assert send_emails(user=bob.pk, now=NOW + MINUTE) == 2
    [message] = mail.outbox
    assert message.subject == "The director decided your match against a player"
    assert message.body.count("Friday night · Main · M7") == 2
    assert send_emails(user=bob.pk, now=NOW + 2 * MINUTE) == 0, "nothing is sent twice"


def test_an_email_begins_with_the_readers_own_match_and_goes_event_by_event(bob: User) -> None:
    for context in ("Friday night · Main", "Harbour Weekend · Open", "Harbour Weekend · Beginners"):
        notify(bob, kind="objected", key=context, context=context, event=context.partition(" · ")[0], objector=None)
    own = "Harbour Weekend · Open · M12"
    notify(bob, kind="token_expires", context=own, event="Harbour Weekend", match="m", name="Own", at=NOW.isoformat())
    send_emails(user=bob.pk, now=NOW + MINUTE)
    [message] = mail.outbox
    assert message.body.startswith(message.subject)
    contexts = [line for line in message.body.splitlines() if " · " in line]
    assert contexts == [own, "Harbour Weekend · Open", "Harbour Weekend · Beginners", "Friday night · Main"]


def test_an_urgent_email_is_sent_at_once_and_takes_along_what_waits(bob: User) -> None:
    [urgent] = [kind for kind in kinds.registered() if kind.code == "appointment"]
    assert urgent.is_urgent
    notify(bob)
    assert send_emails(user=bob.pk, now=NOW) == 0
    [row] = notify(bob, key="m2")
    row.deliveries.update(next_at=NOW)
    assert send_emails(user=bob.pk, now=NOW) == 2


def test_an_email_names_the_match_and_has_one_link_and_a_way_to_unsubscribe(bob: User, client: Client) -> None:
    notify(bob)
    send_emails(user=bob.pk, now=NOW + MINUTE)
    [message] = mail.outbox
    assert message.subject == "The director decided your match against a player"
    assert message.body.count("http") == 2, "the page and unsubscribing"
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message.extra_headers["Auto-Submitted"] == "auto-generated", "no holiday reply comes back"
    link = message.extra_headers["List-Unsubscribe"].strip("<>").split("8000")[1]
    assert "A director’s ruling on your match" in html(client.get(link))
    assert "email" in notifications.choices_of(bob)[RULED], "opening a link changes nothing"
    # Mail programs have neither a session nor a CSRF token.
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert notifications.choices_of(bob)[RULED] == {"site", "push"}
    assert "email" in notifications.choices_of(bob)[REPORTED], "only this kind"
    strict.post(link, {"resume": "on"})
    assert "email" in notifications.choices_of(bob)[RULED]
    assert client.get(link.replace(RULED, REPORTED)).status_code == 404, "the signature covers the kinds"


@pytest.mark.parametrize(
    ("wanted", "listed", "emailed"), [(set(), 0, 0), ({"site"}, 1, 0), ({"email"}, 0, 1), ({"site", "email"}, 1, 1)]
)
def test_each_kind_is_sent_as_chosen(bob: User, wanted: set[str], listed: int, emailed: int) -> None:
    notifications.save_choices(user=bob, wanted={RULED: wanted})
    notify(bob)
    assert notifications.unread_count(bob) == listed
    send_emails(user=bob.pk, now=NOW + MINUTE)
    assert len(mail.outbox) == emailed


def test_a_failed_email_is_tried_again_with_growing_waits_and_then_given_up(
    bob: User, client: Client, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "core.mail.SmtpBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    notify(bob)
    now, waits = NOW + MINUTE, []
    while True:
        cache.clear()  # Forgets that the server is to be left alone.
        send_emails(user=bob.pk, now=now)
        row = Delivery.objects.get()
        if row.state != State.WAITING:
            break
        assert deliveries.send_again(now=now) == 0, "not before its time"
        waits.append(row.next_at - now)
        now = row.next_at
    assert waits == list(deliveries.WAITS)
    assert (row.state, row.attempts) == (State.GIVEN_UP, len(waits) + 1)
    assert "ConnectionRefusedError" in row.reason
    Delivery.objects.update(given_up_at=Notification.objects.get().created_at + timedelta(days=3000))
    client.force_login(bob)
    assert "Not delivered" in html(client.get(SETTINGS))


def test_what_cannot_be_written_keeps_nothing_else_back_and_is_given_up_with_its_reason(bob: User) -> None:
    [broken] = notify(bob, key="m1")
    notify(bob, key="m2")
    Notification.objects.filter(pk=broken.pk).update(params={})
    now, attempts = NOW + MINUTE, 0
    while Delivery.objects.filter(state=State.WAITING).exists():
        send_emails(user=bob.pk, now=now)
        now, attempts = now + 5 * MINUTE, attempts + 1
        assert attempts < 200
    states = dict(Delivery.objects.values_list("notification__key", "state"))
    assert states == {"m1": State.GIVEN_UP, "m2": State.SENT}
    [failure] = Delivery.objects.filter(state=State.GIVEN_UP)
    assert failure.attempts == len(deliveries.WAITS) + 1
    assert failure.reason == "KeyError: 'opponent'"
    assert len(mail.outbox) == 1


def test_a_mail_server_that_accepts_and_hangs_is_left_alone_and_no_attempt_is_used_up(
    bob: User, carol: User, settings: Any
) -> None:
    notify(bob, carol)
    with silent_server() as (port, connections):
        settings.EMAIL_BACKEND = "core.mail.SmtpBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", port, 0.05
        now = NOW + MINUTE
        for _ in range(breaker.FAILURES):
            send_emails(user=bob.pk, now=now)
            now = Delivery.objects.get(notification__user=bob).next_at
        send_emails(user=carol.pk, now=NOW + MINUTE)
        assert len(connections) == breaker.FAILURES
    row = Delivery.objects.get(notification__user=carol)
    assert (row.state, row.attempts, row.claimed_at) == (State.WAITING, 0, None)
    assert SECOND <= row.next_at - (NOW + MINUTE) <= MINUTE
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    cache.clear()  # The minute is over.
    assert send_emails(user=carol.pk, now=row.next_at) == 1


def test_a_delivery_whose_worker_died_is_sent_again_as_the_same_email(bob: User) -> None:
    notify(bob)
    [claimed] = deliveries.claim_emails(user=bob.pk, now=NOW + MINUTE)
    assert deliveries.claim_emails(user=bob.pk, now=NOW + MINUTE) == [], "another worker is sending"
    notify(bob, key="m2")
    assert send_emails(user=bob.pk, now=NOW + 3 * MINUTE) == 1
    assert mail.outbox[0].extra_headers["Message-ID"].startswith(f"<{claimed.batch}@")
    assert send_emails(user=bob.pk, now=NOW + 3 * MINUTE) == 1, "what came later is another e-mail"


def test_lost_messages_are_published_again(bob: User, carol: User, valkey: Any) -> None:
    notify(bob, carol)
    notify(bob, key="m2")
    assert deliveries.send_again(now=NOW) == 0
    assert deliveries.send_again(now=NOW + MINUTE) == 2, "one for each recipient"


def test_the_list_and_the_bell_show_what_is_unread(bob: User, carol: User, client: Client) -> None:
    [first] = notify(bob)
    notify(bob, key="m2")
    notify(carol)
    client.force_login(bob)
    page = html(client.get("/notifications/"))
    assert page.count("notification-new") == 2
    assert '2<span class="visually-hidden">unread' in page.replace("> ", ">").replace(" <", "<")
    assert client.post(f"/notifications/{first.pk}/open/").headers["Location"] == "/my/"
    assert notifications.unread_count(bob) == 1
    client.post(f"/notifications/{first.pk}/unread/")
    assert notifications.unread_count(bob) == 2
    client.post("/notifications/read/")
    assert (notifications.unread_count(bob), notifications.unread_count(carol)) == (0, 1)
    assert client.post(f"/notifications/{Notification.objects.get(user=carol).pk}/open/").status_code == 404


def test_the_settings_page_saves_every_kind(bob: User, client: Client) -> None:
    client.force_login(bob)
    page = html(client.get(SETTINGS))
    of_kinds, of_groups = len([kind for kind in kinds.registered() if kind.is_chosen]), len(kinds.NotificationGroup)
    assert page.count("checkbox") == 3 * (of_kinds + of_groups)
    client.post(SETTINGS, {f"{RULED}-push": "on", f"{REPORTED}-site": "on"})
    chosen = notifications.choices_of(bob)
    assert (chosen.pop(RULED), chosen.pop(REPORTED)) == ({"push"}, {"site"})
    assert set(chosen.values()) == {frozenset()}, "no tick means not at all"


@pytest.mark.parametrize("ticked", [True, False])
def test_the_box_of_a_group_changes_its_kinds_and_nothing_else(bob: User, client: Client, ticked: bool) -> None:
    own = {kind.code for kind in kinds.registered() if kind.group == kinds.kind_of(RULED).group}
    if not ticked:
        notifications.save_choices(user=bob, wanted={code: {"email"} for code in own})
        notifications.save_choices(user=bob, wanted={REPORTED: {"email", "push"}})
    before, stored = notifications.choices_of(bob), NotificationChoice.objects.count()
    client.force_login(bob)
    boxes = [tag for tag in re.findall("<input[^>]*>", html(client.get(SETTINGS))) if "checkbox" in tag]
    shown = {re.findall('name="([^"]+)"', tag)[0] for tag in boxes if " checked" in tag}
    assert ("matches-email" in shown) is not ticked
    assert any("data-mixed" in tag and "matches-push" in tag for tag in boxes), "its kinds differ, which the page says"

    client.post(SETTINGS, dict.fromkeys(shown, "on"))
    assert (notifications.choices_of(bob), NotificationChoice.objects.count()) == (before, stored), "left as it was"

    changed = dict.fromkeys(shown, "on") | {"matches-email": "on"}
    client.post(SETTINGS, changed if ticked else {name: "on" for name in shown if name != "matches-email"})
    change = frozenset.union if ticked else frozenset.difference
    assert notifications.choices_of(bob) == {
        code: change(channels, {"email"}) if code in own else channels for code, channels in before.items()
    }


def test_notifying_many_takes_as_many_queries_as_notifying_few(django_assert_max_num_queries: Any, bob: User) -> None:
    many = User.objects.bulk_create(
        [User(email=f"p{number}@example.org", display_name=f"P{number}") for number in range(60)]
    )
    with django_assert_max_num_queries(12):
        assert len(notify(bob, *many)) == 61


def test_api_clients_read_and_choose(bob: User, client: Client) -> None:
    notify(bob)
    client.force_login(bob)
    [row] = client.get("/api/v1/me/notifications/").json()
    assert (row["kind"], row["context"], row["read_at"]) == (RULED, "Friday night · Main · M7", None)
    assert client.post("/api/v1/me/notifications/").status_code == 204
    assert notifications.unread_count(bob) == 0
    path = "/api/v1/me/notification-choices/"
    answer = client.patch(path, {"kind": RULED, "channels": ["push"]}, content_type="application/json")
    assert {"kind": RULED, "channels": ["push"]} in answer.json()
    assert notifications.choices_of(bob)[RULED] == {"push"}
    for wrong in ({"kind": "no-such", "channels": []}, {"kind": RULED, "channels": ["pigeon"]}):
        assert client.patch(path, wrong, content_type="application/json").status_code == 422


def test_the_owner_of_a_token_hears_two_weeks_before_it_expires(bob: User, client: Client) -> None:
    def token(name: str, made: int, expires: int | None) -> None:
        end = None if expires is None else NOW + timedelta(days=expires)
        at = NOW - timedelta(days=made)
        ApiToken.objects.create(user=bob, name=name, key_hash=name, scopes=["read"], created_at=at, expires_at=end)

    token("Scoreboard", 352, 13)
    for name, made, expires in (("Later", 345, 20), ("Over", 366, -1), ("Never", 9, None), ("For a week", 0, 7)):
        token(name, made, expires)
    for days in (0, 1):
        tell_owners(now=NOW + timedelta(days=days))
    [told] = Notification.objects.filter(kind="token_expires")
    assert (told.user, told.url) == (bob, "/preferences/token/")
    client.force_login(bob)
    assert "Your token “Scoreboard” expires on" in html(client.get("/notifications/"))
