"""The end of a recorded game. Every ending is applied by `engine.match`, which has the rules of cube and score."""

from dataclasses import dataclass

from engine.actions import Act, Action, Phase
from engine.chronicle import Chronicle
from engine.cube import Side
from engine.keys import swapped_key
from engine.match import MatchState, apply, next_game
from engine.position import position_of
from engine.scoring import WinKind, most_to_lose


@dataclass(slots=True)
class Ending(Chronicle):
    """A game being replayed that can be ended."""

    over: bool = False
    winner: Side | None = None
    kind: WinKind = WinKind.UNFINISHED
    points: int = 0
    conceded_match: bool = False
    after: MatchState | None = None
    """The state of the match after the game."""

    def standing(self, side: Side | None, phase: Phase = Phase.TO_ROLL) -> MatchState:
        """Return the state of the match with the current board and `side` on turn."""
        seen = self.key if self.turn in (None, side) else swapped_key(self.key)
        return self.state._replace(position=position_of(seen), turn=side, phase=phase)

    def end(self, after: MatchState) -> None:
        """Take over the result of the game from the state after it."""
        result = after.results[-1]
        self.over, self.after = True, after
        self.winner, self.kind, self.points = result.winner, result.kind, result.points

    def drop_double(self) -> None:
        """End the game: the double that was offered is dropped."""
        assert self.doubler is not None  # noqa: S101, the caller has checked it
        self.end(apply(self.state, Action(Act.DROP, 1 - self.doubler)))

    def concede_match(self, after: MatchState, kind: WinKind) -> None:
        """End the match and with it the game, for the points that the winner still needed."""
        assert after.winner is not None  # noqa: S101, the match is over
        points = max(1, self.state.length - self.state.score[after.winner])
        self.over, self.conceded_match, self.after = True, True, after
        self.winner, self.kind, self.points = after.winner, kind, points

    def resign(self, side: Side, multiple: int) -> None:
        """End the game: `side` resigns `multiple` times the cube, and the other side accepts."""
        standing = self.standing(side)
        if standing.position.is_over:
            self.end_by_ruling(1 - side, multiple * self.state.cube)
            return
        after = apply(standing, Action(Act.RESIGN, side, value=multiple))
        self.end(apply(after, Action(Act.ACCEPT, 1 - side)) if after.phase is Phase.RESIGNED else after)

    def concede(self, side: Side) -> None:
        self.concede_match(apply(self.standing(side), Action(Act.CONCEDE, side)), WinKind.CONCESSION)

    def end_by_ruling(self, winner: Side, points: int) -> None:
        """End the game for points that only the record gives, not the rules."""
        if points > 0:
            self.end(apply(self.state, Action(Act.END_GAME, winner, value=points, kind=WinKind.RESIGNATION)))
        else:
            self.over, self.winner, self.kind, self.after = True, winner, WinKind.RESIGNATION, next_game(self.state)

    def max_to_lose(self, side: Side) -> int:
        """Return the most `side` can still lose: 1, 2 or 3 times the cube."""
        if self.turn is None:
            return 3
        seen = position_of(self.key)
        if seen.is_over:
            return 3
        return most_to_lose(seen if side == self.turn else seen.swapped())
