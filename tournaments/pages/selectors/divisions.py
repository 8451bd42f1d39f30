"""A division as everybody sees it: who is entered, the bracket, how it was drawn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from players import access as people
from players.access import Role, Visitor
from tournaments.events.selectors.events import can_register, my_player
from tournaments.formats.settings import ELIMINATION
from tournaments.models import Commitment, Division, Draw, Entry, Stage
from tournaments.standings.layout import Tree, round_name
from tournaments.standings.selectors import brackets
from tournaments.standings.selectors.brackets import Look, RoundRow, tree_key
from tournaments.standings.selectors.champions import champion
from tournaments.standings.selectors.placings import Placed, placed
from tournaments.standings.selectors.rows import StageView
from tournaments.standings.selectors.standings import stage_view
from tournaments.standings.titles import jumps, stage_title
from tournaments.state.derivation import StageState, states_of
from tournaments.state.names import Names, names_of, own_entry

MOST_LINES = 64
"""Lines of a table that the page of the division shows; its own page shows all."""


@dataclass(frozen=True, slots=True)
class Found:
    """What looking for a player came to."""

    text: str
    entries: list[Entry]

    @property
    def one(self) -> Entry | None:
        """The player, where only one is meant."""
        return self.entries[0] if len(self.entries) == 1 else None


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a draw came about."""

    stage: Stage
    drafts: list[Draw]
    commitment: Commitment | None = None
    """What binds the draw; None before the event is published."""

    @property
    def published(self) -> Draw | None:
        """The draft that became the draw."""
        return next((draw for draw in self.drafts if draw.state == Draw.State.PUBLISHED), None)

    @property
    def by_script(self) -> bool:
        """Whether the script for anybody repeats it: it knows the places of a bracket."""
        return self.stage.format in ELIMINATION

    @property
    def taken_back(self) -> list[Draw]:
        """Drafts that were the draw until they were taken back."""
        return [draw for draw in self.drafts if draw.state == Draw.State.TAKEN_BACK]

    @property
    def redraws(self) -> list[Draw]:
        """Drafts that were drawn again, with the reason in the one that follows."""
        return self.drafts[1:]


def provenance_of(stage: Stage) -> Provenance:
    """How the draw of a stage came about, or that of its first round where rounds are paired one by one."""
    drafts = list(stage.draws.filter(round__lte=1).select_related("made_by").order_by("number"))
    return Provenance(stage, drafts, stage.commitments.filter(end="").first())


@dataclass(slots=True)
class StageShown:
    """A stage as the page shows it: its brackets, and its tables where points are counted."""

    stage: Stage
    title: str
    trees: list[Tree]
    view: StageView | None = None
    more: bool = False
    """Whether a table is longer than what is shown of it."""

    @property
    def boxes(self) -> int:
        """Matches, byes and all."""
        return sum(len(tree.boxes) for tree in self.trees)

    @property
    def matches_here(self) -> bool:
        """Whether the matches of a stage with tables are few enough to stand below them."""
        return 0 < self.boxes <= brackets.MOST_BOXES

    @property
    def waits(self) -> bool:
        """Whether who plays in it is not known yet."""
        return self.stage.status == Stage.Status.PLANNED


def division_page(
    user: Visitor, division: Division, now: datetime, *, player: str = "", section: str = ""
) -> dict[str, Any]:
    """The page of a division; `player` is whose path is shown, `section` the part of a large bracket to open."""
    role = people.role_in(user, division.tournament.club)
    staff = people.is_at_least(role, Role.ASSISTANT)
    names = names_of(division, staff=staff)
    own = own_entry(names, user)
    mine = own if own is not None and own.status != Entry.Status.OUT else None
    found = Found(player.strip(), names.find(player)) if player.strip() else None
    stages = list(division.stages.order_by("number"))
    provenance = provenance_of(stages[0]) if stages else None
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "role": role,
        "staff": staff,
        "may_direct": people.is_at_least(role, Role.DIRECTOR),
        "found": found,
        "looked_for": player.strip(),
        "mine": mine,
        "my_player": my_player(user),
        "may_register": can_register(division, now),
        "provenance": provenance,
        "announced": Draw.objects.filter(stage__in=stages, state=Draw.State.DRAFT).exclude(publish_at=None).first(),
        **entries_lists(names),
    }
    if provenance is not None and division.status != Division.Status.ENTRIES:
        draw = provenance.published
        look = Look(
            names,
            seeds=brackets.seeds_of(draw, division),
            late=late_entries(names, draw),
            highlight=found.one.pk if found and found.one else None,
            can_enter=staff,
        )
        context |= _played(division, stages, look, section, mine)
    return context


