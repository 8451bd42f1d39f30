"""Where a club moves in: its imported seasons, the form that imports one, and the API."""

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.api import APIView
from core.names import fold
from core.spreadsheets import MOST_BYTES, as_csv, read_spreadsheet
from core.text_lengths import LONGEST_NAME
from engine.errors import Refused
from players import access
from players.access import Role
from players.accounts.serializers import PROBLEM, PROBLEMS, PersonSerializer
from players.forms import LONGEST_LIST, RefusingForm
from players.models import Club
from players.pages import account_needed, by, page, refused_back
from tournaments.models import PastSeason
from tournaments.seasons.past import (
    PastInput,
    PastPreview,
    PastTableRow,
    import_past,
    preview_past,
    table_of,
    undo_past,
)
from tournaments.seasons.past_rows import COLUMNS, PastRow, Problem
from tournaments.state.api import by as api_by
from tournaments.state.api import example, validated

DAY_ORDERS = [
    ("", gettext_lazy("as the column shows")),
    ("dmy", gettext_lazy("day first: 31/12/2024")),
    ("mdy", gettext_lazy("month first: 12/31/2024")),
]
SHOWN = 300
"""Rows of each kind on the page of a preview."""
PROBLEMS_OF_ROWS: dict[Problem, str | Promise] = {
    Problem.EMPTY: gettext_lazy("empty row"),
    Problem.TOTAL: gettext_lazy("a total"),
    Problem.NO_NAME: gettext_lazy("no name"),
    Problem.LONG_NAME: gettext_lazy("the name is too long"),
    Problem.BAD_DAY: gettext_lazy("not a date"),
    Problem.UNCLEAR_DAY: gettext_lazy("is that day/month or month/day?"),
    Problem.BAD_PLACE: gettext_lazy("not a place"),
    Problem.BAD_POINTS: gettext_lazy("not a number of points"),
    Problem.UNCLEAR_POINTS: gettext_lazy("thousands or decimals?"),
    Problem.NOTHING: gettext_lazy("neither a place nor points"),
    Problem.REPEATED: gettext_lazy("the same person again in the same event"),
}


class ChoicesField(forms.Field):
    """What each ambiguous name means: values such as `k7m2q9x4ab:Jan Novák`, or `new:Jan Novák`."""

    widget = forms.SelectMultiple

    def to_python(self, value: Any) -> dict[str, str]:
        """Return the choices by name."""
        pairs = [str(choice).partition(":") for choice in value or ()]
        return {name: choice for choice, _colon, name in pairs if choice and name}


