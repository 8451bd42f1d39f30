"""Detects the format of a record by its content, never by its file name."""

import codecs
import re
from contextlib import suppress

from engine.errors import Refused
from engine.records.foreign import TEXT_KINDS, binary_kind, text_kind

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 64 * 1024
"""Bytes in which a text shows what it is."""
_XG_MAGIC = (b"RGMH", b"HMGR")
_SGF = re.compile(r"\s*\(\s*;")
_MAT = re.compile(
    r"(?im)^[ \t]*(?:\d{1,4}[ \t]*-?points?[ \t]+match\b|game[ \t]+\d{1,6}[ \t]*$|\d{1,4}\)[ \t]{1,60}\d\d:)"
)

_PLAIN = (
    dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
    | dict.fromkeys((0x85, 0x2028, 0x2029), "\n")
    | dict.fromkeys((0xAD, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF))
    | {0xFF00 + ord(sign) - 0x20: sign for sign in "0123456789/:)(*-"}
    | dict.fromkeys((0x2044, 0x2215), "/")
)
"""The blanks of Unicode (as wide as a character, those that end a line, those without any width), and the full-width
digits and signs that a Japanese or Chinese keyboard writes in a play."""
_QUOTED = re.compile(r"^(?:> ?){1,9}", re.MULTILINE)
"""What e-mail programs put before the lines of the message that is answered."""
_JSON_PARTS = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[^"]++', re.DOTALL)
_CHARSET = re.compile(
    rb"\s*\(\s*;[^;]*?(?<![A-Za-z])CA\s*\[\s*((?:windows-|cp)125[0-8]|iso[-_]?8859-(?:1[013456]?|[2-9])|koi8-[ru]"
    rb"|macintosh|s(?:hift[-_]?)?jis|euc-(?:jp|kr)|big5|gb2312|gbk|gb18030)\s*\]",
    re.IGNORECASE,
)
"""The `CA` of an SGF file, if it names one of the character sets that are read."""


def decoded(data: bytes) -> str:
    """Return the text of a file with plain blanks and signs: UTF-8 or UTF-16 with or without a byte order mark.

    If it is neither, it is in the character set that an SGF file states, or else in Windows-1252.
    Raises Refused (`not_text`) where it is none of these.
    """
    return _plain(_as_written(data))


def _plain(text: str) -> str:
    """Return a text with the blanks and signs that programs write, unquoted; what JSON and SGF quote is left alone."""
    if not text.lstrip().startswith(("{", "(")):
        text = _QUOTED.sub("", text)
    if text.isascii():
        return text
    plain = text.translate(_PLAIN)
    if not plain.lstrip().startswith("{"):
        return plain
    parts = (part[0] for part in _JSON_PARTS.finditer(text))
    return "".join(part if part.startswith('"') else part.translate(_PLAIN) for part in parts)


def _as_written(data: bytes) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, errors="replace")
    if b"\0" in data[:4096]:
        return _utf16_without_mark(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        stated = _CHARSET.match(data[:_HEAD])
    if stated is not None:
        with suppress(UnicodeDecodeError):
            return data.decode(stated[1].decode())
    return data.decode("cp1252", errors="replace")


def _utf16_without_mark(data: bytes) -> str:
    """Decode UTF-16 without a mark: in Western text every other byte is zero, which shows the byte order."""
    head = data[:4096]
    zeros = [head[0::2].count(0), head[1::2].count(0)]
    half = len(head) // 2
    if zeros[1] > 0.7 * half and zeros[0] < 0.1 * half:
        return data.decode("utf-16-le", errors="replace")
    if zeros[0] > 0.7 * half and zeros[1] < 0.1 * half:
        return data.decode("utf-16-be", errors="replace")
    raise Refused("not_text")


def is_xg(data: bytes) -> bool:
    """Whether these are the first bytes of an eXtreme Gammon file."""
    return data.startswith(_XG_MAGIC)


def text_format(text: str) -> str:
    """Return `json`, `sgf` or `mat`.

    Raises Refused for any other text: `no_match`, `is_web_page`, `is_chess`, `unknown_format`.
    """
    if not text.strip("\0 \t\r\n\ufeff"):
        raise Refused("no_match")
    if text.lstrip().startswith("{"):
        return "json"
    if _SGF.match(text):
        return "sgf"
    if _MAT.search(text):
        return "mat"
    raise Refused(text_kind(text) or "unknown_format")


def refuse_other_files(data: bytes) -> None:
    """Refuse a file that plainly is no match record, by how it begins, before reading it.

    Raises Refused: `is_pdf`, `is_image`, `is_document`, `is_zip`, `is_web_page`, `is_chess`.
    """
    if is_xg(data):
        return
    if kind := binary_kind(data):
        raise Refused(kind)
    try:
        text_format(decoded(data[:_HEAD]))
    except Refused as refused:
        if refused.code in TEXT_KINDS:
            raise
