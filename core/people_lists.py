"""Lists of people, pasted or in a file: a name in each line, or a table with any titles, order and separator.

What could be read in two ways is not understood, so that somebody is asked and nobody is entered by mistake.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from core.names import fold, has_suffix, surname_last, visible
from core.public_ids import ALPHABET, LENGTH
from core.remarks import SENT, WEEKDAYS, apart_from_guests, is_answer, is_heading, may_be_no_name, without_remarks
from core.spreadsheets import NEW_SHEET, Rows, read_text
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused


def folded(words: str) -> frozenset[str]:
    """Return the folded forms of words with commas between them."""
    return frozenset(map(fold, words.split(",")))


# What lists call their columns, folded: English, German, French, Italian, Spanish, Danish, Dutch, Turkish, Norwegian,
# Swedish, Portuguese, Polish, Greek, Japanese.
MAYBE_FIRST_NAMES = folded("name, names, nom, nome, nombre, nombres, navn, naam, namn, isim, ad, adı, adınız, όνομα")
"""Whole names, or what stands beside a column of surnames: “Name;Vorname”, “Nome;Cognome”, “Ad;Soyad”."""
NAMES = MAYBE_FIRST_NAMES | folded(
    "player, players, player name, players name, name of player, full name, your full name, display name, member,"
    "members, participant, participants, contestant, competitor, entrant, entrants, your name, what is your name,"
    "what is your full name, whats your name, first and last name, first name and last name, name and surname,"
    "spieler, spielername, mitglied, teilnehmer, teilnehmer name, dein name, ihr name, vor- und nachname,"
    "vor- und zuname, vorname und nachname, vorname nachname, vorname name, name vorname, name und vorname,"
    "nachname vorname, joueur, joueurs, participant(e), votre nom, nom complet, nom et prénom, nom prénom,"
    "prénom et nom, prénom nom, giocatore, giocatori, partecipante, partecipanti, nominativo, nome e cognome,"
    "nome cognome, cognome e nome, cognome nome, jugador, jugadores, participante, participantes, nombre completo,"
    "nombre y apellidos, nombre y apellido, apellidos y nombre, spiller, spillere, deltager, deltagere, dit navn,"
    "fulde navn, for- og efternavn, fornavn og efternavn, speler, spelers, deelnemer, deelnemers, je naam, uw naam,"
    "volledige naam, voor- en achternaam, oyuncu, oyuncular, ad soyad, ad ve soyad, adı soyadı, adı ve soyadı,"
    "adınız soyadınız, adınız ve soyadınız, isim soyisim, isim soyad, katılımcı, katılımcılar, deltaker, deltakere,"
    "ditt navn, fullt navn, for- og etternavn, fornavn og etternavn, deltagare, spelare, ditt namn, fullständigt namn,"
    "för- och efternamn, jogador, jogadores, nome completo, nome e apelido, nome e sobrenome, imię i nazwisko,"
    "nazwisko i imię, imię nazwisko, nazwisko imię, gracz, gracze, zawodnik, zawodnicy, uczestnik, uczestnicy,"
    "ονοματεπώνυμο, ονοματεπώνυμα, όνομα και επώνυμο, όνομα επώνυμο, επώνυμο και όνομα, επώνυμο όνομα, παίκτης,"
    "παίκτες, συμμετέχων, συμμετέχοντες, 氏名, 名前, お名前, 姓名, フルネーム, 選手, 選手名, 参加者, 参加者名,"
    "プレイヤー, プレーヤー"
)
FIRST_NAMES = folded(
    "first, first name, first names, firstname, given, given name, given names, forename, forenames, vorname,"
    "vornamen, rufname, prénom, prénoms, fornavn, fornavne, voornaam, voornamen, nombre de pila, primer nombre,"
    "isminiz, förnamn, primeiro nome, nome próprio, imię, imiona, μικρό όνομα, 名, ファーストネーム"
)
EASTERN_SURNAMES = folded("姓, 苗字, 名字, ラストネーム")
"""Those that stand before the first name."""
SURNAMES = EASTERN_SURNAMES | folded(
    "last, last name, last names, lastname, surname, surnames, family, family name, family names, second name,"
    "nachname, nachnamen, familienname, zuname, nom de famille, noms, cognome, cognomi, apellido, apellidos,"
    "primer apellido, 1er apellido, apellido 1, apellido paterno, efternavn, efternavne, familienavn, achternaam,"
    "familienaam, soyad, soyadı, soyadınız, soyisim, soy isim, soy ad, soy adı, soyisminiz, etternavn, slektsnavn,"
    "efternamn, apelido, apelidos, sobrenome, sobrenomes, último nome, nazwisko, nazwiska, επώνυμο, επίθετο"
)
SECOND_SURNAMES = folded("segundo apellido, 2º apellido, 2o apellido, apellido 2, apellido materno, second surname")
PARTNERS = folded(
    "partner, partners, partnerin, doubles partner, teammate, team mate, mitspieler, mitspielerin, doppelpartner,"
    "partenaire, coéquipier, coéquipière, compagno, compagna, compañero, compañera, pareja, makker, medspiller,"
    "dobbeltpartner, medespeler, eş, parceiro, parceira, συμπαίκτης, パートナー"
)
RATINGS = folded(
    "rating, ratings, elo, elo rating, rtg, rtgi, rtgn, wertung, wertungszahl, dwz, twz, classement elo, ratingtal,"
    "reyting, レーティング"
)
CLUBS = folded(
    "club, team, club city, verein, verein ort, heimatverein, mannschaft, équipe, circolo, società, squadra, equipo,"
    "klub, forening, hold, vereniging, ploeg, kulüp, kulübü, takım, klubb, lag, clube, equipa, equipe, associação,"
    "drużyna, σύλλογος, ομάδα, λέσχη, όμιλος, クラブ, クラブ名, 所属, チーム"
)
COLUMNS = {
    "phone": folded(
        "phone, phone number, mobile, telefon, handy, mobil, téléphone, portable, telefono, cellulare, teléfono, móvil,"
        "telefoon, telefonnummer, telefone, telemóvel, numer telefonu, τηλέφωνο, κινητό, 電話, 電話番号"
    ),
    "note": folded(
        "comment, comments, notes, bemerkung, bemerkungen, kommentar, commentaire, note, notas, bemærkninger,"
        "opmerkingen, notlar, uwagi, σχόλια, 備考"
    ),
}
"""Columns beside names that a field of the same name is filled from, where there is one."""
OTHERS = frozenset().union(*COLUMNS.values()) | folded(
    "timestamp, start time, completion time, last modified time, zeitstempel, startzeit, fertigstellungszeit,"
    "horodateur, heure de début, heure de fin, informazioni cronologiche, ora di inizio, marca temporal,"
    "hora de inicio, tidsstempel, tijdstempel, zaman damgası, carimbo de data hora, sygnatura czasowa, χρονική σήμανση,"
    "タイムスタンプ, email, e-mail, mail, email address, e-mail address, e-mail-adresse, adresse e-mail, courriel,"
    "indirizzo email, correo, correo electrónico, dirección de correo electrónico, mailadresse, e-mailadres, e-posta,"
    "e-posta adresi, e-post, epost, e-postadresse, endereço de e-mail, adres e-mail, ηλεκτρονικό ταχυδρομείο, メール,"
    "メールアドレス, country, nation, nationality, federation, fed, land, nationalität, pays, paese, país, ülke, kraj,"
    "χώρα, 国, 国籍, city, town, address, postcode, zip, stadt, ort, wohnort, adresse, plz, straße, ville, code postal,"
    "città, indirizzo, ciudad, dirección, by, postnr, adres, woonplaats, şehir, poststed, cidade, morada, miasto, πόλη,"
    "διεύθυνση, 住所, date of birth, birthday, birth date, geburtsdatum, date de naissance, data di nascita,"
    "fecha de nacimiento, fødselsdato, geboortedatum, doğum tarihi, data de nascimento, data urodzenia,"
    "ημερομηνία γέννησης, 生年月日, フリガナ, ふりがな, sex, gender, geschlecht, sexe, sexo, køn, kjønn, cinsiyet,"
    "性別, title, fideid, fide id, type, member no, mitgliedsnummer, medlemsnummer, licence, license, ranking, id, no,"
    "nr, lp, nº, number, nummer, numer, número, numero, sıra no, α/α, 番号, #"
)
KNOWN = NAMES | FIRST_NAMES | SURNAMES | SECOND_SURNAMES | PARTNERS | RATINGS | CLUBS | OTHERS
TOTALS = folded(
    "total, totals, grand total, sum, average, mean, subtotal, summe, gesamt, gesamtsumme, insgesamt, schnitt,"
    "durchschnitt, zwischensumme, somme, moyenne, au total, totale, somma, suma, en total, promedio, i alt, ialt,"
    "gennemsnit, totaal, in totaal, gemiddelde, toplam, genel toplam, ortalama, totalt, sammenlagt, gjennomsnitt,"
    "summa, soma, total geral, média, razem, łącznie, ogółem, średnia, σύνολο, συνολικά, μέσος όρος, 合計, 計, 総計,"
    "平均"
)
COUNTS = TOTALS | folded(
    "count, number of, total de, players, participants, joueurs, giocatori, partecipanti, jugadores, participantes,"
    "spillere, deltagere, deltakere, spelers, deelnemers, oyuncular, katılımcılar, jogadores, gracze, uczestnicy,"
    "liczba graczy, liczba uczestników, liczba zawodników, παίκτες, συμμετέχοντες, 参加者, antal, anzahl, nombre de,"
    "numero di, número de, cantidad de, antall, aantal, sayı, sayısı, oyuncu sayısı, katılımcı sayısı, quantidade de,"
    "liczba, αριθμός, πλήθος, 人数, 参加人数, waiting list, wait list, waitlist, reserves, reserve list, warteliste,"
    "ersatzspieler, nachrücker, liste d'attente, remplaçants, lista d'attesa, riserve, lista de espera, suplentes,"
    "reservas, venteliste, wachtlijst, bekleme listesi, yedekler, väntelista, lista rezerwowa, lista oczekujących,"
    "λίστα αναμονής, αναπληρωματικοί, キャンセル待ち, 補欠"
)
"""What begins a line that counts people, or stands above those who wait."""
NOBODY = (
    COUNTS | NAMES | folded("bye, freilos, exempt, riposo, oversidder, anonymous, anonym, anonyme, anonimo, anoniem")
)
_COUNTING, _NAMING = ({word for phrase in phrases for word in phrase.split()} for phrases in (COUNTS, NAMES))
MAX_TITLE_ROWS = 30
"""Rows at the start of a sheet among which its titles are."""
MAX_CELL_LENGTH = 4 * MAX_NAME_LENGTH
"""Of a name with what stands beside it; a longer one is not understood."""
# All patterns are for text whose blanks are single spaces (`_cut`).
_FREE_PLACE = re.compile(r"\d{1,3}(?: ?[.):]|\ufe0f?\u20e3)|[-*•·]")
"""A line of a list in which nobody has written a name yet."""
_RATING = re.compile(r"(?:[5-9]\d\d|[12]\d{3}|3[0-4]\d\d)(?:[.,]\d{1,2})?")
_BEFORE_RATING = " ,:([–-"
_RATED = re.compile(rf"(?<=[{re.escape(_BEFORE_RATING)}])({_RATING.pattern})[)\]]?$")
_ONE_CELL = re.compile(r"[^,]*(?:,\s[^,]*)?")
"""A line that may be a name, such as “Novák, Jan”: the comma separates no cells."""
_PARTICLES = re.compile(r"(?:van|von|de|del|della|di|da|dos|du|der|den|af|av|al|el|le|la|ter|ten|zu)\s", re.IGNORECASE)
_DAY = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}.*")
_TOGETHER = re.compile(r" ?[&/+] ?| (?:and|und|og|et) ")
"""What stands between the names of two who play as one side."""
_OPEN = "\ufdd0"
"""Stands for a quotation mark that is never closed."""
_NO_NAME = re.compile(rf"[;:：|\t@{_OPEN}]|^\d+\s|\d[.,/]\d|^[{ALPHABET}]{{{LENGTH}}}$")
_BRACKET = re.compile(r"[(\[（【]")


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A row of a list, with its number from 1; `name` is empty if it was not understood, and both names of a pair."""

    row: int
    text: str
    """Its cells as they were written."""
    name: str = ""
    rating: str = ""
    club: str = ""
    cells: Mapping[str, str] = field(default_factory=dict)
    """What it has beside its names, by the titles of the columns."""

    def fields(self, kept: Container[str]) -> dict[str, str]:
        """Return what its cells say for fields that are `kept`."""
        return {column: text for title, text in self.cells.items() if (column := _column(title)) in kept}


