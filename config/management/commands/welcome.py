"""`./manage.py welcome`: what `make run` prints once the site is ready."""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import segno
from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from config import lan
from core.links import is_for_this_machine_only
from demo import owner
from demo.club import is_loaded, logins_file
from matches.analysis.backends.chosen import installed_backend_name
from players.models import Club

RULE = "─" * 78
MULTICAST_DNS = Path("/run/avahi-daemon/pid")
"""Exists while this machine answers to its name in the network."""


class Command(BaseCommand):
    """Print the site's URLs, the logins of the demo club, and where e-mails go."""

    help = "Print the site's URLs, the logins of the demo club, and where e-mails go."

    def handle(self, *args: Any, **options: Any) -> None:
        lines = ["", RULE, "Barpoint is ready. Ctrl-C stops it.", "", *_urls(), *_owner(), *_demo(), *_services(), RULE]
        self.stdout.write("\n".join(lines))


def _is_open() -> bool:
    """Whether other devices can reach the site."""
    return not is_for_this_machine_only(settings.SITE_URL)


def _urls() -> Iterator[str]:
    port = os.environ.get("PORT", "8000")
    yield f"This machine  http://127.0.0.1:{port}/"
    if not _is_open():
        yield "Phones        cannot reach this site: `make run-lan` opens it to the network, if there is one."
        return
    yield f"Phones        {settings.SITE_URL}/"
    if MULTICAST_DNS.exists():
        yield f"              http://{lan.local_name()}:{port}/"
    yield "              Push messages need HTTPS: see “HTTPS in the club's network” in docs/operations.md"
    yield from ("", _qr_code(f"{settings.SITE_URL}/"))


def _qr_code(url: str) -> str:
    code = io.StringIO()
    segno.make(url, error="l").terminal(out=code, border=2, compact=True)
    return code.getvalue()


def _owner() -> Iterator[str]:
    """A new link, which replaces the one of the last start; none once there are clubs but no demo."""
    if Club.objects.exists() and not is_loaded():
        return
    path = owner.renew(now=timezone.now())
    yield from ("", "For you, the owner: look around the demo, or start with your club (works once, also on a phone)")
    yield f"  {settings.SITE_URL}{path}"


def _demo() -> Iterator[str]:
    """The logins of the demo club, while there is one."""
    logins = logins_file()
    if not logins.exists():
        return
    yield from ("", "Demo club: e-mail, password and role")
    yield from (f"  {line}" for line in logins.read_text(encoding="utf-8").splitlines())
    if _is_open():
        yield "  These logins work for everybody in the network."


def _services() -> Iterator[str]:
    yield ""
    if "filebased" in settings.EMAIL_BACKEND:
        yield f"E-mails       are written to {_shown(settings.EMAIL_FILE_PATH)}/ (EMAIL_HOST names a mail server)"
    else:
        yield f"E-mails       are sent by {settings.EMAIL_HOST}"
    if settings.ANALYSIS_BACKEND != "off":
        program = installed_backend_name()
        missing = "matches are not analysed: `apt-get install gnubg` or `make analysis` adds a program"
        yield f"Analysis      by {program}" if program else f"Analysis      {missing}"


def _shown(path: Path) -> str:
    """A path relative to the operator's folder, if it lies there."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
