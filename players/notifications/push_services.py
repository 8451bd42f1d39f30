"""Connections to push services: over HTTPS, to public addresses only, since a browser names any URL it likes."""

import ipaddress
import socket
import ssl
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit

HTTPS_PORT = 443
PATIENCE = 10.0
"""Seconds until a push service that does not answer is given up."""


class Forbidden(Exception):
    """The endpoint is not one that this site sends to."""


class Endpoint(NamedTuple):
    """The URL of a subscription, taken apart."""

    host: str
    port: int
    target: str
    """Path and query."""

    @property
    def audience(self) -> str:
        """The origin of the push service."""
        return f"https://{self.host}" + (f":{self.port}" if self.port != HTTPS_PORT else "")


Connect = Callable[[Endpoint], HTTPConnection]


def endpoint_of(url: str) -> Endpoint:
    """Take the URL of a subscription apart. Raises Forbidden unless it is an https URL of a named host."""
    try:
        parts = urlsplit(url)
        port = parts.port or HTTPS_PORT
    except ValueError:
        raise Forbidden("not a URL") from None
    if parts.scheme != "https" or not parts.hostname or parts.username is not None or not url.isascii():
        raise Forbidden("not an https URL of a host")
    if any(character.isspace() or character < " " for character in url):
        raise Forbidden("not a URL")
    try:
        ipaddress.ip_address(parts.hostname)
    except ValueError:
        return Endpoint(parts.hostname, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
    raise Forbidden("an address instead of a name")


def connect(endpoint: Endpoint) -> HTTPConnection:
    """Return a connection to a push service. Its name is resolved once, and only public addresses are used.

    Raises Forbidden if there is none, and OSError if it cannot be reached.
    """
    addresses = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    public = [str(row[4][0]) for row in addresses if ipaddress.ip_address(row[4][0]).is_global]
    if not public:
        raise Forbidden("no public address")
    return _Pinned(endpoint.host, public[0], endpoint.port)


class _Pinned(HTTPSConnection):
    """A connection to one address of a host, so that the name cannot lead elsewhere once it was checked."""

    def __init__(self, host: str, address: str, port: int) -> None:
        super().__init__(host, port, timeout=PATIENCE)
        self._address = address
        self._tls = ssl.create_default_context()

    def connect(self) -> None:
        """Connect to the address; the certificate is checked for the host."""
        raw = socket.create_connection((self._address, self.port), PATIENCE)
        self.sock = self._tls.wrap_socket(raw, server_hostname=self.host)