def read_people(text: str, *, pairs: bool = False) -> list[ListedPerson]:
    """Return the people of a list in its order, without empty rows and titles. Nothing is checked but the form.

    Of several sheets the first one that names its columns is read, or else the first one, and those that are hidden in
    their file, if they are asked for. Two names, one below the other in a cell, are a pair. With `pairs` a row may have
    two people, with “&” between their names or the second in a column of partners.
    Refused: `list_empty`, and as `read_text`.

    >>> [person.name for person in read_people("Nachname;Vorname;Verein\\nNovák;Jan;Hafen")]
    ['Jan Novák']
    >>> [(person.name, person.rating) for person in read_people("Novák, Jan\\nCyd Gamma 1500")]
    [('Jan Novák', ''), ('Cyd Gamma', '1500')]
    >>> [person.name for person in read_people("Name;Partner\\nBerg, Ann;Bea Kral\\nCem/Dan;", pairs=True)]
    ['Ann Berg & Bea Kral', 'Cem & Dan']
    """
    people = []
    for rows in _sheets(text):
        titles = _titles(rows)
        people += _by_numbers(_plain(rows, pairs) if titles is None else list(_below(rows, titles, pairs)))
    if not people:
        raise Refused("list_empty")
    return people


def refuse_unclear(people: Iterable[ListedPerson]) -> None:
    """Refused: `list_unclear` with the first row that was not understood, and all of them in `rows`."""
    if unclear := [[person.row, person.text] for person in people if not person.name]:
        row, text = unclear[0]
        raise Refused("list_unclear", row=row, text=text, rows=unclear)


