"""Whose hand a `.mat` file is in: told from its remarks and its small habits. Only for display and statistics."""

import re

_SITES = (
    ("backgammongalaxy", "galaxy"),
    ("backgammon galaxy", "galaxy"),
    ("backgammon studio", "studio"),
    ("heroes", "studio"),
    ("opengammon", "opengammon"),
    ("gammonview", "gammonview"),
    ("choue.net", "choue"),
    ("gamesgrid", "gamesgrid"),
)
_RATED_NAME = re.compile(r"([^,]*[^,\s]),([0-9]{3,4})")
_GNUBG_LENGTH = re.compile(r"(?:^|\n) \d{1,4} point match\r?\n")
_HEAD = 5000
"""Characters in which a program's habits show."""


def without_ratings(players: tuple[str, str], info: dict[str, str]) -> tuple[tuple[str, str], dict[str, str]]:
    """GamesGrid writes `name,1859`: the names without, and the ratings as remarks of their own.

    Only where both names end so, for a comma may well be part of a name.
    """
    rated = [_RATED_NAME.fullmatch(name) for name in players]
    left, right = rated
    if left is None or right is None:
        return players, info
    added = {"Player 1": left[1], "Player 2": right[1], "Player 1 Elo": left[2], "Player 2 Elo": right[2]}
    return (left[1], right[1]), info | {key: value for key, value in added.items() if key not in info}


def dialect_of(text: str, info: dict[str, str], rated: bool) -> str:
    """The name of the program that seems to have written this record; `jellyfish` where nothing tells."""
    site = info.get("Site", "").lower()
    for word, dialect in _SITES:
        if word in site:
            return dialect
    if rated:
        return "gamesgrid"
    start = text[:_HEAD]
    if "Bar/" in start or "/Off" in text or "????" in text:
        return "xg-text"
    if "*" in start and _GNUBG_LENGTH.search(start):
        return "gnubg"
    if start.startswith(";") and "\r\n" in start and "*" not in start:
        return "xg"
    return "jellyfish"
