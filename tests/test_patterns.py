"""No pattern takes longer than its text is long: a walk over all regular expressions of the site.

Reported are two repeats that can share the same characters, where what follows can fail; and a pattern that is
searched for, which can begin again inside of its own repeat. Python tries every way to divide or to begin.
"""

import ast
import re
import re._constants as opcode
import re._parser as parser
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.test_layout import ROOT, python_files
from tournaments.results.lines import _FLOOR_LINES

FEW = 64
"""A repeat of so many characters at most costs little."""
SEARCHES = {"search", "sub", "subn", "split", "findall", "finditer"}
FUNCTIONS = {*SEARCHES, "match", "fullmatch", "compile"}
CHARACTERS = frozenset((*range(0x250), 0x2013, 0x3000, 0xFF08, 0x1F3B2))
"""All of which a set can have letters, digits, blanks and marks."""
OURS = "files of our own"
EXCEPTIONS = {
    "engine/records/mat_cells.py: _START": "repeats of at most 400 characters (reader: record)",
    "engine/records/sgf_syntax.py: _VALUES": "searches what was matched as values, so that nothing fails (record)",
    "core/encodings.py: f'[": "a single set (encoding)",
    "core/names.py: f'(?<!": "begins with a name (hidden name)",
    "tournaments/ledger/money.py: number": "has no long repeat (amount)",
    "tournaments/results/lines.py: pattern": "each is checked below (line of the floor)",
    "tournaments/state/sheet_codes.py: _LINE_START": "begins behind what it does not repeat (sheet codes)",
    "matches/analysis/backends/gnubg.py: _PLAY": "reads what gnubg answers to commands of our own",
    "config/logs.py: '(?P<keep>Failing row contains )": "PostgreSQL shortens the values of a row (log line)",
    "config/static_files.py: TAIL_COMMENTS": OURS,
    "config/static_files.py: STYLE_SPACE": OURS,
    "config/static_files.py: TEXT_OR_SPACED_SIGN": OURS,
}
"""File and pattern, why its time is bounded, and which reader is walked with it in tests/core/test_linear_text.py."""
Items = Sequence[tuple[Any, Any]]
Chars = frozenset[int]
REPEATS = (opcode.MAX_REPEAT, opcode.MIN_REPEAT)
GREEDY = opcode.POSSESSIVE_REPEAT


def matching(source: str) -> Chars:
    pattern = re.compile(source, re.DOTALL)
    return frozenset(code for code in CHARACTERS if pattern.fullmatch(chr(code)))


CATEGORIES = {
    opcode.CATEGORY_DIGIT: matching(r"\d"),
    opcode.CATEGORY_NOT_DIGIT: matching(r"\D"),
    opcode.CATEGORY_SPACE: matching(r"\s"),
    opcode.CATEGORY_NOT_SPACE: matching(r"\S"),
    opcode.CATEGORY_WORD: matching(r"\w"),
    opcode.CATEGORY_NOT_WORD: matching(r"\W"),
}
EMPTY = (opcode.AT, opcode.ASSERT, opcode.ASSERT_NOT)
"""Operations that take no character."""


def in_set(items: Items) -> Chars:
    chars: set[int] = set()
    for operation, value in items:
        if operation is opcode.LITERAL:
            chars.add(value)
        elif operation is opcode.RANGE:
            chars.update(code for code in CHARACTERS if value[0] <= code <= value[1])
        elif operation is opcode.CATEGORY:
            chars |= CATEGORIES[value]
    return CHARACTERS - chars if items[0][0] is opcode.NEGATE else frozenset(chars)


def inside(operation: Any, value: Any) -> list[Items]:
    """Return the sequences that an operation consists of, one of which it matches; none for a single character."""
    if operation is opcode.SUBPATTERN:
        return [value[3]]
    if operation is opcode.ATOMIC_GROUP:
        return [value]
    if operation is opcode.BRANCH:
        return list(value[1])
    if operation is opcode.GROUPREF_EXISTS:
        return [value[1], value[2] or []]
    return [value[2]] if operation in (*REPEATS, GREEDY) else []


