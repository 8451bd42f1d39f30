"""Every message of board, floor, match page and arrivals can be seen and answered, from a small phone to a desk."""

import re
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Error, Page, Route, expect
from redis import Redis

from core.live import presence
from engine.actions import Act
from engine.clock import DAY, MINUTE, SECOND, ClockSettings
from engine.ids import xgid
from matches.lifecycle.links import token_for
from matches.models import Action, Challenge, LiveMatch, Match
from matches.play import absences, bots, clock_worker, due, hints
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.lobby import services as lobby
from matches.play.lobby.services import BOT_SIDE, ChallengeInput
from matches.play.starting import PlaySettings, commit_chain, start
from matches.reporting.reports import ScoreReport, report_score
from players.actors import SYSTEM, Actor
from players.models import Club, Outbox, Player, User
from tests.browser.conftest import OpenPage, follow
from tests.browser.result_form import choose_result
from tests.browser.test_floor import evening
from tests.browser.test_floor_without_rounds import by_alice
from tests.browser.test_play import BOB, CAROL, Seat
from tests.matches.analysis.programs import fake_gnubg
from tests.matches.cast import match_between, player_of
from tests.matches.play.conftest import Board, match, users
from tests.matches.play.lobby.test_levels import practise
from tests.matches.play.lobby.test_practice import live_of, play_on
from tests.matches.play.lobby.test_practice import practise as practise_with_bot
from tests.tournaments.floor.test_batches import people
from tests.tournaments.floor.test_batches import start as start_night
from tests.tournaments.support.drawn_divisions import DivisionBuilder
from tools.lint_templates import with_included
from tournaments.entries import services as entries
from tournaments.models import Tournament

__all__ = ["by_alice", "evening", "match", "people", "start_night", "users"]

SIZES = ((320, 568), (375, 667), (390, 844), (932, 430), (1280, 800))
PATIENCE = 20.0
"""Seconds."""
TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
TAG = re.compile(r"<([a-z]+)((?:[^<>\"{]|\"[^\"]*\"|\{%.*?%\}|\{\{.*?\}\})*)>", re.DOTALL)
CLASS = r"(?:[\w-]+-)?(?:message|alert|error|banner|notice|toast|undo|call)|undo-start|play-panel"
MESSAGE = re.compile(rf'\brole="(?:status|alert)"|\baria-live=|\bdata-say=|\bclass="(?:[^"]*\s)?(?:{CLASS})(?=[\s"{{])')
"""What makes an element a message: how screen readers hear it, or a class with such a name."""
NAMES = (
    (r'\bid="([\w-]+)"', "#{}"),
    (r'\b(data-(?:banner|panel|say)="[\w-]+")', "[{}]"),
    (rf'\bclass="(?:[^"]*\s)?({CLASS})(?=[\s"{{])', ".{}"),
    (r"\s(data-[\w-]+)", "[{}]"),
    (r'\bclass="([\w-]+)', ".{}"),
)
KEPT_STOPS = "_partials/_kept_stops.html"
"""Why what is kept is not sent; looked at on the page of a match."""
FLOOR_BAR = "tournaments/floor/_offline.html"
"""Its sentences are looked at in test_floor_offline."""
GENERAL = ("", ".small", ".stack-s")
"""Names that say nothing of a message."""
NOT_ALONE = {
    "#announcer": "for screen readers alone",
    "#end": "the result of a match",
    ".message-error": "of a list none of whose fields is at fault, which does not happen",
    ".stack-s of matches/reporting/_outbox.html": "around what it says",
    "#sign-out-question": "a dialog in the middle of every page, looked at in test_sign_out",
    "#sign-out-failed": "in that dialog",
    "div of _partials/_messages.html": "around the messages",
    "p of players/notifications/_bell.html": "in the call",
    "li of clubhouse/_quick.html": "in the outcomes",
    ".end-error": "a decision of the match",
    ".small of matches/play/_end.html": "in the result",
    ".stack-s of matches/play/_end.html": "in the result",
}
"""What is heard as a message but is not one by itself, and why."""


