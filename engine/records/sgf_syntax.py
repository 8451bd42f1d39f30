"""The syntax of SGF: tokens, escapes, and the main line of each game tree. Source: SGF FF[4] specification."""

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from engine.transcript import Place

_VALUE_PATTERN = r"\[[^\]\\]*+(?:\\.[^\]\\]*+)*+\]"
_TOKEN = re.compile(
    rf"\s*+(?:(?P<mark>[();])|(?P<name>[A-Za-z]{{1,20}})(?P<values>(?>(?:\s*+{_VALUE_PATTERN})+)))", re.DOTALL
).match
_VALUES = re.compile(_VALUE_PATTERN, re.DOTALL).findall
_ESCAPED = re.compile(r"\\(\r\n|.)", re.DOTALL)
_DEEPEST = 200
"""Levels of variations inside variations; no record of a match has any."""
_TO_ESCAPE = re.compile(r"([\\\]])")


class Token(NamedTuple):
    """A mark `(`, `)` or `;`, or the name of a property with its values."""

    text: str
    values: list[str] | None
    """Values without brackets; None for a mark."""
    position: int


class SgfNode(NamedTuple):
    """A node: its properties in order, and its position in the text."""

    properties: list[tuple[str, list[str]]]
    position: int

    def first(self, name: str) -> str | None:
        """Return the first value of a property, if there is one."""
        return next((values[0] for key, values in self.properties if key == name and values), None)


class UnfinishedError(Exception):
    """Raised where the text stops being SGF, at `position`."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def text_of(value: str) -> str:
    """Return a value without its escapes; white space becomes blanks."""
    plain = _ESCAPED.sub(lambda match: "" if match[1] in "\r\n" else match[1], value)
    return re.sub(r"\s", " ", plain).strip()


def escaped(text: str) -> str:
    """Return a text as it is written between brackets."""
    return _TO_ESCAPE.sub(r"\\\1", text)


def _tokens(text: str, names: Container[str]) -> Iterator[Token]:
    """Yield the marks and the properties in `names`; raise UnfinishedError where the text stops being SGF.

    Other properties are skipped in one step: an analysis can be a thousand times the size of the plays.
    """
    position = 0
    while match := _TOKEN(text, position):
        position = match.end()
        if name := match["name"]:
            if name in names:
                yield Token(name, [value[1:-1] for value in _VALUES(match["values"])], match.start("name"))
        else:
            yield Token(match["mark"], None, match.start("mark"))
    if text[position:].strip("\0 \t\r\n\x1a"):
        raise UnfinishedError(position)


def _main_line(tokens: Iterator[Token]) -> Iterator[Token]:
    """Yield the tokens of the first variation only, which is what was played."""
    depth = closed = skipped = 0
    for token in tokens:
        if token.text == "(":
            depth += 1
            if depth > _DEEPEST:
                raise UnfinishedError(token.position)
            if not skipped and depth == closed:
                skipped = depth
        if not skipped:
            yield token
        if token.text == ")":
            if skipped == depth:
                skipped = 0
            elif not skipped:
                closed = depth if depth > 1 else 0
            depth = max(0, depth - 1)


def trees(text: str, names: Container[str]) -> Iterator[SgfNode | None]:
    """Yield the nodes of the main line with the properties in `names`, and None where a new game tree begins.

    Raises UnfinishedError where the text stops being SGF, after the nodes before it.
    """
    depth = 0
    node: SgfNode | None = None
    for word, values, position in _main_line(_tokens(text, names)):
        if values is not None:
            if node is not None:
                node.properties.append((word, values))
            continue
        if node is not None:
            yield node
        node = SgfNode([], position) if word == ";" else None
        if word == "(" and depth == 0:
            yield None
        depth = max(0, depth + {"(": 1, ")": -1}.get(word, 0))
    if node is not None:
        yield node
    if depth:
        raise UnfinishedError(len(text))


class LineIndex:
    """Line and column of positions in a text, which must be asked for in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line, self.start, self.seen = 1, 0, 0

    def place(self, position: int) -> Place:
        """Return the place of a position, which may not be before the previous one."""
        self.line += self.text.count("\n", self.seen, position)
        newline = self.text.rfind("\n", self.seen, position)
        if newline >= 0:
            self.start = newline + 1
        self.seen = position
        return Place(self.line, position - self.start + 1)
