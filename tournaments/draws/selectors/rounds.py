"""Rounds that are paired one by one, as a director has them before him: the last one, and what becomes of the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournaments.draws.selectors.drafts import NO_LATER_ROUND
from tournaments.draws.selectors.kept_apart import apart_view
from tournaments.draws.selectors.take_back import round_to_take_back
from tournaments.draws.services.pairings import is_outdated, to_be_paired
from tournaments.draws.services.rounds import Rounds, rounds_of
from tournaments.events.selectors.events import divisions_of
from tournaments.formats.settings import LIVES, MOST_ROUNDS, SWISS, NextRound
from tournaments.formats.swiss.event import ByeKind
from tournaments.formats.tables.tiebreaks import plain
from tournaments.models import ByeRequest, Division, Draw, Entry, Stage
from tournaments.standings.labels import meaning
from tournaments.standings.selectors.pairings import pairings_of
from tournaments.state.format_labels import NEXT_ROUND_NAMES
from tournaments.state.names import Names, names_of

OVER, DRAWING, DRAFT, REFUSED, OPEN, COMPLETE, BEFORE = (
    "over", "requested", "draft", "refused", "open", "complete", "before_draw"
)  # fmt: skip
"""Where the next round can stand: nothing follows, a worker makes it, it waits to be published, it cannot be made, the
last one is not complete, nobody has asked for it yet, the first one belongs to the draw."""

WHAT_NEXT = {
    NextRound.ASK: _("When the last result is in, you have the next round paired here."),
    NextRound.DRAFT: _("When the last result is in, the next round is paired as a draft for you to publish."),
    NextRound.PUBLISH: _(
        "When the last result is in, the next round is paired and publishes itself after a countdown."
    ),
}
PAIR_ROWS = 3
"""Pairs that the page lets a director fix at once."""


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A table of a draft: two names, and the points each has."""

    table: int
    first: str
    second: str
    first_points: str = ""
    second_points: str = ""
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Next:
    """What becomes of the next round."""

    number: int
    state: str
    draft: Draw | None = None
    outdated: bool = False
    needs_reason: bool = False

    @property
    def lacks_players(self) -> bool:
        """Whether there are too few to pair, so that rematches would not help."""
        code = self.draft.refusal["code"] if self.draft is not None and self.draft.refusal else ""
        return code in ("too_few_players", "too_few_without_byes")

    @property
    def asked_to_miss_it(self) -> bool:
        """Whether it cannot be paired because of the byes asked for."""
        return bool(self.draft and self.draft.refusal and self.draft.refusal["code"] == "too_few_without_byes")

    @property
    def foreseen(self) -> dict[str, Any] | None:
        """A later round that will have no pairing: `round`, and whether that is `certain`."""
        remarks = self.draft.remarks if self.draft is not None else []
        return next((one["params"] for one in remarks if one["code"] == NO_LATER_ROUND), None)


def next_round(division: Division, found: Rounds) -> Next:
    """Where the next round stands."""
    number = found.event.next_round
    if division.status == Division.Status.ENTRIES:
        return Next(number, BEFORE)
    drafts = list(found.stage.draws.filter(round=number).order_by("number"))
    last = drafts[-1] if drafts else None
    if last is not None and last.state == Draw.State.REQUESTED:
        return Next(number, DRAWING, last)
    if last is not None and last.state == Draw.State.DRAFT:
        last.stage = found.stage
        return Next(number, DRAFT, last, is_outdated(division, last), needs_reason=True)
    planned = found.event.planned
    last_is_paired = planned is not None and number > planned
    if found.state.over or (last_is_paired and found.state.progress.over):
        return Next(number, OVER)
    if found.event.rounds and not found.state.progress.over:
        return Next(number, OPEN)
    if last is not None and last.refusal:
        return Next(number, REFUSED, last)
    return Next(number, COMPLETE, needs_reason=last is not None and last.state != Draw.State.TAKEN_BACK)


def time_left(at: datetime | None, now: datetime) -> str:
    """Minutes and seconds until an instant, as 2:05; empty without one."""
    if at is None:
        return ""
    seconds = max(0, round((at - now).total_seconds()))
    return f"{seconds // 60}:{seconds % 60:02d}"


