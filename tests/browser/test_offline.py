"""Over HTTPS, or on localhost, no page of the site ends on the browser's own error page when the server is away."""

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from config.offline import FILES
from config.static_files import slimmed
from players.actors import Actor
from players.models import Club, User
from tests.browser.chromium import ARGUMENTS, PATH, Chromium
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.browser.line import BAD_GATEWAY, PORTAL, UNAVAILABLE, WEB_SERVER_IS_DOWN, Line, line_to
from tests.browser.test_play import eventually
from tests.event_cast import RunningEvent
from tournaments.floor.evening import open_floor

LONG = 12
"""Seconds after which a page that is read would be awaited behind the shell."""
PICTURES = os.environ.get("OFFLINE_PICTURES", "")
HAS_WORKER = """() => Promise.race([
  new Promise((resolve) => setTimeout(resolve, 30_000, false)),
  new Promise((resolve) => {
    if (navigator.serviceWorker.controller) resolve(true);
    navigator.serviceWorker.addEventListener("controllerchange", () => resolve(true));
  }),
])"""
CACHED = """async () => {
  const urls = [];
  for (const name of await caches.keys()) {
    for (const request of await (await caches.open(name)).keys()) urls.push(new URL(request.url).pathname);
  }
  return urls;
}"""
BODIES = """async () => {
  const bodies = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      bodies[new URL(request.url).pathname] = await (await cache.match(request, { ignoreVary: true })).text();
    }
  }
  return bodies;
}"""
PUT = """([store, key, value]) => new Promise((resolve, reject) => {
  const request = indexedDB.open("barpoint");
  request.onerror = reject;
  request.onsuccess = () => {
    const transaction = request.result.transaction(store, "readwrite");
    transaction.objectStore(store).put(value, key);
    transaction.oncomplete = () => resolve(request.result.close());
  };
})"""
OUTCOMES = """({ source, cases }) => {
  const scope = { location: { origin: "https://club.example" }, addEventListener() {} };
  const { kindOf, answerTo } = new Function("self", `${source}; return { kindOf, answerTo };`)(scope);
  return cases.map(({ method, mode, url, status, kept, mark, type, hasLeft }) => {
    const kind = kindOf({ method, mode, url });
    if (kind === "" || kind === "file") return kind;
    const headers = new Headers({ ...(kept && { "Kept-Offline": kept }), ...(mark && { [mark]: "1" }) });
    const response = { status, type: type ?? "basic", ok: status < 400, redirected: false, headers };
    return answerTo(kind, { method, mode }, status || type ? response : null, hasLeft);
  });
}"""
CUTS = {"refused": b"", "502": BAD_GATEWAY, "503": UNAVAILABLE, "521": WEB_SERVER_IS_DOWN, "portal": PORTAL}
NOT_KNOWN = "We do not know whether this was done. Look before you do it again."
NETWORKS: dict[str, dict[str, Any]] = {
    "up": {"status": 200, "mark": "Barpoint"},
    "down": {"status": 0, "hasLeft": False},
    "503 with our page": {"status": 503, "mark": "Barpoint"},
    "up, Kept-Offline: public": {"status": 200, "kept": "public", "mark": "Barpoint"},
}
MEANT = {
    "network; not stored": "network",
    "network; stored as the last wall": "network and keep",
    "the last wall, with its time": "last wall",
    "not touched": "",
    "not touched: fails": "",
    "cache if it is of the shell": "file",
    "cache if it is of the shell, else fails": "file",
}


@pytest.fixture
def line(site: str) -> Iterator[Line]:
    with line_to(site) as line:
        yield line


@pytest.fixture(autouse=True)
def _cut_lines_are_logged(expected_errors: list[re.Pattern[str]]) -> None:
    logged = r"net::ERR_|status of [45]|Failed to fetch|htmx:(?:afterRequest|sendError)|has a MIME type"
    expected_errors.append(re.compile(logged))


@pytest.fixture
def evening(running: RunningEvent, alice: User) -> RunningEvent:
    """Bob plays Carol in M1, and the floor is open."""
    event = running.tournament
    event.tables = 2
    event.save()
    open_floor(tournament=event, by=Actor.of(alice), now=timezone.now())
    return running


