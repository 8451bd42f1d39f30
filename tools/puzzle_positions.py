"""Write `matches/puzzles/positions.json`, for clubs with too few of their own (`python -m tools.puzzle_positions`).

gnubg plays matches against itself, and rates the positions that could be puzzles at 2-ply. It takes some three minutes
of CPU time, at the lowest priority; the same gnubg gives the same file.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

MATCHES, LENGTHS = 40, (3, 5, 7, 9)
KEPT, KEPT_OF_MATCH = 60, 3
_ANSWER = re.compile(r"Seed set to \d+")
_PLAY = re.compile(
    r"^\s*\d+\. Cubeful \d-ply\s+(\S.*?)\s+Eq\.:\s*([+-]\d+\.\d+).*\n\s+"
    r"([01]\.\d+) ([01]\.\d+) ([01]\.\d+) - [01]\.\d+ ([01]\.\d+) ([01]\.\d+)",
    re.MULTILINE,
)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.nice(19)
    import django

    django.setup()
    from engine.records import read
    from matches.puzzles.pool import POSITIONS

    rows: list[dict[str, Any]] = []
    for seed in range(1, MATCHES + 1):
        found = _puzzles_of(read(_match(seed, LENGTHS[seed % len(LENGTHS)])))
        rows += [row for row, _ in zip(found, range(KEPT_OF_MATCH), strict=False)]
        print(seed, len(rows), flush=True)
        if len(rows) >= KEPT:
            break
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows[:KEPT])
    POSITIONS.write_text(f"[\n{lines}\n]\n")


def _match(seed: int, length: int) -> bytes:
    """A match of gnubg against itself as a `.mat` file."""
    players = [
        f"set player {side} {setting}"
        for side in (0, 1)
        for setting in ("gnubg", "chequerplay evaluation plies 0", "cubedecision evaluation plies 0")
    ]
    commands = ["set threads 1", "set rng mersenne", f"set seed {seed}", *players, "set display off"]
    commands += ["set automatic game on", "set automatic roll on", f"new match {length}", "export match mat match.mat"]
    with tempfile.TemporaryDirectory(prefix="gnubg-") as folder:
        _gnubg(commands, folder)
        return (Path(folder) / "match.mat").read_bytes()


def _puzzles_of(transcript: Any) -> Iterator[dict[str, Any]]:
    """The positions of a match that may be puzzles, the play least clear to the Club Bot first."""
    from engine.ids import parse_xgid
    from engine.notation import parse_play
    from engine.plays import legal_plays
    from engine.position import position_of
    from engine.resolution import resolve
    from matches.analysis.judging import stakes
    from matches.analysis.situations import situations_of, xgid_of
    from matches.analysis.values import DecisionKind, DecisionPhase
    from matches.puzzles.pool import has_clear_best, neutral_xgid, traits

    asked = [
        (situation, neutral_xgid(parse_xgid(xgid_of(situation))))
        for situation in situations_of(transcript)
        if situation.kind is DecisionKind.PLAY and situation.phase is DecisionPhase.CONTACT and situation.choices >= 3
    ]
    for plies in (0, 2):
        answers = _hints([xgid for _, xgid in asked], plies)
        rated = []
        for (situation, xgid), answer in zip(asked, answers, strict=True):
            state, worth = parse_xgid(xgid), stakes(situation)
            assert state.dice is not None  # noqa: S101, a play has a roll
            assert worth is not None  # noqa: S101, no money session
            plays = {play.result: str(play) for play in legal_plays(state.position, state.dice)}
            candidates: list[dict[str, Any]] = [
                {
                    "play": plays[position_of(resolve(state.position.key, state.dice, parse_play(play)).key)],
                    "equity": round(float(equity), 4),
                    "chances": [round(float(chance), 4) for chance in chances],
                }
                for play, equity, *chances in _PLAY.findall(answer)[:5]
            ]
            if has_clear_best(candidates, worth.chance(candidates[0]["equity"])):
                hard = traits(xgid, candidates)
                if hard.bot_error >= 0.02 or hard.doubt >= 0.03:
                    rated.append((hard.bot_error + hard.doubt, situation, xgid, candidates))
        rated.sort(key=lambda row: row[0], reverse=True)
        # Some that everybody finds are among them, and not all are of the end of the match.
        chosen = rated[::2][: KEPT_OF_MATCH * 2] if not plies else rated
        asked = [(situation, xgid) for _, situation, xgid, _ in chosen]
    for _, _, xgid, candidates in rated:
        yield {"xgid": xgid, "candidates": candidates}


def _hints(xgids: Sequence[str], plies: int) -> list[str]:
    """What gnubg answers to each position."""
    from engine.ids import parse_xgid
    from matches.analysis.backends.gnubg import hint_commands

    commands = [hint_commands(parse_xgid(xgid), plies, number) for number, xgid in enumerate(xgids)]
    with tempfile.TemporaryDirectory(prefix="gnubg-") as folder:
        return _ANSWER.split(_gnubg(commands, folder))[:-1]


def _gnubg(commands: Sequence[str], folder: str) -> str:
    from matches.analysis.backends.gnubg import Gnubg

    program = Gnubg().program
    finished = subprocess.run(  # noqa: S603, no shell
        [program, "-t", "-q", "-r"],
        input="\n".join([*commands, ""]),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return finished.stdout


if __name__ == "__main__":
    main()