def desk_page(division: Division, round_number: int | None, now: datetime) -> dict[str, Any]:
    """The page of the rounds of a division. Refused: `not_by_rounds`."""
    found = rounds_of(division)
    names = names_of(division, staff=True)
    coming = next_round(division, found)
    paired = len(found.event.rounds)
    shown = round_number if round_number is not None and 1 <= round_number <= paired else paired
    view = pairings_of(division, names, stage=found.stage.number, round_number=shown) if shown else None
    played = [one for one in view.pairings if one.status in ("ready", "decided")] if view else []
    return {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "divisions": divisions_of(division.tournament),
        "may_direct": True,
        "stage": found.stage,
        "settings": found.settings,
        "is_swiss": found.settings.format == SWISS,
        "paired": paired,
        "left": len(to_be_paired(found.settings, found.event)),
        "shown": shown,
        "rounds": range(1, paired + 1),
        "view": view,
        "matches": len(played),
        "done": sum(one.status == "decided" for one in played),
        "next": coming,
        "another_round": _another_round(found, coming),
        "lines": _lines(found, coming.draft, names) if coming.state == DRAFT else [],
        "draft_byes": _byes(coming.draft, names) if coming.state == DRAFT else [],
        "now": now,
        "take_back": round_to_take_back(division),
        "countdown_left": time_left(coming.draft.publish_at, now) if coming.draft else "",
        "what_next": WHAT_NEXT[found.settings.next_round],
        "next_round_name": dict(NEXT_ROUND_NAMES)[found.settings.next_round],
        "next_round_choices": NEXT_ROUND_NAMES,
        "apart": apart_view(division, names),
        **_what_can_be_asked(found, coming, names),
    }


def _another_round(found: Rounds, coming: Next) -> int | None:
    """The number of a round that a finished Swiss can still be given."""
    later = found.stage.division.stages.filter(number__gt=found.stage.number).exclude(status=Stage.Status.PLANNED)
    if coming.state != OVER or found.settings.format != SWISS or coming.number > MOST_ROUNDS or later.exists():
        return None
    return coming.number


def _what_can_be_asked(found: Rounds, coming: Next, names: Names) -> dict[str, Any]:
    most = found.event.planned or MOST_ROUNDS
    rounds = range(coming.number, most + 1)
    here = [entry for entry in to_be_paired(found.settings, found.event) if entry in names.entries]
    return {
        "asked_byes": requested(found, names),
        "bye_kinds": ByeRequest.Kind.choices,
        "bye_rounds": rounds if found.settings.format != LIVES and coming.state not in (OVER,) else [],
        "here": sorted(((names.entries[one].public_id, names.of(one)) for one in here), key=lambda pair: pair[1]),
        "pair_rows": range(PAIR_ROWS),
    }


def requested(found: Rounds, names: Names) -> list[tuple[ByeRequest, Entry, str]]:
    """Byes asked for rounds that are not paired yet."""
    rows = ByeRequest.objects.filter(stage=found.stage, round__gte=found.event.next_round, taken_back_at=None)
    return [(row, names.entries[row.entry_id], names.of(row.entry_id)) for row in rows.order_by("round", "pk")]


def _lines(found: Rounds, draft: Draw | None, names: Names) -> list[DraftLine]:
    if draft is None:
        return []
    fixed = {frozenset(pair) for pair in draft.manual}
    pairs = [pair for pair in _pairs(draft) if pair[1] is not None]
    return [
        DraftLine(
            table, names.of(first), names.of(second), _points(found, first), _points(found, second or 0),
            frozenset((first, second)) in fixed,
        )
        for table, (first, second) in enumerate(pairs, start=1)
    ]  # fmt: skip


def _pairs(draft: Draw) -> Sequence[tuple[int, int | None]]:
    return list(zip(draft.places[::2], draft.places[1::2], strict=True))


def _points(found: Rounds, entry: int) -> str:
    """Points, or the lives left."""
    if found.settings.format == LIVES:
        return str(found.settings.lives - found.event.losses[entry])
    return plain(found.event.scores.get(entry, 0.0))


def _byes(draft: Draw | None, names: Names) -> list[tuple[str, str]]:
    """Who has a bye, and what it is worth."""
    alone = [first for first, second in _pairs(draft) if second is None] if draft is not None else []
    kinds = draft.byes if draft is not None else {}
    return [(names.of(one), meaning(f"bye_{kinds.get(str(one), ByeKind.FULL.value)}")) for one in alone]
