"""An order says by what: Django takes a foreign key there for the whole default order of the rows it leads to."""

import ast
from collections.abc import Iterator

import pytest
from django.apps import apps

from core.packages import DJANGO_APPS, PACKAGES, ROOT

MODELS = [model for label in DJANGO_APPS for model in apps.get_app_config(label).get_models()]
PLAIN = {"event", "round"}
"""Names of foreign keys that are also those of numbers by which rows of other models are ordered."""
FOREIGN_KEYS = {field.name for model in MODELS for field in model._meta.fields if field.remote_field} - PLAIN
OF_NUMBERS = {"matches/ratings/services.py": ["match"]}
"""Where such a name is a number: a `RatingMark` keeps the number of a match."""


def ordered_by_a_row(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "order_by":
            keys = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            yield from (key for key in keys if key.lstrip("-").split("__")[-1] in FOREIGN_KEYS)


def test_no_order_is_by_a_foreign_key() -> None:
    sources = [path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")]
    by_path = {str(path.relative_to(ROOT)): list(ordered_by_a_row(path.read_text())) for path in sources}
    assert {path: keys for path, keys in by_path.items() if keys} == OF_NUMBERS


@pytest.mark.parametrize(
    ("key", "count"), [("-match", 1), ("fixture__match", 1), ("match_id", 0), ("match__due_at", 0)]
)
def test_a_planted_order_is_reported(key: str, count: int) -> None:
    assert len(list(ordered_by_a_row(f'rows.order_by("pk", "{key}")'))) == count
