"""The pages of entries and of the draw, as directors see them."""

from datetime import datetime
from typing import Any

from core.names import fold
from players.access import Role, is_at_least
from players.models import Membership
from players.selectors import called
from tournaments.draws.selectors.drafts import draft_page, presence
from tournaments.draws.selectors.kept_apart import apart_view
from tournaments.draws.selectors.take_back import draw_to_take_back
from tournaments.draws.services.draws import LEAST_ENTRIES
from tournaments.entries.selectors.substitutions import substituted_entries
from tournaments.entries.services.late_plans import may_come_late
from tournaments.entries.services.reentries import reenterable
from tournaments.events.selectors.events import divisions_of
from tournaments.ledger.selectors.accounts import owed_by_entry
from tournaments.models import Division, Draw, Entry, LateEntry, Withdrawal
from tournaments.pages.selectors.divisions import entries_lists, provenance_of
from tournaments.state.names import names_of

MOST_MATCHING_MEMBERS = 8


def entries_page(division: Division, role: Role, now: datetime) -> dict[str, Any]:
    """Return the context of the entries page: all entries with full names, and the state of the draw."""
    names = names_of(division, staff=True)
    stage = division.stages.order_by("number").first()
    lists = entries_lists(names)
    return {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "divisions": divisions_of(division.tournament),
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "taking": division.status == Division.Status.ENTRIES and not _is_over(division),
        "late": may_come_late(division),
        "here": sum(entry.checked_in_at is not None for entry, _ in lists["entered"]),
        "provenance": provenance_of(stage) if stage else None,
        "now": now,
        "unpaid": owed_by_entry(division).keys(),
        "out_of_bracket": set(
            Withdrawal.objects.filter(entry__division=division, bracket__isnull=False, taken_back_at=None).values_list(
                "entry", flat=True
            )
        ),
        "may_enter_again": reenterable(division, now),
        "substituted": substituted_entries(division),
        "came_late": set(
            LateEntry.objects.filter(entry__division=division, undoes=None, undone_by=None).values_list(
                "entry", flat=True
            )
        ),
        **lists,
    }


def _is_over(division: Division) -> bool:
    return division.tournament.status in ("finished", "cancelled")


def members_called(division: Division, text: str) -> list[Membership]:
    """Return members of the club whose name contains this text and who are not entered yet."""
    if not fold(text):
        return []
    entered = division.entries.exclude(status=Entry.Status.OUT).values("player")
    return list(
        Membership.objects.filter(
            called(text, "player__"),
            club=division.tournament.club,
            left_at=None,
            player__merged_into=None,
            player__erased_at=None,
        )
        .exclude(player__in=entered)
        .select_related("player")
        .order_by("player__name_key", "pk")[:MOST_MATCHING_MEMBERS]
    )


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
