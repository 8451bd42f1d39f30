"""A first-round result of a finished double elimination of 256, corrected: preview, apply, preview of the undo, undo.

Seconds and queries of each, with the ratings of all players foreseen.
"""

import random
from collections.abc import Callable
from time import perf_counter
from typing import Any

from benchmarks.pages import database

# isort: split
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Club, Player
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Fixture
from tournaments.results import corrections
from tournaments.results import services as results
from tournaments.state.stages import set_stages

PLAYERS = 256
SEED = 1975
LENGTH = 5
RUNS = 3
TARGET = 1.0
"""Seconds that a correction with its preview may take."""


def finished(rng: random.Random) -> Division:
    """Return a double elimination with all its results."""
    now = timezone.now()
    club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
    tournament = events.create_tournament(club=club, by=SYSTEM, now=now, name="Nordic Cup", starts_at=now)
    division = events.create_division(tournament=tournament, by=SYSTEM, now=now, name="Open", match_length=LENGTH)
    players = Player.objects.bulk_create([Player(name=f"Player {number}") for number in range(1, PLAYERS + 1)])
    entries.enter(division=division, players=players, by=SYSTEM, now=now)
    events.publish_tournament(tournament=tournament, by=SYSTEM, now=now)
    division.refresh_from_db()
    set_stages(division=division, stages=[StageSettings("double")], after=division.seq, by=SYSTEM, now=now)
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=now)
    while ready := list(Fixture.objects.filter(stage__division=division, status="ready").select_related("stage")):
        for fixture in ready:
            winner = rng.randrange(2)
            score = (LENGTH, rng.randrange(LENGTH)) if winner == 0 else (rng.randrange(LENGTH), LENGTH)
            results.enter_result(fixture=fixture, result=ResultInput(winner, score), by=SYSTEM, now=timezone.now())
    division.refresh_from_db()
    return division


class Timer:
    """The best time of each step, and its queries."""

    def __init__(self) -> None:
        self.best: dict[str, tuple[float, int]] = {}

    def __call__(self, label: str, act: Callable[[], Any]) -> Any:
        """Run a step and keep its time."""
        with CaptureQueriesContext(connection) as queries:
            begun = perf_counter()
            answer = act()
            taken = perf_counter() - begun
        if label not in self.best or taken < self.best[label][0]:
            self.best[label] = (taken, len(queries))
        return answer


def correct_once(division: Division, timed: Timer) -> int:
    """Apply and undo a correction; return how many matches it changes."""
    now = timezone.now()
    fixture = Fixture.objects.filter(stage__division=division, number=1).select_related("stage__division").get()
    standing = fixture.match.results.latest("version")
    new = ResultInput(1 - standing.winner, standing.score[::-1])
    preview = timed("preview", lambda: corrections.preview_correction(fixture=fixture, new=new))
    correction = corrections.CorrectionInput(new, "correct_all", mark=preview.mark)
    submitted = {"fixture": fixture, "correction": correction, "after": preview.seq}
    done = timed("apply", lambda: corrections.apply_correction(**submitted, by=SYSTEM, now=now))
    back = timed("preview of the undo", lambda: corrections.preview_undo(correction=done))
    timed("undo", lambda: corrections.undo_correction(correction=done, after=back.seq, by=SYSTEM, now=now))
    return len(preview.all.changes)


def main() -> None:
    """Build the event, then correct its first result and take it back."""
    with database():
        division = finished(random.Random(SEED))  # noqa: S311, a run that can be repeated
        timed = Timer()
        changed = [correct_once(division, timed) for _ in range(RUNS)]
        print(f"Double elimination of {PLAYERS} ({connection.vendor}), seed {SEED}; best of {RUNS}; ", end="")
        print(f"{changed[0]} matches change")
        print(f"  {'':<24}{'seconds':>10}{'queries':>10}")
        for label, (taken, queries) in timed.best.items():
            print(f"  {label:<24}{taken:>10.3f}{queries:>10}")
        together = timed.best["preview"][0] + timed.best["apply"][0]
        print(f"  preview and apply {together:.3f} s; the target is {TARGET:.1f} s")


if __name__ == "__main__":
    main()
