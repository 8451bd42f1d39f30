"""No sweep of beat or of the clock worker goes over rows of several clubs but by `core.faults.each`."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import pytest

from config.celery import app
from core.faults import each
from core.packages import PACKAGES
from core.queue import hint
from matches.play import clock_worker

Function = Callable[..., Any]
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SAFE = frozenset({each, hint})
"""What a loop may call, and what is not followed: `hint` gets ids, and fails with the broker alone."""


WRITES = frozenset({"save", "delete", "update", "create"})
HARMLESS = {
    "core.live.presence.presences_after": "one pipeline to the broker",
    "matches.play.absences.note_absences": "one question to the broker for many matches",
    "matches.play.watching.announce_delayed": "names of topics that were read at once",
    "matches.reporting.appointments.send_due_deadlines": "keys of reminders",
    "players.mail.send_again": "two queries over all rows",
    "players.notifications.services._plan_deliveries": "the notices of one act",
    "players.notifications.services.chosen": "the notices of one act",
    "players.notifications.services.notify_each": "the notices of one act",
    "clubhouse.letters.sending._planned": "names of topics",
    "matches.ratings.rated.merged_players": "follows ids that were read at once",
    "players.people.rows.people_of": "rows of one query",
    "players.people.rows.accounts_of": "picks among rows that were read at once",
    "players.people.rows.touch_users_on_commit": "adds up ids",
    "config.backup.back_up_if_due": "files of the whole site",
    "config.backup.save": "tables of the whole site",
    "config.backup._rows": "tables of the whole site",
}
"""Loops that call something and yet need no boundary, and why."""


class Walk:
    """The functions that a sweep reaches, without what `each` calls, and the loops in them that call others."""

    def __init__(self, *sweeps: Function) -> None:
        self.loops: set[str] = set()
        self.seen: set[Function] = set()
        for sweep in sweeps:
            self._visit(sweep)

    def _visit(self, function: Function) -> None:
        if function in self.seen or function in SAFE:
            return
        self.seen.add(function)
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        for node in _outside_acts(definition):
            named = _named(node, function)
            if named is not None:
                self._visit(named)
            if isinstance(node, LOOPS) and any(_may_fail(inner, function) for inner in _outside_acts(node)):
                self.loops.add(f"{function.__module__}.{function.__qualname__}")


def _outside_acts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and those below it, except what `each` is to call and functions that are only defined."""
    yield node
    below = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "each":
        below = node.args[:2]
    for child in below:
        if not isinstance(child, ast.FunctionDef):
            yield from _outside_acts(child)


def _named(node: ast.AST, function: Function) -> Function | None:
    """Return the function of this project that a node names."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    named: Any = function.__globals__.get(node.id) if isinstance(node, ast.Name) else None
    for name in reversed(names):
        named = getattr(named, name, None)
    named = inspect.unwrap(named) if callable(named) else None
    is_ours = isinstance(named, FunctionType) and named.__module__.partition(".")[0] in (*PACKAGES, "tests")
    return named if is_ours else None


def _may_fail(node: ast.AST, function: Function) -> bool:
    """Whether a node in a loop calls a function of this project, or one that was defined beside it, or writes."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
        return True
    is_local = isinstance(node.func, ast.Name) and node.func.id in _local_functions(function)
    named = _named(node.func, function)
    return is_local or (named is not None and named not in SAFE)


def _local_functions(function: Function) -> set[str]:
    nodes = ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


def sweeps() -> list[Function]:
    """The tasks of beat's schedule, and the rounds of the clock worker."""
    app.loader.import_default_modules()
    tasks = [app.tasks[entry["task"]].run for entry in app.conf.beat_schedule.values()]
    return [*(inspect.unwrap(task) for task in tasks), clock_worker.work]


def test_no_loop_of_a_sweep_is_without_a_boundary() -> None:
    walk = Walk(*sweeps())
    assert len(walk.seen) > 80
    assert walk.loops == HARMLESS.keys()


def _settle(pk: int) -> None:
    """What a sweep calls."""


def _each_in_turn() -> None:
    for pk in (1, 2):
        _settle(pk)


def _in_a_comprehension() -> list[None]:
    return [_settle(pk) for pk in (1, 2)]


def _writing(rows: Any) -> None:
    for row in rows:
        row.save()


def _by_a_step() -> None:
    each("steps", (_writing,), lambda step: step())


def _of_its_own() -> None:
    def settle(pk: int) -> None:
        """What it calls."""

    for pk in (1, 2):
        settle(pk)


def _bounded() -> None:
    def settle(pk: int) -> None:
        _settle(pk)

    each("numbers", [pk for pk in (1, 2) if pk], settle)
    each("numbers", (1, 2), lambda pk: [_settle(pk) for _ in range(pk)])


@pytest.mark.parametrize("sweep", [_each_in_turn, _in_a_comprehension, _writing, _by_a_step, _of_its_own])
def test_a_loop_without_a_boundary_is_noticed(sweep: Function) -> None:
    assert Walk(sweep).loops
    assert not Walk(_bounded).loops
