"""Parses lines that a director types, results and what happens at the tables; does not use the database.

m22 11-7                the score, in the order in which the fixture shows its players
m22 forfeit smith       Smith forfeits this match
m22 forfeit both        both forfeit; nobody advances
m141 smith jones        on paper, these two were paired as M141; m141 de la cruz, van dam: a comma between long names
m22 leader              at closing time, whoever leads by the running score wins; m22 leader 5-3: at this score
bob 7-4                 Bob's open match, Bob's points first
bergmann 7 csonka 4     the open match of these two; also bob bergmann – carol csonka 7-4, bergmann 7-4 csonka,
                        bergmann b. csonka 7-4, csonka lost to bergmann 4-7, final: bergmann – csonka 7-4
bob forfeit             Bob forfeits their open match
open m22 11-7           the division first, if two divisions share match numbers
undo                    takes back the last thing that the director did; undo m22: the last thing at this match
?                       help

t5 7-4                  the result of the match at table 5, in the order in which its card shows the players
t5 call m30             call M30 to table 5; m30 call: to the table that is suggested for it
m30 again               call M30 a second time
m30 start               M30 has started
m30 t7                  M30 is played at table 7
m30 run 5-3             the running score of M30
m30 pin, hold, release  put M30 first, keep it from being called, or neither
m30 rest                M30 needs no more rest
m30 clocks              M30 is played with clocks from now on
m30 adjourn, resume     M30 is adjourned, or goes on
t5 free                 table 5 is free
t5 out lamp broken      table 5 is out of use; t5 back: it is in use again
late smith 10           Smith is 10 minutes late for their match
accessible smith        Smith needs an accessible table; accessible smith off: no longer
pause 20:00, pause      pause the event until then, or until it is resumed
resume                  end the pause
auto on, auto off       call matches automatically, or only suggest them

Several lines are separated by semicolons or line breaks. The words may also be those of the reader's language
(`tournaments.results.line_words`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.names import fold
from engine.errors import Refused
from tournaments.results.line_words import in_english

MAX_LINE_LENGTH = 200
MAX_LINES = 100
"""The matches of a whole evening."""
MAX_TEXT_LENGTH = 10_000
MAX_DIGITS = 4
MAX_NUMBER_DIGITS = 6
MAX_MINUTES_DIGITS = 3
BOTH = "both"

_FORFEIT_WORD = r"(?:forfeits?|ff|wo|w/o)"
_FIXTURE = re.compile(rf"m\s?(\d{{1,{MAX_NUMBER_DIGITS}}})", re.IGNORECASE)
_UNDO = re.compile(rf"undo\s(?:(.+)\s)?m\s?(\d{{1,{MAX_NUMBER_DIGITS}}})", re.IGNORECASE)
_POINTS = rf"(\d{{1,{MAX_DIGITS}}})"
_BETWEEN = r"(?: ?[-–—−:/] ?| (?:(?:to|zu|à|til) )?)"
_SCORE = re.compile(_POINTS + _BETWEEN + _POINTS)
_FORFEIT = re.compile(_FORFEIT_WORD + r"\b ?(.*)", re.IGNORECASE)
_LEADER = re.compile(rf"leader(?: {_POINTS}{_BETWEEN}{_POINTS})?", re.IGNORECASE)
_NAME_SCORE = re.compile(rf"(\D+?)[:,]? {_POINTS}{_BETWEEN}{_POINTS}\.?( \D+)?")
_TWO_NAMES = re.compile(
    rf"(\D+?)[:,]? [(\[]?{_POINTS}[)\]]? ?[-–—−:/,]? ?(?!(?:to|zu|à|til) )([^\W\d_]\D*?)[:,]? [(\[]?{_POINTS}[)\]]?\.?"
)
_NUMBERED = re.compile(r"\d{1,3}[.)] ?(?=\D)")
_MARKS = " >*_•·-–—!,✅☑✔🏆🥇👍👏🎉🎲\ufe0f"
"""What people put before and behind a result in lists, chats and quoted e-mails."""
_TIME = re.compile(r"\d[:.]\d\d")
_BETWEEN_WORDS = re.compile(r"[ ,/–—]")
_NAME_FORFEIT = re.compile(rf"(.+?) {_FORFEIT_WORD}", re.IGNORECASE)
_FORFEIT_NAME = re.compile(rf"{_FORFEIT_WORD} (.+)", re.IGNORECASE)
_BEATS = re.compile(
    r" (?:b\.?|bt\.?|d\.|def\.?|>|beats?|defeat(?:s|ed)|(?:wins|won) (?:against|over)|schlägt|schlug|besiegte?"
    r"|slår|slog|bat|(?:gewinnt|gewann) gegen|a battu|gagne contre|(?:vinder|vandt) over) "
)
"""In small letters: a capital may be an initial."""
_LOST_TO = re.compile(
    r" (?:<|(?:loses|lost) (?:to|against)|(?:verliert|verlor) gegen|(?:perd|a perdu) contre|(?:taber|tabte) til) "
)


class Verb(StrEnum):
    """What a line does: to a result, to a match, table or player, or to the whole event."""

    SCORE = "score"
    FORFEIT = "forfeit"
    LEADER = "leader"
    PAIR = "pair"
    UNDO = "undo"
    HELP = "?"

    CALL = "call"
    AGAIN = "again"
    START = "start"
    PIN = "pin"
    HOLD = "hold"
    RELEASE = "release"
    REST = "rest"
    CLOCKS = "clocks"
    ADJOURN = "adjourn"
    SITS = "sits"
    RUN = "run"
    OUT = "out"
    FREE = "free"
    BACK = "back"
    LATE = "late"
    ACCESSIBLE = "accessible"
    PAUSE = "pause"
    RESUME = "resume"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A verb, with as much as such a line names; a result without a match number is about an open match."""

    verb: Verb
    number: int | None = None
    names: tuple[str, ...] = ()
    """As they were typed; one text for two players who were paired on paper."""
    score: tuple[int, int] | None = None
    """In the order of the names, of the fixture, or of the card of a table."""
    division: str = ""
    table: str = ""
    """For a call, empty for the suggested one."""
    value: str = ""
    """The minutes of a delay, the end of a pause, why a table is out of use, `on`, `off`, or a result's heading."""


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
    if len(filled) > MAX_LINES:
        raise Refused("too_many_results", most=MAX_LINES)
    return filled


