"""The lines of an evening: which are chosen, and how they are worded."""

import json
from pathlib import Path
from typing import Any

import pytest

from clubhouse.letters.lines import Deficit, DivisionWon, FinishedMatch, LetterLine, LineCode, chosen_lines, sentence_of

ANNA, BEN, CLEO, DAN, EVE, FINN = range(1, 7)
NAMES = {ANNA: "Anna", BEN: "Ben", CLEO: "Cleo", DAN: "Dan", EVE: "Eve", FINN: "Finn"}


def test_the_cases_of_the_specification(shared_data: Path) -> None:
    cases = json.loads((shared_data / "morning/letter_lines.json").read_text())["cases"]
    assert len(cases) >= 8
    chosen = {case["name"]: _chosen(case) for case in cases}
    assert chosen == {case["name"]: case["lines_after_kindness"] for case in cases}


def _chosen(case: dict[str, Any]) -> list[str]:
    names: list[str] = []

    def pk(name: str) -> int:
        if name not in names:
            names.append(name)
        return names.index(name) + 1

    matches = []
    for number, row in enumerate(case["matches"], 1):
        low = row["lowest_chance_of_winner"]
        matches.append(
            FinishedMatch(
                number,
                row.get("number", number),
                pk(row["winner"]),
                pk(row["loser"]),
                row["score"],
                None if row.get("provisional") else row["chance_before"],
                row["minutes"],
                None if low is None else Deficit(low, "1–6"),
            )
        )
    division, won = case["division"], []
    if division["winner"]:
        winner = pk(division["winner"])
        loser = pk(division["final"][0]) if division["final"] else 0
        final = next((row.pk for row in matches if row.people == (winner, loser)), None)
        won = [DivisionWon(1, division["name"], division["players"], winner, final)]
    newcomers, left_out = (list(map(pk, case.get(key, []))) for key in ("first_night", "untold"))
    lines = chosen_lines(won, matches, newcomers, left_out)
    return [_written(line, [names[player - 1] for player in line.people]) for line in lines]


def _written(line: LetterLine, people: list[str]) -> str:
    match line.code:
        case LineCode.WINNER:
            people = [str(line.values["division"]), *people]
        case LineCode.UPSET:
            people = [*people, f"{line.values['times']} of 10"]
        case LineCode.LONGEST:
            people = [*people, str(line.values["minutes"])]
    return ":".join([line.code, *people])


def played(pk: int, winner: int, loser: int, **known: Any) -> FinishedMatch:
    return FinishedMatch(pk, pk, winner, loser, "5–2", **known)


def test_every_line_in_words() -> None:
    matches = [
        played(1, ANNA, BEN),
        played(2, CLEO, DAN, chance=0.28),
        played(3, EVE, FINN, deficit=Deficit(0.06, "0–4")),
        played(4, ANNA, CLEO, minutes=80),
        *(played(number, ANNA, EVE, minutes=40) for number in range(5, 9)),
    ]
    lines = chosen_lines([DivisionWon(9, "Main", 16, ANNA, 1)], matches, [DAN, FINN])
    assert [sentence_of(line, NAMES) for line in lines] == [
        "Anna won the Main (16 players), 5–2 in the final against Ben.",
        "Cleo beat Dan 5–2; by their ratings that happens 3 times in 10.",
        "Eve was 0–4 down and won 5–2.",
        "Anna and Cleo took 80 minutes.",
        "A first night for Dan and Finn.",
    ]
    assert lines[0].key == "winner:9:1:2:5–2"


@pytest.mark.parametrize(
    ("chance", "said"),
    [(0.04, "less than once in 10 times"), (0.05, "once in 10 times"), (0.15, "2 times in 10"), (0.351, None)],
)
def test_how_often_an_upset_happens(chance: float, said: str | None) -> None:
    lines = chosen_lines([], [played(1, ANNA, BEN, chance=chance)])
    assert [sentence_of(line, NAMES) for line in lines] == (
        [f"Anna beat Ben 5–2; by their ratings that happens {said}."] if said else []
    )


def test_nobody_loses_twice_and_the_next_upset_is_told() -> None:
    matches = [played(1, ANNA, BEN), played(2, CLEO, BEN, chance=0.1), played(3, DAN, EVE, chance=0.3)]
    lines = chosen_lines([DivisionWon(9, "Main", 8, ANNA, 1)], matches)
    assert [line.match for line in lines] == [1, 3]


def test_the_longest_of_those_that_may_be_told_is_not_the_longest() -> None:
    matches = [played(number, ANNA, BEN, minutes=40) for number in range(1, 6)]
    matches += [played(6, ANNA, CLEO, minutes=90), played(7, ANNA, DAN, minutes=99)]
    assert [line.match for line in chosen_lines([], matches)] == [7]
    assert chosen_lines([], matches, left_out=[DAN]) == ()


def test_a_finalist_who_is_left_out_leaves_the_winner() -> None:
    won = [DivisionWon(9, "Main", 8, ANNA, 1)]
    lines = chosen_lines(won, [played(1, ANNA, BEN)], left_out=[BEN])
    assert [sentence_of(line, NAMES) for line in lines] == ["Anna won the Main (8 players)."]
    assert chosen_lines(won, [played(1, ANNA, BEN)], left_out=[ANNA]) == ()


def test_on_the_first_evening_of_a_club_nobody_is_welcomed() -> None:
    assert chosen_lines([], [], [ANNA, BEN, CLEO, DAN]) == ()
