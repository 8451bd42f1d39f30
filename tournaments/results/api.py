"""API of results: single matches, lines of quick entry, players' reports, and corrections."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from core.messages import sentence
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NOTE_LENGTH
from engine.errors import Refused
from matches.lifecycle.finish import ENDINGS, MAX_POINTS, ResultInput
from matches.models import Provisional, Result
from players.access import Role
from tournaments import access
from tournaments.draws.undo import round_after
from tournaments.models import Correction, Division, Fixture, Tournament
from tournaments.results import corrections
from tournaments.results.forms import MAX_MARK_LENGTH
from tournaments.results.lines import MAX_LINE_LENGTH
from tournaments.results.quick_entry import enter_line
from tournaments.results.services import OpenReport, confirm_all, open_reports, provisional_results
from tournaments.standings import brackets
from tournaments.standings.api import fixture_body, rows_and_names, seq_of
from tournaments.standings.changes import ChangeLabels
from tournaments.standings.consequences import ConsequencesSerializer, represent_consequences
from tournaments.state.api import (
    AFTER,
    READ,
    WRITE,
    FixtureSerializer,
    StandingResultSerializer,
    by,
    example,
    read_after,
    validated,
    with_etag,
)
from tournaments.state.preview import Choice, Consequences, CorrectionPreview, FixtureChange


class ScoreField(serializers.ListField):
    def __init__(self, **options: Any) -> None:
        child = serializers.IntegerField(min_value=0, max_value=MAX_POINTS)
        super().__init__(child=child, min_length=2, max_length=2, **options)


class LineSerializer(serializers.Serializer[Any]):
    """A result typed as one line."""

    line = serializers.CharField(max_length=MAX_LINE_LENGTH, help_text="`m22 11-7`, `bob 7-4`, `m22 forfeit smith`.")
    division = serializers.CharField(max_length=10, required=False, help_text="Used if the line names no division.")


def fixture_response(request: Request, fixture: Fixture) -> Response:
    """Return a fixture as it is now; the ETag is its match's `seq`."""
    rounds, names = rows_and_names(request, fixture.stage.division)
    targets = brackets.targets(rounds)
    row = next((row for round_ in rounds for row in round_.fixtures if row.public_id == fixture.public_id), None)
    if row is None:
        raise Http404  # The draw was undone meanwhile.
    body = FixtureSerializer(fixture_body(row, names, targets)).data
    return with_etag(body, seq_of(row, names))


def division_on_screen(tournament: Tournament, public_id: str | None) -> Division | None:
    """Return the division that a client names, or None. Refused: `line_no_division`."""
    if public_id is None:
        return None
    division = tournament.divisions.filter(public_id=public_id).first()
    if division is None:
        raise Refused("line_no_division", name=public_id)
    return division


@open_to(get=Who.EVERYBODY)
class OneFixture(APIView):
    @extend_schema(operation_id="fixtures_retrieve", summary="A fixture", responses={200: FixtureSerializer, **READ})
    def get(self, request: Request, fixture: str) -> Response:
        """As everyone sees it."""
        return fixture_response(request, access.fixture(request.user, fixture))


