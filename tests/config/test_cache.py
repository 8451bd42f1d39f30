"""What another release has left in the cache."""

import sys
from types import ModuleType
from typing import Any

import pytest
from django.core.cache import cache, caches

from config.cache import ForgivingRedisCache


@pytest.fixture
def of_another_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values in the cache of a class that is gone since, and of one whose module is."""
    for name in ("left_behind", "moved_away"):
        module: Any = ModuleType(name)
        module.Value = type("Value", (), {"__module__": name})
        monkeypatch.setitem(sys.modules, name, module)
        cache.set(name, module.Value())
    cache.set("plain", 1)
    assert isinstance(caches["default"], ForgivingRedisCache)
    assert type(cache.get("left_behind")).__name__ == "Value"
    del sys.modules["left_behind"].Value  # type: ignore[attr-defined]
    monkeypatch.delitem(sys.modules, "moved_away")


@pytest.mark.usefixtures("of_another_release")
@pytest.mark.parametrize("name", ["left_behind", "moved_away"])
def test_what_another_release_stored_is_missing_if_its_class_is_gone(name: str) -> None:
    assert cache.get(name, "nothing") == "nothing"
    assert cache.get_many([name, "plain"]) == {}
    cache.set(name, 2)
    assert cache.get_many([name, "plain"]) == {name: 2, "plain": 1}
