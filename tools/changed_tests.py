"""Print the test files that a change reaches: `python -m tools.changed_tests [REVISION]`, for `make test CHANGED=1`.

The change is what differs from where this branch left REVISION: commits, the working tree, and new files. REVISION is
`origin/main` by default, without it `main`, without that the commit before. Chosen are

- the tests that use a changed function, class or constant, directly or through others, as names in the code tell, and
  those that name a changed file;
- the tests in the folder that belongs to a changed module, template or static file, or to a page that the change
  reaches, because tests open pages by their URLs;
- always, the tests of no single package: those directly in `tests/` and in folders such as `tests/access`;
- all tests, if something has changed that runs in all of them (EVERYTHING).

A test elsewhere that reaches the change only by a URL, a signal or a fixture is missed.
"""

import ast
import gc
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What settings, requests and the tests themselves are made of.
EVERYTHING = re.compile(
    r"config/((settings|middleware|urls|context|database|celery)\.py|backends/.*)|core/(downloads|packages)\.py"
    r"|players/accounts/(sessions|backend|kept_input)\.py|matches/play/fast_path\.py|\w+/templatetags/.*"
    r"|templates/(\w+\.html|_partials/.*)|tests/(conftest|settings)\.py|pyproject\.toml|requirements.*\.txt|Makefile"
)
# They use everything of their app: nothing is reached through them, and any test of the app may see their change.
WIRING = re.compile(
    r"(?!tests/)\w+/(urls|apps|tasks|admin|privacy|demo|management)(/.*|\.py)|config/(settings|celery)\.py"
)
PAGE = re.compile(r"(?!tests/)\w+/.*(page|views|actions|api)(/\w+)?\.py")
OF_A_FOLDER = re.compile(r"templates/.*|\w+/static/.*|(?!tests/|tools/)\w+/(?!migrations/)\w+/.*\.py")
# Browser tests run when they are named (`make e2e`, `make journeys`), and no test applies the migrations of a module.
LEFT_OUT = re.compile(r"tests/(browser|journeys)/.*|\w+/migrations/.*")
NAME_OF_FILE_OR_MODULE = re.compile(r"[\w@./-]+\.\w+")
BODY = "<body>"
"""Stands for the statements at the top of a module that bind no name."""

