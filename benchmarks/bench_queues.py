"""How long a draw waits: idle, beside 30 long records, and while a mail server and 20 push services never answer.

On SQLite, or on the PostgreSQL server that DATABASE_URL names, with the workers of `make run`. A draw takes from the
commit of its request to the commit of its draft; a pairing from the last result of a Swiss round to the draft of the
next; a call from the publication of a draw to the first call by the autopilot.
"""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import django

from benchmarks.live.installation import ROOT, LiveInstallation, installation

UPLOADS, PLAYERS, TABLES, LENGTH = 30, 128, 8, 25
DRAWS, ALTERNATING = 5, 10
PATIENCE = 120.0
CALLS_AFTER_RESULTS = 3.0
"""Seconds until all is done that followed from results which nobody enters so fast."""
COLD = "a first draw"


def measure() -> None:
    """Print the figures; runs inside an installation."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from django.utils import timezone

    from engine.records import write
    from engine.simulation import play_out
    from matches.models import Submission
    from matches.records.submissions import RecordFile, submit

    records = [write(play_out(seed, LENGTH), "mat") for seed in range(UPLOADS)]
    print(f"  {COLD:<34} {_seconds_for_draw(0):6.2f} s", flush=True)
    idle = [_seconds_for_draw(number) for number in range(1, 1 + DRAWS)]
    print(f"  {'idle, the slowest of ' + str(DRAWS):<34} {max(idle):6.2f} s", flush=True)
    unchecked = Submission.objects.filter(state__in=(Submission.State.QUEUED, Submission.State.WORKING))
    began = time.monotonic()
    for text in records:
        submit(file=RecordFile(text, Submission.Source.API, "long.mat"), now=timezone.now())
    waiting = [_seconds_for_draw(number) for number in range(1 + DRAWS, 1 + 2 * DRAWS)]
    open_now = unchecked.count()
    print(f"  {'beside records, the slowest of ' + str(DRAWS):<34} {max(waiting):6.2f} s", flush=True)
    print(f"  {open_now} of {UPLOADS} records were unchecked after the last draw", flush=True)
    while unchecked.exists() and time.monotonic() < began + PATIENCE:
        time.sleep(0.1)
    print(f"  {'all records checked after':<34} {time.monotonic() - began:6.2f} s; load {os.getloadavg()[0]:.1f}")


SILENT_PATCH = """
import os, socket
resolve, connect = socket.getaddrinfo, socket.create_connection
def getaddrinfo(host, port, *args, **kwargs):
    if str(host).endswith(".silent.example"):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("198.41.0.4", port))]
    return resolve(host, port, *args, **kwargs)
def create_connection(address, *args, **kwargs):
    if address[0] == "198.41.0.4":
        address = ("127.0.0.1", int(os.environ["EMAIL_PORT"]))
    return connect(address, *args, **kwargs)
socket.getaddrinfo, socket.create_connection = getaddrinfo, create_connection
"""
"""What every process loads at its start: hosts of push services that are public, and silent."""


def measure_silent() -> None:
    """Print the figures beside servers that never answer; runs inside an installation."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from django.utils import timezone

    from players.models import Delivery, User
    from players.notifications.push import subscribe, to_base64
    from players.notifications.services import notify
    from tests.players.notifications.test_push import Browser

    _seconds_for_evening(0)
    idle = [_seconds_for_evening(number) for number in range(1, 1 + ALTERNATING)]
    now = timezone.now()
    readers = [
        User.objects.create_user(f"reader{number}@example.org", "x", display_name=f"Reader {number}")
        for number in range(30)
    ]
    User.objects.update(email_verified_at=now)
    for number in range(20):
        browser = Browser()
        endpoint, auth = f"https://p{number}.silent.example/", to_base64(browser.auth)
        subscribe(user=readers[0], endpoint=endpoint, p256dh=browser.p256dh, auth=auth, device="", session="s", now=now)
    beside = []
    for number in range(1 + ALTERNATING, 1 + 2 * ALTERNATING):
        params = {"opponent": None, "context": "Friday night"}
        users = [reader.pk for reader in readers]
        notify(users=users, kind="ruled", params=params, url="/my/", key=f"k{number}", now=timezone.now())
        beside.append(_seconds_for_evening(number))
        time.sleep(1)
    waiting, tried = Delivery.objects.filter(state="waiting"), Delivery.objects.filter(attempts__gt=0)
    print(f"  {'median, slowest':<10} {'idle':>16} {'beside':>18}   ratio of the medians")
    for name, without, with_silent in zip(
        ("draw", "pairing", "call"), zip(*idle, strict=True), zip(*beside, strict=True), strict=True
    ):
        medians = statistics.median(without), statistics.median(with_silent)
        figures = f"{medians[0]:6.2f} s {max(without):6.2f} s   {medians[1]:6.2f} s {max(with_silent):6.2f} s"
        print(f"  {name:<10} {figures}   {medians[1] / medians[0]:.2f}")
    print(f"  {waiting.count()} e-mails and pushes wait, {tried.count()} of them were tried", flush=True)


