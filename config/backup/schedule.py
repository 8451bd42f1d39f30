"""Backups by themselves: one whenever the newest is old enough, and the oldest are removed."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from config.backup.saving import save

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
