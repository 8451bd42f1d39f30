"""`pip install .` installs the engine and the commands that need no server."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

from core.packages import PACKAGES, PURE, ROOT

CAN_BUILD = """
import setuptools
if int(setuptools.__version__.split(".")[0]) < 71:
    import wheel  # older versions of setuptools leave the writing of wheels to it
"""
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"


def pythons() -> Iterator[str]:
    """Yield the Pythons of this machine that may have setuptools."""
    yield sys.executable
    for folder in dict.fromkeys([str(Path(sys.base_prefix) / "bin"), *os.get_exec_path(), "/usr/bin"]):
        path = shutil.which("python3", path=folder)
        if path:
            yield path


@pytest.fixture(scope="module")
def builder() -> str:
    """A Python that can build a wheel without network."""
    for python in pythons():
        if subprocess.run([python, "-c", CAN_BUILD], capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip("no Python on this machine has setuptools and wheel")


@pytest.fixture(scope="module")
def wheel(builder: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, built in a copy."""
    copy, built = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("built")
    for folder in PACKAGES:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "static"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy)
    done = subprocess.run([builder, "-c", BUILD, built], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which only the wheel is installed."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def alone(code: str, installed: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code in a Python that has only the installed packages and its standard library."""
    path = f"import sys; sys.path.insert(0, {str(installed)!r})\n"
    argv = [sys.executable, "-I", "-S", "-c", path + code, *map(str, arguments)]
    return subprocess.run(argv, cwd=installed, capture_output=True, text=True, check=False, timeout=60)


def console_script(installed: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `barpoint` by its entry point."""
    points = ConfigParser()
    points.read(next(installed.glob("*.dist-info")) / "entry_points.txt")
    module, function = points["console_scripts"]["barpoint"].split(":")
    return alone(f"from {module} import {function}; sys.exit({function}())", installed, *arguments)


def test_the_wheel_contains_the_engine_and_formats_but_no_server(wheel: Path) -> None:
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    ours = {str(path.relative_to(ROOT)) for folder in PURE for path in (ROOT / folder).rglob("*.py")}
    assert set(names) == {*ours, "engine/py.typed", "formats/series/presets.json"}


def test_the_engine_needs_only_python(installed: Path) -> None:
    done = alone("import engine; print(len(engine.legal_plays(engine.Position(), (3, 1))))", installed)
    assert (done.returncode, done.stdout) == (0, "16\n"), done.stderr
    metadata = (next(installed.glob("*.dist-info")) / "METADATA").read_text(encoding="utf-8")
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert required
    assert all("extra ==" in line for line in required)


def test_the_presets_of_series_are_installed(installed: Path) -> None:
    done = alone("from formats.series.presets import preset; print(preset('given').plan.count.best)", installed)
    assert (done.returncode, done.stdout) == (0, "7\n"), done.stderr


def test_the_console_script_plays_out_converts_and_adjudicates(installed: Path, tmp_path: Path) -> None:
    played = console_script(installed, "play-out", "--seed", 7, "--length", 3)
    record = tmp_path / "match.mat"
    record.write_text(played.stdout, encoding="utf-8")
    converted = console_script(installed, "convert", record, "--to", "sgf")
    other = tmp_path / "match.sgf"
    other.write_text(converted.stdout, encoding="utf-8")
    judged = console_script(installed, "adjudicate", "--json", record, other)
    assert judged.returncode == 0, judged.stderr
    first, second = map(json.loads, judged.stdout.splitlines())
    assert (first["format"], second["format"]) == ("mat", "sgf")
    assert first["outcome"] == second["outcome"] == "accepted"
    assert first["games"] == second["games"]


def test_simulate_needs_its_extra(installed: Path) -> None:
    offered = console_script(installed, "--help")
    assert "adjudicate" in offered.stdout
    assert "simulate" not in offered.stdout
    refused = console_script(installed, "simulate", "--format", "swiss", "--players", 8)
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
