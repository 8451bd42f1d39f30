"""One game of a record, replayed event by event against the rules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.cube import Score, Side, double_refused, is_dead
from engine.errors import Refused
from engine.ids import position_xgid
from engine.legality import legs_of, nearest_plays
from engine.notation import written_play
from engine.plays import Dice, legal_results, masks
from engine.position import BAR, BIAS, OFF, Position, swapped_key
from engine.resolution import Played, Resolution, played, resolve
from engine.scoring import KIND_OF_MULTIPLE, WinKind, most_to_lose, multiple_won
from engine.transcript import Event, Game, Kind, Place
from engine.verdict import Finding, Frame, Severity

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
ROLLS = frozenset((one, two) for one in range(1, 7) for two in range(1, 7))
START = Position.start().key
MAX_FINDINGS = 200
"""A record with more is not worth reading further; the verdict says so."""


@dataclass(slots=True)
class Stars:
    """How the record as a whole marks hits; a record that never does is not blamed for each."""

    seen: bool = False
    missing: list[Finding] = field(default_factory=list)


@dataclass(slots=True)
class GameReplay:
    """The state of the replay, and what it came to once `run` is through."""

    game: Game
    length: int
    score: Score
    crawford: bool
    jacoby: bool
    stars: Stars
    frames: list[Frame] | None = None
    findings: list[Finding] = field(default_factory=list)

    key: int = START
    """Seen by the side on turn."""
    turn: Side | None = None
    cube: int = 1
    owner: Side | None = None
    doubler: Side | None = None
    """Who has offered the cube and waits for the answer."""
    beavered: Side | None = None
    """Whose double was beavered: he may say so, or turn the cube once more."""
    resignation: Event | None = None
    """Given and not refused."""
    accepted: bool = False
    """The resignation was accepted, which ends the game."""
    ply: int = 0
    at: int = 0
    over: bool = False
    winner: Side | None = None
    kind: WinKind = WinKind.UNFINISHED
    points: int = 0
    conceded_match: bool = False
    exhausted: bool = False
    """There were so many findings that the replay stopped."""

    def run(self) -> None:
        """Replays every event it can; stops where the position is not known any more, or at the end."""
        for at, event in enumerate(self.game.events):
            self.at = at
            if len(self.findings) >= MAX_FINDINGS + (0 if self.stars.seen else len(self.stars.missing)):
                self.exhausted = True
                return
            if event.side not in _SIDES and event.kind is not Kind.SET_CUBE:
                self.report(ERROR, "wrong_side", _said(event))
                return
            if self.over or self.accepted:
                if event.kind in _HARMLESS_AFTER_END:
                    continue
                self.report(ERROR, "play_after_game")
                return
            if self.resignation is not None and event.kind not in _ANSWERS:
                self.resignation = None
            if event.kind is Kind.PLAY:
                if not self._play(event):
                    return
            else:
                _HANDLERS[event.kind](self, event)
        self.at = len(self.game.events)

    # What is said of it

    def report(
        self,
        severity: Severity,
        code: str,
        params: Mapping[str, Any] | None = None,
        *,
        nearest: tuple[str, ...] = (),
        place: Place | None = None,
    ) -> Finding:
        """Notes a finding at the event in hand."""
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
        dice = event.dice if event and event.kind is Kind.PLAY and event.dice in ROLLS else None
        return position_xgid(
            Position(self.key),
            turn=self.turn or 0,
            dice=dice,
            cube=self.cube,
            owner=self.owner,
            doubled=self.doubler is not None,
            score=self.score,
            crawford=self.crawford,
            jacoby=self.jacoby,
            length=self.length,
        )

    # Plays

    def _play(self, event: Event) -> bool:
        """False where the position after it is not known."""
        side, dice, moves = event.side, event.dice, event.moves
        self.ply += 1
        self.beavered = None
        if side != self.turn or self.doubler is not None:
            self._come_on_turn(event)
        if dice not in ROLLS or dice is None:
            return self._play_without_dice(event)
        if not moves:
            return self._no_play(event, dice)
        before = self.key
        try:
            resolution = resolve(before, dice, [move.points for move in moves])
        except Refused as refused:
            return self._illegal(event, dice, refused)
        if resolution.remark:
            self.report(_REMARKS[resolution.remark], resolution.remark, _said(event))
        if (before ^ resolution.key) & 255 or any(True for move in moves if True in move.hits):
            self._check_stars(event, resolution)
        self._show(event, dice, resolution)
        self._pass_turn(resolution.key, borne_off=any(OFF in move.points for move in moves))
        return True

    def _come_on_turn(self, event: Event) -> None:
        """The first roll of the game, a roll out of turn, or one after a double that nobody answered."""
        if self.doubler is not None:
            if event.side == self.doubler:
                self.report(WARNING, "take_missing")
                self._take_cube(1 - self.doubler)
            else:
                self.report(ERROR, "double_unanswered")
                self.doubler = None
        if self.turn is None:
            self.turn = event.side
            if event.dice and event.dice[0] == event.dice[1] and self.key == START:
                self.report(ERROR, "opening_double", {"dice": _roll(event.dice)})
        elif event.side != self.turn:
            self.report(ERROR, "wrong_side", _said(event))
            self._swap()

    def _play_without_dice(self, event: Event) -> bool:
        """A turn whose dice are missing (a dance noted without its roll) or cannot be."""
        if event.dice is not None and event.dice != (0, 0):
            self.report(ERROR, "bad_dice", {"dice": _roll(event.dice)})
        elif event.moves == () and self._cannot_move_whatever():
            self.report(WARNING, "roll_missing")
        elif event.moves or not self._is_last(event):
            self.report(ERROR, "roll_missing")
        self._force(event)
        return True

    def _cannot_move_whatever(self) -> bool:
        return any(not legal_results(self.key, *dice) for dice in ROLLS)

    def _no_play(self, event: Event, dice: Dice) -> bool:
        """`Cannot Move`, an empty cell, or a play that was not written down."""
        found = legal_results(self.key, *dice)
        if not found or (event.moves is None and len(found) == 1):
            final, path = next(iter(found.items()), (self.key, ()))
            if found:
                self.report(NOTE, "play_forced")
            self._show(event, dice, Resolution(final, path))
            self._pass_turn(final, borne_off=bool(found))
            return True
        if self._is_last(event):
            self.report(NOTE, "last_play_missing", {"dice": _roll(dice)})
        elif event.moves is None:
            self.report(ERROR, "play_missing", {"dice": _roll(dice)})
        else:
            nearest = tuple(map(str, nearest_plays(Position(self.key), dice, ())))
            self.report(ERROR, "must_play", {"dice": _roll(dice), "play": ""}, nearest=nearest)
        self._show(event, dice, None)
        self._swap()
        return event.moves is not None

    def _is_last(self, event: Event) -> bool:
        """Nothing but the end of the game follows, so that a roll may have been given up."""
        rest = self.game.events[self.at + 1 :]
        return all(other.kind in _ENDINGS for other in rest)

    def _illegal(self, event: Event, dice: Dice, refused: Refused) -> bool:
        ways = [move.points for move in event.moves or ()]
        nearest = tuple(map(str, nearest_plays(Position(self.key), dice, ways)))
        self.report(ERROR, refused.code, {**refused.params, **_said(event)}, nearest=nearest)
        self._show(event, dice, None)
        self._force(event)
        return True

    def _force(self, event: Event) -> None:
        """Goes on from where the words put the checkers, so that what follows can still be judged."""
        counts = list(Position(self.key).counts)
        for source, target in legs_of(move.points for move in event.moves or ()):
            if not OFF <= target < source <= BAR or counts[source] <= 0 or (target and counts[target] < -1):
                continue
            counts[source] -= 1
            if target:
                hit = counts[target] == -1
                counts[target] += 1 + hit
                counts[0] -= hit
        self._pass_turn(int.from_bytes(bytes(count + BIAS for count in counts), "little"), borne_off=True)

    def _pass_turn(self, key: int, *, borne_off: bool) -> None:
        """Books the play; the game ends where the mover's last checker is off."""
        self.key = key
        if borne_off and not masks(key)[0]:
            multiple = multiple_won(Position(key))
            if self.jacoby and self.owner is None:
                multiple = 1
            self._end(self.turn, KIND_OF_MULTIPLE[multiple], multiple * self.cube)
        else:
            self._swap()

    def _swap(self) -> None:
        self.key = swapped_key(self.key)
        self.turn = None if self.turn is None else 1 - self.turn

    def _check_stars(self, event: Event, resolution: Resolution) -> None:
        written = {
            point for move in event.moves or () for point, star in zip(move.points[1:], move.hits, strict=False) if star
        }
        self.stars.seen = self.stars.seen or bool(written)
        if resolution.remark in _UNWRITTEN_HITS:
            return
        gone = masks(self.key)[2] & ~masks(resolution.key)[2]
        hit = {point for point in range(1, BAR) if gone >> point & 1}
        for point in sorted(written - hit):
            self.report(WARNING, "false_star", {"point": point, **_said(event)})
        for point in sorted(hit - written):
            self.stars.missing.append(self.report(WARNING, "missing_star", {"point": point, **_said(event)}))

    # The cube

    def _double(self, event: Event) -> None:
        if self.turn is not None and event.side != self.turn:
            self.report(ERROR, "wrong_side", _said(event))
            self._swap()
        if self.doubler is not None:
            self.report(ERROR, "double_unanswered")
            return
        refused = double_refused(
            side=event.side,
            cube=self.cube,
            owner=self.owner,
            length=self.length,
            crawford=self.crawford,
            opened=self.turn is not None,
        )
        if refused:
            self.report(ERROR, refused.code, refused.params)
        elif is_dead(side=event.side, cube=self.cube, score=self.score, length=self.length):
            self.report(WARNING, "dead_cube")
        if event.value not in (None, 2 * self.cube):
            self.report(ERROR, "cube_value", {"stated": event.value, "cube": 2 * self.cube})
        self.doubler = event.side
        self._show_cube(event)

    def _take(self, event: Event) -> None:
        if self.beavered is not None and self.beavered == event.side:
            self.beavered = None
            self._show_cube(event)
            return
        if self.doubler is None or event.side == self.doubler:
            self.report(ERROR, "nothing_to_take")
            return
        if event.value not in (None, 2 * self.cube):
            self.report(ERROR, "cube_value", {"stated": event.value, "cube": 2 * self.cube})
        self._take_cube(event.side)
        self._show_cube(event)

    def _take_cube(self, taker: Side) -> None:
        self.cube *= 2
        self.owner = taker
        self.doubler = None

    def _drop(self, event: Event) -> None:
        if self.doubler is None or event.side == self.doubler:
            self.report(ERROR, "nothing_to_take")
            return
        self._show_cube(event)
        self._end(self.doubler, WinKind.DROP, self.cube)

    def _beaver(self, event: Event) -> None:
        """Turns the cube at once and keeps it, or turns it once more: money play only."""
        if self.length:
            self.report(ERROR, "beaver_in_match")
        if self.beavered is not None and self.beavered == event.side:
            self.beavered = None
        elif self.doubler is None or event.side == self.doubler:
            self.report(ERROR, "nothing_to_take")
            return
        else:
            self.beavered = self.doubler
            self._take_cube(event.side)
        self.cube *= 2
        self._show_cube(event)

    # Giving up, and what is set up

    def _resign(self, event: Event) -> None:
        self.resignation = event
        self._show_cube(event)

    def _accept(self, event: Event) -> None:
        self.accepted = self._answers(event)

    def _refuse(self, event: Event) -> None:
        if self._answers(event):
            self.resignation = None

    def _answers(self, event: Event) -> bool:
        """Whether the other side has resigned; reports it if not."""
        if self.resignation is None or self.resignation.side == event.side:
            self.report(ERROR, "nothing_to_answer")
            return False
        return True

    def _concede(self, event: Event) -> None:
        self._give_up_match(event, WinKind.CONCESSION)

    def _flag(self, event: Event) -> None:
        if event.value:
            self._end(1 - event.side, WinKind.FLAG, self.cube)
        else:
            self._give_up_match(event, WinKind.FLAG)

    def _give_up_match(self, event: Event, kind: WinKind) -> None:
        winner = 1 - event.side
        self.conceded_match = True
        self._end(winner, kind, max(1, self.length - self.score[winner]))

    def _stood(self, event: Event) -> None:
        """A play marked as illegal that stood: it is for the director, the replay goes on from the position given."""
        self.ply += 1
        if event.side != self.turn or self.doubler is not None:
            self._come_on_turn(event)
        self.report(ERROR, "illegal_play_stood", {"dice": _roll(event.dice)})
        if event.position is not None:
            self.key = event.position.key
        self._swap()

    def _set_position(self, event: Event) -> None:
        if event.position is None or event.position.key == self.key == START:
            return
        self.report(ERROR, "position_set")
        self.key = event.position.key
        self.turn = event.side

    def _set_cube(self, event: Event) -> None:
        if event.value in (None, self.cube) and self.owner is None:
            return
        automatic_double = not self.length and self.turn is None and event.side not in _SIDES
        if not automatic_double:
            self.report(ERROR, "cube_set", {"cube": event.value})
        self.cube = event.value or 1
        self.owner = event.side if event.side in (0, 1) else None

    def _end(self, winner: Side | None, kind: WinKind, points: int) -> None:
        self.over, self.winner, self.kind, self.points = True, winner, kind, points

    def max_to_lose(self, side: Side) -> int:
        """1, 2 or 3: the most `side` can still lose."""
        if self.turn is None:
            return 3
        seen = Position(self.key)
        if seen.is_over:
            return 3
        return most_to_lose(seen if side == self.turn else seen.swapped())

    # Frames

    def _show(self, event: Event, dice: Dice, resolution: Resolution | None) -> None:
        if self.frames is not None:
            seen = Position(self.key)
            self.frames.append(self._frame(event, seen, played(seen, event, dice, resolution)))

    def _show_cube(self, event: Event) -> None:
        if self.frames is not None:
            seen = Position(self.key if event.side == self.turn else swapped_key(self.key))
            self.frames.append(self._frame(event, seen, Played((), "", seen, legal=True)))

    def _frame(self, event: Event, before: Position, what: Played) -> Frame:
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
            cube=self.cube,
            cube_owner=self.owner,
            score=self.score,
            crawford=self.crawford,
            legal=what.legal,
        )


