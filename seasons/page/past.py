"""Where a club moves in: its imported seasons, the form that imports one, and the API."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from core.spreadsheets import MAX_COLUMNS, MAX_TEXT_LENGTH, read_text
from core.text_lengths import MAX_NAME_LENGTH
from core.times import in_zone
from engine.errors import Refused
from matches.models import MatchImport
from players import access
from players.access import Role
from players.accounts.serializers import PROBLEM, PROBLEMS, PersonSerializer, encoding_field
from players.actions import FormSerializer
from players.actors import Actor
from players.forms import SPREADSHEETS, UNREADABLE, RefusingForm, spreadsheet_in
from players.models import Club
from players.requests import by, page, refused_back
from seasons.forms import NumbersField, PastImportForm, choices_of, column_field
from seasons.imports.matches import has_matches
from seasons.imports.rows import COLUMNS, PLACES, POINTS, NightOffer, Reading, RowProblem
from seasons.imports.seasons import (
    NewSeason,
    PastInput,
    PastPreview,
    PastTableRow,
    Question,
    count_past,
    days_of,
    import_past,
    leave_out_past,
    preview_past,
    table_of,
    undo_past,
)
from seasons.page.match_imports import (
    PastImportPreviewSerializer,
    PastImportSerializer,
    PastMatchesForm,
    RowProblemSerializer,
    column_number,
    matches_page,
    preview_context,
)
from seasons.sentences import members_who_stay
from seasons.tables import CountedEvent, past_nights
from tournaments.models import PastSeason, Series, SeriesClosing
from tournaments.state.api import by as api_by
from tournaments.state.api import example, validated

CELLS = [("", gettext_lazy("Choose …")), (POINTS, gettext_lazy("points")), (PLACES, gettext_lazy("places"))]
PLACINGS = "placings"
PROBLEMS_OF_ROWS: dict[RowProblem, str | Promise] = {
    RowProblem.EMPTY: gettext_lazy("empty row"),
    RowProblem.TOTAL: gettext_lazy("a total"),
    RowProblem.ABSENT: gettext_lazy("came to no night"),
    RowProblem.NO_NAME: gettext_lazy("a player is missing"),
    RowProblem.LONG_NAME: gettext_lazy("the name is too long"),
    RowProblem.BAD_DAY: gettext_lazy("not a date"),
    RowProblem.UNCLEAR_DAY: gettext_lazy("is that day/month or month/day?"),
    RowProblem.BAD_PLACE: gettext_lazy("not a place"),
    RowProblem.BAD_POINTS: gettext_lazy("not a number of points"),
    RowProblem.UNCLEAR_POINTS: gettext_lazy("thousands or decimals?"),
    RowProblem.NOTHING: gettext_lazy("neither a place nor points"),
    RowProblem.REPEATED: gettext_lazy("the same person again in the same event"),
    RowProblem.SAME: gettext_lazy("the same row again, which counts once"),
}


class PastSeasonForm(PastImportForm):
    """A spreadsheet or pasted rows, and what was decided about them."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"placeholder": "2023/24"}),
    )
    file = forms.FileField(
        label=gettext_lazy("Spreadsheet"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": SPREADSHEETS}),
        help_text=gettext_lazy(
            "CSV, .xlsx or .ods: a row for each player and evening, for each player with a column for each evening, or "
            "for each match."
        ),
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste the rows"),
        required=False,
        strip=False,
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "The first row names the columns: name, and place or points; or player, opponent and score. Event and date "
            "if known. Lines of results such as “Ann Berg – Ben Lund 7-4” need no titles."
        ),
    )
    name_column = column_field(gettext_lazy("Name"))
    event_column = column_field(gettext_lazy("Event"))
    day_column = column_field(gettext_lazy("Date"))
    place_column = column_field(gettext_lazy("Place"))
    points_column = column_field(gettext_lazy("Points"))
    nights = NumbersField(required=False)
    cells = forms.ChoiceField(label=gettext_lazy("The numbers are"), required=False, choices=CELLS)
    rows_are = forms.ChoiceField(required=False, choices=[("", ""), (PLACINGS, PLACINGS)])
    """Placings, although there are titles of matches; matches have a form of their own."""
    FIELD_OF: ClassVar[dict[str, str]] = {
        **PastImportForm.FIELD_OF,
        "past_no_file": "file",
        **dict.fromkeys(UNREADABLE, "file"),
        "past_cells_open": "cells",
    }

    def input_of(self, text: str) -> PastInput:
        data = self.cleaned_data
        reading = _reading(data, data["nights"] or None)
        if self.is_other_sheet:
            reading = replace(reading, columns={}, nights=None)
        return PastInput(text, reading, choices_of(data["choices"]), data["leave_out"])

    def read(self) -> str:
        """Return the rows as text. Refused: `past_no_file`, and what `read_spreadsheet` refuses."""
        return rows_of(self.cleaned_data["file"], self.cleaned_data["text"])