@contextmanager
def silent() -> Iterator[dict[str, str]]:
    """Run a server that accepts and never answers; the variables that make it mail server and push services."""
    kept = []
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.TemporaryDirectory() as folder:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    kept.append(server.accept()[0])

        threading.Thread(target=accept, daemon=True).start()
        (Path(folder) / "sitecustomize.py").write_text(SILENT_PATCH)
        yield {
            "NOTIFICATION_EMAILS_AFTER": "0",
            "EMAIL_HOST": "127.0.0.1",
            "EMAIL_PORT": str(server.getsockname()[1]),
            "PYTHONPATH": folder,
        }


def _seconds_for_draw(number: int) -> float:
    """Return how long a draw of a new division takes."""
    return _draw(number)[1]


def _draw(number: int) -> tuple[Any, float]:
    """Draw a new division; return it, and how long that took."""
    from django.utils import timezone

    from formats.settings import SWISS, NextRound, StageSettings
    from players.actors import SYSTEM
    from players.models import Club, Player
    from tournaments.draws import services as draws
    from tournaments.entries import services as entries
    from tournaments.events import services as events
    from tournaments.models import Draw
    from tournaments.state.stages import set_stages

    now = timezone.now()
    club, _ = Club.objects.get_or_create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    event = events.create_tournament(club=club, by=SYSTEM, now=now, name=f"Cup {number}", starts_at=now, tables=TABLES)
    division = events.create_division(tournament=event, by=SYSTEM, now=now, name="Open", match_length=7)
    swiss = [StageSettings(SWISS, rounds=5, next_round=NextRound.DRAFT)]
    set_stages(division=division, stages=swiss, after=division.seq, by=SYSTEM, now=now)
    players = Player.objects.bulk_create([Player(name=f"Player {number}-{at}") for at in range(PLAYERS)])
    entries.enter(division=division, players=players, by=SYSTEM, now=now)
    events.publish_tournament(tournament=event, by=SYSTEM, now=now)
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    return division, _seconds_until(lambda: Draw.objects.get(pk=draw.pk).state != Draw.State.REQUESTED)


def _seconds_for_evening(number: int) -> tuple[float, float, float]:
    """Return how long a draw, the pairing of the second round and the first call of a new event take."""
    from django.utils import timezone

    from matches.lifecycle.finish import ResultInput
    from players.actors import SYSTEM
    from tournaments.draws.services import publish_draw
    from tournaments.floor import evening
    from tournaments.models import Autopilot, Draw, Fixture, FloorEvent, FloorKind
    from tournaments.results.services import enter_result

    division, drawn = _draw(number)
    event = division.tournament
    evening.open_floor(tournament=event, by=SYSTEM, now=timezone.now())
    evening.set_autopilot(tournament=event, mode=Autopilot.CALL, by=SYSTEM, now=timezone.now())
    division.refresh_from_db()
    publish_draw(division=division, after=division.seq, by=SYSTEM, now=timezone.now())
    calls = FloorEvent.objects.filter(tournament=event, kind=FloorKind.CALLED)
    called = _seconds_until(calls.exists)
    for left, fixture in reversed(list(enumerate(Fixture.objects.filter(stage__division=division)))):
        if not left:
            time.sleep(CALLS_AFTER_RESULTS)
        enter_result(fixture=fixture, result=ResultInput(0, (7, 3)), by=SYSTEM, now=timezone.now())
    drafts = Draw.objects.filter(stage__division=division, round=2, state=Draw.State.DRAFT)
    return drawn, _seconds_until(drafts.exists), called


def _seconds_until(is_done: Callable[[], bool]) -> float:
    """Return how long it takes until something has happened."""
    began = time.monotonic()
    while not is_done() and time.monotonic() < began + PATIENCE:
        time.sleep(0.02)
    return time.monotonic() - began


def run(running: LiveInstallation, part: str = "inside") -> None:
    """Measure inside an installation."""
    command = [sys.executable, "-m", "benchmarks.bench_queues", part]
    if subprocess.run(command, cwd=ROOT, env=running.env, check=False).returncode:  # noqa: S603, our own command
        raise SystemExit(1)


def main() -> None:
    if parts := sys.argv[1:]:
        {"inside": measure, "silent": measure_silent}[parts[0]]()
        return
    url = os.environ.get("DATABASE_URL")
    name = "PostgreSQL" if url else "SQLite"
    with installation(url) as running:
        print(f"{UPLOADS} records of matches to {LENGTH}, draws of {PLAYERS} ({name})", flush=True)
        run(running)
    with silent() as variables, installation(url, variables) as running:
        print(f"A mail server and 20 push services that never answer, draws of {PLAYERS} ({name})", flush=True)
        run(running, "silent")


if __name__ == "__main__":
    main()