class Messages:
    """The messages that a page can show, found in its templates: the selector of each, and where it is written."""

    def __init__(self, *templates: str, elsewhere: str = KEPT_STOPS) -> None:
        self.found: dict[str, str] = {}
        for template, text in with_included(*templates, folder=TEMPLATES).items():
            if template != elsewhere:
                self._add(template, text)

    def _add(self, template: str, text: str) -> None:
        for tag, attributes in TAG.findall(text):
            if tag != "dialog" and not MESSAGE.search(attributes):
                continue
            name = _selector_of(attributes)
            if name in GENERAL:
                name = f"{name or tag} of {template}"
            if name not in NOT_ALONE and not (template == FLOOR_BAR and "data-say" in name):
                self.found.setdefault(name, template)


def _selector_of(attributes: str) -> str:
    for pattern, form in NAMES:
        if name := re.search(pattern, attributes):
            return form.format(name[1])
    return ""


COVERED = """([selector, beside]) => {
  const faults = [];
  const seen = (element) => element.checkVisibility();
  const named = ({ tagName, id, className }) => `<${tagName.toLowerCase()} ${id || className}>`;
  const look = (element, what, places = [0.5]) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    for (const place of places) {
      const at = Math.min(Math.max(place * height, 4), height - 4);
      const top = document.elementFromPoint(x + width / 2, y + at);
      const over = top ? named(top) : "outside the window";
      if (!element.contains(top)) faults.push(`${100 * place} % of ${what}: ${over}`);
    }
  };
  const check = (where) => {
    const messages = [...document.querySelectorAll(selector)].filter(seen);
    if (!messages.length) faults.push(`no ${selector}${where}`);
    for (const message of messages) {
      look(message, `${selector}${where}`, [0, 0.5, 1]);
      for (const button of message.querySelectorAll("button, .button")) {
        if (message.matches("dialog")) button.scrollIntoView({ block: "nearest" });
        if (seen(button)) look(button, `“${button.textContent.trim()}”${where}`);
      }
    }
  };
  const panels = beside ? [...document.querySelectorAll("[data-panel]")] : [];
  const hidden = panels.map((panel) => panel.hidden);
  if (!beside) check("");
  for (const open of panels) {
    for (const panel of panels) panel.hidden = panel !== open;
    check(` beside ${open.dataset.panel}`);
  }
  panels.forEach((panel, at) => (panel.hidden = hidden[at]));
  return faults;
}"""
"""What lies over a message or its buttons; on the board beside each panel of actions in turn."""


class Reader:
    """A page, and which of its messages were seen in every window."""

    def __init__(self, page: Page) -> None:
        self.page, self.seen = page, set[str]()

    def sees(self, *messages: str, beside_panels: bool = False, after: Callable[[], Any] | None = None) -> None:
        """Fail if one of these messages, or a button of it, is covered; `after` is done to see it."""
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.wait_for_function(
                "size => innerWidth === size[0] && innerHeight === size[1]", arg=[width, height]
            )
            self._evaluate("scrollTo(0, 0)")
            if after is not None:
                after()
            for message in messages:
                expect(self.page.locator(f"{message}:visible").first).to_be_visible(timeout=20_000)
                assert self._faults(message, beside_panels) == [], f"{width}×{height}"
        self.seen.update(messages)

    def _faults(self, message: str, beside_panels: bool) -> list[str]:
        """What lies over a message for longer than a page takes to scroll to it."""
        until = time.monotonic() + PATIENCE
        while True:
            faults: list[str] = self._evaluate(COVERED, [message, beside_panels])
            if not faults or time.monotonic() > until:
                return faults
            self.page.wait_for_timeout(100)

    def _evaluate(self, script: str, value: object = None) -> Any:
        try:
            return self.page.evaluate(script, value)
        except Error:  # The page asked for the line first, and was left only now.
            self.page.wait_for_load_state()
            return self.page.evaluate(script, value)

    def sees_panels(self) -> None:
        """Fail if one of the panels of actions, or a button of it, is covered while there is no message."""
        self.sees("[data-panel]", beside_panels=True)
        names = self.page.eval_on_selector_all("[data-panel]", "panels => panels.map(({ dataset }) => dataset.panel)")
        self.seen.remove("[data-panel]")
        self.seen.update(map(panel, names))


def banner(name: str) -> str:
    return f'[data-banner="{name}"]'