def not_kept(people: Iterable[ListedPerson], kept: Container[str] = ()) -> list[str]:
    """Return the titles of the columns with something in them that are of no field which is `kept`.

    >>> not_kept(read_people("Name;Mobil;Ort\\nAnn;12;Ulm"), {"phone"})
    ['Ort']
    """
    titles = (title for person in people for title in person.cells)
    return [title for title in dict.fromkeys(titles) if _column(title) not in kept]


def as_lines(people: Iterable[ListedPerson]) -> str:
    """Return a line for each of these people, with their cells, as `of_lines` reads it."""
    return "\n".join("\t".join([person.name, *chain(*person.cells.items())]) for person in people)


def of_lines(text: str) -> list[ListedPerson]:
    """Return the people in these lines."""
    rows = [line.split("\t") for line in text.splitlines() if line.strip()]
    cells = [dict(zip(row[1::2], row[2::2], strict=False)) for row in rows]
    return [ListedPerson(at + 1, row[0], row[0], cells=cells[at]) for at, row in enumerate(rows)]


def joined_names(rows: Rows) -> Rows:
    """Return a table whose titles name columns of first names and of surnames with both in one; others as they are.

    >>> joined_names([["Name", "Vorname", "Punkte"], ["Novák", "Jan", "3"]])
    [['name', '', 'Punkte'], ['Jan Novák', '', '3']]
    """
    for index, titles in enumerate(rows[:MAX_TITLE_ROWS]):
        columns = _name_columns(titles, rows[index + 1 :])
        if len(columns) > 1:
            names = ["name", *(" ".join(filter(None, (_cell(row, at) for at in columns))) for row in rows[index + 1 :])]
            joined = [row + [""] * (max(columns) + 1 - len(row)) for row in rows[index:]]
            for row, name in zip(joined, names, strict=True):
                for at in columns:
                    row[at] = name if at == min(columns) else ""
            return [*rows[:index], *joined]
    return rows


