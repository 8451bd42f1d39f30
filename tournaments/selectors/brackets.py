"""A stage as a bracket on the page, or as the whole graph for programs: the same rows, read once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from matches.models import Match, Result
from players.models import Player
from players.names import fold
from tournaments.formats import knockout
from tournaments.formats.progress import progress
from tournaments.layout import Box, Column, Line, Section, Tree, round_name, tree
from tournaments.models import Division, Draw, Entry, Fixture, Round, Slot, Stage

ONE_SECTION_ABOVE = 512
"""Places above which a page carries only the sections that are open."""


class Stand(NamedTuple):
    """A slot: its source, and who stands there."""

    source: str
    source_fixture: int | None
    status: str
    entry: int | None
    absent: int | None


class Played(NamedTuple):
    """The match of a fixture, and the result that stands."""

    public_id: str = ""
    state: str = ""
    begun: bool = False
    seq: int = 0
    winner: int | None = None
    score: tuple[int, int] | None = None
    kind: str = ""


@dataclass(slots=True)
class FixtureRow:
    """A fixture as it stands."""

    number: int
    status: str
    slots: tuple[Stand, Stand]
    public_id: str = ""
    played: Played = field(default_factory=Played)
    due_at: datetime | None = None


@dataclass(slots=True)
class RoundRow:
    """A round and its fixtures."""

    bracket: str
    number: int
    length: int
    deadline: datetime | None
    fixtures: list[FixtureRow]


@dataclass(frozen=True, slots=True)
class Names:
    """Who the entries are, as this reader may see them."""

    entries: Mapping[int, Entry]
    staff: bool = False

    def of(self, entry: int | None) -> str:
        """The name of an entry."""
        found = self.entries.get(entry) if entry is not None else None
        return shown(found.player, self.staff) if found else ""

    def called(self, text: str) -> list[Entry]:
        """Entries whose name has this in it; one who is called exactly that, or has this public id, alone."""
        key = fold(text)
        if not key:
            return []
        for entry in self.entries.values():
            if text in (entry.player.public_id, entry.public_id):
                return [entry]
        names = {entry: fold(shown(entry.player, self.staff)) for entry in self.entries.values()}
        exact = [entry for entry, name in names.items() if name == key]
        return exact or [entry for entry, name in names.items() if key in name]


def shown(player: Player, staff: bool) -> str:
    """A player's name: those who run an event see it in full, unless it was erased."""
    return player.name if staff and player.erased_at is None else player.shown_name


def rows_of(stage: Stage, division: Division) -> list[RoundRow]:
    """All rounds of a stage with their fixtures and standing results: four queries."""
    rounds = list(
        Round.objects.filter(bracket__stage=stage).select_related("bracket").order_by("bracket__order", "number")
    )
    slots: dict[int, list[Stand]] = {}
    for fixture, source, number, status, entry, absent in (
        Slot.objects.filter(fixture__stage=stage)
        .order_by("side")
        .values_list("fixture_id", "source", "source_fixture", "status", "entry_id", "absent_id")
    ):
        slots.setdefault(fixture, []).append(Stand(source, number, status, entry, absent))
    results = _standing_results(division)
    by_round: dict[int, list[FixtureRow]] = {}
    for row in Fixture.objects.filter(stage=stage).select_related("match").order_by("number"):
        first, second = slots[row.pk]
        played = _played(row.match, results.get(row.match_id or 0))
        by_round.setdefault(row.round_id, []).append(
            FixtureRow(row.number, row.status, (first, second), row.public_id, played, row.due_at)
        )
    return [RoundRow(row.bracket.key, row.number, row.length, row.deadline, by_round.get(row.pk, [])) for row in rounds]


def _standing_results(division: Division) -> dict[int, Result]:
    rows = Result.objects.filter(match__parent_topic=division.topic).order_by("version")
    return {row.match_id: row for row in rows.only("match_id", "winner", "score_0", "score_1", "kind", "version")}


def _played(match: Match | None, result: Result | None) -> Played:
    if match is None:
        return Played()
    begun = match.begun_at is not None
    if result is None or result.kind == Result.Kind.VOID:
        return Played(match.public_id, match.state, begun, match.seq)
    return Played(match.public_id, match.state, begun, match.seq, result.winner, result.score, result.kind)


def draft_rows(draw: Draw, lengths: Sequence[int]) -> list[RoundRow]:
    """A draft as the rounds it would become; nothing of it is stored yet."""
    graph = knockout.knockout(draw.places)
    states = progress(graph, {}).fixtures
    rows = []
    for bracket in graph.brackets:
        for round_ in bracket.rounds:
            fixtures = []
            for fixture in round_.fixtures:
                state = states[fixture.number]
                first, second = (
                    Stand(source.kind, getattr(source, "fixture", None), slot.status.value, slot.entry, slot.absent)
                    for source, slot in zip(fixture.sources, state.slots, strict=True)
                )
                fixtures.append(FixtureRow(fixture.number, state.status.value, (first, second)))
            length = lengths[min(round_.number, len(lengths)) - 1]
            rows.append(RoundRow(bracket.key, round_.number, length, None, fixtures))
    return rows


def seeds_of(draw: Draw | None, division: Division) -> dict[int, int]:
    """Entry -> its seed, where the draw was seeded."""
    if draw is None or division.draw_method != Division.DrawMethod.RATING:
        return {}
    order = knockout.inner_outer(len(draw.places)) if draw.places else []
    return {entry: seed for entry, seed in zip(draw.places, order, strict=True) if entry is not None}


def published_draw(stage: Stage) -> Draw | None:
    """The draw that counts."""
    return stage.draws.filter(state=Draw.State.PUBLISHED).select_related("made_by").first()


