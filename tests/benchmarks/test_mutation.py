"""The mutation run plants the faults it names, in this process only, and draws the same sample for the same seed."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.mutation import planting, sample
from benchmarks.mutation.operators import mutations
from benchmarks.mutation.sample import Mutant
from core import requests

SOURCE = '''
def due(amount: int, paid: int, waived: bool = False) -> int:
    """What is still to be paid."""
    if waived or paid > amount:
        raise_flag(amount, paid)
        return 0
    return amount - paid
'''


def changes(source: str) -> set[tuple[str, str, str]]:
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    return {(mutation.operator, mutation.before, mutation.after) for mutation in mutations(function)}


def test_a_function_is_changed_the_way_slips_change_it() -> None:
    assert changes(SOURCE) == {
        ("and/or", "waived or paid > amount", "waived and paid > amount"),
        ("drop condition", "waived or paid > amount", "paid > amount"),
        ("drop condition", "waived or paid > amount", "waived"),
        ("negate", "waived or paid > amount", "not (waived or paid > amount)"),
        ("comparison", "paid > amount", "paid >= amount"),
        ("comparison", "paid > amount", "paid <= amount"),
        ("remove call", "raise_flag(amount, paid)", "pass"),
        ("swap arguments", "raise_flag(amount, paid)", "raise_flag(paid, amount)"),
        ("constant", "0", "1"),
        ("arithmetic", "amount - paid", "amount + paid"),
        ("return constant", "amount - paid", "0"),
    }


@pytest.mark.parametrize(
    "statement",
    [
        "assert a == 1",
        "lock_division(a)",
        "a.select_for_update(of=(1, 2))",
        "logger.info(a)",
        "return zip(a, strict=True)",
    ],
)
def test_what_a_test_in_one_process_cannot_notice_is_left_alone(statement: str) -> None:
    assert changes(f"def f(a):\n    {statement}") == set()


def test_every_mutant_compiles_to_the_function_that_it_names() -> None:
    mutants = sample.mutants_of("core/requests.py")
    assert mutants
    for mutant in mutants:
        assert sample.mutated_code(mutant).co_qualname == mutant.function


def test_a_planted_fault_takes_effect_and_the_file_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(requests.__file__)
    text = file.read_text()
    mutants = [mutant for mutant in sample.mutants_of("core/requests.py") if mutant.function == "parse_int"]
    mutant = next(mutant for mutant in mutants if mutant.operator == "return constant")
    function = getattr(requests, mutant.function)
    monkeypatch.setattr(function, "__code__", function.__code__)
    assert function("12") == 12

    assert planting.plant(mutant)

    assert function("12") is None
    assert file.read_text() == text


def test_a_sample_is_the_same_for_the_same_seed_and_has_its_share_of_every_package() -> None:
    mutants = [
        Mutant(f"{package}/a.py", f"f{number % 10}", number, "constant", 1, "0", "1")
        for package, count in (("engine", 100), ("core", 50))
        for number in range(count)
    ]
    drawn = sample.sample(mutants, 10, seed=4)
    assert drawn == sample.sample(mutants, 10, seed=4)
    assert drawn != sample.sample(mutants, 10, seed=5)
    assert Counter(mutant.package for mutant in drawn) == {"engine": 5, "core": 5}
    assert len({(mutant.path, mutant.function) for mutant in drawn}) == 10
