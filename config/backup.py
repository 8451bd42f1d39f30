"""Backups: one portable archive of the whole database, from SQLite or PostgreSQL and to either."""

import base64
import fcntl
import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.apps import apps
from django.conf import settings
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import BinaryField, Field, ForeignKey, Model, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.duration import duration_string
from redis.exceptions import RedisError

from config import new_database
from config.environment import VERSION
from core.queue import SWEEPS, broker
from matches.models import Pulse

# The archive: a ZIP file with one part for each table, and a manifest with the checksum of each part.
#
# A part has one JSON array a line: first the names of the columns, then the values of each row. The manifest is
# written last, so a file without one is incomplete.


FORMAT = "barpoint-backup"
FORMAT_VERSION = 2
READABLE_VERSIONS = (1, FORMAT_VERSION)
"""The first had no sealed columns."""
MANIFEST = "manifest.json"
READ_AT_ONCE = 1024 * 1024
MAX_MANIFEST = 16 * 1024 * 1024
"""Bytes of a manifest, which has a few hundred lines."""
MAX_ROW = 256 * 1024 * 1024
"""Bytes of a row. The largest has a record and its transcript, some tens of megabytes."""
COMPRESSION_LEVEL = 3
"""Half the time of the default level for a file that is a tenth larger."""


COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGE = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError, RuntimeError)
"""What `zipfile` raises for damaged files, depending on which bytes are wrong."""


class BrokenArchive(Exception):
    """The file is no backup, is damaged or incomplete; the message tells the operator what is wrong."""


@dataclass(frozen=True)
class ArchivedTable:
    table: str
    rows: int
    size: int
    sha256: str

    @property
    def name(self) -> str:
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
    key_check: str = ""
    """What tells whether this site's SECRET_KEY opens the sealed columns; empty if none are sealed."""

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """Return the manifest of an archive. Raises BrokenArchive for any other file."""
        try:
            values = json.loads(text)
            if values["format"] != FORMAT or values["format_version"] not in READABLE_VERSIONS:
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
        self._archive.writestr(MANIFEST, json.dumps(asdict(self._manifest), indent=1))


class ArchiveReader:
    """Reads an archive; a context manager. Raises BrokenArchive for a file that is none."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = zipfile.ZipFile(path)
            if any(part.compress_type not in COMPRESSIONS for part in self._archive.infolist()):
                raise BrokenArchive("The file is packed in another way than a backup.")
            if self._archive.getinfo(MANIFEST).file_size > MAX_MANIFEST:
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
            while line := lines.readline(MAX_ROW):
                if not line.endswith(b"\n"):
                    raise BrokenArchive(f"{part.name} has a row that is too long.")
                yield json.loads(line)


# The values of a row as JSON, the same whichever database they come from.


Decoder = Callable[[Any], Any]

AS_IN_JSON = {
    "AutoField",
    "BigAutoField",
    "BigIntegerField",
    "BooleanField",
    "CharField",
    "EmailField",
    "FloatField",
    "IntegerField",
    "PositiveBigIntegerField",
    "PositiveIntegerField",
    "PositiveSmallIntegerField",
    "SlugField",
    "SmallAutoField",
    "SmallIntegerField",
    "TextField",
    "URLField",
}
"""Types of columns whose values are the same in JSON and in both databases."""


def encode(values: Iterable[Any]) -> str:
    """Return a row as a JSON array. Keys of objects are sorted, since PostgreSQL does not keep their order."""
    return json.dumps(list(values), default=_encode_value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _encode_value(value: object) -> str:
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return duration_string(value)
        case bytes() | memoryview():
            return base64.b64encode(value).decode()
        case Decimal() | UUID():
            return str(value)
    raise TypeError(f"A backup cannot contain a {type(value).__name__}.")


def decoder(field: "Field[Any, Any]") -> Decoder | None:
    """Return the function from a value in JSON to what the database stores in this column; None for the same value."""
    while isinstance(field, ForeignKey):
        field = field.target_field
    kind = field.get_internal_type()
    if kind in AS_IN_JSON:
        return None
    if kind == "DateTimeField":
        return _or_null(lambda value: connection.ops.adapt_datetimefield_value(datetime.fromisoformat(value)))
    return _or_null(lambda value: field.get_db_prep_save(field.to_python(value), connection))


def _or_null(decode: Decoder) -> Decoder:
    return lambda value: None if value is None else decode(value)


# Columns that open accounts are sealed with a key from SECRET_KEY, so that a stolen backup opens none. What is equal
# stays equal, so that two backups of the same rows have the same checksums.


SEALED = {"otp_totp_totpdevice": "key", "players_accountsession": "session_key"}
"""By table: the keys of authenticator apps, and of sessions."""
KEYED = {*SEALED, "players_recoverycode"}
"""Tables that are of no use with another SECRET_KEY; recovery codes are stored as hashes with it."""


def seal(table: str, value: str) -> str:
    """Encrypt the value of a table's sealed column."""
    return base64.b64encode(_cipher().encrypt(value.encode(), [table.encode()])).decode()


