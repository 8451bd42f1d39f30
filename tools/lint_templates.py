"""Check the layout of the Django templates: `python -m tools.lint_templates templates`.

One tag a line, as far as whitespace that is seen allows it:

- no line is longer than 120 characters;
- at most one block-level element starts on a line, and at most one ends;
- `{% extends %}` and `{% load %}` stand alone;
- a block tag such as `{% if %}` ends on its line or stands alone, there is one a line, and it does not wrap a
  block-level element on its line;
- the name of a player stands in `<bdi>`, or alone in an element of the class `name`, which has the same effect; in a
  translated sentence it has the filter `bdi`. Attributes, titles and options have no elements inside;
- a colon after what a tag or a variable says is `{% colon %}`, since languages write it differently;
- attributes depend on at most one `{% if %}` a line, and a condition has at most two operators of one kind.

djLint was tried: it keeps inline content on one line of any length, and has no rule for long lines.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_LENGTH = 120
MAX_OPERATORS = 2
TEMPLATE_TAG = r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}"
START_TAG = re.compile(
    rf"""<(?P<name>[a-zA-Z][\w-]*)(?:{TEMPLATE_TAG}|"(?:{TEMPLATE_TAG}|[^"])*"|'(?:{TEMPLATE_TAG}|[^'])*'|[^>"'])*>""",
    re.DOTALL,
)
END_TAG = re.compile(r"</(?P<name>[a-zA-Z][\w-]*)")
BLOCK_TAG = re.compile(r"\{% *(?P<name>\w+)(?P<rest>.*?)%\}")
COMMENT = re.compile(r"\{% comment %\}.*?\{% endcomment %\}|\{#.*?#\}", re.DOTALL)
SENTENCE = re.compile(r"\{% *blocktranslate.*?\{% *endblocktranslate *%\}", re.DOTALL)
CONDITION = re.compile(r"\{% *(?:el)?if (?P<test>.*?) *%\}")
COLON = re.compile(r"(?:%\}|\}\}|</(?:a|bdi|q|span)>):(?=\s)")

PERSON = (
    r"(?:[\w.]*\bnames\.[01]|[\w.]*\b(?:shown_name|person\.name|player\.name|opponent)|[\w.]+\|entry_name(?::\w+)?)"
)
"""A template variable with the name of a player."""
NAME = re.compile(rf"\{{\{{ ?{PERSON}(?P<filters>\|[^}}]*)? ?\}}\}}")
NAME_IN_SENTENCE = re.compile(rf"\{{% *blocktranslate(?![^%]*\basvar\b)[^%]*=(?P<name>{PERSON})(?![\w.|:])[^%]*%\}}")
NAME_ALONE = re.compile(r"""<\w+[^<>]*\bclass="[^"]*\b(?:player-)?name\b[^<]*>\s*$""")
ONLY_TEXT = re.compile(r"<(?:option|title|text|script|textarea)\b[^<>]*>[^<]*$")
HEAD = re.compile(r"\{% *block (?:title|paper_title|head) *%\}.*?\{% *endblock *%\}", re.DOTALL)

BLOCK_LEVEL = frozenset(
    re.findall(
        r"\w+",
        """address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer
        form h1 h2 h3 h4 h5 h6 head header legend li main nav ol optgroup option p script section summary table tbody td
        tfoot th thead title tr ul""",
    )
)
OPENING = frozenset({"autoescape", "block", "for", "if", "spaceless", "with"})
CLOSING = frozenset(f"end{name}" for name in OPENING)
MIDDLE = frozenset({"elif", "else", "empty"})
ALONE = frozenset({"extends", "load"})
INCLUDED = re.compile(r"""\{% *(?:extends|include) +["']([^"']+)""")


