"""What an operator watches: whether the site works, its metrics, and reports of errors."""

import importlib.util
from contextlib import AbstractContextManager, nullcontext
from functools import cache


@cache
def is_measured() -> bool:
    """Whether prometheus-client is installed, without which there are no metrics."""
    return importlib.util.find_spec("prometheus_client") is not None


def open_stream() -> AbstractContextManager[None]:
    if not is_measured():
        return nullcontext()
    # It imports prometheus-client, which is optional.
    from config.monitoring import metrics

    return metrics.stream()
