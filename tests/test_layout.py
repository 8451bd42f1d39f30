"""The layout: imports and foreign keys point one way, and the repository holds nothing of one machine."""

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from django.apps import apps
from django.db import models

from core.packages import PACKAGES as APPS
from core.packages import PURE, ROOT

# Inside an app a package may import itself and those before it. `access` is a module: it fetches and authorises.
# `presentation` (who may see a match, and what its event is called) comes before everything that shows matches.
# `rankings` (tables, profiles, histories) is apart from the rating computation in `ratings`, which `lifecycle` uses.
PACKAGES = {
    "players": [
        "models",
        "refusals",
        "actors",
        "mail",
        "people",
        "access",
        "selectors",
        "forms",
        "requests",
        "notifications",
        "accounts",
        "kept",
        "actions",
        "clubs",
        "joining",
        "handover",
        "privacy",
    ],
    "matches": [
        "models",
        "refusals",
        "ratings",
        "presentation",
        "lifecycle",
        "access",
        "rankings",
        "records",
        "analysis",
        "play",
        "reporting",
        "review",
        "deck",
        "puzzles",
        "privacy",
    ],
    "tournaments": [
        "models",
        "refusals",
        "access",
        "state",
        "consequences",
        "standings",
        "ledger",
        "panels",
        "events",
        "entries",
        "draws",
        "offers",
        "results",
        "floor",
        "match_events",
    ],
}
# Modules and folders beside the packages: Django's own, which may import every package of their app.
DJANGO_MODULES = {"__init__", "admin", "apps", "tasks", "urls", "management", "migrations", "static", "templatetags"}
# What else a module in a pure folder may import.
THIRD_PARTY = {"formats/swiss/pairing.py": {"rustworkx"}}
# The only module of the engine that `players` may import.
PLAYERS_MAY_IMPORT = "engine.errors"


def python_files(*folders: str) -> list[Path]:
    """The Python files in these folders, or in all apps."""
    return [path for folder in folders or APPS for path in sorted((ROOT / folder).rglob("*.py"))]


def imports(source: str, package: str) -> Iterator[str]:
    """Yield the dotted names that `source`, a module of `package`, imports; relative imports are made absolute."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imports_of(path: Path) -> Iterator[str]:
    return imports(path.read_text(), ".".join(path.relative_to(ROOT).parent.parts))


def upward(app: str, names: Iterable[str]) -> list[str]:
    """The imports of apps that come after `app`."""
    later = APPS[APPS.index(app) + 1 :]
    return [name for name in names if name.split(".")[0] in later]


def third_party(names: Iterable[str], allowed: set[str]) -> list[str]:
    """The imports that are neither ours nor in the standard library nor allowed."""
    known = {*APPS, *allowed, *sys.stdlib_module_names}
    return [name for name in names if name.split(".")[0] not in known]


def report(rule: str, wrong: dict[str, list[str]]) -> str:
    """The message of a failed test: the rule, then each file with the imports that break it."""
    return "\n".join([rule, *(f"  {path} imports {', '.join(names)}" for path, names in sorted(wrong.items()))])


@pytest.mark.parametrize("app", APPS)
def test_no_app_imports_a_later_one(app: str) -> None:
    files = python_files(app)
    assert files, f"{app}/ has no Python files"
    wrong = {str(path.relative_to(ROOT)): names for path in files if (names := upward(app, imports_of(path)))}
    assert not wrong, report(f"{app} may import only {', '.join(APPS[: APPS.index(app) + 1])}:", wrong)


def package_of(app: str, name: str) -> str | None:
    """The package of `app` that a dotted name is in; None for other apps and for Django's own modules."""
    parts = name.split(".")
    return parts[1] if parts[0] == app and len(parts) > 1 and parts[1] in PACKAGES[app] else None


def backward(app: str, package: str, names: Iterable[str]) -> list[str]:
    """The imports of packages of the same app that come after `package`."""
    later = PACKAGES[app][PACKAGES[app].index(package) + 1 :]
    return [name for name in names if package_of(app, name) in later]


@pytest.mark.parametrize("app", PACKAGES)
def test_no_package_imports_a_later_one(app: str) -> None:
    wrong, checked = {}, set()
    for path in python_files(app):
        package = package_of(app, ".".join(path.relative_to(ROOT).with_suffix("").parts))
        if package is not None:
            checked.add(package)
            if names := backward(app, package, imports_of(path)):
                wrong[str(path.relative_to(ROOT))] = names
    assert len(checked) > 5, f"hardly any packages in {app}/: {checked}"
    assert not wrong, report(f"A package of {app} may import only those before it in PACKAGES:", wrong)


@pytest.mark.parametrize("app", PACKAGES)
def test_every_module_is_in_a_package(app: str) -> None:
    names = {path.stem for path in (ROOT / app).iterdir() if path.suffix == ".py" or any(path.glob("**/*.py"))}
    assert "models" in names
    loose = names - DJANGO_MODULES - set(PACKAGES[app])
    assert loose == set(), f"move these modules of {app} into a package: {', '.join(sorted(loose))}"


