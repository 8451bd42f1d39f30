"""The preview of imported matches, their undo, and the API."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView
from core.repeats import Repeat, repeated
from core.spreadsheets import MAX_SHEETS, MAX_TEXT_LENGTH
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from matches.models import MatchImport, RatingPool
from matches.models.matches import MAX_MATCH
from matches.rankings.imports import Effect
from matches.ratings.pools import pool_choices
from players import access
from players.accounts.serializers import PROBLEM, PROBLEMS
from players.models import Club
from players.requests import by, refused_back
from seasons.forms import PastImportForm, answers_to, choices_of, column_field
from seasons.imports.match_imports import MatchesInput, MatchesPreview, import_matches, preview_matches, undo_matches
from seasons.imports.matches import COLUMNS, MatchProblem, MatchReading
from seasons.imports.rows import SheetOffer
from seasons.imports.seasons import Question
from seasons.sentences import members_who_stay
from tournaments.state.api import by as api_by
from tournaments.state.api import example, validated

SHOWN = 300
"""Rows of each kind on the page of a preview."""
PROBLEMS_OF_MATCHES: dict[MatchProblem, str | Promise] = {
    MatchProblem.EMPTY: gettext_lazy("empty row"),
    MatchProblem.TOTAL: gettext_lazy("a total"),
    MatchProblem.BYE: gettext_lazy("a bye"),
    MatchProblem.NOT_PLAYED: gettext_lazy("not played"),
    MatchProblem.KNOWN: gettext_lazy("imported already"),
    MatchProblem.NO_NAME: gettext_lazy("a player is missing"),
    MatchProblem.LONG_NAME: gettext_lazy("the name is too long"),
    MatchProblem.SAME_PLAYER: gettext_lazy("both players are the same person"),
    MatchProblem.NO_DAY: gettext_lazy("no date"),
    MatchProblem.BAD_DAY: gettext_lazy("not a date"),
    MatchProblem.UNCLEAR_DAY: gettext_lazy("is that day/month or month/day?"),
    MatchProblem.FUTURE: gettext_lazy("a day that is still to come"),
    MatchProblem.BAD_SCORE: gettext_lazy("not a score"),
    MatchProblem.NO_WINNER: gettext_lazy("Who won?"),
    MatchProblem.BAD_WINNER: gettext_lazy("the winner did not play this match"),
    MatchProblem.BAD_LENGTH: gettext_lazy("not a length"),
    MatchProblem.NO_LENGTH: gettext_lazy("to how many points?"),
    MatchProblem.CONTRADICTION: gettext_lazy("these do not fit together"),
    MatchProblem.REPEATED: gettext_lazy("the same match again"),
    MatchProblem.HEADING: gettext_lazy("a heading"),
    MatchProblem.NO_RESULT: gettext_lazy("Who played, and how did it end?"),
}


class PastMatchesForm(PastImportForm):
    """Rows of matches, and what was decided about them."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=MAX_NAME_LENGTH)
    text = forms.CharField(strip=False, max_length=MAX_TEXT_LENGTH, widget=forms.Textarea)
    player_column = column_field(gettext_lazy("Player"))
    opponent_column = column_field(gettext_lazy("Opponent"))
    winner_column = column_field(gettext_lazy("Winner"))
    loser_column = column_field(gettext_lazy("Loser"))
    score_column = column_field(gettext_lazy("Score"))
    player_points_column = column_field(gettext_lazy("Points of the player"))
    opponent_points_column = column_field(gettext_lazy("Points of the opponent"))
    winner_points_column = column_field(gettext_lazy("Points of the winner"))
    loser_points_column = column_field(gettext_lazy("Points of the loser"))
    length_column = column_field(gettext_lazy("Length"))
    day_column = column_field(gettext_lazy("Date"))
    event_column = column_field(gettext_lazy("Event"))
    length = forms.IntegerField(
        label=gettext_lazy("Length where none is given"), required=False, min_value=1, max_value=MAX_MATCH
    )
    day = forms.DateField(
        label=gettext_lazy("Date where none is given"),
        required=False,
        widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
    )
    pool = forms.IntegerField(label=gettext_lazy("Rated in"), required=False)
    ratings = forms.CharField(required=False, max_length=64)
    """Of the preview that was on the screen."""
    FIELD_OF: ClassVar[dict[str, str]] = {**PastImportForm.FIELD_OF, "past_ratings_changed": "pool"}

    def input_of(self, club: Club) -> MatchesInput:
        """Return what is imported. Refused: `pool_of_other_club`."""
        data = _input(club, self.cleaned_data)
        return replace(data, reading=replace(data.reading, columns={})) if self.is_other_sheet else data


