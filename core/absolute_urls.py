"""URLs that are handed out, to be opened on another device: in QR codes, on paper, in invitations, in calendars."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest


def absolute_url(request: HttpRequest, path: str) -> str:
    """Return the URL of a path at the host of the request, or at SITE_URL if only this machine can reach that host."""
    if not is_for_this_machine_only(request.build_absolute_uri("/")) or is_for_this_machine_only(settings.SITE_URL):
        return request.build_absolute_uri(path)
    return f"{settings.SITE_URL}{path}"


def is_for_this_machine_only(url: str) -> bool:
    """Return whether the host of a URL is the loopback interface."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
