"""API: a player's personal link for an event."""

from functools import partial

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core.links import absolute_url
from core.requests import parse_int
from players.access import Role
from tournaments.entries.selectors.event_links import link_of, link_to_hand_out
from tournaments.entries.serializers import EventLinkSerializer
from tournaments.entries.services.event_links import revoke_event_link
from tournaments.events.api.base import EntryView
from tournaments.state.api import READ, WRITE, by


class EventLinkView(EntryView):
    """The personal link of the player of an entry."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="entries_link",
        summary="Get the personal link of a player for the event: for the player and those who run the event",
        description="Whoever has the link can check the player in and report their matches. Directors do not get "
        "their opponent's while somebody else can hand it out (`link_of_opponent`).",
        responses={200: EventLinkSerializer, **READ, **WRITE},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """For assistants and the player."""
        link = link_to_hand_out(self.get_entry(Role.ASSISTANT), by(request), partial(absolute_url, request))
        return Response(EventLinkSerializer({"url": link.url, "generation": link.generation}).data)

    @extend_schema(
        operation_id="entries_revoke_link",
        summary="Revoke the personal link of a player for the event, and those of all its matches",
        description="QR codes already printed will stop working. There are new links at once.",
        request=None,
        parameters=[OpenApiParameter("generation", OpenApiTypes.INT, description="Revokes only this generation.")],
        responses={204: None, **WRITE},
    )
    def delete(self, request: Request, **kwargs: str) -> Response:
        """For assistants and the player."""
        entry = self.get_entry(Role.ASSISTANT)
        current = link_of(entry, partial(absolute_url, request)).generation
        generation = parse_int(request.query_params.get("generation"), current)
        revoke_event_link(entry=entry, generation=generation, by=by(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
