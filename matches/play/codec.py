"""The state of a match played here as JSON, for the cache in its row."""

from typing import Any

from engine.actions import FlagRule, GameResult, Phase
from engine.clock import Clock, ClockSettings, SideClock
from engine.match import MatchState
from engine.position import Position
from engine.scoring import WinKind
from matches.play.live import NOBODY_AWAY, Absences, LiveState, SideAbsence

Data = dict[str, Any]


def to_data(state: LiveState) -> Data:
    """The state as plain JSON values; `from_data` gives the same state again."""
    return {
        "match": _match_data(state.match),
        "clock": _clock_data(state.clock) if state.clock else None,
        "here": list(state.here),
        "ready": list(state.ready),
        "offers": list(state.offers),
        "pauses": list(state.pauses),
        "paused_until": state.paused_until,
        "continues": list(state.continues),
        "absences": [list(absence) for absence in state.absences],
    }


def from_data(data: Data) -> LiveState:
    """The state that `to_data` wrote."""
    return LiveState(
        match=_match(data["match"]),
        clock=_clock(data["clock"]) if data["clock"] else None,
        here=_pair(data.get("here", (True, True))),
        ready=_pair(data["ready"]),
        offers=_pair(data["offers"]),
        pauses=_pair(data["pauses"]),
        paused_until=data["paused_until"],
        continues=_pair(data["continues"]),
        absences=stored_absences(data.get("absences")),
    )


def stored_absences(data: list[Any] | None) -> Absences:
    """Both absences; nobody was away in matches begun before they were counted."""
    if data is None:
        return NOBODY_AWAY
    first, second = (SideAbsence(*absence) for absence in data)
    return first, second


def _pair(data: list[Any]) -> tuple[Any, Any]:
    first, second = data
    return first, second


def _match_data(state: MatchState) -> Data:
    side, multiple, phase = state.resigned or (None, None, None)
    return state._asdict() | {
        "score": list(state.score),
        "position": state.position.letters,
        "phase": state.phase.value,
        "dice": list(state.dice) if state.dice else None,
        "resigned": [side, multiple, phase.value] if phase else None,
        "results": [[*result[:3], result.kind.value, *result[4:]] for result in state.results],
        "flag_rule": state.flag_rule.value,
        "adjourned_in": state.adjourned_in.value if state.adjourned_in else None,
        "ending": state.ending.value if state.ending else None,
    }


def _match(data: Data) -> MatchState:
    resigned = data["resigned"]
    return MatchState(
        **data
        | {
            "score": _pair(data["score"]),
            "position": Position.from_letters(data["position"]),
            "phase": Phase(data["phase"]),
            "dice": _pair(data["dice"]) if data["dice"] else None,
            "resigned": (resigned[0], resigned[1], Phase(resigned[2])) if resigned else None,
            "results": tuple(
                GameResult(number, _pair(start), winner, WinKind(kind), cube, points, crawford)
                for number, start, winner, kind, cube, points, crawford in data["results"]
            ),
            "flag_rule": FlagRule(data["flag_rule"]),
            "adjourned_in": Phase(data["adjourned_in"]) if data["adjourned_in"] else None,
            "ending": WinKind(data["ending"]) if data["ending"] else None,
        }
    )


def _clock_data(clock: Clock) -> Data:
    return {"settings": list(clock.settings), "sides": [[*side] for side in clock.sides]}


def _clock(data: Data) -> Clock:
    first, second = (
        SideClock(delay, bank, overtime, since, tuple((start, end) for start, end in vacation))
        for delay, bank, overtime, since, vacation in data["sides"]
    )
    return Clock(ClockSettings(*data["settings"]), (first, second))