def split_names(text: str) -> list[str] | None:
    """Return the names in a line with one person or a pair; None if there are more than two, or one is missing.

    >>> split_names("Ann Berg & Bea Kral"), split_names("Sandra Anders"), split_names("Ann &")
    (['Ann Berg', 'Bea Kral'], ['Sandra Anders'], None)
    """
    names = [name.strip() for name in _TOGETHER.split(" ".join(text.split()))]
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
    name = " & ".join(without_remarks(_cut(line)) for line in cell.split("\n"))
    if name.count('"') == 2 and name[0] == name[-1] == '"':
        name = name.strip('" ')
    rated, rating = _rated(name)
    return (rated, rating) if " " in rated and not _counts(name) else (name, "")


def _cut(cell: str) -> str:
    """Return a cell with single spaces, cut where it is too long to be understood."""
    return " ".join(cell.split())[: MAX_CELL_LENGTH + 1]


def _rated(name: str) -> tuple[str, str]:
    """Return the words before the rating at the end of a name, and the rating; two empty texts without either."""
    rating = _RATED.search(name) if len(name) <= MAX_CELL_LENGTH else None
    before = name[: rating.start()].rstrip(_BEFORE_RATING) if rating else ""
    return (before, rating[1]) if rating and any(map(str.isalpha, before.rpartition(" ")[2])) else ("", "")


