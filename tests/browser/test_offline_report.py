"""Bob reports at a table without a connection; his phone sends the report when it has one again."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from matches.lifecycle import links
from matches.models import Claim, Match
from matches.reporting import reports
from players.actors import Actor
from players.models import Club, KeptAct, Outbox, User
from tests.browser.chromium import ARGUMENTS, PATH, Chromium
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.browser.hall_line import HallLine
from tests.browser.result_form import choose_result
from tests.browser.test_floor import evening
from tests.matches.cast import BOB, CAROL, match_between, player_of
from tournaments.entries.event_links import path_for
from tournaments.models import Tournament

__all__ = ["evening", "match"]

NOT_SENT = "Not sent yet. Only you can see it."
REPORTED = "You reported 3–0. Carol or the director has to confirm it."


@pytest.fixture
def match(club: Club, bob: User, carol: User) -> Match:
    """Bob against Carol, to 3."""
    return match_between(player_of(bob), player_of(carol), club=club, length=3)


@pytest.fixture(autouse=True)
def _cut_lines(expected_errors: list[re.Pattern[str]]) -> None:
    """Requests fail in these tests."""
    expected_errors.append(re.compile("net::ERR_|Failed to load resource|TimeoutError|htmx:"))


def report(page: Page, points: int = 0) -> None:
    """Report that Bob won, by a tap."""
    choose_result(page, "I won", points)
    page.get_by_role("button", name=f"I won 3–{points}").tap()


def test_a_report_typed_offline_is_sent_once_or_kept_as_evidence(
    open_page: OpenPage, hall: str, axe: Check, fits: Check, match: Match, club: Club
) -> None:
    """In a hall without HTTPS, and with two tabs open."""
    page = open_page(f"{hall}/m/{links.token_for(match, BOB)}/", width=PHONE, touch=True)
    assert page.evaluate("!isSecureContext && !navigator.locks")
    other_tab = page.context.new_page()
    other_tab.goto(page.url)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    fits(page)
    page.context.set_offline(True)
    choose_result(page, "I won", 0)
    for chip in page.locator(".result-chip:visible").all():
        box = chip.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    page.get_by_role("button", name="I won 3–0").tap()
    expect(page.get_by_text(NOT_SENT)).to_be_visible()
    expect(page.locator("[data-outbox-acts]")).to_contain_text("Bob 3–0 Carol")
    expect(other_tab.get_by_text(NOT_SENT)).to_be_visible()
    fits(page)
    axe(page)
    assert not Claim.objects.exists()
    page.context.set_offline(False)
    expect(other_tab.get_by_text(REPORTED)).to_be_visible()
    expect(page.get_by_text(REPORTED)).to_be_visible()
    page.reload()
    expect(page.locator("[data-outbox]")).to_be_hidden()
    assert [claim.score for claim in Claim.objects.all()] == [(3, 0)], "sent once"

    # The next match changes while his phone has no connection.
    other = match_between(match.players[0], match.players[1], club=club, length=3)
    page.goto(f"{hall}/m/{links.token_for(other, BOB)}/")
    page.context.set_offline(True)
    report(page)
    expect(page.get_by_text(NOT_SENT)).to_be_visible()
    reports.report_score(
        match=other,
        side=CAROL,
        report=reports.ScoreReport(CAROL, (1, 3)),
        by=Actor.link(CAROL),
        now=other.created_at,
    )
    page.context.set_offline(False)
    expect(page.get_by_text("It does not match what is there now, so nothing was changed.")).to_be_visible()
    expect(page.get_by_role("heading", name="Arrived too late")).to_be_visible()
    axe(page)
    page.locator("[data-outbox]").get_by_role("button", name="OK").tap()
    expect(page.locator("[data-outbox]")).to_be_hidden()
    page.reload()
    expect(page.locator("[data-outbox]")).to_be_hidden()
    assert list(other.claims.values_list("state", flat=True)) == ["open", "late"]
    assert list(KeptAct.objects.values_list("outcome", "is_open")) == [("done", False), ("differs", True)]


def test_a_report_is_changed_and_taken_back_while_it_is_here(open_page: OpenPage, hall: str, match: Match) -> None:
    page = open_page(f"{hall}/m/{links.token_for(match, BOB)}/", width=PHONE, touch=True)
    acts = page.locator("[data-outbox-acts] > li")
    page.context.set_offline(True)
    report(page)
    expect(acts).to_contain_text("Bob 3–0 Carol")
    page.get_by_role("button", name="Change").tap()
    report(page, points=1)
    expect(acts).to_contain_text("Bob 3–1 Carol")
    page.get_by_role("button", name="Take back").tap()
    expect(page.locator("[data-outbox]")).to_be_hidden()
    report(page, points=2)
    page.context.set_offline(False)
    expect(page.get_by_text("You reported 3–2.")).to_be_visible()
    assert [claim.score for claim in Claim.objects.all()] == [(3, 2)]
    assert list(KeptAct.objects.values_list("action", "label")) == [
        ("struck", ""),
        ("struck", ""),
        ("claim", "Bob 3–2 Carol"),
    ]


def test_nothing_typed_while_the_server_sleeps_is_lost(open_page: OpenPage, line: HallLine, match: Match) -> None:
    """The Wi-Fi is there, so the browser takes itself to be online; its requests are taken and not answered."""
    page = open_page(f"{line.url}/m/{links.token_for(match, BOB)}/", width=PHONE, touch=True)
    line.fall_silent()
    report(page)
    expect(page.get_by_text(NOT_SENT)).to_be_visible()
    assert page.evaluate("navigator.onLine")
    assert not Claim.objects.exists()
    line.come_back()
    expect(page.get_by_text(REPORTED)).to_be_visible(timeout=20_000)
    assert [claim.score for claim in Claim.objects.all()] == [(3, 0)]


def test_what_is_kept_survives_the_death_of_the_browser(
    chromium: Chromium, tmp_path: Path, line: HallLine, match: Match
) -> None:
    """The browser is killed as soon as it says that it has the report; reopened, it sends it by itself."""
    url = f"{line.url}/m/{links.token_for(match, BOB)}/"

    def launch() -> BrowserContext:
        return chromium.playwright.chromium.launch_persistent_context(
            str(tmp_path), executable_path=PATH, args=list(ARGUMENTS), has_touch=True
        )

    page = launch().new_page()
    page.goto(url)
    line.fall_silent()
    report(page)
    expect(page.get_by_text(NOT_SENT)).to_be_visible()
    kill_browser_of(tmp_path)
    line.come_back()
    assert not Claim.objects.exists()
    context = launch()
    page = context.new_page()
    page.goto(url)
    expect(page.get_by_text(REPORTED)).to_be_visible()
    context.close()
    assert [claim.score for claim in Claim.objects.all()] == [(3, 0)]


def kill_browser_of(profile: Path) -> None:
    """Kill the browser that uses this profile, with all its processes."""
    profile_option = f"--user-data-dir={profile}".encode()
    pids = [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdecimal() and profile_option in _command_of(entry)
    ]
    assert pids
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _command_of(process: Path) -> list[bytes]:
    with suppress(OSError):
        return (process / "cmdline").read_bytes().split(b"\0")
    return []


def test_a_portal_that_answers_everything_is_no_line(open_page: OpenPage, hall: str, match: Match) -> None:
    page = open_page(f"{hall}/m/{links.token_for(match, BOB)}/", width=PHONE, touch=True)
    page.context.route("**/api/**", lambda route: route.fulfill(status=200, body="<title>Welcome to our Wi-Fi</title>"))
    report(page)
    expect(page.get_by_text(NOT_SENT)).to_be_visible()
    page.context.unroute("**/api/**")
    expect(page.get_by_text(REPORTED)).to_be_visible(timeout=20_000)
    assert Claim.objects.count() == 1


def test_the_acts_of_a_session_that_is_over_wait_for_its_account(
    open_page: OpenPage, hall: str, match: Match, bob: User, carol: User
) -> None:
    """They are not sent by another account, not even by the opponent's."""
    url = f"{hall}/matches/{match.public_id}/"
    page = open_page(url, user=bob, width=PHONE, touch=True)
    session = sessions_of(page)
    page.context.clear_cookies()
    report(page)
    expect(page.get_by_role("link", name="Sign in as Bob to send 1")).to_be_visible()
    page.context.add_cookies(sessions_of(open_page(f"{hall}/my/", user=carol)))
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.get_by_role("link", name="Sign in as Bob to send 1")).to_be_visible()
    page.goto(url)
    expect(page.get_by_role("heading", name="Report the result")).to_be_visible()
    expect(page.locator("[data-outbox]")).to_be_hidden()
    assert not KeptAct.objects.exists()
    page.context.clear_cookies()
    page.context.add_cookies(session)
    page.goto(url)
    expect(page.get_by_text(REPORTED)).to_be_visible()
    assert [claim.score for claim in Claim.objects.all()] == [(3, 0)]


