"""A match played here as its pages and API clients read it."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from core.live.presence import Presence
from engine.actions import Phase
from engine.clock import SECOND, Clock
from engine.cube import Side
from engine.ids import xgid
from engine.legality import step_graph
from engine.match import MatchState
from engine.position import Position
from matches.models import Action, DiceChain, LiveMatch
from matches.play.codec import from_data
from matches.play.instants import from_ms
from matches.play.live import LiveState
from matches.play.services import absences, lag

Json = dict[str, Any]
MOST_ACTIONS = 500
"""Of one answer; a reader that is further behind asks again."""


def as_json(live: LiveMatch, *, side: Side | None, since: int, now: datetime) -> Json:
    """Where a match stands, and its actions after number `since`; for a side also what it may do.

    The step graph of a roll is for its mover alone.
    """
    state = from_data(live.state)
    match = state.match
    absence = _absence_json(state, now)
    return {
        "last": live.last,
        "changed_by": live.changed_by,
        "now": now,
        "phase": match.phase.value,
        "turn": match.turn,
        "to_act": match.to_act,
        "length": match.length,
        "score": list(match.score),
        "game": match.game,
        "crawford": match.crawford,
        "cube": {"value": match.cube, "owner": match.cube_owner},
        "dice": list(match.dice) if match.dice else None,
        "checkers": None if match.is_over else list(seen_by_left(match).counts),
        "xgid": None if match.is_over else xgid(match),
        "winner": match.winner,
        "resigned": {"side": match.resigned[0], "multiple": match.resigned[1]} if match.resigned else None,
        "ready": list(state.ready),
        "pauses": list(state.pauses),
        "paused_until": from_ms(state.paused_until) if state.paused_until is not None else None,
        "clock": _clock_json(state.clock) if state.clock else None,
        "due_at": live.due_at,
        "presence": [_presence_json(seen) for seen in absences.side_presences(live.match.public_id, now)],
        "absence": absence,
        "lag": list(lag.possible_credits(live.pk)),
        "ping": lag.new_ping(live.pk, side, timezone.now()) if side is not None and not match.is_over else None,
        "chains": [_chain_json(chain) for chain in live.chains.order_by("owner", "number")],
        "actions": [
            _action_json(action) for action in live.actions.filter(seq__gt=since).order_by("seq")[:MOST_ACTIONS]
        ],
        "my_side": side,
        "may": _may(match, side) + (["claim_away"] if _may_claim(absence, side) else []),
        "graph": _graph(match) if side is not None and side == match.turn and match.phase is Phase.TO_PLAY else None,
    }


def seen_by_left(match: MatchState) -> Position:
    """The position of a match in play as side 0 sees it."""
    return match.position.swapped() if match.turn == 1 else match.position


def _may(match: MatchState, side: Side | None) -> list[str]:
    """The acts that a side may do now; an empty list for a viewer."""
    if side is None or match.is_over:
        return []
    acts = match.legal_actions()
    if side != match.to_act and match.phase is not Phase.OPENING:
        acts = acts & {act for act in acts if act.value in ("concede", "claim_flag")}
    return sorted(act.value for act in acts)


def _graph(match: MatchState) -> list[Json]:
    """Every legal step on the way to a legal play: nodes with edges of (die, from, to, hits, next node)."""
    assert match.dice is not None  # noqa: S101, true in this phase
    return [
        {
            "complete": node.complete,
            "edges": [
                {
                    "die": edge.step.die,
                    "from": edge.step.source,
                    "to": edge.step.target,
                    "hits": edge.step.hit,
                    "node": edge.node,
                }
                for edge in node.edges
            ],
        }
        for node in step_graph(match.position, match.dice)
    ]


def _clock_json(clock: Clock) -> Json:
    """The clock in milliseconds; `running_since` is a time, and may lie ahead."""
    return {
        "delay": clock.settings.delay,
        "correspondence": clock.settings.correspondence,
        "sides": [
            {
                "delay": side.delay,
                "bank": side.bank,
                "overtime": side.overtime,
                "vacation": [[from_ms(start), from_ms(end)] for start, end in side.vacation],
                "running_since": from_ms(side.running_since) if side.running_since is not None else None,
            }
            for side in clock.sides
        ],
    }


def _presence_json(seen: Presence) -> Json:
    since = from_ms(int(seen.since * SECOND)) if seen.since is not None else None
    return {"online": seen.online, "since": since, "closed": seen.closed}


def _absence_json(state: LiveState, now: datetime) -> Json | None:
    """The countdown of the side that is away while the match waits for it; None where there is no countdown."""
    limits = absences.limits()
    for side, absence in enumerate(state.absences):
        claim_at = absence.claim_at(limits)
        if claim_at is not None and state.waits_for(side):
            return {
                "side": side,
                "closed": absence.page_closed,
                "claim_at": from_ms(claim_at),
                "may_claim": from_ms(claim_at) <= now,
            }
    return None


def _may_claim(absence: Json | None, side: Side | None) -> bool:
    return absence is not None and side is not None and side != absence["side"] and bool(absence["may_claim"])


def _chain_json(chain: DiceChain) -> Json:
    return {
        "owner": chain.owner,
        "number": chain.number,
        "anchor": chain.anchor,
        "used": chain.used,
        "latest": chain.latest,
        "kept_by_server": chain.kept_by_server,
    }


def _action_json(action: Action) -> Json:
    return {
        "seq": action.seq,
        "kind": action.kind,
        "side": action.side,
        "at": action.at,
        "data": action.data,
        "credit": action.credit,
    }
