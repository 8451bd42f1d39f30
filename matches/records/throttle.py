"""How many records one client or one account may send in. Without a cache there is no limit."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from core.throttle import client_network
from engine.errors import Refused


class UploadThrottle(SimpleRateThrottle):
    """Count uploads of pages and API together."""

    scope = "upload"

    def get_rate(self) -> str | None:
        """Return the rate of anonymous clients; `allow_request` replaces it for accounts, which may send more."""
        return settings.UPLOAD_RATES["anon"]

    def allow_request(self, request: Any, view: Any) -> bool:
        """Return whether one more upload is within the rate, and count it if so."""
        if request.user.is_authenticated:
            self.num_requests, self.duration = self.parse_rate(settings.UPLOAD_RATES["user"])
        return super().allow_request(request, view)

    def get_cache_key(self, request: Any, view: Any) -> str:
        """Return the cache key of the account, or of the IP address without one."""
        user = request.user
        ident = f"user-{user.pk}" if user.is_authenticated else client_network(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


def count_upload(request: HttpRequest | Request) -> None:
    """Count an upload. Refused: `too_many_uploads`, with the minutes to wait."""
    throttle = UploadThrottle()
    if not throttle.allow_request(request, None):
        seconds = throttle.wait() or 60
        raise Refused("too_many_uploads", minutes=max(1, round(seconds / 60)))
