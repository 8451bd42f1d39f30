"""The hall of fame of a club, and what directors do about titles, on pages and through the API."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from core.text_lengths import MAX_NOTE_LENGTH
from players import access
from players.access import Role, Visitor, is_at_least, role_in
from players.actions import Endpoint, FormSerializer, UserAction
from players.actors import Actor
from players.forms import RefusingForm
from players.models import Club
from players.people.rows import canonical
from seasons.imports.seasons import table_of
from seasons.titles import ProposedTitle, TitleLine, award_title, proposals, title_lines, titles_of, withdraw_title
from tournaments.access import VISIBLE
from tournaments.models import Division, PastSeason, Series, Title
from tournaments.state.api import READ, WRITE
from tournaments.state.names import display_name


class AwardForm(RefusingForm):
    """A proposed title: its kind, who it goes to, and the season or the division that it is of."""

    kind = forms.ChoiceField(choices=Title.Kind.choices)
    player = forms.CharField(max_length=LENGTH)
    series = forms.CharField(max_length=LENGTH, required=False)
    division = forms.CharField(max_length=LENGTH, required=False)


class WithdrawTitleForm(RefusingForm):
    """Why a title is withdrawn; everybody who runs the club can read it."""

    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=MAX_NOTE_LENGTH)


class AwardSerializer(FormSerializer):
    """A proposed title."""

    class Meta:
        form = AwardForm
        extra_kwargs: ClassVar = {
            "player": {"help_text": "Public id."},
            "series": {"help_text": "Public id of the season that it is of."},
            "division": {"help_text": "Public id of the division that it is of, if it is of no season."},
        }


class WithdrawTitleSerializer(FormSerializer):
    """Why it is withdrawn."""

    class Meta:
        form = WithdrawTitleForm


class TitleSerializer(serializers.Serializer[Any]):
    """A title, awarded or proposed."""

    title = serializers.CharField(allow_null=True, help_text="Public id; null for a proposal.")
    kind = serializers.ChoiceField(Title.Kind.choices)
    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    series = serializers.CharField(allow_null=True, help_text="Public id.")
    division = serializers.CharField(allow_null=True, help_text="Public id.")
    day = serializers.DateField(help_text="The last day of the season, or the day of the event.")
    figure = serializers.CharField(
        allow_blank=True, help_text="Points, wins, evenings or the highest PR of the class when it was awarded."
    )
    supported = serializers.BooleanField(help_text="Whether the results, as they are now, still give it.")


def title_data(line: TitleLine) -> dict[str, Any]:
    title = line.title
    return {
        "title": title.public_id if isinstance(title, Title) else None,
        "kind": title.kind,
        "player": line.player,
        "name": line.name,
        "series": title.series.public_id if title.series is not None else None,
        "division": title.division.public_id if title.division is not None else None,
        "day": title.day,
        "figure": title.figure,
        "supported": line.is_supported,
    }


class AwardAction(UserAction):
    responses: ClassVar = {200: TitleSerializer, **WRITE}

    def fetch(self, user: Visitor, **url: str) -> Club:
        return access.club_as(user, url["slug"], self.needed)

    def url(self, request: HttpRequest, obj: Club) -> str:
        return reverse("hall-of-fame", args=[obj.slug])

    def success_url(self, request: HttpRequest, obj: Club, form: Any) -> str:
        """The season, if the title is of one."""
        series = form.instance.series
        return reverse("series", args=[obj.slug, series.slug]) if series is not None else self.url(request, obj)

    def answer(self, request: Request, obj: Club, form: Any) -> Response:
        return _one(request.user, form.instance)


class WithdrawTitleAction(UserAction):
    responses: ClassVar = {200: TitleSerializer, **WRITE}

    def fetch(self, user: Visitor, **url: str) -> Title:
        rows = Title.objects.filter(public_id=url["title"])
        titles = titles_of(rows.filter(club__slug=url["slug"]) if "slug" in url else rows)
        if not titles:
            raise Http404
        access.require(user, titles[0].club, self.needed)
        return titles[0]

    def url(self, request: HttpRequest, obj: Title) -> str:
        return reverse("hall-of-fame", args=[obj.club.slug])

    def answer(self, request: Request, obj: Title, form: Any) -> Response:
        return _one(request.user, obj)


def _one(user: Visitor, title: Title) -> Response:
    (line,) = title_lines(user, title.club, titles_of(Title.objects.filter(pk=title.pk)))
    return Response(TitleSerializer(title_data(line)).data)


@repeated(Repeat.KEY)
def _award(form: Any, by: Actor, now: datetime) -> str:
    """Award a proposed title.

    Awarding one that stands already changes nothing. 409 `title_not_proposed`.
    """
    fields, club = form.cleaned_data, form.instance
    of: Series | Division | None
    if fields["series"]:
        of = Series.objects.select_related("club").filter(club=club, public_id=fields["series"]).first()
    else:
        rows = Division.objects.filter(tournament__club=club, tournament__status__in=VISIBLE)
        of = rows.select_related("tournament__club").filter(public_id=fields["division"]).first()
    if of is None:
        raise Http404
    player = access.person_of(club, fields["player"]).public_id
    title = award_title(club=club, kind=fields["kind"], player=player, of=of, by=by, now=now)
    form.instance = title
    return _("The title is awarded to %(name)s.") % {"name": canonical(title.player).shown_name}


@repeated(Repeat.STATE)
def _withdraw(form: Any, by: Actor, now: datetime) -> str:
    """Withdraw a title.

    It is kept with the reason, and can be awarded again. 409 `title_withdrawn`.
    """
    withdraw_title(title=form.instance, reason=form.cleaned_data["reason"], by=by, now=now)
    return _("The title is withdrawn.")


award = AwardAction(
    "award",
    AwardForm,
    _award,
    Role.DIRECTOR,
    Endpoint("titles_award", AwardSerializer, {"kind": "season", "player": "p3n8w5r2cd", "series": "k7m2x9q4ab"}),
)
withdraw = WithdrawTitleAction(
    "withdraw",
    WithdrawTitleForm,
    _withdraw,
    Role.DIRECTOR,
    Endpoint("titles_withdraw", WithdrawTitleSerializer, {"reason": "The final is played again."}),
)


@dataclass(frozen=True)
class Year:
    """The titles of a year; `as_told` are the winners of imported seasons."""

    year: int
    lines: Sequence[TitleLine]
    as_told: Sequence[tuple[PastSeason, Sequence[str]]]


def years_of(user: Visitor, club: Club, lines: Sequence[TitleLine]) -> list[Year]:
    """Return the titles of a club by year, the newest first, with the winners of imported seasons."""
    staff = is_at_least(role_in(user, club), Role.ASSISTANT)
    told: dict[int, list[tuple[PastSeason, Sequence[str]]]] = {}
    past = PastSeason.objects.filter(club=club, undone_at=None).prefetch_related("placings")
    for season in past:
        days = [placing.day for placing in season.placings.all() if placing.day is not None]
        winners = [display_name(row.player, staff) for row in table_of(season) if row.rank == 1]
        if winners:
            told.setdefault(max(days).year if days else season.at.year, []).append((season, winners))
    by_year: dict[int, list[TitleLine]] = {}
    for line in lines:
        by_year.setdefault(line.title.day.year, []).append(line)
    return [Year(year, by_year.get(year, []), told.get(year, [])) for year in sorted({*told, *by_year}, reverse=True)]


@open_to(get=Who.EVERYBODY)
def hall_of_fame(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the titles of a club to everybody; directors award proposed ones here."""
    club, now = access.club(slug), timezone.now()
    may_direct = is_at_least(role_in(request.user, club), Role.DIRECTOR)
    lines = title_lines(request.user, club, titles_of(Title.objects.filter(club=club, withdrawn_at=None)))
    context: dict[str, Any] = {
        "club": club,
        "years": years_of(request.user, club, lines),
        "may_direct": may_direct,
    }
    if may_direct:
        withdrawn = titles_of(Title.objects.filter(club=club).exclude(withdrawn_at=None))
        context |= {
            "proposals": title_lines(request.user, club, proposals(club, now)),
            "withdrawn": title_lines(request.user, club, withdrawn),
            "form": WithdrawTitleForm(),
        }
    return render(request, "seasons/hall_of_fame.html", context)


@open_to(get=Who.EVERYBODY)
class Titles(APIView):
    @extend_schema(
        operation_id="titles_list",
        summary="List the titles of a club",
        responses={200: TitleSerializer(many=True), **READ},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The newest first, without those that were withdrawn."""
        club = access.club(slug)
        titles = titles_of(Title.objects.filter(club=club, withdrawn_at=None))
        return _lines(request, club, titles)


@open_to(get=Who.DIRECTORS)
class ProposedTitles(APIView):
    @extend_schema(
        operation_id="titles_proposed",
        summary="List the titles that can be awarded",
        responses={200: TitleSerializer(many=True), **READ},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Of closed seasons and of the last year's events that count in no season."""
        club = access.club_as(request.user, slug, Role.DIRECTOR)
        return _lines(request, club, proposals(club, timezone.now()))


def _lines(request: Request, club: Club, titles: Sequence[Title | ProposedTitle]) -> Response:
    body = [title_data(line) for line in title_lines(request.user, club, titles)]
    return Response(TitleSerializer(body, many=True).data)
