"""Processes that are forked from one that has imported the site.

Importing the site takes two seconds of CPU and 100 MB. A fork of a process that has done so takes milliseconds and
shares that memory.

A fork has a copy of everything in memory, but of one thread only, so these must not exist before it:

- other threads, whose locks would stay locked in the child. Only the main thread forks, as a child is killed when the
  *thread* that forked it ends (`processes.bound_to_parent`);
- connections to the database and the broker, in which both processes would write.

`fork` refuses both. Python seeds `random` anew in each child; no other state may be drawn while the site is imported.
What is loaded is kept out of garbage collections (`gc.freeze`), which would write to every page and so copy it.
"""

import gc
import importlib
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import cast

from config.processes import bound_to_parent

ROOT = Path(__file__).resolve().parent.parent
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals for which the supervisor has a handler."""
# What the programs import by name when they start.
USED_BY_WEB = ("config.http_protocol", "config.page_cache", "config.web_process", "uvicorn.loops.uvloop")
USED_BY_WORKERS = (
    *("celery.bin.celery", "celery.apps.worker", "celery.apps.beat", "celery.worker.worker", "celery.worker.consumer"),
    *("celery.concurrency.thread", "celery.concurrency.solo", "kombu.transport.redis"),
)


class ForkedProcess:
    """A child with the methods of `subprocess.Popen` that the supervisor uses."""

    def __init__(self, target: Callable[[], None], name: str) -> None:
        self._process = get_context("fork").Process(target=target, name=name)
        self._process.start()
        self.pid = cast(int, self._process.pid)

    def poll(self) -> int | None:
        """Return the exit code, negative for the signal that killed it; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once it has ended. Raises `subprocess.TimeoutExpired` after `timeout` seconds."""
        self._process.join(timeout)
        exit_code = self.poll()
        if exit_code is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0)
        return exit_code

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


class ImportedSite:
    """The site as this process has imported it, and its source files as they were then."""

    def __init__(self) -> None:
        self._modified: dict[str, int] = {}

    def load(self) -> None:
        """Import what `manage.py` needs: the settings, the models and the tasks."""
        # Not when this module is imported: the settings read the environment, which the supervisor completes first.
        import django

        django.setup()
        from config.celery import app

        app.loader.import_default_modules()
        self._note_files()

    def static_sources(self) -> str:
        """Return a hash of what `collectstatic` would collect now."""
        from config.static_files import sources

        return sources()

    def load_pages(self) -> None:
        """Import everything else. The static files must have been collected: some modules read their list."""
        from django.urls import get_resolver

        get_resolver().url_patterns  # noqa: B018, imports all views
        for name in (*USED_BY_WEB, *USED_BY_WORKERS):
            importlib.import_module(name)
        self._note_files()
        gc.collect()
        gc.freeze()

    def has_changed(self) -> bool:
        """Whether an imported source file has changed since."""
        return any(modified != _modified(path) for path, modified in self._modified.items())

    def _note_files(self) -> None:
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if path and path not in self._modified and _is_ours(Path(path)):
                self._modified[path] = _modified(path)


def fork(module: str, arguments: Sequence[str]) -> ForkedProcess:
    """Run `python -m module arguments` in a fork of this process, which dies with it, in a session of its own.

    Raises RuntimeError if this process has what a fork must not have.
    """
    _check()
    bind = bound_to_parent()

    def run() -> None:
        os.setsid()
        bind()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
        with open(os.devnull) as null:
            os.dup2(null.fileno(), 0)
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)

    # Until the child has handlers of its own, a signal would run those of its parent.
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    try:
        return ForkedProcess(run, module)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)


def _check() -> None:
    from django.db import connections

    if threading.current_thread() is not threading.main_thread() or threading.active_count() > 1:
        names = ", ".join(thread.name for thread in threading.enumerate())
        raise RuntimeError(f"Only a process with a single thread can be forked; there are {names}.")
    if any(connection.connection is not None for connection in connections.all(initialized_only=True)):
        raise RuntimeError("A process with a connection to the database cannot be forked.")


def _is_ours(path: Path) -> bool:
    return path.is_relative_to(ROOT) and not path.is_relative_to(sys.prefix)


def _modified(path: str) -> int:
    """When a file was modified, in nanoseconds; 0 if there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0
