"""Equal requests by nobody in particular share an answer until something is written."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from django.db import connection, transaction
from redis import Redis

from config import page_cache
from config.backends.writes import NOT_PUBLIC, is_public_write
from config.disconnects import Receive, Scope, Send
from config.page_cache import MAX_PATH_LENGTH, CachedResponse, PageCache, Store, page_request
from core.live import site_version
from players.models import Club

PAGE = "/clubs/"


@pytest.fixture(autouse=True)
def _slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep answers, and wait for Redis, for longer than any of these tests can take."""
    monkeypatch.setattr(page_cache, "LASTS", 600.0)
    monkeypatch.setattr(page_cache, "LASTS", 600.0)
    monkeypatch.setattr(page_cache, "PATIENCE", 30.0)


class Clubs:
    """An ASGI application that lists the clubs and counts how often it does."""

    def __init__(self, *, cookie: str = "", delay: float = 0.0) -> None:
        self.count = 0
        self.cookie, self.delay = cookie, delay

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.count += 1
        names = await asyncio.to_thread(_names)
        await asyncio.sleep(self.delay)
        headers = [(b"content-type", b"text/html"), (b"x-request-id", b"first")]
        if self.cookie:
            headers.append((b"set-cookie", self.cookie.encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        cookies = dict(scope["headers"]).get(b"cookie", b"").decode()
        await send({"type": "http.response.body", "body": f"{names} {cookies}".encode()})


def _names() -> list[str]:
    try:
        return list(Club.objects.order_by("pk").values_list("name", flat=True))
    finally:
        connection.close()


def scope_of(path: str = PAGE, query: str = "", **headers: str) -> Scope:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in {"host": "club", **headers}.items()]
    return {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": pairs}


class Response(dict[str, str]):
    """The headers of a response, with its status and body."""

    status = 0
    body = ""


async def get(app: Callable[..., Awaitable[None]], **arguments: Any) -> Response:
    response = Response()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            response.status = message["status"]
            response.update({name.decode(): value.decode() for name, value in message["headers"]})
        else:
            body = message["body"]
            response.body += (gzip.decompress(body) if "content-encoding" in response else body).decode()

    async def receive() -> Any:
        return {"type": "http.request"}

    await app(scope_of(**arguments), receive, send)
    return response


def create(name: str) -> None:
    """Create a club in a transaction of its own."""
    with transaction.atomic():
        Club.objects.create(name=name, slug=name.lower())


@pytest.mark.django_db(transaction=True)
def test_many_requests_at_once_are_rendered_once(valkey: Redis) -> None:
    site_version.replace()
    clubs = Clubs(delay=0.05)

    async def crowd() -> list[Response]:
        cache = PageCache(clubs)
        return await asyncio.gather(*(get(cache) for _ in range(20)))

    responses = asyncio.run(crowd())
    assert {response.body for response in responses} == {"[] "}
    assert clubs.count == 1
    assert len({response["x-request-id"] for response in responses}) == 20


@pytest.mark.django_db(transaction=True)
def test_the_next_request_after_a_commit_shows_it(valkey: Redis) -> None:
    clubs = Clubs()

    async def follow() -> list[str]:
        cache, other_process = PageCache(clubs), PageCache(clubs)
        bodies = []
        for name in ("Harbour", "Ace", "Bar"):
            await asyncio.to_thread(create, name)
            bodies += [(await get(cache)).body, (await get(cache)).body, (await get(other_process)).body]
        return bodies

    bodies = asyncio.run(follow())
    assert bodies[:3] == ["['Harbour'] "] * 3
    assert bodies[6:] == ["['Harbour', 'Ace', 'Bar'] "] * 3
    assert clubs.count == 3, "the second process has read what the first has stored"


@pytest.mark.django_db(transaction=True)
def test_nothing_is_stored_while_a_commit_is_in_progress(valkey: Redis) -> None:
    clubs = Clubs()

    async def follow() -> list[str]:
        cache = PageCache(clubs)
        unfinished = site_version.commit_in_progress()
        unfinished.__enter__()
        before = await get(cache)
        # Committed by a process that dies before it can say so.
        await asyncio.to_thread(Club(name="Harbour", slug="harbour").save)
        return [before.body, (await get(cache)).body]

    assert asyncio.run(follow()) == ["[] ", "['Harbour'] "]


@pytest.mark.django_db(transaction=True)
def test_without_a_broker_each_request_is_rendered(broker_down: None) -> None:
    clubs = Clubs()

    async def follow() -> list[str]:
        cache = PageCache(clubs)
        before = await get(cache)
        await asyncio.to_thread(create, "Harbour")
        return [before.body, (await get(cache)).body]

    assert asyncio.run(follow()) == ["[] ", "['Harbour'] "]


@pytest.mark.django_db(transaction=True)
def test_a_page_that_sets_a_cookie_is_rendered_for_each_visitor(valkey: Redis) -> None:
    site_version.replace()

    async def follow() -> list[Response]:
        cache = PageCache(Clubs(cookie="csrftoken=secret"))
        return [await get(cache, cookie=f"csrftoken={number}") for number in range(2)]

    first, second = asyncio.run(follow())
    assert (first.body, second.body) == ("[] csrftoken=0", "[] csrftoken=1")
    assert "public" not in first.get("cache-control", "")


@pytest.mark.django_db(transaction=True)
def test_an_answer_is_compressed_or_not_changed(valkey: Redis) -> None:
    site_version.replace()

    async def follow() -> list[Response]:
        cache = PageCache(Clubs())
        plain = await get(cache)
        return [
            plain,
            await get(cache, accept_encoding="gzip, br"),
            await get(cache, if_none_match=plain["etag"], accept_encoding="gzip"),
            await get(cache, cookie="sessionid=alice"),
        ]

    plain, compressed, unchanged, alice = asyncio.run(follow())
    assert plain.body == compressed.body == "[] "
    assert (compressed["content-encoding"], plain["etag"]) == ("gzip", compressed["etag"])
    assert (unchanged.status, unchanged.body) == (304, "")
    assert plain["cache-control"].startswith("public")
    assert (alice.body, "cache-control" in alice) == ("[] sessionid=alice", False)


@pytest.mark.parametrize(
    "arguments",
    [
        {"cookie": "sessionid=1"},
        {"cookie": "a=1; messages=x"},
        {"cookie": 'consent={"all": true}; sessionid=1'},
        {"authorization": "Token x"},
        {"match_link": "x"},
        {"accept": "application/x-ndjson"},
        {"query": "unknown=1"},
        {"query": "page=1&page=2"},
        {"path": "/my/"},
        {"path": "/nowhere/"},
        {"path": f"/clubs/{'x' * MAX_PATH_LENGTH}/"},
    ],
)
def test_a_request_that_may_be_somebodys_is_not_reduced(arguments: dict[str, str]) -> None:
    assert page_request(scope_of(**arguments)) is None


def test_requests_that_differ_in_what_no_public_page_depends_on_are_equal() -> None:
    first = page_request(
        scope_of(query="q=ace&page=2", cookie="csrftoken=1; theme=dark", user_agent="A", accept_language="en, de;q=0.5")
    )
    second = page_request(scope_of(query="page=2&q=ace", accept_language="en-GB", user_agent="B"))
    assert first is not None
    assert first == second
    assert page_request(scope_of(hx_request="true")) != page_request(scope_of())
    assert page_request(scope_of(host="other")) != page_request(scope_of())
    reduced = first.scope_for(scope_of(cookie="csrftoken=1", user_agent="A"))
    assert {name for name, _ in reduced["headers"]} == {b"host", b"accept-language"}


def test_a_release_is_told_by_its_sources() -> None:
    assert page_cache.SOURCES
    assert [name for name in page_cache.SOURCES if not (page_cache.ROOT / name).is_dir()] == []


def test_a_process_keeps_a_limited_number_of_small_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "MAX_ANSWERS", 3)

    async def flood() -> list[bool]:
        shelf = Store()
        requests = [page_request(scope_of(query=f"q={number}")) for number in range(5)]
        keys = [(request, "version") for request in requests if request is not None]
        for key in keys:
            shelf.keep(key, CachedResponse.of(200, [], b""))
        return [shelf.get(key) is not None for key in keys]

    assert asyncio.run(flood()) == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("sql", "is_public"),
    [
        ('SELECT "players_club"."id" FROM "players_club" FOR NO KEY UPDATE', False),
        ('(SELECT "id" FROM "players_club") UNION (SELECT 1)', False),
        ('UPDATE "players_club" SET "name" = %s', True),
        ('INSERT INTO "django_session" ("session_key") SELECT "players_club"."name" FROM "players_club"', False),
        ('DELETE FROM "matches_result"', True),
        ("TRUNCATE players_club", True),
        ("BEGIN IMMEDIATE", False),
    ],
)
def test_writes_are_told_from_queries(sql: str, is_public: bool) -> None:
    assert is_public_write(sql) is is_public


@pytest.mark.django_db
def test_the_tables_left_out_exist() -> None:
    assert not NOT_PUBLIC - set(connection.introspection.table_names())


@pytest.mark.django_db(transaction=True)
def test_only_a_commit_with_a_public_write_replaces_the_version(valkey: Redis) -> None:
    def version() -> object:
        return valkey.get(site_version.VERSION)

    create("Harbour")
    first = version()
    list(Club.objects.all())
    with transaction.atomic():
        Club.objects.update(name="Ace")
        transaction.set_rollback(True)
    assert version() == first
    assert first
    Club.objects.update(name="Ace")
    assert version() != first
    assert valkey.zcard(site_version.WRITERS) == 0
