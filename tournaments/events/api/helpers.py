"""API: helpers of one event."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.links import absolute_url
from players.access import Role
from tournaments import access
from tournaments.events.api.base import TournamentView
from tournaments.events.selectors.helpers import STATES, helpers_of, state_of
from tournaments.events.services import helpers as services
from tournaments.models import Helper
from tournaments.state.api import READ, WRITE, example, me, validated


class HelperSerializer(serializers.Serializer[Any]):
    """A helper of an event, or an invitation to help."""

    public_id = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    name = serializers.CharField(help_text="The name of the account; empty until the invitation is accepted.")
    email = serializers.CharField(help_text="The address that was invited; empty once the invitation is accepted.")
    added_at = serializers.DateTimeField()
    accepted_at = serializers.DateTimeField(allow_null=True)


class NewHelperSerializer(serializers.Serializer[Any]):
    """Who is invited to help."""

    email = serializers.EmailField(max_length=254)


class InvitedHelperSerializer(HelperSerializer):
    """A new invitation to help, with its link."""

    url = serializers.URLField(help_text="The link of the invitation. It is not shown again.")


def _body(helper: Helper) -> dict[str, Any]:
    return {
        "public_id": helper.public_id,
        "state": state_of(helper, timezone.now()),
        "name": str(helper.user) if helper.user else "",
        "email": helper.email,
        "added_at": helper.added_at,
        "accepted_at": helper.accepted_at,
    }


class Helpers(TournamentView):
    """The helpers of an event."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="tournaments_helpers_list",
        summary="List the helpers of an event",
        responses={200: HelperSerializer(many=True), 403: WRITE[403], **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """For directors: helpers, and invitations that are not accepted."""
        rows = helpers_of(self.get_tournament(Role.DIRECTOR))
        return Response(HelperSerializer([_body(row) for row in rows], many=True).data)

    @extend_schema(
        operation_id="tournaments_helpers_create",
        summary="Invite a helper",
        description="E-mails a link. The response is the same whether or not there is an account with this address.",
        request=NewHelperSerializer,
        examples=example(email="erik@example.org"),
        responses={201: InvitedHelperSerializer, **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """For directors; an earlier link for the same address stops working."""
        tournament = self.get_tournament(Role.DIRECTOR)
        fields = validated(NewHelperSerializer, request)
        throttle.count(throttle.INVITE_BY, str(me(request).pk))
        invited = services.add_helper(
            tournament=tournament,
            link=lambda secret: absolute_url(request, reverse("helping", args=[secret])),
            **self.acting(),
            **fields,
        )
        body = InvitedHelperSerializer({**_body(invited.helper), "url": invited.url}).data
        return Response(body, status=status.HTTP_201_CREATED)


class OneHelper(TournamentView):
    """A helper of an event."""

    @extend_schema(
        operation_id="tournaments_helpers_delete",
        summary="Remove a helper",
        description="Withdraws the invitation if it was not accepted. What the helper recorded stays.",
        responses={204: None, **WRITE},
    )
    def delete(self, request: Request, **kwargs: str) -> Response:
        """For directors."""
        tournament = self.get_tournament(Role.DIRECTOR)
        helper = access.helper_of(tournament, self.kwargs["helper"])
        services.remove_helper(helper=helper, **self.acting())
        return Response(status=status.HTTP_204_NO_CONTENT)
