"""Bob's notifications: the bell follows without a reload, the list, the settings, and unsubscribing."""

from http import HTTPStatus
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from players.models import Notification, PushSubscription, User
from players.notifications import emails
from players.notifications import services as notifications
from players.notifications.services import notify
from tests.browser.conftest import PHONE, Check, OpenPage, follow


def test_notifications_are_followed_read_and_chosen(open_page: OpenPage, in_both_views: Check, bob: User) -> None:
    page = open_page("/clubs/", width=PHONE, user=bob)
    bell = page.get_by_role("link", name="Notifications")
    expect(bell).to_be_visible()
    expect(bell).not_to_contain_text("unread")
    page.wait_for_timeout(500)
    for number in (7, 8):
        params = {"opponent": None, "context": f"Friday night at the Harbour Café · Main · M{number}"}
        notify(users=[bob.pk], kind="ruled", params=params, url="/my/", key=f"m{number}", now=timezone.now())
    expect(bell).to_contain_text("2 unread")
    in_both_views(page)
    follow(bell)
    in_both_views(page)
    follow(page.get_by_role("button", name="The director decided your match").first)
    assert page.url.endswith("/my/")
    assert Notification.objects.filter(read_at=None).count() == 1

    page.goto("/account/notifications/")
    in_both_views(page)
    of_matches = page.get_by_role("checkbox", name="My matches: Push")
    expect(of_matches).to_be_checked(indeterminate=True)
    of_matches.check()
    page.get_by_text("More: choose for each kind").click()
    expect(page.get_by_role("checkbox", name="Your rating changes: Push")).to_be_checked()
    in_both_views(page)
    page.get_by_role("checkbox", name="A director’s ruling on your match: Email").uncheck()
    follow(page.get_by_role("button", name="Save"))
    chosen = notifications.choices_of(bob)
    assert chosen["ruled"] == {"site", "push"}
    assert chosen["rating_changed"] == {"site", "push"}

    token = emails.token_of(bob, ["called", "reported"])
    page = open_page(f"/unsubscribe/{token}/", width=PHONE)
    in_both_views(page)
    follow(page.get_by_role("button", name="Unsubscribe"))
    expect(page.get_by_role("status")).to_have_text("You will no longer get emails about:")
    assert "email" not in notifications.choices_of(bob)["called"]
    follow(page.get_by_role("button", name="Undo"))
    assert "email" in notifications.choices_of(bob)["called"]


def test_a_browser_says_once_in_which_session_it_is(open_page: OpenPage, bob: User, settings: Any) -> None:
    settings.VAPID_PRIVATE_KEY = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    PushSubscription.objects.create(user=bob, endpoint="https://push.example/one", p256dh="", auth="")
    page = open_page("/clubs/", user=bob)
    page.add_init_script(
        """navigator.serviceWorker.getRegistration = async () => ({
          pushManager: { getSubscription: async () => ({ endpoint: "https://push.example/one" }) },
        });"""
    )
    page.evaluate("localStorage.clear()")
    with page.expect_response("**/account/notifications/push/session/") as answer:
        page.goto("/clubs/")
    assert answer.value.status == HTTPStatus.NO_CONTENT
    row = PushSubscription.objects.get()
    assert row.session
    assert row.unbound_since is None
    page.goto("/clubs/")
    page.wait_for_timeout(300)
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    page.goto("/clubs/")
    page.wait_for_timeout(300)
    assert sent
    assert not [url for url in sent if url.endswith("/push/session/")]
