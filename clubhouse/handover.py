"""The pages of offers to own a club: what the new owner takes over, and the clubs that nobody runs."""

from collections.abc import Iterable
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.pagination import page_of
from players import access, selectors
from players.access import Role
from players.clubs.owners import AWAY, last_seen, ownerless, standing
from players.handover.actions import AskForOwnerForm, UndoOfferForm, club_in_charge
from players.handover.services import candidates
from players.models import Club, OwnerOffer
from tournaments.ledger.season_pools import standing_counts
from tournaments.models import Payment, Series, Tournament

CLUBS_ON_A_PAGE = 20
EVENTS_SHOWN = 20
Kind, State = OwnerOffer.Kind, OwnerOffer.State


def taken_over(club: Club, now: datetime) -> dict[str, list[tuple[str, str]]]:
    """Return what is open in a club by heading: names with their links, or a number without one."""
    events = Tournament.objects.filter(club=club).order_by("starts_at", "pk").select_related("club")
    drafts = events.filter(status=Tournament.Status.DRAFT)
    coming = events.filter(status__in=[Tournament.Status.PUBLISHED, Tournament.Status.RUNNING])
    paid = events.filter(pk__in=Payment.objects.filter(tournament__club=club).values("tournament"))
    closed = standing_counts(paid.values_list("pk", flat=True))
    open_desks = paid.exclude(status=Tournament.Status.DRAFT).exclude(pk__in=closed)
    seasons = Series.objects.filter(club=club, last_day__gte=now.date())
    numbers = {
        _("Requests to join"): selectors.open_requests(club).count(),
        _("Drafts of events"): drafts.count(),
    }
    rows = {
        _("Next events"): _links(coming[:EVENTS_SHOWN]),
        _("Open cash desks"): _links(open_desks[:EVENTS_SHOWN]),
        _("Seasons"): [(season.name, reverse("series", args=[club.slug, season.slug])) for season in seasons],
        **{title: [(str(count), "")] if count else [] for title, count in numbers.items()},
    }
    return {title: links for title, links in rows.items() if links}


def _links(events: Iterable[Tournament]) -> list[tuple[str, str]]:
    return [(event.name, reverse("event", args=[event.club.slug, event.slug])) for event in events]


@open_to(get=Who.OWN)
@never_cache
def offer(request: HttpRequest, owner_offer: str) -> HttpResponse:
    """Show an offer or a request to those it concerns, with what they can do about it now."""
    row, now = access.owner_offer(request.user, owner_offer), timezone.now()
    is_standing = standing(now).filter(pk=row.pk).exists()
    context = {
        "offer": row,
        "club": row.club,
        "is_open": is_standing if row.kind == Kind.OFFER else row.state == State.OPEN,
        "runs": access.role_given(request.user, row.club) == Role.OWNER,
        "can_be_undone": row.by == request.user and row.can_be_undone(now),
        "undo_form": UndoOfferForm(),
        "taken_over": taken_over(row.club, now) if is_standing else {},
    }
    return render(request, "clubhouse/offer.html", context)


@open_to(get=Who.DIRECTORS)
@never_cache
def nobody(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for an owner, or see what became of that; for those next in charge, and for owners."""
    club, now = club_in_charge(request.user, slug), timezone.now()
    seen = last_seen(club)
    context = {
        "club": club,
        "seen": seen,
        "is_here": seen is not None and seen.at > now - AWAY,
        "latest": club.owner_offers.filter(kind=Kind.REQUEST).select_related("by__player", "player").last(),
        "form": AskForOwnerForm(),
    }
    return render(request, "clubhouse/nobody.html", context)


@open_to(get=Who.SITE)
@never_cache
def ownerless_clubs(request: HttpRequest) -> HttpResponse:
    """List the clubs that need an owner, each with those who could be one; for those who run the site."""
    access.club_or_site(request.user, "")
    shown = page_of(ownerless(timezone.now()), request.GET.get("page"), CLUBS_ON_A_PAGE)
    rows = [(row, list(candidates(row.club))) for row in shown]
    return render(request, "clubhouse/ownerless.html", {"page": shown, "rows": rows})