def rows_of(file: "UploadedFile[bytes] | None", text: str, encoding: str = "") -> str:
    """Return the rows of a file, or those that were pasted, as text.

    Refused: as `PastSeasonForm.read` and `limited.read_in_request`.
    """
    if file is None:
        if not text.strip():
            raise Refused("past_no_file")
        return text
    return spreadsheet_in(file, encoding)


def _reading(data: Mapping[str, Any], nights: Sequence[int] | None) -> Reading:
    columns = {name: data.get(f"{name}_column") for name in COLUMNS}
    return Reading(columns, data.get("day_order", ""), data.get("sheets", ()), nights, data.get("cells", ""))


class CountPastForm(RefusingForm):
    """The season in which an import counts; without one, a new season of this name and these days."""

    series = forms.CharField(max_length=LENGTH, required=False)
    name = forms.CharField(label=gettext_lazy("Name"), max_length=MAX_NAME_LENGTH, required=False)
    first_day = forms.DateField(
        label=gettext_lazy("First day"), required=False, widget=forms.DateInput({"type": "date"}, "%Y-%m-%d")
    )
    last_day = forms.DateField(
        label=gettext_lazy("Last day"), required=False, widget=forms.DateInput({"type": "date"}, "%Y-%m-%d")
    )
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "series_name_taken": "name",
        "series_days": "last_day",
        "past_days_needed": "first_day",
    }

    def count(self, season: PastSeason, by: Actor) -> Series:
        """Let the import count. Refused: as `count_past`, and `past_days_needed`; 404 for a season elsewhere."""
        fields = self.cleaned_data
        if fields["series"]:
            series = get_object_or_404(Series, club=season.club, public_id=fields["series"])
            return count_past(season=season, by=by, now=timezone.now(), series=series)
        if not fields["first_day"] or not fields["last_day"]:
            raise Refused("past_days_needed")
        new = NewSeason(fields["name"] or season.name, fields["first_day"], fields["last_day"])
        return count_past(season=season, by=by, now=timezone.now(), new=new)


def _season(club: Club, public_id: str) -> PastSeason:
    rows = PastSeason.objects.select_related("club", "counts_in__club")
    season = rows.filter(club=club, public_id=public_id).first()
    if season is None:
        raise Http404
    return season


@open_to(get=Who.EVERYBODY)
def past_seasons(request: HttpRequest, slug: str) -> HttpResponse:
    """List the imported seasons of a club; directors import one here."""
    return _list_page(request, access.club(slug), PastSeasonForm())


