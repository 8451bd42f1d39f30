"""A real browser against a real server: the pages that tests open in it, and what each must fulfil."""

import os
import re
import threading
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page

from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.browser.chromium import HALL, Chromium
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tournaments.draws import services as draws
from tournaments.events import services as events
from tournaments.models import Division

# Playwright's event loop runs in the tests' thread, so Django would take our queries for async code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

PHONE, DESK = 390, 1280
VIEWS = ((PHONE, "dark"), (DESK, "light"))
"""The views of the pages: each width and each theme once, since the layout does not depend on colours."""
HEIGHT = {PHONE: 844, DESK: 800}
ENDED_WITH_ITS_PAGE = re.compile(r": htmx:(?:afterRequest|sendError|sendAbort), \[object HTMLElement\]$")
"""What htmx logs about a request that was under way when its page was left. If one fails, the browser logs it too."""

SETTLED = """() => {
  const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
  return Promise.race([
    Promise.allSettled(transitions.map((each) => each.finished)),
    new Promise((resolve) => setTimeout(resolve, 1_000)),
  ]).then(() => null);
}"""
"""Wait for the transitions to the colours and sizes of another view, a second at most."""

NAMES = (
    "Elif Ristic", "Omar Kageyama", "花子 山田", "Wolfeschlegelsteinhausenbergerdorff Featherstonehaugh", "Ng",
    "Maximiliane Konstantinopolitanischer-Dudelsackpfeifer", "Íngrid Lylloff", "Søren Simonsen", "Zoe Ballard",
    "Victor Gulyas", "Kit Weinberg", "Anna Tomar", "Gus Wright", "Mei Trencsenyi", "Aki Olsen", "Uma Levermann",
)  # fmt: skip

IGNORED_HEADER = re.compile("The Cross-Origin-Opener-Policy header has been ignored")
"""What the browser logs about each page in a hall."""
OpenPage = Callable[..., Page]
Check = Callable[[Page], None]


def follow(link: Locator) -> None:
    """Click and wait for the page it leads to; a click alone returns before that has loaded."""
    with link.page.expect_navigation():
        link.click()


@pytest.fixture
def site(server: str, transactional_db: None) -> str:
    """The URL of the site with an empty database, which the server's threads see too."""
    return server


@pytest.fixture
def hall(site: str) -> str:
    """The URL of the site in a hall: plain HTTP under a name that is not localhost."""
    return site.replace("127.0.0.1", HALL)


@pytest.fixture
def browser(chromium: Chromium, site: str) -> Iterator[Browser]:
    """The browser; its pages are closed before the database is emptied."""
    yield chromium.browser
    chromium.close_contexts()


@pytest.fixture
def club(site: str, alice: User) -> Club:
    """Alice's club."""
    club = Club.objects.create(name="Harbour Backgammon", slug="harbour", time_zone="Europe/Copenhagen")
    alice_player = Player.objects.create(name="Alice", user=alice)
    Membership.objects.create(club=club, player=alice_player, role=Membership.Role.OWNER)
    return club


@pytest.fixture
def builder(club: Club, alice: User) -> DivisionBuilder:
    """An event of the club."""
    by, now = Actor.of(alice), timezone.now()
    tournament = events.create_tournament(club=club, by=by, now=now, name="Harbour Weekend", starts_at=now)

    def make_division(**fields: object) -> Division:
        tournament.refresh_from_db()
        return events.create_division(tournament=tournament, by=by, now=now, **{"name": "Open", **fields})

    def make_players(count: int) -> list[Player]:
        names = [*NAMES, *(f"Player {number}" for number in range(len(NAMES), count))][:count]
        return [Player.objects.create(name=name) for name in names]

    return DivisionBuilder(make_division, make_players, by)


@pytest.fixture
def draw_worker(site: str) -> Iterator[None]:
    """Make the requested drafts, as a worker would."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            for draw in draws.Draw.objects.filter(state="requested"):
                draws.make_draft(draw_id=draw.pk, now=timezone.now())
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join(10)


@pytest.fixture
def expected_errors() -> list[re.Pattern[str]]:
    """What pages may log as an error in this test, such as a network that it cuts."""
    return []


@pytest.fixture
def open_page(
    chromium: Chromium, browser: Browser, site: str, expected_errors: list[re.Pattern[str]]
) -> Iterator[OpenPage]:
    """Open a path at a width, in a colour scheme, as a user: `open_page("/check/", width=PHONE, scheme="dark")`.

    At the end no page may have logged an error: a refused script, a missing file, an exception.
    """
    errors: list[str] = []

    def open_it(
        path: str,
        *,
        width: int = DESK,
        scheme: str = "light",
        user: User | None = None,
        touch: bool = False,
        script: str = "",
    ) -> Page:
        context = browser.new_context(
            base_url=site,
            viewport={"width": width, "height": HEIGHT.get(width, 800)},
            color_scheme=scheme,
            has_touch=touch,
            # As for whoever taps in a browser with a window; chromium-headless-shell grants it only if asked.
            permissions=["clipboard-write"],
        )
        if user is not None:
            client = Client()
            client.force_login(user)
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": site}])
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
        page.on("console", lambda line: errors.append(f"{page.url}: {line.text}") if line.type == "error" else None)
        page.goto(path)
        return page

    yield open_it
    chromium.close_contexts()
    ignored = [ENDED_WITH_ITS_PAGE, IGNORED_HEADER, *expected_errors]
    assert [error for error in errors if not any(expected.search(error) for expected in ignored)] == []


@pytest.fixture(scope="session")
def axe() -> Check:
    """Fail with axe's report if it finds anything on the page."""
    options = {"resultTypes": ["violations"], "iframes": False, "preload": False}

    def check(page: Page) -> None:
        # Reading the script takes as long as checking a page, and it stays until the next page.
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        violations = page.evaluate("options => axe.run(options).then(({ violations }) => violations)", options)
        assert violations == [], AxeResults({"violations": violations}).generate_report()

    return check


@pytest.fixture(scope="session")
def fits() -> Check:
    """Fail if the page scrolls sideways."""

    def check(page: Page) -> None:
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{page.url} is {wide} px wider than its window"

    return check


@pytest.fixture
def looked_at(axe: Check, fits: Check) -> Check:
    """Fail unless the page is accessible, fits its window and has at most one primary button."""

    def check(page: Page) -> None:
        page.wait_for_load_state()
        fits(page)
        axe(page)
        sheet = page.locator("dialog[open]")
        screen = sheet if sheet.count() else page.locator("main")
        assert screen.locator(".button-primary:visible").count() <= 1

    return check


@pytest.fixture
def in_both_views(looked_at: Check) -> Check:
    """Look at the page as it is now in both views, on the phone last, where the test goes on."""

    def check(page: Page) -> None:
        for width, scheme in reversed(VIEWS):
            view(page, width, scheme)
            looked_at(page)

    return check


def view(page: Page, width: int, scheme: str) -> None:
    """Give the page a width and a theme, and wait until it has taken them on."""
    page.set_viewport_size({"width": width, "height": HEIGHT.get(width, HEIGHT[DESK])})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.evaluate(SETTLED)