def _roll(dice: Dice | None) -> str:
    return f"{dice[0]}-{dice[1]}" if dice else ""


def _said(event: Event) -> dict[str, Any]:
    """The roll and the words of an event, for its sentence."""
    return {"dice": _roll(event.dice), "play": written_play(event.moves)}


_UNWRITTEN_HITS = ("hidden_hit", "last_checker_one_die")
_REMARKS = {"reordered": WARNING, "hidden_hit": WARNING, "last_checker_one_die": NOTE}
_SIDES = (0, 1)
_CUBE = frozenset({Kind.DOUBLE, Kind.TAKE, Kind.DROP, Kind.BEAVER})
_ANSWERS = frozenset({Kind.ACCEPT, Kind.REFUSE, Kind.RESIGN})
_ENDINGS = frozenset({Kind.RESIGN, Kind.ACCEPT, Kind.CONCEDE, Kind.FLAG})
_HARMLESS_AFTER_END = _ENDINGS
_HANDLERS: dict[Kind, Callable[[GameReplay, Event], None]] = {
    Kind.DOUBLE: GameReplay._double,  # noqa: SLF001, the table of this class
    Kind.TAKE: GameReplay._take,  # noqa: SLF001
    Kind.DROP: GameReplay._drop,  # noqa: SLF001
    Kind.BEAVER: GameReplay._beaver,  # noqa: SLF001
    Kind.RESIGN: GameReplay._resign,  # noqa: SLF001
    Kind.ACCEPT: GameReplay._accept,  # noqa: SLF001
    Kind.REFUSE: GameReplay._refuse,  # noqa: SLF001
    Kind.CONCEDE: GameReplay._concede,  # noqa: SLF001
    Kind.FLAG: GameReplay._flag,  # noqa: SLF001
    Kind.ILLEGAL: GameReplay._stood,  # noqa: SLF001
    Kind.SET_POSITION: GameReplay._set_position,  # noqa: SLF001
    Kind.SET_CUBE: GameReplay._set_cube,  # noqa: SLF001
}
