"""How the time of each reader of text grows with the length of its text, for the costliest of the shapes of the tests.

A reader is linear if twice the text takes twice the time: the last column is how much longer 64 KiB take than 4 KiB.
"""

from collections.abc import Callable
from contextlib import suppress
from time import process_time

import benchmarks.pages  # noqa: F401, sets Django up
from engine.errors import Refused
from tests.texts import RAISES, READERS, SHAPES, SHORTER

LENGTHS = [4096, 8192, 16384, 32768, 65536]


def main() -> None:
    """Print the milliseconds of processor time of each reader at each length."""
    print(f"{'':24}" + "".join(f"{length // 1024:>7} K" for length in LENGTHS) + f"{'growth':>9}")
    for name, read in READERS.items():
        if name not in SHORTER:
            times = [max(best_of_two(name, read, shape.of(length)) for shape in SHAPES) for length in LENGTHS]
            growth = times[-1] / max(times[0], 1e-6)
            print(f"{name:24}" + "".join(f"{time * 1000:9.2f}" for time in times) + f"{growth:9.1f}")


def best_of_two(name: str, read: Callable[[str], object], text: str) -> float:
    return min(seconds(name, read, text) for _ in range(2))


def seconds(name: str, read: Callable[[str], object], text: str) -> float:
    """Return the processor time of reading a text, which may be refused."""
    began = process_time()
    with suppress(Refused, RAISES.get(name, Refused)):
        read(text)
    return process_time() - began


if __name__ == "__main__":
    main()
