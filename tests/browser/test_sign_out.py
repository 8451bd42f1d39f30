"""What a browser keeps of somebody is gone after they sign out, and for whoever comes next."""

import re

import pytest
from playwright.sync_api import Page, expect

from players.models import Club, KeptAct, User
from tests.browser.conftest import Check, OpenPage
from tests.event_cast import RunningEvent

FILL = """async ([reader, count]) => {
  const { openOutbox } = await import("/static/config/outbox.js");
  const { putData } = await import("/static/config/kept_store.js");
  await putData(reader, "tournament:one", { matches: [{ players: ["Ann", "Bea"] }] });
  const url = "/api/v1/tournaments/one/kept/";
  const box = await openOutbox({ topic: "tournament:one", reader, by: "Dora", read: url, post: url });
  box.close();
  for (let number = 0; number < count; number += 1) {
    await box.keep({ action: "note", fields: { text: "Cem is late" }, label: "Cem is late" });
  }
  await new Promise((resolve) => {
    const request = indexedDB.open("barpoint-snapshots", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("snapshots", { keyPath: "event" });
    request.onsuccess = () => {
      const transaction = request.result.transaction("snapshots", "readwrite");
      transaction.objectStore("snapshots").put({ event: "one", html: "Eva – Finn" });
      transaction.oncomplete = () => resolve(request.result.close());
    };
  });
}"""
"""Keep what a floor keeps: its last data, a snapshot, and acts that were not sent."""
EVERYTHING = """async () => {
  const found = [];
  for (const { name } of await indexedDB.databases()) {
    const db = await new Promise((resolve) => {
      const request = indexedDB.open(name);
      request.onsuccess = () => resolve(request.result);
    });
    for (const store of db.objectStoreNames) {
      found.push(await new Promise((resolve) => {
        const request = db.transaction(store).objectStore(store).getAll();
        request.onsuccess = () => resolve(request.result);
      }));
    }
    db.close();
  }
  return JSON.stringify(found);
}"""
KEEP = """async ([topic, url, reader, pair, seen]) => {
  const { openOutbox } = await import("/static/config/outbox.js");
  const box = await openOutbox({ topic, reader, by: "Bob", read: url, post: url });
  box.close();
  const fields = { winner: 0, points: 4 };
  await box.keep({ action: "claim", pair, fields, seen, seen_at: Date.now(), label: "7–4" });
  box.close();
}"""
NAMES = ("Ann", "Bea", "Cem", "Dora", "Eva", "Finn")


@pytest.fixture(autouse=True)
def _the_event_is_not_there(expected_errors: list[re.Pattern[str]]) -> None:
    expected_errors.append(re.compile("404"))


def names_in(page: Page) -> list[str]:
    """Which of the names this browser keeps; IndexedDB is all it keeps anything in."""
    found = page.evaluate(EVERYTHING)
    return [name for name in NAMES if name in found]


def fill(page: Page, user: User, acts: int = 0) -> None:
    expect(page.locator(f"body[data-reader='{user.pk}']")).to_be_attached()
    page.evaluate(FILL, [str(user.pk), acts])
    assert set(names_in(page)) >= {"Ann", "Bea", "Eva", "Finn"}


def sign_out(page: Page) -> None:
    if page.locator("details.account[open]").count() == 0:
        page.locator("details.account summary").click()
    page.get_by_role("button", name="Sign out", exact=True).click()


def is_signed_out(page: Page) -> None:
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_nothing_is_left(open_page: OpenPage, club: Club, alice: User) -> None:
    page = open_page("/notifications/", user=alice)
    fill(page, alice)
    other = page.context.new_page()
    other.goto("/notifications/")
    sign_out(page)
    is_signed_out(page)
    assert names_in(page) == []
    # A tab that is still open reads no more.
    other.evaluate(FILL.replace("await new Promise", "return; await new Promise"), [str(alice.pk), 0])
    assert names_in(page) == []


def test_acts_that_were_not_sent_are_asked_for(
    open_page: OpenPage, club: Club, alice: User, in_both_views: Check
) -> None:
    page = open_page("/notifications/", user=alice)
    fill(page, alice, acts=3)
    sign_out(page)
    expect(page.get_by_role("dialog", name="3 kept here.")).to_be_visible()
    in_both_views(page)
    page.get_by_role("button", name="Cancel").click()
    assert "Cem" in names_in(page)
    sign_out(page)
    page.get_by_role("button", name="Send and sign out").click()
    expect(page.get_by_text("They could not be sent, and are still kept here.")).to_be_visible()
    assert "Cem" in names_in(page)
    page.get_by_role("button", name="Delete 3 and sign out").click()
    is_signed_out(page)
    assert names_in(page) == []


@pytest.mark.parametrize("path", ["/sign-in/", "/", "/notifications/"])
def test_the_next_reader_finds_no_data_and_acts_stay_for_their_owner(
    open_page: OpenPage, club: Club, alice: User, bob: User, path: str
) -> None:
    page = open_page("/notifications/", user=alice)
    fill(page, alice, acts=1)
    # The session was ended elsewhere.
    page.context.clear_cookies()
    if path == "/notifications/":
        with_bob = open_page("/notifications/", user=bob)
        page.context.add_cookies(with_bob.context.cookies())  # type: ignore[arg-type]
    page.goto(path)
    # What is kept for when the network is gone, and what a snapshot holds, goes at its own time.
    for _ in range(200):
        if names_in(page) == ["Cem", "Dora"]:
            break
        page.wait_for_timeout(100)
    assert names_in(page) == ["Cem", "Dora"]


def test_they_are_sent_first(open_page: OpenPage, running: RunningEvent, bob: User) -> None:
    match = running.fixture.match
    assert match is not None
    page = open_page("/notifications/", user=bob)
    pair = [match.player_0.public_id, match.player_1.public_id]
    page.evaluate(KEEP, [match.topic, f"/api/v1/matches/{match.public_id}/kept/", str(bob.pk), pair, match.seq])
    sign_out(page)
    page.get_by_role("button", name="Send and sign out").click()
    is_signed_out(page)
    assert KeptAct.objects.get().action == "claim"
