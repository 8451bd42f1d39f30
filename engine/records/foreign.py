"""Detects well-known kinds of files that are uploaded by mistake as match records."""

import re

TEXT_KINDS = ("is_web_page", "is_chess")
"""The codes that `text_kind` returns."""
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*")
_PHOTO_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif")
"""Brands of the ISO media container that phones use for HEIC photos."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PDF_WITHIN = 1024
"""Bytes that may precede the header of a PDF (PDF 1.7, appendix H.3)."""
_HEAD = 4096
"""Characters at the start of a text that are searched."""
_HTML = re.compile(r"<(?:!doctype\s{1,9}html|html|head|body)\b", re.IGNORECASE)
_CHESS = re.compile(
    r'^[ \t]{0,9}\[(?:Event|Site|White|Black|ECO) {1,9}"|^[ \t]{0,9}1\. ?(?:[a-h][34]|N[acfh]3)\b', re.MULTILINE
)


def binary_kind(data: bytes) -> str | None:
    """Return `is_pdf`, `is_image`, `is_document` or `is_zip`; None for anything else, records included."""
    if data.startswith(_IMAGES) or (data[:4], data[8:12]) == (b"RIFF", b"WEBP"):
        return "is_image"
    if data[4:8] == b"ftyp" and data[8:12] in _PHOTO_BRANDS:
        return "is_image"
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return "is_pdf"
    if data.startswith((_OLD_OFFICE, b"{\\rtf")):
        return "is_document"
    if data.startswith(_ZIP):
        return "is_document" if _is_office(data) else "is_zip"
    return None


def _is_office(data: bytes) -> bool:
    """Whether a ZIP is a document of Word, Excel or OpenOffice: each has a part of one of these names.

    The archive is not opened, since its directory can have a hundred thousand entries.
    """
    return any(name in data for name in (b"[Content_Types].xml", b"mimetype"))


def text_kind(text: str) -> str | None:
    """Return `is_web_page` or `is_chess`; None for any other text."""
    head = text[:_HEAD]
    if _HTML.search(head):
        return "is_web_page"
    if _CHESS.search(head):
        return "is_chess"
    return None
