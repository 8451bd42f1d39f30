"""`python -m engine`: the commands in a checkout, without anything installed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.commands import COMMANDS, main
from tests.matches.records.samples import ILLEGAL, simulated

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: object, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a Python that has its standard library only."""
    argv = [sys.executable, "-S", "-m", "engine", *map(str, arguments)]
    return subprocess.run(argv, cwd=ROOT, env={**os.environ, **env}, capture_output=True, check=False, timeout=60)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "match.mat"
    path.write_bytes(simulated())
    return path


def test_a_record_is_adjudicated(record: Path) -> None:
    done = run("adjudicate", record)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines()[0] == f"{record}: Accepted"


def test_the_worst_file_decides_the_exit_status(record: Path, tmp_path: Path, capsys: Any) -> None:
    illegal = tmp_path / "illegal.mat"
    illegal.write_text(ILLEGAL)
    assert main(["adjudicate", "--json", str(record)]) == 0
    assert main(["adjudicate", "--json", str(illegal), str(record)]) == 1
    assert main(["adjudicate", "--json", str(tmp_path / "nothing"), str(illegal), str(record)]) == 2
    outcomes = [json.loads(line)["outcome"] for line in capsys.readouterr().out.splitlines()]
    assert outcomes == ["accepted", "rejected", "accepted", "rejected", "accepted"]


def test_a_terminal_that_cannot_show_a_character_gets_it_escaped(record: Path) -> None:
    done = run("adjudicate", record, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"Bob \\u2013 Carol" in done.stdout


def test_help_names_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert COMMANDS
    assert all(name in done.stdout.decode() for name in COMMANDS)


def test_an_unknown_command_is_refused() -> None:
    done = run("shuffle")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
