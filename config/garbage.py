"""The garbage collector of a web process."""

import gc

THRESHOLDS = (5_000, 20, 20)
"""Python's own would run a full collection every four seconds while 200 matches are played, since the objects of a
request are often still in use when the youngest are collected."""


def collect_rarely() -> None:
    """Keep what is loaded by now out of collections for good, and run them less often.

    A full one stops the process for some 200 ms with all modules loaded, and for as long with 400 streams open.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
