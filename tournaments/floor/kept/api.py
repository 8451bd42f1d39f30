"""The endpoint of what the staff and the helpers of an event did without a connection."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from core.repeats import Repeat, repeated
from players.kept.api import CODES, ERRORS, KeptSerializer, ReceivedSerializer, received
from tournaments import access
from tournaments.floor.kept.arrival import arrival_at
from tournaments.floor.kept.going_on import about_event
from tournaments.state.api import by

_EXAMPLE: dict[str, Any] = {
    "outbox": "k7m2p9x4qbk7m2p9x4qbk7",
    "now": 1795560000000,
    "left": 0,
    "acts": [
        {
            "n": 1,
            "action": "result",
            "fixture": "k7m2p9x4qa",
            "pair": ["7hk2m9qwxz", "p4t8v3n6ys"],
            "fields": {"winner": 0, "points": 4},
            "seen": 117,
            "seen_at": 1795559340000,
            "at": 1795559400000,
            "label": "M12 · Ann 7–4 Bea",
        }
    ],
}


@open_to(post=Who.HELPERS)
class KeptAtEvent(APIView):
    """What the staff of an event do without a connection."""

    codes = CODES

    @extend_schema(
        operation_id="tournaments_send_kept",
        summary="Send acts that were done without a connection",
        description=(
            "For assistants and helpers. `start`, `move`, `score`, `result`, `here`, `away` and `note`, each with the "
            "fields of its form, and `undo` with `of`, the number of an earlier act of the same outbox. An act is done "
            "only if what its reader saw still holds; otherwise nothing changes, and it waits for a decision. An act "
            "that was sent before has its first outcome."
        ),
        request=KeptSerializer,
        examples=[OpenApiExample("Ann won", value=_EXAMPLE, request_only=True)],
        responses={200: ReceivedSerializer, **ERRORS},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, tournament: str) -> Response:
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        return received(request, about_event(event, by(request)), arrival_at(event), timezone.now())
