"""A real browser against a real server: the pages that tests open in it, and what each must fulfil."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import urljoin

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page

from matches.analysis.backends import chosen
from matches.analysis.backends.processes import ProgramLimits
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.browser.chromium import HALL, Chromium
from tests.browser.fonts import FILES, family_for
from tests.browser.hall_line import HallLine
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


def _longer(*waits: int) -> str:
    """Return a script that makes these waits of a page, in ms, five times as long: a slow machine misses none."""
    return f"""const later = setTimeout;
window.setTimeout = (act, wait, ...rest) => later(act, {list(waits)}.includes(wait) ? 5 * wait : wait, ...rest);"""


SLOWLY = _longer(500, 700, 900, 2500)
"""Lets the throws for the opening, and who has won, stay for longer."""
STAYS = _longer(1500, 2000)
"""Lets the words that something was copied stay for longer."""

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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat the tests of layout, which are those that use `fits`, in each family of fonts: one now, two as slow."""
    if "fits" in metafunc.fixturenames:
        name = metafunc.function.__name__
        families = [pytest.param(each, marks=[pytest.mark.slow] * (each != family_for(name))) for each in FILES]
        metafunc.parametrize("font_family", families, indirect=True)


@pytest.fixture(autouse=True)
def _programs_compete(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages wait for programs of analyses, to whose usual priority other tests leave no time on a busy machine."""
    monkeypatch.setattr(chosen, "ProgramLimits", partial(ProgramLimits, niceness=0))


@pytest.fixture
def site(server: str, transactional_db: None) -> str:
    """The URL of the site with an empty database, which the server's threads see too."""
    return server


@pytest.fixture
def hall(site: str) -> str:
    """The URL of the site in a hall: plain HTTP under a name that is not localhost."""
    return site.replace("127.0.0.1", HALL)


@pytest.fixture
def line(hall: str) -> Iterator[HallLine]:
    """The line of a hall to the site, which falls silent, breaks and comes back."""
    made = HallLine(int(hall.rpartition(":")[2]))
    yield made
    made.close()


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
        worker: bool = False,
    ) -> Page:
        context = browser.new_context(
            base_url=site,
            viewport={"width": width, "height": HEIGHT.get(width, 800)},
            color_scheme=scheme,
            has_touch=touch,
            # What tests cut and change of the network does not reach a worker.
            service_workers="allow" if worker else "block",
            # As for whoever taps in a browser with a window; chromium-headless-shell grants it only if asked.
            permissions=["clipboard-write"],
        )
        if user is not None:
            client = Client()
            client.force_login(user)
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            url = urljoin(urljoin(site, path), "/")
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": url}])
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
def axe_lang() -> Check:
    """Fail with axe's report if the page or a part of it does not say its language, or by a wrong code."""
    rules = ["html-has-lang", "html-lang-valid", "valid-lang"]
    options = {"runOnly": {"type": "rule", "values": rules}, "resultTypes": ["violations"], "iframes": False}

    def check(page: Page) -> None:
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


PRIMARY_BUTTONS = """() => {
  const screen = document.querySelector("dialog[open]") ?? document.querySelector("main") ?? document;
  return [...screen.querySelectorAll(".button-primary")].filter((button) => button.getClientRects().length).length;
}"""
"""Count them at one moment: a dialog may just be opening."""


@pytest.fixture
def looked_at(axe: Check, fits: Check) -> Check:
    """Fail unless the page is accessible, fits its window and has at most one primary button."""

    def check(page: Page) -> None:
        page.wait_for_load_state()
        fits(page)
        axe(page)
        assert page.evaluate(PRIMARY_BUTTONS) <= 1

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
