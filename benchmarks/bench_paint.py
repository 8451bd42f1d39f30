"""First paint in Chromium at 6× CPU throttle, over localhost: the home page, brackets of 256 players, and a floor.

The site is served by uvicorn from this process; each visit is a context of its own, so nothing is in a cache.
"""

import random
from statistics import median

from benchmarks import bench_floor
from benchmarks.bench_bracket import PLAYED, PLAYERS, SEED, half_played, page_of
from benchmarks.browser import FIRST_PAINT, SIDEWAYS, THROTTLE, chromium, served
from benchmarks.pages import database

# isort: split
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser

VISITS = 11
WIDTHS = {"phone": 390, "desk": 1280}
GATE_MS, GATE_BYTES = 1000, 20 * 1024

SENT = "performance.getEntriesByType('navigation')[0].encodedBodySize"


def visit(browser: Browser, address: str, width: int, session: str = "") -> tuple[float, int, int]:
    """Return first contentful paint in ms, bytes of the page as sent, and px of horizontal overflow."""
    context = browser.new_context(viewport={"width": width, "height": 844})
    if session:
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": address}])
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
    page.goto(address)
    figures = (page.evaluate(FIRST_PAINT), page.evaluate(SENT), page.evaluate(SIDEWAYS))
    context.close()
    return figures


def measure(browser: Browser, label: str, address: str, width: int, session: str = "") -> None:
    """Print median and worst of many visits to a page, without the first one, which loads our own code."""
    visit(browser, address, width, session)
    paints, sizes, sideways = zip(*[visit(browser, address, width, session) for _ in range(VISITS)], strict=True)
    print(
        f"  {label:<22} {median(paints):>7.0f} ms {max(paints):>7.0f} ms"
        f" {max(sizes) / 1024:>7.1f} KiB {max(sideways):>7} px"
    )


def main() -> None:
    """Print median and worst of each page at each width."""
    with chromium() as browser, database():
        divisions = half_played(random.Random(SEED))  # noqa: S311, a run that can be repeated
        print(f"{PLAYERS} players, results {PLAYED}; {THROTTLE}× CPU throttle, {VISITS} visits each, seed {SEED}")
        print(
            f"Gates: first paint ≤ {GATE_MS} ms, brackets ≤ {GATE_BYTES / 1024:.0f} KiB compressed, no sideways scroll"
        )
        print(f"  {'':<22} {'median':>10} {'worst':>10} {'page':>11} {'sideways':>10}")
        with served() as site:
            measure(browser, "sign-in, beside it", f"{site}/sign-in/", WIDTHS["phone"])
            for label, width in WIDTHS.items():
                measure(browser, f"home, {label}", f"{site}/", width)
            for format_, division in divisions.items():
                for label, width in WIDTHS.items():
                    measure(browser, f"{format_}, {label}", site + page_of(division), width)
            director, event = bench_floor.evening(timezone.now())
            client = Client()
            client.force_login(director)
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            for label, width in WIDTHS.items():
                measure(browser, f"floor, {label}", site + bench_floor.page_of(event), width, session)


if __name__ == "__main__":
    main()