@open_to(post=Who.HELPERS)
class OneLine(APIView):
    @extend_schema(
        operation_id="tournaments_line",
        summary="Enter a result in one line",
        request=LineSerializer,
        examples=[OpenApiExample("M22", value={"line": "m22 11-7"}, request_only=True)],
        responses={200: FixtureSerializer, **WRITE},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, tournament: str) -> Response:
        """For assistants and helpers. 422 with a code that says what is wrong with the line."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        fields = validated(LineSerializer, request)
        division = division_on_screen(event, fields.get("division"))
        result = enter_line(
            tournament=event, text=fields["line"], division=division, by=by(request), now=timezone.now()
        )
        return fixture_response(request, Fixture.objects.get(match=result.match_id))


class WaitingReportSerializer(serializers.Serializer[Any]):
    """A match with open reports or a provisional result: `report` can be confirmed, or `code` says why none can."""

    fixture = serializers.CharField()
    number = serializers.IntegerField()
    report = serializers.CharField(allow_null=True)
    score = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    is_provisional = serializers.BooleanField(help_text="Whether it is a provisional result that would become final.")
    code = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_blank=True)


class ConfirmSerializer(serializers.Serializer[Any]):
    """The reports and provisional results to confirm, of one division if it is named."""

    reports = serializers.ListField(child=serializers.CharField(max_length=10), allow_empty=False, max_length=5000)
    division = serializers.CharField(max_length=10, required=False)


def _confirmation_body(row: OpenReport) -> dict[str, Any]:
    report = row.report
    score = report.result.score if isinstance(report, Provisional) else report.score if report else None
    return {
        "fixture": row.fixture.public_id,
        "number": row.fixture.number,
        "report": report.public_id if report else None,
        "score": list(score) if score else None,
        "is_provisional": isinstance(report, Provisional),
        "code": row.code or None,
        "message": sentence(row.code, {}) if row.code else "",
    }


@open_to(get=Who.HELPERS, post=Who.HELPERS)
class OpenReports(APIView):
    @extend_schema(
        operation_id="tournaments_reports",
        summary="Players' reports and provisional results that need an answer or a ruling",
        responses={200: WaitingReportSerializer(many=True), 403: WRITE[403], **READ},
    )
    def get(self, request: Request, tournament: str) -> Response:
        """For assistants and helpers."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        rows = [*open_reports(event, by(request)), *provisional_results(event, by(request))]
        return Response(WaitingReportSerializer([_confirmation_body(row) for row in rows], many=True).data)

    @extend_schema(
        operation_id="tournaments_confirm_reports",
        summary="Confirm several unopposed reports and provisional results at once",
        description="Each in its own transaction; `code` is null for those that are results now.",
        request=ConfirmSerializer,
        examples=example(reports=["k7m2q9x4ab"]),
        responses={200: WaitingReportSerializer(many=True), **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, tournament: str) -> Response:
        """For assistants and helpers; the sender's own matches are left out."""
        event = access.tournament_by_id(request.user, tournament, access.HELPER)
        fields = validated(ConfirmSerializer, request)
        division = division_on_screen(event, fields.get("division"))
        confirmations = confirm_all(
            tournament=event, reports=fields["reports"], division=division, by=by(request), now=timezone.now()
        )
        bodies = [_confirmation_body(confirmation.open_report) for confirmation in confirmations]
        return Response(WaitingReportSerializer(bodies, many=True).data)


class NewResultSerializer(serializers.Serializer[Any]):
    """The corrected result."""

    winner = serializers.IntegerField(min_value=0, max_value=1, allow_null=True, help_text="null: nobody.")
    score = ScoreField(required=False, allow_null=True)
    kind = serializers.ChoiceField(ENDINGS, default=Result.Kind.PLAYED)
    voided_rated = serializers.BooleanField(
        default=True, help_text="Whether played matches that become void stay rated."
    )


class SeenSerializer(serializers.Serializer[Any]):
    """The state of the preview that a decision is based on."""

    after = serializers.IntegerField(min_value=0, required=False, help_text="The division's `seq` in the preview.")
    mark = serializers.CharField(
        max_length=MAX_MARK_LENGTH,
        required=False,
        allow_blank=True,
        help_text="The `mark` of the preview; if it is sent, a match that has begun since makes this `stale`.",
    )
    reason = serializers.CharField(max_length=MAX_NOTE_LENGTH, required=False, allow_blank=True)


class NewCorrectionSerializer(NewResultSerializer, SeenSerializer):
    """A corrected result and what should follow from it."""

    choice = serializers.ChoiceField(Correction.Choice.choices)


class ChangedFixtureSerializer(serializers.Serializer[Any]):
    """A fixture that would change."""

    stage = serializers.IntegerField()
    number = serializers.IntegerField(help_text="13 is M13.")
    fixture = serializers.CharField(help_text="Public id.")
    before = serializers.CharField(help_text="The entrants now, as text.")
    after = serializers.CharField(help_text="The entrants afterwards, as text.")
    voided = StandingResultSerializer(allow_null=True, help_text="The result that would become void.")
    returns = StandingResultSerializer(allow_null=True, help_text="A void result that would count again.")
    stopped = serializers.BooleanField(help_text="Whether the match has begun or was reported, and would be stopped.")


class ChangedRatingSerializer(serializers.Serializer[Any]):
    """A player whose rating would change, in FIBS points."""

    player = serializers.CharField()
    name = serializers.CharField()
    before = serializers.FloatField()
    after = serializers.FloatField()


class FollowingSerializer(ConsequencesSerializer):
    """What follows from one choice."""

    choice = serializers.ChoiceField(Correction.Choice.choices)
    fixtures = ChangedFixtureSerializer(many=True)
    ratings = ChangedRatingSerializer(many=True)


class PreviewSerializer(serializers.Serializer[Any]):
    """A correction before it is applied."""

    fixture = serializers.CharField()
    seq = serializers.IntegerField(help_text="Of the division; send it as `after` when applying.")
    mark = serializers.CharField(help_text="Of the matches that would become void; send it as `mark` when applying.")
    standing = StandingResultSerializer()
    result = StandingResultSerializer()
    default = serializers.ChoiceField(Correction.Choice.choices)
    choices = FollowingSerializer(many=True)
    round_to_take_back = serializers.IntegerField(
        allow_null=True,
        help_text="A round paired from this result in which no match has begun: take it back first to pair it again.",
    )


class CorrectionSerializer(serializers.Serializer[Any]):
    """A correction that was applied."""

    public_id = serializers.CharField()
    fixture = serializers.CharField()
    number = serializers.IntegerField(help_text="Of the fixture: 13 is M13.")
    choice = serializers.ChoiceField(Correction.Choice.choices)
    before = StandingResultSerializer()
    after = StandingResultSerializer()
    voided_rated = serializers.BooleanField()
    changed = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), help_text="[stage, number] of each fixture."
    )
    reason = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()
    by = serializers.CharField(allow_null=True, help_text="The user's name.")
    undoes = serializers.CharField(allow_null=True, help_text="The correction that this one undid.")
    undone_by = serializers.CharField(allow_null=True)


