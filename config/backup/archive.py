"""The archive: a ZIP file with one part for each table, and a manifest with the checksum of each part.

A part has one JSON array a line: first the names of the columns, then the values of each row. The manifest is written
last, so a file without one is incomplete.
"""

import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Self

FORMAT = "barpoint-backup"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
READ_AT_ONCE = 1024 * 1024
MOST_MANIFEST = 16 * 1024 * 1024
"""Bytes of a manifest, which has a few hundred lines."""
LONGEST_ROW = 256 * 1024 * 1024
"""Bytes of a row. The largest has a record and its transcript, some tens of megabytes."""
COMPRESSION_LEVEL = 3
"""Half the time of the default level for a file that is a tenth larger."""


DAMAGE = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError, RuntimeError)
"""What `zipfile` raises for damaged files, depending on which bytes are wrong."""


class BrokenArchive(Exception):
    """The file is no backup, is damaged or incomplete; the message tells the operator what is wrong."""


@dataclass(frozen=True)
class ArchivedTable:
    """One table in the archive."""

    table: str
    rows: int
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """Its path in the archive."""
        return _path(self.table)


@dataclass
class Manifest:
    """What an archive contains, and where it comes from."""

    release: str
    created_at: str
    database: str
    migrations: list[tuple[str, str]]
    """The applied migrations, by app and name."""
    parts: list[ArchivedTable] = field(default_factory=list)
    format: str = FORMAT
    format_version: int = FORMAT_VERSION

    @property
    def rows(self) -> int:
        """The number of rows in all tables."""
        return sum(part.rows for part in self.parts)

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """Return the manifest of an archive. Raises BrokenArchive for any other file."""
        try:
            values = json.loads(text)
            if values["format"] != FORMAT or values["format_version"] != FORMAT_VERSION:
                raise BrokenArchive("The file was not written by a release of Barpoint that this one understands.")
            parts = [ArchivedTable(**part) for part in values.pop("parts")]
            migrations = [(app, name) for app, name in values.pop("migrations")]
            return cls(parts=parts, migrations=migrations, **values)
        except (ValueError, KeyError, TypeError) as error:
            raise BrokenArchive("The file has no manifest of a backup.") from error


def _path(table: str) -> str:
    return f"tables/{table}.jsonl"


@contextmanager
def new_archive(path: Path, manifest: Manifest) -> Iterator["Writer"]:
    """Yield a writer whose file appears under its name once it is complete and verified; readable by its owner only.

    Raises BrokenArchive if it differs from what was written; a former file of that name then stays.
    """
    draft = path.with_name(f".{path.name}.part")
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL) as archive:
                writer = Writer(archive, manifest)
                yield writer
                writer.finish()
            file.flush()
            os.fsync(file.fileno())
        with ArchiveReader(draft) as written:
            written.verify()
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


class Writer:
    """Writes the parts of an archive one after the other."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self._archive = archive
        self._manifest = manifest

    def add(self, table: str, columns: list[str], rows: Iterable[str]) -> None:
        """Write one table; each row is a JSON array without line breaks."""
        digest, size, count = hashlib.sha256(), 0, 0
        with self._archive.open(_path(table), "w", force_zip64=True) as part:
            for count, line in enumerate(chain([json.dumps(columns)], rows)):  # noqa: B007 (the count of rows)
                data = f"{line}\n".encode()
                digest.update(data)
                size += part.write(data)
        self._manifest.parts.append(ArchivedTable(table, count, size, digest.hexdigest()))

    def finish(self) -> None:
        """Write the manifest."""
        self._archive.writestr(MANIFEST, json.dumps(asdict(self._manifest), indent=1))


class ArchiveReader:
    """Reads an archive; a context manager. Raises BrokenArchive for a file that is none."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = zipfile.ZipFile(path)
            if self._archive.getinfo(MANIFEST).file_size > MOST_MANIFEST:
                raise BrokenArchive("The file has no manifest of a backup.")
            self.manifest = Manifest.parse(self._archive.read(MANIFEST))
        except DAMAGE as error:
            raise BrokenArchive(f"{path} is not a complete backup.") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def verify(self) -> None:
        """Compare every part with its checksum. Raises BrokenArchive naming the first part that differs."""
        for part in self.manifest.parts:
            digest = hashlib.sha256()
            try:
                if self._archive.getinfo(part.name).file_size != part.size:
                    raise BrokenArchive(f"{part.name} is not as long as the manifest says.")
                with self._archive.open(part.name) as file:
                    while data := file.read(READ_AT_ONCE):
                        digest.update(data)
            except DAMAGE as error:
                raise BrokenArchive(f"{part.name} cannot be read: {error}") from error
            if digest.hexdigest() != part.sha256:
                raise BrokenArchive(f"{part.name} differs from its checksum.")

    def rows(self, part: ArchivedTable) -> Iterator[list[Any]]:
        """Yield the names of the columns of a table, then the values of each row."""
        with self._archive.open(part.name) as file:
            lines = io.BufferedReader(file, READ_AT_ONCE)  # type: ignore[type-var]  # it can be read into a buffer
            while line := lines.readline(LONGEST_ROW):
                if not line.endswith(b"\n"):
                    raise BrokenArchive(f"{part.name} has a row that is too long.")
                yield json.loads(line)
