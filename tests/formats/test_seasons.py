from formats.tables.seasons import next_season


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
