"""Properties of the derived state of the floor, whatever its facts. No database."""

from collections import Counter
from copy import deepcopy

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from players.people.rows import PersonId
from tests.tournaments.floor.facts import NOW, Facts, match, minutes
from tournaments.floor.derivation import floor_state
from tournaments.floor.state import (
    Fact,
    FloorFacts,
    FloorMatchState,
    FloorState,
    MatchProgress,
    Rank,
    TableFacts,
    TableState,
    fold,
)
from tournaments.models import Autopilot, FloorKind, Table

PLAYERS = st.integers(1, 12)
PERSONS = st.builds(PersonId, PLAYERS)
PEOPLE = st.lists(st.none() | st.sets(PERSONS, min_size=1, max_size=2).map(tuple), min_size=12, max_size=12).map(
    lambda rows: {player: row or (PersonId(player),) for player, row in enumerate(rows, start=1)}
)
"""Whom the players stand for: mostly themselves, or one or two others."""
PAIRS = st.tuples(PLAYERS, PLAYERS).filter(lambda pair: pair[0] != pair[1])
KINDS = [kind for kind in FloorKind if kind not in (FloorKind.UNDONE, FloorKind.PAUSED, FloorKind.RESUMED)]
ANY_MACHINE = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
"""On a busy machine floors are generated slowly."""


@st.composite
def floors(draw: st.DrawFn) -> tuple[FloorFacts, list[Fact]]:
    """A floor with some matches and tables, and a journal, sensible or not; some players stand for others."""
    count = draw(st.integers(1, 10))
    rows = []
    for number in range(1, count + 1):
        pair = draw(st.none() | PAIRS)
        progress = (
            draw(st.sampled_from([MatchProgress.OPEN] * 4 + list(MatchProgress))) if pair else MatchProgress.UNKNOWN
        )
        ago = draw(st.integers(0, 20))
        over = {"begun_at": NOW - minutes(90), "finished_at": NOW - minutes(ago)} if progress == "settled" else {}
        later = draw(st.sets(st.integers(number + 1, count), max_size=2)) if number < count else ()
        fields = {"rank": draw(st.sampled_from(Rank)), "length": draw(st.integers(1, 11)), "leads_to": tuple(later)}
        rows.append(match(number, pair, progress=progress, **fields, **over))
    tables = tuple(
        TableFacts(key, str(key), draw(st.sampled_from([Table.Category.NORMAL] * 3 + list(Table.Category))))
        for key in range(1, draw(st.integers(1, 5)) + 1)
    )
    facts = Facts(*rows)
    for ago in sorted(draw(st.lists(st.integers(0, 60), max_size=14)), reverse=True):
        kind = draw(st.sampled_from(KINDS))
        table, player = draw(st.integers(1, len(tables))), draw(PLAYERS)
        params = {"score": [1, 2], "minutes": 7, "mode": Autopilot.CALL, "needed": True, "reason": "wet"}
        params |= {
            "stage": "k7m2q9x4ab",
            "length": 5,
            "was": 7,
            "side": draw(st.sampled_from([0, 1])),
            "offer": len(facts.rows),
        }
        facts.add(kind, ago, fixture=draw(st.integers(1, count)), table=table, player=player, params=params)
    return FloorFacts({row.fixture: row for row in rows}, tables, people=draw(PEOPLE)), facts.rows


def state_of(floor: tuple[FloorFacts, list[Fact]]) -> FloorState:
    return floor_state(fold(*floor), NOW)


@ANY_MACHINE
@given(floors())
def test_suggestions_never_give_a_table_or_a_person_two_matches(floor: tuple[FloorFacts, list[Fact]]) -> None:
    state = state_of(floor)
    persons = {row.fixture: set(state.facts.persons(row.facts.pair or ())) for row in state.matches.values()}
    seated = [row for row in state.matches.values() if row.table is not None]
    at_tables = Counter(row.table for row in seated) + Counter(row.table for row in state.suggestions)
    assert all(count == 1 for count in at_tables.values())
    at_boards = (FloorMatchState.CALLED, FloorMatchState.PLAYING)
    busy = {person for row in state.matches.values() if row.state in at_boards for person in persons[row.fixture]}
    called = Counter(person for row in state.suggestions for person in persons[row.fixture])
    assert all(count == 1 for count in called.values())
    assert not busy & set(called)
    for row in state.suggestions:
        table, suggested = state.tables[row.table], state.matches[row.fixture]
        assert table.state == TableState.FREE
        assert table.facts.category != Table.Category.RESERVED
        assert suggested.state == FloorMatchState.READY
        assert not suggested.facts.held


@ANY_MACHINE
@given(floors())
def test_no_match_waits_for_a_table_while_one_that_fits_is_free(floor: tuple[FloorFacts, list[Fact]]) -> None:
    state = state_of(floor)
    free = [row for row in state.tables.values() if row.state == TableState.FREE and row.suggested is None]
    waits = [row for row in state.matches.values() if [reason.code for reason in row.reasons] == ["no_table"]]
    for row in waits:
        is_main = row.facts.rank == Rank.MAIN
        fitting = [table for table in free if table.facts.category != Table.Category.STREAM or is_main]
        assert fitting == []


@ANY_MACHINE
@given(floors())
def test_every_match_that_waits_has_a_reason_and_no_other_does(floor: tuple[FloorFacts, list[Fact]]) -> None:
    for row in state_of(floor).matches.values():
        assert bool(row.reasons) == (row.state in (FloorMatchState.WAITING, FloorMatchState.ADJOURNED))


@ANY_MACHINE
@given(floors(), st.data())
def test_a_fact_that_was_undone_might_as_well_not_exist(
    floor: tuple[FloorFacts, list[Fact]], data: st.DataObject
) -> None:
    facts, journal = floor
    if not journal:
        return
    undone = data.draw(st.sampled_from(journal))
    with_undo = [*journal, Fact(len(journal) + 1, FloorKind.UNDONE, NOW, undoes=undone.id)]
    without = [fact for fact in journal if fact is not undone]
    assert state_of((facts, with_undo)) == state_of((facts, without))


@ANY_MACHINE
@given(floors())
def test_deriving_the_state_leaves_the_facts_as_they_were_loaded(floor: tuple[FloorFacts, list[Fact]]) -> None:
    before = deepcopy(floor)
    state_of(floor)
    assert floor == before
