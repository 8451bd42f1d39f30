"""The service worker, and the page that it shows where the server cannot be reached."""

from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse

from core.access import Who, open_to

FILES = (
    "config/favicon.svg",
    "config/tokens.css",
    "config/base.css",
    "config/frame.css",
    "config/parts.css",
    "config/theme.js",
    "config/offline.js",
    "config/kept_store.js",
    "config/names.js",
    "config/ours.js",
    "matches/play/kept.js",
    # The last wall screen.
    "config/time_zone.js",
    "config/local_times.js",
    "config/stream.js",
    "display/wall.css",
    "display/wall.js",
)
"""The static files that a device keeps, at most 60 KB. The typeface of the wall stays in the browser's own cache."""


@open_to(get=Who.EVERYBODY)
def offline(request: HttpRequest) -> HttpResponse:
    """Show what this device keeps; the page itself is the same for everybody who reads its language."""
    return HttpResponse(_page(request))


@open_to(get=Who.EVERYBODY)
def service_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker, at the root of the site so that all pages are in its scope."""
    files = [static(name) for name in FILES]
    # The page names the files of each release; its own words change with the language of the reader.
    version = sha256("\n".join([*files, _page(request)]).encode()).hexdigest()[:16]
    context: dict[str, Any] = {"shell": reverse("offline"), "files": files, "version": version}
    name = "service_worker.js" if settings.SERVICE_WORKER else "no_service_worker.js"
    response = render(request, f"config/{name}", context, content_type="text/javascript")
    response["Cache-Control"] = "no-cache"
    return response


def _page(request: HttpRequest) -> str:
    """Render the page for nobody: neither a name, nor a token, nor a choice of this reader is in it."""
    reader, request.user = request.user, AnonymousUser()
    try:
        return render_to_string("config/offline.html", {"messages": ()}, request)
    finally:
        request.user = reader
