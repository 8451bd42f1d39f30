"""Downloads are sent in large chunks, end when the client disconnects, and leave threads for pages."""

import csv
import io
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, override_settings
from django.urls import path, reverse
from django.utils import timezone

from config import asgi
from config.valkey import free_port
from core import downloads, throttle
from matches.models import Match, PlayerRating, RatingChange, RatingPool, Result
from matches.presentation.visibility import NOBODY
from matches.rankings import histories
from matches.ratings.services import default_pool
from players.models import Club, LogEntry, Player
from tests import demo_club
from tests.access.roles import ROUTES
from tests.access.world import parameters
from tests.matches.ratings.history import NOON
from tests.names import name_columns
from tournaments.models import Division, Series

DOWNLOADS = 8
PATIENCE = 60.0


class Endless:
    """An endless table that counts how many readers it has."""

    def __init__(self) -> None:
        self.begun = self.stopped = 0
        self.rows_read = 0

    def rows(self) -> Iterator[list[Any]]:
        self.begun += 1
        try:
            while True:
                self.rows_read += 1
                yield ["2026-03-01", "Bob", "Carol", 7, 3]
        finally:
            self.stopped += 1


endless = Endless()


def limited(request: HttpRequest) -> HttpResponseBase:
    return downloads.long_file(request, endless.rows(), "endless.csv")


def unlimited(request: HttpRequest) -> HttpResponseBase:
    return StreamingHttpResponse(downloads.chunks(endless.rows()), content_type=downloads.TYPE)


class EndlessUrls:
    """The site with two endless downloads."""

    from config.urls import urlpatterns as _site

    urlpatterns = (*_site, path("limited.csv", limited), path("unlimited.csv", unlimited))


@pytest.fixture
def port(transactional_db: None) -> Iterator[int]:
    """The site served by uvicorn in this process, so that its generators can be watched."""
    global endless
    endless = Endless()
    port = free_port()
    with override_settings(ROOT_URLCONF=EndlessUrls):
        server = uvicorn.Server(uvicorn.Config(asgi.application, port=port, lifespan="off", log_config=None))
        thread = threading.Thread(target=server.run)
        thread.start()
        eventually(lambda: server.started)
        yield port
        server.should_exit = True
        thread.join(PATIENCE)
    assert not thread.is_alive()


