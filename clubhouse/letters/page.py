"""The letter about an evening as a page, for accounts and by the personal link of the event, and its card at home."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from clubhouse.letters.contents import LetterContents, letter_of, letter_of_guest
from core.access import Who, open_to
from core.repeats import Repeat, repeated
from matches.presentation.visibility import Viewer
from players.models import User
from tournaments import access
from tournaments.entries.event_links import link_holder
from tournaments.events.actions import me
from tournaments.models import Entry, Fixture, Letter, Tournament
from tournaments.state.advancement import unfinished_divisions

AT_HOME_FOR = timedelta(days=7)
"""How long after the last result a letter has a card."""
LONGEST_EVENING = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LetterCard:
    """The newest letter, at home."""

    event: Tournament
    played: bool


def letter_card(user: User, viewer: Viewer, now: datetime) -> LetterCard | None:
    """Return the card of the newest letter of the last days; None if there is none, or it was put away; one query."""
    since = now - AT_HOME_FOR
    entries = Entry.objects.filter(division__tournament=OuterRef("pk"), player__in=viewer.players)
    fixtures = Fixture.objects.filter(stage__division__tournament=OuterRef("pk")).order_by()
    last = fixtures.values("stage__division__tournament").annotate(last=Max("match__finished_at")).values("last")
    letters = Letter.objects.filter(event=OuterRef("pk"), user=user, dismissed_at__isnull=False)
    event = (
        # First by what the event says of itself, as the last result of each has to be looked up.
        Tournament.objects.filter(
            Q(starts_at__gt=since - LONGEST_EVENING) | Q(ends_at__gt=since), status=Tournament.Status.FINISHED
        )
        .annotate(entered=Exists(entries.exclude(status=Entry.Status.OUT)), last=Subquery(last))
        .filter(
            Q(entered=True) | Q(club__in=viewer.clubs), ~Exists(unfinished_divisions(OuterRef("pk"))), last__gt=since
        )
        .annotate(is_put_away=Exists(letters))
        .select_related("club")
        .order_by("-last", "-pk")
        .first()
    )
    if event is None or event.is_put_away:
        return None
    return LetterCard(event, event.entered)


@never_cache
@open_to(get=Who.SIGNED_IN)
def letter(request: HttpRequest, tournament: str) -> HttpResponse:
    """Show somebody who played or belongs to the club what an evening meant to them, once it is over."""
    row = access.tournament_by_id(request.user, tournament)
    return _page(request, letter_of(me(request), row, timezone.now()))


@never_cache
@open_to(get=Who.EVERYBODY)
def letter_by_link(request: HttpRequest, event_token: str) -> HttpResponse:
    """Show the player of a personal link of the event the same, without an account."""
    now = timezone.now()
    holder = link_holder(event_token, now)
    contents = letter_of_guest(holder.player, holder.tournament, now)
    return _page(request, contents, back=reverse("event-link", args=[event_token]))


def _page(request: HttpRequest, contents: LetterContents | None, back: str = "") -> HttpResponse:
    if contents is None:
        raise Http404
    context = {"letter": contents, "event": contents.event, "club": contents.event.club, "back": back}
    return render(request, "clubhouse/letters/letter.html", context)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.HARMLESS)
def put_away(request: HttpRequest, tournament: str) -> HttpResponse:
    """Put the card of a letter away; it stays where it is."""
    now = timezone.now()
    user, row = me(request), access.tournament_by_id(request.user, tournament)
    card = letter_card(user, Viewer.of(user), now)
    if card is not None and card.event == row:
        Letter.objects.update_or_create(user=user, event=row, defaults={"dismissed_at": now})
    return redirect("home")