def parse(text: str) -> TypedLine:
    """Parse any line: a result, what happens at the tables, `undo`, or a request for help.

    Refused: `line_empty`, `quick_line_too_long`, `line_without_match`, `line_without_result`, `line_draw`,
    `line_contradiction`, `line_forfeit_who`.

    >>> (line := parse("open m22 11-7")).verb, line.number, line.score, line.division
    (<Verb.SCORE: 'score'>, 22, (11, 7), 'open')
    >>> (line := parse("bergmann 7 csonka 4")).number, line.names, line.score
    (None, ('bergmann', 'csonka'), (7, 4))
    >>> (line := parse("t5 call m30")).verb, line.number, line.table
    (<Verb.CALL: 'call'>, 30, '5')
    """
    line = " ".join(text.split())
    if not line:
        raise Refused("line_empty")
    if len(line) > MAX_LINE_LENGTH:
        raise Refused("quick_line_too_long", most=MAX_LINE_LENGTH)
    line = in_english(line, _is_read, _takes_argument)
    return _floor_line(line) or _result_line(line)


def _result_line(line: str) -> TypedLine:
    if undo := _UNDO.fullmatch(line):
        return TypedLine(Verb.UNDO, int(undo[2]), division=undo[1] or "")
    if line.lower() in (Verb.UNDO, Verb.HELP, "help"):
        return TypedLine(Verb.UNDO if line.lower() == Verb.UNDO else Verb.HELP)
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


