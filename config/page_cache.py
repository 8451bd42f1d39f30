"""Public pages and API answers for anonymous visitors, served from a shared cache before Django."""

import asyncio
import gzip
import hashlib
import json
import time
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from http import HTTPStatus
from secrets import token_hex
from typing import Any
from urllib.parse import parse_qsl, urlencode
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from django.http import parse_cookie
from django.urls import Resolver404, resolve
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from config.api_errors import API_PATH
from config.disconnects import Receive, Scope, Send
from config.limits import LEFT_OUT, OURS
from core.languages import PARAMETER, offered, offers_choice, wish
from core.live.site_version import VERSION, WRITERS
from core.ndjson import NdjsonRenderer
from core.packages import PACKAGES, ROOT
from core.requests import entity_tags
from players.accounts.kept_input import COOKIE as KEPT_INPUT_COOKIE

# Which sources this process runs: pages of another release must not be shown.


SOURCES = (*PACKAGES, "templates")


@cache
def release() -> str:
    """Return a digest of the names, sizes and times of all sources; it is made when the process first needs it."""
    digest = hashlib.blake2b(digest_size=12)
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix in (".py", ".html", ".css", ".js", ".mo", ".svg"):
                about = path.stat()
                digest.update(f"{path.relative_to(ROOT)} {about.st_size} {about.st_mtime_ns}\n".encode())
    return digest.hexdigest()


# The current version of the site, as the event loop reads it.


log = structlog.get_logger(__name__)

POLL = 0.005
"""Seconds between two looks at a commit in progress."""
MAX_POLLS = 10
PAUSE = 1.0
"""Seconds in which a server that failed is not asked again."""


@dataclass(frozen=True)
class Version:
    """A version, and whether a commit is in progress that may or may not be seen."""

    token: str
    is_settled: bool


