"""Sharing an event, and frames of its pages on other websites."""

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from formats.settings import PROGRESSIVE, StageSettings
from players.models import Club
from tests.browser.conftest import PHONE, STAYS, Check, OpenPage, follow
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tournaments.models import Division

COPIES = """navigator.clipboard.writeText = async (text) => { window.copied = text; };"""
SHARES = """navigator.share = async (what) => { window.shared = what; };"""

OtherSite = Callable[[str], str]


@pytest.fixture
def other_site() -> Iterator[OtherSite]:
    """Put HTML on a website of another origin, and return its address."""
    pages: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/":
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><link rel=icon href=data:,><title>A club</title>{pages[-1]}".encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002, the name of the base class
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def publish(html: str) -> str:
        pages.append(html)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield publish
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.fixture
def division(builder: DivisionBuilder) -> Division:
    """Nineteen players in a knockout with consolation, some of its matches played."""
    row = builder.drawn(19, StageSettings(PROGRESSIVE))
    builder.play(row, most=12)
    return row


def event_url(division: Division) -> str:
    return f"/events/{division.tournament.club.slug}/{division.tournament.slug}/"


def test_only_an_allowed_website_shows_the_frame(
    open_page: OpenPage, other_site: OtherSite, division: Division, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("frame-ancestors"))
    page = open_page(f"{event_url(division)}{division.public_id}/")
    follow(page.get_by_role("link", name="Embed"))
    snippet = page.get_by_label("HTML for the website").input_value()
    preview = page.frame_locator(".share-preview")
    expect(preview.locator("h1")).to_contain_text("Harbour Weekend")
    address = other_site(snippet)
    assert address not in page.url
    refused = open_page(address)
    refused.wait_for_load_state("networkidle")
    expect(refused.frame_locator("iframe").locator("body")).not_to_contain_text("Harbour Weekend")
    Club.objects.update(embed_hosts=address)
    allowed = open_page(address)
    expect(allowed.frame_locator("iframe").locator("h1")).to_contain_text("Harbour Weekend")
    expect(allowed.frame_locator("iframe").locator(".drawing").first).to_be_visible()


def test_share_opens_the_menu_of_the_device_or_copies_the_link(
    open_page: OpenPage, site: str, division: Division
) -> None:
    url = event_url(division)
    phone = open_page(url, width=PHONE, script=SHARES)
    phone.get_by_role("link", name="Share").click()
    phone.wait_for_function("() => window.shared")
    assert phone.evaluate("window.shared.url") == f"{site}{url}"
    desk = open_page(url, script=f"delete Navigator.prototype.share; {COPIES} {STAYS}")
    link = desk.get_by_role("link", name="Share")
    link.click()
    expect(desk.locator("[data-share]")).to_have_text("✓ Link copied")
    assert desk.evaluate("window.copied") == f"{site}{url}"
    expect(link).to_be_visible()


def test_event_and_share_can_be_read(open_page: OpenPage, in_both_views: Check, division: Division) -> None:
    for path in (event_url(division), f"{event_url(division)}share/?page=bracket-{division.public_id}"):
        page = open_page(path, width=PHONE)
        in_both_views(page)
