"""Rematches of double elimination with coin-flip results, 100 events at each size, the second final not counted.

The usual pattern, which takes in a round's losers only when no more than they are left below, stands beside the one
with the fewest byes.
"""

from statistics import mean

from tournaments.formats.elimination.patterns import fewest, knockout_losers
from tournaments.formats.simulate import Spec, simulate

EVENTS = 100


def main() -> None:
    """Print the averages."""
    print("players pattern                              rematches  avoidable  most  rounds")
    for size in (16, 64, 256, 512):
        for pattern in (None, str(fewest(knockout_losers(size), final=True))):
            reports = [simulate(Spec("double", size, pattern=pattern), event) for event in range(1, EVENTS + 1)]
            print(
                f"{size:7} {pattern or 'usual':38} {mean(r.rematches for r in reports):7.2f}"
                f" {mean(r.rematches_avoidable for r in reports):10.2f} {max(r.rematches for r in reports):5}"
                f" {mean(r.rounds for r in reports):7.1f}"
            )


if __name__ == "__main__":
    main()