def chars_of(operation: Any, value: Any) -> Chars:
    """Return all characters that an operation may take."""
    if operation is opcode.LITERAL:
        return frozenset((value,))
    if operation is opcode.NOT_LITERAL:
        return CHARACTERS - {value}
    if operation is opcode.IN:
        return in_set(value)
    if operation is opcode.ANY:
        return CHARACTERS - {ord("\n")}
    if operation is opcode.GROUPREF:
        return CHARACTERS
    return frozenset().union(*(chars_of(*item) for items in inside(operation, value) for item in items))


def can_be_empty(operation: Any, value: Any) -> bool:
    if operation in EMPTY:
        return True
    if operation in (*REPEATS, GREEDY) and value[0] == 0:
        return True
    return any(all(can_be_empty(*item) for item in items) for items in inside(operation, value))


def is_long(operation: Any, value: Any) -> bool:
    return operation in REPEATS and value[1] > FEW


def first_of(items: Items) -> Chars:
    """Return the characters with which a sequence can begin."""
    chars: set[int] = set()
    for operation, value in items:
        parts = inside(operation, value)
        chars |= frozenset().union(*map(first_of, parts)) if parts else chars_of(operation, value)
        if not can_be_empty(operation, value):
            break
    return frozenset(chars)


class Shared(Exception):
    """Two repeats can share the same characters."""


def follow(items: Items, before: list[Chars]) -> list[Chars]:
    """Return the sets of the repeats that what follows these items would share, of those before and those among them.

    Raises Shared.
    """
    for operation, value in items:
        if operation in EMPTY:
            continue
        own = chars_of(operation, value)
        if is_long(operation, value):
            loop = len(value[2]) == 1 and not inside(*value[2][0])
            if loop:
                if any(chars & own for chars in before):
                    raise Shared
                before = [*(before if value[0] == 0 else ()), own]
                continue
            after = follow(value[2], follow(value[2], before))
            before = [*before, *after] if value[0] == 0 else after
            continue
        if parts := inside(operation, value):
            if operation is opcode.ATOMIC_GROUP or operation is GREEDY:
                follow(parts[0], [])
                after = []
            else:
                after = [chars for part in parts for chars in follow(part, before)]
            before = [*before, *after] if can_be_empty(operation, value) else after
            continue
        before = [chars & own for chars in before if chars & own]
    return before


def shares(pattern: Items) -> bool:
    try:
        follow(pattern, [])
    except Shared:
        return True
    return False


def begins_inside(items: Items, before: Sequence[Chars] = (), *, fails: bool = False) -> bool:
    """Whether a pattern can begin again inside of one of its repeats, and what follows that repeat can fail.

    `before` are the characters of what comes before these items, `fails` is whether what comes after them can fail.
    """
    if items and items[0][0] is opcode.AT and items[0][1] in (opcode.AT_BEGINNING, opcode.AT_BEGINNING_STRING):
        return False
    behind = items[0][1] if items and items[0][0] in (opcode.ASSERT, opcode.ASSERT_NOT) else (1, [])
    if behind[0] < 0:
        chars = chars_of(*behind[1][0])
        before = [*before, chars if items[0][0] is opcode.ASSERT else CHARACTERS - chars]
    for at, (operation, value) in enumerate(items):
        follows = fails or any(not can_be_empty(*item) or item[0] in EMPTY for item in items[at + 1 :])
        own = chars_of(operation, value)
        is_repeat = operation in (*REPEATS, GREEDY) and value[1] > FEW
        if is_repeat and follows and all(chars & own for chars in before):
            return True
        if any(begins_inside(part, before, fails=follows) for part in inside(operation, value)):
            return True
        if not can_be_empty(operation, value):
            before = [*before, first_of([(operation, value)])]
    return False


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in python_files() if "migrations" not in path.parts}


