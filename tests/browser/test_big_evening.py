"""A big evening with cuts of every kind: what was kept arrives exactly once, or somebody is told the truth about it.

Each run is a line that is cut at a moment of a write, an act, and what else goes wrong on the device or the server. Of
each kept act one of these has to be true in the end, once the line, the role and the session are back and an ordinary
page is opened: it has arrived once, a page says what became of it, or it was said at once that it could not be kept.
"""

import functools
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, Error, Page

from formats.settings import LIVES, ROUND_ROBIN, PairingMode, StageSettings
from matches.lifecycle import links
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Claim, Match, Result
from matches.reporting.reports import ScoreReport, report_score
from players.actors import Actor
from players.kept.outboxes import text_of
from players.models import Club, KeptAct, Membership, Outbox, Player, User
from tests.browser.chromium import ARGUMENTS, PATH, Chromium
from tests.browser.conftest import HEIGHT, PHONE
from tests.browser.cuts import CUTS, MOMENTS, CutLine, pairwise
from tests.browser.result_form import choose_result
from tests.browser.test_floor import NAMES
from tests.browser.test_offline_report import kill_browser_of
from tests.tiers import TEST_SEED
from tests.tournaments.support.played_stages import drawn_as
from tournaments.entries import check_in
from tournaments.events import services as events
from tournaments.floor import calls
from tournaments.floor import evening as opening
from tournaments.models import CheckIn, Division, Entry, Fixture, FloorEvent, FloorKind, Tournament
from tournaments.results import services as results

pytestmark = pytest.mark.slow

PARTS = 6
"""Each of the parts of the plan takes some five minutes."""
FLOOR_ACTS = ("result", "start", "score", "move", "here", "away", "note", "undo")
MATCH_ACTS = ("claim", "running-score", "confirm", "contest", "seen")
CONDITIONS = (
    "nothing", "reload", "reopened", "two tabs", "killed", "26 h later", "26 h earlier", "storage denied",
    "storage full", "role lost", "session over", "another account", "two devices", "restored", "upgraded",
)  # fmt: skip
FACTORS = {"cut": CUTS, "moment": MOMENTS, "act": (*FLOOR_ACTS, *MATCH_ACTS), "condition": CONDITIONS}
UNSTORED = ("storage denied", "storage full")
EXCLUDED = {
    **{
        (("moment", moment), ("condition", condition)): "what was never kept is not sent"
        for moment in ("during", "after")
        for condition in UNSTORED
    },
    **{(("act", "undo"), ("condition", condition)): "there is nothing to take back" for condition in UNSTORED},
    (("act", "undo"), ("moment", "after")): "what the server is known to have is undone there",
    (("act", "undo"), ("condition", "two devices")): "another desk takes nothing back that only this device has",
}
"""Pairs of values that cannot be, and why."""


@functools.cache
def plan() -> list[dict[str, str]]:
    """The runs, in which every pair of values occurs."""
    return pairwise(FACTORS, {frozenset(pair) for pair in EXCLUDED}, f"{TEST_SEED} big evening")


