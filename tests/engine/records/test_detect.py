"""The reader is chosen by the content of a file, whatever its name and encoding."""

import pytest

from engine.errors import Refused
from engine.records import Limits, read

from .samples import HEADER

ROW = "  1) 31: 8/5 6/5                 64: 24/18 13/9\n"
MATCH = HEADER.replace("Carol", "Zoë") + ROW


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_text_in_any_of_these_encodings(encoding: str) -> None:
    transcript = read(MATCH.encode(encoding))
    assert transcript.players == ("Bob", "Zoë")
    assert len(transcript.games[0].events) == 2


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(newline: str) -> None:
    assert read(MATCH.replace("\n", newline).encode()) == read(MATCH.encode())


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "no_match"),
        (b" \r\n\t\n", "no_match"),
        ("\ufeff".encode(), "no_match"),
        (b" 7 point match\n", "no_match"),
        (b"Dear director, Bob won 7-3.\n", "unknown_format"),
        (b"%PDF-1.7 ...", "is_pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0", "is_image"),
        (b"PK\x03\x04\x14\0\0\0\x08\0", "is_zip"),
        (b"\0" * 1000, "not_text"),
    ],
)
def test_a_file_without_a_match_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(data)
    assert refused.value.code == code
    assert refused.value.message != code


def test_a_file_larger_than_allowed_is_refused_unread() -> None:
    with pytest.raises(Refused, match="larger than 8388608 bytes"):
        read(b"x" * (8 * 1024 * 1024 + 1))
    with pytest.raises(Refused, match="larger than 10 bytes"):
        read(MATCH.encode(), Limits(bytes=10))


def test_the_limits_of_a_text_apply() -> None:
    with pytest.raises(Refused, check=lambda error: error.code == "too_many_plies"):
        read(MATCH.encode(), Limits(plies=1))
    with pytest.raises(Refused, check=lambda error: error.code == "too_many_lines"):
        read(MATCH.encode(), Limits(lines=5))
    with pytest.raises(Refused, check=lambda error: error.code == "too_many_games"):
        read((MATCH + " Game 2\n Game 3\n").encode(), Limits(games=2))
    assert len(read((HEADER + "  1) 31: x\n" * 9).encode(), Limits(problems=3)).problems) == 3
