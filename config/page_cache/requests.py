"""Reduce a request to what a public page may depend on."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.http import HttpRequest, parse_cookie
from django.utils import translation

from config.disconnects import Scope
from config.page_cache.routes import known_parameters
from players.accounts.kept_input import COOKIE as KEPT_INPUT_COOKIE

LONGEST_QUERY = 200
"""In bytes; longer queries are not stored."""
LONGEST_PATH = 200
"""In characters; longer paths lead nowhere, and are not to be kept in memory."""
PERSONAL_HEADERS = frozenset({b"authorization", b"match-link", b"range"})


@dataclass(frozen=True)
class PageRequest:
    """A request by nobody in particular; equal ones have equal answers, as long as nothing is written."""

    scheme: str
    host: bytes
    path: str
    query: bytes
    language: str
    is_htmx: bool

    def scope_for(self, scope: Scope) -> Scope:
        """Return the scope that Django renders: that of the original request without what makes it personal."""
        headers = [(b"host", self.host), (b"accept-language", self.language.encode())]
        if self.is_htmx:
            headers.append((b"hx-request", b"true"))
        return {**scope, "query_string": self.query, "headers": headers}


def page_request(scope: Scope) -> PageRequest | None:
    """Return the reduced request; None if it is not one for a public page by an anonymous visitor."""
    if scope["method"] != "GET" or len(scope["query_string"]) > LONGEST_QUERY or len(scope["path"]) > LONGEST_PATH:
        return None
    parameters = known_parameters(scope["path"])
    headers = dict(scope["headers"])
    if parameters is None or not PERSONAL_HEADERS.isdisjoint(headers):
        return None
    # As Django reads them: `http.cookies` gives up at the first one that is malformed, and would miss a session.
    cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
    query = _query(scope["query_string"], parameters)
    if query is None or not personal_cookies().isdisjoint(cookies):
        return None
    return PageRequest(
        scheme=scope.get("scheme", "http"),
        host=headers.get(b"host", b""),
        path=scope["path"],
        query=query,
        language=_language(
            headers.get(b"accept-language", b"").decode("latin-1"), cookies.get(settings.LANGUAGE_COOKIE_NAME, "")
        ),
        is_htmx=headers.get(b"hx-request") == b"true",
    )


@lru_cache(maxsize=1)
def personal_cookies() -> frozenset[str]:
    """The cookies with which a request is somebody's: a session, a message to be shown, input to be sent again."""
    return frozenset({settings.SESSION_COOKIE_NAME, "messages", KEPT_INPUT_COOKIE})


def _query(query: bytes, parameters: Iterable[str]) -> bytes | None:
    """Return a query string in a fixed order; None if it has a parameter that is unknown or comes twice."""
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names) or not set(names).issubset(parameters):
        return None
    return urlencode(sorted(pairs)).encode()


@lru_cache(maxsize=512)
def _language(accepted: str, chosen: str) -> str:
    """Return the language in which Django would answer."""
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = accepted
    request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = chosen
    return translation.get_language_from_request(request)
