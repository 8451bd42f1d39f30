"""`./manage.py` works with any Python that the shell finds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
