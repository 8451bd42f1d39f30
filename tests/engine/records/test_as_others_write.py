"""Records as they come from browsers, e-mails and commentators: judged as the plain record they were made from."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from engine import check_record, replay
from engine.records import read, write, write_mat
from engine.simulation import play_out
from engine.transcript import Kind
from engine.verdict import Outcome

from .samples import HEADER

MATCHES = [play_out(seed, 3, players=("Bob Ash", "Carol Øre")) for seed in (1, 6, 9)]
WRITTEN = {
    f"{style}, match {number}": (write(match, "sgf") if style == "sgf" else write_mat(match, style)).decode("utf-8-sig")
    for number, match in enumerate(MATCHES, start=1)
    for style in ("canonical", "gnubg", "xg", "galaxy", "studio", "xg-text", "sgf")
}
Disturb = Callable[[str], bytes | str]


def at_line_starts(text: str, added: str) -> str:
    return "".join(f"{added}{line}" for line in text.splitlines(keepends=True))


def alternating(text: str) -> str:
    blanks = cycle(" \xa0")
    return re.sub(r"(?<= ) | (?= )", lambda _: next(blanks), text)


BLANKS: dict[str, Disturb] = {
    "no-break": lambda text: text.replace(" ", "\xa0"),
    "no-break at line starts": lambda text: re.sub(r"(?m)^ +", lambda lead: "\xa0" * len(lead[0]), text),
    "no-break, cp1252": lambda text: text.replace(" ", "\xa0").encode("cp1252"),
    "no-break, UTF-16": lambda text: text.replace(" ", "\xa0").encode("utf-16"),
    "alternating": alternating,
    "figure": lambda text: text.replace(" ", "\u2007"),
    "narrow no-break": lambda text: text.replace(" ", "\u202f"),
    "ideographic": lambda text: text.replace(" ", "\u3000"),
    "line separators": lambda text: text.replace("\r", "").replace("\n", "\u2028"),
    "paragraph separators": lambda text: text.replace("\r\n", "\n").replace("\n", "\u2029"),
    "zero width": lambda text: at_line_starts(text, "\u200b"),
    "left to right": lambda text: at_line_starts(text, "\u200e"),
    "byte order marks": lambda text: at_line_starts(text, "\ufeff"),
    "soft hyphens": lambda text: at_line_starts(text, "\xad"),
}


def judged(data: bytes | str) -> tuple[object, ...]:
    """What a record comes to, and where it ends."""
    check = check_record(data.encode() if isinstance(data, str) else data)
    assert check.transcript is not None, check.verdict
    findings = [(finding.code, finding.game, finding.ply, finding.place.line) for finding in check.verdict.findings]
    return replace(check.verdict, findings=()), findings, replay(check.transcript)[-1].after


@pytest.mark.parametrize("disturb", BLANKS.values(), ids=BLANKS)
def test_blanks_of_any_kind_are_blanks(disturb: Disturb) -> None:
    for name, text in WRITTEN.items():
        assert judged(disturb(text)) == judged(text), name


FULL_WIDTH = {ord(sign): ord(sign) - 0x20 + 0xFF00 for sign in "0123456789/:()*-"}
AS_TYPED_OR_MAILED: dict[str, Disturb] = {
    "full-width slash": lambda text: text.replace("/", "／"),
    "full-width": lambda text: text.translate(FULL_WIDTH),
    "fraction slash": lambda text: text.replace("/", "\u2044"),
    "quoted": lambda text: at_line_starts(text, "> "),
    "quoted twice": lambda text: at_line_starts(text, ">> "),
    "quoted and full-width": lambda text: at_line_starts(text.replace("/", "／"), "> > "),
}


@pytest.mark.parametrize("disturb", AS_TYPED_OR_MAILED.values(), ids=AS_TYPED_OR_MAILED)
def test_full_width_signs_and_quoted_lines_are_read(disturb: Disturb) -> None:
    texts = {name: text for name, text in WRITTEN.items() if not name.startswith(("sgf", "json"))}
    assert texts
    for name, text in texts.items():
        assert judged(disturb(text)) == judged(text), name


def test_what_json_quotes_is_kept_as_it_is() -> None:
    match = replace(MATCHES[0], players=("Bob\xa0Ash", "> ／Ca\u2028rol\u200d"))
    text = write(match, "json").decode()
    indented = text.replace('\n{"', '\n\xa0\u200b{"')
    assert indented != text
    for written in (text, indented, "\ufeff\u200b" + text):
        assert read(written.encode()).players == match.players


MARKS: dict[str, Callable[[re.Match[str]], str]] = {
    "behind each play": lambda play: f"{play[0]} {next(SIGNS)}",
    "without a blank": lambda play: f"{play[0]}{next(SIGNS)}",
    "further off": lambda play: f"{play[0]}   {next(SIGNS)}",
}
SIGNS = cycle(("?", "??", "?!", "!", "!!", "!?"))
LAST_MOVE = re.compile(r"/(?:\d{1,2}|[Oo]ff)\*?(?:\(\d\))?(?=\s{2,}|$)", re.MULTILINE)


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
def test_marks_behind_a_play_are_no_part_of_it(mark: Callable[[re.Match[str]], str]) -> None:
    texts = {name: text for name, text in WRITTEN.items() if not name.startswith("sgf")}
    for name, text in texts.items():
        marked, count = LAST_MOVE.subn(mark, text)
        assert count > 30
        assert judged(marked)[0] == judged(text)[0], name


def test_marks_behind_cube_actions_are_no_part_of_them() -> None:
    cube = HEADER + "  1) 31: 8/5 6/5                 64: 24/18 13/9\n  2)  Doubles => 2 ?                Takes ??\n"
    events = read(cube.encode()).games[0].events
    assert [event.kind for event in events] == [Kind.PLAY, Kind.PLAY, Kind.DOUBLE, Kind.TAKE]


def test_a_play_that_was_not_recorded_is_no_mark() -> None:
    text = HEADER + "  1) 31: 8/5 6/5                 64: ??\n  2) 52: 13/8 13/11                ????\n"
    events = read(text.encode()).games[0].events
    assert [(event.side, event.dice, event.moves is None) for event in events] == [
        (0, (3, 1), False),
        (1, (6, 4), True),
        (0, (5, 2), False),
        (1, None, True),
    ]


OPENING = "  1) 61: 13/7 8/7                 43: 24/20 13/10\n"
LEFT, RIGHT = "  2) {}\n", "  2)                              {}\n"
WINS = {0: "      {}\n", 1: "                                  {}\n"}


@pytest.mark.parametrize("word", ["Resigned Game", "Resigns", "Resigned", "resigned match"])
@pytest.mark.parametrize("cell", [LEFT, RIGHT], ids=["left", "right"])
@pytest.mark.parametrize(("winner", "points"), [(0, 1), (0, 2), (1, 1), (1, 2)])
def test_the_result_says_who_resigned(word: str, cell: str, winner: int, points: int) -> None:
    result = "Wins {} point{}".format(*((7, "s") if "match" in word else (points, "s" if points > 1 else "")))
    first = OPENING + cell.format(word) + WINS[winner].format(result)
    scores = [0, 0]
    scores[winner] += points
    second = f"\n Game 2\n Bob : {scores[0]:<24}Carol : {scores[1]}\n" + OPENING
    for text in (HEADER + first, *([HEADER + first + second] if "match" not in word else [])):
        verdict = check_record(text).verdict
        assert [finding.code for finding in verdict.findings if finding.severity == "error"] == []
        assert (verdict.games[0].winner, verdict.games[0].rests_on_words) == (winner, "match" in word)


@pytest.mark.parametrize(("cell", "winner"), [(LEFT, 1), (RIGHT, 0)])
def test_without_a_result_the_column_says_who_resigned(cell: str, winner: int) -> None:
    assert check_record(HEADER + OPENING + cell.format("Resigned Game")).verdict.games[0].winner == winner


def test_a_resignation_that_was_refused_stays_with_its_side() -> None:
    refused = OPENING + LEFT.format("Resigns") + RIGHT.format("Refuses") + "  3) 21: 13/11 6/5\n"
    events = read((HEADER + refused + WINS[0].format("Wins 1 point")).encode()).games[0].events
    assert [(event.side, event.kind) for event in events[2:4]] == [(0, Kind.RESIGN), (1, Kind.REFUSE)]


NAMES = {
    "windows-1250": ("Łukasz", "Žofie"),
    "cp1250": ("Łukasz", "Žofie"),
    "ISO-8859-2": ("Łukasz", "Žofie"),
    "iso8859-15": ("Zoë", "Sœur"),
    "windows-1251": ("Олег", "Ирина"),
    "KOI8-R": ("Олег", "Ирина"),
    "ISO-8859-7": ("Νίκος", "Άννα"),
    "windows-1254": ("Özgür", "Işıl"),
    "Shift_JIS": ("山田", "表示"),
    "EUC-JP": ("山田", "表示"),
    "Big5": ("功夫", "許蓋"),
    "GB18030": ("王", "许"),
    "EUC-KR": ("김", "이"),
    "macintosh": ("Søren", "Åse"),
}


def in_charset(names: tuple[str, str], stated: str, encoding: str) -> bytes:
    text = write(replace(MATCHES[0], players=names), "sgf").decode()
    assert "CA[UTF-8]" in text
    return text.replace("CA[UTF-8]", f"CA[{stated}]").encode(encoding)


@pytest.mark.parametrize("charset", NAMES)
def test_sgf_says_in_which_characters_it_is_written(charset: str) -> None:
    data = in_charset(NAMES[charset], charset, charset)
    assert check_record(data).verdict.players == NAMES[charset]
    assert judged(data) == judged(in_charset(NAMES[charset], "UTF-8", "utf-8"))


@pytest.mark.parametrize(
    "stated", ["unicode_escape", "idna", "raw_unicode_escape", "utf-7", "rot13", "nothing", "", "UTF-8", "euc-jp"]
)
def test_what_it_says_counts_only_if_it_is_known_and_true(stated: str) -> None:
    names = ("Zoë", "S\\u00f8ren ÆØ")
    assert check_record(in_charset(names, stated, "cp1252")).verdict.players[0] == "Zoë"
    assert check_record(in_charset(("Zoë", "Žofie"), stated, "utf-8")).verdict.players == ("Zoë", "Žofie")


WILD = {
    "nbsp_0_plain.mat": (Outcome.ACCEPTED, (4, 0)),
    "nbsp_all.mat": (Outcome.ACCEPTED, (4, 0)),
    "nbsp_alternate.mat": (Outcome.ACCEPTED, (4, 0)),
    "og_winner_column.mat": (Outcome.INCOMPLETE, (0, 2)),
    "marks_space.mat": (Outcome.INCOMPLETE, (0, 1)),
    "ca_1250.sgf": (Outcome.ACCEPTED, (4, 0)),
    "ca_utf8.sgf": (Outcome.ACCEPTED, (4, 0)),
}


@pytest.mark.parametrize("name", WILD)
def test_records_beside_the_project(shared_data: Path, name: str) -> None:
    file = shared_data / "wild" / name
    if not file.is_file():
        pytest.skip(f"no wild/{name} in the reference data")
    verdict = check_record(file.read_bytes()).verdict
    assert ((verdict.outcome, verdict.score), verdict.findings) == (WILD[name], ())
    if name.startswith("ca_"):
        assert verdict.players[0] == "Łukasz Dvořák"
