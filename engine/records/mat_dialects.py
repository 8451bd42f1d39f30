"""Which program wrote a `.mat` file, guessed from its remarks and habits. Used for display and statistics only."""

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
"""Characters at the start of a file that are searched."""


def without_ratings(players: tuple[str, str], info: dict[str, str]) -> tuple[tuple[str, str], dict[str, str]]:
    """Split names such as `name,1859`, as GamesGrid writes them; the ratings become remarks.

    Both names must have that form, since a name may contain a comma.
    """
    rated = [_RATED_NAME.fullmatch(name) for name in players]
    left, right = rated
    if left is None or right is None:
        return players, info
    added = {"Player 1": left[1], "Player 2": right[1], "Player 1 Elo": left[2], "Player 2 Elo": right[2]}
    return (left[1], right[1]), info | {key: value for key, value in added.items() if key not in info}


def dialect_of(text: str, info: dict[str, str], rated: bool) -> str:
    """Return the name of the program that probably wrote this record; `jellyfish` by default."""
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
