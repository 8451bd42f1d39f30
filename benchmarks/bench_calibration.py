"""How often an evening is over by the time that its forecast gives with 90 % probability.

`python -m benchmarks.bench_calibration [evenings] [format …]` plays evenings of the documented model, 1,000 of each
format by default, on all cores. The forecast is made before the first call and after a quarter, half and three quarters
of the matches, with what the floor knows then.
"""

import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from time import process_time

from formats.settings import StageSettings
from tests.formats.evenings import Setting, held_counts

EVENINGS = 1000
AT_ONCE = 50
SETTINGS = {
    "knockout": Setting((StageSettings("knockout"),), 16, 8),
    "progressive": Setting((StageSettings("progressive", lower_lengths=(5,)),), 32, 10),
    "last chance": Setting(
        (StageSettings("progressive", last_chance="", lower_lengths=(5,), last_lengths=(3,)),), 19, 9
    ),
    "double": Setting((StageSettings("double", second_final=True, lower_lengths=(5,)),), 16, 8),
    "swiss": Setting((StageSettings("swiss", rounds=4),), 24, 12),
    "swiss until unbeaten": Setting((StageSettings("swiss"),), 13, 6, (5,)),
    "lives": Setting((StageSettings("lives", lives=3),), 12, 6, (5,)),
    "round robin": Setting((StageSettings("roundrobin"),), 8, 4, (5,)),
    "groups and knockout": Setting(
        (StageSettings("groups", groups=4, qualifiers=2), StageSettings("knockout")), 16, 8, (5,)
    ),
}


def timed(name: str, seeds: Iterable[int]) -> tuple[list[int], float]:
    """Return how often the forecasts of a format held, and the seconds of work."""
    began = process_time()
    return held_counts(SETTINGS[name], seeds), process_time() - began


def main() -> None:
    """Print the share of evenings for each format and moment."""
    evenings = int(sys.argv[1]) if len(sys.argv) > 1 else EVENINGS
    print(f"{evenings} evenings      players  tables   start    25 %    50 %    75 %   seconds of work")
    with ProcessPoolExecutor() as pool:
        for name in sys.argv[2:] or SETTINGS:
            batches = [range(first, min(first + AT_ONCE, evenings)) for first in range(0, evenings, AT_ONCE)]
            counts, seconds = zip(*pool.map(timed, [name] * len(batches), batches), strict=True)
            shares = "".join(f"{sum(column) / evenings:8.3f}" for column in zip(*counts, strict=True))
            setting = SETTINGS[name]
            print(f"{name:<22}{setting.players:5}{setting.tables:8} {shares}{sum(seconds):10.1f}", flush=True)


if __name__ == "__main__":
    main()
