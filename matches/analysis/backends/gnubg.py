"""GNU Backgammon as a child process: a `.mat` file in, an analysed SGF out."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import structlog

from engine import Frame, Transcript, normalised, read, write
from engine.actions import Phase
from engine.errors import Refused
from engine.ids import gnubg_match_id, parse_xgid
from engine.match import MatchState
from engine.notation import parse_play
from engine.plays import legal_plays
from engine.position import Position, position_of
from engine.records.sgf_reader import CUBE_WORDS, SIDES, moves_of_letters
from engine.records.sgf_syntax import SgfNode, UnfinishedError, trees
from engine.resolution import resolve
from engine.transcript import Kind as EventKind
from matches.analysis.backends.base import Depth, Opinion
from matches.analysis.backends.processes import Finished, ProgramLimits, run
from matches.analysis.backends.warm import WarmProgram
from matches.analysis.judging import Stakes, stakes
from matches.analysis.situations import decision_frames
from matches.analysis.values import Candidate, Chances, CubeEquities, DecisionKind, Judgement, Situation, chances_of

# What GNU Backgammon's command `hint` says about one decision; its text is read, since not every build has Python.
#
# A play is a line such as `1. Cubeful 2-ply 13/7 8/7 Eq.: +0.016662`, best first; a cube decision has lines such as
# `2. Double, pass +1.000000`. Equities are normalised to the cube. Source: GNU Backgammon 1.07.


_ALL_PLAYS = 9999
_PLAY = re.compile(r"^\s*\d+\. Cubeful (\d+)-ply\s+(\S.*?)\s+Eq\.:\s*([+-]\d+\.\d+)", re.MULTILINE)
_CUBE = re.compile(r"^\d+\. (No (?:re)?double|(?:Double|Redouble), (?:take|pass))\s+([+-]\d+\.\d+)", re.MULTILINE)


_END = "Seed set to "
"""What gnubg answers to the last command of a question, with the number in it."""


def hint_commands(state: MatchState, plies: int, number: int) -> str:
    """Return the commands that have gnubg rate every choice of the side to act in a match.

    The last one has it say the `number` of the question, so that one knows where the answer ends. A running gnubg
    takes them one set after the other.
    """
    if state.phase is Phase.DOUBLED:
        # gnubg does not read a match ID with a double; the equities are those of the decision to double.
        state = state._replace(phase=Phase.TO_ROLL)
    lines = [*_settings_of(plies), _position(state), f"hint {_ALL_PLAYS}", f"set seed {number}"]
    return "\n".join([*lines, ""])


def _settings_of(plies: int) -> list[str]:
    return [
        "set threads 1",
        "set automatic game off",
        "set automatic roll off",
        "set output digits 6",
        "set output mwc off",
        f"set evaluation chequerplay evaluation plies {plies}",
        f"set evaluation cubedecision evaluation plies {plies}",
    ]


def _position(state: MatchState) -> str:
    return f"set gnubgid {state.position.gnubg_id}:{gnubg_match_id(state)}"


_STATIC = re.compile(r"^static:.*?([+-]\d+\.\d+)\s*$", re.MULTILINE)
_NEXT = "Setting GNUbg ID "
"""What gnubg answers to each `set gnubgid`."""


def quick_commands(states: Sequence[MatchState], number: int) -> str:
    """Return the commands that have gnubg say at 0-ply what each position is worth to the side on roll."""
    lines = _settings_of(0)
    for state in states:
        lines += [_position(state), "eval" if state.dice is None else "hint 1"]
    return "\n".join([*lines, f"set seed {number}", ""])


def equities_in(text: str, count: int) -> list[float]:
    """Return the equities that the answer has. Refused: `analysis_unreadable` unless there is one for each state."""
    found = [_STATIC.search(part) or _PLAY.search(part) for part in text.split(_NEXT)[1:]]
    if len(found) != count:
        raise Refused("analysis_unreadable")
    equities = [float(match.groups()[-1]) for match in found if match is not None]
    if len(equities) != count:
        raise Refused("analysis_unreadable")
    return equities


def judgement_in(text: str, state: MatchState) -> Judgement:
    """Return what the answer says. Refused: `analysis_unreadable`, and `analysis_differs` for other plays."""
    if state.phase is Phase.TO_PLAY and state.dice is not None:
        return Judgement(candidates=_candidates(text, state.position, state.dice))
    equities = {name.lower().replace("redouble", "double"): float(equity) for name, equity in _CUBE.findall(text)}
    try:
        values = (equities["no double"], equities["double, take"], equities["double, pass"])
    except KeyError:
        raise Refused("analysis_unreadable") from None
    return Judgement(equities=CubeEquities(*values))


def _candidates(text: str, position: Position, dice: tuple[int, int]) -> tuple[Candidate, ...]:
    rows = _PLAY.findall(text)
    if not rows:
        raise Refused("analysis_unreadable")
    plays = {play.result: play for play in legal_plays(position, dice)}
    try:
        results = [position_of(resolve(position.key, dice, parse_play(play)).key) for _, play, _ in rows]
    except Refused:
        raise Refused("analysis_differs") from None
    if set(results) != plays.keys():
        raise Refused("analysis_differs")
    return tuple(
        Candidate(str(plays[result]), float(equity), None, f"{plies}-ply")
        for result, (plies, _, equity) in zip(results, rows, strict=True)
    )


# The analysis that GNU Backgammon writes into its SGF, in the order of the decisions.
#
# `A[i][moves E version five-chances equity depth …]` are the candidates of a play, `i` the one that was made; their
# equities are normalised. `DA[E version depth … ]` has two evaluations of seven numbers, without and with a double;
# the first five of each are the chances of the doubler, the last is the equity in money play and the chance to win the
# match in match play. `LU` is the luck of a roll as a normalised equity. Source: files of GNU Backgammon 1.07 and 1.08.


_PROPERTIES = frozenset(("W", "B", "A", "DA", "LU"))
_TURN = re.compile(r"([1-6])([1-6])((?:[a-z]{2}){0,8})").fullmatch
_DEPTH = re.compile(r"(\d+)C?").fullmatch
_CHANCES, _EVALUATION = 5, 7
_HEAD = 2
"""Words before the numbers of a candidate: its moves and `E`."""


class RatedMove(NamedTuple):
    """A candidate of a play, in gnubg's letters."""

    letters: str
    equity: float
    plies: int
    chances: Chances | None

    def result(self, position: Position, dice: tuple[int, int], side: int) -> Position:
        """Return the position after it, seen by the mover. Refused or ValueError if it is not legal."""
        moves = moves_of_letters(self.letters, side)
        return position_of(resolve(position.key, dice, [move.points for move in moves]).key)


