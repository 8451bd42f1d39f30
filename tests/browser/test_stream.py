"""The tabs of a browser share one event stream: one leads, the others follow, and nothing is missed."""

import json
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import uvicorn
from playwright.sync_api import BrowserContext, Page

from config.valkey import free_port
from core.live import stream
from matches.lifecycle.opening import MatchSettings, Opening, open_matches, set_due
from matches.models import Match
from players.actors import SYSTEM
from players.models import Player
from tests.browser.chromium import Chromium
from tests.event_cast import NOW

pytestmark = pytest.mark.django_db(transaction=True)
WATCH = """async ([topics, important, ticket]) => {
    const { watch } = await import("/static/config/stream.js");
    window.seen = [];
    window.states = [];
    window.stop = watch(topics, {
        important,
        ticket: () => ticket,
        change: (topic, seq) => window.seen.push([topic, seq]),
        state: (open) => window.states.push(open),
    });
}"""
WITHOUT_LOCKS = """
Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });
const later = setTimeout;
window.setTimeout = (act, wait, ...rest) => later(act, wait >= 300 && wait <= 600 ? 4 * wait : wait, ...rest);
"""
"""A tab waits for the answer of a leader for four times as long, which on a slow machine comes late."""


class Site:
    """The site under uvicorn, which can be stopped and started again at the same port."""

    def __init__(self) -> None:
        self.port = free_port()
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        from config.asgi import application

        config = uvicorn.Config(application, host="127.0.0.1", port=self.port, lifespan="off", log_config=None)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        self.server.should_exit = self.server.force_exit = True
        self.thread.join(10)


@pytest.fixture
def restartable(transactional_db: None, valkey_server: object) -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


@pytest.fixture(params=["locks", "plain HTTP"])
def context(request: pytest.FixtureRequest, chromium: Chromium, restartable: Site) -> Iterator[BrowserContext]:
    """A browser with and without `navigator.locks`, which plain HTTP does not have."""
    context = chromium.browser.new_context(base_url=restartable.url)
    if request.param == "plain HTTP":
        context.add_init_script(WITHOUT_LOCKS)
    yield context
    chromium.close_contexts()


@pytest.fixture
def streams(context: BrowserContext) -> list[str]:
    """The URLs of the event streams that the browser has opened."""
    urls: list[str] = []
    context.on("request", lambda request: urls.append(request.url) if "/live/?" in request.url else None)
    return urls


@pytest.fixture
def make_match(transactional_db: None) -> Callable[[], Match]:
    def make() -> Match:
        players = (Player.objects.create(name="Bob"), Player.objects.create(name="Carol"))
        return open_matches([Opening(players, 5)], settings=MatchSettings(), by=SYSTEM, now=NOW)[0]

    return make


def tab(context: BrowserContext, *topics: str, important: bool = False, ticket: str = "") -> Page:
    """A page that watches topics."""
    page = context.new_page()
    page.goto("/check/")
    page.evaluate(WATCH, [list(topics), important, ticket])
    return page


def sees(page: Page, match: Match, seq: int) -> None:
    """Wait until the page has been called with a number of the match."""
    page.wait_for_function(
        "([topic, seq]) => window.seen.some(([t, s]) => t === topic && s === seq)",
        arg=[match.topic, seq],
    )


def change(match: Match) -> int:
    """Change the match and return its new number."""
    set_due(match, due_at=NOW, by=SYSTEM)
    match.refresh_from_db()
    return match.seq


def test_two_tabs_share_one_stream_and_see_a_change_within_a_second(
    context: BrowserContext, streams: list[str], make_match: Callable[[], Match]
) -> None:
    match = make_match()
    first = tab(context, match.topic)
    sees(first, match, 0)
    second = tab(context, match.topic)
    sees(second, match, 0)
    seq = change(match)
    sees(first, match, seq)
    sees(second, match, seq)
    assert len(streams) == 1
    assert [page.evaluate("states") for page in (first, second)] == [[True], [True]]


def test_the_stream_covers_what_any_tab_watches(
    context: BrowserContext, streams: list[str], make_match: Callable[[], Match]
) -> None:
    match, other = make_match(), make_match()
    first = tab(context, match.topic)
    sees(first, match, 0)
    second = tab(context, other.topic)
    sees(second, other, 0)
    assert len(streams) == 2
    sees(first, match, seq := change(match))
    sees(second, other, change(other))
    assert first.evaluate("seen") == [[match.topic, 0], [match.topic, seq]]


