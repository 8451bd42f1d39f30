"""A run that costs more than the table says fails."""

import tomllib

import pytest

from tools.costs import TABLE, by_package, faults, report, with_figures

TESTS = {
    "tests/core/test_a.py::test_a[1]": (0.9, False),
    "tests/matches/play/lobby/test_b.py::test_b": (8.0, True),
    "tests/matches/play/test_c.py::test_c": (0.1, False),
}
TABLE_OF_THEM = {"sqlite": {"tests/core": [0.9, 0.0], "tests/matches/play": [0.1, 8.0]}}


def test_packages_are_summed() -> None:
    assert by_package(TESTS) == TABLE_OF_THEM["sqlite"]
    assert "tests/matches/play                       0.1      0.1      8.0      8.0" in report(
        TESTS, TABLE_OF_THEM["sqlite"]
    )


@pytest.mark.parametrize(
    ("changed", "more", "says"),
    [
        ({}, {}, []),
        ({"tests/core/test_d.py::test_d": (0.8, True)}, {}, []),
        ({"tests/core/test_d.py::test_d": (1.0, True)}, {}, ["10 s"]),
        ({"tests/core/test_d.py::test_d": (1.0, True)}, {"this": {"share": 0.2, "why": "…"}}, []),
        ({"tests/core/test_a.py::test_a[1]": (5.3, False)}, {}, ["13 s", "test_a[1] costs 5.3 s"]),
    ],
)
def test_what_costs_more_is_refused_unless_the_table_says_why(changed: dict, more: dict, says: list[str]) -> None:
    sentences = faults({**TESTS, **changed}, {**TABLE_OF_THEM, "more": more}, "sqlite")
    assert len(sentences) == len(says)
    assert all(word in sentence for word, sentence in zip(says, sentences, strict=True))
    assert faults({**TESTS, **changed}, {**TABLE_OF_THEM, "more": more, "only": {"tests/core/test_a.py::test_a": "…"}},
                  "sqlite") == [sentence for sentence in sentences if "test_a" not in sentence]  # fmt: skip


def test_figures_replace_those_of_the_same_run() -> None:
    text = (
        '# Why.\n[only]\n"a" = "b"\n\n[sqlite]\n"tests/core" = [9.0, 9.0]\n\n[postgresql]\n"tests/core" = [3.0, 0.0]\n'
    )
    table = tomllib.loads(with_figures(text, "sqlite", by_package(TESTS)))
    assert table == {"only": {"a": "b"}, "postgresql": {"tests/core": [3.0, 0.0]}, **TABLE_OF_THEM}


def test_the_table_can_be_read() -> None:
    table = tomllib.loads(TABLE.read_text())
    assert all(row["why"] for row in table["more"].values())
    assert all(table["only"].values())
