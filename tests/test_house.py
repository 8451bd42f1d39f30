"""Who may enter whom: the arrows of the house run one way."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.db import models

ROOT = Path(__file__).resolve().parents[1]
# Each room may import itself and those before it.
ROOMS = ("engine", "core", "players", "matches", "tournaments", "config")
# Inside an app a package may import itself and those before it. `access` is a module: it fetches and authorises.
# Two packages are not in the design's list: `presentation` (who may see a match, and what its event is called) is below
# all that shows matches, and `rankings` (tables, profiles, histories) is apart from the fold in `ratings`, which
# `lifecycle` marks.
PACKAGES = {
    "matches": [
        "models",
        "ratings",
        "presentation",
        "lifecycle",
        "access",
        "rankings",
        "records",
        "analysis",
        "reporting",
        "play",
    ],
    "tournaments": [
        "models",
        "formats",
        "command_line",
        "access",
        "state",
        "standings",
        "events",
        "ledger",
        "entries",
        "draws",
        "results",
        "floor",
        "prizes",
        "wall",
        "pages",
        "demo",
    ],
}
# Modules and folders beside the packages: Django's own, which put everything together.
DJANGO_OWN = {"__init__", "admin", "apps", "tasks", "urls", "management", "migrations", "static", "templatetags"}
# Rooms without Django or anything else from outside, and what they may use all the same.
PURE = {"engine": {}, "tournaments/formats": {"tournaments/formats/swiss/pairing.py": {"rustworkx"}}}
# players knows of the engine only what it refuses.
PLAYERS_MAY_IMPORT = "engine.errors"


def python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imports(source: str, package: str) -> Iterator[str]:
    """The dotted names that `source`, a module of `package`, imports, relative ones made absolute."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imports_of(path: Path) -> Iterator[str]:
    return imports(path.read_text(), ".".join(path.relative_to(ROOT).parent.parts))


def upward(room: str, names: Iterator[str]) -> list[str]:
    """Imports of rooms that stand above `room`."""
    above = ROOMS[ROOMS.index(room) + 1 :]
    return [name for name in names if name.split(".")[0] in above]


def outside(names: Iterator[str], allowed: set[str]) -> list[str]:
    """Imports that are neither ours nor in the standard library, save what is allowed."""
    known = {*ROOMS, *allowed, *sys.stdlib_module_names}
    return [name for name in names if name.split(".")[0] not in known]


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_imports_from_a_room_above_it(room: str) -> None:
    files = python_files(room)
    assert files, f"{room}/ has no Python files"
    wrong = {str(path.relative_to(ROOT)): found for path in files if (found := upward(room, imports_of(path)))}
    assert not wrong


def package_of(app: str, name: str) -> str | None:
    """The package of `app` that a dotted name is in; None for another app's and for Django's own modules."""
    parts = name.split(".")
    return parts[1] if parts[0] == app and len(parts) > 1 and parts[1] in PACKAGES[app] else None


def backward(app: str, package: str, names: Iterator[str]) -> list[str]:
    """Imports of packages of the same app that stand after `package`."""
    later = PACKAGES[app][PACKAGES[app].index(package) + 1 :]
    return [name for name in names if package_of(app, name) in later]


@pytest.mark.parametrize("app", PACKAGES)
def test_no_package_imports_from_one_after_it(app: str) -> None:
    wrong, seen = {}, set()
    for path in python_files(app):
        package = package_of(app, ".".join(path.relative_to(ROOT).with_suffix("").parts))
        if package is not None:
            seen.add(package)
            if found := backward(app, package, imports_of(path)):
                wrong[str(path.relative_to(ROOT))] = found
    assert len(seen) > 5, f"the packages of {app} were not found"
    assert not wrong


@pytest.mark.parametrize("app", PACKAGES)
def test_every_module_is_in_a_package(app: str) -> None:
    names = {path.stem for path in (ROOT / app).iterdir() if path.suffix == ".py" or any(path.glob("**/*.py"))}
    assert "models" in names
    assert names - DJANGO_OWN - set(PACKAGES[app]) == set()


