"""Corrections for programs: looked at first, applied as one step, undone the same way."""

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
from tournaments.results.api import correction_serializers as shapes
from tournaments.results.services import corrections as services
from tournaments.standings.changes import ChangeLabels
from tournaments.state.api import AFTER, READ, WRITE, by, read_after, validated, with_etag
from tournaments.state.names import Names, shown
from tournaments.state.preview import Choice, Consequences, CorrectionPreview, FixtureChange, PlaceChange

EXAMPLE = {"winner": 1, "score": [5, 7], "kind": "played", "voided_rated": True}
APPLIED = {**EXAMPLE, "choice": "correct_all", "reason": "Read from the wrong sheet.", "after": 31}
TOLD = ("fixture", "before", "after", "by", "undoes", "undone_by")
"""What is labels of a correction besides its own row."""


def _result(result: Result | ResultInput | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {"winner": result.winner, "score": list(result.score) if result.score else None, "kind": result.kind}


def _new(fields: dict[str, Any]) -> ResultInput:
    score = fields.get("score")
    return ResultInput(fields["winner"], (score[0], score[1]) if score else None, fields["kind"])


def _previewed(preview: CorrectionPreview) -> Response:
    """A preview; its ETag is the seq of the division."""
    division = preview.fixture.stage.division
    labels = ChangeLabels(division)
    body = {
        "fixture": preview.fixture.public_id,
        "seq": preview.seq,
        "mark": preview.mark,
        "standing": _result(preview.standing),
        "result": _result(preview.new),
        "default": preview.default.value,
        "choices": [_following(choice, one, labels) for choice, one in preview.consequences.items()],
        "round_to_take_back": taken.round if (taken := round_after(preview.fixture)) is not None else None,
    }
    return with_etag(shapes.PreviewSerializer(body).data, preview.seq)


def _following(choice: Choice, following: Consequences, labels: ChangeLabels) -> dict[str, Any]:
    players = Player.objects.in_bulk([one.player for one in following.ratings])
    return {
        "choice": choice.value,
        "fixtures": [_fixture(change, labels) for change in following.changes],
        "places": [_place(change, labels.names) for change in following.places],
        "ratings": [
            {
                "player": players[one.player].public_id,
                "name": shown(players[one.player], True),
                "before": one.before,
                "after": one.after,
            }
            for one in following.ratings
        ],
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


def _done(fixture: Fixture, correction: Correction | None, code: int = status.HTTP_200_OK) -> Response:
    """What was done; the ETag is the seq of the division."""
    seq = Division.objects.values_list("seq", flat=True).get(stages=fixture.stage_id)
    body = {"correction": None if correction is None else _correction(correction), "seq": seq}
    return with_etag(shapes.CorrectedSerializer(body).data, seq, code)


def _found(request: Request, public_id: str, needed: Role) -> Correction:
    rows = Correction.objects.select_related(*TOLD)
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
        description="For assistants; nothing is written. `seq` and `mark` go into applying it.",
        request=shapes.NewResultSerializer,
        examples=[OpenApiExample("5–7", value=EXAMPLE, request_only=True)],
        responses={200: shapes.PreviewSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """409 `nothing_to_correct`; 422 `correction_same`."""
        found = access.fixture_as(request.user, fixture, Role.ASSISTANT)
        fields = validated(shapes.NewResultSerializer, request)
        preview = services.preview_correction(fixture=found, new=_new(fields), voided_rated=fields["voided_rated"])
        return _previewed(preview)


class Corrections(APIView):
    """The corrections of a fixture."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_list",
        summary="The corrections of a fixture, the newest first",
        responses={200: shapes.CorrectionSerializer(many=True), 403: WRITE[403], **READ},
    )
    def get(self, request: Request, fixture: str) -> Response:
        """For assistants."""
        found = access.fixture_as(request.user, fixture, Role.ASSISTANT)
        rows = found.corrections.select_related(*TOLD)
        return Response(shapes.CorrectionSerializer([_correction(row) for row in rows], many=True).data)

    @extend_schema(
        operation_id="corrections_apply",
        summary="Correct a result as one step",
        description="For directors. The same sent twice is done once.",
        parameters=[AFTER],
        request=shapes.NewCorrectionSerializer,
        examples=[OpenApiExample("Correct all", value=APPLIED, request_only=True)],
        responses={200: shapes.CorrectedSerializer, 201: shapes.CorrectedSerializer, **WRITE},
    )
    def post(self, request: Request, fixture: str) -> Response:
        """201, or 200 where it is let stand. 409 `stale`, `nothing_to_correct`; 422 `correction_same`."""
        found = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        fields = validated(shapes.NewCorrectionSerializer, request)
        correction = services.apply_correction(
            fixture=found,
            new=_new(fields),
            choice=fields["choice"],
            after=read_after(request, fields) or 0,
            seen=fields.get("mark") or None,
            reason=fields.get("reason", ""),
            voided_rated=fields["voided_rated"],
            by=by(request),
            now=timezone.now(),
        )
        return _done(found, correction, status.HTTP_200_OK if correction is None else status.HTTP_201_CREATED)


class OneCorrection(APIView):
    """A correction."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_retrieve",
        summary="A correction that was applied",
        responses={200: shapes.CorrectionSerializer, 403: WRITE[403], **READ},
    )
    def get(self, request: Request, correction: str) -> Response:
        """For assistants."""
        row = _found(request, correction, Role.ASSISTANT)
        return Response(shapes.CorrectionSerializer(_correction(row)).data)


class PreviewUndo(APIView):
    """What undoing a correction would lead to."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_undo_preview",
        summary="What undoing a correction would lead to",
        request=None,
        responses={200: shapes.PreviewSerializer, **WRITE},
    )
    def post(self, request: Request, correction: str) -> Response:
        """409 `correction_undone`, `correction_not_last`, `successor_begun`, `round_paired_since`."""
        return _previewed(services.preview_undo(correction=_found(request, correction, Role.ASSISTANT)))


class Undo(APIView):
    """A correction undone."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="corrections_undo",
        summary="Undo a correction as one step",
        description="For directors. The result before it stands again, and what was void with it.",
        parameters=[AFTER],
        request=shapes.SeenSerializer,
        examples=[OpenApiExample("Undo", value={"after": 32, "reason": "It was right."}, request_only=True)],
        responses={201: shapes.CorrectedSerializer, **WRITE},
    )
    def post(self, request: Request, correction: str) -> Response:
        """409 `stale`, `correction_undone`, `correction_not_last`, `successor_begun`, `round_paired_since`."""
        row = _found(request, correction, Role.DIRECTOR)
        fields = validated(shapes.SeenSerializer, request)
        undone = services.undo_correction(
            correction=row,
            after=read_after(request, fields) or 0,
            seen=fields.get("mark") or None,
            reason=fields.get("reason", ""),
            by=by(request),
            now=timezone.now(),
        )
        return _done(row.fixture, undone, status.HTTP_201_CREATED)
