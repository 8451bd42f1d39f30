"""Builds the package as a wheel in which the busiest modules of the engine are compiled by mypyc: `make engine-wheel`.

    python tools/build_engine_wheel.py [--check]

Needs a C compiler, Python's headers, mypy and setuptools. The wheel is written to `var/engine-wheel/`, and its engine
is unpacked into `var/engine-wheel/installed/` for `make test-engine-wheel`. `--check` only looks for the compiler.

Compiled code raises `TypeError` for an argument of the wrong type, where the engine promises `Refused`, and compiled
classes have no docstrings. So only modules behind the public names are compiled: what they receive has been checked.
"""

import os
import shlex
import shutil
import sys
import sysconfig
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "var" / "engine-wheel"
SOURCE, INSTALLED, LOG = FOLDER / "source", FOLDER / "installed", FOLDER / "build.log"
COPIED = ("pyproject.toml", "README.md", "engine", "formats")
"""What the wheel is built from; `pyproject.toml` says which of it goes in."""
COMPILED = (
    "keys",
    "search",
    "straight",
    "resolution",
    "recovery",
    "chronicle",
    "ending",
    "replayer",
    "cube",
    "scoring",
    "records/mat_cells",
    "records/mat_header",
    "records/mat_reader",
)
"""Modules of the engine that take most of the time of a search and of an adjudication."""


def missing_tools() -> str | None:
    """What has to be installed before C can be compiled for this Python; None if nothing is missing."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    missing = [] if shutil.which(compiler) else [f"the C compiler {compiler}"]
    missing += [] if headers.is_file() else [f"Python's header {headers}"]
    if not missing:
        return None
    return f"The compiled engine needs {' and '.join(missing)} (on Debian: apt-get install gcc python3-dev)."


def copy_source() -> None:
    """Copy what the wheel is built from, so that nothing is written beside the source of the checkout."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for name in COPIED:
        source, copy = ROOT / name, SOURCE / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy)


def build() -> Path:
    """Compile the modules and return the wheel. Raises SystemExit, with the compiler's messages in the log."""
    import setuptools  # installed beside the build only; must precede mypyc, which then uses it instead of distutils
    from mypyc.build import mypycify

    for wheel in FOLDER.glob("*.whl"):
        wheel.unlink()
    modules = [f"engine/{name}.py" for name in COMPILED]
    os.chdir(SOURCE)
    extensions = mypycify(["--config-file=", "--strict", *modules], opt_level="2", group_name="barpoint_engine")
    setuptools.setup(ext_modules=extensions, script_args=["--quiet", "bdist_wheel", "--dist-dir", str(FOLDER)])
    return next(FOLDER.glob("*.whl"))


def unpack_engine(wheel: Path) -> None:
    """Unpack the engine and its library, and no package with the name of one in the checkout."""
    shutil.rmtree(INSTALLED, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith("engine/") or "/" not in name]
        archive.extractall(INSTALLED, names)


def main() -> int:
    """Build and unpack; 1, with a sentence that says why, where it cannot be done."""
    if missing := missing_tools():
        print(missing, file=sys.stderr)
        return 1
    if "--check" in sys.argv[1:]:
        return 0
    copy_source()
    try:
        with LOG.open("w") as log, redirect_stdout(log), redirect_stderr(log):
            wheel = build()
    except SystemExit:
        print(LOG.read_text(), file=sys.stderr)
        raise
    unpack_engine(wheel)
    print(wheel.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
