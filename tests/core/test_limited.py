"""Reading files in a limited process: what comes back, and what happens past each limit."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from core import limited
from core.messages import status_of
from engine.errors import Refused
from tests.core import limited_readers as readers
from tests.tiers import first_in_make_test

BINARY = bytes(range(256))


def code(read: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        read()
    return refused.value.code


def test_a_reader_runs_in_another_process_and_returns_json_or_bytes() -> None:
    length, process = limited.read(readers.lengths, BINARY * 10_000)
    assert length == 2_560_000
    assert process != os.getpid()
    assert limited.read(readers.reversed_bytes, BINARY) == BINARY[::-1]


def test_a_small_text_needs_no_process_and_a_long_one_does() -> None:
    assert limited.read(readers.lengths, b"Bob;3\r\n")[1] == os.getpid()
    assert limited.read(readers.lengths, b"a" * (limited.SMALL + 1))[1] != os.getpid()


def test_a_refusal_keeps_its_code_and_its_parameters() -> None:
    with pytest.raises(Refused) as refused:
        limited.read(readers.refuses, BINARY)
    assert (refused.value.code, refused.value.params) == ("spreadsheet_too_large", {"mebibytes": 256})


def test_a_fault_of_a_reader_is_no_refusal_and_shows_where_it_is() -> None:
    with pytest.raises(limited.ReaderFailed, match=r"(?s)limited_readers.*ZeroDivisionError"):
        limited.read(readers.is_faulty, BINARY)


@pytest.mark.parametrize(
    "reader", first_in_make_test(readers.takes_memory, readers.takes_time, readers.talks, readers.crashes)
)
def test_past_a_limit_the_file_is_refused(reader: Callable[[bytes], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "CPU_SECONDS", 1)
    assert code(lambda: limited.read(reader, BINARY)) == "file_too_heavy"


def test_a_process_that_gets_no_time_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "SECONDS", 0.5)
    assert code(lambda: limited.read(readers.waits, BINARY)) == "reading_busy"


def test_the_process_has_no_secrets_and_no_connections_and_writes_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "secret")
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "open").open("w"):
        names, files = limited.read(readers.environment, BINARY)
    # Python itself sets it where nothing says which encoding to use.
    assert set(names) <= {"LC_CTYPE"}
    assert files == []
    with pytest.raises(limited.ReaderFailed, match="File too large"):
        limited.read(readers.writes, BINARY)


def test_readers_need_no_settings_and_no_models() -> None:
    modules = limited.read(readers.modules, BINARY)
    assert "core.spreadsheets" in modules
    assert {name for name in modules if name.startswith(("django.db", "django.contrib", "config"))} == set()


@pytest.fixture
def read_by_others() -> Iterator[list[threading.Thread]]:
    """Two files that are being read, as long as the test lasts."""
    over = threading.Event()
    threads = [threading.Thread(target=_read_until, args=(over,)) for _ in range(limited.AT_ONCE)]
    for thread in threads:
        thread.start()
    yield threads
    over.set()
    for thread in threads:
        thread.join()


def _read_until(over: threading.Event) -> None:
    with limited._turn():
        over.wait()


def test_requests_wait_for_their_turn_for_a_while(
    read_by_others: list[threading.Thread], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(read_by_others) == 2
    monkeypatch.setattr(limited, "PATIENCE", 0.05)
    assert code(lambda: limited.read_in_request(readers.lengths, BINARY)) == "reading_busy"
    assert status_of("reading_busy") == 503
    assert limited.read_in_request(readers.lengths, b"a small text")[0] == 12
    assert limited.read(readers.lengths, BINARY)[0] == 256, "a worker has turns of its own"


def test_where_others_wait_already_a_request_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "PATIENCE", 600.0)
    with ExitStack() as others:
        for _ in range(limited.AT_ONCE + limited.WAITING):
            assert limited._places.acquire(blocking=False)
            others.callback(limited._places.release)
        assert code(lambda: limited.read_in_request(readers.lengths, BINARY)) == "reading_busy"
    assert limited.read_in_request(readers.lengths, BINARY)[0] == 256
