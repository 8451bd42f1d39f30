"""The costliest decision of a player in a match that is over, to be made again for practice and then compared."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.translation import gettext, pgettext
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from engine import parse_play, parse_xgid
from engine.cube import doubled
from engine.errors import Refused
from engine.keys import OFF
from engine.match import MatchState
from engine.position import Position
from matches import access
from matches.access import match_url
from matches.analysis import labels
from matches.analysis.access import seen_with_subject
from matches.analysis.match_analysis import place, worst_decision
from matches.analysis.values import CubeAction
from matches.models import Decision
from matches.play.api import graph_json
from matches.play.page import THEMES
from matches.play.preferences import preferences_json
from matches.play.public_state import game_json
from matches.records.replays import event_path

FAR_BAR = 0
"""Where a position has the opponent's checkers on the bar."""


@dataclass(frozen=True, slots=True)
class JudgedChoice:
    """One way to decide, as the analysis judged it."""

    code: str
    """What the page compares the reader's decision with: a cube action, or the position a play leads to."""
    text: str
    """In notation, or in words."""
    lost: str
    """Equity lost; empty for the best choice."""
    was_played: bool


@never_cache
@open_to(get=Who.EVERYBODY)
def match_again(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """The page for a player of the match. Raise Http404 for others, and where there is nothing to try again."""
    seat = access.match_for_link(token) if token else access.match_for_player(request.user, public_id)
    subject, seen = seen_with_subject(seat.match, request.user)
    decision = worst_decision(seen, seat.side) if seen is not None and seat.side is not None else None
    if seen is None or decision is None:
        raise Http404
    try:
        state = parse_xgid(decision.xgid)
    except Refused:
        raise Http404 from None
    own, opponent = seat.match.names if seat.side == 0 else seat.match.names[::-1]
    context = {
        "match": seat.match,
        "place": place(decision),
        "question": _question(decision, state, opponent),
        "actions": _cube_actions(decision, state),
        "choices": choices_of(decision, state),
        "program": labels.program(seen.analysis),
        "settings": _settings(request, decision, state, (own, opponent)),
        "replay_url": event_path(subject.replay_url, decision.game, decision.event),
        "back": match_url(seat),
    }
    return render(request, "matches/play/again.html", context)


def _question(decision: Decision, state: MatchState, opponent: str) -> str:
    if decision.kind == Decision.Kind.PLAY and state.dice is not None:
        return gettext("How do you play {roll}?").format(roll="-".join(map(str, sorted(state.dice, reverse=True))))
    if decision.kind == Decision.Kind.TAKE:
        return gettext("{name} doubles to {cube}.").format(name=opponent, cube=doubled(state.cube))
    return gettext("Double to {cube}?").format(cube=doubled(state.cube))


def _cube_actions(decision: Decision, state: MatchState) -> list[tuple[str, str]]:
    """The buttons of a cube decision: codes with labels; empty for a play."""
    if decision.kind == Decision.Kind.PLAY:
        return []
    if decision.kind == Decision.Kind.TAKE:
        return [(CubeAction.DROP.value, gettext("Pass")), (CubeAction.TAKE.value, gettext("Take"))]
    double_label = gettext("Double to {cube}").format(cube=doubled(state.cube))
    return [(CubeAction.DOUBLE.value, double_label), (CubeAction.NO_DOUBLE.value, pgettext("verb", "Roll"))]


def choices_of(decision: Decision, state: MatchState) -> list[JudgedChoice]:
    """The ways to decide that were judged, the best first."""
    if decision.kind == Decision.Kind.PLAY:
        plays = [(code_of(state.position, each["play"]), each["play"], each["equity"]) for each in decision.candidates]
        judged = [(code, play, equity, play == decision.played) for code, play, equity in plays if code]
    else:
        words = {**dict(_cube_actions(decision, state)), CubeAction.NO_DOUBLE.value: gettext("No double")}
        judged = [(code, words[code], equity, code == decision.played) for code, equity in _cube_equities(decision)]
    best = max((equity for _, _, equity, _ in judged), default=0.0)
    return [
        JudgedChoice(code, text, labels.number(equity - best, 3) if equity < best else "", was_played)
        for code, text, equity, was_played in sorted(judged, key=lambda each: -each[2])
    ]


def _cube_equities(decision: Decision) -> list[tuple[str, float]]:
    """The equity of each cube action, seen by the side that decides."""
    no_double, take, drop = decision.no_double or 0.0, decision.double_take or 0.0, decision.double_pass or 0.0
    if decision.kind == Decision.Kind.TAKE:
        return [(CubeAction.TAKE.value, -take), (CubeAction.DROP.value, -drop)]
    return [(CubeAction.DOUBLE.value, min(take, drop)), (CubeAction.NO_DOUBLE.value, no_double)]


def code_of(position: Position, play: str) -> str:
    """The 26 counts after a play, as the player sees them, joined by commas; empty for a play that cannot be read."""
    counts = list(position.counts)
    try:
        ways = parse_play(play)
    except Refused:
        return ""
    for way in ways:
        for source, target in pairwise(way):
            counts[source] -= 1
            if target == OFF:
                continue
            if counts[target] == -1:
                counts[target] = 0
                counts[FAR_BAR] -= 1
            counts[target] += 1
    return ",".join(map(str, counts))


def _settings(request: HttpRequest, decision: Decision, state: MatchState, names: tuple[str, str]) -> dict[str, Any]:
    """What the script of the page needs; the reader sits at the bottom, and is the first of the `names`."""
    is_play = decision.kind == Decision.Kind.PLAY
    return {
        "side": decision.side,
        # By side of the position.
        "names": names if decision.side == 0 else names[::-1],
        "state": game_json(state),
        "graph": graph_json(state) if is_play and state.dice is not None else None,
        "counts": list(state.position.counts),
        "preferences": preferences_json(request.user),
        "themes": {name: static(f"matches/board/themes/{name}.css") for name in THEMES},
    }
