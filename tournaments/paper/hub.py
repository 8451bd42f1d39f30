"""The list of what can be printed for an event."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.events.selectors import events
from tournaments.models import Fixture, Round, Tournament
from tournaments.paper.lists import KINDS
from tournaments.paper.score_sheets import fixtures_to_print


@dataclass(frozen=True, slots=True)
class RoundSheets:
    """A round with matches whose score sheets can be printed."""

    division: str
    name: str
    count: int
    url: str


@dataclass(frozen=True, slots=True)
class PaperLink:
    """A page that can be printed, or shown on another website."""

    label: str
    help: str
    url: str


def hub(tournament: Tournament, size: str, *, only_helps: bool) -> dict[str, Any]:
    """Return what can be printed: how many score sheets of what is ready, and of each round.

    Helpers get no personal links of players, which work like a signature.
    """
    args = (tournament.club.slug, tournament.slug)
    url = reverse("paper-sheets", args=args)
    return {
        "ready_count": len(fixtures_to_print(tournament, None)),
        "ready_url": f"{url}?{urlencode({'paper': size, 'print': '1'})}",
        "rounds": _rounds(tournament, url, size),
        "links": _links(tournament, size, only_helps=only_helps),
        "frames": _frames(tournament),
    }


def list_label(kind: str) -> str:
    """Return the name of a kind of list."""
    labels = {
        "pairings": _("Pairings by board"),
        "names": _("Pairings by name"),
        "entries": _("Entry list"),
        "standings": _("Standings"),
        "cross-tables": _("Cross-tables"),
        "prizes": _("Prize list"),
    }
    return labels[kind]


def _links(tournament: Tournament, size: str, *, only_helps: bool) -> list[PaperLink]:
    args, query = (tournament.club.slug, tournament.slug), urlencode({"paper": size})
    links = [
        PaperLink(_("Draw sheets"), _("all brackets, to hang up and fill in"), reverse("paper-draws", args=args)),
        *(PaperLink(list_label(kind), "", reverse("paper-lists", args=(*args, kind))) for kind in KINDS),
        PaperLink(_("Table cards"), _("with a QR code for the match at the table"), reverse("paper-cards", args=args)),
    ]
    if not only_helps:
        help_text = _("a card with a QR code for each player, to cut apart")
        links.append(PaperLink(_("Personal links"), help_text, reverse("paper-personal-links", args=args)))
    return [replace(link, url=f"{link.url}?{query}") for link in links]


def _frames(tournament: Tournament) -> list[PaperLink]:
    """Return the pages that other websites can embed once the event is published."""
    if tournament.status == Tournament.Status.DRAFT:
        return []
    args = (tournament.club.slug, tournament.slug)
    frames = [PaperLink(_("Calls"), "", reverse("embed-calls", args=args))]
    for division in tournament.divisions.all():
        named = {"name": division.name}
        division_args = (*args, division.public_id)
        frames += [
            PaperLink(_("%(name)s: bracket") % named, "", reverse("embed-bracket", args=division_args)),
            PaperLink(_("%(name)s: standings") % named, "", reverse("embed-standings", args=division_args)),
        ]
    return frames


def _rounds(tournament: Tournament, url: str, size: str) -> list[RoundSheets]:
    names = events.names_of_rounds(tournament)
    ready = Fixture.objects.filter(
        stage__division__tournament=tournament, status=Fixture.Status.READY, match__begun_at=None, match__state="open"
    )
    counts: dict[int, int] = {}
    for round_ in ready.values_list("round", flat=True):
        counts[round_] = counts.get(round_, 0) + 1
    rounds = Round.objects.filter(pk__in=counts).select_related("bracket__stage__division")
    return [
        RoundSheets(
            row.bracket.stage.division.name,
            names[row.pk],
            counts[row.pk],
            f"{url}?{urlencode({'paper': size, 'round': row.pk, 'print': '1'})}",
        )
        for row in rounds.order_by("bracket__stage__division__order", "bracket__order", "number")
    ]