TOLD = {
    "role lost": "You may no longer enter this|The match no longer exists, or the link was revoked",
    "session over": "[12] kept on this device|Sign in as .* to send [12]",
    "another account": "[12] kept on this device",
    "by link": "[12] kept by a personal link: open the link of your card",
}
"""What is true of an act that waits for something, by what it waits for."""
KEPT = re.compile("[12] kept here|Not sent yet. Only you can see it")
UNKEPT = "This browser cannot keep it. Write it down."
CLOCK = """{
  const Real = Date;
  const shift = () => Number(localStorage.getItem("clock") ?? 0);
  window.Date = class extends Real {
    constructor(...parts) { parts.length ? super(...parts) : super(Real.now() + shift()); }
    static now() { return Real.now() + shift(); }
  };
}"""
"""The clock of a device, which may be set."""
SCRIPTS = {
    "storage denied": "IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); };",
    "storage full": "IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };",
    **dict.fromkeys(("26 h later", "26 h earlier"), CLOCK),
}
"""What is different in a browser from the beginning."""
HOURS_26 = 26 * 3_600_000
STORED = """async () => {
  const answered = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onupgradeneeded = () => request.transaction.abort();
  });
  try {
    const db = await answered(indexedDB.open("barpoint"));
    const acts = await answered(db.transaction("acts").objectStore("acts").getAll());
    db.close();
    return acts;
  } catch {
    return [];
  }
}"""
"""The acts that this browser has, read by a page of the site that does nothing by itself."""
DOWNGRADE = """async () => {
  const answered = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = request.onblocked = () => reject(request.error);
  });
  const names = ["boxes", "acts", "data"];
  const db = await answered(indexedDB.open("barpoint"));
  const rows = {};
  for (const name of names) {
    const store = db.transaction(name).objectStore(name);
    rows[name] = [await answered(store.getAllKeys()), await answered(store.getAll())];
  }
  db.close();
  await answered(indexedDB.deleteDatabase("barpoint"));
  const request = indexedDB.open("barpoint", 1);
  request.onupgradeneeded = () => {
    for (const name of ["boxes", "data", "leases"]) request.result.createObjectStore(name);
    request.result.createObjectStore("acts", { keyPath: ["box", "n"] });
  };
  const old = await answered(request);
  const writing = old.transaction(names, "readwrite");
  for (const name of names) {
    const [keys, values] = rows[name];
    values.forEach(({ isWaiting, read, post, restored, ...value }, place) =>
      writing.objectStore(name).put(value, ...(name === "acts" ? [] : [keys[place]])));
  }
  await new Promise((resolve) => (writing.oncomplete = resolve));
  old.close();
}"""
"""Leave what this browser has as the version before this one has stored it."""
SOON, LATE = 20.0, 45.0
"""Seconds in which a page knows that the line is lost; and in which what was kept has left once it is back."""


class Evening(NamedTuple):
    """The event: twelve who all meet, of whom six have accounts, and seven who play lives without rounds."""

    event: Tournament
    alice: User
    erin: User
    players: dict[int, User]
    """The id of a player -> their account."""
    others: list[Entry]
    stranger: User


@pytest.fixture
def evening(club: Club, alice: User, password: str, dave: User) -> Evening:
    by, now = Actor.of(alice), timezone.now()
    start = now - timedelta(hours=1)
    event = events.create_tournament(
        club=club, by=by, now=start, name="Big Night", starts_at=start, tables=9, ends_at=now + timedelta(hours=6)
    )
    people = [Player.objects.create(name=name) for name in NAMES]
    accounts = {}
    for number, player in enumerate(people[:12:2], start=1):
        accounts[player.pk] = User.objects.create_user(
            f"p{number}@example.org", password, display_name=player.name.split()[0]
        )
        Player.objects.filter(pk=player.pk).update(user=accounts[player.pk])
    for name, length, stage, players in (
        ("Open", 7, StageSettings(ROUND_ROBIN), people[:12]),
        ("Lives", 5, StageSettings(LIVES, lives=2, pairing=PairingMode.CONTINUOUS), people[12:]),
    ):
        event.refresh_from_db()
        division = events.create_division(tournament=event, by=by, now=start, name=name, match_length=length)
        drawn_as(division, [stage], players, by)
    erin = User.objects.create_user("erin@example.org", password, display_name="Erin")
    Membership.objects.create(club=club, player=Player.objects.create(name="Erin", user=erin), role="assistant")
    event.refresh_from_db()
    opening.open_floor(tournament=event, by=by, now=start)
    for division in Division.objects.all():
        for entry in division.entries.all():
            # An hour ago may be another day.
            check_in.mark(entry=entry, state=CheckIn.State.HERE, by=by, now=now)
    for fixture in Fixture.objects.filter(stage__division__name="Lives", match__isnull=False):
        # They wait for their next matches, as no worker pairs them.
        results.enter_result(fixture=fixture, result=ResultInput.played((5, 1)), by=by, now=start)
    others = list(Entry.objects.filter(division__name="Lives").select_related("player", "division__tournament__club"))
    return Evening(event, alice, erin, accounts, others, dave)


@pytest.fixture
def line(hall: str) -> Iterator[CutLine]:
    cut_line = CutLine(int(hall.rpartition(":")[2]))
    yield cut_line
    cut_line.close()


