"""A draft of a draw as directors see it: the brackets, groups or pairs it would become. Nothing of it is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from tournaments.draws.services.pairings import is_outdated
from tournaments.formats.graph import Graph, Source
from tournaments.formats.plans import TABLE, later_sources, lengths_of, plan_of, sources_of
from tournaments.formats.progress import Progress, progress
from tournaments.formats.settings import (
    BY_ROUND,
    ELIMINATION,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PROGRESSIVE,
    SWISS,
    StageSettings,
)
from tournaments.formats.states import SlotState
from tournaments.formats.swiss.event import ByeKind
from tournaments.formats.tables.groups import group_names
from tournaments.models import ByeRequest, CheckIn, Division, Draw, Entry, Stage
from tournaments.standings.layout import Tree, bracket_name
from tournaments.standings.selectors import brackets
from tournaments.standings.selectors.brackets import BracketOptions, FixtureRow, RoundRow, SlotRow
from tournaments.standings.titles import jumps, stage_title
from tournaments.state.figures import Matches
from tournaments.state.names import Names, names_of
from tournaments.state.plans import entrants_as_data, settings_of, source_fields

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise


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
        """Its title if there are several stages."""
        return stage_title(self.stage, several=True)

    @property
    def drawn_later(self) -> bool:
        """Whether it has rounds that are drawn when their players are known."""
        columns = (column for tree in self.trees for section in tree.sections for column in section.columns)
        return any(column.to_be_drawn for column in columns)


@dataclass(frozen=True, slots=True)
class DraftCounts:
    """The figures in the head of a draft."""

    entered: int
    places: int
    byes: int
    matches: int
    groups: int = 0


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
        **absences(draw, names),
        "later_round_remark": next((row["params"] for row in draw.remarks if row["code"] == NO_LATER_ROUND), None),
        "remarks": [halves_remark(row, names) for row in draw.remarks if row["code"] == OPPOSITE_HALVES],
        "same_group": [_names(row, names) for row in draw.remarks if row["code"] == SAME_GROUP],
    }


def absences(draw: Draw, names: Names) -> dict[str, Any]:
    """Return who was left out of a draft, who of them is here by now, and who is in it but not checked in."""
    left_out = [pk for pk in draw.left_out if names.entries[pk].status == Entry.Status.IN]
    missing = presence(names).missing
    return {
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
    """Return who of the entered is here."""
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
    """Return two names that could not be put in opposite halves, and the round in which they can meet."""
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
    settings = settings_of(draw.stage)
    matches = Matches.of(fixture.counted for row in draft_rounds(division, draw) for fixture in row.fixtures)
    byes = sum(place is None for place in draw.places) if settings.format in ELIMINATION else 0
    groups = settings.groups if settings.format == GROUPS else 0
    return DraftCounts(entered, len(draw.places), byes, matches.total or 0, groups)


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
    labels = {str(kind): str(kind.label) for kind in ByeRequest.Kind}
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
        if before is not None:
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
            entrants = entrants_as_data(round_.entrants)
            rows.append(
                RoundRow(bracket.key, round_.number, length, None, fixtures, stage.number, stage.format, entrants)
            )
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