def _input(club: Club, data: Mapping[str, Any]) -> MatchesInput:
    columns = {name: data.get(f"{name}_column") for name in COLUMNS}
    sheets = data.get("sheets", ())
    reading = MatchReading(columns, data.get("day_order", ""), sheets, data.get("length"), data.get("day"))
    pool = None
    if data.get("pool"):
        pool = RatingPool.objects.filter(club=club, is_own=False, pk=data["pool"]).first()
        if pool is None:
            raise Refused("pool_of_other_club")
    return MatchesInput(data["text"], reading, choices_of(data.get("choices", ())), data.get("leave_out", False), pool)


def matches_page(request: HttpRequest, club: Club, form: PastMatchesForm) -> HttpResponse | dict[str, Any]:
    """Import the matches if that is asked for, and otherwise return what the page of the preview shows.

    Refused: as for `preview_matches`.
    """
    data = form.input_of(club)
    if form.cleaned_data["step"] == "apply":
        try:
            import_matches(
                club=club,
                name=form.cleaned_data["name"],
                data=data,
                ratings=form.cleaned_data["ratings"],
                by=by(request),
                now=timezone.now(),
            )
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Imported. You can undo it below."))
            return redirect("past-seasons", club.slug)
    return _preview(club, preview_matches(club=club, data=data, now=timezone.now()), form, data)


def _preview(club: Club, preview: MatchesPreview, form: PastMatchesForm, data: MatchesInput) -> dict[str, Any]:
    return {
        **preview_context(preview, preview.skipped, form, COLUMNS, PROBLEMS_OF_MATCHES),
        "text": data.text,
        "is_of_lines": preview.sheet.is_of_lines,
        "pools": pool_choices(club),
        "pool": data.pool,
        "effects": preview.effects,
        "ratings": preview.ratings,
        "from_score": sum(row.from_score for row in preview.rows),
    }


def preview_context(
    preview: Any, skipped: Sequence[Any], form: PastImportForm, columns: Sequence[str], problems: Mapping[Any, Any]
) -> dict[str, Any]:
    """Return what the page of any preview shows: columns, sheets, questions about names, and rows.

    `columns` are those that can be chosen; `problems` has what is said about a row that is left out.
    """
    sheet = preview.sheet
    return {
        "columns": [
            (f"{name}_column", form.fields[f"{name}_column"].label, sheet.columns.get(name, 0))
            for name in columns
            if sheet.titles
        ],
        "titles": [(number, title) for number, title in enumerate(sheet.titles, 1) if title],
        "sheets": sheet.sheets if len(sheet.sheets) > 1 else (),
        "columns_of": next((offer.number for offer in sheet.sheets if offer.is_read), 0),
        "lacks_columns": sheet.lacks_columns,
        "unused": sheet.unused,
        "questions": [(question, answers_to(question)) for question in preview.asked],
        "open": len(preview.questions),
        "new": preview.new,
        "respelled": preview.respelled,
        "unclear": [(row, problems[row.problem]) for row in preview.unclear[:SHOWN]],
        "unclear_count": len(preview.unclear),
        "skipped": [(row, problems[row.problem]) for row in skipped[:SHOWN]],
        "skipped_count": len(skipped),
        "rows": preview.rows[:SHOWN],
        "count": len(preview.rows),
        "more": max(0, len(preview.rows) - SHOWN),
        "may_import": bool(preview.rows) and not preview.questions,
    }


