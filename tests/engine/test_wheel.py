"""The optional compiled engine: built by `make engine-wheel`, tested by `make test-engine-wheel`."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from engine import match, notation, plays, position, replayer, search

ROOT = Path(__file__).resolve().parents[2]


def suffix(module: ModuleType) -> str:
    """What kind of file a module was loaded from."""
    return Path(module.__file__ or "").suffix


def test_pure_python_is_tested_unless_the_compiled_engine_is_wanted() -> None:
    expected = ".so" if "ENGINE_COMPILED" in os.environ else ".py"
    assert [suffix(module) for module in (search, replayer)] == [expected, expected]


def test_modules_that_check_arguments_are_never_compiled() -> None:
    assert [suffix(module) for module in (position, plays, notation, match)] == [".py"] * 4


def test_without_a_compiler_the_build_says_so_in_one_sentence() -> None:
    build = [sys.executable, str(ROOT / "tools" / "build_engine_wheel.py"), "--check"]
    result = subprocess.run(build, env=os.environ | {"CC": "no-such-compiler"}, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.startswith("The compiled engine needs the C compiler no-such-compiler")
    assert len(result.stderr.splitlines()) == 1
