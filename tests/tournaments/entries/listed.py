"""Lists of people as clubs have them, and whom each of them names."""

from collections.abc import Iterable
from typing import NamedTuple

from core.people_lists import ListedPerson


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


def rows_named(names: Iterable[str]) -> list[ListedPerson]:
    """Return the rows of a list of these names."""
    return [ListedPerson(row, name, name) for row, name in enumerate(names, 1)]


UNCLEAR, LEFT_OUT = "list_unclear", "list_left_out"
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
    Listed("equal rows", "Name,Club\nAnn Berg,Lund\nANN BERG,Lund\nJan Novák,\n", BOTH, code=LEFT_OUT, separator=","),
    Listed(
        "a near namesake", "Name;Rating\nAna Kowalski;1500\nAnn Berg;1620", ["Ann Berg"], code=LEFT_OUT, separator=";"
    ),
    Listed("two spellings", "Jan Novotny\nJan Novotni\nAnn Berg", ["Ann Berg", "Jan Novotny"], code=LEFT_OUT),
    Listed("names in one line", "Ann Berg, Jan Novák, Cyd Gamma\nOla Lund\n", ["Ola Lund"], [1], UNCLEAR),
    Listed("titles alone", "Name;Vorname;Verein\n", [], code="list_empty", separator=";"),
]


