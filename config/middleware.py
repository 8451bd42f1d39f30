"""Middleware."""

import re
import uuid
import zoneinfo
from collections.abc import Callable
from urllib.parse import unquote

import structlog
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.utils import timezone, translation

from config import error_pages
from config.modules import import_map_source
from core.messages import sentence, status_of
from engine.errors import Refused
from players.accounts.views.pages import way_back

Handler = Callable[[HttpRequest], HttpResponse]

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestId:
    """Give each request an id, sent in its response and written in its log lines."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent_id = request.headers.get("X-Request-ID", "")
        request_id = sent_id if _REQUEST_ID.fullmatch(sent_id) else uuid.uuid4().hex
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response["X-Request-ID"] = request_id
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


class ContentSecurityPolicy:
    """Allow only our own files; a view that needs another policy sets the header itself."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        # The import map is the only inline script and is allowed by its hash.
        scripts = " ".join(["'self'", *([f"'{import_map_source()}'"] if import_map_source() else [])])
        self.policy = "; ".join(
            [
                "default-src 'self'",
                f"script-src {scripts}",
                "style-src 'self'",
                "img-src 'self' data:",
                "object-src 'none'",
                "base-uri 'none'",
                "form-action 'self'",
                "frame-ancestors 'none'",
            ]
        )

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        return response


TIME_ZONE_COOKIE = "time_zone"
"""Set by static/config/time_zone.js."""


class Preferences:
    """Activate the user's language and time zone, if they have chosen them; else the time zone of their browser."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        language = user.language if user.is_authenticated else ""
        zone = _zone(user.time_zone) if user.is_authenticated else None
        zone = zone or _zone(unquote(request.COOKIES.get(TIME_ZONE_COOKIE, "")))
        if language and translation.check_for_language(language):
            translation.activate(language)
            request.LANGUAGE_CODE = translation.get_language() or language
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
        response = self.get_response(request)
        if not isinstance(response, HttpResponseNotAllowed) or request.path.startswith("/api/"):
            return response
        explained = error_pages.method_not_allowed(request)
        explained.headers["Allow"] = response.headers["Allow"]
        return explained

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Render a refusal as a page; leave other exceptions to Django."""
        if not isinstance(exception, Refused):
            return None
        back = way_back(request)
        context = {"code": exception.code, "reason": sentence(exception.code, exception.params), "back": back}
        return render(request, "refused.html", context, status=status_of(exception.code))
