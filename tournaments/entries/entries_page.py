"""The page of a division's entries, as directors see it."""

from datetime import datetime
from typing import Any

from core.names import fold
from players.access import Role, is_at_least
from players.models import Membership
from players.selectors import called
from tournaments.entries.selectors.substitutions import substituted_entries
from tournaments.entries.services.late_plans import may_come_late
from tournaments.entries.services.reentries import reenterable
from tournaments.events.selectors.events import divisions_of
from tournaments.ledger.selectors.accounts import owed_by_entry
from tournaments.models import Division, Entry, LateEntry, Withdrawal
from tournaments.state.names import entries_lists, names_of
from tournaments.state.stages import provenance_of

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
