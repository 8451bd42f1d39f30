"""Whether and how a late entry joins a running division; nothing is written here."""

from collections.abc import Collection
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from engine.errors import Refused
from matches.lifecycle.begun import is_untouched
from tournaments.formats.elimination.knockout import take_bye
from tournaments.formats.elimination.lower_bracket import take_late_drop
from tournaments.formats.graph import BYE, CONSOLATION, MAIN, EntryId, Graph
from tournaments.formats.settings import BY_ROUND, KNOCKOUT, LEAGUE, LIVES, MOST_ROUNDS, PROGRESSIVE, SWISS
from tournaments.formats.states import FixtureStatus
from tournaments.models import Division, Stage, Tournament
from tournaments.state.derivation import StageState
from tournaments.state.lots import lot

LATE = "late"
"""Key of the lot that orders the byes of a stage for late entries."""
JOINED_LATE = (SWISS, LIVES, KNOCKOUT, PROGRESSIVE, LEAGUE)
"""Formats that accept late entries."""
LAST_ROUND_FOR_LIVES = 1
"""Number of paired rounds after which a stage with lives accepts no more late entries."""


class ByePlan(NamedTuple):
    """A late entry into a bracket: the graph with the entry in it, and the fixture whose bye it takes."""

    graph: Graph
    fixture: int


def plan_bye(state: StageState, entry: EntryId, same: Collection[EntryId]) -> ByePlan | None:
    """Return the bye that a late entry takes by lot; None if none is free. `same` are other entries of the person.

    All late entries of a stage share one order of byes, so neither another name nor an undo draws a new lot.
    """
    begun = _begun_fixtures(state)
    try:
        graph, number = take_bye(state.rows.graph, entry, lots=lot(state.stage, LATE), begun=begun, apart_from=same)
    except Refused as refused:
        if refused.code != "no_bye_left":
            raise
        return None
    return ByePlan(_with_drop(graph, number, begun), number)


def check_running(division: Division) -> None:
    """Refuse unless the division is running: `tournament_not_open`, `division_not_drawn`."""
    if not division.tournament.is_open or division.status in (Division.Status.FINISHED, Division.Status.CANCELLED):
        raise Refused("tournament_not_open")
    if division.status != Division.Status.RUNNING:
        raise Refused("division_not_drawn")


def may_come_late(division: Division) -> bool:
    """Whether a running division has a format that accepts late entries."""
    if division.status != Division.Status.RUNNING or division.tournament.status != Tournament.Status.RUNNING:
        return False
    first = division.stages.order_by("number").first()
    return first is not None and first.format in JOINED_LATE and first.status == Stage.Status.RUNNING


def check_accepts_late(division: Division, state: StageState, now: datetime) -> None:
    """Refuse if this stage accepts no late entries, or no longer does.

    Refused: `late_entry_not_possible`, `late_entry_closed`, `joining_closed`.
    """
    if state.stage.format not in JOINED_LATE or state.over:
        raise Refused("late_entry_not_possible", format=state.stage.get_format_display())
    settings = state.rows.settings
    paired = len(state.event.rounds) if state.event is not None else 0
    last = LAST_ROUND_FOR_LIVES if settings.format == LIVES else (settings.rounds or MOST_ROUNDS) - 1
    if settings.format in BY_ROUND and paired > last:
        raise Refused("late_entry_closed", round=paired)
    closing = settings.join_until or settings.until
    today = now.astimezone(ZoneInfo(division.tournament.time_zone)).date()
    if settings.format == LEAGUE and closing and today > date.fromisoformat(closing):
        raise Refused("joining_closed", until=closing)


def _begun_fixtures(state: StageState) -> frozenset[int]:
    """Return the numbers of fixtures that have begun or are decided; byes do not count."""
    open_ = (FixtureStatus.WAITING, FixtureStatus.READY, FixtureStatus.BYE)
    begun = set()
    for number, progress in state.progress.fixtures.items():
        match = state.rows.fixtures[number].match
        touched = match is not None and not is_untouched(match)
        if touched or (progress.status not in open_ and BYE not in state.progress.graph.fixture(number).sources):
            begun.add(number)
    return frozenset(begun)


def _with_drop(graph: Graph, number: int, begun: frozenset[int]) -> Graph:
    """Let the loser drop into the consolation, if it takes losers of that round and still has a bye."""
    first = graph.bracket(MAIN).rounds[0].fixtures
    if not any(fixture.number in graph.next_of_loser for fixture in first):
        return graph
    try:
        return take_late_drop(graph, number, CONSOLATION, begun)
    except Refused as refused:
        if refused.code != "no_bye_left":
            raise
        return graph
