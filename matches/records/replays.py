"""A match step by step: each decision with the board before it, and the end of each game."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.utils.translation import gettext

from engine import Frame, Phase, Position, Refused, Transcript, parse_play, parse_xgid, replay
from engine.ids import position_xgid
from engine.records import from_data
from engine.transcript import Kind
from matches.presentation import labels as wording
from matches.records.board import Diagram

ANSWERS = (Kind.TAKE, Kind.DROP, Kind.BEAVER)


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of a replay."""

    number: int
    """From 1 within its game; the end of the game is the last."""
    words: str
    """What happens, as in a move list."""
    side: int | None
    """Who decides; None at the end of a game."""
    diagram: Diagram
    xgid: str
    game: int = 0
    """Index of its game."""
    ply: int = 0
    legal: bool = True

    @property
    def step(self) -> tuple[int, int]:
        """Its address."""
        return self.game, self.number


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of the replay."""

    index: int
    """From 1 in the order of the record; a game's own number may occur twice."""
    number: int
    start: tuple[int, int]
    crawford: bool
    moments: tuple[Moment, ...]


class Row(NamedTuple):
    """A line of the move list."""

    number: int
    cells: list[Moment | None]


class Match:
    """A checked match whose games are played through when they are asked for: a session may have hundreds."""

    def __init__(self, stored: Mapping[str, Any], verdict: Mapping[str, Any]) -> None:
        self.stored = stored
        self.facts: Sequence[Mapping[str, Any]] = verdict["games"]
        self._played: dict[int, PlayedGame] = {}

    def __len__(self) -> int:
        return len(self.facts)

    def game(self, index: int) -> PlayedGame:
        """The game with this index, from 1."""
        if index not in self._played:
            # One game alone needs no other: its score and whether it is the Crawford game stand in the verdict.
            transcript = from_data({**self.stored, "games": [self.stored["games"][index - 1]]})
            self._played[index] = _Game(transcript, self.facts[index - 1]).played(index)
        return self._played[index]

    def step_of(self, finding: Mapping[str, Any]) -> tuple[int, int] | None:
        """Game and step at which a finding can be looked at; None where it is about no game."""
        numbers = [facts["number"] for facts in self.facts]
        if finding["game"] not in numbers:
            return None
        game = self.game(numbers.index(finding["game"]) + 1)
        if finding["ply"] is None:
            return game.moments[0].step
        there = [moment for moment in game.moments if moment.side is not None and moment.ply == finding["ply"]]
        exact = next((moment for moment in there if moment.xgid == _full(finding["xgid"])), None)
        if exact is not None:
            return exact.step
        # It is about what the last play came to, or about a turn that cannot be shown: look at what follows.
        last_ply = max((moment.ply for moment in game.moments), default=0)
        if there and finding["ply"] < last_ply:
            return there[-1].step
        after = (moment for moment in game.moments if moment.ply > finding["ply"])
        return next(after, game.moments[-1]).step