def problems(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the description of each fault of a template."""
    for number, line in enumerate(source.splitlines(), start=1):
        if len(line) > MAX_LENGTH:
            yield number, f"the line has {len(line)} characters; the limit is {MAX_LENGTH}"
    yield from _bare_names(HEAD.sub(_blank, COMMENT.sub(_blank, source)))
    # Comments and translated sentences count as text; their line breaks stay.
    text = SENTENCE.sub(_blank, COMMENT.sub(_blank, source))
    # What stands inside start tags is looked at by itself.
    outside = START_TAG.sub(lambda tag: f"<{tag['name']}>" + "\n" * tag[0].count("\n"), text)
    for number, line in enumerate(outside.splitlines(), start=1):
        yield from ((number, fault) for fault in _line_faults(line.strip()))
    for tag in START_TAG.finditer(text):
        first = text.count("\n", 0, tag.start()) + 1
        for number, line in enumerate(tag[0].splitlines(), start=first):
            if len(re.findall(r"\{% *if ", line)) > 1:
                yield number, "attributes depend on more than one {% if %} on this line"
    for colon in COLON.finditer(text):
        yield text.count("\n", 0, colon.start()) + 1, "write this colon as {% colon %}"
    for condition in CONDITION.finditer(text):
        operators = re.findall(r"\b(?:and|or)\b", re.sub(r"\"[^\"]*\"|'[^']*'", "", condition["test"]))
        if len(operators) > MAX_OPERATORS or len(set(operators)) > 1:
            yield text.count("\n", 0, condition.start()) + 1, f"move this condition to the view: {condition['test']}"


def _bare_names(text: str) -> Iterator[tuple[int, str]]:
    """Yield where a name may change the order of the text around it."""
    for name in NAME.finditer(text):
        before, after = text[: name.start()], text[name.end() :]
        is_alone = NAME_ALONE.search(before) and re.match(r"\s*</", after)
        if before.rfind("{% blocktranslate") > before.rfind("{% endblocktranslate"):
            continue
        is_isolated = before.rfind("<bdi") > before.rfind("</bdi") or "bdi" in (name["filters"] or "")
        if not (_is_only_text(before) or is_alone or is_isolated):
            yield text.count("\n", 0, name.start()) + 1, f"put the name into <bdi>: {name[0]}"
    for name in NAME_IN_SENTENCE.finditer(text):
        sentence = text[name.end() : text.find("{% endblocktranslate", name.end())]
        if "<bdi" not in sentence and not _is_only_text(text[: name.start()]):
            yield text.count("\n", 0, name.start()) + 1, f"add the filter bdi: {name['name']}"


def _is_only_text(before: str) -> bool:
    """Say whether no element can stand after this part of a template."""
    return before.rfind("<") > before.rfind(">") or bool(ONLY_TEXT.search(before))


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n") or "text"


def _line_faults(line: str) -> Iterator[str]:
    """Yield the faults of one line, whose start tags have no attributes left."""
    starts = [tag for tag in START_TAG.finditer(line) if tag["name"] in BLOCK_LEVEL]
    ends = [tag for tag in END_TAG.finditer(line) if tag["name"] in BLOCK_LEVEL]
    tags = list(BLOCK_TAG.finditer(line))
    names = [tag["name"] for tag in tags]
    if len(starts) > 1:
        yield "more than one block-level element starts on this line"
    if len(ends) > 1:
        yield "more than one block-level element ends on this line"
    opened = [tag for tag in tags if tag["name"] in OPENING]
    if len(opened) > 1:
        yield "more than one block tag on this line"
    elif opened and f"end{opened[0]['name']}" in names:
        if starts and starts[0].start() > opened[0].start():
            yield f"{{% {opened[0]['name']} %}} wraps a block-level element on this line"
    elif line not in [tag[0] for tag in tags] and any(name in OPENING | CLOSING | MIDDLE | ALONE for name in names):
        yield "a block tag that does not end on its line stands alone"


def with_included(*names: str, folder: Path) -> dict[str, str]:
    """Return the sources of templates below `folder`, by name, and of all that they extend or include by its name."""
    sources = dict[str, str]()
    names_left = list(names)
    while names_left:
        name = names_left.pop()
        if name not in sources:
            sources[name] = (folder / name).read_text(encoding="utf-8")
            names_left += INCLUDED.findall(sources[name])
    return sources


def main(folders: list[str]) -> int:
    """Print the faults of all templates below `folders`; return 1 if there are any."""
    count = 0
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.html")):
        for number, fault in problems(path.read_text(encoding="utf-8")):
            print(f"{path}:{number}: {fault}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["templates"]))