def is_name(name: str) -> bool:
    """Whether this can be somebody's name: no number, address, public id, total or remark, and no cells in one."""
    return (
        len(name) <= MAX_NAME_LENGTH
        and any(map(str.isalpha, name))
        and _NO_NAME.search(name) is None
        and name.count('"') % 2 == 0
        and ("," not in name or has_suffix(name))
        and fold(name) not in NOBODY
        and not _counts(name)
        and not may_be_no_name(name)
    )


def _counts(line: str) -> bool:
    """Whether a line counts people, or is about those who wait: known words, then a number or a colon."""
    head, *number = re.split(r"[\d:：]", line, maxsplit=1)
    words = set(_title(head).split()) if number else set()
    return bool(words & _COUNTING) and words <= _COUNTING | _NAMING


def _title(cell: str) -> str:
    """Return what is compared of a title; what stands in brackets after it explains it."""
    cell = _cut(cell)
    return fold(_BRACKET.split(cell, maxsplit=1)[0]) or fold(cell)


# Rows and titles.


@dataclass(frozen=True, slots=True)
class _Titles:
    at: int
    """The index of their row."""
    names: tuple[int, ...]
    """The columns whose cells, joined, are a name; a third one may be empty."""
    rating: int | None
    club: int | None
    partner: int | None
    is_unclear: bool
    """Whether another column may have the names, or their other half."""


def _sheets(text: str) -> list[Rows]:
    text = text.removeprefix("\ufeff")
    text = SENT.sub("", text)
    lines = text.splitlines()
    if not any(mark in text for mark in ("\t", ";", "|", NEW_SHEET)) and all(map(_ONE_CELL.fullmatch, lines)):
        first = next((line for line in lines if line.strip()), "")
        if "," not in first or not _name_columns(first.split(","), []):
            return [[[" ".join(line.split())] for line in lines]]
    if text.count('"') % 2:
        # A mark that is never closed would take all rows below it into one cell, so its row is read without a quote.
        text = "\n".join(line.replace('"', _OPEN) if line.count('"') % 2 else line for line in text.split("\n"))
    sheets = read_text(text)
    seen = [sheet.rows for sheet in sheets if not sheet.is_hidden]
    read = next((rows for rows in seen if _titles(rows)), seen[0] if seen else [])
    return [read, *(sheet.rows for sheet in sheets if sheet.is_hidden)]


