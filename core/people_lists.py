"""Lists of people, pasted or in a file: a name in each line, or a table with any titles, order and separator.

What could be read in two ways is not understood, so that somebody is asked and nobody is entered by mistake.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.names import fold, has_suffix, surname_last
from core.spreadsheets import NEW_SHEET, Rows, read_text
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused


def folded(words: str) -> frozenset[str]:
    """Return the folded forms of words with commas between them."""
    return frozenset(map(fold, words.split(",")))


# What lists call their columns, folded: English, German, French, Italian, Spanish, Danish, Dutch, Turkish.
NAMES = folded(
    "name, names, player, players, player name, full name, display name, member, members, participant, participants,"
    "your name, your full name, what is your name, what is your full name, first and last name, name and surname,"
    "spieler, spielername, mitglied, teilnehmer, dein name, ihr name, vor- und nachname, name vorname,"
    "nachname vorname, joueur, nom, nom complet, nom et prénom, nom prénom, giocatore, nome, partecipante,"
    "nome e cognome, cognome e nome, jugador, nombre, participante, nombre completo, nombre y apellidos, spiller, navn,"
    "deltager, dit navn, for- og efternavn, speler, naam, deelnemer, voor- en achternaam, oyuncu, isim, ad, ad soyad,"
    "adı soyadı, katılımcı"
)
"""Beside a column of first names or of surnames such a column has the others, as in “Name;Vorname”, “Nome;Cognome”."""
FIRST_NAMES = folded("first name, firstname, given name, forename, vorname, prénom, fornavn, voornaam, nombre de pila")
SURNAMES = folded(
    "last name, lastname, surname, family name, nachname, familienname, nom de famille, cognome, apellido, apellidos,"
    "efternavn, achternaam, familienaam, soyad, soyadı"
)
PARTNERS = folded(
    "partner, partners, partnerin, doubles partner, teammate, team mate, mitspieler, mitspielerin, doppelpartner,"
    "partenaire, coéquipier, coéquipière, compagno, compagna, compañero, compañera, pareja, makker, medspiller,"
    "dobbeltpartner, medespeler, eş"
)
RATINGS = folded("rating, ratings, elo, wertung, wertungszahl, classement elo, ratingtal")
CLUBS = folded(
    "club, team, verein, heimatverein, mannschaft, équipe, circolo, società, squadra, equipo, klub, forening, hold,"
    "vereniging, ploeg, kulüp, takım"
)
OTHERS = folded(
    "timestamp, start time, completion time, last modified time, zeitstempel, startzeit, fertigstellungszeit,"
    "horodateur, heure de début, heure de fin, informazioni cronologiche, ora di inizio, marca temporal,"
    "hora de inicio, tidsstempel, tijdstempel, zaman damgası, email, e-mail, mail, email address, e-mail address,"
    "e-mail-adresse, adresse e-mail, indirizzo email, correo electrónico, mailadresse, e-mailadres, e-posta,"
    "e-posta adresi, phone, telefon, téléphone, country, land, pays, paese, país, ülke, id, no, nr, number, nummer, #"
)
"""Columns that forms and programs put beside names."""
KNOWN = NAMES | FIRST_NAMES | SURNAMES | PARTNERS | RATINGS | CLUBS | OTHERS
TOTALS = folded(
    "total, totals, grand total, sum, average, mean, subtotal, summe, gesamt, gesamtsumme, schnitt, durchschnitt,"
    "zwischensumme, somme, moyenne, totale, somma, suma, i alt, totaal, toplam"
)
NOBODY = (
    TOTALS | NAMES | folded("bye, freilos, exempt, riposo, oversidder, anonymous, anonym, anonyme, anonimo, anoniem")
)
MAX_TITLE_ROWS = 30
"""Rows at the start of a sheet among which its titles are."""
MAX_CELL_LENGTH = 4 * MAX_NAME_LENGTH
"""Of a name with what stands beside it; a longer one is not understood."""
_NUMBERING = re.compile(r"\s*(?:\d+\s*[.)]\s*(?=\D)|\d+:\s+|[-*•·]\s+)")
_RATING = re.compile(r"(?:[5-9]\d\d|[12]\d{3}|3[0-4]\d\d)(?:[.,]\d{1,2})?")
_RATED = re.compile(rf"(.*[^\W\d_]\S*)[\s,:(\[–-]+({_RATING.pattern})[)\]]?")
_ONE_CELL = re.compile(r"[^,]*(?:,\s[^,]*)?")
"""A line that may be a name, such as “Novák, Jan”: the comma separates no cells."""
_PARTICLES = re.compile(r"(?:van|von|de|del|della|di|da|dos|du|der|den|af|av|al|el|le|la|ter|ten|zu)\s", re.IGNORECASE)
_DAY = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}.*")
_TOGETHER = re.compile(r"\s*[&/+]\s*|\s+(?:and|und|og|et)\s+")
"""What stands between the names of two who play as one side."""
_OPEN = "\ufdd0"
"""Stands for a quotation mark that is never closed."""
_NO_NAME = re.compile(rf"[;|\t@{_OPEN}]|://|^\d+\s|\d[.,:/]\d")


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A row of a list, with its number from 1; `name` is empty if it was not understood, and both names of a pair."""

    row: int
    text: str
    """Its cells as they were written."""
    name: str = ""
    rating: str = ""
    club: str = ""


