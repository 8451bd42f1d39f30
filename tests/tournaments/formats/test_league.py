from dataclasses import replace
from datetime import date
from itertools import combinations

import pytest

from tests.tournaments.formats.cast import ALICE, BOB, CAROL, DAVE, ERIN
from tournaments.formats.errors import Refused
from tournaments.formats.league import (
    League,
    LeagueMatch,
    accept,
    league_table,
    next_season,
    open_pairs,
    team_result,
    team_winner,
)
from tournaments.formats.round_robin import LeaverRule, Scoring
from tournaments.formats.tiebreaks import standings

JUNE = date(2026, 6, 30)
FOUR = League((ALICE, BOB, CAROL, DAVE), scoring=Scoring(3, 1), until=JUNE, join_until=date(2026, 2, 1))
A_BEAT_B = LeagueMatch(ALICE, BOB, ALICE, (7, 4), date(2026, 1, 5))


def test_matches_come_in_free_order_until_all_have_met():
    played = ()
    for first, second in reversed(list(combinations(FOUR.entries, 2))):
        played = accept(FOUR, played, LeagueMatch(second, first, first))
    assert open_pairs(FOUR, played) == ()
    rows = standings(league_table(FOUR, played))
    assert [(row.entry, row.points) for row in rows] == [(ALICE, 9), (BOB, 7), (CAROL, 5), (DAVE, 3)]


def test_a_third_meeting_of_two_legs_is_refused():
    twice = replace(FOUR, legs=2)
    played = accept(twice, accept(twice, (), A_BEAT_B), A_BEAT_B)
    assert (ALICE, BOB) not in open_pairs(twice, played)
    assert len(open_pairs(twice, played)) == 10
    with pytest.raises(Refused, match="all their matches"):
        accept(twice, played, A_BEAT_B)


def test_strangers_and_late_results_are_refused():
    with pytest.raises(Refused, match="not in this field"):
        accept(FOUR, (), LeagueMatch(ALICE, ERIN, ALICE))
    with pytest.raises(Refused, match="2026-06-30"):
        accept(FOUR, (), replace(A_BEAT_B, day=date(2026, 7, 1)))


def test_joining_is_possible_until_its_date_and_up_to_twelve():
    late = FOUR.joined(ERIN, date(2026, 2, 1))
    assert len(open_pairs(late, ())) == 10
    with pytest.raises(Refused, match="2026-02-01"):
        FOUR.joined(ERIN, date(2026, 2, 2))
    with pytest.raises(Refused, match="twice"):
        FOUR.joined(BOB, date(2026, 1, 1))
    with pytest.raises(Refused, match="4 to 12"):
        replace(FOUR, entries=tuple(range(1, 13))).joined(13, date(2026, 1, 1))
    with pytest.raises(Refused, match="4 to 12"):
        League((1, 2, 3)).checked()


def test_after_the_end_open_matches_count_nothing_or_half():
    played = accept(FOUR, (), A_BEAT_B)
    after = date(2026, 7, 1)
    assert league_table(FOUR, played, on=after).scores == {ALICE: 3, BOB: 1, CAROL: 0, DAVE: 0}
    half = replace(FOUR, unplayed_half=True)
    assert league_table(half, played, on=JUNE).scores[CAROL] == 0
    assert league_table(half, played, on=after).scores == {ALICE: 6, BOB: 4, CAROL: 4.5, DAVE: 4.5}


def test_a_leaver_below_half_played_is_deleted_and_above_it_forfeits_the_rest():
    played = accept(FOUR, (), A_BEAT_B)
    left = replace(FOUR, leavers=frozenset({BOB}))
    assert league_table(left, played).scores == {ALICE: 0, BOB: 0, CAROL: 0, DAVE: 0}
    more = accept(FOUR, played, LeagueMatch(BOB, CAROL, BOB))
    assert league_table(left, more).scores == {ALICE: 3, BOB: 4, CAROL: 1, DAVE: 3}
    kept = replace(left, leaver_rule=LeaverRule.KEEP)
    assert league_table(kept, played).scores == {ALICE: 3, BOB: 1, CAROL: 3, DAVE: 3}
    assert all(BOB not in pair for pair in open_pairs(left, played))


def test_the_next_season_moves_the_last_down_and_the_first_up():
    tables = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    assert next_season(tables, moving=[1, 1]) == ((1, 2, 3, 5), (4, 6, 7, 9), (8, 10, 11, 12))
    assert next_season(tables, moving=[0, 0]) == tuple(map(tuple, tables))
    assert next_season(tables[:1], moving=[]) == ((1, 2, 3, 4),)
    assert next_season(tables, moving=[2, 1]) == ((1, 2, 5, 6), (3, 4, 7, 9), (8, 10, 11, 12))


def test_gaps_of_leavers_are_filled_from_below_and_newcomers_start_lowest():
    new = next_season([[1, 2, 3, 4], [5, 6, 7, 8]], moving=[1], leavers=[1], newcomers=[20])
    assert new == ((2, 3, 5, 4), (6, 7, 8, 20))
    short = next_season([[1, 2, 3], [4, 5, 6], [7, 8, 9]], moving=[2, 2], leavers=[4])
    assert sorted(entry for division in short for entry in division) == [1, 2, 3, 5, 6, 7, 8, 9]


def test_a_team_wins_by_boards_then_by_match_points():
    assert team_result([0, 1, 1, None]) == (1, 2)
    assert team_winner([0, 1, 1]) == 1
    assert team_winner([0, 1]) is None
    assert team_winner([0, 1], {0: 19, 1: 12}) == 0


def test_a_settled_match_gives_both_half():
    played = accept(FOUR, (), LeagueMatch(ALICE, BOB, None, (5, 5)))
    assert league_table(FOUR, played).scores[ALICE] == 1.5
