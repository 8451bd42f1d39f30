"""Pairing without rounds: the seconds of CPU that the batches of a night take, and how long its players wait.

The first batch of 256 players is to take 400 ms at most, any later one of that night 50 ms.
"""

from random import Random

from formats.continuous.night import Field, Night, Pace
from formats.settings import LIVES, SWISS, Pairing, StageSettings

SIZES = (8, 16, 32, 64, 128, 256)
STAGES = {
    "2 lives": StageSettings(LIVES, lives=2, pairing=Pairing.CONTINUOUS),
    "3 lives": StageSettings(LIVES, lives=3, pairing=Pairing.CONTINUOUS),
    "Swiss of 5": StageSettings(SWISS, rounds=5, pairing=Pairing.CONTINUOUS),
}
SEED = bytes(32)


def main() -> None:
    """Print a line for each format and size."""
    print(
        f"{'format':10} {'players':>7} {'batches':>7} {'first, ms':>9} {'later, ms':>9} {'waiting, min':>12} {'end':>5}"
    )
    for name, settings in STAGES.items():
        for players in SIZES:
            chance = Random(players)  # noqa: S311 - invented results
            night = Night(settings, players // 2, Field.drawn(players, chance), chance, Pace(), seed=SEED)
            played = night.play()
            first, *later = (1000 * seconds for seconds in played.seconds)
            wait = sum(played.waits.values()) / players
            print(
                f"{name:10} {players:7} {played.batches:7} {first:9.1f} {max(later, default=0.0):9.1f} {wait:12.1f}"
                f" {played.end:5.0f}"
            )


if __name__ == "__main__":
    main()
