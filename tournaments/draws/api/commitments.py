"""The public list of a club's commitments, for API clients and mirrors."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from players import access
from tournaments.draws.selectors.commitments import FATES, CommitmentLine, commitments_of, lines
from tournaments.models import Draw
from tournaments.state.api import READ


class CommittedDraftSerializer(serializers.Serializer[Any]):
    """A draft drawn from a commitment."""

    number = serializers.IntegerField()
    round = serializers.IntegerField(help_text="The round that is paired; 0: the whole stage.")
    state = serializers.ChoiceField(Draw.State.choices)
    seen = serializers.BooleanField(help_text="Whether it was made, so that directors could look at it.")
    reason = serializers.CharField(help_text="Why it was drawn again; empty for a first draft.")
    made_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    taken_back_at = serializers.DateTimeField(allow_null=True)
    taken_back_reason = serializers.CharField()


class CommitmentSerializer(serializers.Serializer[Any]):
    """A line of the list. Lines are never removed; only what became of them changes."""

    number = serializers.IntegerField(help_text="Counted through the club without gaps, from 1.")
    at = serializers.DateTimeField()
    tournament = serializers.CharField(help_text="Public id of the event.")
    tournament_name = serializers.CharField()
    division = serializers.CharField(help_text="Public id.")
    division_name = serializers.CharField()
    stage = serializers.IntegerField()
    seed_hash = serializers.CharField(help_text="SHA-256 of the bytes of the seed that drafts are drawn from.")
    lots_hash = serializers.CharField(help_text="The same of the seed for lots drawn after the draw.")
    fate = serializers.ChoiceField(list(FATES))
    ended_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField(help_text="Why its draw was taken back.")
    seed = serializers.CharField(allow_null=True, help_text="Null while it is secret.")
    lots_seed = serializers.CharField(allow_null=True, help_text="Null while it is secret.")
    drafts = CommittedDraftSerializer(many=True)
    draws = serializers.CharField(help_text="Where the published draws of the division can be read.")


def _body(line: CommitmentLine) -> dict[str, Any]:
    row = line.commitment
    return {
        "number": row.number,
        "at": row.at,
        "tournament": row.division.tournament.public_id,
        "tournament_name": row.division.tournament.name,
        "division": row.division.public_id,
        "division_name": row.division.name,
        "stage": row.stage_number,
        "seed_hash": row.seed_hash,
        "lots_hash": row.lots_hash,
        "fate": line.fate,
        "ended_at": line.ended_at,
        "reason": row.reason,
        "seed": line.seed,
        "lots_seed": line.lots_seed,
        "drafts": [_draft(draft) for draft in line.drafts],
        "draws": reverse("api-draws", args=[row.division.public_id]),
    }


def _draft(draft: Draw) -> dict[str, Any]:
    return {
        "number": draft.number,
        "round": draft.round,
        "state": draft.state,
        "seen": bool(draft.places),
        "reason": draft.reason,
        "made_at": draft.made_at,
        "published_at": draft.published_at,
        "taken_back_at": draft.taken_back_at,
        "taken_back_reason": draft.taken_back_reason,
    }


class Commitments(generics.GenericAPIView[Any]):
    """The seeds a club committed itself to."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = CommitmentSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="clubs_commitments",
        summary="The commitments of a club",
        description=(
            "Published before anything is drawn; the newest first. Keep a copy: a line that changes its number, its "
            "time or its hashes afterwards has been tampered with."
        ),
        parameters=[OpenApiParameter("page", int), OpenApiParameter("page_size", int)],
        responses={200: CommitmentSerializer(many=True), **READ},
    )
    def get(self, request: Request, slug: str) -> Response:
        """A page of the list."""
        page = self.paginate_queryset(commitments_of(access.club(slug)))
        body = [_body(line) for line in lines(page or [])]
        return self.get_paginated_response(CommitmentSerializer(body, many=True).data)
