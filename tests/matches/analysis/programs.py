"""GNU Backgammon and programs that stand in for it."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine import Transcript
from engine.match import MatchState
from matches.analysis.backends.base import Depth, Opinion
from matches.analysis.backends.gnubg import Gnubg
from matches.analysis.backends.processes import ProgramLimits
from matches.analysis.situations import situation_of
from matches.analysis.values import Candidate, CubeEquities, DecisionKind, Judgement, Situation

FAKE = Path(__file__).with_name("fake_gnubg.py")
ROOT = Path(__file__).resolve().parents[3]

needs_gnubg = pytest.mark.skipif(not Gnubg().is_installed(), reason="GNU Backgammon is not installed")


def fake_gnubg(folder: Path, fault: str = "none", idle_seconds: float = 60) -> Gnubg:
    """Return a backend whose program has a fault; `pids` in the folder gets those of a program that hangs."""
    path = folder / f"gnubg-{fault}"
    environment = f"PYTHONPATH={ROOT} FAKE_PIDS={folder / 'pids'}"
    path.write_text(f'#!/bin/sh\n{environment} exec {sys.executable} {FAKE} {fault} "$@"\n')
    path.chmod(0o755)
    assert shutil.which(str(path))
    return Gnubg(path=str(path), limits=ProgramLimits(idle_seconds=idle_seconds, niceness=0))


def is_running(pid: int) -> bool:
    """Whether there is such a process, and it is more than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Indifferent:
    """A backend without a program: every play but the one made is worth 0.1 less, and no cube decision exists."""

    name = "indifferent"

    def __init__(self, cpu_seconds: float = 1.0) -> None:
        self.cpu_seconds = cpu_seconds

    def is_installed(self) -> bool:
        return True

    def is_available(self) -> bool:
        return True

    def judge(self, transcript: Transcript, situations: Sequence[Situation]) -> Opinion:
        return Opinion(tuple(map(self._judgement, situations)), "1", self.cpu_seconds, 0)

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        situation = situation_of(state)
        if situation.kind is not DecisionKind.PLAY:
            return Judgement(equities=CubeEquities(0.5, 0.3, 1.0))
        return Judgement(tuple(Candidate(str(play), 0.0, None, "0-ply") for play in state.legal_plays()))

    def _judgement(self, situation: Situation) -> Judgement | None:
        if situation.kind is not DecisionKind.PLAY:
            return None
        played = Candidate(situation.played, 0.1, None, "0-ply", played=True)
        return Judgement((played, Candidate("another", 0.0, None, "0-ply")), luck=0.0)