def test_another_tab_takes_over_when_the_leader_is_closed(
    context: BrowserContext, streams: list[str], make_match: Callable[[], Match]
) -> None:
    match = make_match()
    leader = tab(context, match.topic)
    sees(leader, match, 0)
    follower = tab(context, match.topic)
    sees(follower, match, 0)
    # `close` does not wait for the page, which passes changes on until it is gone.
    with leader.expect_event("close"):
        leader.close(run_before_unload=True)
    # A change that comes before the follower has taken over arrives with the current number.
    sees(follower, match, change(match))
    assert len(streams) == 2


def test_a_restart_of_the_server_is_survived(
    context: BrowserContext, restartable: Site, make_match: Callable[[], Match]
) -> None:
    match = make_match()
    pages = [tab(context, match.topic) for _ in range(2)]
    for page in pages:
        sees(page, match, 0)
    restartable.stop()
    seq = change(match)
    for page in pages:
        page.wait_for_function("() => states.at(-1) === false")
    restartable.start()
    for page in pages:
        sees(page, match, seq)
        page.wait_for_function("() => states.at(-1) === true")
    seq = change(match)
    for page in pages:
        sees(page, match, seq)


def test_a_stream_that_ends_by_itself_is_opened_again_without_a_word(
    context: BrowserContext, streams: list[str], make_match: Callable[[], Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT", 0.2)
    monkeypatch.setattr(stream, "SHORTEST", 0.5)
    monkeypatch.setattr(stream, "LONGEST", 0.5)
    match = make_match()
    page = tab(context, match.topic)
    sees(page, match, 0)
    page.wait_for_event("request", lambda request: "/live/?" in request.url)
    sees(page, match, change(match))
    assert len(streams) >= 2
    assert page.evaluate("states") == [True]


def test_a_silent_connection_is_replaced(
    context: BrowserContext, streams: list[str], make_match: Callable[[], Match], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the network swallowed everything: no heartbeat, and then time passes.
    monkeypatch.setattr(stream, "HEARTBEAT", 3600)
    match = make_match()
    page = context.new_page()
    page.clock.install()
    page.goto("/check/")
    page.evaluate(WATCH, [[match.topic], False, ""])
    page.clock.run_for(2_000)
    sees(page, match, 0)
    with page.expect_request("**/live/**"):
        page.clock.run_for(31_000)
    assert len(streams) >= 2


def test_a_hidden_tab_lets_go_and_catches_up_when_it_is_visible_again(
    context: BrowserContext, make_match: Callable[[], Match], streams: list[str]
) -> None:
    match, important = make_match(), make_match()
    page = context.new_page()
    page.clock.install()
    page.goto("/check/")
    page.evaluate(WATCH, [[match.topic], False, ""])
    page.clock.run_for(2_000)
    sees(page, match, 0)
    hide(page, True)
    page.clock.run_for(61_000)
    page.wait_for_timeout(200)
    seq = change(match)
    page.wait_for_timeout(500)
    assert page.evaluate("seen") == [[match.topic, 0]]
    hide(page, False)
    page.clock.run_for(1_000)
    sees(page, match, seq)
    # What is important is kept.
    page.evaluate("stop()")
    page.evaluate(WATCH, [[important.topic], True, ""])
    page.clock.run_for(2_000)
    sees(page, important, 0)
    hide(page, True)
    page.clock.run_for(61_000)
    seq = change(important)
    sees(page, important, seq)


def hide(page: Page, hidden: bool) -> None:
    page.evaluate(
        """(hidden) => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_a_tab_is_not_disturbed_by_one_that_may_not_watch(
    context: BrowserContext, make_match: Callable[[], Match]
) -> None:
    match, hidden = make_match(), make_match()
    Match.objects.filter(pk=hidden.pk).update(visibility=Match.Visibility.PRIVATE)
    allowed, refused = tab(context, match.topic), tab(context, hidden.topic)
    refused.wait_for_function("() => states.at(-1) === false")
    sees(allowed, match, change(match))
    assert (refused.evaluate("seen"), allowed.evaluate("states.at(-1)")) == ([], True)
    assert json.dumps(allowed.evaluate("seen")).count(hidden.topic) == 0
