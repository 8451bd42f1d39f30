"""API views of a club's rating pools: settings, their versions, imports, the comparison of formulas, and the lists."""

from dataclasses import asdict
from typing import Any, ClassVar

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView, read_after, validated
from core.repeats import Repeat, repeated
from matches.models import FormulaComparison, PoolSettings, RatingImport, RatingPool
from matches.rankings.api import PROVISIONAL, PlayerSerializer, player_data
from matches.rankings.formulas import newest_comparison, predictions_of, request_comparison
from matches.rankings.imports import apply_import, preview_import, undo_import
from matches.rankings.pools import PoolChangeForm, RatingPoolForm, pool_of, rows_of
from matches.rankings.sentences import sentences_of
from matches.ratings import pools as services
from matches.ratings.lists import Listed, ListPlace
from players import access
from players.accounts.api import by
from players.accounts.serializers import PROBLEM, PROBLEMS, example
from players.actions import FormSerializer
from players.forms import MAX_LIST

SETTINGS_HELP: dict[str, dict[str, str]] = {
    "family": {"help_text": "The formula (docs/ratings.md)."},
    "k_scale": {"help_text": "1 is the formula as it is."},
    "provisional_below": {"help_text": "Points of experience; 0 for none."},
    "active_days": {"help_text": "0 for any time."},
}


class PoolSettingsSerializer(FormSerializer):
    """Settings of a rating pool; a value that its formula has no use for is ignored."""

    class Meta:
        form = RatingPoolForm
        extra_kwargs: ClassVar = SETTINGS_HELP


class PoolChangeSerializer(FormSerializer):
    """Other settings of a rating pool; what is left out has its usual value."""

    class Meta:
        form = PoolChangeForm
        exclude = ("step",)
        extra_kwargs: ClassVar = SETTINGS_HELP


class PoolSerializer(PoolSettingsSerializer):
    """A rating pool."""

    id = serializers.IntegerField()
    seq = serializers.IntegerField(help_text="Grows with each change of the settings.")
    sentences = serializers.ListField(child=serializers.CharField(), help_text="The settings in words.")


def pool_data(pool: RatingPool) -> dict[str, Any]:
    chosen = pool.chosen
    return {"id": pool.pk, "seq": pool.seq, "sentences": sentences_of(chosen), **asdict(chosen)}


class PlacedSerializer(serializers.Serializer[Any]):
    """A player's rating and their place in the list."""

    rating = serializers.FloatField()
    deviation = serializers.FloatField(allow_null=True, help_text="Of Glicko-2, today.")
    rank = serializers.IntegerField(allow_null=True, help_text="Null unless ranked.")
    place = serializers.ChoiceField([place.value for place in ListPlace])
    is_provisional = serializers.BooleanField(help_text=PROVISIONAL)


def placed_data(listed: Listed | None) -> dict[str, Any] | None:
    if listed is None:
        return None
    return {
        "rating": listed.standing.rating,
        "deviation": listed.deviation,
        "rank": listed.rank,
        "place": listed.place.value,
        "is_provisional": listed.is_provisional,
    }


class SettingsEffectSerializer(serializers.Serializer[Any]):
    """A rated player, today and by other settings."""

    player = PlayerSerializer()
    before = PlacedSerializer(allow_null=True)
    after = PlacedSerializer(allow_null=True)


class SettingsPreviewSerializer(serializers.Serializer[Any]):
    """What other settings would do."""

    matches = serializers.ListField(
        child=serializers.IntegerField(), min_length=2, max_length=2, help_text="Matches that count, before and after."
    )
    sentences = serializers.ListField(child=serializers.CharField())
    effects = SettingsEffectSerializer(many=True, help_text="All rated players, in the order of the new list.")


class PoolVersionSerializer(serializers.Serializer[Any]):
    """Settings that a pool has had."""

    number = serializers.IntegerField()
    at = serializers.DateTimeField()
    restores = serializers.IntegerField(allow_null=True, help_text="The number of the version it repeats.")
    settings = PoolSettingsSerializer()