def signed_in(context: BrowserContext, user: User, url: str) -> Page:
    """Return a page of the context in which this user is signed in."""
    client = Client()
    client.force_login(user)
    name = site_settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])
    return context.new_page()


def ready(page: Page) -> None:
    """Wait until the worker answers for the page."""
    assert page.evaluate(HAS_WORKER)


def is_shell(page: Page) -> None:
    expect(page.get_by_role("heading", name="No connection", exact=True)).to_be_visible()


def stop_worker(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("ServiceWorker.enable")
    session.send("ServiceWorker.stopAllWorkers")


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


def outcomes(page: Page, line: Line, cases: list[dict[str, Any]]) -> list[str]:
    """What the worker would do with these requests, by the functions that decide it."""
    source = Client().get(reverse("service-worker")).content.decode()
    page.goto("about:blank")
    found: list[str] = page.evaluate(OUTCOMES, {"source": source, "cases": cases})
    return found


def test_the_given_cases(open_page: OpenPage, line: Line, shared_data: Path) -> None:
    if not (shared_data / "offline").is_dir():
        pytest.skip("no cases of the worker beside the project")
    cases = json.loads((shared_data / "offline" / "worker.json").read_text())["cases"]
    assert cases
    shell_files = dict.fromkeys(re.findall(r"/static/\S+", " ".join(case["url"] for case in cases)), "")
    for url in shell_files:
        # What the shell read in the outbox has a file of its own now.
        shell_files[url] = re.sub(r"\.[0-9a-f]{12}\.", ".", url).replace("/outbox.", "/kept_store.")
    sent = [case | NETWORKS[case["network"]] | {"url": shell_files.get(case["url"], case["url"])} for case in cases]
    found = outcomes(open_page("/"), line, sent)
    assert found == [MEANT.get(case["expect"], case["expect"]) for case in cases]


def test_what_else_the_worker_decides(open_page: OpenPage, line: Line) -> None:
    wall, page = "/events/a/b/wall/", "/my/"
    ours, earlier, foreign = "Barpoint", "X-Request-ID", "Server"
    cases: list[tuple[str, str, str, int, str, str, str]] = [
        *(("GET", "navigate", page, status, foreign, "", "shell") for status in (200, 403, 502, 503, 504, 521)),
        *(("POST", "navigate", page, status, foreign, "", "shell: not known") for status in (200, 502, 503, 521)),
        *(("GET", "navigate", page, status, ours, "", "network") for status in (200, 404, 500, 502, 503)),
        ("POST", "navigate", page, 503, ours, "", "network"),
        # A site that goes back to an earlier version is not shut out.
        ("GET", "navigate", page, 200, earlier, "", "network"),
        ("GET", "navigate", page, 503, earlier, "", "shell"),
        ("GET", "navigate", page, 200, ours, "public", "network"),
        ("GET", "navigate", wall, 200, ours, "", "network"),
        ("GET", "navigate", wall, 200, foreign, "public", "last wall"),
        ("GET", "navigate", wall, 404, ours, "public", "network"),
        ("GET", "cors", wall, 200, ours, "public", "network and keep"),
        ("GET", "cors", wall, 200, foreign, "public", "network"),
        ("GET", "cors", wall, 0, "", "", "network"),
        ("POST", "navigate", wall, 0, "", "", "shell: not known"),
        ("GET", "cors", page, 0, "", "", ""),
        ("GET", "script", "/static/config/polling.js", 0, "", "", ""),
        ("GET", "navigate", "https://club.example.test/my/", 0, "", "", ""),
    ]
    names = ("method", "mode", "url", "status", "mark", "kept", "expect")
    sent = [dict(zip(names, case, strict=True)) for case in cases]
    # The browser lets nobody read the headers of a redirect.
    redirect = {"status": 0, "type": "opaqueredirect", "url": page, "mode": "navigate", "expect": "network"}
    sent += [redirect | {"method": method} for method in ("GET", "POST")]
    assert outcomes(open_page("/"), line, sent) == [case["expect"] for case in sent]


def test_pages_are_reloaded_without_the_server(
    open_page: OpenPage, line: Line, evening: RunningEvent, bob: User, in_both_views: Check
) -> None:
    page = open_page(f"{line.url}/my/", user=bob, width=PHONE, worker=True)
    ready(page)
    for cut in CUTS.values():
        line.cut(cut)
        page.reload()
        is_shell(page)
        expect(page.get_by_role("heading", name="My matches")).to_be_visible()
        expect(page.get_by_text("Carol", exact=True)).to_be_visible()
        line.mend()
        page.goto(f"{line.url}/my/")
        expect(page.get_by_role("heading", name="No connection")).to_have_count(0)
    line.cut()
    page.goto(f"{line.url}/players/")
    is_shell(page)
    expect(page.get_by_role("link", name="My matches")).to_be_visible()
    in_both_views(page)
    picture(page, "shell-elsewhere")
    # Back on the page once the server is back.
    page.get_by_role("link", name="My matches").click()
    is_shell(page)
    line.mend()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Calendar")).to_be_visible()


def test_a_form_says_that_nothing_was_sent(open_page: OpenPage, line: Line, bob: User) -> None:
    page = open_page(f"{line.url}/my/", user=bob, worker=True)
    ready(page)
    page.goto(f"{line.url}/preferences/")
    page.locator("#id_display_name").fill("Bobby")
    line.cut()
    page.locator("form", has=page.locator("#id_display_name")).get_by_role("button", name="Save").click()
    is_shell(page)
    expect(page.get_by_text("Nothing was sent. Go back: what you typed is there.")).to_be_visible()
    picture(page, "shell-nothing-sent")
    # What was typed is there, also where the way back leads through this page again.
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("button", name="Back")).to_have_count(0)
    is_shell(page)
    line.mend()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#id_display_name")).to_have_value("Bobby")
    assert not User.objects.filter(display_name="Bobby").exists()
    # The browser sends it when the page that has failed is loaded again.
    line.cut()
    page.locator("form", has=page.locator("#id_display_name")).get_by_role("button", name="Save").click()
    is_shell(page)
    line.mend()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#id_display_name")).to_have_value("Bobby")
    assert User.objects.filter(display_name="Bobby").exists()