def eventually(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def opened(port: int, path: str) -> tuple[socket.socket, int]:
    """Start a download and return its connection and status."""
    connected = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connected.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return connected, int(connected.recv(1000).split()[1])


def is_healthy(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE) as response:
        return bool(response.status == 200)


def test_a_download_ends_when_its_client_disconnects(port: int) -> None:
    """Occupy all eight threads with endless responses, then disconnect."""
    sockets = [opened(port, "/unlimited.csv")[0] for _ in range(DOWNLOADS)]
    assert DOWNLOADS == asgi.WSGI_THREADS
    eventually(lambda: endless.begun == DOWNLOADS)
    for connected in sockets:
        connected.close()
    assert is_healthy(port)
    eventually(lambda: endless.stopped == DOWNLOADS)
    read = endless.rows_read
    time.sleep(0.2)
    assert endless.rows_read == read, "nothing reads on"


def test_eight_downloads_leave_threads_for_pages(port: int) -> None:
    answers = [opened(port, "/limited.csv") for _ in range(DOWNLOADS)]
    assert sorted(status for _, status in answers) == [200] * downloads.MAX_EACH + [429] * (
        DOWNLOADS - downloads.MAX_EACH
    )
    assert is_healthy(port), "while they run"
    for connected, _ in answers:
        connected.close()
    eventually(lambda: endless.stopped == endless.begun == downloads.MAX_EACH)
    eventually(lambda: downloads.slots.running == 0)
    connected, status = opened(port, "/limited.csv")
    connected.close()
    assert status == 200, "there is room again"
    eventually(lambda: downloads.slots.running == 0)


def test_a_head_request_reads_no_rows(port: int) -> None:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/limited.csv", method="HEAD")
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        assert response.status == 200
    eventually(lambda: downloads.slots.running == 0)
    assert endless.rows_read == 0


@pytest.mark.slow
def test_a_short_download_arrives_in_full(port: int, rated_matches: int) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/rankings/matches.csv", timeout=PATIENCE) as response:
        lines = list(csv.reader(io.TextIOWrapper(response)))
    assert len(lines) == rated_matches + 1
    assert lines == [[str(cell) for cell in row] for row in histories.match_rows(NOBODY)]
    eventually(lambda: downloads.slots.running == 0)


@pytest.fixture
def rated_matches(db: None) -> int:
    """Create two thousand rated matches between Bob and Carol and return their number."""
    bob, carol = Player.objects.create(name="Bob"), Player.objects.create(name="Carol")
    facts = {"length": 7, "finished_at": NOON}
    matches = Match.objects.bulk_create(
        [Match(player_0=bob, player_1=carol, state=Match.State.SETTLED, **facts) for _ in range(2000)]
    )
    by = {"source": Result.Source.DIRECTOR, "by": LogEntry.By.SYSTEM, "kind": Result.Kind.PLAYED}
    Result.objects.bulk_create(
        [Result(match=match, version=1, winner=0, score_0=7, score_1=3, **by) for match in matches]
    )
    ratings = {
        "rating_before": 1500,
        "rating_after": 1500,
        "opponent_before": 1500,
        "experience_before": 0,
        "pool": default_pool(),
        **facts,
    }
    RatingChange.objects.bulk_create(
        RatingChange(match=match, player=player, opponent=opponent, won=player is bob, **ratings)
        for match in matches
        for player, opponent in ((bob, carol), (carol, bob))
    )
    return len(matches)


@pytest.mark.slow
def test_a_chunk_contains_many_rows(client: Client, rated_matches: int) -> None:
    pieces = list(client.get("/rankings/matches.csv").streaming_content)  # type: ignore[attr-defined]
    assert b"".join(pieces).count(b"\r\n") == rated_matches + 1
    assert len(pieces) < rated_matches / 100
    assert all(len(piece) >= downloads.CHUNK for piece in pieces[:-1])


@pytest.mark.parametrize("name", ["matches", "ranking"])
def test_downloads_are_limited_per_client(client: Client, db: None, name: str) -> None:
    statuses = []
    for _ in range(throttle.DOWNLOADS_BY.most + 1):
        answer = client.get(f"/rankings/{name}.csv")
        statuses.append(answer.status_code)
        answer.close()
    assert statuses == [200] * throttle.DOWNLOADS_BY.most + [429]
    assert downloads.slots.running == 0


def csv_addresses() -> Iterator[tuple[str, str]]:
    """Each route of a CSV file, and its address for everything on the site."""
    divisions = Division.objects.values("public_id", "tournament__slug", "tournament__club__slug")
    matches = Match.objects.exclude(analyses=None).values_list("public_id", flat=True)
    things: list[dict[str, Any]] = [
        {},
        *({"slug": club} for club in Club.objects.values_list("slug", flat=True)),
        *({"slug": pool.club.slug, "pk": pool.pk} for pool in RatingPool.objects.exclude(club=None) if pool.club),
        *({"slug": row.club.slug, "series": row.slug, "extension": "csv"} for row in Series.objects.all()),
        *({"public_id": public_id} for public_id in matches),
        *(
            {"club": row["tournament__club__slug"], "slug": row["tournament__slug"], **more}
            for row in divisions
            for more in ({}, {"division": row["public_id"], "extension": "csv"})
        ),
    ]
    for name, route in ROUTES.items():
        if "csv" in str(route.pattern):
            own = [values for values in things if set(values) == parameters(name)]
            assert own, f"nothing on the site has {name}"
            yield from ((name, reverse(name, kwargs=values)) for values in own)


NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
FORMULAS = ("=HYPERLINK(1)", "+49 30 1", "-Dan", "@Ida")


@pytest.mark.slow
@pytest.mark.django_db
def test_no_cell_of_any_csv_file_is_a_formula_or_a_date() -> None:
    client = Client()
    client.force_login(demo_club.load(now=timezone.now())["owner"] or AnonymousUser())
    some = [row.pk for row in PlayerRating.objects.order_by("pk")[:5]]
    PlayerRating.objects.filter(pk__in=some).update(pool=RatingPool.objects.exclude(club=None).latest("pk"))
    for model, field in name_columns():
        for number, row in enumerate(model._base_manager.exclude(**{field.name: ""})):
            text = f"{FORMULAS[number % 4]} {number}"[: field.max_length]
            model._base_manager.filter(pk=row.pk).update(**{field.name: text})
    faults, escaped = set(), Counter[str]()
    for name, address in csv_addresses():
        answer = client.get(address)
        assert answer.status_code == 200, address
        text = answer.getvalue().decode()
        for cell in (cell for row in csv.reader(io.StringIO(text)) for cell in row):
            escaped[name] += cell.startswith(tuple(f"'{formula}" for formula in FORMULAS))
            is_date = name != "match-analysis-file" and re.fullmatch(r"\d+/\d+", cell)  # There it is a play.
            if is_date or (cell.startswith(downloads.FORMULA) and not NUMBER.fullmatch(cell)):
                faults.add((name, cell))
    assert faults == set()
    assert len(escaped) > 7
    assert all(escaped.values()), escaped
