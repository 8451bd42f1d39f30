"""A record dropped on the page ends as a verdict with a replay."""

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from matches.models import MAX_BYTES, Submission
from matches.records.submissions import RecordFile, submit
from matches.reporting.records import adjudicate_submission
from tests.browser.conftest import DESK, HEIGHT, PHONE, STAYS, Check, OpenPage, view
from tests.matches.records.samples import ILLEGAL, simulated

LANDSCAPE = {"width": 844, "height": 390}
DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const zone = document.querySelector("[data-drop]");
  for (const type of ["dragenter", "dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


def drop(page: Page, data: bytes, name: str = "final.mat") -> None:
    """Drop a file on the drop zone."""
    page.evaluate(DROP, [name, base64.b64encode(data).decode()])


def checked(data: bytes) -> str:
    """Return the path of a record that has a verdict."""
    submission = submit(file=RecordFile(data, "upload", "final.mat"), now=timezone.now()).submission
    adjudicate_submission(submission_id=submission.pk, now=timezone.now())
    return f"/check/{submission.public_id}/"


@pytest.mark.slow
@pytest.mark.usefixtures("celery_worker")
def test_a_dropped_file_ends_as_a_verdict_with_a_replay(open_page: OpenPage, in_both_views: Check) -> None:
    page = open_page("/check/", width=PHONE)
    in_both_views(page)
    drop(page, simulated(seed=4, length=5))
    expect(page.get_by_text("Accepted", exact=True)).to_be_visible(timeout=20_000)
    assert re.search(r"/check/\w{10}/$", page.url)
    expect(page.get_by_role("heading", name="Score sheet")).to_be_visible()
    in_both_views(page)
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(page.get_by_role("button", name="24 point, 2 of Bob")).to_be_visible()
    in_both_views(page)
    page.get_by_role("link", name="Next", exact=True).click()
    expect(page).to_have_url(re.compile(r"g=1&p=2$"))
    in_both_views(page)


@pytest.mark.usefixtures("celery_worker")
def test_a_chosen_file_with_an_error_shows_it_on_a_board(
    open_page: OpenPage, in_both_views: Check, tmp_path: Path
) -> None:
    path = tmp_path / "illegal.txt"
    path.write_text(ILLEGAL)
    page = open_page("/check/", width=PHONE)
    page.set_input_files("#record-file", path)
    page.get_by_role("button", name="Check a match").click()
    expect(page.get_by_text("Not accepted")).to_be_visible(timeout=20_000)
    finding = page.locator("[data-code=must_play_more]")
    expect(finding.get_by_role("img", name=re.compile("Carol to play 6-6"))).to_be_visible()
    in_both_views(page)
    finding.get_by_role("link", name="Replay", exact=True).click()
    expect(page.locator("[data-moves] [aria-current]")).to_contain_text("66: 24/18 13/7")
    in_both_views(page)


@pytest.fixture
def without_scripts(browser: Browser, site: str) -> Page:
    context = browser.new_context(base_url=site, java_script_enabled=False, viewport={"width": 390, "height": 844})
    return context.new_page()


@pytest.mark.usefixtures("celery_worker")
def test_everything_works_without_scripts(without_scripts: Page, tmp_path: Path) -> None:
    page = without_scripts
    path = tmp_path / "final.mat"
    path.write_bytes(simulated())
    page.goto("/check/")
    page.set_input_files("#record-file", path)
    page.get_by_role("button", name="Check a match").click()
    # The waiting page reloads itself.
    expect(page.get_by_text("Accepted", exact=True)).to_be_visible(timeout=20_000)
    page.get_by_role("link", name="Replay", exact=True).click()
    for step in range(2, 5):
        page.get_by_role("link", name="Next", exact=True).click()
        expect(page).to_have_url(re.compile(rf"p={step}$"))
    page.get_by_role("link", name="Flip board").click()
    expect(page.locator(".seat-bottom")).to_contain_text("Carol")
    expect(page.get_by_role("button", name="Autoplay")).to_be_hidden()


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "This record is empty"), (b"x" * (MAX_BYTES + 1), "this one is larger")]
)
def test_an_unsuitable_file_is_refused_before_it_is_sent(open_page: OpenPage, content: bytes, words: str) -> None:
    page = open_page("/check/")
    drop(page, content)
    expect(page.get_by_role("alert")).to_contain_text(words)
    assert page.url.endswith("/check/")
    assert not Submission.objects.exists()


