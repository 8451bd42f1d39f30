"""The decisions of a match, found by replaying it."""

from collections.abc import Iterator
from dataclasses import replace

from engine import Frame, Position, Transcript, adjudicate, legal_plays, replay
from engine.actions import Phase as EnginePhase
from engine.cube import Side, double_refused, is_dead
from engine.errors import Refused
from engine.ids import position_xgid
from engine.match import MatchState
from engine.transcript import Kind as EventKind
from engine.transcript import StatedResult
from engine.verdict import Severity
from matches.analysis.values import CubeAction, DecisionKind, DecisionPhase, Situation

OPENING_PLAYS = 6
"""The plays of a game, of both sides together, that count as its opening."""
HOME = 6
_ANSWERS = {EventKind.TAKE: CubeAction.TAKE, EventKind.DROP: CubeAction.DROP}
_DECISIONS = frozenset({EventKind.PLAY, EventKind.DOUBLE, *_ANSWERS})
_WITHOUT_DECISION = frozenset(
    {EventKind.RESIGN, EventKind.ACCEPT, EventKind.REFUSE, EventKind.CONCEDE, EventKind.FLAG, EventKind.SET_CUBE}
)


_ABOUT_RESULTS = frozenset({"wrong_winner", "wrong_points", "match_not_won", "game_unfinished", "impossible_points"})
"""Errors of a game that leave its plays as they are."""


def situations_of(transcript: Transcript) -> tuple[Situation, ...]:
    """Return every decision of the games whose plays are legal; forced plays are among them, for their luck.

    Refused: `not_analysable` if there is no such game.
    """
    counted = _numbered(transcript)
    spoiled = set(spoiled_games(counted))
    frames: dict[int, list[Frame]] = {}
    for frame in replay(counted):
        if frame.game not in spoiled:
            frames.setdefault(frame.game, []).append(frame)
    if spoiled and not frames:
        raise Refused("not_analysable")
    return tuple(
        situation for number, of_game in frames.items() for situation in _Game(counted, number).situations(of_game)
    )


def spoiled_games(transcript: Transcript) -> tuple[int, ...]:
    """Return the games, counted from 1, that cannot be analysed.

    These are games with an illegal or unreadable play, a wrong cube action, a beaver or a position that was set up.
    """
    counted = _numbered(transcript)
    verdict = adjudicate(counted)
    wrong = {
        finding.game
        for finding in verdict.findings
        if finding.severity is Severity.ERROR and finding.ply is not None and finding.code not in _ABOUT_RESULTS
    }
    replayed: dict[int, list[Frame]] = {game.number: [] for game in counted.games}
    for frame in replay(counted):
        replayed[frame.game].append(frame)
    return tuple(
        number
        for number, frames in replayed.items()
        if number in wrong or not _Game(counted, number).is_complete(frames) or number > len(verdict.games)
    )


def with_one_game(transcript: Transcript, only: int) -> Transcript:
    """Return the match for a program that is asked about one game: of the others, only score and result are left."""
    results = adjudicate(_numbered(transcript)).games
    games = []
    for number, game in enumerate(transcript.games, start=1):
        if number == only:
            games.append(game)
            continue
        start, claim = game.start, game.claim
        if number <= len(results):
            result = results[number - 1]
            start = result.start
            claim = claim if result.winner is None else StatedResult(result.winner, result.points)
        games.append(replace(game, start=start, claim=claim, events=(), places=()))
    return replace(transcript, games=tuple(games))


def decision_frames(transcript: Transcript) -> tuple[Frame, ...]:
    """Return every legal turn, double, take and drop with the board before and after it.

    A roll that was not played, because the game was given up, is left out.
    """
    return tuple(frame for frame in replay(_numbered(transcript)) if frame.kind in _DECISIONS and frame.legal)


def _numbered(transcript: Transcript) -> Transcript:
    """Number the games from 1, since a record may give two of them the same number."""
    games = tuple(replace(game, number=number) for number, game in enumerate(transcript.games, start=1))
    return replace(transcript, games=games)


def situation_of(state: MatchState) -> Situation:
    """Return what the side to act in a match that is being played has to decide: a play, a double or its answer.

    Raises KeyError where it has nothing of that kind to decide.
    """
    kind = {
        EnginePhase.TO_PLAY: DecisionKind.PLAY,
        EnginePhase.TO_ROLL: DecisionKind.DOUBLE,
        EnginePhase.DOUBLED: DecisionKind.TAKE,
    }
    side = state.to_act
    assert side is not None  # noqa: S101, true in these phases
    return Situation(
        game=state.game,
        event=0,
        side=side,
        kind=kind[state.phase],
        phase=phase_of(state.position, 0),
        position=state.position,
        dice=state.dice if state.phase is EnginePhase.TO_PLAY else None,
        cube=state.cube,
        owner=state.cube_owner,
        score=state.score,
        length=state.length,
        crawford=state.crawford,
        post_crawford=state.crawford_played,
        played="",
        choices=len(state.legal_plays()) if state.phase is EnginePhase.TO_PLAY else 0,
        jacoby=state.jacoby,
    )


