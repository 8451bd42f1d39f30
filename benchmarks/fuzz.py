"""Thousands of damaged records: nothing raises, nothing hangs, and no illegal play is accepted.

    python -m benchmarks.fuzz [--inputs 20000] [--seed 1]

Every play that is taken as legal is checked with the naive generator of the tests.
"""

import argparse
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from time import process_time

from engine import Frame, Outcome, Transcript, check_record, replay
from engine.records import write
from engine.records.mat_writer import STYLES, write_mat
from engine.simulation import PlayStyle, play_out
from engine.transcript import Kind, Move
from tests.engine.naive import Board, legal_boards

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SECONDS, MEBIBYTES = 1.0, 64
REPLAY_REJECTED = 8
"""The plays of one in so many rejected records are confirmed; those of other records always are."""
MEASURE_MEMORY = 10
"""Memory is traced for one input in so many, as it takes several times as long."""
WORDS = (
    *("bar/", "/off", "25/", "*", "(2)", "(4)", "????", "Cannot Move", "Doubles => 2", "Doubles => 4", "Takes"),
    *("Drops", "Wins 1 point", "Wins 99999 points and the match", "Resigns gammon", "Illegal play (", "11:", "66:"),
    *("00:", "Game 1", "0 point match", "; Set Pos=", "; Set Cube=2 left", "\0", "\ufeff", "9" * 400, "(" * 300),
    *("[", "]", ";B[", ";W[31efgh]", "{", "}", "null", "-1", "1e999", '"moves": []', "\n\n", "\t", "é", "\\"),
)


def mutated(data: bytes, chance: Random) -> bytes:
    """Return the record with one to six small faults, most often a changed digit."""
    damaged = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        _damage(damaged, chance)
    return bytes(damaged)


def _damage(data: bytearray, chance: Random) -> None:
    if not data:
        return
    at = chance.randrange(len(data))
    end = min(len(data), at + chance.choice((1, 2, 5, 20, 200)))
    match chance.choice(("digit", "digit", "digit", "letter", "byte", "cut", "double", "swap", "word", "end")):
        case "digit" | "letter" as sort:
            alphabet = b"0123456789" if sort == "digit" else b"abcdefghijklmnopqrstuvwxyz"
            places = [place for place in range(at, min(len(data), at + 400)) if data[place] in alphabet]
            if places:
                data[chance.choice(places)] = chance.choice(alphabet)
        case "byte":
            data[at] = chance.randrange(256)
        case "cut":
            del data[at:end]
        case "double":
            data[at:at] = data[at:end] * chance.choice((1, 1, 50))
        case "swap":
            lines = data.split(b"\n")
            first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            data[:] = b"\n".join(lines)
        case "word":
            data[at:at] = chance.choice(WORDS).encode()
        case "end":
            del data[max(1, len(data) - chance.randrange(len(data))) :]


@dataclass
class FuzzReport:
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    plays: int = 0
    """Plays confirmed by the naive generator."""
    slowest: float = 0.0
    """Processor seconds for one input, from bytes to verdict."""
    largest: int = 0
    """Peak memory of an input in bytes, of those that were measured."""

    @property
    def inputs(self) -> int:
        return sum(self.outcomes.values())

    def __str__(self) -> str:
        outcomes = ", ".join(f"{count} {name}" for name, count in self.outcomes.most_common())
        return (
            f"{self.inputs} inputs: {outcomes}\n{self.plays} plays confirmed by the naive generator\n"
            f"slowest input {self.slowest * 1000:.0f} ms, most memory {self.largest / 2**20:.1f} MiB\n"
            f"{len(self.faults)} faults" + "".join(f"\n  {fault}" for fault in self.faults[:20])
        )


