"""Sending an open floor only those of its parts that have changed.

Each part is an element with an id, rendered within the tag `{% part %}`. The page has the versions of its parts, which
are hashes of what they show, and sends them with its requests (floor.js). Nothing is stored on the server.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

HEADER = "Floor-Versions"
VERSION_LENGTH = 8


class Parts:
    """The parts of a floor that is being rendered, for a page that has these versions of them."""

    def __init__(self, seen: Mapping[str, str] | None = None) -> None:
        self.seen = seen or {}
        self.versions: dict[str, str] = {}
        self.changed: dict[str, SafeString] = {}

    def add(self, name: str, markup: SafeString, *, token: str) -> SafeString:
        """Add an element by its id. `token` is the request's CSRF token, which does not count as a change."""
        self.versions[name] = _version(markup.replace(token, "") if token else markup)
        if self.seen.get(name) != self.versions[name]:
            self.changed[name] = markup
        return markup

    def add_made_from(self, value: object, name: str, render: Callable[[], SafeString]) -> SafeString:
        """Add an element that is made from a value alone; it is rendered only if that has changed."""
        self.versions[name] = _version(repr(value))
        if self.seen.get(name) == self.versions[name]:
            return SafeString()
        self.changed[name] = render()
        return self.changed[name]

    @property
    def header(self) -> str:
        """The versions as the page sends them back."""
        return ",".join(f"{name}={version}" for name, version in self.versions.items())

    @property
    def swaps(self) -> list[SafeString]:
        """The elements that have changed, to be swapped by their ids."""
        return [
            mark_safe(markup.replace(f'id="{name}"', f'id="{name}" hx-swap-oob="true"', 1))  # noqa: S308, from templates
            for name, markup in self.changed.items()
        ]


def _version(text: str) -> str:
    return sha256(" ".join(text.split()).encode()).hexdigest()[:VERSION_LENGTH]


def versions_seen(request: HttpRequest) -> dict[str, str]:
    """Return the versions of the parts that the page has; empty if it has none."""
    pairs = (pair.partition("=") for pair in request.headers.get(HEADER, "").split(","))
    return {name: version for name, _separator, version in pairs if name}


def render_changes(request: HttpRequest, context: Mapping[str, object]) -> HttpResponse | None:
    """Return the parts that differ from those the page has, or None if it has other parts and needs the whole floor."""
    parts = Parts(versions_seen(request))
    if not parts.seen:
        return None
    render_to_string("tournaments/floor/_parts.html", {**context, "parts": parts, "is_part": True}, request)
    if parts.seen.keys() != parts.versions.keys():
        return None
    changes = {"parts": parts, "topics_shown": context["topics_shown"]}
    content = render_to_string("tournaments/floor/_changes.html", changes)
    # htmx swaps the elements that are marked, and leaves the rest of the page as it is.
    return HttpResponse(content, headers={"HX-Reswap": "none"})
