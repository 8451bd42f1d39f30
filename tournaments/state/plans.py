"""Plans as rows: settings of stages, and the brackets, rounds, fixtures and slots that store a graph.

Formats identify entries by their primary keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from core.left_out import within_division
from formats import graph as plan
from formats.elimination.places import fixtures_by_round, rounds_before
from formats.graph import EntryId, PlaceOf
from formats.plans import lengths_of
from formats.settings import FORMATS, LEAGUE, PairingMode, StageSettings
from tournaments.models import Bracket, Fixture, Round, Slot, Stage

Places = Mapping[PlaceOf, EntryId | None]

LATER_BY = {plan.CONSOLATION: 1, plan.LOWER: 1, plan.LAST_CHANCE: 2}
"""Bracket -> rounds of the main draw that must be over before its first round can be played."""


STOPPED = "stopped"
"""In the settings of a stage in rounds that a director ended: the numbers of the matches that count for nobody."""
KEPT_BESIDE = ("deadlines", STOPPED)
"""What is stored beside the settings of a stage."""


def settings_of(stage: Stage) -> StageSettings:
    with within_division(stage):
        if stage.format not in FORMATS:
            raise ValueError(stage.format)
        return StageSettings.of(stage.format, stage.settings)


def is_continuous(stage: Stage) -> bool:
    """Whether a stage is paired without rounds, also if the rest of its settings cannot be read."""
    return bool(stage.settings.get("pairing") == PairingMode.CONTINUOUS)


def store_settings(stage: Stage, settings: StageSettings) -> None:
    """Save the settings of a stage. What is stored beside them, such as the round deadlines, is kept."""
    kept = {name: value for name, value in stage.settings.items() if name in KEPT_BESIDE}
    stage.format, stage.settings = settings.format, {**kept, **settings.as_data()}
    stage.save(update_fields=["format", "settings"])


def deadline_of(
    key: str, number: int, deadlines: Sequence[datetime | None], later_by: Mapping[str, int] = LATER_BY
) -> datetime | None:
    """Return the deadline of round `number` of the bracket `key`; `deadlines` has the main draw's by round.

    `later_by` has the rounds that must be over before the first round of a bracket.
    """
    at = number - 1 + later_by.get(key, 0)
    return deadlines[at] if key != plan.FINAL and at < len(deadlines) else None


def season_end(stage: Stage) -> datetime | None:
    """Return when a league ends: midnight after its last day, in the event's time zone; None if it has no last day."""
    settings = settings_of(stage)
    if settings.format != LEAGUE or not settings.until:
        return None
    day_after = date.fromisoformat(settings.until) + timedelta(days=1)
    return datetime.combine(day_after, time(), ZoneInfo(stage.division.tournament.time_zone))


def store(
    stage: Stage, graph: plan.Graph, *, lengths: Sequence[int], deadlines: Sequence[datetime | None] = ()
) -> None:
    """Save the plan of a stage. `lengths` are the division's match lengths by round, used if the stage has none."""
    settings = settings_of(stage)
    season, later_by = season_end(stage), LATER_BY | rounds_before(fixtures_by_round(graph))
    brackets = Bracket.objects.bulk_create(
        Bracket(stage=stage, key=bracket.key, order=order, fed_by=bracket.fed_by or "")
        for order, bracket in enumerate(graph.brackets)
    )
    rounds = []
    for row, bracket in zip(brackets, graph.brackets, strict=True):
        by_round = lengths_of(settings, bracket.key, lengths)
        for round_ in bracket.rounds:
            deadline = season or deadline_of(bracket.key, round_.number, deadlines, later_by)
            rounds.append((_round(row, round_, by_round, deadline), round_))
    Round.objects.bulk_create(row for row, _plan in rounds)
    _store_fixtures(stage, rounds)


def store_round(
    bracket: Bracket,
    round_: plan.Round,
    *,
    lengths: Sequence[int],
    deadline: datetime | None = None,
    once_each: bool = True,
) -> list[Fixture]:
    """Save one round of a plan and return its fixtures. The last of `lengths` applies to all later rounds.

    With `once_each` the database refuses an entry that stands in two slots of the round.
    """
    stored = _round(bracket, round_, lengths, deadline)
    stored.save()
    return _store_fixtures(bracket.stage, [(stored, round_)], once_each=once_each)


def _round(bracket: Bracket, round_: plan.Round, lengths: Sequence[int], deadline: datetime | None) -> Round:
    return Round(
        bracket=bracket,
        number=round_.number,
        length=lengths[min(round_.number, len(lengths)) - 1],
        deadline=deadline,
        drops=list(round_.drops),
        entrants=entrants_as_data(round_.entrants),
    )


