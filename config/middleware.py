"""Middleware, and the error pages it answers with."""

import codecs
import re
import sys
import time
import uuid
import zoneinfo
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

import structlog
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import BadRequest, DisallowedHost, MiddlewareNotUsed, RequestDataTooBig, TooManyFieldsSent
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseNotAllowed
from django.http.request import split_domain_port
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.views import defaults
from rest_framework import exceptions
from rest_framework.authentication import CSRFCheck

from config.api_errors import API_PATH, missing_slash, problem_response, refused_problem
from config.api_json import TooLarge
from config.database import DOWN, LOCKED, outage_of
from config.limits import BUSY, LEFT_OUT, NOT_WRITABLE, OURS, RETRY_AFTER, SAFE
from config.monitoring import is_measured
from config.page_cache import language_asked_for
from config.static_files import import_map_source
from core import languages
from core.downloads import chunks
from core.left_out import DivisionBroken, complete, left_out, show_the_rest
from core.messages import sentence, status_of
from core.numbers import UNCLEAR
from core.repeats import Repeat, protection_of
from core.requests import way_back
from core.throttle import RATE_STATE, client_address
from engine.errors import Refused
from players.accounts import idempotency, kept_input
from players.models import Club
from tournaments.models import Tournament

# Error pages, each with links to go on; the API gets a problem instead.


class DatabaseOutage(exceptions.APIException):
    """The database cannot take a request at present."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE


RETRY_OUTAGE_AFTER = 20
"""Seconds: a server that restarts needs as long."""


def page(request: HttpRequest, status: int, template: str) -> HttpResponse:
    """Render an error page with links to the previous page and the home page."""
    back = way_back(request)
    return render(request, template, {"back": "" if back in ("/", request.path) else back}, status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404: no such URL, or nothing there that this visitor may see."""
    problem = missing_slash(request) or problem_response(request, exceptions.NotFound())
    return problem or page(request, HTTPStatus.NOT_FOUND, "404.html")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 403: the visitor may not do this."""
    return problem_response(request, exceptions.PermissionDenied()) or page(request, HTTPStatus.FORBIDDEN, "403.html")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without a CSRF token: the page is old, cookies are off, or the form is on another site.

    What somebody typed before they signed in again is offered to be sent.
    """
    answer = problem_response(request, exceptions.PermissionDenied()) or kept_input.offer_again(request)
    return answer or page(request, HTTPStatus.FORBIDDEN, "403_csrf.html")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django refuses to read: too long, too many fields, an unknown host."""
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent):
        return problem_response(request, TooLarge()) or page(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "413.html")
    # Nothing about this request can be trusted, not even its host, so its page is rendered without it.
    detail = str(exception) if isinstance(exception, BadRequest) else None
    problem = problem_response(request, exceptions.ParseError(detail))
    return problem or HttpResponseBadRequest(render_to_string("400.html", _unknown_host(request, exception)))


MAX_HOST_LENGTH = 253


def _unknown_host(request: HttpRequest, exception: Exception) -> dict[str, Any]:
    """Return the host of a request that no setting allows; its name only if it is one that a site can have."""
    if not isinstance(exception, DisallowedHost):
        return {}
    # `get_host` would refuse it again.
    host, _port = split_domain_port(request._get_raw_host())  # type: ignore[attr-defined]  # noqa: SLF001
    return {"is_unknown_host": True, "host": host if len(host) <= MAX_HOST_LENGTH else ""}


def method_not_allowed(request: HttpRequest) -> HttpResponse:
    """Answer a GET request to a URL that accepts only forms."""
    return page(request, HTTPStatus.METHOD_NOT_ALLOWED, "405.html")


def out_of_order(request: HttpRequest, outage: str) -> HttpResponse:
    """Answer 503, with a form that sends again what was typed: the database is locked, full, read-only or away."""
    refusal = BUSY if outage == LOCKED else NOT_WRITABLE
    problem = problem_response(request, DatabaseOutage(refusal.detail(request.method or ""), refusal.code))
    if problem is None:
        if outage == DOWN:
            # Whoever it is cannot be looked up, and messages may be stored in the session, which is in the database.
            request.user, request._messages = AnonymousUser(), ()  # type: ignore[attr-defined]  # noqa: SLF001
        kept = kept_input.fields_of(request) if _is_own_form(request) and not request.FILES else None
        context = {"outage": outage, "kept": kept, "to": request.get_full_path(), "back": way_back(request)}
        problem = render(request, "503.html", context, status=HTTPStatus.SERVICE_UNAVAILABLE)
    problem.headers["Retry-After"] = str(RETRY_AFTER if outage == LOCKED else RETRY_OUTAGE_AFTER)
    return problem


def _is_own_form(request: HttpRequest) -> bool:
    """Whether a form has our CSRF token: one of another site must not be offered to be sent again with it."""
    check = CSRFCheck(lambda _: HttpResponse())
    check.process_request(request)
    # It asks the view only whether it is exempt; None is not.
    return check.process_view(request, None, (), {}) is None  # type: ignore[arg-type]


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an unexpected error, which is in the log with the request's id."""
    if outage := outage_of(sys.exc_info()[1]):
        return out_of_order(request, outage)
    return problem_response(request, exceptions.APIException()) or defaults.server_error(request)


