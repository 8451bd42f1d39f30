"""Head-to-head against a reference of its own: applied again, by average, and first whatever is missing."""

from collections import Counter
from itertools import combinations, groupby
from random import Random

import pytest

from formats.tables.records import Records, RoundKind, RoundRecord
from formats.tables.tiebreaks import standings
from tests.formats.cast import ALICE, BOB, CAROL, DAVE

ROUND_ROBINS = 1500
Won = Counter[tuple[int, int]]


def round_robin(chance: Random) -> tuple[Records, Won]:
    """A finished round robin of 6 to 10, now and then a double one, with (winner, loser) counted."""
    entries = range(1, chance.randrange(6, 11) + 1)
    games: dict[int, list[RoundRecord]] = {entry: [] for entry in entries}
    won: Won = Counter()
    for first, second in list(combinations(entries, 2)) * chance.choice((1, 1, 2)):
        winner, loser = chance.sample((first, second), 2)
        won[winner, loser] += 1
        games[winner].append(RoundRecord(RoundKind.PLAYED, 1.0, loser, 7, 3, 7))
        games[loser].append(RoundRecord(RoundKind.PLAYED, 0.0, winner, 3, 7, 7))
    return Records(games, scheduled=True), won


def by_value(tied: list[int], values: dict[int, int]) -> list[list[int]]:
    order = sorted(tied, key=lambda entry: -values[entry])
    return [sorted(group) for _, group in groupby(order, key=lambda entry: values[entry])]


def reference(tied: list[int], won: Won) -> list[list[int]]:
    """Article 6 by its words: split by the matches among those tied, and so on with each part."""
    parts = by_value(tied, {entry: sum(won[entry, other] for other in tied) for entry in tied})
    if len(parts) == 1:
        return parts
    return [smaller for part in parts for smaller in reference(part, won)]


def test_round_robins_are_ordered_as_the_recursive_reference_orders_them() -> None:
    chance = Random(1969)
    ties = again = 0
    for _ in range(ROUND_ROBINS):
        records, won = round_robin(chance)
        wins = {entry: sum(won[entry, other] for other in records.games) for entry in records.games}
        expected = [part for group in by_value(list(wins), wins) for part in reference(group, won)]
        rows = standings(records, ["head_to_head"])
        assert [[row.entry for row in group] for _, group in groupby(rows, key=lambda row: row.place)] == expected
        ties += len(rows) != len(set(wins.values()))
        again += any(figure is not None and figure.then for row in rows for figure in row.figures)
        assert all("_open" not in why.code for row in rows for why in row.explain()), "all of them have met"
    assert ties > ROUND_ROBINS // 2
    assert again > ROUND_ROBINS // 20


def win(opponent: int) -> RoundRecord:
    return RoundRecord(RoundKind.PLAYED, 1.0, opponent, 7, 3, 7)


def loss(opponent: int) -> RoundRecord:
    return RoundRecord(RoundKind.PLAYED, 0.0, opponent, 3, 7, 7)


def test_a_second_application_is_explained() -> None:
    """Among four on 3 points Alice and Bob won two, Carol and Dave one; Alice beat Bob, and Carol beat Dave."""
    erin, frank = 5, 6
    beaten = {
        ALICE: [BOB, CAROL, erin],
        BOB: [CAROL, DAVE, erin],
        CAROL: [DAVE, erin, frank],
        DAVE: [ALICE, erin, frank],
        erin: [frank],
        frank: [ALICE, BOB],
    }
    games = {
        entry: [win(other) if other in beaten[entry] else loss(other) for other in beaten if other != entry]
        for entry in beaten
    }
    rows = standings(Records(games, scheduled=True), ["head_to_head"])

    assert [(row.place, row.entry) for row in rows[:4]] == [(1, ALICE), (2, BOB), (3, CAROL), (4, DAVE)]
    assert [why.sentence for why in rows[1].explain()] == [
        "Points: 3.",
        "Points in matches between the tied players: 2 (matches: 3).",
        "Again, among the players still tied: 0 (matches: 1).",
    ]


def test_two_who_met_more_often_share_the_average_of_their_matches() -> None:
    """Bob beat Carol in one of two, and Dave; Carol beat Dave: only by average are Bob and Carol level."""
    games = {
        BOB: [win(CAROL), loss(CAROL), win(DAVE)],
        CAROL: [loss(BOB), win(BOB), win(DAVE)],
        DAVE: [loss(BOB), loss(CAROL), win(ALICE), win(ALICE)],
        ALICE: [loss(DAVE), loss(DAVE), RoundRecord(RoundKind.BYE, 1.0), RoundRecord(RoundKind.BYE, 1.0)],
    }
    rows = standings(Records({entry: games[entry] for entry in (BOB, CAROL, DAVE)}), ["head_to_head"])

    assert [(row.place, row.entry) for row in rows] == [(1, BOB), (1, CAROL), (3, DAVE)]
    assert rows[0].explain()[1].sentence == ("Points against the tied players, averaged over repeated meetings: 1½.")


@pytest.mark.parametrize("missing", [False, True])
def test_not_all_have_met_is_said_only_when_so(missing: bool) -> None:
    games = {ALICE: [win(BOB), loss(CAROL)], BOB: [loss(ALICE), win(CAROL)], CAROL: [win(ALICE), loss(BOB)]}
    if missing:
        games = {
            ALICE: [win(BOB)],
            BOB: [loss(ALICE), RoundRecord(RoundKind.BYE, 1.0)],
            CAROL: [RoundRecord(RoundKind.BYE, 1.0)],
        }
    codes = {why.code for row in standings(Records(games), ["head_to_head"]) for why in row.explain()}
    assert ("head_to_head_open" in codes) == missing


def test_first_and_second_are_certain_one_after_the_other() -> None:
    """Alice beat the three others and Bob two of them; Carol and Dave have not met and stay tied."""
    bye = RoundRecord(RoundKind.BYE, 1.0)
    games = {
        ALICE: [win(BOB), win(CAROL), win(DAVE)],
        BOB: [loss(ALICE), win(CAROL), win(DAVE), bye],
        CAROL: [loss(ALICE), loss(BOB), bye, bye, bye],
        DAVE: [loss(ALICE), loss(BOB), bye, bye, bye],
    }
    rows = standings(Records(games), ["head_to_head"])

    assert [(row.place, row.entry) for row in rows] == [(1, ALICE), (2, BOB), (3, CAROL), (3, DAVE)]
    assert [row.explain()[1].code for row in rows] == ["head_to_head_first"] * 2 + ["head_to_head_open"] * 2
