"""API views for checking match records."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView, validated
from core.messages import sentence
from core.repeats import Repeat, repeated
from matches import access
from matches.models import MAX_BYTES, MAX_MEBIBYTES, Submission
from matches.records import page as record_page
from matches.records import submissions
from matches.records.downloads import CONTENT_TYPES, as_attachment, download
from matches.records.intake import ENVELOPE, count_upload, record_in, refuse_long_body
from matches.records.names import Mask, mask_for
from matches.records.submissions import with_messages
from players.accounts.serializers import LOCATION, PROBLEM

JSON_MOST_BYTES = 2 * MAX_BYTES + ENVELOPE
"""Largest JSON body: a record of MAX_BYTES in which each line end takes two bytes."""
RECORD = """\
 1 point match

 Game 1
 Alice : 0                       Bob : 0
  1) 31: 8/5 6/5                   64: 24/14
"""


class RecordTextSerializer(serializers.Serializer[Any]):
    """The text of a record to be checked."""

    text = serializers.CharField(allow_blank=True, trim_whitespace=False, help_text="The text of a record.")
    file_name = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=1000,
        help_text="A name for the text. The format is detected from the content.",
    )


@extend_schema_field(OpenApiTypes.BINARY)
class RecordFileField(serializers.FileField):
    """The file of a record."""


class RecordSerializer(RecordTextSerializer):
    """A record to be checked: a file, or its text instead."""

    file = RecordFileField(
        required=False, allow_empty_file=True, help_text=f"Up to {MAX_MEBIBYTES} MiB, in any supported format."
    )
    text = serializers.CharField(
        required=False, allow_blank=True, trim_whitespace=False, help_text="The text of a record, instead of a file."
    )


class GameSerializer(serializers.Serializer[Any]):
    """A game of the score sheet."""

    number = serializers.IntegerField()
    start = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    end = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    crawford = serializers.BooleanField()
    winner = serializers.IntegerField(
        allow_null=True, help_text="0 for the left player, 1 for the right player, null for nobody."
    )
    kind = serializers.CharField(
        help_text="single, gammon, backgammon, drop, resignation, concession, flag or unfinished."
    )
    cube = serializers.IntegerField()
    points = serializers.IntegerField()
    rests_on_words = serializers.BooleanField(help_text="Whether the record only states how this game ended.")


class FindingSerializer(serializers.Serializer[Any]):
    """A remark of the verdict."""

    severity = serializers.ChoiceField(["error", "warning", "note"])
    code = serializers.CharField(help_text="A stable code.")
    params = serializers.DictField(help_text="The parameters of the message.")
    message = serializers.CharField(help_text="The message, in the language of Accept-Language.")
    game = serializers.IntegerField(allow_null=True)
    ply = serializers.IntegerField(allow_null=True, help_text="The roll of the game, counted from 1.")
    line = serializers.IntegerField(allow_null=True)
    column = serializers.IntegerField(allow_null=True)
    xgid = serializers.CharField(allow_null=True)
    nearest = serializers.ListField(child=serializers.CharField(), help_text="The nearest legal plays.")


class VerdictSerializer(serializers.Serializer[Any]):
    """The verdict on a record."""

    engine_version = serializers.CharField()
    outcome = serializers.ChoiceField(["accepted", "accepted_with_warnings", "incomplete", "rejected"])
    players = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2)
    length = serializers.IntegerField(allow_null=True, help_text="0 for a money session, null if unknown.")
    score = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    winner = serializers.IntegerField(allow_null=True)
    rests_on_words = serializers.BooleanField(help_text="Whether the record only states how some game ended.")
    games = GameSerializer(many=True)
    findings = FindingSerializer(many=True)


class SubmissionSerializer(serializers.Serializer[Any]):
    """A submitted record, and the state of its adjudication."""

    public_id = serializers.CharField()
    state = serializers.ChoiceField(Submission.State.choices)
    created_at = serializers.DateTimeField()
    file_name = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    sha256 = serializers.CharField()
    format = serializers.CharField(help_text="mat, sgf, xg or json; empty until the record is checked.")
    dialect = serializers.CharField()
    failure = serializers.CharField(
        allow_null=True, help_text="If the record could not be checked: the code of the reason."
    )
    failure_message = serializers.CharField(allow_null=True)
    page = serializers.URLField(help_text="The web page of the record.")
    downloads = serializers.DictField(child=serializers.URLField(), help_text="URLs by format.")
    verdict = VerdictSerializer(allow_null=True, help_text="Null until `state` is `done`.")


TEXT = OpenApiExample("Text", value={"text": RECORD, "file_name": "final.mat"}, request_only=True)
WAITING = OpenApiExample(
    "Waiting",
    value={
        "public_id": "k7m2q9x4ab",
        "state": "queued",
        "created_at": "2026-11-20T10:00:00Z",
        "file_name": "final.mat",
        "size": 4193,
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "format": "",
        "dialect": "",
        "failure": None,
        "failure_message": None,
        "page": "https://example.org/check/k7m2q9x4ab/",
        "downloads": {},
        "verdict": None,
    },
    response_only=True,
)


@open_to(post=Who.EVERYBODY)
class SubmissionList(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="submissions_create",
        summary="Send a match record",
        description=(
            "No account is needed. The record is checked in the background: poll `Location` until `state` is `done` "
            "or `failed`. The same file with the same name from the same sender returns the existing submission (200)."
        ),
        parameters=[LOCATION],
        request={"multipart/form-data": RecordSerializer, "application/json": RecordTextSerializer},
        examples=[TEXT, WAITING],
        responses={201: SubmissionSerializer, 200: SubmissionSerializer, 413: PROBLEM, 422: PROBLEM, 429: PROBLEM},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request) -> Response:
        refuse_long_body(request, JSON_MOST_BYTES)
        count_upload(request)
        data = validated(RecordSerializer, request)
        content, name = record_in(data.get("file"), data.get("text", ""))
        submitted = submissions.submit(
            file=submissions.RecordFile(content, Submission.Source.API, name or data.get("file_name", "")),
            submitter=request.user if request.user.is_authenticated else None,
            now=timezone.now(),
        )
        row = submitted.submission
        code = status.HTTP_201_CREATED if submitted.created else status.HTTP_200_OK
        url = request.build_absolute_uri(reverse("api-submission", args=[row.public_id]))
        return Response(submission_data(row, request), status=code, headers={"Location": url})


@open_to(get=Who.EVERYBODY)
class SubmissionDetail(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="submissions_retrieve",
        summary="State and verdict of a record",
        description="Anyone who knows the id may see it.",
        examples=[WAITING],
        responses={200: SubmissionSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        return Response(submission_data(access.submission(public_id), request))


def submission_data(submission: Submission, request: Request | HttpRequest) -> dict[str, Any]:
    done = submission.state == Submission.State.DONE
    mask = mask_for(request.user, submission)
    return {
        "public_id": submission.public_id,
        "state": submission.state,
        "created_at": submission.created_at,
        "file_name": mask.text(submission.file_name),
        "size": submission.size,
        "sha256": submission.sha256,
        "format": submission.format,
        "dialect": submission.dialect,
        "failure": submission.failure or None,
        "failure_message": sentence(submission.failure, {}) if submission.failure else None,
        "page": request.build_absolute_uri(reverse("submission", args=[submission.public_id])),
        "downloads": _downloads(submission, request) if done and submission.transcript else {},
        "verdict": _verdict(submission, mask) if done else None,
    }


def _downloads(submission: Submission, request: Request | HttpRequest) -> dict[str, str]:
    return {
        extension: request.build_absolute_uri(reverse("api-record", args=[submission.public_id, extension]))
        for extension in CONTENT_TYPES
    }


def _verdict(submission: Submission, mask: Mask) -> dict[str, Any]:
    verdict = record_page.latest_verdict(submission)
    content = mask.verdict(verdict.content) if mask else verdict.content
    return {
        "engine_version": verdict.engine_version,
        "outcome": verdict.outcome,
        "players": content["players"],
        "length": content["length"],
        "score": content["score"],
        "winner": content["winner"],
        "rests_on_words": content.get("rests_on_words", False),
        "games": [{"rests_on_words": False} | game for game in content["games"]],
        "findings": with_messages(content["findings"]),
    }


@open_to(get=Who.EVERYBODY)
class RecordFileView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="submissions_record",
        summary="The match as .mat, SGF or JSON",
        responses={
            **{(200, CONTENT_TYPES[kind]): OpenApiTypes.STR for kind in ("mat", "sgf")},
            (200, CONTENT_TYPES["json"]): OpenApiTypes.OBJECT,
            404: PROBLEM,
        },
    )
    def get(self, request: Request, public_id: str, extension: str) -> HttpResponse:
        """Download the file."""
        submission = access.submission(public_id)
        return as_attachment(download(submission, extension, mask_for(request.user, submission)))
