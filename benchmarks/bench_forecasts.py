"""What the format page computes at every change: the outline of a stage, and a table with a long tie."""

from statistics import median
from time import process_time

from formats.forecast.finish_times import Pace
from formats.forecast.forecasts import forecast_stages
from formats.forecast.stages import choices_of, planned_before
from formats.settings import StageSettings
from formats.tables.records import Game, Records, RoundKind
from formats.tables.tiebreaks import standings

STAGES = {
    "progressive consolation and last chance": StageSettings("progressive", last_chance=""),
    "double elimination with second final": StageSettings("double", second_final=True),
    "Swiss": StageSettings("swiss"),
    "three lives": StageSettings("lives", lives=3),
}
FIELDS = (13, 40, 256, 1024)
TIED = 4096
RUNS = 5


def outlined(stage: StageSettings, entries: int) -> float:
    """Return the seconds for an outline without any cached part."""
    planned_before.cache_clear()
    choices_of.cache_clear()
    began = process_time()
    forecast_stages([stage], entries, default_lengths=(5,), pace=Pace(16))
    return process_time() - began


def tie() -> float:
    """Return the seconds for a table with everybody tied."""
    games = {entry: [Game(RoundKind.REQUESTED_BYE, 0.5)] for entry in range(TIED)}
    records = Records(games, lots_seed=bytes(16))
    began = process_time()
    standings(records, ["head_to_head", "lots"])
    return process_time() - began


def main() -> None:
    """Print the medians of several runs."""
    print("seconds of work for an outline         " + "".join(f"{entries:>8}" for entries in FIELDS) + " players")
    for name, stage in STAGES.items():
        taken = [median(outlined(stage, entries) for _ in range(RUNS)) for entries in FIELDS]
        print(f"{name:<39}" + "".join(f"{seconds:8.3f}" for seconds in taken))
    print(f"a tie of {TIED} players: {median(tie() for _ in range(RUNS)):.3f} s")


if __name__ == "__main__":
    main()
