"""The derived state of the floor: which match is called next, to which table, and why the others wait. No database."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from players.people.rows import PersonId
from tests.tournaments.floor.facts import (
    BOB,
    CAROL,
    ERIN,
    FRANK,
    GRETA,
    HUGO,
    NOW,
    Facts,
    codes,
    match,
    minutes,
    settled,
    state_of,
)
from tournaments.floor.derivation import critical_minutes
from tournaments.floor.sentences import explain
from tournaments.floor.state import (
    AttentionKind,
    EntrantSource,
    FloorMatchState,
    FloorSettings,
    MatchProgress,
    Rank,
    SeatElsewhere,
    TableFacts,
    TableState,
)
from tournaments.floor.times import Pause, elapsed, expected_minutes, reached_at
from tournaments.models import FloorKind, Table

# Order


def test_the_order_is_pinned_then_bracket_then_critical_path_then_wait() -> None:
    rows = [
        match(1, (1, 2), rank=Rank.SIDE),
        match(2, (3, 4), rank=Rank.LAST_CHANCE),
        match(3, (5, 6), rank=Rank.CONSOLATION),
        match(4, (7, 8), since=NOW - minutes(10)),
        match(5, (9, 10), since=NOW - minutes(20)),
        match(6, (11, 12), leads_to=(9,)),
        match(7, (13, 14), rank=Rank.SIDE),
        match(8, (15, 16)),
        match(9, None),
    ]
    facts = Facts(*rows)
    facts.add(FloorKind.PINNED, fixture=7)
    facts.add(FloorKind.HELD, fixture=8)
    state = state_of(*rows, facts=facts)
    assert state.queue == (7, 6, 5, 4, 3, 2, 1)
    assert [row.fixture for row in state.suggestions] == [7, 6, 5]
    assert [row.reason.code for row in state.suggestions] == ["pinned_first", "critical_path", "longest_wait"]
    assert codes(state, 8) == ["held"]
    assert {number: state.matches[number].state for number in (7, 4)} == {
        7: FloorMatchState.READY,
        4: FloorMatchState.WAITING,
    }
    assert codes(state, 4) == ["no_table"]


def test_before_the_floor_was_opened_no_match_waits_for_a_table() -> None:
    rows = [match(1, (1, 2)), match(2, (3, 4))]
    state = state_of(*rows, tables=())
    assert (state.queue, state.suggestions) == ((1, 2), ())
    assert codes(state, 1) == []
    assert codes(state_of(*rows, tables=(), is_open=True), 1) == ["no_table"], "an open floor without a table"


def test_the_critical_path_is_the_longest_chain_that_waits_for_a_match() -> None:
    rows = [
        match(1, (1, 2), length=5, leads_to=(3,)),
        match(2, (3, 4), length=7, leads_to=(3,)),
        match(3, None, length=9, leads_to=(4,)),
        match(4, None, length=11),
    ]
    path = critical_minutes(rows)
    assert path[1] == pytest.approx(sum(expected_minutes(length) for length in (5, 9, 11)))
    assert path[2] > path[1]
    assert critical_minutes([*rows[:3], replace(rows[3], progress=MatchProgress.SETTLED)])[3] == expected_minutes(9)


def test_in_a_round_robin_the_players_with_most_matches_left_come_first() -> None:
    # Bob has two more matches; Erin and Frank have only this one.
    rows = [match(1, (ERIN, FRANK)), match(2, (BOB, CAROL)), match(3, (BOB, GRETA)), match(4, (BOB, HUGO))]
    assert state_of(*rows).queue[0] == 2


# Why a match waits


def test_a_player_is_at_one_match_at_a_time() -> None:
    rows = [match(1, (BOB, CAROL)), match(2, (BOB, ERIN), stage=2), match(3, (CAROL, FRANK), stage=3)]
    facts = Facts(*rows)
    facts.add(FloorKind.CALLED, 5, fixture=1, table=1)
    state = state_of(*rows, facts=facts)
    assert state.suggestions == ()
    assert state.matches[2].reasons[0].params == {"player": BOB, "fixture": 1}
    assert codes(state, 3) == ["busy"]


def test_of_two_matches_of_a_player_only_the_first_is_suggested() -> None:
    state = state_of(match(1, (BOB, CAROL)), match(2, (BOB, ERIN), stage=2, rank=Rank.SIDE))
    assert [row.fixture for row in state.suggestions] == [1]
    assert codes(state, 2) == ["called_before"]


def test_a_player_rests_after_a_match_unless_that_is_waived() -> None:
    rows = [settled(1, (BOB, CAROL), ago=2), match(2, (BOB, ERIN))]
    state = state_of(*rows)
    assert state.matches[2].reasons[0].code == "rests"
    assert state.matches[2].reasons[0].params["until"] == (NOW + minutes(3)).isoformat()
    facts = Facts(*rows)
    facts.add(FloorKind.REST_WAIVED, fixture=2)
    assert state_of(*rows, facts=facts).matches[2].state == FloorMatchState.READY
    assert state_of(*rows, settings=FloorSettings(rest=2)).matches[2].state == FloorMatchState.READY


def test_nobody_rests_after_a_walkover() -> None:
    walkover = replace(settled(1, (BOB, CAROL), ago=0), begun_at=None)
    assert state_of(walkover, match(2, (BOB, ERIN))).matches[2].state == FloorMatchState.READY


def test_a_player_who_is_away_is_not_called() -> None:
    rows = [match(1, (BOB, CAROL))]
    assert codes(state_of(*rows, away={BOB: None}), 1) == ["away"]
    assert codes(state_of(*rows, away={BOB: NOW + minutes(10)}), 1) == ["away"]
    assert codes(state_of(*rows, away={BOB: NOW}), 1) == []


def test_an_undecided_match_names_the_matches_it_waits_for() -> None:
    sources = (EntrantSource("entry"), EntrantSource("winner", 39))
    state = state_of(match(47, None, players=(BOB, None), sources=sources))
    assert state.matches[47].reasons[0].params == {"source": "winner", "fixture": 39}


def test_two_players_still_to_be_drawn_are_one_reason_to_wait() -> None:
    assert codes(state_of(match(47, None, sources=(EntrantSource("drawn"), EntrantSource("drawn")))), 47) == [
        "to_be_decided"
    ]
    both = state_of(match(47, None, sources=(EntrantSource("loser", 3), EntrantSource("loser", 4))))
    assert [reason.params["fixture"] for reason in both.matches[47].reasons] == [3, 4]


def test_nothing_is_suggested_during_a_pause_and_its_minutes_do_not_count() -> None:
    rows = [match(1, (BOB, CAROL)), match(2, (ERIN, FRANK))]
    facts = Facts(*rows)
    facts.add(FloorKind.CALLED, 24, fixture=1, table=1)
    facts.add(FloorKind.PAUSED, 20, params={"until": (NOW + minutes(10)).isoformat()})
    state = state_of(*rows, facts=facts)
    assert state.pause == Pause(NOW - minutes(20), NOW + minutes(10))
    assert codes(state, 2) == ["paused"]
    assert state.suggestions == ()
    assert state.attention == ()
    assert state.matches[1].no_show_at == NOW + minutes(10 + 11)
    facts.add(FloorKind.RESUMED, 0)
    assert [row.fixture for row in state_of(*rows, facts=facts).suggestions] == [2]


@pytest.mark.parametrize(
    ("pauses", "expected"),
    [
        ([], 10),
        ([(2, 5)], 13),
        ([(-5, 5)], 15),
        ([(2, 5), (12, 20)], 21),
        ([(10, 99)], 10),
        ([(3, None)], None),
    ],
)
def test_ten_minutes_are_reached_after_the_pauses(pauses: list[tuple[int, int | None]], expected: int | None) -> None:
    rows = [Pause(NOW + minutes(a), NOW + minutes(b) if b is not None else None) for a, b in pauses]
    at = reached_at(NOW, 10, rows)
    assert at == (None if expected is None else NOW + minutes(expected))
    if at is not None:
        assert elapsed(NOW, at, rows) == pytest.approx(10)


# Tables


def test_a_running_match_keeps_its_table_until_it_is_over_freed_or_given_to_another() -> None:
    rows = [match(1, (BOB, CAROL)), match(2, (ERIN, FRANK))]
    facts = Facts(*rows)
    facts.add(FloorKind.CALLED, 30, fixture=1, table=1)
    facts.add(FloorKind.STARTED, 28, fixture=1)
    assert state_of(*rows, facts=facts).tables[1].state == TableState.TAKEN
    over = [replace(rows[0], progress=MatchProgress.SETTLED), rows[1]]
    assert state_of(*over, facts=facts).tables[1].state == TableState.FREE
    facts.add(FloorKind.CALLED, 5, fixture=2, table=1)
    state = state_of(*rows, facts=facts)  # The result of M1 was taken back after M2 was called.
    assert (state.tables[1].match, state.matches[1].table) == (state.matches[2], None)
    assert state.matches[1].state == FloorMatchState.PLAYING


def test_freeing_the_table_of_a_called_match_takes_back_the_call() -> None:
    rows = [match(1, (BOB, CAROL))]
    facts = Facts(*rows)
    facts.add(FloorKind.CALLED, 10, fixture=1, table=1)
    facts.add(FloorKind.FREED, 1, fixture=1, table=1)
    state = state_of(*rows, facts=facts)
    assert (state.matches[1].state, state.matches[1].called_at) == (FloorMatchState.READY, None)


def test_players_who_meet_again_elsewhere_are_not_called_by_an_old_call() -> None:
    rows = [match(1, (BOB, CAROL))]
    facts = Facts(*rows)
    facts.add(FloorKind.CALLED, 10, fixture=1, table=1)
    corrected = match(1, (BOB, ERIN))
    assert state_of(corrected, facts=facts).matches[1].state == FloorMatchState.READY


TABLES = (
    TableFacts(1, "Stream", Table.Category.STREAM),
    TableFacts(2, "2"),
    TableFacts(3, "3", Table.Category.ACCESSIBLE),
    TableFacts(4, "4", Table.Category.RESERVED),
)


def test_stream_tables_are_for_the_main_draw_and_reserved_ones_for_calls_by_hand() -> None:
    rows = [match(number, (2 * number, 2 * number + 1), rank=Rank.CONSOLATION) for number in (1, 2, 3)]
    main = match(4, (20, 21))
    state = state_of(*rows, main, tables=TABLES)
    assert [(row.fixture, row.table) for row in state.suggestions] == [(4, 1), (1, 2), (2, 3)]
    assert state.tables[4].state == TableState.KEPT
    assert [(row.fixture, row.table) for row in state_of(*rows, tables=TABLES).suggestions] == [(1, 2), (2, 3)]


def test_an_accessible_table_is_kept_for_a_player_who_needs_it_and_still_has_a_match() -> None:
    rows = [match(1, (BOB, CAROL)), match(2, (ERIN, FRANK)), match(3, None, players=(GRETA, None))]
    facts = Facts(*rows)
    facts.add(FloorKind.NEEDS_ACCESSIBLE, player=GRETA, params={"needed": True})
    state = state_of(*rows, facts=facts, tables=TABLES[1:3])
    assert [(row.fixture, row.table) for row in state.suggestions] == [(1, 2)]
    assert state.tables[3].state == TableState.KEPT
    ready = [*rows[:2], match(3, (GRETA, HUGO))]
    assert (3, 3) in [(row.fixture, row.table) for row in state_of(*ready, facts=facts, tables=TABLES[1:3]).suggestions]
    out = [*rows[:2], settled(3, (GRETA, HUGO), ago=30)]
    assert len(state_of(*out, facts=facts, tables=TABLES[1:3]).suggestions) == 2


def test_a_table_out_of_use_gets_no_match_but_keeps_the_one_that_is_there() -> None:
    rows = [match(1, (BOB, CAROL)), match(2, (ERIN, FRANK))]
    facts = Facts(*rows)
    facts.add(FloorKind.CALLED, 9, fixture=1, table=1)
    facts.add(FloorKind.TABLE_OUT, 5, table=1, params={"reason": "lamp broken"})
    facts.add(FloorKind.TABLE_OUT, 5, table=2, params={"reason": "wet"})
    state = state_of(*rows, facts=facts)
    assert [state.tables[key].state for key in (1, 2, 3)] == [TableState.TAKEN, TableState.OUT, TableState.FREE]
    assert state.tables[2].reason == "wet"
    assert [(row.fixture, row.table) for row in state.suggestions] == [(2, 3)]


def test_whoever_is_at_a_table_of_another_event_waits_and_the_floor_says_where() -> None:
    row = match(1, (BOB, CAROL))
    for ago, waits in ((5, ["elsewhere"]), (13 * 60, [])):
        seat = SeatElsewhere("Friday Lives", "3", NOW - minutes(ago))
        state = state_of(row, elsewhere={PersonId(BOB): seat})
        assert codes(state, 1) == waits
        assert bool(state.suggestions) is not bool(waits), "a call that nobody followed up since yesterday is none"
        for reason in state.matches[1].reasons:
            assert explain(reason, {BOB: "Bob"}, ZoneInfo("UTC")) == "Bob is at table 3 of Friday Lives."


# Calls, slow matches, lateness


def test_a_second_call_and_then_a_no_show_need_a_director() -> None:
    rows = [match(1, (BOB, CAROL)), match(2, (ERIN, FRANK)), match(3, (GRETA, HUGO))]
    facts = Facts(*rows)
    facts.add(FloorKind.CALLED, 16, fixture=1, table=1)
    facts.add(FloorKind.CALLED, 6, fixture=2, table=2)
    facts.add(FloorKind.CALLED, 4, fixture=3, table=3)
    items = state_of(*rows, facts=facts).attention
    assert [(item.kind, item.fixture) for item in items] == [
        (AttentionKind.NO_SHOW, 1),
        (AttentionKind.SECOND_CALL, 2),
    ]
    facts.add(FloorKind.CALLED_AGAIN, 1, fixture=2)
    assert [item.fixture for item in state_of(*rows, facts=facts).attention] == [1]
    facts.add(FloorKind.STARTED, 0, fixture=1)
    assert state_of(*rows, facts=facts).attention == ()


def test_nobody_is_missing_in_a_round_that_just_began_until_one_of_its_matches_has_started() -> None:
    rows = [match(1, (BOB, CAROL)), match(2, (ERIN, FRANK)), match(3, (GRETA, HUGO))]
    facts = Facts(*rows)
    for row in rows:
        facts.add(FloorKind.CALLED, 16, fixture=row.fixture, table=row.fixture)
    assert state_of(*rows, facts=facts).attention == ()
    facts.add(FloorKind.STARTED, 12, fixture=2)
    items = state_of(*rows, facts=facts).attention
    assert [(item.kind, item.fixture) for item in items] == [(AttentionKind.NO_SHOW, 1), (AttentionKind.NO_SHOW, 3)]


def test_a_match_is_slow_after_eleven_minutes_a_point() -> None:
    rows = [match(1, (BOB, CAROL))]
    facts = Facts(*rows)
    facts.add(FloorKind.STARTED, 76, fixture=1)
    assert state_of(*rows, facts=facts).attention == ()
    facts = Facts(*rows)
    facts.add(FloorKind.STARTED, 78, fixture=1)
    facts.add(FloorKind.RUNNING_SCORE, 2, fixture=1, params={"score": [3, 2]})
    state = state_of(*rows, facts=facts)
    assert [item.kind for item in state.attention] == [AttentionKind.SLOW]
    assert (state.matches[1].score, state.matches[1].minutes) == ((3, 2), 78)


def test_lateness_costs_points_only_where_the_event_says_so() -> None:
    rows = [match(1, (BOB, CAROL))]
    facts = Facts(*rows)
    facts.add(FloorKind.LATE, fixture=1, player=BOB, params={"minutes": 21})
    assert state_of(*rows, facts=facts).matches[1].lateness[0].points == 0
    late = state_of(*rows, facts=facts, settings=FloorSettings(penalty_points=True)).matches[1].lateness[0]
    assert (late.player, late.points, late.loses) == (BOB, 4, True)
