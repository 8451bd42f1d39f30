"""`make test CHANGED=1` chooses the tests that a change reaches."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tools.changed_tests import BODY, EVERYTHING, ROOT, Code, chosen, git, read

SOURCES = {
    "config/urls.py": "from matches import urls\n",
    "engine/__init__.py": "from engine.dice import roll as throw\n",
    "engine/dice.py": "SIDES = 6\n\ndef roll(): return SIDES\n\ndef unused(): ...\n",
    "matches/migrations/0001_first.py": "",
    "matches/play/live.py": "import engine\nfrom matches import queue\n\ndef turn(): return engine.throw()\n"
    "def pause(): return queue.later('matches.play.live.turn')\n",
    "matches/play/page.py": "from matches.play import live\n\ndef view(): return live.turn()\n",
    "matches/queue.py": "import core\ncore.register(1)\n\ndef later(name): ...\n",
    "matches/urls.py": "from matches.play import page\n\nurlpatterns = [page.view]\n",
    "tests/access/test_roles.py": "",
    "tests/browser/test_board.py": "from engine.dice import roll\nroll()\n",
    "tests/cast.py": "NAMES = 'Alice', 'Bob'\n",
    "tests/conftest.py": "",
    "tests/engine/test_dice.py": "def test_rolls():\n    from engine.dice import roll\n    roll()\n",
    "tests/matches/conftest.py": "from tests.cast import NAMES\n\ndef people(): return NAMES\n",
    "tests/matches/play/test_live.py": "from matches.play.live import turn\n\ndef test_turn(): turn()\n",
    "tests/matches/play/test_page.py": "def test_page(client): client.get('/board/')\n",
    "tests/matches/test_records.py": "from matches import urls\n'docs/records.md', 'matches.migrations.0001_first'\n"
    "def test_routes(): urls.urlpatterns\n",
    "tests/matches/test_pauses.py": "from matches.play.live import pause\n\ndef test_pause(): pause()\n",
    "tests/test_layout.py": "",
}
CROSS = {"tests/access/test_roles.py", "tests/test_layout.py"}
DICE, LIVE, PAGE = "tests/engine/test_dice.py", "tests/matches/play/test_live.py", "tests/matches/play/test_page.py"
PAUSES, RECORDS = "tests/matches/test_pauses.py", "tests/matches/test_records.py"
MATCHES = {LIVE, PAGE, PAUSES, RECORDS}


def planted(path: str, *replaced: str) -> set[str]:
    """The tests chosen after a change of one file, beside those that always are: some text replaced, or all gone."""
    old = SOURCES.get(path, "")
    sources = SOURCES | {path: old.replace(*replaced)} if replaced else {p: s for p, s in SOURCES.items() if p != path}
    assert sources.get(path) != old or path not in SOURCES
    tests, _everything = chosen(sources, {path: old})
    assert tests >= CROSS
    return tests - CROSS


@pytest.mark.parametrize(
    ("path", "replaced", "tests"),
    [
        ("engine/dice.py", ("6", "8"), {DICE, LIVE, PAGE, PAUSES}),
        ("engine/dice.py", ("...", "return 1"), set()),
        ("engine/dice.py", ("SIDES =", "# A comment.\nSIDES ="), set()),
        ("engine/dice.py", (), {DICE, LIVE, PAGE, PAUSES}),
        ("matches/queue.py", ("...", "return 1"), {PAUSES}),
        ("matches/queue.py", ("(1)", "(2)"), {PAUSES}),
        ("matches/urls.py", ("[page", "[2, page"), MATCHES),
        ("matches/migrations/0001_first.py", ("", "x = 1"), {RECORDS}),
        ("templates/matches/play/_seat.html", (), {LIVE, PAGE}),
        ("matches/static/matches/board/board.js", (), MATCHES),
        ("docs/records.md", (), {RECORDS}),
        ("tests/cast.py", ("Bob", "Carol"), MATCHES),
        ("tests/matches/test_records.py", ("docs", "doc"), {RECORDS}),
        ("tests/matches/test_records.py", (), set()),
        ("config/urls.py", ("matches", "engine"), {DICE, *MATCHES}),
        ("pyproject.toml", (), {DICE, *MATCHES}),
        ("tests/conftest.py", (), {DICE, *MATCHES}),
    ],
)
def test_a_change_chooses_the_tests_it_reaches(path: str, replaced: tuple[str, ...], tests: set[str]) -> None:
    assert planted(path, *replaced) == tests


def test_what_has_changed_is_read_from_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)  # those of a hook

    def write(**sources: str) -> None:
        for name, source in sources.items():
            path = tmp_path / f"tests/{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source)

    def commit() -> None:
        git(tmp_path, "add", "-A")
        git(tmp_path, "-c", "user.name=Alice", "-c", "user.email=alice@example.org", "commit", "-m", "x")

    def choose(*revision: str) -> tuple[list[str], str]:
        command = [sys.executable, "tools/changed_tests.py", *revision]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.stdout.split(), done.stderr

    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/changed_tests.py").write_bytes((ROOT / "tools/changed_tests.py").read_bytes())
    git(tmp_path, "init", "-b", "main")
    write(test_old="OLD = 1", test_gone="GONE = 1", test_kept="KEPT = 1")
    commit()
    assert choose() == ([], "No tests: nothing has changed since main.\n")
    git(tmp_path, "checkout", "-b", "draws")
    git(tmp_path, "mv", "tests/test_old.py", "tests/test_renamed.py")
    commit()
    (tmp_path / "tests/test_gone.py").unlink()
    write(test_kept="KEPT = 2", test_new="NEW = 1")
    _sources, before = read(tmp_path, "main")
    changed = {
        "test_old": "OLD = 1",
        "test_renamed": "",
        "test_gone": "GONE = 1",
        "test_kept": "KEPT = 1",
        "test_new": "",
    }
    assert before == {f"tests/{name}.py": source for name, source in changed.items()}
    remaining = ["tests/test_kept.py", "tests/test_new.py", "tests/test_renamed.py"]
    assert choose() == (remaining, "3 test files, for 5 files changed since main.\n")
    assert choose("HEAD")[1] == "3 test files, for 3 files changed since HEAD.\n"
    assert choose("v9")[1] == "v9 is no commit from which this branch began.\n"
    (tmp_path / "Makefile").touch()
    assert choose() == (["tests"], "All 3 test files, because Makefile has changed since main.\n")


def test_what_runs_in_every_request_needs_every_test() -> None:
    named = {*settings.MIDDLEWARE, *settings.AUTHENTICATION_BACKENDS, f"{settings.SESSION_ENGINE}.SessionStore"}
    ours = {f"{name.rpartition('.')[0].replace('.', '/')}.py" for name in named}
    ours = {path for path in ours if (ROOT / path).exists()}
    assert len(ours) >= 5
    assert [path for path in ours if not EVERYTHING.fullmatch(path)] == []


@pytest.mark.slow
def test_every_test_is_reached_from_a_file_of_ours() -> None:
    sources, _before = read(ROOT, "HEAD")
    code = Code(sources)
    ours = [path for path in git(ROOT, "ls-files", "-z").split("\0") if not path.startswith("tests/")]
    reached = code.reached((path, name) for path in ours for name in code.definitions.get(path, {BODY}))
    assert len(code.tests) > 400
    assert code.tests - code.of_no_package() - {path for path, _name in reached} == set()
