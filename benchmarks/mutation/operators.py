"""The faults: small changes to the syntax tree of a function, of the kind that slip in while editing."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
TWINS = {"min": "max", "max": "min", "any": "all", "all": "any", "filter": "exclude", "exclude": "filter"}
"""Functions and methods that are easily taken for one another."""
SELECTIONS = ("filter", "exclude", "get", "replace", "_replace")
"""Calls from which one of several keywords is left out."""
EMPTY = {
    **dict.fromkeys(("Sequence", "tuple"), "()"),
    **dict.fromkeys(("Mapping", "dict"), "{}"),
    "bool": "False",
    "float": "0.0",
    "int": "0",
    "list": "[]",
    "set": "set()",
    "str": "''",
}
"""What a function returns instead of its value, by the name of the annotated type."""
UNSEEN_CALLS = re.compile(r"(^|[._])(lock\w*|select_for_update)$|^(log|logger|logging)\.")
"""Calls that are left alone: a test in one process can tell nothing about row locks and the server's log."""
UNSEEN_KEYWORDS = ("strict", "timeout", "batch_size", "skip_locked", "nowait")
"""Keywords whose values are left alone: they guard against our own mistakes, or change only the speed."""


@dataclass(frozen=True)
class Mutation:
    """One change; `apply` makes it in the tree that it was found in."""

    operator: str
    line: int
    before: str
    after: str
    apply: Callable[[], None]


def mutations(function: Function) -> Iterator[Mutation]:
    """Every change that can be made to the body of a function, always in the same order."""
    for parent in _nodes(function):
        yield from _statements(parent)
        for field, child in ast.iter_fields(parent):
            if isinstance(child, ast.expr) and field not in ("annotation", "returns"):
                put = _setter(parent, field)
                if field == "test" and not isinstance(parent, ast.IfExp):
                    yield from _replaced(child, _negated(child), put)
                yield from _replaced(child, _variants(child), put)
            elif isinstance(child, list):
                for index, element in enumerate(child):
                    if isinstance(element, ast.expr):
                        put = _item_setter(child, index)
                        if isinstance(parent, ast.comprehension):
                            yield from _replaced(element, _negated(element), put)
                        yield from _replaced(element, _variants(element), put)
    yield from _returns(function)


def _returns(function: Function) -> Iterator[Mutation]:
    """An empty value of the annotated type is returned instead of the computed one."""
    if function.returns is None:
        return
    annotation = ast.unparse(function.returns).partition("[")[0]
    empty = "None" if "None" in ast.unparse(function.returns) else EMPTY.get(annotation)
    waiting: list[ast.AST] = list(function.body)
    while waiting and empty is not None:
        node = waiting.pop(0)
        if isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != empty:
            new = ast.parse(empty, mode="eval").body
            yield from _replaced(node.value, [("return constant", new)], _setter(node, "value"))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _nodes(function: Function) -> Iterator[ast.AST]:
    """The function and the nodes of its body; no annotations, defaults, decorators, assertions or lock arguments."""
    waiting: list[ast.AST] = [ast.Module(function.body, [])]
    while waiting:
        node = waiting.pop()
        yield node
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "args") and not isinstance(node, ast.Call):
                continue
            children = value if isinstance(value, list) else [value]
            waiting.extend(child for child in children if isinstance(child, ast.AST) and not _is_unseen(child))


def _is_unseen(node: ast.AST) -> bool:
    match node:
        case ast.Assert() | ast.JoinedStr():
            return True
        case ast.keyword(arg=str(name)):
            return name in UNSEEN_KEYWORDS
        case ast.Call(func=function) | ast.Expr(value=ast.Call(func=function)):
            return UNSEEN_CALLS.search(ast.unparse(function)) is not None
    return False


def _setter(node: ast.AST, field: str) -> Callable[[ast.AST], None]:
    return lambda new: setattr(node, field, new)


def _item_setter(nodes: list[ast.AST], index: int) -> Callable[[ast.AST], None]:
    def put(new: ast.AST) -> None:
        nodes[index] = new

    return put


