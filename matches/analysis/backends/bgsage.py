"""Open Sage (`bgsage`) as a child process; installed by `make analysis` in a folder of its own.

It is asked about positions, not about a file, in stages that save time (`bgsage_child.py`). It needs AVX2, so it is
tried once in a process that may die.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from engine import Position, Transcript
from engine.errors import Refused
from engine.match import MatchState
from matches.analysis.backends.base import Depth, Opinion
from matches.analysis.backends.processes import Finished, ProgramLimits, run
from matches.analysis.situations import situation_of
from matches.analysis.values import Candidate, CubeEquities, DecisionKind, Judgement, Situation

_CHILD = Path(__file__).with_name("bgsage_child.py")
_PROBE_TIMEOUT = 60
MEMORY = 3 * 1024**3
"""Bytes of address space, much of which its libraries reserve without using it."""
ADVICE_PLIES = {Depth.QUICK: 1, Depth.DEEP: 2}
SETTINGS = {"plays": "1- to 4-ply", "cube": "1- or 3-ply", "luck": "1-ply"}


@dataclass(frozen=True, slots=True)
class Bgsage:
    """The package `bgsage` in a folder."""

    folder: str
    limits: ProgramLimits = field(default_factory=lambda: ProgramLimits(memory=MEMORY))

    @property
    def name(self) -> str:
        return "bgsage"

    def is_installed(self) -> bool:
        return (Path(self.folder) / "bgsage").is_dir()

    def is_available(self) -> bool:
        """Return whether it is installed and this processor can run it."""
        return self.is_installed() and _runs(self.folder)

    def judge(self, transcript: Transcript, situations: Sequence[Situation]) -> Opinion:
        """Judge every situation of a match; see `Backend`."""
        finished = self._ask([_question(situation) for situation in situations], self.limits)
        version, answers = _answers(finished.output, len(situations))
        try:
            judgements = tuple(map(_judgement, situations, answers))
        except (KeyError, TypeError, ValueError):
            raise Refused("analysis_unreadable") from None
        return Opinion(judgements, version, finished.cpu_seconds, finished.memory, dict(SETTINGS))

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        """Judge every choice of the side to act; see `Backend`."""
        situation = situation_of(state)
        question = _question(situation, ADVICE_PLIES[depth])
        _, (answer,) = _answers(self._ask([question], self.limits.for_advice()).output, 1)
        try:
            return _judgement(situation, answer)
        except (KeyError, TypeError, ValueError):
            raise Refused("analysis_unreadable") from None

    def _ask(self, questions: Sequence[dict[str, Any]], limits: ProgramLimits) -> Finished:
        """Run the child process. Refused: `no_analysis_backend`, `analysis_timed_out`."""
        with tempfile.TemporaryDirectory(prefix="bgsage-") as name:
            argv, environ = [sys.executable, "-P", str(_CHILD)], {"PYTHONPATH": self.folder}
            try:
                finished = run(
                    argv, folder=Path(name), limits=limits, stdin=json.dumps(questions).encode(), env=environ
                )
            except OSError:
                raise Refused("no_analysis_backend") from None
        if finished.timed_out:
            raise Refused("analysis_timed_out")
        return finished


@cache
def _runs(folder: str) -> bool:
    """Whether the package can be imported here; without AVX2 the processor kills the process that tries."""
    argv = [sys.executable, "-P", str(_CHILD), "--probe"]
    try:
        probe = subprocess.run(  # noqa: S603, our own program
            argv, env={"PYTHONPATH": folder}, capture_output=True, timeout=_PROBE_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0


def _answers(output: bytes, count: int) -> tuple[str, list[dict[str, Any]]]:
    try:
        data = json.loads(output)
        version, answers = str(data["version"]), list(data["answers"])
    except (ValueError, KeyError, TypeError):
        raise Refused("analysis_unreadable") from None
    if len(answers) != count:
        raise Refused("analysis_differs")
    return version, answers


def _question(situation: Situation, plies: int | None = None) -> dict[str, Any]:
    """A situation as the child takes it: boards with both bars as positive counts, seen by the side on roll."""
    decision = replace(situation, side=1 - situation.side) if situation.kind is DecisionKind.TAKE else situation
    owner = "centered" if decision.owner is None else "player" if decision.owner == decision.side else "opponent"
    question: dict[str, Any] = {
        "kind": "play" if decision.kind is DecisionKind.PLAY else "cube",
        "board": _board(decision.position),
        "cube": decision.cube,
        "owner": owner,
        "away": [decision.own_away, decision.opposing_away],
        "crawford": decision.crawford,
        "jacoby": decision.jacoby,
    }
    if plies is not None:
        question["plies"] = plies
    if decision.kind is DecisionKind.PLAY:
        played = _board(decision.result) if decision.result is not None else None
        question |= {"dice": decision.dice, "played": played, "opening": decision.event == 0}
    return question


def _board(position: Position) -> list[int]:
    counts = list(position.counts)
    counts[0] = abs(counts[0])
    return counts


def _judgement(situation: Situation, answer: dict[str, Any]) -> Judgement:
    if situation.kind is not DecisionKind.PLAY:
        return Judgement(equities=CubeEquities(*map(float, answer["equities"])))
    plays = {tuple(_board(play.result)): play for play in situation.legal_plays()}
    rows = [(tuple(board), float(equity), f"{int(plies)}-ply") for board, equity, plies in answer["candidates"]]
    if situation.choices and {board for board, _, _ in rows} != plays.keys():
        raise Refused("analysis_differs")
    candidates = tuple(
        Candidate(str(plays[board]), equity, None, depth, plays[board].result == situation.result)
        for board, equity, depth in rows
        if board in plays
    )
    luck = answer["luck"]
    return Judgement(candidates=candidates, luck=None if luck is None else float(luck))
