"""Every season of the reference data, computed through the command, and random seasons beside a second evaluator."""

import io
import json
from argparse import Namespace
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from formats.command_line import series
from formats.series.facts import events_from
from formats.series.plan import plan_from
from formats.series.table import season, season_json
from tests.formats.series.naive import evaluate
from tests.formats.series.random_seasons import random_season, rewritten
from tests.tiers import TEST_SEED

DATA = Path(__file__).resolve().parents[4] / "shared/data/seasons"
FILES = [path for path in sorted(DATA.glob("*.json")) if '"plan"' in path.read_text()]
CLOSE = Fraction(1, 10**6)
FEW = 150


@pytest.mark.skipif(not FILES, reason="../shared/data/seasons is not there")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_command_computes_the_season_of_every_reference_file(path):
    output = io.StringIO()
    with redirect_stdout(output):
        assert series.run(Namespace(plan=str(path), events=str(path), json=True)) == 0
    computed, expected = json.loads(output.getvalue()), json.loads(path.read_text())["expected"]
    assert computed["points_by_event"].keys() == expected["points_by_event"].keys()
    for event, points in expected["points_by_event"].items():
        assert computed["points_by_event"][event].keys() == points.keys()
        for player, value in points.items():
            difference = Fraction(computed["points_by_event"][event][player]) - Fraction(value)
            assert abs(difference) <= CLOSE, (event, player)
    for row, reference in zip(computed["table"], expected["table"], strict=True):
        assert [row[key] for key in ("rank", "player", "counted")] == [
            reference[key] for key in ("rank", "player", "counted")
        ]
        assert abs(Fraction(row["total"]) - Fraction(reference["total"])) <= CLOSE


def compare(seed: int | str) -> None:
    data = random_season(seed)
    points, table = evaluate(data)
    evaluated = season(plan_from(data["plan"]), events_from(data["events"]))
    computed = {event: {player: e.points for player, e in earned.items()} for event, earned in evaluated.points.items()}
    assert computed == points, seed
    assert [(row.rank, row.player, row.total, list(row.counted)) for row in evaluated.rows] == table, seed
    for earned in evaluated.points.values():
        for player, own in earned.items():
            assert sum(part.points for part in own.parts) == own.points, (seed, player)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(0, FEW, 50))
def test_random_seasons_agree_with_the_second_evaluator(first):
    for seed in range(first, first + 50):
        compare(f"{TEST_SEED}:{seed}")


def computed(data):
    """The points and the table of a season in the exchange form."""
    return season_json(season(plan_from(data["plan"]), events_from(data["events"])), str)


def test_a_season_written_otherwise_is_the_same_season():
    chance = Random(TEST_SEED)
    seasons = [random_season(f"{TEST_SEED}:{number}") for number in range(40)]
    seasons += [json.loads(path.read_text()) for path in chance.sample(FILES, min(5, len(FILES)))]
    shorter = 0
    for data in seasons:
        plan, events = (rewritten(data[key], chance) for key in ("plan", "events"))
        shorter += len(json.dumps([plan, events])) < len(json.dumps([data["plan"], data["events"]]))
        assert computed({"plan": plan, "events": events}) == computed(data)
    assert shorter > len(seasons) / 2


def test_a_plan_and_its_events_may_be_two_files(tmp_path, capsys):
    data = random_season(3)
    for name in data:
        (tmp_path / name).write_text(json.dumps(data[name]))
    options = {"json": True, "plan": str(tmp_path / "plan"), "events": str(tmp_path / "events")}
    assert series.run(Namespace(**options)) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"points_by_event", "table"}
    (tmp_path / "plan").write_text(json.dumps({**data["plan"], "winn": 1}))
    assert series.run(Namespace(**options)) == 1
    assert "“winn”" in capsys.readouterr().err
