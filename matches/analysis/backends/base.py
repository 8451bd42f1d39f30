"""The interface of analysis programs, for the queue, the command and practice opponents."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from engine import Transcript
from engine.match import MatchState
from matches.analysis.values import Judgement, Situation


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a program says about a match."""

    judgements: tuple[Judgement | None, ...]
    """One for each situation, in the same order; None where the program sees no decision, such as a dead cube."""
    version: str
    cpu_seconds: float
    memory: int
    """Largest resident size in bytes."""
    settings: dict[str, Any] = field(default_factory=dict)


class Depth(StrEnum):
    """How deeply a program looks at a decision that still has to be made; each program counts plies its own way."""

    QUICK = "quick"
    """Each choice by itself: 0-ply of gnubg, 1-ply of bgsage."""
    DEEP = "deep"
    """2-ply, for the plays that are close to the best and for the cube."""


class Backend(Protocol):
    """A program that judges the decisions of a match."""

    @property
    def name(self) -> str:
        """The name that is stored with an analysis."""
        ...

    def is_installed(self) -> bool:
        """Return whether it is installed, without running it."""
        ...

    def is_available(self) -> bool:
        """Return whether it is installed and runs on this machine."""
        ...

    def judge(self, transcript: Transcript, situations: Sequence[Situation]) -> Opinion:
        """Run the program in a child process and return its judgement of each situation.

        Refused: `analysis_timed_out`, `analysis_unreadable`, `analysis_differs`.
        """
        ...

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        """Judge every choice of the side to act in a match: its plays, whether to double, or whether to take.

        It takes `ADVICE_SECONDS` at most. Refused: the same, and `no_analysis_backend`.
        """
        ...
