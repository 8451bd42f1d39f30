"""The commands work without a database, broker or server."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import execute_from_command_line

from tests.matches.records.samples import ILLEGAL, simulated

ROOT = Path(__file__).resolve().parents[3]
UNREACHABLE = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing", "REDIS_URL": "redis://127.0.0.1:1/0"}


Manage = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def manage(capfdbinary: pytest.CaptureFixture[bytes]) -> Manage:
    """Run a command in this process, in a test without a database; Python needs a second to start and import Django."""

    def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
        argv = ["manage.py", *map(str, arguments)]
        with pytest.raises(SystemExit) as ended:
            execute_from_command_line(argv)
        assert isinstance(ended.value.code, int)
        return subprocess.CompletedProcess(argv, ended.value.code, *capfdbinary.readouterr())

    return run


@pytest.fixture
def legal(tmp_path: Path) -> Path:
    path = tmp_path / "legal.mat"
    path.write_bytes(simulated())
    return path


@pytest.fixture
def illegal(tmp_path: Path) -> Path:
    path = tmp_path / "illegal.txt"
    path.write_text(ILLEGAL)
    return path


@pytest.mark.slow
def test_an_accepted_match_is_described_in_words_by_a_process_without_services(legal: Path) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    env = {**kept, **UNREACHABLE, "SECRET_KEY": "only-for-tests-0123456789-abcdefghijklmnop", "LANG": "C.UTF-8"}
    argv = [sys.executable, "manage.py", "adjudicate", str(legal)]
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[0] == f"{legal}: Accepted"
    assert "3-point match, Bob – Carol" in done.stdout.decode()


def test_json_has_one_object_a_line_with_the_documented_keys(manage: Manage, legal: Path, illegal: Path) -> None:
    done = manage("adjudicate", "--json", legal, illegal)
    assert done.returncode == 1
    good, bad = map(json.loads, done.stdout.splitlines())
    promised = ["file", "format", "match_length", "players", "outcome", "score", "winner", "games", "findings"]
    assert list(good) == list(bad) == promised
    assert (good["file"], good["format"], good["match_length"]) == (str(legal), "mat", 3)
    assert good["players"] == ["Bob", "Carol"]
    assert good["outcome"] == "accepted"
    assert good["score"][good["winner"]] >= 3
    game = ["number", "start", "end", "crawford", "winner", "kind", "cube", "points"]
    assert good["games"]
    assert all(list(line) == game for line in good["games"])
    assert bad["outcome"] == "rejected"
    assert bad["winner"] is None
    assert bad["games"][0]["kind"] == "unfinished"
    finding = next(row for row in bad["findings"] if row["severity"] == "error")
    assert list(finding) == ["severity", "code", "game", "ply", "line", "column", "message"]
    assert (finding["code"], finding["game"], finding["line"]) == ("must_play_more", 1, 6)
    assert finding["message"] == "As much of a double as possible must be played, here 4 of 4 steps."


def test_garbage_is_not_accepted(manage: Manage, tmp_path: Path) -> None:
    path = tmp_path / "garbage"
    path.write_bytes(b"\0\x01\xff" * 100)
    done = manage("adjudicate", "--json", path)
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert (answer["outcome"], answer["format"], answer["games"]) == ("rejected", "", [])


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_still_judged(
    manage: Manage, illegal: Path, tmp_path: Path
) -> None:
    done = manage("adjudicate", "--json", tmp_path / "nothing.mat", tmp_path, illegal)
    assert done.returncode == 2
    assert f"{tmp_path / 'nothing.mat'}: No such file or directory" in done.stderr.decode()
    assert f"{tmp_path}: Is a directory" in done.stderr.decode()
    assert json.loads(done.stdout)["outcome"] == "rejected"


def test_many_files_show_a_bar_on_a_terminal_and_only_there(
    manage: Manage, legal: Path, illegal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert b"1/2" not in manage("adjudicate", legal, illegal).stderr
    terminal = StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    done = manage("adjudicate", "--json", legal, illegal)
    assert "] 1/2" in terminal.getvalue()
    assert "] 2/2" in terminal.getvalue()
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize("extension", ["mat", "sgf", "json"])
def test_a_converted_record_has_the_same_verdict(manage: Manage, legal: Path, tmp_path: Path, extension: str) -> None:
    converted = manage("convert", legal, "--to", extension)
    assert converted.returncode == 0
    path = tmp_path / f"other.{extension}"
    path.write_bytes(converted.stdout)
    answers = manage("adjudicate", "--json", legal, path).stdout.splitlines()
    first, second = (json.loads(line) for line in answers)
    assert second["format"] == extension
    same = ("match_length", "players", "outcome", "score", "winner", "games")
    assert {name: first[name] for name in same} == {name: second[name] for name in same}


def test_unreadable_parts_are_reported_and_the_rest_is_converted(manage: Manage, tmp_path: Path) -> None:
    path = tmp_path / "smudged.mat"
    rows = "  1) 31: 8/5 6/5                 64: 24/18 xyz\n"
    path.write_text(f" 7 point match\n\n Game 1\n Bob : 0                        Carol : 0\n{rows}")
    done = manage("convert", path, "--to", "mat")
    assert done.returncode == 1
    assert b"31: 8/5 6/5" in done.stdout
    assert f"{path}:5:34: error: " in done.stderr.decode()
    assert "xyz" in done.stderr.decode()


def test_text_that_is_no_record_cannot_be_converted(manage: Manage, tmp_path: Path) -> None:
    path = tmp_path / "empty.mat"
    path.write_bytes(b"")
    for file in (path, tmp_path / "nothing"):
        done = manage("convert", file, "--to", "mat")
        assert done.returncode == 2
        assert done.stdout == b""
        assert str(file) in done.stderr.decode()


def test_a_match_played_out_is_legal_and_the_same_for_the_same_seed(manage: Manage) -> None:
    first, again, other = (manage("play_out", "--seed", seed, "--length", 5, "--to", "mat") for seed in (7, 7, 8))
    assert first.returncode == 0
    assert first.stdout == again.stdout != other.stdout
    assert b" 5 point match" in first.stdout


def test_a_length_that_does_not_exist_is_refused(manage: Manage) -> None:
    done = manage("play_out", "--seed", 1, "--length", 1000)
    assert done.returncode == 2
    assert "1000" in done.stderr.decode()