def unseal(table: str, value: str) -> str:
    """Return what `seal` was given with the same SECRET_KEY."""
    return _cipher().decrypt(base64.b64decode(value), [table.encode()]).decode()


def _cipher() -> AESSIV:
    return AESSIV(salted_hmac("config.backup", "sealed columns", algorithm="sha512").digest())


def _key_check() -> str:
    return salted_hmac("config.backup", "key check", algorithm="sha512").hexdigest()[:32]


# The tables of the database, as they are after any set of migrations.


Migrations = list[tuple[str, str]]

FILLED_BY_MIGRATE = {"django_content_type", "auth_permission"}
"""Tables that are not empty in a new database."""


class UnknownMigrations(Exception):
    """This release does not know some migrations; the message names them."""


def applied_migrations() -> Migrations:
    """Return the applied migrations, sorted, without those that others replace."""
    loader = MigrationLoader(connection)
    replaced = {key for migration in (loader.disk_migrations or {}).values() for key in migration.replaces}
    return sorted(set(MigrationRecorder(connection).applied_migrations()) - replaced)


def models_after(migrations: Migrations) -> list[type[Model]]:
    """Return the models as they are once these migrations are applied, one for each table, sorted by table.

    Raises UnknownMigrations.
    """
    loader = MigrationLoader(connection)
    _check_known(loader, migrations)
    if set(migrations) >= set(loader.graph.nodes):
        classes: Iterable[type[Model]] = apps.get_models(include_auto_created=True)
    else:
        classes = loader.project_state(_latest(loader, migrations)).apps.get_models(include_auto_created=True)
    tables = {model._meta.db_table: model for model in classes if model._meta.managed and not model._meta.proxy}
    return [tables[name] for name in sorted(tables)]


def create_tables(migrations: Migrations) -> None:
    """Create the tables as they are after these migrations, in a database without any. Raises UnknownMigrations."""
    loader = MigrationLoader(connection)
    _check_known(loader, migrations)
    if connection.vendor == "sqlite" and set(migrations) >= set(loader.graph.nodes):
        # They are those of this release, of which the script has at least the older ones.
        with connection.cursor() as cursor:
            for statement in new_database.statements():
                cursor.execute(statement)
    MigrationExecutor(connection).migrate(_latest(loader, migrations))
    # On PostgreSQL, migrations end with foreign keys checked row by row in the rest of the transaction.
    connection.check_constraints()


def drop_tables() -> None:
    """Drop all tables of the database, or of the schema in use."""
    tables = [connection.ops.quote_name(table) for table in connection.introspection.table_names()]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"DROP TABLE {', '.join(tables)} CASCADE")
            return
        for table in tables:
            cursor.execute(f"DROP TABLE {table}")


def _check_known(loader: MigrationLoader, migrations: Migrations) -> None:
    assert loader.disk_migrations is not None  # noqa: S101 (the constructor has read them)
    if unknown := [f"{app}.{name}" for app, name in migrations if (app, name) not in loader.disk_migrations]:
        raise UnknownMigrations(
            f"This release does not know the migrations {', '.join(unknown)}: use the release that wrote the backup."
        )


def _latest(loader: MigrationLoader, migrations: Migrations) -> Migrations:
    """Return those migrations that no other one of the same app depends on."""
    chosen = set(migrations)
    return [
        key
        for key in migrations
        if not any(child.key in chosen and child.key[0] == key[0] for child in loader.graph.node_map[key].children)
    ]


# Write a backup of the whole database while the site runs.


ROWS_AT_ONCE = 2000
FILES_AT_ONCE = 20
"""Rows of a table with files, each of which may have several megabytes."""


def save(path: Path) -> Manifest:
    """Write the archive and return its manifest; a file of that name is replaced once the new one is verified."""
    with snapshot():
        migrations = applied_migrations()
        now = timezone.now().isoformat()
        manifest = Manifest(VERSION, now, connection.vendor, migrations, key_check=_key_check())
        with new_archive(path, manifest) as archive:
            for model in models_after(migrations):
                columns = [field.attname for field in model._meta.local_concrete_fields]
                archive.add(model._meta.db_table, columns, _rows(model, columns))
    return manifest