Definition = tuple[str, str]
"""The path of a module, and a name that a statement at its top binds, or BODY."""


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(path: str, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield each name that an import binds, with the dotted name of what it stands for."""
    above = path.split("/")[: -node.level] if isinstance(node, ast.ImportFrom) and node.level else []
    base = [*above, node.module] if isinstance(node, ast.ImportFrom) and node.module else above
    yield from ((alias.asname or alias.name, ".".join([*base, alias.name])) for alias in node.names)


def definitions(path: str, source: str) -> dict[str, list[ast.stmt | str]]:
    """The statements at the top of a module by the names that they bind; of an import, what the name stands for."""
    statements: dict[str, list[ast.stmt | str]] = defaultdict(list)
    for node in ast.parse(source, path).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, origin in imports(path, node):
                statements[name].append(origin)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            statements[node.name].append(node)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):  # a docstring
            for target in targets:
                statements[target.id if isinstance(target, ast.Name) else BODY].append(node)
    return statements


def changed_names(path: str, old: str, new: str) -> set[str]:
    """The names whose statements differ in more than comments and layout; BODY for a file that is not Python."""
    if not path.endswith(".py"):
        return {BODY}
    before, after = (
        {
            name: [node if isinstance(node, str) else ast.dump(node) for node in nodes]
            for name, nodes in statements.items()
        }
        for statements in (definitions(path, old), definitions(path, new))
    )
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


class Code:
    """Which definition uses which, by dotted names, from all Python files by path."""

    def __init__(self, sources: dict[str, str]) -> None:
        paths = [path for path in sources if not LEFT_OUT.fullmatch(path)]
        self.tests = {path for path in paths if re.fullmatch(r"tests/(.*/)?test_\w+\.py", path)}
        self.packages = {path.split("/")[0] for path in paths}
        self.modules = {module_of(path) for path in paths}
        self.definitions = {path: definitions(path, sources[path]) for path in paths}
        self.imported = {
            f"{module_of(path)}.{name}": target
            for path, statements in self.definitions.items()
            for name, [target, *_others] in statements.items()
            if isinstance(target, str)
        }
        self.users: dict[str, set[Definition]] = defaultdict(set)
        for path, statements in self.definitions.items():
            for name, nodes in statements.items() if not WIRING.fullmatch(path) else ():
                for node in nodes:
                    for used in self.used(module_of(path), path, node) if not isinstance(node, str) else ():
                        self.users[used].add((path, name))

    def used(self, module: str, path: str, statement: ast.stmt) -> Iterator[str]:
        """Yield the dotted names of what a statement of a module uses, and the names of files in its strings."""
        local: dict[str, str] = {}
        modules_in_attributes = set()
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                if node not in modules_in_attributes:
                    yield from (f"{module}.{node.id}", self.origin(local.get(node.id, f"{module}.{node.id}")))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                of = self.origin(local.get(node.value.id, f"{module}.{node.value.id}"))
                if of in self.modules:
                    modules_in_attributes.add(node.value)
                    yield self.origin(f"{of}.{node.attr}")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if NAME_OF_FILE_OR_MODULE.fullmatch(node.value):
                    yield from (node.value, self.origin(node.value))
            elif isinstance(node, ast.Import | ast.ImportFrom):
                local.update(imports(path, node))
                yield from (name for name in local.values() if name not in self.modules)

    def origin(self, name: str) -> str:
        """The dotted name under which something imported is defined."""
        while name not in self.modules and self.imported.get(name, name) != name:
            name = self.imported[name]
        return name

    def reached(self, changed: Iterable[Definition]) -> set[Definition]:
        """The changed definitions, and those that use them, directly or through others."""
        reached = set(changed)
        waiting = list(reached)
        while waiting:
            path, name = waiting.pop()
            parts = path.split("/")
            names = [f"{module_of(path)}.{name}", module_of(path), *("/".join(parts[n:]) for n in range(len(parts)))]
            users = {user for used in names for user in self.users.get(used, ())}
            if name == BODY:
                users |= {(path, other) for other in self.definitions.get(path, ())}
            waiting += users - reached
            reached |= users
        return reached

    def below(self, folder: str) -> set[str]:
        """The tests in a folder, which ends with a slash."""
        return {test for test in self.tests if test.startswith(folder)}

    def in_folder_of(self, path: str) -> set[str]:
        """The tests in the folder named like that of `path`, or like the nearest folder above that has tests."""
        parts = re.sub(r"^(templates|\w+/static)/", "", path).split("/")[:-1]
        folders = ("/".join(["tests", *parts[:length], ""]) for length in range(len(parts), 0, -1))
        return next((tests for folder in folders if (tests := self.below(folder))), set())

    def of_no_package(self) -> set[str]:
        return {test for test in self.tests if test.count("/") == 1 or test.split("/")[1] not in self.packages}

    def tests_of(self, changed: set[Definition]) -> set[str]:
        """The tests of this change, beside those of no single package."""
        reached = self.reached(changed)
        tests = {path for path, _name in reached} & self.tests
        folders = {path for path, _name in changed if OF_A_FOLDER.fullmatch(path) or WIRING.fullmatch(path)}
        for path in folders | {path for path, _name in reached if PAGE.fullmatch(path)}:
            tests |= self.in_folder_of(path)
        for path, _name in self.reached(pair for pair in changed if pair[0].startswith("tests/")):
            if path.endswith("/conftest.py"):
                tests |= self.below(path.removesuffix("conftest.py"))
        return tests


def chosen(sources: dict[str, str], before: dict[str, str]) -> tuple[set[str], str]:
    """The tests to run, and the changed file that needs all of them if one does.

    `sources` are all Python files by path, `before` all changed files as they were, empty if they are new.
    """
    code = Code(sources)
    for path in sorted(before):
        if EVERYTHING.fullmatch(path):
            return code.tests, path
    changed = {(path, name) for path in before for name in changed_names(path, before[path], sources.get(path, ""))}
    return (code.tests_of(changed) | code.of_no_package() if before else set()), ""


def git(root: Path, *arguments: str) -> str:
    """What git prints; empty if it fails."""
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False).stdout  # noqa: S603, S607


def read(root: Path, revision: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return what `chosen` takes: the files in `root`, and what differs from where its branch left `revision`."""
    start = git(root, "merge-base", revision, "HEAD").strip()
    new = git(root, "ls-files", "-z", "--others", "--exclude-standard").split("\0")[:-1]
    changed = git(root, "diff", "-z", "--name-only", "--no-renames", start).split("\0")[:-1]
    before = {path: git(root, "show", f"{start}:{path}") if path.endswith(".py") else "" for path in [*new, *changed]}
    paths = {path for path in [*git(root, "ls-files", "-z", "*.py").split("\0"), *new] if path.endswith(".py")}
    return {path: (root / path).read_text() for path in paths if (root / path).is_file()}, before


def main() -> int:
    """Print the tests of the change, and on standard error how many they are; return the exit status."""
    named = sys.argv[1:] or ["origin/main", "main", "HEAD~1", "HEAD"]
    revision = next((name for name in named if git(ROOT, "merge-base", name, "HEAD")), None)
    if revision is None:
        print(f"{named[0]} is no commit from which this branch began.", file=sys.stderr)
        return 1
    gc.disable()  # It would look through millions of syntax nodes again and again: half of the time.
    sources, before = read(ROOT, revision)
    tests, everything = chosen(sources, before)
    if everything:
        print(f"All {len(tests)} test files, because {everything} has changed since {revision}.", file=sys.stderr)
    elif before:
        print(f"{len(tests)} test files, for {len(before)} files changed since {revision}.", file=sys.stderr)
    else:
        print(f"No tests: nothing has changed since {revision}.", file=sys.stderr)
    print("\n".join(["tests"] if everything else sorted(tests)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