def _titles(rows: Rows) -> _Titles | None:
    """Return the titles of a table: the first row with several known ones, or its first row with that of names.

    A single column may have a caption or two above its title.
    """
    filled = [(index, row) for index, row in enumerate(rows[:MAX_TITLE_ROWS]) if any(row)]
    several = [(index, row) for index, row in filled if sum(_title(cell) in KNOWN for cell in row if cell) > 1]
    alone = filled[:3] if all(len(row) == 1 for _index, row in filled) else ()
    for index, row in (*several, *filled[:1], *alone):
        if names := _name_columns(row, rows[index + 1 :]):
            rating, club, partner = (_first_of(words, row) for words in (RATINGS, CLUBS, PARTNERS))
            below = rows[index + 1 :]
            is_unclear = _is_half(row, names, below) or (len(names) == 1 < len(whole_names(row, below)))
            return _Titles(index, names, rating, club, partner, is_unclear)
    return None


def _is_half(titles: Sequence[str], names: tuple[int, ...], below: Rows) -> bool:
    """Whether a column of first names or of surnames stands beside words under a title that nobody knows.

    What is called a name is one of these if most cells have one word.
    """
    title, cells = _title(titles[names[0]]), [_cell(row, names[0]) for row in below if any(row)]
    are_whole = title in NAMES and (
        title not in MAYBE_FIRST_NAMES or sum(" " in cell for cell in cells) * 2 >= len(cells)
    )
    return (
        not are_whole
        and len(names) == 1
        and any(
            _is_words(cell) and _title(_cell(titles, at)) not in KNOWN for row in below for at, cell in enumerate(row)
        )
    )


def _name_columns(titles: Sequence[str], below: Rows) -> tuple[int, ...]:
    """Return the column of names, or those of first names and surnames."""
    first, last = _first_of(FIRST_NAMES, titles), _first_of(SURNAMES, titles)
    whole = next(iter(whole_names(titles, below)), None)
    if first is None and last is None:
        return () if whole is None else (whole,)
    pair = (whole if first is None else first, whole if last is None else last, _first_of(SECOND_SURNAMES, titles))
    if last is not None and _title(titles[last]) in EASTERN_SURNAMES:
        pair = (last, *pair[:1], None)
    return tuple(at for at in pair if at is not None)


def whole_names(titles: Sequence[str], below: Rows) -> list[int]:
    """Return the column that has names by its title and, if there are others, by its cells; several if they differ.

    Others have public ids, or accounts that are all anonymous.
    """
    titled = [at for at, title in enumerate(titles) if _title(title) in NAMES]
    if len(titled) < 2:
        return titled
    columns = dict[tuple[str, ...], int]()
    for at in titled:
        if _are_names(below, at):
            columns.setdefault(tuple(fold(_cell(row, at)) for row in below), at)
    return list(columns.values()) or titled[:1]


def _are_names(rows: Rows, at: int) -> bool:
    """Whether most cells of a column are names, and not all of them the same."""
    cells = [cell for row in rows if (cell := _cell(row, at))]
    names = [name for cell in cells if is_name(name := person_name(cell)[0])]
    return 2 * len(names) > len(cells) and len(set(names)) >= min(2, len(cells))


def _column(title: str) -> str:
    return next((name for name, words in COLUMNS.items() if _title(title) in words), "")


def _first_of(words: frozenset[str], titles: Sequence[str]) -> int | None:
    return next((at for at, title in enumerate(titles) if _title(title) in words), None)


def _cell(row: Sequence[str], at: int | None) -> str:
    return row[at].strip() if at is not None and at < len(row) else ""


def _below(rows: Rows, titles: _Titles, pairs: bool) -> Iterator[ListedPerson]:
    """Yield the rows of a table; above its titles, what stands alone in a row is a caption.

    Below an empty row that may be one, too, and so it may above the title of a single column.
    """
    is_wide, has_ended = len(rows[titles.at]) > 1, False
    named = {*titles.names, titles.partner if pairs else None}
    others = [(at, text) for at, title in enumerate(rows[titles.at]) if at not in named and (text := _one_line(title))]
    for number, row in enumerate(rows, 1):
        cells = [_cell(row, at) for at in titles.names]
        has_ended = has_ended or (is_wide and number > titles.at and not row)
        is_title = number == titles.at + 1 or row == rows[titles.at]
        if not any(row) or (is_title and not titles.is_unclear):
            continue
        if titles.is_unclear or (has_ended and sum(map(bool, row)) == 1):
            yield _person(number, row)
        elif number > titles.at:
            name, rating = _apart(" ".join(filter(None, cells))) if all(cells[:2]) else ("", "")
            if partner := _cell(row, titles.partner):
                name = f"{name} & {partner}"
            rating = _cell(row, titles.rating) or rating
            person = _person(number, row, name, rating, _cell(row, titles.club), pairs=pairs)
            yield replace(person, cells={title: text for at, title in others if (text := _one_line(_cell(row, at)))})
        elif sum(map(bool, row)) > 1 or not is_wide:
            yield _person(number, row)


