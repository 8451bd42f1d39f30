"""`./manage.py` works with any Python that the shell finds."""

import json
import os
import subprocess
import sys
from pathlib import Path
from secrets import token_hex

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
COMMAND = ["simulate", "--format", "knockout", "--players", "5", "--json"]


def test_it_is_executable() -> None:
    done = subprocess.run([ROOT / "manage.py", *COMMAND], capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["matches"]) == (0, 4), done.stderr


def test_a_python_without_django_is_replaced_by_that_of_the_environment() -> None:
    bare = Path(sys.base_prefix) / "bin" / "python3"
    there = subprocess.run([bare, "-c", "import django"], capture_output=True, check=False)
    if there.returncode == 0 or not (ROOT / ".venv").exists():
        pytest.skip("this machine's own Python has Django, or nothing is installed in .venv")
    done = subprocess.run([bare, ROOT / "manage.py", *COMMAND], capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["matches"]) == (0, 4), done.stderr


def test_without_configuration_it_says_which_database_it_uses(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "manage.py", "showmigrations", "players"]
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    env = kept | {"BARPOINT_VAR": str(tmp_path)}
    bare = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert bare.stderr == f"Database: SQLite, {tmp_path}/barpoint.sqlite3 (DATABASE_URL is not set)\n"
    assert "Database:" not in bare.stdout
    key = "only-for-this-test-" + token_hex(20)
    server = env | {"BARPOINT_PROFILE": "server", "SECRET_KEY": key, "ALLOWED_HOSTS": "bg.example.org"}
    command[2:] = ["rebuild"]
    refused = subprocess.run(command, env=server, capture_output=True, text=True, check=False)
    assert (refused.returncode, "DATABASE_URL is not set" in refused.stderr) == (1, True), refused.stderr
    assert "no such table" not in refused.stderr
    named = server | {"DATABASE_URL": f"sqlite:///{tmp_path}/other.sqlite3"}
    assert "no such table" in subprocess.run(command, env=named, capture_output=True, text=True, check=False).stderr