def _rows(model: type[Model], columns: list[str]) -> Iterator[str]:
    rows: QuerySet[Model] = QuerySet(model).order_by("pk")
    has_files = any(isinstance(field, BinaryField) for field in model._meta.local_concrete_fields)
    at_once = FILES_AT_ONCE if has_files else ROWS_AT_ONCE
    values: Iterable[Iterable[Any]] = rows.values_list(*columns).iterator(at_once)
    table = model._meta.db_table
    if table in SEALED:
        at = columns.index(SEALED[table])
        values = ([*row[:at], seal(table, row[at]), *row[at + 1 :]] for row in rows.values_list(*columns).iterator())
    yield from map(encode, values)


@contextmanager
def snapshot() -> Iterator[None]:
    """Read one state of the database, whatever is written meanwhile, without blocking writers."""
    connection.ensure_connection()
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    # Otherwise the transaction would be IMMEDIATE and keep out every writer.
    mode = connection.transaction_mode  # type: ignore[attr-defined] # of SQLite's connections
    connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
    try:
        with transaction.atomic():
            yield
    finally:
        connection.transaction_mode = mode  # type: ignore[attr-defined]


# Fill a database from a backup.


Row = list[Any]
ROWS_WRITTEN_AT_ONCE = 1000


class NotRestorable(Exception):
    """The database is not fit for this backup; the message tells the operator why. Nothing was changed."""


def restore(archive: ArchiveReader, *, replace: bool = False, without_keyed: bool = False) -> None:
    """Load every table in one transaction; the schema becomes what it was at the backup.

    A database without tables gets the tables of the backup. One with rows or with other migrations, older or newer
    ones, is refused unless `replace`. A backup that was sealed with another SECRET_KEY is refused unless
    `without_keyed`, which leaves out second factors and sessions. Raises BrokenArchive, NotRestorable and
    UnknownMigrations.
    """
    archive.verify()
    migrations, before = archive.manifest.migrations, applied_migrations()
    if before and before != migrations and not replace:
        raise NotRestorable("The database has other migrations than the backup: --replace deletes all that is there.")
    models = models_after(migrations)
    if before == migrations and not replace and (filled := _filled(models)):
        raise NotRestorable(f"The database is not empty: there are rows in {', '.join(filled)}.")
    if is_sealed_otherwise(archive.manifest) and not without_keyed:
        raise NotRestorable(
            "The backup was written with another SECRET_KEY. Set that key; or leave out second factors and sessions "
            "(--without-second-factors): then all accounts open by their password alone until their owners set up the "
            "second factor again."
        )
    parts = {part.table: part for part in archive.manifest.parts}
    if parts.keys() != {model._meta.db_table for model in models}:
        raise BrokenArchive("The tables of the backup are not those of its migrations.")
    # SQLite can only suspend its checks outside a transaction; PostgreSQL checks deferred keys at the end by itself.
    with connection.constraint_checks_disabled(), transaction.atomic():
        if before != migrations:
            if before:
                drop_tables()
            create_tables(migrations)
        _empty(models)
        for model in models:
            _load(model, archive, parts[model._meta.db_table])
        connection.check_constraints()
        _reset_sequences(models)


def is_sealed_otherwise(manifest: Manifest) -> bool:
    """Whether the backup was sealed with another SECRET_KEY."""
    return manifest.key_check not in ("", _key_check())


def _filled(models: Iterable[type[Model]]) -> list[str]:
    """Return the tables that have rows, save those that migrations fill."""
    tables = {model._meta.db_table: model for model in models if model._meta.db_table not in FILLED_BY_MIGRATE}
    return [table for table, model in tables.items() if QuerySet(model).exists()]


def _empty(models: Iterable[type[Model]]) -> None:
    tables = [connection.ops.quote_name(model._meta.db_table) for model in models]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"TRUNCATE {', '.join(tables)}")
            return
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 (the name of our own table)


def _load(model: type[Model], archive: ArchiveReader, part: ArchivedTable) -> None:
    if part.table in KEYED and is_sealed_otherwise(archive.manifest):
        return
    rows = archive.rows(part)
    columns = next(rows)
    fields = {field.attname: field for field in model._meta.local_concrete_fields}
    if set(columns) != fields.keys():
        raise BrokenArchive(f"The columns of {part.table} are not those of its migrations.")
    decoders = {place: decode for place, name in enumerate(columns) if (decode := decoder(fields[name])) is not None}
    if archive.manifest.key_check and part.table in SEALED:
        decoders[columns.index(SEALED[part.table])] = partial(unseal, part.table)

    def decoded() -> Iterator[Row]:
        for row in rows:
            for place, decode in decoders.items():
                row[place] = decode(row[place])
            yield row

    names = [connection.ops.quote_name(fields[name].column or name) for name in columns]
    _insert(connection.ops.quote_name(part.table), names, decoded())


