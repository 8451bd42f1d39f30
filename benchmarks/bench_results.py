"""One result entered by a director: queries, rows read and processor time, by the size of the field.

    python -m benchmarks.bench_results [PLAYERS …]     for example: python -m benchmarks.bench_results 16 256

The result of a swiss round changes one match; in a single elimination every second one opens the next match.
"""

import random
import sys
from statistics import median
from time import process_time

from benchmarks.pages import database

# isort: split
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.web_process import collect_rarely
from formats.settings import KNOCKOUT, SWISS, StageSettings
from matches.lifecycle.finish import ResultInput
from players.actors import SYSTEM
from players.models import Club, Player
from tests.tournaments.support.rows_read import rows_read
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Division, Draw, Fixture
from tournaments.results import services as results
from tournaments.state.stages import set_stages

SIZES = (16, 64, 256, 1024)
LENGTH = 7
SWISS_OF_NINE = StageSettings(SWISS, rounds=9)
MEASURED = 20
"""Results of which the median counts; all but the last of a round of 16 players are fewer."""


def drawn(club: Club, stage: StageSettings, players: int) -> Division:
    """Return a division whose first round is drawn."""
    now = timezone.now()
    tournament = events.create_tournament(
        club=club, by=SYSTEM, now=now, name=f"{stage.format} {players}", starts_at=now
    )
    field = Player.objects.bulk_create([Player(name=f"Player {number} of {players}") for number in range(players)])
    division = events.create_division(tournament=tournament, by=SYSTEM, now=now, name="Main", match_length=LENGTH)
    entries.enter(division=division, players=field, by=SYSTEM, now=now)
    division.refresh_from_db()
    set_stages(division=division, stages=[stage], after=division.seq, by=SYSTEM, now=now)
    events.publish_tournament(tournament=tournament, by=SYSTEM, now=now)
    draw = draws.request_draw(division=division, by=SYSTEM, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=now)
    return division


def enter(fixture: Fixture, rng: random.Random) -> None:
    winner = rng.randrange(2)
    score = (LENGTH, rng.randrange(LENGTH)) if winner == 0 else (rng.randrange(LENGTH), LENGTH)
    results.enter_result(fixture=fixture, result=ResultInput(winner, score), by=SYSTEM, now=timezone.now())


def play(division: Division, rounds: int, rng: random.Random) -> None:
    """Play whole rounds of a swiss, and pair the next."""
    for _ in range(rounds):
        for fixture in Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY):
            enter(fixture, rng)
        draw = Draw.objects.get(stage__division=division, state=Draw.State.REQUESTED)
        draws.make_draft(draw_id=draw.pk, now=timezone.now())
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, by=SYSTEM, now=timezone.now())


def measure(label: str, division: Division, rng: random.Random) -> None:
    """Print what a result takes: the median of its processor time, and the most of the rest."""
    ready = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).order_by("number")
    times, queries, rows = [], [], []
    count = min(MEASURED, ready.count() - 1)
    for at, fixture in enumerate(ready.select_related("stage__division__tournament__club")[:count]):
        if at % 2:
            begun = process_time()
            enter(fixture, rng)
            times.append((process_time() - begun) * 1000)
            continue
        with CaptureQueriesContext(connection) as captured, rows_read() as counts:
            enter(fixture, rng)
        queries.append(len(captured))
        rows.append(max(counts))
    print(f"  {label:<28} {median(times):>8.1f} ms  {max(queries):>9}  {max(rows):>15}")


def main() -> None:
    """Draw a division of each size in both formats and enter results."""
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    collect_rarely()  # as in web processes
    with database():
        club = Club.objects.create(name="Harbour", slug="harbour", time_zone="Europe/Copenhagen")
        print(f"  {connection.vendor:<28} {'CPU':>11}  {'queries':>9}  {'rows of a query':>15}")
        for format_, rounds in ((SWISS_OF_NINE, 0), (StageSettings(KNOCKOUT), 0), (SWISS_OF_NINE, 4)):
            for size in sizes:
                rng = random.Random(size)  # noqa: S311, a run that can be repeated
                division = drawn(club, format_, size)
                play(division, rounds, rng)
                measure(f"{format_.format}, {size} players, round {rounds + 1}", division, rng)


if __name__ == "__main__":
    main()