def test_the_order_of_packages_sees_a_fault() -> None:
    source = (
        "from matches.reporting.services import claims\nfrom matches import access\nfrom matches.models import Match\n"
    )
    names = list(imports(source, "matches.records"))
    assert backward("matches", "records", iter(names)) == ["matches.reporting.services.claims"]
    assert backward("matches", "reporting", iter(names)) == []


def test_players_import_only_the_refusals_of_the_engine() -> None:
    files = python_files("players")
    assert files
    names = [name for path in files for name in imports_of(path) if name.split(".")[0] == "engine"]
    assert names, "players/messages.py should import engine.errors"
    assert [name for name in names if not f"{name}.".startswith(f"{PLAYERS_MAY_IMPORT}.")] == []


@pytest.mark.parametrize("folder", PURE)
def test_pure_rooms_import_nothing_from_outside(folder: str) -> None:
    files = python_files(folder)
    if not files:
        pytest.skip(f"{folder}/ is not written yet")
    exceptions = PURE[folder]
    wrong = {}
    for path in files:
        name = str(path.relative_to(ROOT))
        if found := outside(imports_of(path), exceptions.get(name, set())):
            wrong[name] = found
        # The pure part of a room must not lean on the part with a database.
        if folder != "engine" and (found := [n for n in imports_of(path) if not is_pure(n)]):
            wrong[name] = found
    assert not wrong


def is_pure(name: str) -> bool:
    """Outside the rooms, in the engine, or in the formats."""
    return name.split(".")[0] not in ROOMS[1:] or name.startswith("tournaments.formats.")


def test_the_import_rules_see_a_fault() -> None:
    source = "from tournaments import models\nimport django.db\nfrom ..config import celery\nfrom .records import mat\n"
    found = list(imports(source, "engine.records"))
    assert sorted(found) == ["django.db", "engine.config.celery", "engine.records.records.mat", "tournaments.models"]
    assert upward("engine", iter(found)) == ["tournaments.models"]
    assert outside(iter(found), set()) == ["django.db"]
    assert not is_pure("players.models")


def our_foreign_keys() -> list[models.ForeignKey]:
    return [
        field
        for model in apps.get_models()
        if model.__module__.split(".")[0] in ROOMS
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey)
    ]


def room_of(model: type[models.Model]) -> str:
    return model.__module__.split(".")[0]


def test_no_foreign_key_points_into_a_room_above() -> None:
    for field in our_foreign_keys():
        target = room_of(field.related_model)
        if target in ROOMS:
            assert ROOMS.index(target) <= ROOMS.index(room_of(field.model)), field


def test_a_foreign_key_into_a_lower_room_leaves_no_name_there() -> None:
    """The lower room must not find the upper one by an attribute either."""
    for field in our_foreign_keys():
        if room_of(field.related_model) != room_of(field.model):
            assert field.remote_field.related_name == "+", field


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git work tree")
    return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


MACHINE_PATH = re.compile(rb"(?<![\w.$}/-])/(?:home|root|Users|work|opt/(?:pypi|wheels))/[\w.]")


def test_no_path_of_a_machine_is_in_the_tree() -> None:
    files = tracked_files()
    assert files
    wrong = [str(path.relative_to(ROOT)) for path in files if MACHINE_PATH.search(path.read_bytes())]
    assert wrong == []


def test_the_search_for_machine_paths_finds_one() -> None:
    assert MACHINE_PATH.search(b"see " + b"/ho" + b"me/someone/x")
    assert not MACHINE_PATH.search(b"https://example.org/home/page")


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_a_lock_file_names_no_index_and_has_a_hash_for_everything(name: str) -> None:
    text = (ROOT / name).read_text()
    assert not re.search(r"^--|https?://|file:", text, re.MULTILINE)
    pinned = re.findall(r"^[a-z0-9][^\n]*==[^\n]*", text, re.MULTILINE)
    assert len(pinned) > 20
    assert all(line.endswith("\\") for line in pinned), "a requirement without a hash"