def read_people(text: str, *, pairs: bool = False) -> list[ListedPerson]:
    """Return the people of a list in its order, without empty rows and titles. Nothing is checked but the form.

    Of several sheets the first one that names its columns is read, or else the first one. With `pairs` a row may have
    two people, with “&” between their names or the second in a column of partners.
    Refused: `list_empty`, and as `read_text`.

    >>> [person.name for person in read_people("Nachname;Vorname;Verein\\nNovák;Jan;Hafen")]
    ['Jan Novák']
    >>> [(person.name, person.rating) for person in read_people("Novák, Jan\\nCyd Gamma 1500")]
    [('Jan Novák', ''), ('Cyd Gamma', '1500')]
    >>> [person.name for person in read_people("Name;Partner\\nBerg, Ann;Bea Kral\\nCem/Dan;", pairs=True)]
    ['Ann Berg & Bea Kral', 'Cem & Dan']
    """
    rows = _rows(text)
    titles = _titles(rows)
    people = _by_numbers(list(_plain(rows, pairs) if titles is None else _below(rows, titles, pairs)))
    if not people:
        raise Refused("list_empty")
    return people


def names_of(people: Sequence[ListedPerson]) -> list[str]:
    """Return the names of a list. Refused: `list_unclear` with the first row not understood, and all in `rows`."""
    if unclear := [[person.row, person.text] for person in people if not person.name]:
        row, text = unclear[0]
        raise Refused("list_unclear", row=row, text=text, rows=unclear)
    return [person.name for person in people]


def joined_names(rows: Rows) -> Rows:
    """Return a table whose titles name columns of first names and of surnames with both in one; others as they are.

    >>> joined_names([["Name", "Vorname", "Punkte"], ["Novák", "Jan", "3"]])
    [['name', '', 'Punkte'], ['Jan Novák', '', '3']]
    """
    for index, titles in enumerate(rows[:MAX_TITLE_ROWS]):
        columns = _name_columns(titles, rows[index + 1 :])
        if len(columns) == 2:
            names = ["name", *(" ".join(filter(None, (_cell(row, at) for at in columns))) for row in rows[index + 1 :])]
            joined = [row + [""] * (max(columns) + 1 - len(row)) for row in rows[index:]]
            for row, name in zip(joined, names, strict=True):
                row[min(columns)], row[max(columns)] = name, ""
            return [*rows[:index], *joined]
    return rows


def split_names(text: str) -> list[str] | None:
    """Return the names in a line with one person or a pair; None if there are more than two, or one is missing.

    >>> split_names("Ann Berg & Bea Kral"), split_names("Sandra Anders"), split_names("Ann &")
    (['Ann Berg', 'Bea Kral'], ['Sandra Anders'], None)
    """
    names = [name.strip() for name in _TOGETHER.split(text.strip())]
    return names if len(names) <= 2 and all(names) else None


def person_name(cell: str) -> tuple[str, str]:
    """Return the name in a cell that has one, without numbering and surname last, and the rating after it.

    A number after a single word may be part of the name.

    >>> person_name("3. Novák, Jan"), person_name("Cyd Gamma (1500)"), person_name("Player 1500")
    (('Jan Novák', ''), ('Cyd Gamma', '1500'), ('Player 1500', ''))
    """
    name, rating = _apart(cell)
    return surname_last(name), rating


def _apart(cell: str) -> tuple[str, str]:
    numbering = _NUMBERING.match(cell)
    name = " ".join(cell[numbering.end() if numbering else 0 :].split())
    if name.count('"') == 2 and name[0] == name[-1] == '"':
        name = name.strip('" ')
    rated = _RATED.fullmatch(name) if len(name) <= MAX_CELL_LENGTH else None
    return (name, "") if rated is None or " " not in rated[1] else (rated[1].rstrip(" ,"), rated[2])


def is_name(name: str) -> bool:
    """Whether this can be somebody's name: not a number, an address, a total, or cells that were not separated."""
    return (
        len(name) <= MAX_NAME_LENGTH
        and any(map(str.isalpha, name))
        and _NO_NAME.search(name) is None
        and name.count('"') % 2 == 0
        and ("," not in name or has_suffix(name))
        and fold(name.rstrip(":")) not in NOBODY
    )


# Rows and titles.


@dataclass(frozen=True, slots=True)
class _Titles:
    at: int
    """The index of their row."""
    names: tuple[int, ...]
    """The columns whose cells, joined, are a name."""
    rating: int | None
    club: int | None
    partner: int | None


