"""API: the public list of a club's commitments, for API clients and mirrors."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from players import access
from tournaments.draws.selectors.commitments import CommitmentLine, commitments_of, lines
from tournaments.draws.serializers import CommitmentSerializer
from tournaments.models import Draw
from tournaments.state.api import READ


def _commitment(line: CommitmentLine) -> dict[str, Any]:
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
    """The seeds a club has committed itself to."""

    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = CommitmentSerializer
    filter_backends = ()

    @extend_schema(
        operation_id="clubs_commitments",
        summary="List the commitments of a club",
        description=(
            "Newest first; published before anything is drawn. Keep a copy: if the number, time or hashes of a "
            "commitment change later, the list was tampered with."
        ),
        responses={200: CommitmentSerializer(many=True), **READ},
    )
    def get(self, request: Request, slug: str) -> Response:
        """One page of the list."""
        page = self.paginate_queryset(commitments_of(access.club(slug)))
        rows = [_commitment(line) for line in lines(page or [])]
        return self.get_paginated_response(CommitmentSerializer(rows, many=True).data)