def _result(number: int, rest: str, division: str) -> TypedLine:
    if leader := _LEADER.fullmatch(rest):
        score = _decided(leader[1], leader[2]) if leader[1] else None
        return TypedLine(Verb.LEADER, number, score=score, division=division)
    if forfeit := _FORFEIT.fullmatch(rest):
        if not forfeit[1]:
            raise Refused("line_forfeit_who", fixture=number)
        return TypedLine(Verb.FORFEIT, number, (forfeit[1],), division=division)
    if match := _SCORE.fullmatch(rest):
        return TypedLine(Verb.SCORE, number, score=_decided(match[1], match[2]), division=division)
    if _may_be_two_names(rest):
        return TypedLine(Verb.PAIR, number, (rest,), division=division)
    raise Refused("line_without_result", fixture=number, rest=rest[:40])


def _may_be_two_names(text: str) -> bool:
    """Whether a text has two words; names with digits need a comma between them."""
    has_digits = any(map(str.isdecimal, text))
    words = text.split(",") if has_digits else _BETWEEN_WORDS.split(text)
    with_letters = sum(any(map(str.isalpha, word)) for word in words)
    return with_letters == len(words) == 2 if has_digits else with_letters > 1


def _named(line: str) -> TypedLine | None:
    """Parse a result that names players instead of a match number; None if the line is not one."""
    line = line.strip(_MARKS)
    heading, _colon, below = line.partition(": ")
    if below and (result := _named(below)) is not None and _two_names(result):
        return replace(result, value=result.value or heading_of(heading))
    if numbered := _NUMBERED.match(line):
        line = line[numbered.end() :]
    if match := _NAME_FORFEIT.fullmatch(line) or _FORFEIT_NAME.fullmatch(line):
        return TypedLine(Verb.FORFEIT, names=(match[1],))
    if match := _TWO_NAMES.fullmatch(line):
        return TypedLine(Verb.SCORE, names=(match[1], match[3]), score=_decided(match[2], match[4]))
    match = _NAME_SCORE.fullmatch(line)
    if match is None:
        return None
    behind = match[4] if match[4] and ("?" in match[4] or any(map(str.isalpha, match[4]))) else ""
    return _of_score(match[1], _decided(match[2], match[3]), behind)


def heading_of(text: str) -> str:
    """Return the heading of results, such as “Final”; empty for the sender and time of a message."""
    return "" if _TIME.search(text) else without_marks(text)


def _of_score(before: str, score: tuple[int, int], behind: str) -> TypedLine | None:
    """Return the result of a line with what stands before and behind its score, which may be between two names."""
    for verb, is_won in ((_BEATS, True), (_LOST_TO, False)):
        names = verb.split(before + behind)
        if behind and verb.search(before + " "):
            return None
        if len(names) == 2:
            if is_won and score[0] < score[1]:
                raise Refused("line_contradiction", left=score[0], right=score[1])
            first = score[0] if is_won else min(score)
            return TypedLine(Verb.SCORE, names=tuple(names), score=(first, sum(score) - first))
    if not behind:
        return TypedLine(Verb.SCORE, names=(before,), score=score)
    if between := _BETWEEN_PLAYERS.match(behind):
        behind = behind[between.end() :]
    if any(_BETWEEN_PLAYERS.search(name) for name in (before, behind)):
        return None
    return TypedLine(Verb.SCORE, names=(before, behind.strip()), score=score)


def without_marks(text: str) -> str:
    """Return a line without bullets, quotation marks of e-mails and cheers around it."""
    return text.strip(_MARKS + ":")


def result_of_two(text: str) -> TypedLine | None:
    """Return the result of a line that names both its players, or a forfeit; None if anything is not certain.

    >>> (line := result_of_two("Ann Berg - Ben 7-4")).names, result_of_two("Ann Berg Ben 7-4")
    (('Ann Berg', 'Ben'), None)
    """
    try:
        line = parse(text)
    except Refused:
        return None
    if line.verb == Verb.FORFEIT:
        return line
    names = _two_names(line)
    return replace(line, names=tuple(map(without_marks, names))) if line.verb == Verb.SCORE and names else None


