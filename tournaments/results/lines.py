"""Parses results that a director types as lines; does not use the database.

m22 11-7                the score, in the order in which the fixture shows its players
m22 forfeit smith       Smith forfeits this match
m22 forfeit both        both forfeit; nobody advances
m141 smith jones        on paper, these two were paired as M141; m141 de la cruz, van dam: a comma between long names
m22 leader              at closing time, whoever leads by the running score wins; m22 leader 5-3: at this score
bob 7-4                 Bob's open match, Bob's points first
bergmann 7 csonka 4     the open match of these two
bob forfeit             Bob forfeits their open match
open m22 11-7           the division first, if two divisions share match numbers
undo                    takes back the last thing that the director did; undo m22: the last thing at this match
?                       help

Several results are separated by semicolons or line breaks.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from core.names import fold
from engine.errors import Refused

LONGEST_LINE = 200
MOST_LINES = 50
LONGEST_TEXT = MOST_LINES * LONGEST_LINE
MOST_DIGITS = 4
MOST_NUMBER_DIGITS = 6
BOTH = "both"

_FORFEIT_WORD = r"(?:forfeits?|ff|wo|w/o)"
_FIXTURE = re.compile(rf"m\s?(\d{{1,{MOST_NUMBER_DIGITS}}})", re.IGNORECASE)
_UNDO = re.compile(rf"undo\s(?:(.+)\s)?m\s?(\d{{1,{MOST_NUMBER_DIGITS}}})", re.IGNORECASE)
_POINTS = rf"(\d{{1,{MOST_DIGITS}}})"
_BETWEEN = r"\s*[-–—−:/ ]\s*"
_SCORE = re.compile(_POINTS + _BETWEEN + _POINTS)
_FORFEIT = re.compile(_FORFEIT_WORD + r"\b\s*(.*)", re.IGNORECASE)
_LEADER = re.compile(rf"leader(?:\s+{_POINTS}{_BETWEEN}{_POINTS})?", re.IGNORECASE)
_NAME_SCORE = re.compile(rf"(\D+?)\s+{_POINTS}{_BETWEEN}{_POINTS}")
_TWO_NAMES = re.compile(rf"(\D+?)\s+{_POINTS}\s*[-–—−:/,]?\s*([^\W\d_]\D*?)\s+{_POINTS}")
_TWO_WORDS = re.compile(
    r"\D*[^\W\d_]\D*[\s,/–—]\D*[^\W\d_]\D*|"
    # Names with digits need a comma between them.
    r"[^,]*[^\W\d_][^,]*,[^,]*[^\W\d_][^,]*"
)
_NAME_FORFEIT = re.compile(rf"(.+?)\s+{_FORFEIT_WORD}", re.IGNORECASE)
_FORFEIT_NAME = re.compile(rf"{_FORFEIT_WORD}\s+(.+)", re.IGNORECASE)


class Command(StrEnum):
    """A line that is not a result."""

    UNDO = "undo"
    HELP = "?"


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The score of a match, given by its number."""

    fixture: int
    score: tuple[int, int]
    division: str = ""


@dataclass(frozen=True, slots=True)
class ForfeitLine:
    """A forfeit by one player or both, in a match given by its number."""

    fixture: int
    name: str
    division: str = ""

    @property
    def both(self) -> bool:
        return fold(self.name) == BOTH


@dataclass(frozen=True, slots=True)
class PairLine:
    """Two players who were paired on paper, as they were typed, with the number of their match slip."""

    fixture: int
    names: str
    division: str = ""


@dataclass(frozen=True, slots=True)
class LeaderLine:
    """A match, given by its number, that its leader wins at closing time; by its running score if none is given."""

    fixture: int
    score: tuple[int, int] | None
    division: str = ""


@dataclass(frozen=True, slots=True)
class UndoLine:
    """The last act at a match, given by its number, is undone."""

    fixture: int
    division: str = ""


@dataclass(frozen=True, slots=True)
class NamedScore:
    """A score for the match of one or two named players; the points are in the order of the names."""

    names: tuple[str, ...]
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class NamedForfeit:
    """A forfeit by a named player in their open match."""

    name: str


Line = ScoreLine | ForfeitLine | LeaderLine | PairLine | UndoLine | NamedScore | NamedForfeit | Command


def split(text: str) -> list[str]:
    """Split the text into lines, without empty ones.

    Refused: `line_empty`, `too_many_results`.

    >>> split("m1 7-3; m2 7-5\\n\\nm3 0-7")
    ['m1 7-3', 'm2 7-5', 'm3 0-7']
    """
    lines = [" ".join(part.split()) for part in re.split(r"[;\n\r]", text)]
    filled = [line for line in lines if line]
    if not filled:
        raise Refused("line_empty")
    if len(filled) > MOST_LINES:
        raise Refused("too_many_results", most=MOST_LINES)
    return filled