class SiteVersion:
    """Looks up the version for all requests that arrive while another look-up is under way."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._running: asyncio.Task[Version | None] | None = None
        self._waiting: asyncio.Task[Version | None] | None = None
        self._paused_until = 0.0

    async def settled(self) -> str | None:
        """Return the version, once no commit is in progress; None without Redis, or after a short wait."""
        for _ in range(MAX_POLLS):
            version = await self._current()
            if version is None or version.is_settled:
                return version.token if version is not None else None
            await asyncio.sleep(POLL)
        return None

    async def _current(self) -> Version | None:
        """Return the version as of now: a look-up that has begun already might miss a commit since then."""
        if self._waiting is None:
            self._waiting = asyncio.create_task(self._look_up_after(self._running))
        return await asyncio.shield(self._waiting)

    async def _look_up_after(self, running: "asyncio.Task[Version | None] | None") -> Version | None:
        if running is not None:
            await asyncio.wait([running])
        self._running, self._waiting = self._waiting, None
        if time.monotonic() < self._paused_until:
            return None
        try:
            return await self._look_up()
        except (RedisError, OSError) as error:
            self._paused_until = time.monotonic() + PAUSE
            log.warning("site_version_unknown", error=str(error))
            return None

    async def _look_up(self) -> Version | None:
        async with self._client.pipeline(transaction=True) as pipeline:
            pipeline.get(VERSION)
            pipeline.zcount(WRITERS, time.time(), "+inf")
            token, writers = await pipeline.execute()
        if token is None:
            # Lost with a restart, or never written.
            await self._client.set(VERSION, token_hex(8), nx=True)
            return None
        return Version(token.decode(), is_settled=writers == 0)


# The routes that show everybody the same, with the query parameters that they know.


PAGE = frozenset({"page"})
LISTED_BY_API = frozenset({"page_size", "cursor"})
ROUND = frozenset({"stage", "round", "page", "player"})

PUBLIC_ROUTES: dict[str, frozenset[str]] = {
    "home": frozenset(),
    "help-players": frozenset(),
    "help-directors": frozenset(),
    "events": PAGE | {"club"},
    "event": frozenset({"player"}),
    "division": frozenset({"player", "section"}),
    "standings": ROUND,
    "standings-file": ROUND,
    "pairings": ROUND,
    "pairings-file": ROUND,
    "prizes": frozenset(),
    "event-report": frozenset(),
    "event-wall": frozenset(),
    "event-share": frozenset({"page"}),
    "embed-bracket": frozenset(),
    "embed-standings": frozenset(),
    "embed-calls": frozenset(),
    "embed-series": frozenset({"view"}),
    "series-share": frozenset({"page"}),
    "commitments": PAGE,
    "club-list": PAGE | {"q"},
    "club": PAGE | {"q"},
    "club-calendar": frozenset(),
    "rankings": PAGE | {"days", "least", "club", "q"},
    "players": PAGE | {"q"},
    "player": frozenset({"chart"}),
    "api-tournaments": LISTED_BY_API | {"club", "status"},
    "api-tournament": frozenset(),
    "api-divisions": frozenset(),
    "api-division": frozenset(),
    "api-stages": frozenset(),
    "api-bracket": frozenset(),
    "api-fixtures": LISTED_BY_API | {"status", "player"},
    "api-standings": frozenset({"stage", "round"}),
    "api-pairings": frozenset({"stage", "round"}),
    "api-entries": LISTED_BY_API | {"status"},
    "api-draws": LISTED_BY_API,
    "api-draw": frozenset(),
    "api-prizes": frozenset(),
    "api-clubs": LISTED_BY_API | {"q"},
    "api-club": frozenset(),
    "api-members": LISTED_BY_API | {"q", "role"},
    "api-rankings": LISTED_BY_API | {"days", "least", "club", "q"},
    "api-players": LISTED_BY_API | {"q"},
    "api-player": frozenset(),
}


@lru_cache(maxsize=4096)
def known_parameters(path: str) -> frozenset[str] | None:
    """Return the query parameters of a public route; None for any other path."""
    try:
        return PUBLIC_ROUTES.get(resolve(path).url_name or "")
    except Resolver404:
        return None


def is_in_languages(path: str) -> bool:
    """Return whether a path is that of a public page, of which each language has its own address, by `lang`."""
    return offers_choice() and not path.startswith(API_PATH) and known_parameters(path) is not None


def language_asked_for(path: str, query: str) -> str:
    """Return the language of the site that the address of a public page asks for; empty if it does not."""
    if f"{PARAMETER}=" not in query or not is_in_languages(path):
        return ""
    return offered(dict(parse_qsl(query)).get(PARAMETER, ""))


# Reduce a request to what a public page may depend on.


MAX_PATH_LENGTH = 200
"""Longer paths and queries are not stored: such paths lead nowhere, and must not fill the memory."""
PERSONAL_HEADERS = frozenset({b"authorization", b"match-link", b"range"})
LINES = NdjsonRenderer.media_type.encode()
"""Lists that are sent as lines may be long; only their pages are kept."""


@dataclass(frozen=True)
class PageRequest:
    """A request by nobody in particular; equal ones have equal answers, as long as nothing is written."""

    scheme: str
    host: bytes
    path: str
    query: bytes
    language: str
    """Which the reader wants; empty if they have expressed no wish, and what is shown depends on whose page it is."""
    is_htmx: bool

    def scope_for(self, scope: Scope) -> Scope:
        """Return the scope that Django renders: the original request without what makes it personal."""
        headers = [(b"host", self.host)]
        if self.language:
            headers.append((b"accept-language", self.language.encode()))
        if self.is_htmx:
            headers.append((b"hx-request", b"true"))
        return {**scope, "query_string": self.query, "headers": headers}


def page_request(scope: Scope) -> PageRequest | None:
    """Return the reduced request; None if it is not one for a public page by an anonymous visitor."""
    if scope["method"] != "GET" or max(len(scope["query_string"]), len(scope["path"])) > MAX_PATH_LENGTH:
        return None
    parameters = known_parameters(scope["path"])
    headers = dict(scope["headers"])
    if parameters is None or not PERSONAL_HEADERS.isdisjoint(headers) or LINES in headers.get(b"accept", b""):
        return None
    # As Django reads them: `http.cookies` gives up at the first one that is malformed, and would miss a session.
    cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
    path, asked = scope["path"], language_asked_for(scope["path"], scope["query_string"].decode("latin-1"))
    has_languages = is_in_languages(path)
    query = _query(scope["query_string"], parameters | {PARAMETER} if has_languages else parameters, asked)
    if query is None or not personal_cookies().isdisjoint(cookies):
        return None
    language = wish(
        asked=asked,
        switch=cookies.get(settings.LANGUAGE_COOKIE_NAME, ""),
        accepted=headers.get(b"accept-language", b"").decode("latin-1"),
    )
    return PageRequest(
        scheme=scope.get("scheme", "http"),
        host=headers.get(b"host", b""),
        path=path,
        query=query,
        language=language or ("" if has_languages else settings.LANGUAGE_CODE),
        is_htmx=headers.get(b"hx-request") == b"true",
    )


@lru_cache(maxsize=1)
def personal_cookies() -> frozenset[str]:
    """The cookies that make a request personal: a session, a message to be shown, input to be sent again."""
    return frozenset({settings.SESSION_COOKIE_NAME, "messages", KEPT_INPUT_COOKIE})


def _query(query: bytes, parameters: Iterable[str], language: str) -> bytes | None:
    """Return a query string in a fixed order; None if it has a parameter that is unknown or comes twice.

    It asks for `language`, or for none: otherwise each invented one would be stored.
    """
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names) or not set(names).issubset(parameters):
        return None
    others = [pair for pair in pairs if pair[0] != PARAMETER]
    return urlencode(sorted([*others, *([(PARAMETER, language)] if language else [])])).encode()


# An answer of Django that may be shown to everybody, compressed, with an ETag.


KEPT_HEADERS = frozenset(
    {
        b"allow",
        b"content-disposition",
        b"content-language",
        b"content-security-policy",
        b"content-type",
        b"cross-origin-opener-policy",
        b"etag",
        b"kept-offline",
        b"link",
        b"location",
        b"permissions-policy",
        b"referrer-policy",
        b"strict-transport-security",
        b"x-content-type-options",
        b"x-frame-options",
        b"x-robots-tag",
    }
)
"""Of the headers that Django sends; the others, such as cookies and rate limits, are for one reader."""
CACHE_CONTROL = b"public, max-age=0, must-revalidate"
"""A shared cache may keep the page, and asks whether it is still current."""
VARY = b"Accept, Accept-Encoding, Accept-Language, Authorization, Cookie, HX-Request"
GZIP_LEVEL = 5
LASTS = 5.0
"""Seconds for which an answer is kept though nothing was written, since some of it depends on the time."""
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class CachedResponse:
    """A status, headers and a compressed body."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    compressed: bytes
    etag: bytes
    """Made from the body, unless the view has set its own, by which API clients write."""
    until: float
    """When it is to be rendered again though nothing was written, in seconds since the epoch."""

    @classmethod
    def of(cls, status: int, headers: Headers, body: bytes) -> "CachedResponse":
        """Compress an answer of Django, and drop its headers that are for one reader."""
        kept = tuple((name, value) for name, value in headers if name in KEPT_HEADERS and name != b"etag")
        own = dict(headers).get(b"etag", b"")
        etag = own or b'W/"' + blake2b(body, digest_size=12).hexdigest().encode() + b'"'
        return cls(status, kept, gzip.compress(body, GZIP_LEVEL, mtime=0), etag, time.time() + LASTS)

    @property
    def is_storable(self) -> bool:
        """Whether it is a page rather than a refusal or a redirect."""
        return self.status == HTTPStatus.OK

    def to_bytes(self) -> bytes:
        """Return the answer for the shared cache."""
        headers = [[name.decode(), value.decode("latin-1")] for name, value in self.headers]
        head = [self.status, headers, self.etag.decode("latin-1"), self.until]
        return json.dumps(head).encode() + b"\n" + self.compressed

    @classmethod
    def from_bytes(cls, data: bytes) -> "CachedResponse":
        """Read an answer of the shared cache."""
        head, _, compressed = data.partition(b"\n")
        status, headers, etag, until = json.loads(head)
        pairs = tuple((name.encode(), value.encode("latin-1")) for name, value in headers)
        return cls(status, pairs, compressed, etag.encode("latin-1"), until)

    async def send_to(self, send: Send, request_headers: dict[bytes, bytes]) -> None:
        """Send the answer, or 304 to a reader who has it already."""
        headers: Headers = [(b"x-request-id", uuid.uuid4().hex.encode()), OURS, (b"vary", VARY)]
        if not self.is_storable:
            headers.append((b"cache-control", b"private, no-store"))
        else:
            headers += [(b"cache-control", CACHE_CONTROL), (b"etag", self.etag)]
            if _has(self.etag, request_headers.get(b"if-none-match", b"")):
                headers += [header for header in self.headers if header[0] == b"content-language"]
                await _send(send, HTTPStatus.NOT_MODIFIED, headers, b"")
                return
        headers += self.headers
        if accepts_gzip(request_headers.get(b"accept-encoding", b"")):
            body = self.compressed
            headers.append((b"content-encoding", b"gzip"))
        else:
            body = gzip.decompress(self.compressed)
        headers.append((b"content-length", str(len(body)).encode()))
        await _send(send, self.status, headers, body)


