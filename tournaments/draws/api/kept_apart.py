"""API: pairs of entries that are kept apart, for directors."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from players.access import Role
from tournaments.draws.selectors.kept_apart import pairs_apart
from tournaments.draws.serializers import ApartSerializer
from tournaments.draws.services import kept_apart as services
from tournaments.events.api.base import DivisionView
from tournaments.models import Division
from tournaments.state.api import READ, WRITE, entry_by_public_id, example, validated, with_etag
from tournaments.state.names import names_of

PAIR = example(first="7k2p9wqx4z", second="3hn8rtw2yc")


class KeptApartView(DivisionView):
    """Base of the endpoints about pairs; each answers with all pairs of the division."""

    def pair_arguments(self, request: Request, division: Division) -> dict[str, Any]:
        """Return the arguments of a service: the two entries in the body, and who acts when."""
        fields = validated(ApartSerializer, request)
        entries = {field: entry_by_public_id(division, public_id, field) for field, public_id in fields.items()}
        return {**entries, **self.acting()}

    def pairs_response(self, division: Division, status_code: int = status.HTTP_200_OK) -> Response:
        """Return all pairs, with the ETag of the division."""
        division.refresh_from_db()
        pairs = pairs_apart(division, names_of(division, staff=True))
        rows = [{"first": pair.first.public_id, "second": pair.second.public_id} for pair in pairs]
        return with_etag(ApartSerializer(rows, many=True).data, division.seq, status_code)


class AllApart(KeptApartView):
    """The pairs of a division that are kept apart."""

    @extend_schema(
        operation_id="kept_apart_list",
        summary="List pairs that are kept apart",
        description="For directors. They are never paired in a round; a draw keeps them as far apart as possible.",
        responses={200: ApartSerializer(many=True), **READ},
    )
    def get(self, request: Request, **kwargs: str) -> Response:
        """Oldest first."""
        return self.pairs_response(self.get_division(Role.DIRECTOR))

    @extend_schema(
        operation_id="kept_apart_add",
        summary="Keep two entries apart",
        description=(
            "A draft of the whole draw is discarded, a draft of a round becomes outdated. Paired rounds do not change."
        ),
        request=ApartSerializer,
        examples=PAIR,
        responses={201: ApartSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """Repeating it changes nothing. 409 `nothing_to_keep_apart`, `draft_in_work`, `not_entered`."""
        division = self.get_division(Role.DIRECTOR)
        services.keep_apart(**self.pair_arguments(request, division))
        return self.pairs_response(division, status.HTTP_201_CREATED)


class LetMeet(KeptApartView):
    """A pair that may meet again."""

    @extend_schema(
        operation_id="kept_apart_take_back",
        summary="Let two entries meet again",
        request=ApartSerializer,
        examples=PAIR,
        responses={200: ApartSerializer(many=True), **WRITE},
    )
    def post(self, request: Request, **kwargs: str) -> Response:
        """409 `not_kept_apart`, `nothing_to_keep_apart`, `draft_in_work`."""
        division = self.get_division(Role.DIRECTOR)
        services.let_meet(**self.pair_arguments(request, division))
        return self.pairs_response(division)
