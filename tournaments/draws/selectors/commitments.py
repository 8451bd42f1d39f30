"""The public list of a club's commitments, with the fate of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext_lazy as _

from core.pagination import page_of
from players.models import Club
from tournaments.models import Commitment, Division, Draw, Stage, Tournament

ON_A_PAGE = 50

OPEN, DRAFTED, DRAWN, RETIRED, ABANDONED = "open", "drafted", "drawn", "retired", "abandoned"
"""Fates of a commitment: nothing drawn yet; drafts made but none published; a draw published; the draw taken back, so
that its seed is public and no longer used; ended without a draw."""
FATES = {
    OPEN: _("Not drawn yet"),
    DRAFTED: _("Draft made, not published"),
    DRAWN: _("Drawn"),
    RETIRED: _("Draw taken back, seed retired"),
    ABANDONED: _("Abandoned"),
}
"""Fate -> its label."""


@dataclass(frozen=True, slots=True)
class CommitmentLine:
    """A commitment as shown to everybody. Seeds are None while they are secret."""

    commitment: Commitment
    fate: str
    drafts: list[Draw]
    """All requested drafts in order, including those that could not be made."""
    seed: str | None
    lots_seed: str | None

    @property
    def label(self) -> str:
        """The label of its fate."""
        return str(FATES[self.fate])

    @property
    def seen_drafts(self) -> list[Draw]:
        """The drafts that were made, which directors could look at."""
        return [draft for draft in self.drafts if draft.places]

    @property
    def redraws(self) -> list[Draw]:
        """Drafts that replaced an earlier draft of the same round; each has a reason."""
        return [draft for draft in self.drafts if draft.reason]

    @property
    def published(self) -> Draw | None:
        """The first published draw that was not taken back."""
        return next((draft for draft in self.drafts if draft.state == Draw.State.PUBLISHED), None)

    @property
    def ended_at(self) -> datetime | None:
        """When it was retired or its stage was removed."""
        return self.commitment.ended_at


def commitments_of(club: Club) -> QuerySet[Commitment]:
    """Return the commitments of a club, newest first, with the rows that `lines` needs."""
    draws = Prefetch("draws", Draw.objects.order_by("number"))
    rows = Commitment.objects.filter(club=club).select_related("stage", "division__tournament__club")
    return rows.prefetch_related(draws).order_by("-number")


def lines(rows: Iterable[Commitment]) -> list[CommitmentLine]:
    """Return these commitments with their drafts and fates."""
    return [_line(row) for row in rows]


def _line(row: Commitment) -> CommitmentLine:
    drafts = list(row.draws.all())
    fate = _fate(row, drafts)
    drawn = fate == DRAWN and row.stage is not None
    seed = row.seed or (row.stage.seed if drawn and row.stage and row.stage.seed_is_public else None)
    lots_seed = row.stage.lots_seed if drawn and row.stage and row.stage.lots_seed_is_public else None
    return CommitmentLine(row, fate, drafts, seed, lots_seed)


def _fate(row: Commitment, drafts: list[Draw]) -> str:
    if row.end == Commitment.End.RETIRED:
        return RETIRED
    is_drawn = row.stage is not None and row.stage.status != Stage.Status.PLANNED
    if is_drawn or any(draft.state == Draw.State.PUBLISHED for draft in drafts):
        return DRAWN
    cancelled = (
        row.division.status == Division.Status.CANCELLED
        or row.division.tournament.status == Tournament.Status.CANCELLED
    )
    if row.end or cancelled:
        return ABANDONED
    return DRAFTED if any(draft.places for draft in drafts) else OPEN


def commitments_page(club: Club, number: str | None) -> dict[str, Any]:
    """Return the context of one page of the list."""
    page = page_of(commitments_of(club), number, ON_A_PAGE)
    return {"club": club, "page": page, "lines": lines(page.object_list)}