def test_a_planted_import_of_a_later_package_is_reported() -> None:
    source = "from matches.reporting import reports\nfrom matches import access\nfrom matches.models import Match\n"
    names = list(imports(source, "matches.records"))
    wrong = backward("matches", "records", names)
    assert wrong == ["matches.reporting.reports"]
    assert backward("matches", "reporting", names) == []
    message = report("The rule:", {"matches/records/intake.py": wrong})
    assert message == "The rule:\n  matches/records/intake.py imports matches.reporting.reports"


def modules_imported() -> dict[str, set[str]]:
    """Return each module with those of ours that it imports, at its top or inside functions."""
    paths = {module_of(path): path for path in python_files()}
    return {
        module: {_module_in(name, paths) for name in imports_of(path)} - {"", module} for module, path in paths.items()
    }


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _module_in(name: str, modules: Collection[str]) -> str:
    """The module that a dotted name is, or is in; empty for a module that is not ours."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def circle(modules: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, if any do."""
    try:
        TopologicalSorter(modules).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    modules = modules_imported()
    assert len(modules) > 100
    assert circle(modules) == []


def test_a_planted_circle_is_reported() -> None:
    assert set(circle({"core.a": {"core.b"}, "core.b": {"core.c"}, "core.c": {"core.a"}, "core.d": {"core.a"}})) == {
        "core.a",
        "core.b",
        "core.c",
    }


def test_players_import_only_the_errors_of_the_engine() -> None:
    files = python_files("players")
    assert files
    names = [name for path in files for name in imports_of(path) if name.split(".")[0] == "engine"]
    assert names, "some module of players should import engine.errors"
    assert [name for name in names if not f"{name}.".startswith(f"{PLAYERS_MAY_IMPORT}.")] == []


@pytest.mark.parametrize("folder", PURE)
def test_pure_packages_import_only_the_standard_library(folder: str) -> None:
    files = python_files(folder)
    assert files, f"{folder}/ has no Python files"
    wrong = {}
    for path in files:
        name = str(path.relative_to(ROOT))
        names = third_party(imports_of(path), THIRD_PARTY.get(name, set()))
        if folder != "engine":
            names += [imported for imported in imports_of(path) if not is_pure(imported)]
        if names:
            wrong[name] = names
    assert not wrong, report(f"{folder}/ may import only the standard library and pure packages:", wrong)


def is_pure(name: str) -> bool:
    """Whether a dotted name is in a pure folder, or not ours at all."""
    folders = tuple(f"{folder}/" for folder in PURE)
    return name.split(".")[0] not in APPS or f"{name}/".replace(".", "/").startswith(folders)


def test_planted_imports_of_later_apps_and_third_parties_are_reported() -> None:
    source = "from tournaments import models\nimport django.db\nfrom ..config import celery\nfrom .records import mat\n"
    names = list(imports(source, "engine.records"))
    assert sorted(names) == ["django.db", "engine.config.celery", "engine.records.records.mat", "tournaments.models"]
    assert upward("engine", names) == ["tournaments.models"]
    assert third_party(names, set()) == ["django.db"]
    assert not is_pure("players.models")


def our_foreign_keys() -> list[models.ForeignKey]:
    return [
        field
        for model in apps.get_models()
        if model.__module__.split(".")[0] in APPS
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey)
    ]


def app_of(model: type[models.Model]) -> str:
    return model.__module__.split(".")[0]


def test_no_foreign_key_points_into_a_later_app() -> None:
    keys = our_foreign_keys()
    assert keys
    for field in keys:
        target = app_of(field.related_model)
        if target in APPS:
            assert APPS.index(target) <= APPS.index(app_of(field.model)), field


def test_a_foreign_key_into_an_earlier_app_has_no_reverse_accessor() -> None:
    keys = [field for field in our_foreign_keys() if app_of(field.related_model) != app_of(field.model)]
    assert keys
    for field in keys:
        assert field.remote_field.related_name == "+", field


def tracked_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listing.returncode:
        pytest.skip("not a git work tree")
    return [path for name in listing.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


MACHINE_PATH = re.compile(rb"(?<![\w.$}/-])/(?:home|root|Users|work|opt/(?:pypi|wheels))/[\w.]")


def test_no_file_contains_a_path_of_one_machine() -> None:
    files = tracked_files()
    assert files
    wrong = [str(path.relative_to(ROOT)) for path in files if MACHINE_PATH.search(path.read_bytes())]
    assert wrong == []


def test_a_planted_machine_path_is_reported() -> None:
    assert MACHINE_PATH.search(b"see " + b"/ho" + b"me/someone/x")
    assert not MACHINE_PATH.search(b"https://example.org/home/page")


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_a_lock_file_names_no_index_and_hashes_every_requirement(name: str) -> None:
    text = (ROOT / name).read_text()
    assert not re.search(r"^--|https?://|file:", text, re.MULTILINE)
    pinned = re.findall(r"^[a-z0-9][^\n]*==[^\n]*", text, re.MULTILINE)
    assert len(pinned) > 20
    assert all(line.endswith("\\") for line in pinned), "a requirement without a hash"