def try_input(data: bytes, name: str, report: FuzzReport) -> None:
    """Check an input and note what is wrong with its verdict."""
    measured = report.inputs % MEASURE_MEMORY == 0
    if measured:
        tracemalloc.start()
    begun = process_time()
    try:
        check = check_record(data)
    except Exception as error:  # noqa: BLE001, any exception is a fault of the engine
        report.faults.append(f"{name}: {type(error).__name__}: {error}")
        return
    finally:
        seconds = process_time() - begun
        if measured:
            report.largest = max(report.largest, tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    report.outcomes[check.verdict.outcome.value] += 1
    if not measured:
        report.slowest = max(report.slowest, seconds)
        if seconds > SECONDS:
            report.faults.append(f"{name}: {seconds:.1f} s")
    if report.largest > MEBIBYTES * 2**20:
        report.faults.append(f"{name}: {report.largest >> 20} MiB")
    rejected = check.verdict.outcome is Outcome.REJECTED
    if check.transcript is not None and (not rejected or report.inputs % REPLAY_REJECTED == 0):
        accepted = not rejected and check.verdict.outcome is not Outcome.INCOMPLETE
        report.faults += [f"{name}: {fault}" for fault in wrong_plays(check.transcript, report, whole=accepted)]


def wrong_plays(transcript: Transcript, report: FuzzReport, *, whole: bool) -> Iterator[str]:
    """Yield plays wrongly taken as legal; in an accepted record, every recorded play must be legal."""
    frames = {(frame.game, frame.event): frame for frame in replay(transcript)}
    numbers = [game.number for game in transcript.games]
    for game in transcript.games:
        if numbers.count(game.number) > 1:
            continue
        for at, event in enumerate(game.events):
            frame = frames.get((game.number, at))
            if event.kind is not Kind.PLAY:
                continue
            if frame is None or not frame.legal:
                if whole and event.moves:
                    yield f"game {game.number} event {at} was accepted without a legal play"
            else:
                report.plays += 1
                yield from wrong(frame, event.moves)


def wrong(frame: Frame, moves: tuple[Move, ...] | None) -> Iterator[str]:
    """Yield what is wrong with a play that was taken as legal."""
    where = f"game {frame.game} event {frame.event} {frame.before.gnubg_id} {frame.dice} {frame.notation}"
    if frame.dice is None:
        yield f"{where}: no dice"
        return
    before, after = frame.before.counts, frame.after.counts
    legal = _legal(before, frame.dice) or {before}
    if after not in legal:
        yield f"{where}: not legal"
    if moves and _own_after(before, moves) != tuple(max(0, count) for count in after[1:]):
        yield f"{where}: not what is written"


@lru_cache(maxsize=100_000)
def _legal(board: Board, dice: tuple[int, int]) -> set[Board]:
    return legal_boards(board, dice)


def _own_after(before: Board, moves: tuple[Move, ...]) -> tuple[int, ...]:
    """Return where the recorded moves put the mover's checkers."""
    counts = [max(0, count) for count in before]
    for move in moves:
        counts[move.points[0]] -= 1
        counts[move.points[-1]] += 1
    return tuple(counts[1:])


def own_samples(seed: int) -> dict[str, bytes]:
    """Return simulated records in every format and style we write."""
    samples = {}
    for index, style in enumerate(STYLES):
        styles = (PlayStyle.SIMPLE, PlayStyle.RANDOM if index % 3 == 2 else PlayStyle.SIMPLE)
        match = play_out(seed + index, 1 + 2 * (index % 4), styles=styles)
        samples[f"own {style}"] = write_mat(match, style)
        samples[f"own {index} sgf"] = write(match, "sgf")
        samples[f"own {index} json"] = write(match, "json")
    return samples


def shared_samples() -> dict[str, bytes]:
    """Return the records beside the project, if there are any."""
    folders = ("gnubg/*.mat", "gnubg/*.sgf", "records/*/*")
    paths = [path for pattern in folders for path in sorted(SHARED.glob(pattern)) if path.is_file()]
    return {path.name: path.read_bytes() for path in paths}


def run(samples: dict[str, bytes], inputs: int, seed: int) -> FuzzReport:
    """Check this number of damaged records."""
    chance, report, names = Random(seed), FuzzReport(), sorted(samples)  # noqa: S311, repeatable
    for number in range(inputs):
        name = chance.choice(names)
        try_input(mutated(samples[name], chance), f"input {number} ({name})", report)
    return report


def main() -> None:
    """Run and report; the exit status is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    report = run(own_samples(options.seed) | shared_samples(), options.inputs, options.seed)
    print(f"seed {options.seed}\n{report}")
    raise SystemExit(bool(report.faults))


if __name__ == "__main__":
    main()