def _list_page(request: HttpRequest, club: Club, form: PastSeasonForm, **more: Any) -> HttpResponse:
    may_direct = access.is_at_least(access.role_in(request.user, club), Role.DIRECTOR)
    seasons = PastSeason.objects.filter(club=club).prefetch_related("added")
    imports = MatchImport.objects.filter(club=club).select_related("pool").prefetch_related("added", "matches")
    context = {
        "club": club,
        "seasons": seasons if may_direct else seasons.filter(undone_at=None),
        "match_imports": imports if may_direct else (),
        "may_direct": may_direct,
        "form": form,
        **more,
    }
    return page(request, "seasons/past_seasons.html", context, form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def import_season(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview an import, or apply it in the second step."""
    club = access.club_for_director(request.user, slug)
    form = PastSeasonForm(request.POST, request.FILES)
    if not form.is_valid():
        return _list_page(request, club, form)
    try:
        throttle.count(throttle.SEASON_IMPORTS_BY, str(request.user.pk))
        text = form.read()
        if form.cleaned_data["rows_are"] != PLACINGS and has_matches(read_text(text)):
            first_look = PastMatchesForm({"name": form.cleaned_data["name"], "text": text, "step": "preview"})
            return _matches(request, club, first_look)
        data = form.input_of(text)
        preview = preview_past(club=club, data=data)
    except Refused as refused:
        form.refuse(refused)
        return _list_page(request, club, form)
    if form.cleaned_data["step"] == "apply":
        try:
            season = import_past(
                club=club, name=form.cleaned_data["name"], data=data, by=by(request), now=timezone.now()
            )
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Imported. You can undo it below."))
            return redirect("past-season", slug, season.public_id)
    return _list_page(request, club, form, preview=_preview(preview, text, form))


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def import_match_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview an import of matches, or apply it in the second step."""
    club = access.club_for_director(request.user, slug)
    form = PastMatchesForm(request.POST)
    try:
        throttle.count(throttle.SEASON_IMPORTS_BY, str(request.user.pk))
    except Refused as refused:
        form.refuse(refused)
        return _list_page(request, club, PastSeasonForm(), match_form=form)
    return _matches(request, club, form)


def _matches(request: HttpRequest, club: Club, form: PastMatchesForm) -> HttpResponse:
    """Show the preview of matches; back to the list once they are imported."""
    context: dict[str, Any] = {}
    if form.is_valid():
        try:
            shown = matches_page(request, club, form)
        except Refused as refused:
            form.refuse(refused)
        else:
            if isinstance(shown, HttpResponse):
                return shown
            context["preview_of_matches"] = shown
    return _list_page(request, club, PastSeasonForm(), match_form=form, **context)


def _preview(preview: PastPreview, text: str, form: PastSeasonForm) -> dict[str, Any]:
    sheet = preview.sheet
    names = ("name",) if sheet.is_wide else COLUMNS
    return {
        **preview_context(preview, sheet.skipped, form, names, PROBLEMS_OF_ROWS),
        "text": text,
        "nights": sheet.nights if len(sheet.nights) > 1 or sheet.is_wide else (),
        "is_wide": sheet.is_wide,
        "cells": sheet.cells,
        "lacks_cells": sheet.lacks_cells,
        "filled": sum(row.from_above for row in preview.rows),
    }


@open_to(get=Who.EVERYBODY)
def past_season(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show the table of an imported season, at a permanent address."""
    return _season_page(request, _season(access.club(slug), public_id), None)


def _season_page(request: HttpRequest, season: PastSeason, form: CountPastForm | None) -> HttpResponse:
    may_direct = access.is_at_least(access.role_in(request.user, season.club), Role.DIRECTOR)
    if form is None:
        days = days_of(season)
        form = CountPastForm(
            initial={"name": season.name} | ({"first_day": days[0], "last_day": days[1]} if days else {})
        )
    closed = SeriesClosing.objects.filter(reopened_at=None).values("series")
    open_series = Series.objects.filter(club=season.club).exclude(pk__in=closed)
    context = {
        "club": season.club,
        "season": season,
        "table": table_of(season),
        "may_direct": may_direct,
        "form": form,
        "open_series": open_series if may_direct else (),
        "has_gaps": may_direct and any(not night.facts.divisions[0].brackets for night in _nights_by_places(season)),
    }
    return page(request, "seasons/past_season.html", context, form)


def _nights_by_places(season: PastSeason) -> list[CountedEvent]:
    """Return the evenings of an import that has places and no points."""
    placings = season.placings
    if placings.filter(points__isnull=False).exists() or not placings.exists():
        return []
    return past_nights(season, in_zone(season.at, season.club.time_zone).date())


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def count_season(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Let the evenings of an import count in a season."""
    season = _season(access.club_for_director(request.user, slug), public_id)
    form = CountPastForm(request.POST)
    if form.is_valid():
        try:
            series = form.count(season, by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("These evenings count in %(name)s") % {"name": series.name})
            return redirect("series", slug, series.slug)
    return _season_page(request, season, form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def leave_out_season(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Let the evenings of an import no longer count."""
    season = _season(access.club_for_director(request.user, slug), public_id)
    try:
        leave_out_past(season=season, by=by(request))
    except Refused as refused:
        return refused_back(request, refused, "past-season", slug, public_id)
    messages.success(request, _("These evenings no longer count in a season."))
    return redirect("past-season", slug, public_id)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def undo_season(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    season = _season(access.club_for_director(request.user, slug), public_id)
    counted_in = season.counts_in
    try:
        undone = undo_past(season=season, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "past-seasons", slug)
    sentence = f"{_('The import is undone.')} {members_who_stay(undone.added.count())}".rstrip()
    if counted_in is not None and not Series.objects.filter(pk=counted_in.pk).exists():
        sentence += " " + _("The season {name}, which the import created, is removed.").format(name=counted_in.name)
    elif counted_in is not None:
        sentence += " " + _("The season {name} stays, without these evenings.").format(name=counted_in.name)
    messages.success(request, sentence)
    return redirect("past-seasons", slug)


class PastSeasonSerializer(serializers.ModelSerializer[PastSeason]):
    """An imported season."""

    counts_in: "serializers.SlugRelatedField[Any]" = serializers.SlugRelatedField(
        read_only=True,
        slug_field="public_id",
        allow_null=True,
        help_text="The season in which its evenings count; null: it stands alone.",
    )

    class Meta:
        model = PastSeason
        fields = ("public_id", "name", "at", "undone_at", "counts_in")


class PastTableRowSerializer(serializers.Serializer[PastTableRow]):
    """A line of the table of an imported season."""

    rank = serializers.IntegerField()
    player = PersonSerializer()
    points = serializers.DecimalField(12, 4, allow_null=True, help_text="Null if the import has no points.")
    events = serializers.IntegerField()
    best = serializers.IntegerField(allow_null=True, help_text="The best place.")


class PastSeasonDetailSerializer(PastSeasonSerializer):
    """An imported season with its table."""

    table = serializers.SerializerMethodField()

    class Meta(PastSeasonSerializer.Meta):
        fields = (*PastSeasonSerializer.Meta.fields, "table")  # type: ignore[assignment]

    @extend_schema_field(PastTableRowSerializer(many=True))
    def get_table(self, season: PastSeason) -> Any:
        lines: Any = table_of(season)
        return PastTableRowSerializer(lines, many=True, context=self.context).data


class PastRowsSerializer(PastImportSerializer):
    """Rows of an earlier season."""

    text = serializers.CharField(
        required=False,
        max_length=MAX_TEXT_LENGTH,
        trim_whitespace=False,
        help_text="CSV with a row of titles. Sheets begin with a form feed and their name in a row of its own.",
    )
    name_column = column_number()
    event_column = column_number()
    day_column = column_number()
    place_column = column_number()
    points_column = column_number()
    nights = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MAX_COLUMNS),
        required=False,
        max_length=MAX_COLUMNS,
        help_text="Columns, from 1, that are a night each; empty if every row is a result.",
    )
    cells = serializers.ChoiceField([POINTS, PLACES], required=False, help_text="What the columns of nights contain.")


@extend_schema_field(OpenApiTypes.BINARY)
class SpreadsheetField(serializers.FileField):
    """A spreadsheet."""


class PastFileSerializer(PastRowsSerializer):
    """Rows of an earlier season, or a spreadsheet instead of `text`."""

    file = SpreadsheetField(required=False, help_text="CSV, .xlsx or .ods.")
    encoding = encoding_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Replace the file with its text."""
        if ("text" in attrs) == ("file" in attrs):
            raise serializers.ValidationError({"text": "Send either `text` or a `file`."})
        attrs["text"] = rows_of(attrs.pop("file", None), attrs.get("text", ""), attrs.pop("encoding", ""))
        return attrs


class PastProblemSerializer(RowProblemSerializer):
    """A row that would not be imported."""

    problem = serializers.ChoiceField([str(problem) for problem in RowProblem])


class PastQuestionSerializer(serializers.Serializer[Question]):
    """A name that may mean several people."""

    name = serializers.CharField()
    members = PersonSerializer(many=True)
    names = serializers.ListField(child=serializers.CharField(), help_text="Other names of the file.")
    rows = serializers.IntegerField(help_text="How many rows have the name.")


class NightOfferSerializer(serializers.Serializer[NightOffer]):
    """A column that may be a night."""

    column = serializers.IntegerField()
    title = serializers.CharField()
    is_read = serializers.BooleanField()


class PastPreviewSerializer(PastImportPreviewSerializer):
    """What an import would do."""

    nights = NightOfferSerializer(source="sheet.nights", many=True)
    cells = serializers.CharField(
        source="sheet.cells", allow_blank=True, help_text="`places` or `points`; empty if that has to be said."
    )
    unclear = PastProblemSerializer(many=True)
    skipped = PastProblemSerializer(source="sheet.skipped", many=True)
    questions = PastQuestionSerializer(many=True)


@open_to(get=Who.EVERYBODY, post=Who.DIRECTORS)
class PastSeasons(APIView):
    @extend_schema(
        operation_id="past_seasons_list",
        summary="Imported seasons of a club",
        responses={200: PastSeasonSerializer(many=True), 404: PROBLEM},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List them, newest import first, without those that were undone."""
        seasons = PastSeason.objects.filter(club=access.club(slug), undone_at=None)
        return Response(PastSeasonSerializer(seasons, many=True).data)

    @extend_schema(
        operation_id="past_seasons_create",
        summary="Import an earlier season",
        request={"multipart/form-data": PastFileSerializer, "application/json": PastRowsSerializer},
        examples=example(name="2019/20", text="name,place,points\nElif Ristic,1,24.5", preview=True),
        responses={200: PastPreviewSerializer, 201: PastSeasonSerializer, 409: PROBLEM, 429: PROBLEM, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str) -> Response:
        """With `preview`, return what the import would do and store nothing."""
        club = access.club_for_director(request.user, slug)
        throttle.count(throttle.SEASON_IMPORTS_BY, str(request.user.pk))
        fields = validated(PastFileSerializer, request)
        choices = choices_of(fields.get("choices", ()))
        data = PastInput(fields["text"], _reading(fields, fields.get("nights")), choices, fields["leave_out"])
        if fields["preview"]:
            return Response(PastPreviewSerializer(preview_past(club=club, data=data)).data)
        season = import_past(club=club, name=fields["name"], data=data, by=api_by(request), now=timezone.now())
        return Response(PastSeasonSerializer(season).data, status=status.HTTP_201_CREATED)


@open_to(get=Who.EVERYBODY)
class OnePastSeason(APIView):
    @extend_schema(
        operation_id="past_seasons_retrieve",
        summary="An imported season with its table",
        responses={200: PastSeasonDetailSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The table is empty once the import is undone."""
        return Response(PastSeasonDetailSerializer(_season(access.club(slug), public_id)).data)


@open_to(post=Who.DIRECTORS)
class UndoPastSeason(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="past_seasons_undo",
        summary="Undo the import of a season",
        request=None,
        responses={200: PastSeasonSerializer, 409: PROBLEM, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """New members whom nobody has used since are removed again."""
        season = _season(access.club_for_director(request.user, slug), public_id)
        return Response(PastSeasonSerializer(undo_past(season=season, by=api_by(request), now=timezone.now())).data)


class CountPastSerializer(FormSerializer):
    """The season in which an import counts: one of the club, or a new one."""

    first_day = serializers.DateField(required=False)
    last_day = serializers.DateField(required=False)

    class Meta:
        form = CountPastForm
        extra_kwargs: ClassVar = {
            "series": {"help_text": "Public id of a season of the club."},
            "name": {"help_text": "Of a new season; by default that of the import."},
        }


@open_to(post=Who.DIRECTORS)
class CountPastSeason(APIView):
    """Counting the evenings of an import in a season."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="past_seasons_count",
        summary="Count an imported season in a season",
        request=CountPastSerializer,
        examples=example(first_day="2019-09-01", last_day="2020-06-30"),
        responses={200: PastSeasonSerializer, 409: PROBLEM, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Its points count, or its places if it has no points. Without `series`, a new season is made."""
        season = _season(access.club_for_director(request.user, slug), public_id)
        form = CountPastForm(validated(CountPastSerializer, request))
        if not form.is_valid():
            raise serializers.ValidationError({name: [*map(str, errors)] for name, errors in form.errors.items()})
        form.count(season, api_by(request))
        return Response(PastSeasonSerializer(_season(season.club, public_id)).data)


@open_to(post=Who.DIRECTORS)
class LeaveOutPastSeason(APIView):
    """Counting the evenings of an import no longer."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="past_seasons_leave_out",
        summary="Count an imported season no longer",
        request=None,
        responses={200: PastSeasonSerializer, 409: PROBLEM, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Harmless if it does not count. 409 `series_closed`."""
        season = _season(access.club_for_director(request.user, slug), public_id)
        leave_out_past(season=season, by=api_by(request))
        return Response(PastSeasonSerializer(_season(season.club, public_id)).data)