def _one_line(cell: str) -> str:
    return " ".join(visible(cell).split())


def _plain(rows: Rows, pairs: bool) -> list[ListedPerson]:
    """Return rows without titles: names are in the one column that has words in it."""
    words = [[at for at, cell in enumerate(row) if _is_words(cell)] for row in rows]
    alone = Counter(columns[0] for columns in words if len(columns) == 1)
    column = max(alone, key=lambda at: (alone[at], -at), default=None)
    people: list[ListedPerson] = []
    for number, (row, columns) in enumerate(zip(rows, words, strict=True), 1):
        has_title = len(row) > 1 and any(_title(cell) in KNOWN for cell in row if cell)
        if people and people[-1].name and people[-1].text.endswith("]") and is_answer("".join(row)):
            continue
        if columns != [column] or has_title:
            is_alone = sum(map(bool, row)) == 1
            if any(row) and not (is_alone and _FREE_PLACE.fullmatch("".join(row))):
                people.append(_person(number, row))
            continue
        name, rating = _apart(row[columns[0]])
        name, has_guests = (name, False) if pairs else apart_from_guests(name)
        last, comma, _first = name.partition(",")
        if comma and not has_suffix(name) and " " in last and not _PARTICLES.match(last):
            # Without a title “Ann Berg, Harbour” may have a club.
            name = ""
        numbers = (cell for cell in row if _RATING.fullmatch(cell))
        people.append(_person(number, row, name, rating or next(numbers, ""), pairs=pairs))
        if has_guests and people[-1].name:
            people.append(_person(number, row))
    first = people[0].text if people[1:] else ""
    if (is_heading(first) and not _counts(first)) or _title(first) in CLUBS:
        people.pop(0)
    if people and _stands_out(people[0], people[1:], rows):
        people[0] = replace(people[0], name="")
    return people


def _stands_out(first: ListedPerson, others: Sequence[ListedPerson], rows: Rows) -> bool:
    """Whether the first row is written unlike the others, so that it may be a title or the caption of a table."""

    def form(person: ListedPerson) -> tuple[bool, ...]:
        *before, last = person.name.split()
        is_sentence = bool(before) and last.islower() and not before[0].islower()
        return bool(before), not is_sentence, not person.rating

    wide = [sum(map(bool, rows[person.row - 1])) > 1 for person in (first, *others)]
    forms = [form(person) for person in (first, *others) if person.name]
    return bool(first.name and others[1:]) and (
        (not wide[0] and sum(wide) * 2 > len(others))
        or not WEEKDAYS.isdisjoint(fold(first.name).split())
        or (len(forms) > 2 and any(not own and all(rest) for own, *rest in zip(*forms, strict=True)))
    )


def _is_words(cell: str) -> bool:
    return any(map(str.isalpha, cell)) and "@" not in cell and not _DAY.fullmatch(cell)


def _person(
    number: int, row: Sequence[str], name: str = "", rating: str = "", club: str = "", *, pairs: bool = False
) -> ListedPerson:
    text = " · ".join(filter(None, row)).replace("\n", " / ").replace(_OPEN, '"')[:MAX_CELL_LENGTH]
    names = list(map(surname_last, split_names(name) or [""]))
    if not pairs and len(names) > 1:
        names = [""]
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
        if len(ratings[fold(person.name)]) > 1 or (rated and len(numbers[fold(rated)]) == 1)
        else person
        for person, (rated, _rating) in ((person, _rated(person.name)) for person in people)
    ]
