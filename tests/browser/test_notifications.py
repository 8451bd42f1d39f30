"""Bob's notifications: the bell follows without a reload, the list, the settings, and unsubscribing."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from players.models import Notification, User
from players.notifications import emails
from players.notifications import services as notifications
from players.notifications.services import notify
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, follow


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
def test_notifications_are_followed_read_and_chosen(
    open_page: OpenPage, axe: Check, fits: Check, bob: User, width: int, scheme: str
) -> None:
    page = open_page("/clubs/", width=width, scheme=scheme, user=bob)
    bell = page.get_by_role("link", name="Notifications")
    expect(bell).to_be_visible()
    expect(bell).not_to_contain_text("unread")
    page.wait_for_timeout(500)
    for number in (7, 8):
        params = {"opponent": None, "context": f"Friday night at the Harbour Café · Main · M{number}"}
        notify(users=[bob.pk], kind="ruled", params=params, url="/my/", key=f"m{number}", now=timezone.now())
    expect(bell).to_contain_text("2 unread")
    fits(page)
    axe(page)
    follow(bell)
    fits(page)
    axe(page)
    follow(page.get_by_role("button", name="The director decided your match").first)
    assert page.url.endswith("/my/")
    assert Notification.objects.filter(read_at=None).count() == 1

    page.goto("/account/notifications/")
    fits(page)
    axe(page)
    page.get_by_role("checkbox", name="A director’s ruling on your match: Email").uncheck()
    follow(page.get_by_role("button", name="Save"))
    assert notifications.choices_of(bob)["ruled"] == {"site", "push"}

    token = emails.token_of(bob, ["called", "reported"])
    page = open_page(f"/unsubscribe/{token}/", width=width, scheme=scheme)
    fits(page)
    axe(page)
    follow(page.get_by_role("button", name="Unsubscribe"))
    expect(page.get_by_role("status")).to_have_text("You will no longer get emails about:")
    assert "email" not in notifications.choices_of(bob)["called"]
    follow(page.get_by_role("button", name="Undo"))
    assert "email" in notifications.choices_of(bob)["called"]