def _store_fixtures(
    stage: Stage, rounds: Iterable[tuple[Round, plan.Round]], *, once_each: bool = True
) -> list[Fixture]:
    pairs = [
        (
            Fixture(
                stage=stage,
                round=row,
                number=fixture.number,
                needed_if_fixture=fixture.needed_if.fixture if fixture.needed_if else None,
                needed_if_slot=fixture.needed_if.slot if fixture.needed_if else None,
                due_at=row.deadline,
            ),
            fixture.sources,
        )
        for row, round_ in rounds
        for fixture in round_.fixtures
    ]
    fixtures = Fixture.objects.bulk_create([fixture for fixture, _sources in pairs])
    Slot.objects.bulk_create(
        [
            Slot(fixture=fixture, side=side, round=fixture.round, live=once_each, **source_fields(source))
            for fixture, sources in pairs
            for side, source in enumerate(sources)
        ]
    )
    return fixtures


def entrants_as_data(entrants: Iterable[plan.Source]) -> list[tuple[str, int]]:
    """Return the entrants of a late-drawn round as `Round.entrants` stores them."""
    return [(source.kind, source.fixture) for source in entrants if isinstance(source, plan.WinnerOf | plan.LoserOf)]


def entrants_of(round_: Round) -> tuple[plan.Source, ...]:
    """Return the entrants of a late-drawn round; the reverse of `entrants_as_data`."""
    return tuple(
        plan.WinnerOf(fixture) if kind == plan.WinnerOf.kind else plan.LoserOf(fixture)
        for kind, fixture in round_.entrants
    )


def set_source(slot: Slot, source: plan.Source) -> None:
    """Change where the entrant of a slot comes from, and save the slot."""
    fields: dict[str, object] = {
        "source_entry_id": None,
        "source_fixture": None,
        "source_stage": "",
        "source_place": None,
        **source_fields(source),
    }
    for name, value in fields.items():
        setattr(slot, name, value)
    slot.save(update_fields=["source", "source_entry", "source_fixture", "source_stage", "source_place"])


def set_drawn(slot: Slot, source: plan.Source) -> None:
    """Save whose seat was drawn, or that it is not drawn yet. The slot stays a seat."""
    slot.source = Slot.Source(source.kind)
    slot.source_fixture = getattr(source, "fixture", None)
    slot.save(update_fields=["source", "source_fixture"])


def source_fields(source: plan.Source) -> dict[str, Any]:
    """Return the columns of a slot with this source; columns that are not returned are empty."""
    match source:
        case plan.EntrySource(entry):
            return {"source": Slot.Source.ENTRY, "source_entry_id": entry}
        case plan.WinnerOf(fixture):
            return {"source": Slot.Source.WINNER, "source_fixture": fixture}
        case plan.LoserOf(fixture):
            return {"source": Slot.Source.LOSER, "source_fixture": fixture}
        case plan.PlaceOf(stage, place):
            return {"source": Slot.Source.PLACE, "source_stage": stage, "source_place": place}
        case plan.DrawnSeat(bracket, round_, number):
            return {"source": Slot.Source.DRAWN, "source_stage": f"{bracket}:{round_}", "source_place": number}
    return {"source": Slot.Source.BYE}


def source_of(kind: str, entry: int | None, fixture: int | None, stage: str, place: int | None) -> plan.Source:
    """Return the source of a slot from its columns: for a seat, the entrant that was drawn or else the seat itself."""
    if kind == Slot.Source.ENTRY and entry is not None:
        return plan.EntrySource(entry)
    if kind == Slot.Source.PLACE and place is not None:
        return plan.PlaceOf(stage, place)
    if kind == Slot.Source.DRAWN and place is not None:
        return seat_of(stage, place)
    if fixture is not None:
        return plan.WinnerOf(fixture) if kind == Slot.Source.WINNER else plan.LoserOf(fixture)
    return plan.BYE


def seat_of(round_: str, number: int) -> plan.DrawnSeat:
    """Return a seat; `round_` names the bracket and the round, as in `consolation:3`."""
    bracket, _colon, round_number = round_.rpartition(":")
    return plan.DrawnSeat(bracket, int(round_number), number)


def slot_source(slot: Slot) -> plan.Source:
    return source_of(slot.source, slot.source_entry_id, slot.source_fixture, slot.source_stage, slot.source_place)
