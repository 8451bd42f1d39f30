"""JSON that would take much memory or time to read is refused with a code."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ParseError

from config.api_json import MAX_STRUCTURE, JSONParser, TooLarge

TOKENS = "/api/v1/tokens/"
"""Takes JSON from anybody."""
MIB = 1024 * 1024

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


def parsed(text: str) -> Any:
    return JSONParser().parse(BytesIO(text.encode()))


@pytest.mark.slow
@given(VALUES, st.booleans())
def test_whatever_json_can_say_is_read(value: Any, ascii_only: bool) -> None:
    assert parsed(json.dumps(value, ensure_ascii=ascii_only)) == value


def test_a_long_text_counts_once_whatever_is_in_it() -> None:
    text = '[{"\\\n' * MIB
    assert parsed(json.dumps({"text": text})) == {"text": text}


@pytest.mark.parametrize(
    "body",
    [
        "[" + "[]," * (MAX_STRUCTURE // 3) + "[]]",
        '["' + "\\" * 2 * MIB + '",' + "0," * MAX_STRUCTURE + "0]",
        '{"' + '":0,"'.join(map(str, range(MAX_STRUCTURE // 2))) + '":0}',
        '"' + "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE + '"',
    ],
    ids=["lists", "numbers after a text", "keys", "one text"],
)
def test_more_values_than_any_service_takes_are_too_large(body: str) -> None:
    with pytest.raises(TooLarge):
        parsed(body)


@pytest.mark.parametrize(
    "body",
    ["[" * 100_000, '{"a":' * 50_000, "1" * 5000, "NaN", '"\\ud83c"', '["\\ud83c\\ud83c"]', "[", '"' + "\\" * 9 * MIB],
    ids=["lists", "objects", "digits", "NaN", "half a character", "two halves", "incomplete", "backslashes"],
)
def test_other_texts_are_not_json(body: str) -> None:
    with pytest.raises(ParseError):
        parsed(body)


def test_a_whole_pair_of_escapes_is_a_character() -> None:
    assert parsed('"\\ud83c\\udfb2"') == "🎲"


def test_such_requests_have_a_code(client: Client, db: None) -> None:
    for body, status, code in (
        ("[" * 100_000, 400, "parse_error"),
        ('{"scopes": ["\\ud83c"]}', 400, "parse_error"),
        ("[" + "0," * MAX_STRUCTURE + "0]", 413, "too_large"),
    ):
        answer = client.post(TOKENS, body, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize("encoding", ["punycode", "utf-16", "zlib", "latin-1"])
def test_only_utf_8_is_read(client: Client, db: None, encoding: str) -> None:
    form = "multipart/form-data; boundary=x"
    for path, kind in ((TOKENS, "application/json"), (TOKENS, form), ("/check/", form)):
        answer = client.generic("POST", path, b"{}", f"{kind}; charset={encoding}")
        assert answer.status_code == 400


def test_utf_8_may_be_named(client: Client, db: None) -> None:
    answer = client.post(TOKENS, "{}", content_type='application/json; charset="UTF-8"')
    assert answer.json()["code"] == "invalid"