SAVE = "form:has(#id_display_name) button:has-text('Save')"


def change_name(page: Page, line: Line, name: str) -> None:
    page.goto(f"{line.url}/preferences/")
    page.locator("#id_display_name").fill(name)


@pytest.mark.parametrize("cut", ["answer lost", "502", "503", "521", "portal"])
def test_a_form_without_an_answer_is_not_said_to_be_unsent(
    open_page: OpenPage, line: Line, bob: User, cut: str
) -> None:
    page = open_page(f"{line.url}/my/", user=bob, worker=True)
    ready(page)
    change_name(page, line, "Bobby")
    if cut == "answer lost":
        line.lose_answers()
    else:
        line.cut(CUTS[cut])
    page.locator(SAVE).click()
    is_shell(page)
    expect(page.get_by_text(NOT_KNOWN)).to_be_visible()
    expect(page.get_by_text("Nothing was sent")).to_be_hidden()
    # It would send the form again.
    expect(page.get_by_role("button", name="Try again")).to_be_hidden()
    line.mend()
    page.get_by_role("link", name="Look at the page").click()
    page.wait_for_url(f"{line.url}/preferences/")
    name = "Bobby" if cut == "answer lost" else "Bob"
    expect(page.locator("#id_display_name")).to_have_value(name)
    bob.refresh_from_db()
    assert bob.display_name == name


def test_so_is_a_form_whose_answer_breaks_off(open_page: OpenPage, line: Line, bob: User, in_both_views: Check) -> None:
    page = open_page(f"{line.url}/my/", user=bob, width=PHONE, worker=True)
    ready(page)
    change_name(page, line, "")
    page.locator("form:has(#id_display_name)").evaluate("(form) => { form.noValidate = true; }")
    line.lose_answers(after=3000)
    page.locator(SAVE).click()
    is_shell(page)
    expect(page.get_by_text(NOT_KNOWN)).to_be_visible()
    in_both_views(page)
    picture(page, "shell-not-known")


