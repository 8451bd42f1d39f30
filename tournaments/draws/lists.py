"""What directors and readers see of draws: drafts, rounds, and the public list of commitments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Max, Prefetch, QuerySet
from django.utils.translation import gettext_lazy as _

from core.names import fold
from core.pagination import page_of
from formats.forecast.stages import matches_each, planned_before
from formats.graph import Graph, Source
from formats.plans import TABLE, as_drawn, later_sources, lengths_of, plan_of, sources_of
from formats.progress import Progress, progress
from formats.settings import (
    BY_ROUND,
    ELIMINATION,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    MAX_ROUNDS,
    PROGRESSIVE,
    SWISS,
    NextRound,
    StageSettings,
)
from formats.states import SlotState
from formats.swiss.event import ByeKind
from formats.tables.groups import group_names
from formats.tables.tiebreaks import plain
from players.models import Club
from tournaments.draws.kept_apart import apart_view
from tournaments.draws.rounds import (
    WAITS,
    PairedStage,
    WayOut,
    WaysOut,
    is_outdated,
    paired_stage_of,
    redraw_reason,
    still_refused,
    to_be_paired,
    ways_out,
)
from tournaments.draws.undo import round_to_take_back
from tournaments.events.selectors import divisions_of
from tournaments.models import ByeRequest, CheckIn, Commitment, Division, Draw, Entry, Stage, Tournament
from tournaments.standings import brackets
from tournaments.standings.brackets import BracketOptions, FixtureRow, RoundRow, SlotRow, Tree, bracket_name
from tournaments.standings.labels import jumps, meaning, stage_title
from tournaments.standings.pairings import pairings_of
from tournaments.standings.rounds import has_open_floor
from tournaments.state.figures import MatchFigures
from tournaments.state.format_labels import NEXT_ROUND_NAMES
from tournaments.state.names import Names, entries_lists, names_of
from tournaments.state.plans import entrants_as_data, settings_of, source_fields

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise


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
    rows = Commitment.objects.filter(club=club).select_related(
        "stage__division__tournament", "division__tournament__club"
    )
    return rows.prefetch_related(draws).order_by("-number")


def lines(rows: Iterable[Commitment]) -> list[CommitmentLine]:
    """Return these commitments with their drafts and fates."""
    return [_line(row) for row in rows]


def _line(row: Commitment) -> CommitmentLine:
    drafts = list(row.draws.all())
    fate = _fate(row, drafts)
    stage = row.stage if fate != RETIRED else None
    seed = row.seed or (stage.seed if stage is not None and stage.seed_is_public else None)
    lots_seed = stage.lots_seed if stage is not None and stage.lots_seed_is_public else None
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
    page = page_of(commitments_of(club), number, ON_A_PAGE)
    return {"club": club, "page": page, "lines": lines(page.object_list)}


# A draft of a draw as directors see it: the brackets, groups or pairs it would become. Nothing of it is stored.


@dataclass(frozen=True, slots=True)
class DraftStage:
    """A stage as the draft would make it: its brackets, the members of its groups, or the pairs of its round."""

    stage: Stage
    trees: list[Tree] = field(default_factory=list)
    groups: list[tuple[str, list[str]]] = field(default_factory=list)
    """Titles with the names of the members."""
    pairs: list[tuple[str, str]] = field(default_factory=list)
    byes: list[tuple[str, str]] = field(default_factory=list)
    """Names with the label of their bye."""
    waits: bool = False
    """Whether it is drawn only when the stage before it is over."""

    @property
    def title(self) -> str:
        return stage_title(self.stage, several=True)

    @property
    def drawn_later(self) -> bool:
        """Whether it has lines that are drawn when their players are known."""
        columns = (column for tree in self.trees for section in tree.sections for column in section.columns)
        return any(column.by_lot for column in columns)


@dataclass(frozen=True, slots=True)
class DraftCounts:
    entered: int
    places: int
    byes: int
    matches: int
    groups: int = 0
    at_least: int = 0
    """The fewest matches of anybody; 0 for a round of a stage that is paired round by round."""


def draft_page(division: Division, draw: Draw) -> dict[str, Any]:
    """Return the context of a draft: its stages, its figures, and whether it is outdated."""
    names = names_of(division, staff=True)
    seeds = brackets.seeds_of(draw, division)
    stages = draft_stages(division, draw, BracketOptions(names, seeds))
    trees = [tree for stage in stages for tree in stage.trees]
    brackets.open_sections(trees, "all")
    drawn = {place for place in draw.places if place is not None}
    entered = {pk for pk, entry in names.entries.items() if entry.status == Entry.Status.IN}
    return {
        "stages": stages,
        "jumps": jumps(stages),
        "seeded": bool(seeds),
        "draft": draw,
        "counts": counts(division, draw),
        "outdated": is_outdated(division, draw) if draw.round else drawn != entered.difference(draw.left_out),
        "own_reason": redraw_reason(draw, entered.difference(draw.left_out)),
        **absences(draw, names),
        "later_round_remark": next((row["params"] for row in draw.remarks if row["code"] == NO_LATER_ROUND), None),
        "remarks": [halves_remark(row, names) for row in draw.remarks if row["code"] == OPPOSITE_HALVES],
        "same_group": [_names(row, names) for row in draw.remarks if row["code"] == SAME_GROUP],
    }


def absences(draw: Draw, names: Names) -> dict[str, Any]:
    """Return who was left out of a draft, who of them is here by now, who waits, and who is in it but not here."""
    left_out = [pk for pk in draw.left_out if names.entries[pk].status == Entry.Status.IN]
    missing = presence(names).missing
    is_first = draw.stage.division.status == Division.Status.ENTRIES
    waiting = entries_lists(names)["waiting"] if is_first else []
    return {
        "still_waiting": [name for _entry, name in waiting],
        "waiting_here": [name for entry, name in waiting if entry.checked_in_at is not None],
        "left_out": [names.of(pk) for pk in left_out],
        "here_by_now": [names.of(pk) for pk in left_out if names.entries[pk].checked_in_at is not None],
        "not_here": [names.of(pk) for pk in missing if pk in draw.places],
        "at_kiosk": [names.of(pk) for pk in checked_in_at_kiosks(names) if pk in draw.places],
        "late_way": LATE_WAYS.get(draw.stage.format, _("This format takes no late entries.")),
    }


def checked_in_at_kiosks(names: Names) -> list[int]:
    """Return the entries that are here by their own tap at a kiosk, which no director has seen."""
    newest = CheckIn.objects.filter(entry__in=names.entries).values("entry").annotate(newest=Max("pk"))
    rows = CheckIn.objects.filter(pk__in=newest.values("newest"), source=CheckIn.Source.KIOSK)
    return list(rows.order_by("pk").values_list("entry", flat=True))


class CheckedIn(NamedTuple):
    """How many of the entered are checked in, and the ids of the others; they count as missing once somebody is."""

    here: int
    missing: list[int]


def presence(names: Names) -> CheckedIn:
    entered = [entry for entry in names.entries.values() if entry.status == Entry.Status.IN]
    missing = [entry.pk for entry in entered if entry.checked_in_at is None]
    here = len(entered) - len(missing)
    return CheckedIn(here, missing if here else [])


LATE_WAYS: "Mapping[str, StrPromise]" = {
    KNOCKOUT: _("Let them in late from there while a bye is free."),
    PROGRESSIVE: _("Let them in late from there while a bye is free."),
    SWISS: _("Let them in late from there; they join in the next round."),
    LIVES: _("Let them in late from there before the second round is paired."),
    LEAGUE: _("Let them in late from there; they meet everybody."),
}
"""Format -> how somebody who was left out of its draw can still join."""
OPPOSITE_HALVES = "not_in_opposite_halves"
SAME_GROUP = "in_one_group"
NO_LATER_ROUND = "later_round_impossible"


def halves_remark(remark: dict[str, Any], names: Names) -> tuple[str, str, int]:
    """Return two names that could not be put in opposite halves, and the round they can meet in."""
    return *_names(remark, names), remark["params"]["round"]


def _names(remark: dict[str, Any], names: Names) -> tuple[str, str]:
    first, second = remark["params"]["entries"]
    return names.of(first), names.of(second)


def counts(division: Division, draw: Draw) -> DraftCounts:
    """Return the figures of a draft with the stages that follow from it, or of the round that it pairs."""
    entered = sum(place is not None for place in draw.places)
    if draw.round:
        byes = len(draw.byes)
        return DraftCounts(entered, len(draw.places), byes, (entered - byes) // 2)
    settings = as_drawn(settings_of(draw.stage), draw.algorithm)
    matches = MatchFigures.of(fixture.counted for row in draft_rounds(division, draw) for fixture in row.fixtures)
    byes = sum(place is None for place in draw.places) if settings.format in ELIMINATION else 0
    groups = settings.groups if settings.format == GROUPS else 0
    return DraftCounts(entered, len(draw.places), byes, matches.total or 0, groups, _at_least(settings, draw))


def _at_least(settings: StageSettings, draw: Draw) -> int:
    """Return the fewest matches that somebody in a draft plays in its stage."""
    if settings.format in ELIMINATION:
        entered = sum(place is not None for place in draw.places)
        return matches_each(planned_before(settings, None, draw.stage.number, entered)).least
    size = len(draw.places) // (settings.groups if settings.format == GROUPS else 1)
    groups = [draw.places[start : start + size] for start in range(0, len(draw.places), size)]
    fewest = min(sum(place is not None for place in group) for group in groups)
    return (fewest - 1) * (2 if settings.twice else 1)


def draft_stages(division: Division, draw: Draw, options: BracketOptions) -> list[DraftStage]:
    """Return the drawn stage and those after it."""
    rounds = draft_rounds(division, draw)
    trees = brackets.trees(rounds, options)
    result = []
    for stage in _stages_from(division, draw):
        settings = settings_of(stage)
        own = [tree for tree in trees if tree.stage == stage.number]
        if stage.pk == draw.stage_id and draw.round:
            result.append(DraftStage(stage, pairs=_pairs(draw, options.names), byes=_byes(draw, options.names)))
        elif settings.format in ELIMINATION and own:
            result.append(DraftStage(stage, trees=own))
        elif stage.pk == draw.stage_id:
            result.append(DraftStage(stage, groups=_groups(settings, draw, options.names)))
        else:
            result.append(DraftStage(stage, waits=True))
    return result


def _stages_from(division: Division, draw: Draw) -> list[Stage]:
    return list(division.stages.filter(number__gte=draw.stage.number).order_by("number"))


def _pairs(draw: Draw, names: Names) -> list[tuple[str, str]]:
    pairs = zip(draw.places[::2], draw.places[1::2], strict=True)
    return [(names.of(first), names.of(second)) for first, second in pairs if second is not None]


def _byes(draw: Draw, names: Names) -> list[tuple[str, str]]:
    """Return the names of the entries with a bye, each with the label of a requested bye."""
    waits = {WAITS: str(_("waits for a table or an opponent"))}
    labels = {str(kind): str(kind.label) for kind in ByeRequest.Kind} | waits
    pairs = zip(draw.places[::2], draw.places[1::2], strict=True)
    alone = [first for first, second in pairs if second is None]
    return [(names.of(entry), labels.get(draw.byes.get(str(entry), ByeKind.FULL), "")) for entry in alone]


def _groups(settings: StageSettings, draw: Draw, names: Names) -> list[tuple[str, list[str]]]:
    """Return the title and members of each group, or of the only table, in the order of their numbers."""
    count = settings.groups if settings.format == GROUPS else 1
    size = len(draw.places) // count
    parts = [draw.places[at * size : (at + 1) * size] for at in range(count)]
    keys = group_names(count) if settings.format == GROUPS else (TABLE,)
    members = [[names.of(entry) for entry in part if entry is not None] for part in parts]
    return list(zip(map(bracket_name, keys), members, strict=True))


def draft_rounds(division: Division, draw: Draw) -> list[RoundRow]:
    """Return the rounds that the draft would create, including later stages that are filled from its places.

    Match numbers are the next free ones of the event; if another division is published first, it takes them.
    """
    if draw.round:
        return []
    default = division.lengths
    sources: Sequence[Source] = sources_of(draw.places)
    rows: list[RoundRow] = []
    number = division.tournament.last_number + 1
    before: Stage | None = None
    for stage in _stages_from(division, draw):
        settings = settings_of(stage)
        if settings.format in BY_ROUND:
            break
        if before is None:
            settings = as_drawn(settings, draw.algorithm)
        else:
            sources = later_sources(settings, settings_of(before), before.number)
        draft = draw.number if before is None else 1
        graph = plan_of(settings, sources, seed=bytes.fromhex(stage.seed), draft=draft, first_number=number)
        rows += _rows(stage, graph, default)
        number += len(graph.fixtures)
        before = stage
    return rows


def _rows(stage: Stage, graph: Graph, default: Sequence[int]) -> list[RoundRow]:
    settings, state = settings_of(stage), progress(graph, {})
    rows = []
    for bracket in graph.brackets:
        lengths = lengths_of(settings, bracket.key, default)
        for round_ in bracket.rounds:
            fixtures = [_fixture(state, fixture.number) for fixture in round_.fixtures]
            length = lengths[min(round_.number, len(lengths)) - 1]
            entrants, starts = entrants_as_data(round_.entrants), len(settings.starts)
            own = (bracket.key, round_.number, length, None, fixtures, stage.number, stage.format, entrants, starts)
            rows.append(RoundRow(*own))
    return rows


def _fixture(state: Progress, number: int) -> FixtureRow:
    fixture, now = state.graph.fixtures[number], state.fixtures[number]
    first, second = (_stand(source, slot) for source, slot in zip(fixture.sources, now.slots, strict=True))
    return FixtureRow(number, now.status.value, (first, second), conditional=fixture.needed_if is not None)


def _stand(source: Source, slot: SlotState) -> SlotRow:
    columns = source_fields(source)
    return SlotRow(
        source.kind,
        columns.get("source_fixture"),
        slot.status.value,
        slot.entry,
        slot.absent,
        columns.get("source_entry_id"),
        columns.get("source_stage", ""),
        columns.get("source_place"),
    )


# What directors see of a stage that is paired round by round: the last round and the state of the next.


OVER, DRAWING, DRAFT, REFUSED, OPEN_DRAWS, COMPLETE, BEFORE = (
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


NO_WAYS = WaysOut()


@dataclass(frozen=True, slots=True)
class NextRoundStatus:
    """The number and state of the next round, with its draft if there is one."""

    number: int
    state: str
    draft: Draw | None = None
    outdated: bool = False
    needs_reason: bool = False
    again: bool = False
    """Whether it could not be paired before something changed."""
    ways_out: WaysOut = NO_WAYS
    """What a director can do if it, or a later round, cannot be paired."""

    @property
    def later_round_remark(self) -> dict[str, Any] | None:
        """A later `round` that will have no pairing, and whether that is `certain`."""
        remarks = self.draft.remarks if self.draft is not None else []
        return next((remark["params"] for remark in remarks if remark["code"] == NO_LATER_ROUND), None)


def next_round(division: Division, current: PairedStage) -> NextRoundStatus:
    number = current.event.next_round
    if division.status == Division.Status.ENTRIES:
        return NextRoundStatus(number, BEFORE)
    drafts = list(current.stage.draws.filter(round=number).order_by("number"))
    last = drafts[-1] if drafts else None
    if last is not None and last.state == Draw.State.REQUESTED:
        return NextRoundStatus(number, DRAWING, last)
    if last is not None and last.state == Draw.State.DRAFT:
        last.stage = current.stage
        status = NextRoundStatus(number, DRAFT, last, is_outdated(division, last), needs_reason=True)
        if status.later_round_remark is None:
            return status
        fewer = WaysOut((WayOut.REMATCHES, WayOut.END), status.later_round_remark["round"] - 1)
        return replace(status, ways_out=fewer)
    planned = current.event.planned
    last_is_paired = planned is not None and number > planned
    if current.state.over or (last_is_paired and current.state.progress.over):
        return NextRoundStatus(number, OVER)
    if current.event.rounds and not current.state.progress.over:
        return NextRoundStatus(number, OPEN_DRAWS)
    if last is not None and last.refusal and still_refused(current, last):
        return NextRoundStatus(number, REFUSED, last, ways_out=ways_out(current, last.refusal["code"]))
    seen = last is not None and bool(last.places) and last.state != Draw.State.TAKEN_BACK
    return NextRoundStatus(number, COMPLETE, needs_reason=seen, again=last is not None and bool(last.refusal))


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
        "own_reason": redraw_reason(upcoming.draft, to_be_paired(current.settings, current.event)),
        "another_round": _another_round(current, upcoming),
        "lines": _draft_lines(current, upcoming.draft, names) if upcoming.state == DRAFT else [],
        "draft_byes": _round_byes(upcoming.draft, names) if upcoming.state == DRAFT else [],
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
    if upcoming.state != OVER or current.settings.format != SWISS or upcoming.number > MAX_ROUNDS or later.exists():
        return None
    return upcoming.number


def _request_choices(current: PairedStage, upcoming: NextRoundStatus, names: Names) -> dict[str, Any]:
    """Return the choices of the forms that request byes and fixed pairs."""
    most = current.event.planned or MAX_ROUNDS
    rounds = range(upcoming.number, most + 1)
    playing = [entry for entry in to_be_paired(current.settings, current.event) if entry in names.entries]
    return {
        "requested_byes": requested_byes(current, names),
        "bye_kinds": ByeRequest.Kind.choices,
        "bye_rounds": rounds if current.settings.format != LIVES and upcoming.state != OVER else [],
        "players": sorted(
            ((names.entries[entry].public_id, names.of(entry)) for entry in playing), key=lambda choice: fold(choice[1])
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
    pairs = [pair for pair in _round_pairs(draft) if pair[1] is not None]
    has_boards = not has_open_floor(current.stage.division.tournament_id)
    return [
        DraftLine(
            board if has_boards else None, names.of(first), names.of(second), _points(current, first),
            _points(current, second or 0), frozenset((first, second)) in fixed,
        )
        for board, (first, second) in enumerate(pairs, start=1)
    ]  # fmt: skip


def _round_pairs(draft: Draw) -> Sequence[tuple[int, int | None]]:
    return list(zip(draft.places[::2], draft.places[1::2], strict=True))


def _points(current: PairedStage, entry: int) -> str:
    if current.settings.format == LIVES:
        return str(current.settings.lives - current.event.losses[entry])
    return plain(current.event.scores.get(entry, 0.0))


def _round_byes(draft: Draw | None, names: Names) -> list[tuple[str, str]]:
    """Return the names of the entries with a bye, and what each bye is worth."""
    alone = [first for first, second in _round_pairs(draft) if second is None] if draft is not None else []
    kinds = draft.byes if draft is not None else {}
    return [(names.of(entry), meaning(f"bye_{kinds.get(str(entry), ByeKind.FULL.value)}")) for entry in alone]
