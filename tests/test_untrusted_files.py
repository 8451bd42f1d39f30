"""Files that somebody sent are read in a limited process: walks over what can unpack or parse, and over file fields."""

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.test_layout import ROOT, python_files

PARSERS = {
    *("PIL", "bz2", "csv", "gvformat", "gzip", "html.parser", "lzma", "marshal", "pickle", "plistlib", "shelve"),
    *("struct", "tarfile", "xml", "zipfile", "zlib"),
}
READERS = {
    "core/pictures.py": {"drawn_anew"},
    "core/spreadsheets.py": {"read_spreadsheet", "spreadsheet_text"},
    "matches/records/foreign_formats.py": {"read_foreign"},
    "matches/records/verdicts.py": {"checked_record", "check_record"},
}
"""Modules that read files, and their functions to which a limited process passes one."""
OURS = "our own data, compressed, drawn or packed"
TYPED = "a text field, which is bounded"
OTHERS = {
    "engine/records/xg_container.py": "used by the reader of records",
    "engine/records/xg_reader.py": "used by the reader of records",
    "matches/analysis/stored_xg.py": "a record that its reader has accepted, again, by the worker of analyses",
    "config/backup.py": "the operator's own archive, on the command line",
    "matches/rankings/imports.py": TYPED,
    "config/api_schema.py": OURS,
    "config/lan.py": "addresses of this machine",
    "config/page_cache.py": OURS,
    "config/templatetags/barpoint.py": "the size of our own pictures",
    "core/downloads.py": OURS,
    "core/fonts/__init__.py": OURS,
    "matches/play/replay.py": OURS,
    "matches/reporting/match_context.py": OURS,
    "players/accounts/idempotency.py": OURS,
    "players/privacy/services.py": OURS,
    "demo/analyses.py": OURS,
    "demo/club.py": OURS,
    "display/sharing/drawing.py": OURS,
}
"""Other modules that import a parser, and why that needs no limited process."""
FIELDS = {
    ("matches/records/api.py", "RecordFileField"): "checked_record, by a worker",
    ("matches/records/intake.py", "forms.FileField"): "checked_record, by a worker",
    ("players/accounts/serializers.py", "ImageFileField"): "drawn_anew",
    ("players/accounts/serializers.py", "ListFileField"): "spreadsheet_text",
    ("players/forms.py", "forms.FileField"): "drawn_anew, and spreadsheet_text for lists",
    ("seasons/page/past.py", "SpreadsheetField"): "spreadsheet_text",
    ("seasons/page/past.py", "forms.FileField"): "spreadsheet_text",
}
"""Fields that take a file, and the reader that it is passed to."""
ADVICE = "pass the file to core.limited, or say in this test why that is not needed"


@cache
def sources() -> dict[str, ast.Module]:
    """Return the modules of the site that mention a parser, a reader or a field for files."""
    mentioned = re.compile("|".join({*PARSERS, *set[str]().union(*READERS.values()), "FileField", "ImageField"}))
    texts = {path: path.read_text() for path in python_files()}
    trees = {str(path.relative_to(ROOT)): ast.parse(text) for path, text in texts.items() if mentioned.search(text)}
    assert len(texts) > len(trees) > len(READERS) + len(OTHERS)
    return trees


def parsers(tree: ast.AST) -> Iterator[str]:
    """Yield the parsers that a module imports."""
    for node in ast.walk(tree):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from (name for name in names if name in PARSERS or name.partition(".")[0] in PARSERS)


def called(tree: ast.AST, functions: set[str]) -> Iterator[int]:
    """Yield the lines that call one of these functions, and do not only pass it on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in functions:
                yield node.lineno


def file_fields(tree: ast.AST, kinds: set[str]) -> Iterator[str]:
    """Yield the fields of these classes, and of Django's, that a module has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in kinds or name.endswith((".FileField", ".ImageField")):
                yield name


def test_only_readers_import_what_can_unpack_or_parse_files() -> None:
    found = {path: sorted(set(parsers(tree))) for path, tree in sources().items()}
    found = {path: names for path, names in found.items() if names}
    assert set(OTHERS) <= set(found), "no longer imports one: take it off the list"
    assert {path: names for path, names in found.items() if path not in READERS | OTHERS} == {}, ADVICE


def test_readers_are_called_by_limited_processes_alone() -> None:
    functions = set[str]().union(*READERS.values())
    assert len(functions) == 6
    outside = {path: tree for path, tree in sources().items() if path not in READERS and not path.startswith("engine/")}
    calls = {path: list(called(tree, functions)) for path, tree in outside.items()}
    assert {path: lines for path, lines in calls.items() if lines} == {}, ADVICE


def test_every_field_that_takes_a_file_has_a_reader() -> None:
    kinds = {
        node.name
        for tree in sources().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("FileField") for base in node.bases)
    }
    fields = {(path, name) for path, tree in sources().items() for name in file_fields(tree, kinds)}
    assert fields == set(FIELDS), ADVICE
    assert {reader.partition(",")[0] for reader in FIELDS.values()} <= set[str]().union(*READERS.values())


@pytest.mark.parametrize(
    "line", ["import zipfile", "from PIL import Image", "from xml.etree import ElementTree", "import xml.sax as sax"]
)
def test_a_new_parser_is_reported(line: str) -> None:
    assert list(parsers(ast.parse(line)))


def test_a_reader_that_is_called_is_reported_and_one_that_is_passed_on_is_not() -> None:
    lines = "drawn_anew(file.read())\npictures.drawn_anew(data)\nlimited.read_in_request(drawn_anew, data)\n"
    assert list(called(ast.parse(lines), {"drawn_anew"})) == [1, 2]
