"""Which of several encodings a text file has that does not say so, judged by the letters of its languages.

No detector is used: those that guess by frequency take good Danish for Czech. Nothing is guessed here. Windows-1252
stands where one Western language has all letters of a file; else whoever sent it is shown the possible readings.
"""

import re
from collections.abc import Collection

from engine.errors import Refused

GERMAN = "äöüßé"
WESTERN = ("æøåéüöä", GERMAN, "àâçéèêëîïôùûü", "àèéìòù", "áéíóúñüç", "áéëïóöüè", "áâãàçéêíóôõú")
"""The letters beside a–z of Danish, Norwegian and Swedish, German, French, Italian, Spanish, Dutch, and Portuguese."""
CENTRAL = ("ąćęłńóśźż", GERMAN, "áčďéěíňóřšťúůýž", "äáčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž")
"""Of Polish, German, Czech, Slovak, Hungarian, and the South Slavic languages."""
TURKISH = ("çğıöşüâîû\u0307", GERMAN)
GREEK = ("α-ωάέήίόύώϊϋΐΰ",)
JAPANESE = ("ぁ-んァ-ヶ一-鿿々ー・（）\u3000０-９",)
ENCODINGS = {
    "cp1252": WESTERN,
    "cp1250": CENTRAL,
    "iso8859_2": CENTRAL,
    "cp1254": TURKISH,
    "cp1253": GREEK,
    "iso8859_7": GREEK,
    "mac_roman": WESTERN,
    "cp932": JAPANESE,
    "euc_jp": JAPANESE,
}
"""By their names in Python: the letters of each language for which a file may have them."""
MAX_COMPARED, MAX_LINES = 500, 6
"""Lines of a file among which those are sought that tell its readings apart, and how many of them are shown."""
MAX_LINE_LENGTH = 80
_SIGNS = "’‘“”„–—«»·•°€§…¿¡ºª´©\xa0"
_OTHER_SCRIPTS = r"\u0370-\u03ff\u3041-\u9fff"
# Letters of another encoding: a sign inside a word, one that begins it and cannot, and two scripts in one word, as in
# “S¿ren”, “Mu–oz”, “…zgür”, “Sψren”.
_BROKEN = re.compile(
    r"[^\W\d_](?:[^\w\s\x00-\x7f’]+[^\W\d_A-Z]|[§¿¡€„])|[^\W\d_]{2}’[^\W\d_A-Z]|[€…„][^\W\d_A-Z]"
    rf"|[A-Za-z][{_OTHER_SCRIPTS}]|[{_OTHER_SCRIPTS}][A-Za-z]"
)


def decoded(content: bytes) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with its mark, or else as its letters say.

    Refused: `encoding_unclear`, with lines in all `readings` that are possible; `spreadsheet_unreadable`.
    """
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return decoded_as(content, "utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        readings = _readings({word for word in content.split() if not word.isascii()})
    western = readings.get("cp1252", [])
    if _are_of_one(western, WESTERN):
        return decoded_as(content, "cp1252")
    likely = [each for each in readings if all(_are_of_one([word], ENCODINGS[each]) for word in readings[each])]
    if likely == ["cp1252"]:
        # Names from several countries, and no other reading has any sense.
        return decoded_as(content, "cp1252")
    shown = dict.fromkeys([*(["cp1252"] if western else []), *likely] if likely else readings)
    lines = [line for line in content.splitlines() if not line.isascii()][:MAX_COMPARED]
    telling = sorted(lines, key=lambda line: -len({_line(line, each) for each in shown}))[:MAX_LINES]
    raise Refused("encoding_unclear", readings=[[each, [_line(line, each) for line in telling]] for each in shown])


def decoded_as(content: bytes, encoding: str) -> str:
    """Return the text of a file in an encoding that was chosen. Refused: `spreadsheet_unreadable`."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        raise Refused("spreadsheet_unreadable") from None


def _readings(words: Collection[bytes]) -> dict[str, list[str]]:
    """Return what these words may be, each time by the first of the encodings in which they are."""
    readings: dict[str, list[str]] = {}
    for encoding in ENCODINGS:
        try:
            read = [word.decode(encoding) for word in words]
        except UnicodeDecodeError:
            continue
        if read not in readings.values() and not any(re.search(r"[\x80-\x9f]", word) for word in read):
            readings[encoding] = read
    return readings


def _are_of_one(words: Collection[str], languages: tuple[str, ...]) -> bool:
    """Whether there are words, and one of these languages has all their letters."""
    letters = "".join(set("".join(words).lower()))
    fits = any(re.fullmatch(rf"[\x00-\x7f{re.escape(_SIGNS)}{language}]+", letters) for language in languages)
    return fits and not any(map(_BROKEN.search, words))


def _line(line: bytes, encoding: str) -> str:
    return " ".join(line.decode(encoding, errors="replace").split())[:MAX_LINE_LENGTH]
