"""The pages that share an event, a bracket, standings or a season: a link with its QR code, and a frame to embed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from core.access import Who, open_to
from core.links import absolute_url, qr_svg
from formats.settings import ELIMINATION
from players.access import Role, is_at_least, role_in
from players.models import Club
from seasons.actions import series_of
from tournaments import access
from tournaments.models import Division, Tournament

EVENT, SEASON = "event", "season"
HEIGHT = 600
"""Of the frame, in pixels, until its website chooses another."""


@dataclass(frozen=True, slots=True)
class Shareable:
    """A page that can be shared: its key in the URL, its name in the list of pages, its title and its path."""

    key: str
    label: str
    title: str
    path: str
    frame: str = ""
    """The path of the page for frames; empty while there is nothing to show in one."""


class SharedPageForm(forms.Form):
    """Which page of an event is shared; without a choice the event itself."""

    page = forms.ChoiceField(required=False)

    def __init__(self, data: object, pages: Sequence[Shareable]) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.fields["page"].choices = [(page.key, page.label) for page in pages]  # type: ignore[attr-defined]


def shareable(event: Tournament) -> list[Shareable]:
    """Return the pages of an event that can be shared: the event, then bracket and standings of each division."""
    args = (event.club.slug, event.slug)
    home, calls = reverse("event", args=args), reverse("embed-calls", args=args)
    pages = [Shareable(EVENT, _("The whole event"), event.name, home, calls)]
    for division in event.divisions.prefetch_related("stages"):
        own = (*args, division.public_id)
        title, path = f"{division.name} · {event.name}", reverse("division", args=own)
        if division.status == Division.Status.ENTRIES:
            label = _("{division}: entries").format(division=division.name)
            pages.append(Shareable(f"bracket-{division.public_id}", label, title, path))
            continue
        standings = reverse("embed-standings", args=own)
        if any(stage.format in ELIMINATION for stage in division.stages.all()):
            label, frame = _("{division}: bracket"), reverse("embed-bracket", args=own)
        else:
            label, frame = _("{division}: matches"), standings
        label = label.format(division=division.name)
        pages.append(Shareable(f"bracket-{division.public_id}", label, title, path, frame))
        label = _("{division}: standings").format(division=division.name)
        title = _("{division}: standings").format(division=title)
        path = reverse("standings", args=own)
        pages.append(Shareable(f"standings-{division.public_id}", label, title, path, standings))
    return pages


def snippet(url: str, title: str) -> str:
    """Return the HTML that shows a page of this site in a frame, as text."""
    attributes = f'src="{escape(url)}" title="{escape(title)}" width="100%" height="{HEIGHT}" loading="lazy"'
    return f'<iframe {attributes} style="border: 0"></iframe>'


@open_to(get=Who.EVERYBODY)
def share(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the link of a page with its QR code, and the frame that shows it on websites that the club allows.

    A draft cannot be shared, not even by those who see it.
    """
    event = access.tournament(AnonymousUser(), club, slug)
    pages = shareable(event)
    form = SharedPageForm(request.GET, pages)
    if not form.is_valid():
        raise Http404
    key = form.cleaned_data["page"] or EVENT
    page = next(page for page in pages if page.key == key)
    return _share_page(request, event.club, page, {"tournament": event, "here": True, "pages": pages})


@open_to(get=Who.EVERYBODY)
def share_season(request: HttpRequest, slug: str, series: str) -> HttpResponse:
    """Show the link of a season with its QR code, and the frame with its table for websites that the club allows.

    A view of it has a link and a frame of its own.
    """
    row = series_of(slug, series)
    args = (row.club.slug, row.slug)
    path, frame = reverse("series", args=args), reverse("embed-series", args=args)
    pages = [Shareable(SEASON, _("All players"), row.name, path, frame)]
    for view in row.views.all():
        query, title = f"?view={view.public_id}", f"{view.name} · {row.name}"
        pages.append(Shareable(view.public_id, view.name, title, path + query, frame + query))
    form = SharedPageForm(request.GET, pages)
    key = form.cleaned_data["page"] if form.is_valid() else SEASON
    page = next((page for page in pages if page.key == key), pages[0])
    return _share_page(request, row.club, page, {"pages": pages})


def _share_page(request: HttpRequest, club: Club, page: Shareable, context: Mapping[str, Any]) -> HttpResponse:
    link = absolute_url(request, page.path)
    shown = {
        **context,
        "club": club,
        "page": page,
        "link": link,
        "qr": qr_svg(link),
        "snippet": snippet(absolute_url(request, page.frame), page.title) if page.frame else "",
        "sites": club.embed_hosts.split(),
        "may_allow": is_at_least(role_in(request.user, club), Role.DIRECTOR),
    }
    return render(request, "display/share.html", shown)