class PastSeasonForm(RefusingForm):
    """A spreadsheet or pasted rows, and what was decided about them."""

    name = forms.CharField(
        label=gettext_lazy("Name of the season"),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"placeholder": "2023/24"}),
    )
    file = forms.FileField(
        label=gettext_lazy("Spreadsheet"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.ods"}),
        help_text=gettext_lazy("CSV, .xlsx or .ods. The first sheet is read; one row for each player and event."),
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste the rows"),
        required=False,
        strip=False,
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text=gettext_lazy("The first row names the columns: name, and place or points; event and date if known."),
    )
    name_column = forms.IntegerField(label=gettext_lazy("Name"), required=False, min_value=0, max_value=100)
    event_column = forms.IntegerField(label=gettext_lazy("Event"), required=False, min_value=0, max_value=100)
    day_column = forms.IntegerField(label=gettext_lazy("Date"), required=False, min_value=0, max_value=100)
    place_column = forms.IntegerField(label=gettext_lazy("Place"), required=False, min_value=0, max_value=100)
    points_column = forms.IntegerField(label=gettext_lazy("Points"), required=False, min_value=0, max_value=100)
    day_order = forms.ChoiceField(label=gettext_lazy("Dates are written"), required=False, choices=DAY_ORDERS)
    choices = ChoicesField(required=False)
    leave_out = forms.BooleanField(label=gettext_lazy("Leave these rows out"), required=False)
    step = forms.ChoiceField(choices=[("preview", "preview"), ("apply", "apply")])
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "past_no_file": "file",
        "spreadsheet_too_large": "file",
        "spreadsheet_too_many_cells": "file",
        "spreadsheet_unreadable": "file",
        "past_rows_open": "leave_out",
    }

    def input_of(self, text: str) -> PastInput:
        """Return what is imported."""
        data = self.cleaned_data
        columns = {name: data[f"{name}_column"] for name in COLUMNS}
        return PastInput(text, columns, data["day_order"], data["choices"], data["leave_out"])

    def read(self) -> str:
        """Return the rows as CSV. Refused: `past_no_file`, and what `read_spreadsheet` refuses."""
        file, text = self.cleaned_data["file"], self.cleaned_data["text"]
        if file is None:
            if not text.strip():
                raise Refused("past_no_file")
            return str(text)
        if file.size > MOST_BYTES:
            raise Refused("spreadsheet_too_large", mebibytes=MOST_BYTES // 2**20)
        rows = as_csv(read_spreadsheet(file.read()))
        if len(rows) > LONGEST_LIST:
            raise Refused("spreadsheet_too_large", mebibytes=MOST_BYTES // 2**20)
        return rows


def _season(club: Club, public_id: str) -> PastSeason:
    season = PastSeason.objects.select_related("club").filter(club=club, public_id=public_id).first()
    if season is None:
        raise Http404
    return season


@require_safe
def past_seasons(request: HttpRequest, slug: str) -> HttpResponse:
    """List the imported seasons of a club; directors import one here."""
    return _list_page(request, access.club(slug), PastSeasonForm())


def _list_page(request: HttpRequest, club: Club, form: PastSeasonForm, **more: Any) -> HttpResponse:
    role = access.role_in(request.user, club)
    may_direct = role is not None and role >= Role.DIRECTOR
    seasons = PastSeason.objects.filter(club=club).prefetch_related("added")
    context = {
        "club": club,
        "seasons": seasons if may_direct else seasons.filter(undone_at=None),
        "may_direct": may_direct,
        "form": form,
        **more,
    }
    return page(request, "tournaments/seasons/past_seasons.html", context, form)


@account_needed
@require_POST
def import_season(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview an import, or apply it in the second step."""
    club = access.club_for_director(request.user, slug)
    form = PastSeasonForm(request.POST, request.FILES)
    if not form.is_valid():
        return _list_page(request, club, form)
    try:
        throttle.count(throttle.SEASON_IMPORTS_BY, str(request.user.pk))
        text = form.read()
        data = form.input_of(text)
        if form.cleaned_data["step"] == "apply":
            season = import_past(
                club=club, name=form.cleaned_data["name"], data=data, by=by(request), now=timezone.now()
            )
            messages.success(request, _("Imported. You can undo it below."))
            return redirect("past-season", slug, season.public_id)
        preview = _preview(preview_past(club=club, data=data), text, form)
    except Refused as refused:
        form.refuse(refused)
        return _list_page(request, club, form)
    return _list_page(request, club, form, preview=preview)


def _preview(preview: PastPreview, text: str, form: PastSeasonForm) -> dict[str, Any]:
    """Return what the page of a preview shows."""
    titles = [(number, title) for number, title in enumerate(preview.sheet.titles, 1) if title]
    labels = {name: form.fields[f"{name}_column"].label for name in COLUMNS}
    questions = [name for name in preview.names if name.candidates]
    chosen = preview.chosen
    return {
        "text": text,
        "columns": [(f"{name}_column", labels[name], preview.sheet.columns.get(name, 0)) for name in COLUMNS],
        "titles": titles,
        "unused": preview.sheet.unused,
        "questions": [
            (
                name.name,
                [(player.public_id, player.name, player == chosen.get(fold(name.name))) for player in name.candidates],
                fold(name.name) in chosen and chosen[fold(name.name)] is None,
            )
            for name in questions
        ],
        "open": len(preview.questions),
        "new": preview.new,
        "respelled": [(name, player.name) for name, player in preview.respelled],
        "unclear": [_explained(row) for row in preview.unclear[:SHOWN]],
        "unclear_count": len(preview.unclear),
        "skipped": [_explained(row) for row in preview.sheet.skipped[:SHOWN]],
        "rows": preview.rows[:SHOWN],
        "count": len(preview.rows),
        "more": max(0, len(preview.rows) - SHOWN),
    }


def _explained(row: PastRow) -> tuple[PastRow, str | Promise]:
    assert row.problem is not None  # noqa: S101, only rows that are left out.
    return row, PROBLEMS_OF_ROWS[row.problem]


@require_safe
def past_season(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show the table of an imported season, at a permanent address."""
    season = _season(access.club(slug), public_id)
    role = access.role_in(request.user, season.club)
    context = {
        "club": season.club,
        "season": season,
        "table": table_of(season),
        "may_direct": role is not None and role >= Role.DIRECTOR,
    }
    return render(request, "tournaments/seasons/past_season.html", context)


@account_needed
@require_POST
def undo_season(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Undo an import."""
    season = _season(access.club_for_director(request.user, slug), public_id)
    try:
        undone = undo_past(season=season, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "past-seasons", slug)
    stayed = undone.added.count()
    sentence = _("The import is undone.")
    if stayed:
        kept = ngettext(
            "{count} new member stays, because they have been used since.",
            "{count} new members stay, because they have been used since.",
            stayed,
        )
        sentence = f"{sentence} {kept.format(count=stayed)}"
    messages.success(request, sentence)
    return redirect("past-seasons", slug)


# The API.


class PastSeasonSerializer(serializers.ModelSerializer[PastSeason]):
    """An imported season."""

    class Meta:
        model = PastSeason
        fields = ("public_id", "name", "at", "undone_at")


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

    @extend_schema(responses=PastTableRowSerializer(many=True))
    def get_table(self, season: PastSeason) -> Any:
        """Return the lines."""
        lines: Any = table_of(season)
        return PastTableRowSerializer(lines, many=True, context=self.context).data


class PastRowsSerializer(serializers.Serializer[Any]):
    """Rows of an earlier season."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    text = serializers.CharField(max_length=LONGEST_LIST, trim_whitespace=False, help_text="CSV with a row of titles.")
    name_column = serializers.IntegerField(required=False, min_value=0, max_value=100, help_text="From 1.")
    event_column = serializers.IntegerField(required=False, min_value=0, max_value=100, help_text="0 for none.")
    day_column = serializers.IntegerField(required=False, min_value=0, max_value=100)
    place_column = serializers.IntegerField(required=False, min_value=0, max_value=100)
    points_column = serializers.IntegerField(required=False, min_value=0, max_value=100)
    day_order = serializers.ChoiceField(["dmy", "mdy"], required=False, help_text="Of dates such as 3/4/2024.")
    choices = serializers.ListField(
        child=serializers.CharField(max_length=2 * LONGEST_NAME),
        required=False,
        max_length=2000,
        help_text="What ambiguous names mean: `k7m2q9x4ab:Jan Novak` for a member, or `new:Jan Novak`.",
    )
    leave_out = serializers.BooleanField(default=False, help_text="Import the other rows if some are unclear.")
    preview = serializers.BooleanField(help_text="Whether to store nothing.")


class PastProblemSerializer(serializers.Serializer[PastRow]):
    """A row that would not be imported."""

    row = serializers.IntegerField(help_text="Its number in the file.")
    problem = serializers.ChoiceField([str(problem) for problem in Problem])
    value = serializers.CharField(allow_blank=True, help_text="The cell.")


class PastQuestionSerializer(serializers.Serializer[Any]):
    """A name that several members have."""

    name = serializers.CharField()
    candidates = PersonSerializer(many=True)


class PastPreviewSerializer(serializers.Serializer[PastPreview]):
    """What an import would do."""

    columns = serializers.DictField(source="sheet.columns", child=serializers.IntegerField())
    unused = serializers.ListField(source="sheet.unused", child=serializers.CharField())
    rows = serializers.SerializerMethodField(help_text="How many would be imported.")
    unclear = PastProblemSerializer(many=True)
    skipped = PastProblemSerializer(source="sheet.skipped", many=True)
    questions = PastQuestionSerializer(many=True)
    new = serializers.ListField(child=serializers.CharField(), help_text="Names that would become members.")

    def get_rows(self, preview: PastPreview) -> int:
        """Count them."""
        return len(preview.rows)


class PastSeasons(APIView):
    """The imported seasons of a club."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

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
        request=PastRowsSerializer,
        examples=example(name="2019/20", text="name,place,points\nElif Ristic,1,24.5", preview=True),
        responses={200: PastPreviewSerializer, 201: PastSeasonSerializer, 409: PROBLEM, 429: PROBLEM, **PROBLEMS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """With `preview`, return what the import would do and store nothing."""
        club = access.club_for_director(request.user, slug)
        fields = validated(PastRowsSerializer, request)
        throttle.count(throttle.SEASON_IMPORTS_BY, str(request.user.pk))
        data = PastInput(
            fields["text"],
            {name: fields.get(f"{name}_column") for name in COLUMNS},
            fields.get("day_order", ""),
            ChoicesField(required=False).to_python(fields.get("choices")),
            fields["leave_out"],
        )
        if fields["preview"]:
            return Response(PastPreviewSerializer(preview_past(club=club, data=data)).data)
        season = import_past(club=club, name=fields["name"], data=data, by=api_by(request), now=timezone.now())
        return Response(PastSeasonSerializer(season).data, status=status.HTTP_201_CREATED)


class OnePastSeason(APIView):
    """An imported season."""

    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="past_seasons_retrieve",
        summary="An imported season with its table",
        responses={200: PastSeasonDetailSerializer, 404: PROBLEM},
    )
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The table is empty once the import is undone."""
        return Response(PastSeasonDetailSerializer(_season(access.club(slug), public_id)).data)


class UndoPastSeason(APIView):
    """Undoing an import."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="past_seasons_undo",
        summary="Undo the import of a season",
        request=None,
        responses={200: PastSeasonSerializer, 409: PROBLEM, **PROBLEMS},
    )
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """New members whom nobody has used since are removed again."""
        season = _season(access.club_for_director(request.user, slug), public_id)
        return Response(PastSeasonSerializer(undo_past(season=season, by=api_by(request), now=timezone.now())).data)
