"""Django's command line."""

import os
import sys


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if "SECRET_KEY" not in os.environ:
        # No secret was given, so this is nobody's server: use this machine's own, as `make run` does.
        os.environ.setdefault("BARPOINT_PROFILE", "local")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