def test_a_page_that_is_slow_is_awaited_behind_the_shell(
    open_page: OpenPage, line: Line, bob: User, in_both_views: Check
) -> None:
    page = open_page(f"{line.url}/my/", user=bob, width=PHONE, worker=True)
    ready(page)
    for is_kept, url in ((True, "/preferences/#email"), (False, "/preferences/")):
        line.hold()
        page.goto(f"{line.url}{url}", wait_until="commit")
        is_shell(page)
        expect(page.get_by_text("The site is slow to answer.")).to_be_visible()
        expect(page.get_by_text(NOT_KNOWN)).to_be_hidden()
        if is_kept:
            in_both_views(page)
            picture(page, "shell-awaited")
        line.mend()
        tap = page.get_by_role("button", name="The page is here")
        expect(tap).to_be_visible()
        if not is_kept:
            # The browser may end it at any time.
            stop_worker(page)
        else:
            line.hold()
        tap.click()
        expect(page.locator("#id_display_name")).to_have_value("Bob")


def test_a_form_and_a_download_may_take_long(open_page: OpenPage, line: Line, bob: User) -> None:
    page = open_page(f"{line.url}/my/", user=bob, worker=True)
    ready(page)
    change_name(page, line, "Bobby")
    line.hold()
    page.locator(SAVE).click(no_wait_after=True)
    time.sleep(LONG)
    line.mend()
    expect(page.locator("#id_display_name")).to_have_value("Bobby")
    bob.refresh_from_db()
    assert bob.display_name == "Bobby"
    line.hold()
    with page.expect_download() as download:
        page.evaluate("location.assign('/rankings/ranking.csv')")
        time.sleep(LONG)
        line.mend()
    assert download.value.suggested_filename.endswith(".csv")


def test_the_wall_shows_what_it_read_last(open_page: OpenPage, line: Line, evening: RunningEvent, alice: User) -> None:
    page = open_page(f"{line.url}{evening.url}wall/", user=alice, worker=True)
    ready(page)
    assert "wall" not in " ".join(page.evaluate(CACHED)).replace("/static/display/wall", "")
    # Read after the page was opened, as every 20 s.
    read, wall = "() => void fetch(location.href, { cache: 'no-store' })", f"{evening.url}wall/"
    page.evaluate(read)
    eventually(lambda: wall in page.evaluate(CACHED))
    line.cut()
    page.reload()
    expect(page.get_by_role("link", name=evening.tournament.name)).to_be_visible()
    expect(page.get_by_text(re.compile(r"No connection · as of \d\d:\d\d"))).to_be_visible()
    # Another wall, or one that is not for everybody any more, is not there.
    page.goto(f"{line.url}/events/harbour/other/wall/")
    is_shell(page)
    expect(page.get_by_role("link", name="Last wall screen")).to_be_visible()
    line.mend()
    evening.tournament.status = "draft"
    evening.tournament.save()
    page.goto(f"{line.url}{evening.url}wall/")
    page.evaluate(read)
    eventually(lambda: wall not in page.evaluate(CACHED))
    line.cut()
    page.reload()
    is_shell(page)


def test_the_floor_lists_its_matches_without_the_server(
    open_page: OpenPage, line: Line, evening: RunningEvent, alice: User, in_both_views: Check
) -> None:
    page = open_page(f"{line.url}{evening.url}floor/", user=alice, width=PHONE, worker=True)
    ready(page)
    data = page.evaluate(f"fetch('/api/v1/tournaments/{evening.tournament.public_id}/floor/').then((r) => r.json())")
    page.evaluate(PUT, ["data", [str(alice.pk), evening.tournament.topic], data])
    line.cut()
    page.reload()
    is_shell(page)
    expect(page.get_by_role("heading", name=evening.tournament.name)).to_be_visible()
    expect(page.get_by_text(re.compile("Bob – Carol|Carol – Bob"))).to_be_visible()
    in_both_views(page)
    # Twelve hours after the event nothing of it is shown.
    page.evaluate(PUT, ["data", [str(alice.pk), evening.tournament.topic], data | {"until": 1}])
    page.reload()
    expect(page.get_by_role("heading", name=evening.tournament.name)).to_be_visible()
    expect(page.get_by_text("Carol")).to_have_count(0)
    picture(page, "shell-floor")


