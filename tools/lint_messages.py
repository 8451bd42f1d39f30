"""Check that everything a reader sees can be translated: `python -m tools.lint_messages`, called by `make lint`.

- No template has text outside `{% translate %}` and `{% blocktranslate %}`, in its content or in an attribute that is
  read out or shown. Pages for programmers and for the admin are English.
- No form, model or message in Python has a label that is an unmarked string.
- Every code of a refusal has a message, and every message that people can cause is in a catalogue.
- A translation has the placeholders, the tags, the line breaks and the plural forms of its message.
- What players read is translated into every language that the site offers.
- A word of several meanings that is a message by itself says in its context which one is meant.
- A message with a plural is looked up with a number everywhere.
"""

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import django
from babel.messages.pofile import read_po

from core.languages import OFFERED
from core.packages import PACKAGES
from tools import audiences, lint_templates, messages

SHOWN_ATTRIBUTES = re.compile(r"""\b(?:alt|aria-label|aria-description|placeholder|title)=(?:"([^"]*)"|'([^']*)')""")
BUTTON_TEXT = re.compile(r"""<input(?=[^>]*type="(?:submit|button|reset)")[^>]*\bvalue="([^"]*)\"""")
TEMPLATE_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
NOT_TEXT = re.compile(
    r"<(bdi|code|script|style)\b.*?</\1>|<!doctype[^>]*>|<!--.*?-->|&#?\w+;"
    r"|\{% block \w+_class %\}.*?\{% endblock %\}",
    re.DOTALL | re.IGNORECASE,
)
WORD = re.compile(r"[^\W\d_]{2,}")
NAMES = re.compile(
    r"\bPR\b|\bAPI\b|\bCrawford\b|US Letter"
    r"|Barpoint|CSV|JSON|Python|curl|eXtreme Gammon|GNU Backgammon|Backgammon Galaxy|Backgammon Studio|Heroes"
    r"|\.(?:json|mat|sgf|txt|xg)\b"
)
"""Names and file extensions, which no language translates."""
SHOWN_KEYWORDS = frozenset({"empty_label", "help_text", "label", "verbose_name", "verbose_name_plural"})
SHOWN_CALLS = ("ValidationError", "messages.error", "messages.info", "messages.success", "messages.warning")
HOMONYMS = frozenset(
    {"double", "draw", "entry", "float", "match", "point", "record", "report", "roll", "seed", "table"}
)
TAG = re.compile(r"</?\w+[^>]*>")
ENGLISH = ("api", "serializers", "admin", "apps")
"""Ends of the names of files whose labels no page shows."""
ENGLISH_TEMPLATES = (
    "templates/config/api_docs.html", "templates/config/api_reference.html", "templates/players/people/suspend.html",
)  # fmt: skip
"""Pages that are English: the documentation of the API, and what belongs to Django's admin."""
FOR_PROGRAMS = "FOR_PROGRAMS"
"""The dictionaries of messages of refusals that only programs can cause; these are English."""
PLACEHOLDER = re.compile(r"%\((\w+)\)[a-z]|(?<!\{)\{(\w+)(?:[.:!\[][^{}]*)?\}(?!\})")


def template_faults(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of everything in a template that is shown and not marked."""
    text = lint_templates.SENTENCE.sub(_blank, lint_templates.COMMENT.sub(_blank, source))
    text = NAMES.sub(_blank, TEMPLATE_TAG.sub(_blank, NOT_TEXT.sub(_blank, text)))
    shown = [*SHOWN_ATTRIBUTES.finditer(text), *BUTTON_TEXT.finditer(text)]
    literals = [(match.start(), next(filter(None, match.groups()), "")) for match in shown]
    content = lint_templates.START_TAG.sub(lambda tag: re.sub(r"[^\n]", " ", tag[0]), text)
    content = re.sub(r"</[^>]*>", lambda tag: " " * len(tag[0]), content)
    literals += [(match.start(), match[0]) for match in re.finditer(r"[^\n]+", content)]
    for start, literal in literals:
        if words := WORD.findall(literal):
            yield text.count("\n", 0, start) + 1, f"unmarked text: {' '.join(words)}"


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def python_faults(source: str, *, english: bool = False, calls: bool = True) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every label, choice and message in Python that is not marked.

    The descriptions of API fields and of models, which only Django's admin shows, are for developers and operators and
    stay English: those of serializers are left out, and with `english` all, with labels of choices that say what they
    are. What a serializer refuses is read by programmers; without `calls` no message is looked at.
    """
    tree = ast.parse(source)
    in_serializers = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any("Serializer" in ast.unparse(base) for base in node.bases)
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.Call):
            shown = frozenset[str]() if english or id(node) in in_serializers else SHOWN_KEYWORDS
            values += [keyword.value for keyword in node.keywords if keyword.arg in shown]
            if calls and id(node) not in in_serializers and ast.unparse(node.func).endswith(SHOWN_CALLS):
                values += node.args
        elif isinstance(node, ast.ClassDef):
            values += _labels(node, english=english)
        for value in values:
            if any(WORD.search(text) for text in _literals(value)):
                yield value.lineno, f"unmarked text: {ast.unparse(value)}"


