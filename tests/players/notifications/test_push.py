"""Bob's browsers get encrypted pushes from a push service of our own, which answers what a test tells it to."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.contrib.auth import login
from django.test import Client

from engine.errors import Refused
from players.accounts import services as accounts
from players.accounts.backend import BACKEND
from players.accounts.sessions import name_of
from players.actors import Actor
from players.models import Delivery, Notification, PushSubscription, User
from players.notifications import push
from players.notifications import services as notifications
from players.notifications.deliveries import PUSHES_AT_ONCE, claim_push, mark_sent
from players.notifications.push import MAX_BROWSERS, Forbidden, PushEndpoint, connect, endpoint_of, subscribe
from players.privacy import retention
from tests.pages import html
from tests.players.conftest import NOW

pytest.importorskip("cryptography", reason="the dependencies of the server are older than web push")

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from players.notifications.push import CURVE, encrypt, from_base64, private_key_of, public_key_of, to_base64

pytestmark = pytest.mark.postgresql

KEY = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
"""A private key, of the example in RFC 8291."""


class Browser:
    """A browser: its keys, and how it reads a push (RFC 8291, written from the receiver's side)."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(CURVE)
        self.auth = b"0123456789abcdef"
        number = self.key.private_numbers().private_value.to_bytes(32, "big")
        self.p256dh = public_key_of(to_base64(number))

    def read(self, body: bytes) -> dict[str, Any]:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        salt, length = body[:16], body[20]
        sender = body[21 : 21 + length]
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
        info = b"WebPush: info\0" + from_base64(self.p256dh) + sender
        keying = HKDF(hashes.SHA256(), 32, self.auth, info).derive(shared)
        key = HKDF(hashes.SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(keying)
        nonce = HKDF(hashes.SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(keying)
        return dict(json.loads(AESGCM(key).decrypt(nonce, body[21 + length :], None).rstrip(b"\x02")))


@dataclass
class PushService:
    """A push service: the status it answers by path, and what it has received."""

    server: ThreadingHTTPServer
    answers: dict[str, int] = field(default_factory=dict)
    received: list[tuple[str, Any, bytes]] = field(default_factory=list)

    def connect(self, endpoint: PushEndpoint) -> HTTPConnection:
        """Connect to this server, whatever the endpoint is called."""
        return HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)


@pytest.fixture
def service(settings: Any) -> Iterator[PushService]:
    """A running push service."""
    settings.VAPID_PRIVATE_KEY = KEY

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            running.received.append((self.path, self.headers, body))
            self.send_response(running.answers.get(self.path, 201))
            self.send_header("Location", "http://127.0.0.1/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    running = PushService(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
    thread = threading.Thread(target=running.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.server.shutdown()
    thread.join()
    running.server.server_close()


def subscribed(user: User, path: str, browser: Browser) -> PushSubscription:
    """A browser of a user, with this path at the push service."""
    return subscribe(
        user=user,
        endpoint=f"https://push.example{path}",
        p256dh=browser.p256dh,
        auth=to_base64(browser.auth),
        device="Firefox · Android",
        session="s",
        now=NOW,
    )


def notify(user: User, key: str = "m1") -> list[int]:
    """Notify a user of a ruling; return the ids of the pushes."""
    params = {"opponent": None, "context": "Friday night · Main · M7"}
    notifications.notify(users=[user.pk], kind="ruled", params=params, url="/my/", key=key, now=NOW)
    rows = Delivery.objects.filter(channel="push", notification__key=key, notification__user=user)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def test_the_example_of_the_rfc_is_encrypted_as_in_the_rfc() -> None:
    # RFC 8291, appendix A; the private key and the salt are those of the sender.
    recipient = {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    }
    key = private_key_of("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    salt = from_base64("DGv6ra1nlYgDCS1FRnbzlw")
    body = encrypt(b"When I grow up, I want to be a watermelon", **recipient, salt=salt, key=key)
    assert to_base64(body) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3j"
        "l7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


@pytest.mark.django_db
def test_a_browser_reads_what_happened_and_the_service_knows_the_site(bob: User, service: PushService) -> None:
    browser = Browser()
    subscribed(bob, "/one", browser)
    [delivery] = notify(bob)
    assert push.send_push(delivery=delivery, now=NOW, connect=service.connect)
    assert not push.send_push(delivery=delivery, now=NOW, connect=service.connect), "nothing is sent twice"
    [(path, headers, body)] = service.received
    assert path == "/one"
    assert browser.read(body) == {
        "title": "The director decided your match against a player.",
        "body": "Friday night · Main · M7",
        "url": "/my/",
        "tag": f"notification-{Delivery.objects.get(pk=delivery).notification_id}",
    }
    token, key = headers["Authorization"].removeprefix("vapid t=").split(", k=")
    signed, _, signature = token.rpartition(".")
    claims = json.loads(from_base64(signed.split(".")[1]))
    assert claims == {
        "aud": "https://push.example",
        "exp": int((NOW + timedelta(hours=12)).timestamp()),
        "sub": "mailto:barpoint@localhost",
    }
    public = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, from_base64(key))
    raw = from_base64(signature)
    encoded = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public.verify(encoded, signed.encode(), ec.ECDSA(hashes.SHA256()))
    with pytest.raises(InvalidSignature):
        public.verify(encoded, b"something else", ec.ECDSA(hashes.SHA256()))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("status", "state", "kept"),
    [
        (410, "given_up", False),
        (404, "given_up", False),
        (400, "given_up", True),
        (307, "given_up", True),
        (503, "waiting", True),
        (429, "waiting", True),
    ],
)
def test_a_subscription_that_fails_stops_no_other(
    bob: User, service: PushService, status: int, state: str, kept: bool
) -> None:
    dead = subscribed(bob, "/dead", Browser())
    subscribed(bob, "/alive", Browser())
    service.answers["/dead"] = status
    sent = [push.send_push(delivery=pk, now=NOW, connect=service.connect) for pk in notify(bob)]
    assert sent == [False, True]
    assert [path for path, *_ in service.received] == ["/dead", "/alive"], "redirections are not followed"
    states = list(Delivery.objects.filter(channel="push").order_by("pk").values_list("state", flat=True))
    assert states == [state, "sent"]
    assert PushSubscription.objects.filter(pk=dead.pk).exists() is kept
    assert len(notify(bob, "m2")) == (2 if kept else 1)


@pytest.mark.django_db
def test_a_service_that_is_away_is_tried_again(bob: User, service: PushService) -> None:
    subscribed(bob, "/one", Browser())
    [delivery] = notify(bob)

    def unreachable(endpoint: PushEndpoint) -> HTTPConnection:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            return HTTPConnection("127.0.0.1", unused.getsockname()[1], timeout=5)

    assert not push.send_push(delivery=delivery, now=NOW, connect=unreachable)
    assert not push.send_push(delivery=delivery, now=NOW, connect=service.connect), "not before a minute is over"
    assert push.send_push(delivery=delivery, now=NOW + timedelta(minutes=1), connect=service.connect)


@pytest.mark.django_db
def test_a_push_that_cannot_be_written_is_given_up(bob: User, service: PushService) -> None:
    subscribed(bob, "/one", Browser())
    [delivery] = notify(bob)
    Notification.objects.update(params={})
    for hours in range(10):
        assert not push.send_push(delivery=delivery, now=NOW + timedelta(hours=hours), connect=service.connect)
    row = Delivery.objects.get(pk=delivery)
    assert (row.state, row.reason) == ("given_up", "KeyError: 'opponent'")
    assert service.received == []


@pytest.mark.django_db
def test_twenty_silent_browsers_of_one_account_are_left_alone_and_another_account_gets_its_push(
    bob: User, carol: User, service: PushService
) -> None:
    for number in range(MAX_BROWSERS):
        browser = Browser()
        endpoint, auth = f"https://{number}.example/", to_base64(browser.auth)
        subscribe(user=bob, endpoint=endpoint, p256dh=browser.p256dh, auth=auth, device="", session="s", now=NOW)
    subscribed(carol, "/carol", Browser())
    tried = []

    def silent(endpoint: PushEndpoint) -> HTTPConnection:
        tried.append(endpoint.host)
        raise TimeoutError

    assert not any(push.send_push(delivery=pk, now=NOW, connect=silent) for pk in notify(bob))
    assert tried == ["0.example", "1.example", "2.example"]
    later = Delivery.objects.filter(notification__user=bob, channel="push", attempts=0)
    assert later.filter(state="waiting", next_at__gt=NOW).count() == MAX_BROWSERS - len(tried)
    assert [push.send_push(delivery=pk, now=NOW, connect=service.connect) for pk in notify(carol)] == [True]


@pytest.mark.django_db
def test_few_browsers_of_one_account_are_sent_to_at_the_same_time(bob: User) -> None:
    for number in range(PUSHES_AT_ONCE + 1):
        subscribed(bob, f"/{number}", Browser())
    pushes = notify(bob)
    claimed = [claim_push(delivery=pk, now=NOW) for pk in pushes]
    assert [row is None for row in claimed] == [False] * PUSHES_AT_ONCE + [True]
    mark_sent(filter(None, claimed[:1]), NOW)
    assert claim_push(delivery=pushes[-1], now=NOW) is not None


@pytest.mark.parametrize(
    "url",
    [
        "http://push.example/a",
        "https://127.0.0.1/a",
        "https://[::1]/a",
        "https://user@push.example/a",
        "https:///a",
        "ftp://push.example/a",
        "https://push.example:port/a",
        "https://push.example/a\r\nX: y",
    ],
)
def test_only_https_urls_of_named_hosts_are_endpoints(url: str) -> None:
    with pytest.raises(Forbidden):
        endpoint_of(url)


def test_a_name_that_leads_to_a_private_address_is_not_connected_to() -> None:
    with pytest.raises(Forbidden):
        connect(endpoint_of("https://localhost/a"))


@pytest.mark.django_db
def test_a_browser_belongs_to_whoever_subscribed_last(bob: User, carol: User) -> None:
    browser = Browser()
    subscribed(bob, "/one", browser)
    [delivery] = notify(bob)
    subscribed(carol, "/one", browser)
    assert PushSubscription.objects.get().user == carol
    assert Delivery.objects.get(pk=delivery).subscription is None, "Carol does not see what was Bob's"
    with pytest.raises(Refused):
        subscribe(user=bob, endpoint="http://a/b", p256dh="", auth="", device="", session="s", now=NOW)


@pytest.mark.django_db
def test_the_settings_page_adds_and_removes_browsers(bob: User, carol: User, client: Client, settings: Any) -> None:
    settings.VAPID_PRIVATE_KEY = KEY
    browser = Browser()
    client.force_login(bob)
    form = {"endpoint": "https://push.example/x", "p256dh": browser.p256dh, "auth": to_base64(browser.auth)}
    agent = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"
    page = client.post("/account/notifications/push/", form, follow=True, headers={"User-Agent": agent})
    assert "Firefox · Android" in page.content.decode()
    assert f'data-key="{public_key_of(KEY)}"' in page.content.decode()
    client.post("/account/notifications/push/", form | {"endpoint": "https://10.0.0.1/"})
    client.post("/account/notifications/push/", form | {"p256dh": "short"})
    row = PushSubscription.objects.get()
    other = Client()
    other.force_login(carol)
    other.post(f"/account/notifications/push/{row.pk}/remove/")
    assert PushSubscription.objects.exists(), "it is not Carol's"
    client.post(f"/account/notifications/push/{row.pk}/remove/")
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
def test_without_the_choice_no_push_is_planned(bob: User) -> None:
    subscribed(bob, "/one", Browser())
    notifications.save_choices(user=bob, wanted={"ruled": {"site", "email"}})
    assert notify(bob) == []


def test_a_user_has_so_many_browsers_at_addresses_of_push_services(bob: User) -> None:
    browser = Browser()
    for number in range(MAX_BROWSERS):
        subscribed(bob, f"/{number}", browser)
    with pytest.raises(Refused, match="too_many_browsers"):
        subscribed(bob, "/one-more", browser)
    subscribed(bob, "/0", browser)
    with pytest.raises(Refused, match="push_endpoint"):
        subscribe(
            user=bob, endpoint="http://localhost/", p256dh=browser.p256dh, auth="", device="", session="s", now=NOW
        )


# Push ends with the session in which it was turned on.


def with_push(user: User, password: str, path: str = "/one") -> Client:
    """A browser in which a user has signed in and turned push on."""
    client, browser = Client(), Browser()
    client.post("/sign-in/", {"username": user.email, "password": password})
    form = {"endpoint": f"https://push.example{path}", "p256dh": browser.p256dh, "auth": to_base64(browser.auth)}
    client.post("/account/notifications/push/", form)
    return client


def visit(client: Client, path: str = "/one") -> None:
    """What bind.js does on a page."""
    client.post("/account/notifications/push/session/", {"endpoint": f"https://push.example{path}"})


def sign_out(here: Client, bob: User, password: str) -> None:
    here.post("/sign-out/")


def sign_in_as_carol(here: Client, bob: User, password: str) -> None:
    # Whoever is signed in gets no form, but may have had one open.
    request = here.get("/").wsgi_request
    login(request, User.objects.get(email="carol@example.org"), backend=BACKEND)


def end_it_from_the_list(here: Client, bob: User, password: str) -> None:
    elsewhere = Client()
    elsewhere.force_login(bob)
    elsewhere.post("/preferences/sessions/end/", {"session": name_of(here.session.session_key or "")})


def sign_out_everywhere_else(here: Client, bob: User, password: str) -> None:
    elsewhere = Client()
    elsewhere.force_login(bob)
    elsewhere.post("/preferences/sessions/end-others/")


def change_the_password_elsewhere(here: Client, bob: User, password: str) -> None:
    elsewhere = Client()
    elsewhere.force_login(bob)
    elsewhere.post("/preferences/password/", {"password": password, "new_password": "gammon-and-1"})


def reset_the_password(here: Client, bob: User, password: str) -> None:
    accounts.reset_password(user=bob, new_password="gammon-and-1", by=Actor.of(bob), now=NOW)


ENDS = [
    sign_out,
    sign_in_as_carol,
    end_it_from_the_list,
    sign_out_everywhere_else,
    change_the_password_elsewhere,
    reset_the_password,
]


@pytest.mark.django_db
@pytest.mark.parametrize("end", ENDS)
def test_push_ends_with_its_session(
    bob: User, carol: User, password: str, end: Callable[[Client, User, str], None]
) -> None:
    here = with_push(bob, password)
    with_push(carol, password, "/carol")
    [row] = PushSubscription.objects.filter(user=bob)
    assert (row.unbound_since, row.session) == (None, here.session[push.SESSION])
    end(here, bob, password)
    assert list(PushSubscription.objects.values_list("user", flat=True)) == [carol.pk]


@pytest.mark.django_db
def test_push_goes_on_when_only_the_key_of_the_session_changes(bob: User, password: str) -> None:
    here, there = with_push(bob, password), with_push(bob, password, "/two")
    key = here.session.session_key
    here.post("/preferences/password/", {"password": password, "new_password": "gammon-and-1"})
    assert here.session.session_key != key
    assert [row.endpoint[-4:] for row in PushSubscription.objects.all()] == ["/one"]
    there.post("/sign-out/")
    here.post("/preferences/sessions/end-others/")
    assert PushSubscription.objects.exists()
    here.post("/sign-out/")
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
def test_signing_out_elsewhere_or_signing_in_again_leaves_push_alone(bob: User, password: str) -> None:
    here, there = with_push(bob, password), with_push(bob, password, "/two")
    there.post("/sign-out/")
    assert [row.endpoint[-4:] for row in PushSubscription.objects.all()] == ["/one"]
    Client().post("/sign-in/", {"username": bob.email, "password": password})
    # The session has expired: no longer known, but nobody has signed out.
    here.cookies.clear()
    here.post("/sign-in/", {"username": bob.email, "password": password})
    visit(here)
    here.post("/sign-out/")
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
def test_a_browser_from_before_is_bound_at_its_next_visit_and_sent_to_for_sixty_days_until_then(
    bob: User, service: PushService
) -> None:
    old = subscribed(bob, "/one", Browser())
    PushSubscription.objects.filter(pk=old.pk).update(session="", unbound_since=NOW - timedelta(days=60, seconds=-1))
    [delivery] = notify(bob)
    assert push.send_push(delivery=delivery, now=NOW, connect=service.connect)
    [waiting] = notify(bob, "m2")
    PushSubscription.objects.filter(pk=old.pk).update(unbound_since=NOW - timedelta(days=60))
    assert notify(bob, "m3") == []
    assert not push.send_push(delivery=waiting, now=NOW, connect=service.connect)
    client = Client()
    client.force_login(bob)
    assert push.SESSION not in client.session, "it began before, too"
    visit(client, "/another")
    visit(client)
    old.refresh_from_db()
    assert (old.session, old.unbound_since) == (client.session[push.SESSION], None)
    assert len(notify(bob, "m4")) == 1
    client.post("/sign-out/")
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
def test_the_row_of_a_process_of_before_lapses_after_sixty_days(bob: User) -> None:
    PushSubscription.objects.create(user=bob, endpoint="https://push.example/old", p256dh="", auth="")
    row = PushSubscription.objects.get()
    assert row.unbound_since is not None
    retention.delete_expired(now=row.unbound_since + timedelta(days=60, seconds=-1))
    assert PushSubscription.objects.exists()
    retention.delete_expired(now=row.unbound_since + timedelta(days=60))
    assert not PushSubscription.objects.exists()


@pytest.mark.django_db
def test_on_a_shared_computer_nobody_sees_what_was_somebody_elses(bob: User, carol: User, password: str) -> None:
    here = with_push(bob, password)
    [delivery] = notify(bob)
    # His session has expired, and Carol signs in.
    here.cookies.clear()
    here.post("/sign-in/", {"username": carol.email, "password": password})
    visit(here)
    assert not PushSubscription.objects.exists()
    assert Delivery.objects.get(pk=delivery).subscription is None
    visit(here)
    assert here.post("/account/notifications/push/session/", {}).status_code == 422
    assert Client().post("/account/notifications/push/session/").status_code == 302


@pytest.mark.django_db
def test_every_page_knows_the_session_for_push(bob: User, password: str, settings: Any, client: Client) -> None:
    settings.VAPID_PRIVATE_KEY = KEY
    here = with_push(bob, password)
    assert f'data-browser-session="{here.session[push.SESSION]}"' in html(here.get("/"))
    assert "data-browser-session" not in html(client.get("/"))
    settings.VAPID_PRIVATE_KEY = ""
    assert "data-browser-session" not in html(here.get("/"))
