import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command


def run(*options):
    out = StringIO()
    call_command("simulate", *options, stdout=out)
    return out.getvalue()


def test_one_object_an_event_with_the_figures_that_judge_a_format():
    lines = run("--format", "swiss", "--players", "9", "--rounds", "4", "--events", "3", "--json").splitlines()
    reports = [json.loads(line) for line in lines]
    assert [report["event"] for report in reports] == [1, 2, 3]
    wanted = {
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
    assert wanted <= set(reports[0])
    assert (reports[0]["rounds"], reports[0]["matches"]) == (4, 16)


def test_without_json_the_averages_are_printed():
    assert "rematches: " in run("--format", "double", "--players", "8", "--events", "4", "--pattern", "A.B.|.C.X")


def test_with_ratings_the_best_wins_more_often_than_one_in_eight():
    lines = run("--format", "knockout", "--players", "8", "--events", "60", "--ratings", "--json").splitlines()
    first = sum(json.loads(line)["standings_head"][0]["entry"] == 1 for line in lines)
    assert first > 12


def test_a_pattern_that_does_not_work_is_refused_with_its_reason():
    with pytest.raises(CommandError, match="2 are left"):
        run("--format", "progressive", "--players", "16", "--pattern", "A.B.|.C.")
