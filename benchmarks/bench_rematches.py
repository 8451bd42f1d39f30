"""Rematches of double elimination with coin-flip results, 100 events at each size, the second final not counted.

The pattern proposed first (fewest byes, then fewest rounds) stands beside the unshifted one, which takes in
a round's losers only when no more than they are left below.
"""

from statistics import mean

from tournaments.formats.patterns import knockout_losers, unshifted
from tournaments.formats.simulate import Spec, simulate

EVENTS = 100


def main() -> None:
    """Print the averages."""
    print("players pattern                              rematches  avoidable  most  rounds")
    for size in (16, 64, 256, 512):
        for pattern in (None, str(unshifted(knockout_losers(size), final=True))):
            reports = [simulate(Spec("double", size, pattern=pattern), event) for event in range(1, EVENTS + 1)]
            print(
                f"{size:7} {pattern or 'proposed':38} {mean(r.rematches for r in reports):7.2f}"
                f" {mean(r.rematches_avoidable for r in reports):10.2f} {max(r.rematches for r in reports):5}"
                f" {mean(r.rounds for r in reports):7.1f}"
            )


if __name__ == "__main__":
    main()
