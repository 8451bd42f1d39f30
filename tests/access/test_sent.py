"""Every form that the site takes is sent by one of its pages, or by its own scripts and programs."""

import re
from collections.abc import Iterator

from core.packages import PACKAGES, ROOT
from tests.access.roles import ROUTES, declared
from tournaments.models import Entry

# `{% url 'x' %}` and `reverse("x")`; of a match, by account or personal link, `{% action seat 'x' %}` and
# `action_url(seat, "x")`.
ROUTE = re.compile(r"""(?:\{%\s*url\s+|\breverse\(\s*)['"]([\w-]+)""")
ACTION = re.compile(r"""(?:\{%\s*action\s+|\baction_url\()seat,?\s+['"]([\w-]+)""")


def named() -> Iterator[str]:
    """Yield the routes whose URLs the pages, scripts and programs of the site make."""
    sources = [path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")]
    for path in (*sources, *(ROOT / "templates").rglob("*.*")):
        text = path.read_text()
        yield from ROUTE.findall(text)
        yield from (f"{way}-{act}" for act in ACTION.findall(text) for way in ("match", "link"))
    # The desk has a form for each field of an entry.
    yield from (f"entry-{name}" for name in Entry.FIELDS)


def unsent(routes: dict[str, set[str]]) -> set[str]:
    """Return those of the routes, with their methods, that take a form which nothing sends."""
    return {name for name, methods in routes.items() if "post" in methods} - set(named())


def test_every_form_is_sent_by_something() -> None:
    of_pages = {name: set(declared(route)) for name, route in ROUTES.items() if not hasattr(route.callback, "cls")}
    assert sum("post" in methods for methods in of_pages.values()) > 200
    assert not unsent(of_pages)


def test_a_planted_form_that_nothing_sends_is_reported() -> None:
    assert unsent({"event-leave": {"post"}, "event-publish": {"post"}, "no-page": {"get"}}) == {"event-leave"}
