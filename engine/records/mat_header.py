"""The header of each game in a `.mat` file: ` Alice : 0                      Bob : 2`."""

import re
from typing import NamedTuple

from engine.cube import Score
from engine.records.mat_cells import name_of

_LEFT_SCORE = re.compile(r":[ \t]*([0-9]{1,5})(?=[ \t])")


class Header(NamedTuple):
    """Names and scores, left and right."""

    players: tuple[str, str]
    score: Score
    right_column: int
    """Column of the right name, counted from 0."""
    squeezed: bool
    """Only one blank is between the columns: repeated blanks were lost, as in a forum post or an e-mail."""


def header_of(line: str, known: set[str]) -> Header | None:
    """Return the names and scores of a header line; None if it is not one.

    A name may be empty, and may contain a colon and a number. Names that are known decide how to split the line, or
    else a wide gap after the left score.
    """
    head, colon, right_score = line.rpartition(":")
    right_score = right_score.strip()
    if not colon or not right_score.isdecimal() or len(right_score) > 5:
        return None
    headers: list[Header] = []
    for match in _LEFT_SCORE.finditer(head):
        rest = head[match.end() :]
        blank = len(rest) - len(rest.lstrip())
        players = (name_of(head[: match.start()]), name_of(rest))
        header = Header(players, (int(match[1]), int(right_score)), match.end() + blank, blank < 2)
        if known.issuperset(players):
            return header
        headers.append(header)
    wide = (header for header in headers if not header.squeezed)
    return next(wide, headers[0] if headers else None)
