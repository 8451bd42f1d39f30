"""Keep the message catalogues up to date: `python -m tools.messages [--check]`.

Each app has one catalogue a language, `<app>/locale/<language>/LC_MESSAGES/django.po`; what several apps say is in that
of the first. English is the source: its catalogue lists every message, without translations. Other languages are
updated from it and compiled to `.mo` files without their drafts, which are marked as fuzzy; those files are checked in,
so that a server needs neither GNU gettext nor Babel.

Django's own `makemessages` and `compilemessages` need GNU gettext, and write dates and line numbers that change with
every edit; Babel reads and writes the catalogues instead.
"""

import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from core.languages import NAMES
from core.packages import PACKAGES, PURE, ROOT

SOURCE_LANGUAGE = "en"

SOURCES: Mapping[str, tuple[str, ...]] = {
    **{name: (name, f"templates/{name}") for name in PACKAGES},
    "config": ("config", "templates/config", "templates/_partials", "templates/*.html"),
}
"""Package -> the folders whose messages its catalogue has."""

REGISTRIES = ("MESSAGES", "EXPLANATIONS", "REMARKS", "TITLES", "LABELS")
"""Module-level dictionaries of sentences in the packages that import the standard library alone."""

KEYWORDS: Mapping[str, tuple[int | tuple[int, str], ...] | None] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
"""Babel writes the present time into a catalogue otherwise."""
UNSTABLE_HEADERS = re.compile(
    r'^"(?:POT-Creation-Date|PO-Revision-Date|Last-Translator|Language-Team|Generated-By|Report-Msgid-Bugs-To'
    r"|Project-Id-Version): .*\n",
    re.MULTILINE,
)


class Message(NamedTuple):
    """A message as it is written in a file; with a plural, `id` is a pair."""

    id: str | tuple[str, ...]
    context: str | None
    path: str
    comments: tuple[str, ...] = ()


def messages_of(app: str) -> Iterator[Message]:
    """Yield the messages of an app's Python files and templates, in order of their files."""
    for path in source_files(SOURCES[app], ".py", ".html", ".txt"):
        name = str(path.relative_to(ROOT))
        yield from _extracted(path, name)
        if path.suffix == ".py" and name.startswith(PURE):
            yield from (Message(text, None, name) for text in _registered(path))


def source_files(patterns: Iterable[str], *suffixes: str) -> list[Path]:
    """Return the files with these suffixes in folders and files that match the patterns, migrations left out."""
    files: set[Path] = set()
    for pattern in patterns:
        for start in ROOT.glob(pattern):
            paths = [start] if start.is_file() else start.rglob("*")
            files |= {path for path in paths if path.suffix in suffixes and "migrations" not in path.parts}
    return sorted(files)


def _extracted(path: Path, name: str) -> Iterator[Message]:
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        # Python as far as a tokenizer needs it; indentation would not be.
        source = "\n".join(line.strip() for line in templatize(source).splitlines())
    else:
        yield from (Message(text, None, name) for text in _in_formatted_strings(source))
    lines = io.BytesIO(source.encode())
    for _line, text, comments, context in extract("python", lines, KEYWORDS, ("Translators:",)):
        yield Message(text, context, name, tuple(comments))


def _in_formatted_strings(source: str) -> Iterator[str]:
    """Yield the messages inside of f-strings, which are one token for Babel."""
    formatted = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.JoinedStr))
    for call in (child for node in formatted for child in ast.walk(node) if isinstance(child, ast.Call)):
        if isinstance(call.func, ast.Name) and call.func.id in ("_", "gettext") and len(call.args) == 1:
            text = call.args[0]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield text.value


def _registered(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if names & set(REGISTRIES) and isinstance(node.value, ast.Dict):  # type: ignore[attr-defined]
            values = node.value.values  # type: ignore[attr-defined]
            parts = (part for value in values for part in (value.elts if isinstance(value, ast.Tuple) else [value]))
            texts = [part.value for part in parts if isinstance(part, ast.Constant)]
            yield from (text for text in texts if isinstance(text, str))


def source_catalogues() -> dict[str, Catalog]:
    """Return the English catalogue of each app, as the files stand; a message of several apps is in the first's."""
    catalogues = {app: Catalog(locale=SOURCE_LANGUAGE, charset="utf-8", fuzzy=False) for app in SOURCES}
    found: dict[tuple[str | None, str], Catalog] = {}
    for app in SOURCES:
        for message in messages_of(app):
            catalogue = found.setdefault((message.context, singular(message.id)), catalogues[app])
            catalogue.add(
                message.id, locations=[(message.path, 0)], auto_comments=message.comments, context=message.context
            )
    return catalogues


def singular(text: str | Sequence[str]) -> str:
    """Return a message without its plural."""
    return text if isinstance(text, str) else text[0]


def rendered(catalogue: Catalog) -> str:
    """Return a catalogue as the text of a `.po` file, without anything that changes by itself."""
    out = io.BytesIO()
    write_po(out, catalogue, sort_output=True, no_location=True, ignore_obsolete=True, width=100)
    text = out.getvalue().decode()
    # Babel begins with a comment about the licence of a project that it does not know.
    return UNSTABLE_HEADERS.sub("", text[text.index("msgid") :])


def compiled(catalogue: Catalog) -> bytes:
    """Return a catalogue as the bytes of a `.mo` file, which do not change by themselves."""
    catalogue.creation_date = catalogue.revision_date = UNDATED
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def outdated() -> Iterator[tuple[Path, bytes]]:
    """Yield every catalogue file that differs from what the sources say, with what it should hold."""
    for app, source in source_catalogues().items():
        if not source:
            continue
        folder = ROOT / app / "locale"
        wanted = {}
        for language in sorted(set(NAMES) - {SOURCE_LANGUAGE}):
            path = folder / language / "LC_MESSAGES" / "django.po"
            catalogue = read_po(io.BytesIO(path.read_bytes() if path.exists() else b""), locale=language)
            catalogue.update(source, no_fuzzy_matching=True)
            wanted[path] = rendered(catalogue).encode()
            wanted[path.with_suffix(".mo")] = compiled(catalogue)
        for path, content in wanted.items():
            if not path.exists() or path.read_bytes() != content:
                yield path, content


def main(arguments: list[str]) -> int:
    """Write the catalogues that are out of date; with `--check` only name them, and return 1 if there are any."""
    check = "--check" in arguments
    files = list(outdated())
    for path, content in files:
        print(f"{path.relative_to(ROOT)} is out of date" if check else f"Writing {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    if check and files:
        print("Run `make messages` and commit the catalogues.")
    return 1 if check and files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
