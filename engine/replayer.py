"""One game of a record, replayed event by event against the rules."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.actions import Act, Action, Phase
from engine.chronicle import START, play_params, roll_of
from engine.cube import Side, doubled, is_dead
from engine.ending import Ending
from engine.errors import Refused
from engine.keys import BAR, BIAS, COUNTS, OFF, swapped_key
from engine.legality import nearest_plays
from engine.match import after_play, apply
from engine.position import position_of
from engine.recovery import keys_of_backward_play, likeliest_key, literal_key
from engine.resolution import Resolution, resolve
from engine.scoring import WinKind
from engine.search import ROLLS, Dice, legal_results, masks
from engine.straight import after_tests, straight_tests
from engine.transcript import ENDINGS, Event, Kind
from engine.verdict import Severity

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
MAX_FINDINGS = 200
"""The replay of a record with more of them stops; the verdict says so."""
MAX_RECOVERIES = 50
"""With more findings than this, no position that fits is searched for after an illegal play."""


@dataclass(slots=True)
class GameReplay(Ending):
    """The state of the replay, and its outcome after `run`."""

    beavered: Side | None = None
    """The side whose double was beavered: it may accept that, or turn the cube once more."""
    resignation: Event | None = None
    """Offered and not refused."""
    accepted: bool = False
    """The resignation was accepted, which ends the game."""
    turn_assumed: bool = False
    """The checkers were set up, and the record has not yet shown who is on roll."""
    recovered: bool = False
    """A play was illegal, and the replay went on from the position that best fits what follows."""
    exhausted: bool = False
    """The replay stopped because of too many findings."""

    def run(self) -> None:
        """Replay the events up to the end, or as far as the position is known."""
        for at, event in enumerate(self.game.events):
            self.at = at
            if len(self.findings) >= MAX_FINDINGS:
                self.exhausted = True
                return
            if event.side not in _SIDES and event.kind is not Kind.SET_CUBE:
                self.report(ERROR, "wrong_side", play_params(event))
                return
            if self.over or self.accepted:
                if event.kind in _HARMLESS_AFTER_END or event == Event(event.side, Kind.PLAY):
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

    # Plays

    def _play(self, event: Event) -> bool:
        """Replay a play; return False if the position after it is not known."""
        self.ply += 1
        self.beavered = None
        if event.side != self.turn or self.state.phase is Phase.DOUBLED:
            self._come_on_turn(event)
        self.turn_assumed = False
        # Most plays are legal as recorded: they need no search, and there is nothing to report.
        tests = straight_tests(event.dice, event.moves) if self.frames is None else None
        after = None if tests is None else after_tests(self.key, tests)
        if after is None:
            return self._resolve(event)
        if event.moves and event.moves[-1].points[-1] == OFF:
            self._pass_turn(after)
        else:
            self.key, self.turn = swapped_key(after), 1 - event.side
        return True

    def _resolve(self, event: Event) -> bool:
        """Replay a play that is not plainly legal, or has to be shown; return False if its result is not known."""
        dice = event.dice
        if dice not in ROLLS or dice is None:
            return self._play_without_dice(event)
        if not event.moves:
            return self._no_play(event, dice)
        try:
            resolution = resolve(self.key, dice, [move.points for move in event.moves])
        except Refused as refused:
            return self._illegal(event, dice, refused)
        self._remark(event, dice, resolution)
        self._pass_turn(resolution.key)
        return True

    def _remark(self, event: Event, dice: Dice, resolution: Resolution) -> None:
        """Report what is unusual about a legal play, and add its frame."""
        if resolution.remark:
            self.report(_REMARKS[resolution.remark], resolution.remark, play_params(event))
        self._check_stars(event, resolution)
        self.show(event, dice, resolution)

    def _come_on_turn(self, event: Event) -> None:
        """Handle the first roll of the game, a roll out of turn, or one after an unanswered double."""
        if self.doubler is not None:
            if event.side == self.doubler:
                self.report(WARNING, "take_missing")
                self.state = apply(self.state, Action(Act.TAKE, 1 - self.doubler))
            else:
                self.report(ERROR, "double_unanswered")
                self.state = self.state._replace(phase=Phase.TO_ROLL)
        if self.turn is None:
            self.turn = event.side
            if event.dice and event.dice[0] == event.dice[1] and self.key == START:
                self.report(ERROR, "opening_double", {"dice": roll_of(event.dice)})
        elif event.side != self.turn:
            self._change_turn(event)

    def _change_turn(self, event: Event) -> None:
        """Pass the turn to the side that acts: an error, unless it is not known who was on turn."""
        if not self.turn_assumed:
            self.report(ERROR, "wrong_side", play_params(event))
        self.swap()

    def _play_without_dice(self, event: Event) -> bool:
        """Replay a turn whose dice are impossible or missing, such as a dance recorded without its roll."""
        if event.dice is not None and event.dice != (0, 0):
            self.report(ERROR, "bad_dice", {"dice": roll_of(event.dice)})
        elif event.moves == () and self._cannot_move_whatever():
            self.report(WARNING, "roll_missing")
        elif event.moves or not self._is_last(event):
            self.report(ERROR, "roll_missing")
        self._force(event)
        return True

    def _cannot_move_whatever(self) -> bool:
        return any(not legal_results(self.key, *dice) for dice in ROLLS)

    def _no_play(self, event: Event, dice: Dice) -> bool:
        """Replay `Cannot Move`, an empty cell, or a play that was not recorded; a forced play is inferred."""
        results = legal_results(self.key, *dice)
        if not results or (len(results) == 1 and not self._is_given_up(event)):
            final, path = next(iter(results.items()), (self.key, ()))
            if results:
                self.report(NOTE, "play_forced")
            self.show(event, dice, Resolution(final, path))
            self._pass_turn(final)
            return True
        if event.moves is None:
            given_up = self._is_last(event)
            severity, code = (NOTE, "last_play_missing") if given_up else (ERROR, "play_missing")
            self.report(severity, code, {"dice": roll_of(dice)})
        else:
            nearest = tuple(map(str, nearest_plays(position_of(self.key), dice, ())))
            self.report(ERROR, "must_play", {"dice": roll_of(dice), "play": ""}, nearest=nearest)
        self.show(event, dice, None)
        if self._is_last(event):
            return event.moves is not None or self.at + 1 < len(self.game.events)
        if event.moves is None:
            return False
        self._go_on(event, dice)
        return True

    def _is_last(self, event: Event) -> bool:
        """Whether only the end of the game follows, so that the game may have been given up at this roll."""
        rest = self.game.events[self.at + 1 :]
        return all(other.kind in ENDINGS for other in rest)

    def _is_given_up(self, event: Event) -> bool:
        """Whether the game was given up by the side that rolled, so that the roll was not played."""
        claim = self.game.claim
        loses = [1 - claim.winner] if claim else []
        rest = self.game.events[self.at + 1 :]
        loses += [other.side for other in rest if other.kind in _GIVING_UP]
        return self._is_last(event) and event.side in loses

    def _illegal(self, event: Event, dice: Dice, refused: Refused) -> bool:
        ways = [move.points for move in event.moves or ()]
        nearest = tuple(map(str, nearest_plays(position_of(self.key), dice, ways)))
        self.report(ERROR, refused.code, {**refused.params, **play_params(event)}, nearest=nearest)
        self.show(event, dice, None)
        self._go_on(event, dice)
        return True

    def _force(self, event: Event) -> None:
        """Go on from where the recorded moves put the checkers, so that what follows can still be checked."""
        self._pass_turn(literal_key(self.key, event.moves))

    def _go_on(self, event: Event, dice: Dice) -> None:
        """Go on from the position that best fits what follows, with a note once in a game."""
        if len(self.findings) > MAX_RECOVERIES:
            self._force(event)
            return
        following = self.game.events[self.at + 1 :]
        key = likeliest_key(self.key, event, dice, following)
        if not self.recovered and following and key not in keys_of_backward_play(self.key, event):
            self.recovered = True
            self.report(NOTE, "followed_from_likeliest")
        self._pass_turn(key)

    def _pass_turn(self, key: int) -> None:
        """Take the position after a play; the game ends if the mover's last checker is off."""
        self.key = key
        if max(key.to_bytes(COUNTS, "little")) <= BIAS:
            self.end(after_play(self.standing(self.turn), position_of(key)))
        else:
            self.swap()

    def _check_stars(self, event: Event, resolution: Resolution) -> None:
        if resolution.remark in _UNWRITTEN_HITS:
            return
        hit: set[int] = set()
        if (self.key ^ resolution.key) & 255:  # a checker of the opponent came to the bar
            gone = masks(self.key)[2] & ~masks(resolution.key)[2]
            hit = {point for point in range(1, BAR) if gone >> point & 1}
        if not self.stars.used:
            self.stars.missing = self.stars.missing or bool(hit)
            return
        written = {
            point for move in event.moves or () for point, star in zip(move.points[1:], move.hits, strict=False) if star
        }
        if written == hit:
            return
        for point in sorted(written - hit):
            self.report(WARNING, "false_star", {"point": point, **play_params(event)})
        for point in sorted(hit - written):
            self.report(WARNING, "missing_star", {"point": point, **play_params(event)})

    # The cube

    def _double(self, event: Event) -> None:
        if self.turn is not None and event.side != self.turn:
            self._change_turn(event)
        self.turn_assumed = False
        if self.doubler is not None:
            self.report(ERROR, "double_unanswered")
            return
        standing = self.standing(event.side, Phase.OPENING if self.turn is None else Phase.TO_ROLL)
        try:
            offered = apply(standing, Action(Act.DOUBLE, event.side))
        except Refused as refused:
            self.report(ERROR, refused.code, refused.params)
            offered = standing._replace(turn=event.side, phase=Phase.DOUBLED)
        else:
            if is_dead(side=event.side, cube=self.state.cube, score=self.state.score, length=self.state.length):
                self.report(WARNING, "dead_cube")
        self._check_cube_value(event)
        self.state = offered
        self.show_cube(event)

    def _check_cube_value(self, event: Event) -> None:
        cube = doubled(self.state.cube)
        if event.value not in (None, cube):
            self.report(ERROR, "cube_value", {"stated": event.value, "cube": cube})

    def _take(self, event: Event) -> None:
        if self.beavered is not None and self.beavered == event.side:
            self.beavered = None
            self.show_cube(event)
            return
        if self.doubler is None or event.side == self.doubler:
            self.report(ERROR, "nothing_to_take")
            return
        self._check_cube_value(event)
        self.state = apply(self.state, Action(Act.TAKE, event.side))
        self.show_cube(event)

    def _drop(self, event: Event) -> None:
        if self.doubler is None or event.side == self.doubler:
            self.report(ERROR, "nothing_to_take")
            return
        self.show_cube(event)
        self.drop_double()

    def _beaver(self, event: Event) -> None:
        """Turn the cube at once and keep it, or turn it once more: money play only."""
        if self.state.length:
            self.report(ERROR, "beaver_in_match")
        if self.beavered is not None and self.beavered == event.side:
            self.beavered = None
        elif self.doubler is None or event.side == self.doubler:
            self.report(ERROR, "nothing_to_take")
            return
        else:
            self.beavered = self.doubler
            self.state = apply(self.state, Action(Act.TAKE, event.side))
        self.state = self.state._replace(cube=doubled(self.state.cube))
        self.show_cube(event)

    # Resignations, concessions and set-up positions

    def _resign(self, event: Event) -> None:
        self.resignation = event
        self.show_cube(event)

    def _accept(self, event: Event) -> None:
        self.accepted = self._answers(event)
        if self.accepted:
            self.show_cube(event)

    def _refuse(self, event: Event) -> None:
        if self._answers(event):
            self.show_cube(event)
            self.resignation = None

    def _answers(self, event: Event) -> bool:
        """Return whether the other side has resigned; report it if not."""
        if self.resignation is None or self.resignation.side == event.side:
            self.report(ERROR, "nothing_to_answer")
            return False
        return True

    def _concede(self, event: Event) -> None:
        self.show_cube(event)
        self._give_up_match(event, WinKind.CONCESSION)

    def _flag(self, event: Event) -> None:
        self.show_cube(event)
        if event.value:
            self.end(apply(self.standing(event.side), Action(Act.FLAG, event.side, value=1)))
        else:
            self._give_up_match(event, WinKind.FLAG)

    def _give_up_match(self, event: Event, kind: WinKind) -> None:
        act = Act.FLAG if kind is WinKind.FLAG else Act.CONCEDE
        self.concede_match(apply(self.standing(event.side), Action(act, event.side)), kind)

    def _illegal_play_stood(self, event: Event) -> None:
        """Report a play marked as illegal that stood, and go on from the position given."""
        self.ply += 1
        if event.side != self.turn or self.doubler is not None:
            self._come_on_turn(event)
        self.report(ERROR, "illegal_play_stood", {"dice": roll_of(event.dice)})
        self.show_illegal_play(event)
        if event.position is not None:
            self.key = event.position.key
        self.swap()

    def _set_position(self, event: Event) -> None:
        """Set up the checkers; the side of the event need not be on roll."""
        if event.position is None:
            return
        seen = self.key if self.turn in (None, event.side) else swapped_key(self.key)
        if event.position.key == seen:
            return
        self.report(ERROR, "position_set")
        self.key = event.position.key
        self.turn = event.side
        self.turn_assumed = True

    def _set_cube(self, event: Event) -> None:
        if event.value in (None, self.state.cube) and self.state.cube_owner is None:
            return
        automatic_double = not self.state.length and self.turn is None and event.side not in _SIDES
        if not automatic_double:
            self.report(ERROR, "cube_set", {"cube": event.value})
        owner = event.side if event.side in _SIDES else None
        self.state = self.state._replace(cube=event.value or 1, cube_owner=owner)


_UNWRITTEN_HITS = ("hidden_hit", "last_checker_one_die")
_REMARKS = {"reordered": WARNING, "hidden_hit": WARNING, "last_checker_one_die": NOTE}
_SIDES = (0, 1)
_ANSWERS = frozenset({Kind.ACCEPT, Kind.REFUSE, Kind.RESIGN})
_GIVING_UP = frozenset({Kind.RESIGN, Kind.CONCEDE, Kind.FLAG})
_HARMLESS_AFTER_END = ENDINGS
# Functions instead of bound methods, so that a replay does not build a table of its own for each record.
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
    Kind.ILLEGAL: GameReplay._illegal_play_stood,  # noqa: SLF001
    Kind.SET_POSITION: GameReplay._set_position,  # noqa: SLF001
    Kind.SET_CUBE: GameReplay._set_cube,  # noqa: SLF001
}
