"""Pages that belong to no app: home, theme, health, API documentation."""

from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from redis import Redis
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from config.context import THEME_COOKIE
from config.forms import ThemeForm
from matches.rankings import tables as rankings
from players.models import User
from tournaments.events.selectors import events

log = structlog.get_logger(__name__)

A_YEAR = 365 * 24 * 3600
EVENTS_SHOWN = 4
LEADERS_SHOWN = 5


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what Barpoint is, a way to check a match, current events and the leaders of the ranking."""
    shown = {"events": events.on_show(EVENTS_SHOWN), "leaders": rankings.leaders(LEADERS_SHOWN, timezone.now())}
    return render(request, "config/home.html", shown)


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Save the theme in a cookie and, if signed in, in the account."""
    form = ThemeForm(request.POST)
    is_valid = form.is_valid()
    back = form.cleaned_data.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure()):
        back = "/"
    response = redirect(back)
    if is_valid:
        theme = form.cleaned_data["theme"]
        response.set_cookie(
            THEME_COOKIE, theme, max_age=A_YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE, httponly=True
        )
        if request.user.is_authenticated:
            User.objects.filter(pk=request.user.pk).update(theme=theme)
    return response


@never_cache
@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer while the process lives."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 503 without a database. Without the queue the site works, so that is only reported."""
    state = {"database": _database_state(), "queue": _queue_state()}
    return JsonResponse(state, status=200 if state["database"] == "ok" else 503)


def _database_state() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        log.error("database_unreachable", error=str(error))
        return "down"
    return "ok"


def _queue_state() -> str:
    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1) as broker:
            broker.ping()
    except RedisError as error:
        log.warning("queue_unreachable", error=str(error))
        return "down"
    return "ok"


class ApiDocs(SpectacularSwaggerSplitView):
    """The API documentation, to read and try, without third-party files."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Render Swagger UI, whose icons are data: URLs and whose styles are inline."""
        response: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
        response["Content-Security-Policy"] = (
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
        )
        return response
