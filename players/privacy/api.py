"""Copies of a person's data, and erasure, in the API."""

from typing import Any

from django.http import StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView, validated
from core.names import fold
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from players import access
from players.accounts import serializers as shapes
from players.accounts import services as account_services
from players.accounts.api import by, me
from players.models import Club, DataExport, Player
from players.people.erasure import erase_player
from players.privacy import services
from players.privacy.services import archive_download


class DataExportSerializer(serializers.ModelSerializer[DataExport]):
    """A copy of everything that is known about a person; a ZIP file with JSON."""

    player = serializers.CharField(source="player.public_id", read_only=True)
    archive = serializers.SerializerMethodField(help_text="Path of the ZIP file; null until the state is `done`.")

    class Meta:
        model = DataExport
        fields = ("public_id", "player", "state", "requested_at", "finished_at", "expires_at", "size", "archive")
        read_only_fields = fields

    @extend_schema_field({"type": "string", "nullable": True})
    def get_archive(self, row: DataExport) -> str | None:
        """Return the path of the file once there is one."""
        return reverse("api-export-archive", args=[row.public_id]) if row.state == DataExport.State.DONE else None


class ErasePersonSerializer(serializers.Serializer[Any]):
    """The password of the account that is to be erased."""

    password = serializers.CharField(trim_whitespace=False, max_length=128, style={"input_type": "password"})


class EraseMemberSerializer(serializers.Serializer[Any]):
    """The name of the player, so that nobody is erased by mistake."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH, help_text="The player's full name, as the club sees it.")


ZIP = OpenApiResponse(OpenApiTypes.BINARY, description="A ZIP file.")
EXPORTS = {200: DataExportSerializer(many=True), **shapes.PROBLEMS}
REQUESTED = {202: DataExportSerializer, 429: shapes.PROBLEM, **shapes.PROBLEMS}


def _exports(request: Request, player: Player) -> Response:
    rows = services.exports_for(me(request), player, timezone.now())
    return Response(DataExportSerializer(rows.select_related("player"), many=True).data)


def _requested(request: Request, player: Player, club: Club | None = None) -> Response:
    throttle.count(throttle.DATA_EXPORTS_BY, str(me(request).pk))
    export = services.request_export(player=player, user=me(request), by=by(request), now=timezone.now(), club=club)
    return Response(DataExportSerializer(export).data, status=status.HTTP_202_ACCEPTED)


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
class MyExports(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(operation_id="me_exports_list", summary="List copies of my data", responses=EXPORTS)
    def get(self, request: Request) -> Response:
        """Return those that have not expired, newest first."""
        return _exports(request, account_services.ensure_player(user=me(request), by=by(request)))

    @extend_schema(
        operation_id="me_exports_create",
        summary="Request a copy of my data",
        description="A worker makes it. An unfinished copy, or one of the last hour, is returned again.",
        request=None,
        responses=REQUESTED,
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request) -> Response:
        """202 with the copy to ask for again."""
        return _requested(request, account_services.ensure_player(user=me(request), by=by(request)))


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class MemberExports(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(operation_id="members_exports_list", summary="List copies of a member's data", responses=EXPORTS)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Return those that this director requested and that have not expired."""
        return _exports(request, access.member_for_director(request.user, slug, public_id).player)

    @extend_schema(
        operation_id="members_exports_create",
        summary="Request a copy of a member's data",
        description="For directors of the club that entered the player, as long as the player has no account.",
        request=None,
        responses=REQUESTED,
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """202 with the copy to ask for again."""
        membership = access.member_for_director(request.user, slug, public_id)
        return _requested(request, membership.player, membership.club)


@open_to(get=Who.OWN)
class OneExport(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="exports_retrieve",
        summary="Show a copy that I requested",
        responses={200: DataExportSerializer, **shapes.PROBLEMS},
    )
    def get(self, request: Request, export: str) -> Response:
        """Return its state."""
        row = access.data_export(me(request), export, timezone.now(), unfinished=True)
        return Response(DataExportSerializer(row).data)


@open_to(get=Who.OWN)
class ExportArchive(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="exports_archive",
        summary="Download a copy that I requested",
        responses={(200, "application/octet-stream"): ZIP, 429: shapes.PROBLEM, **shapes.PROBLEMS},
    )
    def get(self, request: Request, export: str) -> StreamingHttpResponse:
        """Return the ZIP file; 404 until it is done."""
        row = access.data_export(me(request), export, timezone.now())
        return archive_download(request._request, row, "application/octet-stream")  # noqa: SLF001


@open_to(post=Who.SIGNED_IN)
class EraseMe(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="me_erase",
        summary="Delete my account and my name",
        description="Cannot be undone. Withdraws from everything. Results stay under “Former member”.",
        request=ErasePersonSerializer,
        examples=shapes.example(password="crawford-1969"),  # noqa: S106 - opens nothing
        responses={204: None, 429: shapes.PROBLEM, **shapes.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request) -> Response:
        user, password = me(request), validated(ErasePersonSerializer, request)["password"]
        throttle.count(throttle.PASSWORD_OF, str(user.pk))
        if not user.check_password(password):
            raise Refused("wrong_password")
        player = account_services.ensure_player(user=user, by=by(request))
        erase_player(player=player, by=by(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(post=Who.DIRECTORS)
class EraseMember(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="members_erase",
        summary="Delete a member's name and what was written about them",
        description="For directors of the club that entered the player, as long as the player has no account. "
        "Cannot be undone. Results stay under “Former member”.",
        request=EraseMemberSerializer,
        examples=shapes.example(name="Elif Ristic"),
        responses={204: None, **shapes.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        membership = access.member_for_director(request.user, slug, public_id)
        if fold(validated(EraseMemberSerializer, request)["name"]) != fold(membership.player.name):
            raise ValidationError({"name": ["This is not the name of this player."]})
        services.erase_member(player=membership.player, club=membership.club, by=by(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
