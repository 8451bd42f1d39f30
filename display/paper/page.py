"""The pages that are printed, and the page that offers them."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.links import absolute_url, is_for_this_machine_only, qr_svg
from display.languages import in_both, in_its_language, second_language
from display.paper.cards import fixtures_to_print, link_cards, match_at, score_sheets, table_cards, table_labels
from display.paper.cash import cash_report
from display.paper.drawing import DRAW_AREAS, draw_pages
from display.paper.lists import KINDS, PrintedList
from display.paper.snapshot import snapshot
from matches.lifecycle import links
from players import access as club_access
from players.access import Role, is_at_least, role_in
from players.forms import RefusingForm
from tournaments import access
from tournaments.events import selectors as event_selectors
from tournaments.events.actions import by, event_url_args
from tournaments.floor.selectors import floor
from tournaments.models import CheckIn, Division, Fixture, Round, Tournament
from tournaments.models.floor import MAX_LABEL_LENGTH

A4, LETTER = "a4", "letter"
LETTER_ZONES = ("America/", "US/", "Canada/", "Pacific/Honolulu")
"""Time zones of countries that print on US Letter; a director elsewhere on these continents can choose A4."""


def usual_paper(time_zone: str) -> str:
    return LETTER if time_zone.startswith(LETTER_ZONES) else A4


class SizeForm(forms.Form):
    """The paper of a printed page; unknown values are refused."""

    paper = forms.ChoiceField(label=gettext_lazy("Paper"), choices=[(A4, "A4"), (LETTER, "US Letter")], required=False)

    def __init__(self, *args: Any, time_zone: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.time_zone = time_zone

    @property
    def size(self) -> str:
        """The chosen paper size, else the usual one."""
        return self.cleaned_data.get("paper") or usual_paper(self.time_zone)


class PaperForm(SizeForm):
    """The choices of every printed page of an event."""

    division = forms.ModelChoiceField(Division.objects.none(), to_field_name="public_id", required=False)

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, time_zone=tournament.time_zone, **kwargs)
        self.tournament = tournament
        self._choose_from("division", tournament.divisions.all())

    def _choose_from(self, name: str, rows: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        field.queryset = rows

    @property
    def divisions(self) -> list[Division]:
        """The chosen division, else all."""
        chosen = self.cleaned_data["division"]
        return [chosen] if chosen else list(self.tournament.divisions.all())


class ScoreSheetsForm(PaperForm):
    """The score sheets to print: of a round, or of all matches that can be played now."""

    round = forms.ModelChoiceField(Round.objects.none(), required=False)
    per_page = forms.TypedChoiceField(
        label=gettext_lazy("Sheets per page"), choices=[(4, "4"), (2, "2")], coerce=int, required=False
    )

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, tournament=tournament, **kwargs)
        self._choose_from("round", Round.objects.filter(bracket__stage__division__tournament=tournament))

    @property
    def sheets_per_page(self) -> int:
        """The chosen number of sheets, else four."""
        return self.cleaned_data["per_page"] or 4


class PaperTableForm(RefusingForm):
    label = forms.CharField(max_length=MAX_LABEL_LENGTH)


def hub(tournament: Tournament, size: str, *, role: Role | None) -> dict[str, Any]:
    """Return what can be printed: how many score sheets of what is ready, and of each round.

    Helpers, who have no role, get no personal links of players, which work like a signature; only directors get the
    cash report.
    """
    args = (tournament.club.slug, tournament.slug)
    url = reverse("paper-sheets", args=args)
    return {
        "ready_count": len(fixtures_to_print(tournament, None)),
        "ready_url": f"{url}?{urlencode({'paper': size, 'print': '1'})}",
        "rounds": _rounds(tournament, url, size),
        "links": _links(tournament, size, role),
    }


def list_label(kind: str) -> str:
    labels = {
        "pairings": _("Pairings by board"),
        "names": _("Pairings by name"),
        "entries": _("Entry list"),
        "standings": _("Standings"),
        "cross-tables": _("Cross-table"),
        "prizes": _("Prizes"),
    }
    return labels[kind]


def _links(tournament: Tournament, size: str, role: Role | None) -> list[tuple[str, str, str]]:
    """Return the other pages that can be printed: label, help and URL."""
    args, query = (tournament.club.slug, tournament.slug), urlencode({"paper": size})
    links = [
        (_("Draw sheets"), "", reverse("paper-draws", args=args)),
        *((list_label(kind), "", reverse("paper-lists", args=(*args, kind))) for kind in KINDS),
        (_("Table cards"), _("with a QR code for the match at the table"), reverse("paper-cards", args=args)),
        (
            _("Poster for the door"),
            _("with a QR code to check in and to find your match"),
            reverse("check-in-poster", args=args),
        ),
    ]
    if role is not None:
        help_text = _("a card with a QR code for each player, to cut out")
        links.append((_("Personal links"), help_text, reverse("paper-personal-links", args=args)))
    if is_at_least(role, Role.DIRECTOR):
        links.append((_("Cash report"), "", reverse("paper-cash", args=args)))
    return [(label, help_text, f"{url}?{query}") for label, help_text, url in links]


def _rounds(tournament: Tournament, url: str, size: str) -> list[tuple[str, str, int, str]]:
    """Return the rounds with matches to be printed: division, name, number of sheets and URL."""
    names = event_selectors.names_of_rounds(tournament)
    ready = Fixture.objects.filter(
        stage__division__tournament=tournament, status=Fixture.Status.READY, match__begun_at=None, match__state="open"
    )
    counts: dict[int, int] = {}
    for round_ in ready.values_list("round", flat=True):
        counts[round_] = counts.get(round_, 0) + 1
    rounds = Round.objects.filter(pk__in=counts).select_related("bracket__stage__division")
    return [
        (
            row.bracket.stage.division.name,
            names[row.pk],
            counts[row.pk],
            f"{url}?{urlencode({'paper': size, 'round': row.pk, 'print': '1'})}",
        )
        for row in rounds.order_by("bracket__stage__division__order", "bracket__order", "number")
    ]


# Printed pages of an event. Each is a page of the site whose sheets have the size of the paper.


FormT = TypeVar("FormT", bound=PaperForm)


@open_to(get=Who.HELPERS)
@never_cache
def paper(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """List what can be printed for an event."""
    event, role = access.tournament_with_role(request.user, club, slug, access.HELPER)
    form = _choices(request, event, PaperForm)
    context = _context(request, event, form) | hub(event, form.size, role=role)
    context |= {"division": event.divisions.first(), "only_helps": role is None} | _for_phones(request, event)
    return render(request, "display/paper/paper.html", context)


def _for_phones(request: HttpRequest, event: Tournament) -> dict[str, str]:
    """The event's URL and its QR code, unless phones cannot reach this site."""
    url = absolute_url(request, reverse("event", args=event_url_args(event)))
    return {} if is_for_this_machine_only(url) else {"phone_url": url, "phone_qr": qr_svg(url)}