def _has(etag: bytes, if_none_match: bytes) -> bool:
    """Return whether a reader has the page. An ETag that a view has set is a number for writing, not for comparing."""
    tags = entity_tags(if_none_match.decode("latin-1"))
    return etag.startswith(b"W/") and entity_tags(etag.decode("latin-1"))[0] in tags


def accepts_gzip(accept_encoding: bytes) -> bool:
    """Return whether a client takes a compressed answer, by its Accept-Encoding."""
    for part in accept_encoding.lower().split(b","):
        coding, _, weight = part.replace(b" ", b"").partition(b";")
        if coding in (b"gzip", b"*"):
            return weight not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return False


async def _send(send: Send, status: int, headers: Headers, body: bytes) -> None:
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})


# The cache as an ASGI application around the one that renders.


MAX_BYTES = 32 * 1024 * 1024
"""Of compressed answers in the memory of this process."""
MAX_ANSWERS = 4000
"""In the memory of this process: small ones take more than their body."""
MAX_STORED = 4 * 1024 * 1024
"""Of an answer that is stored, in bytes before compression."""
PATIENCE = 0.5
"""Seconds to wait for Redis."""
_PREFIX = "barpoint-page:"

App = Callable[[Scope, Receive, Send], Awaitable[None]]
Key = tuple[PageRequest, str]
"""A request and the version of the site."""