def entries_by_id(division: Division) -> dict[int, Entry]:
    """Every entry of a division, those who withdrew too, with its player."""
    return {entry.pk: entry for entry in division.entries.select_related("player")}


def trees(
    rounds: Sequence[RoundRow],
    names: Names,
    *,
    seeds: Mapping[int, int] | None = None,
    highlight: int | None = None,
    can_enter: bool = False,
) -> list[Tree]:
    """The brackets of a stage, ready to be shown."""
    to_winner, to_loser = targets(rounds)
    brackets: dict[str, list[RoundRow]] = {}
    for row in rounds:
        brackets.setdefault(row.bracket, []).append(row)
    made = []
    for key, own in brackets.items():
        columns = []
        for row in own:
            boxes = [_box(fixture, row, names, seeds or {}, highlight, can_enter=can_enter) for fixture in row.fixtures]
            for box in boxes:
                box.winner_to, box.loser_to = to_winner.get(box.number), to_loser.get(box.number)
            name = round_name(key, row.number, len(row.fixtures), len(own))
            columns.append(Column(name, row.length, boxes, row.deadline))
        made.append(tree(key, columns))
    return made


def targets(rounds: Iterable[RoundRow]) -> tuple[dict[int, int], dict[int, int]]:
    """Fixture -> where its winner goes, and where its loser drops to."""
    winners: dict[int, int] = {}
    losers: dict[int, int] = {}
    for row in rounds:
        for fixture in row.fixtures:
            for slot in fixture.slots:
                if slot.source_fixture is not None:
                    target = winners if slot.source == Slot.Source.WINNER else losers
                    target.setdefault(slot.source_fixture, fixture.number)
    return winners, losers


MARKS = {Match.State.CLAIMED: "claimed", Match.State.DISPUTED: "disputed"}


def _box(
    row: FixtureRow,
    round_: RoundRow,
    names: Names,
    seeds: Mapping[int, int],
    highlight: int | None,
    *,
    can_enter: bool,
) -> Box:
    first, second = (_line(slot, side, row, names, seeds, highlight) for side, slot in enumerate(row.slots))
    ready = row.status == Fixture.Status.READY
    return Box(
        number=row.number,
        status=row.status,
        lines=(first, second),
        fixture=row.public_id,
        match=row.played.public_id,
        mark=_mark(row.played) if ready else "",
        note=_note(row),
        due_at=row.due_at if ready and row.due_at != round_.deadline else None,
        path=first.here or second.here,
        can_enter=can_enter and bool(row.played.public_id),
        seq=row.played.seq,
    )


def _mark(played: Played) -> str:
    if played.state == Match.State.OPEN and played.begun:
        return "live"
    return MARKS.get(Match.State(played.state), "") if played.state else ""


def _note(row: FixtureRow) -> str:
    """How it ended, where it was not simply played."""
    if row.status == Fixture.Status.NOT_NEEDED:
        return _("not needed")
    if row.status == Fixture.Status.WALKOVER:
        return str(Result.Kind.WALKOVER.label)
    if row.status == Fixture.Status.DECIDED and row.played.kind not in ("", "played"):
        return str(Result.Kind(row.played.kind).label)
    return ""


def _line(
    slot: Stand, side: int, row: FixtureRow, names: Names, seeds: Mapping[int, int], highlight: int | None
) -> Line:
    who = slot.entry if slot.entry is not None else slot.absent
    entry = names.entries.get(who) if who is not None else None
    line = Line(slot.status, _text(slot, names), entry=who, here=who is not None and who == highlight)
    if entry is not None:
        line.player = entry.player.public_id
        line.seed = seeds.get(entry.pk)
    if row.status in (Fixture.Status.DECIDED, Fixture.Status.WALKOVER):
        _end(line, side, slot, row)
    return line


def _end(line: Line, side: int, slot: Stand, row: FixtureRow) -> None:
    """Who won, and with what score."""
    if row.status == Fixture.Status.WALKOVER:
        # There is no match where nobody could come from the other side.
        line.won = slot.entry is not None
    else:
        line.won = row.played.winner == side
        line.score = row.played.score[side] if row.played.score else None
    line.lost = line.entry is not None and not line.won
    if line.lost and row.played.kind == Result.Kind.WALKOVER:
        line.kind = Slot.Status.WALKOVER.value


def _text(slot: Stand, names: Names) -> str:
    if slot.entry is not None:
        return names.of(slot.entry)
    if slot.status == Slot.Status.BYE:
        return _("Bye")
    if slot.status == Slot.Status.WALKOVER:
        return names.of(slot.absent) or _("Nobody")
    if slot.source == Slot.Source.WINNER:
        return _("Winner of M%(number)d") % {"number": slot.source_fixture or 0}
    if slot.source == Slot.Source.LOSER:
        return _("Loser of M%(number)d") % {"number": slot.source_fixture or 0}
    return _("To be decided")


def open_sections(made: Iterable[Tree], wanted: str) -> None:
    """Opens the sections a reader wants: the one named, those on the path he looks for, else the first and the last.

    `wanted` is the key of a section or "all".
    """
    for one in made:
        if one.whole:
            continue
        large = sum(len(section.columns[0].boxes) * 2 for section in one.sections[:-1]) > ONE_SECTION_ABOVE
        chosen = _chosen(one.sections, wanted)
        for section in one.sections:
            section.open = section.key in chosen or (wanted == "all" and not large)
            section.shown = section.open or not large


def _chosen(sections: Sequence[Section], wanted: str) -> set[str]:
    named = {section.key for section in sections if section.key == wanted}
    on_path = {section.key for section in sections if any(box.path for box in section.boxes)}
    last = {sections[-1].key} if sections[-1].live or sections[-1].done else set()
    return named or on_path or {sections[0].key} | last
