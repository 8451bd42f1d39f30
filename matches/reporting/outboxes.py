"""The endpoint of what the players of a match kept without a connection."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from core.repeats import Repeat, repeated
from core.throttle import LIVE_MATCH
from engine.errors import Refused
from matches import access
from matches.access import LINK, MatchSeat, seat_of
from matches.reporting.actions import ACTIONS, MatchAction
from players.actors import Actor
from players.kept.acts import Arrived, Outcome, Seen
from players.kept.api import (
    CODES,
    ERRORS,
    OUTBOX,
    About,
    KeptSerializer,
    OutboxSerializer,
    ReceivedSerializer,
    outbox_data,
    received,
)

KEPT: dict[str, MatchAction] = {action.name: action for action in ACTIONS if action.kept is not None}

_EXAMPLE: dict[str, Any] = {
    "outbox": "k7m2p9x4qbk7m2p9x4qbk7",
    "now": 1795560000000,
    "left": 0,
    "acts": [
        {
            "n": 1,
            "action": "claim",
            "pair": ["7hk2m9qwxz", "p4t8v3n6ys"],
            "fields": {"winner": 0, "points": 4},
            "seen": 3,
            "seen_at": 1795559340000,
            "at": 1795559400000,
            "label": "Bob 7–4 Carol",
        }
    ],
}


def _about(seat: MatchSeat) -> About:
    return About(seat.match.topic, seat.match.club, seat.by)


def arrive(seat: MatchSeat, seen: Seen, by: Actor, now: datetime) -> Arrived:
    """Do an act of a player as its action does, unless the match is not as they saw it.

    Refused: `not_kept`, `kept_unclear`, and what the service refuses.
    """
    act = seen.act
    action = KEPT.get(act.action)
    if action is None or action.kept is None or (seat.side is None and not action.takes_sheet):
        raise Refused("not_kept")
    # What came before it may have changed the match.
    seat = seat._replace(match=access.refetch(seat.match))
    form = action.bind(seat, {**act.fields, "after": act.seen}, now)
    if not set(act.fields) <= set(action.form.base_fields) or not form.is_valid():
        raise Refused("kept_unclear")
    if (changed := action.kept.assumed(form, seen, now)) is not None:
        return changed
    done = (action.kept.run or action.run)(form, by=by, now=now)
    return done if isinstance(done, Arrived) else Arrived(Outcome.DONE)


@open_to(get=Who.PLAYERS, post=Who.PLAYERS)
class KeptInMatch(APIView):
    permission_classes = (AllowAny,)
    throttle_classes = LIVE_MATCH
    codes = CODES

    @extend_schema(
        operation_id="matches_kept",
        summary="What a browser needs before it sends what it kept of a match",
        parameters=[LINK, OUTBOX],
        responses={200: OutboxSerializer, **ERRORS},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return how far the outbox has arrived, and the version of the match."""
        seat, now = seat_of(request, public_id, sheet=True), timezone.now()
        name = seat.match.names[seat.side] if seat.side is not None else ""
        return Response(outbox_data(request, _about(seat), name, seat.match.seq, now))

    @extend_schema(
        operation_id="matches_send_kept",
        summary="Send acts that were done without a connection",
        description=(
            "`claim`, `running-score`, `confirm`, `contest` and `seen`, each with the fields of its form. An act is "
            "done only if the match is as its player saw it, and counts from its arrival. An act that was sent before "
            "has its first outcome."
        ),
        request=KeptSerializer,
        examples=[OpenApiExample("Bob won", value=_EXAMPLE, request_only=True)],
        parameters=[LINK],
        responses={200: ReceivedSerializer, **ERRORS},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, public_id: str) -> Response:
        seat = seat_of(request, public_id, sheet=True)

        def arrives(seen: Seen, by: Actor, now: datetime) -> Arrived:
            return arrive(seat, seen, by, now)

        return received(request, _about(seat), arrives, timezone.now())
