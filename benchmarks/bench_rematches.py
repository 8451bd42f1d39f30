"""Rematches and waits in brackets fed by losers, by simulation with coin-flip results.

First double elimination, 100 events at each size, the second final not counted: the usual pattern, which takes in a
round's losers only when no more than they are left below, beside the one with the fewest byes.

Then the default consolation of 4 to 64 players, with byes on fixed lines and by lot, as the table in `docs/draws.md`:

    python -m benchmarks.bench_rematches consolation
"""

import sys
from statistics import mean

from formats.elimination.byes import LowerByes
from formats.elimination.patterns import fewest, knockout_losers
from formats.forecast.stages import planned_before
from formats.forecast.waits import waits_by_choice
from formats.graph import CONSOLATION
from formats.settings import PROGRESSIVE, StageSettings
from formats.simulate import Spec, simulate

EVENTS = 100
WAITING_EVENTS = 300
LENGTH = 7
SMALLEST, LARGEST = 4, 64


def main() -> None:
    """Print both tables, or only that of consolations."""
    if "consolation" not in sys.argv[1:]:
        _print_double_elimination()
    print("| Players | Lines by lot | Mean wait | Longest wait | Rematches |\n|---|---|---|---|---|")
    for size in range(SMALLEST, LARGEST + 1):
        print(consolation_row(size))


def _print_double_elimination() -> None:
    print("players pattern                              rematches  avoidable  most  rounds")
    for size in (16, 64, 256, 512):
        for pattern in (None, str(fewest(knockout_losers(size), final=True))):
            reports = [simulate(Spec("double", size, pattern=pattern), event) for event in range(1, EVENTS + 1)]
            print(
                f"{size:7} {pattern or 'usual':38} {mean(r.rematches for r in reports):7.2f}"
                f" {mean(r.rematches_avoidable for r in reports):10.2f} {max(r.rematches for r in reports):5}"
                f" {mean(r.rounds for r in reports):7.1f}"
            )


def lots_of_lines(size: int) -> str:
    """Return how many of how many entrants each lot of a consolation is among, as "2 of 5, 4 of 7"; "none" if none."""
    graph = planned_before(StageSettings(PROGRESSIVE), None, 1, size)
    lots = [
        f"{len(round_.entrants)} of {2 * len(round_.fixtures) - 1}"
        for round_ in graph.bracket(CONSOLATION).rounds
        if round_.entrants
    ]
    return ", ".join(lots) or "none"


def consolation_row(size: int) -> str:
    """Return the row of the table for so many players: minutes and rematches on lines, then by lot."""
    waits = waits_by_choice(StageSettings(PROGRESSIVE), None, 1, size, (LENGTH,), runs=WAITING_EVENTS)
    lines, lots = waits[LowerByes.LINES], waits[LowerByes.LOTS]
    return (
        f"| {size} | {lots_of_lines(size)} | {lines.mean:.0f} / {lots.mean:.0f} min"
        f" | {lines.longest:.0f} / {lots.longest:.0f} min | {lines.rematches:.2f} / {lots.rematches:.2f} |"
    )


if __name__ == "__main__":
    main()
