"""Files made to break a reader: only refusals are raised, and reading ends in reasonable time."""

import random
import time
from collections.abc import Iterator

import pytest

from engine.errors import Refused, sentence
from engine.records import read, write, write_mat

from .samples import HEADER
from .test_mat_writer import MATCH
from .test_xg import game, header, packed, result, roll

MIB = 1024 * 1024
ON_AND_ON = 60
"""Processor seconds allowed. Each file takes about one; with quadratic behaviour it would take minutes."""

LINES = {
    "moves": "  1) 31: " + "8/5/" * 450,
    "stars": "  1) 31: " + "8/5*" * 450,
    "brackets": "  1) 31: " + "(" * 1900,
    "markers": "  1) " + "Illegal play (" * 135,
    "words": "  1) " + "Doubles " * 240,
    "rolls": "  1) " + "11: " * 480,
    "digits": "  1) " + "1" * 1900,
    "remark": '; [A "' * 300,
    "long remark": "; [" + "a " * 900,
    "header": " Game 1\n" + " x : 0 " * 270,
    "colons": " Game 1\n" + ": " * 900 + "0",
    "spaces": " " * 1900 + "x",
    "tabs": "\t" * 200 + "1",
    "game": "Game " + " " * 1900 + "x",
    "length": "1" + " " * 1900 + "x",
    "results": "Wins 1 point",
    "plays": " 24/18",
}

TEXTS = {
    "spaces": " " * MIB,
    "digits": "1" * MIB,
    "line feeds": "\n" * MIB,
    "returns": "\r" * MIB,
    "one row": HEADER + "  1) " + "31: 8/5 6/5 " * 80_000,
    "one line": HEADER + "x" * (MIB - 200),
    "games": " Game 1\n" * 120_000,
    "trees": "(;GM[6]" + "(" * (MIB - 10),
    "nodes": "(;GM[6]" + ";" * (MIB - 10),
    "values": "(;GM[6]" + "W[" * (MIB // 2 - 10),
    "escapes": "(;GM[6]C[" + "\\]" * (MIB // 2 - 10),
    "names": "(;GM[6]" + "A" * (MIB - 10),
    "variations": "(;GM[6]" + "(;W[31])" * 120_000,
    "checkers": "(;GM[6];AE[a:y]" + "AW[a]" * 190_000,
    "arrays": '{"format":' + "[" * (MIB - 20),
    "objects": '{"a":' * 170_000,
    "numbers": '{"a":' + "1" * (MIB - 20) + "}",
}


def survives(data: bytes) -> float:
    """Return the processor seconds for reading or refusing a file; every problem must have a sentence."""
    before = time.process_time()
    try:
        problems = [(problem.code, problem.params) for problem in read(data).problems]
    except Refused as refused:
        problems = [(refused.code, refused.params)]
    taken = time.process_time() - before
    assert all(sentence(code, params) != code for code, params in problems)
    return taken


@pytest.mark.parametrize("name", TEXTS)
def test_a_mebibyte_of_repeated_text_is_read_in_time(name: str) -> None:
    assert survives(TEXTS[name].encode()[:MIB]) < ON_AND_ON


@pytest.mark.parametrize("name", LINES)
def test_a_line_of_a_mebibyte_is_read_in_time(name: str) -> None:
    line = LINES[name] + "\n"
    assert survives((HEADER + line * (MIB // len(line))).encode()[:MIB]) < ON_AND_ON


def seeds() -> list[bytes]:
    """Return a whole file of each format and style."""
    styles = ("canonical", "xg", "galaxy", "studio")
    records = header() + game() + roll(1, (5, 1), (12, 7, 23, 22)) * 5 + result(1, 2, 101)
    return [*(write_mat(MATCH, style) for style in styles), write(MATCH, "sgf"), write(MATCH, "json"), packed(records)]


def mutations(files: list[bytes], count: int) -> Iterator[bytes]:
    """Yield files with bytes changed, removed, repeated or inserted; always the same ones."""
    chance = random.Random(20240501)
    for _ in range(count):
        data = bytearray(chance.choice(files))
        for _ in range(chance.choice((1, 2, 5, 20))):
            place = chance.randrange(len(data) + 1)
            match chance.randrange(4):
                case 0:
                    data[place : place + 1] = bytes([chance.randrange(256)])
                case 1:
                    del data[place : place + chance.randrange(30)]
                case 2:
                    data[place:place] = chance.randbytes(chance.randrange(10))
                case _:
                    other = chance.randrange(len(data) + 1)
                    data[place:place] = data[other : other + chance.randrange(100)]
        yield bytes(data)


def test_damaged_files_raise_nothing_but_refusals() -> None:
    assert max(survives(data) for data in mutations(seeds(), 4000)) < ON_AND_ON


@pytest.mark.slow
def test_a_damaged_file_can_be_written_again() -> None:
    written = 0
    for data in mutations(seeds(), 1000):
        try:
            transcript = read(data)
        except Refused:
            continue
        written += 1
        assert read(write(transcript, "json")) == transcript
        for dialect in ("canonical", "galaxy"):
            read(write_mat(transcript, dialect))
        read(write(transcript, "sgf"))
    assert written > 100