@dataclass
class Run:
    """One run: its people, what they see, and what the server has."""

    evening: Evening
    line: CutLine
    chromium: Chromium
    profile: Path
    number: int
    cut: str
    moment: str
    act: str
    condition: str
    user: User | None = None
    context: BrowserContext = field(init=False)
    page: Page = field(init=False)
    inspector: Page = field(init=False)
    faults: list[str] = field(default_factory=list)
    """What was wrong, in the words of the issue: lost, doubled, silent, untrue."""

    def __str__(self) -> str:
        return f"{self.number}: {self.act} · {self.cut} {self.moment} the write · {self.condition}"

    # Who, where and about what.

    def prepare(self) -> None:
        """Choose the match and whoever acts, and let happen what has to be before."""
        by, now = Actor.of(self.evening.alice), timezone.now()
        self.is_floor, self.link = self.act in FLOOR_ACTS, ""
        rows = Fixture.objects.filter(match__state=Match.State.OPEN, stage__division__name="Open")
        rows = rows.select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
        accounts = self.evening.players
        for fixture in rows.order_by("number"):
            sides = [side for side, player in enumerate(fixture.match.players) if player.pk in accounts]
            if sides or self.is_floor:
                break
        self.fixture, self.side = fixture, sides[0] if sides else 0
        self.match: Match = fixture.match
        self.tables = list(self.evening.event.floor_tables.all())
        self.entry = self.evening.others[self.number % len(self.evening.others)]
        if self.is_floor:
            self.user = (self.evening.alice, self.evening.erin)[self.number % 2]
            self.path = f"/events/harbour/{self.evening.event.slug}/floor/"
        else:
            self.user = accounts[self.match.players[self.side].pk]
            self.path = f"/matches/{self.match.public_id}/"
            if self.number % 2 and self.condition not in ("role lost", "session over", "another account"):
                self.link = self.path = f"/m/{links.token_for(self.match, self.side)}/"
        if self.act in ("start", "move") or not self.is_floor:
            calls.call(fixture=fixture, table=self.tables[0], by=by, now=now)
        if not self.is_floor:
            calls.start(fixture=fixture, by=by, now=now)
        if self.act in ("confirm", "contest", "seen"):
            other = 1 - self.side
            stated = ScoreReport(other, (7, 2) if other == 0 else (2, 7))
            report_score(match=self.match, side=other, report=stated, by=Actor.link(other), now=now)
        if self.act == "here":
            self.entry = self.fixture.slots.get(side=0).entry
            check_in.mark(entry=self.entry, state=CheckIn.State.MISSING, by=by, now=now)
        self.text = f"Note {self.number}"

    # The browser.

    def launch(self) -> None:
        more = {"viewport": {"width": PHONE, "height": HEIGHT[PHONE]}, "has_touch": True, "service_workers": "block"}
        if self.condition == "killed":
            self.context = self.chromium.playwright.chromium.launch_persistent_context(
                str(self.profile),
                executable_path=PATH,
                args=list(ARGUMENTS),
                **more,  # type: ignore[arg-type]
            )
        else:
            self.context = self.chromium.browser.new_context(**more)  # type: ignore[arg-type]
        self.context.on("dialog", lambda dialog: dialog.accept())
        if self.condition in SCRIPTS:
            self.context.add_init_script(SCRIPTS[self.condition])
        if self.user is not None and not self.link:
            self.sign_in(self.user)
        self.inspector = self.context.new_page()
        inspector = f"{self.line.url}/inspector"
        self.context.route(inspector, lambda route: route.fulfill(body="", content_type="text/html"))
        self.inspector.goto(inspector)

    def sign_in(self, user: User) -> None:
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": self.line.url}
        self.context.clear_cookies()
        self.context.add_cookies([cookie])  # type: ignore[list-item]

    def open(self, path: str, *, is_there: bool = True) -> Page:
        """Open a page in a new tab; without a line it is the browser's own."""
        page = self.context.new_page()
        self.goto(page, path, is_there=is_there)
        return page

    def goto(self, page: Page, path: str, *, is_there: bool = True) -> None:
        try:
            page.goto(f"{self.line.url}{path}", timeout=20_000 if is_there else 500)
        except Error:
            if is_there:
                raise

    def sees(self, page: Page, texts: list[str | re.Pattern[str]], seconds: float = SOON) -> str:
        """The first of these texts that is visible within that time; empty if none is."""
        patterns = [text if isinstance(text, re.Pattern) else re.compile(re.escape(text)) for text in texts]

        def visible() -> str:
            with suppress(Error):  # The page is being loaded.
                shown = " ".join(page.locator("body").inner_text(timeout=500).split())
                return next((match[0] for each in patterns if (match := each.search(shown))), "")
            return ""

        return self.until(visible, page, seconds) or ""

    def until(self, true: Callable[[], Any], page: Page, seconds: float = SOON) -> Any:
        """Wait for something to become true, and return it; what it is then if it does not."""
        end = timezone.now() + timedelta(seconds=seconds)
        while not (value := true()) and timezone.now() < end:
            with suppress(Error):
                page.wait_for_timeout(100)
        return value

    # The line.

    def lose(self, kind: str) -> None:
        if kind == "dns":
            self.context.route("**/*", lambda route: route.abort("namenotresolved"))
        if self.line.kind != kind:
            self.line.cut(kind)

    def mend(self) -> None:
        with suppress(Error):
            self.context.unroute("**/*")
        self.line.mend()

    # What somebody does.

    def do(self) -> None:
        """Do the act on the page, which has lost its line."""
        if self.is_floor:
            self.page.evaluate("dispatchEvent(new Event('offline'))")
            if not self.sees(self.page, ["No connection since"]):
                self.faults.append("silent: the floor does not say that the line is lost")
            self.on_floor(self.act)
        else:
            self.on_match(self.act)

    def on_floor(self, act: str) -> None:
        page = self.page
        tap = "(button) => button.click()"
        if act == "note":
            page.locator("#offline-matches [data-do=note]").evaluate(tap)
            page.locator("#offline-note-text").fill(self.text)
            page.locator("#offline-note .save").tap()
        elif act == "here":
            page.locator("#floor-not-here form").filter(has_text="Here").first.evaluate(
                "(form) => form.requestSubmit()"
            )
        elif act == "away":
            row = page.locator(".floor-wait", has_text=self.entry.player.name)
            row.locator("form[data-keep=away]").evaluate("(form) => form.requestSubmit()")
        else:
            public_id = self.fixture.public_id
            row = page.locator(f"[data-match='{public_id}'], a[data-sheet][href*='{public_id}']")
            row.first.evaluate(tap)
            sheet = page.locator("#offline-sheet")
            if act in ("result", "undo"):
                sheet.locator(".is-wide .result-chip").first.tap()
                sheet.locator("[data-points=points] .result-chip").nth(3).tap()
                sheet.locator("[data-keep=result] .save").tap()
            elif act == "start":
                sheet.locator("[data-keep=start] button").tap()
            elif act == "move":
                sheet.locator("[data-keep=move] select").select_option(label=self.tables[1].label)
                sheet.locator("[data-keep=move] button").tap()
            elif act == "score":
                sheet.locator("[data-part=score] summary").tap()
                for name, points in (("left", 3), ("right", 2)):
                    sheet.locator(f"[data-points={name}] .result-chip").nth(points).tap()
                sheet.locator("[data-keep=score] .save").tap()

    def on_match(self, act: str) -> None:
        page = self.page
        if act == "claim":
            choose_result(page, "I won", 0)
            page.get_by_role("button", name=re.compile("^I won 7–0")).tap()
        elif act == "running-score":
            page.locator("summary", has_text="Save the score so far").tap()
            for side, points in enumerate((5, 2)):
                page.locator(f"[data-keep=running-score] [name=score_{side}][value='{points}']").check()
            page.get_by_role("button", name="Save the score so far").tap()
        elif act == "confirm":
            page.get_by_role("button", name="Confirm this score").tap()
        elif act == "seen":
            page.get_by_role("button", name="Seen, answer later").tap()
        else:
            page.locator("summary", has_text="That’s not the score").tap()
            page.locator("#contest-note").fill("It was 7–5")
            page.get_by_role("button", name="Contest", exact=True).tap()

    def take_back(self) -> None:
        """Undo the kept result, on a page that has no line."""
        self.sees(self.page, ["No connection since"])
        self.page.locator("#offline [data-do=list]").tap()
        self.page.locator(".offline-acts [data-do=strike]:visible").first.tap()
        self.until(lambda: not self.waits("result"), self.page, 5)

    def other_device(self) -> None:
        """Somebody else enters something of the same match."""
        by, now, fixture = Actor.of(self.evening.alice), timezone.now(), self.fixture
        if self.act in ("result", "claim", "confirm", "contest", "seen"):
            results.enter_result(fixture=fixture, result=ResultInput.played((1, 7)), by=by, now=now)
        elif self.act == "start":
            calls.start(fixture=fixture, by=by, now=now)
        elif self.act in ("score", "running-score"):
            calls.set_running_score(fixture=fixture, score=(4, 4), by=by, now=now)
        elif self.act == "move":
            calls.move(fixture=fixture, table=self.tables[2], by=by, now=now)
        elif self.act in ("here", "away"):
            state = CheckIn.State.MISSING
            check_in.mark(entry=self.entry, state=CheckIn.State.HERE, by=by, now=now)
            check_in.mark(entry=self.entry, state=state, by=by, now=now)

    # What is there.

    def effects(self) -> int:
        """How often the act has had its effect."""
        match = Match.objects.get(pk=self.match.pk)
        facts = FloorEvent.objects.filter(fixture=self.fixture, undone_by=None)
        kinds = {"start": FloorKind.STARTED, "move": FloorKind.MOVED}
        kinds |= dict.fromkeys(("score", "running-score"), FloorKind.RUNNING_SCORE)
        if self.act in kinds:
            return facts.filter(kind=kinds[self.act]).count()
        if self.act in ("here", "away"):
            return CheckIn.objects.filter(entry=self.entry, state=self.act, undone_by=None, undoes=None).count()
        if self.act == "note":
            return KeptAct.objects.filter(action="note", content__fields__text=self.text).count()
        if self.act == "undo":
            standing = standing_result(match)
            return int(standing is None or standing.kind == Result.Kind.VOID)
        if self.act in ("result", "confirm"):
            return match.results.count()
        if self.act == "contest":
            return match.claims.filter(state=Claim.State.CONTESTED).count()
        if self.act == "seen":
            return match.claims.exclude(seen_at=None).count()
        return match.claims.filter(side=self.side).count()

    def stored(self) -> list[dict[str, Any]]:
        """The acts that this browser has."""
        acts: list[dict[str, Any]] = self.inspector.evaluate(STORED)
        return acts

    def waits(self, *actions: str) -> list[dict[str, Any]]:
        """The acts that this browser has not sent."""
        unsent = [act for act in self.stored() if act["state"] in ("kept", "tried") and act["action"] != "struck"]
        return [act for act in unsent if not actions or act["action"] in actions]

    # How it goes.

    def play(self, how: "Callable[[Run], str] | None" = None) -> str:
        """Return what became of the act; `faults` has what must not be."""
        self.prepare()
        self.launch()
        try:
            return how(self) if how is not None else self._play()
        except Error as error:
            return self.wrong("could not be done", str(error))
        finally:
            self.mend()
            with suppress(Error):
                self.context.close()
            shutil.rmtree(self.profile, ignore_errors=True)
            self.tidy()

    def keep(self) -> int:
        """Do the act while there is no line; return how often it had its effect before."""
        self.page = self.open(self.path)
        self.page.wait_for_load_state("networkidle")
        if self.condition == "two tabs":
            self.open(self.path).wait_for_load_state("networkidle")
        if self.condition == "restored":
            with sqlite3.connect(connection.settings_dict["NAME"]) as site, sqlite3.connect(self.copy) as copy:
                site.backup(copy)
        before = self.effects()
        self.lose(self.cut)
        self.do()
        if not self.sees(self.page, [UNKEPT if self.condition in UNSTORED else KEPT]):
            self.wrong("silent", "what was tapped")
        return before

    def _play(self) -> str:
        before = self.keep()
        if self.condition in UNSTORED or self.faults:
            return "silent" if self.faults else "not kept, said"
        if self.act == "undo" and self.moment == "before":
            self.take_back()
        if self.condition.startswith("26 h"):
            shift = HOURS_26 * (1 if self.condition.endswith("later") else -1)
            self.page.evaluate("(shift) => localStorage.setItem('clock', shift)", shift)
        if self.condition == "two devices":
            self.other_device()
            before = self.effects()
        if self.moment != "before":
            self.write()
        self.happens()
        self.mend()
        self.waits_for_something()
        page = self.open(self.link or self.ordinary)
        self.until(self.has_left, page, LATE)
        if (self.condition, self.moment) != ("restored", "after") or self.until(self.is_there, page, 10):
            return self.verdict(page, before)
        # What counts as sent is sent again by the page that it is about.
        page = self.open(self.path)
        self.until(self.is_there, page, LATE)
        return self.verdict(page, before).replace("arrived", "by its page")

    def has_left(self) -> bool:
        return not self.waits()

    def is_there(self) -> bool:
        return bool(self.rows()) and self.has_left()

    def rows(self) -> list[KeptAct]:
        return list(KeptAct.objects.filter(action=self.act))

    @property
    def copy(self) -> Path:
        """A backup of the server."""
        return self.profile.with_suffix(".copy")

    @property
    def ordinary(self) -> str:
        """A page of the site that is neither the floor nor that of the match."""
        slug = self.evening.event.slug
        pages = ("/", "/help/players/", "/my/", "/clubs/harbour/", f"/events/harbour/{slug}/")
        return pages[self.number % len(pages)]

    def write(self) -> None:
        """Let the line come back, until what was kept is written."""
        self.line.cut_with_write(self.moment, self.cut)
        self.mend()
        if not self.until(self.line.happened.is_set, self.page, LATE):
            self.wrong("lost", "it was never sent")
        self.lose(self.cut)
        if self.act == "undo":
            self.take_back()

    def happens(self) -> None:
        """Let happen to the device or the server what is a condition of this run."""
        if self.condition == "reload":
            with suppress(Error):
                self.page.reload(timeout=500)
        elif self.condition in ("reopened", "upgraded"):
            self.page.close()
        elif self.condition == "killed":
            kill_browser_of(self.profile)
            self.launch()
            if self.cut == "dns":
                self.lose("dns")
        elif self.condition == "role lost":
            self.set_role(is_lost=True)
        elif self.condition == "session over":
            self.context.clear_cookies()
        elif self.condition == "another account":
            self.sign_in(self.evening.stranger)
        elif self.condition == "restored":
            self.restore()
        if self.condition == "upgraded":
            self.inspector.evaluate(DOWNGRADE)

    def restore(self) -> None:
        """Let the server come back as it was before the act, after so long that an open floor has missed it."""
        if self.is_floor:
            self.page.evaluate("dispatchEvent(new Event('offline'))")
            self.sees(self.page, ["No connection since"])
        with sqlite3.connect(connection.settings_dict["NAME"]) as site, sqlite3.connect(self.copy) as copy:
            copy.backup(site)
        cache.clear()

    def set_role(self, *, is_lost: bool) -> None:
        assert self.user is not None
        if self.is_floor:
            role = Membership.Role.OWNER if self.user == self.evening.alice else Membership.Role.ASSISTANT
            members = Membership.objects.filter(player__user=self.user)
            members.update(role=Membership.Role.MEMBER if is_lost else role)
        else:
            players = Player.objects.filter(pk=self.match.players[self.side].pk)
            players.update(user=None if is_lost else self.user)

    def waits_for_something(self) -> None:
        """See what a page says of an act that waits for its role, its session or its link, and give that back."""
        missing = self.condition if self.condition in TOLD else ""
        if self.link and self.condition in ("reopened", "killed", "upgraded"):
            missing = "by link"
        if not missing:
            return
        page = self.open(self.ordinary if missing != "by link" else "/help/players/")
        if self.waits() and not self.sees(page, [re.compile(TOLD[missing])]) and self.waits():
            self.wrong("untrue", f"{missing}, and the page says: {strip_of(page)}")
        if missing == "role lost":
            self.set_role(is_lost=False)
        elif missing != "by link":
            assert self.user is not None
            self.sign_in(self.user)

    def verdict(self, page: Page, before: int) -> str:
        waiting, since = self.waits(), self.effects() - before
        rows = self.rows()
        if waiting:
            return self.wrong("waiting", f"{[act['action'] for act in waiting]}, and the page says: {strip_of(page)}")
        if self.act == "undo":
            undone = KeptAct.objects.filter(action="result").count() == len(rows) <= 1 and since == 0
            return "taken back" if undone else self.wrong("lost", f"{len(rows)} undone, result {since}")
        if not rows:
            return self.wrong("lost", "nothing has arrived")
        [row, *more] = rows
        if more or since > 1:
            return self.wrong("doubled", f"{len(rows)} acts, {since} effects")
        if row.outcome == "done":
            return "arrived" if since == 1 else self.wrong("lost", f"done, with {since} effects")
        if row.outcome == "already" and self.condition == "two devices":
            return "already there"
        is_told = self.sees(page, [text_of(row), "does not match what is there now"])
        if self.condition != "two devices":
            return self.wrong("lost", f"{row.outcome} {row.code}")
        return "told" if is_told else self.wrong("silent", f"{row.outcome} {row.code}: {strip_of(page)}")

    def wrong(self, how: str, why: str) -> str:
        self.faults.append(f"{how}: {why}")
        return how

    def tidy(self) -> None:
        """Leave the evening to the next run as if what was kept had come days ago."""
        by, now = Actor.of(self.evening.alice), timezone.now()
        Outbox.objects.all().delete()
        if Match.objects.get(pk=self.match.pk).state != Match.State.SETTLED:
            results.enter_result(fixture=self.fixture, result=ResultInput.played((7, 1)), by=by, now=now)
        if self.act in ("here", "away"):
            check_in.mark(entry=self.entry, state=CheckIn.State.HERE, by=by, now=now)


