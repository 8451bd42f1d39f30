"""Pages of a list."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.test import APIRequestFactory

from core.packages import PACKAGES
from core.pagination import PAGE_SIZE, CursorPages, page_of, without_ties
from matches.models import Match, PlayerRating, RatingChange
from players.models import Club, LogEntry, Player
from tests.api.test_control_characters import ids_in
from tests.api.test_fuzzed import ASKERS, World, world
from tests.api.test_parity import schema
from tests.test_layout import ROOT, python_files
from tournaments.models import Entry, Tournament

__all__ = ["world"]

pytestmark = pytest.mark.postgresql


@pytest.mark.parametrize(
    ("number", "count", "shown", "rows"),
    [
        (0, 0, 1, range(0)),
        (-4, 120, 1, range(50)),
        (3, 101, 3, range(100, 101)),
        (9, 100, 2, range(50, 100)),
        ("many", 120, 1, range(50)),
    ],
)
def test_the_nearest_existing_page_is_shown(number: int | str, count: int, shown: int, rows: range) -> None:
    page = page_of(range(count), number, 50)
    assert (page.number, list(page)) == (shown, list(rows))


def test_a_count_the_caller_knows_is_not_taken_again() -> None:
    class Uncounted(list[int]):
        def __len__(self) -> int:
            raise AssertionError("counted")

    page = page_of(Uncounted(range(120)), 2, 50, count=120)
    assert page.paginator.num_pages == 3


NAMES = ("Bob", "Carol", "Bob", "Alice", "Bob", "Dave", "Carol")


def pages_of(rows: QuerySet[Player], **query: Any) -> Iterator[list[Player]]:
    """Follow the links from the first page to the last."""
    address = f"/players/?{urlencode(query)}"
    while address:
        pages = CursorPages()
        yield pages.paginate_queryset(rows, Request(APIRequestFactory().get(address)))
        address = pages.get_paginated_response([]).data["next"]


@pytest.fixture
def namesakes(db: None) -> list[Player]:
    """Seven players who share four names, in the order of a list by name."""
    players = [Player.objects.create(name=name) for name in NAMES]
    return sorted(players, key=lambda player: (player.name, player.pk))


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 8])
@pytest.mark.parametrize("order", [("name", "pk"), ("-name", "-pk"), ("-name", "pk"), ("-pk",), ("name",), ("-name",)])
def test_the_pages_together_are_the_list(namesakes: list[Player], size: int, order: tuple[str, ...]) -> None:
    rows = Player.objects.order_by(*order)
    pages = list(pages_of(rows, page_size=size))
    assert [player for page in pages for player in page] == list(without_ties(rows))
    assert [len(page) for page in pages] == [min(size, len(NAMES) - first) for first in range(0, len(NAMES), size)]


@pytest.mark.parametrize("order", [("name",), (Lower("name"),), ("-erased_at", "name"), ()])
def test_equal_rows_are_each_on_one_page(namesakes: list[Player], order: tuple[Any, ...]) -> None:
    rows = Player.objects.order_by(*order)
    pages = [page_of(rows, number, 2) for number in range(1, 5)]
    assert all(page.paginator.object_list.query.order_by[-1] == "pk" for page in pages)
    assert sorted(player.pk for page in pages for player in page) == sorted(player.pk for player in namesakes)


def test_every_list_is_paged_here() -> None:
    """Or it would not have an order without ties."""
    sources = {path.relative_to(ROOT): path.read_text() for path in python_files()}
    others = re.compile(
        r"Paginator\(|import .*Paginator|rest_framework.pagination|(LimitOffset|PageNumber|Cursor)Pagination"
    )
    paging = {str(path) for path, text in sources.items() if path.parts[0] in PACKAGES and others.search(text)}
    assert paging == {"core/pagination.py"}
    assert issubclass(api_settings.DEFAULT_PAGINATION_CLASS, CursorPages)


def test_rows_that_come_and_go_neither_repeat_nor_skip_others(namesakes: list[Player]) -> None:
    pages = pages_of(Player.objects.filter(erased_at=None).order_by("name", "pk"), page_size=2)
    shown = next(pages)
    Player.objects.filter(pk__in=[player.pk for player in shown]).update(erased_at=timezone.now())
    Player.objects.create(name="Aaron")
    assert shown + [player for page in pages for player in page] == namesakes


def test_a_page_is_two_queries_and_no_count(namesakes: list[Player]) -> None:
    pages = pages_of(Player.objects.order_by("name", "pk"), page_size=2)
    next(pages)
    with CaptureQueriesContext(connection) as queries:
        next(pages)
    assert len(queries) == 2
    assert not any("COUNT(" in query["sql"] for query in queries)


def test_a_cursor_is_not_made_by_clients_and_ends_with_its_row(namesakes: list[Player]) -> None:
    rows = Player.objects.order_by("name", "pk")
    first = CursorPages()
    first.paginate_queryset(rows, Request(APIRequestFactory().get("/players/?page_size=1")))
    address = first.get_paginated_response([]).data["next"]
    cursor = parse_qs(urlsplit(address).query)["cursor"][0]
    assert "alice" not in unquote(address).lower(), "lists are ordered by names that not everybody may read"
    namesakes[0].delete()
    for wrong in (cursor, "", str(namesakes[1].pk), cursor.replace(":", "x"), "x" * 101):
        with pytest.raises(ValidationError):
            CursorPages().paginate_queryset(rows, Request(APIRequestFactory().get("/", {"cursor": wrong})))


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads SQLite's plans")
@pytest.mark.parametrize("path", ["matches/", "players/", "tournaments/", "clubs/", "rankings/?days=0"])
def test_long_lists_are_read_in_the_order_of_an_index(client: Client, namesakes: list[Player], path: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/api/v1/{path}").status_code == 200
    (listing,) = [query["sql"] for query in queries if query["sql"].endswith(f"LIMIT {PAGE_SIZE + 1}")]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {listing}")
        steps = [row[3] for row in cursor.fetchall()]
    assert any("USING INDEX" in step or "USING COVERING INDEX" in step for step in steps), steps
    assert "USE TEMP B-TREE FOR ORDER BY" not in steps


EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
TIED: dict[Any, dict[str, Any]] = {
    Tournament: {"starts_at": EPOCH},
    Match: {"finished_at": EPOCH, "created_at": EPOCH},
    Club: {"search_key": "same"},
    Player: {"name_key": "same"},
    LogEntry: {"at": EPOCH},
    PlayerRating: {"rating": 1500.0},
    RatingChange: {"finished_at": EPOCH},
    Entry: {"entered_at": EPOCH},
}
"""What lists of the API are ordered by, the same for all rows."""


@pytest.mark.slow
@pytest.mark.django_db
def test_each_row_of_each_list_of_the_api_is_on_one_page(world: World) -> None:
    client = Client(headers={"Authorization": f"Token {world.tokens[ASKERS['director']]}"})
    compared = []
    with transaction.atomic():
        for model, values in TIED.items():
            model._base_manager.update(**values)
        for path, methods in schema()["paths"].items():
            if "cursor" not in {parameter["name"] for parameter in methods.get("get", {}).get("parameters", ())}:
                continue
            whole = client.get(ids_in(path, world), {"page_size": 40}).json()["results"]
            address, rows = f"{ids_in(path, world)}?page_size=1", list[Any]()
            while address and len(rows) < len(whole):
                answer = client.get(address).json()
                address, rows = answer["next"], rows + answer["results"]
            assert rows == whole, path
            compared += [path] if len(whole) > 1 else []
        transaction.set_rollback(True)
    assert len(compared) > 7
