"""Figures of the FIDE technical commission's own program, in both editions of its tie-break regulations."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from formats.tables.records import Edition, Records, RoundKind, RoundRecord
from formats.tables.tiebreaks import TIEBREAKS, standings

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "standings" / "tec_cases.jsonl"
EVENTS = 97
NAMES = {"bh": "buchholz", "bh_c1": "buchholz_cut_1", "bh_m1": "buchholz_median", "sb": "sonneborn_berger"}
EDITIONS = {"2024": Edition.FIDE_2023, "2026": Edition.FIDE_2026}
POINTS = {"full": 1.0, "half": 0.5, "requested": 0.0, "zero": 0.0}
Case = dict[str, Any]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    if not SHARED.exists():
        pytest.skip("the shared figures of the FIDE technical commission are not on this machine")
    events = [json.loads(line) for line in SHARED.read_text().splitlines()]
    assert len(events) == EVENTS
    return events


def records_of(case: Case, edition: Edition) -> Records:
    games: dict[int, list[RoundRecord]] = {entry: [] for entry in range(1, case["players"] + 1)}
    for round_ in case["rounds"]:
        row = {entry: RoundRecord(RoundKind.ABSENT, POINTS[kind]) for entry, kind in round_.get("absent", [])}
        for entry, kind in round_.get("byes", []):
            row[entry] = RoundRecord(RoundKind.BYE if kind == "full" else RoundKind.REQUESTED_BYE, POINTS[kind])
        for first, second, winner, kind in round_["pairs"]:
            how = RoundKind.PLAYED if kind == "played" else RoundKind.FORFEIT
            both = 0.0 if kind == "double_forfeit" else 0.5
            row[first] = RoundRecord(how, both if winner is None else float(winner == 0), second)
            row[second] = RoundRecord(how, both if winner is None else float(winner == 1), first)
        for entry, own in games.items():
            own.append(row.get(entry, RoundRecord(RoundKind.ABSENT, 0.0)))
    return Records(games, scheduled=case["kind"] == "round_robin", edition=edition)


@pytest.mark.parametrize("year", EDITIONS)
def test_points_buchholz_and_sonneborn_berger_of_every_entry(cases: list[Case], year: str) -> None:
    compared: Counter[str] = Counter()
    for case in cases:
        records = records_of(case, EDITIONS[year])
        for entry in records.games:
            expected = case["expected"][str(entry)]
            assert records.scores[entry] == expected["points"]
            for short, name in NAMES.items():
                key = short if short in expected else f"{short}_{year}"
                if key in expected:
                    compared[name] += 1
                    figure = TIEBREAKS[name](entry, list(records.games), records)
                    assert figure.value == expected[key], (case["kind"], case["seed"], entry, name)
    assert compared["buchholz"] == 611
    assert compared["sonneborn_berger"] == 611 + 368


def test_direct_encounter_parts_the_same_ties_in_the_same_order(cases: list[Case]) -> None:
    compared: Counter[str] = Counter()
    for case in cases:
        records = records_of(case, Edition.FIDE_2026)
        place = {row.entry: row.place for row in standings(records, ["head_to_head"])}
        rank = {int(entry): row["direct_encounter_rank"] for entry, row in case["expected"].items()}
        for first in place:
            for second in place:
                if first < second and records.scores[first] == records.scores[second]:
                    compared[case["kind"]] += 1
                    before = (place[first] < place[second], place[first] > place[second])
                    assert before == (rank[first] < rank[second], rank[first] > rank[second]), (case["seed"], first)
    assert compared == {"swiss": 1100, "round_robin": 201}


def test_the_whole_order_of_the_round_robins(cases: list[Case]) -> None:
    round_robins = [case for case in cases if case["kind"] == "round_robin"]
    assert len(round_robins) == 57
    for case in round_robins:
        rows = standings(records_of(case, Edition.FIDE_2026), ["head_to_head", "sonneborn_berger"])
        assert {row.entry: row.place for row in rows} == {
            int(entry): row["rank"] for entry, row in case["expected"].items()
        }


PLAYED, LOST = RoundRecord(RoundKind.PLAYED, 1.0, 2), RoundRecord(RoundKind.PLAYED, 0.0, 1)
FORFEIT_LOST, FORFEIT_WON = RoundRecord(RoundKind.FORFEIT, 0.0, 1), RoundRecord(RoundKind.FORFEIT, 1.0, 2)
BYE, ABSENT = RoundRecord(RoundKind.BYE, 1.0), RoundRecord(RoundKind.ABSENT, 0.0)


@pytest.mark.parametrize("edition", Edition)
def test_a_forfeit_lost_at_the_end_counts_nothing_and_an_absence_a_draw(edition: Edition) -> None:
    games = {1: [PLAYED, FORFEIT_WON, BYE], 2: [LOST, FORFEIT_LOST, ABSENT], 3: [BYE, BYE, FORFEIT_LOST]}
    records = Records(games, edition=edition)
    assert records.adjusted == {1: 3.0, 2: 0.5, 3: 2.0}


def test_the_editions_differ_in_the_dummy_opponent() -> None:
    games = {1: [PLAYED, BYE, BYE, FORFEIT_WON], 2: [LOST, BYE, ABSENT, FORFEIT_LOST]}
    sums = {
        edition: TIEBREAKS["buchholz"](1, [1, 2], Records(games, edition=edition)).why.params["parts"]
        for edition in Edition
    }
    assert sums == {Edition.FIDE_2023: "1½ + 4 + 4 + 4", Edition.FIDE_2026: "1½ + 2 + 2 + 1½"}