def xgid_of(situation: Situation) -> str:
    """Return the position to decide on as an XGID; an offered cube is seen from the side that doubled."""
    doubled = situation.kind is DecisionKind.TAKE
    return position_xgid(
        situation.position,
        turn=1 - situation.side if doubled else situation.side,
        dice=situation.dice if situation.kind is DecisionKind.PLAY else None,
        cube=situation.cube,
        owner=situation.owner,
        doubled=doubled,
        score=situation.score,
        crawford=situation.crawford,
        jacoby=situation.jacoby,
        length=situation.length,
    )


def has_contact(position: Position) -> bool:
    """Whether checkers of both sides can still meet."""
    own = [point for point, count in enumerate(position.counts) if count > 0]
    opposing = [point for point, count in enumerate(position.counts) if count < 0]
    return bool(own and opposing) and max(own) > min(opposing)


def phase_of(position: Position, play_number: int) -> DecisionPhase:
    """Return the kind of position before a play; the plays of a game are numbered from 1."""
    if has_contact(position):
        return DecisionPhase.OPENING if play_number <= OPENING_PLAYS else DecisionPhase.CONTACT
    at_home = max(position.counts[HOME + 1 :]) <= 0
    return DecisionPhase.BEAR_OFF if at_home else DecisionPhase.RACE


class _Game:
    def __init__(self, transcript: Transcript, number: int) -> None:
        self.number = number
        self.events = transcript.games[number - 1].events
        self.length = transcript.length or 0
        self.jacoby = transcript.jacoby
        self.cube = 1
        self.owner: Side | None = None
        self.plays = 0
        self.doubler: Side | None = None
        """The side whose double was taken in this turn, so that it decided already."""

    def is_complete(self, frames: list[Frame]) -> bool:
        """Whether every event was replayed and can be analysed."""
        last_play = max((at for at, event in enumerate(self.events) if event.kind is EventKind.PLAY), default=None)
        shown = {frame.event for frame in frames}
        return all(event.kind is not EventKind.PLAY or at in shown for at, event in enumerate(self.events)) and all(
            frame.kind in _DECISIONS | _WITHOUT_DECISION
            and (
                frame.kind is not EventKind.PLAY
                or (frame.legal and frame.dice is not None)
                or (frame.event == last_play and self._is_unplayed(frame))
            )
            for frame in frames
        )

    def situations(self, frames: list[Frame]) -> Iterator[Situation]:
        for frame in frames:
            if frame.kind is EventKind.PLAY:
                yield from self._turn(frame)
            elif frame.kind is EventKind.DOUBLE:
                self.doubler = frame.side
                yield self._cube(frame, DecisionKind.DOUBLE, CubeAction.DOUBLE)
            elif frame.kind in _ANSWERS:
                yield self._cube(frame, DecisionKind.TAKE, _ANSWERS[frame.kind])
            self.cube, self.owner = frame.cube, frame.cube_owner

    def _turn(self, frame: Frame) -> Iterator[Situation]:
        self.plays += 1
        if self._is_unplayed(frame) or frame.dice is None:
            return
        if self.doubler is None and self._may_double(frame):
            yield self._cube(frame, DecisionKind.DOUBLE, CubeAction.NO_DOUBLE)
        self.doubler = None
        extra = self.events[frame.event].extra or {}
        plays = legal_plays(frame.before, frame.dice)
        yield replace(
            self._situation(frame),
            dice=frame.dice,
            played=frame.notation,
            result=frame.after,
            choices=len(plays),
            automatic=extra.get("automatic") is True,
        )

    def _is_unplayed(self, frame: Frame) -> bool:
        """Whether the game was given up at this roll, so that nothing was decided."""
        return self.events[frame.event].moves is None and not frame.legal

    def _may_double(self, frame: Frame) -> bool:
        refused = double_refused(
            side=frame.side,
            cube=self.cube,
            owner=self.owner,
            length=self.length,
            crawford=frame.crawford,
            opened=self.plays > 1,
        )
        dead = is_dead(side=frame.side, cube=self.cube, score=frame.score, length=self.length)
        return refused is None and not dead

    def _cube(self, frame: Frame, kind: DecisionKind, action: CubeAction) -> Situation:
        position = frame.before.swapped() if kind is DecisionKind.TAKE else frame.before
        return replace(
            self._situation(frame), kind=kind, phase=DecisionPhase.CUBE, position=position, played=action.value
        )

    def _situation(self, frame: Frame) -> Situation:
        return Situation(
            game=self.number,
            event=frame.event,
            side=frame.side,
            kind=DecisionKind.PLAY,
            phase=phase_of(frame.before, self.plays),
            position=frame.before,
            dice=None,
            cube=self.cube,
            owner=self.owner,
            score=frame.score,
            length=self.length,
            crawford=frame.crawford,
            post_crawford=self.length > 1 and not frame.crawford and self.length - 1 in frame.score,
            played="",
            jacoby=self.jacoby,
        )
