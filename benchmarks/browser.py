"""Shared by the benchmarks that look at pages in Chromium: the site over localhost, and a slow browser."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep

import uvicorn
from django.conf import settings
from playwright.sync_api import Browser, sync_playwright

from config.valkey import free_port

THROTTLE = 6
"""By which pages slow the processor down."""
FIRST_PAINT = """() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries()[0].startTime))
  .observe({ type: "paint", buffered: true }))"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NAMES = ("chromium", "chromium-browser")


@contextmanager
def served() -> Iterator[str]:
    """Serve the site with uvicorn from a thread, and yield its URL."""
    from config.asgi import application

    server = uvicorn.Server(
        uvicorn.Config(application, host="127.0.0.1", port=free_port(), lifespan="off", log_level="warning")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        sleep(0.02)
    yield f"http://127.0.0.1:{server.config.port}"
    server.should_exit = True
    thread.join(10)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the Chromium of this machine, or the one that CHROMIUM names. Without one, say so and end the process."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        print("There is no Chromium on this machine (on Debian: apt-get install chromium).")
        raise SystemExit(0)
    # Playwright's loop runs in this thread, so Django would take our own queries for queries from async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