class CubeRating(NamedTuple):
    """The two evaluations of a cube decision: equities in money play, chances to win the match otherwise."""

    no_double: float
    double_take: float
    chances: Chances | None

    def equities(self, stakes: Stakes | None) -> tuple[float, float]:
        """Return both as equities normalised to the cube."""
        if stakes is None:
            return self.no_double, self.double_take
        return stakes.equity(self.no_double), stakes.equity(self.double_take)


class AnalysedNode(NamedTuple):
    """A turn or cube action with what gnubg says about it."""

    game: int
    """Counted from 1."""
    side: int
    action: EventKind
    dice: tuple[int, int] | None
    moves: tuple[RatedMove, ...]
    """Best first."""
    played: int | None
    """Index of the play that was made."""
    cube: CubeRating | None
    luck: float | None


def analysed_nodes(text: str) -> Iterator[AnalysedNode]:
    """Yield the turns and cube actions of a file. Refused: `analysis_unreadable`."""
    game = 0
    is_root = False
    try:
        for node in trees(text, _PROPERTIES):
            if node is None:
                game, is_root = game + 1, True
            elif is_root:
                is_root = False
            elif (analysed := _node(node, game)) is not None:
                yield analysed
    except (UnfinishedError, ValueError, IndexError):
        raise Refused("analysis_unreadable") from None


