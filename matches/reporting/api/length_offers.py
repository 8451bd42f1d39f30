"""API views with which the players of a match at a table agree on a shorter length."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches import access
from matches.access import MatchSeat, side_of
from matches.api_access import LINK, seat_of
from matches.lifecycle.events import events
from matches.lifecycle.length_offers import Answered, Offered
from matches.lifecycle.where import where_is
from matches.models.matches import LONGEST_MATCH
from matches.play.whereabouts import facts_of
from matches.presentation.visibility import NOBODY
from matches.reporting.running import running_score
from matches.reporting.serializers import Score
from matches.reporting.shorter import may_offer
from players.accounts.api import validated
from players.accounts.serializers import PROBLEM

ERRORS = {401: PROBLEM, 404: PROBLEM, 409: PROBLEM, 422: PROBLEM}


class LengthOfferSerializer(serializers.Serializer[Any]):
    """A shorter length that is on offer."""

    offer = serializers.IntegerField(help_text="Its number, which an answer names.")
    length = serializers.IntegerField()
    side = serializers.IntegerField(allow_null=True, help_text="Who offers it; null: the director.")
    agreed = serializers.ListField(child=serializers.IntegerField(), help_text="The sides that agree to it.")


class MatchLengthSerializer(serializers.Serializer[Any]):
    """The length of a match, and what is on offer."""

    length = serializers.IntegerField()
    offer = LengthOfferSerializer(allow_null=True)
    may_offer = serializers.BooleanField(help_text="Whether its players can offer a shorter length by themselves.")


class OfferingSerializer(serializers.Serializer[Any]):
    """A shorter length to offer."""

    length = serializers.IntegerField(min_value=1, max_value=LONGEST_MATCH)
    score = Score(help_text="How the match stands; the offer is refused if it stands otherwise.")


class AnsweringSerializer(serializers.Serializer[Any]):
    """The offer that is answered."""

    offer = serializers.IntegerField(min_value=1, max_value=2**63 - 1)


ANSWER = OpenApiExample("An offer", value={"offer": 17}, request_only=True)


class LengthOffers(APIView):
    """The shorter length that is on offer, and offering one."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_length_offer",
        summary="The shorter length that is on offer to the players of a match",
        parameters=[LINK],
        responses={200: MatchLengthSerializer, 401: PROBLEM, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """For the players of the match."""
        return _response(seat_of(request, public_id))

    @extend_schema(
        operation_id="matches_offer_length",
        summary="Offer a shorter length to the other player",
        description=(
            "For matches that are being played at a table, once the event should be over, if it shortens matches then. "
            "The match changes only when the other player agrees, or offers the same length; another length takes the "
            "place of the one on offer."
        ),
        request=OfferingSerializer,
        examples=[OpenApiExample("To 5", value={"length": 5, "score": [4, 2]}, request_only=True)],
        parameters=[LINK],
        responses={200: MatchLengthSerializer, **ERRORS},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The length of the match, and what is on offer then."""
        seat = seat_of(request, public_id)
        fields = validated(OfferingSerializer, request)
        left, right = fields["score"]
        return _record(seat, Offered(seat.match, side_of(seat), fields["length"], (left, right)))


class AcceptLength(APIView):
    """Agreeing to a shorter length."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_accept_length",
        summary="Agree to the shorter length that is on offer",
        request=AnsweringSerializer,
        examples=[ANSWER],
        parameters=[LINK],
        responses={200: MatchLengthSerializer, **ERRORS},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The match has the length as soon as both players agree."""
        seat = seat_of(request, public_id)
        return _record(seat, _answered(request, seat, accepted=True))


class DeclineLength(APIView):
    """Declining a shorter length."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="matches_decline_length",
        summary="Decline the shorter length that is on offer, or withdraw it",
        request=AnsweringSerializer,
        examples=[ANSWER],
        parameters=[LINK],
        responses={200: MatchLengthSerializer, **ERRORS},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """The match keeps its length."""
        seat = seat_of(request, public_id)
        return _record(seat, _answered(request, seat, accepted=False))


def _answered(request: Request, seat: MatchSeat, *, accepted: bool) -> Answered:
    offer = validated(AnsweringSerializer, request)["offer"]
    return Answered(seat.match, side_of(seat), offer, accepted)


def _record(seat: MatchSeat, move: Offered | Answered) -> Response:
    events().record_length(move, by=seat.by, now=timezone.now())
    return _response(seat)


def _response(seat: MatchSeat) -> Response:
    match = access.refetch(seat.match)
    now = timezone.now()
    facts = facts_of([match], NOBODY, now)[match.pk]
    running, where = running_score(match, facts.at_tables), where_is(match, facts)
    offer = running.offer if running is not None else None
    body = {
        "length": match.length,
        "offer": None
        if offer is None
        else {"offer": offer.number, "length": offer.length, "side": offer.side, "agreed": sorted(offer.agreed)},
        "may_offer": running is not None and may_offer(running, where, now),
    }
    return Response(MatchLengthSerializer(body).data)
