"""What adjudication finds: outcome, games, findings, and the frames of a replay."""

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
    """What a record comes to."""

    ACCEPTED = "accepted"
    ACCEPTED_WITH_WARNINGS = "accepted_with_warnings"
    INCOMPLETE = "incomplete"
    """Legal so far, the match is not over."""
    REJECTED = "rejected"


class Severity(StrEnum):
    """How much a finding matters: an error rejects."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(NamedTuple):
    """One thing a reader of the verdict must know."""

    severity: Severity
    code: str
    params: Mapping[str, Any]
    """Fill the sentence of the code; plain JSON values."""
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
        """Severity, sentence and where it is: `error: There is no checker of yours on 8. (game 1, ply 4, line 7)`."""
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
    """`resignation` where the game was given up; points and cube then tell whether as a gammon."""
    cube: int
    points: int
    rests_on_words: bool = False
    """The record only states how it ended: an implied resignation, a match given up, or a game without plays."""

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
    """0 for a money session, None where the record does not say."""
    start: Score
    score: Score
    """Points really won, so it may pass the length."""
    winner: Side | None
    games: tuple[GameVerdict, ...]
    findings: tuple[Finding, ...]

    @property
    def rests_on_words(self) -> bool:
        """Whether some game has a result that neither the board nor a recorded action bears out."""
        return any(game.rests_on_words for game in self.games)

    def __str__(self) -> str:
        """The outcome, the score, and every finding on a line of its own."""
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
    """The play in standard notation, resolved; empty for a dance and for cube actions."""
    before: Position
    """Seen by `side`."""
    after: Position
    """Seen by `side`."""
    cube: int
    """After the event (an offered double counts from the take)."""
    cube_owner: Side | None
    score: Score
    """At the start of the game."""
    crawford: bool
    legal: bool
