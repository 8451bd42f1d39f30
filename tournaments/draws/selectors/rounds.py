"""What directors see of a stage that is paired round by round: the last round and the state of the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournaments.draws.selectors.drafts import NO_LATER_ROUND
from tournaments.draws.selectors.kept_apart import apart_view
from tournaments.draws.selectors.take_back import round_to_take_back
from tournaments.draws.services.pairings import is_outdated, to_be_paired
from tournaments.draws.services.rounds import PairedStage, paired_stage_of
from tournaments.events.selectors.events import divisions_of
from tournaments.formats.settings import LIVES, MOST_ROUNDS, SWISS, NextRound
from tournaments.formats.swiss.event import ByeKind
from tournaments.formats.tables.tiebreaks import plain
from tournaments.models import ByeRequest, Division, Draw, Entry, Stage
from tournaments.standings.boards import has_open_floor
from tournaments.standings.labels import meaning
from tournaments.standings.selectors.pairings import pairings_of
from tournaments.state.format_labels import NEXT_ROUND_NAMES
from tournaments.state.names import Names, names_of

OVER, DRAWING, DRAFT, REFUSED, OPEN, COMPLETE, BEFORE = (
    "over", "requested", "draft", "refused", "open", "complete", "before_draw"
)  # fmt: skip
"""States of the next round: there is none, a worker makes it, it can be published, it could not be paired, the last
round is not complete, it can be requested, and it is the first round, which belongs to the draw."""

WHAT_NEXT = {
    NextRound.ASK: _("When the last result is in, you can pair the next round here."),
    NextRound.DRAFT: _("When the last result is in, a draft of the next round is made for you to publish."),
    NextRound.PUBLISH: _(
        "When the last result is in, the next round is paired and published automatically after a countdown."
    ),
}
PAIR_ROWS = 3
"""Number of pairs that can be fixed on the page at once."""


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A pair of a draft: its board, two names, and the points of each."""

    board: int | None
    """None while the floor is open, which says at which table each is played."""
    first: str
    second: str
    first_points: str = ""
    second_points: str = ""
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class NextRoundStatus:
    """The number and state of the next round, with its draft if there is one."""

    number: int
    state: str
    draft: Draw | None = None
    outdated: bool = False
    needs_reason: bool = False

    @property
    def lacks_players(self) -> bool:
        """Whether there are too few players to pair, so that allowing rematches would not help."""
        code = self.draft.refusal["code"] if self.draft is not None and self.draft.refusal else ""
        return code in ("too_few_players", "too_few_without_byes")

    @property
    def blocked_by_byes(self) -> bool:
        """Whether it cannot be paired because of requested byes."""
        return bool(self.draft and self.draft.refusal and self.draft.refusal["code"] == "too_few_without_byes")

    @property
    def later_round_remark(self) -> dict[str, Any] | None:
        """A later `round` that will have no pairing, and whether that is `certain`."""
        remarks = self.draft.remarks if self.draft is not None else []
        return next((remark["params"] for remark in remarks if remark["code"] == NO_LATER_ROUND), None)


def next_round(division: Division, current: PairedStage) -> NextRoundStatus:
    """Return the state of the next round."""
    number = current.event.next_round
    if division.status == Division.Status.ENTRIES:
        return NextRoundStatus(number, BEFORE)
    drafts = list(current.stage.draws.filter(round=number).order_by("number"))
    last = drafts[-1] if drafts else None
    if last is not None and last.state == Draw.State.REQUESTED:
        return NextRoundStatus(number, DRAWING, last)
    if last is not None and last.state == Draw.State.DRAFT:
        last.stage = current.stage
        return NextRoundStatus(number, DRAFT, last, is_outdated(division, last), needs_reason=True)
    planned = current.event.planned
    last_is_paired = planned is not None and number > planned
    if current.state.over or (last_is_paired and current.state.progress.over):
        return NextRoundStatus(number, OVER)
    if current.event.rounds and not current.state.progress.over:
        return NextRoundStatus(number, OPEN)
    if last is not None and last.refusal:
        return NextRoundStatus(number, REFUSED, last)
    return NextRoundStatus(number, COMPLETE, needs_reason=last is not None and last.state != Draw.State.TAKEN_BACK)


def time_left(at: datetime | None, now: datetime) -> str:
    """Return the time until an instant in minutes and seconds, such as 2:05; empty without an instant."""
    if at is None:
        return ""
    seconds = max(0, round((at - now).total_seconds()))
    return f"{seconds // 60}:{seconds % 60:02d}"