def _node(node: SgfNode, game: int) -> AnalysedNode | None:
    turn = next(((SIDES[name], values[0]) for name, values in node.properties if name in SIDES), None)
    if turn is None:
        return None
    side, value = turn
    action = CUBE_WORDS.get(value, EventKind.PLAY)
    roll = _TURN(value)
    if action is EventKind.PLAY and roll is None:
        return None
    played, moves = _moves(node)
    luck = node.first("LU")
    return AnalysedNode(
        game=game,
        side=side,
        action=action,
        dice=(int(roll[1]), int(roll[2])) if roll is not None else None,
        moves=moves,
        played=played,
        cube=_sgf_cube(node),
        luck=float(luck.split()[0]) if luck else None,
    )


def _moves(node: SgfNode) -> tuple[int | None, tuple[RatedMove, ...]]:
    values = next((values for name, values in node.properties if name == "A"), None)
    if not values:
        return None, ()
    moves = []
    for value in values[1:]:
        letters, kind, _, _, *numbers = value.split()
        if kind != "E":
            raise ValueError(kind)
        *chances, equity = map(float, numbers[: _CHANCES + 1])
        moves.append(RatedMove(letters, equity, _plies(numbers[_CHANCES + 1]), chances_of(chances)))
    played = int(values[0])
    return (played if 0 <= played < len(moves) else None), tuple(moves)


def _sgf_cube(node: SgfNode) -> CubeRating | None:
    value = node.first("DA")
    if value is None:
        return None
    kind, _, _, _, _, _, _, *numbers = value.split()
    if kind != "E" or len(numbers) < 2 * _EVALUATION:
        raise ValueError(value)
    chances = chances_of([float(number) for number in numbers[:_CHANCES]])
    return CubeRating(float(numbers[_EVALUATION - 1]), float(numbers[2 * _EVALUATION - 1]), chances)


def _plies(text: str) -> int:
    match = _DEPTH(text)
    if match is None:
        raise ValueError(text)
    return int(match[1])


# Its exit code means nothing, and it drops whole games that it cannot read without a word. An answer is accepted only
# if every position, roll and cube in it is the one of our own replay.


log = structlog.get_logger(__name__)
PLACES = ("/usr/games/gnubg", "/usr/local/bin/gnubg")
"""Where gnubg is looked for if it is not on PATH."""
PLIES, LUCK_PLIES = 2, 0
ADVICE_PLIES = {Depth.QUICK: 0, Depth.DEEP: 2}
NEUTRAL_NAMES = ("White", "Black")
_RECORD, _ANALYSED, _COMMANDS = "match.mat", "match.sgf", "commands"
_VERSION_TIMEOUT = 20
_PROBE_TIMEOUT = 60
PROBE_AGAIN_AFTER = 600.0
"""Seconds until a program that has failed is asked again: the machine may have been short of memory or time."""
_probes: dict[tuple[str, int], tuple[bool, float]] = {}
"""By program and the time of its last change: whether it answered, and when it was asked."""
_OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10"
"""A roll of 31 at the start of a match."""
_VERSION = re.compile(rb"GNU Backgammon\s+(\S+)")