def _rows(text: str) -> Rows:
    text = text.removeprefix("\ufeff")
    lines = text.splitlines()
    if not any(mark in text for mark in ("\t", ";", "|", NEW_SHEET)) and all(map(_ONE_CELL.fullmatch, lines)):
        first = next((line for line in lines if line.strip()), "")
        if "," not in first or not _name_columns(first.split(","), []):
            return [[line.strip()] for line in lines]
    if text.count('"') % 2:
        # A mark that is never closed would take all rows below it into one cell, so its row is read without a quote.
        text = "\n".join(line.replace('"', _OPEN) if line.count('"') % 2 else line for line in text.split("\n"))
    sheets = read_text(text)
    first_sheet = sheets[0].rows if sheets else []
    return next((sheet.rows for sheet in sheets if _titles(sheet.rows)), first_sheet)


def _titles(rows: Rows) -> _Titles | None:
    """Return the titles of a table: the first row with several known ones, or its first row with that of names."""
    filled = [(index, row) for index, row in enumerate(rows[:MAX_TITLE_ROWS]) if any(row)]
    several = [(index, row) for index, row in filled if sum(fold(cell) in KNOWN for cell in row if cell) > 1]
    for index, row in (*several, *filled[:1]):
        if names := _name_columns(row, rows[index + 1 :]):
            others = (_first_of(words, row) for words in (RATINGS, CLUBS, PARTNERS))
            return _Titles(index, names, *others)
    return None


def _name_columns(titles: Sequence[str], below: Rows) -> tuple[int, ...]:
    """Return the column of names, or those of first names and surnames."""
    first, last = _first_of(FIRST_NAMES, titles), _first_of(SURNAMES, titles)
    names = [at for at, title in enumerate(titles) if fold(title) in NAMES]
    # Forms have a column “Name” of accounts, in which all are anonymous.
    whole = next((at for at in names if len({_cell(row, at) for row in below} - {""}) > 1), next(iter(names), None))
    if first is None and last is None:
        return () if whole is None else (whole,)
    pair = (whole if first is None else first, whole if last is None else last)
    return tuple(at for at in pair if at is not None)


def _first_of(words: frozenset[str], titles: Sequence[str]) -> int | None:
    return next((at for at, title in enumerate(titles) if fold(title) in words), None)


def _cell(row: Sequence[str], at: int | None) -> str:
    return row[at].strip() if at is not None and at < len(row) else ""


def _below(rows: Rows, titles: _Titles, pairs: bool) -> Iterator[ListedPerson]:
    """Yield the rows of a table; above its titles and below them, what stands alone in a row is a caption."""
    for number, row in enumerate(rows, 1):
        cells = [_cell(row, at) for at in titles.names]
        if not any(row) or number == titles.at + 1 or row == rows[titles.at]:
            continue
        if number > titles.at:
            name, rating = _apart(" ".join(cells)) if all(cells) else ("", "")
            if pairs and (partner := _cell(row, titles.partner)):
                name = f"{name} & {partner}"
            rating = _cell(row, titles.rating) or rating
            yield _person(number, row, name, rating, _cell(row, titles.club), pairs=pairs)
        elif sum(map(bool, row)) > 1:
            yield _person(number, row)


def _plain(rows: Rows, pairs: bool) -> Iterator[ListedPerson]:
    """Yield rows without titles: names are in the one column that has words in it."""
    words = [[at for at, cell in enumerate(row) if _is_words(cell)] for row in rows]
    alone = Counter(columns[0] for columns in words if len(columns) == 1)
    column = max(alone, key=lambda at: (alone[at], -at), default=None)
    for number, (row, columns) in enumerate(zip(rows, words, strict=True), 1):
        has_title = len(row) > 1 and any(fold(cell) in KNOWN for cell in row if cell)
        if columns != [column] or has_title:
            if any(row):
                yield _person(number, row)
            continue
        name, rating = _apart(row[columns[0]])
        last, comma, _first = name.partition(",")
        if comma and not has_suffix(name) and " " in last and not _PARTICLES.match(last):
            # Without a title “Ann Berg, Harbour” may have a club.
            name = ""
        numbers = (cell for cell in row if _RATING.fullmatch(cell))
        yield _person(number, row, name, rating or next(numbers, ""), pairs=pairs)


def _is_words(cell: str) -> bool:
    return any(map(str.isalpha, cell)) and "@" not in cell and not _DAY.fullmatch(cell)


def _person(
    number: int, row: Sequence[str], name: str = "", rating: str = "", club: str = "", *, pairs: bool = False
) -> ListedPerson:
    text = " · ".join(filter(None, row)).replace(_OPEN, '"')[:MAX_CELL_LENGTH]
    names = [surname_last(each) for each in ((split_names(name) or [""]) if pairs else [name])]
    return ListedPerson(number, text, " & ".join(names) if all(map(is_name, names)) else "", rating, club)


def _by_numbers(people: Sequence[ListedPerson]) -> list[ListedPerson]:
    """Leave those unclear of whose number nobody can say whether it is a rating or tells two names apart."""
    ratings, numbers = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for person in people:
        word, _space, number = person.name.rpartition(" ")
        numbers[fold(word)].add(number)
        ratings[fold(person.name)] |= {person.rating} - {""}
    return [
        replace(person, name="")
        if len(ratings[fold(person.name)]) > 1 or (rated and len(numbers[fold(rated[1])]) == 1)
        else person
        for person, rated in ((person, _RATED.fullmatch(person.name)) for person in people)
    ]
