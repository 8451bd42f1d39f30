"""API views of a club's rating pools and imports."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.text_lengths import LONGEST_NAME
from matches.models import RatingImport, RatingPool
from matches.rankings.services.imports import apply_import, preview_import, undo_import
from matches.rankings.views.pools import pool_of
from matches.ratings.services.pools import (
    LEAST_RATING,
    LEAST_SCALE,
    MOST_EXPERIENCE,
    MOST_RATING,
    MOST_SCALE,
    PoolSettings,
    create_pool,
    update_pool,
)
from players import access
from players.accounts.api import by, validated
from players.accounts.serializers import PROBLEM, PROBLEMS, example
from players.forms import LONGEST_LIST


class PoolSettingsSerializer(serializers.Serializer[Any]):
    """Settings of a rating pool."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    start_rating = serializers.FloatField(min_value=LEAST_RATING, max_value=MOST_RATING)
    start_experience = serializers.IntegerField(min_value=0, max_value=MOST_EXPERIENCE)
    ramp = serializers.ChoiceField(RatingPool.RAMPS)
    k_scale = serializers.FloatField(min_value=LEAST_SCALE, max_value=MOST_SCALE, help_text="1 is the FIBS formula.")


class PoolSerializer(PoolSettingsSerializer):
    """A rating pool."""

    id = serializers.IntegerField()


class ImportRowsSerializer(serializers.Serializer[Any]):
    """CSV rows to import."""

    kind = serializers.ChoiceField(RatingImport.Kind.choices)
    text = serializers.CharField(
        max_length=LONGEST_LIST, trim_whitespace=False, help_text="CSV; the first row names the columns."
    )
    preview = serializers.BooleanField(help_text="Only show what the import would do.")


class EffectSerializer(serializers.Serializer[Any]):
    """A player whose rating would change."""

    name = serializers.CharField()
    new = serializers.BooleanField(help_text="Whether a new member with this name would be added.")
    before = serializers.FloatField(allow_null=True)
    after = serializers.FloatField()


class ImportPreviewSerializer(serializers.Serializer[Any]):
    """What an import would do."""

    kind = serializers.CharField()
    rows = serializers.IntegerField()
    respelled = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    effects = EffectSerializer(many=True)


class ImportSerializer(serializers.Serializer[Any]):
    """An import."""

    id = serializers.IntegerField()
    kind = serializers.CharField()
    at = serializers.DateTimeField()
    undone_at = serializers.DateTimeField(allow_null=True)


class PoolList(APIView):
    """The rating pools of a club."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pools_list", summary="A club's rating pools", responses={200: PoolSerializer(many=True)}
    )
    def get(self, request: Request, slug: str) -> Response:
        """For directors only."""
        club = access.club_for_director(request.user, slug)
        return Response(PoolSerializer(RatingPool.objects.filter(club=club).order_by("name"), many=True).data)

    @extend_schema(
        operation_id="pools_create",
        summary="Create a rating pool",
        request=PoolSettingsSerializer,
        examples=example(name="Club ladder", start_rating=1500, start_experience=0, ramp="before", k_scale=1),
        responses={201: PoolSerializer, **PROBLEMS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Return 422 `pool_name_taken` if the club has a pool with this name."""
        club = access.club_for_director(request.user, slug)
        settings = PoolSettings(**validated(PoolSettingsSerializer, request))
        pool = create_pool(club=club, settings=settings, by=by(request))
        return Response(PoolSerializer(pool).data, status=status.HTTP_201_CREATED)


class PoolDetail(APIView):
    """A rating pool."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pools_update",
        summary="Change a rating pool",
        description="Its whole history is recalculated.",
        request=PoolSettingsSerializer,
        examples=example(name="Club ladder", start_rating=1500, start_experience=0, ramp="before", k_scale=0.5),
        responses={200: PoolSerializer, **PROBLEMS},
    )
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Replace all settings."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        settings = PoolSettings(**validated(PoolSettingsSerializer, request))
        return Response(PoolSerializer(update_pool(pool=pool, settings=settings, by=by(request))).data)


class ImportList(APIView):
    """The imports of a pool."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pool_imports_list", summary="Imports of a pool", responses={200: ImportSerializer(many=True)}
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List imports, newest first."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        return Response(ImportSerializer(pool.imports.all(), many=True).data)

    @extend_schema(
        operation_id="pool_imports_create",
        summary="Import starting ratings or past matches",
        request=ImportRowsSerializer,
        examples=example(kind="starts", text="name,rating\nElif Ristic,1650", preview=True),
        responses={200: ImportPreviewSerializer, 201: ImportSerializer, **PROBLEMS},
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """With `preview`, return what the import would do and store nothing."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        fields = validated(ImportRowsSerializer, request)
        if fields.pop("preview"):
            return Response(ImportPreviewSerializer(preview_import(pool=pool, **fields)).data)
        created = apply_import(pool=pool, by=by(request), now=timezone.now(), **fields)
        return Response(ImportSerializer(created).data, status=status.HTTP_201_CREATED)


class UndoImport(APIView):
    """Undoing an import."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pool_imports_undo",
        summary="Undo an import",
        request=None,
        responses={200: ImportSerializer, 409: PROBLEM, **PROBLEMS},
    )
    def post(self, request: Request, slug: str, pk: int, source: int) -> Response:
        """Ratings are recalculated without it."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        row = pool.imports.filter(pk=source).first()
        if row is None:
            raise Http404
        return Response(ImportSerializer(undo_import(source=row, by=by(request), now=timezone.now())).data)
