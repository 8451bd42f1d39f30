"""Reading the facts of a floor from the database."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q

from matches.models import Match, PlayMode
from tournaments.floor.facts import (
    EntrantSource,
    Fact,
    FloorFacts,
    FloorSettings,
    MatchFacts,
    Pair,
    Progress,
    Rank,
    TableFacts,
)
from tournaments.floor.fold import Folded, fold
from tournaments.formats.graph import CONSOLATION, LAST_CHANCE
from tournaments.models import (
    Division,
    Entry,
    Fixture,
    Floor,
    FloorEvent,
    FloorKind,
    Round,
    Slot,
    Stage,
    Table,
    Tournament,
)

NEVER_PLAYED = (Fixture.Status.BYE, Fixture.Status.WALKOVER, Fixture.Status.EMPTY, Fixture.Status.NOT_NEEDED)
RANKS = {CONSOLATION: Rank.CONSOLATION, LAST_CHANCE: Rank.LAST_CHANCE}
FIELDS = (
    "pk", "public_id", "number", "status", "stage", "stage__format", "stage__division__name",
    "stage__division__public_id", "stage__division__reentry_until", "round", "round__number", "round__length",
    "round__bracket__key", "match", "match__state", "match__player_0", "match__player_1", "match__length",
    "match__created_at", "match__begun_at", "match__finished_at", "match__visibility",
)  # fmt: skip
FixtureRow = Mapping[str, Any]
"""The fields of a fixture named in `FIELDS`."""


class _SlotRow(NamedTuple):
    """A side of a fixture: where its entrant comes from, and the player once that is known."""

    source: str
    source_fixture: int | None
    player: int | None


def at_tables(**of: Any) -> Q:
    """Return the condition for fixtures that are played at tables, `of` an event for example."""
    return Q(
        **of,
        stage__division__play_mode=PlayMode.TABLE,
        stage__division__status__in=(Division.Status.RUNNING, Division.Status.FINISHED),
    ) & ~Q(stage__status=Stage.Status.PLANNED)


def fixture_rows(tournament: Tournament) -> list[FixtureRow]:
    """Return the fixtures that are played at the tables of an event, by division and match number; one query."""
    rows = Fixture.objects.filter(at_tables(stage__division__tournament=tournament))
    return list(
        rows.order_by("stage__division__order", "stage__division_id", "stage__number", "number").values(*FIELDS)
    )


def load_facts(tournament: Tournament, rows: Sequence[FixtureRow] | None = None) -> FloorFacts:
    """Read everything that the state of the floor is derived from; a fixed number of queries.

    `rows` are those of `fixture_rows`, for a caller that needs them as well.
    """
    floor = Floor.objects.filter(tournament=tournament).first()
    tables = tournament.floor_tables.order_by("order", "pk").values_list("pk", "label", "category", "public_id")
    return FloorFacts(
        matches=tuple(_matches(tournament, fixture_rows(tournament) if rows is None else rows)),
        tables=tuple(
            TableFacts(pk, label, Table.Category(category), public_id) for pk, label, category, public_id in tables
        ),
        facts=tuple(_facts([tournament])),
        settings=settings_of(floor),
        away=_away(tournament),
        is_open=floor is not None,
    )


def load_seats(tournaments: Collection[Tournament]) -> tuple[Folded, Mapping[int, str]]:
    """Return what the facts of these events say of their matches, and the labels of their tables; three queries."""
    rows = Fixture.objects.filter(at_tables(stage__division__tournament__in=tournaments), match__isnull=False)
    players = (
        rows.exclude(match__state=Match.State.VOID).order_by().values_list("pk", "match__player_0", "match__player_1")
    )
    pairs = {pk: (first, second) for pk, first, second in players}
    labels = dict(Table.objects.filter(tournament__in=tournaments).order_by().values_list("pk", "label"))
    return fold(_facts(tournaments), pairs), labels


def settings_of(floor: Floor | None) -> FloorSettings:
    """Return the settings of a floor, or the defaults if it is not open yet."""
    if floor is None:
        return FloorSettings()
    return FloorSettings(
        rest=floor.rest_minutes,
        second_call=floor.second_call_minutes,
        no_show=floor.no_show_minutes,
        penalty_points=floor.penalty_points,
        penalty_first=floor.penalty_first_minutes,
        penalty_each=floor.penalty_each_minutes,
    )


def _facts(tournaments: Collection[Tournament]) -> Iterable[Fact]:
    rows = FloorEvent.objects.filter(tournament__in=tournaments).order_by("pk")
    for pk, kind, at, fixture, first, second, table, player, params, undoes in rows.values_list(
        "pk", "kind", "at", "fixture", "match__player_0", "match__player_1", "table", "player", "params", "undoes"
    ):
        pair = (first, second) if first is not None else None
        yield Fact(pk, FloorKind(kind), at, fixture, pair, table, player, params, undoes)


def _away(tournament: Tournament) -> dict[int, datetime | None]:
    """Return player -> when they come back, for those who are away in any division; the latest time counts."""
    rows = Entry.objects.filter(division__tournament=tournament, away_until__isnull=False)
    return dict(rows.exclude(status=Entry.Status.OUT).order_by("away_until").values_list("player", "away_until"))


def _matches(tournament: Tournament, rows: Sequence[FixtureRow]) -> Iterable[MatchFacts]:
    slots = _slots(tournament)
    leads_to = _leads_to(tournament, rows, slots)
    for row in rows:
        if row["status"] not in NEVER_PLAYED:
            yield _match(row, slots[row["pk"]], leads_to[row["pk"]])


def _match(row: FixtureRow, slots: Sequence[_SlotRow], leads_to: tuple[int, ...]) -> MatchFacts:
    known = row["match"] is not None and row["match__state"] != Match.State.VOID
    pair: Pair | None = (row["match__player_0"], row["match__player_1"]) if known else None
    players = tuple(slot.player for slot in slots)
    return MatchFacts(
        fixture=row["pk"],
        number=row["number"],
        stage=row["stage"],
        round=row["round__number"],
        rank=RANKS.get(row["round__bracket__key"], Rank.MAIN),
        length=row["match__length"] or row["round__length"],
        progress=_progress(row, known=known),
        pair=pair,
        players=pair or (players[0], players[1]),
        sources=tuple(EntrantSource(slot.source, slot.source_fixture) for slot in slots),
        leads_to=leads_to,
        since=row["match__created_at"],
        begun_at=row["match__begun_at"],
        finished_at=row["match__finished_at"],
    )


def _progress(row: FixtureRow, *, known: bool) -> Progress:
    if row["status"] == Fixture.Status.DECIDED:
        return Progress.SETTLED
    if not known:
        return Progress.UNKNOWN
    return Progress(row["match__state"])


def _slots(tournament: Tournament) -> dict[int, list[_SlotRow]]:
    slots: dict[int, list[_SlotRow]] = defaultdict(list)
    rows = Slot.objects.filter(fixture__stage__division__tournament=tournament).order_by("fixture_id", "side")
    for fixture, source, number, player in rows.values_list("fixture", "source", "source_fixture", "entry__player"):
        slots[fixture].append(_SlotRow(source, number, player))
    return slots


def _leads_to(
    tournament: Tournament, rows: Sequence[FixtureRow], slots: Mapping[int, Sequence[_SlotRow]]
) -> dict[int, tuple[int, ...]]:
    """Return fixture -> the matches that wait for its winner or loser, drawn rounds and what follows byes included."""
    by_number = {(row["stage"], row["number"]): row["pk"] for row in rows}
    of_round: dict[int, list[int]] = defaultdict(list)
    following: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        of_round[row["round"]].append(row["pk"])
        for slot in slots[row["pk"]]:
            feeding = by_number.get((row["stage"], slot.source_fixture))
            if feeding is not None:
                following[feeding].append(row["pk"])
    drawn = Round.objects.filter(bracket__stage__division__tournament=tournament).exclude(entrants=[]).order_by("pk")
    for round_, stage, entrants in drawn.values_list("pk", "bracket__stage", "entrants"):
        for _side, number in entrants:
            feeding = by_number.get((stage, number))
            if feeding is not None:
                following[feeding] += of_round[round_]
    return _without_byes(rows, following)


def _without_byes(rows: Sequence[FixtureRow], following: Mapping[int, list[int]]) -> dict[int, tuple[int, ...]]:
    """Replace fixtures that are never played by what follows from them. Fixtures lead to higher numbers only."""
    never_played = {row["pk"] for row in rows if row["status"] in NEVER_PLAYED}
    leads_to: dict[int, tuple[int, ...]] = {}
    for row in sorted(rows, key=lambda row: -row["number"]):
        after: dict[int, None] = {}
        for fixture in following.get(row["pk"], ()):
            after |= dict.fromkeys(leads_to.get(fixture, ()) if fixture in never_played else (fixture,))
        leads_to[row["pk"]] = tuple(after)
    return leads_to
