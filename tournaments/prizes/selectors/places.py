"""The places of a division that prizes are given for: those of its last stage."""

from collections.abc import Sequence

from tournaments.formats import graph as plan
from tournaments.formats.plans import ROUNDS, TABLE
from tournaments.formats.settings import DOUBLE, ELIMINATION, GROUPS, LEAGUE, PROGRESSIVE, ROUND_ROBIN, StageSettings
from tournaments.formats.tables.groups import group_names
from tournaments.formats.tables.tables import Table, elimination_places
from tournaments.models import Division
from tournaments.prizes.shares import CertainPlaces, Placing
from tournaments.state.derivation import StageState, states_of
from tournaments.state.plans import settings_of


def pot_keys(division: Division) -> tuple[str, ...]:
    """Return the brackets, tables or groups of the division's last stage, the one that decides the title first."""
    last = division.stages.order_by("-number").first()
    settings = settings_of(last) if last is not None else StageSettings()
    if settings.format == PROGRESSIVE:
        third = () if settings.last_chance is None else (plan.LAST_CHANCE,)
        return (plan.MAIN, plan.CONSOLATION, *third)
    if settings.format == DOUBLE:
        return (plan.FINAL,)
    if settings.format in ELIMINATION:
        return (plan.MAIN,)
    if settings.format == GROUPS:
        return group_names(settings.groups)
    return (TABLE,) if settings.format in (ROUND_ROBIN, LEAGUE) else (ROUNDS,)


def standings_of(
    division: Division, *, ties_share: bool = False, states: Sequence[StageState] | None = None
) -> dict[str, CertainPlaces]:
    """Return the certain places by bracket or table of the last stage; empty until its draw is published.

    With `ties_share`, entries with equal points in a table share their places. `states` are derived ones, for
    previews.
    """
    derived = states_of(division) if states is None else states
    last = division.stages.order_by("-number").values_list("number", flat=True).first()
    state = next((row for row in derived if row.stage.number == last), None)
    if state is None:
        return {}
    settings = state.rows.settings
    if settings.format in ELIMINATION:
        return {
            key: CertainPlaces(
                tuple(Placing(row.first, row.last, row.entries) for row in places), over=_is_over(state, key, settings)
            )
            for key, places in elimination_places(settings, state.progress).items()
        }
    return {table.key: _of_table(table, ties_share) for table in state.tables}


def _is_over(state: StageState, key: str, settings: StageSettings) -> bool:
    """Whether every match of a bracket is over; a double elimination counts as one."""
    if settings.format == DOUBLE:
        return state.over
    numbers = [fixture.number for fixture in state.progress.graph.bracket(key).fixtures]
    return all(state.progress.fixtures[number].over for number in numbers)


def _of_table(table: Table, ties_share: bool) -> CertainPlaces:
    """Return the places of a table, which are certain once it is over."""
    if not table.over:
        return CertainPlaces()
    groups: list[list[int]] = []
    points: float | None = None
    for row in table.rows:
        if ties_share and groups and row.points == points:
            groups[-1].append(row.entry)
        else:
            groups.append([row.entry])
        points = row.points
    placings, place = [], 1
    for group in groups:
        placings.append(Placing(place, place + len(group) - 1, tuple(group)))
        place += len(group)
    return CertainPlaces(tuple(placings), over=True)