def test_switched_off_it_leaves_nothing_behind(open_page: OpenPage, line: Line, bob: User, settings: Any) -> None:
    page = open_page(f"{line.url}/my/", user=bob, worker=True)
    ready(page)
    assert page.evaluate(CACHED)
    settings.SERVICE_WORKER = False
    assert "keepPages" not in Client().get(reverse("service-worker")).content.decode()
    page.reload()
    is_gone = "navigator.serviceWorker.getRegistration('/').then((found) => found === undefined)"
    eventually(lambda: page.evaluate(is_gone))
    assert page.evaluate("caches.keys()") == []
    page.reload()
    assert page.evaluate(is_gone)


def test_somebody_wants_no_pages_on_this_device(open_page: OpenPage, line: Line, bob: User, looked_at: Check) -> None:
    page = open_page(f"{line.url}/my/", user=bob, worker=True)
    ready(page)
    page.goto(f"{line.url}/preferences/")
    choice = page.get_by_label("Keep pages on this device")
    expect(choice).to_be_checked()
    looked_at(page)
    choice.uncheck()
    eventually(lambda: page.evaluate(CACHED) == [])
    page.reload()
    expect(choice).not_to_be_checked()
    choice.check()
    eventually(lambda: set(page.evaluate(CACHED)) == {"/offline/", *map(static, FILES)})


def test_only_what_is_for_everybody_is_stored(
    open_page: OpenPage, line: Line, evening: RunningEvent, alice: User, bob: User
) -> None:
    page = open_page(f"{line.url}/my/", user=alice, worker=True)
    ready(page)
    event, public_id = evening.tournament, evening.fixture.match.public_id if evening.fixture.match else ""
    paths = [
        "/", "/my/", "/preferences/", "/notifications/", "/players/", "/events/", "/clubs/harbour/", "/help/players/",
        evening.url, evening.division_url, evening.fixture_url, f"{evening.url}floor/", f"{evening.url}wall/",
        f"{evening.url}paper/", f"/matches/{public_id}/", f"/api/v1/tournaments/{event.public_id}/floor/",
    ]  # fmt: skip
    for path in paths:
        page.goto(f"{line.url}{path}")
    page.goto(f"{line.url}{evening.url}wall/")
    allowed = {"/offline/", f"{evening.url}wall/", *map(static, FILES)}
    assert set(page.evaluate(CACHED)) == allowed
    bodies = page.evaluate(BODIES)
    assert len(bodies) == len(allowed)
    for secret in (alice.email, "csrfmiddlewaretoken", "data-reader", "data-browser-session"):
        assert not [path for path, body in bodies.items() if path.endswith("/") and secret in body], secret


def test_the_files_are_few() -> None:
    sizes = {}
    for name in FILES:
        source = Path(str(finders.find(name))).read_text()
        sizes[name] = len(slimmed(source, is_style=name.endswith(".css")))
    assert sum(sizes.values()) <= 60 * 1024, sizes


def test_the_club_can_be_installed(chromium: Chromium, site: str, club: Club, tmp_path: Path) -> None:
    # The browser without windows installs nothing.
    whole = shutil.which("chromium") or PATH
    launch = chromium.playwright.chromium.launch_persistent_context
    context = launch(tmp_path, executable_path=whole, args=list(ARGUMENTS))
    try:
        page = context.new_page()
        session = context.new_cdp_session(page)
        page.goto(f"{site}/help/players/")
        page.wait_for_timeout(500)
        if session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []:
            pytest.skip("this browser does not check what can be installed")
        page.goto(f"{site}/clubs/{club.slug}/")
        page.wait_for_timeout(500)
        assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
        manifest = session.send("Page.getAppManifest")
        assert (manifest["url"], manifest["errors"]) == (f"{site}/clubs/{club.slug}/app.webmanifest", [])
    finally:
        context.close()
