"""Uploads made to use up time or memory: what each costs the site, and the code with which it is refused.

Each is sent through Django's test client by a process of its own; what workers check is checked there, too. Memory is
the most that the process held beyond what it held before, the upload itself not counted. The limited process in which
files are read has up to 256 MiB besides; its time is counted. At last a page is requested while three spreadsheets are
read, and while none is.
"""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from resource import RUSAGE_CHILDREN, getrusage
from statistics import quantiles
from time import perf_counter, process_time
from typing import Any

from benchmarks.pages import database

# isort: split
from django.db import connection
from django.test import Client
from django.utils import timezone

from players.actors import Actor
from players.clubs.services import create_club
from players.models import User
from tests.bombs import BOMBS, MIB, Bomb, Site, peak, reset_peak
from tournaments.events.services import create_division, create_tournament

PAGES = 20


def cost(bomb: Bomb, site: Site, results: Any) -> None:
    """Send a bomb from this process, and put what it cost and its code into the queue."""
    data = bomb.data()
    reset_peak()
    before, began = peak(), process_time()
    code = bomb.send(site, data)
    limited = getrusage(RUSAGE_CHILDREN)
    seconds = process_time() - began + limited.ru_utime + limited.ru_stime
    results.put((seconds, peak() - before, len(data), code))


def seconds_of_a_page(client: Client, while_true: Callable[[], bool]) -> float:
    """Return the seconds in which the slowest tenth of the requests for the home page was answered."""
    times = []
    while while_true() or len(times) < PAGES:
        began = perf_counter()
        client.get("/")
        times.append(perf_counter() - began)
    return quantiles(times, n=10)[-1]


def beside_three(site: Site, bomb: Bomb) -> None:
    """Print how long others wait for a page while a bomb is read three times."""
    data, client = bomb.data(), Client()
    alone = seconds_of_a_page(client, lambda: False)
    with ThreadPoolExecutor(3) as threads:
        codes = [threads.submit(bomb.send, site, data) for _ in range(3)]
        beside = seconds_of_a_page(client, lambda: not all(code.done() for code in codes))
    print(f"  home page, p90: {alone:.2f} s; beside {', '.join(code.result() for code in codes)}: {beside:.2f} s")


def prepare() -> Site:
    """Create a division and its director."""
    alice, now = User.objects.create_user("alice@example.org", display_name="Alice"), timezone.now()
    by = Actor.of(alice)
    club = create_club(name="Harbour", by=by)
    event = create_tournament(club=club, by=by, now=now, name="Cup", starts_at=now)
    director = Client()
    director.force_login(alice)
    return Site(create_division(tournament=event, by=by, now=now, name="Open"), director)


def main() -> None:
    """Print a line for each bomb; exit with 1 if one has another code."""
    wrong = 0
    processes = multiprocessing.get_context("fork")
    with database():
        site = prepare()
        connection.close()
        print(f"  {'':<34} {'upload':>9} {'CPU':>8} {'memory':>9}  code")
        for bomb in BOMBS:
            results = processes.SimpleQueue()
            process = processes.Process(target=cost, args=(bomb, site, results))
            process.start()
            process.join()
            if process.exitcode:
                raise SystemExit(f"{bomb.name}: crashed")
            seconds, memory, size, code = results.get()
            wrong += code != bomb.code
            note = "" if code == bomb.code else f" instead of {bomb.code}"
            print(
                f"  {bomb.name:<34} {size / MIB:>5.1f} MiB {seconds:>6.2f} s {memory / MIB:>5.0f} MiB  {code}{note}",
                flush=True,
            )
        beside_three(site, next(bomb for bomb in BOMBS if bomb.name == "empty cells"))
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
