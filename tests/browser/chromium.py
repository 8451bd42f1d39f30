"""Chromium, which is started again if it does not close its pages.

Chromium sometimes never answers a request to dispose of a browser context, and Playwright waits for the answer without
a time limit. This happened once in seven runs of all browser tests, after a test that had passed.
"""

import os
import shutil
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright

from tests.browser.fonts import FOLDERS, write_config

PATH = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None
)
"""Debian's Chromium, if possible without its windows, which take 0.4 of its CPU; or the browser that CHROMIUM names.

None where there is neither.
"""
SOON = 15_000
"""Milliseconds in which a page shows what it is told by its stream: without one it asks every 20 s."""
HALL = "hall.test"
"""A name of the site other than localhost: over plain HTTP, browsers give its pages less (no locks, no clipboard)."""
ARGUMENTS = (
    f"--host-resolver-rules=MAP {HALL} 127.0.0.1",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Chromium:
    """A browser that tests of a process share; `closing_limit` is in seconds, `fonts` a file for fontconfig."""

    def __init__(self, playwright: Playwright, *, closing_limit: float = 30, fonts: Path | None = None) -> None:
        self.playwright, self._closing_limit = playwright, closing_limit
        self._fonts = {"FONTCONFIG_FILE": str(fonts)} if fonts else {}
        self._browser = self._launch()
        self.pid = _pid_of(self._browser)

    @property
    def browser(self) -> Browser:
        """The running browser; a new one if the last one was killed."""
        if not self._browser.is_connected():
            self._browser = self._launch()
            self.pid = _pid_of(self._browser)
        return self._browser

    def close_contexts(self) -> None:
        """Close all pages. If that takes too long, kill the browser and warn."""
        with self._killed_at_the_limit():
            for context in self._browser.contexts:
                context.close()

    def close(self) -> None:
        """End the browser, or kill it if that takes too long."""
        with self._killed_at_the_limit():
            self._browser.close()

    def _launch(self) -> Browser:
        return self.playwright.chromium.launch(
            executable_path=PATH, headless=True, args=list(ARGUMENTS), env={**os.environ, **self._fonts}
        )

    @contextmanager
    def _killed_at_the_limit(self) -> Iterator[None]:
        is_killed = threading.Event()

        def kill() -> None:
            is_killed.set()
            os.kill(self.pid, signal.SIGKILL)

        timer = threading.Timer(self._closing_limit, kill)
        timer.start()
        try:
            yield
        except Error:
            if not is_killed.is_set():
                raise
        finally:
            timer.cancel()
        if is_killed.is_set():
            warnings.warn(f"Chromium was killed: it did not close within {self._closing_limit} s.", stacklevel=3)


class Browsers:
    """The browsers of a process by the system's fonts, started when they are wanted; `folder` has their settings."""

    def __init__(self, playwright: Playwright, folder: Path) -> None:
        self._playwright, self._folder = playwright, folder
        self._started: dict[str, Chromium] = {}

    def of(self, family: str) -> Chromium:
        """Return the browser whose system has this family of fonts; the machine's if it is not installed."""
        if family not in self._started:
            path = self._folder / f"{family}.conf" if family in FOLDERS else None
            if path:
                write_config(family, path)
            self._started[family] = Chromium(self._playwright, fonts=path)
        return self._started[family]

    def close(self) -> None:
        """End them all."""
        for chromium in self._started.values():
            chromium.close()


def _pid_of(browser: Browser) -> int:
    """The id of the browser's main process."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    pid: int = next(process["id"] for process in processes if process["type"] == "browser")
    return pid
