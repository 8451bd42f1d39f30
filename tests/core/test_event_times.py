"""A visitor reads the times of an event in Auckland as its clocks show them; no template writes them in another way."""

import ast
import re
import zoneinfo
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, tzinfo
from html import unescape

import pytest
from django.apps import apps
from django.db.models import DateField
from django.test import Client
from django.urls import NoReverseMatch

from players.models import Club
from tests.access.roles import ROUTES
from tests.access.world import World
from tests.pages import html
from tests.test_layout import APPS, ROOT, python_files
from tournaments.models import Tournament

AUCKLAND = zoneinfo.ZoneInfo("Pacific/Auckland")
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
DAY = re.compile(rf"\b\d{{1,2}} (?:{'|'.join(MONTHS)})")
TIME = re.compile(r"\b(?:[01]\d|2[0-3]):[0-5]\d\b(?! UTC)")
NOT_SEEN = re.compile(r"<(script|style|svg|head|code|pre)\b.*?</\1>|<[^>]*>|\{\{.*?\}\}", re.DOTALL)
NO_EVENT = {
    "api-docs": "it has examples",
    "submission": "a record that belongs to no event, on the reader's clock",
}
OF_CLUB = ("past-seasons", "player", "player-matches")
"""Pages with imports of a club, on its own clocks."""


def stored() -> Iterator[date]:
    """Yield every day and every instant that is stored."""
    for model in apps.get_models():
        names = [field.attname for field in model._meta.concrete_fields if isinstance(field, DateField)]
        for row in model._base_manager.values_list(*names) if names else ():
            yield from filter(None, row)


def texts(zone: tzinfo) -> set[str]:
    """Return the days and the times of what is stored, as this zone has them."""
    found = set()
    for at in stored():
        there = at.astimezone(zone) if isinstance(at, datetime) else at
        found |= {f"{there.day} {MONTHS[there.month - 1]}", f"{there:%H:%M}"}
    return found


def seen(page: str) -> str:
    return " ".join(unescape(NOT_SEEN.sub(" ", page)).split())


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(("club_zone", "of_club"), [(AUCKLAND.key, ()), ("Europe/Copenhagen", OF_CLUB)])
def test_visitors_read_the_day_and_the_hour_of_the_event(
    world: World,
    club_zone: str,
    of_club: Collection[str],
) -> None:
    Club.objects.update(time_zone=club_zone)
    Tournament.objects.update(time_zone=AUCKLAND.key)
    pages = {}
    for name in set(ROUTES) - {*NO_EVENT, *of_club}:
        try:
            address = world.address(name)
        except (NoReverseMatch, KeyError):
            continue
        answer = Client().get(address)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            pages[name] = seen(html(answer))
    elsewhere = texts(UTC) | texts(zoneinfo.ZoneInfo("Europe/Copenhagen"))
    found = {name: {*DAY.findall(text), *TIME.findall(text)} for name, text in pages.items()}
    assert len(found) > 60
    assert {name: wrong for name, all_ in found.items() if (wrong := (all_ & elsewhere) - texts(AUCKLAND))} == {}
    starts_at = world.running.tournament.starts_at.astimezone(AUCKLAND)
    assert (starts_at.day, starts_at.hour) == (21, 1), "the day after that of Greenwich and Copenhagen"
    right = {name for name, shown in found.items() if "21 Nov" in shown}
    assert len(right) > 8
    assert {"event", "club", "match"} <= right


# Nobody writes a time in a way of their own.

TEMPLATES = sorted(
    path for path in (ROOT / "templates").rglob("*") if path.suffix in {".html", ".txt", ".svg", ".js", ".xml"}
)
OWN_WAY = re.compile(
    r"\{[{%][^}]*?\|\s*(?:date|time|timezone|localtime|utc|naturaltime|naturalday)\b|\{%\s*(?:now|localtime)\b"
)


def test_templates_write_times_in_one_way() -> None:
    assert len(TEMPLATES) > 400
    assert not [path for app in APPS for path in (ROOT / app).rglob("templates/*")], "all are in one folder"
    wrong = [
        f"{path.relative_to(ROOT)}: {use[0]}" for path in TEMPLATES for use in OWN_WAY.finditer(path.read_text("utf-8"))
    ]
    assert wrong == [], "write it with {% moment %}, {% reader_time %}, or |in_zone:…|written"


@pytest.mark.parametrize("use", ["{{ at|date }}", '{{ at|time:"H:i" }}', "{% now 'Y' %}", "{{ x|default:y|date:'c' }}"])
def test_other_ways_are_found(use: str) -> None:
    assert OWN_WAY.search(use)
    assert not OWN_WAY.search("{{ at|in_zone:zone|written }} {{ date|timeuntil }} {{ left|time_left }}")


def test_presenters_do_not_write_times_on_a_clock_they_do_not_name() -> None:
    wrong = []
    for path in (path for path in python_files() if path != ROOT / "core/times.py"):
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            clocks = [inner for inner in ast.walk(call) if isinstance(inner, ast.Call) and _is_readers(inner)]
            if name == "strftime" or (name in {"date_format", "time_format"} and clocks):
                wrong.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert wrong == [], "write it with core.times.written"


def _is_readers(call: ast.Call) -> bool:
    """Whether it takes an instant to the clock of whoever reads, for want of a zone."""
    return getattr(call.func, "attr", getattr(call.func, "id", "")) == "localtime" and len(call.args) == 1
