"""The command: records what the tests cover, samples mutants, has them judged, and prints what came of them."""

import argparse
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.mutation import __doc__ as about
from benchmarks.mutation.planting import NOTICED, SURVIVED, TIMED_OUT, UNPLANTED
from benchmarks.mutation.plugin import digest
from benchmarks.mutation.sample import ROOT, Mutant, matches, mutants_of, sample, source_files

COVERAGE = ROOT / "var" / "mutation" / "coverage"
RUNS = ROOT / "var" / "mutation" / "runs"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
COVERED_BY = ("tests/engine", "tests/tournaments", "tests/matches", "tests/players", "tests/api")
"""The tests that are recorded unless others are named: no browser, no races, no stopped workers."""

IDENTITY = ("path", "function", "before", "after")
"""What names a mutant in the list of equivalents, where line numbers would change."""


class Run(NamedTuple):
    """One test that runs a line."""

    seconds: float
    focus: float
    """Share of all lines it runs that are in the same file (0–1)."""


Covering = dict[tuple[str, int], dict[str, Run]]
"""File and line -> the tests that run it."""


def record(tests: Sequence[str]) -> int:
    """Run tests with the line recorder; a test file recorded before is recorded anew."""
    return _pytest(["--record-lines", str(COVERAGE), *tests])


def _pytest(arguments: Sequence[str]) -> int:
    return _start_pytest(arguments).wait()


def _start_pytest(arguments: Sequence[str]) -> "subprocess.Popen[bytes]":
    plain = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "benchmarks.mutation.plugin", "--no-header"]
    command = [sys.executable, "-m", "pytest", *plain, "--nomigrations", *arguments]
    return subprocess.Popen(command, cwd=ROOT)  # noqa: S603


def covering_tests() -> Covering:
    """What was recorded, of the files that have not changed since."""
    covering: Covering = defaultdict(dict)
    for piece in sorted(COVERAGE.glob("*.json")):
        recorded = json.loads(piece.read_text())
        current = {
            path for path, seen in recorded["sources"].items() if (ROOT / path).exists() and digest(path) == seen
        }
        for test, run in recorded["tests"].items():
            count = sum(map(len, run["lines"].values()))
            for path in current & run["lines"].keys():
                for line in run["lines"][path]:
                    covering[path, line][test] = Run(run["seconds"], len(run["lines"][path]) / count)
    return covering


def plan(mutant: Mutant, covering: Covering, most_tests: int, most_seconds: float) -> dict[str, Any]:
    """A mutant with its tests, within the limits.

    Quick tests that are mostly about the mutated file come first, and each test file gives one before any gives two:
    the quickest tests of all often stand in one file and look at the same thing.
    """
    runs = covering[mutant.path, mutant.line]
    given: Counter[str] = Counter()
    ranks: dict[str, int] = {}
    best_first = sorted(runs, key=lambda name: (runs[name].seconds / runs[name].focus, name))
    for test in best_first:
        file = test.partition("::")[0]
        ranks[test] = given[file]
        given[file] += 1
    chosen: list[str] = []
    total = 0.0
    for test in sorted(best_first, key=ranks.__getitem__):
        if len(chosen) < most_tests and (not chosen or total + runs[test].seconds <= most_seconds):
            chosen.append(test)
            total += runs[test].seconds
    return {"mutant": mutant.as_json(), "tests": chosen, "seconds": total}


def judge(plans: Sequence[dict[str, Any]], jobs: int) -> list[dict[str, Any]]:
    """Have the mutants judged by several pytest processes, each with its own database and broker."""
    RUNS.mkdir(parents=True, exist_ok=True)
    files, running = [], []
    for job in range(jobs):
        file = RUNS / f"{os.getpid()}-{job}.json"
        file.write_text(json.dumps(plans[job::jobs]))
        tests = sorted({test.partition("::")[0] for entry in plans[job::jobs] for test in entry["tests"]})
        if tests:
            running.append(_start_pytest(["--plant", str(file), *tests]))
            files.append(file)
    for process in running:
        process.wait()
    return [json.loads(line) for file in files for line in file.with_suffix(".results").read_text().splitlines()]


