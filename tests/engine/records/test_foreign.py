"""Files that are uploaded by mistake as match records are recognised."""

import io
import zipfile

import pytest

from engine.errors import Refused
from engine.records import read, refuse_other_files

RECORD = (
    b" 3 point match\n\n Game 1\n Bob : 0                    Carol : 0\n  1) 31: 8/5 6/5             62: 24/18 13/11\n"
)


def archive(*names: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name in names:
            archive.writestr(name, RECORD)
    return written.getvalue()


FILES = {
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n%%EOF\n", "is_pdf"),
    "a PDF after a printer's header": (b"@PJL JOB\r\n%PDF-1.4\n", "is_pdf"),
    "a photo (JPEG)": (b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01", "is_image"),
    "a screenshot (PNG)": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01", "is_image"),
    "a phone's photo (HEIC)": (b"\0\0\0\x24ftypheic\0\0\0\0mif1heic", "is_image"),
    "a picture from the web (WebP)": (b"RIFF\x1a\0\0\0WEBPVP8L", "is_image"),
    "Word": (archive("[Content_Types].xml", "word/document.xml"), "is_document"),
    "old Word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504), "is_document"),
    "rich text": (b"{\\rtf1\\ansi 7 point match}", "is_document"),
    "OpenOffice": (archive("mimetype", "content.xml"), "is_document"),
    "a ZIP of records": (archive("one.mat", "two.mat"), "is_zip"),
    "a broken ZIP": (archive("one.mat")[:40], "is_zip"),
    "a web page": (b"\xef\xbb\xbf<!DOCTYPE html>\n<html><body>Match 7 points</body></html>", "is_web_page"),
    "a chess game": (b'[Event "Club night"]\n[White "Bob"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n', "is_chess"),
    "chess moves": (b"1. d4 d5 2. c4 e6\n", "is_chess"),
}


@pytest.mark.parametrize(("data", "code"), FILES.values(), ids=FILES)
def test_a_file_of_another_kind_is_recognised(data: bytes, code: str) -> None:
    for ask in (refuse_other_files, read):
        with pytest.raises(Refused) as refused:
            ask(data)
        assert refused.value.code == code


def test_a_record_is_accepted_whatever_the_names_in_it() -> None:
    for record in (RECORD, RECORD.decode().encode("utf-16"), RECORD.replace(b"Bob  ", b"<html")):
        refuse_other_files(record)
        read(record)


@pytest.mark.parametrize("data", [b"Dear director, Bob won 7-3.", b"", bytes(1000)], ids=["text", "nothing", "zeros"])
def test_a_file_of_unknown_kind_is_left_to_the_reader(data: bytes) -> None:
    refuse_other_files(data)
    with pytest.raises(Refused):
        read(data)
