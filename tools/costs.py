"""Compare what the tests of a run cost with tests/costs.toml: `python -m tools.costs sqlite` (or `postgresql`).

`--write` writes the new figures there instead. The seconds are those of `tests.costs`. It fails if all tests together
cost a tenth more than the table says, unless its `more` names a share and why; and if a test that `make test` runs
costs more than DEAR, and FIRST beside it, unless `only` says why nothing cheaper guards what it does.
"""

import json
import sys
import tomllib
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from tests.costs import SHARED

ROOT = Path(__file__).resolve().parents[1]
TABLE, FOLDER = ROOT / "tests" / "costs.toml", ROOT / "var" / "costs"
MORE = 0.1
"""How much more a run may cost than the table says, as a share."""
DEAR = 1.0
"""Seconds from which a test is marked as slow."""
FIRST = 4.0
"""Seconds more that a test may cost because it is the first of its process to need the API's description or a page."""
LISTED = 20
DEPTH = 3

Costs = dict[str, list[float]]
"""Package -> seconds of its tests that `make test` runs, and of the slow ones."""


def by_package(tests: Mapping[str, tuple[float, bool]]) -> Costs:
    """Return what the tests of each package cost; `tests` has the seconds of each, and whether it is slow."""
    costs: Costs = defaultdict(lambda: [0.0, 0.0])
    for test, (seconds, is_slow) in tests.items():
        folder = PurePosixPath(test.partition("::")[0]).parent
        costs["/".join(folder.parts[:DEPTH])][is_slow] += seconds
    return {package: [round(seconds, 1) for seconds in costs[package]] for package in sorted(costs)}


def faults(tests: Mapping[str, tuple[float, bool]], table: Mapping[str, Any], run: str) -> list[str]:
    """Return what is wrong with the costs of a run, as sentences."""
    sentences = []
    allowed = max(MORE, *(row["share"] for row in table.get("more", {}).values()), 0.0)
    now, before = (sum(map(sum, costs.values())) for costs in (by_package(tests), table.get(run, {})))
    if now > (1 + allowed) * before:
        sentences.append(f"The tests cost {now:.0f} s; {before:.0f} s and {allowed:.0%} more are allowed.")
    only = table.get("only", {})
    sentences += [
        f"{test} costs {seconds:.1f} s: mark it as slow, make it cheaper, or say under [only] why it has to."
        for test, (seconds, is_slow) in tests.items()
        # The seconds of one test vary more between machines than those of all.
        if run == "sqlite" and not is_slow and seconds > (1 + 2 * allowed) * DEAR + FIRST
        if test.partition("[")[0] not in only and not test.endswith(SHARED)
    ]
    return sentences


def report(tests: Mapping[str, tuple[float, bool]], table: Costs) -> str:
    """Return a table of the packages beside what they cost before, and the dearest tests."""
    lines = [f"{'seconds of':34}{'make test':>10}{'before':>9}{'slow':>9}{'before':>9}"]
    costs = by_package(tests)
    total = [sum(column) for column in zip(*costs.values(), strict=True)]
    total_before = [sum(column) for column in zip(*table.values(), strict=True)] or [0.0, 0.0]
    rows = [*((name, costs[name], table.get(name, [0.0, 0.0])) for name in costs), ("all", total, total_before)]
    for name, (ordinary, slow), before in rows:
        lines.append(f"{name:34}{ordinary:10.1f}{before[0]:9.1f}{slow:9.1f}{before[1]:9.1f}")
    dearest = sorted(tests.items(), key=lambda item: -item[1][0])[:LISTED]
    lines += ["", "dearest", *(f"{seconds:8.1f} {'slow' * is_slow:5}{test}" for test, (seconds, is_slow) in dearest)]
    return "\n".join(lines)


def with_figures(text: str, run: str, costs: Costs) -> str:
    """Return the text of the table with the figures of a run in place of those that it had, at its end."""
    sections = text.split("\n[")
    kept = [section for section in sections if not section.startswith(f"{run}]")]
    rows = "".join(f'"{name}" = [{ordinary}, {slow}]\n' for name, (ordinary, slow) in costs.items())
    return "\n[".join(section.rstrip("\n") + "\n" for section in kept) + f"\n[{run}]\n{rows}"


def main(arguments: Sequence[str]) -> int:
    """Print the comparison, or write the table; return the exit status."""
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", choices=["sqlite", "postgresql"])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    measured: dict[str, Any] = json.loads((FOLDER / f"{options.run}.json").read_text())
    tests: dict[str, tuple[float, bool]] = measured["tests"]
    if options.write:
        TABLE.write_text(with_figures(TABLE.read_text(), options.run, by_package(tests)))
        return 0
    table = tomllib.loads(TABLE.read_text())
    print(report(tests, table.get(options.run, {})))
    print(f"\nA second here is {measured['scale']:.2f} seconds in this table.")
    sentences = faults(tests, table, options.run)
    print("\n".join(sentences))
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
