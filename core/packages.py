"""The list of our top-level packages, which the settings, the caches, the tools and the tests read.

It is read before Django is set up, so it imports only the standard library.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PACKAGES = (
    "engine",
    "formats",
    "core",
    "players",
    "matches",
    "tournaments",
    "prizes",
    "seasons",
    "display",
    "clubhouse",
    "demo",
    "config",
)
"""Each may import itself and those before it."""

PURE = ("engine", "formats")
"""Those that import only the standard library, with the exceptions in `tests/test_layout.py`."""

DJANGO_APPS = tuple(name for name in PACKAGES if (ROOT / name / "apps.py").is_file())
"""Those that Django installs."""
