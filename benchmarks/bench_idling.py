"""What somebody gains in lives without rounds who enters late, or reports late: the share of nights that they win.

    python -m benchmarks.bench_idling [NIGHTS]

20 players of equal skill, two lives, matches of 5 points. Standard has a lead of 2, strict a lead of 1, a window of 2
minutes and a bracket at 8; see docs/formats.md.
"""

import sys
from argparse import ArgumentParser

from formats.command_line.simulate import add_arguments, simulated_nights

PLAYERS, NIGHTS = 20, 800
RULES = {"Standard": "--lead 2", "Strict": "--lead 1 --window 2 --switch 8"}
ROWS = {
    "on time": "--idle 1:0",
    "enters 35 minutes late": "--late 1:35",
    "enters 70 minutes late": "--late 1:70",
    "reports 20 minutes late": "--idle 1:20",
    "reports 60 minutes late": "--idle 1:60",
    "two report 20 minutes late": "--idle 1:20 --idle 2:20",
}


def share(options: str, nights: int) -> float:
    """Return the share of nights, in percent, that those win who are late."""
    parser = ArgumentParser()
    add_arguments(parser)
    usual = f"--format lives --pairing continuous --players {PLAYERS} --events {nights}"
    reports = simulated_nights(parser.parse_args(f"{usual} {options}".split()))
    won = sum(report["winner"] in (*report["idle_entries"], *report["late_entries"]) for report in reports)
    return 100 * won / nights


def main() -> None:
    """Print the table."""
    nights = int(sys.argv[1]) if len(sys.argv) > 1 else NIGHTS
    print("| One player | Fair |", " | ".join(RULES), "|")
    print("|---|---|", "|".join("---" for _rule in RULES), "|", sep="", flush=True)
    for name, late in ROWS.items():
        fair = 100 * (1 + late.endswith("2:20")) / PLAYERS
        shares = [f"{share(f'{rule} {late}', nights):.1f} %" for rule in RULES.values()]
        print(f"| {name} | {fair:.1f} % |", " | ".join(shares), "|", flush=True)


if __name__ == "__main__":
    main()