Handler = Callable[[HttpRequest], HttpResponse]

logger = structlog.get_logger(__name__)

USER_ID = "user_id"
"""The key of the signed-in user in the log lines of a request."""
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class AppendSlash(CommonMiddleware):
    """Send pages that were asked for without the slash at the end of their address there, but no request to the API.

    A redirect would make a GET of a POST; `not_found` says instead what the address is.
    """

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Return whether only the slash is missing from the address of a page."""
        return not request.path_info.startswith(API_PATH) and super().should_redirect_with_slash(request)


class RequestId:
    """Give each request an id, sent in its response and written in its log lines, and mark the response as ours."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent_id = request.headers.get("X-Request-ID", "")
        request_id = sent_id if _REQUEST_ID.fullmatch(sent_id) else uuid.uuid4().hex
        with structlog.contextvars.bound_contextvars(request_id=request_id, **{USER_ID: None}):
            response = self.get_response(request)
        response["X-Request-ID"] = request_id
        response[OURS[0].decode()] = OURS[1].decode()
        return response


class RequestLog:
    """Log each request in one line: its route by name (a path may contain a token), status, duration and user."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        values: dict[str, object] = {
            "method": request.method,
            "route": match.view_name if match else None,
            "status": response.status_code,
            "ms": round(1000 * (time.perf_counter() - started)),
        }
        if settings.LOG_CLIENT_ADDRESS:
            values["client"] = client_address(request)
        logger.info("request", **values)
        return response


class RefuseNul:
    """Refuse URLs and headers that contain a NUL character, which no database can store."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        texts = (request.path_info, unquote(request.META.get("QUERY_STRING", "")), *request.headers.values())
        if any("\0" in text for text in texts):
            raise BadRequest("A NUL character in the URL or a header.")
        return self.get_response(request)


class RefuseOtherEncodings:
    """Refuse bodies in another encoding than UTF-8: Python has some that take minutes to decode a megabyte."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.encoding and codecs.lookup(request.encoding).name != "utf-8":
            raise BadRequest("The body is not in UTF-8.")
        return self.get_response(request)


DEVICES = ("camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial", "usb")
"""What no page uses, so that no script may ask for it."""


class ContentSecurityPolicy:
    """Allow only our own files and no devices; a view that needs another policy sets the header itself.

    A view that may be framed sets only `frame-ancestors`; the rest of the policy is added.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        # The import map is the only inline script and is allowed by its hash.
        scripts = " ".join(["'self'", *([f"'{import_map_source()}'"] if import_map_source() else [])])
        self.resources = "; ".join(
            [
                "default-src 'self'",
                f"script-src {scripts}",
                "style-src 'self'",
                "img-src 'self' data:",
                # What is kept for an evening without a network has its typeface in itself (`paper/snapshot.js`).
                "font-src 'self' data:",
                "object-src 'none'",
                "base-uri 'none'",
                "form-action 'self'",
            ]
        )
        self.devices = ", ".join(f"{device}=()" for device in DEVICES)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # A script or a style sheet runs under the policy of its page: there are forty with a board, half a KB each.
        kind = response.headers.get("Content-Type", "")
        if request.path.startswith(settings.STATIC_URL) and kind.startswith(("text/javascript", "text/css")):
            return response
        own = response.headers.get("Content-Security-Policy", "frame-ancestors 'none'")
        if own.startswith("frame-ancestors "):
            response.headers["Content-Security-Policy"] = f"{self.resources}; {own}"
        response.headers["Permissions-Policy"] = self.devices
        return response


