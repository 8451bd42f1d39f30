"""One list names our packages (`core/packages.py`): what reads all of them reads it, and has no list of its own."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.base import ContentFile

from config import page_cache
from config.static_files import StaticStorage
from core.packages import DJANGO_APPS, PACKAGES, PURE, ROOT
from tests import test_layout
from tools import lint_messages, messages

TABLE = "rules for each package"
WHEEL = "what a wheel is built from, and holds"
EXAMPLE = "an example"
OWN_LISTS = {
    "core/packages.py": "the list",
    "tests/privacy/test_decisions.py": TABLE,
    "tests/test_changed_tests.py": EXAMPLE,
    "tests/test_layout.py": TABLE,
    "tests/test_packages.py": EXAMPLE,
    "tools/build_engine_wheel.py": WHEEL,
}
WORDS = {"players", "matches"}
"""Packages that are named like fields and pages: a list of nothing else is not taken for one of packages."""
OTHERS = "|".join(set(PACKAGES) - WORDS)
MENTIONED = re.compile(rf"""["'|(](?:{OTHERS})["'|)/ ]|["'|( ](?:{OTHERS})["'|)/]""")


def names_packages(texts: list[str]) -> bool:
    """Whether these are several of our packages, or folders in them, and nothing else than files and folders."""
    folders = {text.split("/")[0] for text in texts if (ROOT / text).is_dir()} & set(PACKAGES)
    return len(folders) > 1 and not folders <= WORDS and all(text and (ROOT / text).exists() for text in texts)


def own_lists(source: str) -> Iterator[int]:
    """Yield the lines with a collection, a text of words or a choice in a pattern that lists packages."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
            parts = node.keys if isinstance(node, ast.Dict) else node.elts
            lists = [[part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            lists = [text.split("|") for text in re.findall(r"[\w/]+(?:\|[\w/]+)+", node.value)]
            lists += [node.value.split()] if re.fullmatch(r"[\w/ ]+", node.value) else []
        else:
            continue
        yield from (node.lineno for texts in lists if names_packages(texts))


def test_nothing_has_a_list_of_its_own() -> None:
    paths = test_layout.python_files(*PACKAGES, "tests", "tools", "benchmarks", "verify")
    paths = [path for path in paths if "migrations" not in path.parts]
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    likely = {path: source for path, source in sources.items() if MENTIONED.search(source)}
    assert len(sources) > len(likely) > len(OWN_LISTS)
    lists = {path: lines for path, source in likely.items() if (lines := list(own_lists(source)))}
    assert set(OWN_LISTS) <= set(lists), "has none any more"
    assert {path: lines for path, lines in lists.items() if path not in OWN_LISTS} == {}, "read core/packages.py"


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ('for app in ("players", "matches", "tournaments"): ...', True),
        ('for app in ["engine", *OTHERS, "core"]: ...', True),
        ('FOLDERS = {"engine/": 1, "formats/": 2}', True),
        ('re.compile(r"(engine|core)/.*")', True),
        ('"core players".split()', True),
        ('fields = ("players", "matches")', False),
        ('counts = {"players": 4, "entries": 4, "tournaments": 1}', False),
        ('"matches of tournaments"', False),
    ],
)
def test_what_counts_as_a_list(line: str, *, is_found: bool) -> None:
    assert bool(list(own_lists(line))) == is_found


def test_every_package_is_listed_and_typed() -> None:
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"} == set(PACKAGES)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["mypy"]["packages"] == list(PACKAGES)
    assert [folder for folder in PURE if not (ROOT / folder).is_dir()] == []
    assert [app for app in settings.INSTALLED_APPS if app in PACKAGES] == list(DJANGO_APPS)


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_in_a_package_is_found(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = f"{package}/locale/xx/LC_MESSAGES/django.po"
    planted = {
        f"{package}/planted.py": 'raise ValidationError("Planted label")\n_("Planted message")\n',
        f"templates/{package}/planted.html": "Planted text{% translate 'Planted title' %}",
        f"{package}/static/{package}/planted.js": "// Planted.\nrun();\n",
        catalogue: 'msgid "Planted %(one)s"\nmsgstr "Planted %(other)s"\n',
        f"{package}/locale/xx/LC_MESSAGES/django.mo": "",
    }
    for module in (page_cache, messages, test_layout):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(lint_messages, "registry_faults", lambda: iter(()))
    releases = [page_cache.release.__wrapped__()]
    for name, text in planted.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        releases.append(page_cache.release.__wrapped__())
    assert len(set(releases)) == len(planted), "each but the .po file, which is not read"
    assert test_layout.python_files() == [tmp_path / package / "planted.py"]
    assert {message.id for message in messages.messages_of(package)} == {"Planted message", "Planted title"}
    assert f"{package}/locale/de/LC_MESSAGES/django.po" in {
        str(path.relative_to(tmp_path)) for path, _content in messages.outdated()
    }
    faults = "\n".join(lint_messages.faults())
    for folder, name in ((package, "planted.py"), (f"templates/{package}", "planted.html")):
        assert f"{folder}/{name}:1: unmarked text" in faults
    assert f"{catalogue}: placeholders differ" in faults
    name = StaticStorage(location=tmp_path).save(f"{package}/served.js", ContentFile(b"// Planted.\nrun();\n"))
    assert (tmp_path / name).read_text() == "run();"
    assert package in settings.INSTALLED_APPS or ROOT / package / "locale" in settings.LOCALE_PATHS
