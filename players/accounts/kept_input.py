"""Keep what somebody typed while they sign in again.

A form that is sent after the session has ended leads to the sign-in page. Meanwhile its fields are kept in a signed
cookie that the browser sends only to pages under `/sign-in/`, and are then offered to be sent again.
Nothing is sent without a click. Passwords and files are never kept.

The CSRF token changes when somebody signs in. A form that the same user had open in another tab is kept, too: a secret
says for whom it was made, which nobody else can write.
"""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import _unmask_cipher_token  # type: ignore[attr-defined]  # left out of the stubs
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.crypto import constant_time_compare, get_random_string, salted_hmac

from core.requests import is_htmx, way_back
from players.access import Visitor

COOKIE = "kept_input"
SALT = "players.accounts.kept_input"
LASTS = 3600
"""How long the input is kept, in seconds."""
MAX_COOKIE_LENGTH = 3800
"""In characters; browsers refuse cookies of more than about 4,000."""
NEVER_KEPT = ("csrfmiddlewaretoken", "password", "secret", "token")
"""Fields with one of these words in their name are left out."""


class KeptInput(NamedTuple):
    """A form that was sent without being signed in."""

    path: str
    """The URL the form was sent to."""
    back: str
    """The URL of the page the form was on."""
    fields: list[tuple[str, str]]


def read(request: HttpRequest) -> KeptInput | None:
    """Return the input this browser keeps; None if there is none, or none that we signed within the last hour."""
    try:
        path, back, fields = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        return None
    return KeptInput(path, back, [(name, value) for name, value in fields])


def forget(response: HttpResponse) -> None:
    response.delete_cookie(COOKIE, path=reverse("sign-in"), samesite="Lax")


def fields_of(request: HttpRequest) -> list[tuple[str, str]] | None:
    """Return the fields of a form as they were typed; None if some of them must not be kept, such as a password."""
    names = set(request.POST) - {"csrfmiddlewaretoken"}
    if any(word in name.lower() for name in names for word in NEVER_KEPT):
        return None
    return [(name, value) for name in request.POST if name in names for value in request.POST.getlist(name)]


def keep(request: HttpRequest, response: HttpResponse) -> None:
    """Keep the fields of this request in a cookie, unless there are none or too many."""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if not any(word in name.lower() for word in NEVER_KEPT)
    ]
    text = signing.dumps((request.get_full_path(), way_back(request), fields), salt=SALT, compress=True)
    if fields and len(text) <= MAX_COOKIE_LENGTH:
        response.set_cookie(
            COOKIE,
            text,
            max_age=LASTS,
            path=reverse("sign-in"),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


RANDOM = 16
"""Characters of a CSRF secret, of 32, that are random; the others say for whom it was made."""


def csrf_secret_for(user: Visitor) -> str:
    """Return a new secret for the forms that a user sees."""
    start = get_random_string(RANDOM)
    return start + _signature(user, start)


def _signature(user: Visitor, start: str) -> str:
    return salted_hmac(f"{SALT}.csrf", f"{user.pk}:{start}", algorithm="sha256").hexdigest()[:RANDOM]


def offer_again(request: HttpRequest) -> HttpResponse | None:
    """Answer a form with an old CSRF token that this user saw before they signed in again; None for any other."""
    token = request.POST.get("csrfmiddlewaretoken", "")
    if not request.user.is_authenticated or not re.fullmatch("[a-zA-Z0-9]{64}", token):
        return None
    secret = _unmask_cipher_token(token)
    if not constant_time_compare(secret[RANDOM:], _signature(request.user, secret[:RANDOM])):
        return None
    response = redirect("send-kept-input")
    keep(request, response)
    if COOKIE not in response.cookies:
        return None
    return _for_htmx(request, response) if is_htmx(request) else response


class KeepInput:
    """Redirect anonymous users who send a form to the sign-in page, and keep what they typed."""

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
        """Return whether a form was refused only because its session has ended."""
        if request.method != "POST" or response.status_code not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            return False
        had_session = settings.SESSION_COOKIE_NAME in request.COOKIES
        # A form without its CSRF token may come from any site.
        return had_session and getattr(request, "csrf_processing_done", False)


def _for_htmx(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the same redirect for htmx: a form leads to the sign-in page, polling changes nothing."""
    answer = HttpResponse(status=HTTPStatus.NO_CONTENT)
    answer.cookies = response.cookies
    if request.method == "POST":
        answer.headers["HX-Redirect"] = response.headers["Location"]
    return answer
