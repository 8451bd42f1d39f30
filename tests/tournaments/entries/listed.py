"""Lists of people as clubs have them, and whom each of them names."""

from typing import NamedTuple


class Listed(NamedTuple):
    """A list: whom it names, and the lines that somebody is asked about."""

    kind: str
    text: str
    entered: list[str]
    asked: list[int] = []
    code: str = ""
    """With which a program is refused."""
    separator: str = ""
    """Of a table; it is then also sent as a workbook, and with places as a season."""
    has_titles: bool = True


UNCLEAR = "list_unclear"
KNOWN = "Anna Kowalski"
"""A member of the club."""
BOTH = ["Ann Berg", "Jan Novák"]
LISTS = [
    Listed("surname first", "Name;Vorname;Verein\nNovák;Jan;Hafen\nBerg;Ann;Lund", BOTH, separator=";"),
    Listed("two titles", "Nachname;Vorname\nNovák;Jan\nBerg;Ann\n", BOTH, separator=";"),
    Listed("ratings", "Cyd Gamma,1500\nAnn Berg,1620", ["Ann Berg", "Cyd Gamma"], separator=",", has_titles=False),
    Listed(
        "ratings after a space",
        "1. Cyd Gamma 1500\n2) Ann Berg (1620)\n\n- Novák, Jan",
        ["Ann Berg", "Cyd Gamma", "Jan Novák"],
    ),
    Listed(
        "sep=",
        "sep=|\nClub|First name|Last name\nLund|Ann|Berg\nHafen, Köln|Jan|Novák",
        BOTH,
        separator="|",
    ),
    Listed(
        "answers to a form",
        "Timestamp,Email Address,What is your name?,Rating\n"
        '26/11/2026 18:02:11,ann@example.org,Ann Berg,1500\n26/11/2026 18:05:40,jan@example.org,"Novák, Jan",',
        BOTH,
    ),
    Listed(
        "answers without titles",
        "2026-11-26 18:02:11\tann@example.org\tAnn Berg\n2026-11-26 18:05:40\tjan@example.org\tJan Novák",
        BOTH,
        separator="\t",
        has_titles=False,
    ),
    Listed(
        "titles further down",
        "Torneo d'inverno\t\t\n\t\t\nCognome\tNome\tCircolo\nNovák\tJan\tPorto\nBerg\tAnn\tPorto",
        BOTH,
        separator="\t",
    ),
    Listed("no titles", "Novák;Jan;Hafen\nBerg;Ann;Lund", [], [1, 2], UNCLEAR, ";", has_titles=False),
    Listed(
        "rows that are nobody",
        "Name|Club\nAnn Berg|Lund\n|Hafen\n1500|Hafen\na@example.org|Hafen\nTotal|2",
        ["Ann Berg"],
        [3, 4, 5, 6],
        UNCLEAR,
        "|",
    ),
    Listed("an open quotation mark", 'Name,Rating\n"Ann Berg,1500\nJan Novák,1400', ["Jan Novák"], [2], UNCLEAR),
    Listed("equal rows", "Name,Club\nAnn Berg,Lund\nANN BERG,Lund\nJan Novák,\n", BOTH, separator=","),
    Listed("a near namesake", "Name;Rating\nAna Kowalski;1500\nAnn Berg;1620", ["Ann Berg"], separator=";"),
    Listed("two spellings", "Jan Novotny\nJan Novotni\nAnn Berg", ["Ann Berg", "Jan Novotny"]),
    Listed("names in one line", "Ann Berg, Jan Novák, Cyd Gamma\nOla Lund\n", ["Ola Lund"], [1], UNCLEAR),
    Listed("titles alone", "Name;Vorname;Verein\n", [], code="list_empty", separator=";"),
]
