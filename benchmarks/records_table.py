"""Records of other programs beside their known results, as a table: `python -m benchmarks.records_table [folder]`.

The folder holds `MANIFEST.jsonl` and the files it names; by default `../shared/data/records` beside the project.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from engine import Check, Finding, check_record
from engine.verdict import GameVerdict, Severity

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "records"


class Compared(NamedTuple):
    """One game of a record beside its result in the manifest."""

    file: str
    game: int
    expected: tuple[int | None, int]
    """Winner (0 left, 1 right) and points."""
    actual: tuple[int | None, int]
    reasons: tuple[str, ...]
    """Codes of the warnings and errors of this game, and `money_game`, as the manifest ignores the Jacoby rule."""

    @property
    def equal(self) -> bool:
        return self.expected == self.actual

    @property
    def explained(self) -> bool:
        return self.equal or bool(self.reasons)


def manifest(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of the manifest."""
    return [json.loads(line) for line in (folder / "MANIFEST.jsonl").read_text(encoding="utf-8").splitlines()]


def compared(row: dict[str, Any], check: Check) -> Iterator[Compared]:
    """Yield every game of a record whose result is in the manifest."""
    known = [_known(game) for game in row.get("games", row.get("xg_games", ()))]
    for index, expected in enumerate(known):
        verdict = check.verdict.games[index] if index < len(check.verdict.games) else None
        if expected is not None:
            yield Compared(row["file"], index + 1, expected, _actual(verdict), _reasons(check, verdict))


def _known(game: dict[str, Any]) -> tuple[int | None, int] | None:
    """Return winner and points: as replayed if the game was played out, or else as stated."""
    if "term" in game:
        return {1: 0, -1: 1}[game["winner"]], game["points"]
    if game.get("winner") is not None:
        return game["winner"], game["points"]
    if game.get("stated_side") is not None:
        return game["stated_side"], game["stated_points"]
    return None


def _actual(game: GameVerdict | None) -> tuple[int | None, int]:
    return (None, 0) if game is None else (game.winner, game.points)


def _reasons(check: Check, game: GameVerdict | None) -> tuple[str, ...]:
    number = game.number if game else None
    return tuple(
        finding.code
        for finding in check.verdict.findings
        if finding.code == "money_game" or (finding.game == number and finding.severity is not Severity.NOTE)
    )


def illegal_plays(row: dict[str, Any]) -> set[tuple[int, int]]:
    """Return game and roll of each play that the manifest lists as illegal."""
    return {(play["game"], play["ply"]) for play in row.get("illegal", ())}


def plays_judged_illegal(findings: tuple[Finding, ...]) -> set[tuple[int, int]]:
    """Return game and roll of each play judged illegal; only these findings come with nearest plays."""
    return {(f.game, f.ply) for f in findings if f.nearest and f.game is not None and f.ply is not None}


def table(folder: Path) -> str:
    """Return the table: all comparisons, counted."""
    outcomes: Counter[tuple[str, str]] = Counter()
    games: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    listed = met = 0
    for row in manifest(folder):
        check = check_record((folder / row["file"]).read_bytes())
        outcomes[row["format"], check.verdict.outcome.value] += 1
        for game in compared(row, check):
            games["equal" if game.equal else "explained" if game.explained else "DIFFERENT"] += 1
            reasons.update([] if game.equal else game.reasons)
        listed += len(illegal_plays(row))
        met += len(illegal_plays(row) & plays_judged_illegal(check.verdict.findings))
    lines = [f"{count:6}  {name} files {outcome}" for (name, outcome), count in sorted(outcomes.items())]
    lines += [f"{count:6}  games: winner and points {name}" for name, count in games.items()]
    lines += [f"{count:6}    because of {code}" for code, count in reasons.most_common()]
    return "\n".join([*lines, f"{met:6}  of {listed} listed illegal plays found at their game and roll"])


def main() -> None:
    """Print the table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not (folder / "MANIFEST.jsonl").exists():
        print(f"No records in {folder.name}: nothing to compare.")
        return
    print(table(folder))


if __name__ == "__main__":
    main()
