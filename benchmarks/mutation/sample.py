"""What may be changed, and which of it is: candidates by function, sampled evenly over the packages."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

from benchmarks.mutation.operators import Function, Mutation, mutations
from core.packages import PACKAGES, ROOT

OUTER_LAYERS = frozenset(
    ("admin", "api", "apps", "command_line", "commands", "demo", "forms", "management", "migrations", "models", "pages")
) | frozenset(("config", "serializers", "tasks", "templatetags", "urls", "views"))
"""Folders and modules that are left out: they translate between the pure modules and services and the outside."""
OUTER_SUFFIXES = ("_api.py", "_form.py", "_forms.py", "_serializers.py", "_pages.py")


@dataclass(frozen=True)
class Mutant:
    """A fault that can be planted: the n-th mutation of a function."""

    path: str
    function: str
    index: int
    operator: str
    line: int
    before: str
    after: str

    @property
    def package(self) -> str:
        """The folder that results are listed under, at most two deep."""
        return "/".join(Path(self.path).parent.parts[:2])

    def as_json(self) -> dict[str, Any]:
        """Every field, for the files that the processes exchange."""
        return asdict(self)


def source_files() -> list[str]:
    """The pure modules and services, as paths in the project."""
    paths = (path.relative_to(ROOT) for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [str(path) for path in paths if _is_inner(path)]


def _is_inner(path: Path) -> bool:
    return OUTER_LAYERS.isdisjoint(path.with_suffix("").parts) and not path.name.endswith(OUTER_SUFFIXES)


def functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Qualified name and node of each function of a module and method of a class; not those inside a function."""
    waiting: list[tuple[str, ast.AST]] = [("", node) for node in tree.body]
    while waiting:
        prefix, node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            waiting[:0] = [(f"{prefix}{node.name}.", inner) for inner in node.body]


def mutants_of(path: str) -> list[Mutant]:
    """Every mutant of a file."""
    tree = ast.parse((ROOT / path).read_text(), path)
    return [
        Mutant(path, name, index, mutation.operator, mutation.line, mutation.before, mutation.after)
        for name, function in functions(tree)
        for index, mutation in enumerate(mutations(function))
    ]


def mutated_code(mutant: Mutant) -> CodeType:
    """The compiled function with its fault."""
    tree = ast.parse((ROOT / mutant.path).read_text(), mutant.path)
    function = dict(functions(tree))[mutant.function]
    mutation: Mutation = list(mutations(function))[mutant.index]
    mutation.apply()
    return code_of(compile(tree, str(ROOT / mutant.path), "exec"), mutant.function)


def code_of(code: CodeType, function: str) -> CodeType:
    """The code object of a function inside a module's, by its qualified name; of several the last."""
    for part in function.split("."):
        code = [const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == part][-1]
    return code


def sample(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Up to `count` mutants: each package in proportion to its functions, in each the functions in random order.

    A function gets a second mutant only when every function of its package has one.
    """
    chance = Random(seed)  # noqa: S311, the sample can be drawn again
    packages: dict[str, dict[tuple[str, str], list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for mutant in mutants:
        packages[mutant.package][mutant.path, mutant.function].append(mutant)
    total = sum(len(by_function) for by_function in packages.values())
    chosen: list[Mutant] = []
    reached = 0.0
    for name in sorted(packages):
        reached += count * len(packages[name]) / total
        chosen += _of_package(packages[name], round(reached) - len(chosen), chance)
    return chosen


def _of_package(by_function: dict[tuple[str, str], list[Mutant]], count: int, chance: Random) -> list[Mutant]:
    piles = [chance.sample(pile, len(pile)) for _, pile in sorted(by_function.items())]
    chance.shuffle(piles)
    chosen: list[Mutant] = []
    while len(chosen) < count and any(piles):
        chosen += [pile.pop() for pile in piles if pile][: count - len(chosen)]
    return chosen


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether a path is one of those named, lies in a folder named, or fits a pattern."""
    return not patterns or any(
        path == pattern or path.startswith(pattern.rstrip("/") + "/") or fnmatch(path, pattern) for pattern in patterns
    )
