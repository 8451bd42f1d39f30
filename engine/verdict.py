"""The result of adjudication (outcome, games and findings), and the frames of a replay."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from engine.cube import Score, Side
from engine.errors import sentence
from engine.notation import Step
from engine.position import Position
from engine.scoring import KIND_OF_MULTIPLE, WinKind
from engine.search import Dice
from engine.transcript import Kind, Place, counted, described_length, described_players


class Outcome(StrEnum):
    """The outcome of an adjudication."""

    ACCEPTED = "accepted"
    ACCEPTED_WITH_WARNINGS = "accepted_with_warnings"
    INCOMPLETE = "incomplete"
    """Legal so far, but the match is not over."""
    REJECTED = "rejected"


class Severity(StrEnum):
    """How much a finding matters; a record with an error is rejected."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(NamedTuple):
    """One error, warning or note of a verdict."""

    severity: Severity
    code: str
    params: Mapping[str, Any]
    """Parameters of the sentence; plain JSON values."""
    game: int | None = None
    ply: int | None = None
    """Rolls of the game counted from 1; a cube action counts with the roll it comes before."""
    place: Place = Place()
    """Line and column in the file."""
    xgid: str | None = None
    """The position in question."""
    nearest: tuple[str, ...] = ()
    """For an illegal play: the legal plays nearest to it, in notation."""

    @property
    def message(self) -> str:
        """The sentence in English."""
        return sentence(self.code, self.params)

    def __str__(self) -> str:
        """Return severity, sentence and place: `error: There is no checker to move on 8. (game 1, ply 4, line 7)`."""
        places = (("game", self.game), ("ply", self.ply), ("line", self.place.line))
        where = ", ".join(f"{name} {number}" for name, number in places if number is not None)
        return f"{self.severity}: {self.message}" + (f" ({where})" if where else "")

    def __repr__(self) -> str:
        return f"<Finding {self.code}, {self}>"


class GameVerdict(NamedTuple):
    """One game as adjudicated."""

    number: int
    start: Score
    end: Score
    crawford: bool
    winner: Side | None
    kind: WinKind
    """`resignation` for every multiple of the cube: points and cube show whether it was a gammon."""
    cube: int
    points: int
    rests_on_words: bool = False
    """The result is only stated: an implied resignation, a match conceded, or a game without plays."""

    @property
    def ended_by(self) -> str:
        """bear_off, drop, resignation, concession, flag or unfinished."""
        return "bear_off" if self.kind in KIND_OF_MULTIPLE.values() else self.kind.value


@dataclass(frozen=True, slots=True)
class Verdict:
    """The adjudication of one transcript."""

    outcome: Outcome
    players: tuple[str, str]
    length: int | None
    """0 for a money session, None if the record does not say."""
    start: Score
    score: Score
    """Points won, which may exceed the length."""
    winner: Side | None
    games: tuple[GameVerdict, ...]
    findings: tuple[Finding, ...]

    @property
    def rests_on_words(self) -> bool:
        """Whether the result of some game is only stated, and shown neither by the board nor by an action."""
        return any(game.rests_on_words for game in self.games)

    def __str__(self) -> str:
        """Return the outcome, the score, and every finding on a line of its own."""
        lines = [_TITLES[self.outcome]]
        if self.games:
            lines.append(f"  {described_length(self.length)}, {described_players(self.players)} {_score(self.score)}")
        return "\n".join([*lines, *(f"  {finding}" for finding in self.findings)])

    def __repr__(self) -> str:
        match = f"{described_players(self.players)} {_score(self.score)}"
        counts = f"{counted(len(self.games), 'game')}, {counted(len(self.findings), 'finding')}"
        return f"<Verdict {self.outcome}, {match}, {counts}>"


_TITLES = {
    Outcome.ACCEPTED: "Accepted",
    Outcome.ACCEPTED_WITH_WARNINGS: "Accepted with remarks",
    Outcome.INCOMPLETE: "Incomplete",
    Outcome.REJECTED: "Not accepted",
}


def _score(score: Score) -> str:
    return f"{score[0]}–{score[1]}"


class Frame(NamedTuple):
    """One event of a replay."""

    game: int
    """Number of the game."""
    event: int
    """Index of the event in its game."""
    ply: int
    side: Side
    kind: Kind
    dice: Dice | None
    steps: tuple[Step, ...]
    notation: str
    """The play in standard notation; empty for a dance and for cube actions."""
    before: Position
    """Seen by `side`."""
    after: Position
    """Seen by `side`."""
    cube: int
    """After the event; a double counts once it is taken."""
    cube_owner: Side | None
    score: Score
    """At the start of the game."""
    crawford: bool
    legal: bool
