"""The acts of a club night of 13 people: queries, and the time of the processor; each is undone and repeated."""

from statistics import quantiles
from time import process_time

from benchmarks.pages import database

# isort: split
from django.db import connection
from django.utils import timezone

from config.web_process import collect_rarely
from tests.clubhouse.acts import PEOPLE, STAGES, Act, acts

TIMES, WARM_UP = 40, 5


def measure(act: Act) -> None:
    """Print the queries of an act, and quartiles of its time; the act is undone each time."""
    times = [_milliseconds(act) for _ in range(TIMES + WARM_UP)][WARM_UP:]
    low, middle, high = quantiles(times, n=4)
    print(f"  {act.name:<18} {len(act.queries()):>7}  {middle:>8.1f} ms  ({low:.1f} to {high:.1f})")


def _milliseconds(act: Act) -> float:
    begun = process_time()
    act.do_and_undo()
    return (process_time() - begun) * 1000


def main() -> None:
    """Measure every act in a Swiss and in a knockout."""
    collect_rarely()  # as in web processes
    with database():
        for name, stage in STAGES.items():
            print(f"{PEOPLE} people, {name} ({connection.vendor}): queries, CPU p50 and quartiles of {TIMES}")
            for act in acts(stage, timezone.now(), slug=name.lower()):
                measure(act)


if __name__ == "__main__":
    main()
