"""The API of records sent in: what the check pages do, for programs."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.messages import sentence
from matches import access
from matches.models import MOST_BYTES, MOST_MEBIBYTES, Submission
from matches.records import selectors
from matches.records.downloads import CONTENT_TYPES, as_attachment, download
from matches.records.intake import ENVELOPE, record_in, refuse_long_body
from matches.records.masking import Mask, mask_for
from matches.records.services import submissions
from matches.records.throttle import count_upload
from matches.records.verdicts import with_messages
from players.accounts.api import validated
from players.accounts.serializers import PROBLEM

JSON_MOST_BYTES = 2 * MOST_BYTES + ENVELOPE
"""A record of MOST_BYTES as a JSON string, in which each line end takes two bytes."""
RECORD = """\
 1 point match

 Game 1
 Alice : 0                       Bob : 0
  1) 31: 8/5 6/5                   64: 24/14
"""


class RecordSerializer(serializers.Serializer[Any]):
    """A record to be checked: a file (multipart), or its text (JSON)."""

    file = serializers.FileField(
        required=False, allow_empty_file=True, help_text=f"Up to {MOST_MEBIBYTES} MiB, any format we read."
    )
    text = serializers.CharField(
        required=False, allow_blank=True, trim_whitespace=False, help_text="The text of a record, instead of a file."
    )
    file_name = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=1000,
        help_text="A name for the text; what counts is what is in it.",
    )


class GameSerializer(serializers.Serializer[Any]):
    """One line of the score sheet."""

    number = serializers.IntegerField()
    start = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    end = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    crawford = serializers.BooleanField()
    winner = serializers.IntegerField(allow_null=True, help_text="0 the left player, 1 the right one, null: nobody.")
    kind = serializers.CharField(
        help_text="single, gammon, backgammon, drop, resignation, concession, flag or unfinished."
    )
    cube = serializers.IntegerField()
    points = serializers.IntegerField()
    rests_on_words = serializers.BooleanField(help_text="The record only states how this game ended.")


class FindingSerializer(serializers.Serializer[Any]):
    """One thing that a reader of the verdict must know."""

    severity = serializers.ChoiceField(["error", "warning", "note"])
    code = serializers.CharField(help_text="Stable.")
    params = serializers.DictField(help_text="What the sentence of the code is filled with.")
    message = serializers.CharField(help_text="The sentence, in the language asked for by Accept-Language.")
    game = serializers.IntegerField(allow_null=True)
    ply = serializers.IntegerField(allow_null=True, help_text="Rolls of the game, counted from 1.")
    line = serializers.IntegerField(allow_null=True)
    column = serializers.IntegerField(allow_null=True)
    xgid = serializers.CharField(allow_null=True)
    nearest = serializers.ListField(child=serializers.CharField(), help_text="The nearest legal plays.")


class VerdictSerializer(serializers.Serializer[Any]):
    """What adjudication found."""

    engine_version = serializers.CharField()
    outcome = serializers.ChoiceField(["accepted", "accepted_with_warnings", "incomplete", "rejected"])
    players = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2)
    length = serializers.IntegerField(allow_null=True, help_text="0 for a money session, null where it is not known.")
    score = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    winner = serializers.IntegerField(allow_null=True)
    rests_on_words = serializers.BooleanField(help_text="Some game has a result that the record only states.")
    games = GameSerializer(many=True)
    findings = FindingSerializer(many=True)


class SubmissionSerializer(serializers.Serializer[Any]):
    """A record that was sent in, and how far its adjudication is."""

    public_id = serializers.CharField()
    state = serializers.ChoiceField(Submission.State.choices)
    created_at = serializers.DateTimeField()
    file_name = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    sha256 = serializers.CharField()
    format = serializers.CharField(help_text="mat, sgf, xg or json; empty until it is known.")
    dialect = serializers.CharField()
    failure = serializers.CharField(allow_null=True, help_text="Where it was given up: the code of the limit it met.")
    failure_message = serializers.CharField(allow_null=True)
    page = serializers.URLField(help_text="The page for people.")
    downloads = serializers.DictField(child=serializers.URLField(), help_text="By format.")
    verdict = VerdictSerializer(allow_null=True, help_text="Null until the state is done.")


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
KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="Up to 100 characters. Sending the same record with the same key again gives the first answer.",
)


class Submissions(APIView):
    """Where programs send records in."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="submissions_create",
        summary="Send in a match record",
        description=(
            "No account is needed. Adjudication happens in the background: ask at `Location` until `state` is `done` "
            "or `failed`. The same file under the same name from the same sender gives the existing submission (200)."
        ),
        parameters=[KEY],
        request={"multipart/form-data": RecordSerializer, "application/json": RecordSerializer},
        examples=[TEXT, WAITING],
        responses={201: SubmissionSerializer, 200: SubmissionSerializer, 413: PROBLEM, 422: PROBLEM, 429: PROBLEM},
    )
    def post(self, request: Request) -> Response:
        """Store the record; 201 and its address."""
        refuse_long_body(request, JSON_MOST_BYTES)
        count_upload(request)
        sent = validated(RecordSerializer, request)
        record, name = record_in(sent.get("file"), sent.get("text", ""))
        submitted = submissions.submit(
            data=record,
            file_name=name or sent.get("file_name", ""),
            source=Submission.Source.API,
            submitter=request.user if request.user.is_authenticated else None,
            key=request.headers.get("Idempotency-Key", ""),
            now=timezone.now(),
        )
        row = submitted.submission
        repeated_by_key = bool(row.key)
        code = status.HTTP_201_CREATED if submitted.created or repeated_by_key else status.HTTP_200_OK
        here = request.build_absolute_uri(reverse("api-submission", args=[row.public_id]))
        return Response(as_answer(row, request), status=code, headers={"Location": here})


class OneSubmission(APIView):
    """A record that was sent in."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="submissions_retrieve",
        summary="State and verdict of a record",
        description="Whoever has the id may see it.",
        examples=[WAITING],
        responses={200: SubmissionSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """How far it is; its verdict once there is one."""
        return Response(as_answer(access.submission(public_id), request))


def as_answer(submission: Submission, request: Request | HttpRequest) -> dict[str, Any]:
    """A submission as programs see it."""
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
    verdict = selectors.latest_verdict(submission)
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


class Record(APIView):
    """A checked match as a file."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="submissions_record",
        summary="The match as .mat, SGF or JSON",
        responses={
            **{(200, CONTENT_TYPES[kind]): OpenApiTypes.BINARY for kind in ("mat", "sgf")},
            (200, CONTENT_TYPES["json"]): OpenApiTypes.OBJECT,
            404: PROBLEM,
        },
    )
    def get(self, request: Request, public_id: str, extension: str) -> HttpResponse:
        """The file."""
        found = access.submission(public_id)
        return as_attachment(download(found, extension, mask_for(request.user, found)))
