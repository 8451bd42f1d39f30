"""Take a web process out of service before it stops: after SIGUSR1 its health check fails, and all else goes on.

A proxy that asks `/healthz` then sends new requests elsewhere. A form that reaches a process just as it stops could not
be sent again to another one.
"""

import signal
import threading
from types import SimpleNamespace

# No `threading.Event`: a second signal within `set` would wait for a lock that the first holds.
_process = SimpleNamespace(is_draining=False)


def listen() -> None:
    """Begin to drain this process when it gets SIGUSR1."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGUSR1, _drain)


def is_draining() -> bool:
    """Whether this process gets no new requests, since it is about to stop."""
    return bool(_process.is_draining)


def _drain(_signal: int, _frame: object) -> None:
    _process.is_draining = True