NORDIC = ["Sofie Lund", "Mads Holm"]
"""As programs write them, each with its people, and the rows that are asked about."""
WRITTEN = [
    # One half of the names under a known title, the other under a related or an unknown one.
    Listed("Norwegian", "Fornavn;Etternavn\nSofie;Lund\nMads;Holm", NORDIC),
    Listed("Zuname", "Vorname;Zuname\nSofie;Lund\nMads;Holm", NORDIC),
    Listed("İsim", "İsim;Soyisim\nŞule;Işık\nÖzgür;Çağ", ["Şule Işık", "Özgür Çağ"]),
    Listed("given names", "Given names;Family name\nSofie;Lund\nMads;Holm", NORDIC),
    Listed(
        "two surnames",
        "Nombre;Primer apellido;Segundo apellido\nRosa María;García;Ruiz\nJosé;Muñoz;",
        ["Rosa María García Ruiz", "José Muñoz"],
    ),
    Listed("in brackets", "First Name,Last Name (as on the card)\nSofie,Lund\nMads,Holm", NORDIC),
    Listed("unknown surnames", "Vorname;Clanname\nSofie;Lund\nMads;Holm", [], [1, 2, 3]),
    Listed("unknown first names", "Rating;Ohmynimi;Surname\n1500;Sofie;Lund\n1600;Mads;Holm", [], [1, 2, 3]),
    Listed("an ambiguous title", "Nombre;Linaje\nRosa;García\nJosé;Muñoz", [], [1, 2, 3]),
    Listed("a column without a title", "First name;;Club\nSofie;Lund;BK\nMads;Holm;BK", [], [1, 2, 3]),
    Listed("a whole name beside words", "Name;Mood\nSofie Lund;good\nMads Holm;fair", NORDIC),
    Listed("first names alone", "Fornavn;Rating\nSofie;1500\nMads;1600", ["Sofie", "Mads"]),
    # Titles, totals and headings.
    *(
        Listed(title, f"{title}\nSofie Lund\nMads Holm", NORDIC)
        for title in ("Namn", "Imię i nazwisko", "Ονοματεπώνυμο", "氏名", "Ad Soyad", "Nome e apelido", "Deltakere:")
    ),
    Listed("a title unlike the names", "Kilpailija\nSofie Lund\nMads Holm", NORDIC, [1]),
    Listed("a caption unlike the names", "Osallistujan nimi\nSofie Lund\nMads Holm", NORDIC, [1]),
    Listed("the first in small letters", "sofie lund\nMads Holm\nBo Friis", ["sofie lund", "Mads Holm", "Bo Friis"]),
    Listed("a first name in small letters", "sofie\nMads\nBo", ["sofie", "Mads", "Bo"]),
    Listed("a caption with a year", "Klubaften Tirsdag 2026\nSofie Lund\nMads Holm", NORDIC, [1]),
    Listed("a caption above a title", "Club Night\nNavn\nSofie Lund\nMads Holm", NORDIC, [1]),
    Listed("a count in a column", "Sofie Lund;1500\nMads Holm;1600\nAntal;2", NORDIC, [3]),
    Listed("a count below titles", "Navn;Rating\nSofie Lund;1500\nMads Holm;1600\nAntal;2", NORDIC, [4]),
    Listed("a total in words", "Sofie Lund\nMads Holm\nI alt: 2 deltagere", NORDIC, [3]),
    Listed("ratings after a colon", "Sofie Lund: 1500\nMads Holm: 1600", NORDIC),
    Listed("waiting", "Sofie Lund\nWaiting list:\nMads Holm", NORDIC, [2]),
    Listed(
        "counts",
        "Sofie Lund\nMads Holm\nAnzahl Spieler 12\nNombre de joueurs 12\nToplam: 12\nRazem 1500\nΣύνολο 2\n合計 2\n"
        "Venteliste (3)\nReserves\nDeltagere i alt 2\nPlayers 2",
        NORDIC,
        [*range(3, 13)],
    ),
    Listed(
        "numbers", "#1 Mads Holm\n#2 Sofie Lund\n# 3. Ann Berg\n№4 Bo Friis", [*NORDIC[::-1], "Ann Berg", "Bo Friis"]
    ),
    Listed(
        "names that begin like counts",
        "Antal Nagy 1500\nSum Wai Lee 1500\nSofie Lund",
        ["Antal Nagy", "Sum Wai Lee", NORDIC[0]],
    ),
    # As programs write them.
    Listed(
        "WinSwiss",
        "Tournament: Spring Open\n\nNo.;Name;Rtg;Club\n1;Lund, Sofie;1500;BK Nord\n2;Holm, Mads;1600;BK Syd",
        NORDIC,
    ),
    Listed(
        "chess-results",
        "From the Tournament-Database of Chess-Results\nSpring Open\n\nNo.;;Name;FideID;FED;RtgI;Club/City\n"
        "1;GM;Lund, Sofie;1401;DEN;1500;Aarhus\n2;;Holm, Mads;;DEN;0;\n\n"
        "You find all details under https://chess-results.com/tnr1.aspx",
        NORDIC,
        [8],
    ),
    Listed(
        "a caption below",
        "Name;Club\nSofie Lund;BK\nMads Holm;\n\nPrinted by the Nordic Club",
        NORDIC,
        [5],
    ),
    Listed(
        "Google Forms",
        "Timestamp,Email Address,First name,Last name (as on your ID),Any comments?\n"
        '2026/11/26 6:02:11 PM GMT+1,s@example.org,Sofie,Lund,"Late, sorry"\n'
        "2026/11/26 6:05:40 PM GMT+1,m@example.org,Mads,Holm,",
        NORDIC,
    ),
    Listed(
        "Excel, Danish", "Nr.;Efternavn;Fornavn;Klub\r\n1;Lund;Sofie;BK\r\n2;Holm;Mads;BK\r\n;I alt;;2\r\n", NORDIC, [4]
    ),
    Listed(
        "Excel, German", "Nachname;Vorname;Verein;Ort\nLund;Sofie;BK;Ulm\nHolm;Mads;;Köln\nAnzahl: 2;;;", NORDIC, [4]
    ),
    Listed("Excel, French", "Nom;Prénom;Téléphone;Ville\nLund;Sofie;06 12;Lille\nHolm;Mads;;Lyon", NORDIC),
    Listed(
        "Excel, Turkish", "Sıra No;Adı;Soyadı;Şehir\n1;Sofie;Lund;İzmir\n2;Mads;Holm;Bursa\nToplam;;;2", NORDIC, [4]
    ),
    Listed("Excel, Spanish", "Apellidos;Nombre;País\nLund;Sofie;España\nHolm;Mads;Chile", NORDIC),
    Listed("Excel, Norwegian", "Etternavn\tFornavn\tKlubb\nLund\tSofie\tBK\nHolm\tMads\tBK", NORDIC),
    Listed("Excel, Portuguese", "Nome próprio;Apelido;Clube\nSofie;Lund;BK\nMads;Holm;BK", NORDIC),
    Listed("Excel, Polish", "Lp.;Imię;Nazwisko;Klub\n1;Sofie;Lund;BK\n2;Mads;Holm;BK\nRazem: 2;;;", NORDIC, [4]),
    Listed(
        "Excel, Greek", "Α/Α;Επώνυμο;Όνομα;Σύλλογος\n1;Αλεξίου;Νίκος;ΑΟ\n2;Ρήγα;Άννα;ΑΟ", ["Νίκος Αλεξίου", "Άννα Ρήγα"]
    ),
    Listed(
        "Excel, Japanese",
        "番号,姓,名,姓（カナ）,名（カナ）,所属\n1,山田,太郎,ヤマダ,タロウ,東京\n2,鈴木,花子,スズキ,ハナコ,大阪",
        ["山田 太郎", "鈴木 花子"],
    ),
    Listed(
        "members",
        "Member No,Title,Surname,Forename,Date of birth,Postcode\n7,Ms,Lund,Sofie,1990-02-03,8000\n8,Mr,Holm,Mads,,",
        NORDIC,
    ),
    Listed("a club above", "BK Nord\nVorname;Nachname\nSofie;Lund\nMads;Holm", NORDIC),
    Listed("a club above no titles", "BK Nord\nSofie Lund;1500\nMads Holm;1600\nI alt: 2", NORDIC, [1, 4]),
    Listed("a club above half a title", "BK Nord\nVorname;Clanname\nSofie;Lund\nMads;Holm", [], [1, 2, 3, 4]),
    Listed("quoted", '"Name","Club"\n"Lund, Sofie","BK, Nord"\n"Mads Holm",""', NORDIC),
    Listed("swapped, with tabs", "Club\tLast name\tRating\tFirst name\nBK\tLund\t1500\tSofie\n\tHolm\t\tMads", NORDIC),
    Listed("titles nobody knows", "Ime;Prezime\nSofie;Lund\nMads;Holm", [], [1, 2, 3]),
    Listed("numbers in a list of theirs", "1\tSofie Lund\n2\tMads Holm\n\tTotal: 2", NORDIC, [3]),
    # As chats have them: marks, answers and numbers are no part of names; who may not come, or brings others, is asked.
    Listed(
        "a list in a chat",
        "Tuesday 7 pm:\n1. Ann Berg ✅\n2. Bo Friis 👍🏽\n3) Çağ Işık (comes later)\n4. Grete Moser +1\n- Hannes P.\n"
        "* Ines Kolar !!\nJörg Weiß - bin dabei\nKatharina Müller-Lüdenscheidt: ja\n~~Lukas Steiner~~\n11.\n12.",
        [
            *("Ann Berg", "Bo Friis", "Çağ Işık", "Grete Moser", "Hannes P.", "Ines Kolar", "Jörg Weiß"),
            "Katharina Müller-Lüdenscheidt",
        ],
        [5, 10],
    ),
    Listed(
        "exported from WhatsApp for iOS",
        "\u200e[01.12.26, 18:03:12] Ann Berg: ja\n[01.12.26, 18:04:00] Bo Friis: bin dabei, etwas später 👍\n"
        "[01.12.26, 18:09:41] Cem Ito: kann leider nicht\n[01.12.26, 18:10:00] Dana Fox: +1",
        ["Ann Berg", "Bo Friis", "Dana Fox"],
        [3, 4],
    ),
    Listed(
        "exported from WhatsApp for Android",
        "12/1/26, 6:03 PM - Ann Berg: I'm in\n12/1/26, 6:05 PM - Cem added Dan\n"
        "12/1/26, 6:09 PM - Bo Friis: yes, later",
        ["Ann Berg", "Bo Friis"],
        [2],
    ),
    Listed(
        "copied from Telegram",
        "Ann Berg, [01.12.26 18:03]\nbin dabei\n\nBo Friis, [01.12.26 18:04]\nich auch!",
        ["Ann Berg", "Bo Friis"],
    ),
    Listed(
        "copied from Signal",
        "Backgammon Dienstag\n\n1️⃣ Ann Berg\n2️⃣ Bo Friis 🎲\n3️⃣ Dan Eck 🙋‍♀️\n4️⃣",
        ["Ann Berg", "Bo Friis", "Dan Eck"],
        [1],
    ),
    Listed("bullets", "• Ann Berg\n– Bo Friis\n▪ Dan Eck\n→ Cem Ito", ["Ann Berg", "Bo Friis", "Dan Eck", "Cem Ito"]),
    Listed(
        "boxes", "- [x] Ann Berg\n- [ ] Bo Friis\n☑ Dan Eck\n☐ Cem Ito\n✗ Eve Lund", ["Ann Berg", "Dan Eck"], [2, 4, 5]
    ),
    Listed(
        "French",
        "Mardi 19h :\n1) Ann Berg (arrive plus tard)\n2) Chloé D. - présente\n"
        "3) Élodie Brun : oui !\n4) Marc (peut-être)",
        ["Ann Berg", "Chloé D.", "Élodie Brun"],
        [5],
    ),
    Listed(
        "Danish",
        "Tirsdag kl. 19:\n1. Søren Ågård (kommer senere)\n2. Mette - jeg er med\n3. Bo: nej",
        ["Søren Ågård", "Mette"],
        [4],
    ),
    Listed("bold", "*Ann Berg* ✅\n_Bo Friis_\n~Cem Ito~\nDana Fox?\n❌ Eve Lund", ["Ann Berg", "Bo Friis"], [3, 4, 5]),
    Listed("times", "Ann (ab 20 Uhr)\nBo (19:30)\nDana bis 22 Uhr\nEve, kommt später", ["Ann", "Bo", "Dana", "Eve"]),
    Listed(
        "doubts",
        "Ann Berg kommt nicht\nBo vielleicht\nEve mit Freundin\nFred und Gast\nNein\nOla Lund\nDan 🤷\nCem Ito (Lund)",
        ["Ola Lund"],
        [1, 2, 3, 4, 5, 7, 8],
    ),
    Listed("not who comes", "Absagen Dienstag 1.12.:\nAnn Berg", ["Ann Berg"], [1]),
    Listed(
        "results",
        "Jan Novák 3-1\nAnn Berg – Bo Friis 7:5\nOla Lund b. Dan Eck 7-0\nMia Novak 3 Nino Ortner 7\nEve Lund",
        ["Eve Lund"],
        [1, 2, 3, 4],
    ),
    # Two columns that may be names, and partners of whom there are none.
    Listed(
        "ids beside names", "player,name,points\n3utvcz3gx6,Ann Berg,3\nk7m2p9qd4x,Bo Friis,2", ["Ann Berg", "Bo Friis"]
    ),
    Listed("ids alone", "player,points\n3utvcz3gx6,3\nk7m2p9qd4x,2", [], [2, 3]),
    Listed("two names a row", "Player,Name\nAnn Berg,Jan Novák\nBo Friis,Eve Lund", [], [1, 2, 3]),
    Listed("the same twice", "Full name,Player\nAnn Berg,ann berg\nBo Friis,Bo Friis", ["Ann Berg", "Bo Friis"]),
    Listed("partners", "Name;Partner\nAnn Berg;Jan Novák\nBo Friis;", ["Bo Friis"], [2]),
]
