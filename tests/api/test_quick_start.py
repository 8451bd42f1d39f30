"""The page about the API tells the truth: its examples run as they are, one after the other, on a real server."""

import html
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from rest_framework.throttling import SimpleRateThrottle

from matches.models import Result
from players.models import ApiToken, Membership, User
from tournaments.models import Division, Tournament

EXAMPLE = re.compile(r'<code class="(sh|python)">(.*?)</code>', re.DOTALL)
Examples = Callable[[str], str]


@pytest.fixture
def examples(server: str, client: Client, alice: User, password: str, monkeypatch: pytest.MonkeyPatch) -> Examples:
    """Return the examples of the page in a language, as a program for the account of Alice."""
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", dict.fromkeys(("anon", "guest", "user"), "999/min"))

    def of(language: str) -> str:
        page = client.get("/api/docs/", headers={"Host": server.removeprefix("http://")}).content.decode()
        found = [html.unescape(code) for kind, code in EXAMPLE.findall(page) if kind == language]
        assert len(found) >= 9
        program = "\n".join(found)
        for placeholder, value in (
            ("you@example.org", alice.email), ("your password", password), ("your-club", "harbour"),
        ):  # fmt: skip
            assert placeholder in program
            program = program.replace(placeholder, value)
        return program

    return of


def shown_by(command: list[str], folder: Path) -> list[str]:
    """Return the lines that a program prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.splitlines()


def assert_what_was_done(lines: list[str]) -> None:
    """Check that the event was drawn and played, and that the program showed what the page says."""
    event = Tournament.objects.get(name="Quick start")
    division = event.divisions.get(name="Open")
    assert division.status == Division.Status.FINISHED
    assert (event.rated, event.season, division.rated) == (False, False, False)
    assert not Membership.objects.filter(left_at=None, player__name__in=["Elif Ristic", "Omar Kageyama"]).exists()
    assert Result.objects.get().score in ((5, 3), (3, 5))
    again = Tournament.objects.get(name="Next week").public_id
    assert lines[-6:-4] == [again, again], "the repeated request created nothing"
    assert ApiToken.objects.get().scopes == ["read", "direct", "club"]
    printed = "\n".join(lines)
    assert f"division:{division.public_id}" in printed
    assert {"Elif Ristic", "Omar Kageyama"} == set(lines[-4:-2])
    assert lines[-4:-2] == lines[-2:], "by pages and as lines"
    for shown in ("Quick start", "stale"):
        assert shown in printed, printed


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("celery_worker", "club")]


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="no curl or no jq on this machine")
def test_the_examples_for_the_command_line_run(examples: Examples, tmp_path: Path) -> None:
    program = "set -eu\n" + examples("sh")
    assert_what_was_done(shown_by(["bash", "-c", program], tmp_path))


def test_the_examples_in_python_run(examples: Examples, tmp_path: Path) -> None:
    assert_what_was_done(shown_by([sys.executable, "-c", examples("python")], tmp_path))