class CorrectedSerializer(serializers.Serializer[Any]):
    """The applied correction."""

    correction = CorrectionSerializer(allow_null=True, help_text="null if the result was left unchanged.")
    seq = serializers.IntegerField(help_text="Of the division.")


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


def _correction_input(fields: dict[str, Any]) -> corrections.CorrectionInput:
    return corrections.CorrectionInput(
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
    return with_etag(PreviewSerializer(body).data, preview.seq)


def _following(choice: Choice, following: Consequences, labels: ChangeLabels) -> dict[str, Any]:
    players, names = labels.rated(following)
    return {
        "choice": choice.value,
        "fixtures": [_fixture(change, labels) for change in following.changes],
        "ratings": [
            {
                "player": players[change.player].public_id,
                "name": names[change.player],
                "before": change.before,
                "after": change.after,
            }
            for change in following.ratings
        ],
        **represent_consequences(following, labels),
    }


def _fixture(change: FixtureChange, labels: ChangeLabels) -> dict[str, Any]:
    return {
        "stage": change.stage,
        "number": change.row.number,
        "fixture": change.row.public_id,
        "before": labels.pair(change.before, change.row),
        "after": labels.pair(change.after, change.row),
        "voided": _result(change.voided),
        "returns": _result(change.returns),
        "stopped": change.stopped,
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
    return with_etag(CorrectedSerializer(body).data, seq, code)


def _authorised(request: Request, public_id: str, needed: Role) -> Correction:
    """Fetch a correction for a user with this role in the club; 404 if there is none."""
    rows = Correction.objects.select_related(*RELATED)
    row = rows.filter(public_id=public_id).first()
    if row is None:
        raise Http404
    access.fixture_as(request.user, row.fixture.public_id, needed)
    return row


@open_to(post=Who.STAFF)
class PreviewCorrection(APIView):
    @extend_schema(
        operation_id="corrections_preview",
        summary="What would follow from another result",
        description="For assistants; writes nothing. Send its `seq` and `mark` when applying the correction.",
        request=NewResultSerializer,
        examples=[OpenApiExample("5–7", value=EXAMPLE, request_only=True)],
        responses={200: PreviewSerializer, **WRITE},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, fixture: str) -> Response:
        """409 `nothing_to_correct`; 422 `correction_same`."""
        row = access.fixture_as(request.user, fixture, Role.ASSISTANT)
        fields = validated(NewResultSerializer, request)
        preview = corrections.preview_correction(
            fixture=row, new=_result_input(fields), voided_rated=fields["voided_rated"]
        )
        return _preview_response(preview)


@open_to(get=Who.STAFF, post=Who.DIRECTORS)
class Corrections(APIView):
    @extend_schema(
        operation_id="corrections_list",
        summary="The corrections of a fixture, the newest first",
        responses={200: CorrectionSerializer(many=True), 403: WRITE[403], **READ},
    )
    def get(self, request: Request, fixture: str) -> Response:
        """For assistants."""
        row = access.fixture_as(request.user, fixture, Role.ASSISTANT)
        rows = row.corrections.select_related(*RELATED)
        bodies = [_correction(correction) for correction in rows]
        return Response(CorrectionSerializer(bodies, many=True).data)

    @extend_schema(
        operation_id="corrections_apply",
        summary="Correct a result as one step",
        description="For directors. Sending the same correction twice applies it once.",
        parameters=[AFTER],
        request=NewCorrectionSerializer,
        examples=[OpenApiExample("Correct all", value=APPLIED, request_only=True)],
        responses={200: CorrectedSerializer, 201: CorrectedSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, fixture: str) -> Response:
        """201, or 200 if the result is left unchanged. 409 `stale`, `nothing_to_correct`, `bracket_not_kept`.

        422 `correction_same`.
        """
        row = access.fixture_as(request.user, fixture, Role.DIRECTOR)
        fields = validated(NewCorrectionSerializer, request)
        correction = corrections.apply_correction(
            fixture=row,
            correction=_correction_input(fields),
            after=read_after(request, fields) or 0,
            by=by(request),
            now=timezone.now(),
        )
        return _applied_response(row, correction, status.HTTP_200_OK if correction is None else status.HTTP_201_CREATED)


@open_to(get=Who.STAFF)
class OneCorrection(APIView):
    @extend_schema(
        operation_id="corrections_retrieve",
        summary="A correction that was applied",
        responses={200: CorrectionSerializer, 403: WRITE[403], **READ},
    )
    def get(self, request: Request, correction: str) -> Response:
        """For assistants."""
        row = _authorised(request, correction, Role.ASSISTANT)
        return Response(CorrectionSerializer(_correction(row)).data)


@open_to(post=Who.STAFF)
class PreviewUndo(APIView):
    @extend_schema(
        operation_id="corrections_undo_preview",
        summary="What would follow from undoing a correction",
        request=None,
        responses={200: PreviewSerializer, **WRITE},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, correction: str) -> Response:
        """409 `correction_undone`, `correction_not_last`, `successor_begun`, `round_paired_since`."""
        return _preview_response(corrections.preview_undo(correction=_authorised(request, correction, Role.ASSISTANT)))


@open_to(post=Who.DIRECTORS)
class Undo(APIView):
    @extend_schema(
        operation_id="corrections_undo",
        summary="Undo a correction as one step",
        description="For directors. Restores the result before it, and the results that became void with it.",
        parameters=[AFTER],
        request=SeenSerializer,
        examples=[OpenApiExample("Undo", value={"after": 32, "reason": "It was right."}, request_only=True)],
        responses={201: CorrectedSerializer, **WRITE},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, correction: str) -> Response:
        """409 `stale`, `correction_undone`, `correction_not_last`, `successor_begun`, `round_paired_since`."""
        row = _authorised(request, correction, Role.DIRECTOR)
        fields = validated(SeenSerializer, request)
        undone = corrections.undo_correction(
            correction=row,
            after=read_after(request, fields) or 0,
            mark=fields.get("mark") or None,
            reason=fields.get("reason", ""),
            by=by(request),
            now=timezone.now(),
        )
        return _applied_response(row.fixture, undone, status.HTTP_201_CREATED)