class PageCache:
    """Serves public pages to anonymous visitors, and passes other requests on to `app`."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._shelves: WeakKeyDictionary[asyncio.AbstractEventLoop, Store] = WeakKeyDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        requested = page_request(scope) if settings.PAGE_CACHE and settings.REDIS_URL else None
        if requested is None:
            await self._app(scope, receive, send)
            return
        loop = asyncio.get_running_loop()
        if (shelf := self._shelves.get(loop)) is None:
            shelf = self._shelves[loop] = Store()
        answer = await self._answer(shelf, requested, scope)
        if answer is None:
            await self._app(scope, receive, send)
        else:
            await answer.send_to(send, dict(scope["headers"]))

    async def _answer(self, shelf: "Store", requested: PageRequest, scope: Scope) -> CachedResponse | None:
        """Return the answer for everybody; None if this request must be answered on its own."""
        version = await shelf.version.settled()
        if version is None:
            return await shelf.next_rendering(requested, lambda: self._render(requested, scope))
        key = (requested, version)
        if stored := shelf.get(key):
            return stored
        return await shelf.one_rendering(key, lambda: self._stored_or_rendered(shelf, key, scope))

    async def _stored_or_rendered(self, shelf: "Store", key: Key, scope: Scope) -> CachedResponse | None:
        if stored := await shelf.fetch(key):
            shelf.keep(key, stored)
            return stored
        answer = await self._render(key[0], scope)
        if answer is not None and answer.is_storable:
            await shelf.put(key, answer)
        return answer

    async def _render(self, requested: PageRequest, scope: Scope) -> CachedResponse | None:
        """Have Django answer the reduced request; None if the answer is for one reader after all."""
        collected = Buffer()
        await self._app(requested.scope_for(scope), _nothing_to_read(), collected.take)
        if collected.is_personal:
            return None
        return await asyncio.to_thread(
            CachedResponse.of, collected.status, collected.headers, b"".join(collected.chunks)
        )


@dataclass
class Buffer:
    """The messages of an answer."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0

    async def take(self, message: Any) -> None:
        """Collect a message; what is too large to be stored is dropped."""
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], message["headers"]
            return
        self.size += len(message.get("body", b""))
        if self.size <= MAX_STORED:
            self.chunks.append(message.get("body", b""))

    @property
    def is_personal(self) -> bool:
        """Whether it sets a cookie, refuses this reader for now, or is too large."""
        return (
            any(name.lower() in (b"set-cookie", LEFT_OUT.lower().encode()) for name, _ in self.headers)
            or self.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
            or self.size > MAX_STORED
        )


