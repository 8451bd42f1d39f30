"""Input of pages is parsed by forms: `request.POST` appears only as the argument of a form."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

from tests.test_layout import ROOT, python_files

COPIES_UNREAD = {Path("players/accounts/kept_input.py"), Path("players/accounts/idempotency.py")}
"""Keeps typed input to be sent again, or the hash of it, without reading it."""


def is_input(node: ast.AST) -> TypeGuard[ast.expr]:
    """Return whether a node is `request.POST`, or `sent(request)`, which is the same or None."""
    if isinstance(node, ast.Attribute):
        return node.attr == "POST"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sent"


def makes_form(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether a node calls a form's class or one of its class methods, or an action binds its form."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr == "bind":
        return True
    maker = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return isinstance(maker, ast.Name) and maker.id.endswith("Form")


def read_by_hand(source: str) -> Iterator[int]:
    """Return the lines that use input except as the first argument of a form."""
    tree = ast.parse(source)
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not is_input(node) or isinstance(above[node], ast.FunctionDef):
            continue
        user: ast.AST = above[node]
        used: ast.AST = node
        if isinstance(user, ast.IfExp) and used is user.body:
            user, used = above[user], user
        function = above.get(user)
        if isinstance(user, ast.Return) and isinstance(function, ast.FunctionDef) and function.name == "sent":
            continue
        if not (makes_form(user) and used in user.args):
            yield node.lineno


def sources() -> list[Path]:
    return [path.relative_to(ROOT) for path in python_files()]


def test_only_forms_read_input() -> None:
    files = sources()
    assert sum("request.POST" in (ROOT / path).read_text() for path in files) > 10
    by_hand = [
        f"{path}:{line}"
        for path in files
        if path not in COPIES_UNREAD
        for line in read_by_hand((ROOT / path).read_text())
    ]
    assert by_hand == []


@pytest.mark.parametrize(
    "line",
    [
        "request.POST.get('side', 0)",
        "request.POST['side']",
        "'faulty' in request.POST",
        "parsed(request.POST)",
        "data = request.POST",
        "sent(request)['side']",
        "NameForm(initial=request.POST)",
    ],
)
def test_input_read_by_hand_is_reported(line: str) -> None:
    assert list(read_by_hand(line)) == [1]


@pytest.mark.parametrize(
    "line",
    [
        "NameForm(request.POST)",
        "forms = NameForm(request.POST, request.FILES)",
        "NameForm(request.POST if request.method == 'POST' else None)",
        "ClubForm.of(club, sent(request))",
    ],
)
def test_input_passed_to_a_form_is_not_reported(line: str) -> None:
    assert list(read_by_hand(line)) == []
