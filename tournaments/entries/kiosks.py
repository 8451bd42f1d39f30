"""Kiosks: devices at the door that are paired by a QR code and can check players in, and nothing else."""

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.core.signing import BadSignature, Signer
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.links import absolute_url, qr_svg
from core.locks import lock_row
from core.messages import sentence
from core.names import fold
from core.public_ids import new_public_id
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from engine.errors import Refused
from players.access import Role
from players.actors import Actor, log
from players.models import LogEntry, Player
from tournaments import access
from tournaments.entries import check_in
from tournaments.entries.check_in import Attendee, is_open_for_players
from tournaments.entries.forms import KioskCheckInForm, RevokeKioskForm, UndoCheckInForm
from tournaments.events.actions import by, event_url_args, faulty, refuse
from tournaments.models import CheckIn, Division, Entry, Kiosk, Tournament
from tournaments.state.names import Names, display_name

PAIRING_LASTS = timedelta(minutes=10)
UNDO_LASTS = timedelta(seconds=30)
KIOSK = Actor(LogEntry.By.LINK)
"""Whoever holds the pairing link, and then the device; the log names the kiosk."""
_SIGNER = Signer(salt="tournaments.kiosks", sep=".")


def create_kiosk(*, tournament: Tournament, by: Actor, now: datetime) -> Kiosk:
    """Create a kiosk whose pairing link is valid for ten minutes. Refused: `tournament_not_open`."""
    if not tournament.is_open:
        raise Refused("tournament_not_open")
    with transaction.atomic():
        kiosk = Kiosk.objects.create(tournament=tournament, created_at=now, created_by=by.user)
        log(by, "kiosk_created", tournament.topic, club=tournament.club)
    return kiosk


def pairing_token(kiosk: Kiosk) -> str:
    return _SIGNER.sign(kiosk.public_id)


def pairable(token: str, now: datetime) -> Kiosk:
    """Return the kiosk that a pairing token can pair a device with. Refused: `kiosk_link_used`."""
    try:
        public_id = _SIGNER.unsign(token)
    except BadSignature:
        raise Refused("kiosk_link_used") from None
    kiosk = _kiosks().filter(public_id=public_id, paired_at=None, created_at__gt=now - PAIRING_LASTS).first()
    if kiosk is None or not kiosk.tournament.is_open:
        raise Refused("kiosk_link_used")
    return kiosk


def pair(*, token: str, now: datetime) -> tuple[Kiosk, str]:
    """Pair a device; return its kiosk and the secret that the device is to keep. Refused: `kiosk_link_used`."""
    with transaction.atomic():
        lock_row(Kiosk, pairable(token, now).pk)
        # Of two devices that scan the same code, the second finds it used.
        kiosk = pairable(token, now)
        secret = secrets.token_urlsafe(32)
        kiosk.secret_hash, kiosk.paired_at = _hash(secret), now
        kiosk.save(update_fields=["secret_hash", "paired_at"])
        event = kiosk.tournament
        log(KIOSK, "kiosk_paired", event.topic, club=event.club, kiosk=kiosk.public_id)
    return kiosk, secret


def kiosk_with(secret: str) -> Kiosk | None:
    """Return the kiosk of the device with this secret; None if it was revoked or its event is over."""
    if not secret:
        return None
    kiosk = _kiosks().filter(secret_hash=_hash(secret), paired_at__isnull=False).first()
    return kiosk if kiosk is not None and kiosk.tournament.is_open else None


def revoke_kiosk(*, kiosk: Kiosk, by: Actor, now: datetime) -> None:
    """Revoke a kiosk, paired or not; what it recorded stays. Does nothing if it is revoked already."""
    with transaction.atomic():
        row = lock_row(Kiosk, kiosk.pk)
        if row.revoked_at is None:
            row.revoked_at = now
            row.save(update_fields=["revoked_at"])
            log(by, "kiosk_revoked", row.tournament.topic, club=row.tournament.club)


def check_in_at(*, kiosk: Kiosk, entry: Entry, now: datetime, person: Player | None = None) -> str:
    """Check the player of an entry in at a kiosk, or `person`, one of a pair, for all their entries.

    Return the batch that undoes it, empty if they are here. Refused: `check_in_not_entered`, `check_in_closed`.
    """
    batch, player = new_public_id(), person or entry.player
    check_in.check_in_self(
        tournament=kiosk.tournament,
        player=player,
        present=True,
        by=KIOSK,
        now=now,
        source=CheckIn.Source.KIOSK,
        kiosk=kiosk,
        batch=batch,
    )
    return batch if kiosk.check_ins.filter(batch=batch).exists() else ""


