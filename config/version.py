"""The version of this checkout, as in pyproject.toml, which is the only place that names it."""

import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
VERSION: str = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["version"]