def panel(name: str) -> str:
    return f'[data-panel="{name}"]'


PANELS = ("loading", "ready", "roll", "play", "cube", "resigned", "resign", "confirm", "wait", "over")
BETWEEN_PLAYERS = {
    *map(banner, ("away", "offline", "paused", "error", "flagged")), *map(panel, PANELS),
    "#typed-error", "[data-status]",
}  # fmt: skip
IN_PRACTICE = set(map(banner, ("hint", "thinking", "standIn")))
CORRESPONDING = {*map(panel, (*PANELS, "vacation")), "#ruled"}
INVITED = {*map(banner, ("invited", "lapsed", "calledOff")), ".message", ".field-error"}
WITHOUT_SCRIPTS = {".play-banner"}


@pytest.fixture(autouse=True)
def long_after_the_start(valkey: Redis) -> None:
    """The web process and the broker have been there for a while."""
    presence.note_start(now=time.time() - 1000)


def test_messages_between_two_players(
    match: Match, users: list[User], open_page: OpenPage, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED|401"))
    board = Board(match, users)
    board.now = timezone.now() - timedelta(seconds=20)
    settings = PlaySettings(ClockSettings(12 * SECOND, 2 * MINUTE), flag_rule="claim", server_chains=True)
    start(match=match, settings=settings, by=Actor.of(users[BOB]), now=board.now)
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=board.now)
    near = board.open_game()
    far = 1 - near
    board.do(near, Act.PLAY, moves=board.any_play())
    leaves(match, far)
    page = open_page(f"/matches/{match.public_id}/play/", user=users[near], touch=True)
    reader = Reader(page)
    reader.sees(banner("away"), beside_panels=True)
    page.context.set_offline(True)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    reader.sees(banner("offline"), banner("away"))
    page.context.set_offline(False)
    expect(page.locator(banner("offline"))).to_be_hidden()
    absences.note_activity_of(absences.sign_of(match.public_id, far, "b", 15), timezone.now())
    absences.note_absences(now=timezone.now())
    board.now = timezone.now()
    board.do(far, Act.ROLL)
    board.do(far, Act.PLAY, moves=board.any_play())
    board.do(near, "pause")
    reader.sees(banner("paused"), beside_panels=True)
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.locator('[data-act="continue"]').click()
    reader.sees(banner("error"), banner("paused"))
    page.locator("#close-error").click()
    page.context.add_cookies(cookies)
    reader.sees_panels()
    clock_worker.work(now=timezone.now() + timedelta(hours=1))
    board.do(near, Act.ROLL)
    page.locator("#typed-play").fill("1/25")
    page.locator("#typed-play").press("Enter")
    reader.sees("#typed-error")
    page.locator("#chat").evaluate("chat => (chat.open = true)")
    expect(page.locator(".chat-phrases")).to_be_visible()
    page.context.set_offline(True)
    reader.sees("[data-status]", after=page.get_by_role("button", name="Good luck!").click)
    page.context.set_offline(False)
    board.do(near, Act.PLAY, moves=board.any_play())
    clock_worker.work(now=timezone.now() + timedelta(hours=1))
    reader.sees(banner("flagged"), beside_panels=True)
    assert reader.seen == BETWEEN_PLAYERS


def leaves(match: Match, side: int) -> None:
    """This side was at the board until a quarter of a minute ago."""
    now = timezone.now()
    absences.note_activity_of(absences.sign_of(match.public_id, side, "a", 15), now - timedelta(seconds=15))
    absences.note_goodbye(public_id=match.public_id, side=side, tab="a", now=now - timedelta(seconds=14))
    absences.note_absences(now=now - timedelta(seconds=1))