def _statements(parent: ast.AST) -> Iterator[Mutation]:
    """A statement that does something is left out."""
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if not isinstance(block, list):
            continue
        for index, statement in enumerate(block):
            operator = _removable(statement)
            if operator and not _is_unseen(statement):
                put, new = _item_setter(block, index), ast.copy_location(ast.Pass(), statement)
                yield Mutation(operator, statement.lineno, ast.unparse(statement), "pass", _bound(put, new))


def _removable(statement: ast.AST) -> str:
    match statement:
        case ast.Expr(value=ast.Call()):
            return "remove call"
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name))) if name not in ("AssertionError", "NotImplementedError"):
            return "remove raise"
        case ast.AugAssign() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return "remove assignment"
        case ast.Continue() | ast.Break():
            return "remove jump"
    return ""


def _bound(put: Callable[[ast.AST], None], new: ast.AST) -> Callable[[], None]:
    return lambda: put(new)


def _replaced(
    node: ast.expr, variants: Iterable[tuple[str, ast.expr]], put: Callable[[ast.AST], None]
) -> Iterator[Mutation]:
    """An expression is replaced by one that is nearly the same."""
    if _is_unseen(node):
        return
    before = ast.unparse(node)
    for operator, new in variants:
        ast.fix_missing_locations(ast.copy_location(new, node))
        yield Mutation(operator, node.lineno, before, ast.unparse(new), _bound(put, new))


def _negated(condition: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """A condition is turned round, unless turning its one comparison round says the same."""
    if not isinstance(condition, ast.Compare | ast.UnaryOp):
        yield "negate", ast.UnaryOp(ast.Not(), condition)


def _variants(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for index, op in enumerate(ops):
                for other in COMPARISONS[type(op)]:
                    yield "comparison", ast.Compare(left, [*ops[:index], other(), *ops[index + 1 :]], comparators)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "negate", operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield from ((name, ast.IfExp(negated, body, orelse)) for name, negated in _negated(test))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC and not _is_text(left, right):
            yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.BoolOp():
            yield from _conditions(node)
        case ast.Constant():
            yield from _constants(node.value)
        case ast.Call():
            yield from _calls(node)


def _conditions(node: ast.BoolOp) -> Iterator[tuple[str, ast.expr]]:
    yield "and/or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for index in range(len(node.values)):
        rest = node.values[:index] + node.values[index + 1 :]
        yield "drop condition", rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _constants(value: object) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int):
        yield "constant", ast.Constant(value + 1)
        if value > 0:
            yield "constant", ast.Constant(value - 1)


def _is_text(*operands: ast.expr) -> bool:
    """Whether an operand is text or a list, so that no other operator fits."""
    return any(
        isinstance(operand, ast.JoinedStr | ast.List | ast.Tuple)
        or (isinstance(operand, ast.Constant) and isinstance(operand.value, str | bytes))
        for operand in operands
    )


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    function, args, keywords = node.func, node.args, node.keywords
    plain = [isinstance(arg, ast.Name | ast.Attribute | ast.Subscript) for arg in args]
    if plain[:2] == [True, True] and ast.unparse(args[0]) != ast.unparse(args[1]):
        yield "swap arguments", ast.Call(function, [args[1], args[0], *args[2:]], keywords)
    match function:
        case ast.Name(id=name) if name in TWINS and not keywords:
            yield "twin", ast.Call(ast.Name(TWINS[name], ast.Load()), args, keywords)
        case ast.Attribute(value=value, attr=name) if name in TWINS and (args or keywords):
            yield "twin", ast.Call(ast.Attribute(value, TWINS[name], ast.Load()), args, keywords)
    if isinstance(function, ast.Attribute | ast.Name) and ast.unparse(function).rpartition(".")[2] in SELECTIONS:
        for index, keyword in enumerate(keywords):
            if len(args) + len(keywords) > 1 and keyword.arg:
                yield "drop keyword", ast.Call(function, args, keywords[:index] + keywords[index + 1 :])
