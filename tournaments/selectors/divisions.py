"""A division as everybody sees it: who is entered, the bracket, how it was drawn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from players import access as people
from players.access import Role, Visitor
from players.models import User
from tournaments.layout import Tree, round_name
from tournaments.models import Division, Draw, Entry, Stage
from tournaments.selectors import brackets
from tournaments.selectors.brackets import Names, RoundRow
from tournaments.selectors.events import can_register, my_player

BEST = 8
"""Places listed when a bracket is over."""


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

    @property
    def published(self) -> Draw | None:
        """The draft that became the draw."""
        return next((draw for draw in self.drafts if draw.state == Draw.State.PUBLISHED), None)

    @property
    def redraws(self) -> list[Draw]:
        """Drafts that were drawn again, with the reason in the one that follows."""
        return [draw for draw in self.drafts if draw.number > 1]


def division_page(
    user: Visitor, division: Division, now: datetime, *, player: str = "", section: str = ""
) -> dict[str, Any]:
    """The page of a division; `player` is whose path is shown, `section` the part of a large bracket to open."""
    role = people.role_in(user, division.tournament.club)
    staff = people.is_at_least(role, Role.ASSISTANT)
    names = Names(brackets.entries_by_id(division), staff)
    me = my_player(user)
    mine = _mine(names, user)
    found = Found(player.strip(), names.called(player)) if player.strip() else None
    stage = division.stages.order_by("number").first()
    provenance = Provenance(stage, list(stage.draws.order_by("number"))) if stage else None
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
        "my_player": me,
        "may_register": can_register(division, now),
        "provenance": provenance,
        **entries_lists(names),
    }
    if stage is not None and division.status != Division.Status.ENTRIES:
        highlight = found.one if found else None
        draw = provenance.published if provenance else None
        seeds = brackets.seeds_of(draw, division)
        rounds = brackets.rows_of(stage, division)
        trees = brackets.trees(
            rounds,
            names,
            seeds=seeds,
            highlight=highlight.pk if highlight else None,
            can_enter=staff,
        )
        wanted = section or ("" if highlight or mine is None else _section_of(trees, mine.pk))
        brackets.open_sections(trees, wanted)
        context |= {"trees": trees, "seeded": bool(seeds), "progress": progress_line(rounds)}
        context |= {"champion": champion(trees), "placed": placings(trees) if champion(trees) else []}
    return context


def entries_lists(names: Names) -> dict[str, Any]:
    """Who is in by name, who waits in order, who has gone."""
    lists: dict[str, list[tuple[Entry, str]]] = {"entered": [], "waiting": [], "gone": []}
    keys = {Entry.Status.IN: "entered", Entry.Status.WAITING: "waiting", Entry.Status.OUT: "gone"}
    for entry in names.entries.values():
        lists[keys[Entry.Status(entry.status)]].append((entry, names.of(entry.pk)))
    lists["entered"].sort(key=lambda pair: (pair[1].casefold(), pair[0].pk))
    lists["waiting"].sort(key=lambda pair: (pair[0].entered_at, pair[0].pk))
    return dict(lists)


def _mine(names: Names, user: Visitor) -> Entry | None:
    if not isinstance(user, User):
        return None
    own = [entry for entry in names.entries.values() if entry.player.user_id == user.pk]
    return next((entry for entry in own if entry.status != Entry.Status.OUT), None)


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
    sizes = Counter(row.bracket for row in rounds)
    made = []
    for row in rounds:
        statuses = [fixture.status for fixture in row.fixtures]
        name = round_name(row.bracket, row.number, len(statuses), sizes[row.bracket])
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
    """The first round that is not over."""
    return next((row for row in progress_of(rounds) if row.done < row.total), None)


def placings(trees: list[Tree]) -> list[tuple[str, list[str]]]:
    """The best of the main bracket by place; those who went out in the same round share one."""
    columns = [column for section in reversed(trees[0].sections) for column in reversed(section.columns)]
    made = [("1", [champion(trees)])]
    first = 2
    for column in columns:
        out = [line.text for box in column.boxes for line in box.lines if line.lost]
        if first + len(out) - 1 > BEST:
            break
        if out:
            made.append((str(first) if len(out) == 1 else f"{first}–{first + len(out) - 1}", out))
            first += len(out)
    return made


def champion(trees: list[Tree]) -> str:
    """The name of the winner of the main bracket; empty while it is open."""
    if not trees:
        return ""
    last = trees[0].sections[-1].columns[-1].boxes[-1]
    return next((line.text for line in last.lines if line.won), "")