class PrivateByDefault:
    """Keep every answer out of shared and private caches, unless its view says how long it may be kept.

    Public pages for anonymous visitors get their header outside Django, by `config.page_cache`.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class Compressed(GZipMiddleware):
    """Compress pages and JSON, with padding that hides how well secrets in them are compressed; never a stream.

    The ETag of a version, `"7"`, becomes `W/"7"`: `core.requests.entity_tags` reads both.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress what is sent in one piece, if its reader takes that."""
        return response if response.streaming else super().process_response(request, response)


class RateLimitHeaders:
    """Say in answers of the API how many requests its client has left."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if (state := request.META.get(RATE_STATE)) is not None:
            response.headers["RateLimit-Limit"] = str(state.most)
            response.headers["RateLimit-Remaining"] = str(state.left)
            response.headers["RateLimit-Reset"] = str(state.seconds)
        return response


SECRET_PARAMETERS = frozenset(
    {
        *("token", "event_token", "coming_token", "owner_token", "secret"),
        *("feed_token", "unsubscribe_token", "pairing_token", "uidb64"),
    }
)
"""Names of route parameters that work like a key."""
OF_PERSONAL_LINKS = frozenset({"token", "event_token", "coming_token", "owner_token"})


class SecretUrls:
    """Keep URLs that work like a key out of search engines, and personal links out of `Referer` as well.

    Without a referrer browsers do not say which site a form comes from, so that Django refuses it; the forms behind
    personal links need no such check, but forms behind other secret URLs do.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        parameters = request.resolver_match.kwargs.keys() if request.resolver_match else ()
        if not SECRET_PARAMETERS.isdisjoint(parameters):
            response.headers["X-Robots-Tag"] = "noindex, nofollow"
            if not OF_PERSONAL_LINKS.isdisjoint(parameters) and "uidb64" not in parameters:
                response.headers["Referrer-Policy"] = "no-referrer"
        return response


INDEXED = frozenset(
    {"home", "club-list", "club", "commitments", "events", "event", "division", "standings", "pairings"}
    | {"event-report", "rankings", "players", "player"}
)
"""Routes that search engines may show; a new page is not shown until it is added here."""


class SearchEngines:
    """Keep everything out of search engines but the public pages of clubs, events and players, without searches."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        match = request.resolver_match
        # The same page in another language is a page of its own.
        known = {languages.PARAMETER} if languages.choice_of(request).asked else set()
        if match is not None and (match.url_name not in INDEXED or request.GET.keys() - known):
            response.headers.setdefault("X-Robots-Tag", "noindex")
        return response


NOT_FOR_READERS = ("image/", "text/calendar")
"""Contents whose language is that of a club or an event, whoever requests them; their views say which."""


class Language:
    """Answer in the language that the reader wants (`core.languages.wish`), else that of the club whose page it is."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # First without the account: if it cannot be read, the page that says so is in a language they know, too.
        _activate(request, _choice(request, ""))
        if request.user.is_authenticated and request.user.language:
            _activate(request, _choice(request, request.user.language))
        response = self.get_response(request)
        if not response.headers.get("Content-Type", "").startswith(NOT_FOR_READERS):
            response.headers.setdefault("Content-Language", languages.choice_of(request).language)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: dict[str, Any]) -> None:
        """Look up the language of a club's page for readers without a wish; browsers always express one."""
        choice = languages.choice_of(request)
        matters = languages.offers_choice() and (choice.asked or not choice.wish)
        if matters and not request.path_info.startswith(API_PATH):
            choice.default = languages.first_offered(*_languages_of_page(kwargs))
            _activate(request, choice)


def _choice(request: HttpRequest, own: str) -> languages.Choice:
    asked = language_asked_for(request.path_info, request.META.get("QUERY_STRING", ""))
    wish = languages.wish(
        asked=asked,
        own=own,
        switch=request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, ""),
        accepted=request.headers.get("Accept-Language", ""),
    )
    return languages.Choice(asked, wish, settings.LANGUAGE_CODE)


def _activate(request: HttpRequest, choice: languages.Choice) -> None:
    request.language_choice = choice  # type: ignore[attr-defined]
    translation.activate(choice.language)


