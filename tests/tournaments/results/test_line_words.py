"""Typed lines in the words of the reader's language, beside English."""

import re

from django.utils.translation import override

from engine.errors import Refused
from tournaments.results import lines
from tournaments.results.line_words import in_own_words
from tournaments.results.lines import TypedLine, Verb, parse, parse_floor_line

EXAMPLES = [
    example
    for line in (lines.__doc__ or "").splitlines()
    for example in re.split(r"[;,] ", re.split(r"\s{2,}", line)[0])
    if re.match(r"(m\d|t\d|bob|open|undo|late|accessible|pause|resume|auto)", example) and "cruz" not in example
]
"""Those of the table in which the lines are described."""


def read(line: str) -> TypedLine | str:
    try:
        return parse_floor_line(line) or parse(line)
    except Refused as refused:
        return refused.code


def test_each_line_is_read_in_both_languages_and_says_the_same(pseudo_locale: str) -> None:
    assert len(EXAMPLES) > 20
    for example in EXAMPLES:
        english = read(example)
        with override(pseudo_locale):
            own = in_own_words(example)
            assert read(example) == english, example
            assert read(own) == english, own
    with override(pseudo_locale):
        changed = [example for example in EXAMPLES if in_own_words(example) != example]
    assert len(changed) > 15


def test_a_name_that_looks_like_a_word_stays_a_name(pseudo_locale: str) -> None:
    with override(pseudo_locale):
        late, free = in_own_words("late"), in_own_words("free")
        assert parse_floor_line(f"{late} {free} 10") == TypedLine(Verb.LATE, names=(free,), value="10")
        assert read(f"m22 {free} {late}") == TypedLine(Verb.PAIR, 22, (f"{free} {late}",))
