"""Measure how the code is laid out: `python -m tools.structure [--surface]`.

Prints files, lines, imports and shapes of the Python code beside the tests and the migrations. `--surface` prints
what must not change when code moves: each route with its name and methods, and the operations of the API's schema.
"""

import argparse
import ast
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.packages import PURE, ROOT

# Django, Celery and Python ask for these by name, however short they are.
NAMED_BY_OTHERS = {"admin", "apps", "urls", "tasks", "wsgi", "asgi", "celery", "__main__", "manage", "formats"}
FOLDERS_NAMED_BY_OTHERS = {"commands", "templatetags"}
SHORT = 30
VALUE_BASES = {"NamedTuple", "TypedDict"}


@dataclass
class Module:
    """One Python file: its dotted name, lines, and the modules of ours that it imports when loaded and later."""

    name: str
    path: str
    source: str
    tree: ast.Module
    imports: set[str] = field(default_factory=set)
    later_imports: set[str] = field(default_factory=set)

    @property
    def lines(self) -> int:
        return self.source.count("\n")

    @property
    def is_empty_init(self) -> bool:
        return self.path.endswith("__init__.py") and not self.source.strip()

    @property
    def is_named_by_others(self) -> bool:
        """Whether a framework finds the file by its name, so that it cannot be merged."""
        path = Path(self.path)
        return path.stem in {"__init__", *NAMED_BY_OTHERS} or path.parent.name in FOLDERS_NAMED_BY_OTHERS

    @property
    def import_lines(self) -> int:
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in nodes)

    @property
    def value_classes(self) -> int:
        """Number of data classes, named tuples and typed dictionaries."""
        return sum(isinstance(node, ast.ClassDef) and is_value_class(node) for node in ast.walk(self.tree))


def is_value_class(node: ast.ClassDef) -> bool:
    decorators = [item.func if isinstance(item, ast.Call) else item for item in node.decorator_list]
    return any("dataclass" in ast.unparse(item) for item in decorators) or any(
        ast.unparse(base).split(".")[-1] in VALUE_BASES for base in node.bases
    )


def modules() -> dict[str, Module]:
    """The modules of the project beside tests and migrations, by dotted name."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    by_name = {}
    for path in listed.stdout.split():
        if path.startswith("tests/") or "/migrations/" in path:
            continue
        source = (ROOT / path).read_text()
        name = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        by_name[name] = Module(name, path, source, ast.parse(source))
    for module in by_name.values():
        for name, is_later in imported(module, by_name):
            (module.later_imports if is_later else module.imports).add(name)
    return by_name


def imported(module: Module, known: dict[str, Module]) -> Iterator[tuple[str, bool]]:
    """Yield the modules of ours that `module` imports, and whether a function imports it instead of the module."""
    package = module.name if module.path.endswith("__init__.py") else module.name.rpartition(".")[0]
    inside = {
        id(child)
        for node in ast.walk(module.tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.walk(node)
    }
    for node in ast.walk(module.tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [name if (name := f"{base}.{alias.name}") in known else base for alias in node.names]
        for name in names:
            if name in known and name != module.name:
                yield name, id(node) in inside


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import each other in a circle (strongly connected components; Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in edges.get(name, ()):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            component = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(component) > 1:
                components.append(sorted(component))

    for name in edges:
        if name not in index:
            visit(name)
    return components


def registrations(by_name: dict[str, Module]) -> Counter[str]:
    """How often each function is called in the `ready` of an app, by its written name."""
    calls: Counter[str] = Counter()
    for module in by_name.values():
        if not module.name.endswith(".apps"):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef) and node.name == "ready":
                calls.update(ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call))
    return calls


def figures() -> Iterator[tuple[str, object]]:
    by_name = modules()
    filled = [module for module in by_name.values() if not module.is_empty_init]
    ours = [module for module in filled if not module.path.startswith(PURE)]
    importers: Counter[str] = Counter()
    for module in by_name.values():
        importers.update(module.imports | module.later_imports)
    import_lines = sum(module.import_lines for module in ours)
    yield "Python files beside tests and migrations", len(by_name)
    yield "modules (files beside empty __init__)", len(filled)
    yield f"modules outside {' and '.join(PURE)}", len(ours)
    yield "  their lines", sum(module.lines for module in ours)
    yield "  their import lines", import_lines
    yield "  import lines a module", round(import_lines / len(ours), 1)
    mergeable = [module for module in ours if not module.is_named_by_others]
    yield f"  under {SHORT} lines, not named by Django", sum(module.lines < SHORT for module in mergeable)
    yield "  imported by exactly one other", sum(importers[module.name] == 1 for module in mergeable)
    yield "  value classes", sum(module.value_classes for module in ours)
    yield "value classes in all", sum(module.value_classes for module in filled)
    calls = registrations(by_name)
    yield "registrations in apps.py", calls.total()
    yield "circles of modules, loading", len(circles({name: module.imports for name, module in by_name.items()}))
    both = {name: module.imports | module.later_imports for name, module in by_name.items()}
    yield "circles of modules, imports in functions included", len(circles(both))


def surface() -> Iterator[str]:
    """Yield each route (methods, path, name) and each operation of the schema, sorted."""
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.urls import URLPattern, URLResolver, get_resolver
    from drf_spectacular.generators import SchemaGenerator

    def routes(resolver: URLResolver, path: str) -> Iterator[str]:
        for item in resolver.url_patterns:
            whole = path + str(item.pattern)
            if isinstance(item, URLResolver):
                yield from routes(item, whole)
            elif isinstance(item, URLPattern):
                view = getattr(item.callback, "view_class", None) or getattr(item.callback, "cls", None)
                methods = sorted(m for m in getattr(view, "http_method_names", []) if hasattr(view, m)) if view else []
                yield f"route {whole} {item.name or '-'} {','.join(methods)}"

    schema = SchemaGenerator().get_schema(request=None, public=True)
    operations = [
        f"operation {method.upper()} {path} {operation['operationId']}"
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    yield from sorted(routes(get_resolver(), "/"))
    yield from sorted(operations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--surface", action="store_true", help="print routes and operations instead")
    if parser.parse_args().surface:
        print("\n".join(surface()))
        return
    for name, value in figures():
        print(f"{name:<52}{value:>8}")


if __name__ == "__main__":
    main()
