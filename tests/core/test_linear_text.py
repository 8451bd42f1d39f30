"""The time of every reader of text grows as the length of the text, whatever it is: none can stop a process."""

import ast
import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest

from core.limited import SMALL
from engine.errors import Refused
from tests import texts
from tests.test_layout import python_files
from tests.texts import AFTER, HEADS, RAISES, READERS, SHAPES, SHORTER, project_fields

SECONDS = 2.0
"""Processor time in which `SMALL` characters are read on a slow machine; by a bad pattern they take minutes."""
NO_DATABASE = "Database access not allowed"
"""What a reader raises that looks for the text in the database: it has been read by then."""


def problems(calls: Sequence[Callable[[], object]], seconds: float) -> Iterator[tuple[int, str]]:
    """Yield the calls that take more processor time twice, each ended by the system, or raise anything, and what."""
    at, tried = 0, False
    while at < len(calls):
        ran, error, status = in_a_child(calls[at:], seconds)
        at += ran
        if error:
            yield at, error
        elif status and not tried:
            tried = True
            continue
        elif status:
            yield at, f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
        at, tried = at + 1, False


def in_a_child(calls: Sequence[Callable[[], object]], seconds: float) -> tuple[int, str, int]:
    """Make calls in a copy of this process until one fails.

    Returns how many passed, what the next one raised, and the status with which the process ended.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        # What the process had before is no garbage of a reader: to look through it would take as long as the limit.
        gc.freeze()
        passed = 0
        try:
            for call in calls:
                signal.setitimer(signal.ITIMER_PROF, seconds)
                call()
                passed += 1
                os.write(writing, b".")
        except BaseException as error:  # noqa: BLE001, reported by the parent
            os.write(writing, repr(error)[:200].encode(errors="replace"))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        answer = pipe.read()
    raised = answer.lstrip(b".")
    return len(answer) - len(raised), raised.decode(), os.waitpid(child, 0)[1]


def quietly(read: Callable[[str], object], text: str, allowed: tuple[type[Exception], ...]) -> None:
    try:
        read(text)
    except allowed:
        pass
    except RuntimeError as error:
        if NO_DATABASE not in str(error):
            raise


def slow_or_wrong(calls: dict[str, Callable[[], object]]) -> dict[str, str]:
    """Return the calls that are ended or raise anything, by their names."""
    assert calls
    names = list(calls)
    return {names[at]: problem for at, problem in problems(list(calls.values()), SECONDS)}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_is_linear(name: str) -> None:
    allowed = (Refused, RAISES.get(name, Refused))
    failures = slow_or_wrong(
        {
            f"{head} {shape} {length}": partial(quietly, READERS[name], HEADS.get(head, "") + shape.of(length), allowed)
            for length in (SMALL, *([SHORTER[name]] if name in SHORTER else []))
            for head in ("", *AFTER.get(name, ()))
            for shape in SHAPES
        }
    )
    assert not failures, "\n".join(f"{shape}: {problem}" for shape, problem in failures.items())


def test_readers_of_small_texts_are_walked() -> None:
    calls = {
        ast.unparse(node.args[0])
        for path in python_files()
        if path.name != "limited.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("limited.read", "limited.read_in_request")
    }
    assert calls
    assert calls <= set(vars(texts)), "what is read without a process has to be in tests/texts.py"


def test_every_field_is_linear() -> None:
    failures = slow_or_wrong(
        {
            f"{name} {shape}": partial(quietly, read, shape.of(SMALL), (Refused,))
            for name, read in project_fields().items()
            for shape in SHAPES
        }
    )
    assert not failures, "\n".join(f"{shape}: {problem}" for shape, problem in failures.items())