@pytest.mark.django_db(transaction=True)
def test_messages_of_practice(open_page: OpenPage, settings: LazySettings, tmp_path: Path, bob: User) -> None:
    settings.ANALYSIS_BACKEND = "off"
    player = player_of(bob)
    match = practise_with_bot(player, length=3)
    chance = Random(2)
    while Act.PLAY not in due.state_of(live_of(match)).match.legal_actions():
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=timezone.now())
    reader = Reader(open_page(f"/matches/{match.public_id}/play/", user=bob, touch=True))
    reader.page.locator('[data-act="hint"]').click()
    reader.sees(banner("hint"), beside_panels=True)

    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", fake_gnubg(tmp_path).path
    match = practise(player, length=3)
    ready = ActionInput(EventKind.READY, live_of(match).last)
    act(match=match, side=1 - BOT_SIDE, request=ready, by=SYSTEM, now=timezone.now() - timedelta(minutes=1))
    reader.page.goto(f"/matches/{match.public_id}/play/")
    reader.sees(banner("thinking"), beside_panels=True)
    while not Action.objects.filter(live=match.pk, data__stood_in=True).exists():
        last = live_of(match).last
        bots.act_for_bot(match_id=match.pk, now=timezone.now(), advisor=None)
        if live_of(match).last == last:
            play_on(match, chance)
    reader.sees(banner("standIn"), beside_panels=True)
    assert reader.seen == IN_PRACTICE


@pytest.mark.django_db(transaction=True)
def test_messages_of_an_invitation(
    match: Match, open_page: OpenPage, bob: User, carol: User, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED"))
    now = timezone.now()
    bob_player, carol_player = match.players
    challenge = lobby.make_challenge(player=bob_player, wish=ChallengeInput(3), by=Actor.of(bob), now=now)
    friendly = lobby.accept(challenge=challenge, player=carol_player, by=Actor.of(carol), now=now)
    start(match=match, settings=PlaySettings(), by=Actor.of(bob), now=now)
    reader = Reader(open_page(f"/matches/{match.public_id}/play/", user=bob, touch=True))
    Seat(reader.page).act("ready")
    reader.sees(banner("invited"), beside_panels=True)
    lobby.lapse_invitations(now=now + timedelta(hours=1))
    reader.sees(banner("lapsed"), beside_panels=True)
    reader.page.goto(f"/matches/{friendly.public_id}/play/")
    reader.sees(banner("calledOff"), beside_panels=True)

    reader.page.request.get(reverse("next-board"), max_redirects=0)
    board = accepted(lobby.make_challenge(player=bob_player, wish=ChallengeInput(3), by=Actor.of(bob), now=now), carol)
    reader.page.goto(f"/matches/{board.match.public_id}/play/")
    reader.sees(".message")
    board.do(CAROL, Act.CONCEDE)
    button = reader.page.get_by_role("button", name="Rematch")
    expect(button).to_be_enabled()
    reader.page.context.set_offline(True)
    reader.sees(".field-error", after=button.click)
    assert reader.seen == INVITED


def accepted(challenge: Challenge, carol: User) -> Board:
    """Carol accepts, and both begin."""
    now, by = timezone.now(), Actor.of(carol)
    match = lobby.accept(challenge=challenge, player=carol.player, by=by, now=now)
    LiveMatch.objects.filter(pk=match.pk).update(server_chains=True)
    board = Board(match, [match.player_0.user, carol])
    board.now = now
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(board.users[side]), now=now)
        board.do(side, "ready")
    return board


CORRESPONDENCE = ClockSettings(2 * DAY, 0, correspondence=True)


def test_messages_for_a_director_and_by_correspondence(
    open_page: OpenPage, club: Club, alice: User, bob: User, carol: User
) -> None:
    match = match_between(player_of(bob), player_of(carol), club=club, length=3)
    start(match=match, settings=PlaySettings(CORRESPONDENCE), by=Actor.of(alice), now=timezone.now())
    reader = Reader(open_page(f"/matches/{match.public_id}/play/", user=bob, touch=True))
    expect(reader.page.locator(f"{panel('ready')}:visible")).to_be_visible()
    reader.sees_panels()
    director = Reader(open_page(f"/matches/{match.public_id}/play/", user=alice))
    director.page.locator("#director > summary").click()
    director.sees("#ruled", after=director.page.locator('[data-ruling="adjust_clock"] button').click)
    assert reader.seen | director.seen == CORRESPONDING


def test_messages_without_scripts(match: Match, browser: Browser, site: str) -> None:
    start(match=match, settings=PlaySettings(), by=SYSTEM, now=timezone.now())
    page = browser.new_context(base_url=site, java_script_enabled=False).new_page()
    page.goto(f"/m/{token_for(match, BOB)}/play/")
    reader = Reader(page)
    reader.sees(".play-banner")
    assert reader.seen == WITHOUT_SCRIPTS


