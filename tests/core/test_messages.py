"""Every code has one message, whichever app refuses with it."""

from collections.abc import Mapping
from importlib import import_module
from string import Formatter

import pytest

from core.messages import register, sentence
from tests.test_layout import module_of, python_files

MODULES = [import_module(module_of(path)) for path in python_files() if path.stem in ("errors", "refusals")]
APPS = {module.__name__: module.MESSAGES for module in MODULES if hasattr(module, "MESSAGES")}


def contradictions(apps: Mapping[str, Mapping[str, str]]) -> dict[str, set[str]]:
    """The codes that have more than one message."""
    messages_by_code: dict[str, set[str]] = {}
    for messages in apps.values():
        for code, template in messages.items():
            messages_by_code.setdefault(code, set()).add(template)
    return {code: templates for code, templates in messages_by_code.items() if len(templates) > 1}


def test_no_code_has_two_messages() -> None:
    assert len(APPS) > 4
    assert all(APPS.values())
    assert contradictions(APPS) == {}


def test_a_planted_contradiction_is_reported() -> None:
    assert contradictions({"one": {"late": "Late."}, "other": {"late": "Too late."}}) == {
        "late": {"Late.", "Too late."}
    }


@pytest.mark.parametrize("app", APPS)
def test_every_message_can_be_formatted(app: str) -> None:
    for code, template in APPS[app].items():
        places = {name for _, name, _, _ in Formatter().parse(template) if name}
        text = sentence(code, dict.fromkeys(places, 7))
        assert text != code
        assert "{" not in text


def test_an_app_cannot_register_a_code_with_another_message() -> None:
    before = sentence("bar_first", {})
    with pytest.raises(ValueError, match="bar_first"):
        register({"bar_first": "{something} else"})
    assert sentence("bar_first", {}) == before


def test_an_unknown_code_is_shown_as_it_is() -> None:
    assert sentence("of_a_newer_version", {"a": 1}) == "of_a_newer_version"
