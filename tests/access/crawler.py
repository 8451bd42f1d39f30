"""Follows the links and presses the buttons that a user is given, from the home page on."""

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urljoin, urlsplit

from django.db import transaction
from django.test import Client
from django.urls import Resolver404, ResolverMatch, resolve

HOST = "http://testserver"
UNFOLLOWED = ("/static/", "/api/v1/", "/admin/")
OK, INVALID, FAULT = 200, 422, 500
REFUSED = (401, 403, 404, 405)
MAX_EXAMPLES = 2
"""Pages of a route that are opened, if pages of two routes lead to them."""
IN_EACH_STATE = (
    "event",
    "division",
    "console",
    "check-in",
    "fixture",
    "match",
    "club-member",
    "player",
    "player-matches",
    "choose-opponent",
    "event-report",
    "match-replay",
)
"""Routes whose pages offer something else in each state of what they show; that many pages in each state."""


class Form(NamedTuple):
    """What a link or a button sends if nothing is typed."""

    method: str
    url: str
    data: tuple[tuple[str, str], ...] = ()


class Page(HTMLParser):
    """What a page offers: its links, and its forms with their buttons."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self.url = url
        self.is_whole = "<html" in text
        self.links: list[str] = []
        self.parts: list[str] = []
        """The URLs of what is loaded into the page by itself."""
        self.forms: list[Form] = []
        self._form: dict[str, str | None] | None = None
        self._fields: dict[str, str] = {}
        self._buttons: list[dict[str, str | None]] = []
        self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect links, and the fields and buttons of the open form."""
        values = dict(attrs)
        self._add_link(values.get("href") if tag == "a" else None)
        if values.get("hx-trigger") == "load":
            self.parts.append(values["hx-get"] or "")
        else:
            self._add_link(values.get("hx-get"))
        if tag == "form":
            self._form, self._fields, self._buttons = values, {}, []
        elif tag == "select":
            self._select = values.get("name") or ""
        elif tag == "option" and self._select and ("selected" in values or self._select not in self._fields):
            self._fields[self._select] = values.get("value") or ""
        elif tag == "button" and values.get("type", "submit") == "submit":
            self._buttons.append(values)
        elif tag == "input" and ("checked" in values or values.get("type") not in ("checkbox", "radio")):
            self._fields[values.get("name") or ""] = values.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        """Add the forms that the buttons of a closed form send."""
        if tag == "select":
            self._select = ""
        elif tag == "form" and self._form is not None:
            self.forms += [self._sent_by(button, self._form) for button in self._buttons or [{}]]
            self._form = None

    def _add_link(self, link: str | None) -> None:
        path = urljoin(self.url, link or "").removeprefix(HOST).partition("#")[0]
        if path.startswith("/") and not path.startswith(UNFOLLOWED) and path != self.url:
            self.links.append(path)

    def _sent_by(self, button: Mapping[str, str | None], form: Mapping[str, str | None]) -> Form:
        method = button.get("formmethod") or form.get("method") or "get"
        action = button.get("formaction") or form.get("action") or self.url
        data = self._fields | {button.get("name") or "": button.get("value") or ""}
        return Form(method.lower(), urljoin(self.url, action), tuple((key, data[key]) for key in data if key))


class Way(NamedTuple):
    """A link or a button, and the route of the page that it is on."""

    source: str
    form: Form


@dataclass
class Walk:
    """What a user comes to from the home page in at most `most_steps` steps.

    What a form would write is rolled back. Of each route one page is opened, and another one if a page of another route
    leads to it; those of IN_EACH_STATE in each state (`states`: public id or slug -> state).
    """

    client: Client
    most_steps: int
    states: Mapping[str, str]
    steps_to: dict[str, int] = field(default_factory=dict)
    """Route -> the fewest steps to it."""
    broken: list[str] = field(default_factory=list)
    """Links and buttons that the user may not follow, or that lead nowhere."""
    dead_ends: list[str] = field(default_factory=list)
    """Pages without a way on."""
    requests: int = 0
    _seen: set[Form] = field(default_factory=set)
    _tried: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def run(self) -> "Walk":
        """Walk breadth first."""
        ways = [Way("", Form("get", "/"))]
        for steps in range(self.most_steps + 1):
            pages = [page for way in ways if (page := self._go(way, steps)) is not None]
            ways = [way for page in pages for way in self._ways(page)]
        return self

    def _go(self, way: Way, steps: int) -> Page | None:
        """Follow a link or press a button, and return the page with further ways."""
        form = way.form
        self.requests += 1
        cookies = deepcopy(self.client.cookies)
        with transaction.atomic():
            answer: Any = getattr(self.client, form.method)(form.url, dict(form.data), follow=True)
            transaction.set_rollback(form.method == "post")
        self.client.cookies = cookies
        url = urljoin(form.url, answer.redirect_chain[-1][0]) if answer.redirect_chain else form.url
        route = route_of(url)
        if answer.status_code in REFUSED or answer.status_code >= FAULT or self._asks_to_sign_in(route):
            self.broken.append(f"{way.source}: {form.method} {form.url}: {answer.status_code} {route}")
        elif answer.status_code in (OK, INVALID):
            self.steps_to.setdefault(route, steps)
            if form.method == "get":
                # A page may lead on to another one.
                self.steps_to.setdefault(route_of(form.url), steps)
            if form.method == "get" and not answer.streaming and answer["Content-Type"].startswith("text/html"):
                return self._read(route, Page(url, answer.content.decode()), steps)
        return None

    def _asks_to_sign_in(self, route: str) -> bool:
        return route == "sign-in" and "_auth_user_id" in self.client.session

    def _read(self, route: str, page: Page, steps: int) -> Page:
        for part in page.parts:
            self.steps_to.setdefault(route_of(part), steps)
            page.feed(self.client.get(part).content.decode())
        if page.is_whole and not page.links:
            self.dead_ends.append(f"{route}: {page.url}")
        return page

    def _ways(self, page: Page) -> Iterator[Way]:
        """Return what to follow of a page."""
        source = route_of(page.url)
        for form in [*(Form("get", link) for link in page.links), *page.forms]:
            target = (form.method, *self._kind(form))
            examples = self._tried[target]
            is_new = examples == 0 or (examples < MAX_EXAMPLES and not self._tried[source, *target])
            if is_new and form.method in ("get", "post") and form not in self._seen:
                self._seen.add(form)
                self._tried.update([target, (source, *target)])
                yield Way(source, form)

    def _kind(self, form: Form) -> tuple[str, str]:
        """Return the route of a link or button, and the state of what its page is about if that matters."""
        match = match_of(form.url)
        if match is None:
            return "", form.url
        about = [*map(str, match.kwargs.values()), *dict(parse_qsl(urlsplit(form.url).query)).values()]
        named = [self.states[value] for value in about if value in self.states]
        matters = form.method == "get" and match.url_name in IN_EACH_STATE
        return match.url_name or "", named[-1] if named and matters else ""


def route_of(url: str) -> str:
    """Return the name of the route of a URL; empty if there is none."""
    match = match_of(url)
    return match.url_name or "" if match else ""


@cache
def match_of(url: str) -> ResolverMatch | None:
    """Return the view of a URL with its arguments; None if there is none."""
    try:
        return resolve(urlsplit(url).path)
    except Resolver404:
        return None
