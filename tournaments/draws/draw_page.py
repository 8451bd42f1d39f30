"""The page of a draw, as directors see it."""

from datetime import datetime
from typing import Any

from tournaments.draws.selectors.drafts import draft_page, presence
from tournaments.draws.selectors.kept_apart import apart_view
from tournaments.draws.selectors.take_back import draw_to_take_back
from tournaments.draws.services.draws import LEAST_ENTRIES
from tournaments.events.selectors.events import divisions_of
from tournaments.models import Division, Draw, Entry
from tournaments.state.names import names_of
from tournaments.state.stages import provenance_of


def draw_page(division: Division, now: datetime) -> dict[str, Any]:
    """Return the context of the draw page: requested, a draft to review, published, or refused."""
    stage = division.stages.order_by("number").first()
    provenance = provenance_of(stage) if stage else None
    newest = provenance.drafts[-1] if provenance and provenance.drafts else None
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "divisions": divisions_of(division.tournament),
        "provenance": provenance,
        "newest": newest,
        "entered": division.entries.filter(status=Entry.Status.IN).count(),
        "now": now,
        "take_back": draw_to_take_back(division),
    }
    if division.status == Division.Status.ENTRIES:
        names = names_of(division, staff=True)
        here, missing = presence(names)
        context |= {
            "apart": apart_view(division, names),
            "here": here if missing and here >= LEAST_ENTRIES else 0,
            "missing": [names.of(entry) for entry in missing],
        }
    if newest is not None and newest.state == Draw.State.DRAFT:
        context |= draft_page(division, newest)
    return context