def _insert(table: str, names: list[str], rows: Iterator[Row]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({', '.join(names)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join(["%s"] * len(names))
        statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 (our own names)
        while batch := list(islice(rows, ROWS_WRITTEN_AT_ONCE)):
            cursor.executemany(statement, batch)


def _reset_sequences(models: list[type[Model]]) -> None:
    """Let new rows follow the loaded ones; SQLite does so by itself."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


# Who else uses the database, and a database to rehearse in.


ALIVE = timedelta(seconds=10)
"""A process that was seen within this time counts as running: web processes beat every two seconds, and workers end
some sweep every second."""
DRILLS = "restore-drill"
"""The topic of the log under which rehearsals that succeeded are noted."""


def recent_activity(now: datetime) -> list[str]:
    """Return a phrase for each kind of process that was seen at work on this database just now."""
    if Pulse._meta.db_table not in connection.introspection.table_names():
        return []
    seen = [("a web process", at) for at in Pulse.objects.values_list("beat_at", flat=True)]
    if settings.REDIS_URL:
        try:
            with broker(as_text=True) as client:
                sweeps = client.hgetall(SWEEPS)
        except RedisError:
            # Without their broker workers do nothing.
            sweeps = {}
        ended = [(datetime.fromtimestamp(float(at), UTC), name) for name, at in sweeps.items()]
        seen += [(f"a worker ({name})", at) for at, name in sorted(ended)[-1:]]
    return [
        f"{process} at {at.astimezone(UTC):%H:%M:%S} UTC, {max(0, round((now - at).total_seconds()))} s ago"
        for process, at in seen
        if now - at < ALIVE
    ]


@contextmanager
def temporary_database(name: str) -> Iterator[None]:
    """Use an empty database: a file beside that of SQLite, or a schema of PostgreSQL, removed at the end."""
    usual = connections[DEFAULT_DB_ALIAS]
    options = usual.settings_dict["OPTIONS"]
    schema = f"barpoint_{name}"
    changed: dict[str, Any]
    if usual.vendor == "postgresql":
        changed = {"OPTIONS": {**options, "options": f"{options.get('options', '')} -c search_path={schema}".strip()}}
    else:
        changed = {"NAME": f"{usual.settings_dict['NAME']}.{name}"}

    def remove() -> None:
        if usual.vendor == "postgresql":
            with usual.cursor() as cursor:
                cursor.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
            return
        for suffix in ("", "-wal", "-shm"):
            Path(f"{changed['NAME']}{suffix}").unlink(missing_ok=True)

    # What a drill left that was killed.
    remove()
    if usual.vendor == "postgresql":
        with usual.cursor() as cursor:
            cursor.execute(f"CREATE SCHEMA {schema}")
    other = type(usual)({**usual.settings_dict, **changed}, DEFAULT_DB_ALIAS)
    connections[DEFAULT_DB_ALIAS] = other
    try:
        yield
    finally:
        other.close()
        connections[DEFAULT_DB_ALIAS] = usual
        remove()


# Backups by themselves: one whenever the newest is old enough, and the oldest are removed.


PREFIX = "barpoint-"
TIME_FORMAT = "%Y%m%dT%H%M%SZ"


def back_up_if_due(folder: Path, *, every: timedelta, keep: int, now: datetime) -> Path | None:
    """Write a backup if the newest is older than `every`, keep the newest `keep`, and return the new one, if any.

    Of several processes that try at the same time, one does.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _only_process(folder) as is_only:
        times = backups(folder)
        if not is_only or (times and now - max(times) < every):
            return None
        # What a process left that was killed.
        for draft in folder.glob(f".{PREFIX}*.part"):
            draft.unlink()
        path = folder / f"{PREFIX}{now.astimezone(UTC):{TIME_FORMAT}}.zip"
        save(path)
        for old in sorted(backups(folder).items(), reverse=True)[keep:]:
            old[1].unlink()
    return path


def backups(folder: Path) -> dict[datetime, Path]:
    """Return the backups of a folder by time; other files are left alone."""
    archives = {}
    for path in folder.glob(f"{PREFIX}*.zip"):
        try:
            time = datetime.strptime(path.stem.removeprefix(PREFIX), TIME_FORMAT).replace(tzinfo=UTC)
        except ValueError:
            continue
        archives[time] = path
    return archives


@contextmanager
def _only_process(folder: Path) -> Iterator[bool]:
    """Yield whether no other process is writing a backup; none can begin meanwhile."""
    with (folder / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
