"""Who may use a page or an operation: each declares it, and tests/access walks all of them as each kind of user."""

import functools
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_http_methods

from core.requests import way_back

View = Callable[..., HttpResponseBase]
Declaring = TypeVar("Declaring", bound=Callable[..., Any])


class Who(StrEnum):
    """Who may use a page or an operation. Who has a role in a club has those below it, too."""

    EVERYBODY = "everybody"
    SIGNED_IN = "signed in"
    OWN = "own"
    """The account that the object belongs to; it is not there for others."""
    PLAYERS = "players"
    """The players of the match; it is not there for others."""
    MEMBERS = "member"
    HELPERS = "helper"
    """The helpers of the event, and the assistants of its club."""
    STAFF = "assistant"
    DIRECTORS = "director"
    OWNERS = "owner"
    SITE = "site"
    """Those who run the site."""


def open_to(**methods: Who) -> Callable[[Declaring], Declaring]:
    """Declare who may use a view, by method: `@open_to(get=Who.STAFF, post=Who.DIRECTORS)`.

    A function refuses all other methods, and lets anonymous users sign in first unless it is for everybody. It still
    has to authorise the user for the object in its URL. A class does both itself.
    """

    def declare(view: Declaring) -> Declaring:
        declaring: Any = view if isinstance(view, type) else _guarded(view, methods)
        declaring.open_to = methods
        return declaring  # type: ignore[no-any-return]

    return declare


def who_may_use(view: Any) -> dict[str, Who]:
    """Return what a view, or its class, declares: who may use it, by method; empty if it declares nothing."""
    of_class = getattr(view, "cls", getattr(view, "view_class", view))
    declared: dict[str, Who] = getattr(of_class, "open_to", {})
    return declared


def _guarded(view: View, methods: dict[str, Who]) -> View:
    allowed = [method.upper() for method in methods] + ["HEAD"] * ("get" in methods)
    limited = require_http_methods(allowed)(view)
    return limited if Who.EVERYBODY in methods.values() else _account_needed(limited)


def _account_needed(view: View) -> View:
    """Let anonymous users sign in first, then return: to the page, or after a form to the page it was on.

    Whoever has the personal link of a match, a `token` in the URL, needs no account.
    """

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated or "token" in kwargs:
            return view(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            return redirect_to_login(request.get_full_path())
        return redirect_to_login(way_back(request))

    return guarded
