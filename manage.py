#!/usr/bin/env python3
"""Django's command line; `./manage.py` finds what `make` has installed."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

VENV = Path(__file__).resolve().parent / ".venv"


def main() -> None:
    """Run one management command."""
    if find_spec("django") is None and VENV.exists() and Path(sys.prefix) != VENV:
        # Not `subprocess`: signals and the exit status are those of the command.
        python = str(VENV / "bin" / "python")
        os.execv(python, [python, *sys.argv])  # noqa: S606
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    is_configured = "DATABASE_URL" in os.environ or os.environ.get("BARPOINT_PROFILE") == "local"
    if "SECRET_KEY" not in os.environ:
        # No secret was given, so this is nobody's server: use this machine's own, as `make run` does.
        os.environ.setdefault("BARPOINT_PROFILE", "local")
    from django.core.management import execute_from_command_line

    if not is_configured:
        from config.database import announce_on_connection

        announce_on_connection()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
