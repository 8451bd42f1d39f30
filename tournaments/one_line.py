"""Results in one line, as a director types them on a noisy night: pure, no database.

m22 11-7               the score in the order in which the fixture shows its players
m22 forfeit smith      he gives up this match
m22 forfeit both       nobody goes on
open m22 11-7          with the division first, where several are played at once
"""

import re
from dataclasses import dataclass

from engine.errors import Refused
from players.names import fold

LONGEST_LINE = 200
MOST_DIGITS = 4
BOTH = "both"

_FIXTURE = re.compile(rf"m\s?(\d{{1,{MOST_DIGITS}}})", re.IGNORECASE)
_SCORE = re.compile(rf"(\d{{1,{MOST_DIGITS}}})\s*[-–—−:/ ]\s*(\d{{1,{MOST_DIGITS}}})")
_FORFEIT = re.compile(r"(?:forfeit|forfeits|ff|wo|w/o)\b\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A match that was played."""

    fixture: int
    score: tuple[int, int]
    division: str = ""


@dataclass(frozen=True, slots=True)
class ForfeitLine:
    """A match that one player gives up, or both."""

    fixture: int
    name: str
    division: str = ""

    @property
    def both(self) -> bool:
        """Whether nobody came."""
        return fold(self.name) == BOTH


def parse(text: str) -> ScoreLine | ForfeitLine:
    """What a line says.

    Refused: `line_empty`, `quick_line_too_long`, `line_without_match`, `line_without_result`, `line_draw`,
    `line_forfeit_who`.

    >>> parse("m22 11-7")
    ScoreLine(fixture=22, score=(11, 7), division='')
    >>> parse("open m3 forfeit smith")
    ForfeitLine(fixture=3, name='smith', division='open')
    """
    line = " ".join(text.split())
    if not line:
        raise Refused("line_empty")
    if len(line) > LONGEST_LINE:
        raise Refused("quick_line_too_long", most=LONGEST_LINE)
    words = line.split(" ")
    for at in range(len(words)):
        taken = _fixture_at(words, at)
        if taken is not None:
            number, rest = taken
            return _result(number, rest, " ".join(words[:at]))
    raise Refused("line_without_match", line=line[:40])


def _fixture_at(words: list[str], at: int) -> tuple[int, str] | None:
    """The fixture named by the word at this place (or by this one and the next: `m 22`), and what follows."""
    if found := _FIXTURE.fullmatch(words[at]):
        return int(found[1]), " ".join(words[at + 1 :])
    if words[at].lower() == "m" and at + 1 < len(words) and (found := _FIXTURE.fullmatch("m" + words[at + 1])):
        return int(found[1]), " ".join(words[at + 2 :])
    return None


def _result(fixture: int, rest: str, division: str) -> ScoreLine | ForfeitLine:
    if forfeit := _FORFEIT.fullmatch(rest):
        if not forfeit[1]:
            raise Refused("line_forfeit_who", fixture=fixture)
        return ForfeitLine(fixture, forfeit[1], division)
    if found := _SCORE.fullmatch(rest):
        score = int(found[1]), int(found[2])
        if score[0] == score[1]:
            raise Refused("line_draw", left=score[0], right=score[1])
        return ScoreLine(fixture, score, division)
    raise Refused("line_without_result", fixture=fixture, rest=rest[:40])


def side_of(name: str, players: tuple[str, str]) -> int:
    """Which of two players a part of a name means.

    Refused: `line_forfeit_nobody`, `line_forfeit_two`.

    >>> side_of("olsen", ("Quinn Olsen", "Uma Levermann"))
    0
    """
    wanted = fold(name)
    exact = [side for side, player in enumerate(players) if fold(player) == wanted]
    parts = [side for side, player in enumerate(players) if wanted and wanted in fold(player)]
    found = exact or parts
    if not found:
        raise Refused("line_forfeit_nobody", name=name, left=players[0], right=players[1])
    if len(found) > 1:
        raise Refused("line_forfeit_two", name=name, left=players[0], right=players[1])
    return found[0]
