"""Lists that have pages, as lines: all of them, for who may read them, with what a page shows."""

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.db import connection
from django.http import Http404
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core import downloads
from core.pagination import MAX_PAGE_SIZE
from players.models import Player
from tests.api.requests import API, problem_code
from tests.event_cast import RunningEvent
from tournaments.models import Division, Entry, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
LINES = {"Accept": "application/x-ndjson"}
CROWD = 2 * MAX_PAGE_SIZE + 20


def lines_of(client: Client, path: str) -> list[Any]:
    """Ask for a list as lines and return the objects."""
    answer: Any = client.get(API + path, headers=LINES)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    content = answer.getvalue().decode()
    return [json.loads(line) for line in content.splitlines()]


def pages_of(client: Client, path: str) -> list[Any]:
    """Return the objects of all pages of a list."""
    rows: list[Any] = []
    url = API + path
    while url:
        page = client.get(url).json()
        rows += page["results"]
        url = page["next"]
    return rows


@pytest.fixture
def crowd(make_division: Callable[..., Division]) -> str:
    """The path of the entries of a division, which fill three of the largest pages."""
    division = make_division(name="Open")
    players = Player.objects.bulk_create(Player(name=f"Player {number}") for number in range(CROWD))
    Entry.objects.bulk_create(Entry(division=division, player=player) for player in players)
    return f"divisions/{division.public_id}/entries/"


def test_the_lines_are_the_objects_of_all_pages(crowd: str, alice_client: Client) -> None:
    lines = lines_of(alice_client, crowd)
    assert len(lines) == CROWD
    assert lines == pages_of(alice_client, f"{crowd}?page_size=150")
    assert lines_of(alice_client, f"{crowd}?status=waiting") == []


def test_each_reader_gets_what_a_page_shows_them(
    running: RunningEvent, client: Client, alice_client: Client, bob_player: Player
) -> None:
    Player.objects.filter(pk=bob_player.pk).update(initials_only=True)
    division = f"divisions/{running.division.public_id}/"
    for path in (f"{division}fixtures/", f"{division}entries/", "tournaments/", "clubs/", "matches/", "players/"):
        for reader in (client, alice_client):
            assert lines_of(reader, path) == pages_of(reader, path), path
    assert len(lines_of(client, f"{division}fixtures/")) > 1
    log = f"tournaments/{running.tournament.public_id}/log/"
    assert lines_of(alice_client, log) == pages_of(alice_client, log) != []
    assert problem_code(client.get(API + log, headers=LINES)) == (403, "permission_denied")


def test_only_lists_that_have_pages_are_sent_as_lines(running: RunningEvent, alice_client: Client) -> None:
    for path in ("me/", f"divisions/{running.division.public_id}/bracket/", "me/tokens/"):
        assert problem_code(alice_client.get(API + path, headers=LINES)) == (406, "not_acceptable")
    assert problem_code(alice_client.post(f"{API}tournaments/", headers=LINES)) == (406, "not_acceptable")
    assert problem_code(alice_client.get(f"{API}divisions/2222222222/entries/", headers=LINES)) == (404, "not_found")
    assert problem_code(alice_client.get(f"{API}clubs/?page_size=0", headers=LINES)) == (422, "invalid")
    assert alice_client.get(f"{API}clubs/", headers={"Accept": "*/*"})["Content-Type"] == "application/json"


def test_a_page_is_read_once_the_one_before_was_sent(crowd: str, alice_client: Client) -> None:
    answer: Any = alice_client.get(API + crowd, headers=LINES)
    chunks: Iterator[bytes] = answer.streaming_content
    counts, queries = [], []
    for _ in range(3):
        with CaptureQueriesContext(
            connection,
        ) as captured:
            counts.append(next(chunks).count(b"\n"))
        queries.append(len(captured))
    assert counts == [MAX_PAGE_SIZE, MAX_PAGE_SIZE, 20]
    assert queries[0] == 0, "read for the first answer"
    assert queries[1] == queries[2] > 0
    assert list(chunks) == []


@pytest.mark.slow
def test_the_rows_of_one_page_are_in_memory_at_a_time(crowd: str, alice_client: Client) -> None:
    def rows() -> int:
        return sum(type(value) is Entry for value in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before, answer = rows(), alice_client.get(API + crowd, headers=LINES)
        held = [rows() - before for _ in answer.streaming_content]  # type: ignore[attr-defined]
    finally:
        gc.enable()
    assert len(held) == 3
    assert max(held) <= MAX_PAGE_SIZE + 1


def test_who_may_no_longer_read_a_list_gets_no_more_of_it(crowd: str, client: Client) -> None:
    Tournament.objects.update(status=Tournament.Status.PUBLISHED)
    answer: Any = client.get(API + crowd, headers=LINES)
    chunks: Iterator[bytes] = answer.streaming_content
    next(chunks)
    Tournament.objects.update(status=Tournament.Status.DRAFT)
    with pytest.raises(Http404):
        next(chunks)


def test_only_a_few_long_lists_are_sent_at_a_time(crowd: str, alice_client: Client) -> None:
    with ExitStack() as stack:
        for number in range(downloads.MAX_AT_ONCE):
            downloads.slots.take(str(number))
            stack.callback(downloads.slots.give_back, str(number))
        assert problem_code(alice_client.get(API + crowd, headers=LINES)) == (429, "too_many_downloads")
        assert lines_of(alice_client, "clubs/")
    assert len(lines_of(alice_client, crowd)) == CROWD
