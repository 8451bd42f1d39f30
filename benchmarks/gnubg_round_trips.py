"""Our files through GNU Backgammon and back, as a table: `python -m benchmarks.gnubg_round_trips [folder]`.

Sixty generated matches, and every record of the folder that is not rejected (by default `../shared/data/records`
beside the project), each in both formats to gnubg and in both formats back. Winners, points, cubes, scores and
plays must be the same.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.records_table import FOLDER, manifest
from engine import Outcome, Transcript, check_record, normalised
from tests.engine.gnubg import PROGRAM, ROUTES, differences, through_gnubg
from tests.engine.lively import lively_match

AT_ONCE = 10
"""Matches to one run of gnubg; if it crashes, the rest of the run is lost."""


def generated() -> dict[str, Transcript]:
    """Return sixty matches of 1 to 15 points."""
    return {f"generated-{number}": lively_match(number, 1 + number % 15) for number in range(60)}


def recorded(folder: Path) -> tuple[dict[str, Transcript], int]:
    """Return the records to compare, normalised, and how many were left out as rejected or without any play."""
    matches, left_out = {}, 0
    for number, row in enumerate(manifest(folder)):
        check = check_record((folder / row["file"]).read_bytes())
        transcript = check.transcript
        events = [event for game in transcript.games for event in game.events] if transcript else []
        if transcript is None or check.verdict.outcome is Outcome.REJECTED or not any(e.moves for e in events):
            left_out += 1
        else:
            matches[f"record-{number}"] = normalised(transcript)
    return matches, left_out


def table(name: str, matches: dict[str, Transcript]) -> Iterator[str]:
    """Return a line for each route, and one for each match that came back changed."""
    counts: Counter[tuple[str, str, str]] = Counter()
    details = []
    names = list(matches)
    for first in range(0, len(names), AT_ONCE):
        chunk = {name: matches[name] for name in names[first : first + AT_ONCE]}
        with TemporaryDirectory() as folder:
            for (match, source, target), back in through_gnubg(chunk, Path(folder)).items():
                faults = ["nothing came back"] if back is None else differences(matches[match], back)
                counts[source, target, "different" if faults else "same"] += 1
                details += [f"        {match} as {source}, back as {target}: {faults[0]}"] if faults else []
    for source, target in ROUTES:
        same, different = counts[source, target, "same"], counts[source, target, "different"]
        yield f"{name:12}ours as {source}, gnubg's as {target}: {same:4} the same, {different} not"
    yield from details


def main() -> None:
    """Print the table."""
    if PROGRAM is None:
        print("GNU Backgammon is not installed (apt-get install gnubg).")
        return
    print(*table("generated", generated()), sep="\n")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not (folder / "MANIFEST.jsonl").exists():
        print(f"No records in {folder.name}.")
        return
    matches, left_out = recorded(folder)
    print(*table("records", matches), f"{left_out} records were left out: rejected, or without any play", sep="\n")


if __name__ == "__main__":
    main()