def undo_at(*, kiosk: Kiosk, batch: str, now: datetime) -> None:
    """Undo a check-in that this kiosk recorded less than 30 seconds ago.

    Refused: `kiosk_undo_late`, `check_in_changed`.
    """
    if not kiosk.check_ins.filter(batch=batch, at__gt=now - UNDO_LASTS).exists():
        raise Refused("kiosk_undo_late")
    check_in.undo(tournament=kiosk.tournament, batch=batch, by=KIOSK, now=now)


def undoable(kiosk: Kiosk, now: datetime) -> CheckIn | None:
    """Return the last check-in at this kiosk if it can still be undone there."""
    recent = kiosk.check_ins.filter(at__gt=now - UNDO_LASTS, undoes=None, undone_by=None)
    return recent.select_related("entry__player", "entry__division", "person").order_by("-pk").first()


def _kiosks() -> models.QuerySet[Kiosk]:
    return Kiosk.objects.select_related("tournament__club").filter(revoked_at=None)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class KioskRow:
    """A kiosk on the directors' page; `pairing_url` is empty once it is paired or its link has expired."""

    kiosk: Kiosk
    pairing_url: str
    check_ins: int


def kiosks_of(tournament: Tournament, now: datetime, absolute: Callable[[str], str]) -> list[KioskRow]:
    """Return the kiosks of an event that are not revoked; `absolute` makes a path a URL."""
    rows = []
    for kiosk in tournament.kiosks.filter(revoked_at=None):
        is_pairable = kiosk.paired_at is None and now < kiosk.created_at + PAIRING_LASTS
        path = reverse("kiosk-pair", args=[pairing_token(kiosk)]) if is_pairable else ""
        check_ins = kiosk.check_ins.filter(undoes=None, undone_by=None)
        rows.append(KioskRow(kiosk, absolute(path) if path else "", check_ins.count()))
    return rows


def kiosk_page(kiosk: Kiosk, text: str, now: datetime) -> dict[str, Any]:
    """Return the context of the page of a kiosk: the entries by name, as everybody may see them.

    They are in the order of the names that are shown: the place of initials among full names would hint at theirs.
    """
    tournament = kiosk.tournament
    divisions = tournament.divisions.exclude(status=Division.Status.CANCELLED).select_related("tournament")
    admitting = [division for division in divisions if is_open_for_players(division, now)]
    rows = Entry.objects.filter(division__in=admitting).exclude(status=Entry.Status.OUT)
    rows = rows.select_related("player__merged_into", "division")
    entries = {entry.pk: entry for entry in rows}
    if text:
        entries = {entry.pk: entry for entry in Names(entries, staff=False).find(text)}
    own: dict[int, list[Attendee]] = {}
    for who in check_in.attendees(tournament, entries.values(), now):
        if not who.is_excused:
            own.setdefault(who.person, []).append(who)
    pairs = [person for person, group in own.items() if any(who.named is not None for who in group)]
    partners = Player.objects.in_bulk(pairs) if pairs else {}
    arrivals = [_row(group, partners) for group in own.values()]
    last = undoable(kiosk, now)
    return {
        "tournament": tournament,
        "club": tournament.club,
        "q": text,
        "is_open": bool(admitting),
        "arrivals": sorted(arrivals, key=lambda row: (fold(row.name), row.entry.pk)),
        "several": len(admitting) > 1,
        "last": last,
        "last_name": _name(last.person or last.entry.player) if last else "",
        "undo_seconds": _undo_seconds(last, now) if last else 0,
        "topics": " ".join(f"{division.topic}={division.seq}" for division in admitting),
    }


class KioskArrival(NamedTuple):
    """A person as a kiosk shows them, with all their entries."""

    entry: Entry
    """The first of them."""
    name: str
    divisions: str
    person: str
    """The public id of one of a pair; empty for others."""
    is_here: bool