def _labels(node: ast.ClassDef, *, english: bool) -> Iterator[ast.expr]:
    """Yield the labels of a class of choices, or of a class such as a form's `Meta`."""
    choices = any(ast.unparse(base).endswith("TextChoices") for base in node.bases)
    for item in node.body:
        if isinstance(item, ast.Assign) and ast.unparse(item.targets[0]) in SHOWN_KEYWORDS and not english:
            yield item.value
        elif choices and isinstance(item, ast.Assign):
            # Without a label Django makes one from the name of the choice, in English.
            if not isinstance(item.value, ast.Tuple):
                yield item.value
            elif not english:
                yield item.value.elts[-1]


def _literals(value: ast.expr) -> list[str]:
    parts = value.values if isinstance(value, ast.JoinedStr) else [value]
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return [NAMES.sub("", text) for text in texts if isinstance(text, str)]


def registry_faults() -> Iterator[str]:
    """Yield the codes that are refused without a registered message, and the registered messages in no catalogue."""
    os.environ.update(DJANGO_SETTINGS_MODULE="config.settings", BARPOINT_PROFILE="local")
    django.setup()
    from core.messages import registered

    known = registered()
    for path in messages.source_files(PACKAGES, ".py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Refused" and node.args:
                code = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
                if isinstance(code, str) and code not in known:
                    yield f"{path.relative_to(messages.ROOT)}:{node.lineno}: no message for the code {code}"
    ids = {message.id for app in messages.SOURCES for message in messages.messages_of(app)}
    paths = [path for path in messages.source_files(PACKAGES, ".py") if path.name in ("refusals.py", "errors.py")]
    ids |= {text for path in paths for text in _for_programs(path)}
    yield from (f"the message of {code} is in no catalogue: {text}" for code, text in known.items() if text not in ids)


def _for_programs(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == FOR_PROGRAMS:
            yield from ast.literal_eval(node.value).values()


def homonym_faults(catalogue: Iterable[messages.Message]) -> Iterator[str]:
    """Yield the messages that are one word of several meanings without a context."""
    for message in catalogue:
        word = message.id if isinstance(message.id, str) else message.id[0]
        if message.context is None and word.casefold() in HOMONYMS:
            yield f"{message.path}: several meanings without a context: {word}"


def singular_faults(catalogue: Sequence[messages.Message]) -> Iterator[str]:
    """Yield the messages that are looked up without a number, though they have a plural elsewhere.

    They share an entry of the catalogue, and Python 3.11.2, which is Debian's, does not find its translation then.
    """
    plurals = {(message.context, message.id[0]) for message in catalogue if not isinstance(message.id, str)}
    for message in catalogue:
        if isinstance(message.id, str) and (message.context, message.id) in plurals:
            yield f"{message.path}: has a plural elsewhere, so needs a number or a context: {message.id}"


def translation_faults(path: Path) -> Iterator[str]:
    """Yield the translations of a catalogue that differ from their message in what is no language."""
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parts[-3])
    for message in catalogue:
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        if not message.id or not any(texts):
            continue
        if len(texts) != (catalogue.num_plurals if len(ids) > 1 else 1) or not all(texts):
            yield f"{path}: a plural form is missing for {ids[0]!r}"
        # A singular may say “one” where the plural has the number.
        wanted, least = _placeholders(ids[-1]), _placeholders(ids[0]) & _placeholders(ids[-1])
        for text in texts:
            if not least <= _placeholders(text) <= wanted | _placeholders(ids[0]):
                yield f"{path}: placeholders differ: {text!r} for {ids[0]!r}"
            if _marks(text) not in (_marks(ids[0]), _marks(ids[-1])):
                yield f"{path}: tags, line breaks or outer spaces differ: {text!r} for {ids[0]!r}"


def _marks(text: str) -> tuple[object, ...]:
    # French sets some signs off with a space that does not break.
    return sorted(TAG.findall(text)), text.count("\n"), text[:1] in " \n", text[-1:] in " \n"


def _placeholders(text: str) -> set[str]:
    return {next(filter(None, match.groups())) for match in PLACEHOLDER.finditer(text)}


def faults() -> Iterator[str]:
    for path in sorted((messages.ROOT / "templates").rglob("*.html")):
        name = str(path.relative_to(messages.ROOT))
        for line, fault in () if name in ENGLISH_TEMPLATES else template_faults(path.read_text(encoding="utf-8")):
            yield f"{name}:{line}: {fault}"
    for path in messages.source_files(PACKAGES, ".py"):
        english = not {"api", "models"}.isdisjoint(path.parts) or path.stem.endswith(ENGLISH)
        calls = not path.stem.endswith(ENGLISH)
        for line, fault in python_faults(path.read_text(encoding="utf-8"), english=english, calls=calls):
            yield f"{path.relative_to(messages.ROOT)}:{line}: {fault}"
    yield from registry_faults()
    every = [message for app in messages.SOURCES for message in messages.messages_of(app)]
    yield from homonym_faults(every)
    yield from singular_faults(every)
    for path in sorted(messages.ROOT.glob("*/locale/*/LC_MESSAGES/django.po")):
        yield from translation_faults(path)
    for language in set(OFFERED) - {messages.SOURCE_LANGUAGE}:
        yield from audiences.offer_faults(language)


def main() -> int:
    """Print all faults; return 1 if there are any."""
    lines = list(faults())
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
