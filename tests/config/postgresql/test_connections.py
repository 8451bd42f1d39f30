"""Connections to PostgreSQL: statements are planned once, and a connection that the server has ended is replaced."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection

from config.database import PREPARE_AFTER
from players.models import User
from tests.config.test_downloads import eventually

pytestmark = [pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL"), pytest.mark.postgresql]


@pytest.fixture
def server(transactional_db: None) -> Iterator[psycopg.Connection[Any]]:
    """Another connection to the same server."""
    connection.close()
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}, autocommit=True) as other:
        yield other
    connection.close()


@pytest.mark.django_db
def test_a_statement_is_planned_once_for_a_connection() -> None:
    with connection.cursor() as cursor:
        for _ in range(PREPARE_AFTER + 1):
            User.objects.filter(email="bob@example.org").exists()
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        assert any("players_user" in statement for (statement,) in cursor.fetchall())


def backend_pid() -> int:
    pid: int = connection.connection.info.backend_pid
    return pid


def test_no_query_finds_out_whether_a_connection_still_works(server: psycopg.Connection[Any]) -> None:
    User.objects.exists()
    assert connection.is_usable()
    [last] = server.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [backend_pid()]).fetchone() or [""]
    assert "players_user" in last


def test_a_connection_that_the_server_has_ended_is_replaced(server: psycopg.Connection[Any]) -> None:
    User.objects.exists()
    ended = backend_pid()
    server.execute("SELECT pg_terminate_backend(%s)", [ended])
    eventually(lambda: not connection.is_usable())
    # As at the beginning of a request.
    connection.health_check_enabled = True
    connection.health_check_done = False
    assert not User.objects.exists()
    assert backend_pid() != ended
