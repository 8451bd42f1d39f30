"""What stands beside names in lists from chats, and is no part of them: marks, answers, and when a message was sent."""

import re

from core.names import fold, visible


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAX_REMARKS = 5
"""Numbers, marks and answers beside a name that are looked for."""
ANSWERS = _words(
    "yes yep yeah ok okay in im i am coming comes come be there here later late a little bit from at around about by "
    "pm h going attending confirmed sure playing plays please thanks again too minutes oclock "
    "ja jep dabei bin ist ich komme kommt kommen spater etwas erst nur ab bis um gegen nach ca uhr spiele spielt gern "
    "gerne klar sicher auch wieder zugesagt verspatet minuten "
    "oui present presente la je jy suis serai viens vient viendra arrive tard en retard vers apres partir de heures "
    "heure partant partante daccord bien sur aussi "
    "jeg er med kommer deltager senere lidt forst fra kl klokken omkring til efter gerne ogsa selvfolgelig "
    "si ci sono vengo viene arrivo arriva dopo alle dalle ore voy llego llega las sera "
    "ik kom komt erbij bij wat iets om vanaf uur jag senare litt lite fran evet geliyorum gelirim gelecek varim tak "
    "bede przyjde pozniej sim vou venho"
)
"""Words of an answer of somebody who comes, folded: English, German, French, Danish, and a few of other languages."""
DOUBTS = _words(
    "no not maybe perhaps cannot cant out tbc nein nicht kein keine vielleicht evtl eventuell unsicher fehlt absage "
    "absagen abgesagt warteliste non pas peut absent absente absents excuse excuses nej ikke maske afbud etre "
    "with mit avec med brings bringt"
)
"""Words, folded, of which one makes an answer another one, or is about somebody else, too."""
YES_OR_NO = _words("yes yeah yep ok okay no ja jep nein oui non nej si")
"""Those that are no name although they begin with a capital letter."""
WEEKDAYS = _words(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag "
    "sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche mandag tirsdag onsdag torsdag fredag lordag "
    "sondag tonight today heute ce soir aften aujourd hui i dag "
    "mon tue wed thu fri sat sun"
)
# Emoji of which none says that somebody does not come, or may not: after all others the line is asked about. Skin and
# sex are behind some.
_MARK = (
    "[!✅☑✔✓★☆⭐✨☀☕✌❤♥♠♣♦♀♂🎲🎯🎉🎊🥳🏆🥇🏅👍👌👏👋🙌🙋💪🤝🤗🤩😀-😆😉-😎😍🙂🙃🔥🌟💚💙💛🧡💜🍺-🍻🍷-🍹🥂🚗🚲"
    "🟢👑🎱\u20e3\ufe0f\u200d\U0001f3fb-\U0001f3ff]"
)
_MARK_ALONE = re.compile(_MARK)
SENT = re.compile(
    r"^\u200e?\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}[:.]\d\d"
    r"(?:[:.]\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?\]?(?: -)? (?=[^:\n]+: )",
    re.MULTILINE,
)
"""Begins a line of a chat that was exported; who wrote it and a colon follow."""
_BEGINNING = re.compile(
    r"\(?\d{1,9} ?(?:[.)]+|\u20e3) ?(?=\D)|[#№] ?\d{1,9} ?[.):]? ?(?=\D)|\d{1,9}: |\d{1,9} [-–—] |[①-⑳🔟] ?"
    rf"|[-–—*•·▪◦‣●○►▶→>] |- ?\[[xX✓✔]\] ?|\[[xX✓✔]\] ?|{_MARK} ?"
)
"""A number, a bullet, a ticked box or a mark."""
_SEPARATORS = (":", " - ", " – ", " — ", ", ")
"""What may stand before an answer."""
_TIME = re.compile(r"(?<!\d)\d{1,2}[:.]\d\d(?!\d)|\d[./-]\d{1,2}[./-]\d")
_GUESTS = re.compile(r"[:,]? ?(?:\(?\+ ?|plus )\d{1,2}\)?$")
_UNCLEAR = re.compile(
    r"[~?<>{}\u0335-\u0338\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]|^\["
    r"|(?:^| )[(\[（][^()\[\]（）]*[)\]）]$|\+ ?\d| \d+ |\d ?[-–—:] ?\d| [-–—]( |$)"
)
"""What makes a line another thing than a name: doubts, somebody who is struck out or brings others, a score."""