class Store:
    """The answers that one event loop keeps, and those it is rendering."""

    def __init__(self) -> None:
        self._client = Redis.from_url(
            settings.REDIS_URL,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 1),
        )
        self.version = SiteVersion(self._client)
        self._answers: OrderedDict[PageRequest, tuple[str, CachedResponse]] = OrderedDict()
        self._size = 0
        self._renderings: dict[Key, asyncio.Task[CachedResponse | None]] = {}
        self._running: dict[PageRequest, asyncio.Task[CachedResponse | None]] = {}
        self._waiting: dict[PageRequest, asyncio.Task[CachedResponse | None]] = {}

    def get(self, key: Key) -> CachedResponse | None:
        requested, version = key
        kept = self._answers.get(requested)
        if kept is None or kept[0] != version or kept[1].until < time.time():
            return None
        self._answers.move_to_end(requested)
        return kept[1]

    async def fetch(self, key: Key) -> CachedResponse | None:
        """Return an answer that another process has rendered."""
        try:
            data = await self._client.get(_name(key))
        except (RedisError, OSError) as error:
            log.warning("page_not_fetched", error=str(error))
            return None
        return CachedResponse.from_bytes(data) if isinstance(data, bytes) else None

    def keep(self, key: Key, answer: CachedResponse) -> None:
        requested, version = key
        self._drop(requested)
        self._answers[requested] = (version, answer)
        self._size += len(answer.compressed)
        while self._size > MAX_BYTES or len(self._answers) > MAX_ANSWERS:
            self._drop(next(iter(self._answers)))

    async def put(self, key: Key, answer: CachedResponse) -> None:
        """Keep an answer here and for the other processes."""
        self.keep(key, answer)
        try:
            await self._client.set(_name(key), answer.to_bytes(), px=int(LASTS * 1000))
        except (RedisError, OSError) as error:
            log.warning("page_not_stored", error=str(error))

    def _drop(self, requested: PageRequest) -> None:
        if dropped := self._answers.pop(requested, None):
            self._size -= len(dropped[1].compressed)

    async def one_rendering(
        self, key: Key, render: Callable[[], Awaitable[CachedResponse | None]]
    ) -> CachedResponse | None:
        """Render once for all who wait for the same page of the same version."""
        if key not in self._renderings:
            self._renderings[key] = asyncio.ensure_future(render())
            self._renderings[key].add_done_callback(lambda _: self._renderings.pop(key, None))
        return await asyncio.shield(self._renderings[key])

    async def next_rendering(
        self, requested: PageRequest, render: Callable[[], Awaitable[CachedResponse | None]]
    ) -> CachedResponse | None:
        """Render once for all who ask during a write: a rendering that has begun may be out of date."""
        if requested not in self._waiting:
            task = asyncio.ensure_future(self._after(requested, self._running.get(requested), render))
            self._waiting[requested] = task
        return await asyncio.shield(self._waiting[requested])

    async def _after(
        self,
        requested: PageRequest,
        running: "asyncio.Task[CachedResponse | None] | None",
        render: Callable[[], Awaitable[CachedResponse | None]],
    ) -> CachedResponse | None:
        if running is not None:
            await asyncio.wait([running])
        own = self._running[requested] = self._waiting.pop(requested)
        try:
            return await render()
        finally:
            if self._running.get(requested) is own:
                del self._running[requested]


def _name(key: Key) -> str:
    requested, version = key
    return _PREFIX + hashlib.blake2b(repr((release(), version, requested)).encode(), digest_size=20).hexdigest()


def _nothing_to_read() -> Receive:
    """An ASGI `receive` for a request without a body, whose client stays connected."""
    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        if messages:
            return messages.pop()
        return await asyncio.Event().wait()

    return receive