def _played(division: Division, stages: list[Stage], look: Look, section: str, mine: Entry | None) -> dict[str, Any]:
    """Every stage of a division that is drawn, and who won."""
    rounds = brackets.rounds_of(division)
    by_stage = {stage.number: [row for row in rounds if row.stage == stage.number] for stage in stages}
    trees = brackets.trees(rounds, look)
    brackets.open_sections(trees, section or (_section_of(trees, mine.pk) if mine and not look.highlight else ""))
    best = {
        stage.number: placed(stage, by_stage[stage.number], look.names)
        for stage in stages
        if stage.format in ELIMINATION
    }
    _name_champions(trees, best)
    states = states_of(division) if len(best) < len(stages) else []
    several = len(stages) > 1
    shown = [StageShown(stage, "", [tree for tree in trees if tree.stage == stage.number]) for stage in stages]
    for one in shown:
        if several or one.stage.format not in ELIMINATION:
            one.title = stage_title(one.stage, several=several)
        _add_tables(one, states, look.names, look.highlight or (mine.pk if mine else None))
    return {
        "stages": shown,
        "has_tables": any(one.view is not None for one in shown),
        "jumps": jumps(shown),
        "seeded": bool(look.seeds),
        "late": [look.names.of(entry) for entry in look.late],
        "progress": progress_line(rounds),
        "drawn_later": any(row.entrants for row in rounds),
        "placed": [
            (one.title if several else "", best[one.stage.number]) for one in shown if best.get(one.stage.number)
        ],
        "champion": champion(stages[-1], best, states, look.names),
    }


def _add_tables(shown: StageShown, states: list[StageState], names: Names, here: int | None) -> None:
    """Adds the tables of a stage in which points are counted; of long ones only the top."""
    state = next((one for one in states if one.stage.pk == shown.stage.pk), None)
    if state is None or shown.stage.format in ELIMINATION:
        return
    shown.view = stage_view(state, names, here=here)
    for table in shown.view.tables:
        shown.more = shown.more or len(table.lines) > MOST_LINES
        table.lines = table.lines[:MOST_LINES]


def _name_champions(trees: list[Tree], best: dict[int, list[Placed]]) -> None:
    """Says at each bracket that is over who won it."""
    winners = {tree_key(number, one.bracket): one.champion for number, own in best.items() for one in own}
    for tree in trees:
        tree.champion = winners.get(tree.key, "")


def late_entries(names: Names, draw: Draw | None) -> list[int]:
    """Entries that came after the draw was published, in the order they came."""
    if draw is None or draw.published_at is None:
        return []
    late = [entry for entry in names.entries.values() if entry.entered_at > draw.published_at]
    return [entry.pk for entry in late if entry.status != Entry.Status.WAITING]


def entries_lists(names: Names) -> dict[str, Any]:
    """Who is in by name, who waits in order, who has gone."""
    lists: dict[str, list[tuple[Entry, str]]] = {"entered": [], "waiting": [], "gone": []}
    keys = {Entry.Status.IN: "entered", Entry.Status.WAITING: "waiting", Entry.Status.OUT: "gone"}
    for entry in names.entries.values():
        lists[keys[Entry.Status(entry.status)]].append((entry, names.of(entry.pk)))
    lists["entered"].sort(key=lambda pair: (pair[1].casefold(), pair[0].pk))
    lists["waiting"].sort(key=lambda pair: (pair[0].entered_at, pair[0].pk))
    return dict(lists)


def _section_of(trees: list[Tree], entry: int) -> str:
    for tree in trees:
        for section in tree.sections:
            if any(line.entry == entry for box in section.boxes for line in box.lines):
                return section.key
    return ""


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """How far a round is."""

    bracket: str
    number: int
    name: str
    length: int
    deadline: datetime | None
    done: int
    total: int
    ready: int

    @property
    def percent(self) -> int:
        """Of its matches, those with a result; byes are no matches."""
        return round(100 * self.done / self.total) if self.total else 100


def progress_of(rounds: list[RoundRow]) -> list[RoundProgress]:
    """How far each round is."""
    sizes = Counter((row.stage, row.bracket) for row in rounds)
    made = []
    for row in rounds:
        statuses = [fixture.status for fixture in row.fixtures]
        name = round_name(row.bracket, row.number, len(statuses), sizes[row.stage, row.bracket], upper=row.upper)
        made.append(round_progress(row.bracket, row.number, name, row.length, row.deadline, statuses))
    return made


def round_progress(
    bracket: str, number: int, name: str, length: int, deadline: datetime | None, statuses: Sequence[str]
) -> RoundProgress:
    """How far a round with these fixtures is."""
    played = [status for status in statuses if status not in ("bye", "not_needed", "empty")]
    done = sum(status not in ("waiting", "ready") for status in played)
    return RoundProgress(bracket, number, name, length, deadline, done, len(played), played.count("ready"))


def progress_line(rounds: list[RoundRow]) -> RoundProgress | None:
    """The first round that is not over; all matches together where several brackets are being played."""
    found = progress_of(rounds)
    still = [row for row in found if row.done < row.total]
    if len({(row.stage, row.bracket) for row in rounds}) > 1 and still:
        return replace(
            still[0],
            name=_("Matches"),
            done=sum(row.done for row in found),
            total=sum(row.total for row in found),
            ready=sum(row.ready for row in found),
        )
    return still[0] if still else None