@dataclass(frozen=True, slots=True)
class Gnubg:
    """GNU Backgammon at a path; an empty path is looked for."""

    path: str = ""
    plies: int = PLIES
    limits: ProgramLimits = field(default_factory=ProgramLimits)

    @property
    def name(self) -> str:
        return "gnubg"

    @property
    def program(self) -> str:
        """The path of the program; empty if there is none."""
        if self.path:
            return self.path if shutil.which(self.path) else ""
        return shutil.which("gnubg") or next((place for place in PLACES if shutil.which(place)), "")

    def is_installed(self) -> bool:
        """Return whether there is such a program."""
        return bool(self.program)

    def is_available(self) -> bool:
        """Return whether it is installed and has answered a question about the opening."""
        program = self.program
        return bool(program) and _works(program, Path(program).stat().st_mtime_ns)

    def judge(self, transcript: Transcript, situations: Sequence[Situation]) -> Opinion:
        """Judge every situation of a match; see `Backend`."""
        program = self.program
        if not program:
            raise Refused("no_analysis_backend")
        with tempfile.TemporaryDirectory(prefix="gnubg-") as name:
            folder = Path(name)
            (folder / _RECORD).write_bytes(neutral_mat(transcript))
            (folder / _COMMANDS).write_text(self._commands(jacoby=transcript.jacoby))
            argv = [program, "-t", "-q", "-r", "-c", _COMMANDS]
            try:
                finished = run(argv, folder=folder, limits=self.limits)
            except OSError:
                raise Refused("no_analysis_backend") from None
            text = _answer(folder / _ANALYSED, finished)
        return Opinion(
            judgements=tuple(judgements_in(text, transcript, situations)),
            version=version(program),
            cpu_seconds=finished.cpu_seconds,
            memory=finished.memory,
            settings=self._settings(),
        )

    def advise(self, state: MatchState, depth: Depth) -> Judgement:
        """Judge every choice of the side to act; see `Backend`."""
        program = self.program
        if not program:
            raise Refused("no_analysis_backend")
        return _hint(program, state, depth, self.limits.for_advice())

    def quick_equities(self, states: Sequence[MatchState]) -> list[float]:
        """Return what each position is worth to the side on roll, with its best play where it has rolled, at 0-ply.

        It is one question. Refused: what `advise` refuses.
        """
        program = self.program
        if not program:
            raise Refused("no_analysis_backend")
        warm, number = running(program, self.limits.for_advice()), next(_numbers)
        answer = warm.ask(quick_commands(states, number), f"{_END}{number}".encode())
        try:
            return equities_in(answer, len(states))
        except Refused:
            warm.stop()
            raise

    def _settings(self) -> dict[str, Any]:
        return {"plays": f"{self.plies}-ply", "cube": f"{self.plies}-ply", "luck": f"{LUCK_PLIES}-ply"}

    def _commands(self, *, jacoby: bool) -> str:
        lines = [
            "set threads 1",
            # Before the import: a money session keeps the rule that was set when it began, by default that it applies.
            f"set jacoby {'on' if jacoby else 'off'}",
            "set automatic game off",
            "set automatic roll off",
            f"set analysis chequerplay evaluation plies {self.plies}",
            f"set analysis cubedecision evaluation plies {self.plies}",
            f"set analysis luckanalysis plies {LUCK_PLIES}",
            f"import mat {_RECORD}",
            "analyse match",
            f"save match {_ANALYSED}",
        ]
        return "\n".join([*lines, ""])


def neutral_mat(transcript: Transcript) -> bytes:
    """Return the match in the canonical form with neutral names and without remarks: what is analysed and hashed."""
    return write(replace(normalised(transcript), players=NEUTRAL_NAMES, info={}), "mat")


@cache
def running(program: str, limits: ProgramLimits) -> WarmProgram:
    return WarmProgram([program, "-t", "-q", "-r"], limits)


_numbers = count(1)


def _hint(program: str, state: MatchState, depth: Depth, limits: ProgramLimits) -> Judgement:
    """Ask about one decision. Refused: `no_analysis_backend`, `analysis_timed_out`, and for wrong answers."""
    warm, number = running(program, limits), next(_numbers)
    answer = warm.ask(hint_commands(state, ADVICE_PLIES[depth], number), f"{_END}{number}".encode())
    try:
        return judgement_in(answer, state)
    except Refused:
        warm.stop()
        raise


def _works(program: str, changed_at: int) -> bool:
    """Whether the program answers; each process asks once, and again after it was replaced or has failed."""
    key = (program, changed_at)
    works, asked_at = _probes.get(key, (False, -inf))
    if not works and monotonic() >= asked_at + PROBE_AGAIN_AFTER:
        works = _answers_the_opening(program)
        _probes[key] = works, monotonic()
    return works


