"""The page for those who run the site to accept clubs, whose matches then count for the site's ratings."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from core.access import Who, open_to
from core.pagination import page_of
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches.models import Match, RatingPool
from matches.ratings.preview import RatingPreview, preview_past_of
from matches.ratings.rated import vouched_for_by_nobody_else
from matches.ratings.services import accept_club
from players.forms import RefusingForm
from players.models import Club, Player, User
from players.requests import by, page, sent
from players.selectors import waiting_clubs
from tournaments.models import Tournament

CLUBS_ON_A_PAGE = 20
RULED_SHOWN = 100
TODAY, PAST = "today", "past"


class AcceptClubForm(RefusingForm):
    """The club to accept, and from when on its matches count."""

    club = forms.SlugField(widget=forms.HiddenInput)
    since = forms.ChoiceField(
        choices=[(TODAY, TODAY), (PAST, PAST)],
        widget=forms.HiddenInput,
    )


class ChangedRating(NamedTuple):
    """A player's rating that accepting a club would change."""

    player: Player
    pool: RatingPool
    before: float
    after: float


@open_to(get=Who.SITE, post=Who.SITE)
@repeated(Repeat.STATE)
def waiting(request: HttpRequest) -> HttpResponse:
    """List the clubs that wait, and results that only one person vouches for; a POST accepts a club.

    With `?club=` and `?since=`, show what accepting that club changes.
    """
    if not (isinstance(request.user, User) and request.user.is_superuser):
        raise PermissionDenied
    form = AcceptClubForm(sent(request))
    if form.is_valid():
        club = get_object_or_404(Club, slug=form.cleaned_data["club"])
        with_past = form.cleaned_data["since"] == PAST
        try:
            accept_club(club=club, with_past=with_past, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("%(club)s is accepted. Ratings are being recalculated.") % {"club": club.name})
            return redirect("waiting-clubs")
    shown = page_of(waiting_clubs(request.user), request.GET.get("page"), CLUBS_ON_A_PAGE)
    context: dict[str, Any] = {"form": form, "page": shown, "waiting": _with_what_was_played(list(shown))}
    context["ruled"] = sorted(vouched_for_by_nobody_else()[:RULED_SHOWN], key=lambda row: row.match.club_id or 0)
    choice = AcceptClubForm(request.GET)
    if request.method != "POST" and choice.is_valid():
        club = get_object_or_404(waiting_clubs(request.user), slug=choice.cleaned_data["club"])
        with_past = choice.cleaned_data["since"] == PAST
        changes = _named(preview_past_of(club)) if with_past else []
        context |= {"chosen": club, "since": choice.cleaned_data["since"], "with_past": with_past, "changes": changes}
    return page(request, "clubhouse/waiting_clubs.html", context, form)


def _with_what_was_played(clubs: Sequence[Club]) -> list[tuple[Club, list[Tournament], int]]:
    """Return each club that waits with its events, and the number of matches that ended in it so far."""
    ended = Match.objects.filter(club__in=clubs, finished_at__isnull=False).order_by()
    counts = dict(ended.values_list("club").annotate(count=Count("pk")))
    events: dict[int, list[Tournament]] = {club.pk: [] for club in clubs}
    rows = Tournament.objects.filter(club__in=clubs).exclude(status=Tournament.Status.DRAFT).select_related("club")
    for event in rows.order_by("-starts_at", "pk"):
        events[event.club_id].append(event)
    return [(club, events[club.pk], counts.get(club.pk, 0)) for club in clubs]


def _named(previews: Sequence[RatingPreview]) -> list[ChangedRating]:
    people = Player.objects.in_bulk({row.player for row in previews})
    pools = RatingPool.objects.in_bulk({row.pool for row in previews})
    return [ChangedRating(people[row.player], pools[row.pool], row.before, row.after) for row in previews]
