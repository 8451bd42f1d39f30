"""Every page in a pseudo-translation: text in plain letters cannot be translated, nor a number be read by a program."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.conf import settings
from django.test import Client
from django.utils import timezone

from core.codes import COUNTRIES
from core.names import initials_of
from demo.club import load
from formats.series import presets
from matches.models import Verdict
from players.models import Notification, Player, User
from tests.access.roles import ROUTES
from tests.access.world import World
from tools.pseudo_locale import LANGUAGE
from tournaments.models import FloorEvent

pytestmark = pytest.mark.django_db

TYPED_FIELDS = {
    "players.Player": ("name",),
    "players.Alias": ("name",),
    "players.Club": ("name", "city", "about", "tagline", "meets", "contact", "imprint", "year_fee"),
    "players.User": ("display_name", "email"),
    "matches.RatingPool": ("name",),
    "matches.Match": ("told_event",),
    "matches.MatchImport": ("name",),
    "matches.Submission": ("file_name",),
    "tournaments.Tournament": ("name", "venue", "about"),
    "tournaments.Division": ("name",),
    "tournaments.Offer": ("name",),
    "tournaments.Series": ("name",),
    "tournaments.SeriesView": ("name",),
    "tournaments.PastSeason": ("name",),
}
"""What people have typed, in their own language."""
SAMPLE_NAMES = {"Alice", "Anaïs", "Bob", "Jörg", "Kofi", "Maja", "Nino – Zoë", "Zoë"}
"""Of the examples on the home page."""
NOT_PROSE = re.compile(
    r"Barpoint|CSV|JSON|API|\bPR\b|Crawford|US Letter|UTC|FIDE|FIBS|XGID"
    r"|GNU Backgammon|eXtreme Gammon|Backgammon (?:Galaxy|Studio)|Heroes"
    r"|\b[A-Z][A-Za-z]+(?:/[A-Z][\w+-]+)+|(?<=\d\d )[A-Z]{3,4}\b|[\w-]*\.(?:json|mat|sgf|txt|xg)\b|mat \(\w+\)"
    r"|\b[\w.+-]+@[\w.-]+|\bhttps?://\S+|“[^”]*”|\b[2-9a-z]{10}\b"
)
"""Names of programs, formats and files, time zones, e-mail addresses, URLs and ids, and what people are quoted with."""
PLACE = re.compile(r"\{\w+\}")
PLAIN = re.compile(r"[A-Za-z]{2,}")
SHOWN_ATTRIBUTES = {"alt", "aria-label", "placeholder", "title"}
FOR_PROGRAMS = re.compile(r"-?\d+٫\d+")
"""A number as readers of the pseudo-translation see it, where a browser or a script expects a point."""
UNREAD = {"code", "q", "script", "style", "textarea", "svg"}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Shown(HTMLParser):
    """Collects what a page shows or reads out: texts, and attributes that stand for text.

    What says that it is English, such as the documentation of the API, is left out.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.misread = set[str]()
        self.open: list[tuple[str, bool, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        notation = "mono" in (attributes.get("class") or "").split()
        english = attributes.get("lang") == "en" or any(english for _tag, _unread, english in self.open)
        if not notation and not english:
            self.texts += [value for name, value in attrs if name in SHOWN_ATTRIBUTES and value]
        self.misread |= {
            f"<{tag} {name}>: {value}"[:80]
            for name, value in attrs
            if name not in SHOWN_ATTRIBUTES and value and FOR_PROGRAMS.search(value)
            if not name.startswith("data-") or FOR_PROGRAMS.fullmatch(value)
        }
        if tag == "input" and attributes.get("type") in ("submit", "button"):
            self.texts.append(attributes.get("value") or "")
        if tag not in VOID:
            self.open.append((tag, notation or english or tag in UNREAD, english))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(unread for _tag, unread, _english in self.open):
            # What a script fills in is named in braces.
            in_template = any(tag == "template" for tag, _unread, _english in self.open)
            self.texts.append(" ".join((PLACE.sub("", data) if in_template else data).split()))


def typed_by_people() -> list[str]:
    """What stands in the database as people wrote it, the longest first."""
    texts: set[str] = set()
    for label, fields in TYPED_FIELDS.items():
        for row in apps.get_model(label).objects.values_list(*fields):
            texts |= {" ".join(line.split()) for value in row if value for line in (value, *value.splitlines())}
    for content in Verdict.objects.values_list("content", flat=True):
        texts |= {name for name in content["players"] if name}
    texts |= {params.get("reason", "") for params in FloorEvent.objects.values_list("params", flat=True)} - {""}
    # A notification keeps what its match was called when it was sent.
    texts |= {params.get("context", "") for params in Notification.objects.values_list("params", flat=True)} - {""}
    # Titles cut long names off.
    texts |= {f"{name[:29]}…" for name in texts if len(name) > 30}
    names = list(Player.objects.values_list("name", flat=True))
    texts |= {initials_of(name) for name in names}
    # The strip of tables on the wall shortens long names.
    texts |= {f"{first} {last[0]}." for first, _space, last in (name.partition(" ") for name in names) if last}
    texts |= {str(name) for _code, name in settings.LANGUAGES}
    texts |= SAMPLE_NAMES
    texts |= set(presets.NAMES.values())
    # As the time zone database has them.
    texts |= set(COUNTRIES.values())
    return sorted(texts, key=len, reverse=True)


def unmarked(page: str, typed: list[str]) -> set[str]:
    """The texts of a page that have words in plain letters, and its numbers for programs that are for readers."""
    shown = Shown()
    shown.feed(page)
    texts = shown.misread
    for text in filter(PLAIN.search, shown.texts):
        rest = NOT_PROSE.sub("", text)
        for value in typed:
            rest = rest.replace(value, "")
        if PLAIN.search(rest):
            texts.add(text[:120])
    return texts


def read(client: Client, path: str) -> str | None:
    """A page in the pseudo-translation; None for what is no page."""
    answer: Any = client.get(path, headers={"Accept-Language": LANGUAGE})
    is_page = answer.headers.get("Content-Type", "").startswith("text/html") and not answer.streaming
    return answer.content.decode() if is_page and answer.content else None


def links(page: str) -> Iterator[str]:
    for link in re.findall(r'href="(/[^"#]*)', page):
        path = urlsplit(link).path
        if not path.startswith(("/static/", "/api/", "/admin/")) and "." not in path.rpartition("/")[2]:
            yield path


def kind(path: str) -> str:
    return re.sub(r"/[2-9a-z]{10}(?=/)|/\d+(?=/)", "/*", path)


@pytest.mark.slow
@pytest.mark.landing
@pytest.mark.usefixtures("pseudo_locale")
def test_no_page_of_the_demonstration_club_has_text_that_is_not_marked(subtests: pytest.Subtests) -> None:
    load(password="crawford-1969", now=timezone.now())
    typed = typed_by_people()
    for name in ("alice", "bob"):
        client = Client()
        client.force_login(User.objects.get(email=f"{name}@example.org"))
        seen, waiting = set[str](), ["/"]
        while waiting:
            path = waiting.pop(0)
            if kind(path) in seen:
                continue
            seen.add(kind(path))
            if (page := read(client, path)) is not None:
                waiting += links(page)
                with subtests.test(path, name=name):
                    assert unmarked(page, typed) == set()
        assert len(seen) > 20


@pytest.mark.slow
@pytest.mark.parametrize("role", ["anonymous", "player", pytest.param("owner", marks=pytest.mark.landing)])
@pytest.mark.usefixtures("pseudo_locale")
def test_no_route_has_text_that_is_not_marked(role: str, world: World, visitors: dict[str, Client]) -> None:
    # What an address names is made for it, and has a name that somebody typed.
    pages = {name: world.address(name) for name in ROUTES if not name.startswith("api-")}
    typed, faults, count = typed_by_people(), dict[str, set[str]](), 0
    for name, path in pages.items():
        if (page := read(visitors[role], path)) is not None:
            count += 1
            if texts := unmarked(page, typed):
                faults[name] = texts
    assert count > 30
    assert faults == {}
