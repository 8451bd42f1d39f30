"""Hooks: what packages register with others when Django starts. One with a single provider should be a direct call."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.test_layout import APPS, module_of, python_files

MUTATORS = {"append", "add", "extend", "insert", "update", "setdefault", "appendleft"}
UPWARD = {
    "matches.lifecycle.events.set_events",
    "matches.lifecycle.finish.match_settled",
    "tournaments.events.services.event_published",
}
"""By these, `matches` reaches `tournaments`, to ask and to report a result, and `tournaments` the seasons, which count
the event; neither may import what comes after it.
"""


class Function(NamedTuple):
    """A function at the top of a module, or a method of a class there."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class Module:
    """What a module's source says about hooks."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        tree = ast.parse(source)
        self.names = dict(_imported(tree))
        self.functions = dict(_functions(tree))
        self.variables = {name for node in tree.body for name in _assigned(node)}
        self.signals = {name for node in tree.body if _is_signal(node) for name in _assigned(node)}

    def calls(self, function: str) -> Iterator[str]:
        """The dotted names that a function calls, as they are imported here or inside it."""
        node = self.functions[function]
        names = self.names | dict(_imported(node))
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and (dotted := _dotted(call.func)):
                first, _, rest = dotted.partition(".")
                target = names.get(first, f"{self.name}.{first}")
                yield f"{target}.{rest}" if rest else target

    def is_hook(self, function: str) -> bool:
        """Whether a function keeps what it is given in a variable of the module."""
        node = self.functions[function]
        declared = {name for child in ast.walk(node) if isinstance(child, ast.Global) for name in child.names}
        return any(_kept_in(child, declared) in self.variables for child in ast.walk(node))


def _kept_in(node: ast.AST, declared: set[str]) -> str | None:
    """The variable that a statement or call changes: its contents, or what it is bound to if declared global."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        return _root(node.func.value)
    for target in _targets(node):
        if isinstance(target, ast.Subscript | ast.Attribute):
            return _root(target)
        if isinstance(target, ast.Name) and (target.id in declared or isinstance(node, ast.AugAssign)):
            return target.id
    return None


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return node.id if isinstance(node, ast.Name) else ""


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from (
                (f"{node.name}.{child.name}", child) for child in node.body if isinstance(child, ast.FunctionDef)
            )


def _assigned(node: ast.stmt) -> list[str]:
    return [target.id for target in _targets(node) if isinstance(target, ast.Name)]


def _is_signal(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return isinstance(value, ast.Call) and _dotted(value.func).endswith("Signal")


def read_modules() -> dict[str, Module]:
    paths = [path for app in APPS if app != "engine" for path in python_files(app) if "migrations" not in path.parts]
    return {name: Module(name, path.read_text()) for path in paths for name in [module_of(path)]}


def _find(modules: Mapping[str, Module], dotted: str) -> Function | None:
    """The function that a dotted name means, if it is one of ours."""
    module, _, name = dotted.rpartition(".")
    if module in modules and name in modules[module].functions:
        return Function(module, name)
    if module in modules and name in modules[module].names:
        return _find(modules, modules[module].names[name])
    return None


def providers(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """Return each hook with what is registered there: a caller for each call that starting Django leads to."""
    found: dict[str, list[str]] = defaultdict(list)
    left = [Function(module.name, name) for module in modules.values() for name in module.functions if _is_ready(name)]
    seen = set(left)
    while left:
        caller = left.pop()
        for dotted in modules[caller.module].calls(caller.name):
            called = _find(modules, dotted)
            if called is None:
                continue
            if modules[called.module].is_hook(called.name):
                found[str(called)].append(str(caller))
            elif called not in seen:
                seen.add(called)
                left.append(called)
    for module in modules.values():
        for signal in module.signals:
            found[f"{module.name}.{signal}"] += [
                other.name for other in modules.values() if signal in _received(other, f"{module.name}.{signal}")
            ]
    return dict(found)


def _is_ready(name: str) -> bool:
    return name.endswith(".ready")


def _received(module: Module, signal: str) -> set[str]:
    """The names under which a module receives a signal."""
    if signal not in module.names.values():
        return set()
    return {
        arg.id
        for function in module.functions.values()
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and _dotted(decorator.func) == "receiver"
        for arg in decorator.args
        if isinstance(arg, ast.Name)
    }


def with_one_provider(found: Mapping[str, list[str]]) -> list[str]:
    return sorted(hook for hook, callers in found.items() if len(callers) == 1)


def test_no_hook_has_a_single_provider() -> None:
    found = providers(read_modules())
    assert len(found) > 5, f"hardly any hooks: {found}"
    assert found.keys() >= UPWARD
    assert [hook for hook in with_one_provider(found) if hook not in UPWARD] == []


def test_a_planted_hook_with_one_provider_is_reported() -> None:
    sources = {
        "core.bells": "_bells: list = []\n\ndef add(bell):\n    _bells.append(bell)\n",
        "core.flags": "flag = None\n\ndef set_flag(new):\n    global flag\n    flag = new\n",
        "core.news": "from django.dispatch import Signal\n\nnews = Signal()\n",
        "core.doors": "doors = {}\n\ndef add(name, door):\n    doors[name] = door\n",
        "matches.bell": "from core import bells\n\ndef connect():\n    bells.add(print)\n",
        "matches.reader": "from core.news import news\n\n@receiver(news)\ndef read(**_):\n    pass\n",
        "matches.apps": (
            "class MatchesConfig:\n    def ready(self):\n        from core import doors\n"
            "        from matches import bell\n"
            "        from core.flags import set_flag\n"
            "        bell.connect()\n        set_flag(1)\n        doors.add('front', 1)\n        doors.add('back', 2)\n"
        ),
    }
    found = providers({name: Module(name, source) for name, source in sources.items()})
    assert with_one_provider(found) == ["core.bells.add", "core.flags.set_flag", "core.news.news"]
    assert len(found["core.doors.add"]) == 2