def test_a_page_that_is_left_while_it_sends_holds_up_nobody(open_page: OpenPage, hall: str, match: Match) -> None:
    """What the old page was asking does not keep the new one in its tab from sending."""
    page = open_page(f"{hall}/m/{links.token_for(match, BOB)}/", width=PHONE, touch=True)
    page.context.set_offline(True)
    report(page)
    expect(page.get_by_text(NOT_SENT)).to_be_visible()
    page.context.route("**/api/**/kept/*", lambda route: None)
    page.context.set_offline(False)
    with page.expect_request("**/api/**/kept/*"):
        page.evaluate("window.dispatchEvent(new Event('online'))")
    page.reload(wait_until="commit")
    page.context.unroute("**/api/**/kept/*")
    expect(page.get_by_text(REPORTED)).to_be_visible(timeout=12_000)
    assert Claim.objects.count() == 1


def sessions_of(page: Page) -> list[Any]:
    """The cookies of the site that a page has, to be given to another."""
    return [
        {"name": cookie["name"], "value": cookie["value"], "domain": cookie["domain"], "path": "/"}
        for cookie in page.context.cookies()
        if cookie["name"] in ("sessionid", "csrftoken")
    ]


def test_what_a_restored_server_has_forgotten_is_sent_again(
    open_page: OpenPage, hall: str, match: Match, bob: User
) -> None:
    """Nobody has to know of it: the page of the match asks how far the outbox has arrived."""
    page = open_page(f"{hall}/matches/{match.public_id}/", user=bob, width=PHONE, touch=True)
    page.context.set_offline(True)
    report(page)
    expect(page.get_by_text(NOT_SENT)).to_be_visible()
    # What has arrived is shown by a page that is loaded again.
    with page.expect_navigation():
        page.context.set_offline(False)
    expect(page.get_by_text(REPORTED)).to_be_visible()
    for model in (KeptAct, Outbox, Claim):
        model._default_manager.all().delete()
    Match.objects.filter(pk=match.pk).update(state=match.state, seq=match.seq)
    page.goto(f"{hall}/matches/{match.public_id}/")
    expect(page.get_by_text(REPORTED)).to_be_visible()
    assert [claim.score for claim in Claim.objects.all()] == [(3, 0)]
    assert list(KeptAct.objects.values_list("number", "outcome")) == [(1, "done")]