def parse(text: str) -> Line:
    """Parse one line.

    Refused: `line_empty`, `quick_line_too_long`, `line_without_match`, `line_without_result`, `line_draw`,
    `line_forfeit_who`.

    >>> parse("m22 11-7")
    ScoreLine(fixture=22, score=(11, 7), division='')
    >>> parse("open m3 forfeit smith")
    ForfeitLine(fixture=3, name='smith', division='open')
    >>> parse("bergmann 7 csonka 4")
    NamedScore(names=('bergmann', 'csonka'), score=(7, 4))
    >>> parse("m141 smith jones")
    PairLine(fixture=141, names='smith jones', division='')
    >>> parse("undo m22")
    UndoLine(fixture=22, division='')
    """
    line = " ".join(text.split())
    if not line:
        raise Refused("line_empty")
    if len(line) > LONGEST_LINE:
        raise Refused("quick_line_too_long", most=LONGEST_LINE)
    if undo := _UNDO.fullmatch(line):
        return UndoLine(int(undo[2]), undo[1] or "")
    if line.lower() in (Command.UNDO, Command.HELP, "help"):
        return Command.UNDO if line.lower() == Command.UNDO else Command.HELP
    words = line.split(" ")
    for index in range(len(words)):
        numbered = _fixture_at(words, index)
        if numbered is not None:
            number, rest = numbered
            return _result(number, rest, " ".join(words[:index]))
    if (named := _named(line)) is not None:
        return named
    raise Refused("line_without_match", line=line[:40])


def _fixture_at(words: list[str], index: int) -> tuple[int, str] | None:
    """Return the match number at this word (or at this and the next: `m 22`) and the rest of the line."""
    if match := _FIXTURE.fullmatch(words[index]):
        return int(match[1]), " ".join(words[index + 1 :])
    if words[index].lower() == "m" and index + 1 < len(words) and (match := _FIXTURE.fullmatch("m" + words[index + 1])):
        return int(match[1]), " ".join(words[index + 2 :])
    return None


def _result(fixture: int, rest: str, division: str) -> ScoreLine | ForfeitLine | LeaderLine | PairLine:
    if leader := _LEADER.fullmatch(rest):
        score = _decided(int(leader[1]), int(leader[2])) if leader[1] else None
        return LeaderLine(fixture, score, division)
    if forfeit := _FORFEIT.fullmatch(rest):
        if not forfeit[1]:
            raise Refused("line_forfeit_who", fixture=fixture)
        return ForfeitLine(fixture, forfeit[1], division)
    if match := _SCORE.fullmatch(rest):
        return ScoreLine(fixture, _decided(int(match[1]), int(match[2])), division)
    if _TWO_WORDS.fullmatch(rest):
        return PairLine(fixture, rest, division)
    raise Refused("line_without_result", fixture=fixture, rest=rest[:40])


def _named(line: str) -> NamedScore | NamedForfeit | None:
    """Parse a result that names players instead of a match number; None if the line is not one."""
    if match := _NAME_FORFEIT.fullmatch(line) or _FORFEIT_NAME.fullmatch(line):
        return NamedForfeit(match[1])
    if match := _TWO_NAMES.fullmatch(line):
        return NamedScore((match[1], match[3]), _decided(int(match[2]), int(match[4])))
    match = _NAME_SCORE.fullmatch(line)
    return NamedScore((match[1],), _decided(int(match[2]), int(match[3]))) if match else None


def _decided(left: int, right: int) -> tuple[int, int]:
    if left == right:
        raise Refused("line_draw", left=left, right=right)
    return left, right


_BETWEEN_PLAYERS = re.compile(r"\s*[,/–—]\s*|\s+-\s+|\s+(?:v|vs)\.?\s+", re.IGNORECASE)


def splits_of(names: str) -> list[tuple[str, str]]:
    """Return the ways in which a text may be two names.

    >>> splits_of("de la cruz, van dam")
    [('de la cruz', 'van dam')]
    >>> splits_of("ann smith jones")
    [('ann', 'smith jones'), ('ann smith', 'jones')]
    """
    parts = [part for part in _BETWEEN_PLAYERS.split(names) if part]
    if len(parts) == 2:
        return [(parts[0], parts[1])]
    words = names.split()
    return [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]


def sides_of(name: str, players: tuple[str, str]) -> list[int]:
    """Return the sides whose player's name contains this text; a full name takes precedence."""
    key = fold(name)
    exact = [side for side, player in enumerate(players) if fold(player) == key]
    return exact or [side for side, player in enumerate(players) if key and key in fold(player)]


def side_of(name: str, players: tuple[str, str]) -> int:
    """Return the side whose player's name contains this text.

    Refused: `line_forfeit_nobody`, `line_forfeit_two`.

    >>> side_of("olsen", ("Quinn Olsen", "Uma Levermann"))
    0
    """
    sides = sides_of(name, players)
    if not sides:
        raise Refused("line_forfeit_nobody", name=name, left=players[0], right=players[1])
    if len(sides) > 1:
        raise Refused("line_forfeit_two", name=name, left=players[0], right=players[1])
    return sides[0]