def strip_of(page: Page) -> str:
    """What a page says of what is kept here."""
    with suppress(Error):
        return " ".join(" ".join(page.locator("aside:visible, [data-outbox]:visible").all_inner_texts()).split())
    return "nothing"


COUNTS: Counter[tuple[str, str]] = Counter()
"""What became of the acts of all parts that have run, by the cut."""


def table_of(counts: Counter[tuple[str, str]]) -> str:
    verdicts = sorted({verdict for _cut, verdict in counts})
    rows = [["", *verdicts], *([cut, *(str(counts[cut, verdict]) for verdict in verdicts)] for cut in CUTS)]
    rows.append(["all", *(str(sum(counts[cut, verdict] for cut in CUTS)) for verdict in verdicts)])
    return "\n".join("  ".join(cell.rjust(14) for cell in row) for row in rows)


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_that_was_kept_is_lost_doubled_or_silent(
    part: int, evening: Evening, line: CutLine, hall: str, chromium: Chromium, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    if connection.vendor != "sqlite":
        pytest.skip("a site is restored from a copy of its file")
    runs = plan()
    assert len(runs) <= 250
    wall = chromium.browser.new_page()
    wall.goto(f"{hall}/events/harbour/{evening.event.slug}/wall/")
    wrong = []
    for number in range(part, len(runs), PARTS):
        run = Run(evening, line, chromium, tmp_path / str(number), number, **runs[number])
        began = timezone.now()
        verdict = run.play()
        COUNTS[run.cut, verdict] += 1
        wrong += [f"{run}: {fault}" for fault in run.faults]
        with capsys.disabled():
            print(f"\n{run} → {verdict}", *run.faults, f"{(timezone.now() - began).total_seconds():.1f} s", end="")
    with capsys.disabled():
        print(f"\n{len(runs)} runs by TEST_SEED={TEST_SEED}, {sum(COUNTS.values())} so far\n{table_of(COUNTS)}")
    assert "kept" not in wall.locator("body").inner_text()
    assert wrong == []


# What failed the first time that it was tried in browsers.

KEEP_MANY = """async ([topic, reader, url, acts]) => {
  const { openOutbox } = await import("/static/config/outbox.js");
  const read = topic.startsWith("match:") ? `${url}/kept/` : `${url}/floor/?outbox=`;
  const box = await openOutbox({ topic, reader, by: "", read, post: `${url}/kept/` });
  for (const act of acts) await box.keep({ ...act, seen_at: Date.now() });
}"""


def an_eleventh_outbox(run: Run) -> str:
    """A player whose browser has begun ten today is told at once, and may still change the report."""
    for number in range(10):
        more = {"key": f"{number:022}", "by": "user", "user": run.user, "club": run.evening.event.club}
        box = Outbox.objects.create(topic=run.match.topic, **more)
        KeptAct.objects.create(outbox=box, number=1, action="struck", outcome="cancelled")
    before = run.keep()
    run.mend()
    limit = "The site accepts no more from you today. You can still change it where you entered it."
    if not run.sees(run.page, [limit]) or not run.page.get_by_role("button", name="Change").is_visible():
        run.wrong("silent", f"the limit: {strip_of(run.page)}")
    page = run.open(run.ordinary)
    if not run.sees(page, [limit]):
        run.wrong("silent", f"the limit: {strip_of(page)}")
    Outbox.objects.update(created_at=timezone.now() - timedelta(hours=25))
    return arrived(run, before)


def arrived(run: Run, before: int) -> str:
    """Open an ordinary page, and return what has become of the act in the end."""
    page = run.open(run.ordinary)
    run.until(run.has_left, page, LATE)
    return run.verdict(page, before)


def a_report_behind_21_scores(run: Run) -> str:
    run.page = run.open(run.path)
    run.page.wait_for_load_state("networkidle")
    before = run.effects()
    run.lose(run.cut)
    pair = [player.public_id for player in run.match.players]
    scores = [{"score_0": str(number // 6), "score_1": str(number % 6)} for number in range(1, 22)]
    acts = [{"action": "running-score", "pair": pair, "fields": fields} for fields in scores]
    assert run.user is not None
    url = f"/api/v1/matches/{run.match.public_id}"
    run.page.evaluate(KEEP_MANY, [run.match.topic, str(run.user.pk), url, acts])
    run.on_match("claim")
    if not run.sees(run.page, [KEPT]):
        return run.wrong("silent", "kept")
    run.mend()
    return arrived(run, before)


def a_501st_act(run: Run) -> str:
    run.page = run.open(run.path)
    run.page.wait_for_load_state("networkidle")
    before = run.effects()
    run.lose(run.cut)
    event, acts = run.evening.event, [{"action": "note", "fields": {"text": f"{number}"}} for number in range(500)]
    assert run.user is not None
    url = f"/api/v1/tournaments/{event.public_id}"
    run.page.evaluate(KEEP_MANY, [event.topic, str(run.user.pk), url, acts])
    run.do()
    run.mend()
    page = run.open(run.ordinary)
    run.until(run.has_left, page, 2 * LATE)
    texts = Counter(KeptAct.objects.values_list("content__fields__text", flat=True))
    if set(texts.values()) != {1} or len(texts) != 501:
        return run.wrong("lost", f"{len(texts)} of 501 notes, {max(texts.values(), default=0)} times at most")
    return "arrived" if run.effects() - before == 1 else run.wrong("lost", "the last one")


def a_report_of_my_matches(run: Run) -> str:
    """The page is closed, and the director enters another result meanwhile."""
    run.path = "/my/"
    run.keep()
    run.page.close()
    run.other_device()
    run.mend()
    run.condition = "two devices"
    return arrived(run, run.effects())


def a_session_that_is_over(run: Run) -> str:
    """The floor of a public event answers everybody."""
    before = run.keep()
    run.context.clear_cookies()
    run.mend()
    for page in (run.page, run.open(run.path), run.open(run.ordinary)):
        if not run.sees(page, [re.compile(TOLD["session over"])]):
            run.wrong("untrue", f"{page.url}: {strip_of(page)}")
    assert run.user is not None
    run.sign_in(run.user)
    return arrived(run, before)


FAILED = {
    an_eleventh_outbox: "claim",
    a_report_behind_21_scores: "claim",
    a_501st_act: "note",
    a_report_of_my_matches: "claim",
    a_session_that_is_over: "note",
}


@pytest.mark.parametrize("how", FAILED, ids=lambda how: how.__name__)
def test_what_failed_is_told_or_arrives(
    how: Callable[[Run], str], evening: Evening, line: CutLine, chromium: Chromium, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """By every cut."""
    wrong = []
    for number, cut in enumerate(CUTS):
        run = Run(evening, line, chromium, tmp_path / str(number), 2 * number, cut, "before", FAILED[how], "nothing")
        verdict = run.play(how)
        wrong += [f"{cut}: {fault}" for fault in run.faults]
        with capsys.disabled():
            print(f"\n{how.__name__} · {cut} → {verdict}", *run.faults, end="")
    assert wrong == []
