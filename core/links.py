"""Links that are handed out: absolute URLs, QR codes, and forms behind personal links."""

from collections.abc import Callable
from urllib.parse import urlsplit

import segno
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

# URLs that are handed out, to be opened on another device: in QR codes, on paper, in invitations, in calendars.


def absolute_url(request: HttpRequest, path: str) -> str:
    """Return the URL of a path at the host of the request, or at SITE_URL if only this machine can reach that host."""
    if not is_for_this_machine_only(request.build_absolute_uri("/")) or is_for_this_machine_only(settings.SITE_URL):
        return request.build_absolute_uri(path)
    return f"{settings.SITE_URL}{path}"


def is_for_this_machine_only(url: str) -> bool:
    """Return whether the host of a URL is the loopback interface."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


# QR codes, on paper and on screens.


def qr_svg(text: str) -> str:
    """Return the QR code of a URL as an SVG without a size; it can be read if up to 15 % of it is lost."""
    return segno.make(text, error="m").svg_inline(border=0, omitsize=True, svgclass="qr", lineclass=None)


# Forms behind personal links, which act without an account.


View = Callable[..., HttpResponseBase]


def by_personal_link(view: View) -> View:
    """Let a form be sent without a CSRF token: no other site knows the link, and no cookie counts.

    Pages of personal links send no referrer, so browsers do not say which site their forms come from.
    """
    return csrf_exempt(view)
