"""The interface that the queue, the command and the sparring partner know of a program."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine import Transcript
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


class Backend(Protocol):
    """A program that judges the decisions of a match."""

    @property
    def name(self) -> str:
        """As it is stored with an analysis."""
        ...

    def is_installed(self) -> bool:
        """Return whether it is installed, without running it."""
        ...

    def is_available(self) -> bool:
        """Return whether it is installed and runs on this machine."""
        ...

    def judge(self, transcript: Transcript, situations: Sequence[Situation]) -> Opinion:
        """Judge the situations of a match in a child process.

        Refused: `analysis_timed_out`, `analysis_unreadable`, `analysis_differs`.
        """
        ...
