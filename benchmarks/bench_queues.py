"""How long a draw waits while 30 long records are being checked, and on an idle installation.

On SQLite, or on the PostgreSQL server that DATABASE_URL names, with the workers of `make run`. From the commit of the
request for a draw to the commit of its draft.
"""

import os
import subprocess
import sys
import time

import django

from benchmarks.live.installation import ROOT, Installation, installation

UPLOADS, PLAYERS, LENGTH = 30, 128, 25
DRAWS = 5
PATIENCE = 120.0
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


def _seconds_for_draw(number: int) -> float:
    """Return how long a draw of a new division takes."""
    from django.utils import timezone

    from players.actors import SYSTEM
    from players.models import Club, Player
    from tournaments.draws import services as draws
    from tournaments.entries import services as entries
    from tournaments.events import services as events
    from tournaments.models import Draw

    now = timezone.now()
    club, _ = Club.objects.get_or_create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    event = events.create_tournament(club=club, by=SYSTEM, now=now, name=f"Cup {number}", starts_at=now)
    division = events.create_division(tournament=event, by=SYSTEM, now=now, name="Open", match_length=7)
    players = Player.objects.bulk_create([Player(name=f"Player {number}-{at}") for at in range(PLAYERS)])
    entries.enter(division=division, players=players, by=SYSTEM, now=now)
    events.publish_tournament(tournament=event, by=SYSTEM, now=now)
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    began = time.monotonic()
    while Draw.objects.get(pk=draw.pk).state == Draw.State.REQUESTED and time.monotonic() < began + PATIENCE:
        time.sleep(0.02)
    return time.monotonic() - began


def run(running: Installation) -> None:
    """Measure inside an installation."""
    command = [sys.executable, "-m", "benchmarks.bench_queues", "inside"]
    if subprocess.run(command, cwd=ROOT, env=running.env, check=False).returncode:  # noqa: S603, our own command
        raise SystemExit(1)


def main() -> None:
    """Start an installation, and measure it."""
    if sys.argv[1:] == ["inside"]:
        measure()
        return
    url = os.environ.get("DATABASE_URL")
    with installation(url) as running:
        name = "PostgreSQL" if url else "SQLite"
        print(f"{UPLOADS} records of matches to {LENGTH}, draws of {PLAYERS} ({name})", flush=True)
        run(running)


if __name__ == "__main__":
    main()