class RestoreSerializer(serializers.Serializer[Any]):
    """An earlier version."""

    number = serializers.IntegerField(min_value=1, max_value=10**9)
    after = serializers.IntegerField(min_value=0, required=False, help_text="The `seq` you saw.")


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class PoolList(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pools_list", summary="A club's rating pools", responses={200: PoolSerializer(many=True)}
    )
    def get(self, request: Request, slug: str) -> Response:
        """For directors only."""
        club = access.club_for_director(request.user, slug)
        rows = RatingPool.objects.filter(club=club).order_by("name")
        return Response(PoolSerializer([pool_data(row) for row in rows], many=True).data)

    @extend_schema(
        operation_id="pools_create",
        summary="Create a rating pool",
        request=PoolSettingsSerializer,
        examples=example(name="Club ladder", family="fibs", start_rating=1500, ramp="before", k_scale=1),
        responses={201: PoolSerializer, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str) -> Response:
        """Return 422 `pool_name_taken` if the club has a pool with this name."""
        club = access.club_for_director(request.user, slug)
        settings = PoolSettings(**validated(PoolSettingsSerializer, request))
        pool = services.create_pool(club=club, settings=settings, by=by(request))
        return Response(PoolSerializer(pool_data(pool)).data, status=status.HTTP_201_CREATED)


@open_to(put=Who.DIRECTORS)
class PoolDetail(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pools_update",
        summary="Change a rating pool",
        description="Its whole history is recalculated. See first what would follow with `pools_preview`.",
        request=PoolChangeSerializer,
        examples=example(name="Club ladder", family="danish", start_rating=1000, after=0),
        responses={200: PoolSerializer, 409: PROBLEM, **PROBLEMS},
    )
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Replace all settings. Returns 409 `stale` if they have changed since `after`."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        fields = validated(PoolChangeSerializer, request)
        after = read_after(request, fields)
        settings, now = PoolSettings(**fields), timezone.now()
        pool = services.update_pool(pool=pool, settings=settings, after=after, by=by(request), now=now)
        return Response(PoolSerializer(pool_data(pool)).data)


@open_to(post=Who.DIRECTORS)
class PoolPreview(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pools_preview",
        summary="Preview other settings of a rating pool",
        request=PoolSettingsSerializer,
        examples=example(name="Club ladder", family="danish", start_rating=1000),
        responses={200: SettingsPreviewSerializer, **PROBLEMS},
    )
    @repeated(Repeat.HARMLESS)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Return every rating before and after; nothing is stored."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        settings = PoolSettings(**validated(PoolSettingsSerializer, request))
        preview = services.preview_settings(pool=pool, settings=settings, now=timezone.now())
        data = {
            "matches": preview.matches,
            "sentences": sentences_of(preview.chosen),
            "effects": [
                {
                    "player": player_data(row.player),
                    "before": placed_data(row.before),
                    "after": placed_data(row.after),
                }
                for row in preview.effects
            ],
        }
        return Response(SettingsPreviewSerializer(data).data)


@open_to(get=Who.DIRECTORS)
class PoolVersionList(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pool_versions_list",
        summary="Versions of the settings of a rating pool",
        responses={200: PoolVersionSerializer(many=True)},
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List them, newest first; none before the first change."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        rows = [
            {"number": row.number, "at": row.at, "restores": row.restores, "settings": asdict(row.chosen)}
            for row in pool.versions.all()
        ]
        return Response(PoolVersionSerializer(rows, many=True).data)


@open_to(post=Who.DIRECTORS)
class RestorePool(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pools_restore",
        summary="Let an earlier version of the settings hold again",
        request=RestoreSerializer,
        examples=example(number=1, after=1),
        responses={200: PoolSerializer, 409: PROBLEM, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """In a new version, so that this can be undone as well."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        fields = validated(RestoreSerializer, request)
        after = read_after(request, fields)
        pool = services.restore_version(
            pool=pool, number=fields["number"], after=after, by=by(request), now=timezone.now()
        )
        return Response(PoolSerializer(pool_data(pool)).data)


class PredictionSerializer(serializers.Serializer[Any]):
    """How well a formula predicts."""

    family = serializers.CharField(help_text="A formula, or `own` for the settings of the pool.")
    loss = serializers.FloatField(help_text="Mean −ln of the chance given to the winner; a coin has 0.6931.")
    behind = serializers.FloatField(help_text="Difference from the best.")
    error = serializers.FloatField(help_text="Standard error of that difference.")
    is_as_good = serializers.BooleanField(help_text="Whether the difference may be chance.")


class ComparisonSerializer(serializers.Serializer[Any]):
    """A comparison of formulas; without results until a worker has computed it."""

    at = serializers.DateTimeField()
    done_at = serializers.DateTimeField(allow_null=True)
    matches = serializers.IntegerField(allow_null=True)
    predictions = PredictionSerializer(many=True, help_text="The best first; none with too few matches.")


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class PoolFormulas(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pool_formulas_retrieve",
        summary="The newest comparison of formulas",
        responses={200: ComparisonSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return 404 if none was asked for."""
        comparison = newest_comparison(pool_of(access.club_for_director(request.user, slug), pk))
        if comparison is None:
            raise Http404
        return Response(comparison_data(comparison))

    @extend_schema(
        operation_id="pool_formulas_create",
        summary="Have the formulas compared",
        request=None,
        responses={202: ComparisonSerializer, **PROBLEMS},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """A worker computes the comparison; while one is waiting, it is returned."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        comparison = request_comparison(pool=pool, by=by(request), now=timezone.now())
        return Response(comparison_data(comparison), status=status.HTTP_202_ACCEPTED)


def comparison_data(comparison: FormulaComparison) -> dict[str, Any]:
    rows = [{**asdict(row), "is_as_good": row.is_as_good} for row in predictions_of(comparison)]
    return dict(
        ComparisonSerializer(
            {
                "at": comparison.at,
                "done_at": comparison.done_at,
                "matches": comparison.result.get("matches"),
                "predictions": rows,
            }
        ).data
    )


# The list, for everybody.


class PoolRowSerializer(PlacedSerializer):
    """A player in the list of a pool."""

    player = PlayerSerializer()
    matches = serializers.IntegerField()
    wins = serializers.IntegerField()
    experience = serializers.IntegerField(help_text="Sum of the lengths of the rated matches, in points.")
    last_played_at = serializers.DateTimeField()


@open_to(get=Who.EVERYBODY)
class PoolRanking(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="pool_ranking_list",
        summary="The list of a rating pool",
        responses={200: PoolRowSerializer(many=True), 404: PROBLEM},
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Return the ranked by rating, then provisional players."""
        rows = rows_of(*services.list_of(pool_of(access.club(slug), pk), timezone.now()))
        data = [
            {"player": player_data(row.player), **row.listed.standing._asdict(), **(placed_data(row.listed) or {})}
            for row in rows
        ]
        return Response(PoolRowSerializer(data, many=True).data)


class ImportRowsSerializer(serializers.Serializer[Any]):
    """CSV rows to import."""

    kind = serializers.ChoiceField(RatingImport.Kind.choices)
    text = serializers.CharField(
        max_length=MAX_LIST, trim_whitespace=False, help_text="CSV; the first row names the columns."
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


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class ImportList(APIView):
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
    @repeated(Repeat.KEY)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """With `preview`, return what the import would do and store nothing."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        fields = validated(ImportRowsSerializer, request)
        if fields.pop("preview"):
            return Response(ImportPreviewSerializer(preview_import(pool=pool, **fields)).data)
        created = apply_import(pool=pool, by=by(request), now=timezone.now(), **fields)
        return Response(ImportSerializer(created).data, status=status.HTTP_201_CREATED)


@open_to(post=Who.DIRECTORS)
class UndoImport(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="pool_imports_undo",
        summary="Undo an import",
        request=None,
        responses={200: ImportSerializer, 409: PROBLEM, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str, pk: int, source: int) -> Response:
        """Ratings are recalculated without it."""
        pool = pool_of(access.club_for_director(request.user, slug), pk)
        row = pool.imports.filter(pk=source).first()
        if row is None:
            raise Http404
        return Response(ImportSerializer(undo_import(source=row, by=by(request), now=timezone.now())).data)
