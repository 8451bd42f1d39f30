"""How long pairing and adjudication take while 100 records are being analysed, and while none is.

On SQLite, or on the PostgreSQL server that DATABASE_URL names, with the processes of `make run`. Both conditions take
turns. Without analyses their worker and its program are stopped by a signal. The program is that of this checkout;
ANALYSIS_BACKEND=gnubg or bgsage chooses one. The 95th percentiles may differ by 10 %; `--blocks 10 --samples 20`
gives enough samples to tell.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple

import django

from benchmarks.live.installation import ROOT, Installation, installation

if TYPE_CHECKING:
    from matches.models import Submission
    from tournaments.models import Division, Draw

PLAYERS, ROUNDS, LENGTH = 64, 4, 7
"""Of the Swiss in which the round after these is paired, and points of each match and record."""
RECORDS = 100
BLOCKS, SAMPLES = 3, 8
WARM_UP = 3
PATIENCE = 240.0
LOOK_EVERY = 0.005
MOST_SLOWDOWN = 0.10
CONDITIONS = {False: "no analyses", True: "with analyses"}


class Size(NamedTuple):
    """How much is measured."""

    blocks: int
    samples: int
    records: int


def measure(size: Size) -> bool:
    """Print the figures; return whether both slowdowns are within the limit. Runs inside an installation."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from matches.analysis.backends.chosen import installed_backend_name
    from matches.models import Analysis

    program = installed_backend_name()
    if not program:
        raise SystemExit("No program that analyses matches is installed.")
    division = _swiss()
    records = _Records(size)
    about = f"{size.records} records, {size.blocks} × {size.samples} samples of each kind, analysed by {program}"
    print(f"  {about}", flush=True)
    actions = {"pairing": lambda: _pair_again(division), "adjudication": records.adjudicate_next}
    times: dict[str, dict[bool, list[float]]] = {name: {False: [], True: []} for name in actions}
    with _stopped():
        _samples(actions, WARM_UP)
    for number in range(2 * size.blocks):
        is_loaded = number % 4 in (1, 2)
        with _analysing(records) if is_loaded else _stopped():
            for name, measured in _samples(actions, size.samples).items():
                times[name][is_loaded] += measured
    analysed = Analysis.objects.filter(state=Analysis.State.DONE).count()
    print(f"  {analysed} analyses were finished; load {os.getloadavg()[0]:.1f}")
    slowdowns = [_slowdown(name, by_condition) for name, by_condition in times.items()]
    return max(slowdowns) <= MOST_SLOWDOWN