def test_pressing_the_button_without_a_file_says_what_to_do(open_page: OpenPage) -> None:
    page = open_page("/check/")
    page.get_by_role("button", name="Check a match").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose a file or paste a record.")


@pytest.mark.slow
def test_the_keyboard_steps_through_the_match(open_page: OpenPage) -> None:
    page = open_page(checked(simulated(seed=4, length=3)) + "replay/")
    for key, where in [
        ("ArrowRight", r"g=1&p=2$"),
        ("ArrowRight", r"g=1&p=3$"),
        ("ArrowLeft", r"g=1&p=2$"),
        ("f", r"g=1&p=2&flip=1$"),
        ("f", r"g=1&p=2$"),
        ("ArrowDown", r"g=2&p=1$"),
        ("ArrowUp", r"g=1&p=1$"),
        ("End", r"g=1&p=\d\d+$"),
        ("Home", r"g=1&p=1$"),
    ]:
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(where))
    expect(page.locator("#replay-said")).not_to_be_empty()


def test_a_step_keeps_the_focus_on_its_button(open_page: OpenPage) -> None:
    page = open_page(checked(simulated()) + "replay/")
    following = page.get_by_role("link", name="Next", exact=True)
    following.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"p=2$"))
    expect(page.get_by_role("link", name="Next", exact=True)).to_be_focused()


def test_autoplay_runs_until_it_is_stopped(open_page: OpenPage) -> None:
    page = open_page(checked(simulated()) + "replay/")
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile(r"p=3$"), timeout=10_000)
    button = page.get_by_role("button", name="Autoplay")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    # The address bar follows a moment after the last step, which the page takes with a frame.
    page.evaluate("new Promise(requestAnimationFrame)")
    address = page.locator("[data-copy-link]").get_attribute("data-copy") or ""
    page.wait_for_timeout(2_500)
    expect(page).to_have_url(address)


def test_a_phone_in_landscape_shows_the_whole_board_and_the_buttons(open_page: OpenPage, fits: Check) -> None:
    path = checked(simulated()) + "replay/"
    page = open_page(path)
    page.set_viewport_size(LANDSCAPE)  # type: ignore[arg-type]
    fits(page)
    for box in (page.locator("[data-board]").bounding_box(), page.locator(".thumb").bounding_box()):
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= LANDSCAPE["height"]


def test_very_long_names_fit(open_page: OpenPage, fits: Check) -> None:
    long = ("Maximiliane-Wilhelmina" * 6, "望月正行" * 25)
    path = checked(simulated(players=long))
    verdict, replay = open_page(path), open_page(path + "replay/")
    for width in (PHONE, DESK):
        for page in (verdict, replay):
            view(page, width, "light")
            fits(page)
        bar = replay.locator(".thumb").bounding_box()
        assert bar is not None
        assert bar["y"] + bar["height"] <= HEIGHT[width]


def test_the_xgid_of_a_position_and_its_link_can_be_copied(open_page: OpenPage) -> None:
    page: Any = open_page(checked(simulated()) + "replay/?g=1&p=3", script=STAYS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="✓ Copy", exact=True)).to_be_visible()
    copied = "navigator.clipboard.readText()"
    position = page.locator("[data-xgid]").inner_text()
    assert page.evaluate(copied) == position
    page.keyboard.press("f")
    expect(page).to_have_url(re.compile("flip=1"))
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="✓ Copy the link")).to_be_visible()
    link = page.evaluate(copied)
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-xgid]")).not_to_have_text(position)
    page.goto(link)
    expect(page.locator("[data-xgid]")).to_have_text(position)
    expect(page.locator(".seat-bottom")).to_contain_text("Carol")