def survivors(file: Path, mutants: Iterable[Mutant]) -> list[Mutant]:
    """The mutants that survived an earlier run, wherever their lines are now."""
    earlier = {_identity(result["mutant"]) for result in json.loads(file.read_text()) if result["verdict"] == SURVIVED}
    return [mutant for mutant in mutants if _identity(mutant.as_json()) in earlier]


def _identity(mutant: dict[str, Any]) -> tuple[str, ...]:
    return tuple(mutant[key] for key in IDENTITY)


def equivalents() -> dict[tuple[str, ...], str]:
    """Mutants that a person has found to behave like the original -> the reason."""
    entries = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return {_identity(entry): entry["reason"] for entry in entries}


def mark_equivalents(results: Iterable[dict[str, Any]]) -> None:
    """Give the survivors that behave like the original their own verdict, with the reason."""
    known = equivalents()
    for result in results:
        reason = known.get(_identity(result["mutant"]))
        if reason and result["verdict"] == SURVIVED:
            result.update(verdict="equivalent", reason=reason)


def print_report(results: Sequence[dict[str, Any]]) -> None:
    """Print the table by package, then every mutant that survived."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        package = Mutant(**result["mutant"]).package
        counts[package][result["verdict"]] += 1
        counts["total"][result["verdict"]] += 1
    columns = (NOTICED, TIMED_OUT, SURVIVED, "equivalent", UNPLANTED)
    print(f"{'package':28}" + "".join(f"{name:>13}" for name in columns) + f"{'rate':>8}")
    for package in sorted(counts, key=lambda name: (name == "total", name)):
        count = counts[package]
        noticed = count[NOTICED] + count[TIMED_OUT]
        of = noticed + count[SURVIVED]
        rate = f"{100 * noticed / of:.0f} %" if of else "–"
        print(f"{package:28}" + "".join(f"{count[name]:>13}" for name in columns) + f"{rate:>8}")
    for result in results:
        if result["verdict"] in (SURVIVED, UNPLANTED):
            mutant = Mutant(**result["mutant"])
            print(f"\n{result['verdict']}: {mutant.path}:{mutant.line} {mutant.function} ({mutant.operator})")
            print(f"  - {mutant.before}\n  + {mutant.after}   [{len(result['tests'])} tests]")


def main() -> int:
    """Record coverage, or run mutants; 1 if one survived that is not known to be equivalent."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=about)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--cover", nargs="*", metavar="TESTS", help="record which test runs which line, and stop")
    parser.add_argument("--count", type=int, default=150, help="mutants (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (%(default)s)")
    parser.add_argument("--only", nargs="*", default=[], metavar="PATH", help="files, folders or patterns to mutate")
    parser.add_argument("--jobs", type=int, default=1, help="processes (%(default)s)")
    parser.add_argument("--tests", type=int, default=40, help="at most so many tests a mutant (%(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="at most so much processor time a mutant (%(default)s)"
    )
    parser.add_argument("--again", type=Path, metavar="JSON", help="judge the survivors of that earlier run instead")
    parser.add_argument("--json", type=Path, help="write every mutant with its verdict there")
    options = parser.parse_args()
    if options.cover is not None:
        return record(options.cover or COVERED_BY)
    covering = covering_tests()
    if not covering:
        parser.error("nothing is recorded of these sources yet: run --cover first")
    candidates = [mutant for path in source_files() if matches(path, options.only) for mutant in mutants_of(path)]
    reached = [mutant for mutant in candidates if covering.get((mutant.path, mutant.line))]
    print(f"{len(candidates)} possible mutants, {len(reached)} on lines that tests run", flush=True)
    chosen = survivors(options.again, reached) if options.again else sample(reached, options.count, options.seed)
    results = judge([plan(mutant, covering, options.tests, options.seconds) for mutant in chosen], options.jobs)
    mark_equivalents(results)
    print_report(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return int(any(result["verdict"] == SURVIVED for result in results))


if __name__ == "__main__":
    sys.exit(main())