_BESIDE = re.compile(r"[\W\d_]{2}|^[\W\d_①-⑳]|[^\w.]$|:| [a-zà-ÿ]+$")
"""What only names with something beside them have."""


def is_answer(text: str) -> bool:
    """Whether a text says that somebody comes, or when.

    >>> is_answer("komme später, ab 20 Uhr"), is_answer("19:30"), is_answer("kommt nicht"), is_answer("Lund")
    (True, True, False, False)
    """
    words = re.sub(r"\d+", " ", fold(text).replace("plus tard", "tard")).split()
    return ANSWERS.issuperset(words) if any(map(str.isalpha, words)) else bool(_TIME.search(text))


def without_remarks(line: str) -> str:
    """Return a line, with single spaces, without what is known to be no part of a name in it.

    >>> without_remarks("1. Anna Berger ✅"), without_remarks("Ben Okafor: bin dabei!")
    ('Anna Berger', 'Ben Okafor')
    >>> without_remarks("Cem (kommt nicht)"), without_remarks("❌ Dana Fox")
    ('Cem (kommt nicht)', '❌ Dana Fox')
    """
    line = visible(line)
    if not _BESIDE.search(line):
        return line
    for _time in range(MAX_REMARKS):
        before = line
        if beginning := _BEGINNING.match(line):
            line = line[beginning.end() :]
        line = line.strip(" *_")
        while line and (line[-1] in " ,;" or _MARK_ALONE.fullmatch(line[-1])):
            line = line[:-1]
        line = _before_answer(line)
        if line == before:
            break
    return _without_answer(line)


def _before_answer(line: str) -> str:
    """Return what stands before an answer in brackets, or after a separator; after a comma it is no first name."""
    if line.endswith((")", "]", "）")):
        start = max(map(line.rfind, "([（"))
        return line[:start] if start > 0 and is_answer(line[start + 1 : -1]) else line
    for separator in _SEPARATORS:
        name, mark, answer = line.partition(separator)
        if mark and name and is_answer(answer) and (separator != ", " or answer[0].islower()):
            return name
    return line


def _without_answer(line: str) -> str:
    """Return a line without words of an answer that follow a name without a mark between them."""
    words = line.split()
    count = len(words)
    while count > 1 and ANSWERS.issuperset(re.sub(r"\d+", " ", fold(words[count - 1])).split()):
        count -= 1
    is_answered = words[count:] and words[count].islower() and words[count - 1][0].isupper()
    return " ".join(words[:count]) if is_answered else line


def apart_from_guests(line: str) -> tuple[str, bool]:
    """Return a line without the number of those whom somebody brings, and whether there was one.

    >>> apart_from_guests("Grete Moser +1"), apart_from_guests("Grete Moser")
    (('Grete Moser', True), ('Grete Moser', False))
    """
    guests = _GUESTS.search(line)
    return (line[: guests.start()], True) if guests and guests.start() else (line, False)


def may_be_no_name(line: str) -> bool:
    """Whether a line says, or may say, something else than one name.

    >>> [may_be_no_name(line) for line in ("~~Ann~~", "❌ Ann", "Jan Novák 3-1", "Ann kommt nicht", "Bin dabei", "Ann")]
    [True, True, True, True, True, False]
    """
    words, small = fold(line).split(), {fold(word) for word in line.split() if word.islower()}
    is_answer_alone = (ANSWERS | DOUBTS).issuperset(words) and (
        len(words) > 1 or bool(small) or not YES_OR_NO.isdisjoint(words)
    )
    return bool(_UNCLEAR.search(line) or small & DOUBTS or is_answer_alone)


def is_heading(line: str) -> bool:
    """Whether a line with a colon at its end names the day of what follows, of those who come.

    >>> is_heading("Dienstag 19 Uhr:"), is_heading("Anna Berger:"), is_heading("Absagen Dienstag:")
    (True, False, False)
    """
    words = set(fold(line).split())
    is_about_day = bool(words & WEEKDAYS) or any(map(str.isdecimal, line))
    return line.rstrip().endswith((":", "：")) and is_about_day and not words & DOUBTS
