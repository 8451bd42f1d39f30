"""`barpoint simulate` and `./manage.py simulate`: whole events, to compare formats."""

import json
from collections.abc import Callable

import pytest
from django.core.management import call_command

from formats.command_line import main

Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command and returns what it printed."""

    def printed(*options: str) -> str:
        assert main(["simulate", *options]) == 0
        return capsys.readouterr().out

    return printed


def test_one_object_an_event_with_the_figures_that_judge_a_format(run: Run) -> None:
    lines = run("--format", "swiss", "--players", "9", "--rounds", "4", "--events", "3", "--json").splitlines()
    reports = [json.loads(line) for line in lines]
    assert [report["event"] for report in reports] == [1, 2, 3]
    expected = {
        "rounds",
        "matches",
        "byes_per_player_max",
        "rematches",
        "rematches_avoidable",
        "max_score_difference",
        "sum_score_difference",
        "pairing_seconds",
        "standings_head",
    }
    assert expected <= set(reports[0])
    assert (reports[0]["rounds"], reports[0]["matches"]) == (4, 16)


def test_without_json_the_averages_are_printed(run: Run) -> None:
    assert "rematches: " in run("--format", "double", "--players", "8", "--events", "4", "--pattern", "A.B.|.C.X")


def test_with_ratings_the_best_wins_more_often_than_one_in_eight(run: Run) -> None:
    lines = run("--format", "knockout", "--players", "8", "--events", "60", "--ratings", "--json").splitlines()
    first = sum(json.loads(line)["standings_head"][0]["entry"] == 1 for line in lines)
    assert first > 12


def test_a_pattern_that_does_not_work_is_refused_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--format", "progressive", "--players", "16", "--pattern", "A.B.|.C."]) == 1
    assert "2 players would be left" in capsys.readouterr().err


def test_manage_py_gives_the_same(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--format", "knockout", "--players", "6", "--events", "2"]
    expected = run(*options).splitlines()[:-1]
    with pytest.raises(SystemExit) as exit_:
        call_command("simulate", *options)
    assert exit_.value.code == 0
    assert capsys.readouterr().out.splitlines()[:-1] == expected