def uses() -> dict[str, set[str]]:
    """Return the methods that are called of each name: `_NAME.search(…)`."""
    used: dict[str, set[str]] = {}
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
                used.setdefault(ast.unparse(node.value).rpartition(".")[2], set()).add(node.attr)
    return used


def flat(items: Items) -> list[tuple[Any, Any]]:
    """Return a pattern without its groups, whose content stands in their place."""
    parts = (flat(value[3]) if operation is opcode.SUBPATTERN else [(operation, value)] for operation, value in items)
    return [item for part in parts for item in part]


class Use(NamedTuple):
    """A pattern of a file, None if it is only known when it is used, and the methods with which it is."""

    name: str
    pattern: str | bytes | None
    methods: set[str]


def patterns() -> Iterator[Use]:
    called = uses()
    for path, tree in trees().items():
        file = path.relative_to(ROOT)
        nodes = list(ast.walk(tree))
        methods_of = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
        names = {
            id(call): ast.unparse(node.targets[0])
            for node in nodes
            if isinstance(node, ast.Assign)
            for call in (node.value, getattr(node.value, "value", None))
        }
        for call in nodes:
            module, _dot, function = (
                ast.unparse(call.func).partition(".") if isinstance(call, ast.Call) else ("", "", "")
            )
            if not isinstance(call, ast.Call) or module != "re" or function not in FUNCTIONS:
                continue
            source = ast.unparse(call.args[0])
            name = names.get(id(call), source)
            methods = {function}
            if function == "compile":
                methods = {methods_of[id(call)]} if id(call) in methods_of else called.get(name, SEARCHES)
            try:
                pattern = eval(source, vars(import_module(".".join(file.with_suffix("").parts))))
            except NameError:
                pattern = None
            yield Use(f"{file}: {name}", pattern, methods)


def problem_of(source: str | bytes, methods: set[str]) -> str:
    pattern = flat(parser.parse(source))
    if "fullmatch" in methods:
        pattern = [*pattern, (opcode.AT, opcode.AT_END_STRING)]
    if shares(pattern):
        return "its repeats share characters"
    if methods & SEARCHES and begins_inside(pattern):
        return "it is searched for, and begins inside of its own repeat"
    return ""


def test_patterns_are_linear() -> None:
    problems = {}
    for use in patterns():
        problem = "it is only known when it is used" if use.pattern is None else problem_of(use.pattern, use.methods)
        if problem:
            problems[use.name] = problem
    excused = {start: {name for name in problems if name.startswith(start)} for start in EXCEPTIONS}
    assert not set(problems).difference(*excused.values())
    assert all(excused.values()), "an exception for what is no problem any more"


def test_lines_of_the_floor_are_linear() -> None:
    assert _FLOOR_LINES
    assert not [pattern.pattern for _verb, pattern in _FLOOR_LINES if problem_of(pattern.pattern, {"fullmatch"})]


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s*[(\[].*", "sub"),
        (r"(.*[^\W\d_]\S*)[\s,-]+(\d{4})", "fullmatch"),
        (r"(?:a+)*b", "match"),
        (r"(?:\w+\s*)+:", "match"),
        (r"\d+\s*\d*x", "match"),
        (r"\[[^\]]*\]", "findall"),
        (r"\s+$", "search"),
        (r"\D*[a-z]\D*,", "match"),
    ],
)
def test_slow_patterns_are_reported(pattern: str, method: str) -> None:
    assert problem_of(pattern, {method})


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\d+(?:\.\d+)*x", "fullmatch"),
        (r"[ \t]*+:?[ \t]*+", "fullmatch"),
        (r'"[^"]*"', "sub"),
        (r"\s+", "split"),
        (r"(?<!\d)\d+(?=-)", "findall"),
        (r"^\s*x", "search"),
        (r"\[[^\[\]]*\]", "findall"),
    ],
)
def test_linear_patterns_are_not_reported(pattern: str, method: str) -> None:
    assert not problem_of(pattern, {method})