def rounds_page(division: Division, round_number: int | None, now: datetime) -> dict[str, Any]:
    """Return the context of the rounds page. Refused: `not_by_rounds`."""
    current = paired_stage_of(division)
    names = names_of(division, staff=True)
    upcoming = next_round(division, current)
    paired = len(current.event.rounds)
    shown = round_number if round_number is not None and 1 <= round_number <= paired else paired
    view = pairings_of(division, names, stage=current.stage.number, round_number=shown) if shown else None
    played = [pairing for pairing in view.pairings if pairing.status in ("ready", "decided")] if view else []
    return {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "divisions": divisions_of(division.tournament),
        "may_direct": True,
        "stage": current.stage,
        "settings": current.settings,
        "is_swiss": current.settings.format == SWISS,
        "paired": paired,
        "left": len(to_be_paired(current.settings, current.event)),
        "shown": shown,
        "rounds": range(1, paired + 1),
        "view": view,
        "matches": len(played),
        "done": sum(pairing.status == "decided" for pairing in played),
        "next": upcoming,
        "another_round": _another_round(current, upcoming),
        "lines": _draft_lines(current, upcoming.draft, names) if upcoming.state == DRAFT else [],
        "draft_byes": _byes(upcoming.draft, names) if upcoming.state == DRAFT else [],
        "now": now,
        "take_back": round_to_take_back(division),
        "countdown_left": time_left(upcoming.draft.publish_at, now) if upcoming.draft else "",
        "what_next": WHAT_NEXT[current.settings.next_round],
        "next_round_name": dict(NEXT_ROUND_NAMES)[current.settings.next_round],
        "next_round_choices": NEXT_ROUND_NAMES,
        "apart": apart_view(division, names),
        **_request_choices(current, upcoming, names),
    }


def _another_round(current: PairedStage, upcoming: NextRoundStatus) -> int | None:
    """Return the number of the round that can be added to a finished Swiss; None if none can."""
    later = current.stage.division.stages.filter(number__gt=current.stage.number).exclude(status=Stage.Status.PLANNED)
    if upcoming.state != OVER or current.settings.format != SWISS or upcoming.number > MOST_ROUNDS or later.exists():
        return None
    return upcoming.number


def _request_choices(current: PairedStage, upcoming: NextRoundStatus, names: Names) -> dict[str, Any]:
    """Return the choices of the forms that request byes and fixed pairs."""
    most = current.event.planned or MOST_ROUNDS
    rounds = range(upcoming.number, most + 1)
    playing = [entry for entry in to_be_paired(current.settings, current.event) if entry in names.entries]
    return {
        "requested_byes": requested_byes(current, names),
        "bye_kinds": ByeRequest.Kind.choices,
        "bye_rounds": rounds if current.settings.format != LIVES and upcoming.state != OVER else [],
        "players": sorted(
            ((names.entries[entry].public_id, names.of(entry)) for entry in playing), key=lambda choice: choice[1]
        ),
        "pair_rows": range(PAIR_ROWS),
    }


def requested_byes(current: PairedStage, names: Names) -> list[tuple[ByeRequest, Entry, str]]:
    """Return requested byes of rounds that are not paired yet, with their entries and names."""
    rows = ByeRequest.objects.filter(stage=current.stage, round__gte=current.event.next_round, taken_back_at=None)
    return [(row, names.entries[row.entry_id], names.of(row.entry_id)) for row in rows.order_by("round", "pk")]


def _draft_lines(current: PairedStage, draft: Draw | None, names: Names) -> list[DraftLine]:
    if draft is None:
        return []
    fixed = {frozenset(pair) for pair in draft.manual}
    pairs = [pair for pair in _pairs(draft) if pair[1] is not None]
    has_boards = not has_open_floor(current.stage.division.tournament_id)
    return [
        DraftLine(
            board if has_boards else None, names.of(first), names.of(second), _points(current, first),
            _points(current, second or 0), frozenset((first, second)) in fixed,
        )
        for board, (first, second) in enumerate(pairs, start=1)
    ]  # fmt: skip


def _pairs(draft: Draw) -> Sequence[tuple[int, int | None]]:
    return list(zip(draft.places[::2], draft.places[1::2], strict=True))


def _points(current: PairedStage, entry: int) -> str:
    """Return the points of an entry, or its lives left."""
    if current.settings.format == LIVES:
        return str(current.settings.lives - current.event.losses[entry])
    return plain(current.event.scores.get(entry, 0.0))


def _byes(draft: Draw | None, names: Names) -> list[tuple[str, str]]:
    """Return the names of the entries with a bye, and what each bye is worth."""
    alone = [first for first, second in _pairs(draft) if second is None] if draft is not None else []
    kinds = draft.byes if draft is not None else {}
    return [(names.of(entry), meaning(f"bye_{kinds.get(str(entry), ByeKind.FULL.value)}")) for entry in alone]