class _Game:
    """Builds the moments of one game."""

    def __init__(self, transcript: Transcript, facts: Mapping[str, Any]) -> None:
        self.transcript = transcript
        self.players = wording.names(transcript.players)
        self.facts = facts
        self.frames = replay(transcript)
        self.length = transcript.length or 0

    def played(self, index: int) -> PlayedGame:
        moments = [replace(moment, game=index) for moment in (*self._decisions(), self._end())]
        left, right = self.facts["start"]
        return PlayedGame(index, self.facts["number"], (left, right), self.facts["crawford"], tuple(moments))

    def _decisions(self) -> Iterator[Moment]:
        cube, owner = 1, None
        for number, frame in enumerate(self.frames, start=1):
            offered = frame.kind in ANSWERS
            diagram = self._diagram(
                frame.before,
                frame.side,
                dice=frame.dice if frame.kind is Kind.PLAY else None,
                cube=cube,
                cube_owner=owner,
                offered=offered,
                ways=_ways(frame.notation),
                tried=not frame.legal,
            )
            yield Moment(
                number, words(frame, cube), frame.side, diagram, self._xgid(diagram), ply=frame.ply, legal=frame.legal
            )
            cube, owner = frame.cube, frame.cube_owner

    def _end(self) -> Moment:
        number = len(self.frames) + 1
        last = self.frames[-1] if self.frames else None
        side = last.side if last else 0
        position = last.after if last else Position.start()
        cube, owner = (last.cube, last.cube_owner) if last else (1, None)
        diagram = self._diagram(position, side, cube=cube, cube_owner=owner, over=True)
        return Moment(number, wording.result(self.facts, self.players), None, diagram, self._xgid(diagram))

    def _diagram(self, position: Position, side: int, **more: Any) -> Diagram:
        in_play = not self.facts["crawford"] and self.length != 1
        return Diagram(position, side, self.players, cube_in_play=in_play, **more)

    def _xgid(self, diagram: Diagram) -> str:
        """An offered cube is given as seen by the side that doubled, as XG writes it."""
        doubled = diagram.offered
        return "XGID=" + position_xgid(
            diagram.position.swapped() if doubled else diagram.position,
            turn=1 - diagram.side if doubled else diagram.side,
            dice=diagram.dice if diagram.dice and set(diagram.dice) <= set(range(1, 7)) else None,
            cube=diagram.cube,
            owner=diagram.cube_owner,
            doubled=doubled,
            score=tuple(self.facts["start"]),
            crawford=self.facts["crawford"],
            jacoby=self.transcript.jacoby and not self.length,
            length=self.length,
        )


def _ways(notation: str) -> tuple[tuple[int, ...], ...]:
    """The checkers' ways, for the marks on the board; a play that cannot be read leaves none."""
    try:
        return tuple(parse_play(notation))
    except Refused:
        return ()


def words(frame: Frame, cube: int) -> str:
    """A decision as it stands in a move list."""
    if frame.kind is Kind.PLAY:
        roll = "{}{}".format(*frame.dice) if frame.dice else ""
        return f"{roll}: {frame.notation or gettext('no play')}"
    if frame.kind in (Kind.DOUBLE, Kind.BEAVER):
        said = gettext("Doubles to {value}") if frame.kind is Kind.DOUBLE else gettext("Beavers to {value}")
        return said.format(value=2 * cube if frame.kind is Kind.DOUBLE else frame.cube)
    return {
        Kind.TAKE: gettext("Takes"),
        Kind.DROP: gettext("Drops"),
        Kind.RESIGN: gettext("Resigns"),
    }.get(frame.kind, frame.kind.value)


def rows(game: PlayedGame) -> list[Row]:
    """The move list in two columns, left player and right player."""
    found: list[Row] = []
    for moment in game.moments:
        if moment.side is None:
            continue
        if not found or moment.side == 0 or found[-1].cells[1] is not None:
            found.append(Row(len(found) + 1, [None, None]))
        found[-1].cells[moment.side] = moment
    return found


def _full(xgid: str | None) -> str:
    return f"XGID={(xgid or '').removeprefix('XGID=')}"


def diagram_of(finding: Mapping[str, Any], players: tuple[str, str]) -> Diagram | None:
    """The board of a finding, with what was played where that can be shown; None where it names no position."""
    if not finding["xgid"]:
        return None
    try:
        state = parse_xgid(finding["xgid"])
    except Refused:
        return None
    doubled = state.phase is Phase.DOUBLED
    turn = state.turn or 0
    return Diagram(
        position=state.position.swapped() if doubled else state.position,
        side=1 - turn if doubled else turn,
        names=players,
        dice=state.dice,
        cube=state.cube,
        cube_owner=state.cube_owner,
        offered=doubled,
        cube_in_play=not state.crawford and state.length != 1,
        ways=_ways(finding["params"].get("play", "")) if state.dice else (),
        tried=finding["severity"] == "error",
    )
