"""Plants faults in forked copies of a pytest process, where everything is imported and the database is ready."""

import gc
import json
import os
import resource
import shutil
import signal
from collections.abc import Sequence
from functools import _lru_cache_wrapper
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep
from types import CodeType, FunctionType
from typing import NoReturn

import pytest
from _pytest.runner import runtestprotocol

from benchmarks.mutation.sample import Mutant, mutated_code

SECONDS_AT_LEAST, SECONDS_PER_SECOND = 15.0, 5.0
"""A run is stopped after so many seconds of processor time, and so many for each that its tests took when recorded."""
WAITING = 20
"""Seconds that may pass for each second of processor time; a busy machine needs some, a deadlock needs no end."""
MOST_MEMORY = 4 << 30
"""Bytes of address space for one run: a fault may build a list without end."""
NOTICED, SURVIVED, TIMED_OUT, UNPLANTED = "noticed", "survived", "timed out", "not planted"
PASSED, TOO_LONG = "passed", "too long"
"""Answers of a fork, beside the index of the test that failed."""


def plant_all(session: pytest.Session, plan: Path) -> None:
    """Run every mutant of a plan and write one line of JSON for each to the file beside it."""
    items = {item.nodeid: item for item in session.items}
    progress = session.config.get_terminal_writer()
    _prepare_session(session)
    with plan.with_suffix(".results").open("w") as results:
        for entry in json.loads(plan.read_text()):
            tests = [items[name] for name in entry["tests"] if name in items]
            verdict, test = judge(session, Mutant(**entry["mutant"]), tests, entry["seconds"])
            print(json.dumps({**entry, "verdict": verdict, "noticed_by": test}), file=results, flush=True)
            progress.write("S" if verdict == SURVIVED else ".", flush=True)


def judge(session: pytest.Session, mutant: Mutant, tests: list[pytest.Item], seconds: float) -> tuple[str, str]:
    """What came of a mutant, and the test that failed; one that fails without the fault as well does not count."""
    limit = SECONDS_AT_LEAST + SECONDS_PER_SECOND * seconds
    while tests:
        answer = _fork_and_run(session, tests, limit, mutant)
        if answer == PASSED:
            return SURVIVED, ""
        if answer in (TOO_LONG, UNPLANTED):
            return TIMED_OUT if answer == TOO_LONG else UNPLANTED, ""
        # A fork that ended without an answer crashed; it is not known in which test.
        failed = int(answer) if answer.isdigit() else 0
        if _fork_and_run(session, [tests[failed]], limit) == PASSED:
            return NOTICED, tests[failed].nodeid
        tests = tests[failed + 1 :]
    return SURVIVED, ""


def _prepare_session(session: pytest.Session) -> None:
    """Run one test with a database, so that every fork finds the database and the broker ready."""
    for item in session.items:
        if item.get_closest_marker("django_db") or {"db", "transactional_db"} & set(getattr(item, "fixturenames", ())):
            runtestprotocol(item, nextitem=session.items[0], log=False)
            return


def _fork_and_run(
    session: pytest.Session, tests: Sequence[pytest.Item], limit: float, mutant: Mutant | None = None
) -> str:
    """Run tests in a fork until one fails, and return its answer."""
    from django.db import connections

    connections.close_all()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
        _run_and_exit(session, tests, writing, mutant)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read().decode() if _ends(child, limit) else TOO_LONG


def _ends(child: int, limit: float) -> bool:
    """Whether a fork ends by itself, within its limits."""
    until = monotonic() + limit * WAITING
    while monotonic() < until:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU)
        sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _run_and_exit(
    session: pytest.Session, tests: Sequence[pytest.Item], writing: int, mutant: Mutant | None
) -> NoReturn:
    """The life of a fork. It leaves without any clean-up: everything it might clean up belongs to the parent."""
    answer = ""
    try:
        os.setpgid(0, 0)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        folder = _own_database()
        answer = _run(session, tests) if mutant is None or plant(mutant) else UNPLANTED
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.write(writing, answer.encode())
        os._exit(0)


def _run(session: pytest.Session, tests: Sequence[pytest.Item]) -> str:
    for index, item in enumerate(tests):
        session._setupstate.teardown_exact(item)  # noqa: SLF001, pytest has no public way
        if any(report.failed for report in runtestprotocol(item, nextitem=item, log=False)):
            return str(index)
    return PASSED


def _own_database() -> Path | None:
    """Let this fork write to a copy of a SQLite database; any other stays shared, so that only one job may run."""
    from django.db import connection

    if connection.vendor != "sqlite":
        return None
    original = Path(connection.settings_dict["NAME"])
    if not original.exists():
        return None
    folder = original.parent / f"fork-{os.getpid()}"
    folder.mkdir()
    shutil.copy(original, folder / original.name)
    connection.settings_dict["NAME"] = str(folder / original.name)
    return folder


def plant(mutant: Mutant) -> bool:
    """Replace the code of a function in this process, however it is decorated and wherever it was imported."""
    new = mutated_code(mutant)
    import_module(mutant.path.removesuffix(".py").replace("/", "."))
    # Frozen objects would be missing.
    gc.unfreeze()
    objects = gc.get_objects()
    gc.freeze()
    # By `type`: `isinstance` would ask a weak proxy for the class of an object that is gone.
    functions = [value for value in objects if type(value) is FunctionType and _same_place(value.__code__, new)]
    for function in functions:
        if function.__code__.co_freevars != new.co_freevars:
            return False
        function.__code__ = new
    for cached in objects:
        if type(cached) is _lru_cache_wrapper:
            cached.cache_clear()
    return bool(functions)


def _same_place(code: CodeType, other: CodeType) -> bool:
    return (code.co_filename, code.co_firstlineno, code.co_qualname) == (
        other.co_filename,
        other.co_firstlineno,
        other.co_qualname,
    )
