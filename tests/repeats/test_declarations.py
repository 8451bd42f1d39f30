"""Every write says what protects it if it is sent twice, in its code and in the description of the API."""

from collections.abc import Iterator

from core.repeats import WRITES, Repeat, protection_of
from tests.access.roles import TABLE
from tests.api.test_parity import declared, routes, writing

OWN = {"live_stream"}
"""Operations that are no view of REST framework."""


def writes() -> Iterator[tuple[str, Repeat | None]]:
    """Yield every write that a URL leads to, with what protects it."""
    for route in routes():
        if (api := getattr(route.callback, "cls", None)) is not None:
            methods = [method for method in WRITES if hasattr(api, method.lower())]
        else:
            methods = ["POST"] if "post" in TABLE.get(route.name or "", {}) else []
        for method in methods:
            yield f"{method} {route.name}", protection_of(route.callback, method)


def test_every_write_declares_what_protects_it() -> None:
    found = dict(writes())
    assert len(found) > 350
    assert [name for name, protection in found.items() if protection is None] == []
    actions = declared()
    assert len(actions) > 80
    assert sorted(action.name for action in actions if action.protection is None) == []


def test_the_description_names_the_key_and_what_protects_each_write() -> None:
    operations = writing()
    assert len(operations) > 150
    for operation, described in operations.items():
        names = [parameter["name"] for parameter in described["parameters"]]
        assert "Idempotency-Key" in names, operation
        assert described["x-repeat"] in set(Repeat), operation
