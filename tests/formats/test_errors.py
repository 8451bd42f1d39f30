import ast
from pathlib import Path

import formats
from formats.errors import MESSAGES

FOLDER = Path(formats.__file__).parent


def refused_codes():
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            is_refusal = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused"
            # One that is passed on with more parameters was raised elsewhere.
            if is_refusal and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value, {keyword.arg for keyword in node.keywords}


def test_every_refusal_has_its_sentence_and_every_sentence_is_used():
    used = dict(refused_codes())
    assert len(used) > 20
    assert set(used) == set(MESSAGES)


def test_every_sentence_is_filled_by_what_its_refusal_says():
    for code, params in refused_codes():
        assert "{" not in MESSAGES[code].format_map(dict.fromkeys(params, "x"))
