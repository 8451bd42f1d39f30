"""The transcript of a match from its actions."""

from collections.abc import Iterable

from engine.cube import doubled
from engine.match import Act, Action, GameResult, MatchState, apply
from engine.transcript import Event, Game, Kind, Move, StatedResult, Transcript

_ANSWERS = {
    Act.TAKE: Kind.TAKE,
    Act.DROP: Kind.DROP,
    Act.ACCEPT: Kind.ACCEPT,
    Act.REFUSE: Kind.REFUSE,
    Act.CONCEDE: Kind.CONCEDE,
    Act.FLAG: Kind.FLAG,
}

_NOT_RECORDED = frozenset({Act.ROLL, Act.SET_SCORE, Act.END_GAME, Act.ADJOURN, Act.RESUME})
"""A roll is recorded with its play; the acts of a director show in the results and scores of the games."""


def record(start: MatchState, actions: Iterable[Action], players: tuple[str, str]) -> Transcript:
    """Return the transcript of a match played from `start`. Raises Refused if an action is not allowed."""
    games: list[Game] = []
    events: list[Event] = []
    state = start
    for action in actions:
        after = apply(state, action)
        if action.act is Act.REFUSE:
            _forget_unplayed_roll(events)
        events.extend(_events(state, action, after))
        if len(after.results) > len(state.results) or after.is_over:
            games.append(_game(state, after, events))
            events = []
        state = after
    if events:
        games.append(Game(number=state.game, events=tuple(events), start=state.score))
    return Transcript(
        players=players,
        length=start.length,
        games=tuple(games),
        crawford_rule=start.crawford_rule,
        jacoby=start.jacoby,
        format="json",
        dialect="barpoint",
    )


def _forget_unplayed_roll(events: list[Event]) -> None:
    """Take out the roll before a resignation that is refused: it is played after all, and written then."""
    if len(events) > 1 and events[-2].kind is Kind.PLAY and events[-2].moves is None:
        del events[-2]


def _events(state: MatchState, action: Action, after: MatchState) -> list[Event]:
    """What the record says of one action; a roll is written together with its play."""
    side = action.side if action.side is not None else state.turn or 0
    if action.act in _NOT_RECORDED or (action.act is Act.FLAG and after.flagged is not None):
        return []
    if action.act is Act.CLAIM_FLAG:
        return [Event(1 - side, Kind.FLAG)]
    if action.act is Act.PLAY:
        return [Event(side, Kind.PLAY, state.dice, _moves(state, action))]
    if action.act is Act.DOUBLE:
        return [Event(side, Kind.DOUBLE, value=doubled(state.cube))]
    if action.act in (Act.RESIGN, Act.CONCEDE, Act.FLAG):
        unplayed = []
        # While a resignation waits for its answer, the roll before it is written already.
        if state.dice and state.turn is not None and state.resigned is None:
            unplayed.append(Event(state.turn, Kind.PLAY, state.dice))
        kind = Kind.RESIGN if action.act is Act.RESIGN else _ANSWERS[action.act]
        only_the_game = action.act is Act.FLAG and not after.is_over
        return [*unplayed, Event(side, kind, value=1 if only_the_game else action.value)]
    return [Event(side, _ANSWERS[action.act])]


def _moves(state: MatchState, action: Action) -> tuple[Move, ...]:
    """The ways as given, each landing that hit marked."""
    counts = list(state.position.counts)
    moves = []
    for way in action.moves:
        hits = tuple(counts[point] == -1 and point != 0 for point in way[1:])
        for point, hit in zip(way[1:], hits, strict=True):
            if hit:
                counts[point] = 0
        moves.append(Move(tuple(way), hits))
    return tuple(moves)


def _game(before: MatchState, after: MatchState, events: list[Event]) -> Game:
    result = after.results[-1] if len(after.results) > len(before.results) else None
    return Game(
        number=before.game,
        events=tuple(events),
        start=before.score,
        crawford=before.crawford,
        claim=_claim(after, result),
    )


def _claim(after: MatchState, result: GameResult | None) -> StatedResult | None:
    if result is not None:
        return StatedResult(result.winner, result.points, after.is_over)
    return StatedResult(after.winner, None, True) if after.winner is not None else None
