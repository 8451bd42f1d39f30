"""API with which directors shorten single matches, or propose that to their players."""

from typing import Any, ClassVar

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import exceptions, serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches.models.matches import LONGEST_MATCH
from players.access import Role
from tournaments import access
from tournaments.floor import selectors
from tournaments.floor.api.floor import FloorMatchSerializer, match_body
from tournaments.floor.services import closing, length_offers
from tournaments.models import Fixture, FloorEvent, FloorKind
from tournaments.state.api import WRITE, by, example, validated


class ShortenSerializer(serializers.Serializer[Any]):
    """A shorter length to which both players have agreed."""

    length = serializers.IntegerField(min_value=1, max_value=LONGEST_MATCH)
    agreed = serializers.BooleanField(help_text="That both players agree; must be true.")

    def validate_agreed(self, value: bool) -> bool:
        """Refuse anything but consent."""
        if not value:
            raise exceptions.ValidationError(_("Only if both players agree."), code="required")
        return value


class ProposeLengthSerializer(serializers.Serializer[Any]):
    """A shorter length to propose to both players."""

    length = serializers.IntegerField(min_value=1, max_value=LONGEST_MATCH)


class WithdrawLengthSerializer(serializers.Serializer[Any]):
    """The offer to withdraw."""

    offer = serializers.IntegerField(min_value=1, max_value=2**63 - 1)


class TakeBackLengthSerializer(serializers.Serializer[Any]):
    """The fact that shortened the match, as `shortened.fact` has it."""

    fact = serializers.IntegerField(min_value=1, max_value=2**63 - 1)


class _MatchAction(APIView):
    """Base of what a director does with the length of a match; the answer is the match as it then stands."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class: ClassVar[type[serializers.Serializer[Any]]]

    def post(self, request: Request, fixture: str) -> Response:
        """Authorise, validate, act."""
        row = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        self.act(request, row, validated(self.serializer_class, request))
        view = selectors.floor(row.stage.division.tournament, timezone.now())
        return Response(FloorMatchSerializer(match_body(view.matches[row.pk])).data)

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Call the service with the validated fields."""
        raise NotImplementedError


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_shorten",
        summary="Shorten a match to which both players have agreed",
        description="For directors. Repeating it changes nothing.",
        request=ShortenSerializer,
        examples=example(length=5, agreed=True),
        responses={200: FloorMatchSerializer, **WRITE},
    )
)
class Shorten(_MatchAction):
    """A shorter length, at once."""

    serializer_class = ShortenSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Shorten it."""
        closing.shorten(fixture=fixture, length=fields["length"], by=by(request), now=timezone.now())


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_take_back_length",
        summary="Give a match the length back that it had before it was shortened, whoever shortened it",
        description="For directors. Repeating it changes nothing.",
        request=TakeBackLengthSerializer,
        examples=example(fact=17),
        responses={200: FloorMatchSerializer, **WRITE},
    )
)
class TakeBackLength(_MatchAction):
    """The length that a match had before."""

    serializer_class = TakeBackLengthSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Take it back; 422 for a fact that did not shorten this match."""
        facts = FloorEvent.objects.filter(fixture=fixture, kind=FloorKind.SHORTENED)
        event = facts.filter(pk=fields["fact"]).first()
        if event is None:
            raise exceptions.ValidationError({"fact": [_("This match was not shortened then.")]}, code="unknown")
        closing.take_back_length(fixture=fixture, event=event, by=by(request), now=timezone.now())


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_propose_length",
        summary="Propose a shorter length to both players of a match that is being played",
        description="For directors. It takes the place of what is on offer; the match changes once both agree.",
        request=ProposeLengthSerializer,
        examples=example(length=5),
        responses={200: FloorMatchSerializer, **WRITE},
    )
)
class ProposeLength(_MatchAction):
    """A shorter length that needs both players."""

    serializer_class = ProposeLengthSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Propose it."""
        length_offers.propose_length(fixture=fixture, length=fields["length"], by=by(request), now=timezone.now())


@extend_schema_view(
    post=extend_schema(
        operation_id="fixtures_withdraw_length",
        summary="Withdraw the length that is on offer, whoever offers it",
        description="For directors. Repeating it changes nothing.",
        request=WithdrawLengthSerializer,
        examples=example(offer=17),
        responses={200: FloorMatchSerializer, **WRITE},
    )
)
class WithdrawLength(_MatchAction):
    """The end of an offer."""

    serializer_class = WithdrawLengthSerializer

    def act(self, request: Request, fixture: Fixture, fields: dict[str, Any]) -> None:
        """Withdraw it."""
        length_offers.decline_length(
            fixture=fixture, side=None, offer=fields["offer"], by=by(request), now=timezone.now()
        )
