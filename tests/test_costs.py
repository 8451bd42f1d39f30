"""What the tests cost is summed by package."""

from tests.costs import Cost, table


def test_packages_are_summed_and_the_dearest_test_comes_first() -> None:
    costs = {
        "tests/core/test_a.py::test_a[1]": Cost(0.9, is_slow=False),
        "tests/matches/play/lobby/test_b.py::test_b": Cost(8.0, is_slow=True),
        "tests/matches/play/test_c.py::test_c": Cost(0.1, is_slow=False),
    }
    assert [line.split() for line in table(costs).splitlines()[1:]] == [
        ["all", "1.0", "8.0"],
        ["tests/core", "0.9", "0.0"],
        ["tests/matches/play", "0.1", "8.0"],
        ["8.0", "slow", "tests/matches/play/lobby/test_b.py::test_b"],
        ["0.9", "tests/core/test_a.py::test_a[1]"],
        ["0.1", "tests/matches/play/test_c.py::test_c"],
    ]