def _samples(actions: dict[str, Callable[[], float]], count: int) -> dict[str, list[float]]:
    """Return the seconds of each action, made in turns."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(count):
        for name, action in actions.items():
            times[name].append(action())
    return times


def _slowdown(name: str, times: dict[bool, list[float]]) -> float:
    """Print the figures of one kind of work; return by which share analyses lengthen its 95th percentile."""
    p95 = {is_loaded: quantiles(seconds, n=20, method="inclusive")[-1] for is_loaded, seconds in times.items()}
    for is_loaded, condition in CONDITIONS.items():
        seconds = times[is_loaded]
        print(
            f"  {name:<13} {condition:<14} p50 {median(seconds):6.3f} s  p95 {p95[is_loaded]:6.3f} s  n {len(seconds)}"
        )
    slowdown = p95[True] / p95[False] - 1
    print(f"  {name:<13} p95 {slowdown:+.1%} with analyses; at most {MOST_SLOWDOWN:+.0%}")
    return slowdown


def _wait_until(is_done: Callable[[], bool], problem: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_done():
        if time.monotonic() > deadline:
            raise SystemExit(problem)
        time.sleep(LOOK_EVERY)


# The event


def _swiss() -> "Division":
    """Return a division that has played some rounds of a Swiss, and has a draft of the next."""
    from django.utils import timezone

    from formats.settings import SWISS, NextRound, StageSettings
    from matches.lifecycle.finish import ResultInput
    from players.actors import SYSTEM
    from players.models import Club, Player
    from tournaments.draws import services as draws
    from tournaments.entries import services as entries
    from tournaments.events import services as events
    from tournaments.models import Fixture
    from tournaments.results import services as results
    from tournaments.state.stages import set_stages

    now = timezone.now()
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    event = events.create_tournament(club=club, by=SYSTEM, now=now, name="Open", starts_at=now)
    division = events.create_division(tournament=event, by=SYSTEM, now=now, name="Open", match_length=LENGTH)
    players = Player.objects.bulk_create([Player(name=f"Player {number}") for number in range(PLAYERS)])
    entries.enter(division=division, players=players, by=SYSTEM, now=now)
    division.refresh_from_db()
    stages = [StageSettings(SWISS, rounds=ROUNDS + 2, next_round=NextRound.ASK)]
    set_stages(division=division, stages=stages, after=division.seq, by=SYSTEM, now=now)
    events.publish_tournament(tournament=event, by=SYSTEM, now=now)
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    for _ in range(ROUNDS):
        _wait_for_draft(draw)
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=timezone.now())
        for fixture in Fixture.objects.filter(stage__division=division, status="ready").select_related("stage"):
            points = fixture.number % LENGTH
            result = ResultInput(0, (LENGTH, points)) if fixture.number % 3 else ResultInput(1, (points, LENGTH))
            results.enter_result(fixture=fixture, result=result, by=SYSTEM, now=timezone.now())
        draw = _request_round(division)
    _wait_for_draft(draw)
    return division


def _request_round(division: "Division") -> "Draw":
    from django.utils import timezone

    from players.actors import SYSTEM
    from tournaments.draws.rounds import request_round

    division.refresh_from_db()
    now = timezone.now()
    return request_round(division=division, by=SYSTEM, now=now, after=division.seq, reason="Paired again")


def _wait_for_draft(draw: "Draw") -> None:
    from tournaments.models import Draw

    requested = Draw.objects.filter(pk=draw.pk, state=Draw.State.REQUESTED)
    _wait_until(lambda: not requested.exists(), "a draft was never made")


def _pair_again(division: "Division") -> float:
    """Return the seconds from the request of the next round to its draft."""
    draw = _request_round(division)
    began = time.monotonic()
    _wait_for_draft(draw)
    return time.monotonic() - began


# The records


class _Records:
    """Records that are analysed, and others whose adjudication is measured."""

    def __init__(self, size: Size) -> None:
        self.to_analyse = [_submitted(seed) for seed in range(size.records)]
        for submission in self.to_analyse:
            _wait_for_verdict(submission)
        self.seed = size.records

    def adjudicate_next(self) -> float:
        """Return the seconds from sending a record to its verdict."""
        self.seed += 1
        submission = _submitted(self.seed)
        began = time.monotonic()
        _wait_for_verdict(submission)
        return time.monotonic() - began

    def enqueue(self) -> None:
        """Have all of them analysed once more, but those that still wait for it."""
        from django.utils import timezone

        from matches.analysis.queue import enqueue_record

        for submission in self.to_analyse:
            enqueue_record(submission=submission, swapped=False, now=timezone.now())


def _submitted(seed: int) -> "Submission":
    from django.utils import timezone

    from engine.records import write
    from engine.simulation import play_out
    from matches.models import Submission
    from matches.records.submissions import RecordFile, submit

    text = write(play_out(seed, LENGTH), "mat")
    return submit(file=RecordFile(text, Submission.Source.API, f"{seed}.mat"), now=timezone.now()).submission


def _wait_for_verdict(submission: "Submission") -> None:
    from matches.models import Submission

    checked = Submission.objects.filter(pk=submission.pk, state=Submission.State.DONE)
    _wait_until(checked.exists, "a record was never adjudicated")


# The worker of analyses


@contextmanager
def _stopped() -> Iterator[None]:
    """Stop the worker of analyses and its program for a while, with no record waiting."""
    from django.db import transaction

    from core.locks import for_update
    from matches.models import Analysis

    worker = int((Path(os.environ["BARPOINT_VAR"]) / "run" / "analysis.pid").read_text())
    with transaction.atomic():
        # The worker must not be stopped while it holds a lock: on SQLite nobody else could write.
        list(for_update(Analysis.objects.all()))
        os.kill(worker, signal.SIGSTOP)
        Analysis.objects.filter(state=Analysis.State.QUEUED).delete()
    programs = [int(pid) for pid in Path(f"/proc/{worker}/task/{worker}/children").read_text().split()]
    for program in programs:
        os.kill(program, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in (*programs, worker):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def _analysing(records: _Records) -> Iterator[None]:
    """Keep all records waiting for their analyses, with one being made at any time."""
    from matches.models import Analysis

    records.enqueue()
    working = Analysis.objects.filter(state=Analysis.State.WORKING)
    _wait_until(working.exists, "no analysis was begun")
    yield
    if not Analysis.objects.filter(state=Analysis.State.QUEUED).exists():
        raise SystemExit("The queue of analyses ran dry: measure with more records.")


def run(running: Installation, arguments: list[str]) -> None:
    """Measure inside an installation."""
    command = [sys.executable, "-m", "benchmarks.bench_analysis_load", "--inside", *arguments]
    if subprocess.run(command, cwd=ROOT, env=running.env, check=False).returncode:  # noqa: S603, our own command
        raise SystemExit(1)


def main() -> None:
    """Start an installation, and measure it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_analysis_load", description=__doc__)
    parser.add_argument("--blocks", type=int, default=BLOCKS, help="of each condition")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of each kind of work in a block")
    parser.add_argument("--records", type=int, default=RECORDS, help="waiting to be analysed")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        raise SystemExit(0 if measure(Size(options.blocks, options.samples, options.records)) else 1)
    url = os.environ.get("DATABASE_URL")
    with installation(url) as running:
        print(f"A Swiss of {PLAYERS}, records of matches to {LENGTH} ({'PostgreSQL' if url else 'SQLite'})", flush=True)
        run(running, sys.argv[1:])


if __name__ == "__main__":
    main()
