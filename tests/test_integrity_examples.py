"""Each service that writes has a test after which the integrity is checked (tests/integrity.py)."""

import ast
from collections.abc import Iterator

from tests.integrity import EXAMPLES
from tests.test_layout import ROOT, module_of, python_files


def services() -> Iterator[str]:
    """Yield the public functions that take who acts as a keyword."""
    for path in python_files():
        if "by: Actor" not in (source := path.read_text(encoding="utf-8")):
            continue
        for node in ast.parse(source).body:
            is_public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            if is_public and any(argument.arg == "by" for argument in node.args.kwonlyargs):
                yield f"{module_of(path)}.{node.name}"


def test_every_service_that_writes_has_an_example() -> None:
    existing, listed = set(services()), [service for service, _test in EXAMPLES]
    assert len(existing) > 250
    assert existing - set(listed) == set(), "name a test that calls it in tests/integrity.txt"
    assert set(listed) - existing == set(), "services that are gone"
    assert len(listed) == len(set(listed)), "each has one example"


def test_every_example_is_a_test() -> None:
    sources = {
        path: (ROOT / path).read_text(encoding="utf-8") for path in {test.split("::")[0] for _, test in EXAMPLES}
    }
    missing = [test for _, test in EXAMPLES if f"def {test.split('::')[-1]}(" not in sources[test.split("::")[0]]]
    assert missing == [], "name other tests in tests/integrity.txt"
