"""`./manage.py analyse`, which works without a database."""

import json
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from engine.records import write
from engine.simulation import play_out
from tests.matches.analysis.programs import fake_gnubg
from tests.matches.records.samples import ILLEGAL


@pytest.fixture
def files(tmp_path: Path, settings: LazySettings) -> list[str]:
    """A match between Bob and Carol, and one with an illegal play; gnubg is a program that stands in for it."""
    settings.ANALYSIS_GNUBG = fake_gnubg(tmp_path).path
    (tmp_path / "match.mat").write_bytes(write(play_out(3, 1, players=("Bob", "Carol")), "mat"))
    (tmp_path / "illegal.mat").write_text(ILLEGAL)
    return [str(tmp_path / name) for name in ("match.mat", "illegal.mat", "absent.mat")]


def test_text_and_json(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("analyse", files[0])
    assert ended.value.code == 0
    title, bob, carol = capsys.readouterr().out.splitlines()
    assert title.endswith("match.mat: Bob – Carol, gnubg 1.07.fake 2-ply")
    assert bob.startswith("  Bob: PR 0.")
    assert carol.startswith("  Carol: PR 0.")
    with pytest.raises(SystemExit) as ended:
        call_command("analyse", "--json", *files)
    assert ended.value.code == 1
    output = capsys.readouterr()
    assert "illegal.mat: This record cannot be analysed" in output.err
    assert "absent.mat: No such file" in output.err
    data = json.loads(output.out)
    assert [side["decisions"] for side in data["sides"]] == [
        sum(row["counted"] and row["side"] == side for row in data["decisions"]) for side in (0, 1)
    ]


def test_without_a_program(files: list[str], settings: LazySettings) -> None:
    settings.ANALYSIS_BACKEND = "off"
    with pytest.raises(CommandError, match="No program that analyses matches"):
        call_command("analyse", files[0])


def test_with_a_program_that_does_not_work(files: list[str], tmp_path: Path, settings: LazySettings) -> None:
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", fake_gnubg(tmp_path, "kill").path
    with pytest.raises(CommandError, match="gnubg is installed but does not work"):
        call_command("analyse", files[0])
