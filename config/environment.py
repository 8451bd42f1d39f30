"""Environment variables, as the settings take them, and the version of this checkout."""

import os
import tomllib
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

# With less, an analysis would take hours, and so would its claim after a worker died.
MIN_CPU_SHARE = 0.1


def flag(name: str, default: bool = False) -> bool:
    """Return whether a variable says yes."""
    return os.environ.get(name, str(int(default))).lower() in ("1", "true", "yes", "on")


def words(name: str, default: str = "") -> list[str]:
    """Return the words of a variable, which commas separate."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def days(name: str, default: int) -> int:
    """Return a number of days; 0 means forever."""
    number = int(os.environ.get(name, default))
    if number < 0:
        raise ImproperlyConfigured(f"{name} is a number of days; 0 means forever.")
    return number


def cpu_share(name: str, default: float) -> float:
    share = float(os.environ.get(name, default))
    if not MIN_CPU_SHARE <= share <= 1:
        raise ImproperlyConfigured(f"{name} is a share of one core, from {MIN_CPU_SHARE} to 1.")
    return share


# The version of this checkout, as in pyproject.toml, which is the only place that names it.


PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
VERSION: str = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["version"]
