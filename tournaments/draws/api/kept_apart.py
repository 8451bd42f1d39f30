"""Two who are not to meet, for directors' programs."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.public_ids import LENGTH
from players.access import Role
from tournaments import access
from tournaments.draws.selectors.kept_apart import pairs_apart
from tournaments.draws.services import kept_apart as services
from tournaments.models import Division, Entry
from tournaments.state.api import READ, WRITE, by, entry_by_public_id, example, validated, with_etag
from tournaments.state.names import names_of

PAIR = example(first="7k2p9wqx4z", second="3hn8rtw2yc")


class ApartSerializer(serializers.Serializer[Any]):
    """Two entries, by their public ids."""

    first = serializers.CharField(max_length=LENGTH)
    second = serializers.CharField(max_length=LENGTH)


def _answer(division: Division, status_: int = status.HTTP_200_OK) -> Response:
    division.refresh_from_db()
    pairs = pairs_apart(division, names_of(division, staff=True))
    told = [{"first": pair.first.public_id, "second": pair.second.public_id} for pair in pairs]
    return with_etag(ApartSerializer(told, many=True).data, division.seq, status_)


def _two(division: Division, request: Request) -> dict[str, Entry]:
    named = validated(ApartSerializer, request)
    return {field: entry_by_public_id(division, public_id, field) for field, public_id in named.items()}


class AllApart(APIView):
    """The pairs of a division that are kept apart."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="kept_apart_list",
        summary="Who is kept apart",
        description="For directors. In rounds these are never paired; a draw keeps them as far apart as can be.",
        responses={200: ApartSerializer(many=True), **READ},
    )
    def get(self, request: Request, division: str) -> Response:
        """The first noted first."""
        return _answer(access.division_as(request.user, division, Role.DIRECTOR))

    @extend_schema(
        operation_id="kept_apart_add",
        summary="Keep two apart",
        description="A draft of the whole draw is discarded; a draft of a round is outdated. Paired rounds stay.",
        request=ApartSerializer,
        examples=PAIR,
        responses={201: ApartSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """The same again changes nothing. 409 `nothing_to_keep_apart`, `draft_in_work`, `not_entered`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        services.keep_apart(**_two(found, request), by=by(request), now=timezone.now())
        return _answer(found, status.HTTP_201_CREATED)


class LetMeet(APIView):
    """A pair that may meet after all."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="kept_apart_take_back",
        summary="Let two meet after all",
        request=ApartSerializer,
        examples=PAIR,
        responses={200: ApartSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, division: str) -> Response:
        """409 `not_kept_apart`, `nothing_to_keep_apart`, `draft_in_work`."""
        found = access.division_as(request.user, division, Role.DIRECTOR)
        services.let_meet(**_two(found, request), by=by(request), now=timezone.now())
        return _answer(found)
