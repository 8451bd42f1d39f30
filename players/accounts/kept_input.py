"""What somebody typed survives signing in again.

Whoever sends a form after their session has ended is asked to sign in. The form's fields wait meanwhile in a signed
cookie of their own browser, which only the pages under `/sign-in/` receive, and are offered for sending afterwards.
Nothing is sent again without a click, and neither passwords nor files are kept.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.urls import reverse

from core.htmx import is_htmx
from players.accounts.views.pages import way_back

COOKIE = "kept_input"
SALT = "players.accounts.kept_input"
LASTS = 3600
"""Seconds in which signing in brings the input back."""
LONGEST_COOKIE = 3800
"""Characters; browsers refuse cookies of more than about 4,000."""
NEVER_KEPT = ("csrfmiddlewaretoken", "password", "secret", "token")
"""A field with one of these in its name is left out."""


class KeptInput(NamedTuple):
    """A form that was sent while signed out."""

    path: str
    """Where it was sent to."""
    back: str
    """The page it was on."""
    fields: list[tuple[str, str]]


def read(request: HttpRequest) -> KeptInput | None:
    """What this browser keeps; None where there is nothing, or nothing we have signed within the hour."""
    try:
        path, back, fields = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        return None
    return KeptInput(path, back, [(name, value) for name, value in fields])


def forget(response: HttpResponse) -> None:
    """Delete what this browser keeps."""
    response.delete_cookie(COOKIE, path=reverse("sign-in"), samesite="Lax")


def keep(request: HttpRequest, response: HttpResponse) -> None:
    """Let the browser keep the fields of this request, if there are any and not too many."""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if not any(word in name.lower() for word in NEVER_KEPT)
    ]
    text = signing.dumps((request.get_full_path(), way_back(request), fields), salt=SALT, compress=True)
    if fields and len(text) <= LONGEST_COOKIE:
        response.set_cookie(
            COOKIE,
            text,
            max_age=LASTS,
            path=reverse("sign-in"),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


class KeepInput:
    """Asks whoever sends a form without being signed in to sign in, and keeps what they typed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.user.is_authenticated or request.path.startswith("/api/"):
            return response
        if self._has_expired(request, response):
            response = redirect_to_login(way_back(request))
        elif not response.headers.get("Location", "").startswith(resolve_url(settings.LOGIN_URL)):
            return response
        if request.method == "POST":
            keep(request, response)
        return _for_htmx(request, response) if is_htmx(request) else response

    @staticmethod
    def _has_expired(request: HttpRequest, response: HttpResponse) -> bool:
        """Whether a form was refused only because the session behind it has ended."""
        if request.method != "POST" or response.status_code not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            return False
        had_session = settings.SESSION_COOKIE_NAME in request.COOKIES
        # A form without its CSRF token may come from anywhere.
        return had_session and getattr(request, "csrf_processing_done", False)


def _for_htmx(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The same for a fragment: a form leads to the sign-in page, and polling changes nothing."""
    answer = HttpResponse(status=HTTPStatus.NO_CONTENT)
    answer.cookies = response.cookies
    if request.method == "POST":
        answer.headers["HX-Redirect"] = response.headers["Location"]
    return answer
