"""API of corrections: previewed first, applied in one step, undone the same way."""

from dataclasses import asdict
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from matches.lifecycle.finish import ResultInput
from matches.models import Result
from players.access import Role
from players.models import Player
from tournaments import access
from tournaments.draws.selectors.take_back import round_after
from tournaments.models import Correction, Division, Fixture
from tournaments.prizes.selectors.changes import prize_changes
from tournaments.results.api import correction_serializers as serializers
from tournaments.results.services import corrections as services
from tournaments.standings.changes import ChangeLabels
from tournaments.state.api import AFTER, READ, WRITE, by, read_after, validated, with_etag
from tournaments.state.names import Names, shown
from tournaments.state.preview import Choice, Consequences, CorrectionPreview, FixtureChange, PlaceChange

EXAMPLE = {"winner": 1, "score": [5, 7], "kind": "played", "voided_rated": True}
APPLIED = {**EXAMPLE, "choice": "correct_all", "reason": "Read from the wrong sheet.", "after": 31}
RELATED = ("fixture", "before", "after", "by", "undoes", "undone_by")
"""Relations that `_correction` reads."""


def _result(result: Result | ResultInput | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {"winner": result.winner, "score": list(result.score) if result.score else None, "kind": result.kind}


def _result_input(fields: dict[str, Any]) -> ResultInput:
    score = fields.get("score")
    return ResultInput(fields["winner"], (score[0], score[1]) if score else None, fields["kind"])


def _correction_input(fields: dict[str, Any]) -> services.CorrectionInput:
    return services.CorrectionInput(
        _result_input(fields),
        fields["choice"],
        fields.get("reason", ""),
        fields["voided_rated"],
        fields.get("mark") or None,
    )


def _preview_response(preview: CorrectionPreview) -> Response:
    """Return a preview; its ETag is the `seq` of the division."""
    division = preview.fixture.stage.division
    labels = ChangeLabels(division)
    later_round = round_after(preview.fixture)
    body = {
        "fixture": preview.fixture.public_id,
        "seq": preview.seq,
        "mark": preview.mark,
        "standing": _result(preview.standing),
        "result": _result(preview.new),
        "default": preview.default.value,
        "choices": [_following(choice, following, labels) for choice, following in preview.consequences.items()],
        "round_to_take_back": later_round.round if later_round is not None else None,
    }
    return with_etag(serializers.PreviewSerializer(body).data, preview.seq)


def _following(choice: Choice, following: Consequences, labels: ChangeLabels) -> dict[str, Any]:
    players = Player.objects.in_bulk([change.player for change in following.ratings])
    return {
        "choice": choice.value,
        "fixtures": [_fixture(change, labels) for change in following.changes],
        "places": [_place(change, labels.names) for change in following.places],
        "ratings": [
            {
                "player": players[change.player].public_id,
                "name": shown(players[change.player], True),
                "before": change.before,
                "after": change.after,
            }
            for change in following.ratings
        ],
        "prizes": [asdict(change) for change in prize_changes(labels.division, following.states)],
    }


def _fixture(change: FixtureChange, labels: ChangeLabels) -> dict[str, Any]:
    return {
        "stage": change.stage,
        "number": change.row.number,
        "fixture": change.row.public_id,
        "before": labels.pair(change.before),
        "after": labels.pair(change.after),
        "voided": _result(change.voided),
        "returns": _result(change.returns),
        "stopped": change.stopped,
    }


def _place(change: PlaceChange, names: Names) -> dict[str, Any]:
    before, after = change.before or (None, None), change.after or (None, None)
    return {
        "stage": change.stage,
        "bracket": change.key,
        "entry": names.entries[change.entry].public_id,
        "name": names.of(change.entry),
        "place_before": before[0],
        "place_after": after[0],
        "points_before": before[1],
        "points_after": after[1],
    }


def _correction(row: Correction) -> dict[str, Any]:
    return {
        "public_id": row.public_id,
        "fixture": row.fixture.public_id,
        "number": row.fixture.number,
        "choice": row.choice,
        "before": _result(row.before),
        "after": _result(row.after),
        "voided_rated": row.voided_rated,
        "changed": row.changed,
        "reason": row.reason,
        "at": row.at,
        "by": str(row.by) if row.by else None,
        "undoes": row.undoes.public_id if row.undoes else None,
        "undone_by": row.undone_by.public_id if hasattr(row, "undone_by") else None,
    }


def _applied_response(fixture: Fixture, correction: Correction | None, code: int = status.HTTP_200_OK) -> Response:
    """Return an applied correction; the ETag is the `seq` of the division."""
    seq = Division.objects.values_list("seq", flat=True).get(stages=fixture.stage_id)
    body = {"correction": None if correction is None else _correction(correction), "seq": seq}
    return with_etag(serializers.CorrectedSerializer(body).data, seq, code)


def _authorised(request: Request, public_id: str, needed: Role) -> Correction:
    """Fetch a correction for a user with this role in the club; 404 if there is none."""
    rows = Correction.objects.select_related(*RELATED)
    row = rows.filter(public_id=public_id).first()
    if row is None:
        raise Http404
    access.fixture_as(request.user, row.fixture.public_id, needed)
    return row


class PreviewCorrection(APIView):
    """What would follow from another result."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_preview",
        summary="What would follow from another result",
        description="For assistants; writes nothing. Send its `seq` and `mark` when applying the correction.",
        request=serializers.NewResultSerializer,
        examples=[OpenApiExample("5–7", value=EXAMPLE, request_only=True)],
        responses={200: serializers.PreviewSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """409 `nothing_to_correct`; 422 `correction_same`."""
        row = access.fixture_as(request.user, fixture, Role.ASSISTANT)
        fields = validated(serializers.NewResultSerializer, request)
        preview = services.preview_correction(
            fixture=row, new=_result_input(fields), voided_rated=fields["voided_rated"]
        )
        return _preview_response(preview)


class Corrections(APIView):
    """The corrections of a fixture."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_list",
        summary="The corrections of a fixture, the newest first",
        responses={200: serializers.CorrectionSerializer(many=True), 403: WRITE[403], **READ},
    )
    def get(self, request: Request, fixture: str) -> Response:
        """For assistants."""
        row = access.fixture_as(request.user, fixture, Role.ASSISTANT)
        rows = row.corrections.select_related(*RELATED)
        bodies = [_correction(correction) for correction in rows]
        return Response(serializers.CorrectionSerializer(bodies, many=True).data)

    @extend_schema(
        operation_id="corrections_apply",
        summary="Correct a result as one step",
        description="For directors. Sending the same correction twice applies it once.",
        parameters=[AFTER],
        request=serializers.NewCorrectionSerializer,
        examples=[OpenApiExample("Correct all", value=APPLIED, request_only=True)],
        responses={200: serializers.CorrectedSerializer, 201: serializers.CorrectedSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """201, or 200 if the result is left unchanged. 409 `stale`, `nothing_to_correct`; 422 `correction_same`."""
        row = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        fields = validated(serializers.NewCorrectionSerializer, request)
        correction = services.apply_correction(
            fixture=row,
            correction=_correction_input(fields),
            after=read_after(request, fields) or 0,
            by=by(request),
            now=timezone.now(),
        )
        return _applied_response(row, correction, status.HTTP_200_OK if correction is None else status.HTTP_201_CREATED)


class OneCorrection(APIView):
    """A correction."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_retrieve",
        summary="A correction that was applied",
        responses={200: serializers.CorrectionSerializer, 403: WRITE[403], **READ},
    )
    def get(self, request: Request, correction: str) -> Response:
        """For assistants."""
        row = _authorised(request, correction, Role.ASSISTANT)
        return Response(serializers.CorrectionSerializer(_correction(row)).data)


class PreviewUndo(APIView):
    """What would follow from undoing a correction."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_undo_preview",
        summary="What would follow from undoing a correction",
        request=None,
        responses={200: serializers.PreviewSerializer, **WRITE},
    )
    def post(self, request: Request, correction: str) -> Response:
        """409 `correction_undone`, `correction_not_last`, `successor_begun`, `round_paired_since`."""
        return _preview_response(services.preview_undo(correction=_authorised(request, correction, Role.ASSISTANT)))


class Undo(APIView):
    """The undo of a correction."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_undo",
        summary="Undo a correction as one step",
        description="For directors. Restores the result before it, and the results that became void with it.",
        parameters=[AFTER],
        request=serializers.SeenSerializer,
        examples=[OpenApiExample("Undo", value={"after": 32, "reason": "It was right."}, request_only=True)],
        responses={201: serializers.CorrectedSerializer, **WRITE},
    )
    def post(self, request: Request, correction: str) -> Response:
        """409 `stale`, `correction_undone`, `correction_not_last`, `successor_begun`, `round_paired_since`."""
        row = _authorised(request, correction, Role.DIRECTOR)
        fields = validated(serializers.SeenSerializer, request)
        undone = services.undo_correction(
            correction=row,
            after=read_after(request, fields) or 0,
            mark=fields.get("mark") or None,
            reason=fields.get("reason", ""),
            by=by(request),
            now=timezone.now(),
        )
        return _applied_response(row.fixture, undone, status.HTTP_201_CREATED)