def test_a_form_of_an_earlier_session_is_sent_with_the_token_of_the_present_one(
    open_page: OpenPage, hall: str, match: Match, bob: User
) -> None:
    page = open_page(f"{hall}/matches/{match.public_id}/", user=bob, width=PHONE, touch=True)
    page.context.clear_cookies(name="csrftoken")
    report(page)
    expect(page.get_by_text(REPORTED)).to_be_visible()


@pytest.mark.parametrize(
    ("refused", "error"),
    [("IDBObjectStore.prototype.put", "QuotaExceededError"), ("IDBFactory.prototype.open", "SecurityError")],
    ids=["full", "denied"],
)
def test_a_browser_that_stores_nothing_says_so(
    open_page: OpenPage, hall: str, match: Match, refused: str, error: str, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile(error))
    script = f"{refused} = () => {{ throw new DOMException('', '{error}'); }};"
    page = open_page(f"{hall}/m/{links.token_for(match, BOB)}/", width=PHONE, touch=True, script=script)
    page.context.set_offline(True)
    report(page)
    expect(page.get_by_text("This browser cannot keep it. Write it down.")).to_be_visible()
    expect(page.get_by_text(NOT_SENT)).to_be_hidden()


def test_a_confirmation_waits_for_the_line(open_page: OpenPage, line: HallLine, match: Match, carol: User) -> None:
    stated = reports.ScoreReport(BOB, (3, 1))
    reports.report_score(match=match, side=BOB, report=stated, by=Actor.link(BOB), now=timezone.now())
    page = open_page(f"{line.url}/matches/{match.public_id}/", user=carol, width=PHONE, touch=True)
    line.break_off()
    page.get_by_role("button", name="Confirm this score").tap()
    expect(page.locator("[data-outbox-acts]")).to_contain_text("Confirm this score · Bob – Carol")
    page.get_by_role("link", name="How it works").tap()
    expect(page.get_by_text("This needs the server.")).to_be_visible()
    line.come_back()
    expect(page.get_by_text("Bob won 3–1.").first).to_be_visible(timeout=20_000)
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED


@pytest.mark.parametrize("place", ["my", "link"])
def test_a_score_and_the_report_are_kept_where_the_next_match_is_shown(
    open_page: OpenPage, line: HallLine, evening: Tournament, bob: User, place: str, axe: Check, fits: Check
) -> None:
    """Under My matches, and behind the personal link of an event."""
    match = Match.objects.filter(state=Match.State.OPEN).order_by("pk")[1]
    player = match.players[0]
    if place == "my":
        player.user = bob
        player.save()
    path = "/my/" if place == "my" else path_for(evening, player, 0)
    page = open_page(f"{line.url}{path}", user=bob if place == "my" else None, width=PHONE, touch=True)
    line.fall_silent()
    page.locator("summary", has_text="Save the score so far").tap()
    for side, points in enumerate((5, 2)):
        page.locator(f"[data-keep=running-score] [name=score_{side}][value='{points}']").check()
    page.get_by_role("button", name="Save the score so far").tap()
    acts = page.locator("[data-outbox-acts] > li")
    expect(acts).to_have_count(1)
    choose_result(page, "I won", 2)
    page.get_by_role("button", name="I won 7–2").tap()
    expect(acts).to_have_count(2)
    axe(page)
    fits(page)
    line.come_back()
    expect(page.locator("[data-outbox]")).to_be_hidden(timeout=20_000)
    assert list(KeptAct.objects.values_list("action", "outcome")) == [("running-score", "done"), ("claim", "done")]
    assert match.claims.get().score == (7, 2)