def _answers_the_opening(program: str) -> bool:
    limits = ProgramLimits(seconds=_PROBE_TIMEOUT, idle_seconds=_PROBE_TIMEOUT, niceness=0)
    try:
        _hint(program, parse_xgid(_OPENING), Depth.QUICK, limits)
    except Refused as refused:
        log.error("analysis_program_fails", program=program, code=refused.code)
        return False
    return True


@cache
def version(program: str) -> str:
    """Return the version that the program states; empty if it states none."""
    try:
        answer = subprocess.run(  # noqa: S603, the program of a setting, and no shell
            [program, "--version"], capture_output=True, timeout=_VERSION_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(answer.stdout)
    return match[1].decode("ascii", "replace") if match else ""


def _answer(path: Path, finished: Finished) -> str:
    if finished.timed_out:
        raise Refused("analysis_timed_out")
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise Refused("analysis_unreadable") from None


def judgements_in(
    text: str, transcript: Transcript, situations: Sequence[Situation], *, complete: bool = True
) -> Iterator[Judgement | None]:
    """Yield what an analysed SGF says about each situation; None about a cube decision that it leaves out.

    Unless it must be `complete`, None also for a play that it leaves out.
    Refused: `analysis_unreadable`, `analysis_differs`.
    """
    nodes = _nodes_of_events(text, transcript)
    for situation in situations:
        node = nodes.get((situation.game, situation.event))
        if node is None:
            raise Refused("analysis_differs")
        if situation.kind is not DecisionKind.PLAY:
            yield _cube(node.cube, situation)
        elif situation.choices and node.played is None and not complete:
            yield None
        else:
            yield _play(node, situation)


def _nodes_of_events(text: str, transcript: Transcript) -> dict[tuple[int, int], AnalysedNode]:
    """Return gnubg's nodes by our game and event. Refused: `analysis_differs` unless all that happened is the same."""
    ours = decision_frames(transcript)
    try:
        theirs = decision_frames(read(text))
    except Refused:
        raise Refused("analysis_unreadable") from None
    nodes = list(analysed_nodes(text))
    if [_facts(frame) for frame in ours] != [_facts(frame) for frame in theirs] or len(nodes) != len(ours):
        raise Refused("analysis_differs")
    return {(frame.game, frame.event): node for frame, node in zip(ours, nodes, strict=True)}


def _facts(frame: Frame) -> tuple[Any, ...]:
    """What must be equal in gnubg's answer; the order of the dice is not kept by every format."""
    dice = tuple(sorted(frame.dice)) if frame.kind is EventKind.PLAY and frame.dice else None
    board = (frame.before, frame.after, frame.cube, frame.cube_owner)
    return frame.game, frame.kind, frame.side, dice, *board, frame.score, frame.crawford


def _play(node: AnalysedNode, situation: Situation) -> Judgement:
    names = {play.result: str(play) for play in situation.legal_plays()}
    candidates = []
    for number, move in enumerate(node.moves):
        result = _result(move, situation)
        if result not in names:
            raise Refused("analysis_differs")
        played = number == node.played
        if played is not (result == situation.result):
            raise Refused("analysis_differs")
        candidates.append(Candidate(names[result], move.equity, None, f"{move.plies}-ply", played, move.chances))
    # gnubg's order is kept: plays that it looked at less deeply come last, whatever their equities.
    return Judgement(candidates=tuple(candidates), luck=node.luck)


def _result(move: RatedMove, situation: Situation) -> Position | None:
    assert situation.dice is not None  # noqa: S101, a play has dice
    try:
        return move.result(situation.position, situation.dice, situation.side)
    except (Refused, ValueError):
        return None


def _cube(rating: CubeRating | None, situation: Situation) -> Judgement | None:
    if rating is None:
        return None
    doubler = situation if situation.kind is DecisionKind.DOUBLE else replace(situation, side=1 - situation.side)
    no_double, double_take = rating.equities(stakes(doubler))
    return Judgement(equities=CubeEquities(no_double, double_take, 1.0), chances=rating.chances)