def _import(club: Club, public_id: str) -> MatchImport:
    row = MatchImport.objects.select_related("club", "pool").filter(club=club, public_id=public_id).first()
    if row is None:
        raise Http404
    return row


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def undo_match_import(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = _import(access.club_for_director(request.user, slug), public_id)
    try:
        undone = undo_matches(source=row, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "past-seasons", slug)
    sentences = [_("The import is undone.")]
    if undone.pool is not None:
        sentences.append(_("Ratings are being recalculated."))
    if stayed := undone.matches.count():
        kept = ngettext(
            "{count} match stays, because it has been used since.",
            "{count} matches stay, because they have been used since.",
            stayed,
        )
        sentences.append(kept.format(count=stayed))
    sentences.append(members_who_stay(undone.added.count()))
    messages.success(request, " ".join(filter(None, sentences)))
    return redirect("past-seasons", slug)


class MatchImportSerializer(serializers.ModelSerializer[MatchImport]):
    """Imported matches of earlier years."""

    matches = serializers.SerializerMethodField(help_text="How many there are; after an undo, how many stayed.")

    class Meta:
        model = MatchImport
        fields = ("public_id", "name", "pool", "matches", "at", "undone_at")

    def get_matches(self, row: MatchImport) -> int:
        """Count them."""
        return row.matches.count()


def column_number(text: str = "From 1; 0 for none.") -> serializers.IntegerField:
    return serializers.IntegerField(required=False, min_value=0, max_value=100, help_text=text)


class PastImportSerializer(serializers.Serializer[Any]):
    """Rows of any import, and what is decided about them."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH)
    text = serializers.CharField(
        max_length=MAX_TEXT_LENGTH,
        trim_whitespace=False,
        help_text="CSV with a row of titles, or of matches lines such as `Ann Berg - Ben Lund 7-4`. "
        "Sheets begin with a form feed and their name in a row of its own.",
    )
    day_order = serializers.ChoiceField(["dmy", "mdy"], required=False, help_text="Of dates such as 3/4/2024.")
    sheets = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MAX_SHEETS),
        required=False,
        max_length=MAX_SHEETS,
        help_text="From 1. By default those with titles that are recognised; of a season, the first one.",
    )
    choices = serializers.ListField(
        child=serializers.CharField(max_length=3 * MAX_NAME_LENGTH),
        required=False,
        max_length=2000,
        help_text="Whom names mean: `k7m2q9x4ab:Jan Novak` for a member, `new:Jan Novak`, or `same:Jan Novak:J. Novak` "
        "if J. Novak is the same as Jan Novak in this file.",
    )
    leave_out = serializers.BooleanField(default=False, help_text="Import the other rows if some are unclear.")
    preview = serializers.BooleanField(help_text="Whether to store nothing.")


class PastMatchesSerializer(PastImportSerializer):
    """Matches of earlier years, a row each."""

    player_column = column_number()
    opponent_column = column_number()
    winner_column = column_number()
    loser_column = column_number()
    score_column = column_number("Of the player, or the winner, first.")
    player_points_column = column_number("A score in two columns, instead of `score_column`.")
    opponent_points_column = column_number()
    winner_points_column = column_number("A score in two columns, by the outcome.")
    loser_points_column = column_number()
    length_column = column_number()
    day_column = column_number()
    event_column = column_number()
    length = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_MATCH,
        help_text="Of matches without a length and without a score that tells it.",
    )
    day = serializers.DateField(required=False, help_text="Of matches without a date.")
    pool = serializers.IntegerField(required=False, help_text="A rating pool of the club; without it, not rated.")
    ratings = serializers.CharField(
        default="", allow_blank=True, max_length=64, help_text="Of the preview; needed with `pool`."
    )


class RowProblemSerializer(serializers.Serializer[Any]):
    """A row that would not be imported."""

    row = serializers.IntegerField(help_text="Its number in the file.")
    value = serializers.CharField(allow_blank=True, help_text="The cell.")
    sheet = serializers.CharField(allow_blank=True, help_text="Its sheet, if several are read.")


class PastMatchProblemSerializer(RowProblemSerializer):
    """A row that would not be imported."""

    problem = serializers.ChoiceField([str(problem) for problem in MatchProblem])


class SheetOfferSerializer(serializers.Serializer[SheetOffer]):
    """A sheet of the file."""

    number = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    rows = serializers.IntegerField(help_text="Rows that are not empty.")
    is_read = serializers.BooleanField()
    is_recognised = serializers.BooleanField(help_text="Whether it has titles of what is imported.")


class NameQuestionSerializer(serializers.Serializer[Question]):
    """A name that may mean several people."""

    name = serializers.CharField()
    members = serializers.SerializerMethodField(help_text="Public ids of the members it may mean.")
    names = serializers.ListField(child=serializers.CharField(), help_text="Other names of the file.")
    rows = serializers.IntegerField(help_text="How often it is in the file.")

    def get_members(self, question: Question) -> list[str]:
        """Return their ids."""
        return [player.public_id for player in question.members]


class ImportedRatingSerializer(serializers.Serializer[Effect]):
    """A rating that would be different."""

    name = serializers.CharField()
    before = serializers.FloatField(allow_null=True, help_text="Null without a rating.")
    after = serializers.FloatField()


class PastImportPreviewSerializer(serializers.Serializer[Any]):
    """What any import would do."""

    columns = serializers.DictField(source="sheet.columns", child=serializers.IntegerField())
    sheets = SheetOfferSerializer(source="sheet.sheets", many=True)
    unused = serializers.ListField(source="sheet.unused", child=serializers.CharField())
    rows = serializers.SerializerMethodField(help_text="How many would be imported.")
    new = serializers.ListField(child=serializers.CharField(), help_text="Names that would become members.")

    def get_rows(self, preview: Any) -> int:
        """Count them."""
        return len(preview.rows)


class MatchesPreviewSerializer(PastImportPreviewSerializer):
    """What an import would do."""

    unclear = PastMatchProblemSerializer(many=True)
    skipped = PastMatchProblemSerializer(many=True)
    questions = NameQuestionSerializer(many=True)
    effects = ImportedRatingSerializer(many=True)
    ratings = serializers.CharField(help_text="Send it back with `pool` to import these changes.")


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
class PastMatches(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="past_matches_list",
        summary="Imports of matches of a club",
        responses={200: MatchImportSerializer(many=True), **PROBLEMS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List them, newest import first, for directors."""
        rows = MatchImport.objects.filter(club=access.club_for_director(request.user, slug))
        return Response(MatchImportSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="past_matches_create",
        summary="Import matches of earlier years",
        request=PastMatchesSerializer,
        examples=example(
            name="2019", text="date,winner,loser,score,length\n2019-03-01,Elif Ristic,Omar Lund,7-3,7", preview=True
        ),
        responses={200: MatchesPreviewSerializer, 201: MatchImportSerializer, 409: PROBLEM, 429: PROBLEM, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str) -> Response:
        """With `preview`, return what the import would do and store nothing."""
        club = access.club_for_director(request.user, slug)
        throttle.count(throttle.SEASON_IMPORTS_BY, str(request.user.pk))
        fields = validated(PastMatchesSerializer, request)
        data, now = _input(club, fields), timezone.now()
        if fields["preview"]:
            return Response(MatchesPreviewSerializer(preview_matches(club=club, data=data, now=now)).data)
        row = import_matches(
            club=club, name=fields["name"], data=data, ratings=fields["ratings"], by=api_by(request), now=now
        )
        return Response(MatchImportSerializer(row).data, status=status.HTTP_201_CREATED)


@open_to(post=Who.DIRECTORS)
class UndoPastMatches(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="past_matches_undo",
        summary="Undo an import of matches",
        request=None,
        responses={200: MatchImportSerializer, 409: PROBLEM, **PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Matches and new members that nobody has used since are removed again."""
        row = _import(access.club_for_director(request.user, slug), public_id)
        return Response(MatchImportSerializer(undo_matches(source=row, by=api_by(request), now=timezone.now())).data)
