"""Replaying a match step by step: each decision with the board before it, and the end of each game."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.http import urlencode
from django.utils.translation import gettext

from engine import Frame, Phase, Position, Refused, Transcript, parse_play, parse_xgid, replay
from engine.ids import position_xgid
from engine.records import from_data
from engine.transcript import Kind
from matches.presentation import labels
from matches.records.board import Diagram

Step = tuple[int, int]
"""Game and step, both from 1."""
ANSWERS = (Kind.TAKE, Kind.DROP, Kind.BEAVER)


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """A decision with the board before it, or the end of a game."""

    number: int
    """Counted from 1 in its game; the last one is the end of the game."""
    words: str
    """The decision as shown in a move list."""
    side: int | None
    """The side that decides; None at the end of a game."""
    diagram: Diagram
    xgid: str
    game: int = 0
    """Index of the game, from 1."""
    ply: int = 0
    event: int = 0
    """Index of the event in its game, from 0; at the end of a game the number of its events."""
    legal: bool = True
    moves: tuple[tuple[int, int], ...] = ()
    """The steps of a legal play: from, to; points of the side that decides."""
    severity: str = ""
    """`blunder` or `error` if an analysis says so."""

    @property
    def css_classes(self) -> str:
        """The classes of its link in the move list."""
        illegal = "" if self.legal else "is-illegal"
        return " ".join(filter(None, ["mono", illegal, f"is-{self.severity}" if self.severity else ""]))

    @property
    def step(self) -> tuple[int, int]:
        """(game, number), as in the URL of a step."""
        return self.game, self.number


@dataclass(frozen=True, slots=True)
class PlayedGame:
    index: int
    """Counted from 1 in the order of the record; `number` may occur twice."""
    number: int
    start: tuple[int, int]
    crawford: bool
    moments: tuple[ReplayStep, ...]


class ReplayedMatch:
    """A checked match. A game is replayed only when it is requested, since a session may have hundreds."""

    def __init__(self, stored: Mapping[str, Any], verdict: Mapping[str, Any]) -> None:
        self.stored = stored
        self.facts: Sequence[Mapping[str, Any]] = verdict["games"]
        self._played: dict[int, PlayedGame] = {}

    def __len__(self) -> int:
        return len(self.facts)

    def game(self, index: int) -> PlayedGame:
        """Replay the game at this position of the record, from 1."""
        if index not in self._played:
            # A game can be replayed alone: the verdict has its start score and whether it is the Crawford game.
            transcript = from_data({**self.stored, "games": [self.stored["games"][index - 1]]})
            self._played[index] = _Game(transcript, self.facts[index - 1]).replayed(index)
        return self._played[index]

    def step_at_event(self, game: int, event: int) -> Step | None:
        """The step before an event of a game (from 0), or the last one after all events; None without that game."""
        if not 1 <= game <= len(self):
            return None
        moments = self.game(game).moments
        return next((moment for moment in moments if moment.event >= event), moments[-1]).step

    def step_of(self, finding: Mapping[str, Any]) -> tuple[int, int] | None:
        """The step that shows a finding; None if it is not about a game."""
        numbers = [facts["number"] for facts in self.facts]
        if finding["game"] not in numbers:
            return None
        game = self.game(numbers.index(finding["game"]) + 1)
        if finding["ply"] is None:
            return game.moments[0].step
        of_roll = [moment for moment in game.moments if moment.side is not None and moment.ply == finding["ply"]]
        exact = next((moment for moment in of_roll if moment.xgid == _with_prefix(finding["xgid"])), None)
        if exact is not None:
            return exact.step
        # The finding is about the position after a play, or about a turn that cannot be shown: show what follows.
        last_ply = max((moment.ply for moment in game.moments), default=0)
        if of_roll and finding["ply"] < last_ply:
            return of_roll[-1].step
        after = (moment for moment in game.moments if moment.ply > finding["ply"])
        return next(after, game.moments[-1]).step


class _Game:
    def __init__(self, transcript: Transcript, facts: Mapping[str, Any]) -> None:
        self.transcript = transcript
        self.players = labels.names(transcript.players)
        self.facts = facts
        self.frames = replay(transcript)
        self.length = transcript.length or 0

    def replayed(self, index: int) -> PlayedGame:
        moments = [replace(moment, game=index) for moment in (*self._decisions(), self._end())]
        left, right = self.facts["start"]
        return PlayedGame(index, self.facts["number"], (left, right), self.facts["crawford"], tuple(moments))

    def _decisions(self) -> Iterator[ReplayStep]:
        cube, owner = 1, None
        events = self.transcript.games[0].events
        last_roll = max((index for index, event in enumerate(events) if event.kind is Kind.PLAY), default=None)
        for number, frame in enumerate(self.frames, start=1):
            unplayed = frame.event == last_roll and not frame.legal and events[frame.event].moves is None
            offered = frame.kind in ANSWERS
            diagram = self._diagram(
                frame.before,
                frame.side,
                dice=frame.dice if frame.kind is Kind.PLAY else None,
                cube=cube,
                cube_owner=owner,
                offered=offered,
                paths=_paths(frame.notation),
                tried=not frame.legal and not unplayed,
            )
            yield ReplayStep(
                number,
                words(frame, cube, unplayed=unplayed),
                frame.side,
                diagram,
                self._xgid(diagram),
                ply=frame.ply,
                event=frame.event,
                legal=frame.legal or unplayed,
                moves=tuple((step.source, step.target) for step in frame.steps),
            )
            cube, owner = frame.cube, frame.cube_owner

    def _end(self) -> ReplayStep:
        number = len(self.frames) + 1
        last = self.frames[-1] if self.frames else None
        side = last.side if last else 0
        position = last.after if last else Position.start()
        cube, owner = (last.cube, last.cube_owner) if last else (1, None)
        diagram = self._diagram(position, side, cube=cube, cube_owner=owner, over=True)
        label = labels.result(self.facts, self.players)
        end = len(self.transcript.games[0].events)
        return ReplayStep(number, label, None, diagram, self._xgid(diagram), event=end)

    def _diagram(self, position: Position, side: int, **options: Any) -> Diagram:
        in_play = not self.facts["crawford"] and self.length != 1
        return Diagram(position, side, self.players, cube_in_play=in_play, **options)

    def _xgid(self, diagram: Diagram) -> str:
        """The XGID of a position; of an offered cube it is seen from the doubling side, as XG writes it."""
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


def _paths(notation: str) -> tuple[tuple[int, ...], ...]:
    """The paths of the checkers, to be marked on the board; empty if the play cannot be parsed."""
    try:
        return tuple(parse_play(notation))
    except Refused:
        return ()


def words(frame: Frame, cube: int, *, unplayed: bool) -> str:
    """A decision as shown in a move list; `unplayed` is a roll after which the game ended."""
    if frame.kind is Kind.PLAY:
        roll = "{}{}".format(*frame.dice) if frame.dice else ""
        if unplayed:
            return gettext("{roll}: not played").format(roll=roll)
        return f"{roll}: {frame.notation}" if frame.notation else gettext("{roll}: no move").format(roll=roll)
    if frame.kind in (Kind.DOUBLE, Kind.BEAVER):
        label = gettext("Doubles to {cube}") if frame.kind is Kind.DOUBLE else gettext("Beavers to {cube}")
        return label.format(cube=2 * cube if frame.kind is Kind.DOUBLE else frame.cube)
    return {
        Kind.TAKE: gettext("Takes"),
        Kind.DROP: gettext("Passes"),
        Kind.RESIGN: gettext("Resigns"),
        Kind.ACCEPT: gettext("Accepts"),
        Kind.REFUSE: gettext("Refuses"),
        Kind.CONCEDE: gettext("Concedes the match"),
        Kind.FLAG: gettext("Out of time"),
    }.get(frame.kind, frame.kind.value)


def step_path(url: str, step: Step, *, flip: bool = False) -> str:
    """The URL of one position of the replay at `url`."""
    query = {"g": step[0], "p": step[1]} | ({"flip": 1} if flip else {})
    return f"{url}?{urlencode(query)}"


def event_path(url: str, game: int, event: int) -> str:
    """The URL of the position before an event of a game; it redirects to the step."""
    return f"{url}?{urlencode({'g': game, 'e': event})}"


def rows(game: PlayedGame) -> list[list[ReplayStep | None]]:
    """The move list in two columns, left player and right player."""
    move_rows: list[list[ReplayStep | None]] = []
    for moment in game.moments:
        if moment.side is None:
            continue
        if not move_rows or moment.side == 0 or move_rows[-1][1] is not None:
            move_rows.append([None, None])
        move_rows[-1][moment.side] = moment
    return move_rows


def _with_prefix(xgid: str | None) -> str:
    return f"XGID={(xgid or '').removeprefix('XGID=')}"


def diagram_of(finding: Mapping[str, Any], players: tuple[str, str]) -> Diagram | None:
    """The board of a finding, with its play if it can be shown; None without a position."""
    diagram = diagram_at(finding["xgid"], players) if finding["xgid"] else None
    if diagram is None:
        return None
    paths = _paths(finding["params"].get("play", "")) if diagram.dice else ()
    return replace(diagram, paths=paths, tried=finding["severity"] == "error")


def diagram_at(xgid: str, players: tuple[str, str]) -> Diagram | None:
    """The board of a position; None if the XGID is not one."""
    try:
        state = parse_xgid(xgid)
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
    )