@open_to(get=Who.HELPERS)
@never_cache
@in_its_language
def sheets(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print the score sheets of a round, or of all matches that can be played now."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = _choices(request, event, ScoreSheetsForm)
    fixtures = fixtures_to_print(event, form.cleaned_data["round"])

    def link_url(token: str) -> str:
        return absolute_url(request, reverse("match-link", args=[token]))

    tables = {
        key: row.where.table for key, row in floor(event, timezone.now()).matches.items() if row.table is not None
    }
    context = _context(request, event, form) | {
        "sheets": score_sheets(event, fixtures, link_url, tables),
        "per_page": form.sheets_per_page,
    }
    return render(request, "display/paper/score_sheets.html", context)


@never_cache
@open_to(get=Who.EVERYBODY)
@in_its_language
def draws(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print the brackets of an event or of one division."""
    event = access.tournament(request.user, club, slug)
    form = _choices(request, event, PaperForm)
    area, second = DRAW_AREAS[form.size], second_language(event)
    context = _context(request, event, form, "landscape") | {
        "pages": [page for division in form.divisions for page in draw_pages(division, area, second)],
        "divisions": list(event.divisions.all()),
    }
    return render(request, "display/paper/draw_sheets.html", context)


@never_cache
@open_to(get=Who.EVERYBODY)
@in_its_language
def lists(request: HttpRequest, club: str, slug: str, kind: str) -> HttpResponse:
    """Print pairings, names, entries, standings or cross-tables."""
    event = access.tournament(request.user, club, slug)
    form = _choices(request, event, PaperForm)
    make, orientation = KINDS[kind]
    context = _context(request, event, form, orientation) | {
        "label": list_label(kind),
        "lists": [(division, printed) for division in form.divisions for printed in _in_both(make, division)],
        "divisions": list(event.divisions.all()),
    }
    return render(request, "display/paper/lists.html", context)


def _in_both(make: Callable[[Division], Iterable[PrintedList]], division: Division) -> Iterator[PrintedList]:
    """Yield the lists of a division with their headings in both languages of the event."""
    first, second = in_both(lambda: list(make(division)), second_language(division.tournament))
    for printed, other in zip(first, second, strict=True):
        yield printed.with_second(other)


@open_to(get=Who.STAFF)
@never_cache
@in_its_language
def snapshot_page(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print what is needed to continue the night without the server."""
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    form = _choices(request, event, PaperForm)
    context = _context(request, event, form) | snapshot(event, timezone.now(), form.size)
    return render(request, "display/paper/snapshot.html", context)


@open_to(get=Who.HELPERS)
@never_cache
@in_its_language
def poster(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print the poster for the door: its QR code leads to the page on which players check in or find their match."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = _choices(request, event, PaperForm)
    url = absolute_url(request, reverse("arrive", args=event_url_args(event)))
    scanned = f"{url}?from={CheckIn.Source.POSTER}"
    context = _context(request, event, form) | {"url": url, "scanned_url": scanned, "qr": qr_svg(scanned)}
    return render(request, "display/paper/poster.html", context)


@open_to(get=Who.DIRECTORS)
@never_cache
@in_its_language
def club_poster(request: HttpRequest, slug: str) -> HttpResponse:
    """Print the poster for the door of a club: its QR code leads to the page on which one joins the club."""
    club = club_access.club_for_director(request.user, slug)
    form = SizeForm(request.GET, time_zone=club.time_zone)
    form.full_clean()
    url = absolute_url(request, reverse("join-club", args=[club.slug]))
    context = {"club": club, "form": form, "paper": form.size, "orientation": "portrait", "url": url, "qr": qr_svg(url)}
    context["page_css"] = f"display/paper/{form.size}-portrait.css"
    return render(request, "display/paper/club_poster.html", context)


@open_to(get=Who.DIRECTORS)
@never_cache
@in_its_language
def cash(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = _choices(request, event, PaperForm)
    return render(request, "display/paper/cash_report.html", _context(request, event, form) | cash_report(event))


@open_to(get=Who.HELPERS)
@never_cache
@in_its_language
def cards(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = _choices(request, event, PaperForm)
    printed = table_cards(event, partial(absolute_url, request))
    return render(request, "display/paper/table_cards.html", _context(request, event, form) | {"cards": printed})


@open_to(get=Who.STAFF)
@never_cache
@in_its_language
def personal_links(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Print a card with the personal link of each player."""
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    form = _choices(request, event, PaperForm)
    printed, withheld = link_cards(event, form.divisions, by(request), partial(absolute_url, request))
    context = _context(request, event, form) | {
        "cards": printed,
        "divisions": list(event.divisions.all()),
        "withheld": withheld,
    }
    return render(request, "display/paper/link_cards.html", context)


@never_cache
@open_to(get=Who.EVERYBODY)
def table_now(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Redirect to the match at a table, as the link on its score sheet does; the card of the table leads here."""
    event = access.tournament(request.user, club, slug)
    form = PaperTableForm(request.GET)
    if not form.is_valid() or form.cleaned_data["label"] not in table_labels(event):
        raise Http404
    match = match_at(event, form.cleaned_data["label"], timezone.now())
    if match is not None:
        return redirect("match-link", links.token_for(match, None))
    context = {"tournament": event, "club": event.club, "label": form.cleaned_data["label"]}
    return render(request, "display/paper/table_now.html", context)


def _choices(request: HttpRequest, tournament: Tournament, form_class: type[FormT]) -> FormT:
    """Return the choices in the URL; wrong ones are ignored, so that an old link still prints."""
    form = form_class(request.GET, tournament=tournament)
    if not form.is_valid():
        form = form_class({}, tournament=tournament)
        form.full_clean()
    return form


def _context(
    request: HttpRequest, tournament: Tournament, form: PaperForm, orientation: str = "portrait"
) -> dict[str, Any]:
    """Return what every printed page needs; times are the event's."""
    may_direct = is_at_least(role_in(request.user, tournament.club), Role.DIRECTOR)
    zone = ZoneInfo(tournament.time_zone)
    now = timezone.now().astimezone(zone)
    return {
        "tournament": tournament,
        "club": tournament.club,
        "second_language": second_language(tournament),
        "form": form,
        "paper": form.size,
        "orientation": orientation,
        "page_css": f"display/paper/{form.size}-{orientation}.css",
        "clock": time_format(now),
        "as_of": f"{date_format(now, 'SHORT_DATE_FORMAT')}, {time_format(now)}",
        "day": date_format(tournament.starts_at.astimezone(zone)),
        "may_direct": may_direct,
        "print_now": "print" in request.GET,
    }
