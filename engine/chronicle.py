"""A recorded game while it is replayed: its current position, its findings and its frames."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.cube import Side
from engine.ids import position_xgid
from engine.keys import swapped_key
from engine.match import MatchState, Phase
from engine.notation import written_play
from engine.position import Position, position_of
from engine.resolution import PlayedTurn, Resolution, played
from engine.search import ROLLS, Dice
from engine.transcript import Event, Game, Kind, Place
from engine.verdict import Finding, Frame, Severity

START = Position.start().key
_CUBE = frozenset({Kind.DOUBLE, Kind.TAKE, Kind.DROP, Kind.BEAVER})


@dataclass(slots=True)
class Stars:
    """Whether the record marks hits at all; if it never does, a missing mark is no finding."""

    used: bool
    """Some hit is marked."""
    missing: bool = False
    """There was a hit, and no hit is marked."""


@dataclass(slots=True)
class Chronicle:
    """A game being replayed: its current position and what has been reported so far."""

    game: Game
    state: MatchState
    """Score, cube and its owner, and whether a double has been offered. Plays do not change it: `key` and `turn` hold
    the board and the side on turn."""
    stars: Stars
    frames: list[Frame] | None = None
    findings: list[Finding] = field(default_factory=list)

    key: int = START
    """Seen by the side on turn."""
    turn: Side | None = None
    ply: int = 0
    """Rolls so far."""
    at: int = 0
    """Index of the current event."""

    @property
    def doubler(self) -> Side | None:
        """The side that has offered the cube and has no answer yet."""
        return self.state.turn if self.state.phase is Phase.DOUBLED else None

    def report(
        self,
        severity: Severity,
        code: str,
        params: Mapping[str, Any] | None = None,
        *,
        nearest: tuple[str, ...] = (),
        place: Place | None = None,
    ) -> Finding:
        """Add a finding at the current event."""
        finding = Finding(
            severity,
            code,
            params or {},
            self.game.number,
            max(1, self.ply + (self._kind_in_hand() in _CUBE)),
            place or self._place(),
            self._xgid(),
            nearest,
        )
        self.findings.append(finding)
        return finding

    def _kind_in_hand(self) -> Kind | None:
        return self.game.events[self.at].kind if self.at < len(self.game.events) else None

    def _place(self) -> Place:
        places = self.game.places
        if self.at < len(places):
            return places[self.at]
        return self.game.claim_place if self.game.claim_place.line else self.game.place

    def _xgid(self) -> str:
        event = self.game.events[self.at] if self.at < len(self.game.events) else None
        # After the play the other side is on turn, and the dice are no longer shown.
        to_play = event is not None and event.kind is Kind.PLAY and event.side == self.turn and event.dice in ROLLS
        dice = event.dice if event is not None and to_play else None
        return position_xgid(
            position_of(self.key),
            turn=self.turn or 0,
            dice=dice,
            cube=self.state.cube,
            owner=self.state.cube_owner,
            doubled=self.doubler is not None,
            score=self.state.score,
            crawford=self.state.crawford,
            jacoby=self.state.jacoby,
            length=self.state.length,
        )

    def swap(self) -> None:
        """Pass the turn to the other side."""
        self.key = swapped_key(self.key)
        self.turn = None if self.turn is None else 1 - self.turn

    def show(self, event: Event, dice: Dice, resolution: Resolution | None) -> None:
        """Add the frame of a turn; without a resolution the play is illegal or not recorded."""
        if self.frames is not None:
            seen = position_of(self.key)
            self.frames.append(self._frame(event, seen, played(seen, event, dice, resolution)))

    def show_cube(self, event: Event) -> None:
        """Add the frame of an event that moves no checker."""
        if self.frames is not None:
            seen = position_of(self.key if event.side == self.turn else swapped_key(self.key))
            self.frames.append(self._frame(event, seen, PlayedTurn((), "", seen, legal=True)))

    def show_illegal_play(self, event: Event) -> None:
        """Add the frame of an illegal play that stood, from the position before it to the one the record gives."""
        if self.frames is not None:
            seen = position_of(self.key)
            self.frames.append(self._frame(event, seen, PlayedTurn((), "?", event.position or seen, legal=False)))

    def _frame(self, event: Event, before: Position, what: PlayedTurn) -> Frame:
        return Frame(
            game=self.game.number,
            event=self.at,
            ply=max(1, self.ply + (event.kind in _CUBE)),
            side=event.side,
            kind=event.kind,
            dice=event.dice,
            steps=what.steps,
            notation=what.notation,
            before=before,
            after=what.after,
            cube=self.state.cube,
            cube_owner=self.state.cube_owner,
            score=self.state.score,
            crawford=self.state.crawford,
            legal=what.legal,
        )


def roll_of(dice: Dice | None) -> str:
    """Return a roll as it is shown in a sentence."""
    return f"{dice[0]}-{dice[1]}" if dice else ""


def play_params(event: Event) -> dict[str, Any]:
    """Return the roll and the recorded play of an event, as parameters of a sentence."""
    return {"dice": roll_of(event.dice), "play": written_play(event.moves)}
