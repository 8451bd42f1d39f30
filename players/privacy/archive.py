"""The ZIP file of an export."""

import json
import zipfile
from collections.abc import Iterable
from datetime import datetime
from typing import IO, Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import translation
from django.utils.translation import gettext as _

from players.models import User
from players.privacy.sections import Person, files_of, sections


def write_archive(file: IO[bytes], person: Person, *, reader: User, now: datetime) -> None:
    """Write a ZIP with a JSON file for each section, the person's records and a README in the reader's language."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        contents = {section.name: _write_rows(archive, section.name, section.rows(person)) for section in sections()}
        for path, data in files_of(person):
            archive.writestr(path, data)
        with translation.override(reader.language or settings.LANGUAGE_CODE):
            archive.writestr("README.txt", _readme(person, contents, now))


def _write_rows(archive: zipfile.ZipFile, name: str, rows: Iterable[dict[str, Any]]) -> int:
    """Write rows as a JSON list, one on a line, and return how many there were."""
    count = 0
    with archive.open(f"{name}.json", "w", force_zip64=True) as file:
        _write(file, "[")
        for row in rows:
            _write(file, (",\n" if count else "\n") + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False))
            count += 1
        _write(file, "\n]\n")
    return count


def _write(file: IO[bytes], text: str) -> None:
    file.write(text.encode())


def _readme(person: Person, contents: dict[str, int], now: datetime) -> str:
    lines = [
        _("Everything that Barpoint knows about %(name)s, on %(date)s.")
        % {
            "name": person.players[0].name or person.players[0].shown_name,
            "date": now.date().isoformat(),
        },
        "",
        _("Each file is a JSON list with one row a line. Times are in UTC. Sides of a match are 0 and 1."),
        _("Not in here: passwords and keys, which are stored as hashes, and what others wrote about other people."),
        "",
        *(f"{section.name}.json ({contents[section.name]}): {section.about}" for section in sections()),
    ]
    return "\n".join(lines) + "\n"