def _row(group: Sequence[Attendee], partners: Mapping[int, Player]) -> KioskArrival:
    first, partner = group[0], partners.get(group[0].person)
    return KioskArrival(
        first.entry,
        first.name(staff=False) if first.named is not None else _name(first.entry.player),
        " · ".join(dict.fromkeys(who.entry.division.name for who in group)),
        partner.public_id if partner is not None else "",
        all(who.is_here for who in group),
    )


def _undo_seconds(check_in: CheckIn, now: datetime) -> int:
    """Return for how many seconds a check-in can still be undone at its kiosk, rounded up."""
    return -(-(check_in.at + UNDO_LASTS - now) // timedelta(seconds=1))


def _name(player: Player) -> str:
    return display_name(player, staff=False)


# Kiosks: their page for directors, pairing a device, and what the device shows.
#
# A paired device has a cookie of its own and no session: whoever pairs it is signed out on it.


COOKIE = "kiosk"
COOKIE_LASTS = timedelta(days=4)
"""Longer than a weekend; the kiosk itself ends with its event."""


@open_to(get=Who.DIRECTORS)
@never_cache
def kiosks(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the kiosks of an event to its directors, with a QR code for each that is to be paired."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    rows = kiosks_of(event, timezone.now(), partial(absolute_url, request))
    display_name = [(row, qr_svg(row.pairing_url) if row.pairing_url else "") for row in rows]
    context = {"tournament": event, "club": event.club, "rows": display_name, "may_direct": True}
    return render(request, "tournaments/entries/kiosks.html", context)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def add(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    url = reverse("kiosks", args=event_url_args(event))
    try:
        create_kiosk(tournament=event, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, url)
    return redirect(url)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def revoke(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    url = reverse("kiosks", args=event_url_args(event))
    form = RevokeKioskForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    kiosk = event.kiosks.filter(public_id=form.cleaned_data["kiosk"]).first()
    if kiosk is None:
        raise Http404
    revoke_kiosk(kiosk=kiosk, by=by(request), now=timezone.now())
    messages.success(request, _("The kiosk was revoked. It shows nothing any more."))
    return redirect(url)


@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.KEY)
def pair_device(request: HttpRequest, pairing_token: str) -> HttpResponse:
    """Ask whether this device is to be a kiosk; by POST, pair it and sign out whoever is signed in."""
    now = timezone.now()
    try:
        if request.method != "POST":
            kiosk = pairable(pairing_token, now)
            context = {"tournament": kiosk.tournament, "club": kiosk.tournament.club}
            return render(request, "tournaments/entries/kiosk_pair.html", context)
        _kiosk, secret = pair(token=pairing_token, now=now)
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
@open_to(get=Who.EVERYBODY)
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


@open_to(post=Who.EVERYBODY)
@repeated(Repeat.STATE)
def check_in_at_kiosk(request: HttpRequest) -> HttpResponse:
    """Check a player in on a paired device."""
    kiosk = _kiosk(request)
    if kiosk is None:
        return _off(request)
    form = KioskCheckInForm(request.POST, partners=check_in.partners_in(kiosk.tournament))
    if not form.is_valid():
        return faulty(request, form, reverse("kiosk"))
    rows = Entry.objects.filter(division__tournament=kiosk.tournament)
    entry = rows.select_related("player").filter(public_id=form.cleaned_data["entry"]).first()
    if entry is None:
        raise Http404
    try:
        check_in_at(kiosk=kiosk, entry=entry, person=form.cleaned_data["person"], now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, reverse("kiosk"))
    return redirect("kiosk")


@open_to(post=Who.EVERYBODY)
@repeated(Repeat.STATE)
def undo(request: HttpRequest) -> HttpResponse:
    """Undo the last check-in on a paired device."""
    kiosk = _kiosk(request)
    if kiosk is None:
        return _off(request)
    form = UndoCheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, reverse("kiosk"))
    try:
        undo_at(kiosk=kiosk, batch=form.cleaned_data["batch"], now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, reverse("kiosk"))
    return redirect("kiosk")


def _kiosk(request: HttpRequest) -> Kiosk | None:
    return kiosk_with(request.COOKIES.get(COOKIE, ""))


def _off(request: HttpRequest, reason: str = "") -> HttpResponse:
    context = {"reason": reason or _("This device is not paired with an event, or its event is over.")}
    return render(request, "tournaments/entries/kiosk_off.html", context, status=HTTPStatus.NOT_FOUND)