def _two_names(line: TypedLine) -> Sequence[str]:
    names = _BETWEEN_PLAYERS.split(*line.names) if len(line.names) == 1 else line.names
    return names if len(names) == 2 and all(names) else ()


def _decided(left: str, right: str) -> tuple[int, int]:
    if int(left) == int(right):
        raise Refused("line_draw", left=int(left), right=int(right))
    return int(left), int(right)


_M = rf"m\s?(?P<number>\d{{1,{MAX_NUMBER_DIGITS}}})"
_T = r"t\s?(?P<table>[^\W_][\w-]{0,19})"
_NUMBERED_T = _T.replace("[^", r"(?=\w*\d)[^", 1)
"""A table with a digit in its label: `tom 7-4` is about Tom."""
_VERBS = "call|again|start|pin|hold|release|rest|clocks|adjourn|resume"
_FLOOR_LINES = [
    (verb, re.compile(pattern, re.IGNORECASE))
    for verb, pattern in (
        (Verb.CALL, rf"{_T} call {_M}"),
        (Verb.CALL, rf"{_M} call {_T}"),
        (Verb.CALL, rf"call {_M} {_T}"),
        (Verb.CALL, rf"call {_M}"),
        (None, rf"{_M} (?P<verb>{_VERBS})"),
        (Verb.RUN, rf"{_M} run (?P<left>\d{{1,2}}){_BETWEEN}(?P<right>\d{{1,2}})"),
        (Verb.SCORE, rf"{_NUMBERED_T} (?P<left>\d{{1,{MAX_DIGITS}}}){_BETWEEN}(?P<right>\d{{1,{MAX_DIGITS}}})"),
        (Verb.SITS, rf"{_M} {_T}"),
        (None, rf"{_T} (?P<verb>free|back)"),
        (Verb.OUT, rf"{_T} out(?: (?P<value>.+))?"),
        (Verb.LATE, rf"late (?P<name>\D.*?) (?P<value>\d{{1,{MAX_MINUTES_DIGITS}}}) ?m?(?:in)?"),
        (Verb.ACCESSIBLE, r"accessible (?P<name>\D.*?)(?: (?P<value>off))?"),
        (Verb.PAUSE, r"pause(?: (?P<value>(?:[01]?\d|2[0-3])[:.][0-5]\d))?"),
        (Verb.RESUME, r"resume"),
        (Verb.AUTO, r"auto(?:pilot)? (?P<value>on|off)"),
    )
]


def _is_read(line: str) -> bool:
    """Return whether an English line says by a word or a number what to do: a pair, or a score behind names, does not.

    What stands there for a name may be a word of another language.
    """
    if _floor_line(line) is not None:
        return True
    try:
        result = _result_line(line)
    except Refused as refused:
        return refused.code == "line_draw"
    return result.verb != Verb.PAIR and (result.verb != Verb.SCORE or result.number is not None)


def _takes_argument(line: str) -> bool:
    """Whether the last word of an English line is `on`, `off` or `both`, and no name."""
    try:
        read = _floor_line(line) or _result_line(line)
    except Refused:
        return False
    return read.value in ("on", "off") or (read.verb == Verb.FORFEIT and read.number is not None and BOTH in read.names)


def _floor_line(line: str) -> TypedLine | None:
    """Parse an English line about tables and who plays there; None if it is not one."""
    for verb, pattern in _FLOOR_LINES:
        if (found := pattern.fullmatch(line)) is not None:
            groups = found.groupdict()
            return TypedLine(
                verb or Verb(groups["verb"].lower()),
                int(groups["number"]) if "number" in groups else None,
                (groups["name"],) if "name" in groups else (),
                (int(groups["left"]), int(groups["right"])) if "left" in groups else None,
                table=groups.get("table", ""),
                value=groups.get("value") or "",
            )
    return None


_BETWEEN_PLAYERS = re.compile(
    r" ?[,/–—−] ?| -(?: |(?=\w))|- | : | (?:v|vs|gg|versus|against|gegen|contre|mod)\.? ", re.IGNORECASE
)


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
