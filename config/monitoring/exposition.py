"""All metrics as text."""

import os
import re
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import REGISTRY

from config.monitoring.queues import QueueCollector


def exposition() -> bytes:
    """Return the metrics in Prometheus's text format, with the queues as they are now."""
    queues = CollectorRegistry()
    queues.register(QueueCollector())
    registry = REGISTRY
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        forget_dead_processes(Path(folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    text: bytes = generate_latest(registry) + generate_latest(queues)
    return text


def forget_dead_processes(folder: Path) -> None:
    """Remove what processes that have ended counted as open now; their totals stay."""
    for path in folder.glob("gauge_live*.db"):
        process = re.search(r"_(\d+)\.db$", path.name)
        if process is not None and not _is_alive(int(process[1])):
            mark_process_dead(int(process[1]), str(folder))  # type: ignore[no-untyped-call]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # It belongs to another user.
        return True
    return True
