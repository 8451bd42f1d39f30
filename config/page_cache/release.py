"""Which sources this process runs: pages of another release must not be shown."""

import hashlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("engine", "core", "players", "matches", "tournaments", "config", "templates")


@cache
def release() -> str:
    """Return a digest of the names, sizes and times of all sources; it is made when the process first needs it."""
    digest = hashlib.blake2b(digest_size=12)
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix in (".py", ".html", ".css", ".js", ".mo", ".svg"):
                about = path.stat()
                digest.update(f"{path.relative_to(ROOT)} {about.st_size} {about.st_mtime_ns}\n".encode())
    return digest.hexdigest()
