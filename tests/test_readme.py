"""README.md: its commands exist, and what it says of the site, and of what is not there, is so."""

import os
import re
import subprocess
import tomllib

from django.conf.locale import LANG_INFO

from core.languages import OFFERED
from core.packages import ROOT
from tests.test_layout import python_files
from tools.readme_pictures import HASHES, TEMPLATES, hashes

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def between(start: str, end: str) -> str:
    """A part of the README."""
    return README[README.index(start) : README.index(end)]


def dry_run(command: str) -> str:
    """What a command of make would do; it fails for a target that does not exist."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    words = [*command.split(), "--dry-run"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def test_the_commands_of_the_set_up_are_targets_and_two_of_them_start_the_site_and_run_the_tests() -> None:
    blocks = re.findall(r"^```\n(.*?)^```", between("## Try it", "## For directors"), re.MULTILINE | re.DOTALL)
    commands = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    assert [command for command in commands if not command.startswith("make ")] == []
    recipes = [dry_run(command) for command in commands]
    assert any("-m config.supervisor" in recipe for recipe in recipes)
    assert any("-m pytest" in recipe for recipe in recipes)


def test_the_languages_it_names_are_those_offered() -> None:
    names = {info["name"] for info in LANG_INFO.values() if "name" in info}
    named = {name for name in names if re.search(rf"\b{name}\b", README)}
    assert named == {LANG_INFO[code]["name"] for code in OFFERED}


def is_released() -> bool:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return re.findall(r"^## (.*)", changelog, re.MULTILINE) != ["Unreleased"]


def is_licensed() -> bool:
    files = [path for pattern in ("LICEN[CS]E*", "COPYING*") for path in ROOT.glob(pattern)]
    return bool(files) or "license" in PROJECT or any("License ::" in name for name in PROJECT.get("classifiers", ()))


def knows_other_systems() -> bool:
    """Whether the start of the site asks for macOS, as it would have to: processes cannot be forked there."""
    return any('"darwin"' in path.read_text(encoding="utf-8") for path in python_files("config"))


NOT_THERE = {"No release": is_released, "No licence": is_licensed, "No system but Linux": knows_other_systems}
"""What the README says is missing -> whether it is there."""


def test_what_it_says_is_missing_is_missing() -> None:
    claims = re.findall(r"^- ([^:.\n]+)", between("Not there yet:", "## For directors"), re.MULTILINE)
    assert sorted(claims) == sorted(NOT_THERE)
    assert [claim for claim in claims if NOT_THERE[claim]()] == []


def test_its_pictures_show_the_templates_of_today() -> None:
    assert set(re.findall(r"docs/screenshots/(\w+)\.png", README)) == set(TEMPLATES)
    assert HASHES.read_text(encoding="utf-8") == hashes(), "take them again: tools/readme_pictures.py says how"