def _languages_of_page(kwargs: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the languages that an event and its club have chosen, or the club alone, by the parameters of a route."""
    club, slug = kwargs.get("club"), kwargs.get("slug")
    if club and slug:
        # What is not published must not be told from what does not exist.
        events = Tournament.objects.filter(club__slug=club, slug=slug).exclude(status=Tournament.Status.DRAFT)
        return events.values_list("language", "club__language").first() or ()
    if club or slug:
        return Club.objects.filter(slug=club or slug).values_list("language").first() or ()
    return ()


TIME_ZONE_COOKIE = "time_zone"
"""Set by static/config/time_zone.js."""


class Preferences:
    """Activate the user's time zone, if they have chosen one; else that of their browser."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if user.is_authenticated:
            structlog.contextvars.bind_contextvars(**{USER_ID: user.pk})
        zone = _zone(user.time_zone) if user.is_authenticated else None
        zone = zone or _zone(unquote(request.COOKIES.get(TIME_ZONE_COOKIE, "")))
        if zone is None:
            return self.get_response(request)
        with timezone.override(zone):
            return self.get_response(request)


def _zone(name: str) -> zoneinfo.ZoneInfo | None:
    try:
        return zoneinfo.ZoneInfo(name) if name else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        # The zone is not in this machine's database any more, so the event's zone is used.
        return None


class RefusalPages:
    """Show refused requests as a page, with the status the API would answer."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with complete():
            response = self.get_response(request)
            if left_out():
                incomplete(response)
        if not isinstance(response, HttpResponseNotAllowed) or request.path.startswith("/api/"):
            return response
        explained = method_not_allowed(request)
        explained.headers["Allow"] = response.headers["Allow"]
        return explained

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Render a refusal, or that the database is out of order; leave other exceptions to Django."""
        if outage := outage_of(exception):
            logger.warning("database_out_of_order", outage=outage, error=str(exception), path=request.path)
            return out_of_order(request, outage)
        if isinstance(exception, DivisionBroken) and (view := request.resolver_match) is not None:
            is_write = request.method not in SAFE and protection_of(view.func, str(request.method)) != Repeat.HARMLESS
            again = None if is_write else partial(view.func, request, *view.args, **view.kwargs)
            try:
                answer: HttpResponse = show_the_rest(exception, again)
                return answer
            except Refused as refused:
                exception = refused
        return refused_page(request, exception) if isinstance(exception, Refused) else None


def incomplete(response: HttpResponse) -> None:
    """Keep an answer without some division out of every cache, and say so where no template does."""
    for header in ("ETag", "Last-Modified", "Kept-Offline"):
        response.headers.pop(header, None)
    response.headers["Cache-Control"] = "private, no-store"
    response.headers[LEFT_OUT] = ", ".join(row.public_id for row in left_out())
    if response.headers.get("Content-Type", "").startswith("text/csv"):
        response.write("".join(chunks([row.code, row.sentence] for row in left_out())))


def refused_page(request: HttpRequest, refused: Refused) -> HttpResponse:
    reason = sentence(refused.code, refused.params)
    context: dict[str, Any] = {"code": refused.code, "reason": reason, "back": way_back(request), "left_out": ()}
    if refused.code == UNCLEAR and (fields := kept_input.fields_of(request)):
        # Each button sends the form again with one of the amounts.
        sent = [(name, value) for name, value in fields if name != refused.params["field"]]
        context |= {"sent": sent, "action": request.get_full_path(), **refused.params}
        return render(request, "unclear_amount.html", context, status=status_of(refused.code))
    return render(request, "refused.html", context, status=status_of(refused.code))


class ActOnce:
    """Let a request with a key act once; its repetition has the first answer."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            once = idempotency.wanted(request)
            if once is None:
                return self.get_response(request)
            with connection.execute_wrapper(once):
                response = self.get_response(request)
            return once.answer(response)
        except Refused as refused:
            answer = refused_problem(request, refused) or refused_page(request, refused)
            if refused.code == "key_in_progress":
                answer.headers["Retry-After"] = str(idempotency.RETRY_AFTER)
            return answer


class Metrics:
    """Count each request with its route, status, duration and database time; absent without prometheus-client."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not is_measured():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # It imports prometheus-client, which is optional.
        from config.monitoring import metrics

        queries, started = metrics.QueryTime(), time.perf_counter()
        with connection.execute_wrapper(queries):
            response = self.get_response(request)
        # Paths may contain tokens, and anybody can invent some.
        route = request.resolver_match.view_name if request.resolver_match else "none"
        seconds = time.perf_counter() - started
        metrics.observe(request.method or "", route, response.status_code, seconds, queries)
        if LEFT_OUT in response.headers:
            metrics.broken_divisions.labels(route).inc()
        return response
