"""How many records one address, or one account, may send in. Without a cache nobody is counted, and all may."""

import ipaddress
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from engine.errors import Refused

IPV6_HOME = 64
"""An IPv6 customer has at least this network to himself."""


class UploadThrottle(SimpleRateThrottle):
    """Counts uploads of pages and API together."""

    scope = "upload"

    def get_rate(self) -> str | None:
        """Decided for each request, since an account may send more than an address."""
        return settings.UPLOAD_RATES["anon"]

    def allow_request(self, request: Any, view: Any) -> bool:
        """Whether one more is within the rate; counts it if so."""
        if request.user.is_authenticated:
            self.num_requests, self.duration = self.parse_rate(settings.UPLOAD_RATES["user"])
        return super().allow_request(request, view)

    def get_cache_key(self, request: Any, view: Any) -> str:
        """The account, or the address."""
        user = request.user
        ident = f"user-{user.pk}" if user.is_authenticated else network(self.get_ident(request))
        return self.cache_format % {"scope": self.scope, "ident": ident}


def network(address: str) -> str:
    """The address, or for IPv6 the network that belongs to one customer."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    return str(ipaddress.ip_network((parsed, IPV6_HOME), strict=False).network_address)


def count_upload(request: HttpRequest | Request) -> None:
    """Count one more record from here. Refused: `too_many_uploads`, with the minutes to wait."""
    throttle = UploadThrottle()
    if not throttle.allow_request(request, None):
        seconds = throttle.wait() or 60
        raise Refused("too_many_uploads", minutes=max(1, round(seconds / 60)))
