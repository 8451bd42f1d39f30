"""Line breaks, NUL, half characters and marks of direction in every text that is sent: refused or cleaned, never a 500.

Each operation is sent its own example with one text replaced, by a director of the demo club, which has something of
everything (`tests/api/test_fuzzed.py`).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django import forms
from django.db import transaction
from django.test import Client

from core.lines import BREAKS, is_one_line
from core.text_lengths import MAX_LINE_LENGTH
from players.forms import RefusingForm
from tests.api.test_fuzzed import ASKERS, World, world
from tests.api.test_parity import bound_forms, declared, resolved, schema
from tests.names import NAME, unseen_names
from tests.tiers import TIER

__all__ = ["world"]

ODD = ["a\nb\u2028c\u202e", "\0\ud800", "a\nb,c", "\r\n", "\u2028", "\u202eabc", "\ud800", "a\x85b", "\x1b[2J"]
"""The first two have everything; the others are tried in soak."""


def bodies() -> Iterator[tuple[str, str, str, Any]]:
    """Yield method, path, the name of a text and the example of each operation that takes it as JSON."""
    for path, methods in schema()["paths"].items():
        for method, operation in methods.items():
            media = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if method == "get" or media is None:
                continue
            (example, *_others) = media["examples"].values()
            for name, shape in resolved(media["schema"]).get("properties", {}).items():
                if takes_text(shape):
                    yield method, path, name, example["value"]


def takes_text(shape: Mapping[str, Any]) -> bool:
    """Whether a field takes any text, or a list of texts."""
    shape = resolved(shape)
    if shape.get("type") == "array":
        return takes_text(shape["items"])
    return shape.get("type") == "string" and not {"enum", "format", "pattern"} & set(shape)


def ids_in(path: str, world: World) -> str:
    """Return a path with ids of things that exist."""
    for name in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
        path = path.replace(f"{{{name}}}", world.ids[path.split("/")[3], name][0])
    return path


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.postgresql
@pytest.mark.django_db
def test_odd_characters_in_a_text_cause_no_server_error(world: World) -> None:
    director = Client(headers={"Authorization": f"Token {world.tokens[ASKERS['director']]}"})
    director.raise_request_exception = False
    sent = 0
    failed = []
    for method, path, name, example in bodies():
        for odd in ODD if TIER.every_size else ODD[:2]:
            value = [odd] if isinstance(example.get(name), list) else odd
            body = json.dumps({**example, name: value})
            with transaction.atomic():
                answer = director.generic(method.upper(), ids_in(path, world), body, "application/json")
                transaction.set_rollback(True)
            sent += 1
            if answer.status_code >= 500:
                failed.append(f"{method} {path} {name}={odd!r}: {answer.status_code}")
    assert failed == [], f"{len(failed)} of {sent}"
    assert sent > 200


UNSEEN = ("\u200b", "An\u00adna \u2060Berg")


@pytest.mark.slow
@pytest.mark.postgresql
@pytest.mark.django_db
def test_a_name_that_cannot_be_seen_is_refused_or_cleaned(world: World) -> None:
    director = Client(headers={"Authorization": f"Token {world.tokens[ASKERS['director']]}"})
    before, codes, failed = unseen_names(), set[tuple[str, str]](), list[str]()
    for method, path, name, example in bodies():
        if not NAME.fullmatch(name):
            continue
        for text in UNSEEN:
            value = [text] if isinstance(example.get(name), list) else text
            with transaction.atomic():
                body = json.dumps({**example, name: value})
                answer = director.generic(method.upper(), ids_in(path, world), body, "application/json")
                codes |= {(path, answer.json()["code"])} if answer.status_code >= 400 else set()
                failed += [f"{method} {path} {name}: {row}" for row in unseen_names() - before]
                transaction.set_rollback(True)
    assert failed == []
    assert sum(code == "name_missing" for _path, code in codes) > 10


def forms_of_pages() -> set[type[forms.Form]]:
    return {*bound_forms(), *(action.form for action in declared())}


def short_texts(form: type[forms.Form]) -> list[str]:
    return [
        name
        for name, field in form.base_fields.items()
        if isinstance(field, forms.CharField) and is_one_line(field.max_length, strips=field.strip)
    ]


def test_a_short_text_of_a_form_is_one_line() -> None:
    texts = [(form, name) for form in forms_of_pages() for name in short_texts(form)]
    assert len(texts) > 60
    for form, name in texts:
        assert issubclass(form, RefusingForm), f"{form.__name__}.{name} may have line breaks"


def test_a_text_with_lines_may_be_longer_than_one() -> None:
    fields = [(form, field) for form in forms_of_pages() for field in form.base_fields.values()]
    areas = [(form, field) for form, field in fields if isinstance(field.widget, forms.Textarea)]
    assert len(areas) > 5
    for form, field in areas:
        assert isinstance(field, forms.CharField)
        assert field.max_length is None or field.max_length > MAX_LINE_LENGTH, form.__name__


@pytest.mark.parametrize("text", [text for text in ODD if BREAKS.search(text)])
def test_what_is_no_line_is_refused_beside_its_field(text: str) -> None:
    class NameForm(RefusingForm):
        name = forms.CharField(max_length=80, strip=True)
        about = forms.CharField(max_length=2000)

    form = NameForm({"name": f"a{text}b", "about": "a\nb"})
    assert list(form.errors) == ["name"]
    assert NameForm({"name": "Bob\tCarol ", "about": "a"}).is_valid()