STOPS = {"gone": "not_found", "forbidden": "permission_denied", "limit": "too_many_kept", "invalid": "kept_too_large"}
"""What a page says if what it has kept is refused -> a code for which it says so."""
ON_THE_MATCH_PAGE = {
    *(f'[data-say="{name}"]' for name in ("offline", "kept", "unkept", "sign_in", "open", "restored", *STOPS)),
    ".call", ".message", ".field-error", ".alert",
}  # fmt: skip
SHOW_OUTBOX = "document.querySelector('[data-outbox]').scrollIntoView()"


def says(name: str) -> tuple[str, str]:
    return f'[data-say="{name}"]', "[data-outbox]"


def refuse(code: str, route: Route) -> None:
    route.fulfill(status=403, json={"code": code}, headers={"Barpoint": "1"})


def called(player: Player, by: Player) -> None:
    """A challenge of a player is accepted: they are called to the board on every page."""
    assert player.user is not None
    assert by.user is not None
    wish, now = ChallengeInput(3), timezone.now()
    challenge = lobby.make_challenge(player=player, wish=wish, by=Actor.of(player.user), now=now)
    lobby.accept(challenge=challenge, player=by, by=Actor.of(by.user), now=now)


def test_messages_of_the_match_page(
    open_page: OpenPage, club: Club, bob: User, carol: User, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED|Failed to load resource|htmx:"))
    bob_player, carol_player = player_of(bob), player_of(carol)
    match = match_between(bob_player, carol_player, club=club, length=3)
    called(bob_player, carol_player)
    page = open_page(f"/matches/{match.public_id}/", user=bob, touch=True)
    reader = Reader(page)
    reader.sees(".call")
    page.locator("summary", has_text="Propose times").click()
    page.get_by_label("Time 1").fill("2020-01-01T19:30")
    page.get_by_role("button", name="Propose times").click()
    expect(page.locator(".field-error").first).to_be_visible()
    reader.sees(".field-error", after=lambda: page.locator(".field:has(.field-error) input").focus())
    page.goto(f"/matches/{match.public_id}/")
    reader.sees(".alert", after=page.locator("[data-submit]").first.click)

    page.goto(f"/matches/{match.public_id}/")
    page.evaluate(
        """() => {
          window.put = IDBObjectStore.prototype.put;
          IDBObjectStore.prototype.put = () => { throw new DOMException("", "QuotaExceededError"); };
        }"""
    )
    page.context.set_offline(True)
    choose_result(page, "I won", 0)
    show_again = partial(page.evaluate, SHOW_OUTBOX)
    page.get_by_role("button", name=re.compile("^I won .–0")).click()
    reader.sees(*says("unkept"), after=show_again)
    page.evaluate("() => { IDBObjectStore.prototype.put = window.put; }")
    page.get_by_role("button", name=re.compile("^I won .–0")).click()
    reader.sees(*says("kept"), after=show_again)
    page.get_by_role("link", name="How it works").click()
    reader.sees(*says("offline"), after=show_again)
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.context.set_offline(False)
    reader.sees(*says("sign_in"), after=show_again)
    page.context.add_cookies(cookies)
    report = ScoreReport(CAROL, (1, 3))
    report_score(match=match, side=CAROL, report=report, by=Actor.of(carol), now=timezone.now())
    page.reload()
    expect(page.get_by_role("heading", name="Arrived too late")).to_be_visible(timeout=20_000)
    reader.sees(*says("open"), after=show_again)
    page.locator("[data-outbox]").get_by_role("button", name="OK").click()
    page.get_by_text("Your personal link").click()
    follow(page.get_by_role("button", name="Revoke this link"))
    reader.sees(".message")
    page.context.set_offline(True)
    page.get_by_role("button", name="Confirm this score").click()
    expect(page.locator(says("kept")[0])).to_be_visible()
    for name, code in STOPS.items():
        page.context.route("**/kept/**", partial(refuse, code))
        page.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        reader.sees(*says(name), after=show_again)
        page.context.unroute("**/kept/**")
    Outbox.objects.all().delete()  # as in a backup from before it
    # What has arrived is shown by a page that is loaded again.
    with page.expect_navigation():
        page.evaluate("dispatchEvent(new Event('online'))")
    reader.sees(*says("restored"), after=show_again)
    reader.seen.discard("[data-outbox]")
    assert reader.seen == ON_THE_MATCH_PAGE


ON_ARRIVALS = {".call", ".message", ".errorlist", "#name-error", "#check-in-undo"}


def test_messages_of_arrivals(
    open_page: OpenPage, builder: DivisionBuilder, alice: User, bob: User, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("status of 422"))
    division = builder.make_division()
    players = builder.make_players(16)
    entries.enter(division=division, players=players, by=Actor.of(alice), now=timezone.now())
    called(alice.player, player_of(bob))
    path = f"/events/{division.tournament.club.slug}/{division.tournament.slug}/check-in/"
    page = open_page(path, user=alice, touch=True)
    reader = Reader(page)
    for row in (page.locator(".arrival-tap button").last, page.locator(".arrival-tap button").first):
        reader.sees("#check-in-undo", ".call", after=row.click)
    page.get_by_text("Paste a list or upload a spreadsheet").click()
    page.get_by_role("button", name="Check the names").click()
    expect(page.locator("#id_names")).to_be_focused()
    focus = "document.activeElement.blur(); document.querySelector('#id_names').focus()"
    reader.sees(".errorlist", after=partial(page.evaluate, focus))
    page.goto(path)
    page.locator("#check-in-name").fill("Zoe Quill")
    page.locator(".found-members [name=name]").first.evaluate("field => (field.value = '')")
    page.get_by_role("button", name="New player").click()
    reader.sees("#name-error")
    page.goto(path)
    page.locator("#check-in-name").fill("Zoe Quill")
    page.get_by_role("button", name="New player").click()
    reader.sees(".message")
    assert reader.seen == ON_ARRIVALS


ON_THE_FLOOR = {
    ".floor-main > .message", "#floor-messages .message", "#sheet", ".floor-undo", ".field-error", "#line-preview",
    ".line-error", "#line-said", "#line-queue", "[data-text]",
}  # fmt: skip
WITHOUT_A_LINE = {"#offline", "#offline-list", "#offline-note", "#offline-sheet"}
WITHOUT_ROUNDS = {".undo-start", ".chosen-pair"}


def open_tab(page: Page, name: str) -> None:
    """On a phone, show this part of the floor."""
    tab = page.locator(f'[data-show="{name}"]')
    if tab.is_visible():
        tab.click()


KEEPS_MESSAGES = """
const later = setTimeout;
window.setTimeout = (act, wait, ...rest) => later(act, `${act}`.includes("floor-messages") ? 60_000 : wait, ...rest);
"""
"""Lets a message of the floor stay for a minute more, so that a slow machine can look at it in every window."""


def test_messages_of_the_floor(
    evening: Tournament,
    open_page: OpenPage,
    alice: User,
    settings: LazySettings,
) -> None:
    settings.RESULT_UNDO_SECONDS = 300.0
    page = open_page(f"/events/harbour/{evening.slug}/floor/", user=alice, touch=True, script=KEEPS_MESSAGES)
    reader = Reader(page)
    reader.sees(".floor-main > .message")
    page.locator(".floor-card").first.click()
    reader.sees("#sheet")
    page.locator("#sheet .save:visible").click()
    expect(page.locator("#sheet")).to_be_hidden()
    to_the_end = partial(page.evaluate, "scrollTo(0, 99999)")
    reader.sees(".floor-undo", after=lambda: (open_tab(page, "tables"), to_the_end()))
    page.locator("#floor-undo").click()
    message = page.locator("#floor-messages .message").first
    expect(message).to_be_attached()
    # It stays long enough to be read, even if something else changes at once.
    with page.expect_response("**/floor/"):
        page.evaluate("htmx.trigger('#floor', 'topics')")
    page.wait_for_timeout(500)
    expect(message).to_be_attached()
    reader.sees("#floor-messages .message", after=to_the_end)
    page.set_viewport_size({"width": 1280, "height": 800})
    more = partial(open_tab, page, "more")
    page.locator("#line").fill("m99 7-3")
    reader.sees("#line-preview", ".field-error", after=more)
    page.locator("#line").press("Enter")
    expect(page.locator(".line-outcomes").first).to_be_attached()
    reader.sees("#line-said", ".line-error", after=more)
    # A refused line stays below the field if something else was typed meanwhile.
    page.route("**/floor/line/", lambda route: (page.wait_for_timeout(500), route.continue_()))
    page.locator("#line").press("Enter")
    page.locator("#line").fill("m98 7-3")
    expect(page.locator("#line-queue")).to_contain_text("There is no M99")
    reader.sees("#line-queue", after=more)
    reader.sees("[data-text]", after=page.locator("#keep-snapshot").scroll_into_view_if_needed)
    assert reader.seen == ON_THE_FLOOR


def test_messages_of_the_floor_without_a_line(
    evening: Tournament, open_page: OpenPage, alice: User, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED|htmx:"))
    page = open_page(f"/events/harbour/{evening.slug}/floor/", user=alice, touch=True)
    page.wait_for_load_state("networkidle")
    reader = Reader(page)
    page.context.set_offline(True)
    reader.sees("#offline")
    page.locator(".floor-card").first.click()
    reader.sees("#offline-sheet")
    page.keyboard.press("Escape")
    for name in ("note", "list"):
        page.evaluate("(name) => document.querySelector(`[data-do=${name}]`).click()", name)
        reader.sees(f"#offline-{name}")
        page.keyboard.press("Escape")
    assert reader.seen == WITHOUT_A_LINE


def test_messages_of_the_floor_without_rounds(
    open_page: OpenPage, start_night: Callable[..., Tournament], alice: User
) -> None:
    event = start_night(now=timezone.now())
    Tournament.objects.update(undo_until=timezone.now() + timedelta(minutes=5))
    page = open_page(f"/events/{event.club.slug}/{event.slug}/floor/", user=alice, touch=True)
    reader = Reader(page)
    reader.sees(".undo-start")
    page.set_viewport_size({"width": 1280, "height": 800})
    choice = page.locator("details[id^=choice-]")
    choice.locator("summary").click()
    first, second = choice.locator("select").all()
    first.select_option(index=1)
    second.select_option(index=2)
    reader.sees(".chosen-pair", after=lambda: (open_tab(page, "next"), second.dispatch_event("change")))
    assert reader.seen == WITHOUT_ROUNDS


SHOWN = re.compile(r'\bshown\.add\("(\w+)"\)')
BANNERS = Path(__file__).resolve().parents[2] / "matches/static/matches/play"
BOARD = Messages("matches/play/play.html", "matches/play/_end.html")
FLOOR = Messages(
    "tournaments/floor/floor.html", "tournaments/floor/_preview.html", "tournaments/floor/_match_sheet.html"
)
ARRIVALS = Messages("tournaments/entries/arrivals.html", "tournaments/entries/_arrivals_changed.html")
WITHOUT_A_HEADER = {".call"}
"""What stands in the header of the site, which board and floor have none of."""
PAGES = {
    "board": (BOARD, BETWEEN_PLAYERS | IN_PRACTICE | INVITED | CORRESPONDING | WITHOUT_SCRIPTS | WITHOUT_A_HEADER),
    "floor": (FLOOR, ON_THE_FLOOR | WITHOUT_A_LINE | WITHOUT_ROUNDS | WITHOUT_A_HEADER),
    "match page": (Messages("matches/reporting/match.html", elsewhere=""), ON_THE_MATCH_PAGE),
    "arrivals": (ARRIVALS, ON_ARRIVALS),
}
WRITTEN_BY_DJANGO = {".errorlist"}
"""Messages of the fields of a form, which no template has."""


@pytest.mark.parametrize("page", PAGES)
def test_every_message_in_the_templates_of_a_page_is_opened_above(page: str) -> None:
    messages, opened = PAGES[page]
    opened = {selector.rpartition(" ")[2] for selector in opened} - WRITTEN_BY_DJANGO
    assert {name: template for name, template in messages.found.items() if name not in opened} == {}
    assert opened - messages.found.keys() - WITHOUT_A_HEADER == set()


def test_every_banner_that_a_script_shows_is_in_the_template() -> None:
    shown = {name for path in BANNERS.glob("*.js") for name in SHOWN.findall(path.read_text(encoding="utf-8"))}
    assert {banner(name) for name in shown} == {name for name in BOARD.found if name.startswith("[data-banner")}


def test_a_message_with_another_class_or_role_is_found() -> None:
    for attributes in (
        ' class="card new-banner"',
        ' role="status"',
        ' class="row" aria-live="polite"',
        ' class="undo"',
    ):
        assert MESSAGE.search(attributes)
    assert not MESSAGE.search(' class="tag tag-warning floor-undo-text"')


EVERY_SIZE = ((320, 568), (360, 740), (390, 844), (667, 375), (932, 430), (768, 1024), (1280, 800))
OVERLAPS = """(selector) => {
  const shown = (css) => [...document.querySelectorAll(css)].filter((element) => element.checkVisibility());
  const rectangle = (element) => element.getBoundingClientRect();
  const isApart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const needed = [
    "#board", "#seat-near > .name", "#seat-near .play-score", ".play-panel .button", "#tools .play-tool",
  ].flatMap(shown);
  const messages = shown(selector).map(rectangle);
  const inside = (a) => a.top >= 0 && a.left >= 0 && a.right <= innerWidth && a.bottom <= innerHeight;
  return [
    ...messages.filter((message) => !inside(message)).map(() => "outside the window"),
    ...needed.filter((element) => messages.some((message) => !isApart(message, rectangle(element)))).map(
      ({ id, className, dataset }) => id || dataset.act || className,
    ),
    ...(needed.length < 5 ? ["too little was looked at"] : []),
  ];
}"""
"""What a message lies over, of what a player needs: the board, their name and score, and the controls."""


def leaves_free(page: Page, *messages: str) -> dict[str, list[str]]:
    """What these messages lie over, by size of the window; empty lists are left out."""
    faults = {}
    for width, height in EVERY_SIZE:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.evaluate("scrollTo(0, 0)")
        for message in messages:
            expect(page.locator(message)).to_be_visible()
        if found := page.evaluate(OVERLAPS, ", ".join(messages)):
            faults[f"{width}×{height}"] = found
    return faults


@pytest.mark.slow
def test_messages_between_two_players_leave_the_board_free(
    match: Match, users: list[User], open_page: OpenPage, expected_errors: list[re.Pattern[str]]
) -> None:
    expected_errors.append(re.compile("ERR_INTERNET_DISCONNECTED"))
    board = Board(match, users)
    board.now = timezone.now() - timedelta(seconds=20)
    settings = PlaySettings(ClockSettings(12 * SECOND, 2 * MINUTE), flag_rule="claim", server_chains=True)
    start(match=match, settings=settings, by=Actor.of(users[BOB]), now=board.now)
    for side in (BOB, CAROL):
        commit_chain(match=match, side=side, anchor="", by=Actor.of(users[side]), now=board.now)
    near = board.open_game()
    board.do(near, Act.PLAY, moves=board.any_play())
    leaves(match, 1 - near)
    page = open_page(f"/matches/{match.public_id}/play/", user=users[near], touch=True)
    assert leaves_free(page, banner("away")) == {}
    page.context.set_offline(True)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(banner("offline"))).to_be_visible(timeout=20_000)
    assert leaves_free(page, banner("offline"), banner("away")) == {}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_hint_leaves_the_board_free(open_page: OpenPage, settings: LazySettings, tmp_path: Path, bob: User) -> None:
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", fake_gnubg(tmp_path).path
    match = practise_with_bot(player_of(bob), length=3)
    chance = Random(2)
    while Act.PLAY not in due.state_of(live_of(match)).match.legal_actions():
        play_on(match, chance)
        bots.act_for_bot(match_id=match.pk, now=timezone.now())
    hints.answer(xgid(due.state_of(live_of(match)).match), fake_gnubg(tmp_path))
    page = open_page(f"/matches/{match.public_id}/play/", user=bob, touch=True)
    page.locator('[data-act="hint"]').click()
    expect(page.locator("#hint-choices li").nth(2)).to_be_visible()
    assert leaves_free(page, banner("hint")) == {}
