"""Kiosks: their page for directors, pairing a device, and what the device shows.

A paired device has a cookie of its own and no session: whoever pairs it is signed out on it.
"""

from datetime import timedelta
from functools import partial
from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.links import absolute_url, qr_svg
from core.messages import sentence
from core.requests import is_htmx
from engine.errors import Refused
from players.access import Role
from tournaments import access
from tournaments.entries.forms import KioskCheckInForm, RevokeKioskForm, UndoCheckInForm
from tournaments.entries.selectors.kiosks import kiosk_page, kiosks_of
from tournaments.entries.services import kiosks as services
from tournaments.events.views.pages import account_needed, by, event_url_args, faulty, refuse
from tournaments.models import Entry, Kiosk

COOKIE = "kiosk"
COOKIE_LASTS = timedelta(days=4)
"""Longer than a weekend; the kiosk itself ends with its event."""


@account_needed
@never_cache
@require_safe
def kiosks(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the kiosks of an event to its directors, with a QR code for each that is to be paired."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    rows = kiosks_of(event, timezone.now(), partial(absolute_url, request))
    shown = [(row, qr_svg(row.pairing_url) if row.pairing_url else "") for row in rows]
    context = {"tournament": event, "club": event.club, "rows": shown, "may_direct": True}
    return render(request, "tournaments/entries/kiosks.html", context)


@account_needed
@require_POST
def add(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Create a kiosk."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    url = reverse("kiosks", args=event_url_args(event))
    try:
        services.create_kiosk(tournament=event, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, url)
    return redirect(url)


@account_needed
@require_POST
def revoke(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Revoke a kiosk."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    url = reverse("kiosks", args=event_url_args(event))
    form = RevokeKioskForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    kiosk = event.kiosks.filter(public_id=form.cleaned_data["kiosk"]).first()
    if kiosk is None:
        raise Http404
    services.revoke_kiosk(kiosk=kiosk, by=by(request), now=timezone.now())
    messages.success(request, _("The kiosk was revoked. It shows nothing any more."))
    return redirect(url)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def pair(request: HttpRequest, pairing_token: str) -> HttpResponse:
    """Ask whether this device is to be a kiosk; by POST, pair it and sign out whoever is signed in."""
    now = timezone.now()
    try:
        if request.method != "POST":
            kiosk = services.pairable(pairing_token, now)
            context = {"tournament": kiosk.tournament, "club": kiosk.tournament.club}
            return render(request, "tournaments/entries/kiosk_pair.html", context)
        _kiosk, secret = services.pair(token=pairing_token, now=now)
    except Refused as refused:
        return _off(request, sentence(refused.code, refused.params))
    logout(request)
    response = redirect("kiosk")
    response.set_cookie(
        COOKIE,
        secret,
        max_age=COOKIE_LASTS,
        path=reverse("kiosk"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
    return response


@never_cache
@require_safe
def device(request: HttpRequest) -> HttpResponse:
    """Show the players to a paired device, or who has just checked in; an htmx request gets only the list."""
    kiosk = _kiosk(request)
    if kiosk is None:
        return _off(request)
    context = kiosk_page(kiosk, request.GET.get("q", "").strip(), timezone.now())
    if is_htmx(request):
        return render(request, "tournaments/entries/_kiosk.html", context)
    if context["last"] is None or request.GET.keys() & {"q", "next"}:
        return render(request, "tournaments/entries/kiosk.html", context)
    response = render(request, "tournaments/entries/kiosk_welcome.html", context)
    # For whoever comes next, if nobody taps.
    response.headers["Refresh"] = f"{context['undo_seconds']}; url={reverse('kiosk')}?next=1"
    return response


@require_POST
def check_in(request: HttpRequest) -> HttpResponse:
    """Check a player in on a paired device."""
    kiosk = _kiosk(request)
    if kiosk is None:
        return _off(request)
    form = KioskCheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, reverse("kiosk"))
    rows = Entry.objects.filter(division__tournament=kiosk.tournament)
    entry = rows.filter(public_id=form.cleaned_data["entry"]).first()
    if entry is None:
        raise Http404
    try:
        services.check_in_at(kiosk=kiosk, entry=entry, now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, reverse("kiosk"))
    return redirect("kiosk")


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Undo the last check-in on a paired device."""
    kiosk = _kiosk(request)
    if kiosk is None:
        return _off(request)
    form = UndoCheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, reverse("kiosk"))
    try:
        services.undo_at(kiosk=kiosk, batch=form.cleaned_data["batch"], now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, reverse("kiosk"))
    return redirect("kiosk")


def _kiosk(request: HttpRequest) -> Kiosk | None:
    return services.kiosk_with(request.COOKIES.get(COOKIE, ""))


def _off(request: HttpRequest, reason: str = "") -> HttpResponse:
    context = {"reason": reason or _("This device is not paired with an event, or its event is over.")}
    return render(request, "tournaments/entries/kiosk_off.html", context, status=HTTPStatus.NOT_FOUND)
