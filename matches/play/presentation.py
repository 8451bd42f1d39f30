"""A match played here as its pages and API clients read it."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from core.live import audience
from core.live.presence import UNKNOWN, Presence
from engine.actions import Act, Phase
from engine.clock import SECOND
from engine.cube import Side
from engine.legality import step_graph
from engine.match import MatchState
from matches.lifecycle.arrivals import claimable_from_call
from matches.models import Action, Match
from matches.play.dice_export import armings_up_to
from matches.play.instants import from_ms
from matches.play.live import EventKind, LiveState
from matches.play.public_state import Json, action_json, chain_json, chains_of, invitation_json, may_do, public_json
from matches.play.services import absences, lag
from matches.play.services.chains import armings_of
from matches.play.topics import topic_of
from matches.play.watching.delay import Watched

MOST_ACTIONS = 500
"""Of one answer; a reader that is further behind asks again."""


def as_json(
    watched: Watched,
    *,
    since: int,
    latest: Sequence[Action] = (),
    lag_credits: tuple[int, int] | None = None,
    presences: Sequence[Presence] | None = None,
) -> Json:
    """Where a match stands for its reader, and its actions after number `since`; for a side also what it may do.

    `latest` are actions that have just been added; they are not read again if the reader misses only those. Nor are
    `lag_credits` and the `presences` of the sides where they are given. The step graph of a roll is for its mover
    alone. Spectators do not see who is there, nor anybody's lag.
    """
    live, state, now = watched.live, watched.state, watched.at
    is_all = bool(latest) and (latest[0].seq - 1, latest[-1].seq) == (since, watched.last)
    # Before the chains, so that no roll is listed without its chain.
    actions = latest if is_all else visible_actions(watched, since)[:MOST_ACTIONS]
    actions_json = [action_json(action) for action in actions]
    chains = _chains_json(watched)
    return {
        "seq": watched.last if watched.is_behind else live.match.seq,
        "last": watched.last,
        "changed_by": watched.last if watched.is_behind else live.changed_by,
        "now": now,
        **public_json(live, state),
        "due_at": _due_at(watched),
        "is_called_off": live.match.state == Match.State.VOID,
        "invitation": _invitation_json(watched),
        "presence": [_presence_json(presence) for presence in presences or _presences(watched)],
        "lag": _lag_json(watched, lag_credits),
        "chains": chains,
        "armings": _armings_json(watched, chains),
        "actions": actions_json,
        **_side_json(watched),
        "topic": topic_of(watched),
        "spectators": audience.size(live.match.public_id),
        "is_behind": watched.is_behind,
    }


def _lag_json(watched: Watched, lag_credits: tuple[int, int] | None) -> list[int]:
    """What each side would be given back for an action now; nothing for spectators."""
    if not watched.is_insider:
        return [0, 0]
    return list(lag.lag_of(watched.live.pk).possible_credits if lag_credits is None else lag_credits)


def _side_json(watched: Watched) -> Json:
    """What the reader's own side may do, and what it needs for that."""
    side, match = watched.side, watched.state.match
    absence = _absence_json(watched.state, watched.at) if watched.is_insider else None
    plays = side is not None and not match.is_over
    may = may_do(watched.state, side) if watched.live.match.state == Match.State.LIVE else []
    return {
        "my_side": side,
        "may": may + (["claim_away"] if _may_claim(absence, side) else []),
        "absence": absence,
        "ping": lag.new_ping(watched.live.pk, side, timezone.now()) if side is not None and plays else None,
        "graph": _graph(match) if plays and side == match.turn and match.phase is Phase.TO_PLAY else None,
    }


def visible_actions(watched: Watched, since: int = 0) -> QuerySet[Action]:
    """The actions after number `since` that the reader may see."""
    return watched.live.actions.filter(seq__gt=since, seq__lte=watched.last).order_by("seq")


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


def _invitation_json(watched: Watched) -> Json | None:
    """Until when a side may still come to the board, or that it is closed; None once both have come."""
    state = watched.live.match.state
    if not watched.state.is_invitation or state == Match.State.SETTLED:
        return None
    claim_from = claimable_from_call(watched.live.match, watched.side) if watched.side is not None else None
    return invitation_json(watched.live, claim_from)


def _may_claim(absence: Json | None, side: Side | None) -> bool:
    return absence is not None and side is not None and side != absence["side"] and bool(absence["may_claim"])


def _due_at(watched: Watched) -> datetime | None:
    """When a flag falls or a pause ends, as the reader sees it."""
    if not watched.is_behind:
        return watched.live.due_at
    due = watched.state.due_at()
    return from_ms(due) if due is not None else None


def _presences(watched: Watched) -> list[Presence]:
    if not watched.is_insider:
        return [UNKNOWN, UNKNOWN]
    return absences.side_presences(watched.live.match.public_id, watched.at)


def _chains_json(watched: Watched) -> list[Json]:
    """The chains as the reader sees them; a spectator who is behind gets no link ahead of the roll they see."""
    chains = chains_of(watched.live)
    if not watched.is_behind:
        return [chain_json(chain) for chain in chains]
    latest: dict[tuple[str, int], Json] = {}
    for data in (
        visible_actions(watched).filter(kind__in=(Act.ROLL, Act.PLAY, EventKind.READY)).values_list("data", flat=True)
    ):
        for link in [*data.get("links", ()), data.get("link"), data.get("server")]:
            if link is not None:
                latest[link["owner"], link["chain"]] = link
    for chain in chains:
        last = latest.get((chain.owner, chain.number))
        chain.used, chain.latest = (last["number"], last["link"]) if last is not None else (0, chain.anchor)
    return [chain_json(chain) for chain in chains if chain.committed_at <= watched.at]


def _armings_json(watched: Watched, chains: Sequence[Json]) -> list[Json]:
    """When which chains were armed, as far as the reader sees the links of `chains`."""
    armings = armings_of(watched.live)
    if watched.is_behind:
        shown = {(chain["owner"], chain["number"]) for chain in chains}
        reveals = Counter({chain["owner"]: 0 for chain in chains})
        for chain in chains:
            reveals[chain["owner"]] += chain["used"]
        armings = list(armings_up_to(armings, shown, reveals))
    return [arming._asdict() for arming in armings]
