"""A match played here, computed again from its actions: its states, its transcript, and a check of what is stored."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.actions import Act, FlagRule
from engine.adjudication import adjudicate
from engine.clock import Clock, ClockSettings
from engine.match import MatchState
from engine.recording import record
from engine.transcript import Game, Kind, Transcript
from matches.models import Action, LiveMatch, Match, Result
from matches.play.codec import to_data
from matches.play.live import EventKind, LiveEvent, LiveState, after_event, taken_back, to_ms
from players.people.rows import canonical

# The states of a match played here, computed from its actions.


def first_state(match: Match, flag_rule: str) -> MatchState:
    return MatchState.start(
        match.length, (match.start_0, match.start_1), crawford_rule=match.crawford, flag_rule=FlagRule(flag_rule)
    )


def state_at_start(live: LiveMatch) -> LiveState:
    clock = None
    if live.delay is not None:
        clock = Clock.of(ClockSettings(live.delay, live.bank, live.overtime, live.correspondence))
    start = first_state(live.match, live.flag_rule)
    # Where nobody was invited, as against a bot, both count as here.
    return LiveState.start(start, clock, to_ms(live.started_at), here=(live.invited_at is None,) * 2)


def standing(actions: Iterable[Action]) -> list[Action]:
    """Those of the actions, which are in order, that were not taken back."""
    kept: list[Action] = []
    for action in actions:
        if action.kind != EventKind.TAKE_BACK:
            kept.append(action)
            continue
        while kept and kept[-1].seq > action.data["to"]:
            kept.pop()
    return kept


def event_of(action: Action) -> LiveEvent:
    data = action.data
    return LiveEvent(
        kind=action.kind,
        at=to_ms(action.at),
        side=action.side,
        dice=tuple(data["dice"]) if "dice" in data else None,
        moves=tuple(tuple(way) for way in data.get("moves", ())),
        value=data.get("value"),
        score=tuple(data["score"]) if "score" in data else None,
        credit=action.credit,
    )


def state_after(state: LiveState, actions: Iterable[Action]) -> LiveState:
    """The state that the actions lead to, each following the one before it."""
    states: dict[int, LiveState] = {}
    for action in actions:
        states.setdefault(action.seq - 1, state)
        if action.kind == EventKind.TAKE_BACK:
            state = taken_back(states[action.data["to"]], state)
        else:
            state = after_event(state, event_of(action))
        states[action.seq] = state
    return state


# A match played here as a transcript, so that the engine adjudicates it like any record sent in.


_ACTS = frozenset(act.value for act in Act) | {EventKind.TAKE_BACK}


def transcript_of(live: LiveMatch, *, until: int | None = None) -> Transcript:
    """What was played so far, or up to action `until`, with the names of the players."""
    match = live.match
    actions = live.actions.filter(kind__in=_ACTS).order_by("seq")
    if until is not None:
        actions = actions.filter(seq__lte=until)
    events = (event_of(action) for action in standing(actions))
    names = (canonical(match.player_0).name, canonical(match.player_1).name)
    return record(first_state(match, live.flag_rule), (event.action for event in events), names)


def transcript_to_analyse(match: Match) -> Transcript:
    """A match played here, with the plays marked that the site made for a player: forced ones and automatic bear-offs.

    Raises LiveMatch.DoesNotExist if the match was not played here.
    """
    live = LiveMatch.objects.select_related("match__player_0", "match__player_1").get(pk=match.pk)
    plays = standing(live.actions.filter(kind__in=(Act.PLAY, EventKind.TAKE_BACK)).order_by("seq"))
    automatic = (bool(action.data.get("forced")) for action in plays)
    transcript = transcript_of(live)
    return replace(transcript, games=tuple(_marked(game, automatic) for game in transcript.games))


def _marked(game: Game, automatic: Iterator[bool]) -> Game:
    events = tuple(
        event._replace(extra={"automatic": True})
        if event.kind is Kind.PLAY and event.moves is not None and next(automatic)
        else event
        for event in game.events
    )
    return replace(game, events=events)


# What a match played here stores, derived again from its actions.


Difference = tuple[str, object, object]
"""What differs, the stored value, and the derived one."""


def differences_of(live: LiveMatch) -> Iterator[Difference]:
    """Yield every stored value of a match that does not follow from its actions.

    A match that ended on the board is adjudicated as well: no finding may be an error, and the engine's result has to
    be the one that its play led to.
    """
    actions = list(live.actions.order_by("seq"))
    seqs = [action.seq for action in actions]
    if seqs != list(range(1, len(seqs) + 1)):
        yield "actions", seqs, list(range(1, len(seqs) + 1))
        return
    state = json.loads(json.dumps(to_data(state_after(state_at_start(live), actions))))
    if live.state != state:
        yield "board", live.state, state
    if live.last != len(actions):
        yield "last action", live.last, len(actions)
    rolled = any(action.kind == Act.ROLL for action in actions)
    if (live.begun_at is not None) != rolled:
        yield "has begun", live.begun_at is not None, rolled
    results = Result.objects.filter(match=live.pk, source=Result.Source.LIVE).exclude(kind=Result.Kind.VOID)
    # The void result of a friendly that was called off is not one of its play.
    if (result := results.order_by("version").last()) is not None:
        yield from _of_verdict(live, result)


def _of_verdict(live: LiveMatch, result: Result) -> Iterator[Difference]:
    """Compare the result of the play with the engine's verdict on its transcript."""
    verdict = adjudicate(transcript_of(live))
    # No record says that a director has set the score, so that it does not follow from the games.
    is_set = live.actions.filter(kind=Act.SET_SCORE).exists()
    excused = {"score_contradicts"} if is_set else set()
    errors = [finding.code for finding in verdict.findings if finding.severity == "error"]
    errors = [code for code in errors if code not in excused]
    if errors:
        yield "findings", [], errors
    if result.winner != verdict.winner:
        yield "winner of the play", result.winner, verdict.winner
    elif result.kind == Result.Kind.PLAYED and result.score != verdict.score:
        # A match that was conceded or lost on time keeps its score; the engine counts the missing points.
        yield "score of the play", result.score, verdict.score
